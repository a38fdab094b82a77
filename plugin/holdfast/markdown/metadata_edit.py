"""One value of a file's frontmatter set, with every other byte left as it is."""

import copy

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.markdown.document import Document, splices
from holdfast.markdown.metadata import NEWLINE, Metadata, read
from holdfast.markdown.yamltree import DEEPEST, Node, Token, token, written
from holdfast.trust import safe

# The first and last character to replace, the new text, and all tokens that must be read afterwards.
Plan = tuple[int, int, str, list[Token]]
Row = dict[str, str]
Splice = tuple[int, int, bytes]

_OPEN, _CLOSE = ("MappingStartEvent", None, None, None), ("MappingEndEvent", None, None, None)
_HEADER = pattern(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)?")
_INDENTED = pattern(r"(?:\A|[\r\n])( +)[^\s#-]")


def edit(document: Document, path: str, value: str) -> tuple[int, int, bytes] | None:
    """Return the splice (start, end, replacement) that sets the text at a path, None when it has that text already.

    A value keeps its quotes where they fit; a new key comes last in its group; line ends in the text become blanks.
    HoldfastError, with the line, when the value would not be read back or another value would change.
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
        raise HoldfastError(f"line {line}: {safe.line(path, 60)} cannot be set safely here; change it in an editor")
    return new


def _refuse(document: Document, metadata: Metadata, chain: list[Node], names: list[str]) -> None:
    """Raise a HoldfastError when a value along the path cannot be replaced by a text, or can have no key."""
    last = chain[-1] if chain else None
    whole = len(chain) > len(names)
    for node, name in zip(chain, ["", *names], strict=False):
        if node.kind == "alias" or not node.free:
            why = "has an anchor, an alias or a tag (& * !)"
        elif node.flow:
            why = "is written in brackets"
        elif node is last and (node.kind != "text" if whole else node.kind != "group" and not node.missing):
            why = f"is a {node.kind}" if whole else f"is a {node.kind}, under which no key can be"
        else:
            continue
        line = document.line(metadata.offset(node.start))
        raise HoldfastError(f"line {line}: {safe.line(name, 60) or 'its frontmatter'} {why}; change it in an editor")


def _replaced(metadata: Metadata, node: Node, value: str) -> "Plan":
    """Return the plan that replaces a text; a comment after the `|` or `>` of a block stays."""
    start, end, new = node.start, node.end, written(value, node)
    if node.missing:
        new = " " + new
    elif node.block:
        header = _HEADER.match(metadata.source, start)
        new += (header and header[1]) or ""
        end = _content_end(metadata.source, node)
    return start, end, new, metadata.tokens(node.at, node.at + 1, [token(value)])


def _added(metadata: Metadata, chain: list[Node], names: list[str], value: str) -> "Plan":
    """Return the plan that adds the missing keys at the end of their group, or under a key without a value."""
    source, last = metadata.source, chain[-1] if chain else None
    indented = _INDENTED.search(source)
    step = indented[1] if indented else "  "
    tokens = [token(names[-1]), token(value)]
    for name in names[-2::-1]:
        tokens = [token(name), _OPEN, *tokens, _CLOSE]
    if not last:
        at, indent, tokens = len(source), "", [_OPEN, *tokens, _CLOSE]
    elif last.kind == "group":
        at, indent = next_line(source, last), _indent(source, last.parts[-2])
        tokens = metadata.tokens(last.close, last.close, tokens)
    else:
        at, indent = next_line(source, last), _indent(source, last.key) + step
        tokens = metadata.tokens(last.at, last.at + 1, [_OPEN, *tokens, _CLOSE])
    keys = [f"{indent}{step * depth}{written(name)}:" for depth, name in enumerate(names)]
    return at, at, metadata.newline.join(keys) + f" {written(value)}{metadata.newline}", tokens


def next_line(source: str, node: Node) -> int:
    """Return where the line after a value begins."""
    while node.parts and not node.flow:
        node = node.parts[-1]
    if node.block and "+" in source[node.start : node.start + 3]:  # then the blank lines after it belong to it
        return node.end
    line = NEWLINE.search(source, _content_end(source, node))
    return line.end() if line else len(source)


def _content_end(source: str, node: Node) -> int:
    """Return where the last line of a value that is not blank ends."""
    return node.start + len(source[node.start : node.end].rstrip(" \t\r\n"))


def _indent(source: str, key: Node | None) -> str:
    """Return the indentation of a key."""
    start = key.start if key else 0
    before = source[line_start(source, start) : start]
    return "" if before.strip(" ") else before


def line_start(source: str, at: int) -> int:
    """Return where the line of a character begins."""
    return max(source.rfind("\n", 0, at), source.rfind("\r", 0, at)) + 1


def _one_line(value: str) -> str:
    """Return text that fits on a line of a UTF-8 file."""
    lines = NEWLINE.split(value.encode("utf-8", "replace").decode())
    return " ".join(filter(None, (line.strip(" \t") for line in lines))) if len(lines) > 1 else lines[0]


_STEP = "  "


def edit_rows(document: Document, path: str, changes: "dict[int, Row]", new: "list[Row]") -> "list[Splice]":
    """Return the splices that set values in the groups of a list, each by its number, and add new groups at its end.

    HoldfastError when the list is not there as lines, or when the result would not be read back.
    """
    metadata = read(document)
    chain = metadata.chain(metadata.names(path))
    if metadata.problem or len(chain) != path.count(".") + 2 or not all(node.free for node in chain):
        raise HoldfastError(f"{path} cannot be set safely; change it in an editor")
    expected = copy.deepcopy(metadata.values)
    found = [one for number, row in changes.items() for one in _set(metadata, chain[-1].parts[number], row)]
    found += _with_rows(metadata, chain[-1], new) if new else []
    after = read(Document(splices(document.data, found)))
    if after.problem or after.values != _with(expected, path, changes, new):
        raise HoldfastError(f"{path} cannot be set safely; change it in an editor")
    return found


def _with(values: "dict[str, object]", path: str, changes: "dict[int, Row]", new: "list[Row]") -> "dict[str, object]":
    """Return the values of a frontmatter with a list changed as it was asked for."""
    *above, last = path.split(".")
    group = values
    for name in above:
        inner = group[name]
        assert isinstance(inner, dict)  # noqa: S101 - for mypy: the chain of nodes has shown it
        group = inner
    listed = group[last]
    there = listed if isinstance(listed, list) else []
    for number, row in changes.items():
        there[number].update(row)
    group[last] = [*there, *new]
    return values


def _set(metadata: Metadata, group: Node, row: "Row") -> "list[Splice]":
    """Return the splices that set keys of one group; new keys come last in it."""
    found = []
    new: Row = {}
    for key, value in row.items():
        node = group.keys.get(key)
        if node is None:
            new[key] = value
        elif group.flow or node.kind != "text" or node.block or not node.free:
            raise HoldfastError(f"{key} cannot be set safely; change it in an editor")
        else:
            text = written(value, None if node.missing else node)
            found.append(_splice(metadata, node.start, node.end, f" {text}" if node.missing else text))
    if new and group.parts:
        indent = " " * _column(metadata.source, group.parts[0].start)
        found.append(_lines(metadata, group, [f"{indent}{key}: {written(value)}" for key, value in new.items()]))
    return found


def _with_rows(metadata: Metadata, node: Node, new: "list[Row]") -> "list[Splice]":
    """Return the splice that adds groups to a list, to an empty one, or under a key without a value."""
    source = metadata.source
    if node.kind == "list" and node.parts and not node.flow:
        return [_lines(metadata, node, _groups(new, " " * _column(source, node.start)))]
    if node.key is None or node.parts or not (node.missing or (node.kind == "list" and node.flow)):
        raise HoldfastError("the list is not written as lines; change it in an editor")
    lines = _groups(new, " " * _column(source, node.key.start) + _STEP)
    start = node.key.end + 1 if not node.missing else node.start
    return [_splice(metadata, start, node.end, metadata.newline + metadata.newline.join(lines))]


def _groups(new: "list[Row]", indent: str) -> list[str]:
    """Return groups as lines of YAML."""
    return [
        f"{indent}{'  ' if number else '- '}{key}: {written(value)}"
        for row in new
        for number, (key, value) in enumerate(row.items())
    ]


def _lines(metadata: Metadata, node: Node, lines: list[str]) -> "Splice":
    """Return the splice that puts lines after the last line of a value."""
    at = next_line(metadata.source, node)
    return _splice(metadata, at, at, "".join(f"{each}{metadata.newline}" for each in lines))


def _column(source: str, at: int) -> int:
    """Return how many characters are before one on its line."""
    return at - line_start(source, at)


def _splice(metadata: Metadata, start: int, end: int, text: str) -> "Splice":
    """Return a change of the YAML as one of the file's bytes."""
    return metadata.offset(start), metadata.offset(end), text.encode()
