"""What is specific to GitHub's Copilot CLI, as data: its events, its tools, its environment, the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. Source:
what Copilot CLI 1.0.102 sends to hooks that are registered with the names of Claude Code's events, and what it accepts.

Only fields at the top of an answer count. Nothing follows a compaction, and the text of the session's start is gone
then. The last answer is in the transcript alone.
"""

from holdfast.core.client import Answer, Client, last_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Copilot(Client):
    """Copilot CLI."""

    NAME, TITLE, SHORT = "copilot", "Copilot CLI", "Copilot"
    RESUME = "copilot --resume={id}"
    SESSION = "COPILOT_AGENT_SESSION_ID"
    PROJECT_FOLDER = "COPILOT_PROJECT_DIR"
    MARKS: "tuple[str, ...]" = ("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID")
    EVENTS = {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before_tool",
        "PostToolUse": "after_tool",
        "Stop": "turn_end",
        "PreCompact": "before_compaction",
        "SessionEnd": "end",
    }
    TOOLS = {"Write": "edit", "Edit": "edit"}
    PATH_KEYS: "tuple[str, ...]" = ("path",)
    TELLS_BEFORE = True
    HOOKS, TRUST = "~/.copilot/hooks/holdfast.json", "nothing: the file is enough"
    CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"))

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads: a new session starts up, a turn ends with an answer."""
        if event == "SessionStart" and body.get("source") == "new":
            return ({**body, "source": "startup"},)
        if event == "Stop":
            answer = last_answer(str(body.get("transcript_path") or ""), _is_written, _text_in)
            return ({**body, "last_assistant_message": answer},)
        return (body,)

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event without levels."""
        nested = super().shaped(event, answer).get("hookSpecificOutput")
        return {key: text for key, text in nested.items() if key != "hookEventName"} if isinstance(nested, dict) else {}


def _is_written(data: bytes) -> bool:
    """Whether the client has noted that the hook runs, which it does after the answer."""
    return data.rfind(b'"agentStop"') > data.rfind(b'"user.message"')


def _text_in(entry: "dict[str, object]") -> str:
    data = entry.get("data") if entry.get("type") == "assistant.message" else None
    text = data.get("content") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


copilot = Copilot()
