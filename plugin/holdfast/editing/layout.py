"""What every edit is made of: splices, items, entries, and new lines in the style of the text around them."""

import re
from bisect import bisect_right
from operator import attrgetter

from holdfast.core.patterns import pattern
from holdfast.formats.format import Part
from holdfast.markdown.blocks import BLANKS, gap
from holdfast.markdown.document import TAGGED, Document, Item, Label, Section, inline, splices
from holdfast.trust.safe import plain as plain_text

Splice = tuple[int, int, bytes]

_START = attrgetter("start")


def last_line(document: Document, start: int, end: int) -> int:
    """Return where the last line that is not blank ends within a span, after its newline; `start` when all are."""
    kept = len(document.data[start:end].rstrip(BLANKS))
    return document.line_end(start + kept - 1) if kept else start


def after(document: Document, at: int, lines: list[str]) -> "Splice":
    """Return the splice that puts lines at `at`, which ends a line, even where that line has no newline yet."""
    newline = _newline(document, at)
    missing = document.data[at - 1 : at] not in {b"\n", b"\r", b""} and at > document.body
    return at, at, (newline if missing else b"") + _unended(document, at, newline, _joined(newline, lines))


def spaced(document: Document, at: int, lines: list[str]) -> "Splice":
    """Return the splice that puts a block at `at`, a blank line away from what is before and after it.

    Right under a heading there is a blank line only where the file has it so.
    """
    before, rest = document.data[document.body : at], document.data[at:]
    glued = before.endswith((b"\n", b"\r")) and any(section.body == at for section in document.sections)
    newline = _newline(document, at)
    head = b"" if glued and not roomy(document) else gap(before, newline)
    tail = b"" if not rest or rest[:1] in b"\r\n" else newline
    return at, at, head + _unended(document, at, newline, _joined(newline, lines)) + tail


def _unended(document: Document, at: int, newline: bytes, data: bytes) -> bytes:
    """Return lines without the last newline where they end a file whose last line has none."""
    open_end = at == len(document.data) > document.body and document.data[-1:] not in {b"\n", b"\r"}
    return data[: -len(newline)] if open_end and data else data


def replaced(document: Document, start: int, end: int, lines: list[str]) -> "Splice":
    """Return the splice that puts lines in the place of the whole lines of a span; a missing newline stays missing."""
    end = last_line(document, start, end)
    newline = _newline(document, end)
    data = _joined(newline, lines)
    ended = document.data[end - 1 : end] in {b"\n", b"\r"}
    return document.line_start(start), end, data if ended else data[: -len(newline)]


def instead(document: Document, start: int, end: int, lines: list[str]) -> "Splice":
    """Return the splice that puts a block in the place of another, a blank line away from what is after it."""
    rest = document.data[last_line(document, start, end) :]
    return replaced(document, start, end, lines if not rest or rest[:1] in b"\r\n" else [*lines, ""])


def _newline(document: Document, at: int) -> bytes:
    """Return how the line before an offset ends, as the file's lines do where it does not."""
    before = document.data[max(document.body, at - 2) : at]
    return next((end for end in (b"\r\n", b"\n", b"\r") if before.endswith(end)), document.newline)


def _joined(newline: bytes, lines: list[str]) -> bytes:
    return b"".join(line.encode() + newline for line in lines)


def items_like(document: Document, items: list[Item], texts: list[str], *, first: bool = False) -> list[str]:
    """Return new list items with the indentation, marker, checkbox and distance of the last of these.

    They are numbered on from it, or from its own number when they come in its place as the `first`.
    """
    model = items[-1]
    raw = document.text(model.start, model.text_start)
    marker = model.marker.decode()
    indent, _, gap = raw.partition(marker)
    gap = gap[: len(gap) - len(gap.lstrip(" \t"))] or " "
    boxed = all(item.box for item in items)
    loose = len(items) > 1 and last_line(document, items[-2].start, model.start) < model.start
    lines = []
    for number, text in enumerate(texts, 0 if first else 1):
        box = "" if not boxed or _has_box(text) else "[ ] "
        lines += [*([""] if loose else []), f"{indent}{_next(marker, number)}{gap}{box}{text}"]
    return lines


def _next(marker: str, number: int) -> str:
    """Return the marker of the item `number` places later."""
    return f"{int(marker[:-1]) + number}{marker[-1]}" if marker[:-1].isdecimal() else marker


def _has_box(text: str) -> bool:
    """Whether a text begins with a checkbox."""
    return text[:1] == "[" and text[2:4] == "] "


def label_like(document: Document, labels: list[Label], name: str, value: str) -> str:
    """Return a new label line in the style of the last of these that is alone on its line."""
    for label in reversed(labels):
        raw = document.text(label.start, label.value_start)
        rest = document.text(label.value_end, document.line_end(label.value_end)).rstrip("\r\n")
        at = raw.find(label.name)
        if at < 0 or label.style == "heading" or raw[:at].strip("-*+_| \t") or rest.strip(" \t|\\"):
            continue
        gap = "" if raw[-1:].isspace() else " "
        shown = value.replace("|", r"\|") if label.style == "row" else value
        return raw[:at] + name + raw[at + len(label.name) :] + gap + shown + rest
    return f"- **{name}:** {value}"


def roomy(document: Document) -> bool:
    """Whether a blank line is under most of the headings that have text right under them."""
    after = [document.data[section.body : section.body + 2] for section in document.sections if section.level < TAGGED]
    texts = [start for start in after if start and not start.startswith(b"#")]
    return not texts or sum(start[:1] in b"\r\n" for start in texts) * 2 > len(texts)


def content_end(document: Document, section: Section, end: int) -> int:
    """Return where the text of a section ends up to `end`, before the rule and the note that close it."""
    blocks = document.blocks(section.body, end)
    rules = [number for number, (kind, _, _) in enumerate(blocks) if kind == "rule"]
    if rules and all(kind in {"paragraph", "comment"} for kind, _, _ in blocks[rules[-1] + 1 :]):
        closing = end == len(document.data) or rules[-1] == len(blocks) - 1
        blocks = blocks[: rules[-1]] if closing else blocks
    return last_line(document, section.body, blocks[-1][2]) if blocks else section.body


def index(document: Document, at: int) -> int:
    """Return the number of the last heading that begins at or before an offset, -1 for none."""
    return bisect_right(document.headings, at, key=_START) - 1


_BULLET = pattern(r"\A[-*+]\s+")
_BOX = pattern(r"\A\[[^\[\]]{1,2}\]\s+")
_ACTION = "Update"  # the heading of an entry that names no action
_LONGEST_ACTION = 80  # characters
_MINUTE = r"[\s*_\[(`]*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::\d\d)?(?:Z| UTC)?[\s*_\])`:]*"
MINUTE = pattern(_MINUTE)
# What may precede the words of an entry, and what is after them.
_LEAD = rf"^(?:[ \t]*(?:[#>]+ |[-*+] |\d+[.)] |\[.\] |\*\*Decision\*\*:|Decision \d+:|{_MINUTE}(?:- )?))*[ \t]*"
_TAIL = r"(?=\s*\Z|\s*\n\s*(?:\n|[-*+#>|]|\d+[.)] ))"


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


def joined(data: bytes, changes: "list[Splice]", old: str, new: str) -> Edit | None:
    """Return one edit equal to several splices into `data`, None when it changes nothing."""
    start = min((at for at, _, _ in changes), default=0)
    end = max((at for _, at, _ in changes), default=0)
    made = splices(data[start:end], [(at - start, to - start, put) for at, to, put in changes])
    return Edit((start, end, made), old, new) if made != data[start:end] else None


def fit(text: str) -> str:
    """Return text fit for a file of plain text: without control characters, and halves of characters as JSON has."""
    return plain_text(text.encode("utf-8", "replace").decode())


def line(text: str) -> str:
    """Return a text on one line, fit for a file."""
    return " ".join(inline(fit(text)).split())


def says(text: str, words: str) -> bool:
    """Return whether whole lines of a text are these words, whatever marks, label or time precede them."""
    form = r"\s+".join(map(re.escape, words.split()))
    return bool(form) and bool(re.search(f"{_LEAD}{form}{_TAIL}", text, re.MULTILINE))


def new_items(requested: list[str], known: list[str]) -> list[str]:
    """Return the requested items that none of the known ones is, each once, on one line and without its marker."""
    present = {key(text) for text in known}
    lines = dict.fromkeys(map(unmarked, requested))
    return [text for text in lines if bare(text) and key(text) not in present]


def unmarked(text: str) -> str:
    """Return an item on one line without its marker."""
    return " ".join(_BULLET.sub("", text.strip(), count=1).split())


def bare(text: str) -> str:
    """Return an item on one line without marker and box."""
    return _BOX.sub("", unmarked(text), count=1)


def key(text: str) -> str:
    """Return what two texts of the same item have in common: marker, box, case and a last full stop do not count."""
    return bare(text).casefold().rstrip(".")


def item(text: str, *, checks: bool) -> str:
    """Return a new list item."""
    return f"- {'' if not checks or _BOX.match(text) else '[ ] '}{text}"


def entry(part: Part, text: str, minute: str) -> str:
    """Return a text as an entry of a log, as it is when it is one already.

    Where entries are headings, the line below one is what follows the first line of the text, or a colon in it.
    """
    headed = has_action(part)
    if headed and (own := MINUTE.match(text)):  # it brings its time along
        minute, text = f"{own[1]} {own[2]}", text[own.end() :].lstrip(" -:\u2013\u2014")
    head, below = _parted(text) if headed else (" ".join(text.split()), "")
    form = (
        re.escape(part.entry).replace(r"\{minute\}", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\s\]]*").replace(r"\{text\}", ".+")
    )
    if not re.fullmatch(form, head):
        head, below = (_ACTION, head) if headed and not below else (head, below)
        head = part.entry.replace("{minute}", minute).replace("{text}", head)
    return f"{head}\n\n{below}" if below else head


def has_action(part: Part) -> bool:
    """Whether an entry of a log names an action in its heading, such as "### {minute} - {text}"."""
    return part.entry.startswith("#") and "{text}" in part.entry.partition("\n")[0]


def _parted(text: str) -> tuple[str, str]:
    """Return the action that a text names and what it says about it, or the text and "" where it names none."""
    first, _, rest = text.strip().partition("\n")
    head, _, below = (first, "", rest) if rest.strip() else first.partition(": ")
    parts = (head, below) if len(head) <= _LONGEST_ACTION and below.strip() else (text, "")
    return " ".join(parts[0].split()), " ".join(parts[1].split())
