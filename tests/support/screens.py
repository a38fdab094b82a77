"""A command in a terminal of a chosen size: what a person sees of it, and in which colours."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import termios
import time
from typing import TYPE_CHECKING, NamedTuple

import pyte

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_LIMIT = 60.0  # seconds for one command
_PROMPT = 1  # lines that a shell needs below what a command printed


class Shown(NamedTuple):
    """What a terminal shows: its lines, how many scrolled off, the colours on it, the exit code, and all bytes."""

    lines: list[str]
    gone: int
    colours: set[str]
    code: int
    printed: bytes  # with what was wiped out again

    @property
    def text(self) -> str:
        """All lines in one text."""
        return "\n".join(self.lines)


class _Screen(pyte.HistoryScreen):
    """A screen that draws each character by itself; pyte drops what follows one without a width."""

    def draw(self, data: str) -> None:
        for character in data:
            super().draw(character)


def run(command: list[str], cwd: Path, environment: Mapping[str, str], size: tuple[int, int], typed: str = "") -> Shown:
    """Run a command in a terminal of so many columns and lines, type something, and return what it shows at its end."""
    columns, lines = size
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (lines, columns))
    process = subprocess.Popen(
        command, cwd=cwd, env={"TERM": "xterm-256color", **environment}, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    if typed:
        os.write(master, typed.encode())
    screen = _Screen(columns, lines, history=10_000)
    stream = pyte.ByteStream(screen)
    printed = _read(master, process)
    for data in printed:
        stream.feed(data)
    os.close(master)
    shown = [line.rstrip() for line in screen.display]
    while shown and not shown[-1]:
        shown.pop()
    cells = [cell for row in screen.buffer.values() for cell in row.values() if cell.data.strip()]
    return Shown(
        shown, len(screen.history.top), {cell.fg for cell in cells} - {"default"}, process.returncode, b"".join(printed)
    )


def _read(master: int, process: subprocess.Popen[bytes]) -> list[bytes]:
    """Return what a process prints until its end."""
    found, end = [], time.monotonic() + _LIMIT
    ready = select.poll()  # unlike `select.select` it takes descriptors above 1023
    ready.register(master, select.POLLIN)
    while time.monotonic() < end:
        data = b""
        if ready.poll(50):
            with contextlib.suppress(OSError):  # Linux reports an error where the other end is closed
                data = os.read(master, 65536)
        if data:
            found.append(data)
        elif process.poll() is not None:
            return found
    process.kill()
    process.wait()
    raise TimeoutError(found)
