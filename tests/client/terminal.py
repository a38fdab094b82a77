"""A client in a real terminal, driven and read through tmux."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

WAIT_LIMIT = 30.0
END_LIMIT = 10.0


class Terminal:
    """A program in a terminal of its own; use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        size: tuple[int, int] = (160, 60),
    ) -> None:
        """Start the program with exactly this environment."""
        # A socket path may have about 100 characters: pytest's own folders are longer.
        self._folder = Path(tempfile.mkdtemp(prefix="term-"))
        self._socket = self._folder / "tmux"
        pairs = [f"{name}={value}" for name, value in env.items()]
        columns, lines = map(str, size)
        self._tmux(
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            "client",
            "-x",
            columns,
            "-y",
            lines,
            "-c",
            str(cwd),
            "env",
            "-i",
            *pairs,
            *command,
        )
        self.pid = int(self._tmux("display-message", "-p", "-t", "client", "#{pane_pid}"))

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
        self._tmux("send-keys", "-t", "client", "-l", words)
        # Keys that come in one burst count as a paste, in which Return is a line break.
        self._until(lambda: self.screen().count(tail) > before, f"{words!r} not typed")
        self.key("Enter")

    def key(self, name: str) -> None:
        """Press one key by its tmux name, such as Escape or C-c."""
        self._tmux("send-keys", "-t", "client", name)

    def screen(self) -> str:
        """Give what has been shown, scrolled-off lines included."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-2000", "-t", "client")

    def wait_for(self, words: str, timeout: float = WAIT_LIMIT) -> str:
        """Give the screen once it shows the words; fail with the last screen if it never does."""
        self._until(lambda: words in self.screen(), f"{words!r} not on the screen", timeout)
        return self.screen()

    def wait_closed(self, timeout: float = WAIT_LIMIT) -> None:
        """Return once the program has ended by itself."""
        self._until(lambda: not self._alive(), "still running", timeout)

    def close(self) -> None:
        """Hang up, as a closed window does, wait for the end and leave nothing behind."""
        self._call("kill-server")
        try:
            self._until(lambda: not self._alive(), "still running", END_LIMIT)
        except TimeoutError:
            os.kill(self.pid, signal.SIGKILL)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def _until(self, done: Callable[[], bool], complaint: str, timeout: float = WAIT_LIMIT) -> None:
        end = time.monotonic() + timeout
        while not done():
            if time.monotonic() > end:
                shown = self._call("capture-pane", "-p", "-t", "client").stdout
                message = f"{complaint} after {timeout:.0f} s:\n{shown}"
                raise TimeoutError(message)
            time.sleep(0.05)

    def _tmux(self, *args: str) -> str:
        done = self._call(*args)
        if done.returncode:
            message = f"tmux {args[0]}: {done.stderr.strip()}"
            raise RuntimeError(message)
        return done.stdout

    def _call(self, *args: str) -> subprocess.CompletedProcess[str]:
        command = ["tmux", "-u", "-S", str(self._socket), *args]
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
