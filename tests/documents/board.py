"""A project with sessions of each group, and the picture of its board."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from holdfast.core import process
from tests.client.terminal import Terminal
from tests.documents.recording import Frame

if TYPE_CHECKING:
    from tests.support.hooks import Project

SIZE = (80, 40)
LAST = "Quit"
HOUR = 3600.0
STATE = """---
session:
  title: "{title}"
  status: in_progress
  created: "{day}T08:30:00Z"
  last_updated: "{day}T09:12:00Z"
---

# Session: {title}

## Current State
The headers are read, also those of **credit notes**. Totals are next.

## Decisions
- Dates are ISO 8601 in UTC
- One pass over the file

## Next Steps
- [x] Read the headers
- [ ] Sum the totals
- [ ] Compare them with `ledger.csv`
"""
SESSIONS = (  # title, branch, hours since it was last active, whether it is live, tasks done of all
    ("Parse the invoices of the north branch", "invoices", 0.05, True, (1, 3)),
    ("Why do two tests fail on Mondays?", "main", 0.3, True, (0, 1)),
    ("Move the settings page", "feat/settings", 3, False, (2, 4)),
    ("Sum the credit notes", "invoices", 26, False, (0, 2)),
    ("Read the export of 2019", "main", 30, False, (1, 2)),
    ("Name the columns of the ledger", "main", 50, False, (3, 3)),
)
PAUSED, CLOSED = 4, 5


def fill(project: Project) -> None:
    """Let the project have these sessions, the first of which has a state file that somebody wrote."""
    for number, (title, branch, hours, live, tasks) in enumerate(SESSIONS):
        start = _started(project, number, branch, live=live)
        end = [] if live else [{"kind": "end", "reason": "other"}]
        facts = [
            start,
            {"kind": "prompt", "text": title},
            *_work(tasks),
            *(_kept(project, title) if not number else []),
        ]
        answer = {"kind": "answer", "text": "Headers are read. The totals are next."}
        project.remember(_ident(number), *facts, {"kind": "due"}, answer, *end, at=time.time() - hours * HOUR)
    assert project.cli("settle").code == 0
    assert project.cli("pause", _ident(PAUSED)).code == 0
    assert project.cli("close", _ident(CLOSED)).code == 0


def photograph(project: Project) -> Frame:
    """Open the board, and return what it shows."""
    environment = project.environment(TERM="xterm-256color", LANG="C.UTF-8")
    with Terminal([str(project.plugin / "bin/holdfast"), "board"], project.root, environment, SIZE) as terminal:
        terminal.wait_until_shown("OPEN TASKS")
        terminal.wait_until_shown(LAST)
        rows = terminal.cells()
        terminal.type("q")
        terminal.wait_closed()
    return Frame("board", 1, rows)


def _ident(number: int) -> str:
    return f"{number}a7c41e0-5d20-4b6e-9f3a-2c61d08e7b15"


def _started(project: Project, number: int, branch: str, *, live: bool) -> dict[str, Any]:
    """Return the start of a session, the first of which has a transcript."""
    here = {"pid": os.getpid(), "process": process.identity(os.getpid()), "host": os.uname().nodename}
    place = {"root": str(project.root), "branch": branch, "transcript": "" if number else _transcript(project)}
    return {"kind": "start", "source": "startup", **place, **(here if live else {"host": "old"})}


def _work(tasks: tuple[int, int]) -> list[dict[str, Any]]:
    """Return two edits, and tasks of which the first ones are done."""
    done, count = tasks
    names = ("Read the headers", "Sum the totals", "Compare with the ledger", "Write it down")[:count]
    edits = [{"kind": "edit", "tool": "Edit", "path": path} for path in ("src/parser.py", "tests/test_parser.py")]
    statuses = ["completed" if number < done else "pending" for number in range(count)]
    known = zip(names, statuses, strict=True)
    return [
        *edits,
        *({"kind": "task", "id": name, "subject": name, "status": status} for name, status in known),
    ]


def _kept(project: Project, title: str) -> list[dict[str, Any]]:
    """Write a state file as a person would, and return the facts that name it and ask a question."""
    path = project.root / ".agents/sessions/20261122-083000-invoices.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STATE.format(title=title, day="2026-11-22"))
    state = {"kind": "state", "path": str(path.relative_to(project.root)), "root": str(project.root)}
    return [state, {"kind": "loop", "id": "LOOP-001", "title": "Are the dates in UTC?", "status": "open"}]


def _transcript(project: Project) -> str:
    """Write the transcript of a session whose context is filled to a third, and return its path."""
    path = project.home / "transcript.jsonl"
    usage = dict.fromkeys(("input_tokens", "cache_creation_input_tokens", "output_tokens"), 1)
    message = {"id": "m", "model": "claude-sonnet-4-5", "usage": {**usage, "cache_read_input_tokens": 68_000}}
    path.write_text(json.dumps({"type": "assistant", "requestId": "r", "uuid": "u", "message": message}) + "\n")
    return str(path)
