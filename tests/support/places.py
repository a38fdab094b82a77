"""State files in places of other tools, and what hooks know of these places."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

KNOWN = (".agents/sessions/*.md", ".project/sessions/*/STATE.md", ".claude/sessions/*.md", ".planning/STATE.md")


def put(project: Project, relative: str, **words: str) -> Path:
    """Write a state file anywhere in a project whose known places the last survey left for the hooks."""
    project.store.mkdir(exist_ok=True)
    (project.store / "patterns").write_text("\n".join(KNOWN))
    path = project.root / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    # Made in a tree of its own: a folder .agents/sessions would tell that the project was prepared.
    return project.write_state(root=project.folder / "made", **words).rename(path)
