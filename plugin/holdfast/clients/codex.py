"""What is specific to OpenAI's Codex CLI, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. Sources:
the schemas of hooks that Codex 0.169.0 contains, and what that version sends and accepts.

Codex discards a whole answer that has one field more than its schema. A hook cannot let the user decide about a tool
call, and what it says before a compaction does not reach the summariser.
"""

from holdfast.core.client import Answer, Client, patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Codex(Client):
    """Codex CLI."""

    NAME, TITLE, SHORT = "codex", "Codex CLI", "Codex"
    RESUME = "codex resume {id}"
    SESSION = "CODEX_SESSION_ID"
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
    PROTECTS_STATE = TELLS_BEFORE = RESTARTS = SHOWS = SHOWS_START = True
    HOOKS, TRUST = "hooks/codex.json", "at the next start of `codex`, choose `Trust all and continue`"
    CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"))

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal: not if the command line of Codex has the word `exec`."""
        import os

        from holdfast.core import process

        return "exec" not in process.arguments(os.getppid())[1:]

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return one part for each file of a patch; nothing for the prompt of a subagent, which nobody typed."""
        if event == "UserPromptSubmit":
            return () if body.get("agent_id") else (body,)
        if body.get("tool_name") != "apply_patch":
            return (body,)
        given = body.get("tool_input")
        paths = patched_files(given.get("command")) if isinstance(given, dict) else ()
        return [{**body, "tool_input": {"file_path": path}} for path in paths]

    def origin(self, words: "Sequence[str]") -> str:
        """Return the session that a command line forks, "" for none."""
        return "".join(words[2:3]) if words[1:2] == ["fork"] else ""

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event with the fields that Codex knows; the end of a session has none."""
        return super().shaped(event, answer) if event != "SessionEnd" else {}


codex = Codex()
