"""Bring the six sections up to date: write the measured values into the sections that a file has."""

from dataclasses import replace

from holdfast.core import clock
from holdfast.editing.edit import Editor, Outcome
from holdfast.editing.requests import Request
from holdfast.formats import names, state_file
from holdfast.formats.catalogue import Formats
from holdfast.memory import section_requests
from holdfast.memory.measured import Measured
from holdfast.memory.step import AWAITING, WORKING
from holdfast.memory.view import BUDGET, CHECKPOINT, CONTEXT, FORMAT, LOOPS, UPDATES, View, seen, update_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STATUS = {"active": WORKING, "waiting": AWAITING, "completed": "Complete", "dropped": "Complete"}
_TURNED = {
    "active": "Continued",
    "waiting": "Halted",
    "paused": "Paused",
    "completed": "Completed",
    "dropped": "Gave up",
}


def settled(data: bytes, path: str, formats: Formats, measured: Measured, now: float) -> bytes:
    """Return a state file with the six sections brought up to date; `now` is in seconds since 1970."""
    return refreshed(editor_of(path, formats, now), data, measured).data


def editor_of(path: str, formats: Formats, now: float) -> Editor:
    """Return the editor of a state file that places requests as the format of the six sections does."""
    return Editor(path, formats, clock.write(now, clock.MINUTE), through=formats.named(FORMAT))


def followed(before: bytes, done: Outcome, formats: Formats, now: float) -> Outcome:
    """Return an edited file with what follows from its changes: zone of the budget, count of loops, stack, actions."""
    editor = editor_of(done.state.path, formats, now)
    changed = {change.where.partition(".")[0] for change in done.changes}
    follows = {BUDGET: section_requests.zone, LOOPS: section_requests.count}
    steps = [step for title, step in follows.items() if title in changed]
    if done.changes and _work(_view(editor, before)) != _work(_view(editor, done.data)):
        steps += [section_requests.stack, section_requests.actions]
    if not steps:
        return done
    after = _make_each(editor, done, *steps)
    after.changes, after.unplaced = done.changes, done.unplaced  # what follows by itself is not reported
    return after


def _work(view: View) -> tuple[str, ...]:
    return view.task, view.phase, view.status, view.current


def turned(done: Outcome, formats: Formats, measured: Measured, turn: "tuple[str, float]") -> Outcome:
    """Return a file whose status was just set to a category, at a time, with its sections brought up to date."""
    if not done.changes:
        return done
    category, now = turn
    editor = editor_of(done.state.path, formats, now)
    view = _view(editor, done.data)
    own = done.state.file_format is not None and done.state.file_format.name == FORMAT
    meant = names.held(view.status, "", listed=True) if category == "paused" else names.before_hold(view.status)
    status = [] if own or not view.status else [Request((CONTEXT, "Status"), text=meant or _STATUS[category])]
    if category == "active" and view.current.endswith(CHECKPOINT):  # the plan still waits
        status = [Request((CONTEXT, "Status"), text=AWAITING)]
    line = f"{_TURNED[category]} the session"
    update = [update_entry(line, "")] if UPDATES in view.there else []
    after = refreshed(editor, editor.make(done.data, [*status, *update]).data, measured)
    says = _view(editor, after.data).status
    changes = [replace(change, new=says) if own and change.where == "Status" else change for change in done.changes]
    after.changes, after.unplaced = changes, done.unplaced  # what follows by itself is not reported
    return after


def refreshed(editor: Editor, data: bytes, measured: Measured) -> Outcome:
    """Return a file with its sections brought up to date; text that a person wrote stays as it is."""
    before = _view(editor, data)
    done = editor.make(data, section_requests.requests(before, measured))
    counted = [section_requests.count] if measured.book else []
    done = _make_each(editor, done, section_requests.status, section_requests.stack, *counted)
    return _make_each(
        editor, done, lambda after: section_requests.news(before, after, measured), section_requests.actions
    )


def _make_each(editor: Editor, done: Outcome, *steps: "Callable[[View], list[Request]]") -> Outcome:
    """Return a file after further requests, each of which depends on the file as the one before it left it."""
    for requests in steps:
        after = editor.make(done.data, requests(_view(editor, done.data)))
        after.changes, after.unplaced = done.changes + after.changes, done.unplaced + after.unplaced
        done = after
    return done


def _view(editor: Editor, data: bytes) -> View:
    return View(seen(state_file.parse(data, editor.path, editor.formats), editor.formats))
