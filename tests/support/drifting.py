"""A project in which a session has worked, and what its state file leaves out."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.drift import report
from holdfast.project import paths
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.context.drift.report import Report
    from tests.support.hooks import Project, Reply

NAME = ".agents/sessions/exporter.md"
LIMITS = "drift_limits = [1, 6, 15]\n"
BEGAN, WROTE, LATER = -4000.0, -3000.0, -2000.0  # seconds before now: the session, the model's last edit, what followed
# Working memory as the format has it.
GSD = """\
---
version: 1.0
updated: 2026-01-21T15:45:00Z
session: 2026-01-21-importer
---

# Session State: Importer

## Current Context

**Phase:** 2. Importer
**Task:** TASK-002 - Read the price list
**Focus:** Prices with more than one currency
**Status:** Working

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-004 | Which rate counts | open | 2026-01-21 |

**Total active:** 1 loop (1 open)

## Token Budget

**Status:** 48000 / 200000 tokens (24%) - deliberate
**Phase:** 🟡 Deliberate zone (20-40%)
**Strategy:** Focused loading, justify additions

- 0-20% 🟢 Comfortable (exploratory)
- 20-40% 🟡 Deliberate (focused) ← YOU ARE HERE
- 40-50% 🟠 Warning (reduce context)
- 50%+ 🔴 Stop (must exclude)

## Available Actions

**Core:**
- `/holdfast:continue` - Continue working on TASK-002
- `/holdfast:pause` - Pause session and save state
- `/holdfast:status` - Show full status report
- `/holdfast:add-loop [description]` - Capture new question
- `/holdfast:discuss [topic]` - Fork into discussion

**Contextual:**
- `/holdfast:complete-task` - Mark TASK-002 complete
- `/holdfast:skip-task [reason]` - Skip TASK-002 with rationale
- `/holdfast:close-loop [ID]` - Mark loop 004 resolved
- `/holdfast:explore-loop [ID]` - Investigate loop 004

**Type action or respond directly**

## Context Stack

**Current:** TASK-002 (Read the price list)
**Return to:** None (not forked)
**Depth:** 0

## Recent Updates

**2026-01-21 15:45**
- Added LOOP-004 to LOOPS.md: Which rate counts
"""
SIX = GSD[GSD.index("## Current Context") :]  # which may stand in any file
LOOPS = "# Loops\n\n{}"
LOOP = '<loop id="{}" status="{}">\n  <title>{}</title>\n  <captured>2026-01-21</captured>\n</loop>\n\n'


@pytest.fixture
def prepared(here: Project) -> Project:
    """Give a prepared project with limits of its own, whatever the defaults are."""
    put(here, ".agents/holdfast.toml", LIMITS)
    return here


def loops(*known: tuple[str, str, str]) -> str:
    """Return a LOOPS.md with these loops: id, status, title."""
    return LOOPS.format("".join(LOOP.format(*loop) for loop in known))


def task(status: str, subject: str = "Read the price list", ident: str = "1", at: float = LATER) -> dict[str, Any]:
    """Return the fact of a task."""
    return {"kind": "task", "id": ident, "subject": subject, "status": status, "at": at}


def edit(path: str, at: float = LATER) -> dict[str, Any]:
    """Return the fact of an edit."""
    return {"kind": "edit", "path": path, "at": at}


def child(status: str = "completed", at: float = LATER, **words: str) -> dict[str, Any]:
    """Return the fact of a subagent."""
    return {"kind": "child", "agent": "a877f", "type": "Explore", "status": status, "at": at, **words}


def put(project: Project, name: str, text: str) -> Path:
    """Write a file of the project."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def prompts(count: int, text: str = "and now the prices", at: float = LATER) -> tuple[dict[str, Any], ...]:
    """Return the facts of some prompts, one after the other."""
    return tuple({"kind": "prompt", "text": text, "at": at + number} for number in range(count))


def zone(number: int, at: float = LATER) -> dict[str, Any]:
    """Return the fact that the budget is in a zone."""
    return {"kind": "zone", "zone": number, "at": at}


def loop(status: str, ident: str = "LOOP-012", title: str = "Lineage", at: float = LATER) -> dict[str, Any]:
    """Return the fact of a loop that the session's own command captured, explored or closed."""
    return {"kind": "loop", "id": ident, "title": title, "status": status, "at": at}


def begin(project: Project, state: str, *facts: dict[str, Any], wrote: float = WROTE, **start: Any) -> None:
    """Commit a state file, long ago, and journal a session that has it, wrote it at a time, and went on from there.

    The files that it edited, and that are there, say something more since.
    """
    put(project, NAME, state)
    began = min(BEGAN, wrote - 1000)
    commit(project, "state", at=began - 1000)
    for path in {project.root / fact["path"] for fact in facts if fact["kind"] == "edit"}:
        if path.is_relative_to(project.root) and path.is_file():
            path.write_bytes(path.read_bytes() + b"more\n")
    now = time.time()
    for name in (f"{project.root}/{NAME}",):
        os.utime(name, (now + began - 1000, now + began - 1000))
    first = {"kind": "start", "root": str(project.root), "host": "elsewhere", "branch": "main", **start, "at": began}
    held = {"kind": "state", "path": NAME, "root": str(project.root), "by": "edit", "at": wrote}
    known = sorted((first, held, *facts), key=lambda fact: float(fact["at"]))
    project.remember("one", *({**fact, "at": now + fact["at"]} for fact in known))


def commit(project: Project, message: str, at: float = LATER, *options: str) -> None:
    """Commit all there is, at a time."""
    when = f"@{int(time.time() + at)} +0000"
    names = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    environment = {**project.environment(), **names}
    for words in (["add", "--all"], ["commit", "--quiet", "--allow-empty", *options, "-m", message]):
        subprocess.run(["git", *words], cwd=project.root, env=environment, check=True, capture_output=True)


def transcript(project: Project, used: int, model: str = "claude-sonnet-4-5") -> str:
    """Write a transcript whose last request held so many tokens, and return its path."""
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": used - 10}
    message = {"id": "m1", "role": "assistant", "model": model, "usage": {**usage, "output_tokens": 5}}
    line = {"type": "assistant", "isSidechain": False, "message": message, "timestamp": "2026-11-21T15:00:00Z"}
    path = project.folder / "transcript.jsonl"
    path.write_text(json.dumps(line) + "\n")
    return str(path)


def look(project: Project, own: str = "", *, calls: bool = True) -> Report:
    """Return the report on the session's file."""
    project.accept()
    now = time.time()
    survey = sessions.survey(Workspace(paths.locate(str(project.root)), now))
    session = sessions.find(survey.sessions, "one")
    assert session
    return report.look(session, survey.workspace, own=own, calls=calls)


def found(project: Project, kind: str) -> list[str]:
    """Return the words of the items of a kind."""
    return [item.words for item in look(project).items if item.kind == kind]


def typed(project: Project, call: str, **names: str) -> Reply:
    """Run a line as a person types it, or Claude with the variables of its shell."""
    return project.typed(call, **names)
