"""What is specific to opencode, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. opencode
runs plugins in its own process: `extensions/opencode/holdfast.js` gives each event the name and the payload that Claude
Code has for it, and does with an answer what opencode allows. Source: the types of plugins of opencode 1.18.33, and
what that version sends and accepts.

What holdfast says at a start is part of the instructions of each request. A tool call can be refused, and nothing can
be said before it.
"""

from holdfast.core.client import Answer, Client, forked, patched_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Opencode(Client):
    """The client opencode."""

    NAME, TITLE, SHORT = "opencode", "opencode", "opencode"
    RESUME = "opencode --session {id}"
    SESSION = "OPENCODE_SESSION_ID"
    MARKS: "tuple[str, ...]" = ("OPENCODE", "OPENCODE_SESSION_ID")
    SHARED_PROCESS = "serve"
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
    TOOLS = {"write": "edit", "edit": "edit", "apply_patch": "edit", "todowrite": "task"}
    PATH_KEYS: "tuple[str, ...]" = ("filePath",)
    STEERS = SHOWS = SHOWS_START = RESTARTS = SUMMARISES = True
    HOOKS, TRUST = "extensions/opencode/holdfast.js", "nothing: the file is enough"
    CONTEXT = frozenset(("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"))

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal: not if the first word is one of the commands without one."""
        import os

        from holdfast.core import process

        return process.arguments(os.getppid())[1:2] not in (["run"], ["serve"], ["web"], ["acp"])

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return one part for each file of a patch and for each task of a list, else the event itself."""
        given = body.get("tool_input")
        if event == "UserPromptSubmit":
            return ({**body, "prompt": typed(body.get("prompt"))},)
        if not isinstance(given, dict) or body.get("tool_name") not in ("apply_patch", "todowrite"):
            return (body,)
        if body["tool_name"] == "todowrite":
            return [{**body, "tool_input": task} for task in tasks(given)]
        return [{**body, "tool_input": {"filePath": path}} for path in patched_files(given.get("patchText"))]

    def origin(self, words: "Sequence[str]") -> str:
        """Return the session that a command line forks, "" for none."""
        return forked(words, ("--session", "-s"), "--fork")

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event for the plugin."""
        whole: dict[str, object] = {
            "context": self.context(event, answer) if event != "PreCompact" else "",
            "steering": self.context(event, answer) if event == "PreCompact" else "",
            "refusal": answer.reason if event == "PreToolUse" and answer.verdict == "deny" else "",
            "message": self.shown(answer).get("systemMessage"),
        }
        return {name: text for name, text in whole.items() if text}


def typed(prompt: object) -> object:
    """Return a prompt without the quotes that `opencode run` puts around one with spaces."""
    whole = isinstance(prompt, str) and prompt.count('"') == 2 and prompt[0] + prompt[-1] == '""'
    return prompt[1:-1] if whole and isinstance(prompt, str) else prompt


def tasks(given: "dict[str, object]") -> "list[dict[str, object]]":
    """Return the tasks of a list, numbered by their places; places that the list `before` had and this lacks are gone.

    opencode gives its tasks no ids, and sends the whole list each time.
    """
    listed, before = given.get("todos"), given.get("before")
    tasks_given: list[dict[str, object]] = []
    for row in listed if isinstance(listed, list) else ():
        if isinstance(row, dict):
            status = "deleted" if row.get("status") == "cancelled" else row.get("status")
            tasks_given.append({"taskId": str(len(tasks_given) + 1), "subject": row.get("content"), "status": status})
    last = before if isinstance(before, int) else 0
    return tasks_given + [
        {"taskId": str(at), "status": "deleted"} for at in range(len(tasks_given) + 1, min(last, 1000) + 1)
    ]


opencode = Opencode()
