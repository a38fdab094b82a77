"""The six sections kept true: what is measured goes into those that a file has, where they are holdfast's to change."""

from holdfast import budget as budgets
from holdfast import clock, text
from holdfast.dialects.catalog import Dialects
from holdfast.edits.edit import Editor, Outcome
from holdfast.edits.wishes import Want
from holdfast.loops import book
from holdfast.memory import wanted
from holdfast.memory.step import AWAITING, WORKING
from holdfast.memory.view import CONTEXT, DIALECT, SECTIONS, UPDATES, View, seen
from holdfast.memory.wanted import NEWEST, Known
from holdfast.session import Session, number_of, text_of
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.settings import Settings

    Fact = dict[str, object]

_STATUS = {"active": WORKING, "waiting": AWAITING, "paused": "Paused", "completed": "Complete"}
_TURNED = {"active": "Continued", "waiting": "Halted", "paused": "Paused", "completed": "Completed"}
_VERBS = {"in_progress": "Started", "completed": "Completed"}


def measured(root: str, session: Session, settings: "Settings") -> Known:
    """Return what is measured for a session whose state file lies in the working tree `root`."""
    known = Known(book.readable(root), budgets.of(session.transcript, settings))
    going = [subject for subject, status, _ in session.tasks.values() if status == "in_progress" and subject]
    done = [subject for subject, status, _ in session.tasks.values() if status in {"completed", "deleted"}]
    known.task = (going[0] if len(going) == 1 else "", done)
    return known


def news(facts: "list[Fact]", session: Session) -> list[tuple[float, str]]:
    """Return when which task was started and completed in these facts, as Recent Updates have it."""
    found = []
    for fact in facts:
        verb = _VERBS.get(text_of(fact, "status")) if fact.get("kind") == "task" else None
        subject = session.tasks.get(text_of(fact, "id"), ("",))[0]
        if verb and subject:
            found.append((number_of(fact, "at"), f"{verb} {text.line(subject, 200)}"))
    return list(dict.fromkeys(found))[-NEWEST:]


def settled(data: bytes, path: str, dialects: Dialects, known: Known, now: float) -> bytes:
    """Return a state file with those of its sections brought up to date that hold what is measured."""
    if not any(title.encode() in data for title in SECTIONS):
        return data
    return refreshed(through(path, dialects, now), data, known).data


def through(path: str, dialects: Dialects, now: float) -> Editor:
    """Return what edits a state file through the dialect of the six sections."""
    return Editor(path, dialects, clock.write(now, clock.MINUTE), through=dialects.named(DIALECT))


def followed(before: bytes, done: Outcome, dialects: Dialects, now: float) -> Outcome:
    """Return a file that was edited, with what follows where task, phase, status or stack are not what they were."""
    editor = through(done.state.path, dialects, now)
    if not done.changes or _at_work(_view(editor, before)) == _at_work(_view(editor, done.data)):
        return done
    after = _after(editor, done, wanted.stack, wanted.menu)
    after.changes, after.unplaced = done.changes, done.unplaced  # what follows by itself is not told
    return after


def _at_work(view: View) -> tuple[str, ...]:
    return view.task, view.phase, view.status, view.current


def turned(done: Outcome, dialects: Dialects, known: Known, turn: "tuple[str, float]") -> Outcome:
    """Return a file whose status was turned to a standing at a time, with its sections brought up to date."""
    if not done.changes:
        return done
    standing, now = turn
    editor = through(done.state.path, dialects, now)
    view = _view(editor, done.data)
    own = done.state.dialect is not None and done.state.dialect.name == DIALECT
    more = [] if own or not view.status else [Want((CONTEXT, "Status"), text=_STATUS[standing])]
    news = [wanted.update(f"{_TURNED[standing]} the session", "")] if UPDATES in view.there else []
    after = refreshed(editor, editor.make(done.data, [*more, *news]).data, known)
    after.changes, after.unplaced = done.changes, done.unplaced  # what follows by itself is not told
    return after


def refreshed(editor: Editor, data: bytes, known: Known) -> Outcome:
    """Return a file with its sections brought up to date; what is no longer in a known form stays as it is."""
    done = editor.make(data, wanted.wants(_view(editor, data), known))
    counted = [wanted.count] if known.book else []
    return _after(editor, done, wanted.status, wanted.stack, *counted, wanted.menu)


def _after(editor: Editor, done: Outcome, *following: "Callable[[View], list[Want]]") -> Outcome:
    """Return a file with what follows from the rest of it, one after the other."""
    for more in following:
        after = editor.make(done.data, more(_view(editor, done.data)))
        after.changes, after.unplaced = done.changes + after.changes, done.unplaced + after.unplaced
        done = after
    return done


def _view(editor: Editor, data: bytes) -> View:
    return View(seen(StateFile(data, editor.path, editor.dialects), editor.dialects))
