"""One loop of LOOPS.md: an open question, from its capture to its outcome, as an XML-like element in Markdown."""

from holdfast.core.fast_json import texts_of

KIND = "LOOP"
STATUSES = ("open", "clarifying", "closed")
_OVER = frozenset({"closed", "done", "resolved"})
# element -> field of a loop; the elements of the second and third line are inside another one.
OWN = {"title": "title", "context": "context", "question": "question", "captured": "captured"}
EXPLORING = {"started": "started", "approach": "approach"}
OUTCOME = {"closed": "closed", "result": "result", "evidence": "evidence", "decision_ref": "decision"}
INNER = {"exploring": EXPLORING, "outcome": OUTCOME}
FIELDS = (*OWN.values(), *EXPLORING.values(), *OUTCOME.values())

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.memory.loops.elements import Element


def is_over(status: str) -> bool:
    """Whether a status says that a loop is closed, in any of the known words."""
    return status.strip().casefold() in _OVER


class Loop:
    """One loop: its id, status and texts as people read them, and the span of its element in the file.

    `aliases` are the ids that it had before merges. `problem` says why it must not be edited, "" when it may.
    """

    def __init__(self, ident: str, start: int, end: int, line: int) -> None:
        self.ident = ident
        self.start = start
        self.end = end
        self.line = line
        self.tag_end = start  # where its opening tag ends
        self.own_aliases: tuple[int, int] | None = None
        self.own_status: tuple[int, int] | None = None  # the span of the attribute's value
        self.children: list[Element] = []
        self.aliases: list[str] = []
        self.problem = self.status = ""
        self.title = self.context = self.question = self.captured = ""
        self.started = self.approach = ""
        self.closed = self.result = self.evidence = self.decision = ""

    @property
    def over(self) -> bool:
        """Whether it is closed."""
        return is_over(self.status)

    def has_id(self, ident: str) -> bool:
        """Whether this is its id, or was before a merge."""
        return ident == self.ident or ident in self.aliases

    def text(self, field: str) -> str:
        """Return one of its texts by its name in FIELDS."""
        return str(getattr(self, field))

    def row(self) -> "dict[str, object]":
        """Return the loop as JSON has it."""
        return {
            "id": self.ident,
            "status": self.status,
            "line": self.line,
            "aliases": self.aliases,
            **{name: self.text(name) for name in FIELDS},
        }


def of_row(row: "dict[str, object]") -> Loop:
    """Return the loop that `Loop.row` described; where it is in the file is not known."""
    line = row["line"]
    loop = Loop(str(row["id"]), 0, 0, line if isinstance(line, int) else 0)
    loop.aliases = texts_of(row, "aliases")
    for name in ("status", *FIELDS):
        setattr(loop, name, str(row[name]))
    return loop
