"""A project with the hooks in it: events are fired as the client fires them, and what came of them is read back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.actions import settle_due
from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.formats import catalogue
from holdfast.journal import log as journal
from holdfast.project import discovery, paths
from holdfast.trust import clone
from tests.client.identity import IDENTITY
from tests.support import inprocess, templates
from tests.support.facts import fold
from tests.support.fences import inside

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 240.0  # seconds for one process, however busy the machine
EVENTS = (
    *(
        "SessionStart",
        "UserPromptSubmit",
        "UserPromptExpansion",
        "PreToolUse",
        "PostToolUse",
        "TaskCreated",
        "TaskCompleted",
    ),
    *(
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "StopFailure",
        "PreCompact",
        "PostCompact",
        "Notification",
        "SessionEnd",
    ),
)
# What the client sends with each event beside the common keys, when a test does not say otherwise.
_FIELDS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "parse the invoices"},
    "UserPromptExpansion": {"expansion_type": "slash_command", "command_name": "other:do", "command_args": ""},
    "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "a.txt"}, "tool_use_id": "toolu_1"},
    "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "a.txt"}, "tool_use_id": "toolu_1"},
    "TaskCreated": {"task_id": "1", "task_subject": "Write tests", "task_description": "All of them"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write tests", "task_description": "All of them"},
    "SubagentStart": {"agent_id": "a877", "agent_type": "general-purpose"},
    "SubagentStop": {"agent_id": "a877", "agent_type": "general-purpose", "last_assistant_message": "looked around"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "half of it is done", "background_tasks": []},
    "StopFailure": {"error": "rate_limit"},
    "PreCompact": {"trigger": "auto", "custom_instructions": ""},
    "PostCompact": {"trigger": "auto", "compact_summary": "<summary>Earlier work.</summary>"},
    "Notification": {"message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt"},
    "SessionEnd": {"reason": "prompt_input_exit"},
}
# Stands in for the command, and tells how it was called.
_TELLING = r"""holdfast() { printf '%s\0' "$#" "$PWD" "$@"; }"""
STATE = """---
session:
  title: "{title}"
  status: {status}
  created: "2025-12-04T14:30:00Z"
  last_updated: "{updated}"

orchestration:
  current_task: "{task}"
  spawned_agents: []
---

# Session: {title}

## Context
Why this is done.

## Current State
{state}

## Next Steps
- {following}
"""


class Reply(NamedTuple):
    """What a process answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The reply as the client reads it."""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer

    @property
    def context(self) -> str:
        """What Claude gets, which is always between two tags."""
        return inside(str(self.json["hookSpecificOutput"]["additionalContext"]))

    @property
    def answer(self) -> str:
        """What a slash command answers: the user is shown a report at once, and Claude gets all else."""
        return str(self.json["stopReason"]) if "stopReason" in self.json else self.context

    @property
    def message(self) -> str:
        """What the user is shown."""
        return str(self.json.get("systemMessage", "")) if self.out else ""


class Project:
    """A real git repository, a home and a plugin data folder of its own, and the plugin as it was copied.

    Hooks and commands run inside the process of the tests. With `processes` each is a process of its own, started from
    the copy of the plugin as the client starts it.
    """

    def __init__(self, folder: Path, plugin: Path, packages: Path, *, processes: bool = False) -> None:
        """Make the repository with one commit."""
        self.folder, self.plugin, self.processes = folder, plugin, processes
        self._waiting: list[inprocess.Call] = []
        self._accepts = True
        self._held = False
        self.parent = 0  # the process that fires the events, 0 for that of the tests
        self.variables: dict[str, str] = {}  # more of the environment, for all processes
        self.root, self.home = folder / "project", folder / "home"
        self.data = self.home / ".claude/plugins/data/holdfast-holdfast-tools"
        self.data.mkdir(parents=True)
        for site in packages.glob("site-*"):
            (self.data / site.name).symlink_to(site)
        shutil.copy(packages / "python", self.data / "python")
        self.root.mkdir()
        templates.put(self.root, _first_commit)

    @property
    def store(self) -> Path:
        """Where the journals are."""
        return self.root / ".git/holdfast"

    @property
    def log(self) -> list[str]:
        """The faults that were logged, for this project and for the plugin as a whole."""
        logs = [folder / "errors.log" for folder in (self.store, self.data)]
        return [line for log in logs if log.is_file() for line in log.read_text().splitlines()]

    def environment(self, session: str = "", /, **changes: str | None) -> dict[str, str]:
        """Return all that a process of the client's finds in its environment; None takes a variable away."""
        given: dict[str, str | None] = {"PATH": os.environ["PATH"], "HOME": str(self.home), **IDENTITY}
        given |= self.variables
        if session:
            given.update(
                CLAUDE_PROJECT_DIR=str(self.root),
                CLAUDE_PLUGIN_ROOT=str(self.plugin),
                CLAUDE_PLUGIN_DATA=str(self.data),
                CLAUDE_CODE_SESSION_ID=session,
            )
        return {name: value for name, value in {**given, **changes}.items() if value is not None}

    def client_lists(self, rows: list[dict[str, str]] | None) -> str:
        """Return a PATH with a `claude` whose `agents --json` prints these sessions; None: it knows no such command."""
        program = self.folder / "client/claude"
        program.parent.mkdir(exist_ok=True)
        answer = "exit 1" if rows is None else f'[ "$*" = "agents --json" ] && echo \'{json.dumps(rows)}\''
        program.write_text(f"#!/bin/sh\n{answer}\n")
        program.chmod(0o755)
        return f"{program.parent}:{os.environ['PATH']}"

    def command(self, event: str) -> list[str]:
        """Return the command line that hooks.json registers for an event."""
        hooks = json.loads((self.plugin / "hooks/hooks.json").read_text())["hooks"]
        (hook,) = hooks[event][0]["hooks"]
        return [word.replace("${CLAUDE_PLUGIN_ROOT}", str(self.plugin)) for word in (hook["command"], *hook["args"])]

    def payload(self, event: str, session: str = "one", **fields: Any) -> dict[str, Any]:
        """Return what the client sends with an event."""
        common = {"session_id": session, "transcript_path": f"{self.home}/t.jsonl", "cwd": str(self.root)}
        return {**common, "hook_event_name": event, **_FIELDS[event], **fields}

    def fire(self, event: str, session: str = "one", **fields: Any) -> Reply:
        """Fire an event of a session; the session's process is the one that runs the tests."""
        return self.send(event, json.dumps(self.payload(event, session, **fields)).encode(), session)

    def send(
        self,
        event: str,
        data: bytes,
        session: str = "one",
        *,
        around: tuple[str, ...] = (),
        cwd: Path | None = None,
        **changes: str | None,
    ) -> Reply:
        """Give an event's hook any bytes; `around` is what its command is wrapped in."""
        environment = self.environment(session, **changes)
        self.accept(cwd)
        if around or self._apart(environment):
            return _run([*around, *self.command(event)], cwd or self.root, environment, data)
        call = inprocess.Call(self.command(event)[-1:], str(cwd or self.root), environment, event, self.parent)
        return self._inside(call, data)

    def edit(self, path: str, session: str = "one", tool: str = "Edit", **fields: Any) -> Reply:
        """Fire what a session's edit of a file fires."""
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        called = {"tool_name": tool, "tool_input": {key: path, "old_string": "two", "new_string": "deux"}}
        return self.fire("PostToolUse", session, **called, **fields)

    def cli(self, *arguments: str, cwd: Path | None = None, **changes: str | None) -> Reply:
        """Run the command as a person would."""
        return self.fed(b"", *arguments, cwd=cwd, **changes)

    def fed(self, data: bytes, *arguments: str, cwd: Path | None = None, **changes: str | None) -> Reply:
        """Run the command with these bytes on its standard input."""
        environment = self.environment(**changes)
        self.accept(cwd)
        if self._apart(environment):
            return _run([str(self.plugin / "bin/holdfast"), *arguments], cwd or self.root, environment, data)
        return self._inside(inprocess.Call([paths.CLI, *arguments], str(cwd or self.root), environment), data)

    def typed(self, line: str, **changes: str | None) -> Reply:
        """Run a line as a person's shell does; it calls the command once, with the words that the shell makes."""
        reported = _run(["sh", "-c", f"{_TELLING}\n{line}"], self.root, self.environment(**changes))
        assert (reported.code, reported.err) == (0, ""), reported
        count, folder, *arguments = reported.out.split("\0")[:-1]
        assert len(arguments) == int(count), reported
        return self.cli(*arguments, cwd=Path(folder), **changes)

    def accept(self, cwd: Path | None = None) -> None:
        """Trust the clone and its settings as its user; not if `accepts` is off, or while there is nothing to trust."""
        for root in {str(self.root), paths.locate(str(cwd or self.root)).root} if self.accepts else ():
            project = paths.locate(root)
            settings = [f"{place}/{paths.SETTINGS}" for place in {project.root, project.target.root}]
            texts = [data for path in settings if (data := files.read_or_none(path)) is not None]
            moves = os.path.isdir(paths.store_outside_git(root)) and not os.path.isdir(
                project.store
            )  # after `git init`
            there = bool(texts or discovery.state_files(root, _patterns(root)).paths)
            if there and project.store and not moves and os.access(os.path.dirname(project.store), os.W_OK):
                for home in (str(self.home), os.environ["HOME"]):
                    with contextlib.suppress(OSError), at_home(home):
                        clone.approve(project, *texts)

    @property
    def accepts(self) -> bool:
        """Whether the user trusts the clone before a hook or command runs."""
        return self._accepts

    @accepts.setter
    def accepts(self, accepts: bool) -> None:
        self._accepts = accepts
        for home in () if accepts else (str(self.home), os.environ["HOME"]):
            with at_home(home):
                clone.revoke(paths.locate(str(self.root)))

    def _apart(self, environment: dict[str, str]) -> bool:
        """Whether a program has to run in a process of its own."""
        return self.processes or not inprocess.possible(environment)

    def _inside(self, call: inprocess.Call, data: bytes = b"") -> Reply:
        """Run a program in this process, and after it what it left for the background."""
        done = inprocess.run(call, data)
        self._waiting += done.later
        if not self._held:
            self._work_off()
        return Reply(done.code, os.fsdecode(done.out), os.fsdecode(done.err))

    def _work_off(self) -> None:
        """Do all that waits for the background."""
        while self._waiting:
            self._waiting += inprocess.run(self._waiting.pop(0)).later

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        """Let the background get to nothing before the end of this block."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._work_off()

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run git as a made-up person, and return what it printed."""
        done = _run(["git", *arguments], cwd or self.root, self.environment())
        assert done.code == 0, done.err
        return done.out

    def staged(self, cwd: Path | None = None) -> list[str]:
        """Return what is staged."""
        return self.git("diff", "--cached", "--name-only", "-z", cwd=cwd).split("\0")[:-1]

    def facts(self, session: str = "one", kind: str = "") -> list[dict[str, Any]]:
        """Return a session's facts, all or of one kind."""
        found = journal.read(str(self.store), session)
        return [{**fact} for fact in found if fact["kind"] == kind or not kind]

    def remember(self, session: str, *facts: dict[str, Any], at: float = 0.0) -> None:
        """Write a journal by hand: facts of a session, with a time that the test chooses."""
        (self.store / "journal").mkdir(parents=True, exist_ok=True)
        (self.store / "live").mkdir(exist_ok=True)
        (self.store / "live" / session).touch()
        with (self.store / "journal" / f"{session}.jsonl").open("a") as file:
            file.writelines(json.dumps({"at": at or time.time(), **fact}) + "\n" for fact in facts)

    def state_files(self) -> list[Path]:
        """Return the project's state files, where new ones are made."""
        return sorted([*self.root.glob(".agents/sessions/*.md"), *self.root.glob(".project/sessions/*/STATE.md")])

    def write_state(self, name: str = "20251204-143000-parser.md", root: Path | None = None, **words: str) -> Path:
        """Write a state file as a person or another tool would have."""
        path = (root or self.root) / ".agents/sessions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        defaults = {"title": "The parser", "status": "in_progress", "updated": "2025-12-04T14:30:00Z", "task": "lexing"}
        path.write_text(STATE.format(**{**defaults, "state": "Lexer done.", "following": "Parse.", **words}))
        return path

    def settled(self, *idents: str) -> None:
        """Wait until every fact of these sessions, or of all, is settled, and no settle is under way any more."""
        self._work_off()
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            known = idents or tuple(journal.sessions(str(self.store)))
            if not any(self.is_due(ident) for ident in known) and not self.settling():
                return
            time.sleep(0.02)
        raise TimeoutError([self.facts(ident) for ident in known])

    def is_due(self, ident: str) -> bool:
        """Whether a settle has something to write of a session."""
        return is_due(self.root, ident, self.facts(ident))

    def rested(self) -> None:
        """Wait until no settle is under way any more, whatever came of it."""
        self._work_off()
        end = time.monotonic() + LIMIT
        while self.settling():
            assert time.monotonic() < end
            time.sleep(0.05)

    def settling(self) -> bool:
        """Whether some process settles a place in this test's folder."""
        return any(str(self.folder) in command and "settle" in command for command in running().values())


class Claude:
    """A process that fires events as its own, and can be killed like a client."""

    _LOOP = """
import json, subprocess, sys
for line in sys.stdin:
    command, folder, environment, data = json.loads(line)
    done = subprocess.run(command, cwd=folder, env=environment, input=data.encode(), capture_output=True)
    print(json.dumps([done.returncode, done.stdout.decode(), done.stderr.decode()]), flush=True)
"""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._process = subprocess.Popen(
            [sys.executable, "-c", self._LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def fire(self, event: str, session: str, **fields: Any) -> Reply:
        """Fire an event from this process."""
        assert self._process.stdin
        assert self._process.stdout
        data = json.dumps(self.project.payload(event, session, **fields))
        job = [self.project.command(event), str(self.project.root), self.project.environment(session), data]
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return Reply(*json.loads(self._process.stdout.readline()))

    def kill(self) -> None:
        """End it as `kill -9` does, and let nothing of it remain."""
        self._process.kill()
        self._process.communicate()


_SHIPPED = catalogue.known("", Cache("")).patterns
_OTHERS = (
    paths.SETTINGS,
    *discovery.PATHS,
    "*/LOOPS.md",
    "*/*/LOOPS.md",
    ".*/*/*/LOOPS.md",
    "ROADMAP.md",
    "*/ROADMAP.md",
    ".*/ROADMAP.md",
)


def _patterns(root: str) -> tuple[str, ...]:
    """Return the patterns of the files that a user of the project writes."""
    own = os.path.join(root, paths.SETTINGS)
    with contextlib.suppress(OSError):
        if os.path.isfile(own) and os.path.getsize(own):
            return (*catalogue.known(root, Cache("")).patterns, *_OTHERS)
    return (*_SHIPPED, *_OTHERS)


def _first_commit(folder: Path) -> None:
    """Make a repository with one commit, and nothing in it."""
    for arguments in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        done = _run(["git", *arguments], folder, {"PATH": os.environ["PATH"], **IDENTITY})
        assert done.code == 0, done.err


def is_due(root: Path, session: str, facts: list[dict[str, Any]]) -> bool:
    """Whether a settle of a project has something to write of a session with these facts."""
    return fold(session, facts).settling.unsettled and settle_due.after_turn(paths.locate(str(root)), session)


def running() -> dict[int, str]:
    """Return the command lines of all processes."""
    if os.path.isdir("/proc/self"):
        return {int(name): _command_of(name) for name in os.listdir("/proc") if name.isdecimal()}
    reported = _run(["ps", "-axww", "-o", "pid=,command="], Path("/"), dict(os.environ)).out.splitlines()
    return {int(pid): command for pid, _, command in (line.strip().partition(" ") for line in reported)}


def _command_of(pid: str) -> str:
    """Return the command line of a process, "" when it has just gone."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", " ")
    except OSError:
        return ""


def _run(command: list[str], folder: Path, environment: dict[str, str], data: bytes = b"") -> Reply:
    """Run a command to its end with nothing but this environment."""
    done = subprocess.run(
        command, cwd=folder, env=environment, input=data, capture_output=True, timeout=LIMIT, check=False
    )
    return Reply(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


@contextlib.contextmanager
def at_home(home: str) -> Iterator[None]:
    """Let this process have another home directory."""
    before = os.environ["HOME"]
    os.environ["HOME"] = home
    try:
        yield
    finally:
        os.environ["HOME"] = before


@pytest.fixture
def here(request: pytest.FixtureRequest, tmp_path: Path, plugin_copy: Path, packages: Path) -> Project:
    """Give a project that holdfast was not yet prepared for."""
    processes = request.node.get_closest_marker("processes") is not None
    return Project(tmp_path, plugin_copy, packages, processes=processes)


@pytest.fixture
def prepared(here: Project) -> Project:
    """Give a project after `holdfast init`."""
    (here.root / ".agents").mkdir()
    (here.root / ".agents/holdfast.toml").touch()
    here.accept()
    return here
