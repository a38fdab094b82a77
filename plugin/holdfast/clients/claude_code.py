"""What is specific to Claude Code, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path: it imports nothing at the top. Sources: the public hooks reference of Claude Code, and
what its versions 2.1.197 to 2.1.330 send and accept.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The client's name for each event that has a hook -> what the event means to holdfast.
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "UserPromptExpansion": "command",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "TaskCreated": "task_created",
    "TaskCompleted": "task_completed",
    "SubagentStart": "child_start",
    "SubagentStop": "child_stop",
    "Stop": "turn_end",
    "PreCompact": "before_compaction",
    "PostCompact": "after_compaction",
    "SessionEnd": "end",
}
# Each tool that matters -> what its use means: a file is edited, a worktree is entered, a task changes.
TOOLS = {
    "Edit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "MultiEdit": "edit",
    "EnterWorktree": "worktree",
    "TaskUpdate": "task",
}
PATH_KEYS: "tuple[str, ...]" = ("file_path", "notebook_path")  # the keys of `tool_input` that name the edited file
# The keys of `tool_response` that name the path and the branch of the worktree that was entered.
WORKTREE_KEYS: "tuple[str, ...]" = ("worktreePath", "worktreeBranch")
PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"  # the variable with the folder in which the session was started
SESSION = "CLAUDE_CODE_SESSION_ID"  # the variable with the session's id, in hooks and in the client's shell
SHELL_SCRIPT = "CLAUDE_ENV_FILE"  # the variable with the script that the client's shell runs before each command
PLUGIN_DATA = "CLAUDE_PLUGIN_DATA"  # the variable with the plugin's data folder
_ATTENDED, _ENTRYPOINT = "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT"


def is_attended(environ: "Mapping[str, str]") -> bool:
    """Return whether a person sits at the terminal, and no program runs the client."""
    return environ.get(_ATTENDED) != "0" and not environ.get(_ENTRYPOINT, "").startswith("sdk")


def answer(event: str, context: str = "", title: str = "", message: str = "") -> str:
    """Return the answer to an event as the client reads it, "" if there is nothing to say.

    `context` is added to Claude's context and has its fence already, `title` names the session, and `message` is
    shown to the user.
    """
    specific = {"additionalContext": context, "sessionTitle": title}
    return _json(event, {key: text for key, text in specific.items() if text}, message)


def decision(event: str, verdict: str, reason: str, message: str = "") -> str:
    """Return the answer that decides about a tool call: "ask" shows the user `reason`, "deny" shows it to Claude.

    `message` is shown to the user.
    """
    return _json(event, {"permissionDecision": verdict, "permissionDecisionReason": reason}, message)


def block(reason: str) -> str:
    """Return the answer that stops a compaction or a slash command; the user reads `reason`, and Claude never does."""
    from holdfast.core import fast_json

    return fast_json.dumps({"decision": "block", "reason": reason})


def _json(event: str, specific: "dict[str, str]", message: str) -> str:
    """Return an answer as JSON, "" for an empty one."""
    if not specific and not message:
        return ""
    from holdfast.core import fast_json

    whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **specific}} if specific else {}
    return fast_json.dumps({**whole, "systemMessage": message} if message else whole)
