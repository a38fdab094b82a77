"""What is specific to Google's Gemini CLI, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path. `core/client.py` says what each name means. Sources:
the reference of hooks that Gemini CLI 0.61.0 contains, and what that version sends and accepts.

What a hook says before a tool call does not reach the model, unless it refuses the call. The event PreCompress comes
before each request, compressed or not, and so says nothing.
"""

from holdfast.core.client import Answer, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_INJECTED, _END = "<hook_context>", "</hook_context>"


class Gemini(Client):
    """Gemini CLI."""

    NAME, TITLE, SHORT = "gemini", "Gemini CLI", "Gemini"
    RESUME = "gemini --resume {id}"
    PROJECT_FOLDER = "GEMINI_PROJECT_DIR"
    MARKS: "tuple[str, ...]" = ("GEMINI_CLI", "GEMINI_SESSION_ID")
    EVENTS = {
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": "before_tool",
        "AfterTool": "after_tool",
        "AfterAgent": "turn_end",
        "SessionEnd": "end",
    }
    TOOLS = {"write_file": "edit", "replace": "edit"}
    SHOWS = SHOWS_START = True
    HOOKS, TRUST = "extensions/gemini/hooks/hooks.json", "nothing: installing the extension is enough"
    CONTEXT = frozenset(("SessionStart", "BeforeAgent", "AfterTool"))

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads; nothing for a tool that failed."""
        if event == "BeforeAgent":
            return ({**body, "prompt": typed(body.get("prompt"))},)
        if event == "AfterAgent":
            return ({**body, "last_assistant_message": body.get("prompt_response")},)
        response = body.get("tool_response")
        return () if isinstance(response, dict) and response.get("error") else (body,)

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event; a refusal is at its top."""
        refused = event == "BeforeTool" and answer.verdict == "deny"
        refusal = {"decision": "deny", "reason": answer.reason} if refused else {}
        return {**super().shaped(event, answer), **refusal}


def typed(prompt: object) -> object:
    """Return a prompt without the text of hooks that the client puts before it when a program runs the client."""
    if isinstance(prompt, str) and prompt.startswith(_INJECTED):
        return prompt.partition(_END)[2].lstrip()
    return prompt


gemini = Gemini()
