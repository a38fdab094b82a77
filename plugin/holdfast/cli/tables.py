"""Tables of sessions, trees, loops and snapshots, as lines for a terminal or a pipe."""

from holdfast.cli import screen
from holdfast.cli.screen import Cell
from holdfast.core import clock
from holdfast.core.fast_json import text_of
from holdfast.sessions import ledger, listed, resume
from holdfast.sessions.status import with_crash
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.context.compaction.snapshots import Snapshot
    from holdfast.hub.tree import Member
    from holdfast.memory.loops.elements import Loop
    from holdfast.sessions.session import Session

_BRANCH = 20  # characters of a branch in a terminal
_TITLE = 200  # characters of a title that are used
_STYLES = {"live": "green", "stale": "yellow", "paused": "cyan", "orphaned": "yellow"}
_SESSION_HEADINGS = (
    "ID",
    "TITLE",
    "STATUS",
    "PROCESS",
    "LAST ACTIVE",
    "TASKS",
    "FILES",
    "BRANCH",
    "STATE FILE",
)  # in a pipe
_TREE_HEADINGS = ("ID", "TITLE", "STATUS", "LAST ACTIVE", "KIND", "PARENT", "DEPTH", "LAST LINE")  # in a pipe
_RESUME_HEADINGS = ("ID", "TITLE", "STATUS", "PROCESS", "LAST ACTIVE", "BRANCH", "COMMAND")  # in a pipe
_SNAPSHOT_HEADINGS = ("SNAPSHOT", "TITLE", "BEFORE", "AGE", "DRIFT", "BROUGHT BACK", "SESSION")
_SESSION_COLUMNS = ("ID", "TITLE", "STATUS", "AGE", "BRANCH", "WHERE", "TASKS", "FILES")  # in a terminal


def sessions(groups: "dict[str, list[Session]]", now: float, left_out: int = 0, *, everything: bool) -> list[str]:
    """Return sessions as lines: in a terminal under the names of their groups, at most as many as fit it.

    `left_out` is how many others were done earlier; a line in the terminal counts them.
    """
    if not screen.size():
        plain = [_plain(session) for found in groups.values() for session in found]
        return screen.tabbed(_SESSION_HEADINGS, plain)
    names = listed.shortened(session.id for found in groups.values() for session in found)
    shown = {name: [_cells(session, names, now) for session in found] for name, found in groups.items() if found}
    found = _widths([_SESSION_COLUMNS, *(cells for rows in shown.values() for cells in rows)])
    lines = [screen.paint(screen.row(_SESSION_COLUMNS, found), "dim")]
    known = screen.size()
    room = max(1, known[1] - 2 - bool(left_out)) if known and not everything else 0
    for name, rows in _fitted(shown, room).items():
        lines += [screen.paint(name.capitalize(), "bold"), *(screen.row(cells, found) for cells in rows)]
        if len(rows) < len(shown[name]):
            more = f"  {len(shown[name]) - len(rows)} more: holdfast list --all"
            lines.append(screen.paint(more, "dim"))
    earlier = [screen.paint(f"{left_out} done earlier: holdfast list --all", "dim")] if left_out else []
    return [*lines, *earlier]


def _fitted(groups: "dict[str, list[tuple[str, ...]]]", room: int) -> "dict[str, list[tuple[str, ...]]]":
    """Return the rows of each group that fit into so many lines, 0 for all of them.

    A group takes a line for its name, and one that counts the rows left out. Each keeps its first row; the first
    groups get what room there is.
    """
    kept = dict.fromkeys(groups, 1)
    for name, rows in groups.items():
        others = sum(1 + kept[other] + (kept[other] < len(groups[other])) for other in groups if other != name)
        free = room - others - 1
        kept[name] = len(rows) if not room or len(rows) <= free else max(1, free - 1)
    return {name: rows[: kept[name]] for name, rows in groups.items()}


def _widths(rows: "Sequence[tuple[str, ...]]") -> list[int]:
    """Return the widths of the columns of these rows in the terminal."""
    known = screen.size()
    return screen.widths(rows, known[0] if known else 1)


def _cells(session: "Session", names: "dict[str, str]", now: float) -> "tuple[str, ...]":
    """Return the cells of a session for a terminal; `names` has its short id."""
    return (
        names[session.id],
        safe.line(session.title, _TITLE),
        status(session, now),
        age(now - session.last_active) if session.last_active else "-",
        safe.line(session.holder or session.branch, _BRANCH) or "-",
        _where(session) or "-",
        listed.tasks(session) or "-",
        str(len(session.files)) if session.journaled else "-",
    )


def _where(session: "Session") -> str:
    """Return the package where the work began, and another place of its state file than a branch; "" for neither."""
    place = f"file {session.away}" if session.away and not session.holder else ""
    gone = "its folder is gone" if resume.folder_is_gone(session) else ""
    hub = "in the hub" if session.is_neuron else ""
    return ", ".join(filter(None, [safe.line(session.folder, _BRANCH), place, gone, hub]))


def _until(session: "Session") -> str:
    """Return the day that the work of a session is put off to, "" for none."""
    until = ledger.put_off(session)[0]
    return f" until {until}" if until else ""


def _plain(session: "Session") -> "tuple[str, ...]":
    """Return the cells of a session for a pipe."""
    return (
        session.id,
        safe.line(session.title, _TITLE),
        f"{session.status}{', orphaned' if session.orphaned else ''}{_until(session)}",
        session.presence,
        clock.write(session.last_active) if session.last_active else "",
        listed.tasks(session),
        str(len(session.files)),
        safe.line(session.branch, 100),
        session.away,
    )


def status(session: "Session", now: float) -> Cell:
    """Return the status of a session's work, and whether it crashed, is orphaned, stale or put off, in its colour."""
    until, texts = ledger.put_off(session)
    days = [until, *map(clock.not_before, texts)]
    if any(day and not clock.is_ahead(day, now) for day in days):
        return Cell("due", "yellow")
    if until:
        return Cell(f"until {until}", "cyan")
    word = "live" if session.live else "stale" if session.stale else session.status
    shown = with_crash(session)
    return Cell(shown.replace(session.status, word, 1) if session.stale else shown, _STYLES.get(word, ""))


def age(seconds: float) -> str:
    """Return an age in few characters, such as "5 min" or "now"."""
    return clock.duration(seconds) if seconds >= 60 else "now"


def tree(found: "list[tuple[str, int, Member]]", now: float) -> list[str]:
    """Return a tree as lines; each member comes with its branches and its depth."""
    if not screen.size():
        plain = [_plain_member(depth, member) for _, depth, member in found]
        return screen.tabbed(_TREE_HEADINGS, plain)
    names = listed.shortened(member.ident for _, _, member in found)
    rows = [
        (
            Cell(safe.line(names[member.ident], 100) or "no id", "dim"),
            branches + safe.line(member.title.removeprefix("Claude - "), _TITLE),
            _member_status(member),
            age(now - member.last_active) if member.last_active else "-",
            safe.line(member.line, 100),
        )
        for branches, _, member in found
    ]
    return screen.table(("ID", "TITLE", "STATUS", "AGE", "LAST LINE"), rows)


def _member_status(member: "Member") -> Cell:
    """Return the status of a member on screen."""
    live = member.kind == "session" and member.open
    word = "orphaned" if member.orphaned else "stale" if member.shown.endswith("stale") else member.status
    return Cell(_shown_member(member), _STYLES.get("live" if live else word, ""))


def _shown_member(member: "Member") -> str:
    return f"{member.shown or member.status}{', orphaned' if member.orphaned else ''}"


def _plain_member(depth: int, member: "Member") -> "tuple[str, ...]":
    """Return the cells of a member of a tree for a pipe."""
    return (
        member.ident,
        safe.line(member.title, _TITLE),
        _shown_member(member),
        clock.write(member.last_active) if member.last_active else "",
        member.kind,
        member.parent,
        str(depth),
        safe.line(member.line, 300),
    )


def resumable(waiting: "Sequence[Session]", now: float, root: str) -> list[str]:
    """Return sessions and entries of the hub that can be resumed as lines; `root` is the repository's."""
    if not screen.size():
        rows = [(*_plain(one)[:5], safe.line(one.branch, 100), resume.command(one, root)) for one in waiting]
        return screen.tabbed(_RESUME_HEADINGS, rows)
    names = listed.shortened(one.id for one in waiting)
    shown = [_cells(one, names, now)[:6] for one in waiting]
    return screen.table(_SESSION_COLUMNS[:6], shown)


def loops(found: "list[Loop]", now: float) -> list[str]:
    """Return loops as lines; in a terminal with their age, if the time when they were captured is known."""
    full = not screen.size()
    times = [0.0 if full else clock.find(loop.captured) for loop in found]
    rows = [
        (
            loop.ident,
            safe.line(loop.title),
            safe.line(loop.status, 24),
            age(now - at) if at else safe.line(loop.captured, 24),
        )
        for loop, at in zip(found, times, strict=True)
    ]
    return screen.table(("ID", "TITLE", "STATUS", "CAPTURED" if full else "AGE"), rows)


def snapshots(found: "list[Snapshot]", now: float) -> list[str]:
    """Return snapshots as lines."""
    full = not screen.size()
    rows = [
        (
            one.name,
            safe.line(text_of(one.facts, "title"), 60),
            one.trigger or "-",
            clock.write(one.at) if full else age(now - one.at),
            one.severity or "-",
            str(sum(len(each.names) for each in one.omissions)) if one.took_place else "-",
            one.session if full else one.session[: listed.LENGTH],
        )
        for one in found
    ]
    return screen.table(_SNAPSHOT_HEADINGS, rows)
