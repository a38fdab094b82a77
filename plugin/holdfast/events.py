"""What each event does once its fact is journaled; everything dear is imported where it is needed."""

import os
import time

from holdfast import journal, paths, touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.paths import Place
    from holdfast.payload import Payload
    from holdfast.settings import Settings

    Fact = dict[str, object]


def react(event: str, body: "Payload", place: "Place", fact: "Fact | None") -> str:
    """Return what the hook prints in answer to an event, "" for nothing."""
    reaction = _REACTIONS.get(event)
    return reaction(body, place, fact or {}) if reaction and place.store else ""


def _session_start(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Bring the state into the context; a subagent whose own context was compacted gets its own brief again."""
    if body.agent:
        from holdfast import conflicts

        return conflicts.child_reply(place, _actor(body, fact), body.cwd, time.time(), "SessionStart")
    from holdfast import start

    return start.reply(body, place, time.time())


def _prompted(body: "Payload", place: "Place", _fact: "Fact") -> str:
    """Tell Claude beside a prompt that its budget is in a worse zone, and the drift where that is due or asked for."""
    from holdfast import budget, recovery

    now = time.time()
    told = [
        budget.at_prompt(body, place, _settings(place)),
        recovery.at_prompt(body, place, now),
        _owed(body, place, now),
    ]
    context = "\n\n".join(part for part in told if part)
    if not context:
        return ""
    from holdfast import frame

    return frame.context("UserPromptSubmit", context)


def _owed(body: "Payload", place: "Place", now: float) -> str:
    """Return what Claude is told of a nudge that the user saw; after most prompts there is none."""
    if not place.store or not os.path.exists(paths.owed_file(place.store, body.session)):
        return ""
    from holdfast import nudge

    return nudge.at_prompt(body, place, now)


def _settings(place: "Place") -> "Callable[[], Settings]":
    """Return what reads the settings, for whoever turns out to need them."""

    def load() -> "Settings":
        from holdfast import cache, settings

        return settings.usable(place.root, os.environ, cache.Cache(place.store))[0]

    return load


def _stopped(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Settle in the background; show the user the checklist once the work is said to be completed, else the nudge.

    A state file that is another tool's is not written, and may be behind all the same.
    """
    if place.initialised or journal.held(place.store, body.session):
        _ended(body, place, fact)
    from holdfast import checklist, nudge

    message = checklist.at_stop(body, place, time.time()) or nudge.at_stop(body, place)
    if not message:
        return ""
    from holdfast import codec

    return codec.dumps({"systemMessage": message})


def _about_to_use(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Tell of others at work on a file; where nobody is, this is over after one look at the file system."""
    if not fact:
        return ""
    path, root, actor = str(fact["path"]), str(fact.get("root") or place.root), _actor(body, fact)
    if not touched.news(touched.lines(place.store, path), actor):
        return ""
    from holdfast import conflicts

    return conflicts.reply(place, actor, path, root, time.time())


def _actor(body: "Payload", fact: "Fact") -> "tuple[str, str]":
    """Return who an event happened to: the session, and the subagent in it."""
    return body.session, str(fact.get("agent", ""))


def _used(body: "Payload", place: "Place", fact: "Fact") -> str:
    if fact.get("kind") == "edit":
        touched.note(place.store, str(fact["path"]), str(fact.get("root") or place.root), _actor(body, fact))
    if fact.get("kind") == "edit" and paths.is_state_path(str(fact["path"]), paths.places(place.store)):
        _state_file_edited(body, place, fact)
    elif fact.get("kind") in ("edit", "task"):
        _begun(body, place, fact)
    return ""


def _state_file_edited(body: "Payload", place: "Place", fact: "Fact") -> None:
    from holdfast import deps

    if deps.activate():
        from holdfast import settle

        path = os.path.join(str(fact.get("root") or place.root), str(fact["path"]))
        settle.adopt(place, body.session, path, _settings(place)(), child=body.agent)


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


def _child_started(body: "Payload", place: "Place", fact: "Fact") -> str:
    from holdfast import conflicts

    _child_stopped(body, place, fact)
    return conflicts.child_reply(place, _actor(body, fact), body.cwd, time.time())


def _child_stopped(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Let the hub know of a child; its parent's state file is its parent's. The nameless one is a summariser."""
    if not fact and body.agent and not body.text("agent_type"):
        from holdfast.compaction import after

        after.keep(place, body.session, body.text("last_assistant_message"), final=False)
    if fact and place.initialised:
        from holdfast import later

        later.keep(place, body.session)
    return ""


def _settled(body: "Payload", place: "Place", fact: "Fact") -> str:
    """Settle in the background, in a project that wants files."""
    return _ended(body, place, fact) if place.initialised else ""


def _ended(body: "Payload", place: "Place", _fact: "Fact") -> str:
    """Settle in the background whatever the project wants: the checklist asks what only git can tell."""
    from holdfast import later

    later.settle(place, body.session)
    return ""


def _about_to_compact(body: "Payload", place: "Place", _fact: "Fact") -> str:
    from holdfast.compaction import before

    return before.reply(body, place, time.time())


def _compacted(body: "Payload", place: "Place", _fact: "Fact") -> str:
    """Keep the summary, unless it is a subagent's own; what a hook prints here would be shown to the user."""
    if body.agent:
        return ""
    from holdfast.compaction import after

    after.keep(place, body.session, body.text("compact_summary"), final=True)
    return ""


_REACTIONS = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompted,
    "PreToolUse": _about_to_use,
    "PostToolUse": _used,
    "TaskCreated": _begun,
    "TaskCompleted": _begun,
    "SubagentStart": _child_started,
    "SubagentStop": _child_stopped,
    "Stop": _stopped,
    "PreCompact": _about_to_compact,
    "PostCompact": _compacted,
    "SessionEnd": _ended,
}
