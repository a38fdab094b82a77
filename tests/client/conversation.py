"""One client process that is given prompt after prompt, as a program that talks to it would."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Line = dict[str, Any]

SAY_LIMIT = 90.0
END_LIMIT = 30.0


class Conversation:
    """A running client and all that it has said; use it as a context manager, whose end closes its input.

    A prompt is given once the answer to the one before is there: prompts that wait would be taken as one.
    """

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        """Start the client, which says nothing before the first prompt."""
        self.lines: list[Line] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )
        self._heard: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        """Give the running client."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *failure: object) -> None:
        """End it, at once where something went wrong."""
        if kind:
            self._kill()
        self.close()

    def say(self, prompt: str, timeout: float = SAY_LIMIT) -> list[Line]:
        """Give a prompt, and return all that the client says up to the result of it."""
        spoken = {"type": "user", "message": {"role": "user", "content": prompt}}
        assert self._process.stdin
        with suppress(BrokenPipeError):  # of a client that is gone, which is reported below
            self._process.stdin.write(json.dumps(spoken) + "\n")
            self._process.stdin.flush()
        stated: list[Line] = []
        end = time.monotonic() + timeout
        while not stated or stated[-1].get("type") != "result":
            stated.append(self._next(prompt, end))
        return stated

    def close(self) -> None:
        """Close the input, wait for the end, and leave no process behind."""
        if self._errors.closed:
            return
        assert self._process.stdin
        assert self._process.stdout
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(END_LIMIT)
        except subprocess.TimeoutExpired:
            self._kill()
        self._reader.join(END_LIMIT)
        self._process.stdout.close()
        self._errors.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(END_LIMIT)

    def _next(self, prompt: str, end: float) -> Line:
        """Return the next line, or fail with what was received so far."""
        try:
            line = self._heard.get(timeout=max(end - time.monotonic(), 0))
        except queue.Empty:
            raise TimeoutError(f"no answer to {prompt!r} in time: {self._last_words()}") from None
        if line is None:
            raise EOFError(f"the client ended at {prompt!r}: {self._last_words()}")
        return line

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            stated = json.loads(line)
            self.lines.append(stated)
            self._heard.put(stated)
        self._heard.put(None)

    def _last_words(self) -> str:
        self._errors.seek(0)
        errors = self._errors.read().decode(errors="replace")
        return "\n".join([*(json.dumps(line)[:500] for line in self.lines[-5:]), errors[-2000:]])
