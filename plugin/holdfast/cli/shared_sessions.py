"""`status`, `show`, `brief`, `continue` and `log` of a session of another machine. None of them takes it over."""

from holdfast.actions import take_over
from holdfast.cli import render
from holdfast.cli.app import print_json, say
from holdfast.cli.elsewhere import json_rows
from holdfast.cli.output import is_json, report_told, tell
from holdfast.context import other_machines
from holdfast.core.errors import HoldfastError
from holdfast.formats.state_file import summary
from holdfast.overview.session_events import FILE, Event
from holdfast.sharing import others, rows
from holdfast.sharing import status as sharing
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.state_file import StateFile
    from holdfast.sessions.candidates import UnclearError
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row


def meant(workspace: "Workspace", ident: str, error: "UnclearError") -> "Row":
    """Return the session of another machine that is meant where none is here; the error if there is none either.

    HoldfastError, which says what to type, for one whose author is not trusted.
    """
    is_on = ident and not error.hits and sharing.is_on(workspace.project.store)
    row = take_over.find(workspace, ident) if is_on else None
    if row is None:
        raise error
    take_over.require_trusted(row)
    return row


def status(workspace: "Workspace", ident: str, error: "UnclearError") -> None:
    """Print what is known of a session, and what its state file says."""
    row = meant(workspace, ident, error)
    if is_json():
        print_json(json_rows([row], workspace)[0])
        return
    state = _state(workspace, row)
    lines = render.summary_lines(summary(state), workspace.now) if state else []
    say(*_entry(row, workspace).removeprefix("- ").splitlines(), *lines, _how(row))


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
    tell(safe.plain(shared.handover or shared.text).rstrip("\n") or _entry(row, workspace), "", _how(row))
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
    now = workspace.now
    return other_machines.entry(row, now, others.presence(row, workspace.settings, now))


def _state(workspace: "Workspace", row: "Row") -> "StateFile | None":
    """Return the state file of a session as it was shared, None without one."""
    text = take_over.texts(workspace, row).text
    return workspace.state_file(f"{workspace.project.root}/{row['state']}", text.encode()) if text else None


def _how(row: "Row") -> str:
    return f"To continue it here: holdfast resume {row['id']}"


def _print(text: str) -> None:
    """Print the text of another machine, in a fence if Claude reads the output."""
    say(safe.fenced(text) if clone.output_reaches_claude() else text)
