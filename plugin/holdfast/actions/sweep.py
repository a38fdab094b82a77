"""Close or pause sessions that are still called active but ended and were silent for too long; close orphans."""

from dataclasses import dataclass

from holdfast.actions import lifecycle, update_hub
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.hub import changes, links, update_context, writing
from holdfast.hub.transaction import Transaction
from holdfast.hub.tree import Member
from holdfast.journal import log
from holdfast.sessions import candidates, resume
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_WORDS = {"completed": "close", "paused": "pause"}


@dataclass(slots=True)
class Sweep:
    """One session or hub entry to close or pause: its new status, and why."""

    ident: str
    name: str
    status: str
    reason: str
    session: "Session | None" = None

    def text(self, *, done: bool) -> str:
        """Return the sweep as a line of text."""
        word = _WORDS[self.status]
        return f"{f'{word}d' if done else f'would {word}'} {self.ident} ({self.name}): {self.reason}"


def find(sessions: list[Session], members: list[Member], stale_hours: float, now: float) -> list[Sweep]:
    """Return what a sweep would do: stale sessions and state files, orphans, and entries without recent activity."""
    found = [_of_session(session, now) for session in sessions if session.stale and not session.shared]
    taken = {sweep.ident for sweep in found}
    known = links.Known(member.ident for member in members)
    for member in members:
        silent = now - member.last_active
        if member.ident in taken or not member.open or resume.nameless(member.ident):
            continue
        if member.orphaned and member.kind != "session":
            there = known.first(member.parent)
            reason = f"its parent {member.parent} {'was over before it was done' if there else 'is not there'}"
            found.append(Sweep(member.ident, member.title, "completed", reason))
        elif member.kind == "entry" and member.last_active and silent > stale_hours * 3600 and _is_active(member):
            found.append(Sweep(member.ident, member.title, "paused", f"no activity for {clock.duration(silent)}"))
    return found


def _is_active(member: Member) -> bool:
    return not member.status.startswith(("paused", "completed"))


def _of_session(session: Session, now: float) -> Sweep:
    """Return what to do about a stale session: close it if all its tasks are done or it left nothing; else pause it."""
    unfinished = session.unfinished()
    over = bool(session.tasks) and not unfinished
    silent = f"no activity for {clock.duration(now - session.last_active)}"
    if over or not (session.state or unfinished):
        why = f"all {len(session.tasks)} tasks are done" if over else "it has no state file and no open task"
        sweep = Sweep(session.id, session.title, "completed", f"{silent}, and {why}")
    else:
        open_ = f", {len(unfinished)} of {len(session.tasks)} tasks are open" if unfinished else ""
        sweep = Sweep(session.id, session.title, "paused", f"{silent}{open_}")
    sweep.session = session
    return sweep


def carry_out(workspace: Workspace, sweeps: "Iterable[Sweep]", problem: str = "") -> list[str]:
    """Carry out the sweeps, state files before the hub; return a line for each one, done or failed.

    A hub with a `problem` is not written: what only the hub knows is left as it is.
    """
    lines: list[str] = []
    done: list[Sweep] = []
    for sweep in sweeps:
        try:
            _turn(workspace, sweep, problem)
        except (HoldfastError, OSError) as error:
            lines.append(f"left {sweep.ident} as it is: {error}")
        else:
            done.append(sweep)
    left: dict[str, str] = {}
    if not problem:
        update_hub.keep(workspace, [one.ident for one in done if one.session and one.session.journaled], [])
        with store.writing(workspace.project):
            writing.write(workspace, lambda transaction: left.update(_entered(transaction, done)))
    lines += [sweep.text(done=True) for sweep in done if sweep.ident not in left]
    return [*lines, *(f"left {ident} as it is: {why}" for ident, why in left.items())]


def _turn(workspace: Workspace, sweep: Sweep, problem: str) -> None:
    """Give a session's state file its new status, and journal why; HoldfastError where that is not possible."""
    session, project = sweep.session, workspace.project
    if session is None and problem:
        raise HoldfastError(f"the hub is not written: {problem}")
    if session is None:
        return
    if session.state:
        hit = candidates.Hit(session)
        done = lifecycle.turn(project, hit, sweep.status, workspace.formats, workspace.settings)
        for where, why in done.outcome.unplaced:
            raise HoldfastError(f"{session.state_name}: {where}: {why}")
    if session.journaled:
        log.append(project.store, session.id, {"kind": "swept", "standing": sweep.status, "text": sweep.reason})


def _entered(transaction: Transaction, done: list[Sweep]) -> dict[str, str]:
    """Give the entries their new status, with the reason in their context; return why some could not be given one."""
    left: dict[str, str] = {}
    for sweep in done:
        try:
            known = transaction.get(sweep.ident) if transaction.find(sweep.ident) else None
        except HoldfastError as error:  # two entries have this id
            left[sweep.ident] = str(error)
            continue
        if known is None:  # also if it was moved to the archive meanwhile: it would be in both
            continue
        why = update_context.Segment(
            f"{_WORDS[sweep.status]}d by a sweep on {clock.write(transaction.now, clock.MINUTE)} UTC: {sweep.reason}"
        )
        entry = known.telling([why])
        turned = sweep.status == "paused" and known.category != "paused"
        changes.put(transaction, sweep.ident, changes.turned(entry, "paused") if turned else entry)
        if sweep.status == "completed":
            changes.complete(transaction, sweep.ident)
    return left
