"""What is specific to Google's Gemini CLI, as data: its events, its tools, its environment, and the shape of an answer.

This module is on the hot path: it imports nothing at the top. `clients/client.py` says what each name means. Sources:
the reference of hooks that Gemini CLI 0.61.0 contains, and what that version sends and accepts.

What a hook says before a tool call does not reach the model, unless it refuses the call. The event PreCompress comes
before each request, compressed or not, and so says nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer

NAME, TITLE, SHORT = "gemini", "Gemini CLI", "Gemini"
RESUME = "gemini --resume {id}"
SESSION = SHELL_SCRIPT = PLUGIN_DATA = ""
PROJECT_FOLDER = "GEMINI_PROJECT_DIR"
MARKS: "tuple[str, ...]" = ("GEMINI_CLI", "GEMINI_SESSION_ID")
SHARED_PROCESS = ""
EVENTS = {
    "SessionStart": "start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before_tool",
    "AfterTool": "after_tool",
    "AfterAgent": "turn_end",
    "SessionEnd": "end",
}
TOOLS = {"write_file": "edit", "replace": "edit"}
PATH_KEYS: "tuple[str, ...]" = ("file_path",)
WORKTREE_KEYS: "tuple[str, ...]" = ("", "")
SHOWS = True
PROTECTS_STATE = SILENT_FORKS = STEERS = PRINTS_STEERING = ASKS = TELLS_BEFORE = RESTARTS = STOPS_COMPACTION = (
    SUMMARISES
) = False
HOOKS, TRUST = "extensions/gemini/hooks/hooks.json", "nothing: installing the extension is enough"
COMMAND = "holdfast "
_CONTEXT = frozenset(("SessionStart", "BeforeAgent", "AfterTool"))  # events whose answer may have a text for the model
_INJECTED, _END = "<hook_context>", "</hook_context>"


def is_attended(_environ: "Mapping[str, str]") -> bool:
    """Return whether a person sits at the terminal: not if a prompt is in the command line."""
    from holdfast.clients import command_line

    return not command_line.has_prompt()


def parts(event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
    """Return the event with the names that holdfast reads; nothing for a tool that failed."""
    if event == "BeforeAgent":
        return ({**body, "prompt": typed(body.get("prompt"))},)
    if event == "AfterAgent":
        return ({**body, "last_assistant_message": body.get("prompt_response")},)
    response = body.get("tool_response")
    return () if isinstance(response, dict) and response.get("error") else (body,)


def typed(prompt: object) -> object:
    """Return a prompt without the text of hooks that the client puts before it when a program runs the client."""
    if isinstance(prompt, str) and prompt.startswith(_INJECTED):
        return prompt.partition(_END)[2].lstrip()
    return prompt


def origin(_words: "Sequence[str]") -> str:
    """Return "": the client has no forks."""
    return ""


def encode(event: str, answer: "Answer") -> str:
    """Return the answer to an event as JSON, "" for an empty answer."""
    whole: dict[str, object] = {}
    if event in _CONTEXT and answer.context:
        whole["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": answer.context}
    if event == "BeforeTool" and answer.verdict == "deny":
        whole |= {"decision": "deny", "reason": answer.reason}
    if answer.message:
        whole["systemMessage"] = answer.message.replace("/holdfast:", COMMAND)
    if not whole:
        return ""
    from holdfast.core import fast_json

    return fast_json.dumps(whole)
