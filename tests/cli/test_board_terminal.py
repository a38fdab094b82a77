"""The board in a real terminal: it hands the screen to the client, and takes it back; and when `holdfast` opens it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.client.terminal import Terminal
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
pytestmark = pytest.mark.processes
SIZES = ((80, 24), (120, 40), (200, 60))
# Stands in for the client: prints how it was called, and ends as requested.
CLIENT = """#!/bin/sh
printf 'The client has %s in %s, NO_COLOR %s\\n' "$*" "$PWD" "$NO_COLOR"
read -r line
printf 'It ends: %s\\n' "$line"
[ "$line" != fail ]
"""


@pytest.fixture
def environment(prepared: Project, tmp_path: Path) -> dict[str, str]:
    """Give the environment of a shell in a project with a session, where the client is on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLIENT)
    (folder / "claude").chmod(0o755)
    begin(prepared, "aaaaaaaa-one", "Parse the invoices")
    found = prepared.environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}", TERM="xterm-256color")
    return {**found, "LANG": "C.UTF-8"}


def begin(project: Project, ident: str, prompt: str) -> None:
    """Let a session of the project have ended with work left."""
    start = {"kind": "start", "root": str(project.root), "folder": str(project.root), "branch": "main"}
    edit = {"kind": "edit", "tool": "Edit", "path": "src/cart.py"}
    project.remember(ident, start, {"kind": "prompt", "text": prompt}, edit, {"kind": "due"})
    project.remember(ident, {"kind": "end", "reason": "other"})
    assert project.cli("settle").code == 0


def shell(project: Project, environment: dict[str, str], size: tuple[int, int], *words: str) -> Terminal:
    """Open a terminal in which `holdfast` runs with these words."""
    return Terminal([str(project.plugin / "bin/holdfast"), *words], project.root, environment, size)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_it_hands_the_terminal_to_the_client(
    prepared: Project, environment: dict[str, str], size: tuple[int, int]
) -> None:
    """Enter runs the client in the session's folder; the board returns; what failed can be read first."""
    assert prepared.cli("pause", "aaaaaaaa").code == 0
    with shell(prepared, {**environment, "NO_COLOR": "1"}, size, "board") as terminal:
        terminal.wait_for("STATE FILE")
        terminal.wait_for("Paused (1)")
        terminal.key("Enter")
        terminal.wait_for(f"The client has --resume aaaaaaaa-one in {prepared.root}"[: size[0]])
        terminal.send("done")
        terminal.wait_for("Paused (1)")  # the next prompt in it ends the pause
        shown = terminal.cells()
        assert "holdfast: 1 paused" in "".join(cell.character for cell in shown[0])
        assert {(cell.colour, cell.background) for row in shown for cell in row} == {("default", "default")}
        terminal.key("Enter")
        terminal.wait_until_shown("The client has")
        terminal.send("fail")
        terminal.wait_for("Press Enter to return to the board.")
        terminal.key("Enter")
        terminal.wait_for("STATE FILE")
        terminal.type("q")
        terminal.wait_closed()


def test_without_a_client_it_says_so(prepared: Project, environment: dict[str, str]) -> None:
    """The board stays."""
    without = {**environment, "PATH": "/usr/bin:/bin"}
    with shell(prepared, without, (120, 40), "board") as terminal:
        terminal.wait_for("STATE FILE")
        terminal.key("Enter")
        terminal.wait_for("claude is not on PATH")
        terminal.type("q")  # closes the message
        terminal.type("q")
        terminal.wait_closed()


def test_holdfast_alone_opens_it_for_several_sessions(prepared: Project, environment: dict[str, str]) -> None:
    """With one session it is the list, as in a pipe and with TERM=dumb."""
    with shell(prepared, environment, (80, 24)) as terminal:
        terminal.wait_closed()
        assert "ID" in terminal.screen()
    begin(prepared, "bbbbbbbb-two", "Move the buttons")
    with shell(prepared, {**environment, "TERM": "dumb"}, (80, 24)) as terminal:
        terminal.wait_closed()
        assert "aaaaaaaa  Parse the invoices" in terminal.screen()
    with shell(prepared, environment, (80, 24)) as terminal:
        terminal.wait_for("holdfast: 2 open")
        terminal.type("q")
        terminal.wait_closed()
    assert prepared.cli().out == prepared.cli("list").out != ""
