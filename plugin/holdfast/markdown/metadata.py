"""Frontmatter: read as the text that a person sees, and changed one value at a time."""

import re

from holdfast import text
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Document
from holdfast.markdown.yamltree import DEEPEST, Node, NotYamlError, Tree, parsed, token, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.markdown.yamltree import Token

    Plan = tuple[int, int, str, list[Token]]  # characters to replace, by what, and all tokens that must then be read

_BOM = b"\xef\xbb\xbf"
_OPEN, _CLOSE = ("MappingStartEvent", None, None, None), ("MappingEndEvent", None, None, None)
_NEWLINE = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r"""(["'])(.*)\1(?:[ \t]+#.*)?""")
_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)?")
_INDENTED = re.compile(r"(?:\A|[\r\n])( +)[^\s#-]")


class Metadata:
    """What a file's frontmatter says.

    `values` is a nested dict in which every scalar is the text that a person sees, `problem` why the frontmatter cannot
    be relied on, "" when it can, and `line` the 1-based line of that problem, 0 without one. Of frontmatter that is not
    YAML the lines `key: value` that are not indented are read all the same.
    """

    __slots__ = ("base", "line", "newline", "problem", "source", "tree", "values")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.problem = ""
        self.line = 0
        self.source = ""  # the YAML
        self.base = 0  # where it begins, in the file's bytes
        self.newline = "\n"  # how the line before it ends
        self.tree: Tree | None = None

    def text(self, path: str) -> str:
        """Return the text at a path such as "session.status", the texts of a list joined; "" for anything else."""
        return ", ".join(self.items(path))

    def items(self, path: str) -> list[str]:
        """Return the texts in the list at a path that are not empty; a single text is a list of one."""
        found = self._value(path)
        return [item for item in (found if isinstance(found, list) else [found]) if item and isinstance(item, str)]

    def has(self, path: str) -> bool:
        """Whether there is a key at a path, even one with nothing after it."""
        return self._value(path) is not None

    def leaves(self) -> "list[tuple[str, str]]":
        """Return the path and the text of every value that is a text, those in lists under the path of the list."""
        found: list[tuple[str, str]] = []
        left: list[tuple[str, object]] = [("", self.values)]
        while left:
            path, value = left.pop()
            if isinstance(value, dict):
                left += [(f"{path}.{name}" if path else str(name), inner) for name, inner in value.items()]
            elif isinstance(value, list):
                left += [(path, inner) for inner in value]
            elif isinstance(value, str):
                found.append((path, value))
        return found[::-1]

    def span(self, path: str) -> tuple[int, int] | None:
        """Return where the text at a path begins and ends, in bytes of the file and without its quotes.

        None when there is a problem, and for what is no text, is nothing at all, or does not stand right by its key as
        it is: an alias, what has an anchor or a tag, and a block of lines.
        """
        names = self.names(path)
        chain = self.chain(names)
        node = chain[-1] if len(chain) > len(names) else None
        if (
            self.problem
            or node is None
            or node.kind != "text"
            or node.block
            or node.missing
            or not all(part.free for part in chain)
        ):
            return None
        quote = len(node.style)
        return self.offset(node.start + quote), self.offset(node.end - quote)

    def names(self, path: str) -> list[str]:
        """Return the keys along a path; a key whose name is the whole rest of the path is the last of them."""
        names: list[str] = []
        values: object = self.values
        while "." in path and not (isinstance(values, dict) and path in values):
            name, _, path = path.partition(".")
            names.append(name)
            values = _under(values, name)
        return [*names, path]

    def chain(self, names: list[str]) -> "list[Node]":
        """Return the values along these keys, the whole frontmatter first, as far as there are any."""
        chain = [self.tree.root] if self.tree and self.tree.root else []
        for name in names if chain else []:
            if name not in chain[-1].keys:
                break
            chain.append(chain[-1].keys[name])
        return chain

    def _value(self, path: str) -> object:
        """Return what stands at a path, None when there is no such key."""
        found: object = self.values
        for name in self.names(path):
            found = _under(found, name)
        return found

    def tokens(self, start: int, end: int, new: "list[Token]") -> "list[Token]":
        """Return the tokens of the whole frontmatter with some of them replaced."""
        tokens = self.tree.tokens if self.tree else []
        return [*tokens[:start], *new, *tokens[end:]]

    def offset(self, index: int) -> int:
        """Return where a character of the YAML stands in the file's bytes."""
        return self.base + len(self.source[:index].encode())


def read(document: Document) -> Metadata:
    """Return what a file's frontmatter says, and why when it cannot be relied on."""
    found, at = Metadata(), 0
    if document.frontmatter is None:
        return found
    start, end = document.frontmatter
    found.base = start + len(_BOM) * document.data.startswith(_BOM, start, end)  # the loaders do not agree on its width
    found.newline = _NEWLINE.findall(document.data[:start].decode())[-1]
    front = document.data[found.base : end]
    found.source = front.decode("utf-8", "replace")
    try:
        front.decode()
        found.tree = parsed(found.source)
        found.problem, at = _objection(found.tree)
    except UnicodeDecodeError as error:
        found.problem, at = "its frontmatter is not UTF-8", len(front[: error.start].decode())
    except NotYamlError as error:
        found.problem, at = f"its frontmatter is not YAML: {text.line(str(error), 200)}", error.at
    found.line = document.line(found.offset(at)) if found.problem else 0
    if not found.tree:
        found.values = _lines(found.source)
    elif found.tree.root and found.tree.root.kind == "group":
        found.values = found.tree.root.value
    return found


def edit(document: Document, path: str, value: str) -> tuple[int, int, bytes] | None:
    """Return the splice (start, end, replacement) that sets the text at a path, None when it says so already.

    A value keeps its quotes when they fit, and what is new comes last in its group; line ends in it become blanks. What
    cannot be set so that this value is read back, and all others as they were, is a HoldfastError that names the line.
    """
    metadata = read(document)
    if document.frontmatter is None:
        raise HoldfastError("line 1: it has no frontmatter; begin the file with two lines `---`, then try again")
    if metadata.problem:
        raise HoldfastError(f"line {metadata.line}: {metadata.problem}; put that right, then try again")
    names, value = metadata.names(path), _one_line(value)
    if not all(names) or len(names) > DEEPEST:
        raise HoldfastError("line 1: the path names no key that can be set; write one such as session.status")
    chain = metadata.chain(names)
    missing = names[max(len(chain) - 1, 0) :]
    if not missing and chain[-1].value == value:
        return None
    _refuse(document, metadata, chain, names)
    if missing:
        start, end, written, tokens = _added(metadata, chain, missing, value)
    else:
        start, end, written, tokens = _replaced(metadata, chain[-1], value)
    new = metadata.offset(start), metadata.offset(end), written.encode()
    changed = read(Document(document.data[: new[0]] + new[2] + document.data[new[1] :]))
    if changed.problem or not changed.tree or changed.tree.tokens != tokens:
        line = document.line(metadata.offset(max(start - 1, 0)))
        raise HoldfastError(f"line {line}: {text.line(path, 60)} cannot be set safely here; change it in an editor")
    return new


def _objection(tree: Tree) -> tuple[str, int]:
    """Return what is wrong with frontmatter that is YAML, and at which character; "" for nothing."""
    if tree.twice:
        return f"its frontmatter has the key `{text.line(tree.twice.value, 60)}` twice", tree.twice.start
    if tree.root and tree.root.kind != "group":
        return f"its frontmatter is a {tree.root.kind}, not lines `key: value`", tree.root.start
    return "", 0


def _lines(source: str) -> dict[str, str]:
    """Return the lines `key: value` that are not indented, as what they seem to say."""
    found = {}
    for line in _NEWLINE.split(source):
        key, colon, rest = line.partition(":")
        if not colon or not key or key[0] in " \t#" or key.startswith("- ") or rest[:1].strip():
            continue
        quoted = _QUOTED.fullmatch(rest.strip())
        found[key.strip().strip("\"'")] = quoted[2] if quoted else rest.partition(" #")[0].strip()
    return found


def _refuse(document: Document, metadata: Metadata, chain: list[Node], names: list[str]) -> None:
    """Raise a HoldfastError when what stands along the path leaves no place for a text."""
    last = chain[-1] if chain else None
    whole = len(chain) > len(names)
    for node, name in zip(chain, ["", *names], strict=False):
        if node.kind == "alias" or not node.free:
            why = "has an anchor, an alias or a tag (& * !)"
        elif node.flow:
            why = "is written in brackets"
        elif node is last and (node.kind != "text" if whole else node.kind != "group" and not node.missing):
            why = f"is a {node.kind}" if whole else f"is a {node.kind}, under which no key can stand"
        else:
            continue
        line = document.line(metadata.offset(node.start))
        raise HoldfastError(f"line {line}: {text.line(name, 60) or 'its frontmatter'} {why}; change it in an editor")


def _replaced(metadata: Metadata, node: Node, value: str) -> "Plan":
    """Return how a text becomes another one; a remark after the `|` or `>` of a block stays."""
    start, end, new = node.start, node.end, written(value, node)
    if node.missing:
        new = " " + new
    elif node.block:
        header = _HEADER.match(metadata.source, start)
        new += (header and header[1]) or ""
        end = _content_end(metadata.source, node)
    return start, end, new, metadata.tokens(node.at, node.at + 1, [token(value)])


def _added(metadata: Metadata, chain: list[Node], names: list[str], value: str) -> "Plan":
    """Return how keys that are missing come to stand last in their group, or under a key with nothing after it."""
    source, last = metadata.source, chain[-1] if chain else None
    indented = _INDENTED.search(source)
    step = indented[1] if indented else "  "
    tokens = [token(names[-1]), token(value)]
    for name in names[-2::-1]:
        tokens = [token(name), _OPEN, *tokens, _CLOSE]
    if not last:
        at, indent, tokens = len(source), "", [_OPEN, *tokens, _CLOSE]
    elif last.kind == "group":
        at, indent = _next_line(source, last), _indent(source, last.parts[-2])
        tokens = metadata.tokens(last.close, last.close, tokens)
    else:
        at, indent = _next_line(source, last), _indent(source, last.key) + step
        tokens = metadata.tokens(last.at, last.at + 1, [_OPEN, *tokens, _CLOSE])
    keys = [f"{indent}{step * depth}{written(name)}:" for depth, name in enumerate(names)]
    return at, at, metadata.newline.join(keys) + f" {written(value)}{metadata.newline}", tokens


def _next_line(source: str, node: Node) -> int:
    """Return where the line after a value begins."""
    while node.parts and not node.flow:
        node = node.parts[-1]
    if node.block and "+" in source[node.start : node.start + 3]:  # then the blank lines after it belong to it
        return node.end
    line = _NEWLINE.search(source, _content_end(source, node))
    return line.end() if line else len(source)


def _content_end(source: str, node: Node) -> int:
    """Return where the last line of a value that is not blank ends."""
    return node.start + len(source[node.start : node.end].rstrip(" \t\r\n"))


def _indent(source: str, key: Node | None) -> str:
    """Return the blanks before a key."""
    start = key.start if key else 0
    before = source[max(source.rfind("\n", 0, start), source.rfind("\r", 0, start)) + 1 : start]
    return "" if before.strip(" ") else before


def _one_line(value: str) -> str:
    """Return text that fits on a line of a UTF-8 file."""
    lines = _NEWLINE.split(value.encode("utf-8", "replace").decode())
    return " ".join(filter(None, (line.strip(" \t") for line in lines))) if len(lines) > 1 else lines[0]


def _under(values: object, name: str) -> object:
    """Return what stands under a key, None for nothing."""
    return values.get(name) if isinstance(values, dict) else None
