"""Take one step of the work in a state file: its fields, its entry and the six sections, in one write."""

from collections.abc import Callable

from holdfast.actions import sync
from holdfast.actions.state_parts import commanded
from holdfast.actions.sync import Synced
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.editing.edit import Editor, Outcome
from holdfast.editing.requests import Request
from holdfast.formats import managed_block, state_file
from holdfast.formats.state_file import StateFile
from holdfast.formats.template import Work
from holdfast.journal import log
from holdfast.journal.payload import is_session
from holdfast.markdown.document import splices
from holdfast.memory import reading, refresh, sections, tasks, view
from holdfast.memory.loops import lifecycle
from holdfast.memory.loops.elements import Loop
from holdfast.memory.measured import TASK, Measured, keep_shown, measure
from holdfast.memory.step import Changes, fit
from holdfast.memory.view import (
    CONTEXT,
    FORMAT,
    LOOPS,
    PLANS,
    SECTIONS,
    TASKS,
    UPDATES,
    View,
    keep_left,
    seen,
    stacked,
    update_entry,
)
from holdfast.project import ids
from holdfast.project.paths import Project, locate
from holdfast.sessions import ledger
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.trust import safe


class Step:
    """One step at one moment: the state file that is meant, and what is known of the project.

    `root` is the working tree of the file, `now` in seconds since 1970, `minute` the same in UTC as a log writes it.
    """

    def __init__(self, project: Project, hit: Hit, survey: Survey, now: float) -> None:
        if hit.entry:
            raise HoldfastError(f"{hit.entry} is an entry of {hit.session.state_name}, which has no working memory.")
        self.project = project
        self.hit = hit
        self.survey = survey
        self.now = now
        self.root = locate(hit.path).root or project.root
        self.minute = clock.write(now, clock.MINUTE)
        self._measured: Measured | None = None

    @property
    def measured(self) -> Measured:
        """What is measured for the session of the file; the caller holds the lock."""
        if self._measured is None:
            session = self.hit.session
            self._measured = measure(self.root, session, self.survey.settings, self.survey.formats, take_ids=True)
        return self._measured

    def numbered(self, kind: str, title: str) -> str:
        """Return a title with an id of its own, "TASK-003 - Parse"; one that it brings along stays."""
        if kind == TASK:
            return self.measured.numbers.titled(title)
        leading = ids.split_title(kind, title)
        if leading:
            return " - ".join(leading)
        texts = lifecycle.texts(self.project, self.survey.formats.patterns)
        return f"{ids.next_number(self.project, kind, texts)} - {title}"

    def view(self, data: bytes) -> View:
        """Return what the file says with these bytes; HoldfastError when it must not be written."""
        return view.of(self.state(data), self.survey.formats)

    def state(self, data: bytes) -> StateFile:
        """Return the file with these bytes; HoldfastError when it must not be written."""
        state = state_file.parse(data, self.hit.path, self.survey.formats)
        if state.problem:
            raise HoldfastError(f"{self.hit.path} is not written: {state.problem}.")
        return state


def act(step: Step, take: Callable[[View], Changes]) -> tuple[Changes, Synced]:
    """Take a step whose changes depend on what the file says, and bring the sections of the file up to date.

    Return the changes and what was written. HoldfastError when a change cannot be made; nothing is written then.
    """
    taken: list[Changes] = []
    sync.require_own_shell(step.project, step.hit)
    with store.writing(step.project):

        def change(data: bytes) -> Outcome:
            taken.append(take(step.view(data)))
            return _outcome(step, data, taken[-1])

        done = sync.made(step.project, step.hit, change, step.survey.formats, step.survey.settings)
        changes = taken[-1]
        if done.written:
            before, after = step.view(done.before), step.view(done.outcome.data)
            keep_left(step.hit.path, before, after)
        keep_shown(done.outcome.state, step.survey.formats, step.measured)
        stamp = clock.find(managed_block.stamped(done.outcome.state)[1])
        ledger.note(step.hit.path, *({**fact, "stamp": stamp} for fact in changes.noted))
        task, status = changes.over
        now = step.view(done.outcome.data)
        for listed in tasks.ended(now, step.hit.session, task) if task else ():
            log.append(step.project.store, step.hit.session.id, {"kind": "task_over", "id": listed, "status": status})
        if changes.sets_task:
            for ident in {step.hit.session.id, *log.sessions_of_file(step.project.store, step.hit.path)}:
                if log.has_begun(step.project.store, ident):
                    log.append(step.project.store, ident, {"kind": "task_set"})
    return changes, done


def _outcome(step: Step, data: bytes, changes: Changes) -> Outcome:
    """Return the file after a step; HoldfastError when something of the step cannot be read back from it."""
    data = sections.reworded(step.state(data), *changes.reworded) if changes.reworded[0] else data
    state, formats, measured = step.state(data), step.survey.formats, step.measured
    _refuse_twice(step.view(data), changes)
    task = step.view(data).task
    work = Work(stacked(task) if task else fit(step.hit.session.title), step.now)
    data = sections.with_sections(data, step.hit.path, formats, _needed(state, changes), work)
    if changes.sets_task:  # the step's task counts until the client's list changes
        measured.current, measured.done = "", []
    updates = list(reversed(changes.updates)) if UPDATES in step.view(data).there else []
    entries = [update_entry(line, step.minute) for line in updates]
    editor = refresh.editor_of(step.hit.path, formats, step.now)
    there = step.view(data).there | {PLANS, TASKS}
    requests = [one for one in _last_words(changes.requests) if one.keys[0] in there]
    own = editor.make(data, [])
    if _is_other(state) and CONTEXT not in there:
        own = sections.written(Editor(step.hit.path, formats, step.minute), data, changes)
        data = splices(own.data, commanded(step.state(own.data).record, changes.updates, step.now))
    outcome = editor.make(data, [*requests, *entries])
    _require_placed(step, outcome)
    record = seen(outcome.state, formats)
    after = refresh.refreshed(
        editor, tasks.ticked(record, changes.ticked) if changes.ticked else outcome.data, measured
    )
    _require_kept(step, editor, after, requests)
    after.changes = [*own.changes, *outcome.changes, *after.changes]
    return after


def _refuse_twice(view: View, changes: Changes) -> None:
    """Refuse a step in a section that is there twice: it is not clear which one is meant."""
    titles = [*changes.sections, *(one.keys[0] for one in changes.requests), *([UPDATES] if changes.updates else [])]
    for title in titles:
        if len(view.record.sections(title)) > 1:
            raise HoldfastError(f"{title} is in the file twice. Make it one: holdfast audit. Nothing was written.")


def _needed(state: StateFile, changes: Changes) -> frozenset[str]:
    """Return the sections that a file needs for a step; one of another format only those that were asked for."""
    asked = [LOOPS for verb, word, _ in changes.own if (verb, word) == ("add", "questions")]
    needed = [] if _is_other(state) else [*asked, *(request.keys[0] for request in changes.requests)]
    return changes.sections.union(needed) & frozenset(SECTIONS)


def _is_other(state: StateFile) -> bool:
    """Whether a file has another format than that of working memory."""
    return state.file_format is not None and state.file_format.name != FORMAT


def _last_words(requests: list[Request]) -> list[Request]:
    """Return the requests without those for a field that a later one sets too."""
    fields = {request.keys: request for request in requests if request.text}
    return [request for request in requests if not request.text or fields[request.keys] is request]


def _require_placed(step: Step, outcome: Outcome) -> None:
    """Refuse a step if any part of it has no place in the file."""
    for where, why in outcome.unplaced[:1]:
        raise HoldfastError(f"{step.hit.path}: {where}: {why}. Nothing was written.")


def _require_kept(step: Step, editor: Editor, after: Outcome, requests: list[Request]) -> None:
    """Refuse a step that the measured values would undo in the same write: the answer would be false."""
    again = editor.make(after.data, requests)
    _require_placed(step, again)
    for change in again.changes[:1]:
        raise HoldfastError(
            f"{step.hit.path}: {change.where} would say {change.old!r}, not {change.new!r}. Nothing was written."
        )


def record_loop(project: Project, own: str, loop: Loop) -> None:
    """Record the change of a loop in the journal of the session `own`, whose state file will mention it."""
    if is_session(own) and log.has_begun(project.store, own):
        title = safe.line(loop.title, 200)
        log.append(project.store, own, {"kind": "loop", "id": loop.ident, "status": loop.status, "title": title})


def follow_loop(step: Step, line: str, verb: str, loop: Loop) -> str:
    """Bring the state file at work up to date with the loops; `line` is an entry for it, "" for none.

    A file without a table of loops has the loop among its own questions: `verb` is add, remove, or "" for neither.

    Other state files are not touched: each gets the loops when its own session works on. Return a message if the file
    could not be brought up to date, else "".
    """
    session = step.hit.session
    changes = Changes("", [line] if line else [])
    changes.own += [(verb, "questions", f"{loop.ident} - {safe.line(loop.title, 200)}")] if verb else []
    if not session.open or not (verb or reading.has_sections(session, step.project)):
        return ""
    try:
        _, done = act(step, changes.of_view)
    except HoldfastError as error:
        return f"{session.state_name} was not updated after the loop changed: {error}"
    if len(step.view(done.outcome.data).record.sections(LOOPS)) > 1:
        return f"{session.state_name} does not show the change: it has two sections {LOOPS}. Make them one."
    return ""
