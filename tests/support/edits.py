"""Wishes made true in a state file of working memory, and looked at a second time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor, Outcome
from holdfast.formats.catalogue import known

if TYPE_CHECKING:
    from holdfast.editing.requests import Request

FORMATS = known("", Cache(""))
MEMORY = FORMATS.named("gsd-lite")
NOW = "2026-04-01 12:00"
BEFORE = """\
# Session State: Importer

## Current Context

**Phase:** 2. Importer
**Focus:** Prices
**Status:** Working

"""
AFTER = """
## Context Stack

**Current:** TASK-003
**Return to:** None
**Depth:** 0
"""


def make(data: bytes, *wants: Request, path: str = ".agents/sessions/x.md") -> Outcome:
    """Return what wishes come to; made once more they change nothing, and tell the same."""
    editor = Editor(path, FORMATS, NOW, through=MEMORY)
    outcome = editor.make(data, list(wants))
    again = editor.make(outcome.data, list(wants))
    assert (again.data, again.changes, again.unplaced) == (outcome.data, [], outcome.unplaced)
    return outcome


def within(title: str, text: str, *wants: Request, end: str = "\n") -> tuple[str, list[str]]:
    """Return what becomes of a section's text in a file around it, which stays, and why what was not placed."""
    before, after = (part.replace("\n", end) for part in (f"{BEFORE}## {title}\n\n", AFTER))
    outcome = make(f"{before}{text}{after}".encode(), *wants)
    data = outcome.data.decode()
    assert data.startswith(before)
    assert data.endswith(after)
    return data[len(before) : len(data) - len(after)], [why for _, why in outcome.unplaced]
