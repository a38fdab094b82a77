"""The linters: fetched once with npm and pip, and kept in the user's cache."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from tests.client.fetch import cache_folder

NPM = ("markdownlint-cli2@0.22", "prettier@3")
PIP = ("yamllint", "pre-commit-hooks")
LIMIT = 300.0
_FINDING = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+)\S* (?:error )?(?P<rule>MD\d+)/(?P<text>.*)$", re.MULTILINE)
_FRONT = re.compile(rb"\A---\n(.*?^)---$", re.DOTALL | re.MULTILINE)


@cache
def folder() -> Path:
    """Return the folder that has the tools; the test is skipped where they cannot be fetched."""
    place = cache_folder() / "linters"
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not (place / "complete").exists():
            npm = ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--loglevel", "error", *NPM]
            pip = [str(place / "python/bin/pip"), "install", "--quiet", "--disable-pip-version-check", *PIP]
            for command in (npm, [sys.executable, "-m", "venv", str(place / "python")], pip):
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
                except (OSError, subprocess.TimeoutExpired) as error:
                    pytest.skip(f"the linters cannot be fetched: {error}")
                if done.returncode:
                    pytest.skip(f"the linters cannot be fetched: {done.stderr.strip()[-300:]}")
            (place / "complete").touch()
    return place


def markdownlint(root: Path, names: list[str]) -> list[str]:
    """Return what markdownlint finds with its defaults: path, rule, line and text."""
    printed = _run(
        root, folder() / "node_modules/.bin/markdownlint-cli2", "--no-globs", *[f":{name}" for name in names]
    )
    found = [f"{one['path']} {one['rule']} line {one['line']}: {one['text']}" for one in _FINDING.finditer(printed)]
    assert found or "Summary: 0 error" in printed, printed
    return found


def prettier(root: Path, names: list[str]) -> list[str]:
    """Return the difference that prettier would make to each file."""
    found = []
    for name in names:
        whole = (root / name).read_text()
        done = (
            _run(root, folder() / "node_modules/.bin/prettier", name, whole=True) or whole
        )  # nothing for one that it ignores
        found += [f"{name} prettier: {line}" for line in _difference(whole, done)]
    return found


def yamllint(root: Path, names: list[str]) -> list[str]:
    """Return what yamllint finds in the frontmatter of each file, with its default rules, lines of any length."""
    found = []
    for name in names:
        front = _FRONT.match((root / name).read_bytes())
        if front:
            rules = "{extends: default, rules: {line-length: disable, document-start: disable}}"
            printed = _run(root, folder() / "python/bin/yamllint", "-f", "parsable", "-d", rules, "-", given=front[1])
            found += [f"{name} yamllint: {line}" for line in printed.splitlines()]
    return found


def whitespace(root: Path, names: list[str]) -> list[str]:
    """Return what the fixers of blanks and ends of files would change, and what `git diff --check` says."""
    before = {name: (root / name).read_bytes() for name in names}
    fixers = ("trailing-whitespace-fixer", "end-of-file-fixer", "mixed-line-ending", "fix-byte-order-marker")
    printed = [_run(root, folder() / "python/bin" / fixer, *names) for fixer in fixers]
    for name, data in before.items():
        (root / name).write_bytes(data)
    added = _run(root, Path("git"), "diff", "--check", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "--", *names)
    return [line for text in (*printed, added) for line in text.splitlines() if line]


def fix(root: Path, names: list[str]) -> None:
    """Let each tool correct the files, as a hook before a commit does."""
    _run(root, folder() / "node_modules/.bin/markdownlint-cli2", "--fix", "--no-globs", *[f":{name}" for name in names])
    _run(root, folder() / "node_modules/.bin/prettier", "--write", *names)
    for fixer in ("trailing-whitespace-fixer", "end-of-file-fixer", "mixed-line-ending"):
        _run(root, folder() / "python/bin" / fixer, *names)


def _difference(before: str, after: str) -> list[str]:
    """Return each line that another text lacks or adds, after the line before it."""
    found, last = [], ""
    for line in difflib.ndiff(before.splitlines(), after.splitlines()):
        found += [f"{last[2:]!r} {line!r}"] if line[0] in "+-" else []
        last = line if line[0] != "?" else last
    return found


def _run(root: Path, program: Path, *words: str, given: bytes = b"", whole: bool = False) -> str:
    done = subprocess.run(
        [str(program), *words], cwd=root, input=given, capture_output=True, timeout=LIMIT, check=False
    )
    return done.stdout.decode() if whole else (done.stdout + done.stderr).decode()
