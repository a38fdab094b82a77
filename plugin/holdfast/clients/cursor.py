"""What is specific to Cursor, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `clients/client.py` says what each name means. Source: the public documentation of
Cursor's hooks, as of version 3.20; no test runs the client.

What a start says stays with the conversation, so that it survives a compaction. Answers are flat. A hook's process is
the editor, which outlives its conversations.
"""

from holdfast.clients.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer


class Cursor(Base):
    """Cursor."""

    NAME, TITLE, SHORT = "cursor", "Cursor", "Cursor"
    RESUME = "cursor-agent --resume {id}"
    PROJECT_FOLDER = "CURSOR_PROJECT_DIR"
    MARKS: "tuple[str, ...]" = ("CURSOR_AGENT", "CURSOR_PROJECT_DIR")
    SHARED_PROCESS = "*"
    SESSION_KEY = "conversation_id"
    EVENTS = {
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "preToolUse": "before_tool",
        "afterFileEdit": "after_tool",
        "afterAgentResponse": "turn_end",
        "sessionEnd": "end",
    }
    TOOLS = {"Write": "edit"}
    PATH_KEYS: "tuple[str, ...]" = ("file_path", "path")
    MEASURED = False
    HOOKS, TRUST = "~/.cursor/hooks.json", "nothing: the entries in the file are enough"
    CONTEXT = frozenset(("sessionStart",))

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits before it: always in an editor."""
        return True

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads."""
        if event == "sessionStart":
            return ({**body, "source": "startup"},)
        if event == "afterFileEdit":
            return ({**body, "tool_name": "Write", "tool_input": {"file_path": body.get("file_path")}},)
        if event == "afterAgentResponse":
            return ({**body, "last_assistant_message": body.get("text")},)
        return (body,)

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event without levels."""
        if event == "preToolUse" and answer.verdict == "deny":
            return {"permission": "deny", "agent_message": answer.reason}
        context = self.context(event, answer)
        return {"additional_context": context} if context else {}


cursor = Cursor()
