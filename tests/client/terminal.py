"""A client in a real terminal, driven and read as a person would."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

WAIT_LIMIT = 30.0
END_LIMIT = 10.0
PAUSE = 0.05
COLUMNS, LINES = 160, 50
ARROWS = {"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D"}
KEYS = {"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "BTab": "\x1b[Z", "Space": " ", "BSpace": "\x7f", **ARROWS}

# Only the leader of a session can take a terminal as its own, so the new process does it and then becomes the
# program. Signals that the test run was told to ignore would be ignored by the program as well.
STARTER = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT:
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""

# pyte would show as text what it does not know: strings meant for the terminal, such as titles, and sequences
# with private marks or intermediate characters. A sequence may be cut in two by the reading.
UNKNOWN = re.compile(
    r"\x1b[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[(?!\?[\d;]*[hl]|[\d;]*[@-~])[0-?]*[ -/]*[@-~]",
)
UNFINISHED = re.compile(r"(?:\x1b(?:\[[0-?]*[ -/]*|[]PX^_][^\x07\x1b]*\x1b?)?)?\Z")


class _Stream(pyte.Stream):
    csi = {**pyte.Stream.csi, "S": "scroll_up", "T": "scroll_down"}  # noqa: RUF012 - as pyte has it


class _Screen(pyte.Screen):
    def __init__(self, reply: Callable[[str], None]) -> None:
        self.gone: list[str] = []
        self.write_process_input = reply  # type: ignore[method-assign]
        super().__init__(COLUMNS, LINES)

    def draw(self, data: str) -> None:
        for character in data:  # one by one, as pyte drops what follows a character without width
            super().draw(character)

    def index(self) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom:
            self.gone.append(self._line(top))
        super().index()

    def scroll_up(self, count: int = 1) -> None:
        self._scroll(self.index, count, (self.margins or (0, self.lines - 1))[1])

    def scroll_down(self, count: int = 1) -> None:
        self._scroll(self.reverse_index, count, (self.margins or (0, self.lines - 1))[0])

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        if how == 2:
            self.gone += self.shown()
        if how != 3:  # 3 is to forget what is gone
            super().erase_in_display(how, *args, **kwargs)

    def shown(self) -> list[str]:
        return "\n".join(map(self._line, range(self.lines))).rstrip().split("\n")

    def _line(self, y: int) -> str:
        return "".join(self.buffer[y][x].data for x in range(self.columns)).rstrip()

    def _scroll(self, step: Callable[[], None], count: int, edge: int) -> None:
        before, self.cursor.y = self.cursor.y, edge
        for _ in range(min(count or 1, self.lines)):
            step()
        self.cursor.y = before


class Terminal:
    """A program in a terminal of its own; use it as a context manager."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        """Start the program with exactly this environment."""
        pairs = [f"{name}={value}" for name, value in env.items()]
        start = [sys.executable, "-ISc", STARTER, "env", "-i", *pairs, *command]
        self._master, slave = os.openpty()
        try:
            os.set_blocking(self._master, False)
            termios.tcsetwinsize(slave, (LINES, COLUMNS))
            self._process = subprocess.Popen(
                start, cwd=cwd, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
            )
        except BaseException:
            os.close(self._master)
            raise
        finally:
            os.close(slave)
        self.pid = self._process.pid
        self._lock = threading.Lock()
        self._screen = _Screen(self._write)
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        """Give the running terminal."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it, whatever happened."""
        self.close()

    def send(self, words: str) -> None:
        """Type words, and the Return key once they are on the screen."""
        tail = words.rsplit(maxsplit=1)[-1][-20:]
        before = self.screen().count(tail)
        self._write(words)
        # Keys that come in one burst count as a paste, in which Return is a line break.
        self._until(lambda: self.screen().count(tail) > before, f"{words!r} not typed")
        self.key("Enter")

    def key(self, name: str) -> None:
        """Press one key by its name, such as Escape or C-c."""
        self._write(chr(ord(name[2:].upper()) & 0x1F) if name.startswith("C-") else KEYS[name])

    def screen(self) -> str:
        """Give what has been shown, scrolled-off lines included."""
        with self._lock:
            return "\n".join([*self._screen.gone, *self._screen.shown()])

    def wait_for(self, words: str, timeout: float = WAIT_LIMIT) -> str:
        """Give the screen once it shows the words; fail with the last screen if it never does."""
        self._until(lambda: words in self.screen(), f"{words!r} not on the screen", timeout)
        return self.screen()

    def wait_closed(self, timeout: float = WAIT_LIMIT) -> None:
        """Return once the program has ended by itself and its last words are on the screen."""
        self._until(lambda: self._process.poll() is not None, "still running", timeout)
        self._reader.join(1)  # for good reason not for ever: a child left behind may hold the terminal

    def close(self) -> None:
        """Hang up, as a closed window does, wait for the end and leave nothing behind."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._reader.join()
        os.close(self._master)  # upon which the system sends SIGHUP to the program
        self._master = -1
        try:
            self._process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait(END_LIMIT)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        stream, rest = _Stream(self._screen), ""
        with suppress(OSError):  # nobody writes any more
            while not self._closing.is_set():
                if not select.select([self._master], [], [], PAUSE)[0]:
                    continue
                text = rest + decoder.decode(os.read(self._master, 0x10000))
                rest = UNFINISHED.search(text)[0]
                text = UNKNOWN.sub("", text.removesuffix(rest))
                with self._lock:
                    stream.feed(text)

    def _write(self, text: str) -> None:
        left = text.encode()
        while left:
            if not select.select([], [self._master], [], END_LIMIT)[1]:
                raise TimeoutError(f"{text!r} not read")
            with suppress(BlockingIOError):
                left = left[os.write(self._master, left) :]

    def _until(self, done: Callable[[], bool], complaint: str, timeout: float = WAIT_LIMIT) -> None:
        end = time.monotonic() + timeout
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(f"{complaint} after {timeout:.0f} s:\n{self.screen()}")
            time.sleep(PAUSE)
