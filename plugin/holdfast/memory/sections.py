"""Add the six sections to a state file that lacks them, with the text of a new file of their format."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing import insert, layout, lists, locate, own_words
from holdfast.editing.edit import Editor, Outcome
from holdfast.editing.insert import Closed, Overlay
from holdfast.formats import listing, names, template
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Format, Part
from holdfast.formats.record import Record, Spot
from holdfast.formats.state_file import StateFile, parse, summary
from holdfast.formats.template import Work
from holdfast.markdown.document import Document, Item, splice, splices
from holdfast.memory.view import FORMAT, SECTIONS, TASKS, UPDATES, View, same_task, seen, split
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.memory.step import Changes


def with_sections(data: bytes, path: str, formats: Formats, titles: "frozenset[str]", work: Work) -> bytes:
    """Return a state file with those of the sections `titles` added that it lacks; HoldfastError when one cannot be."""
    for title in SECTIONS:
        state = parse(data, path, formats)
        if title in titles and not seen(state, formats).sections(title):
            data = _with_section(state, formats, title, work)
    return data


def _with_section(state: StateFile, formats: Formats, title: str, work: Work) -> bytes:
    """Return the file with one more section; HoldfastError when it would not read back the same."""
    file_format = formats.named(FORMAT)
    own = state.file_format is not None and state.file_format.name == FORMAT
    record = Closed(state.record, file_format) if own else Overlay(state.record, file_format)
    part = record.file_format.part(title)
    lines = _with_known(_lines(record.file_format, title, work), state)
    if part is None:
        raise HoldfastError(f"the format {FORMAT} has no section {title}")
    at, _, closed = insert.place_of(record, part)
    headed = ["#" * insert.level_of(record, part) + f" {title}", "", *lines, *(["", "---"] if closed else [])]
    data = splice(state.document.data, *layout.spaced(state.document, at, headed))
    after = parse(data, state.path, formats)
    before = [section.title for section in state.document.sections]
    kept = [section.title for section in after.document.sections]
    if title in kept:
        kept.remove(title)
    if kept != before or title not in View(seen(after, formats)).there:
        line = state.document.line(at)
        raise HoldfastError(f"{state.path}, line {line}: a section {title} cannot be there. Put it in by hand.")
    return data


def _with_known(lines: list[str], state: StateFile) -> list[str]:
    """Return the lines of a section with the phase and the focus that other parts of the file name."""
    known = summary(state)
    words = (("Phase", known["phase"]), ("Focus", known["focus"]))
    texts = {f"**{label}:** ": safe.line(word, 300) for label, word in words}
    return [
        next((start + text for start, text in texts.items() if text and line.startswith(start + "[")), line)
        for line in lines
    ]


def _lines(file_format: Format, title: str, work: Work) -> list[str]:
    """Return the lines of a section as a new file has them."""
    if title == UPDATES:
        return []
    made = Document(template.compose(file_format, work))
    return (made.section(title) or "").splitlines()


_BOXES = {"add": "[ ]", "complete": "[x]", "skip": "[-]"}
_OTHERWISE = {"tasks": "next"}  # the word that takes the place of one that a format does not have
_BEGUN = frozenset(("tasks", "next", "decisions", "phase"))
_EMPTY = "None"


def written(editor: Editor, data: bytes, changes: "Changes") -> Outcome:
    """Return a file after what a step has for it; HoldfastError when a part of that cannot be there."""
    done = editor.make(data, [])
    for verb, word, text in changes.own:
        after = _one(editor, done, verb, word, text)
        after.changes = done.changes + after.changes
        for where, why in after.unplaced[:1]:
            raise HoldfastError(f"{editor.path}: {where}: {why}. Nothing was written.")
        done = after
    return done


def _one(editor: Editor, done: Outcome, verb: str, word: str, text: str) -> Outcome:
    """Return the outcome of one change: a text that is set, or an item that is added, ticked or removed."""
    record = done.state.record
    boxed = word == "tasks" and bool(_place(record, "tasks"))
    place = _task_place(record) if word == "task" else _item_place(record, word)
    if not place and word == "phase":
        raise HoldfastError(f"{editor.path} has no place for a phase; nothing was written. Add one: holdfast memory")
    if not place:
        return editor.make(done.data, [])
    if word in {"task", "phase"}:
        return editor.apply(done.data, _request(place, text))
    words = _words(record, place, text)
    if boxed:
        return editor.apply(done.data, _request(place, [f"{_BOXES[verb]} {words or text}"]))
    if verb == "add":
        below = next((spot.label.items for spot in record.find(place) if spot.label and spot.label.items), [])
        if below and not words:  # the items that are there keep their boxes
            edit = lists.add(record, below, [text])
            return editor.make(splices(done.data, [(edit.start, edit.end, edit.data)]), [])
        begun = place.startswith("label:") and not record.find(place)
        value = text if begun else [*_there(record, place), text]
        return editor.apply(done.data, {} if words else _request(place, value))
    after = _without(editor, done, place, text)
    over = verb == "complete" and _place(record, "done")
    return editor.apply(after.data, _request(over, [words or text])) if over else after


def has_place(record: Record, changes: "Changes") -> bool:
    """Whether a file of a format without working memory has a place for any part of a step."""
    return any(_item_place(record, word) for _, word, _ in changes.own)


def with_tasks(state: StateFile, formats: Formats, tasks: list[tuple[str, str]], shown: set[str]) -> StateFile:
    """Return a file of another format with these tasks and their statuses, but those that a person took out."""
    record = state.record
    places = [place for place in (_item_place(record, "tasks"), _place(record, "done")) if place]
    editor, verbs = Editor(state.path, formats, ""), {"completed": "complete", "deleted": "skip"}
    done = editor.make(state.document.data, [])
    for task, status in tasks:
        if task not in shown or any(_words(record, place, task) for place in places):
            done = _one(editor, done, verbs.get(status, "add"), "tasks", task)
    return done.state if not done.unplaced else state


def _item_place(record: Record, word: str) -> str:
    return _place(record, word) or _place(record, _OTHERWISE.get(word, ""))


def _place(record: Record, word: str) -> str:
    """Return the place of a word: the first one that the file has, else the first one that its format has.

    A section that the format only allows is begun for a task, a next step or a decision.
    """
    places = record.file_format.model.get(word, [])
    there = [place for place in places if record.find(place)]
    parts = [(place, record.file_format.part(_keys(place)[0])) for place in places]
    known = [place for place, part in parts if part and (_is_due(part) or word in _BEGUN)]
    return next(iter([*there, *known]), "")


def _is_due(part: Part) -> bool:
    """Whether each file of the format is to have a section."""
    return part.need != "optional" and not part.types


def _task_place(record: Record) -> str:
    """Return the place of the current task, "" in a format that has none."""
    places = [place for word in ("focus", "current", "objective") for place in record.file_format.model.get(word, [])]
    return next((place for place in places if "task" in names.plain(_keys(place)[-1].replace("_", " "))), "")


def _keys(place: str) -> list[str]:
    """Return the keys of a request for a place such as section:Next Steps, label:Progress/Overall, front:a.b."""
    kind, _, rest = place.partition(":")
    return rest.split(".") if kind == "front" else rest.split("/") if kind == "label" else [rest]


def _request(place: str, value: object) -> dict[str, object]:
    """Return the request for a value at a place."""
    for key in reversed(_keys(place)):
        value = {key: value}
    assert isinstance(value, dict)  # noqa: S101 - for mypy: each place has a key
    return value


def _there(record: Record, place: str) -> list[str]:
    """Return the entries at a place whose list a request replaces, after a label or below a heading; else []."""
    replaced = ((spot, locate.field(record, locate.Target(spot))) for spot in record.find(place))
    spots = [spot for spot, field in replaced if spot.label or (field and field.kind == "replaced")]
    entries = [entry for spot in spots for entry in listing.entries(record, spot)]
    return [entry for entry in entries if not record.unfilled(entry) and not names.is_none(entry)]


def reworded(state: StateFile, old: str, new: str) -> bytes:
    """Return a file with another text for a task that waits: in its lists of tasks and next steps, with its id or not.

    Next steps in holdfast's own words stay; they follow from the tasks.
    """
    record, data = state.record, state.document.data
    texts = {old, split(old)[1]} - {""}
    words = ["tasks", *([] if own_words.is_written(record, "next") else ["next"])]
    places = {place for word in words for place in record.file_format.model.get(word, [])} | {f"section:{TASKS}"}
    found: set[tuple[int, int, bytes]] = set()
    for spot in (spot for place in places for spot in record.find(place)):
        items = [item for item in _items(record, spot) if record.item(item) in texts]
        found |= {(item.text_start, item.text_end, new.encode()) for item in items}
        if spot.label and not spot.label.items and texts & {*(listed := record.text(spot).split("; "))}:
            text = "; ".join(new if entry in texts else entry for entry in listed)
            found.add((spot.label.value_start, spot.label.value_end, text.encode()))
    return splices(data, sorted(found))


def _words(record: Record, place: str, text: str) -> str:
    """Return an item at a place as the file words it: its id, where it has one, tells which it is; "" for none."""
    for spot in record.find(place):
        if spot.label and not spot.label.items:
            line = record.text(spot)
            start, end = _span(line, text)
            return line[start:end]
        same = [words for item in _items(record, spot) if _is(words := record.item(item), text)]
        if same:
            return same[0]
    return ""


def _span(line: str, text: str) -> tuple[int, int]:
    """Return where the part of a line is that is an item, by its words, else by its id; (0, 0) for nowhere.

    The parts have a semicolon or a comma between them.
    """
    ident, title = split(text)
    for words in (re.escape(text), rf"{ident}\b[^;]*" if ident else "", rf"(?:TASK-\d+ - )?{re.escape(title)}"):
        found = re.search(rf"(?:^|(?<=[;,] )){words}(?=[;,] |\.?$)", line, re.IGNORECASE) if words else None
        if found:
            return found.span()
    return 0, 0


def _is(words: str, text: str) -> bool:
    """Whether an item of a file is this one: by its id, where one has none by its words."""
    return words == text or same_task(words, text)


def _items(record: Record, spot: Spot) -> "Sequence[Item]":
    return spot.label.items if spot.label else record.items(spot.section) if spot.section else []


def _without(editor: Editor, done: Outcome, place: str, text: str) -> Outcome:
    """Return the file without an item that a command had added."""
    record = done.state.record
    for spot in record.find(place):
        if not spot.label or spot.label.items:
            return editor.make(_cut(record, spot, text), [])
        line = record.text(spot)
        start, end = _span(line, text)
        if end:
            before, after = line[:start], line[end:].removeprefix(".")
            kept = before + after[2:] if after else before[:-2]
            return editor.apply(done.data, _request(place, kept or _EMPTY))
    return editor.make(done.data, [])


def _cut(record: Record, spot: Spot, text: str) -> bytes:
    """Return the bytes of a file without the line of an item; a list that would be empty says that there is none."""
    document, items = record.document, _items(record, spot)
    same = [item for item in items if _is(record.item(item), text)]
    if len(items) == len(same) == 1:
        return splices(document.data, [(same[0].text_start, same[0].text_end, _EMPTY.encode())])
    found = [(document.line_start(item.start), document.line_end(item.text_start), b"") for item in same]
    return splices(document.data, found)
