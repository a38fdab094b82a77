"""One thing that is read: how it is tried, what it is made of, and how many inputs a run of the tests gives it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).with_name("corpus")


class Target(NamedTuple):
    """`check` takes an input and raises for whatever must not be; `seeds` are inputs as people and programs give them.

    `words` are what means something in this format, `inputs` how many mutated ones a run of all tests tries, `longest`
    how many bytes of one thing over and over are tried for how the time grows.
    """

    name: str
    check: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...]
    inputs: int = 250
    longest: int = 1 << 15

    @property
    def corpus(self) -> list[Path]:
        """The inputs that were kept, by name: what broke something once, and what leads far into the code."""
        folder = CORPUS / self.name
        return sorted(folder.iterdir()) if folder.is_dir() else []

    def known(self) -> list[bytes]:
        """Return all inputs from which others are made."""
        return [*self.seeds(), *(path.read_bytes() for path in self.corpus)]
