"""An update as its caller sees it, and the hub as a person reads it: found without the code that wrote it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

NAME = ".agents/SESSION-STATE.md"
ACTIVE, HISTORY = "## Active Sessions", "## Session History (Recent)"
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
SUCCESS = ["status", "action", "session_id", "agent", "updated_files", "timestamp", "message"]
FAILURE = ["status", "error", "details"]
# The example of the protocol document, as it is there.
EXAMPLE = """\
## Active Sessions

### Git Neuron - Feature XYZ Implementation
**Session ID:** `git-xyz-abc123`
**Started:** 2025-10-17 16:00 UTC
**Status:** active
**Children:**
- issue workflow (issue-xyz-def456)
- pr workflow (pr-xyz-ghi789)
**Purpose:** Create GitHub issues and PR for feature XYZ
**Context:**
- Branch: feat/xyz
- Files: src/feature.ts, tests/feature.test.ts
- Issues created: #90, #91
**Next:** Create PR after final issue created

### Issue Workflow (child of Git Neuron)
**Session ID:** `issue-xyz-def456`
**Parent:** Git Neuron (git-xyz-abc123)
**Started:** 2025-10-17 16:05 UTC
**Status:** completed
**Purpose:** Create GitHub issue #90
**Context:** Used bug-report template, populated all fields

### PR Workflow (child of Git Neuron)
**Session ID:** `pr-xyz-ghi789`
**Parent:** Git Neuron (git-xyz-abc123)
**Started:** 2025-10-17 16:10 UTC
**Status:** active
**Purpose:** Create PR for feat/xyz
**Context:** Collecting commit history, drafting description
"""


class Shown(NamedTuple):
    """An entry: its heading, its fields, the items of its context, and whether it is in the history."""

    title: str
    fields: dict[str, str]
    context: list[str]
    past: bool


def put(project: Project, text: str | bytes, name: str = NAME) -> Path:
    """Write a file of the project as a person would, and commit all there is."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    project.git("add", "--all")
    project.git("commit", "--quiet", "-m", "hub")
    return path


def answer(reply: Reply) -> dict[str, Any]:
    """Return the answer to an update, which has the documented form whatever it says."""
    assert reply.err == ""
    assert reply.out.count("\n") == 1
    assert reply.out.endswith("\n")
    reported = reply.json
    assert (list(reported), reply.code) in ((SUCCESS, 0), (FAILURE, 1)), reply
    assert reported["status"] == ("failed" if reply.code else "success")
    return reported


def update(project: Project, *arguments: str, cwd: Path | None = None, **changes: str | None) -> dict[str, Any]:
    """Run an update that is carried out, and return its answer."""
    reported = answer(project.cli("update", *arguments, cwd=cwd, **changes))
    assert reported["status"] == "success", reported
    return reported


def refused(project: Project, *arguments: str, cwd: Path | None = None) -> str:
    """Run an update that is not carried out, and return all that is reported about it."""
    reported = answer(project.cli("update", *arguments, cwd=cwd))
    assert reported["status"] == "failed", reported
    return f"{reported['error']} | {reported['details']}"


def read(project: Project, name: str = NAME) -> str:
    """Return the hub."""
    return (project.root / name).read_bytes().decode()


def entries(text: str) -> dict[str, Shown]:
    """Return the entries of a hub by their ids, each of which appears once."""
    found: dict[str, Shown] = {}
    past = False
    for block in re.split(r"(?m)^(?=#{2,3} )", text):
        past = "Session History" in block if block.startswith("## ") else past
        ident = re.search(r"(?m)^(?:- )?\*\*Session ID:\*\* `([^`]+)`", block)
        if ident:
            assert ident[1] not in found
            found[ident[1]] = _reported(block, past=past)
    return found


def _reported(block: str, *, past: bool) -> Shown:
    lines = block.splitlines()
    bullet = "- " if lines[1].startswith("- ") else ""
    fields: dict[str, list[str]] = {}
    items: list[str] = []
    for line in lines[1:]:
        named = re.match(rf"{bullet}\*\*([\w ]+):\*\* ?(.*)", line)
        if named:
            items = fields.setdefault(named[1], [])
            items += [named[2].rstrip()] if named[2] else []
        elif line.startswith("- "):
            items.append(line[2:].rstrip())
    stated = {name: "; ".join(items) for name, items in fields.items()}
    return Shown(lines[0].lstrip("# "), stated, fields.get("Context", []), past)


def entry(project: Project, ident: str) -> Shown:
    """Return one entry of the hub."""
    return entries(read(project))[ident]


def timeless(text: str) -> str:
    """Return a hub without the times of today; a person's own are of 2025."""
    return re.sub(rf"(\*\*(?:Last Updated|Started|Completed):\*\* )(?!2025){TIME}", r"\1NOW", text)
