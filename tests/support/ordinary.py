"""Ordinary lines without secrets: code of the standard library, licences, git logs, and prompts."""

from __future__ import annotations

import importlib.metadata
import itertools
import os
import random
import subprocess
import sysconfig
import tempfile
from pathlib import Path

_CODE, _LICENCES, _PROMPTS, _COMMITS, _EACH = 7000, 1200, 1200, 300, 300
_VERBS = ("Rename", "Fix", "Move", "Explain", "Test", "Document", "Remove", "Speed up", "Review", "Split")
_THINGS = (
    *(
        "the token counter in src/parser/tokens.py:42",
        "the primary key of the table orders",
        "the cache key v1-node-20",
    ),
    *("how the author field is sorted (key=lambda row: row[1])", "the password form: it says required twice"),
    *("max_tokens: 200000 in settings", "the signature of parse(text: str, key: int) -> Node", "the CSS for #a1b2c3"),
    *("commit 6d7dd27c0ffee6d7dd27c0ffee6d7dd27c0ffee0", "session 5e1e4a0c-7b1f-4f62-9a55-0d3a1b2c3d4e"),
    *(
        "tests/test_key_prefixes.py::test_a_key[AWS]",
        "the keyboard shortcut Ctrl+K",
        "https://host.example:8080/a?page=2",
    ),
    *("the monkey patch in conftest.py", "the bypass for 10.0.0.1:8080", "issue #1234: passing tests on 3.12.4"),
    *("the login page: forgot password, reset token", "what `git log --author=me --since=2026-01-01` prints"),
    *(
        "the designer's palette = blue2, green4",
        "the secret santa list",
        "the hotkeys: j, k, g g",
        "sha256 of the wheel",
    ),
)
_WHY = (
    "please",
    "because the build fails on Python 3.13",
    "and add a test",
    "before Friday 2026-03-06 14:30",
    "as in PR #87",
    "so that key: value pairs sort",
    "but keep auth: required",
    "it takes 3.5s, was 1.2s",
)


def lines() -> list[str]:
    """Return ordinary lines: the same on every run with the same Python and packages."""
    return [*_code(), *_licences(), *_log(), *_prompts()]


def _code() -> list[str]:
    """Return lines of the standard library's modules, some from each."""
    folder = Path(sysconfig.get_path("stdlib"))
    found: list[str] = []
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("*/*.py")):
        if "site-packages" in path.parts or "test" in path.parts:
            continue
        read = [line for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
        found += read[:: max(1, len(read) // 60)][:60]
        if len(found) >= _CODE:
            break
    return found[:_CODE]


def _licences() -> list[str]:
    """Return lines of the licences and descriptions of the installed packages."""
    named = sorted(importlib.metadata.distributions(), key=lambda one: str(one.metadata["Name"]).casefold())
    found: list[str] = []
    for one in named:
        for file in sorted(one.files or [], key=str):
            if "LICENSE" in str(file).upper() or file.name == "METADATA":
                path = Path(str(one.locate_file(file)))
                if path.is_file():
                    found += [line for line in path.read_text("utf-8", "replace").splitlines() if line.strip()][:_EACH]
    return found[:_LICENCES]


def _log() -> list[str]:
    """Return what git prints of a history that is made here: log, raw changes, and statistics."""
    env = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
    }
    env |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
    prompts = itertools.cycle(_prompts())
    with tempfile.TemporaryDirectory() as folder:
        stream = []
        for number in range(_COMMITS):
            message = f"{next(prompts)}\n\nCo-authored-by: Eve <eve@example.org>\n".encode()
            stream += [b"commit refs/heads/main\ncommitter Ada <ada@example.org> %d +0000\n" % (1772000000 + number)]
            stream += [b"data %d\n" % len(message), message, b"\nM 100644 inline src/part_%d.py\n" % (number % 40)]
            stream += [b"data 9\nx = %04d\n\n\n" % number]
        git = ["git", "-C", folder]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True, env=env)
        subprocess.run([*git, "fast-import", "--quiet"], input=b"".join(stream), check=True, env=env)
        shown = subprocess.run(
            [*git, "log", "--stat", "--raw", "--no-abbrev", "main"], check=True, env=env, capture_output=True
        )
    return [line for line in shown.stdout.decode().splitlines() if line.strip()]


def _prompts() -> list[str]:
    """Return requests as people type them, all different."""
    dice = random.Random(17)  # noqa: S311 - no secret
    found = [f"{verb} {thing}, {why}" for verb in _VERBS for thing in _THINGS for why in _WHY]
    dice.shuffle(found)
    return found[:_PROMPTS]
