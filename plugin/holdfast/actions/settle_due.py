"""Whether a settle has anything to write after what a session did last, so that a hook starts no process for nothing.

A turn that only talks is not written where the session has no state file, nor where a commit has the file as it is. A
settle that meets such a turn leaves in its fact what that depended on: the signatures of a few files, how much of the
journal it may have read, and how many more prompts change nothing. Where anything is in doubt, a settle is due.
"""

import os
import time

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, table_of, text_of
from holdfast.journal import log
from holdfast.journal.kinds import KINDS
from holdfast.project import background, paths
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.log import Fact
    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session

    Looked = dict[str, object]  # keys of a `settled` fact

_HUB = "/journal/hub/record.json"  # see `hub.changes`
_ROUNDED = 0.001  # seconds to which the time of a fact is rounded
_PATIENCE, _PAUSE = 5.0, 0.02  # seconds that a command waits for a settle, and between two looks
_TAIL = 1 << 17  # bytes of a journal that are read; where they do not tell, a settle is due


def after_turn(project: "Project", session: str) -> bool:
    """Whether a settle has anything to write after a turn, be it an answer or an error."""
    if not (project.initialised or log.has_state_file(project.store, session)):
        return False  # nothing is written here but journals
    if _waits(project):
        return True
    facts, is_whole = log.latest(project.store, session, _TAIL)
    settled = next((fact for fact in reversed(facts) if fact["kind"] == "settled"), None)
    if settled:
        return not _is_quiet(project, session, facts, settled)
    new = log.has_state_file(project.store, session) or any(_is_due(fact) for fact in facts)
    return not is_whole or new or _has_commits(facts)


def after_end(project: "Project", session: str) -> bool:
    """Whether a settle has anything to write after the end of a session: not where it only talked.

    One that only started another session has an entry in the hub, whose status changes with its end.
    """
    if log.has_state_file(project.store, session) or _waits(project):
        return True
    facts, is_whole = log.latest(project.store, session, _TAIL)
    return not is_whole or any(_is_due(fact) for fact in facts) or _is_in_hub(project, session)


def wait_for_file(project: "Project") -> None:
    """Where a state file is due that is not there yet, wait, for a few seconds at most, until all is settled."""
    if not log.awaits_state_file(project.store):
        return
    end, seen = time.monotonic() + _PATIENCE, set[str]()
    while time.monotonic() < end and (held := background.lock_settle(project.store)) != background.NO_LOCK:
        if held is not None:
            waiting = background.waiting_requests(project.store) - seen
            background.go_on(project, held, seen)
            if not waiting:
                return
            seen |= waiting
        time.sleep(_PAUSE)


def looked_at(project: "Project", session: "Session") -> "Looked":
    """Return on what it depends whether talk is written: state file, settings, commits; and the size of the journal."""
    trees = {session.worktree or project.root, os.path.dirname(session.state)}
    gits = {paths.locate(tree).git for tree in trees if tree}
    own = [session.state, f"{project.target.root}/{paths.SETTINGS}"]
    own += [f"{git}/{name}" for git in gits if git for name in ("HEAD", "logs/HEAD", "index")]
    looked = {path: files.signature_of(path) for path in sorted(filter(None, own))}
    return {"looked": looked, "size": files.size_of(log.path_of(project.store, session.id))}


def _waits(project: "Project") -> bool:
    """Whether a settle is due whatever a session did: all talk is kept or sent here, or something waits already."""
    hub = fast_json.read_object(project.store + _HUB)
    waits = bool(hub.get("waiting")) or hub.get("open") is True
    return (
        project.is_private
        or waits
        or paths.is_shared(project.store)
        or bool(background.waiting_requests(project.store))
    )


def _is_in_hub(project: "Project", session: str) -> bool:
    hub = files.read_or_none(hub_location.path_of(project)) if hub_location.is_kept(project) else None
    return session.encode() in (hub or b"")


def _is_due(fact: "Fact") -> bool:
    kind = KINDS.get(fact["kind"])
    return kind is not None and kind.due


def _has_commits(facts: "Sequence[Fact]") -> bool:
    """Whether git's log of HEAD went on since the session started, in the working tree where it is now."""
    starts = [number_of(fact, "at") for fact in facts if fact["kind"] == "start"]
    trees = [text_of(fact, "worktree") for fact in facts if fact["kind"] in {"start", "answer"}]
    git = paths.locate(trees[-1]).git if starts and trees[-1] else ""
    moves = f"{git}/logs/HEAD"
    return bool(git and files.size_of(moves)) and files.modified_at(moves) > starts[0] - _ROUNDED


def _is_quiet(project: "Project", session: str, facts: "Sequence[Fact]", settled: "Fact") -> bool:
    """Whether only talk came since a settle, and nothing changes by it; `facts` are the latest."""
    looked = table_of(settled, "looked")
    if not looked or any(files.signature_of(path) != known for path, known in looked.items()):
        return False
    since = log.after(project.store, session, int(number_of(settled, "size")))
    kinds = [kind for fact in since if (kind := KINDS.get(fact["kind"]))]
    if any(kind.due or (kind.own and not kind.talk) for kind in kinds):
        return False
    if not log.has_state_file(project.store, session):
        return True
    prompts = sum(fact["kind"] == "prompt" for fact in since)
    return prompts < number_of(settled, "prompts") and not _decides(facts, number_of(settled, "at"))


def _decides(facts: "Sequence[Fact]", since: float) -> bool:
    """Whether something was decided or given up after a time: that may be about a file, which other sessions edit."""
    from holdfast.journal import said

    known = said.of_facts(facts)
    return any(at > since for at in [*(one.at for one in known.decisions), *(at for at, _ in known.given_up)])
