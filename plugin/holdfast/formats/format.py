"""One format of state files: its sections and fields, the place of each word of a summary, and its status words.

The classes are plain: a session start that reads a changed state file imports this module, and importing dataclasses
would add 10 ms to it.
"""

from holdfast.formats import names

TYPES = {"code": "build", "chat": "discussion", "strategy": "planning"}  # other words for a type of work, from N5
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
CATEGORIES = ("active", "waiting", "paused", "completed")

TYPE_CHECKING = False
if TYPE_CHECKING:
    Table = dict[str, object]


class Field:
    """A field of a section, or a key of the frontmatter.

    `names` are all its plain names; `need` is required, recommended or optional; `kind` is one of `schema.KINDS`, and
    `values` are the texts that a field of the kind "choice" may have. `front` is the key of the frontmatter that has
    the same value, "" for none.
    """

    __slots__ = ("front", "kind", "name", "names", "need", "values")

    def __init__(self, table: "Table") -> None:
        self.name = text_at(table, "name")
        self.names = frozenset(map(names.plain, [self.name, *texts_at(table, "names")]))
        self.need = text_at(table, "need") or "optional"
        self.kind = text_at(table, "kind") or "text"
        self.values = texts_at(table, "values")
        self.front = text_at(table, "front")


class Part:
    """A section of a format; the one with the title "" has the lines above all sections."""

    __slots__ = (
        "choices",
        "columns",
        "entry",
        "fields",
        "holds",
        "level",
        "measured",
        "names",
        "need",
        "newest",
        "title",
        "types",
        "under",
    )

    def __init__(self, table: "Table") -> None:
        self.title = text_at(table, "title")
        self.names = frozenset(map(names.plain, [self.title, *texts_at(table, "names")]))
        level = table.get("level", 2)
        self.level = level if isinstance(level, int) else 2
        self.under = text_at(table, "under")
        self.holds = text_at(table, "holds")
        self.need = text_at(table, "need") or "optional"
        self.types = texts_at(table, "types")
        self.fields = [Field(field) for field in tables_at(table, "fields")]
        self.columns = texts_at(table, "columns")
        self.choices = {name: texts_at(table_at(table, "choices"), name) for name in table_at(table, "choices")}
        self.measured = text_at(table, "measured")
        self.entry = text_at(table, "entry")
        self.newest = text_at(table, "newest") or "last"

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
        self.about = text_at(table, "about") or name
        self.patterns = texts_at(table, "places")
        self.recognised = lists_at(table, "recognised")
        self.writes = table.get("writes", True) is True
        self.shared = table.get("shared") is True
        self.derived = table.get("derived") is True
        self.measured = table.get("measured") is True
        self.timestamped = table.get("timestamped") is True
        self.stamp = texts_at(table, "stamp")
        self.status = {category: texts_at(table_at(table, "status"), category) for category in CATEGORIES}
        self.samples = frozenset(map(names.plain, texts_at(table, "samples")))
        self.model = {word: texts_at(table_at(table, "model"), word) for word in table_at(table, "model")}
        self.parts = [Part(part) for part in tables_at(table, "part")]
        self.template = {kind: text_at(table_at(table, "template"), kind) for kind in table_at(table, "template")}
        entries = table_at(table, "entries")
        self.sections = texts_at(entries, "sections")
        self.ident = text_at(entries or table, "id")
        self.entry = Format(name, {**entries, "status": table.get("status", {})}) if entries else None

    def part(self, title: str) -> "Part | None":
        """Return the section with this title or other name, None when there is none."""
        plain = names.plain(title)
        return next((part for part in self.parts if part.title and plain in part.names), None)

    def mirror(self, key: str) -> "tuple[Part, Field] | None":
        """Return the section and the field in the body that has the value of a frontmatter key, None when none has."""
        found = ((part, field) for part in self.parts for field in part.fields if field.front == key)
        return next(found, None)

    def category(self, status: str) -> str:
        """Return the one of active, waiting, paused and completed that a status means, "" when that is not known."""
        return names.category(status, self.status)


def text_at(table: object, key: str) -> str:
    """Return the text under a key, "" for a value of another type."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, str) else ""


def texts_at(table: object, key: str) -> list[str]:
    """Return the texts in the list under a key, without values of other types."""
    value = table.get(key) if isinstance(table, dict) else None
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def lists_at(table: object, key: str) -> list[list[str]]:
    """Return the lists of texts in the list under a key; what is no list counts as an empty one."""
    value = table.get(key) if isinstance(table, dict) else None
    return [texts_at({"": group}, "") for group in value] if isinstance(value, list) else []


def table_at(table: object, key: str) -> "Table":
    """Return the table under a key, an empty one for a value of another type."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, dict) else {}


def tables_at(table: object, key: str) -> "list[Table]":
    """Return the tables in the list under a key, without values of other types."""
    value = table.get(key) if isinstance(table, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
