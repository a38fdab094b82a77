"""What most clients beside Claude Code have in common. `clients/client.py` says what each name means.

This module is on the hot path: it imports nothing at the top.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.clients.answer import Answer


class Base:
    """A client with the least that one can have, and with Claude Code's shape of answers.

    CONTEXT has the events whose answer may have a text for the model.
    """

    NAME = TITLE = SHORT = RESUME = HOOKS = TRUST = ""
    SESSION = PROJECT_FOLDER = SHELL_SCRIPT = PLUGIN_DATA = SHARED_PROCESS = ""
    MARKS: "tuple[str, ...]" = ()
    EVENTS: "dict[str, str]" = {}
    TOOLS: "dict[str, str]" = {}
    PATH_KEYS: "tuple[str, ...]" = ("file_path",)
    WORKTREE_KEYS: "tuple[str, ...]" = ("", "")
    CONTEXT: "frozenset[str]" = frozenset()
    PROTECTS_STATE = STEERS = PRINTS_STEERING = ASKS = TELLS_BEFORE = SHOWS = SHOWS_START = SILENT_FORKS = RESTARTS = (
        False
    )
    STOPS_COMPACTION = SUMMARISES = TURNS = False
    COMMAND = "holdfast "

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal: not if a prompt is in the command line."""
        from holdfast.clients import command_line

        return not command_line.has_prompt()

    def parts(self, _event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return the event itself."""
        return (body,)

    def origin(self, _words: "Sequence[str]") -> str:
        """Return "": the client has no forks."""
        return ""

    def encode(self, event: str, answer: "Answer") -> str:
        """Return the answer to an event as JSON, "" for an empty answer."""
        whole = self.shaped(event, answer)
        if not whole:
            return ""
        from holdfast.core import fast_json

        return fast_json.dumps(whole)

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event with the fields that the client knows, {} for an empty one."""
        specific: dict[str, object] = {}
        if context := self.context(event, answer):
            specific["additionalContext"] = context
        if event == "PreToolUse" and (answer.verdict == "deny" or (answer.verdict and self.ASKS)):
            specific |= {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.reason}
        whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **specific}} if specific else {}
        return {**whole, **self.shown(answer)}

    def context(self, event: str, answer: "Answer") -> str:
        """Return the text for the model, or for the summariser before a compaction; "" for none."""
        if event == "PreCompact":
            return answer.steering if self.STEERS else ""
        return answer.context if event in self.CONTEXT else ""

    def shown(self, answer: "Answer") -> "dict[str, object]":
        """Return the field with the message for the user, {} for none."""
        message = answer.message.replace("/holdfast:", self.COMMAND) if self.SHOWS else ""
        return {"systemMessage": message} if message else {}


_HEADINGS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
_MOST = 100  # files of one patch that are recorded


def patched_files(patch: object) -> "list[str]":
    """Return the paths of the files that a patch adds, changes, moves or deletes, each once, in its order."""
    paths: dict[str, None] = {}
    for line in patch.splitlines() if isinstance(patch, str) else ():
        for heading in _HEADINGS:
            if line.startswith(heading):
                paths[line[len(heading) :].strip()] = None
    return [path for path in paths if path][:_MOST]
