"""What is specific to Qwen Code, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. Sources:
the reference of hooks that Qwen Code 0.24.4 contains, and what that version sends and accepts.

The event of a prompt comes with each round of tools, too, with an empty prompt. What a hook says before a tool call
does not reach the model, unless it refuses the call.
"""

from holdfast.core.client import Client, forked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Qwen(Client):
    """Qwen Code."""

    NAME, TITLE, SHORT = "qwen", "Qwen Code", "Qwen"
    RESUME = "qwen --resume {id}"
    SESSION = "QWEN_CODE_SESSION_ID"
    PROJECT_FOLDER = "QWEN_PROJECT_DIR"
    MARKS: "tuple[str, ...]" = ("QWEN_CODE", "QWEN_CODE_SESSION_ID")
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
    STEERS = PRINTS_STEERING = SHOWS = ASKS = SUMMARISES = True
    HOOKS, TRUST = "extensions/qwen/hooks/hooks.json", "nothing: installing the extension is enough"
    CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"))

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads; nothing for a round of tools, or an unkept task."""
        if event == "UserPromptSubmit":
            prompt = body.get("submitted_prompt") or body.get("prompt")
            return ({**body, "prompt": prompt},) if prompt else ()
        if event in ("TodoCreated", "TodoCompleted"):
            task = {"task_id": body.get("todo_id"), "task_subject": body.get("todo_content")}
            return ({**body, **task},) if body.get("phase") == "postWrite" else ()
        return (body,)

    def origin(self, words: "Sequence[str]") -> str:
        """Return the session that a command line forks, "" for none."""
        return forked(words)


qwen = Qwen()
