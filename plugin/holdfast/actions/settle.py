"""Bring state files up to date with the journals. The next settle continues one that was interrupted."""

import contextlib
import os
import time

from holdfast.actions import adoption, late_facts, settle_due, state_parts, state_words
from holdfast.actions.adoption import improve_title, note_title, title_of
from holdfast.context import librarian
from holdfast.context.drift import measured as drift
from holdfast.context.drift.evidence import saved_by_hand
from holdfast.context.drift.item import until_heavier
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of, texts_of
from holdfast.core.statuses import ACTIVE, OVER, PAUSED
from holdfast.editing import lists, own_words, store
from holdfast.editing.store import HeldError
from holdfast.formats import managed_block, state_file
from holdfast.formats.state_file import StateFile
from holdfast.git import queries
from holdfast.hub import refresh
from holdfast.hub.changes import Record
from holdfast.journal import log, tried
from holdfast.markdown.document import splices
from holdfast.memory import measured as memory_measured
from holdfast.memory import reading
from holdfast.memory.measured import Measured
from holdfast.memory.view import BUDGET, SECTIONS, View, keep_left, seen
from holdfast.project import paths
from holdfast.sessions.session import Session, with_state
from holdfast.sessions.workspace import Workspace, summary_of
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from holdfast.journal.log import Fact

    _Progress = Callable[[Sequence[str]], Iterable[str]]


class Settled:
    """The result of settling one session.

    `path` is its state file, "" for none. `read` is how many facts of its journal are in the file now, and `complete`
    is false where the next settle has to do it again. `facts` are to be journaled once the hub is up to date too.
    `looked` is what `settle_due` compares before it starts a settle after talk, {} where talk is to be written.
    """

    def __init__(self, path: str, read: int, *, complete: bool, looked: "settle_due.Looked | None" = None) -> None:
        self.path, self.read, self.complete, self.looked = path, read, complete, looked or {}
        self.facts: list[Mapping[str, object]] = []


def settle_each(workspace: Workspace, idents: list[str], *, talk: bool, shown: "_Progress" = iter) -> list[str]:
    """Settle these sessions and the hub, journal the drift of each, and return the ids of those that had new facts.

    With `talk` that includes those that only talked. `shown` shows the progress. A session that cannot be settled does
    not keep the others from it: HoldfastError or OSError is raised at the end.
    """
    done: dict[str, Settled] = {}
    problems: list[Exception] = []
    for ident in shown(idents):
        try:
            settled = settle(workspace, ident, talk=talk)
        except (HoldfastError, OSError) as error:
            problems.append(error)
        else:
            done |= {} if settled is None else {ident: settled}
    try:
        keep_hub(workspace, done, idents)
    except (HoldfastError, OSError) as error:
        problems.append(error)
        for ident in idents[:1]:
            _log(workspace, ident, error)
    workspace.stage()  # what the hub did not take along
    for ident, settled in done.items():
        _finish(workspace, ident, settled)
    for ident in idents if len(idents) == 1 else done:
        drift.journal(workspace, ident)
    for settled in done.values():
        with contextlib.suppress(OSError):  # no state file, or it has just gone
            reading.read(settled.path, workspace)
    workspace.save()  # so that `status` and `loop list` need not parse the files again
    if problems:
        raise problems[0]
    return list(done)


def keep_hub(workspace: Workspace, idents: "Collection[str]", others: "Iterable[str]") -> None:
    """Bring the hub up to date with the journals, as `hub.refresh.keep` does, and complete the updates that wait."""
    waits = bool(Record(workspace.project.store).waiting)
    turned = [] if waits else refresh.keep(workspace, idents, others)
    if waits or turned:
        from holdfast.actions import update_hub  # few settles turn an entry

        update_hub.keep(workspace, idents, others, turned)


def settle(workspace: Workspace, ident: str, *, talk: bool = True, always: bool = False) -> Settled | None:
    """Bring one session's state file up to date, creating it where one is due; None when there was nothing to do.

    The file is staged with the next call of `workspace.stage`. Without `talk`, talk alone is nothing to do. `always`
    is for commands: what was said since is written although the file is as it was committed.
    """
    session = workspace.recorded(ident)
    if not (always or session.settling.unsettled or (talk and session.settling.last > session.settling.settled)):
        return None
    looked = settle_due.looked_at(workspace.project, session)
    late_facts.note(workspace, ident)
    revived = workspace.recorded(ident).settling.revived
    try:
        with store.writing(workspace.project):
            settled = _settle(workspace, ident, looked, always=always)
    except HeldError:
        return None
    except (HoldfastError, OSError) as error:
        _log(workspace, ident, error)
        raise
    if revived and settled.path:
        _take_up(workspace, settled.path)
    session = workspace.recorded(ident)
    if (
        session.ended or session.crash
    ) and session.measured is None:  # without the lock: in a large repository git takes long
        from holdfast.context.checklist import unfinished

        settled.facts.append(unfinished.measure(workspace, session))
    return settled


def _settle(workspace: Workspace, ident: str, looked: "settle_due.Looked", *, always: bool) -> Settled:
    """Settle one session under the lock; `looked` was taken before."""
    session = workspace.recorded(ident)
    read, before = session.settling.count, session.state
    tried.note(workspace.project.store, ident, workspace.said(ident), session.files)
    news = memory_measured.news([fact for _, fact in session.settling.news], session)
    # The hook that should have adopted it was interrupted, or did not know that state files are kept there.
    if adoption.is_adoptable(workspace, session.file.unclaimed):
        adoption.claim(workspace.project, ident, session.file.unclaimed)
        session = workspace.recorded(ident)
    session = adoption.follow(workspace, session, goes_on=session.settling.changed > session.settling.settled)
    if not session.state:
        _begin(workspace, session)
    session = workspace.recorded(ident)
    if not (session.state and os.path.lexists(session.state)):
        home = paths.locate(session.root) if session.root else workspace.project
        return Settled(path="", read=read, complete=True, looked={} if home.is_private else looked)
    looked = looked if session.state == before else {}
    changed = session.settling.changed > session.settling.settled
    if session.settling.revived and (changed or session.talk.prompted >= session.process.began):
        _revive(workspace, session)
    # A start or an end changes nothing that the file shows, so nothing is written. A worse zone is written.
    if not always and not changed and not _may_follow_talk(session) and not _is_in_worse_zone(workspace, session):
        return Settled(path=session.state, read=read, complete=True, looked=looked)
    improve_title(workspace, session)
    session = workspace.recorded(ident)
    complete = _write_measured(workspace, session, news)
    is_ours = paths.locate(os.path.dirname(session.state)).is_written
    return Settled(path=session.state, read=read, complete=complete, looked={} if is_ours else looked)


def _may_follow_talk(session: Session) -> bool:
    """Whether a turn that only talked may be written: no hook makes a committed file differ from its commit.

    A private file is always written. A file in the tree is written if it is not committed, or differs already.
    """
    home = paths.locate(os.path.dirname(session.state))
    if not home.git:
        return True
    name = home.relative(session.state)
    return not queries.head_blob(home.root, name) or bool(queries.uncommitted(home.root, [name]))


def _is_in_worse_zone(workspace: Workspace, session: Session) -> bool:
    """Whether the token budget is in a worse zone than the state file says."""
    state = workspace.state_file(session.state)
    view = View(seen(state, workspace.formats))
    if state.problem or BUDGET not in view.there:
        return False
    from holdfast.memory.refresh import is_worse  # few state files have a budget

    root = paths.locate(os.path.dirname(session.state)).root
    return is_worse(view, memory_measured.budget_of(root, session, workspace.settings))


def _finish(workspace: Workspace, ident: str, settled: Settled) -> None:
    """Journal what the settle of a session did. If it is interrupted before this step, the next one does all of it."""
    store = workspace.project.store
    problem = workspace.not_staged.get(settled.path, "")
    if problem and problem != workspace.recorded(ident).settling.note:
        log.append(store, ident, {"kind": "note", "text": problem})
    for fact in [*settled.facts, *_decided(workspace, ident, settled.path)]:
        log.append(store, ident, fact)
    librarian.note(workspace, workspace.recorded(ident))
    if settled.complete and not any(reason in problem for reason in queries.TRY_LATER):
        left = {**settled.looked, "prompts": _prompts_left(workspace, ident)} if settled.looked else {}
        log.append(store, ident, {"kind": "settled", "facts": settled.read, **left})


def _prompts_left(workspace: Workspace, ident: str) -> int:
    """Return with how many more prompts drift grows, or it is time to ask Claude to write down what it knows."""
    session = workspace.recorded(ident)
    since = max(session.file.edited, session.file.saved, session.started)
    return min(until_heavier(sum(at > since for at in session.talk.times)), librarian.prompts_left(workspace, session))


def _take_up(workspace: Workspace, path: str) -> None:
    """Remove the hand-over of work that goes on, after its bytes are kept."""
    if state_file.summary(workspace.state_file(path))["category"] == "paused":
        return
    from holdfast.actions import hand_over  # little work that goes on was paused

    with contextlib.suppress(HoldfastError):  # it was changed meanwhile, so it stays
        hand_over.take_away(workspace, path)


def _revive(workspace: Workspace, session: Session) -> None:
    """Set the file of work that a command had paused, completed or dropped back to active: it has gone on since."""
    from holdfast.actions import lifecycle  # few settles do
    from holdfast.sessions.candidates import Hit

    held = workspace.session(session.id)
    if held and text_of(held.summary, "category") in {PAUSED, *OVER}:
        lifecycle.turn(workspace, Hit(held), ACTIVE)
    fact: Fact = {"kind": "status", "status": "", "text": "it was started again"}
    log.append(workspace.project.store, session.id, fact)


def _log(workspace: Workspace, ident: str, error: Exception) -> None:
    """Log why a session could not be settled, once for each reason: most settles run in the background."""
    if workspace.recorded(ident).settling.note != str(error):
        from holdfast.project import error_log

        error_log.record(workspace.project.store, "settle", error)
        log.append(workspace.project.store, ident, {"kind": "note", "text": str(error)})


def _begin(workspace: Workspace, session: Session) -> None:
    """Give a session that has begun to work its state file: the STATE.md that the project uses, else a new one."""
    home = paths.locate(session.root) if session.root else workspace.project
    # One that only talked gets a private file once; a file that somebody deleted does not come back.
    talked = home.is_private and bool(session.talk.answer and session.talk.request) and not session.file.held
    if not (home.initialised and (talked or (session.settling.due and session.begun))):
        return
    begin(workspace, session)


def begin(workspace: Workspace, session: Session) -> str:
    """Give a session without a state file one and return its path, "" if it has one; the caller holds the lock.

    It is the STATE.md that the project uses, else a new one.
    """
    home = paths.locate(session.root) if session.root else workspace.project
    session = with_state(session, workspace.project)
    if session.state:
        return ""
    back = adoption.restored(workspace, session, goes_on=True) if session.claimed else ""
    if back:
        return back
    from holdfast.formats.template import Work  # once in a session
    from holdfast.memory import location

    used = location.in_use(workspace, home.target.root, session.id)
    if used:
        log.claim(workspace.project.store, session.id, used, by="use")
        return used
    words, origin = title_of(session, workspace.settings.quotes if home.target.git else "all")
    work = Work(words, session.settling.due or session.process.began or session.last_active or workspace.now)
    file_format = location.format_of_new_file(workspace, home.target.root)
    path = adoption.begin(home, session, file_format, work, workspace)
    note_title(workspace, session, words, origin)
    log.claim(workspace.project.store, session.id, path, by="settle")
    made = workspace.session(session.id) if session.chosen else None  # chosen before there was a file to say so
    if made:
        from holdfast.actions import lifecycle
        from holdfast.sessions.candidates import Hit

        lifecycle.turn(workspace, Hit(made), session.chosen)
    return path


def _write_measured(workspace: Workspace, session: Session, news: list[tuple[float, str, str]]) -> bool:
    """Write what is measured into the state file, with its time, and stage it; whether nothing is left to do."""
    home = paths.locate(os.path.dirname(session.state))
    if not home.is_written:
        return True  # the file of another tool, in a project that did not ask for ours, or that keeps its tree as it is
    _note_saved(workspace, session)
    formats = workspace.formats
    measured = memory_measured.measure(home.root, session, workspace.settings, formats, take_ids=True)
    measured.news = news
    there = after = b""
    listed: dict[str, str] = {}
    begun: list[str] = []

    def change(data: bytes) -> bytes:
        nonlocal there, after, listed
        there, state = data, workspace.state_file(session.state, data)
        if state.problem or state.file_format is None:
            return data
        words = state_words.words(workspace, state, session)
        if state.file_format.measured:
            state, begun[:] = _with_sections(workspace, state, session, words)
        after, listed = _measured(workspace, state, session, measured, words)
        return after

    if store.update(session.state, change) and _has_sections(there):
        was, now = (View(seen(workspace.state_file(session.state, data), workspace.formats)) for data in (there, after))
        keep_left(session.state, was, now)  # the entries of Recent Updates that made way
    if after:
        names = [*map(safe.line, session.inside()), *(subject for subject, _ in state_parts.tasks(session))]
        memory_measured.keep_shown(workspace.state_file(session.state, after), workspace.formats, measured, names)
    if not there:  # an editor is just saving it; the next settle finds it complete
        return False
    if begun:
        log.append(workspace.project.store, session.id, {"kind": "blocks", "names": " ".join(begun)})
    if any(listed.values()):
        log.append(workspace.project.store, session.id, {"kind": "listed", **listed})
    # Staged even if nothing was written: a settle that was interrupted may have written the file and not staged it.
    workspace.stage(session.state, at_once=False)
    return True


def _with_sections(
    workspace: Workspace, state: StateFile, session: Session, words: dict[str, list[str]]
) -> tuple[StateFile, list[str]]:
    """Return a state file with the sections that something is to be written into, and the names of those added."""
    due = {"tasks": bool(state_parts.tasks(session)), "files": bool(session.inside())}
    names = [name for name, wanted in due.items() if wanted and name not in session.file.blocks]
    state = workspace.state_file(state.path, managed_block.with_blocks(state.document.data, names))
    for word in state_words.SECTIONS:
        made = (
            own_words.created(state.record, word, words[word]) if word in words.keys() - session.file.blocks else None
        )
        if made:
            state = workspace.state_file(state.path, splices(state.document.data, [made]))
            names.append(word)
    return state, names


def _has_sections(data: bytes) -> bool:
    """Whether a file has any of the six sections; few files do."""
    return any(title.encode() in data for title in SECTIONS)


def _measured(
    workspace: Workspace, state: StateFile, session: Session, measured: Measured, words: dict[str, list[str]]
) -> tuple[bytes, dict[str, str]]:
    """Return a state file with all that is measured and its time brought up to date, and which subagents it has."""
    now, before = time.time(), state.document.data
    data, shown = before, measured.kept.listed
    if _has_sections(data):
        from holdfast.memory import refresh

        data = refresh.settled(before, state.path, workspace.formats, measured, now)
        state = workspace.state_file(state.path, data)
    state = state_parts.with_tasks(state, workspace.formats, session, shown)
    files = [path for path in map(safe.line, reversed(session.inside())) if path not in shown]
    changes, listed = state_parts.splices(state, session, words, state_words.entries(workspace, state, session))
    changes += managed_block.measured_splices(state.document, files, state_parts.tasks(session), shown)
    changes += lists.file_splices(state.record, files)
    if lists.lists_created(state.record):
        made = state_parts.created(workspace.project.store, session)
        changes += lists.created(state.record, [path for path in made if path not in shown])
    stamp = managed_block.stamp_splice(state, now)
    if (changes or state.document.data != before) and stamp:
        changes.append(stamp)
    return splices(state.document.data, changes), listed


def _note_saved(workspace: Workspace, session: Session) -> None:
    """Journal that a person saved the state file, before it is staged with our lines and the difference is lost."""
    state = workspace.state_file(session.state)
    saved = 0.0 if state.problem else saved_by_hand(state)
    if saved > max(session.file.saved, session.file.edited):
        log.append(workspace.project.store, session.id, {"kind": "saved", "saved": round(saved, 3)})


_DECISIONS_MOST = 20  # that one settle records


def _decided(workspace: "Workspace", ident: str, path: str) -> "list[Fact]":
    """Return facts about the decisions that a trusted state file names for the first time."""
    summary = summary_of(path, workspace.cache, workspace.formats)
    texts = dict.fromkeys(map(safe.line, texts_of(summary, "decisions")))
    new = [text for text in texts if text and text not in workspace.recorded(ident).file.decided][:_DECISIONS_MOST]
    if not new or summary.get("shared") or clone.TrustCheck().untrusted([path]):
        return []
    return [{"kind": "decided", "text": text} for text in new]
