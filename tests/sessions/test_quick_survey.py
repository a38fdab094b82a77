"""A start trusts the index: it looks at what is new and at what went on, and the background finds the rest."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.journal import live, log
from holdfast.project import paths
from holdfast.sessions import file_index
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.sessions.test_session_index import ALL, LONG_AGO, MANY, NOW, OVER, idents, past
from tests.sessions.test_session_index import survey as whole
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.sessions.survey import Survey
    from tests.support.hooks import Project

here = hooks.here
OPEN = shapes.AGENTS[1]


def quick(project: Project) -> Survey:
    """Return what a start reads."""
    return sessions.survey(Workspace(paths.locate(str(project.root)), NOW), reads=ALL, quickly=True)


def rested(project: Project) -> None:
    """Let the folders be as they are for a minute, let the background see them, and nothing be noted as new."""
    for folder in (project.root, project.root / ".agents", project.root / ".agents/sessions"):
        if folder.exists():
            os.utime(folder, (time.time() - 60,) * 2)
    whole(project)
    whole(project)
    assert live.sessions(str(project.store)) == []


def written(project: Project, name: str, text: str = OPEN) -> Path:
    """Write a state file."""
    path = project.root / ".agents/sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def silent(project: Project, ident: str) -> None:
    """Let a journal be written an hour ago."""
    os.utime(log.path_of(str(project.store), ident), (time.time() - 3600,) * 2)


def test_it_comes_to_the_same_as_a_look_at_everything(here: Project) -> None:
    """The rows that are shown, and the numbers of the others."""
    made = past(here)
    for number in range(MANY):
        written(here, f"2026{number:04}.md")
    rested(here)
    fast, slow = quick(here), whole(here)
    assert idents(fast) == idents(slow)
    assert {word: count for word, count in fast.more.items() if count} == slow.more != {}
    assert all(ident in fast.beyond and ident in slow.beyond for ident in {*made} - idents(slow))
    assert len(idents(fast)) == 2 * file_index.SHOWN


def test_it_stats_no_journal_and_file_that_is_not_shown(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not shown is not looked at, not even its size."""
    made = past(here)
    for number in range(MANY):
        written(here, f"2026{number:04}.md")
    rested(here)
    looked: list[str] = []
    stat = os.lstat

    def noted(path: str, **more: Any) -> os.stat_result:
        looked.append(str(path))
        return stat(path, **more)

    monkeypatch.setattr(os, "lstat", noted)
    quick(here)
    assert not [path for path in looked for ident in made[: -file_index.SHOWN] if ident in path]
    assert sum(".agents/sessions/2026" in path for path in looked) <= 4 * file_index.SHOWN


def test_a_new_journal_is_read_at_once(here: Project) -> None:
    """Whoever made it."""
    past(here)
    rested(here)
    here.remember("new", *OVER, at=LONG_AGO)
    assert "new" in idents(quick(here))


def test_a_session_that_goes_on_is_read_at_once(here: Project) -> None:
    """An append after a silence is noted, and the note goes when the index has read what it says."""
    made = past(here)
    rested(here)
    silent(here, made[0])
    assert made[0] not in idents(quick(here))
    log.append(str(here.store), made[0], {"kind": "prompt", "text": "go on"})
    assert live.sessions(str(here.store)) == [made[0]]
    assert made[0] in idents(quick(here))
    whole(here)
    assert live.sessions(str(here.store)) == []
    assert idents(quick(here)) == idents(whole(here))


def test_a_note_stays_if_the_journal_went_on_meanwhile(here: Project) -> None:
    """Only what the index has read is forgotten."""
    past(here, 1)
    known = log.signature(str(here.store), "old0000")
    silent(here, "old0000")
    log.append(str(here.store), "old0000", {"kind": "prompt", "text": "go on"})
    live.keep(str(here.store), {"old0000": known}, [])
    assert live.sessions(str(here.store)) == ["old0000"]


def test_a_new_line_soon_after_the_last_is_not_noted(here: Project) -> None:
    """A tool call costs no more than its line."""
    log.append(str(here.store), "one", {"kind": "prompt", "text": "begin"})
    (here.store / "live/one").unlink()
    log.append(str(here.store), "one", {"kind": "prompt", "text": "go on"})
    assert live.sessions(str(here.store)) == []


@pytest.mark.parametrize("way", ["new", "replaced", "gone"])
def test_what_came_with_a_pull_is_told_at_once(here: Project, way: str) -> None:
    """Git writes a new file in the place of the old one, which changes the folder."""
    state = written(here, "20260101.md")
    rested(here)
    assert [one.state for one in quick(here).sessions] == [str(state)]
    if way == "new":
        state = written(here, "20260202.md")
    else:
        state.unlink()
    if way == "replaced":
        written(here, "20260101.md", swap(OPEN, ("in_progress", "paused")))
    reported = quick(here).sessions
    assert [one.state for one in reported if one.state == str(state)] == ([] if way == "gone" else [str(state)])
    if way == "replaced":
        assert [one.status for one in reported] == ["paused"]


def test_a_file_shown_that_was_written_in_place_is_read_again(here: Project) -> None:
    """Its line in the index no longer fits."""
    state = written(here, "20260101.md")
    rested(here)
    state.write_text(swap(OPEN, ("in_progress", "paused")))
    assert [one.status for one in quick(here).sessions] == ["paused"]


def test_a_folder_that_changed_just_now_is_searched_again(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two changes within one tick of the clock leave one time; a day is a tick that this test does not outlast."""
    monkeypatch.setattr(file_index, "_GRAIN", 86_400 * 10**9)
    written(here, "20260101.md")
    whole(here)
    folder = here.root / ".agents/sessions"
    before = folder.stat()
    written(here, "20260202.md")
    os.utime(folder, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(quick(here).sessions) == 2
