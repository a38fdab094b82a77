"""Sessions of other machines as lines and JSON, for the commands that list sessions."""

from holdfast.cli import screen, tables
from holdfast.cli.screen import Cell
from holdfast.core import clock
from holdfast.sessions import short_ids
from holdfast.sharing import others, rows, status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row

_HEADINGS = ("ID", "TITLE", "STATUS", "AGE", "WHERE", "TASKS", "BRANCH")  # in a terminal
_SHOWN = 6  # sessions in a terminal without --all
_TITLE, _BRANCH, _WHERE = 200, 40, 60  # characters


def found(survey: "Survey", *, everything: bool) -> "list[Row]":
    """Return the sessions of other machines that have no journal here; only the open ones without `everything`."""
    store = survey.workspace.project.store
    if not status.is_on(store):
        return []
    known = others.everything(store) if everything else others.open_ones(store)
    return others.shown(store, others.for_reader(known), survey.sessions, survey.beyond)


def at_hand(survey: "Survey", everyone: "list[Session]") -> "list[Session]":
    """Return the sessions of this clone whose work does not go on elsewhere."""
    left = others.gone(survey.workspace.project.store, everyone)
    return [one for one in everyone if one not in left] if left else everyone


def lines(elsewhere: "Sequence[Row]", workspace: "Workspace", *, everything: bool) -> list[str]:
    """Return sessions as the lines of a list: below a heading in a terminal, with the columns of `list` in a pipe."""
    if not screen.size():
        return screen.tabbed((), [_plain(row, workspace) for row in elsewhere], header=False)
    shown = elsewhere if everything else elsewhere[:_SHOWN]
    names = short_ids.shortened(row["id"] for row in elsewhere)
    cells = [_cells(row, names, workspace) for row in shown]
    more = f"  {len(elsewhere) - len(shown)} more: holdfast list --all"
    rest = [screen.paint(more, "dim")] if len(shown) < len(elsewhere) else []
    return [screen.paint(rows.GROUP.capitalize(), "bold"), *screen.table(_HEADINGS, cells), *rest]


def _cells(row: "Row", names: "dict[str, str]", workspace: "Workspace") -> tuple[str, ...]:
    live = others.presence(row, workspace.settings, workspace.now) == "live"
    return (
        names[row["id"]],
        safe.line(row["title"], _TITLE),
        Cell(row["status"], "green" if live else ""),
        tables.age(rows.age(row, workspace.now)),
        safe.line(rows.where(row), _WHERE),
        row["tasks"] or "-",
        safe.line(row["branch"], _BRANCH) or "-",
    )


def _plain(row: "Row", workspace: "Workspace") -> tuple[str, ...]:
    """Return the cells of a session for a pipe; the process says where it runs."""
    return (
        row["id"],
        safe.line(row["title"], _TITLE),
        row["status"],
        f"{others.presence(row, workspace.settings, workspace.now)}, {rows.where(row)}",
        clock.write(workspace.now - rows.age(row, workspace.now)),
        row["tasks"],
        str(len(row["files"])),
        safe.line(row["branch"], 100),
        "",  # where the state file is, of a session here whose file is away
    )


def to_resume(elsewhere: "Sequence[Row]", workspace: "Workspace") -> list[str]:
    """Return sessions as the lines of what can be resumed, with its columns in a pipe."""
    if screen.size():
        return lines(elsewhere, workspace, everything=False)
    cells = [(*_plain(row, workspace)[:5], safe.line(row["branch"], 100), _command(row)) for row in elsewhere]
    return screen.tabbed((), cells, header=False)


def resumable(row: "Row", workspace: "Workspace") -> "dict[str, object]":
    """Return a session as `resume --json` gives it."""
    known = _json(row, workspace)
    keys = ("id", "title", "status", "live", "stale", "branch", "state_file", "last_heard")
    return {**{key: known[key] for key in keys}, "command": _command(row)}


def _command(row: "Row") -> str:
    return f"holdfast resume {row['id']}"


def members(elsewhere: "Iterable[Row]", workspace: "Workspace") -> "list[dict[str, object]]":
    """Return sessions as `tree --json` gives its members."""
    rest = {"kind": "elsewhere", "parent": "", "forked_from": "", "orphaned": False, "depth": 0}
    pairs = [(row, _json(row, workspace)) for row in elsewhere]
    return [
        {"id": row["id"], "title": row["title"], "status": row["status"], **rest}
        | {"last_heard": known["last_heard"], "last_line": rows.where(row)}
        for row, known in pairs
    ]


def in_tree(elsewhere: "Sequence[Row]", workspace: "Workspace") -> list[str]:
    """Return sessions as the lines of a tree, with its columns in a pipe."""
    if screen.size():
        return lines(elsewhere, workspace, everything=False)
    found = members(elsewhere, workspace)
    keys = ("id", "title", "status", "last_heard", "kind", "parent", "depth", "last_line")
    return screen.tabbed((), [tuple(str(one[key]) for key in keys) for one in found], header=False)


def json_rows(elsewhere: "Iterable[Row]", workspace: "Workspace") -> "list[dict[str, object]]":
    """Return sessions as `list --json` gives them, with machine, host and person."""
    return [_json(row, workspace) for row in elsewhere]


def _json(row: "Row", workspace: "Workspace") -> "dict[str, object]":
    known = rows.json_row(row, others.presence(row, workspace.settings, workspace.now))
    return {
        "id": row["id"],
        "title": row["title"],
        "status": row["status"],
        "format": "",
        "branch": row["branch"],
        "worktree": "",
        "live": known["presence"] == "live",
        "stale": False,
        "last_heard": known["heard"],
        "ended": known["ended"],
        "how": "ended" if known["ended"] else "",
        "files_touched": known["files_touched"],
        "children": [],
        "state_file": row["state"],
        "where": "",
        **dict.fromkeys(("objective", "progress", "phase", "updated"), ""),
        "artifacts": [],
        **{word: known[word] for word in (*rows.TEXTS, *rows.LISTS, "stopped", "continues")},
        **{key: known[key] for key in ("machine", "host", "person", "trusted", "last_contact", "commit")},
        **{key: known[key] for key in ("uncommitted", "taken")},
    }
