"""What is specific to Claude Code, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path: it imports nothing at the top. `clients/client.py` says what each name means. Sources:
the public hooks reference of Claude Code, and what its versions 2.1.197 to 2.1.332 send and accept.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer

NAME, TITLE, SHORT = "claude-code", "Claude Code", "Claude"
RESUME = "claude --resume {id}"
SESSION = "CLAUDE_CODE_SESSION_ID"
PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"
SHELL_SCRIPT = "CLAUDE_ENV_FILE"
PLUGIN_DATA = "CLAUDE_PLUGIN_DATA"
MARKS: "tuple[str, ...]" = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT")
SHARED_PROCESS = ""
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
    "StopFailure": "turn_failed",
    "PreCompact": "before_compaction",
    "PostCompact": "after_compaction",
    "Notification": "asked",
    "SessionEnd": "end",
}
TOOLS = {
    "Edit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "MultiEdit": "edit",
    "Bash": "shell",
    "EnterWorktree": "worktree",
    "ExitPlanMode": "plan",
    "TaskUpdate": "task",
    "TodoWrite": "todos",
    "AskUserQuestion": "choice",
}
PATH_KEYS: "tuple[str, ...]" = ("file_path", "notebook_path")
WORKTREE_KEYS: "tuple[str, ...]" = ("worktreePath", "worktreeBranch")
PROTECTS_STATE = False
HOOKS, TRUST = "hooks/hooks.json", "nothing: installing the plugin is enough"
STEERS = PRINTS_STEERING = SHOWS = SHOWS_START = SILENT_FORKS = ASKS = TELLS_BEFORE = RESTARTS = STOPS_COMPACTION = True
SUMMARISES = TURNS = True
COMMAND = "/holdfast:"
_EXPANSION = "UserPromptExpansion"
_ANSWERED = "this is holdfast's answer, no error:\n"  # after "Operation stopped by hook: ", which the client prints
_ATTENDED, _ENTRYPOINT = "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT"


def is_attended(environ: "Mapping[str, str]") -> bool:
    """Return whether a person sits at the terminal, and no program runs the client."""
    return environ.get(_ATTENDED) != "0" and not environ.get(_ENTRYPOINT, "").startswith("sdk")


def parts(_event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
    """Return the event itself: each event is about one file at most."""
    return (body,)


def origin(words: "Sequence[str]") -> str:
    """Return the session that a command line forks, "" for none."""
    from holdfast.clients import command_line

    return command_line.forked(words)


def encode(event: str, answer: "Answer") -> str:
    """Return the answer to an event as JSON, or as plain text for the summariser; "" for an empty answer."""
    if answer.steering:
        return answer.steering
    from holdfast.core import fast_json

    if answer.block and event == _EXPANSION:  # docs/explanation/slash-commands.md has what was tried
        return fast_json.dumps({"continue": False, "stopReason": _ANSWERED + answer.block})
    if answer.block:
        return fast_json.dumps({"decision": "block", "reason": answer.block})
    specific = {"additionalContext": answer.context, "sessionTitle": answer.title}
    if answer.verdict:
        specific = {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.reason, **specific}
    members = {key: text for key, text in specific.items() if text}
    whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **members}} if members else {}
    whole |= {"systemMessage": answer.message} if answer.message else {}
    return fast_json.dumps(whole) if whole else ""
