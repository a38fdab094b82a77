"""Turn the payload of an event into the fact that is journaled. `kinds` lists the kinds; none has a file's content."""

import os

from holdfast.core.client import SESSIONS, Client, claude_code
from holdfast.journal.payload import is_path, is_session, masked
from holdfast.project import paths

_QUOTED = 3003  # characters of a prompt, or of the last answer of a turn
_REPORT = 1503  # characters of a subagent's report
_ATTACHED = ("<ide_", "<attachment", "[Image", "[Pasted text #")  # begins what a client puts before a prompt
_REQUEST = 20  # characters of what is requested behind the name of a skill
_DIALOGS = ("permission_prompt", "elicitation_dialog")  # notifications for which the client waits
_LONGEST = 1 << 18  # characters of a summary that are looked at; longer than any summary of a model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.journal.log import Fact
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project


def of(event: str, payload: "Payload", project: "Project", client: "Client") -> "Fact | None":
    """Return the fact for an event, None if there is nothing to record. `event` is its meaning, as in `clients`."""
    fact = _FACTS[event](payload, project, client)
    if fact is not None and payload.agent:
        fact["agent"] = payload.agent
    return fact


def file_of(payload: "Payload", project: "Project", client: "Client") -> "tuple[str, str]":
    """Return (path, root) of the file that a tool edits, ("", "") if it names none.

    The path is relative to the working tree that contains it, with secrets masked. `root` is that tree if it is another
    worktree of this repository, else "". The path of a file outside the repository is absolute.
    """
    given = ""
    for key in client.PATH_KEYS:
        given = given or payload.text("tool_input", key)
    path = os.path.normpath(os.path.join(payload.cwd or project.root or "/", given)) if given else ""
    if not path or not is_path(path):
        return "", ""
    home = paths.locate(os.path.dirname(path), project)
    if not home.root or not _same(home.store, project.store):
        return masked(project.relative(path) or path), ""
    return masked(home.relative(path)), "" if _same(home.root, project.root) else home.root


def _same(one: str, other: str) -> bool:
    """Whether two paths name the same file or folder; links are followed only when the names differ."""
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _start(payload: "Payload", project: "Project", client: "Client") -> "Fact | None":
    # A subagent whose context was compacted starts too; its session does not.
    return None if payload.agent else _start_fact(payload, project, client)


def _start_fact(payload: "Payload", project: "Project", client: "Client") -> "Fact":
    """Return the fact that a session started, with its process and the place where it runs."""
    from holdfast.core import process

    pid = os.getppid()
    words = process.arguments(pid)
    shared = bool(client.SHARED_PROCESS) and client.SHARED_PROCESS in words
    tree = current_tree(payload, project)
    return {
        "kind": "start",
        "source": _excerpt(payload.text("source"), 32),
        "pid": 0 if shared else pid,
        "process": "" if shared else process.identity(pid),
        "host": os.uname().nodename,
        "branch": masked(paths.branch(tree)),
        "root": project.root,
        "worktree": tree.root,
        "transcript": payload.text("transcript_path"),
        "folder": payload.start_folder(os.environ.get(client.PROJECT_FOLDER, "")),
        **({} if client.NAME == claude_code.NAME else {"client": client.NAME}),
        **_related_sessions(payload, pid, client.origin(words)),
    }


def _related_sessions(payload: "Payload", pid: int, origin: str) -> "Fact":
    """Return the session whose shell started this one, and `origin`, whose conversation it continues, if any.

    Each client sets a variable to its session's id in its shell.
    """
    from holdfast.core import process

    variables = process.environment(pid)
    outer = [variables.get(name, "") for name in SESSIONS]
    parent = next((ident for ident in outer if is_session(ident) and ident not in ("", payload.session)), "")
    fact: Fact = {"parent": parent} if parent else {}
    return {**fact, "origin": origin} if is_session(origin) and origin not in ("", payload.session) else fact


def unreported_start(payload: "Payload", project: "Project", client: "Client") -> "Fact":
    """Return the start of a session for which the client sent no start event, as it does for a fork."""
    return {**_start_fact(payload, project, client), "source": "fork"}


def current_tree(payload: "Payload", project: "Project") -> "Project":
    """Return the working tree of Claude's current folder, or `project` when that is outside the repository."""
    if payload.cwd == project.root:
        return project
    here = paths.locate(payload.cwd or project.root or project.common, project)
    return here if here.root and _same(here.store, project.store) else project


def _prompt(payload: "Payload", _project: "Project", _client: "Client") -> "Fact":
    return {"kind": "prompt", "text": _quoted(_typed(payload.text("prompt")))}


def _typed(prompt: str) -> str:
    """Return a prompt without what the client put before it, such as an editor's file, or the name of a skill."""
    rest = prompt.lstrip()
    while rest.startswith(_ATTACHED):
        name = rest[1:].partition(">")[0].split(" ", 1)[0]
        _, end, following = rest.partition(f"</{name}>" if rest[0] == "<" else "]")
        if not end or not following.strip():
            return rest
        rest = following.lstrip()
    command, _, request = rest.partition(" ")
    names_skill = command[:1] == "/" and "/" not in command[1:] and not command.startswith("/holdfast")
    return request.strip() if names_skill and len(request.strip()) >= _REQUEST else rest


def _nothing(_payload: "Payload", _project: "Project", _client: "Client") -> None:
    return None


def _attempt(payload: "Payload", project: "Project", client: "Client") -> "Fact | None":
    use = client.TOOLS.get(payload.text("tool_name"))
    if use == "plan" and not payload.agent:
        title = _first_line(payload.text("tool_input", "plan"))
        return {"kind": "proposed", "id": masked(payload.text("tool_use_id"))[:64], "text": title}
    return _file_fact("attempt", payload, project, client) if use == "edit" else None


def _tool_used(payload: "Payload", project: "Project", client: "Client") -> "Fact | None":
    use = client.TOOLS.get(payload.text("tool_name"), "")
    if use == "edit":
        return _file_fact("edit", payload, project, client)
    if use == "worktree":
        return _worktree(payload, client)
    if use == "plan":
        return _plan(payload, project)
    if use == "task":
        status = payload.text("tool_response", "statusChange", "to") or payload.text("tool_input", "status")
        return _task(payload.text("tool_input", "taskId"), _excerpt(payload.text("tool_input", "subject")), status)
    return _dialog(use, payload) if use in {"choice", "todos"} else None


def _worktree(payload: "Payload", client: "Client") -> "Fact | None":
    path, branch = [payload.text("tool_response", key) for key in client.WORKTREE_KEYS]
    if not is_path(path):
        return None
    return {"kind": "worktree", "path": path if os.path.isdir(path) else masked(path), "branch": masked(branch)}


def _dialog(kind: str, payload: "Payload") -> "Fact | None":
    """Return what a person answered to questions, or the list of tasks that Claude keeps."""
    from holdfast.journal import dialogs

    text = dialogs.choices(payload) if kind == "choice" else dialogs.todos(payload)
    return {"kind": kind, "text": text} if text else None


def _first_line(plan: str) -> str:
    """Return the title of a plan."""
    lines = (line.strip("# \t").removeprefix("Plan: ") for line in plan.splitlines())
    return _excerpt(next(filter(None, lines), ""), 200)


def _plan(payload: "Payload", project: "Project") -> "Fact | None":
    """Return a plan that the user accepted: its first line, and its file as a person would write the path."""
    title, path = _first_line(payload.text("tool_response", "plan")), payload.text("tool_response", "filePath")
    if payload.agent or not (title or path):
        return None
    for folder, short in ((project.root, ""), (os.path.expanduser("~"), "~/")):
        if folder and path.startswith(f"{folder}/"):
            path = short + path[len(folder) + 1 :]
            break
    return {"kind": "plan", "path": masked(path)[:400], "text": title}


def _file_fact(kind: str, payload: "Payload", project: "Project", client: "Client") -> "Fact | None":
    path, root = file_of(payload, project, client)
    if not path:
        return None
    fact: Fact = {"kind": kind, "tool": payload.text("tool_name"), "path": path}
    return {**fact, "root": root} if root else fact


def _task(ident: str, subject: str, status: str) -> "Fact | None":
    return (
        {"kind": "task", "id": masked(ident)[:64], "subject": subject, "status": _excerpt(status, 32)}
        if ident
        else None
    )


def _task_created(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    return _task(payload.text("task_id"), _excerpt(payload.text("task_subject")), "pending")


def _task_completed(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    return _task(payload.text("task_id"), _excerpt(payload.text("task_subject")), "completed")


def _child_started(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    if not payload.agent:
        return None
    log = f"{payload.text('transcript_path').removesuffix('.jsonl')}/subagents/agent-{payload.agent}.jsonl"
    return {"kind": "child", "status": "running", "type": _excerpt(payload.text("agent_type"), 64), "transcript": log}


def _child_stopped(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    agent_type = payload.text("agent_type")
    message = payload.text("last_assistant_message")
    if not payload.agent or not agent_type:  # a subagent without a type is the client's summariser
        return {"kind": "summary", "text": _summed_up(message)} if "<summary>" in message else None
    answer = _report(message)
    log = masked(payload.text("agent_transcript_path"))  # a log whose name has a secret is found beside the session's
    return {"kind": "child", "status": "completed", "type": _excerpt(agent_type, 64), "text": answer, "transcript": log}


def _report(message: str) -> str:
    """Return what is recorded of a subagent's last answer."""
    from holdfast.journal import dialogs

    return dialogs.report(message, _REPORT) if message else ""


def _answer(payload: "Payload", project: "Project", _client: "Client") -> "Fact":
    running = [masked(item.text("id"))[:128] for item in payload.items("background_tasks")[:16]]
    tree = current_tree(payload, project)
    return {
        "kind": "answer",
        "text": "" if _is_forced(payload, project) else _quoted(payload.text("last_assistant_message")),
        "background": running,
        "worktree": tree.root,
        "branch": masked(paths.branch(tree)),
    }


def _is_forced(payload: "Payload", project: "Project") -> bool:
    """Whether this turn is one that `context.librarian` asked for: its answer is not where the work stopped."""
    active = payload.text("stop_hook_active") == "true"
    return active and os.path.exists(f"{project.store}/librarian/{payload.session}.forced")


def _turn_failed(payload: "Payload", project: "Project", client: "Client") -> "Fact":
    """Return the end of a turn that an error of the API ended, with the name of the error as its text."""
    return {**_answer(payload, project, client), "text": f"an API error ({_excerpt(payload.text('error'), 64)})"}


def _compact(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    return None if payload.agent else {"kind": "compact", "trigger": _excerpt(payload.text("trigger"), 32)}


def _summary(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    return None if payload.agent else {"kind": "summary", "text": _summed_up(payload.text("compact_summary"))}


def _summed_up(summary: str) -> str:
    """Return what is recorded of a compaction's summary: its parts as lines, or the beginning of its prose."""
    from holdfast.journal import dialogs
    from holdfast.trust import safe

    looked_at = summary if len(summary) <= _LONGEST else summary[:_LONGEST].rpartition(" ")[0]  # no half a secret
    return "\n".join(dialogs.summary_lines(safe.safe(looked_at))) or _excerpt(summary, _QUOTED)


def _asked(payload: "Payload", _project: "Project", _client: "Client") -> "Fact | None":
    if payload.text("notification_type") not in _DIALOGS:  # such as "idle_prompt", a minute after each answer
        return None
    return {"kind": "asked", "text": _excerpt(payload.text("message"))}


def _end(payload: "Payload", _project: "Project", _client: "Client") -> "Fact":
    return {"kind": "end", "reason": _excerpt(payload.text("reason"), 64)}


def _quoted(text: str) -> str:
    """Return what is recorded of a prompt or an answer, in its own line breaks: of a long one both ends.

    The question, the open point and the decision of an answer often are at its end.
    """
    from holdfast.trust import safe

    return safe.ends(text, _QUOTED) if text else ""


def _excerpt(text: str, limit: int = 300) -> str:
    """Return the part of a text that is recorded: one safe line."""
    from holdfast.trust import safe  # most tool calls have no text to keep

    return safe.line(text, limit) if text else ""


_FACTS: "dict[str, Callable[[Payload, Project, Client], Fact | None]]" = {
    "start": _start,
    "prompt": _prompt,
    "command": _nothing,
    "before_tool": _attempt,
    "after_tool": _tool_used,
    "task_created": _task_created,
    "task_completed": _task_completed,
    "child_start": _child_started,
    "child_stop": _child_stopped,
    "turn_end": _answer,
    "turn_failed": _turn_failed,
    "before_compaction": _compact,
    "after_compaction": _summary,
    "asked": _asked,
    "end": _end,
}
