"""One difference between a state file and the evidence, its points, and the severity of several."""

import os

from holdfast.core.finding import NOTE, WARNING, Finding
from holdfast.project import discovery, paths
from holdfast.sessions import hub_location, paused_work
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Row = dict[str, object]

LEVELS = ("none", "slight", "marked", "severe")
# Every kind and its label, in the order of a report.
KINDS = {
    "task": "Task",
    "phase": "Phase",
    "status": "Status",
    "loops": "Loops",
    "budget": "Budget",
    "zone": "Budget zone",
    "actions": "Actions",
    "tasks": "Tasks not recorded",
    "files": "Files changed and not described",
    "commits": "Commits not described",
    "children": "Subagents not described",
    "branch": "Branch",
    "prompts": "Prompts since",
    "unfilled": "Not filled in",
    "age": "Last written",
}
# The first words of lines that a suggested command adds. Such a line is not yet an update by the model.
NOTED = COMMITTED, TASK, SUBAGENT, LOOP = ("Committed ", "Task ", "Subagent ", "Loop ")
# Fewer prompts are normal in a running conversation. The prompt that asks for the report counts too.
PROMPTS = 3
_TEXTS = ("kind", "in_file", "measured", "evidence", "remedy")  # keys of a row
NAMED = 12  # names of a list that are shown
_VALUE = 400  # characters of a value
# One point is one thing that a reader of the state file alone would not know.
_ONE_BY_ONE = {
    "files": 1,
    "commits": 1,
    "tasks": 1,
    "children": 1,
    "loops": 1,
    "unfilled": 1,
    "prompts": 4,  # a prompt carries less information than a changed file
}
# A wrong value misleads, which is worse than a missing one; a wrong status misleads most.
_AT_ONCE = {"status": 4, "task": 2, "phase": 2, "branch": 2, "zone": 2}
# A new file always has placeholders, and no information is lost by them.
_MOST = {"unfilled": 2}

_OWN = frozenset(
    [
        paths.SETTINGS,
        *discovery.PATHS,
        *hub_location.PATHS,
        *(hub_location.companion(path, hub_location.ARCHIVE) for path in hub_location.PATHS),
    ]
)


class Item(Finding):
    """One difference between a state file and the evidence. All texts are single safe lines.

    `in_file` is the file's value, "" if it has none; `measured` is the value found, `evidence` how it is known.
    `remedy` is a command: with the placeholder `…` it needs a text, without it the command removes the item. `names`
    are the things that the item lists, empty for a single value. `weight` is the number of points, computed from
    `names` or `count`.
    """

    __slots__ = ("evidence", "in_file", "measured", "names", "weight")

    def __init__(  # noqa: PLR0913 - one argument for each attribute
        self,
        kind: str,
        in_file: str,
        measured: str,
        evidence: str = "",
        call: str = "",
        *,
        names: "Iterable[str]" = (),
        count: int = 0,
    ) -> None:
        self.in_file, self.measured, self.evidence = (safe.line(text, _VALUE) for text in (in_file, measured, evidence))
        self.names = tuple(safe.line(name, _VALUE) for name in names)
        self.weight = _weight(kind, count or len(self.names))
        level = WARNING if self.weight else NOTE
        super().__init__(kind, 0, KINDS.get(kind, kind), self.change, level=level, remedy=call)

    @property
    def change(self) -> str:
        """What the file says and what was measured, such as "2 → 4 (LOOP-012 captured since)"."""
        change = f"{self.in_file} → {self.measured}" if self.in_file else self.measured
        return f"{change} ({self.evidence})" if self.evidence else change

    @property
    def words(self) -> str:
        """The item as one line, such as "Loops: 2 → 4 (LOOP-012 captured since)"."""
        return f"{self.what}: {self.change}"

    def row(self) -> "Row":
        """Return the item as JSON values."""
        row: Row = {"in_file": self.in_file, "measured": self.measured, "evidence": self.evidence}
        return {**super().row(), "why": self.change, **row, "names": list(self.names), "weight": self.weight}


def of_row(row: "Row") -> Item | None:
    """Return the item that `Item.row` described, None for anything else."""
    names, weight = row.get("names"), row.get("weight")
    if row.get("kind") not in KINDS or not isinstance(names, list) or not isinstance(weight, int):
        return None
    kind, in_file, measured, evidence, call = (str(row.get(key, "")) for key in _TEXTS)
    item = Item(kind, in_file, measured, evidence, call, names=map(str, names))
    item.weight, item.level = weight, WARNING if weight else NOTE
    return item


def _weight(kind: str, count: int) -> int:
    """Return the points of an item about `count` things, or about one value if `count` is 0.

    Budget and actions have no points, because holdfast updates them itself. Age has none, because time alone loses
    nothing.
    """
    if kind not in _ONE_BY_ONE:
        return _AT_ONCE.get(kind, 0)
    return min(max(count, 1) // _ONE_BY_ONE[kind], _MOST.get(kind, count + 1))


def until_heavier(prompts: int) -> int:
    """Return how many more prompts give the item about so many prompts a point more."""
    return _ONE_BY_ONE["prompts"] - prompts % _ONE_BY_ONE["prompts"]


def listed(names: "Iterable[str]", limit: int = 120) -> str:
    """Return the first names in one line, and the number of the others."""
    return safe.listed([safe.line(name, limit) for name in names], NAMED)


def points(items: "Iterable[Item]") -> int:
    """Return the points of all items; of several items of one kind only the heaviest counts."""
    heaviest: dict[str, int] = {}
    for item in items:
        heaviest[item.kind] = max(item.weight, heaviest.get(item.kind, 0))
    return sum(heaviest.values())


def severity(items: "Iterable[Item]", limits: "Sequence[int]") -> str:
    """Return the severity; `limits` are the points at which drift becomes slight, marked and severe."""
    sum_of_points = points(items)
    return LEVELS[sum(sum_of_points >= limit for limit in limits)]


def is_marked(level: str) -> bool:
    """Return whether a severity is marked or severe."""
    return level in LEVELS[2:]


def is_record(path: str, places: "Iterable[str]") -> bool:
    """Return whether `path` is a state file, by the patterns `places`, or another file that holdfast keeps."""
    name = os.path.basename(path)
    handed = name.startswith(paused_work.STEM) and name.endswith(".md")
    return handed or path in _OWN or paths.is_state_path(path, places)
