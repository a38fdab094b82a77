"""Every command line that is registered with a client, where the process may open few files."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.clients import catalogue
from holdfast.project.file_registration import Copilot, Droid
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLAUDE = "hooks/hooks.json"  # starts the launcher, not a line in a shell; no shell opens a script with ten files
FILES = [CLAUDE, "hooks/codex.json", "extensions/gemini/hooks/hooks.json", "extensions/qwen/hooks/hooks.json"]
# Runs a line with each number of files that may be open, and prints the numbers with which it failed.
EACH = """
for limit in 16 15 14 13 12 11 10 9 8 7 6 5 4 3; do
    (ulimit -n $limit; eval "$1") </dev/null >/dev/null 2>&1
    code=$?
    [ $code = 0 ] || echo "$limit: $code"
done
"""


def _lines(found: object) -> Iterator[str]:
    """Yield every command line in a part of a file that registers hooks."""
    if isinstance(found, list):
        for one in found:
            yield from _lines(one)
    if isinstance(found, dict):
        line = found.get("command", found.get("bash"))
        if isinstance(line, str):
            yield shlex.join([line, *found["args"]]) if "args" in found else line
        else:
            yield from _lines([*found.values()])


def _registered() -> Iterator[tuple[str, str]]:
    """Yield each registered command line with the name of what registers it."""
    for name in FILES:
        yield from ((name, line) for line in _lines(json.loads((ROOT / name).read_text())))
    yield from (("copilot", line) for line in _lines(json.loads(Copilot.text())))
    for event in catalogue.of(Droid.NAME).EVENTS:
        yield from ((Droid.NAME, line) for line in _lines(Droid.entry(event)))


@pytest.mark.processes
@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
@pytest.mark.parametrize("name", [*FILES, "copilot", Droid.NAME])
def test_a_hook_that_may_open_few_files_blocks_nothing(tmp_path: Path, name: str, shell: str) -> None:
    """A shell that cannot open the launcher exits with 2 or 127, with which clients forbid a tool call."""
    found = shutil.which(shell)
    if not found:
        pytest.skip(f"there is no {shell}")
    (tmp_path / "python").write_text("/bin/true\n")  # the Python that is remembered
    places = {"${CLAUDE_PLUGIN_ROOT}": str(ROOT), "${extensionPath}": str(ROOT / "extensions/gemini")}
    if "qwen" in name:
        places["${CLAUDE_PLUGIN_ROOT}"] = str(ROOT / "extensions/qwen")
    lines = dict.fromkeys(line for registers, line in _registered() if registers == name)
    assert len(lines) > 2
    for line in lines:
        filled = line
        for place, folder in places.items():
            filled = filled.replace(place, folder)
        variables = {"HOLDFAST_DATA": str(tmp_path), "PATH": "/usr/bin:/bin"}
        variables |= {"PLUGIN_ROOT": str(ROOT), "CLAUDE_PLUGIN_ROOT": str(ROOT)}
        done = subprocess.run([found, "-c", EACH, "sh", filled], capture_output=True, check=True, env=variables)
        failed = [int(limit.partition(":")[0]) for limit in done.stdout.decode().splitlines()]
        assert max(failed, default=0) <= (10 if name == CLAUDE else 0), line
