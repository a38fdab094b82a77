"""Hubs for tests: where they lie, entries as people write them, what an entry says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from holdfast.core.cache import Cache
from holdfast.formats import catalogue
from holdfast.hub.document import Hub, PlacedEntry

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.support.hooks import Project

FORMAT = catalogue.known("", Cache("")).get("genie")
HEAD = "# Session State\n\n## Active Sessions\n"
HISTORY = "\n## Session History (Recent)\n"


def path(project: Project) -> Path:
    """Return the path of a prepared project's hub: the one in the tree, or the one in the store."""
    tracked = project.root / ".agents/SESSION-STATE.md"
    in_tree = "HOLDFAST_HUB" in project.variables or not (project.root / ".git").exists()
    return tracked if tracked.exists() or in_tree else kept(project)


def not_in_tree(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a project whose tests keep the hub in the tree have it in the store."""
    monkeypatch.delenv("HOLDFAST_HUB")
    del project.variables["HOLDFAST_HUB"]


def kept(project: Project) -> Path:
    """Return the path of a hub that is not in the tree."""
    return project.store / "private/.agents/SESSION-STATE.md"


def write(project: Project, text: str) -> Path:
    """Write a hub as a person or another tool would have."""
    made = project.root / ".agents/SESSION-STATE.md"
    made.parent.mkdir(exist_ok=True)
    made.write_text(text)
    return made


def person(ident: str, title: str = "Git - By hand", **fields: str) -> str:
    """Return an entry as people write one; a field is left out by giving it ""."""
    reported = {"Started": "2025-10-17 16:00 UTC", "Status": "active", "Purpose": "By hand"}
    reported |= {name.replace("_", " "): value for name, value in fields.items()}
    lines = [f"### {title}", f"**Session ID:** `{ident}`"]
    return "\n".join(["", *lines, *(f"**{name}:** {value}" for name, value in reported.items() if value), ""])


def read(project: Project) -> Hub:
    """Return the project's hub."""
    assert FORMAT
    return Hub(path(project).read_bytes(), FORMAT)


def entry(project: Project, ident: str) -> PlacedEntry:
    """Return a session's entry, which is there."""
    found = read(project).entry(ident)
    assert found, path(project).read_text()
    return found


def stated(project: Project, ident: str) -> dict[str, Any]:
    """Return what the fields of a session's entry say, and whether it lies in the history."""
    found = entry(project, ident)
    return {**dict(found.entry.pairs()), "history": found.history, "title": found.entry.title}


def now() -> str:
    """Return this minute in the documented form."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
