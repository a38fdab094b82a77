"""Which rows of the index are shown: the kinds of sessions and files, and the latest ones of each group."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.core.database import Table

    Row = tuple[float, str]  # when it was active or written last; and its kind

# The kinds of sessions and files; ended: a session without open work; always: a hub or another file of the project;
# nothing: a file that cannot be read.
ENDED, OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "ended", "over", "open", "paused", "handed", "unknown", "always"
NOTHING = "nothing"
LOOKS = 2000  # state files of work that was done, the last ones, which a list looks at: they may change in place
LATELY = 3600.0  # seconds for which completed work may still be mentioned
# As `_group` has them, for queries: each condition is a range of the index by time.
_GROUPS = {
    "stale": ["kind = 'open' and {at} < {stale!r}"],
    "unfinished": ["kind = 'paused'", "kind = 'open' and {at} >= {stale!r}"],
    "lately": ["kind = 'over' and {at} >= {lately!r}"],
    **{kind: [f"kind = '{kind}'"] for kind in (ENDED, HANDED, UNKNOWN)},
}
SHOWN = 12  # of a group: two groups fill a brief


class Selection:
    """The keys of the rows to show; `more` has how many others are stale, unfinished, and so on."""

    __slots__ = ("keys", "more")

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.more: dict[str, int] = {}


def select(rows: "dict[str, Row]", now: float, stale_hours: int) -> Selection:
    """Return the rows to show: all that belong to the whole project, and the latest ones of each group."""
    selection = Selection()
    groups: dict[str, list[tuple[float, str]]] = {}
    for path, (at, kind) in rows.items():
        groups.setdefault(_group(at, kind, now, stale_hours), []).append((at, path))
    selection.keys = [path for _, path in groups.pop(ALWAYS, [])]
    groups.pop(OVER, None)
    groups.pop(NOTHING, None)
    for group, members in groups.items():
        selection.keys += [path for _, path in sorted(members, reverse=True)[:SHOWN]]
        selection.more[group] = max(0, len(members) - SHOWN)
    return selection


def _group(at: float, kind: str, now: float, stale_hours: int) -> str:
    """Return the group in which a row is shown or counted."""
    if kind == OVER:
        return "lately" if at >= now - LATELY else OVER
    if kind == OPEN and now - at > stale_hours * 3600:
        return "stale"
    return "unfinished" if kind in (OPEN, PAUSED) else kind


class Ages:
    """Since when a row is not yet `stale`, and since when it is from `lately`."""

    __slots__ = ("lately", "stale")

    def __init__(self, now: float, stale_hours: int) -> None:
        self.stale, self.lately = now - stale_hours * 3600, now - LATELY


def selected(table: "Table", columns: str, name: str, ages: Ages) -> "tuple[list[Any], dict[str, int]]":
    """Return what `select` returns for the rows of a table, without loading them all.

    `columns` are that of the key and that of the time.
    """
    key, at = columns.split(", ")
    shown: list[Any] = []
    more: dict[str, int] = {}
    for group, conditions in _GROUPS.items():
        latest, count = [], 0
        for condition in conditions:
            where = f"{name} where tree = ? and " + condition.format(at=at, stale=ages.stale, lately=ages.lately)
            found = table.rows(f"select {at}, {key} from {where} order by {at} desc limit {SHOWN}")  # noqa: S608 - names of ours
            latest += found
            counted = table.rows(f"select count(*) from {where}") if len(found) == SHOWN else []  # noqa: S608 - names of ours
            count += counted[0][0] if counted else len(found)  # a database that is locked meanwhile counts nothing
        shown += [key for _, key in sorted(latest, reverse=True)[:SHOWN]]
        if count > SHOWN:
            more[group] = count - SHOWN
    return shown, more
