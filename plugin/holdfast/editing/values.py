"""The value of a key, a label, a title, a line of tags or a decision, set in the place of the old one."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing import layout
from holdfast.editing.layout import Edit, bare, line, unmarked
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.format import title_after
from holdfast.formats.listing import width
from holdfast.formats.record import Record
from holdfast.markdown import metadata_edit
from holdfast.markdown.document import Document, Label, Section

_BOLD_BEHIND = re.compile(rb"[ \t](?:\*\*|__)")


def key(record: Record, path: str, value: str) -> Edit | None:
    """Set a key of the frontmatter."""
    splice = metadata_edit.edit(record.document, path, value)
    return Edit(splice, record.metadata.text(path), value, key=path) if splice else None


def value_of(record: Record, label: Label, request: Request, *, replace: bool = False) -> Edit | None:
    """Return the edit that sets the value of a label; requested items are added to it, or replace it."""
    document = record.document
    if _BOLD_BEHIND.match(document.data, label.value_end):
        raise HoldfastError("more bold text follows on its line, which may be a label; part them with ` | `")
    old = " ".join(document.text(label.value_start, label.value_end).split())
    if request.items and old and not (replace or record.unfilled(old) or names.says_nothing(old)):
        return _further(label, old, request.items)
    if label.style == "row":
        _refuse_ragged(document, label)
    value = request.line
    shown = _shown(label, value)
    if shown == old:
        return None
    gap = b" " if document.data[label.value_start - 1 : label.value_start] in {b":", b"*", b"_"} else b""
    return Edit((label.value_start, label.value_end, gap + shown.encode()), old, value)


def _refuse_ragged(document: Document, label: Label) -> None:
    """Refuse a row with more bars than its table has columns: it is unclear where its value ends."""
    row = document.rows(label.start, label.end)[0]
    if width(document, row) > len(row.cells):
        raise HoldfastError("its row has more cells than the table; write a bar within a cell as \\|")


def _further(label: Label, old: str, items: list[str]) -> Edit | None:
    """Add the items to a value that are not in it between semicolons yet."""
    value = f"; {_parted(old)};"
    new = [
        text for item in dict.fromkeys(items) if (text := _parted(_shown(label, item))) and f"; {text};" not in value
    ]
    if not new:
        return None
    more = "; " + "; ".join(new)
    return Edit((label.value_end, label.value_end, more.encode()), old, old + more)


def _parted(text: str) -> str:
    """Return a text on one line, with one blank after each semicolon."""
    return "; ".join(" ".join(part.split()) for part in text.split(";"))


def _shown(label: Label, value: str) -> str:
    """Return a value as it is on one line, in a table with its bars escaped."""
    return " ".join((value.replace("|", r"\|") if label.style == "row" else value).split())


def title(record: Record, section: Section, beginning: str, request: Request) -> Edit | None:
    """Set what follows the words with which the title begins."""
    document = record.document
    line = document.data[section.start : section.body]
    old = title_after(section.title, beginning)
    at = line.rfind(old.encode())
    value = request.line
    if not old or at < 0 or old == value:
        return None
    start = section.start + at
    return Edit((start, start + len(old.encode()), value.encode()), old, value)


_TAG = re.compile(r"#[^\s#,;]+")
_TAGGED = re.compile(rb"#[^\s#,;]+(?=[ \t]*\r?$)", re.MULTILINE)  # at the end of a line


def tag_line(requested: list[str], known: list[str]) -> str:
    """Return the requested tags that are not known yet, each once, on one line, such as "#build #exporter"."""
    tags = ["#" + "-".join(part.split()) for text in requested for part in re.split(r"[#,;]", text) if part.strip()]
    present = {tag.casefold() for tag in known}
    first = {tag.casefold(): tag for tag in reversed(tags)}  # of two that differ in case the first one counts
    return " ".join(first[name] for name in dict.fromkeys(map(str.casefold, tags)) if name not in present)


def edit_tags(record: Record, section: Section, requested: list[str]) -> Edit | None:
    """Return the edit that adds tags to the line of tags in a section, or begins one; None for no new tag."""
    document, end = record.document, record.own_end(section)
    spans = document.paragraphs(section.body, end)
    new = tag_line(requested, _TAG.findall(document.text(section.body, end)))
    if not new:
        return None
    ends = [start + match.end() for start, stop in spans for match in _TAGGED.finditer(document.data[start:stop])]
    if ends:
        return Edit((ends[-1], ends[-1], f" {new}".encode()), "", new)
    if spans and record.vacant(there := document.text(*spans[-1])):
        return Edit(layout.replaced(document, *spans[-1], [new]), " ".join(there.split()), new)
    return Edit(layout.spaced(document, layout.content_end(document, section, end), [new]), "", new)


HELD = "decisions"  # what the format says of such a section
_NUMBERED = re.compile(r"Decision (\d+)\b", re.IGNORECASE)
_WHY = re.compile(r"\s*\bRationale:\s*")
_TITLED = re.compile(r"\A(?:Decision \d+:[^\S\n]*(?:([^\n]+)\n)?|([^\n]+):\n)", re.IGNORECASE)
# A decision as a file has it.
_MARKDOWN = re.compile(
    r"\A#+\s*(?:Decision \d+:\s*)?(?P<title>[^\n]+?)\s+\*\*Decision\*\*:\s*(?P<decided>.*?)"
    r"(?:\s+\*\*Rationale\*\*:\s*(?P<why>.*))?\Z",
    re.DOTALL | re.IGNORECASE,
)
_TITLE = 60  # characters


def decision(parts: dict[str, str]) -> str:
    """Return a decision as one text: a line with its title and a colon, what was decided and what else is said, why."""
    words = {key: " ".join(part.split()) for key, part in parts.items()}
    name, decided, why = (words.pop(key, "") for key in ("title", "decision", "rationale"))
    said = " ".join([decided, *(f"{key.capitalize()}: {part}" for key, part in words.items())])
    return "\n".join([*([f"{name.rstrip(':')}:"] if name else []), said, *([f"Rationale: {why}"] if why else [])])


def edit_decision(record: Record, section: Section, requested: list[str]) -> Edit | None:
    """Return the edit that adds decisions, None if the section has them all.

    One that is there without the reason that is given gets it.
    """
    document, inner = record.document, record.within(section.body, section.end)
    parts = {text: _parts(text) for text in dict.fromkeys(requested) if bare(text)}
    present = {text: _about(record, section, decided) for text, (_, decided, _) in parts.items()}
    new = [text for text, about in present.items() if about is None]
    given = [(about, parts[text][2]) for text, about in present.items() if about]
    lacking = [(about, why) for about, why in given if why and f"**Rationale**: {why}" not in _plain(document, about)]
    if lacking and not new:
        about, why = lacking[0]
        at = layout.content_end(document, about, about.end)
        return Edit(layout.spaced(document, at, [f"**Rationale**: {why}"]), "", f"Rationale: {why}")
    titles = (_NUMBERED.match(one.title) for one in inner)
    first = max((int(match[1]) for match in titles if match), default=0) + 1
    if not new:
        return None
    put = decision_lines(new, first)
    at = layout.content_end(document, section, section.end)
    return Edit(layout.spaced(document, at, put), "", "; ".join(_told(*parts[text]) for text in new), headings=len(new))


def _told(title: str, decided: str, why: str) -> str:
    stop = "" if decided.endswith((".", "!", "?", "…", ":")) else "."
    return line((f"{title}: " if title else "") + decided + (f"{stop} Rationale: {why}" if why else ""))


def _plain(document: Document, section: Section) -> str:
    return " ".join(document.text(section.start, section.end).split())


def _about(record: Record, section: Section, decided: str) -> Section | None:
    """Return the section about a decision, which may be the one with all of them; None when none says it."""
    document = record.document
    sections = [*record.within(section.body, section.end), section]
    return next((one for one in sections if layout.says(document.text(one.start, one.end), decided)), None)


def decision_lines(texts: list[str], first: int = 1) -> list[str]:
    """Return decisions as lines; `first` is the number of the first one."""
    entries = [line for number, text in enumerate(texts, first) for line in ("", *_entry(number, text))]
    return entries[1:]


def _entry(number: int, text: str) -> list[str]:
    named, decided, why = _parts(text)
    shown = named or (decided if len(decided) <= _TITLE else decided[:_TITLE].rpartition(" ")[0] + "…")
    made = [f"### Decision {number}: {shown.rstrip('.')}", "", f"**Decision**: {decided}"]
    return [*made, f"**Rationale**: {why}"] if why else made


def _parts(text: str) -> tuple[str, str, str]:
    """Return the title of a decision, what was decided, and why; "" for a title or a rationale that is not given."""
    if match := _MARKDOWN.match(text):
        return match["title"].strip(), " ".join(match["decided"].split()), " ".join((match["why"] or "").split())
    named = _TITLED.match(text)
    decided, *why = _WHY.split(text[named.end() :] if named else text, maxsplit=1)
    title = (named[1] or named[2] or "") if named else ""
    return title.strip(" :"), unmarked(decided), " ".join("".join(why).split())
