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


def forked(words: "Sequence[str]", resumes: "Sequence[str]" = ("--resume", "-r"), forks: str = "--fork-session") -> str:
    """Return the session after an option that `resumes` it if the one that `forks` is there too, "" for none."""
    flag = next((number for number, word in enumerate(words) if word in resumes), len(words))
    return "".join(words[flag + 1 : flag + 2]) if forks in words else ""
