"""What each event does once its fact is journaled; everything dear is imported where it is needed."""

import os
import time

from holdfast import journal, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.paths import Place
    from holdfast.payload import Payload

    Fact = dict[str, object]


def react(event: str, body: "Payload", place: "Place", fact: "Fact | None") -> str:
    """Return what the hook prints in answer to an event, "" for nothing."""
    reaction = _REACTIONS.get(event)
    return reaction(body, place, fact or {}) if reaction and place.store else ""


def _session_start(body: "Payload", place: "Place", _fact: "Fact") -> str:
    from holdfast import start

    return start.reply(body, place, time.time())


def _used(body: "Payload", place: "Place", fact: "Fact") -> str:
    if fact.get("kind") == "edit" and paths.is_state_path(str(fact["path"]), paths.places(place.store)):
        _state_file_edited(body, place, fact)
    elif fact.get("kind") in ("edit", "task"):
        _begun(body, place, fact)
    return ""


def _state_file_edited(body: "Payload", place: "Place", fact: "Fact") -> None:
    from holdfast import deps

    if deps.activate():
        from holdfast import cache, settings, settle

        chosen, _ = settings.usable(place.root, os.environ, cache.Cache(place.store))
        path = os.path.join(str(fact.get("root") or place.root), str(fact["path"]))
        settle.adopt(place, body.session, path, chosen, child=body.agent)


def _begun(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Let the first edit or task of a session without a state file make one; a child's does so at the next Stop."""
    if place.initialised and not journal.bound(place.store, body.session):
        if str(fact.get("path", "")).startswith("/"):  # outside the project
            return ""
        if body.agent:
            journal.append(place.store, body.session, {"kind": "due"})
        elif journal.ask(place.store, body.session):
            _settled(body, place, fact)
    return ""


def _settled(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Settle in the background, in a project that wants files."""
    return _ended(body, place, fact) if place.initialised else ""


def _ended(body: "Payload", place: "Place", _fact: "Fact") -> str:
    """Settle in the background whatever the project wants: the checklist asks what only git can tell."""
    from holdfast import later

    later.settle(place, body.session)
    return ""


def _pre_compact(body: "Payload", place: "Place", fact: "Fact") -> str:
    from holdfast import brief, sessions

    _settled(body, place, fact)
    now = time.time()
    known = sessions.survey(place, now, body.cwd)
    return brief.before_compaction(brief.Scene(known.sessions, body.session), now)


_REACTIONS = {
    "SessionStart": _session_start,
    "PostToolUse": _used,
    "TaskCreated": _begun,
    "TaskCompleted": _begun,
    "Stop": _settled,
    "PreCompact": _pre_compact,
    "SessionEnd": _ended,
}
