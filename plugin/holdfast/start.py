"""What SessionStart does and answers: the brief for Claude, a title, and a short message for the user."""

import os

from holdfast import brief, checklist, clock, codec, deps, faults, files, journal, later, text
from holdfast import sessions as known
from holdfast.paths import Place
from holdfast.payload import Payload
from holdfast.session import Session
from holdfast.sessions import Survey

_BUILDING = "holdfast: its packages are being installed in the background; until then it keeps journals only."
_HOMELESS = "holdfast: there is no place for its packages, so it keeps journals only; set HOME or HOLDFAST_DATA."
_CHECKLISTS_MOST = 3


def reply(body: Payload, place: Place, now: float) -> str:
    """Return the hook's JSON, "" when there is nothing to say to anyone."""
    survey = known.survey(place, now, body.cwd)
    own = known.find(survey.sessions, body.session)
    if own and body.text("source") == "clear":
        _inherit(place, own, survey.sessions)
    building = not deps.ready() and not deps.activate()
    if building:
        later.build_dependencies()
    elif any(session.unsettled and session is not own and not session.live for session in survey.sessions):
        later.settle(place)
    ended = [session for session in survey.sessions if checklist.due(session, now)][:_CHECKLISTS_MOST]
    scene = brief.Scene(survey.sessions, body.session)
    lists = [checklist.lines(session, len(scene.active)) for session in ended]
    greeting = _greeting(scene, initialised=place.initialised)
    context = brief.compose(scene, lists, now, survey.settings.brief_characters, initialised=place.initialised)
    missing = (_BUILDING if deps.folder() else _HOMELESS) if building else ""
    told = [missing, survey.complaint, greeting, *map("\n".join, lists), _faults(place, survey)]
    _remember_shown(place, ended)
    _tell_shell()
    title = own.title if own and own.state and not body.text("session_title") else ""  # a person may have named it
    return _json(context, text.line(title, 80), "\n".join(line for line in told if line))


def _remember_shown(place: Place, ended: list[Session]) -> None:
    """Journal that the checklists were shown; where nothing can be kept they will be shown again."""
    for session in ended:
        try:
            journal.append(place.store, session.id, {"kind": "shown"})
        except OSError:
            return


def _json(context: str, title: str, message: str) -> str:
    """Return the reply in the shape that Claude Code reads (hooks reference, SessionStart)."""
    specific = {"hookEventName": "SessionStart"}
    if context:
        specific["additionalContext"] = context
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


def _greeting(scene: brief.Scene, *, initialised: bool) -> str:
    """Return one line for the user: the own state file, and who else is there."""
    parts = [f"state file {scene.own.state_name}"] if scene.own and scene.own.state else []
    for word, group in (("active", scene.active), ("unfinished", scene.unfinished), ("stale", scene.stale)):
        if group:
            titles = brief.names([f'"{text.line(session.title, 50)}"' for session in group], 3)
            parts.append(f"{len(group)} {word}: {titles}")
    if not parts and not initialised and scene.ended is None:
        parts = ["journals are kept for this project; `holdfast init` makes it keep state files too"]
    return f"holdfast: {'; '.join(parts)}" if parts else ""


def _faults(place: Place, survey: Survey) -> str:
    """Return one line when faults were logged since the session before this one started."""
    before = sorted(session.started for session in survey.sessions)[-2:-1]
    since = clock.write(before[0]) if before else ""
    logged = [line for line in faults.read(place.store) if line[:20] >= since]
    return f"holdfast: faults logged lately: {len(logged)}; `holdfast doctor` tells them" if logged else ""
