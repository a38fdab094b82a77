"""What is worth keeping of each event: payload in, fact out (journal.py lists the kinds). No file contents, ever."""

import os

from holdfast import paths
from holdfast.payload import is_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.paths import Place
    from holdfast.payload import Payload

    Fact = dict[str, object]

EDITS = ("Edit", "Write", "NotebookEdit", "MultiEdit")


def of(event: str, payload: "Payload", place: "Place") -> "Fact | None":
    """Return the fact in an event, None when there is nothing to keep."""
    fact = _FACTS[event](payload, place)
    if fact is not None and payload.agent:
        fact["agent"] = payload.agent
    return fact


def file_of(payload: "Payload", place: "Place") -> "tuple[str, str]":
    """Return (path, root) of the file a tool was used on.

    The path is relative to the working tree that holds it; `root` names that tree where it is another one of the same
    repository. A file of no such tree keeps its absolute path.
    """
    given = payload.text("tool_input", "file_path") or payload.text("tool_input", "notebook_path")
    path = os.path.normpath(os.path.join(payload.cwd or place.root or "/", given)) if given else ""
    if not path or "\0" in path:
        return "", ""
    home = paths.locate(os.path.dirname(path))
    if not home.root or not _same(home.store, place.store):
        return place.relative(path) or path, ""
    return home.relative(path), "" if _same(home.root, place.root) else home.root


def _same(one: str, other: str) -> bool:
    """Whether two paths name one place; links are followed only where the names differ."""
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _start(payload: "Payload", place: "Place") -> "Fact | None":
    return None if payload.agent else _begun(payload, place)  # a subagent whose own context was compacted


def _begun(payload: "Payload", place: "Place") -> "Fact":
    from holdfast import process

    pid = os.getppid()
    stands = _stands(payload, place)
    return {
        "kind": "start",
        "source": payload.text("source"),
        "pid": pid,
        "process": process.identity(pid),
        "host": os.uname().nodename,
        "branch": paths.branch(stands),
        "root": place.root,
        "worktree": stands.root,
        "transcript": payload.text("transcript_path"),
        "folder": payload.project(os.environ),
        **_descent(payload, pid),
    }


def _descent(payload: "Payload", pid: int) -> "Fact":
    """Return the session whose shell started this one, and the one whose conversation it goes on from.

    Claude Code hands its session's id to its shell; a fork is told by its own command line, if at all.
    """
    from holdfast import process

    found: Fact = {}
    parent = process.variable(pid, "CLAUDE_CODE_SESSION_ID")
    if is_session(parent) and parent not in ("", payload.session):
        found["parent"] = parent
    words = process.arguments(pid)
    flag = next((number for number, word in enumerate(words) if word in ("--resume", "-r")), len(words))
    origin = "".join(words[flag + 1 : flag + 2]) if "--fork-session" in words else ""
    if is_session(origin) and origin not in ("", payload.session):
        found["origin"] = origin
    return found


def missed(payload: "Payload", place: "Place") -> "Fact":
    """Return the start of a session that began with no event of its own, as forks do in older clients."""
    return {**_begun(payload, place), "source": "fork"}


def _stands(payload: "Payload", place: "Place") -> "Place":
    """Return the working tree in which Claude stands, which moves; the project's own when that is elsewhere."""
    here = paths.locate(payload.cwd or place.root or place.common)
    return here if here.root and _same(here.store, place.store) else place


def _prompt(payload: "Payload", _place: "Place") -> "Fact":
    return {"kind": "prompt", "text": _kept(payload.text("prompt"))}


def _nothing(_payload: "Payload", _place: "Place") -> None:
    return None


def _attempt(payload: "Payload", place: "Place") -> "Fact | None":
    return _of_file("attempt", payload, place) if payload.text("tool_name") in EDITS else None


def _used(payload: "Payload", place: "Place") -> "Fact | None":
    tool = payload.text("tool_name")
    if tool in EDITS:
        return _of_file("edit", payload, place)
    if tool == "EnterWorktree":
        response = [payload.text("tool_response", key) for key in ("worktreePath", "worktreeBranch")]
        return {"kind": "worktree", "path": response[0], "branch": response[1]}
    if tool == "TaskUpdate":
        status = payload.text("tool_response", "statusChange", "to") or payload.text("tool_input", "status")
        return _task(payload.text("tool_input", "taskId"), _kept(payload.text("tool_input", "subject")), status)
    return None


def _of_file(kind: str, payload: "Payload", place: "Place") -> "Fact | None":
    path, root = file_of(payload, place)
    if not path:
        return None
    fact: Fact = {"kind": kind, "tool": payload.text("tool_name"), "path": path}
    return {**fact, "root": root} if root else fact


def _task(ident: str, subject: str, status: str) -> "Fact | None":
    return {"kind": "task", "id": ident[:64], "subject": subject, "status": _kept(status, 32)} if ident else None


def _task_created(payload: "Payload", _place: "Place") -> "Fact | None":
    return _task(payload.text("task_id"), _kept(payload.text("task_subject")), "pending")


def _task_completed(payload: "Payload", _place: "Place") -> "Fact | None":
    return _task(payload.text("task_id"), _kept(payload.text("task_subject")), "completed")


def _child_started(payload: "Payload", _place: "Place") -> "Fact | None":
    if not payload.agent:
        return None
    spoken = f"{payload.text('transcript_path').removesuffix('.jsonl')}/subagents/agent-{payload.agent}.jsonl"
    return {"kind": "child", "status": "running", "type": _kept(payload.text("agent_type"), 64), "transcript": spoken}


def _child_stopped(payload: "Payload", _place: "Place") -> "Fact | None":
    agent_type = payload.text("agent_type")
    if not payload.agent or not agent_type:  # the nameless one is a compaction's own
        return None
    answer = _kept(payload.text("last_assistant_message"))
    spoken = payload.text("agent_transcript_path")
    return {"kind": "child", "status": "completed", "type": _kept(agent_type, 64), "text": answer, "transcript": spoken}


def _answer(payload: "Payload", place: "Place") -> "Fact":
    running = [item.text("id")[:128] for item in payload.items("background_tasks")][:16]
    stands = _stands(payload, place)
    where = {"worktree": stands.root, "branch": paths.branch(stands)}
    return {"kind": "answer", "text": _kept(payload.text("last_assistant_message")), "background": running, **where}


def _compact(payload: "Payload", _place: "Place") -> "Fact | None":
    return None if payload.agent else {"kind": "compact", "trigger": payload.text("trigger")[:32]}


def _summary(payload: "Payload", _place: "Place") -> "Fact | None":
    return None if payload.agent else {"kind": "summary", "text": _kept(payload.text("compact_summary"), 3000)}


def _end(payload: "Payload", _place: "Place") -> "Fact":
    return {"kind": "end", "reason": payload.text("reason")[:64]}


def _kept(text: str, limit: int = 300) -> str:
    """Return what is kept of a prompt or an answer."""
    from holdfast import text as texts  # most tool calls have no text to keep

    return texts.line(text, limit) if text else ""


_FACTS: "dict[str, Callable[[Payload, Place], Fact | None]]" = {
    "SessionStart": _start,
    "UserPromptSubmit": _prompt,
    "UserPromptExpansion": _nothing,
    "PreToolUse": _attempt,
    "PostToolUse": _used,
    "TaskCreated": _task_created,
    "TaskCompleted": _task_completed,
    "SubagentStart": _child_started,
    "SubagentStop": _child_stopped,
    "Stop": _answer,
    "PreCompact": _compact,
    "PostCompact": _summary,
    "SessionEnd": _end,
}
