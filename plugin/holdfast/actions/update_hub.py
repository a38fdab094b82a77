"""Carry out an update: write the hub, the documents beside it and the session's state file, and answer."""

import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from holdfast.actions import hand_over, lifecycle
from holdfast.actions.sync import Synced, caller, list_workflow, own_shell, preview, require_own_shell, sync
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, text_of
from holdfast.core.statuses import ACTIVE as OPEN
from holdfast.core.statuses import DROPPED, ENDED, OVER, PAUSED, STATUSES, WAITING
from holdfast.editing import store
from holdfast.editing.edit import Change, Outcome
from holdfast.formats import agents
from holdfast.git import objects
from holdfast.hub import changes, companions, entry_values, projection, refresh, update, writing
from holdfast.hub.changes import Record
from holdfast.hub.changes import Update as Waiting
from holdfast.hub.companions import Activity
from holdfast.hub.document import ACTIVE, HISTORY, Hub
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.transaction import RefusedError, Transaction
from holdfast.hub.update import Request, check_agent
from holdfast.hub.validation import TIMES
from holdfast.project import error_log, paths
from holdfast.sessions import candidates, hub_location
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

Answer = dict[str, object]

DONE, NOTHING = "Session state updated successfully", "Session state was up to date already"
_TIMES = ("Completed", "Last Updated")
_LINK = "it is in both entries; type: holdfast update action=in_progress session_id=CHILD parent_session=PARENT"
_STARTING = "an entry keeps its id; one that is starting gets it by holdfast update action=started session_id=ID"
_KEPT = {"Parent": _LINK, "Children": _LINK, "Session Id": _STARTING}
_LATER = "The update is recorded: the next update, or `holdfast settle`, writes it once that is resolved."
_PARENT_IS_OVER = "its parent{} is over: it counts as orphaned until the parent goes on"
_NO_PARENT = "no entry has the id {} of its parent yet: the two are linked once it has one"


def run(workspace: Workspace, request: Request, own: str = "") -> "Answer":
    """Carry out a request and return the documented answer; HoldfastError when it is refused.

    One that the hub cannot take as it is now is recorded, and refused as well. `own` is the session in whose shell the
    update runs, also if a shell there has lost the variable. Its subagents have the same id in their shells: there it
    means the subagent.
    """
    request.session, request.parent = workspace.whole(request.session), workspace.whole(request.parent)
    shell = own or own_shell(workspace, request.session) or own_shell(workspace, request.parent)
    if shell and shell in {request.session, request.parent}:
        child = caller(workspace, shell)
        if child and request.session == shell:
            request.session, request.parent = child, request.parent or shell
        elif child and child != request.session:
            request.parent = child
    done = _carried_out(workspace, request)
    if request.status not in {PAUSED, WAITING}:
        session = workspace.session(request.session)
        hub = hub_location.path_of(workspace.project)
        for path, entry in ((hub, request.session), (session.state if session else "", "")):
            done.notes += hand_over.take_away(workspace, path, entry) if path else []
    return done.answer()


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

    The log of a state file has the `note`, and the journal `why`. Work that goes on or is over has no hand-over. Return
    what was changed, as it was read back; HoldfastError when the file must not be written.
    """
    require_own_shell(workspace.project, hit)
    done = _turned(workspace, hit, status, note, why)
    if status != PAUSED and not done.outcome.unplaced:
        done.used = hand_over.take_away(workspace, hit.path, hit.entry)
    return done


def _turned(workspace: Workspace, hit: candidates.Hit, status: str, note: str, why: str) -> Synced:
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


def sync_file(survey: "Survey", hit: candidates.Hit, requested: "dict[str, object]") -> Synced:
    """Write changes into a state file, or into an entry of the hub, whose status takes history and children along.

    Return what was changed, as `turn` does; HoldfastError when it must not be written.
    """
    formats, workspace = survey.formats, survey.workspace
    if not hit.entry:
        return sync(workspace.project, hit, requested, formats, survey.settings)
    requested = in_form(hit, requested)
    status = _take_status(workspace, requested)
    if not (status in OVER or is_history(workspace, hit)) and "completed" in map(str.casefold, requested):
        raise HoldfastError("Completed: the entry is open; give its status, too, such as completed")
    if requested and preview(hit, requested, formats).outcome.changes:
        requested = {_TIMES[1]: clock.write(workspace.now, TIME)} | requested
    before = sync(workspace.project, hit, requested, formats, survey.settings) if requested else None
    if before and (before.outcome.unplaced or not status):
        return before
    done = turn(workspace, hit, status)
    if before:
        done.outcome.changes[:0] = before.outcome.changes
        done.written |= before.written
    return done


def in_form(hit: candidates.Hit, requested: "Mapping[str, object]") -> "dict[str, object]":
    """Return requested changes; for an entry of the hub with times and context in its form.

    HoldfastError for a time that is none, and for what two entries say of each other.
    """
    form: dict[str, object] = {**requested}
    for name, value in requested.items() if hit.entry else ():
        if name.title() in _KEPT:
            raise HoldfastError(f"{name}: {_KEPT[name.title()]}")
        if name.title() == "Context" and isinstance(value, dict):
            form[name] = [segment.shown for segment in entry_values.parse(json.dumps(value))]
        if name.title() in TIMES:
            if not clock.read(str(value)):
                raise HoldfastError(f"{name}: {value!r} is not a time; write one such as 2026-02-11 08:00 UTC")
            form[name] = clock.write(clock.read(str(value)), TIME)
    return form


def _take_status(workspace: Workspace, requested: "dict[str, object]") -> str:
    """Take the status out of a request for an entry of the hub, and return what it means; "" for none."""
    name = next((key for key in requested if key.casefold() == "status"), "")
    if not name or str(requested[name]).casefold() == "starting":  # a word of the protocol for what is active
        return ""
    status = workspace.hub_format.category(str(requested[name]))
    if not status or status == ENDED:
        raise HoldfastError(f"Status: {requested[name]!r} is not a status; write one of {', '.join(STATUSES[:5])}")
    del requested[name]
    return status


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
            hub, stage = hub_location.path_of(self._workspace.project), self._workspace.settings.stage
            self._beside, notes[:] = companions.write(hub, done.activities, stage=stage)

        written = writing.write(self._workspace, self._apply, beside=companions_)
        after: list[str] = []
        # Few formats have a word for waiting.
        status = OPEN if self._request.action == WAITING else self._request.status
        notes += _state_file(self._workspace, self._request.session, status, after)
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
        update.apply(transaction, request)
        activities, agent = update.done(transaction, request)
        entry = transaction.get(request.session)
        links = entry.links("Parent") if entry and entry.category not in OVER else []
        for link in links:
            over = transaction.get(link.ident)
            if over and over.category in OVER:
                parted.append(_PARENT_IS_OVER.format("" if self._bare else f" {over.ident}"))
        text = entry.text("Status") if entry else request.status
        transaction.updates.append((request.session, update.fact(request, self._at, text)))
        waits = bool(known and known.category == "waiting" and known.tells("reason"))
        notes = [*parted, *update.advice(transaction, request, entry, waits=waits, bare=self._bare)]
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


def _state_file(workspace: Workspace, ident: str, status: str, changed: list[str]) -> list[str]:
    """Give a session's own state file the same status, where its format has a word for it; return what hinders."""
    session = workspace.session(ident)
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
    """Give state files the status that entries have now: that of a session, and its row in that of its parent."""
    for entry in turned:
        own = workspace.session(entry.ident)
        if own:
            _state_file(workspace, own.id, entry.category, [])
            if own.status != entry.category:
                lifecycle.journal(workspace.project, own, entry.category, "the hub says so")
        above = next(iter(entry.links("Parent")), None)
        session = workspace.session(above.ident) if above else None
        rows = rows_of(session.summary, "agents") if session else []
        about = entry.text("Agent"), safe.line(entry.text("Purpose"), agents.LONGEST)
        if any(about == (row["agent"], row["task"]) for row in rows):
            with store.writing(workspace.project):
                list_workflow(workspace, entry, "", [])
