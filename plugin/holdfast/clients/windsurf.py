"""What is specific to Windsurf's Cascade, as data: its events, its tools, and where it says what.

This module is on the hot path. `clients/client.py` says what each name means. Source: the public documentation of
Cascade's hooks, as of November 2026; no test runs the client.

Its hooks cannot add to the context, and nothing tells of the start and the end of a conversation: sessions are recorded
for others to read.
"""

from holdfast.clients.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer


class Windsurf(Base):
    """Windsurf."""

    NAME, TITLE, SHORT = "windsurf", "Windsurf", "Windsurf"
    RESUME = "windsurf . # conversation {id}"
    SHARED_PROCESS = "*"
    SESSION_KEY = "trajectory_id"
    EVENTS = {
        "pre_user_prompt": "prompt",
        "post_write_code": "after_tool",
        "post_cascade_response": "turn_end",
    }
    TOOLS = {"write_code": "edit"}
    MEASURED = False
    SILENT_FORKS = True
    HOOKS, TRUST = "~/.codeium/windsurf/hooks.json", "nothing: the entries in the file are enough"

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits before it: always in an editor."""
        return True

    def parts(self, event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event with the names that holdfast reads; nothing without the details of what happened."""
        info = body.get("tool_info")
        if not isinstance(info, dict):
            return ()
        if event == "post_write_code":
            return ({**body, "tool_name": "write_code", "tool_input": info},)
        return ({**body, "prompt": info.get("user_prompt"), "last_assistant_message": info.get("response")},)

    def shaped(self, _event: str, _answer: "Answer") -> "dict[str, object]":
        """Return {}: nothing is read."""
        return {}


windsurf = Windsurf()
