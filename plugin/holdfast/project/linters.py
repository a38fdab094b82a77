"""The linters of Markdown that a project has, and the line by which each leaves holdfast's files alone.

What people and models say in a state file may be in no linter's form, and the documents of the formats break rules: a
title in the frontmatter and in a heading (MD025), hashtags (MD018), tags (MD033), lines of any length (MD013).
"""

import fnmatch
import os
from typing import NamedTuple

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

_FOLDER = os.path.dirname(paths.STATE_FOLDER)  # of state files, loops and settings
_HAND_OVERS = ".continue-here*.md"
_RUNNERS = ("package.json", ".pre-commit-config.yaml", "Makefile", ".lintstagedrc", ".lintstagedrc.json")
_LARGEST = 1_000_000  # bytes of a file that is looked into


class Linter(NamedTuple):
    """A linter: its name, what its settings are called, the file of what it ignores, and the lines for that file."""

    name: str
    settings: tuple[str, ...]
    ignores: str
    lines: tuple[str, ...]


_LINES = (f"{_FOLDER}/", _HAND_OVERS)
_RULES = '{ "MD013": false, "MD018": false, "MD024": false, "MD025": false, "MD033": false, "MD036": false }'
LINTERS = (
    Linter("prettier", (".prettierrc*", "prettier.config.*"), ".prettierignore", _LINES),
    # markdownlint-cli2 reads no list of files to ignore, but settings of a folder.
    Linter("markdownlint-cli2", (".markdownlint-cli2.*",), f"{_FOLDER}/.markdownlint.json", (_RULES,)),
    Linter("markdownlint", (".markdownlint.*", ".markdownlintrc"), ".markdownlintignore", _LINES),
)


def open_to(root: str) -> list[Linter]:
    """Return the linters that a project has and that would look at holdfast's files."""
    try:
        names = os.listdir(root)
    except OSError:
        return []
    texts = b"".join(_read(f"{root}/{name}") for name in _RUNNERS if name in names)
    linters = [one for one in LINTERS if _is_set_up(one, names, texts)]
    second = any(one.name == "markdownlint-cli2" for one in linters)
    return [one for one in linters if _missing(root, one) and not (second and one.name == "markdownlint")]


def leave_alone(root: str, linter: Linter) -> str:
    """Add the lines to what a linter ignores, and return what was done; HoldfastError when they are not in the file."""
    path = f"{root}/{linter.ignores}"
    there = _read(path)
    end = b"\n" if there and not there.endswith(b"\n") else b""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, there + end + "".join(f"{line}\n" for line in _missing(root, linter)).encode())
    if _missing(root, linter):
        raise HoldfastError(
            f"{path} lacks the lines for {linter.name} after they were written. Type the command again."
        )
    return f"{linter.name} leaves {_FOLDER} alone: see {linter.ignores}, and commit it."


def _is_set_up(linter: Linter, names: list[str], texts: bytes) -> bool:
    """Whether a linter has settings of its own, or is named where tools are listed or run."""
    own = any(fnmatch.filter(names, pattern) for pattern in linter.settings)
    return own or linter.name.encode() in texts


def _missing(root: str, linter: Linter) -> list[str]:
    there = _read(f"{root}/{linter.ignores}")
    if linter.ignores.endswith(".json"):
        return [] if there else list(linter.lines)
    known = {line.strip().rstrip(b"/") for line in there.splitlines()}
    return [line for line in linter.lines if line.rstrip("/").encode() not in known]


def _read(path: str) -> bytes:
    """Return what is in a plain file of usual size, b"" for any other."""
    try:
        return files.read(path) if os.path.isfile(path) and os.path.getsize(path) < _LARGEST else b""
    except OSError:
        return b""
