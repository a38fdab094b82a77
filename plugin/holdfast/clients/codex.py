"""What is specific to OpenAI's Codex CLI, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path: it imports nothing at the top. `clients/client.py` says what each name means. Sources:
the schemas of hooks that Codex 0.169.0 contains, and what that version sends and accepts.

Codex discards a whole answer that has one field more than its schema. A hook cannot let the user decide about a tool
call, and what it says before a compaction does not reach the summariser.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer

NAME, TITLE, SHORT = "codex", "Codex CLI", "Codex"
RESUME = "codex resume {id}"
SESSION = "CODEX_SESSION_ID"
PROJECT_FOLDER = SHELL_SCRIPT = PLUGIN_DATA = ""
MARKS: "tuple[str, ...]" = ("CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX")
SHARED_PROCESS = "app-server"
EVENTS = {
    "SessionStart": "start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before_tool",
    "PostToolUse": "after_tool",
    "SubagentStart": "child_start",
    "SubagentStop": "child_stop",
    "Stop": "turn_end",
    "PreCompact": "before_compaction",
    "PostCompact": "after_compaction",
    "SessionEnd": "end",
}
TOOLS = {"apply_patch": "edit"}
PATH_KEYS: "tuple[str, ...]" = ("file_path",)
WORKTREE_KEYS: "tuple[str, ...]" = ("", "")
PROTECTS_STATE = TELLS_BEFORE = RESTARTS = SHOWS = True
HOOKS, TRUST = "hooks/codex.json", "at the next start of `codex`, choose `Trust all and continue`"
STEERS = PRINTS_STEERING = SILENT_FORKS = ASKS = STOPS_COMPACTION = SUMMARISES = False
COMMAND = "holdfast "
# The events whose answer may have a text for the model. The others accept a message to the user at most.
_CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"))


def is_attended(_environ: "Mapping[str, str]") -> bool:
    """Return whether a person sits at the terminal: not if the command line of Codex has the word `exec`."""
    import os

    from holdfast.core import process

    return "exec" not in process.arguments(os.getppid())[1:]


def parts(event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
    """Return one part for each file of a patch; nothing for the prompt of a subagent, which nobody typed."""
    if event == "UserPromptSubmit":
        return () if body.get("agent_id") else (body,)
    if body.get("tool_name") != "apply_patch":
        return (body,)
    given = body.get("tool_input")
    from holdfast.clients import patch

    found = patch.files(given.get("command")) if isinstance(given, dict) else ()
    return [{**body, "tool_input": {"file_path": path}} for path in found]


def origin(words: "Sequence[str]") -> str:
    """Return the session that a command line forks, "" for none."""
    return "".join(words[2:3]) if words[1:2] == ["fork"] else ""


def encode(event: str, answer: "Answer") -> str:
    """Return the answer to an event as JSON with the fields that Codex knows, "" for an empty answer."""
    specific: dict[str, object] = {}
    if event in _CONTEXT and answer.context:
        specific["additionalContext"] = answer.context
    if event == "PreToolUse" and answer.verdict == "deny":
        specific |= {"permissionDecision": "deny", "permissionDecisionReason": answer.reason}
    whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **specific}} if specific else {}
    if answer.message and event != "SessionEnd":
        whole["systemMessage"] = answer.message.replace("/holdfast:", COMMAND)
    if not whole:
        return ""
    from holdfast.core import fast_json

    return fast_json.dumps(whole)
