"""One thing that a state file and what was measured disagree about."""

from holdfast import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Row = dict[str, object]

# Every kind and its label, in the order of a report.
KINDS = {
    "task": "Task",
    "status": "Status",
    "loops": "Loops",
    "budget": "Budget",
    "zone": "Budget zone",
    "actions": "Actions",
    "tasks": "Tasks not recorded",
    "files": "Files changed and not mentioned",
    "commits": "Commits not mentioned",
    "children": "Subagents not mentioned",
    "branch": "Branch",
    "prompts": "Prompts since",
    "unfilled": "Not filled in",
    "age": "Last written",
}
# How the lines begin that a call puts into the file for what was measured: by them nobody has said anything yet.
NOTED = COMMITTED, TASK, SUBAGENT, LOOP = ("Committed ", "Task ", "Subagent ", "Loop ")
NAMED = 12  # names of a list that are told
_VALUE = 400  # characters of a value
# A point is one thing that whoever goes on by the state file alone does not know of.
_ONE_BY_ONE = {
    "files": 1,
    "commits": 1,
    "tasks": 1,
    "children": 1,
    "loops": 1,
    "unfilled": 1,
    "prompts": 4,  # a conversation says less a prompt than a file says
}
# What is wrong leads astray, which is worse than what is missing: most of all a status, by which others go.
_AT_ONCE = {"status": 4, "task": 2, "branch": 2, "zone": 2}
# A new file has placeholders by its nature, and they lose nothing that was there.
_MOST = {"unfilled": 2}


class Item:
    """One thing that has drifted: its kind, what the file says, what was found, why that is known, what settles it.

    `said` is "" where the file says nothing of it. `call` is a command line; where it holds `…` a meaning is to be put
    there, any other makes the item vanish when it is run. `names` are all the things that it is about, none where that
    is one value. All of them are one safe line. `weight` are its points: by its names, or by `count` where these are
    not kept.
    """

    __slots__ = ("call", "evidence", "found", "kind", "names", "said", "weight")

    def __init__(  # noqa: PLR0913 - one argument for each thing that is told
        self,
        kind: str,
        said: str,
        found: str,
        evidence: str = "",
        call: str = "",
        *,
        names: "Iterable[str]" = (),
        count: int = 0,
    ) -> None:
        self.kind = kind
        self.said, self.found, self.evidence = (text.line(words, _VALUE) for words in (said, found, evidence))
        self.call = call
        self.names = tuple(text.line(name, _VALUE) for name in names)
        self.weight = _weight(kind, count or len(self.names))

    @property
    def words(self) -> str:
        """The item in one line, such as "Loops: 2 → 4 (LOOP-012 captured since)"."""
        change = f"{self.said} → {self.found}" if self.said else self.found
        return f"{KINDS[self.kind]}: {change}{f' ({self.evidence})' if self.evidence else ''}"

    def row(self) -> "Row":
        """Return the item as values."""
        told = {name: getattr(self, name) for name in ("kind", "said", "found", "evidence", "call", "weight")}
        return {**told, "names": list(self.names)}


def _weight(kind: str, count: int) -> int:
    """Return the points of an item about `count` things, or about one value where there are none to count.

    Budget and actions have none: holdfast puts them right itself. The age has none either: time alone loses nothing.
    """
    if kind not in _ONE_BY_ONE:
        return _AT_ONCE.get(kind, 0)
    return min(max(count, 1) // _ONE_BY_ONE[kind], _MOST.get(kind, count + 1))


def listed(names: "Iterable[str]", limit: int = 120) -> str:
    """Return the first names of a list in one line, and how many more there are."""
    known = [text.line(name, limit) for name in names]
    more = f" and {len(known) - NAMED} more" if len(known) > NAMED else ""
    return ", ".join(known[:NAMED]) + more
