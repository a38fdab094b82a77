"""Open work that is silent, with the evidence for each, and what a person decides about it."""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.actions import lifecycle, update_hub
from holdfast.context.short_lists import counted, listed
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import COMPLETED, DROPPED, OVER, PAUSED
from holdfast.editing import store
from holdfast.git import queries, refs
from holdfast.hub import changes, entry_values, writing
from holdfast.hub.entry_values import Known
from holdfast.hub.transaction import Transaction
from holdfast.hub.tree import Member
from holdfast.project import paths
from holdfast.sessions import candidates, resume
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

# What a person answers about silent work, with the status that the work gets.
ANSWERS = {"done": COMPLETED, "later": PAUSED, "drop": DROPPED}
_WORDS = {"done": "closed", "later": "paused", "drop": "given up"}
_NAMED = 3  # tasks, files
_ANSWER = 400  # characters of the last answer


@dataclass(slots=True)
class Silent:
    """One session or hub entry that is open and silent, and what shows how its work is."""

    ident: str
    name: str
    evidence: str
    session: "Session | None" = None
    at_work: bool = False  # an orphan with recent activity, which only its own id closes

    @property
    def line(self) -> str:
        """The session or entry as a line of a list."""
        return f"{self.ident} ({self.name}): {self.evidence}"


def find(workspace: Workspace, sessions: list[Session], members: list[Member]) -> list[Silent]:
    """Return what is open and silent: stale sessions and state files, orphans, and entries without recent activity."""
    now, stale_hours = workspace.now, workspace.settings.stale_hours
    found = [_of_session(workspace, session) for session in sessions if session.stale and not session.shared]
    taken = {one.ident for one in found}
    known = Known(member.ident for member in members)
    for member in members:
        silent = now - member.last_active
        if member.ident in taken or not member.open or resume.nameless(member.ident):
            continue
        if member.orphaned and member.kind != "session":
            at_work = bool(member.last_active) and silent <= workspace.settings.live_minutes * 60
            parent = known.first(member.parent)
            above = member.parent or "that its heading names"
            reason = f"its parent {above} {'was over before it was done' if parent else 'is not there'}"
            reason += "; at work, so that only its id closes it" if at_work else ""
            found.append(Silent(member.ident, member.title, reason, at_work=at_work))
        elif member.kind == "entry" and member.last_active and silent > stale_hours * 3600 and member.status != PAUSED:
            found.append(Silent(member.ident, member.title, f"silent for {clock.duration(silent)}"))
    return found


def _of_session(workspace: Workspace, session: Session) -> Silent:
    """Return a stale session with its evidence: silence, tasks, uncommitted files, and whether its branch is merged."""
    open_tasks = session.unfinished()
    parts = [
        f"silent for {clock.duration(workspace.now - session.last_active)}",
        f"{len(open_tasks)} of {counted(len(session.tasks), 'task')} open: {listed(open_tasks, _NAMED)}"
        if open_tasks
        else f"{counted(len(session.tasks), 'task')} done"
        if session.tasks
        else "",
        *_in_git(workspace, session),
        f"its state file is {session.away}" if session.away else "",
        f'Claude said last: "{safe.line(session.talk.answer, _ANSWER)}"' if session.talk.answer else "",
    ]
    return Silent(session.id, session.title, "; ".join(part for part in parts if part), session)


def _in_git(workspace: Workspace, session: Session) -> list[str]:
    """Return what git says about a session's work: files that are not committed, and a branch that is merged."""
    home = paths.locate(session.worktree or session.root or workspace.project.root)
    if not home.git:
        return []
    changed = workspace.ask(queries.uncommitted, home.root) or []
    left = sorted({*session.inside()}.intersection(changed))
    latest = max(session.commits, key=lambda name: session.commits[name], default="")
    apart = session.branch not in {"", paths.branch(home)}
    merged = apart and workspace.ask(refs.is_merged, home.root, session.branch, latest)
    return [
        f"{counted(len(left), 'file')} not committed: {listed(left, _NAMED)}" if left else "",
        f"all commits of branch {session.branch} are in {paths.branch(home)}" if merged else "",
    ]


def carry_out(workspace: Workspace, answer: str, silent: "Iterable[Silent]", problem: str = "") -> list[str]:
    """Do what a person answered about silent work, state files before the hub; return a line for each, done or failed.

    `answer` is a key of `ANSWERS`. A hub with a `problem` is not written: what only the hub knows is left as it is.
    """
    lines: list[str] = []
    done: list[Silent] = []
    for one in silent:
        try:
            _turn(workspace, one, answer, problem)
        except (HoldfastError, OSError) as error:
            lines.append(f"left {one.ident} as it is: {error}")
        else:
            done.append(one)
    left: dict[str, str] = {}
    if not problem:
        update_hub.keep(workspace, [one.ident for one in done if one.session and one.session.journaled], [])
        with store.writing(workspace.project):
            writing.write(workspace, lambda transaction: left.update(_entered(transaction, answer, done)))
    lines += [f"{_WORDS[answer]} {one.line}" for one in done if one.ident not in left]
    return [*lines, *(f"left {ident} as it is: {why}" for ident, why in left.items())]


def _turn(workspace: Workspace, silent: Silent, answer: str, problem: str) -> None:
    """Give a session's state file its new status, and journal the answer; HoldfastError where that is not possible."""
    session, project, status = silent.session, workspace.project, ANSWERS[answer]
    if session is None and problem:
        raise HoldfastError(f"the hub is not written: {problem}")
    if session is None:
        return
    if session.state:
        hit = candidates.Hit(session)
        done = lifecycle.turn(workspace, hit, status)
        for where, why in done.outcome.unplaced:
            raise HoldfastError(f"{session.state_name}: {where}: {why}")
    lifecycle.journal(project, session, status, f"the user answered: {answer}; {silent.evidence}")


def _entered(transaction: Transaction, answer: str, done: list[Silent]) -> dict[str, str]:
    """Give the entries their new status, with the reason in their context; return why some could not be given one."""
    left: dict[str, str] = {}
    for one in done:
        try:
            known = transaction.get(one.ident) if transaction.find(one.ident) else None
        except HoldfastError as error:  # two entries have this id
            left[one.ident] = str(error)
            continue
        if known is None:  # also if it was moved to the archive meanwhile: it would be in both
            continue
        day = clock.write(transaction.now, clock.MINUTE)
        entry = known.telling([entry_values.Segment(f"{_WORDS[answer]} by a sweep on {day} UTC: {one.evidence}")])
        paused = ANSWERS[answer] == PAUSED and known.category != PAUSED
        changes.put(transaction, one.ident, changes.turned(entry, PAUSED) if paused else entry)
        if ANSWERS[answer] in OVER:
            changes.complete(transaction, one.ident, status=ANSWERS[answer])
    return left
