"""What the command line of a client tells: whether a program runs it, and which session it forks."""

import os

from holdfast.core import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def has_prompt() -> bool:
    """Return whether the client that runs this hook was started with a prompt in its command line."""
    words = process.arguments(os.getppid())
    return any(word in ("-p", "--prompt") or word.startswith("--prompt=") for word in words)


def forked(words: "Sequence[str]") -> str:
    """Return the session after `--resume` or `-r` if `--fork-session` is there too, "" for none."""
    flag = next((number for number, word in enumerate(words) if word in ("--resume", "-r")), len(words))
    return "".join(words[flag + 1 : flag + 2]) if "--fork-session" in words else ""
