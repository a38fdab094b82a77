"""Frontmatter: read as the text that a person sees, and changed one value at a time."""

import re

from holdfast import text
from holdfast.errors import HoldfastError
from holdfast.markdown import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Token = tuple[str, object, object, object]  # what the parser says of a value: event, anchor, tag, text
    Plan = tuple[int, int, str, list[Token]]  # characters to replace, by what, and all tokens that must then be read

_DEEPEST = 30  # values within values
_MOST = 10_000  # values that a document's aliases may stand for
_BOM = b"\xef\xbb\xbf"
_OPEN, _CLOSE = ("MappingStartEvent", None, None, None), ("MappingEndEvent", None, None, None)
_KINDS = {"ScalarEvent": "text", "AliasEvent": "alias", "SequenceStartEvent": "list", "MappingStartEvent": "group"}
_NEWLINE = re.compile(r"\r\n|\r|\n")
_QUOTED = re.compile(r"""(["'])(.*)\1(?:[ \t]+#.*)?""")
_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)?")
_INDENTED = re.compile(r"(?:\A|[\r\n])( +)[^\s#-]")
# What cannot stand in a line between quotes as it is.
_ODD = re.compile("[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
# What other readers than PyYAML take for a truth or a number.
_AMBIGUOUS = re.compile(r"[yYnN]|0o[0-7]+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# What may stand without quotes where such a thing stood without quotes before.
_BARE = (
    re.compile(r"[-+]?\d+(?:\.\d+)?"),
    re.compile(r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?"),
)


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
        self.tree: _Tree | None = None

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

    def chain(self, names: list[str]) -> "list[_Node]":
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
        found.tree = _parsed(found.source)
        found.problem, at = _objection(found.tree)
    except UnicodeDecodeError as error:
        found.problem, at = "its frontmatter is not UTF-8", len(front[: error.start].decode())
    except _NotYamlError as error:
        found.problem, at = f"its frontmatter is not YAML: {text.line(str(error), 200)}", error.at
    found.line = _line(document, found.offset(at)) if found.problem else 0
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
    if not all(names) or len(names) > _DEEPEST:
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
        line = _line(document, metadata.offset(max(start - 1, 0)))
        raise HoldfastError(f"line {line}: {text.line(path, 60)} cannot be set safely here; change it in an editor")
    return new


class _NotYamlError(Exception):
    """Text that is no YAML; `at` is the character where that shows."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


class _Node:
    """A value: what it says, where it stands in the text, and which of its tree's tokens it is.

    `end` may lie behind the blank lines after a block; `free` means that neither anchor nor tag belongs to it.
    """

    __slots__ = (
        "at",
        "close",
        "end",
        "flow",
        "free",
        "key",
        "keys",
        "kind",
        "parts",
        "size",
        "start",
        "style",
        "value",
    )

    def __init__(self, kind: str, event: "Any", at: int) -> None:
        self.kind = kind  # "text", "list", "group" or "alias"
        self.at = self.close = at
        self.start: int = event.start_mark.index
        self.end: int = event.end_mark.index
        self.flow = bool(getattr(event, "flow_style", False))
        self.free = not event.anchor and getattr(event, "tag", None) is None
        self.style = getattr(event, "style", None) or ""
        self.value: Any = getattr(event, "value", "")
        self.parts: list[_Node] = []
        self.key: _Node | None = None  # the one that it stands under
        self.keys: dict[str, _Node] = {}
        self.size = 1

    @property
    def block(self) -> bool:
        """Whether it is text in lines of its own, under a `|` or `>`."""
        return self.style in {"|", ">"}

    @property
    def missing(self) -> bool:
        """Whether nothing stands after its key."""
        return self.kind == "text" and self.start == self.end


class _Tree:
    """The values of a YAML document, built from the parser's events so that neither depth nor aliases take long."""

    __slots__ = ("anchors", "borrowed", "open", "root", "tokens", "twice")

    def __init__(self, loader: "Any") -> None:
        self.root: _Node | None = None
        self.twice: _Node | None = None  # the first key that stands again in its group
        self.tokens: list[Token] = []
        self.open: list[_Node] = []
        self.anchors: dict[str, _Node] = {}
        self.borrowed = 0
        while loader.check_event():
            event = loader.get_event()
            name = type(event).__name__
            if name.startswith(("Stream", "Document")):
                continue
            anchor, tag, value = (getattr(event, each, None) for each in ("anchor", "tag", "value"))
            self.tokens.append((name, anchor, tag, value))
            if name in _KINDS:
                self._begin(_Node(_KINDS[name], event, len(self.tokens) - 1), anchor)
            else:
                self._finish(event)

    def _begin(self, node: _Node, anchor: str | None) -> None:
        """Take a value, or the beginning of one."""
        if node.kind == "alias":
            self._borrow(node, self.anchors.get(anchor or ""))
        elif anchor:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].parts.append(node)
        elif self.root:
            raise _NotYamlError("found another document", node.start)
        else:
            self.root = node
        if node.kind in {"list", "group"}:
            self.open.append(node)
        if len(self.open) > _DEEPEST:
            raise _NotYamlError(f"found values more than {_DEEPEST} deep", node.start)

    def _borrow(self, node: _Node, found: _Node | None) -> None:
        """Let an alias say what stands at its anchor."""
        if found is None or found in self.open:
            raise _NotYamlError("found an alias of what is not there", node.start)
        node.value, node.keys, node.size = found.value, found.keys, found.size
        self.borrowed += found.size
        if self.borrowed > _MOST:
            raise _NotYamlError(f"found aliases that stand for more than {_MOST} values", node.start)

    def _finish(self, event: "Any") -> None:
        """Take the end of a list or group, all of whose parts are known by now."""
        node = self.open.pop()
        node.close = len(self.tokens) - 1
        node.end = event.end_mark.index if node.flow or not node.parts else node.parts[-1].end
        node.size += sum(part.size for part in node.parts)
        if node.kind == "list":
            node.value = [part.value for part in node.parts]
            return
        for key, value in zip(node.parts[::2], node.parts[1::2], strict=True):
            if not isinstance(key.value, str):
                raise _NotYamlError("found a list or group in place of a key", key.start)
            if key.value in node.keys and not self.twice:
                self.twice = key
            value.key = key
            node.keys[key.value] = value
        node.value = {name: value.value for name, value in node.keys.items()}


def _parsed(text: str) -> _Tree:
    """Return the tree of a YAML document, a _NotYamlError for any other text."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler  # the one importer

    class Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
        def get_single_data(self) -> _Tree:
            return _Tree(self)

    try:
        tree: _Tree = YAMLHandler().load(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        raise _NotYamlError(str(error.problem), error.problem_mark.index if error.problem_mark else 0) from error
    except yaml.reader.ReaderError as error:
        odd = yaml.reader.Reader.NON_PRINTABLE.search(text)
        raise _NotYamlError(str(error.reason), odd.start() if odd else 0) from error
    except (ValueError, OverflowError) as error:  # an escape or a version that the loader without C stumbles over
        raise _NotYamlError(str(error), 0) from error
    return tree


def _objection(tree: _Tree) -> tuple[str, int]:
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


def _refuse(document: Document, metadata: Metadata, chain: list[_Node], names: list[str]) -> None:
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
        line = _line(document, metadata.offset(node.start))
        raise HoldfastError(f"line {line}: {text.line(name, 60) or 'its frontmatter'} {why}; change it in an editor")


def _replaced(metadata: Metadata, node: _Node, value: str) -> "Plan":
    """Return how a text becomes another one; a remark after the `|` or `>` of a block stays."""
    start, end, new = node.start, node.end, _written(value, node)
    if node.missing:
        new = " " + new
    elif node.block:
        header = _HEADER.match(metadata.source, start)
        new += (header and header[1]) or ""
        end = _content_end(metadata.source, node)
    return start, end, new, metadata.tokens(node.at, node.at + 1, [_token(value)])


def _added(metadata: Metadata, chain: list[_Node], names: list[str], value: str) -> "Plan":
    """Return how keys that are missing come to stand last in their group, or under a key with nothing after it."""
    source, last = metadata.source, chain[-1] if chain else None
    indented = _INDENTED.search(source)
    step = indented[1] if indented else "  "
    tokens = [_token(names[-1]), _token(value)]
    for name in names[-2::-1]:
        tokens = [_token(name), _OPEN, *tokens, _CLOSE]
    if not last:
        at, indent, tokens = len(source), "", [_OPEN, *tokens, _CLOSE]
    elif last.kind == "group":
        at, indent = _next_line(source, last), _indent(source, last.parts[-2])
        tokens = metadata.tokens(last.close, last.close, tokens)
    else:
        at, indent = _next_line(source, last), _indent(source, last.key) + step
        tokens = metadata.tokens(last.at, last.at + 1, [_OPEN, *tokens, _CLOSE])
    keys = [f"{indent}{step * depth}{_written(name)}:" for depth, name in enumerate(names)]
    return at, at, metadata.newline.join(keys) + f" {_written(value)}{metadata.newline}", tokens


def _next_line(source: str, node: _Node) -> int:
    """Return where the line after a value begins."""
    while node.parts and not node.flow:
        node = node.parts[-1]
    if node.block and "+" in source[node.start : node.start + 3]:  # then the blank lines after it belong to it
        return node.end
    line = _NEWLINE.search(source, _content_end(source, node))
    return line.end() if line else len(source)


def _content_end(source: str, node: _Node) -> int:
    """Return where the last line of a value that is not blank ends."""
    return node.start + len(source[node.start : node.end].rstrip(" \t\r\n"))


def _indent(source: str, key: _Node | None) -> str:
    """Return the blanks before a key."""
    start = key.start if key else 0
    before = source[max(source.rfind("\n", 0, start), source.rfind("\r", 0, start)) + 1 : start]
    return "" if before.strip(" ") else before


def _token(value: str) -> "Token":
    """Return the token of a text."""
    return "ScalarEvent", None, None, value


def _written(value: str, old: _Node | None = None) -> str:
    """Return a text as YAML has it: in the quotes that were there, without any where every reader finds the text."""
    style, was = (old.style, old.value) if old else ("", "")
    if style == "'" and not _ODD.search(value):
        return "'" + value.replace("'", "''") + "'"
    alike = not style and any(form.fullmatch(value) and form.fullmatch(was) for form in _BARE)
    if style != '"' and (alike or _bare(value)):
        return value
    escaped = _ODD.sub(lambda odd: f"\\u{ord(odd[0]):04x}", value.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'


def _bare(value: str) -> bool:
    """Whether every reader finds this text, and nothing else, without quotes."""
    import yaml

    dumped = yaml.dump(value, Dumper=yaml.SafeDumper, allow_unicode=True, width=float("inf"))
    return dumped == f"{value}\n...\n" and not _AMBIGUOUS.fullmatch(value)


def _one_line(value: str) -> str:
    """Return text that fits on a line of a UTF-8 file."""
    lines = _NEWLINE.split(value.encode("utf-8", "replace").decode())
    return " ".join(filter(None, (line.strip(" \t") for line in lines))) if len(lines) > 1 else lines[0]


def _line(document: Document, offset: int) -> int:
    """Return the 1-based number of the line that an offset lies in."""
    return len(re.findall(rb"\r\n|\r|\n", document.data[:offset])) + 1


def _under(values: object, name: str) -> object:
    """Return what stands under a key, None for nothing."""
    return values.get(name) if isinstance(values, dict) else None
