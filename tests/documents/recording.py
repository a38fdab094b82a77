"""A recording of a real client in a terminal: work, `/compact`, quit, list, and a start that remembers.

The model is scripted. What it answers in the end is only answered when holdfast's text is in its request.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.client.api import text, text_of, tool
from tests.client.claude import READY, TOOLS
from tests.client.terminal import Terminal
from tests.documents.svg import TYPED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.client.terminal import Cell

SIZE = (80, 24)
SHELL = ["bash", "--norc", "--noprofile", "-i"]
FILES = ("src/parser.py", "tests/test_parser.py")
ASKED = "Parse the invoices of the north branch"
STOPPED = "Headers are read. The totals are next."
TURNS = (
    ("Are the dates in UTC?", "I do not know yet: the export does not say."),
    ("Keep that question", "It is in LOOPS.md now."),
    ("Write the tests", "The tests are written."),
)
REMEMBERS = "The totals of the invoices, and the question about UTC is open."


@dataclass(frozen=True)
class Frame:
    """A screen, by rows of cells, and for how many seconds it is shown."""

    name: str
    seconds: float
    rows: list[list[Cell]]


class _Camera:
    """Types into a terminal and keeps what it shows."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.frames: list[Frame] = []

    def take(self, name: str, seconds: float) -> None:
        """Keep the screen as it is, once it does not change any more."""
        before: list[list[Cell]] = []
        end = time.monotonic() + 20
        while (rows := self._terminal.cells()) != before and time.monotonic() < end:
            before = rows
            time.sleep(1)
        self.frames.append(Frame(name, seconds, rows))

    def say(self, words: str, until: str, name: str, seconds: float = 2.0) -> None:
        """Type words, keep them as they are typed, press Return, and keep what comes of it."""
        self._terminal.send(words, lambda: self.take(name + TYPED, 1.2))
        self._terminal.wait_for(until, 90)
        self.take(name, seconds)


def record(client: Claude, api: Api) -> list[Frame]:
    """Play the scene in the client's project, which was prepared; the plugin is installed."""
    writes = [tool("Write", file_path=str(client.project / name), content="x = 1\n") for name in FILES]
    loop = tool("Bash", command="holdfast loop add 'Are the dates in UTC?'", description="Keep the question")
    api.script([writes[0]], [text(STOPPED)], [text(TURNS[0][1])], [loop], [text(TURNS[1][1])])
    api.script([writes[1]], [text(TURNS[2][1])], [text(REMEMBERS)])
    environment = {**client.env, "PS1": "$ ", "BASH_SILENCE_DEPRECATION_WARNING": "1"}
    with Terminal(SHELL, client.project, environment, SIZE) as terminal:
        camera = _Camera(terminal)
        camera.say("claude", READY, "begin")
        camera.say(ASKED, STOPPED, "work", 2.5)
        for prompt, answer in TURNS:
            camera.say(prompt, answer, prompt)
        camera.say("/compact", "Keep: ", "compaction", 4)
        camera.say("/exit", "Resume this session", "quit")
        camera.say("holdfast list", "Open", "list", 3)
        camera.say("claude", "SessionStart:startup says", "start", 4)
        camera.say("What is next?", REMEMBERS, "remembers", 5)
        terminal.send("/exit")
    # The scripted model only says what holdfast gave it.
    assert ASKED in text_of(api.main_requests()[-1])
    return camera.frames


def prepare(client: Claude, plugin: Path, folder: Path) -> None:
    """Install the plugin, prepare the project, and put both programs on PATH, in a new folder."""
    folder.mkdir()
    (folder / "holdfast").symlink_to(plugin / "bin/holdfast")
    # What the client is allowed is an option, because it asks about a setting.
    options = f"--permission-mode acceptEdits --allowedTools {TOOLS}"
    (folder / "claude").write_text(f'#!/bin/sh\nexec "{client.binary}" {options} "$@"\n')
    (folder / "claude").chmod(0o755)
    client.path = f"{folder}{os.pathsep}{client.path}"
    for words in (["marketplace", "add", str(plugin)], ["install", "holdfast@holdfast-tools"]):
        done = client.plugin(*words)
        assert done.returncode == 0, done.stderr
    for command in (["holdfast", "init", "--shared"], ["git", "add", "."], ["git", "commit", "--quiet", "-m", "Begin"]):
        subprocess.run(command, cwd=client.project, env=client.env, check=True, capture_output=True)
