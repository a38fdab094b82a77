"""React to an event after its fact was journaled. Expensive modules are imported where they are needed."""

import os
import time

from holdfast.clients import claude_code
from holdfast.journal import file_touches, log
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.project.settings.values import Settings

    Fact = dict[str, object]


def react(event: str, body: "Payload", project: "Project", fact: "Fact | None") -> str:
    """Return the answer to an event of the client, "" for none; `fact` is what was journaled of it."""
    reaction = _REACTIONS.get(claude_code.EVENTS[event])
    return reaction(body, project, fact or {}) if reaction and project.store else ""


def _session_start(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Answer with the brief; a subagent whose own context was compacted gets the text for subagents again."""
    if body.agent:
        return _child_brief("SessionStart", body, project, fact)
    import gc

    gc.disable()  # cycle collection is wasted work in a process that lives a fraction of a second; imports begin it
    from holdfast.hooks import session_start

    return session_start.reply(body, project, time.time())


def _prompted(body: "Payload", project: "Project", _fact: "Fact") -> str:
    """Tell Claude with a prompt that its budget is in a worse zone, and about drift if that is due or asked for."""
    from holdfast.context.drift import report
    from holdfast.memory import budget

    now = time.time()
    parts = [
        budget.at_prompt(body, project, _settings(project)),
        report.at_prompt(body, project, now),
        _reminder(body, project, now),
    ]
    return _context("UserPromptSubmit", "\n\n".join(part for part in parts if part))


def _context(event: str, text: str) -> str:
    """Return the answer that adds a text to Claude's context, in a fence; "" for no text."""
    if not text:
        return ""
    from holdfast.trust import fence

    return claude_code.answer(event, context=fence.fenced(text))


def _reminder(body: "Payload", project: "Project", now: float) -> str:
    """Return the reminder for Claude that follows the one for the user, "" with most prompts."""
    if not project.store or not os.path.exists(paths.owed_file(project.store, body.session)):
        return ""
    from holdfast.context import reminder

    return reminder.at_prompt(body, project, now)


def _settings(project: "Project") -> "Callable[[], Settings]":
    """Return a function that reads the settings, so that only those who need them pay for it."""

    def load() -> "Settings":
        from holdfast.core import cache
        from holdfast.trust import repository_settings

        return repository_settings.usable(project.target.root, os.environ, cache.Cache(project.store))[0]

    return load


def _stopped(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Settle in the background; show the user the checklist once the work is completed, else a reminder that is due.

    Drift is measured for another tool's state file too, although holdfast does not write it.
    """
    if project.initialised or log.state_file_of(project.store, body.session):
        _ended(body, project, fact)
    from holdfast.context import reminder
    from holdfast.context.checklist import checklist

    message = checklist.at_stop(body, project, time.time()) or reminder.at_stop(body, project)
    return claude_code.answer("Stop", message=message)


def _about_to_use(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Warn about others at work on a file; if there are none, this costs one read of a small file."""
    if not fact:
        return ""
    path, root, actor = str(fact["path"]), str(fact.get("root") or project.root), _actor(body, fact)
    if not file_touches.changed_by_others(file_touches.lines(project.store, path), actor):
        return ""
    from holdfast.sessions import conflicts
    from holdfast.sessions.workspace import Workspace
    from holdfast.trust import fence

    verdict, reason, message = conflicts.verdict(Workspace(project), actor, path, root)
    if verdict == conflicts.ASK:  # the user reads it, so it needs no fence
        return claude_code.decision("PreToolUse", verdict, fence.without_tags(reason))
    if verdict == conflicts.DENY:
        return claude_code.decision("PreToolUse", verdict, fence.fenced(reason), message)
    return claude_code.answer("PreToolUse", context=fence.fenced(reason), message=message) if reason else ""


def _actor(body: "Payload", fact: "Fact") -> "tuple[str, str]":
    """Return the session and the subagent, "" for none, in which an event happened."""
    return body.session, str(fact.get("agent", ""))


def _used(body: "Payload", project: "Project", fact: "Fact") -> str:
    if fact.get("kind") == "edit":
        file_touches.record(project.store, str(fact["path"]), str(fact.get("root") or project.root), _actor(body, fact))
    if fact.get("kind") == "edit" and paths.is_state_path(str(fact["path"]), paths.patterns(project.store)):
        _state_file_edited(body, project, fact)
    elif fact.get("kind") in ("edit", "task"):
        _begun(body, project, fact)
    return ""


def _state_file_edited(body: "Payload", project: "Project", fact: "Fact") -> None:
    from holdfast.project import packages

    if packages.activate():
        from holdfast.actions import adoption
        from holdfast.sessions.workspace import Workspace

        path = os.path.join(str(fact.get("root") or project.root), str(fact["path"]))
        adoption.adopt(Workspace(project), body.session, path, child=body.agent)


def _begun(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Create the state file with a session's first edit or task; after a subagent's, the next Stop does it."""
    if project.initialised and not log.has_state_file(project.store, body.session):
        if str(fact.get("path", "")).startswith("/"):  # outside the project
            return ""
        if body.agent:
            log.append(project.store, body.session, {"kind": "due"})
        elif log.request_state_file(project.store, body.session):
            _settled(body, project, fact)
    return ""


def _child_started(body: "Payload", project: "Project", fact: "Fact") -> str:
    _child_stopped(body, project, fact)
    return _child_brief("SubagentStart", body, project, fact)


def _child_brief(event: str, body: "Payload", project: "Project", fact: "Fact") -> str:
    """Return the answer with the text for a subagent."""
    from holdfast.context import child_brief

    return claude_code.answer(event, context=child_brief.compose(project, _actor(body, fact), body.cwd, time.time()))


def _child_stopped(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Update the hub after a subagent started or stopped. A subagent without a type is the client's summariser."""
    if fact.get("kind") != "child" and body.agent and not body.text("agent_type"):
        from holdfast.context.compaction import after

        after.keep(project, body.session, body.text("last_assistant_message"), final=False)
    if fact.get("kind") == "child" and project.initialised:
        from holdfast.project import background

        background.update_hub(project, body.session)
    return ""


def _settled(body: "Payload", project: "Project", fact: "Fact") -> str:
    """Settle in the background if the project is initialised."""
    return _ended(body, project, fact) if project.initialised else ""


def _ended(body: "Payload", project: "Project", _fact: "Fact") -> str:
    """Settle in the background in any project: the checklist needs what git knows."""
    from holdfast.project import background

    background.settle(project, body.session)
    return ""


def _session_ended(body: "Payload", project: "Project", fact: "Fact") -> str:
    from holdfast.journal import live

    live.forget(project.store, body.session)
    return _ended(body, project, fact)


def _about_to_compact(body: "Payload", project: "Project", _fact: "Fact") -> str:
    from holdfast.hooks import pre_compact

    return pre_compact.reply(body, project, time.time())


def _compacted(body: "Payload", project: "Project", _fact: "Fact") -> str:
    """Store the summary, unless it is a subagent's; the client would show the user any output of this hook."""
    if body.agent:
        return ""
    from holdfast.context.compaction import after

    after.keep(project, body.session, body.text("compact_summary"), final=True)
    return ""


_REACTIONS = {
    "start": _session_start,
    "prompt": _prompted,
    "before_tool": _about_to_use,
    "after_tool": _used,
    "task_created": _begun,
    "task_completed": _begun,
    "child_start": _child_started,
    "child_stop": _child_stopped,
    "turn_end": _stopped,
    "before_compaction": _about_to_compact,
    "after_compaction": _compacted,
    "end": _session_ended,
}
