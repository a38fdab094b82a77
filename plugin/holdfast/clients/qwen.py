"""What is specific to Qwen Code, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path: it imports nothing at the top. `clients/client.py` says what each name means. Sources:
the reference of hooks that Qwen Code 0.24.4 contains, and what that version sends and accepts.

The event of a prompt comes with each round of tools, too, with an empty prompt. What a hook says before a tool call
does not reach the model, unless it refuses the call.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer

NAME, TITLE, SHORT = "qwen", "Qwen Code", "Qwen"
RESUME = "qwen --resume {id}"
SESSION = "QWEN_CODE_SESSION_ID"
PROJECT_FOLDER = "QWEN_PROJECT_DIR"
SHELL_SCRIPT = PLUGIN_DATA = ""
MARKS: "tuple[str, ...]" = ("QWEN_CODE", "QWEN_CODE_SESSION_ID")
SHARED_PROCESS = ""
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "TodoCreated": "task_created",
    "TodoCompleted": "task_completed",
    "SubagentStart": "child_start",
    "SubagentStop": "child_stop",
    "Stop": "turn_end",
    "PreCompact": "before_compaction",
    "PostCompact": "after_compaction",
    "SessionEnd": "end",
}
TOOLS = {"write_file": "edit", "edit": "edit", "notebook_edit": "edit"}
PATH_KEYS: "tuple[str, ...]" = ("file_path", "notebook_path")
WORKTREE_KEYS: "tuple[str, ...]" = ("", "")
PROTECTS_STATE = SILENT_FORKS = STOPS_COMPACTION = RESTARTS = TELLS_BEFORE = False
STEERS = PRINTS_STEERING = SHOWS = ASKS = SUMMARISES = True
HOOKS, TRUST = "extensions/qwen/hooks/hooks.json", "nothing: installing the extension is enough"
COMMAND = "holdfast "
# The events whose answer may have a text for the model.
_CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"))


def is_attended(_environ: "Mapping[str, str]") -> bool:
    """Return whether a person sits at the terminal: not if a prompt is in the command line."""
    from holdfast.clients import command_line

    return not command_line.has_prompt()


def parts(event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
    """Return the event with the names that holdfast reads; nothing for a round of tools, or before a task is kept."""
    if event == "UserPromptSubmit":
        prompt = body.get("submitted_prompt") or body.get("prompt")
        return ({**body, "prompt": prompt},) if prompt else ()
    if event in ("TodoCreated", "TodoCompleted"):
        task = {"task_id": body.get("todo_id"), "task_subject": body.get("todo_content")}
        return ({**body, **task},) if body.get("phase") == "postWrite" else ()
    return (body,)


def origin(words: "Sequence[str]") -> str:
    """Return the session that a command line forks, "" for none."""
    from holdfast.clients import command_line

    return command_line.forked(words)


def encode(event: str, answer: "Answer") -> str:
    """Return the answer to an event as JSON, "" for an empty answer."""
    specific: dict[str, object] = {}
    context = answer.steering if event == "PreCompact" else answer.context if event in _CONTEXT else ""
    if context:
        specific["additionalContext"] = context
    if event == "PreToolUse" and answer.verdict:
        specific |= {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.reason}
    whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **specific}} if specific else {}
    if answer.message:
        whole["systemMessage"] = answer.message.replace("/holdfast:", COMMAND)
    if not whole:
        return ""
    from holdfast.core import fast_json

    return fast_json.dumps(whole)
