"""One format of state files: its sections and fields, the place of each word of a summary, and its status words.

The classes are plain: a session start that reads a changed state file imports this module, and importing dataclasses
would add 10 ms to it.
"""

import re

from holdfast.core.fast_json import list_of, rows_of, table_of, text_of, texts_of
from holdfast.core.patterns import pattern
from holdfast.core.statuses import STATUSES
from holdfast.formats import names

OTHER_TYPES = {"code": "build", "chat": "discussion", "strategy": "planning"}  # words for one, from N5
# What people call each word of a summary, in every format.
WORDS = {
    "title": "title",
    "status": "status",
    "focus": "focus",
    "current focus": "focus",
    "current task": "focus",
    "objective": "objective",
    "goal": "objective",
    "goals": "objective",
    "overall": "progress",
    "phase": "phase",
    "current phase": "phase",
    "current state": "current",
    "stopped at": "current",
    "next": "next",
    "next steps": "next",
    "next actions": "next",
    "next action": "next",
    "open questions": "questions",
    "questions": "questions",
    "decisions": "decisions",
    "decisions made": "decisions",
    "key decisions": "decisions",
    "blockers": "blockers",
    "blocked": "blockers",
    "artifacts": "artifacts",
    "files modified": "artifacts",
    "key files": "artifacts",
}
AHEAD = ("next", "questions", "blockers")  # words of a summary that tell what is left to do

Table = dict[str, object]


class Field:
    """A field of a section, or a key of the frontmatter.

    `names` are all its plain names; `need` is required, recommended or optional; `kind` is one of `schema.KINDS`, and
    `values` are the texts that a field of the kind "choice" or "status" may have. `front` is the key of the frontmatter
    that has the same value, "" for none.
    """

    __slots__ = ("front", "kind", "name", "names", "need", "values")

    def __init__(self, table: "Table") -> None:
        self.name = text_of(table, "name")
        self.names = frozenset(map(names.plain, [self.name, *texts_of(table, "names")]))
        self.need = text_of(table, "need") or "optional"
        self.kind = text_of(table, "kind") or "text"
        self.values = texts_of(table, "values")
        self.front = text_of(table, "front")


class Part:
    """A section of a format; the one with the title "" has the lines above all sections."""

    def __init__(self, table: "Table") -> None:
        self.title = text_of(table, "title")
        self.names = frozenset(map(names.plain, [self.title, *texts_of(table, "names")]))
        level = table.get("level", 2)
        self.level = level if isinstance(level, int) else 2
        self.under = text_of(table, "under")
        self.holds = text_of(table, "holds")
        self.need = text_of(table, "need") or "optional"
        self.types = texts_of(table, "types")
        self.fields = [Field(field) for field in rows_of(table, "fields")]
        self.columns = texts_of(table, "columns")
        self.choices = {name: texts_of(table_of(table, "choices"), name) for name in table_of(table, "choices")}
        self.measured, self.caption = text_of(table, "measured"), text_of(table, "caption")
        self.entry = text_of(table, "entry")
        self.newest = text_of(table, "newest") or "last"

    def applies_to(self, kind: str) -> bool:
        """Return whether work of this type has the section."""
        return not self.types or kind in self.types

    def field(self, name: str) -> "Field | None":
        """Return the field with this name, None when there is none."""
        plain = names.plain(name)
        return next((field for field in self.fields if plain in field.names), None)


class Format:
    """One format of state files; `data/README.md` explains the keys of its table, which are the attributes."""

    def __init__(self, name: str, table: "Table") -> None:
        self.name = name
        self.about = text_of(table, "about") or name
        self.patterns = texts_of(table, "places")
        self.recognised = [[*map(str, marks)] for marks in list_of(table, "recognised") if isinstance(marks, list)]
        self.writes = table.get("writes", True) is True
        self.shared = table.get("shared") is True
        self.derived = table.get("derived") is True
        self.measured = table.get("measured") is True
        self.handed = table.get("handed") is True
        self.timestamped = table.get("timestamped") is True
        self.stamp = texts_of(table, "stamp")
        self.status = {category: texts_of(table_of(table, "status"), category) for category in STATUSES}
        self.samples = frozenset(map(names.plain, texts_of(table, "samples")))
        self.model = {word: texts_of(table_of(table, "model"), word) for word in table_of(table, "model")}
        self.parts = [Part(part) for part in rows_of(table, "part")]
        self.template = {kind: text_of(table_of(table, "template"), kind) for kind in table_of(table, "template")}
        entries = table_of(table, "entries")
        self.sections = texts_of(entries, "sections")
        self.ident = text_of(entries or table, "id")
        self.entry = Format(name, {**entries, "status": table.get("status", {})}) if entries else None

    def part(self, title: str) -> "Part | None":
        """Return the section with this title or other name, None when there is none."""
        plain = names.plain(title)
        return next((part for part in self.parts if part.title and plain in part.names), None)

    def mirror(self, key: str) -> "tuple[Part, Field] | None":
        """Return the section and the field in the body that has the value of a frontmatter key, None when none has."""
        pairs = ((part, field) for part in self.parts for field in part.fields if field.front == key)
        return next(pairs, None)

    def category(self, status: str) -> str:
        """Return the word of `core.statuses` that a status means, "" when that is not known."""
        return names.category(status, self.status)


_DATED = pattern(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)? +[-\u2013\u2014:] +(?=\S)")  # before the words of a title
# What joins a beginning to the words after it; without one these go on, as in "Session 57: fix the gate".
_JOINT = pattern(r"[*_`]*\s*[:\u2013\u2014-]|\s*$")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = pattern(  # a date, as numbers or in words, perhaps with a time and a remark such as "(evening)"
    rf"(?:\d{{4}}-\d\d-\d\d|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}} {_MONTH} \d{{4}}"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?)[\d\sTZ:.+-]*(?:\([^()]{0,20}\))?",
    re.IGNORECASE,
)


def title_begins(title: str, beginning: str) -> bool:
    """Whether a title begins with these words, in any case and with any emphasis."""
    plain_beginning = names.plain(beginning)
    text = names.plain(title)
    return not plain_beginning or text == plain_beginning or text.startswith(plain_beginning + " ")


def title_after(title: str, beginning: str) -> str:
    """Return what follows the beginning of a title, "" when nothing does; the whole where that is only a date."""
    opening = beginning.rstrip(" :-")
    at = title.casefold().find(opening.casefold())
    if at < 0:  # it begins so in other dress, such as with an underscore
        return title.strip()
    rest = title[at + len(opening) :]
    if opening and not _JOINT.match(rest):
        return title.strip()
    words = _DATED.sub("", rest.lstrip(" :-\u2013\u2014").strip(), count=1)
    return title.strip() if _TIME.fullmatch(words) else words
