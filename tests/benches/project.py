"""A project of any size with the plugin in it, as a client would have both: what is measured here is measured there."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from holdfast.core import process
from holdfast.journal import log
from holdfast.sessions import survey
from tests.client.fixtures import git
from tests.client.identity import IDENTITY
from tests.hazards import shapes
from tests.support.machine import clone
from tests.support.plugin import settled

STATE_FILES = 10  # of a project that nobody let grow
LINES = 100  # of a journal
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Parse the invoices of the north branch"},
    "UserPromptExpansion": {"expansion_type": "slash_command", "command_name": "other:do", "command_args": ""},
    "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "src/parser.py", "new_string": "x" * 2000}},
    "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "src/parser.py", "new_string": "x" * 2000}},
    "TaskCreated": {"task_id": "1", "task_subject": "Write the parser"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write the parser"},
    "SubagentStart": {"agent_id": "a1", "agent_type": "general-purpose"},
    "SubagentStop": {"agent_id": "a1", "agent_type": "general-purpose", "last_assistant_message": "Done."},
    "Stop": {"last_assistant_message": "The parser reads headers; totals are next."},
    "PreCompact": {"trigger": "manual"},
    "PostCompact": {"compact_summary": "We parsed."},
    "SessionEnd": {"reason": "other"},
}
# An edit of a file in each client but Claude Code: the event, and what that client sends with it.
CLIENT_EDITS: dict[str, tuple[str, dict[str, Any]]] = {
    "codex": (
        "PostToolUse",
        {"tool_name": "apply_patch", "tool_input": {"command": "*** Update File: src/parser.py\n" + "+x" * 1000}},
    ),
    "gemini": (
        "AfterTool",
        {"tool_name": "write_file", "tool_input": {"file_path": "src/parser.py", "content": "x" * 2000}},
    ),
    "copilot": (
        "PostToolUse",
        {"tool_name": "Write", "tool_input": {"path": "src/parser.py", "file_text": "x" * 2000}},
    ),
    "qwen": (
        "PostToolUse",
        {"tool_name": "write_file", "tool_input": {"file_path": "src/parser.py", "content": "x" * 2000}},
    ),
    "opencode": ("PostToolUse", {"tool_name": "write", "tool_input": {"filePath": "src/parser.py"}}),
    "droid": (
        "PostToolUse",
        {"tool_name": "Create", "tool_input": {"file_path": "src/parser.py", "content": "x" * 2000}},
    ),
}
# Where the one text of an event stands that may be long.
_LONG = {
    "UserPromptSubmit": ("prompt",),
    "PreToolUse": ("tool_input", "new_string"),
    "PostToolUse": ("tool_input", "new_string"),
    "SubagentStop": ("last_assistant_message",),
    "Stop": ("last_assistant_message",),
    "PostCompact": ("compact_summary",),
}
# Where the state files of a project lie, in twenties: most in one folder, the others as other tools leave them.
_SPREAD = (
    *((".agents/sessions/2025{number:06}-piece.md", shapes.AGENTS[1]),) * 10,
    *((".agents/sessions/2026{number:06}-branch.md", shapes.FLAT[1]),) * 4,
    *((".claude/sessions/2026{number:06}.md", shapes.CLAUDE[1]),) * 3,
    *(("thoughts/ledgers/CONTINUITY_{number}.md", shapes.CONTINUITY[1]),) * 2,
    ("con_{number}/SESSION_STATE.md", shapes.N5[1]),
)
_PEAK = """\
import os, sys
actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions), 0)
print(status, usage.ru_maxrss)
"""
_FILES = 60  # that a long session changes over and over


class Bench:
    """A prepared project with some history, a session at work in it, and the plugin in a folder named by a version."""

    def __init__(self, folder: Path, plugin: Path | None = None, past: int = STATE_FILES) -> None:
        """Make it in `folder`; `plugin` is one that was made for another project, with its packages beside it.

        So many sessions of the `past` have left a state file.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.plugin = plugin or clone(folder / "cache/1.0.0")
        self.data = self.plugin.parent / "data"
        self.project = folder / "project"
        self.project.mkdir()
        git(self.project, "init", "--quiet", "--initial-branch=main")
        git(self.project, "commit", "--quiet", "--allow-empty", "--message", "Begin")
        self.session = new()
        if plugin is None:
            self.cli("deps")
        self.python = (self.data / "python").read_text().strip()
        self.cli("init")
        self.gone = [self._history(number) for number in range(past)]
        self.fire("SessionStart")
        self.fire("PostToolUse")
        settled(self.project, self.session)
        self.wait()

    @property
    def store(self) -> Path:
        """Where the journals are."""
        return self.project / ".git/holdfast"

    @property
    def env(self) -> dict[str, str]:
        """What the client sets for a hook, and little else."""
        given = {"HOLDFAST_DATA": str(self.data), "CLAUDE_PROJECT_DIR": str(self.project), "HOME": str(self.data)}
        return {"PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": self.session, **given, **IDENTITY}

    def cli(self, *arguments: str, check: bool = True) -> float:
        """Run a command of the command line, which must succeed with `check`, and return the seconds it took."""
        return self.timed([str(self.plugin / "bin/holdfast"), *arguments], check=check)

    def peak(self, *arguments: str, given: bytes = b"") -> float:
        """Run a command of the command line, which must succeed, and return the most memory that it had, in MB.

        `given` is its input. A small process starts it, since a new process counts the memory of its parent, too.
        """
        command = [self.python, "-I", "-S", "-c", _PEAK, str(self.plugin / "bin/holdfast"), *arguments]
        done = subprocess.run(command, env=self.env, cwd=self.project, input=given, stdout=subprocess.PIPE, check=True)
        status, memory = map(int, done.stdout.split()[-2:])
        assert status == 0, arguments
        return memory / (1 << 10 if sys.platform == "linux" else 1 << 20)

    def fire(self, event: str, size: int = 0, **fields: Any) -> float:
        """Run one hook as the client does and return the seconds it took; `size` is how long its payload is."""
        known = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event}
        payload = {**known, **_grown(event, size), **fields}
        script = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).strip("_")
        return self.timed(
            [str(self.plugin / "hooks/launch"), str(self.plugin / f"hooks/{script}.py")], json.dumps(payload).encode()
        )

    def edit(self, client: str) -> float:
        """Run the hook of another client's edit of a file and return the seconds it took."""
        event, fields = CLIENT_EDITS[client]
        payload = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event, **fields}
        hooks = self.plugin / "hooks"
        return self.timed([str(hooks / "launch"), str(hooks / "event.py"), client, event], json.dumps(payload).encode())

    def bare(self) -> float:
        """Run an interpreter that does nothing and return the seconds it took."""
        return self.timed([self.python, "-I", "-S", "-c", "pass"])

    def wait(self) -> None:
        """Wait until what a hook left to the background is done: in a session it runs while nobody waits."""
        own = str(self.project).encode()
        while any(own in command and (b"settle" in command or b"share" in command) for command in _commands()):
            time.sleep(0.01)

    def timed(self, command: list[str], stdin: bytes = b"", *, check: bool = True) -> float:
        """Run a command to its end in the project and return the seconds it took."""
        began = time.perf_counter()
        subprocess.run(command, input=stdin, env=self.env, cwd=self.project, stdout=subprocess.DEVNULL, check=check)
        return time.perf_counter() - began

    def files(self, count: int, before: int = 0) -> None:
        """Let the project have so many state files, where it had some `before`: a fifth are open, the rest are done."""
        for number in range(before, count):
            name, body = _SPREAD[number % len(_SPREAD)]
            path = self.project / name.format(number=number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_done(body) if number // len(_SPREAD) % 5 else body)

    def lines(self, count: int) -> None:
        """Let the journal of the session at work be so many lines longer, and settled."""
        for number in range(_FILES):
            path = self.project / f"src/module_{number}.py"
            path.parent.mkdir(exist_ok=True)
            path.touch()
        self.remember(self.session, [_fact(number) for number in range(count)])
        self.cli("settle", "--session", self.session)

    def live(self, count: int, before: int = 0) -> None:
        """Let so many sessions be at work, where some were `before`: each with a state file and a file in work."""
        alive = {"pid": os.getpid(), "process": process.identity(os.getpid()), "host": os.uname().nodename}
        place = {"root": str(self.project), "branch": "main", "worktree": str(self.project)}
        for number in range(max(1, before), count):
            session = new()
            asked = {"kind": "prompt", "text": f"Piece of work number {number}"}
            edits: list[dict[str, Any]] = [{"kind": "edit", "tool": "Edit", "path": f"src/module_{number}.py"}] * LINES
            begun: dict[str, Any] = {"kind": "start", **alive, **place}
            self.remember(session, [begun, asked, *edits, {"kind": "due"}])
            self.cli("settle", "--session", session)

    def past(self, count: int, before: int) -> None:
        """Let so many sessions be over and seen to, where some were `before`; every other one is done."""
        known = log.path_of(str(self.store), self.gone[0])
        reported, state = Path(known).read_text(), log.state_file_of(str(self.store), self.gone[0])
        text = Path(state).read_text()
        for number in range(before, count):
            session, name = new(), state.removesuffix(".md") + f"-{number}.md"
            renamed = reported.replace(self.gone[0], session).replace(Path(state).name, Path(name).name)
            (self.store / f"journal/{session}.jsonl").write_text(renamed)
            Path(name).write_text(_done(text) if number % 2 else text)
            status = "completed" if number % 2 else "active"
            self.remember(session, [{"kind": "hub", "wrote": {"Status": status}}])
        for _ in range(before, count + survey.LATER, survey.LATER):  # and have been read, some each time
            self.cli("settle", "--session", self.session)

    def remember(self, session: str, facts: list[dict[str, Any]], at: float = 0.0) -> None:
        """Write facts into a session's journal, all with one time."""
        path = self.store / f"journal/{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.writelines(json.dumps({"at": at or time.time(), **fact}) + "\n" for fact in facts)

    def _history(self, number: int) -> str:
        """Leave behind an ended session with a state file and a journal, and return its id."""
        session = new()
        facts: list[dict[str, Any]] = [
            {"kind": "start", "process": "gone", "host": os.uname().nodename, "root": str(self.project)},
            {"kind": "prompt", "text": f"Piece of work number {number}"},
            *({"kind": "edit", "tool": "Edit", "path": f"src/file{line % 20}.py"} for line in range(LINES)),
            {"kind": "due"},
        ]
        self.remember(session, [*facts, {"kind": "end", "reason": "other"}], time.time() - 3600)
        self.cli("settle", "--session", session)
        return session


def new() -> str:
    """Return a fresh session id."""
    return str(uuid.uuid4())


def _done(text: str) -> str:
    """Return a state file whose work is completed, where its shape has a word for that."""
    for word in ("in_progress", "active"):
        text = text.replace(f"tatus: {word}", "tatus: completed").replace(f"Status:** {word}", "Status:** completed")
    return text


def _grown(event: str, size: int) -> dict[str, Any]:
    """Return what is sent with an event, with a text of so many characters in it where it has one."""
    fields = EVENTS[event]
    keys = _LONG.get(event)
    if not (size and keys):
        return fields
    *outer, last = keys
    words = ("word " * (size // 5 + 1))[:size]
    return {**fields, outer[0]: {**fields[outer[0]], last: words}} if outer else {**fields, last: words}


def _fact(number: int) -> dict[str, Any]:
    """Return one line of a long session's journal."""
    path = f"src/module_{number // 2 % _FILES}.py"
    kinds: tuple[dict[str, Any], ...] = (
        {"kind": "attempt", "tool": "Edit", "path": path},
        {"kind": "edit", "tool": "Edit", "path": path},
    )
    if number % 50 == 0:
        return {"kind": "prompt", "text": f"Now do part {number} of the work, and say what is left of it"}
    if number % 50 == 1:
        return {"kind": "answer", "text": f"Part {number} is done; the next one is open", "background": []}
    return kinds[number % 2]


def _commands() -> list[bytes]:
    """Return the command lines of all processes."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            found.append(file.read())
    return found
