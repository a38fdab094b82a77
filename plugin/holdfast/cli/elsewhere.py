"""Sessions of other machines: as lines and JSON for commands that list sessions, and what commands print of one."""

from holdfast.actions import take_over
from holdfast.cli import screen, tables
from holdfast.cli.app import print_json, say
from holdfast.cli.output import is_json, report_told, tell
from holdfast.cli.screen import Cell
from holdfast.context import other_machines
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.overview.session_events import FILE, Event
from holdfast.project import paths
from holdfast.sessions import listed
from holdfast.sessions.absent import Copy
from holdfast.sharing import others, rows
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.formats.state_file import StateFile
    from holdfast.sessions.candidates import UnclearError
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row

_HEADINGS = ("ID", "TITLE", "STATUS", "AGE", "WHERE", "TASKS", "BRANCH")  # in a terminal
_RESUME = "holdfast resume {}"
_HOW = f"To continue it here: {_RESUME}"
_SHOWN = 6  # sessions in a terminal without --all
_TITLE, _BRANCH, _WHERE = 200, 40, 60  # characters


def found(survey: "Survey", *, everything: bool) -> "list[Row]":
    """Return the sessions of other machines that have no journal here; only the open ones without `everything`."""
    store = survey.workspace.project.store
    if not paths.is_shared(store):
        return []
    known = others.everything(store) if everything else others.open_ones(store)
    return others.shown(store, others.for_reader(known), survey.sessions, survey.beyond)


def at_hand(survey: "Survey", everyone: "list[Session]") -> "list[Session]":
    """Return the sessions of this clone whose work has no row of another machine; `away` says who took one over."""
    store = survey.workspace.project.store
    left, taken = others.gone(store, everyone), others.taken_from_here(store)
    places = {ident: Copy(f"continued by {who}", b"", waits=True) for ident, who in taken.items()}
    return [one.replace(elsewhere=places[one.id]) if one.id in places else one for one in everyone if one not in left]


def lines(elsewhere: "Sequence[Row]", workspace: "Workspace", *, everything: bool) -> list[str]:
    """Return sessions as the lines of a list: below a heading in a terminal, with the columns of `list` in a pipe."""
    if not screen.size():
        return screen.tabbed((), [_plain(row, workspace) for row in elsewhere])
    shown = elsewhere if everything else elsewhere[:_SHOWN]
    names = listed.shortened(row["id"] for row in elsewhere)
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
    cells = [
        (*_plain(row, workspace)[:5], safe.line(row["branch"], 100), _RESUME.format(row["id"])) for row in elsewhere
    ]
    return screen.tabbed((), cells)


def resumable(row: "Row", workspace: "Workspace") -> "dict[str, object]":
    """Return a session as `resume --json` gives it."""
    known = json_row(row, workspace)
    keys = ("id", "title", "status", "live", "stale", "branch", "state_file", "last_heard")
    return {**{key: known[key] for key in keys}, "command": _RESUME.format(row["id"])}


def json_row(row: "Row", workspace: "Workspace") -> "dict[str, object]":
    """Return a session as `list --json` gives it, with machine, host and person."""
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


def meant(workspace: "Workspace", ident: str, error: "UnclearError") -> "Row":
    """Return the session of another machine that is meant where none is here; the error if there is none either.

    HoldfastError, which says what to type, for one whose author is not trusted.
    """
    is_on = ident and not error.hits and paths.is_shared(workspace.project.store)
    row = take_over.find(workspace, ident) if is_on else None
    if row is None:
        raise error
    take_over.require_trusted(row)
    return row


def status(workspace: "Workspace", ident: str, error: "UnclearError") -> None:
    """Print what is known of a session."""
    row = meant(workspace, ident, error)
    if is_json():
        print_json(json_row(row, workspace))
        return
    say(*_entry(row, workspace).removeprefix("- ").splitlines(), _HOW.format(row["id"]))


def show(workspace: "Workspace", ident: str, error: "UnclearError", section: str) -> None:
    """Print the state file of a session, or a section of it; HoldfastError without one."""
    row = meant(workspace, ident, error)
    state = _state(workspace, row)
    if state is None:
        raise HoldfastError(f"no state file of {row['id']} was shared. What is known: holdfast status {row['id']}")
    if is_json():
        print_json({"path": row["state"], **state.outline(section, "")})
    else:
        _print(safe.plain(state.part(section, "")).rstrip("\n"))


def brief(workspace: "Workspace", ident: str, error: "UnclearError") -> None:
    """Print what a session that starts here receives about one of another machine."""
    text = _entry(meant(workspace, ident, error), workspace)
    if is_json():
        print_json({"text": text})
    else:
        _print(text)


def continued(workspace: "Workspace", ident: str, error: "UnclearError") -> int:
    """Print the hand-over of a session, else its state file; return the exit code."""
    row = meant(workspace, ident, error)
    shared = take_over.texts(workspace, row)
    tell(safe.plain(shared.handover or shared.text).rstrip("\n") or _entry(row, workspace), "", _HOW.format(row["id"]))
    report_told({"done": False, "paths": []})
    return 0


def events(row: "Row") -> list[Event]:
    """Return what is known of the course of a session, newest first."""
    ident, files = row["id"], row["files"].items()
    found = [Event(row["started"], "start", ident, text=rows.where(row))] if row["started"] else []
    found += [Event(at, FILE, ident, path=path) for path, at in files if at]
    found += [Event(row["ended"], "end", ident)] if row["ended"] else []
    return sorted(found, key=lambda one: -one.at)


def _entry(row: "Row", workspace: "Workspace") -> str:
    return other_machines.entry(row, workspace.now, others.presence(row, workspace.settings, workspace.now))


def _state(workspace: "Workspace", row: "Row") -> "StateFile | None":
    """Return the state file of a session as it was shared, None without one."""
    text = take_over.texts(workspace, row).text
    return workspace.state_file(f"{workspace.project.root}/{row['state']}", text.encode()) if text else None


def _print(text: str) -> None:
    """Print the text of another machine, in a fence if Claude reads the output."""
    say(safe.fenced(text) if clone.output_reaches_claude() else text)
