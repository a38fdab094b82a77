r"""The console blocks of a document: each command is run in a shell, and what it prints is compared with the document.

A line that begins with `$ ` is a command; it goes on in the next line after a `\`. The lines below it are what it
prints; without any, only its exit code counts. A line `...` is any number of lines, and `...` in a line any text. Ids,
times, ages, versions, paths and padding differ from run to run and are compared by their kind.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMIT = 120.0  # seconds for one command
ANY = "..."
_SEVERAL = "(?:.*\\n)*"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_KINDS = (
    (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "ID"),
    (r"\b20\d{6}-\d{6}\b", "STAMP"),
    (r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z| UTC)?", "TIME"),
    (r"\bjust now\b|\b\d+ (?:s|min|h|d) ago\b|(?<=  )(?:now|\d+ (?:s|min|h|d))(?=  )", "AGE"),
    (r"\b[0-9a-f]{7,40}\b", "ID"),
    (r"\b\d+\.\d+\.\d+\b", "VERSION"),
    (r"site-3\.\d+", "site-PYTHON"),
    (r"[ \t]+", " "),
    (r"[─-╿]{2,}", "──"),
)


@dataclass(frozen=True)
class Command:
    """A command of a document, and the lines that it is to print; None where the document shows none."""

    line: str
    printed: list[str] | None


@dataclass
class Shell:
    """A shell in which commands are run one after the other; `cd` lasts, as it does for a person."""

    folder: Path
    environment: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)  # what a reader replaces in a command, such as ID
    codes: Mapping[str, int] = field(default_factory=dict)  # a finding is an exit code: by how its command begins

    def run(self, line: str) -> tuple[int, str]:
        """Run a line, and return the exit code and all that it printed."""
        for name, value in self.names.items():
            line = re.sub(rf"(?<![\w-]){name}(?![\w-])", value, line)
        script = 'eval "$1"; code=$?; printf "\\n%s" "$PWD"; exit $code'
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", line],
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        printed, _, folder = done.stdout.rpartition("\n")
        self.folder = type(self.folder)(folder)
        return done.returncode, printed.strip("\n")


def blocks(text: str) -> list[str]:
    """Return the console blocks of a document."""
    return _BLOCK.findall(text)


def commands(block: str) -> list[Command]:
    """Return the commands of a block in their order."""
    found: list[Command] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.rstrip("\n").split("\n")
        end = next(number for number, line in enumerate(lines) if not line.endswith("\\")) + 1
        found.append(Command("\n".join(lines[:end]), lines[end:] or None))
    return found


def difference(expected: list[str], printed: str, home: str = "") -> str:
    """Return both texts where they do not match, "" where they do."""
    wanted, actual = by_kind("\n".join(expected)), by_kind(printed, home)
    pattern = "".join(_SEVERAL if line == ANY else _pattern(line) for line in wanted.split("\n"))
    return "" if re.fullmatch(pattern, f"{actual}\n") else f"documented:\n{wanted}\n\nprinted:\n{actual}"


def _pattern(line: str) -> str:
    """Return the pattern of a documented line."""
    return re.escape(line).replace(re.escape(ANY), ".*") + "\n"


def by_kind(text: str, home: str = "") -> str:
    """Return a text in which all that differs from run to run is named by its kind."""
    for place in sorted({home, os.path.realpath(home)} if home else (), key=len, reverse=True):
        text = text.replace(place, "~")
    for pattern, kind in _KINDS:
        text = re.sub(pattern, kind, text)
    return "\n".join(line.strip() for line in text.strip("\n").split("\n"))


def play(found: list[str], shell: Shell, home: str = "") -> str:
    """Run the commands of blocks, and return what is wrong with each that fails or prints something else."""
    wrong: list[str] = []
    for command in (command for block in found for command in commands(block)):
        code, printed = shell.run(command.line)
        if code != next((code for start, code in shell.codes.items() if command.line.startswith(start)), 0):
            wrong.append(f"$ {command.line}\nexit code {code}:\n{printed}")
        elif command.printed is not None and (differs := difference(command.printed, printed, home)):
            wrong.append(f"$ {command.line}\n{differs}")
    return "\n\n".join(wrong)
