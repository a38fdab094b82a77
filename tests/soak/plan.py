"""What a plan is made of: processes to be, in steps, some of which are to be killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random

KILLS = 0.1  # of all processes


class Call(NamedTuple):
    """One process to be: a hook's event with its fields, or a command's words; and what it is to leave behind.

    `cut` is when it is killed, as a share of the time that such a process takes; 0.0: it is left alone.
    """

    kind: str
    stated: dict[str, Any]
    event: str = ""
    fields: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it
    words: tuple[str, ...] = ()
    cut: float = 0.0


Step = list[Call]  # calls that run at once
CRASH: Step = [Call("crash", {})]  # the client is killed, and the session is picked up in a new one
LEAVE: Step = [Call("leave", {})]  # the session goes back to its own working tree; no event says so
TREE = "TREE"  # in words and fields: the working tree that the session makes for itself


def loop(title: str, chance: random.Random) -> Call:
    """Return the capture of a loop."""
    return Call("loop", {"title": title}, words=("loop", "add", title, "--context", f"on {title}"), cut=cut(chance))


def cut(chance: random.Random) -> float:
    """Return when a process is killed, if it is at all."""
    return chance.uniform(0.02, 1.1) if chance.random() < KILLS else 0.0
