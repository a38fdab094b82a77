"""Progress of long work on standard error, where that is a terminal. Only this module and the board import rich."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    Item = TypeVar("Item")

_LONG = 20  # items: fewer are done before a bar is drawn


def each(items: "Sequence[Item]", label: str) -> "Iterator[Item]":
    """Yield items, and show how many are done while they are many; the bar is gone at the end."""
    if len(items) < _LONG or not (sys.stderr and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, console=Console(stderr=True), transient=True)
