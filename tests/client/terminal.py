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
from typing import TYPE_CHECKING, NamedTuple, Self

import pyte

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

WAIT_LIMIT = 30.0
END_LIMIT = 10.0
PAUSE = 0.05
COLUMNS, LINES = 160, 50
KEYS = {"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "BSpace": "\x7f", "Up": "\x1b[A", "Down": "\x1b[B"}

# Only the leader of a session can take a terminal as its own, so the new process does it and then becomes the
# program. Signals that the test run was set to ignore would be ignored by the program as well.
STARTER = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
for number in signal.SIGHUP, signal.SIGINT, signal.SIGQUIT:
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""

# pyte would show as text what it does not know: strings meant for the terminal, such as titles, and sequences
# with private marks or intermediate characters. It also takes 3J, which forgets history, for an empty screen.
UNKNOWN = re.compile(
    r"\x1b[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[3J|\x1b\[(?!\?[\d;]*[hl]|[\d;]*[@-~])[0-?]*[ -/]*[@-~]",
)
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[]PX^_][^\x07\x1b]*\x1b?)?\Z")


class Cell(NamedTuple):
    """A character on a screen, and how it looks: colours are names, six hexadecimal digits or "default"."""

    character: str
    colour: str
    background: str
    bold: bool
    reverse: bool


class _Screen(pyte.Screen):
    """A screen that remembers every line it has shown."""

    def __init__(self, reply: Callable[[str], None], size: tuple[int, int]) -> None:
        super().__init__(*size)
        self.gone: list[str] = []
        self._reply = reply
        self._stream = pyte.Stream(self)

    def feed(self, text: str) -> None:
        before, known = self.shown(), len(self.gone)
        self._stream.feed(text)
        # A client with a screen of its own overwrites lines where others let them scroll off.
        kept = {*self.gone[known:], *self.shown()}
        self.gone[known:known] = [line for line in before if line not in kept]

    def draw(self, data: str) -> None:
        for character in data:  # one by one, as pyte drops what follows a character without width
            super().draw(character)

    def index(self) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom:
            self.gone.append(self.line(top))
        super().index()

    def write_process_input(self, data: str) -> None:
        self._reply(data)

    def shown(self) -> list[str]:
        return "\n".join(map(self.line, range(self.lines))).rstrip().split("\n")

    def cells(self) -> list[list[Cell]]:
        return [[_cell(self.buffer[y][x]) for x in range(self.columns)] for y in range(self.lines)]

    def line(self, y: int) -> str:
        return "".join(self.buffer[y][x].data for x in range(self.columns)).rstrip()


def _cell(char: pyte.screens.Char) -> Cell:
    return Cell(char.data, char.fg, char.bg, char.bold, char.reverse)


class Terminal:
    """A program in a terminal of its own; use it as a context manager."""

    def __init__(
        self, command: Sequence[str], cwd: Path, env: Mapping[str, str], size: tuple[int, int] = (COLUMNS, LINES)
    ) -> None:
        """Start the program with exactly this environment, in a terminal of so many columns and lines."""
        start = [sys.executable, "-ISc", STARTER, "env", "-i", *(f"{k}={v}" for k, v in env.items()), *command]
        self._master, slave = os.openpty()
        try:
            os.set_blocking(self._master, False)
            termios.tcsetwinsize(slave, (size[1], size[0]))
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
        self._screen = _Screen(self._write, size)
        self.hidden: list[str] = []  # the sequences that no screen shows, such as notifications
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        """Give the running terminal."""
        return self

    def __exit__(self, *failure: object) -> None:
        """Close it, whatever happened."""
        self.close()

    def send(self, words: str, typed: Callable[[], None] = lambda: None) -> None:
        """Type words, call `typed` once they are at the cursor, press Return, and see them taken from there."""
        tail = words.rsplit(maxsplit=1)[-1][-20:]
        self._write(words)
        # Keys that come in one burst count as a paste, in which Return is a line break.
        self._until(lambda: self._at_cursor(tail), f"{words!r} not typed")
        typed()
        self.key("Enter")
        # What is typed before the program has emptied its input line would be added to it.
        self._until(lambda: not self._at_cursor(tail) or self._process.poll() is not None, f"{words!r} not taken")

    def key(self, name: str) -> None:
        """Press one key by its name, such as Escape or C-c."""
        self._write(chr(ord(name[2:].upper()) & 0x1F) if name.startswith("C-") else KEYS[name])

    def type(self, text: str) -> None:
        """Press the keys of a text, for a program that has no input line."""
        self._write(text)

    def cells(self) -> list[list[Cell]]:
        """Give what is on the screen now, by rows."""
        with self._lock:
            return self._screen.cells()

    def screen(self) -> str:
        """Give what has been shown, scrolled-off lines included."""
        with self._lock:
            return "\n".join([*self._screen.gone, *self._screen.shown()])

    def wait_for(self, words: str, timeout: float = WAIT_LIMIT, *, after: str = "") -> str:
        """Give the screen once it shows the words, below the last `after`; TimeoutError if it never does."""

        def shows() -> bool:
            screen = self.screen()
            return after in screen and words in screen[screen.rfind(after) if after else 0 :]

        self._until(shows, f"{words!r} not on the screen", timeout)
        return self.screen()

    def wait_until_shown(self, words: str, timeout: float = WAIT_LIMIT) -> None:
        """Return once the words are on the screen now, whatever it has shown before."""
        self._until(lambda: words in self._now(), f"{words!r} not shown", timeout)

    def wait_closed(self, timeout: float = WAIT_LIMIT) -> None:
        """Return once the program has ended by itself and its last words are on the screen."""
        self._until(lambda: self._process.poll() is not None, "still running", timeout)
        self._reader.join(1)  # not for ever, as a child left behind may hold the terminal

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
        rest = ""
        ready = select.poll()  # unlike `select.select` it takes descriptors above 1023
        ready.register(self._master, select.POLLIN)
        with suppress(OSError):  # no program has the terminal any more
            while not self._closing.is_set():
                if not ready.poll(PAUSE * 1000):
                    continue
                text = rest + decoder.decode(os.read(self._master, 65536))
                unfinished = UNFINISHED.search(text)
                rest = unfinished[0] if unfinished else ""
                self.hidden += UNKNOWN.findall(text)
                # pyte has one screen only, so the end of the other one is made an empty one.
                text = UNKNOWN.sub("", text.removesuffix(rest)).replace("\x1b[?1049l", "\x1b[2J")
                with self._lock:
                    self._screen.feed(text)

    def _write(self, text: str) -> None:
        os.write(self._master, text.encode())

    def _at_cursor(self, words: str) -> bool:
        with self._lock:
            return words in self._screen.line(self._screen.cursor.y)

    def _now(self) -> str:
        with self._lock:
            return "\n".join(self._screen.shown())

    def _until(self, done: Callable[[], bool], complaint: str, timeout: float = WAIT_LIMIT) -> None:
        end, held = time.monotonic() + timeout, 0
        while held < 2:  # a picture may come in halves
            held = held + 1 if done() else 0
            if not held and time.monotonic() > end:
                raise TimeoutError(f"{complaint} after {timeout:.0f} s:\n{self.screen()}")
            time.sleep(PAUSE)
