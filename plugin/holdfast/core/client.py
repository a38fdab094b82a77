"""What holdfast needs to know of a coding client, with the least that one can have; what it answers; and Claude Code.

This module is on the hot path: it imports nothing at the top. Sources for Claude Code: its public hooks reference, and
what its versions 2.1.197 to 2.1.332 send and accept.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

SESSIONS = (  # the variables with the session's id in the shells of all clients
    *("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "QWEN_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID"),
    *("OPENCODE_SESSION_ID", "DROID_SESSION_ID"),
)
_VERDICTS = ("", "ask", "deny")  # the stricter one comes later


class Answer:
    """An answer. Each text is "" if there is nothing to say; the client's module leaves out what its client lacks.

    - context: a text for the model, which has its fence already. title: the session's title. message: for the user.
    - verdict, reason: whether a tool call may happen: "ask" shows the user the reason, "deny" shows it to the model.
    - steering: a text for the summariser of a compaction.
    - block: why a compaction or a slash command is stopped; the user reads it, and the model never does.
    """

    __slots__ = ("block", "context", "message", "reason", "steering", "title", "verdict")

    def __init__(  # noqa: PLR0913 - each part has its name where it is given
        self,
        *,
        context: str = "",
        title: str = "",
        message: str = "",
        verdict: str = "",
        reason: str = "",
        steering: str = "",
        block: str = "",
    ) -> None:
        self.context, self.title, self.message = context, title, message
        self.verdict, self.reason = verdict, reason
        self.steering, self.block = steering, block


def merged(answers: "Sequence[Answer]") -> "Answer | None":
    """Return the answers to the parts of one event as one, None for no answers. The strictest verdict counts."""
    if len(answers) < 2:
        return answers[0] if answers else None
    strictest = max((each.verdict for each in answers), key=_VERDICTS.index)
    return Answer(
        context=_together(each.context for each in answers),
        message="\n".join(dict.fromkeys(each.message for each in answers if each.message)),
        verdict=strictest,
        reason=_together(each.reason for each in answers if each.verdict == strictest),
    )


def _together(texts: "Iterable[str]") -> str:
    """Return different texts as paragraphs of one."""
    return "\n\n".join(dict.fromkeys(text for text in texts if text))


class Client:
    """A coding client.

    Who it is:

    - NAME: its name in journals and options. TITLE: its name for people. SHORT: the same in headings and lists.
    - RESUME: the command that resumes the session `{id}`.
    - SESSION: the variable with the session's id in the client's shell, "" for none. PROJECT_FOLDER: the one with the
      folder in which the session was started. SHELL_SCRIPT: the one with the script that the client's shell runs first.
      PLUGIN_DATA: the one with the plugin's data folder. MARKS: variables that show that a command runs in the client's
      shell or hooks, so that the model reads what it prints.
    - SHARED_PROCESS: a word in the command line of a process that serves many sessions and outlives them, "" if the
      client has none. It says nothing about whether a session is live.

    What it sends:

    - EVENTS: its name of each event that has a hook -> what the event means to holdfast.
    - TOOLS: each tool that matters -> what its use means: a file is edited, a worktree is entered, a task changes.
    - PATH_KEYS: the keys of `tool_input` that name the edited file. WORKTREE_KEYS: those of `tool_response` that name
      the path and the branch of the worktree that was entered.

    What it accepts:

    - HOOKS: the file with its hooks in this repository. TRUST: what a user has to do so that they run.
    - CONTEXT: the events whose answer may have a text for the model.
    - SHOWS: whether a hook can show the user a line; SHOWS_START: at a start, too. SILENT_FORKS: whether a session may
      begin with a prompt, without a start, which is a fork then.
    - RESTARTS: whether a compaction is followed by a start that is always sent; if not, what belongs to it is said with
      the next prompt.
    - STEERS: whether a hook can tell the summariser of a compaction what to keep. PRINTS_STEERING: whether the client
      shows that to a user who asked for the compaction.
    - ASKS: whether a hook can let the user decide about a tool call. TELLS_BEFORE: whether what one says before a tool
      call reaches the model; if not, it is said with the result.
      SUMMARISES: whether a hook gets the summary of a compaction. TURNS: whether the hook of a turn's end may ask for
      one more turn.
    - PROTECTS_STATE: whether its sandbox lets the model read `.agents`, and not write there.
    - COMMAND: what stands before a command's name when its user types one.
    """

    NAME = TITLE = SHORT = RESUME = HOOKS = TRUST = ""
    SESSION = PROJECT_FOLDER = SHELL_SCRIPT = PLUGIN_DATA = SHARED_PROCESS = ""
    MARKS: "tuple[str, ...]" = ()
    EVENTS: "dict[str, str]" = {}
    TOOLS: "dict[str, str]" = {}
    PATH_KEYS: "tuple[str, ...]" = ("file_path",)
    WORKTREE_KEYS: "tuple[str, ...]" = ("", "")
    CONTEXT: "frozenset[str]" = frozenset()
    PROTECTS_STATE = STEERS = PRINTS_STEERING = ASKS = TELLS_BEFORE = SHOWS = False
    SHOWS_START = SILENT_FORKS = RESTARTS = SUMMARISES = TURNS = False
    COMMAND = "holdfast "

    def is_attended(self, _environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal, and no program runs the client with a prompt as an option."""
        import os

        from holdfast.core import process

        words = process.arguments(os.getppid())
        return not any(word in ("-p", "--prompt") or word.startswith("--prompt=") for word in words)

    def parts(self, _event: str, body: "dict[str, object]") -> "Sequence[dict[str, object]]":
        """Return what an event consists of for holdfast: itself, one part for each edited file, or nothing."""
        return (body,)

    def origin(self, _words: "Sequence[str]") -> str:
        """Return the session that a command line of the client forks, "" for none."""
        return ""

    def encode(self, event: str, answer: "Answer") -> str:
        """Return the answer to an event as the client reads it, "" if it has nothing that this client accepts."""
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


def forked(words: "Sequence[str]", resumes: "Sequence[str]" = ("--resume", "-r"), forks: str = "--fork-session") -> str:
    """Return the session after an option that `resumes` it if the one that `forks` is there too, "" for none."""
    flag = next((number for number, word in enumerate(words) if word in resumes), len(words))
    return "".join(words[flag + 1 : flag + 2]) if forks in words else ""


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


_TAIL = 1 << 18  # bytes of a transcript that are searched
PATIENCE, _PAUSE = 1.0, 0.02  # seconds


def last_answer(
    transcript: str, is_written: "Callable[[bytes], bool]", text_in: "Callable[[dict[str, object]], str]"
) -> str:
    """Return the last text of the model in a transcript of JSON lines, "" if there is none near its end.

    The client may write it while this hook runs, so that `is_written` of its end is waited for. `text_in` returns what
    the model says in one line, "" for another one.
    """
    import time

    from holdfast.core import fast_json, files

    data, end = b"", time.monotonic() + PATIENCE
    while transcript:
        try:
            data = files.tail(transcript, _TAIL)
        except OSError:  # the client has not made it yet
            data = b""
        if is_written(data) or time.monotonic() >= end:
            break
        time.sleep(_PAUSE)
    for line in reversed(data.splitlines()):
        entry = fast_json.object_in(line) if b'"assistant' in line else {}  # a line that is cut has none
        if text := text_in(entry):
            return text
    return ""


_EXPANSION = "UserPromptExpansion"
_ANSWERED = "this is holdfast's answer, no error:\n"  # after "Operation stopped by hook: ", which the client prints
_ATTENDED, _ENTRYPOINT = "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_ENTRYPOINT"


class ClaudeCode(Client):
    """Claude Code."""

    NAME, TITLE, SHORT = "claude-code", "Claude Code", "Claude"
    RESUME = "claude --resume {id}"
    SESSION = "CLAUDE_CODE_SESSION_ID"
    PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"
    SHELL_SCRIPT = "CLAUDE_ENV_FILE"
    PLUGIN_DATA = "CLAUDE_PLUGIN_DATA"
    MARKS: "tuple[str, ...]" = ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT")
    EVENTS = {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "UserPromptExpansion": "command",
        "PreToolUse": "before_tool",
        "PostToolUse": "after_tool",
        "TaskCreated": "task_created",
        "TaskCompleted": "task_completed",
        "SubagentStart": "child_start",
        "SubagentStop": "child_stop",
        "Stop": "turn_end",
        "StopFailure": "turn_failed",
        "PreCompact": "before_compaction",
        "PostCompact": "after_compaction",
        "Notification": "asked",
        "SessionEnd": "end",
    }
    TOOLS = {
        "Edit": "edit",
        "Write": "edit",
        "NotebookEdit": "edit",
        "MultiEdit": "edit",
        "Bash": "shell",
        "Skill": "shell",  # its lines with `!` run as in a shell
        "EnterWorktree": "worktree",
        "ExitPlanMode": "plan",
        "TaskUpdate": "task",
        "TodoWrite": "todos",
        "AskUserQuestion": "choice",
    }
    PATH_KEYS: "tuple[str, ...]" = ("file_path", "notebook_path")
    WORKTREE_KEYS: "tuple[str, ...]" = ("worktreePath", "worktreeBranch")
    HOOKS, TRUST = "hooks/hooks.json", "nothing: installing the plugin is enough"
    STEERS = PRINTS_STEERING = SHOWS = SHOWS_START = SILENT_FORKS = ASKS = TELLS_BEFORE = RESTARTS = True
    SUMMARISES = TURNS = True
    COMMAND = "/holdfast:"

    def is_attended(self, environ: "Mapping[str, str]") -> bool:
        """Return whether a person sits at the terminal, and no program runs the client."""
        return environ.get(_ATTENDED) != "0" and not environ.get(_ENTRYPOINT, "").startswith("sdk")

    def origin(self, words: "Sequence[str]") -> str:
        """Return the session that a command line forks, "" for none."""
        return forked(words)

    def encode(self, event: str, answer: "Answer") -> str:
        """Return the answer to an event as JSON, or as plain text for the summariser; "" for an empty answer."""
        return answer.steering or super().encode(event, answer)

    def shaped(self, event: str, answer: "Answer") -> "dict[str, object]":
        """Return the answer to an event with the fields that Claude Code knows."""
        if answer.block and event == _EXPANSION:  # docs/explanation/slash-commands.md has what was tried
            return {"continue": False, "stopReason": _ANSWERED + answer.block}
        if answer.block:
            return {"decision": "block", "reason": answer.block}
        specific = {"additionalContext": answer.context, "sessionTitle": answer.title}
        if answer.verdict:
            specific = {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.reason, **specific}
        kept = {key: text for key, text in specific.items() if text}
        whole: dict[str, object] = {"hookSpecificOutput": {"hookEventName": event, **kept}} if kept else {}
        return whole | ({"systemMessage": answer.message} if answer.message else {})


claude_code = ClaudeCode()
