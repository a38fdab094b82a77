"""Folders that an install makes: each is recorded, so that uninstalling removes those that are empty again."""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

MADE = "/folders-made"  # in the data folder: the folders that installs made


def record(data: str, made: list[str]) -> None:
    """Record folders that an install made, so that uninstalling removes them."""
    with open(data + MADE, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(f"{folder}\n" for folder in made)


def make(folder: str, made: list[str], undo: ExitStack) -> None:
    """Make a folder with its parents; an undo removes the empty ones."""
    if not os.path.isdir(folder):
        make(os.path.dirname(folder), made, undo)
        undo.callback(remove, folder)
        os.mkdir(folder)
        made.append(folder)


def read(data: str) -> list[str]:
    """Return the folders that installs made, parents first."""
    with contextlib.suppress(OSError), open(data + MADE, encoding="utf-8", errors="surrogateescape") as file:
        return file.read().splitlines()
    return []


def remove(folder: str) -> None:
    """Remove a folder if it is there and empty."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def unlink(path: str) -> None:
    """Remove a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
