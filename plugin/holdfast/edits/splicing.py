"""The bytes of one edit: a value set, an item added, a field, section or entry begun, in the style that is there."""

import re

from holdfast.dialects.dialect import Part
from holdfast.edits import layout, order
from holdfast.edits.placing import Target, Want
from holdfast.errors import HoldfastError
from holdfast.markdown import metadata
from holdfast.markdown.document import Document, Item, Label, Section
from holdfast.states.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Splice = tuple[int, int, bytes]

_TAG = 7  # the level of a tagged section
_BOLD_BEHIND = re.compile(rb"[ \t](?:\*\*|__)")
_BULLET = re.compile(r"\A[-*+]\s+")
_BOX = re.compile(r"\A\[[^\[\]]{1,2}\]\s+")


class Edit:
    """A splice with the text it replaces and the one it gives.

    `headings` is how many headings it adds, `key` the key of the frontmatter that it sets, "" for none.
    """

    __slots__ = ("data", "end", "headings", "key", "new", "old", "start")

    def __init__(self, splice: "Splice", old: str, new: str, *, headings: int = 0, key: str = "") -> None:
        self.start, self.end, self.data = splice
        self.old = old
        self.new = new
        self.headings = headings
        self.key = key


def edit(record: Record, target: Target, want: Want, minute: str) -> Edit | None:
    """Return the splice that makes a wish true at a place, None when it is; HoldfastError when it cannot be.

    `minute` is the time that a new entry of a log gets.
    """
    if target.part and not target.field:
        return _section(record, target.part, want, minute)
    if target.field:
        return _field(record, target, want)
    spot = target.spot
    if spot is None or spot.kind == "front":
        return _key(record, spot.path if spot else "", _one_line(want))
    if spot.label:
        return _list_label(record, spot.label, want) if spot.label.items else _value(record, spot.label, want)
    section = spot.section
    if section is None:
        return None
    return _title(record, section, spot.path, want) if spot.kind == "title" else _into(record, section, want, minute)


def _one_line(want: Want) -> str:
    """Return the text of a wish on one line, items joined."""
    return " ".join((want.text or "; ".join(dict.fromkeys(want.items or []))).split())


def _key(record: Record, path: str, value: str) -> Edit | None:
    """Set a key of the frontmatter."""
    found = metadata.edit(record.document, path, value)
    return Edit(found, record.metadata.text(path), value, key=path) if found else None


def _value(record: Record, label: Label, want: Want) -> Edit | None:
    """Set the value of a label, or add to it what it does not list yet."""
    document = record.document
    if _BOLD_BEHIND.match(document.data, label.value_end):
        raise HoldfastError("more bold text follows on its line, which may be a label; part them with ` | `")
    old = " ".join(document.text(label.value_start, label.value_end).split())
    if want.items and old and not record.unfilled(old):
        return _further(label, old, want.items)
    if label.style == "row":
        _refuse_ragged(document, label)
    value = _one_line(want)
    shown = _shown(label, value)
    if shown == old:
        return None
    gap = b" " if document.data[label.value_start - 1 : label.value_start] in {b":", b"*", b"_"} else b""
    return Edit((label.value_start, label.value_end, gap + shown.encode()), old, value)


def _refuse_ragged(document: Document, label: Label) -> None:
    """Refuse a row with more bars than its table has columns: nobody can tell where its value ends."""
    row = document.rows(label.start, label.end)[0]
    raw = document.data[row.start : row.end].strip().strip(b"|")
    if len(re.split(rb"(?<!\\)\|", raw)) > len(row.cells):
        raise HoldfastError("its row has more cells than the table; write a bar within a cell as \\|")


def _further(label: Label, old: str, items: list[str]) -> Edit | None:
    """Add the items to a value that do not stand in it between semicolons yet."""
    said = f"; {_parted(old)};"
    new = [text for item in dict.fromkeys(items) if (text := _parted(_shown(label, item))) and f"; {text};" not in said]
    if not new:
        return None
    more = "; " + "; ".join(new)
    return Edit((label.value_end, label.value_end, more.encode()), old, old + more)


def _parted(text: str) -> str:
    """Return a text on one line, with one blank after each semicolon."""
    return "; ".join(" ".join(part.split()) for part in text.split(";"))


def _shown(label: Label, value: str) -> str:
    """Return a value as it stands on one line, in a table with its bars escaped."""
    return " ".join((value.replace("|", r"\|") if label.style == "row" else value).split())


def _title(record: Record, section: Section, beginning: str, want: Want) -> Edit | None:
    """Set what follows the beginning of the title."""
    document = record.document
    line = document.data[section.start : section.body]
    old = section.title[len(section.title) - len(_after(section.title, beginning)) :]
    at = line.find(old.encode())
    value = _one_line(want)
    if not old or at < 0 or old == value:
        return None
    start = section.start + at
    return Edit((start, start + len(old.encode()), value.encode()), old, value)


def _after(title: str, beginning: str) -> str:
    """Return what follows the beginning of a title, the whole when that is not how it begins."""
    if beginning and title.casefold().startswith(beginning.casefold()):
        return title[len(beginning) :].lstrip(" :-\u2013\u2014")
    return title


def _list_label(record: Record, label: Label, want: Want) -> Edit | None:
    """Add items to the list that stands in a label's place."""
    if want.items is None:
        raise HoldfastError("a list stands there; give a list of items to add")
    return _add_to_list(record, label.items, want.items, label.items)


def _into(record: Record, section: Section, want: Want, minute: str) -> Edit | None:
    """Set the text of a section, or add items or an entry to it."""
    part = record.part(section)
    holds = part.holds if part else ""
    items = want.items if want.items is not None else [want.text]
    if holds == "table":
        raise HoldfastError("its rows are a table; edit them by hand")
    if holds == "log" and part:
        return _log(record, section, part, items, minute)
    found = _first_list(record, section)
    if want.items is None and (holds == "text" or (holds not in {"list", "checks"} and not found)):
        return _text(record, section, want.text)
    if found:
        return _add_to_list(record, found, items, record.document.items(section.body, section.end))
    return _begin_list(record, section, items, checks=holds == "checks")


def _first_list(record: Record, section: Section) -> list[Item]:
    """Return the outermost items of the first list in the section's own text; a list of labels is none."""
    document, end = record.document, record.own_end(section)
    for kind, start, stop in document.blocks(section.body, end):
        items = [item for item in document.items(start, stop) if not item.depth] if kind == "list" else []
        if items and not all(_labelled(document, item) for item in items):
            return items
    return []


def _labelled(document: Document, item: Item) -> bool:
    """Whether a list item is a label."""
    return any(label.style == "bold" and label.item for label in document.labels(item.start, item.text_end))


def _add_to_list(record: Record, items: list[Item], wanted: list[str], known: list[Item]) -> Edit | None:
    """Add the items that no known one says yet after the last of the list; placeholders give way to the first."""
    document = record.document
    new = _new(wanted, [record.item(item) for item in known])
    if not new:
        return None
    said = "; ".join(new)
    inner = document.items(items[0].start, items[-1].end)
    if _unfilled(record, inner, items[-1].end):
        old = "; ".join(record.item(item) for item in inner)
        lines = layout.items_like(document, items[:1], new, first=True)
        return Edit(layout.replaced(document, items[0].start, items[-1].end, lines), old, said)
    at = layout.last_line(document, items[-1].start, items[-1].end)
    return Edit(layout.after(document, at, layout.items_like(document, items, new)), "", said)


def _unfilled(record: Record, items: list[Item], end: int) -> bool:
    """Whether a list up to `end`, with all that stands in it, is nothing but placeholders."""
    document = record.document
    said = [max(item.text_end, layout.line_end(document, item.text_start)) for item in items]
    rests = map(slice, said, [*(item.start for item in items[1:]), end])
    alone = not any(document.data[rest].strip() for rest in rests)
    return alone and all(record.vacant(record.item(item)) for item in items)


def _new(wanted: list[str], known: list[str]) -> list[str]:
    """Return the texts, each once and on one line, that no known one says."""
    said = {_plain(text) for text in known}
    lines = dict.fromkeys(" ".join(_BULLET.sub("", text.strip(), count=1).split()) for text in wanted)
    return [text for text in lines if _plain(text) and _plain(text) not in said]


def _plain(text: str) -> str:
    """Return what makes two items the same: their text without marker and checkbox."""
    return " ".join(_BOX.sub("", _BULLET.sub("", text.strip(), count=1), count=1).split())


def _begin_list(record: Record, section: Section, wanted: list[str], *, checks: bool) -> Edit | None:
    """Begin a list in a section that has none, in the place of a placeholder or after what stands there."""
    document, end = record.document, record.own_end(section)
    spans = document.paragraphs(section.body, end)
    new = _new(wanted, [document.text(*span) for span in spans])
    if not new:
        return None
    lines = [_item(text, checks=checks) for text in new]
    unfilled = [span for span in spans if record.vacant(document.text(*span))]
    if unfilled and len(unfilled) == len(spans):
        old = " ".join(document.text(*unfilled[0]).split())
        return Edit(layout.replaced(document, *unfilled[0], lines), old, "; ".join(new))
    at = layout.content_end(document, section, end)
    return Edit(layout.spaced(document, at, lines), "", "; ".join(new))


def _item(text: str, *, checks: bool) -> str:
    """Return a new list item."""
    return f"- {'' if not checks or _BOX.match(text) else '[ ] '}{text}"


def _text(record: Record, section: Section, wanted: str) -> Edit | None:
    """Set the text of a section: the paragraphs that it begins with; what comes after them stays."""
    document, end = record.document, record.own_end(section)
    new = [line.rstrip() for line in wanted.splitlines()]
    if record.body(section).split()[: len(wanted.split())] == wanted.split():
        return None
    run: list[tuple[int, int]] = []
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        said = kind == "paragraph" and not document.labels(start, stop)
        if said or (kind == "html" and record.unfilled(document.text(start, stop))):
            run.append((start, stop))
        elif kind != "comment" or run:
            break
        else:
            at = layout.last_line(document, start, stop)
    if run:
        old = " ".join(document.text(run[0][0], run[-1][1]).split())
        return Edit(layout.replaced(document, run[0][0], run[-1][1], new), old, wanted)
    return Edit(layout.spaced(document, at, new), "", wanted)


def _log(record: Record, section: Section, part: Part, wanted: list[str], minute: str) -> Edit | None:
    """Add an entry to a log, where its newest stands."""
    document, end = record.document, section.end
    said = " ".join(record.body(section).split())
    new = [text for text in wanted if " ".join(text.split()) not in said]
    if not new:
        return None
    entries = [_entry(part, text, minute) for text in new]
    headings = sum(entry.startswith("#") for entry in entries)
    lines = "\n\n".join(entries).splitlines()
    items = _first_list(record, section)
    told = "; ".join(new)
    if items and len(lines) == len(entries):
        at = layout.last_line(document, items[-1].start, items[-1].end)
        return Edit(layout.after(document, at, layout.items_like(document, items, lines)), "", told)
    at = section.body if part.newest == "first" else layout.content_end(document, section, end)
    return Edit(layout.spaced(document, at, lines), "", told, headings=headings)


def _entry(part: Part, text: str, minute: str) -> str:
    """Return a text as an entry of a log, as it is when it is one already."""
    text = " ".join(text.split())
    form = (
        re.escape(part.entry).replace(r"\{minute\}", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\s\]]*").replace(r"\{text\}", ".+")
    )
    return text if re.fullmatch(form, text) else part.entry.replace("{minute}", minute).replace("{text}", text)


def _field(record: Record, target: Target, want: Want) -> Edit | None:
    """Begin a field: a key of the frontmatter, or a label in a section that is there or that begins with it."""
    value, name = _one_line(want), target.field
    if name.startswith("front:"):
        return _key(record, name[6:], value)
    section, part = target.section, target.part
    if section is None and part and part.title:
        return _section(record, part, Want((*want.keys[:-1], name), text=value), "", label=name)
    document = record.document
    start = section.body if section else record.title.body if record.title else record.start
    end = record.own_end(section) if section else record.edge
    labels = document.labels(start, end)
    around = labels or (document.labels(record.start, record.end) if section else [])
    line = layout.label_like(document, around, name, value) if around or section else f"**{name}:** {value}"
    if not labels:
        at = layout.last_line(document, start, start)
        return Edit(layout.spaced(document, at, [line]), "", value)
    last = max([labels[-1].value_end, *(item.end for item in labels[-1].items)])
    at = layout.last_line(document, labels[-1].start, last)
    return Edit(layout.after(document, at, [line]), "", value)


def _section(record: Record, part: Part, want: Want, minute: str, *, label: str = "") -> Edit | None:
    """Begin a section where the order of the dialect puts it."""
    items = want.items if want.items is not None else [want.text]
    if label:
        lines = [layout.label_like(record.document, record.document.labels(record.start, record.end), label, want.text)]
    elif part.holds == "log":
        lines = "\n\n".join(_entry(part, text, minute) for text in items).splitlines()
    elif part.holds == "table":
        raise HoldfastError("its rows are a table; begin it by hand")
    elif want.items is not None or part.holds in {"list", "checks"}:
        lines = [_item(text, checks=part.holds == "checks") for text in _new(items, [])]
    else:
        lines = want.text.splitlines()
    at, above, closed = order.place(record, part)
    gap = [""] if layout.roomy(record.document) else []
    headed = [*above, *_headed(part, order.level(record, part), [*gap, *lines]), *(["", "---"] if closed else [])]
    headings = sum(line.startswith(("#", "<")) for line in headed)
    told = want.text or "; ".join(items)
    return Edit(layout.spaced(record.document, at, headed), "", told, headings=headings)


def _headed(part: Part, level: int, lines: list[str]) -> list[str]:
    """Return lines under the heading, or between the tags, of a section."""
    if level == _TAG:
        return [f"<{part.title}>", *(line for line in lines if line), f"</{part.title}>"]
    return ["#" * level + f" {part.title}", *lines]
