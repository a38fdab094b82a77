"""Requests for a state file: a text, items, rows of a table, entries of a log, or managed lines."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.editing import layout
from holdfast.editing.layout import Edit, fit
from holdfast.formats.record import Record
from holdfast.markdown.blocks import BLANKS
from holdfast.markdown.document import Document, Section, inline

Rows = dict[str, list[str] | None]

Named = Callable[[str], str]

_ITEM = pattern(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_BYTES = "surrogateescape"  # bytes that are not UTF-8 stay unchanged
_BLANKS = " \t\r\n"
_ENDS = ("\n", "\r")


class ManagedLines:
    """The lines that holdfast requests for a section, and how to tell the subject of a line.

    `own_subject` returns the subject of a line that holdfast worded and may change, `subject` that of any line, also a
    person's; both return "" for a line about something else.
    """

    def __init__(self, lines: list[str], own_subject: Named, subject: Named) -> None:
        self.lines = lines
        self.own_subject = own_subject
        self.subject = subject


class _Line:
    """A line of the section: its subject if it is holdfast's, "" for a person's; whether it is new, or removed.

    A `fixed` line is part of code, a comment and the like, into which nothing is inserted.
    """

    __slots__ = ("fixed", "gone", "new", "own", "text")

    def __init__(self, text: str, own: str, *, fixed: bool = False, new: bool = False) -> None:
        self.text = text
        self.own = own
        self.fixed = fixed
        self.new = new
        self.gone = False

    @property
    def blank(self) -> bool:
        """Whether there is nothing on it."""
        return not self.text.strip(_BLANKS)

    @property
    def item(self) -> bool:
        """Whether an item of a list begins on it."""
        return not self.fixed and bool(_ITEM.match(self.text))

    @property
    def indented(self) -> bool:
        """Whether it is below an item before it."""
        return self.text[:1] in {" ", "\t"} and not self.blank


def edit_managed(record: Record, section: Section, managed: ManagedLines) -> Edit | None:
    """Return the splice that brings the section's own text up to date, None when it is."""
    document = record.document
    last = layout.last_line(document, section.body, record.own_end(section))
    blank = last - section.body - len(document.data[section.body : last].lstrip(BLANKS))
    first = document.line_start(section.body + blank) if last > section.body else last
    new_text = "; ".join(line for line in managed.lines if line)
    if first == last:  # nothing but blank lines
        return Edit(layout.spaced(document, section.body, managed.lines), "", new_text)
    if record.vacant(document.text(first, last)):
        return Edit(layout.instead(document, first, last, managed.lines), document.text(first, last).strip(), new_text)
    there = [line.decode("utf-8", _BYTES) for line in document.data[first:last].splitlines(keepends=True)]
    requested = merged(there, managed, _theirs(document, first, last, there), document.line(first))
    if requested == there:
        return None
    old = "; ".join(line.strip() for line in there if line not in requested)
    new = "; ".join(line for line in requested if line.strip() and line not in there)
    data = _ended(requested, document.newline.decode())
    return Edit(
        (first, last, (data if there[-1].endswith(_ENDS) else data.rstrip("\r\n")).encode("utf-8", _BYTES)),
        fit(old),
        fit(new),
    )


def _ended(lines: list[str], newline: str) -> str:
    """Return the lines as one text; a line without an end gets that of the line before it."""
    text = ""
    for line in lines:
        newline = line[len(line.rstrip("\r\n")) :] or newline
        text += line if line.endswith(_ENDS) else line + newline
    return text


def merged(there: list[str], managed: ManagedLines, theirs: frozenset[int] = frozenset(), first: int = 1) -> list[str]:
    """Return the lines with the managed ones in them; a line that stays keeps its line end.

    `theirs` are the numbers of lines that are a person's in any case, `first` is the first one's number in its file.
    HoldfastError when two have the same subject, or when a managed line would not be recognised again.
    """
    lines = [
        _Line(text, "" if number in theirs else managed.own_subject(text.rstrip()), fixed=number in theirs)
        for number, text in enumerate(there)
    ]
    for text in managed.lines:
        if text and not managed.own_subject(text):
            raise HoldfastError(f"{text[:60]!r} would not be recognised as holdfast's own line again")
    rest = [line for line in lines if not line.own and not line.blank]
    if not rest:
        tight = any(below.item and not above.item and not above.blank for above, below in pairwise(lines))
        texts = _tight(managed.lines) if tight else managed.lines
        return there if [text.rstrip() for text in there] == texts else texts
    _refuse_twice(lines, first)
    requested = _requested(managed, {managed.subject(line.text.strip()) for line in rest if not line.fixed})
    _bring(lines, requested)
    known = {line.own for line in lines}
    for own, text in requested.items():
        if own not in known:
            lines.insert(_place(lines, own, list(requested), items=not _ITEM.match(text)), _Line(text, own, new=True))
    return _laid(lines)


def _tight(texts: list[str]) -> list[str]:
    """Return lines without the blank one between a label and its first item."""
    around = zip(["-", *texts], texts, [*texts[1:], ""], strict=False)
    return [text for above, text, below in around if text or _ITEM.match(above) or not _ITEM.match(below)]


def _refuse_twice(lines: list[_Line], first: int) -> None:
    """Raise HoldfastError if two lines have the same subject: it is unclear which of them to keep."""
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, first):
        if line.own and line.own in seen:
            both = f"lines {seen[line.own]} and {number}"
            raise HoldfastError(f"{line.text.strip()[:60]!r} appears twice in its section, on {both}; keep one of them")
        seen[line.own] = number


def _requested(managed: ManagedLines, taken: set[str]) -> dict[str, str]:
    """Return the managed lines by subject, without what a person worded and labels with no item below."""
    texts = [line for line in managed.lines if line and managed.own_subject(line) not in taken]
    filled = [line for line in managed.lines if line]
    labels = {line for line, below in pairwise(filled) if _ITEM.match(below) and not _ITEM.match(line)}
    pairs = pairwise([*texts, ""])
    return {managed.own_subject(line): line for line, below in pairs if line not in labels or _ITEM.match(below)}


def _bring(lines: list[_Line], requested: dict[str, str]) -> None:
    """Set the requested lines and remove the others, except items and labels with a person's lines below them."""
    below = None  # the next line that stays
    for line in reversed(lines):
        if line.own in requested:
            line.text = line.text if line.text.rstrip() == requested[line.own] else requested[line.own]
        elif line.own:
            held = below is not None and not below.own and (below.indented if line.item else below.item)
            line.own, line.gone = "", not held
        below = below if line.gone or line.blank else line


def _place(lines: list[_Line], own: str, order: list[str], *, items: bool) -> int:
    """Return the number for a new line: after the last line that precedes it in `order` and the lines below that one.

    With `items` a person's items count as lines below, too.
    """
    before = order[: order.index(own)]
    known = [number for number, line in enumerate(lines) if line.own in before]
    if not known:
        return next((number for number, line in enumerate(lines) if line.own), len(lines))
    at = known[-1] + 1
    for number, line in enumerate(lines[at:], at):
        if line.own:
            break
        if line.gone or (line.blank and not line.fixed):
            continue
        if not (line.indented or (at == number and not line.item) or (items and line.item)):
            break
        at = number + 1
    return at


def _laid(lines: list[_Line]) -> list[str]:
    """Return the text of the lines that stay, with blank lines around new ones and one gap in place of removed ones."""
    found: list[str] = []
    last, cut = _Line("", ""), False
    for line in lines:
        if line.gone or (cut and line.blank and not "".join(found[-1:]).strip(_BLANKS)):
            cut = True
            continue
        if _parted(last, line, cut=cut):
            found.append("")
        found.append(line.text)
        last, cut = line, False
    while found and not found[-1].strip(_BLANKS):
        found.pop()
    return found


def _parted(last: _Line, line: _Line, *, cut: bool) -> bool:
    """Whether two lines need a blank line between them, so that one does not join the other's paragraph."""
    if last.blank or line.blank:
        return False
    if line.item:
        return line.new and not (last.item or last.own or last.indented)
    return line.new or last.new or cut


def _theirs(document: Document, start: int, end: int, there: list[str]) -> frozenset[int]:
    """Return which of the lines of a span are in code, comments, quotes and the like, or go on in an item."""
    first = document.line(start)
    found: set[int] = set()
    for kind, at, stop in document.blocks(start, end):
        numbers = set(range(document.line(at) - first, document.line(stop - 1) - first + 1))
        if kind == "list":
            begun = {document.line(item.start) - first for item in document.items(at, stop)}
            numbers = {number for number in numbers - begun if there[number][:1] in {" ", "\t"}}
        found |= numbers if kind != "paragraph" else set()
    return frozenset(found)


_DEEPEST = 30  # keys within keys of a request


class Request:
    """One request: the keys of its place, and its content, which is one of these.

    - `text` to set, or `items` to add. For a log, `items` are new entries of the time `minute` in UTC, "" for the time
      of the edit; `gone` removes those entries beyond the newest `most` for which `gone(minute, text)` is true, with
      the minute as the file has it.
    - `rows` of a table, by the key in the first of the `columns`: the cells in the order of `columns`, "" for one that
      stays unchanged, or None to remove the row. A row with text in other columns stays and gets the cells in `ended`.
    - `managed_lines`: the lines of a section that holdfast words itself.
    """

    __slots__ = ("columns", "ended", "gone", "items", "keys", "managed_lines", "minute", "most", "rows", "text")

    def __init__(  # noqa: PLR0913 - by name, and each kind of request gives two or three of them
        self,
        keys: tuple[str, ...],
        *,
        text: str = "",
        items: list[str] | None = None,
        minute: str = "",
        gone: "Callable[[str, str], bool] | None" = None,
        most: int = 0,
        rows: "Rows | None" = None,
        columns: list[str] | None = None,
        ended: dict[str, list[str]] | None = None,
        managed_lines: ManagedLines | None = None,
    ) -> None:
        self.keys = keys
        self.text = fit(text)
        self.items = None if items is None else [fit(item) for item in items]
        self.minute = minute
        self.gone = gone
        self.most = most
        self.rows = rows
        self.columns = columns or []
        self.ended = ended or {}
        self.managed_lines = managed_lines

    @property
    def where(self) -> str:
        """The keys as people write them: Metadata.Focus."""
        return ".".join(self.keys)

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        tabled = self.rows is not None and self.columns
        return not (self.text or self.items or tabled or self.managed_lines or self.gone)

    @property
    def line(self) -> str:
        """Its text on one line, items joined."""
        return " ".join(inline(self.text or "; ".join(dict.fromkeys(self.items or []))).split())

    @property
    def section(self) -> bool:
        """Whether only a section can have it."""
        return self.managed_lines is not None or self.rows is not None


def flatten(requested: object, keys: tuple[str, ...] = ()) -> "Iterator[Request]":
    """Yield each request of a nested object, in order; null, and what is nested too deep, is a request without text."""
    if isinstance(requested, dict) and requested and len(keys) < _DEEPEST:
        for key, value in requested.items():
            yield from flatten(value, (*keys, fit(str(key))))
    elif isinstance(requested, list):
        yield Request(keys, items=[words for item in requested if (words := fit(_words(item)))])
        inner = [number for number, item in enumerate(requested) if isinstance(item, (dict, list))]
        yield from (Request((*keys, str(number))) for number in inner)
    elif keys:
        yield Request(keys, text=_words(requested))


def _words(value: object) -> str:
    """Return a value of JSON as a person writes it, "" for null, and for lists and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""
