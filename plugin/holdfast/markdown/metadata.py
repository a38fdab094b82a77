"""Frontmatter as the text that a person sees, with the place of each value; `metadata_edit` changes it."""

from holdfast.core.patterns import pattern
from holdfast.markdown.document import Document
from holdfast.markdown.yamltree import Node, NotYamlError, Tree, parsed
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.markdown.yamltree import Token

_BOM = b"\xef\xbb\xbf"
NEWLINE = pattern(r"\r\n|\r|\n")
_QUOTED = pattern(r"""(["'])(.*)\1(?:[ \t]+#.*)?""")


class Metadata:
    """What a file's frontmatter says.

    `values` is a nested dict in which every scalar is the text that a person sees, `problem` why the frontmatter cannot
    be relied on, "" when it can, and `line` the 1-based line of that problem, 0 without one. Of frontmatter that is not
    YAML the lines `key: value` that are not indented are read all the same.
    """

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

    def nested(self, name: str) -> list[str]:
        """Return the path of each key of this name one level down, such as "session.title"."""
        groups = [(key, value) for key, value in self.values.items() if isinstance(value, dict)]
        return [f"{key}.{own}" for key, value in groups if (own := _as_written(value, name)) in value]

    def leaves(self) -> "list[tuple[str, str]]":
        """Return the path and the text of every value that is a text, those in lists under the path of the list."""
        pairs: list[tuple[str, str]] = []
        left: list[tuple[str, object]] = [("", self.values)]
        while left:
            path, value = left.pop()
            if isinstance(value, dict):
                left += [(f"{path}.{name}" if path else str(name), inner) for name, inner in value.items()]
            elif isinstance(value, list):
                left += [(path, inner) for inner in value]
            elif isinstance(value, str):
                pairs.append((path, value))
        return pairs[::-1]

    def texts(self, path: str) -> "list[tuple[str, int]]":
        """Return each text at a path with its offset in the file, also those of a key within the items of a list.

        `spawned_agents.status` means the key `status` of every item of `spawned_agents`. Only text that is where it
        is found counts: no aliases, and nothing in frontmatter that is not YAML.
        """
        root = self.tree.root if self.tree else None
        found = [root] if root else []
        for name in self.names(path):
            items = [item for node in found for item in _items(node)]
            found = [node.keys[name] for node in items if name in node.keys]
        nodes = [item for node in found for item in _items(node)]
        return [(node.value, self.offset(node.start)) for node in nodes if node.kind == "text"]

    def span(self, path: str) -> tuple[int, int] | None:
        """Return where the text at a path begins and ends, in bytes of the file and without its quotes.

        None when there is a problem, and for what is no text, is nothing at all, or is not right by its key as
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
        """Return the keys along a path, each as the file writes it, such as Status for status.

        A key whose name is the whole rest of the path is the last of them.
        """
        names: list[str] = []
        values: object = self.values
        while "." in path and _under(values, _as_written(values, path)) is None:
            name, _, path = path.partition(".")
            names.append(_as_written(values, name))
            values = _under(values, names[-1])
        return [*names, _as_written(values, path)]

    def chain(self, names: list[str]) -> "list[Node]":
        """Return the values along these keys, the whole frontmatter first, as far as there are any."""
        chain = [self.tree.root] if self.tree and self.tree.root else []
        for name in names if chain else []:
            if name not in chain[-1].keys:
                break
            chain.append(chain[-1].keys[name])
        return chain

    def _value(self, path: str) -> object:
        """Return what is at a path, None when there is no such key."""
        found: object = self.values
        for name in self.names(path):
            found = _under(found, name)
        return found

    def tokens(self, start: int, end: int, new: "list[Token]") -> "list[Token]":
        """Return the tokens of the whole frontmatter with some of them replaced."""
        tokens = self.tree.tokens if self.tree else []
        return [*tokens[:start], *new, *tokens[end:]]

    def offset(self, index: int) -> int:
        """Return where a character of the YAML is in the file's bytes."""
        return self.base + len(self.source[:index].encode())


def read(document: Document) -> Metadata:
    """Return what a file's frontmatter says, and why when it cannot be relied on."""
    metadata, at = Metadata(), 0
    if document.frontmatter is None:
        return metadata
    start, end = document.frontmatter
    metadata.base = start + len(_BOM) * document.data.startswith(
        _BOM, start, end
    )  # the loaders do not agree on its width
    metadata.newline = NEWLINE.findall(document.data[:start].decode())[-1]
    front = document.data[metadata.base : end]
    metadata.source = front.decode("utf-8", "replace")
    try:
        front.decode()
        metadata.tree = parsed(metadata.source)
        metadata.problem, at = _objection(metadata.tree)
    except UnicodeDecodeError as error:
        metadata.problem, at = "its frontmatter is not UTF-8", len(front[: error.start].decode())
    except NotYamlError as error:
        metadata.problem, at = f"its frontmatter is not YAML: {safe.line(str(error), 200)}", error.at
    metadata.line = document.line(metadata.offset(at)) if metadata.problem else 0
    if not metadata.tree:
        metadata.values = _lines(metadata.source)
    elif metadata.tree.root and metadata.tree.root.kind == "group":
        metadata.values = metadata.tree.root.value
    return metadata


def _objection(tree: Tree) -> tuple[str, int]:
    """Return what is wrong with frontmatter that is YAML, and at which character; "" for nothing."""
    if tree.twice:
        return f"its frontmatter has the key `{safe.line(tree.twice.value, 60)}` twice", tree.twice.start
    if tree.root and tree.root.kind != "group":
        return f"its frontmatter is a {tree.root.kind}, not lines `key: value`", tree.root.start
    return "", 0


def _lines(source: str) -> dict[str, str]:
    """Return the lines `key: value` that are not indented, as what they seem to say."""
    fields = {}
    for line in NEWLINE.split(source):
        key, colon, rest = line.partition(":")
        if not colon or not key or key[0] in " \t#" or key.startswith("- ") or rest[:1].strip():
            continue
        quoted = _QUOTED.fullmatch(rest.strip())
        fields[key.strip().strip("\"'")] = quoted[2] if quoted else rest.partition(" #")[0].strip()
    return fields


def _items(node: Node) -> list[Node]:
    """Return the values in a list, and any other value as the only one."""
    return node.parts if node.kind == "list" else [node]


def _as_written(values: object, name: str) -> str:
    """Return the key `name` of a group as it is written there; else the only one that differs in case or separators."""
    if not isinstance(values, dict) or name in values:
        return name
    same = [key for key in values if isinstance(key, str) and _folded(key) == _folded(name)]
    return same[0] if len(same) == 1 else name


def _folded(key: str) -> str:
    return key.casefold().replace(" ", "_").replace("-", "_")


def _under(values: object, name: str) -> object:
    """Return what is under a key, None for nothing."""
    return values.get(name) if isinstance(values, dict) else None
