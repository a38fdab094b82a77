"""Hubs of a genie project for the requirement tests: as people write them, and as people read them."""

from __future__ import annotations

import re
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import updates
from tests.support.hooks import LIMIT, Reply
from tests.support.updates import EXAMPLE, Shown

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

HUB = ".genie/SESSION-STATE.md"
ACTIVE, HISTORY = "## Active Sessions", "## Session History (Recent)"
EMPTY = f"# Session State\n\n{ACTIVE}\n\n{HISTORY}\n"
PROTOCOL = f'# Session State\n**Last Updated:** !`date -u +"%Y-%m-%d %H:%M:%S UTC"`\n\n{EXAMPLE}\n{HISTORY}\n'
MINUTE = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def genie(prepared: Project) -> Project:
    """Give a prepared project with an empty hub where the document has it, committed."""
    write(prepared, EMPTY)
    return prepared


def write(project: Project, text: str, name: str = HUB) -> Path:
    """Write a file of the project as a person would, and commit all there is."""
    return updates.put(project, text, name)


def hub(active: str = "", history: str = "") -> str:
    """Return a hub with these entries."""
    return f"# Session State\n\n{ACTIVE}\n{active}\n{HISTORY}\n{history}"


def neuron(ident: str, title: str = "Git Neuron - Feature X", **fields: str) -> str:
    """Return an entry as people write one; a field is left out by giving it ""."""
    known = {"Started": "2025-10-17 16:00 UTC", "Status": "active", "Purpose": "By hand"}
    known |= {name.replace("_", " "): value for name, value in fields.items()}
    lines = [f"**{name}:** {value}" for name, value in known.items() if value]
    return "\n".join(["", f"### {title}", f"**Session ID:** `{ident}`", *lines, ""])


def read(project: Project) -> str:
    """Return the hub's text."""
    return updates.read(project, HUB)


def entries(project: Project) -> dict[str, Shown]:
    """Return the hub's entries by id, each of which occurs once."""
    return updates.entries(read(project))


def entry(project: Project, ident: str) -> Shown:
    """Return one entry of the hub."""
    return entries(project)[ident]


def update(project: Project, *arguments: str, **changes: str | None) -> dict[str, Any]:
    """Run an update that succeeds, and return its answer."""
    return updates.update(project, *arguments, cwd=None, **changes)


def started(project: Project, ident: str, agent: str = "git", purpose: str = "Feature X", *more: str) -> dict[str, Any]:
    """Start a neuron by an update."""
    return update(project, "action=started", f"agent={agent}", f"session_id={ident}", f"purpose={purpose}", *more)


def findings(project: Project) -> list[tuple[int, str]]:
    """Return what `holdfast validate` finds in the hub: the line and the words of each."""
    reply = project.cli("validate")
    found = re.findall(rf"(?m)^{re.escape(HUB)}:(\d+): (.*)$", reply.out)
    assert bool(found) == bool(reply.code), reply
    return [(int(line), words) for line, words in found]


def this_minute() -> str:
    """Return the time in the documented form."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())


def shell(project: Project, line: str, *folders: Path, **variables: str) -> Reply:
    """Run a line in a shell that has the plugin's commands on PATH, and before them those of `folders`."""
    environment = project.environment(**variables)
    environment["PATH"] = ":".join([*map(str, folders), f"{project.plugin}/bin", environment["PATH"]])
    done = subprocess.run(
        ["sh", "-c", line], cwd=project.root, env=environment, capture_output=True, timeout=LIMIT, check=False
    )
    return Reply(done.returncode, done.stdout.decode(), done.stderr.decode())
