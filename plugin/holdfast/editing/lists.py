"""Edits of a list: add items, tick them, replace the whole list, or begin one."""

import os
import re

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.editing import layout
from holdfast.editing.layout import Edit, bare, item, joined, key, new_items
from holdfast.formats import listing
from holdfast.formats.record import TICKS, Record
from holdfast.markdown.document import Document, Item, Label, Section

Splice = tuple[int, int, bytes]

_CREATED = "created"
_FOLDER = pattern(r"\([^()]*, ([^()]+?)/?\)")
_BLOCK = "files"  # a file with holdfast's own block of lines has all changed files in there


def file_splices(record: Record, paths: list[str]) -> "list[Splice]":
    """Return the splices that add those paths to the list of changed files with which no item begins.

    There are none when the format has no such list, when the file has no such section or several, and when it has
    holdfast's own block.
    """
    sections = _listing(record, _BLOCK) if record.document.block(_BLOCK) is None else []
    known = [text for section in sections for text in _items(record, section)]
    new = [path for path in paths if not any(_begins(text, path) for text in known)]
    quoted = any(text.startswith("`") for text in known)
    return _added(record, sections, [f"`{path}`" if quoted else path for path in new])


def lists_created(record: Record) -> bool:
    """Whether the format and the file have a list of created files."""
    return len(_listing(record, _CREATED)) == 1


def created(record: Record, paths: list[str]) -> "list[Splice]":
    """Return the splices that add those paths to the list of created files which no item names, by name and folder."""
    sections = _listing(record, _CREATED)
    known = [text for section in sections for text in _items(record, section)]
    new = [path for path in paths if not any(_names(text, path) for text in known)]
    shown = [f"{os.path.basename(path)} (permanent, {os.path.dirname(path) or '.'}/)" for path in new]
    return _added(record, sections, shown)


def _listing(record: Record, kind: str) -> "list[Section]":
    """Return the sections with the list that holdfast measures."""
    part = next((part for part in record.file_format.parts if part.measured == kind), None)
    return record.sections(part.title) if part else []


def _items(record: Record, section: "Section") -> list[str]:
    return [record.item(item) for item in record.document.items(section.body, section.end)]


def _added(record: Record, sections: "list[Section]", new: list[str]) -> "list[Splice]":
    """Return the splices that add items to the one list."""
    if not new or len(sections) != 1 or record.document.conflicted():
        return []
    section = sections[0]
    items = first(record, section)
    edit = add(record, items, new) if items else begin(record, section, new, checks=False)
    return [(edit.start, edit.end, edit.data)] if edit else []


def _names(text: str, path: str) -> bool:
    """Return whether an item begins with a path, or with its name and does not give another folder."""
    if _begins(text, path):
        return True
    given, folder = _FOLDER.search(text), os.path.dirname(path) or "."
    return _begins(text, os.path.basename(path)) and (not given or f"/{folder}".endswith(f"/{given[1]}"))


def _begins(text: str, path: str) -> bool:
    """Return whether an item begins with a path, plain, in a code span or a link, or with paths that it is among."""
    own = re.compile(rf"(?:\./)?[`*\[_]*(?:\./)?{re.escape(path)}(?![\w/-]|\.\w)")
    return f"]({path})" in text or any(map(own.match, re.split(r",\s+", text)))


_OWN = pattern(r"(?P<name>.+) \([a-z]+, (?P<folder>[^()]+?)/?\)")  # as `created` writes it, also with another class
_BOX = pattern(r"\A(?:[-*+]\s+)?\[(?P<tick>[^\[\]]{1,2})\]\s+")


class Ticks:
    """What a list of requested items changes in the known items: their boxes, and what is measured of a file.

    `changes` are the splices, `old` and `new` the items as texts before and after, and `rest` the requested items that
    are no known item.
    """

    def __init__(self) -> None:
        self.changes: list[Splice] = []
        self.old: list[str] = []
        self.new: list[str] = []
        self.rest: list[str] = []


def ticks_of(record: "Record", requested: list[str], items: list[Item], *, measured: bool = False) -> Ticks:
    """Return what the boxes in `requested` change, and where the list is `measured`, what they say of listed files.

    HoldfastError for an item that appears twice or has no box.
    """
    document, ticks = record.document, Ticks()
    done: dict[int, str] = {}
    for text in requested:
        left = [item for item in items if measured and all(item.text_start != at for at, *_ in ticks.changes)]
        own = next((item for item in left if _says_more(text, record.item(item))), None)
        if own:
            ticks.changes.append((own.text_start, own.text_end, bare(text).encode()))
            ticks.old.append(record.item(own))
            ticks.new.append(bare(text))
            continue
        box = _BOX.match(text.strip())
        same = [item for item in items if key(record.item(item)) == key(text)] if box else []
        if not box or not same:
            ticks.rest.append(text)
            continue
        item = _only(document, same, bare(text))
        old = document.text(*item.box) if item.box else " "
        state, before = _state(box["tick"]), done.get(item.start)
        if before not in {None, state}:
            raise HoldfastError(f"{bare(text)[:60]!r} is requested with two different boxes")
        done[item.start] = state
        if state in {_state(old), before}:
            continue
        if item.box is None:
            raise HoldfastError(f"line {document.line(item.start)}: {bare(text)[:60]!r} has no box to tick")
        ticks.changes.append((*item.box, box["tick"].encode()))
        ticks.old.append(f"[{old}] {bare(text)}")
        ticks.new.append(f"[{box['tick']}] {bare(text)}")
    return ticks


def with_ticks(document: Document, ticks: Ticks, added: Edit | None) -> Edit | None:
    """Return one edit that makes the changes of some boxes and the edit `added`; None when there is neither."""
    if not ticks.changes:
        return added
    changes, old, new = list(ticks.changes), list(ticks.old), list(ticks.new)
    if added:
        changes.append((added.start, added.end, added.data))
        old += filter(None, [added.old])
        new.append(added.new)
    return joined(document.data, changes, "; ".join(old), "; ".join(new))


def _says_more(requested: str, text: str) -> bool:
    """Whether a text has only name, class and folder of a file, and the requested one says something else of it."""
    own = _OWN.fullmatch(text)
    path = os.path.normpath(f"{own['folder']}/{own['name']}") if own else text.strip("`")
    return (own is not None or " " not in path) and key(text) != key(requested) and _names(bare(requested), path)


def _only(document: Document, items: list[Item], text: str) -> Item:
    """Return the only one of these items; HoldfastError when there are several."""
    if len(items) > 1:
        lines = ", ".join(str(document.line(item.start)) for item in items[:5])
        raise HoldfastError(f"{text[:60]!r} appears {len(items)} times, on lines {lines}; keep one of them")
    return items[0]


def _state(tick: str) -> str:
    """Return the state of a box: "x" for any tick, else the sign in it."""
    return "x" if tick in TICKS else tick


def of_label(record: Record, label: Label, requested: list[str] | None, *, replace: bool) -> Edit | None:
    """Return the edit of the list in the place of a label's value; HoldfastError when no list is requested."""
    if requested is None:
        raise HoldfastError("a list is there; give a list of items to add")
    items = record.document.items(label.items[0].start, label.items[-1].end)
    return _changed(record, label.items, items, requested, replace=replace)


def of_section(
    record: Record, section: Section, requested: list[str], *, checks: bool = False, replace: bool = False
) -> Edit | None:
    """Return the edit of the items of a section, with those of its subsections; None when all is as requested.

    Items that are not there are added to the first list of the section's own text, or begin one. With `replace` the
    requested items come in the place of that list.
    """
    document, items, part = record.document, first(record, section), record.part(section)
    known = document.items(section.body, section.end)
    measured = part is not None and bool(part.measured) and document.block(_BLOCK) is None
    if items:
        return _changed(record, items, known, requested, replace=replace, measured=measured)
    ticks = ticks_of(record, requested, known)
    new = new_items(ticks.rest, [record.item(found) for found in known])
    return with_ticks(document, ticks, begin(record, section, new, checks=checks) if new else None)


def outermost(document: Document, start: int, end: int) -> list[Item]:
    """Return the items in a span that are in no other item."""
    return [item for item in document.items(start, end) if not item.depth]


def first(record: Record, section: Section) -> list[Item]:
    """Return the outermost items of the first list of a section: in its own text, else under its one subheading.

    A list of labels does not count in a section of fields; elsewhere an item may begin with a bold word.
    """
    part = record.part(section)
    fields = part is not None and (part.holds == "fields" or bool(part.fields))
    found = _list(record, section.body, record.own_end(section), fields=fields)
    if found or (part and any(other.under == part.title for other in record.file_format.parts)):
        return found
    inner = [one for one in record.within(section.body, section.end) if one.level == section.level + 1]
    lists = [items for one in inner if (items := _list(record, one.body, record.own_end(one), fields=True))]
    return lists[0] if len(lists) == 1 and len(inner) == 1 else []


def _list(record: Record, start: int, end: int, *, fields: bool) -> list[Item]:
    """Return the outermost items of the first list in a span; with `fields` one of labels does not count."""
    for kind, at, stop in record.document.blocks(start, end):
        items = outermost(record.document, at, stop) if kind == "list" else []
        if items and not (fields and all(map(record.labelled_item, items))):
            return items
    return []


def below(document: Document, label: Label) -> list[Item]:
    """Return the list right below a label, or a blank line apart, [] when something else is there."""
    if label.items or label.value_start < label.value_end or label.item or label.style == "row":
        return label.items
    blocks = document.blocks(label.start, len(document.data))
    following = next((block for block in blocks if block[1] >= label.end), None)
    if following is None or following[0] != "list" or document.data[label.end : following[1]].strip():
        return []
    return outermost(document, *following[1:])


def _changed(  # noqa: PLR0913 - what a list is, and what is requested
    record: Record,
    items: list[Item],
    known: list[Item],
    requested: list[str],
    *,
    replace: bool,
    measured: bool = False,
) -> Edit | None:
    """Return the edit of a list with the outermost `items`; `known` are the items that count as there already."""
    ticks = ticks_of(record, requested, known, measured=measured)
    if replace and not _same(record, items, requested):
        return _in_place(record, items, new_items(requested, []))
    new = new_items(ticks.rest, [record.item(item) for item in known])
    return with_ticks(record.document, ticks, add(record, items, new) if new else None)


def _same(record: Record, items: list[Item], requested: list[str]) -> bool:
    """Return whether a list has the requested items, in this order, and nothing else."""
    inner = record.document.items(items[0].start, items[-1].end)
    texts = [bare(record.item(item)) for item in inner]
    return texts == [bare(text) for text in new_items(requested, [])]


def add(record: Record, items: list[Item], new: list[str]) -> Edit:
    """Return the edit that adds new items after the last one of a list; a list of placeholders is replaced."""
    document = record.document
    inner = document.items(items[0].start, items[-1].end)
    if unfilled(record, inner, items[-1].end):
        return _in_place(record, items, new)
    at = layout.last_line(document, items[-1].start, items[-1].end)
    return Edit(layout.after(document, at, layout.items_like(document, items, new)), "", "; ".join(new))


def _in_place(record: Record, items: list[Item], new: list[str]) -> Edit:
    """Return the edit that puts new items in the place of a whole list."""
    document = record.document
    inner = document.items(items[0].start, items[-1].end)
    lines = layout.items_like(document, items[:1], new, first=True)
    splice = layout.replaced(document, items[0].start, items[-1].end, lines)
    return Edit(splice, "; ".join(map(record.item, inner)), "; ".join(new))


def unfilled(record: Record, items: list[Item], end: int) -> bool:
    """Return whether a list that ends at `end` has only placeholders, also in its nested items."""
    return _nothing_else(record.document, items, end) and all(record.replaceable(record.item(item)) for item in items)


def _nothing_else(document: Document, items: list[Item], end: int) -> bool:
    """Return whether items that reach up to `end` have nothing but their first paragraphs."""
    ends = [max(item.text_end, document.line_end(item.text_start)) for item in items]
    rests = map(slice, ends, [*(item.start for item in items[1:]), end])
    return not any(document.data[rest].strip() for rest in rests)


def begin(record: Record, section: Section, requested: list[str], *, checks: bool) -> Edit | None:
    """Return the edit that begins a list in the place of a placeholder, or after a section's text; None for no item."""
    document, end = record.document, record.own_end(section)
    spans = document.paragraphs(section.body, end)
    texts = [document.text(*span) for span in spans]
    led = bool(texts) and all(map(listing.is_listing, texts))
    new = new_items(
        requested, [known for text in texts for known in (listing.paragraph_items(text) if led else [text])]
    )
    if not new:
        return None
    if led:
        together = len(spans) == 1 and all(map(listing.is_listing, new))
        place = layout.last_line(document, *spans[-1])
        parts = new if together else [line for text in new for line in ("", text)]
        return Edit(layout.after(document, place, parts), "", "; ".join(new))
    lines = [item(text, checks=checks) for text in new]
    open_spans = [span for span in spans if record.replaceable(document.text(*span))]
    if open_spans and len(open_spans) == len(spans):
        old = " ".join(document.text(*open_spans[0]).split())
        return Edit(layout.replaced(document, *open_spans[0], lines), old, "; ".join(new))
    at = layout.content_end(document, section, end)
    return Edit(layout.spaced(document, at, lines), "", "; ".join(new))
