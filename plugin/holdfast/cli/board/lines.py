"""The lines of the board's list, without Textual, and its first picture; and what the board runs beside itself.

It is painted before Textual is there, which takes longer to load than the sessions.
"""

import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from holdfast.cli import screen
from holdfast.cli.tables import age
from holdfast.context.short_lists import cut
from holdfast.core import process
from holdfast.core.errors import HoldfastError
from holdfast.core.words import width
from holdfast.overview.board import GROUPS, Resumption, Row
from holdfast.project import paths
from holdfast.trust import safe

KEYS = (
    ("Enter", "resume the session; the board returns when the client ends"),
    ("p", "pause it, with a hand-over for the next session"),
    ("c", "close it, and see what is left to do"),
    ("s", "sweep: show silent open work, with the evidence"),
    ("d", "show what happened that its state file does not say"),
    ("/", "search all that was asked, answered and decided; Escape ends it"),
    ("Tab", "go to the other side; arrow keys move and scroll"),
    ("?", "show this help"),
    ("q", "quit"),
)
_AGE, _TASKS, _BRANCH = 6, 5, 20  # columns
_WIDE, _WIDEST = 48, 72  # columns of the list from which on there are tasks, and the branch too
_MARKS = {"live": "●", "stale": "!"}
_STYLES = {"live": "green", "stale": "yellow"}


def under_headings(rows: "Sequence[Row]") -> "list[Row | str]":
    """Return rows, which are ordered by group, with the name of each group and its number of sessions above."""
    found: list[Row | str] = []
    for name in GROUPS:
        members = [row for row in rows if row.group == name]
        found += [f"{name.capitalize()} ({len(members)})", *members] if members else []
    return found


def cells(row: "Row", columns: int) -> list[tuple[str, str]]:
    """Return a row as texts with their styles, which together have so many columns."""
    parts = [(_fit(_last_active(row), _AGE, right=True), "dim")]
    if columns >= _WIDE:
        parts.insert(0, (_fit(row.tasks, _TASKS, right=True), ""))
    if columns >= _WIDEST:
        parts.append((_fit(row.branch, _BRANCH), "dim"))
    room = max(1, columns - 2 - sum(width(text) + 1 for text, _ in parts))
    style = _STYLES.get(row.process, "")
    pairs = [(f"{_MARKS.get(row.process, ' ')} ", style)]
    for text, each in [(_fit(row.title, room), style), *parts]:
        pairs += [(text, each), (" ", "")]
    return pairs


def _last_active(row: "Row") -> str:
    """Return how long ago a session was last active, "" for unknown."""
    return age(max(0.0, time.time() - row.last_active)) if row.last_active else ""


def _fit(text: str, columns: int, *, right: bool = False) -> str:
    """Return a text cut or filled up to so many columns."""
    shown = cut(text, columns)
    blank = " " * (columns - width(shown))
    return blank + shown if right else shown + blank


def summary(rows: "Sequence[Row]", sought: str) -> str:
    """Return how many sessions there are in each group; `sought` is what was searched for."""
    counts = {name: sum(row.group == name for row in rows) for name in GROUPS}
    shown = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "no session"
    return f"{shown} with {sought!r}" if sought else shown


_WIDTH, _LEAST, _MOST = 40, 30, 76  # of the list: percent of the columns, and its limits in columns; see `BoardApp.CSS`
_FRAME = 2  # lines above and below the list
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?1049l\x1b[?25h"  # the screen of applications, without cursor

_REVERSE, _PLAIN = "\x1b[7m", "\x1b[0m"


@contextmanager
def shown(rows: "Sequence[Row]") -> "Iterator[None]":
    """Show the list while the application is loaded, which then draws over it; after a failure the screen is left."""
    size = shutil.get_terminal_size()
    sys.stdout.write(_ENTER + painted(rows, (size.columns, size.lines)))
    sys.stdout.flush()
    try:
        yield
    except BaseException:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
        raise


def painted(rows: "Sequence[Row]", size: tuple[int, int]) -> str:
    """Return what draws the top line and the list as the application does, on a screen of so many columns and lines."""
    columns, height = size[0], max(0, size[1] - _FRAME)
    headed = under_headings(rows)
    room = min(columns, max(_LEAST, min(_MOST, columns * _WIDTH // 100))) - (len(headed) > height)
    drawn = [screen.paint(cut(f" holdfast: {summary(rows, '')}", columns - 1), "bold")]
    chosen = next((at for at, line in enumerate(headed) if not isinstance(line, str)), -1)
    for at, line in enumerate(headed[:height]):
        texts = [(line, "bold")] if isinstance(line, str) else cells(line, room)
        reverse = _REVERSE if at == chosen else ""
        drawn.append("".join(reverse + screen.paint(text, style) for text, style in texts) + _PLAIN)
    return "".join(f"\x1b[{at};1H{text}" for at, text in enumerate(drawn, 1))


_RETURN = "\nPress Enter to return to the board."


def printed(root: str, words: "Sequence[str]", size: tuple[int, int], environment: "dict[str, str]") -> tuple[int, str]:
    """Run a command of holdfast in a working tree; return its exit code and what it reports.

    `size` is that of the terminal for which the command prints: columns and lines.
    """
    import subprocess  # the first picture does not wait for it

    columns, lines = size
    done = subprocess.run(
        _command(root, words),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**environment, screen.FORCED: f"{columns}x{lines}"},
    )
    return done.returncode, safe.plain(done.stdout.decode("utf-8", "replace")).strip("\n")


def client_program(resumption: "Resumption", environment: "dict[str, str]") -> str:
    """Return the path of the client's program; HoldfastError if it is not on PATH."""
    program = shutil.which(resumption.command[0], path=environment.get("PATH"))
    if not program:
        raise HoldfastError(f"{resumption.command[0]} is not on PATH. Install that client, then resume again.")
    return program


def run_client(resumption: "Resumption", program: str, environment: "dict[str, str]") -> None:
    """Run the client in this terminal until it ends; after a failure the user reads what was printed."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the client; this handler ends at its start
    try:
        failed = _failed([program, *resumption.command[1:]], resumption.folder, environment)
    finally:
        signal.signal(signal.SIGINT, before)
    if failed:
        sys.stdout.write(_RETURN)
        sys.stdout.flush()
        sys.stdin.readline()


def _failed(command: "Sequence[str]", folder: str, environment: "dict[str, str]") -> bool:
    """Run a command in this terminal, and return whether it failed; why it cannot be started is printed."""
    import subprocess

    try:
        return bool(subprocess.run(command, check=False, cwd=folder, env=environment).returncode)
    except OSError as error:
        sys.stdout.write(f"holdfast: {error.filename}: {error.strerror}\n")
        return True


def _command(root: str, words: "Sequence[str]") -> list[str]:
    return [*process.interpreter(), paths.CLI, "-C", root, *words]
