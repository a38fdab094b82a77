"""The command `demo`: a recorded session, played through the hooks in a scratch project, one screen for each step."""

import textwrap

import click

from holdfast.actions import demo as recorded
from holdfast.cli import screen
from holdfast.cli.app import cli, say
from holdfast.cli.output import is_json, report, reports

_READERS = {"user": "You see:", "claude": "Claude is told:", "file": "The state file says:"}
_SIZE = 80, 24  # columns and lines of a screen
_TAKEN = 5  # lines for the title, what happens, and the question for the next step


@cli.command()
@reports
def demo() -> None:
    """Play a recorded session in a scratch project, which is removed at the end.

    It needs no client and no account. In a terminal Enter shows the next screen, and the last one is the board.
    """
    scratch = recorded.Scratch()
    try:
        shown = [_show(number, one) for number, one in enumerate(recorded.play(scratch), 1)]
        if screen.can_ask() and not is_json():
            _open_board(scratch)
    finally:
        scratch.close()
    report({"screens": shown}, "The scratch project is gone. In a project of yours: holdfast init")


def _show(number: int, one: recorded.Screen) -> "dict[str, object]":
    """Print one screen, wait for Enter where a person reads, and return the screen as a row of JSON."""
    if not is_json():
        if number > 1 and screen.can_ask():
            click.prompt("Enter: next", default="", show_default=False, prompt_suffix="")
            click.clear()
        say(*lines(number, one))
    parts = [{"reader": part.reader, "text": part.text} for part in one.parts]
    return {"title": one.title, "text": one.text, "parts": parts}


def lines(number: int, one: recorded.Screen) -> list[str]:
    """Return a screen as lines: at most 24 lines of at most 80 columns."""
    columns, height = _SIZE
    room = height - _TAKEN
    shown = [screen.paint(f"{number}. {one.title}", "bold"), *screen.fold(one.text, columns)]
    for left, part in zip(range(len(one.parts), 0, -1), one.parts, strict=True):
        quoted = _quoted(part.text, room // left - 2)
        room -= len(quoted) + 2
        shown += ["", screen.paint(_READERS.get(part.reader, f"$ {part.reader}"), "cyan"), *quoted]
    return [*shown, ""]


def _quoted(text: str, most: int) -> list[str]:
    """Return at most so many lines of a text, indented, and how many more there are."""
    columns = _SIZE[0] - 2
    whole = [part for line in text.strip("\n").split("\n") for part in textwrap.wrap(line, columns) or [""]]
    kept = whole if len(whole) <= most else whole[: most - 1]
    left = len(whole) - len(kept)
    return [
        *(f"  {line}".rstrip() for line in kept),
        *([screen.paint(f"  ({left} more lines)", "dim")] if left else []),
    ]


def _open_board(scratch: recorded.Scratch) -> None:
    """Open the board of the scratch project; the user leaves it with q."""
    click.prompt("Enter: the board (q leaves it)", default="", show_default=False, prompt_suffix="")
    scratch.open_board()
