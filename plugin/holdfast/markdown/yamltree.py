"""YAML as a tree of its own text: what each value says, where it is, and how a new one is written.

The one importer of python-frontmatter and PyYAML.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Token = tuple[str, object, object, object]  # what the parser says of a value: event, anchor, tag, text
DEEPEST = 30  # values within values
_MOST = 10_000  # values that a document's aliases may be for
_KINDS = {"ScalarEvent": "text", "AliasEvent": "alias", "SequenceStartEvent": "list", "MappingStartEvent": "group"}
# Only writing needs these patterns, and compiling them takes long: `re` does that when they are first used.
# What cannot be in a line between quotes as it is.
_ODD = "[^ -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
# What other readers than PyYAML take for a truth or a number.
_AMBIGUOUS = r"[yYnN]|0o[0-7]+|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
# What may be without quotes where such a thing stood without quotes before.
_BARE = (
    r"[-+]?\d+(?:\.\d+)?",
    r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?",
)


class NotYamlError(Exception):
    """Text that is no YAML; `at` is the character where that shows."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.at = at


class Node:
    """A value: what it says, where it is in the text, and which of its tree's tokens it is.

    `end` may be after the blank lines after a block; `free` means that neither anchor nor tag belongs to it.
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
        self.parts: list[Node] = []
        self.key: Node | None = None  # the one that it is under
        self.keys: dict[str, Node] = {}
        self.size = 1

    @property
    def block(self) -> bool:
        """Whether it is text in lines of its own, under a `|` or `>`."""
        return self.style in {"|", ">"}

    @property
    def missing(self) -> bool:
        """Whether nothing is after its key."""
        return self.kind == "text" and self.start == self.end


class Tree:
    """The values of a YAML document, built from the parser's events so that neither depth nor aliases take long."""

    def __init__(self, loader: "Any") -> None:
        self.root: Node | None = None
        self.twice: Node | None = None  # the first key that appears again in its group
        self.tokens: list[Token] = []
        self.open: list[Node] = []
        self.anchors: dict[str, Node] = {}
        self.borrowed = 0
        while loader.check_event():
            event = loader.get_event()
            name = type(event).__name__
            if name.startswith(("Stream", "Document")):
                continue
            anchor, tag, value = (getattr(event, each, None) for each in ("anchor", "tag", "value"))
            self.tokens.append((name, anchor, tag, value))
            if name in _KINDS:
                self._begin(Node(_KINDS[name], event, len(self.tokens) - 1), anchor)
            else:
                self._finish(event)

    def _begin(self, node: Node, anchor: str | None) -> None:
        """Take a value, or the beginning of one."""
        if node.kind == "alias":
            self._borrow(node, self.anchors.get(anchor or ""))
        elif anchor:
            self.anchors[anchor] = node
        if self.open:
            self.open[-1].parts.append(node)
        elif self.root:
            raise NotYamlError("found another document", node.start)
        else:
            self.root = node
        if node.kind in {"list", "group"}:
            self.open.append(node)
        if len(self.open) > DEEPEST:
            raise NotYamlError(f"found values more than {DEEPEST} deep", node.start)

    def _borrow(self, node: Node, found: Node | None) -> None:
        """Let an alias say what is at its anchor."""
        if found is None or found in self.open:
            raise NotYamlError("found an alias of what is not there", node.start)
        node.value, node.keys, node.size = found.value, found.keys, found.size
        self.borrowed += found.size
        if self.borrowed > _MOST:
            raise NotYamlError(f"found aliases for more than {_MOST} values", node.start)

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
                raise NotYamlError("found a list or group in place of a key", key.start)
            if key.value in node.keys and not self.twice:
                self.twice = key
            value.key = key
            node.keys[key.value] = value
        node.value = {name: value.value for name, value in node.keys.items()}


def parsed(text: str) -> Tree:
    """Return the tree of a YAML document. NotYamlError for any other text."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler  # the one importer

    class Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
        def get_single_data(self) -> Tree:
            return Tree(self)

    try:
        tree: Tree = YAMLHandler().load(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        raise NotYamlError(str(error.problem), error.problem_mark.index if error.problem_mark else 0) from error
    except yaml.reader.ReaderError as error:
        odd = yaml.reader.Reader.NON_PRINTABLE.search(text)
        raise NotYamlError(str(error.reason), odd.start() if odd else 0) from error
    except (ValueError, OverflowError) as error:  # an escape or a version that the loader without C stumbles over
        raise NotYamlError(str(error), 0) from error
    return tree


def token(value: str) -> "Token":
    """Return the token of a text."""
    return "ScalarEvent", None, None, value


def written(value: str, old: Node | None = None) -> str:
    """Return a text as YAML has it: in the quotes that were there, without any where every reader finds the text."""
    style, was = (old.style, old.value) if old else ("", "")
    if style == "'" and (_is_plain(value) or not re.search(_ODD, value)):
        return "'" + value.replace("'", "''") + "'"
    alike = not style and any(re.fullmatch(form, value) and re.fullmatch(form, was) for form in _BARE)
    if style != '"' and (alike or _bare(value)):
        return value
    return quoted(value)


def quoted(value: str) -> str:
    """Return a text between double quotes, as YAML has it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    if not _is_plain(value):
        escaped = re.sub(_ODD, lambda odd: f"\\u{ord(odd[0]):04x}", escaped)
    return f'"{escaped}"'


def _is_plain(value: str) -> bool:
    """Whether a text has printable ASCII only, as most have; to compile the pattern takes longer than all else here."""
    return value.isascii() and value.isprintable()


def _bare(value: str) -> bool:
    """Whether every reader finds this text, and nothing else, without quotes."""
    import yaml

    dumped = yaml.dump(value, Dumper=yaml.SafeDumper, allow_unicode=True, width=float("inf"))
    return dumped == f"{value}\n...\n" and not re.fullmatch(_AMBIGUOUS, value)
