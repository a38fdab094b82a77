"""The texts of a loop: as a command is given them, as lines for people, and as values for JSON."""

import click

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.memory.loops.loop import KIND, Loop
from holdfast.project import ids
from holdfast.trust import safe

_STDIN = 0
_SHOWN = (
    ("Captured", "captured"),
    ("Context", "context"),
    ("Question", "question"),
    ("Explored since", "started"),
    ("Approach", "approach"),
    ("Closed", "closed"),
    ("Outcome", "result"),
    ("Evidence", "evidence"),
    ("Decision", "decision"),
)


def texts_of(**texts: str) -> dict[str, str]:
    """Return the texts; one that is `-` is read from standard input."""
    dashes = [name for name, text in texts.items() if text == "-"]
    if len(dashes) > 1:
        raise click.UsageError("Only one of the texts can be read from standard input.")
    for name in dashes:
        try:
            texts[name] = files.read_all(_STDIN).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HoldfastError("Standard input is not UTF-8. Give plain text.") from None
    return texts


def draft(title: str) -> tuple[str, list[str]]:
    """Return the title on one line, and the lines of a loop to be completed; HoldfastError without a title."""
    from holdfast.memory.loops import lifecycle
    from holdfast.memory.loops.elements import tidy

    words = " ".join(tidy(title).split())
    if not words:
        raise HoldfastError('The title is empty. Give one, such as: holdfast loop draft "Which sources are in scope?"')
    fields = {"title": words, "context": "[where it comes from]", "question": "[what is to be answered]"}
    return words, lifecycle.composed(b"", None, "LOOP-NNN", fields)


def titled(loop: Loop) -> str:
    """Return id and title of a loop as the end of a sentence."""
    title = safe.line(loop.title)
    return f"{loop.ident}: {title}" + ("" if title.endswith((".", "?", "!", "…")) else ".")


def bare(loop: Loop, given: dict[str, str]) -> Loop:
    """Return a loop without what its file says: its id, its status, and the texts that a command was given."""
    from holdfast.memory.loops.elements import tidy

    empty = Loop(loop.ident, 0, 0, 0)
    empty.status = loop.status
    for name, text in given.items():
        setattr(empty, name, tidy(text))
    return empty


def renamed(loops: list[Loop], loop: Loop, requested: str) -> list[str]:
    """Return a line if a merge gave a requested id to one loop and took it from another, which may be meant."""
    from holdfast.memory.loops import book

    ident = ids.parse(KIND, requested)
    if loop.ident != ident:
        return [f"{ident} is {loop.ident} since a merge."]
    return [f"Before a merge, {ident} was also the id of {titled(one)}" for one in book.formerly(loops, ident)]


def lines(loop: Loop) -> list[str]:
    """Return id, title and status of a loop, then what it says; a text of several lines goes below its label."""
    texts = [(label, safe.safe(loop.text(field))) for label, field in _SHOWN if loop.text(field)]
    head = f"{loop.ident}: {safe.safe(loop.title)} ({safe.line(loop.status, 40)})"
    return [head] + [f"{label}:\n{_indented(text)}" if "\n" in text else f"{label}: {text}" for label, text in texts]


def _indented(text: str) -> str:
    return "\n".join(line and f"  {line}" for line in text.split("\n"))
