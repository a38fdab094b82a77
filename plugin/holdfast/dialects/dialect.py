"""One known shape of state file: its sections and fields, its words for the model and for the status."""

from holdfast.dialects import names

TYPES = {"code": "build", "chat": "discussion", "strategy": "planning"}  # N5's other words for a type of work
# What people call the words of the model, in any dialect.
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
STANDINGS = ("active", "waiting", "paused", "completed")

TYPE_CHECKING = False
if TYPE_CHECKING:
    Table = dict[str, object]


class Field:
    """A field of a section: its name, its other names, and whether it is needed."""

    __slots__ = ("name", "names", "need")

    def __init__(self, name: str, others: list[str], need: str) -> None:
        self.name = name
        self.names = frozenset(map(names.plain, [name, *others]))
        self.need = need


class Part:
    """A section of a dialect, with what it holds; a `title` of "" stands for the lines that no section holds."""

    __slots__ = ("entry", "fields", "holds", "level", "names", "need", "newest", "title", "types", "under")

    def __init__(self, table: "Table") -> None:
        self.title = text_at(table, "title")
        self.names = frozenset(map(names.plain, [self.title, *texts_at(table, "names")]))
        level = table.get("level", 2)
        self.level = level if isinstance(level, int) else 2
        self.under = text_at(table, "under")
        self.holds = text_at(table, "holds")
        self.need = text_at(table, "need") or "optional"
        self.types = texts_at(table, "types")
        self.fields = [
            Field(text_at(field, "name"), texts_at(field, "names"), text_at(field, "need") or "optional")
            for field in tables_at(table, "fields")
        ]
        self.entry = text_at(table, "entry")
        self.newest = text_at(table, "newest") or "last"

    def wanted(self, kind: str) -> bool:
        """Whether work of this type has the section."""
        return not self.types or kind in self.types

    def field(self, name: str) -> "Field | None":
        """Return its field of this name, None when it has none."""
        wanted = names.plain(name)
        return next((field for field in self.fields if wanted in field.names), None)


class Dialect:
    """One known shape of state file; the attributes are the words of `dialects.toml`."""

    def __init__(self, name: str, table: "Table") -> None:
        self.name = name
        self.about = text_at(table, "about") or name
        self.places = texts_at(table, "places")
        self.recognised = lists_at(table, "recognised")
        self.writes = table.get("writes", True) is True
        self.shared = table.get("shared") is True
        self.derived = table.get("derived") is True
        self.measured = table.get("measured") is True
        self.stamp = texts_at(table, "stamp")
        self.status = {standing: texts_at(table_at(table, "status"), standing) for standing in STANDINGS}
        self.samples = frozenset(map(names.plain, texts_at(table, "samples")))
        self.model = {word: texts_at(table_at(table, "model"), word) for word in table_at(table, "model")}
        self.parts = [Part(part) for part in tables_at(table, "part")]
        self.template = {kind: text_at(table_at(table, "template"), kind) for kind in table_at(table, "template")}
        entries = table_at(table, "entries")
        self.sections = texts_at(entries, "sections")
        self.ident = text_at(entries or table, "id")
        self.entry = Dialect(name, {**entries, "status": table.get("status", {})}) if entries else None

    def part(self, title: str) -> "Part | None":
        """Return its section of this title, whichever of its names is used; None when it has none."""
        wanted = names.plain(title)
        return next((part for part in self.parts if part.title and wanted in part.names), None)

    def standing(self, status: str) -> str:
        """Return which of active, waiting, paused and completed a status in a person's words comes to, "" for none."""
        return names.standing(status, self.status)


def text_at(table: object, key: str) -> str:
    """Return the text under a key, "" for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, str) else ""


def texts_at(table: object, key: str) -> list[str]:
    """Return the texts in the list under a key, none for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def lists_at(table: object, key: str) -> list[list[str]]:
    """Return the lists of texts in the list under a key."""
    value = table.get(key) if isinstance(table, dict) else None
    return [texts_at({"": group}, "") for group in value] if isinstance(value, list) else []


def table_at(table: object, key: str) -> "Table":
    """Return the table under a key, an empty one for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, dict) else {}


def tables_at(table: object, key: str) -> "list[Table]":
    """Return the tables in the list under a key."""
    value = table.get(key) if isinstance(table, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
