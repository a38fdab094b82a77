"""The board: how soon its list is drawn, and what it costs while nothing happens. `python -m tests.benches.board`."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benches.measure import HEAD, ROUNDS, against_bare
from tests.benches.project import STATE_FILES, Bench

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (10, 1_000, 10_000)  # sessions, each with a state file
LIMITED = 1_000  # the size that the limits are for
FIRST = 0.4  # seconds to the first picture: the least of all rounds
IDLE = 0.01  # of one processor while nothing happens
GROWTH = 8.0  # times the first picture of the smallest size, at the largest
MEMORY = {1_000: 120, 10_000: 400}  # MB by size
_SHOWN, _WHOLE = b"Piece of work", b"STATE FILE"  # the beginning of every title; a heading of the right side
_WINDOW = (40, 120)  # lines and columns
_WATCHED = 20.0  # seconds for which an idle board is watched
_QUIET = 0.1  # of a processor, below which it has read all
_PATIENCE = 120.0  # seconds until then


@contextlib.contextmanager
def opened(bench: Bench) -> Iterator[tuple[int, int]]:
    """Open the board in a terminal; give its process and the other end of the terminal, and end it."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, _WINDOW)
    command = [str(bench.plugin / "bin/holdfast"), "board"]
    environment = {**bench.env, "TERM": "xterm-256color"}
    board = subprocess.Popen(
        command, env=environment, cwd=bench.project, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    try:
        yield board.pid, master
    finally:
        board.send_signal(signal.SIGKILL)
        board.wait()
        os.close(master)


def appears(bench: Bench, text: bytes) -> float:
    """Return the seconds from the start of the process until a text is on the screen."""
    began, seen = time.perf_counter(), b""
    with opened(bench) as (_, master):
        while text not in seen:
            seen += os.read(master, 65536)
        return time.perf_counter() - began


def idle(bench: Bench) -> tuple[float, float]:
    """Return the share of a processor that an idle board takes, and its memory in MB."""
    with opened(bench) as (pid, master):
        end, before = time.monotonic() + _PATIENCE, 0.0
        _drained(master, 2.0)
        while _used(pid) - before > 2.0 * _QUIET and time.monotonic() < end:
            before = _used(pid)
            _drained(master, 2.0)
        before = _used(pid)
        _drained(master, _WATCHED)
        share = (_used(pid) - before) / _WATCHED
        status = Path(f"/proc/{pid}/status").read_text()
    return share, int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _drained(master: int, seconds: float) -> None:
    """Read what the board draws for some seconds, as a terminal does."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([master], [], [], left)[0]:
            os.read(master, 65536)


def _used(pid: int) -> float:
    """Return the seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def reported(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    bench, before = Bench(folder, plugin), STATE_FILES
    head = f"| sessions | {HEAD} | both sides, min ms | idle, of a processor | MB |"
    lines, wrong, firsts = [head, "|---" * 8 + "|"], [], []
    for size in SIZES:
        bench.past(size, before)
        bench.cli("list", "--all")  # which reads them all
        before = size
        found = against_bare(bench.bare, {"first": partial(appears, bench, _SHOWN)}, rounds)["first"]
        whole = min(appears(bench, _WHOLE) for _ in range(rounds)) * 1000
        share, memory = idle(bench)
        firsts.append(found.least)
        lines.append(f"| {size:,} | {found.cells} | {whole:.0f} | {share:.2%} | {memory:.0f} |")
        wrong += [f"{memory:.0f} MB at {size:,}, limit {MEMORY[size]}"] if memory > MEMORY.get(size, memory) else []
        if size == LIMITED:
            wrong += [f"first picture: {found.least:.2f} s, limit {FIRST} s"] if found.least > FIRST else []
            wrong += [f"idle board: {share:.2%} of a processor, limit {IDLE:.0%}"] if share > IDLE else []
    times = firsts[-1] / firsts[0]
    wrong += [f"first picture at {SIZES[-1]:,}: {times:.2f} x {SIZES[0]}, limit {GROWTH}"] if times > GROWTH else []
    return "\n".join(lines), wrong


def main() -> int:
    """Print the table; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Path(folder) / "board")
    print(table)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
