"""What SessionStart does and answers: the brief for Claude, a title, and a short message for the user."""

import gc
import os

from holdfast import brief, checklist, clock, codec, conflicts, deps, faults, files, frame, journal, later, pickup, text
from holdfast import sessions as known
from holdfast.handover import paused
from holdfast.hub import place as hub
from holdfast.hub import standing
from holdfast.paths import Place
from holdfast.payload import Payload
from holdfast.session import Session
from holdfast.sessions import Survey

_BUILDING = "holdfast: its packages are being installed in the background; until then it keeps journals only."
_HOMELESS = "holdfast: there is no place for its packages, so it keeps journals only; set HOME or HOLDFAST_DATA."
_CHECKLISTS_MOST = 3


def reply(body: Payload, place: Place, now: float) -> str:
    """Return the hook's JSON, "" when there is nothing to say to anyone."""
    gc.disable()  # what this process makes goes with it, and to look for circles among thousands of rows takes its time
    survey = known.survey(place, now, body.cwd, reads=known.AT_ONCE, guarded=True)
    own = known.find(survey.sessions, body.session)
    if own and body.text("source") == "clear":
        _inherit(place, own, survey.sessions)
    building = not deps.ready() and not deps.activate()
    if building:
        later.build_dependencies()
    elif survey.unread or any(_cut_off(one, survey) for one in survey.sessions if one is not own and not one.live):
        later.settle(place)
    ended = [session for session in survey.sessions if checklist.due(session, now)][:_CHECKLISTS_MOST]
    scene = brief.seen(survey, body.session)
    scene.checklists = lists = [checklist.lines(session, len(scene.active)) for session in ended]
    back = _brought(body, place, scene)
    scene.in_use = conflicts.in_use(place, body.session, survey, body.cwd, now)
    scene.offered = [one for one in _offered(body, survey.sessions) if not scene.awaits(one)]
    home = hub.home(place).root
    more = len(pickup.entries(survey, hub.known(home)))
    greeting = _greeting(scene, more, initialised=place.initialised)
    room = survey.settings.brief_characters - frame.SIZE
    context = brief.compose(scene, now, room, initialised=place.initialised)
    missing = (_BUILDING if deps.folder() else _HOMELESS) if building else ""
    asked = _question(scene.offered, body, home, now)
    told = [missing, survey.complaint, _unseen(survey), *scene.torn, greeting, back, asked]
    told += [*map("\n".join, lists), _faults(place, survey)]
    _remember(place, ended, "shown")
    _remember(place, scene.offered, "offered")
    _tell_shell()
    title = own.title if own and own.state and not body.text("session_title") else ""  # a person may have named it
    return _json(context, text.line(title, 80), "\n".join(line for line in told if line))


def _brought(body: Payload, place: Place, scene: brief.Scene) -> str:
    """Bring back what a compaction would lose, and return a line about it for the user, "" where there was none."""
    if body.text("source") != "compact" or body.agent:
        return ""
    from holdfast.compaction import after

    scene.brought = found = after.brought(place, body.session)
    state = (
        "its state file is back in the context" if scene.own and scene.own.state else after.gone(place, body.session)
    )
    parts = [part for part in (state, found.told) if part]
    return f"holdfast: compacted; {', and '.join(parts)} (holdfast snapshots)" if parts else ""


def _cut_off(session: Session, survey: Survey) -> bool:
    """Whether something of a session that is gone was not written down, or the hub does not know that it is gone."""
    return session.unsettled or (survey.has_hub and standing.due(session))


def _offered(body: Payload, everyone: list[Session]) -> list[Session]:
    """Return the sessions that the user is asked about at this start: those with work to go on with, each once.

    Nobody is there to be asked when a program runs Claude Code, and who resumes has chosen already.
    """
    unattended = os.environ.get("CLAUDE_CODE_SESSION_ATTENDED") == "0"
    headless = os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")
    if body.text("source") != "startup" or unattended or headless:
        return []
    waiting = [one for one in pickup.resumable(everyone) if one.worked and one.id != body.session]
    return [one for one in waiting if one.heard > one.offered]


def _question(offered: list[Session], body: Payload, home: str, now: float) -> str:
    """Return the question whether to pick one of these up, with the line that does; "" for none.

    `home` is the root of the repository, from which those go on whose folder is gone.
    """
    if not offered:
        return ""
    folder = body.project(os.environ)
    shown = [
        f'  "{text.line(one.title, 60)}", {clock.ago(now - one.heard)}: {_line(one, folder, home)}'
        for one in offered[:3]
    ]
    more = [f"  and {len(offered) - 3} more: holdfast resume"] if len(offered) > 3 else []
    return "\n".join(["holdfast: resume one of these, or start fresh?", *shown, *more])


def _line(session: Session, folder: str, home: str) -> str:
    """Return the line that resumes a session; whoever stands in its folder need not go there."""
    line = pickup.command(session, home)
    return line.partition(" && ")[2] if session.folder == folder else line


def _remember(place: Place, sessions: list[Session], kind: str) -> None:
    """Journal what somebody was shown; where nothing can be kept it will be shown again."""
    for session in sessions:
        try:
            journal.append(place.store, session.id, {"kind": kind})
        except OSError:
            return


def _json(context: str, title: str, message: str) -> str:
    """Return the reply in the shape that Claude Code reads (hooks reference, SessionStart)."""
    specific = {"hookEventName": "SessionStart"}
    if context:
        specific["additionalContext"] = frame.framed(context)
    if title:
        specific["sessionTitle"] = title
    answer: dict[str, object] = {"hookSpecificOutput": specific} if len(specific) > 1 else {}
    if message:
        answer["systemMessage"] = text.clip(message, 2500)
    return codec.dumps(answer) if answer else ""


def _tell_shell() -> None:
    """Let `holdfast` in Claude's shell find the packages where this session's hooks do."""
    script, data = os.environ.get("CLAUDE_ENV_FILE"), os.environ.get("CLAUDE_PLUGIN_DATA")
    if script and data and not os.environ.get("HOLDFAST_DATA"):
        quoted = data.replace("'", "'\\''")
        files.append_line(script, f"export HOLDFAST_DATA='{quoted}'".encode())


def _inherit(place: Place, own: Session, everyone: list[Session]) -> None:
    """Give the session that `/clear` began the state file of the one it ended: same process, cleared last."""
    cleared = [
        session
        for session in everyone
        if session.reason == "clear" and session.state and (session.pid, session.process) == (own.pid, own.process)
    ]
    before = max(cleared, key=lambda session: session.ended, default=None)
    if before is None or own.state:
        return
    own.state, own.state_name, own.digest = before.state, before.state_name, before.digest
    journal.claim(place.store, own.id, before.state, by="clear")


def _unseen(survey: Survey) -> str:
    """Return what the user is told about the state files that this start says nothing of."""
    crowd = "holdfast: {} state files or folders are too many to look at; move those that are done out of their places"
    later = "holdfast: {} state files or journals were not read yet; the background reads them, some at every turn"
    counted = ((survey.left_out, crowd), (survey.unread if deps.ready() else 0, later))
    return "\n".join(line.format(count) for count, line in counted if count)


def _greeting(scene: brief.Scene, more: int, *, initialised: bool) -> str:
    """Return one line for the user: the own state file, who else is there, how many more only the hub knows.

    Those that the user is asked about are told by the question.
    """
    parts = [f"state file {scene.own.state_name}"] if scene.own and scene.own.state else []
    for word, group in (("active", scene.active), ("unfinished", scene.unfinished), ("stale", scene.stale)):
        left = [session for session in group if session not in scene.offered]
        if left:
            titles = brief.names([f'"{text.line(session.title, 50)}"' for session in left], 3, scene.more.get(word, 0))
            parts.append(f"{len(left) + scene.more.get(word, 0)} {word}: {titles}")
    parts += paused.greeting(scene.handed)
    parts += [f"{more} more in the hub (holdfast resume)"] if more else []
    parts += [f"not accepted here: {brief.counted(scene.foreign)} (holdfast trust)"] if scene.foreign else []
    if not parts and not initialised and scene.ended is None and not scene.offered:
        parts = ["journals are kept for this project; `holdfast init` makes it keep state files too"]
    return f"holdfast: {'; '.join(parts)}" if parts else ""


def _faults(place: Place, survey: Survey) -> str:
    """Return one line when faults were logged since the session before this one started."""
    before = sorted(session.started for session in survey.sessions)[-2:-1]
    since = clock.write(before[0]) if before else ""
    logged = [line for line in faults.read(place.store) if line[:20] >= since]
    return f"holdfast: faults logged lately: {len(logged)}; `holdfast doctor` tells them" if logged else ""
