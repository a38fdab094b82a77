"""What is specific to Factory's Droid, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. Source: what Droid 0.225.2 sends and
accepts; for compactions and for prompts in the terminal, which need an account, its public hooks reference.

What a hook says before a tool call does not reach the model, unless it refuses the call. The last answer is in the
transcript alone. `droid exec` sends no event for its prompt.
"""

from holdfast.core.client import Client, last_answer, patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Droid(Client):
    """Droid."""

    NAME, TITLE, SHORT = "droid", "Droid", "Droid"
    RESUME = "droid --resume {id}"
    SESSION = "DROID_SESSION_ID"
    PROJECT_FOLDER = "FACTORY_PROJECT_DIR"
    SHELL_SCRIPT = "CLAUDE_ENV_FILE"
    MARKS: "tuple[str, ...]" = ("DROID_SESSION_ID", "DROID_PROJECT_DIR")
    SHARED_PROCESS = "daemon"
    EVENTS = {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": "before_tool",
        "PostToolUse": "after_tool",
        "Stop": "turn_end",
        "PreCompact": "before_compaction",
        "SessionEnd": "end",
    }
    TOOLS = {"Create": "edit", "Edit": "edit", "ApplyPatch": "edit"}
    SHOWS = SHOWS_START = True
    HOOKS, TRUST = "~/.factory/hooks.json", "nothing: the entries in the file are enough"
    CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PostToolUse"))

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal: not if the first word is `exec`."""
        import os

        from holdfast.core import process

        return process.arguments(os.getppid())[1:2] != ["exec"]

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads: one part for each file of a patch, a turn's answer."""
        if event == "Stop":
            ident = str(body.get("message_id") or "").encode()
            transcript = str(body.get("transcript_path") or "")
            answer = last_answer(transcript, lambda data: ident in data, _text_in)
            return ({**body, "last_assistant_message": answer},)
        if body.get("tool_name") != "ApplyPatch":
            return (body,)
        given = body.get("tool_input")
        paths = patched_files(given.get("input")) if isinstance(given, dict) else ()
        return [{**body, "tool_input": {"file_path": path}} for path in paths]

    def origin(self, words: "Sequence[str]") -> str:
        """Return the session that a command line forks, "" for none."""
        flag = words.index("--fork") if "--fork" in words else len(words)
        return "".join(words[flag + 1 : flag + 2])


def _text_in(entry: "dict[str, object]") -> str:
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return ""
    content = message.get("content")
    texts = [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))


droid = Droid()
