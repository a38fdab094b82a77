"""React to an event after its fact was journaled. Expensive modules are imported where they are needed."""

import os
import time

from holdfast.core.client import Answer, Client
from holdfast.journal import facts, file_touches, log
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.journal.log import Fact
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings
    from holdfast.sessions.workspace import Workspace

_NOTHING = ("", "")  # no text for Claude, no line for the user


def react(meaning: str, body: "Payload", project: "Project", fact: "Fact | None", client: "Client") -> "Answer | None":
    """Return the answer to an event, None for none; `fact` is what was journaled of it."""
    reaction = _REACTIONS.get(meaning)
    return reaction(body, project, fact or {}, client) if reaction and project.store else None


def _says(context: str = "", message: str = "") -> "Answer | None":
    """Return the answer with a text for the model, which has its fence, and one for the user; None without both."""
    if not context and not message:
        return None
    return Answer(context=context, message=message)


def _session_start(body: "Payload", project: "Project", fact: "Fact", client: "Client") -> "Answer | None":
    """Answer with the brief; a subagent whose own context was compacted gets the text for subagents again."""
    if body.agent:
        return _child_brief(body, project, fact)
    import gc

    gc.disable()  # cycle collection is wasted work in a process that lives a fraction of a second; imports begin it
    from holdfast.hooks import session_start

    return session_start.reply(body, project, client, time.time())


def _prompted(body: "Payload", project: "Project", _fact: "Fact", client: "Client") -> "Answer | None":
    """Answer a prompt; after a compaction, in a client that sends no start then, with what a start would say."""
    from holdfast.hooks import prompt

    if not client.RESTARTS and prompt.is_first_after_compaction(body, project):
        return prompt.restarted(body, project, client)
    switch, message = _branch_switched(body, project)
    return _context("\n\n".join(filter(None, [switch, prompt.compose(body, project, _settings(project))])), message)


def _context(text: str, message: str = "") -> "Answer | None":
    """Return the answer with a text for the model, in a fence, and a line for the user; None for no text."""
    if not text:
        return None
    from holdfast.trust import safe

    return _says(safe.fenced(text), message)


def _settings(project: "Project") -> "Callable[[], Settings]":
    """Return a function that reads the settings, so that they are only read where they are needed."""

    def load() -> "Settings":
        from holdfast.trust import clone

        return clone.settings_of(project)[0]

    return load


def _stopped(body: "Payload", project: "Project", _fact: "Fact", client: "Client") -> "Answer | None":
    """Settle in the background; show the user the checklist once the work is completed, else a reminder that is due.

    Where the setting asks for that, Claude gets one more turn to write down what it knows.

    Drift is measured for another tool's state file too, although holdfast does not write it.
    """
    _settle_turn(body, project)
    from holdfast.context import reminder
    from holdfast.context.checklist import checklist

    message = checklist.at_stop(body, project, time.time()) or reminder.at_stop(body, project)
    return _says(_one_more_turn(body, project, client), message)


def _one_more_turn(body: "Payload", project: "Project", client: "Client") -> str:
    """Return the text for one more turn, "" for none: never where a program reads the answer, nor in plan mode."""
    from holdfast.context import librarian

    path = f"{project.store}{librarian.FOLDER}{body.session}"
    if os.path.exists(path + librarian.FORCED):
        os.unlink(path + librarian.FORCED)
        return ""
    able = client.TURNS and client.is_attended(os.environ) and not os.environ.get("CI")
    if not able or body.text("stop_hook_active") == "true" or body.text("permission_mode") == "plan":
        return ""
    from holdfast.trust import safe

    return safe.fenced(librarian.at_stop(project, body.session, time.time()))


def _turn_failed(body: "Payload", project: "Project", _fact: "Fact", _client: "Client") -> "Answer | None":
    """Settle in the background; the client ignores what this hook prints, so no notice that is shown once is used."""
    _settle_turn(body, project)
    return None


def _settle_turn(body: "Payload", project: "Project") -> None:
    """Settle in the background if there is anything to write after a turn."""
    from holdfast.actions import settle_due

    if settle_due.after_turn(project, body.session):
        _settle(body, project)


def _about_to_use(body: "Payload", project: "Project", fact: "Fact", client: "Client") -> "Answer | None":
    """Warn about others at work on a file; if there are none, this costs one read of a small file."""
    if client.TOOLS.get(body.text("tool_name")) == "shell":
        _about_to_run(body, project)
        return _about_to_commit(body, project)
    if fact.get("kind") == "proposed":
        return None
    switch = _before_edit(body, project, fact) if fact and client.TELLS_BEFORE else _NOTHING
    if not _is_shared(body, project, fact):
        return _context(*switch)
    decides = client.TELLS_BEFORE or _settings(project)().conflicts in (("ask", "deny") if client.ASKS else ("deny",))
    return _warned(body, project, fact, client, switch) if decides else None


def _before_edit(body: "Payload", project: "Project", fact: "Fact") -> "tuple[str, str]":
    """Return what is told before any edit: that the branch was switched, and what was tried with this file before."""
    switch, message = _branch_switched(body, project)
    path = str(fact.get("path", ""))
    if not os.path.exists(file_touches.tried(project.store, path)):  # of most files nothing is known
        return switch, message
    from holdfast.journal import tried

    return "\n".join(filter(None, [switch, tried.line(project.store, body.session, path)])), message


def _branch_switched(body: "Payload", project: "Project") -> "tuple[str, str]":
    """Return the warning that the working tree is on another branch than this session knew, and a line for the user.

    Both are "" unless others work in it too. A subagent is not warned: it works in the midst of its session's turn.
    """
    if body.agent or not project.git:
        return _NOTHING
    from holdfast.journal import checkouts

    tree = facts.current_tree(body, project)
    if not (was := checkouts.switched(project.store, body.session, tree)):
        return _NOTHING
    from holdfast.sessions import commits
    from holdfast.sessions.workspace import Workspace

    return commits.switch_warning(Workspace(project), body.session, tree, was)


def _about_to_run(body: "Payload", project: "Project") -> None:
    """Note who runs a command or a skill: the shell of a subagent has the session id of its parent."""
    from holdfast.journal import shells

    command = body.text("tool_input", "command")
    if not os.path.isdir(project.store):
        return
    shells.note(project.store, body.session, body.agent, command)
    if shells.is_update(command):
        from holdfast.actions import adoption

        adoption.restore_shim(project.store, body.cwd or project.root)


def _about_to_commit(body: "Payload", project: "Project") -> "Answer | None":
    """Settle before a commit, so that it has the state as it is; warn if it has what another live session changed."""
    command = body.text("tool_input", "command")
    if "commit" not in command:
        return None
    from holdfast.actions import upkeep
    from holdfast.project import packages
    from holdfast.sessions import commits
    from holdfast.sessions.workspace import Workspace
    from holdfast.trust import safe

    packages.activate()  # a settle takes a lock
    upkeep.before_commit(project, body.cwd, "" if body.agent else body.session)
    reason, message = commits.warning(Workspace(project), body.session, command, body.cwd)
    return _says(safe.fenced(reason), message) if reason else None


def _is_shared(body: "Payload", project: "Project", fact: "Fact") -> bool:
    """Return whether others may be at work on the file that a tool edits."""
    touches = file_touches.lines(project.store, str(fact["path"])) if fact else []
    return bool(touches) and file_touches.changed_by_others(touches, _actor(body, fact))


def _warned(
    body: "Payload", project: "Project", fact: "Fact", client: "Client", switch: "tuple[str, str]" = _NOTHING
) -> "Answer | None":
    """Return the verdict on the edit of a file on which others are at work, None if they no longer are.

    The warning about a switch of the branch, and its line for the user, come with it.
    """
    from holdfast.sessions import conflicts
    from holdfast.sessions.workspace import Workspace
    from holdfast.trust import safe

    path, root, workspace = str(fact["path"]), str(fact.get("root") or project.root), Workspace(project)
    elsewhere, more = _elsewhere(workspace, _actor(body, fact), path)  # the verdict records that both were reported
    verdict, reason, message = conflicts.verdict(workspace, _actor(body, fact), path, root)
    if elsewhere and not verdict:
        verdict = conflicts.ASK if workspace.settings.conflicts == "ask" else conflicts.TELL
    reason = "\n".join(filter(None, [switch[0], f"{reason} {elsewhere}".strip()]))
    message = "\n".join(filter(None, [switch[1], message or more]))
    if verdict:
        _note_conflict(project, body.session, path, message or reason)
    if verdict == conflicts.ASK and client.ASKS:  # the user reads it, so it needs no fence
        return Answer(verdict=verdict, reason=safe.without_tags(reason))
    if verdict == conflicts.DENY:
        return Answer(verdict=verdict, reason=safe.fenced(reason), message=message)
    return _says(safe.fenced(reason), message) if reason else None


def _note_conflict(project: "Project", session: str, path: str, text: str) -> None:
    from holdfast.project import background
    from holdfast.trust import safe

    log.append(project.store, session, {"kind": "conflict", "path": path, "text": safe.line(text)})
    background.post(project)


def _elsewhere(workspace: "Workspace", actor: "tuple[str, str]", path: str) -> "tuple[str, str]":
    """Return what is known of changes of a file on other machines, and a line for the user."""
    if not any(touch.there for touch in file_touches.lines(workspace.project.store, path)):
        return "", ""
    from holdfast.context import other_machines

    return other_machines.warning(workspace, actor, path)


def _actor(body: "Payload", fact: "Fact") -> "tuple[str, str]":
    """Return the session and the subagent, "" for none, in which an event happened."""
    return body.session, str(fact.get("agent", ""))


def _used(body: "Payload", project: "Project", fact: "Fact", client: "Client") -> "Answer | None":
    late = None
    if fact.get("kind") == "edit":
        if not client.TELLS_BEFORE and _is_shared(body, project, fact):
            late = _warned(body, project, fact, client)
        file_touches.record(project.store, str(fact["path"]), str(fact.get("root") or project.root), _actor(body, fact))
    if fact.get("kind") == "edit" and paths.is_state_path(str(fact["path"]), paths.patterns(project.store)):
        _state_file_edited(body, project, fact)
    elif fact.get("kind") in ("edit", "task", "plan", "todos"):
        _begun(body, project, fact, client)
    return late


def _state_file_edited(body: "Payload", project: "Project", fact: "Fact") -> None:
    from holdfast.project import packages

    if packages.activate():
        from holdfast.actions import adoption
        from holdfast.sessions.workspace import Workspace

        path = os.path.join(str(fact.get("root") or project.root), str(fact["path"]))
        adoption.adopt(Workspace(project), body.session, path, child=body.agent)


def _begun(body: "Payload", project: "Project", fact: "Fact", _client: "Client") -> "Answer | None":
    """Create the state file with a session's first edit, task or plan; after a subagent's, the next Stop does it."""
    if project.initialised and not log.has_state_file(project.store, body.session):
        if fact.get("kind") == "edit" and str(fact.get("path", "")).startswith("/"):  # outside the project
            return None
        if body.agent:
            log.append(project.store, body.session, {"kind": "due"})
        elif log.request_state_file(project.store, body.session):
            _settle(body, project)
    return None


def _child_started(body: "Payload", project: "Project", fact: "Fact", client: "Client") -> "Answer | None":
    from holdfast.journal import shells

    shells.begin(paths.data_dir(os.environ), body.session)
    _child_stopped(body, project, fact, client)
    return _child_brief(body, project, fact)


def _child_brief(body: "Payload", project: "Project", fact: "Fact") -> "Answer | None":
    """Return the answer with the text for a subagent."""
    from holdfast.context import child_brief

    return _says(child_brief.compose(project, _actor(body, fact), body.cwd, time.time()))


def _child_stopped(body: "Payload", project: "Project", fact: "Fact", client: "Client") -> "Answer | None":
    """Update the hub after a subagent started or stopped. A subagent without a type is the client's summariser."""
    if fact.get("kind") != "child" and client.SUMMARISES and body.agent and not body.text("agent_type"):
        from holdfast.context.compaction import after

        after.keep(project, body.session, body.text("last_assistant_message"), final=False)
    if fact.get("kind") == "child" and project.initialised:
        from holdfast.project import background

        background.update_hub(project, body.session)
    return None


def _settle(body: "Payload", project: "Project") -> None:
    """Settle in the background: the checklist needs what git knows."""
    from holdfast.project import background

    background.settle(project, body.session)


def _session_ended(body: "Payload", project: "Project", _fact: "Fact", _client: "Client") -> "Answer | None":
    from holdfast.journal import checkouts, live, shells

    shells.forget(project.store, paths.data_dir(os.environ), body.session)
    live.end(project.store, body.session)
    checkouts.forget(project.store, body.session)
    from holdfast.actions import settle_due

    if settle_due.after_end(project, body.session):
        _settle(body, project)
    return None


def _about_to_compact(body: "Payload", project: "Project", _fact: "Fact", client: "Client") -> "Answer | None":
    from holdfast.hooks import pre_compact

    return pre_compact.reply(body, project, client, time.time())


def _compacted(body: "Payload", project: "Project", _fact: "Fact", _client: "Client") -> "Answer | None":
    """Store the summary, unless it is a subagent's; the client would show the user any output of this hook."""
    if not body.agent:
        from holdfast.context.compaction import after

        after.keep(project, body.session, body.text("compact_summary"), final=True)
    return None


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
    "turn_failed": _turn_failed,
    "before_compaction": _about_to_compact,
    "after_compaction": _compacted,
    "end": _session_ended,
}
