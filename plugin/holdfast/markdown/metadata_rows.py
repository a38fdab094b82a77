"""A list of groups in a file's frontmatter, such as `spawned_agents`: groups added, and single values set in them."""

import copy

from holdfast.core.errors import HoldfastError
from holdfast.markdown.document import Document, splices
from holdfast.markdown.metadata import Metadata, read
from holdfast.markdown.metadata_edit import line_start, next_line
from holdfast.markdown.yamltree import Node, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    Row = dict[str, str]
    Splice = tuple[int, int, bytes]

_STEP = "  "


def edit(document: Document, path: str, changes: "dict[int, Row]", new: "list[Row]") -> "list[Splice]":
    """Return the splices that set values in the groups of a list, each by its number, and add new groups at its end.

    HoldfastError when the list is not there as lines, or when the result would not be read back.
    """
    metadata = read(document)
    chain = metadata.chain(metadata.names(path))
    if metadata.problem or len(chain) != path.count(".") + 2 or not all(node.free for node in chain):
        raise HoldfastError(f"{path} cannot be set safely; change it in an editor")
    expected = copy.deepcopy(metadata.values)
    found = [one for number, row in changes.items() for one in _set(metadata, chain[-1].parts[number], row)]
    found += _added(metadata, chain[-1], new) if new else []
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


def _added(metadata: Metadata, node: Node, new: "list[Row]") -> "list[Splice]":
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
