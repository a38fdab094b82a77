"""Before a compaction: settle, keep a snapshot, and say what the summary is to keep; or, if asked to, stop it once."""

import os

from holdfast import codec, deps, faults, files, frame, journal, later, paths, recovery, sessions, text
from holdfast.brief import where
from holdfast.compaction import given, snapshots
from holdfast.errors import HoldfastError
from holdfast.glance import LATELY
from holdfast.paths import Place
from holdfast.payload import Payload
from holdfast.session import Session, number_of
from holdfast.sessions import Survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.compaction.given import Given
    from holdfast.recovery import Report
    from holdfast.settings import Settings

_PATIENCE = 2.0  # seconds that a compaction waits for the lock; later it is settled in the background
_OTHERS = 5  # other sessions that are told of
_EVENT = "PreCompact"


def reply(body: Payload, place: Place, now: float) -> str:
    """Return what the client hands on to the summariser, "" for a subagent's own compaction: it has no state file."""
    if body.agent:
        return ""
    ready = deps.activate()
    _settled(body, place, ready=ready)
    survey = sessions.survey(place, now, body.cwd, reads=sessions.AT_ONCE, guarded=True)
    own = sessions.find(survey.sessions, body.session)
    if own is None:
        return _framed([], _others(survey, None, now))
    _stand(own, body, place)
    report = _report(own, survey, now) if ready else None
    stopped = _stopped(body, place, own, report, survey.settings.compact_guard)
    if stopped:
        return stopped
    items = report.items if report else None
    silent = survey.settings.compact_guard == "off"
    kept = [] if silent else given.collect(own, items, survey.loops)
    _keep(place, own, _facts(body, own, report, kept), now)
    return "" if silent else _framed(kept, _others(survey, own, now))


def _framed(kept: "list[Given]", others: list[str]) -> str:
    """Return what the summariser is told, in a frame."""
    return frame.framed(given.steer(kept, others, given.LIMIT - frame.SIZE))


def _stand(own: Session, body: Payload, place: Place) -> None:
    """Let a session work where Claude stands now: whoever resumes in a worktree began in the main working tree."""
    here = paths.locate(body.cwd or place.root)
    if here.root and here.store == place.store:
        own.worktree, own.branch = here.root, paths.branch(here)


def _settled(body: Payload, place: Place, *, ready: bool) -> None:
    """Bring the state file up to date, in the background where that cannot be done at once."""
    if not place.initialised:
        return
    if ready:
        from holdfast import settle

        try:
            settle.settle_each(place, [body.session], _settings(place), _PATIENCE)
        except (HoldfastError, OSError):  # and it is logged
            ready = False
    if not ready:
        later.settle(place, body.session)


def _settings(place: Place) -> "Settings":
    from holdfast import cache, settings

    return settings.usable(place.root, os.environ, cache.Cache(place.store))[0]


def _report(own: Session, survey: Survey, now: float) -> "Report | None":
    """Return what the state file says against what was measured, None where nothing can be compared."""
    if not own.state:
        return None
    try:
        report = recovery.look(own, survey, now, own=own.id, calls=False)
    except OSError:  # it has just gone
        return None
    return None if report.problem else report


def _stopped(body: Payload, place: Place, own: Session, report: "Report | None", guard: str) -> str:
    """Return why a compaction that a person asked for is stopped, once until there was one; "" where it is not."""
    if guard != "block-once" or body.text("trigger") != "manual" or own.guarded:
        return ""
    if report is None or report.severity != "severe":
        return ""
    try:
        journal.append(place.store, own.id, {"kind": "guarded"})
    except OSError:  # what cannot be noted would be stopped for ever
        return ""
    reason = (
        f"stopped once by holdfast: {own.state_name} is far behind what happened ({report.points} points of drift; "
        "`holdfast drift` names it), and the summary is made before it is. Bring it up to date: prompt "
        '"update artifacts", or /holdfast:recover. Compact anyway: type /compact again.'
    )
    return codec.dumps({"decision": "block", "reason": reason})


def _keep(place: Place, own: Session, facts: dict[str, object], now: float) -> None:
    """Take the snapshot; where that is not possible it is logged, and the summariser is told all the same."""
    try:
        state = files.read(own.state) if own.state else None
        snapshots.take(place.store, own.id, facts, state, now)
    except OSError as error:
        faults.record(place.store, _EVENT, error)


def _facts(body: Payload, own: Session, report: "Report | None", kept: "list[Given]") -> dict[str, object]:
    """Return the facts of a session as a snapshot has them."""
    return {
        "trigger": body.text("trigger"),
        "instructions": text.line(body.text("custom_instructions")),
        "path": own.state,
        "title": text.line(own.title),
        "branch": own.branch,
        "since": report.since if report else 0.0,
        "severity": report.severity if report else "",
        "points": report.points if report else 0,
        "drift": [item.row() for item in report.items] if report else [],
        "files": own.inside(),
        "tasks": [[subject, status] for subject, status, _ in own.tasks.values()],
        "children": [[child.id, child.type, child.status] for child in own.children.values()],
        "given": [one.row() for one in kept],
    }


def _others(survey: Survey, own: Session | None, now: float) -> list[str]:
    """Return a line for each other session that is stale, or whose state file was changed lately."""
    found = [one for one in survey.sessions if one is not own and not (own and own.state and one.state == own.state)]
    told = [one for one in found if (one.stale and one.worked) or (one.state and now - _changed(one) < LATELY)]
    lines = [f'- "{text.line(one.title, 80)}" ({where(one, now)})' for one in told[:_OTHERS]]
    more = len(told[_OTHERS:]) + survey.more.get("stale", 0)
    return lines + ([f"- and {more} more: holdfast list"] if more else [])


def _changed(session: Session) -> float:
    """Return when a state file was changed last, by its own word or its session's."""
    return max(session.state_edited, number_of(session.digest, "updated"))
