"""The three-way merge of a hub or of its archive: entry by entry, field by field."""

from __future__ import annotations

from functools import partial

from holdfast.editing.merge import document, places, rules
from holdfast.editing.merge.outline import Reader
from holdfast.hub.document import Hub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.editing.merge.document import Texts
    from holdfast.editing.merge.nodes import Node
    from holdfast.formats.format import Format
    from holdfast.markdown.document import Document

_ENTRY = "entry"  # the first word of the name of a section that is an entry
_LISTS = {"context": b";,", "children": b","}  # field -> the separators of the items in its value


def merged(texts: Texts, marker: int, file_format: Format) -> tuple[bytes, bool]:
    """Return the merge of three versions of a hub, and whether it is free of conflicts.

    Entries are matched by session id, in any section: an entry that a side moved to the history moves
    there, with the changes that the other side made in it.
    """
    newline = b"\r\n" if b"\r\n" in texts[1] else b"\n"
    read = partial(outline, file_format=file_format)
    arranged = partial(places.arranged, mobile=_is_entry, newline=newline)
    return document.merged(texts, marker, read, (_listed,), arranged)


def outline(hub: Document, file_format: Format) -> Node:
    """Return the tree of a hub, its entries named by their session ids."""
    idents = {found.start: found.entry.ident for found in Hub(hub.data, file_format).entries()}
    return Reader(hub, {start: (_ENTRY, ident) for start, ident in idents.items() if ident}).read()


def _is_entry(node: Node) -> bool:
    return node.kind == "section" and isinstance(node.name, tuple) and node.name[0] == _ENTRY


def _listed(base: Node | None, ours: Node, theirs: Node) -> bytes | None:
    """Return a field that is a list (the context or the children) with the items that both sides added."""
    separators = _LISTS.get(ours.name) if ours.kind == "label" and isinstance(ours.name, str) else None
    return rules.listed(base, ours, theirs, separators) if separators else None
