"""Carry out an update: write the hub, the documents beside it and the session's state file, and answer."""

import os
from dataclasses import dataclass
from functools import partial

from holdfast.actions import lifecycle
from holdfast.actions.sync import LONGEST, Synced, caller, list_workflow, require_own_shell
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, text_of
from holdfast.core.statuses import ACTIVE as OPEN
from holdfast.core.statuses import DROPPED, OVER, PAUSED, WAITING
from holdfast.editing import store
from holdfast.editing.edit import Change, Outcome
from holdfast.formats import names
from holdfast.git import objects
from holdfast.hub import changes, companions, entry_values, projection, refresh, update, writing
from holdfast.hub.document import ACTIVE, HISTORY, Hub
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.record import Record
from holdfast.hub.transaction import RefusedError, Transaction
from holdfast.hub.update import Request, check_agent
from holdfast.journal import shells
from holdfast.project import error_log, paths
from holdfast.sessions import candidates, hub_location
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from holdfast.hub.companions import Activity
    from holdfast.hub.record import Update as Waiting
    from holdfast.sessions.session import Session

    Answer = dict[str, object]


DONE, NOTHING = "Session state updated successfully", "Session state was up to date already"
_TIMES = ("Completed", "Last Updated")
_LATER = "The update is recorded: the next update, or `holdfast settle`, writes it once that is resolved."
_OUTCOME = (
    "no outcome is documented: say what came of it, and where the report is, with holdfast update action=completed "
    "session_id={} context=outcome:…"
)
_REASON = (
    "no reason is documented: say what it waits for, with holdfast update action=waiting session_id={} context=reason:…"
)
_PARENT_IS_OVER = "its parent {} is over: it counts as orphaned until the parent goes on"
_NO_PARENT = "no entry has the id {} of its parent yet: the two are linked once it has one"


def run(workspace: Workspace, request: Request, own: str = "") -> "Answer":
    """Carry out a request and return the documented answer; HoldfastError when it is refused.

    One that the hub cannot take as it is now is recorded, and refused as well. `own` is the session in whose shell the
    update runs, also if a shell there has lost the variable. Its subagents have the same id in their shells: there it
    means the subagent.
    """
    request.session, request.parent = workspace.whole(request.session), workspace.whole(request.parent)
    own = own or _shell(workspace, request.session) or _shell(workspace, request.parent)
    if own and own in {request.session, request.parent}:
        child = caller(workspace, own)
        if child and request.session == own:
            request.session, request.parent = child, request.parent or own
        elif child and child != request.session:
            request.parent = child
    return _carried_out(workspace, request).answer()


def _shell(workspace: Workspace, ident: str) -> str:
    """Return the id of a session if its client started this process, else ""."""
    session = workspace.session(ident) if ident else None
    return ident if session and shells.is_below(session.process.identity) else ""


def _carried_out(workspace: Workspace, request: Request) -> "_Update":
    """Carry out a request, as `run` does."""
    with store.writing(workspace.project):
        complete(workspace)
        at = round(workspace.now, 3)
        done = _Update(workspace, request, at)
        try:
            done.write()
        except RefusedError:
            raise
        except HoldfastError as error:
            update.defer(workspace.project.store, request, at)
            raise HoldfastError(f"{str(error).rstrip('.')}. {_LATER}") from None
    return done


def turn(workspace: Workspace, hit: candidates.Hit, status: str, note: str = "", why: str = "") -> Synced:
    """Set a state file, or an entry of the hub with its children, to active, paused, completed or dropped.

    The log of a state file has the `note`, and the journal `why`. Return what was changed, as it was read back;
    HoldfastError when the file must not be written.
    """
    require_own_shell(workspace.project, hit)
    if not hit.entry or hit.path != hub_location.path_of(workspace.project):
        done = lifecycle.turn(workspace, hit, status, note)
        if not (hit.entry or done.outcome.unplaced):
            lifecycle.journal(workspace.project, hit.session, status, why or note)
        return done
    before = Hub(files.read(hit.path), workspace.hub_format)
    placed = before.entry(hit.entry)
    notes: list[str] = []
    if status == DROPPED:
        with store.writing(workspace.project):
            writing.write(workspace, lambda transaction: changes.complete(transaction, hit.entry, status=DROPPED))
    elif not placed or placed.entry.category != "active" or status != "active" or changes.is_starting(placed.entry):
        action = "in_progress" if status == "active" else status
        notes = _carried_out(workspace, Request({"action": action, "session_id": hit.entry})).notes
    after = files.read(hit.path)
    outcome = Outcome(workspace.state_file(hit.path, after))
    outcome.changes += _changes(before, Hub(after, workspace.hub_format), hit.entry)
    done = Synced(before.data, outcome, notes)
    done.written = after != before.data
    return done


def is_history(workspace: Workspace, hit: candidates.Hit) -> bool:
    """Return whether an entry is in the history section of the hub."""
    placed = Hub(files.read(hit.path), workspace.hub_format).entry(hit.entry)
    return placed is not None and placed.history


def _changes(before: Hub, after: Hub, ident: str) -> list[Change]:
    """Return how an entry changed, and how the status of the others changed."""
    old = {found.entry.ident: found for found in before.entries()}
    found: list[Change] = []
    for one in after.entries():
        entry, own = one.entry, one.entry.ident == ident
        placed = old.get(entry.ident, one)
        for field, label in entry.labels:
            was, now = placed.entry.text(field), entry.text(field)
            if was != now and (field == "Status" or (own and field in _TIMES)):
                where = field if own else f"{field} of {entry.title}"
                found.append(Change(where, was, now, after.document.line(one.start + label.start)))
        if own and placed.history != one.history:
            sections = (HISTORY, ACTIVE) if placed.history else (ACTIVE, HISTORY)
            found.append(Change("Section", *sections, after.document.line(one.start)))
    return sorted(found, key=lambda change: change.where != "Status")


def keep(
    workspace: Workspace, idents: "Collection[str]", others: "Iterable[str]", turned: "Iterable[Entry]" = ()
) -> None:
    """Complete the updates that wait, and bring the hub up to date with the journals, as `refresh.keep` does.

    The state files of their parents have the status of the entries that were `turned` before, or are now.
    """
    if Record(workspace.project.store).waiting:
        with store.writing(workspace.project):
            complete(workspace)
    _list_turned(workspace, [*turned, *refresh.keep(workspace, idents, others)])


def complete(workspace: Workspace) -> None:
    """Carry out the updates that were accepted and not completed, at the time they were asked; under the lock.

    Those that turn out to be impossible are logged and dropped. While the hub must not be written all of them wait.
    """
    now, project = workspace.now, workspace.project
    for one in Record(project.store).waiting:
        workspace.now = one[1]
        try:
            _complete(workspace, one)
        except HoldfastError:
            return
        finally:
            workspace.now = now


def _complete(workspace: Workspace, one: "Waiting") -> None:
    """Carry out one update that waits, or drop it."""
    project = workspace.project
    request = update.recorded(project.store, one)
    try:
        if request is not None:
            _Update(workspace, request, one[1]).write()
            return
    except RefusedError as error:
        error_log.record(project.store, "update", error)
    Record(project.store).drop(one)


@dataclass(slots=True)
class _Done:
    """What an update does in the hub: its activities, the session's agent, and notes for the requester."""

    activities: "list[Activity]"
    agent: str
    entry: Entry | None
    notes: list[str]
    turned: list[Entry]  # whose status is of another category now


class _Update:
    """One request as it is carried out: what was written, and what there is to say about it."""

    def __init__(self, workspace: Workspace, request: Request, at: float) -> None:
        self._workspace, self._request, self._at = workspace, request, at
        # Claude reads the answer, so it repeats no words of an untrusted hub.
        self._bare = clone.is_redacted(hub_location.path_of(workspace.project))
        self._agent = ""
        self._beside: list[str] = []  # names of files
        self._changed: list[str] = []
        self.notes: list[str] = []  # for the requester

    def write(self) -> None:
        """Write the hub, the documents beside it and the session's own state file; the caller holds the lock."""
        notes: list[str] = []

        def companions_(done: _Done) -> None:
            self._beside, notes[:] = [], []
            for name, change in companions.CHANGES:
                path = hub_location.companion(hub_location.path_of(self._workspace.project), name)
                whole = partial(_each, change=change, activities=done.activities)
                notes.extend(_companion(path, whole, self._beside, stage=self._workspace.settings.stage))

        written = writing.write(self._workspace, self._apply, beside=companions_)
        after: list[str] = []
        notes += _state_file(self._workspace, self._request, after)
        notes += list_workflow(self._workspace, written.result.entry, self._request.context, after)
        _list_turned(self._workspace, written.result.turned)
        self._agent = written.result.agent
        own = [os.path.basename(written.path)] if written.changed else []
        own += [hub_location.ARCHIVE] if written.archived else []
        self._changed = [*own, *self._beside, *after]
        unstaged = [written.unstaged] if written.unstaged else _apart(self._workspace, written.path)
        self.notes = [*written.result.notes, *self._request.cut, *notes, *unstaged]

    def _apply(self, transaction: Transaction) -> _Done:
        """Carry out the request in the hub."""
        request = self._request
        request.session, request.parent = map(transaction.spelled, (request.session, request.parent))
        known = transaction.get(request.session)
        check_agent(request.agent, self._workspace.settings.agents, known.text("Agent") if known else "")
        for missing in (request.parent, request.session):
            session = self._workspace.session(missing) if missing and transaction.get(missing) is None else None
            if session and (session.listed or missing == request.parent):  # a parent may have done nothing yet
                projection.put(transaction, session, anew=[missing])
        above = self._workspace.session(request.parent) if transaction.get(request.session) is None else None
        if above and request.session in above.children:
            projection.put(transaction, above, anew=[request.session])
        missing_parent = bool(request.parent) and transaction.get(request.parent) is None
        parted = [_NO_PARENT.format(request.parent)] if missing_parent else []
        above_entry = transaction.get(request.parent) if request.parent else None
        if request.action == "started" and above_entry and above_entry.category in OVER:
            parted.append(_PARENT_IS_OVER.format(request.parent))
        update.apply(transaction, request)
        activities, agent = update.done(transaction, request)
        entry = transaction.get(request.session)
        text = entry.text("Status") if entry else request.status
        transaction.updates.append((request.session, update.fact(request, self._at, text)))
        waits = bool(known and known.category == "waiting" and known.tells("reason"))
        notes = [*parted, *_advice(transaction, request, entry, waits=waits, bare=self._bare)]
        return _Done(activities, request.agent if self._bare else agent, entry, notes, transaction.turned)

    def answer(self) -> "Answer":
        """Return the documented answer."""
        request = self._request
        return {
            "status": "success",
            "action": request.action if request.action in {"started", "completed"} else "updated",
            "session_id": request.session,
            "agent": self._agent,
            "updated_files": self._changed,
            "timestamp": clock.write(self._workspace.now, TIME),
            "message": "; ".join([DONE if self._changed else NOTHING, *self.notes]),
        }


def _apart(workspace: Workspace, path: str) -> list[str]:
    """Return that the hub is in another working tree, or that git ignores it."""
    home, name = paths.locate(os.path.dirname(path)), hub_location.name_of(workspace.project, path)
    if name.startswith(".."):
        return [f"the hub of all working trees is {name}"]
    tracked = home.git and home.root and hub_location.home(workspace.project).git and workspace.settings.stage
    absent = tracked and objects.index_entry(home.root, home.git, home.relative(path)).state == objects.ABSENT
    return [f"{name} is not staged: git ignores it"] if absent else []


def _advice(transaction: Transaction, request: Request, entry: Entry | None, *, waits: bool, bare: bool) -> list[str]:
    """Return notes for the requester: an outcome or a reason is missing, or another session works on the same files.

    `bare` ones repeat nothing that the hub says; an entry that `waits` already says why.
    """
    if entry is None:
        return []
    if request.action == "completed":
        has_outcome = bool(request.context) or any(entry.tells(key) for key in ("outcome", "done_report"))
        return [] if has_outcome else [_OUTCOME.format(request.session)]
    if request.action == "waiting" and not (waits or entry_values.says_why(request.context)):
        return [_REASON.format(request.session)]
    return _shared(transaction, entry, bare=bare) if request.action == "started" else []


def _shared(transaction: Transaction, entry: Entry, *, bare: bool) -> list[str]:
    """Return a note for each other active entry that names a file of this one; one that it began as is no other."""
    root = paths.locate(os.path.dirname(transaction.path)).root
    own, begun = set(names.named(entry.text("Context"), root)), transaction.find(entry.ident)
    notes = []
    for placed in transaction.hub.entries() if own else ():
        other = placed.entry
        both = sorted(own.intersection(names.named(other.text("Context"), root)))
        if begun and placed.start == begun.start:
            continue
        if both and not placed.history and other.category == "active" and other.ident not in {"", entry.ident}:
            name = "another entry" if bare else f"{other.title} ({other.ident})"
            notes.append(f"{name} is active and works on {', '.join(both[:8])}, too")
    return notes


def _each(data: bytes, change: "Callable[[bytes, Activity], bytes]", activities: "list[Activity]") -> bytes:
    """Return a document with all activities added, the request's own last."""
    for activity in reversed(activities):
        data = change(data, activity)
    return data


def _companion(path: str, change: "Callable[[bytes], bytes]", changed: list[str], *, stage: bool) -> list[str]:
    """Bring a document beside the hub up to date where there is one; return what is in the way."""
    if not os.path.lexists(path):
        return []
    try:
        changed += [os.path.basename(path)] if store.update(path, change) else []
    except (HoldfastError, OSError) as error:
        why = error if isinstance(error, HoldfastError) else error.strerror
        return [f"{os.path.basename(path)} was left as it is: {why}"]
    # Even if nothing was written: an update that was cut off may have got no further than the file.
    problem = store.stage(path) if stage else ""
    return [problem] if problem else []


def _state_file(workspace: Workspace, request: Request, changed: list[str]) -> list[str]:
    """Give the session's own state file the same status, where its format has a word for it; return what hinders."""
    session = workspace.session(request.session)
    status = OPEN if request.action == WAITING else request.status  # few formats have a word for waiting
    if session is None or not _follows(session, status):
        return []
    try:
        hit = candidates.Hit(session)
        done = lifecycle.turn(workspace, hit, status)
    except (HoldfastError, OSError) as error:
        return [f"{session.state_name} was left as it is: {error}"]
    changed += [session.state_name] if done.written else []
    return [done.unstaged] if done.unstaged else []


def _follows(session: "Session", status: str) -> bool:
    """Return whether the status that an update sets also goes into a session's state file."""
    written = text_of(session.summary, "category")
    if not session.state or session.shared or written == status:
        return False
    return status != OPEN or written == PAUSED or written in OVER


def failure(error: str) -> "Answer":
    """Return the documented answer for what could not be done: the error, and what to do about it."""
    error = safe.mask(error)  # it may quote what was typed
    what, _, rest = error.partition(". ")
    return {"status": "failed", "error": what, "details": rest or error}


def _list_turned(workspace: "Workspace", turned: "Iterable[Entry]") -> None:
    """Give the rows about these workflows in the state files of their parents the status that they have now."""
    for entry in turned:
        above = next(iter(entry.links("Parent")), None)
        session = workspace.session(above.ident) if above else None
        rows = rows_of(session.summary, "agents") if session else []
        about = entry.text("Agent"), safe.line(entry.text("Purpose"), LONGEST)
        if any(about == (row["agent"], row["task"]) for row in rows):
            with store.writing(workspace.project):
                list_workflow(workspace, entry, "", [])
