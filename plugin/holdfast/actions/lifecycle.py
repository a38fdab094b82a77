"""The life of a state file by hand: paused, resumed, handed over, closed (formats/agents-sessions.md)."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import ACTIVE, COMPLETED, DROPPED, PAUSED
from holdfast.formats import names
from holdfast.formats.listing import boxed
from holdfast.formats.state_file import parse, summary
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions.workspace import summary_of_entry
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.actions.sync import Synced
    from holdfast.context.checklist.checklist import Item
    from holdfast.core.summary import Summary
    from holdfast.editing.edit import Outcome
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.record import Record
    from holdfast.project.paths import Project
    from holdfast.sessions.candidates import Hit
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_HANDED = {"current": "Current State", "focus": "Focus", "next": "Next Steps"}


@dataclass(slots=True, frozen=True)
class HandOver:
    """The summary that the next session needs, and the parts of it that are missing, one line each."""

    summary: Summary
    gaps: list[str]


def turn(workspace: Workspace, hit: Hit, category: str, note: str = "") -> Synced:
    """Set a state file's status to its format's word for active, paused, completed or dropped, and update its sections.

    The log says it with the `note`, if the format has one.
    """
    from holdfast.actions import state_words
    from holdfast.actions.state_parts import evidence, turned
    from holdfast.actions.sync import made
    from holdfast.core import clock
    from holdfast.editing import own_words, store
    from holdfast.editing.edit import Editor
    from holdfast.markdown.document import splices
    from holdfast.memory import refresh
    from holdfast.memory.measured import keep_shown, measure
    from holdfast.memory.view import View, keep_left, seen
    from holdfast.sessions import ledger

    project, formats, settings = workspace.project, workspace.formats, workspace.settings
    session = hit.session
    if session.journaled and category in {COMPLETED, DROPPED}:
        session = session.replace(chosen=category)  # which the journal has once the file is written
        note = note or (evidence(workspace.said(session.id), whole=session.file.made) if category == COMPLETED else "")
    requested: dict[str, object] = {"Status": word(hit, category, formats)}
    now = time.time()

    def view(data: bytes) -> View:
        return View(seen(parse(data, hit.path, formats), formats))

    def change(data: bytes) -> Outcome:
        done = Editor(hit.path, formats, clock.write(now, clock.MINUTE), hit.entry).apply(data, requested)
        if hit.entry or done.unplaced or not done.changes:
            return done
        after = refresh.turned(done, formats, measured, (category, now))
        record, file_format = after.state.record, after.state.file_format
        own = session.journaled and file_format is not None and file_format.measured
        words = own_words.splices(record, state_words.words(workspace, after.state, session)) if own else []
        after.state = parse(splices(after.data, [*words, *turned(record, category, now, note)]), hit.path, formats)
        return after

    with store.writing(project):
        root = paths.locate(os.path.dirname(hit.path)).root
        measured = measure(root, session, settings, formats, take_ids=True)
        synced = made(project, hit, change, formats, settings)
        if synced.written and not hit.entry:
            keep_left(hit.path, view(synced.before), view(synced.outcome.data))
            keep_shown(synced.outcome.state, formats, measured)
        if category != PAUSED and ledger.read(hit.path).until:
            ledger.note(hit.path, {"kind": "until", "text": ""})
        return synced


def journal(project: Project, session: Session, status: str, why: str, *, held: bool = False) -> None:
    """Journal the status that a person or a command gave the work of a session; it is `held` if no file has it yet."""
    if session.journaled:
        log.choose(project.store, session.id, status, why, "" if held else session.state)


def later(workspace: Workspace, hit: Hit, status: str, why: str = "", problem: str = "") -> list[str]:
    """Give work whose state file is not written now its status in the journal; return the lines that say so.

    The `problem` says why, where the file is here. A settle writes the status as soon as it can (`upkeep`).
    """
    from holdfast.actions.sync import require_own_shell
    from holdfast.sessions import candidates

    require_own_shell(workspace.project, hit)
    if not hit.session.journaled:
        raise HoldfastError(problem)
    journal(workspace.project, hit.session, status, why, held=True)
    session = workspace.session(hit.session.id)
    title = f'"{safe.line(candidates.title(hit), 80)}"'
    if session is None or session.status != status:
        raise HoldfastError(f"{title} is not {status}. Type: holdfast status {candidates.short_name(hit)}")
    return [f"{title} is {status}.", *waiting(hit.session, problem)]


def waiting(session: Session, problem: str = "") -> list[str]:
    """Return the line about a state file that gets a status later, [] where nothing has it or it is here."""
    if problem:
        return [f"Its state file says so later: {problem}"]
    if not session.away or session.lost:
        return []
    switch = f" Type: git switch {safe.shell(session.holder)}" if session.holder else ""
    return [f"Its state file is {session.away}, and says so once that is here.{switch}"]


def word(hit: Hit, category: str, formats: Formats) -> str:
    """Return the format's word for a category of status; the file's own word if it has that category already.

    Paused work keeps what its status says, such as "Blocked (Ana must send the key)", and goes on with that.
    """
    state = parse(hit.read(), hit.place, formats)
    record = state.scope(hit.entry)
    if state.problem:
        raise HoldfastError(f"{hit.place} is not written: {state.problem}.")
    present = [record.text(spot) for spot in record.spots("status")]
    if present and all(record.file_format.category(text) == category for text in present):
        return present[0]
    words = record.file_format.status
    before = names.before_hold(present[0]) if present and category == ACTIVE else ""
    if before:
        return before
    if category == PAUSED and (words.get(PAUSED) or words.get(ACTIVE)):
        listed = any(
            field.kind == "status" and field.values for part in record.file_format.parts for field in part.fields
        )
        own, here = ([*words.get(one, []), ""][0] for one in (PAUSED, ACTIVE))
        return names.held(next(iter(present), here), own, listed=listed)
    known = words.get(category, []) or (words.get(COMPLETED, []) if category == DROPPED else [])
    if not known:
        raise HoldfastError(
            f"the format {record.file_format.name} has no word for {category}. Set one with: holdfast sync"
        )
    return known[0]


def hand_over(hit: Hit, formats: Formats) -> HandOver:
    """Return the hand-over of a state file, with what is missing of Current State and Next Steps."""
    state = parse(hit.read(), hit.place, formats)
    known = summary_of_entry(summary(state), hit.entry)
    record = state.scope(hit.entry)
    if not hit.entry:
        known |= {"open": boxed(record, done=False), "done": boxed(record, done=True)}
    where = "current" if record.file_format.model.get("current") else "focus"  # not every format has a section for it
    gaps = [_gap(record, word) for word in (where, "next") if not known.get(word)]
    return HandOver(known, gaps if state.file_format else [state.reason])


def _gap(record: Record, word: str) -> str:
    """Return what is missing of a part that a hand-over needs."""
    places, spots = record.file_format.model.get(word, []), record.spots(word)
    if spots:
        text = record.text(spots[0]).strip()
        missing = "names no step" if word == "next" and text and not record.unfilled(text) else "is not filled in"
        return f"line {record.line(spots[0])}: {_HANDED[word]} {missing}"
    return f"{_HANDED[word]}: there is no {places[0].partition(':')[2] if places else _HANDED[word]}"


def checklists(workspace: Workspace, hit: Hit) -> tuple[list[Item], list[Item]]:
    """Return what to move elsewhere, and what else to do before the file is deleted."""
    from holdfast.context.checklist import checklist

    session = hit.session.replace(state=hit.path, state_name=hit.session.state_name or hit.path)
    moved, left = checklist.completion(workspace, session, workspace.state_file(hit.place, hit.read()))
    if hit.entry or session.shared:
        words = f"Move the entry {hit.entry} to the history in {session.state_name} once all of this is done"
        left[-1:] = [checklist.Item("move", words)] if hit.entry else []
    return moved, left


def checklist_lines(moved: list[Item], left: list[Item]) -> list[str]:
    """Return both lists as lines of text."""
    *first, last = [item.text for item in left] or [""]
    return [*first, "Where knowledge belongs:", *(item.text for item in moved), *filter(None, [last])]
