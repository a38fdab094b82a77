"""What to do about sessions that say active, are gone, and were silent for too long; and about orphans."""

from holdfast import clock, journal, lifecycle, lookup, pickup, store
from holdfast.errors import HoldfastError
from holdfast.hub import changes, context, settling, writing
from holdfast.hub.draft import Draft
from holdfast.hub.family import Member, named
from holdfast.hub.project import Project
from holdfast.paths import Place
from holdfast.session import Session

_WORDS = {"completed": "close", "paused": "pause"}


class Sweep:
    """What is to be done about one of them: its new standing, and why."""

    __slots__ = ("ident", "name", "reason", "session", "standing")

    def __init__(self, ident: str, name: str, standing: str, reason: str) -> None:
        self.ident = ident
        self.name = name
        self.standing = standing
        self.reason = reason
        self.session: Session | None = None

    def told(self, *, done: bool) -> str:
        """Return it as a line."""
        word = _WORDS[self.standing]
        return f"{f'{word}d' if done else f'would {word}'} {self.ident} ({self.name}): {self.reason}"


def find(sessions: list[Session], family: list[Member], stale_hours: float, now: float) -> list[Sweep]:
    """Return what a sweep would do: stale sessions and state files, orphans, and entries that nobody kept on with."""
    found = [_of_session(session, now) for session in sessions if session.stale and not session.shared]
    taken = {sweep.ident for sweep in found}
    known = {member.ident: member for member in family}
    for member in family:
        silent = now - member.heard
        if member.ident in taken or not member.open or pickup.nameless(member.ident):
            continue
        if member.orphaned and member.kind != "session":
            there = named(known, member.parent)
            reason = f"its parent {member.parent} {'was over before it was done' if there else 'is not there'}"
            found.append(Sweep(member.ident, member.title, "completed", reason))
        elif member.kind == "entry" and member.heard and silent > stale_hours * 3600 and _active(member):
            found.append(Sweep(member.ident, member.title, "paused", f"nothing was heard for {_long(silent)}"))
    return found


def _active(member: Member) -> bool:
    return not member.status.startswith(("paused", "completed"))


def _of_session(session: Session, now: float) -> Sweep:
    """Return what to do about a stale session: closed when all its tasks are done, or nothing is left of it."""
    unfinished = session.unfinished()
    over = bool(session.tasks) and not unfinished
    silent = f"nothing was heard for {_long(now - session.heard)}"
    if over or not (session.state or unfinished):
        why = f"all {len(session.tasks)} tasks are done" if over else "it has no state file and no open task"
        sweep = Sweep(session.id, session.title, "completed", f"{silent}, and {why}")
    else:
        open_ = f", {len(unfinished)} of {len(session.tasks)} tasks are open" if unfinished else ""
        sweep = Sweep(session.id, session.title, "paused", f"{silent}{open_}")
    sweep.session = session
    return sweep


def _long(seconds: float) -> str:
    return clock.ago(seconds).removesuffix(" ago")


def carry_out(place: Place, sweeps: list[Sweep], now: float, problem: str = "") -> list[str]:
    """Do it: state files first, then the hub; return a line for each, and for what could not be done.

    A hub with a `problem` is not written: what stands there alone is left as it is.
    """
    project = Project(place, now)
    told = []
    done: list[Sweep] = []
    for sweep in sweeps:
        try:
            _turn(project, sweep, problem)
        except (HoldfastError, OSError) as error:
            told.append(f"left {sweep.ident} as it is: {error}")
        else:
            done.append(sweep)
            told.append(sweep.told(done=True))
    if not problem:
        settling.keep(place, [sweep.ident for sweep in done if _journaled(sweep)], [], now)
        with store.writing(place):
            writing.write(project, lambda draft: _entered(draft, done))
    return told


def _journaled(sweep: Sweep) -> bool:
    return sweep.session is not None and sweep.session.journaled


def _turn(project: Project, sweep: Sweep, problem: str) -> None:
    """Give a session's state file its new status, and journal why; what the hub alone has needs one without problem."""
    session, place = sweep.session, project.place
    if session is None and problem:
        raise HoldfastError(f"the hub is not written: {problem}")
    if session is None:
        return
    if session.state:
        hit = lookup.Hit(session)
        done = lifecycle.turn(place, hit, sweep.standing, project.dialects, project.settings)
        for where, why in done.outcome.unplaced:
            raise HoldfastError(f"{session.state_name}: {where}: {why}")
    if session.journaled:
        journal.append(place.store, session.id, {"kind": "swept", "standing": sweep.standing, "text": sweep.reason})


def _entered(draft: Draft, done: list[Sweep]) -> None:
    """Give the entries of the hub their new status, with the reason in their context."""
    for sweep in done:
        known = draft.get(sweep.ident) if draft.find(sweep.ident) else None
        if known is None:  # nor one that somebody moved to the archive meanwhile: it would stand in both
            continue
        why = context.Segment(
            f"{_WORDS[sweep.standing]}d by a sweep on {clock.write(draft.now, clock.MINUTE)} UTC: {sweep.reason}"
        )
        told = known.telling([why])
        turned = sweep.standing == "paused" and known.standing != "paused"
        changes.put(draft, sweep.ident, changes.turned(told, "paused") if turned else told)
        if sweep.standing == "completed":
            changes.complete(draft, sweep.ident)
