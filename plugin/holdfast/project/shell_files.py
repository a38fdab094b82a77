"""Completion scripts and the manual page in the folders where shells and `man` look for them."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.errors import HoldfastError
from holdfast.project import made_folders
from holdfast.project.client_registration import last_line, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack


class ShellFile(NamedTuple):
    """A file that `holdfast` prints: for which program, its path below the home, how to print it, and its mark."""

    program: str
    path: str
    arguments: tuple[str, ...]
    mark: str  # a text that only holdfast's own file has


_FILES = (
    ShellFile(
        "bash", ".local/share/bash-completion/completions/holdfast", ("completion", "bash"), "_HOLDFAST_COMPLETE"
    ),
    ShellFile("zsh", ".local/share/zsh/site-functions/_holdfast", ("completion", "zsh"), "_HOLDFAST_COMPLETE"),
    ShellFile("fish", ".config/fish/completions/holdfast.fish", ("completion", "fish"), "_HOLDFAST_COMPLETE"),
    ShellFile("man", ".local/share/man/man1/holdfast.1", ("man",), ".TH HOLDFAST"),
)
_ZSH = '\n  zsh finds it with this line in ~/.zshrc, before compinit: fpath+=("{}")'


def add(command: str, make_folder: Callable[[str], None], undo: ExitStack) -> list[str]:
    """Write the file of each program that is on PATH; return a line for each.

    `command` is the path of holdfast, `make_folder` makes a folder with its parents. Other people's files stay.
    HoldfastError when holdfast cannot print one of them.
    """
    lines = []
    for file in _FILES:
        path = _path(file)
        if not shutil.which(file.program):
            continue
        if os.path.lexists(path) and not _is_ours(file):
            lines.append(f"{_what(file)}: {path} is not from holdfast; it stays")
            continue
        done = run(command, *file.arguments)
        if done.returncode:
            raise HoldfastError(last_line(done).removeprefix("holdfast: "))
        make_folder(os.path.dirname(path))
        if not os.path.lexists(path):
            undo.callback(made_folders.unlink, path)
        with open(path, "w", encoding="utf-8") as target:
            target.write(done.stdout)
        lines.append(f"{_what(file)}: {path}" + (_ZSH.format(os.path.dirname(path)) if file.program == "zsh" else ""))
    return lines


def remove() -> list[str]:
    """Remove the files that `add` wrote; return a line for each."""
    shell_files = [file for file in _FILES if _is_ours(file)]
    for file in shell_files:
        made_folders.unlink(_path(file))
    return [f"{_what(file)}: removed {_path(file)}" for file in shell_files]


def _what(file: ShellFile) -> str:
    return "manual page" if file.program == "man" else f"completion of {file.program}"


def _path(file: ShellFile) -> str:
    return os.path.join(os.environ.get("HOME", ""), file.path)


def _is_ours(file: ShellFile) -> bool:
    """Whether a file is the one that holdfast prints."""
    with contextlib.suppress(OSError, UnicodeDecodeError), open(_path(file), encoding="utf-8") as target:
        return file.mark in target.read()
    return False
