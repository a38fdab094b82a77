"""State files at a glance: what did not change is not read again, and what is kept is never believed over the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.hooks import handler
from holdfast.project import discovery, paths
from holdfast.sessions import file_index
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import hooks
from tests.support import index as stored
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.sessions.survey import Survey
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
FOLDER = ".agents/sessions"
OPEN = shapes.AGENTS[1]
DONE = swap(OPEN, ("status: in_progress", "status: completed"))
PAUSED = swap(OPEN, ("status: in_progress", "status: paused"))
NOTES = "# Notes\n"
ALL = 1 << 20


def put(root: Path, count: int, text: str, name: str = "one") -> list[Path]:
    """Write so many state files that say the same, each a second older than the one before."""
    for folder in (FOLDER, ".git/holdfast"):  # the store, as a hook has made it before
        (root / folder).mkdir(parents=True, exist_ok=True)
    files = [root / FOLDER / f"{name}{number:04}.md" for number in range(count)]
    for number, path in enumerate(files):
        path.write_text(text)
        os.utime(path, (1.7e9 - number, 1.7e9 - number))
    return files


def survey(root: Path, reads: int = ALL, now: float = 0.0) -> Survey:
    """Return what a session that begins reads."""
    return sessions.survey(Workspace(paths.locate(str(root)), now or time.time()), reads=reads)


def names(reported: Survey) -> list[str]:
    """Return the state files that matter."""
    return sorted(os.path.basename(session.state) for session in reported.sessions)


def statuses(reported: Survey) -> set[str]:
    """Return what these files say of their status."""
    return {session.status for session in reported.sessions}


def test_what_is_done_matters_to_nobody(here: Project) -> None:
    """What is open, paused, of no known shape, or a document is reported; what is done does not matter to a start."""
    put(here.root, 3, DONE, "done")
    put(here.root, 1, OPEN, "open")
    put(here.root, 1, PAUSED, "paused")
    put(here.root, 1, NOTES, "notes")
    (here.root / ".agents/SESSION-STATE.md").write_text(shapes.GENIE[1])
    wanted = ["SESSION-STATE.md", "notes0000.md", "open0000.md", "paused0000.md"]
    assert names(survey(here.root)) == wanted
    assert names(survey(here.root)) == wanted
    assert len(survey(here.root, reads=0).sessions) == 7


def test_what_was_done_lately_matters_for_an_hour(here: Project) -> None:
    """A compaction reports files that were changed within the hour, with any status."""
    put(here.root, 1, DONE)
    written = 1770802200.0  # as the file says
    assert [len(survey(here.root, now=written + later).sessions) for later in (60.0, 3700.0, 7200.0)] == [1, 0, 0]


COUNT = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from holdfast.project import paths
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
opened = []
sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
place = paths.locate(sys.argv[2])
for _ in range(2):
    opened.clear()
    told = sessions.survey(Workspace(place, time.time()), reads=1 << 20)
print(len(opened), sum(path.endswith(".md") for path in opened), told.unread)
"""


def opened(root: Path) -> list[int]:
    """Return how many files the second of two starts opens, how many of these are state files, and what is not read."""
    words = [sys.executable, "-c", COUNT, str(ROOT / "plugin"), str(root)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=hooks.LIMIT)
    return [int(word) for word in done.stdout.split()]


@pytest.mark.slow
def test_a_warm_start_opens_no_more_files_where_there_are_more(here: Project) -> None:
    """A thousand unchanged state files cost a look at each, and not one is opened; so does none of ten."""
    put(here.root, 8, DONE, "done")
    put(here.root, 2, OPEN, "open")
    few = opened(here.root)
    put(here.root, 800, DONE, "done")
    put(here.root, 200, OPEN, "open")
    many = opened(here.root)
    assert few == many
    assert many[1:] == [0, 0]


def test_a_change_that_hides_itself_is_seen(here: Project) -> None:
    """A file of the same size whose time was set back is read anew: the system's own time of the change differs."""
    (path,) = put(here.root, 1, DONE)
    assert names(survey(here.root)) == []
    before = path.stat()
    path.write_text(swap(DONE, ("status: completed", "status: blocked  ")))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert statuses(survey(here.root)) == {"waiting"}


def test_a_file_that_took_another_s_place_is_seen(here: Project) -> None:
    """A file that was renamed over a known one is another, whatever its size and times."""
    (path,) = put(here.root, 1, DONE)
    survey(here.root)
    aside = path.with_suffix(".tmp")
    aside.write_text(swap(DONE, ("status: completed", "status: blocked  ")))
    os.utime(aside, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    aside.rename(path)
    assert statuses(survey(here.root)) == {"waiting"}
    path.unlink()
    assert names(survey(here.root)) == []


DAMAGE = (
    "update files set kind = 1.5",
    "update files set written = 'x'",
    "update files set line = 'text'",
    "update marks set value = 'another'",
    "drop table files",
)


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_damaged_is_not_believed(here: Project, damage: str) -> None:
    """Whatever became of what was kept, the files decide."""
    (path,) = put(here.root, 1, OPEN)
    survey(here.root)
    stored.change(here.store, damage)
    assert names(survey(here.root)) == [path.name]
    assert names(survey(here.root)) == [path.name]


def test_what_is_kept_is_used(here: Project) -> None:
    """A row that says another kind saves the reading, and so counts."""
    put(here.root, 1, OPEN)
    survey(here.root)
    assert stored.change(here.store, "update files set kind = 'over', written = 1.0") == 1
    assert names(survey(here.root)) == []


def test_of_many_the_last_written_are_reported_and_the_rest_is_counted(here: Project) -> None:
    """More of a group than a brief has room for are a number."""
    old = swap(OPEN, ('  last_updated: "2026-02-11T09:30:00Z"\n', ""), ('  created: "2026-02-11T08:00:00Z"\n', ""))
    put(here.root, file_index.SHOWN + 7, old, "open")
    put(here.root, file_index.SHOWN + 5, swap(old, ("in_progress", "paused")), "paused")
    put(here.root, file_index.SHOWN + 3, NOTES, "notes")
    reported = survey(here.root, now=1.8e9)
    assert reported.more == {"stale": 7, "unfinished": 5, "unknown": 3}
    latest = {f"{name}{number:04}.md" for name in ("open", "paused", "notes") for number in range(file_index.SHOWN)}
    assert set(names(reported)) == latest


def test_what_was_left_out_is_reported(prepared: Project) -> None:
    """The brief counts what it does not name."""
    put(prepared.root, file_index.SHOWN + 7, OPEN, "open")
    reply = prepared.fire("SessionStart")
    assert f"Also open here: {file_index.SHOWN + 5} stale sessions." in reply.context  # two are asked about
    assert prepared.log == []


def test_a_start_reads_no_more_than_it_has_time_for(here: Project) -> None:
    """What was written last comes first; the rest is counted, and read by those that follow."""
    put(here.root, 8, OPEN)
    for known, unread in ((3, 5), (6, 2), (8, 0), (8, 0)):
        reported = survey(here.root, reads=3)
        assert names(reported) == [f"one{number:04}.md" for number in range(known)]
        assert reported.unread == unread


def test_what_is_too_much_for_a_start_is_reported(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user hears how many files or folders were not looked at, and how many files were not read yet."""
    put(prepared.root, 7, OPEN)
    monkeypatch.setattr(discovery, "MAX_NAMES", 5)
    monkeypatch.setattr(sessions, "AT_ONCE", 3)
    for name, value in prepared.environment("one").items():
        monkeypatch.setenv(name, value)
    reported = handler.answer(
        "SessionStart", json.dumps(prepared.payload("SessionStart")).encode(), handler.client_of("")
    )
    message = json.loads(reported)["systemMessage"]
    assert "2 state files or folders are too many to look at" in message
    prepared.settled()
    end = time.monotonic() + hooks.LIMIT  # the process that reads the rest may not have begun yet
    while survey(prepared.root, reads=1).unread:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_each_working_tree_has_its_own(prepared: Project) -> None:
    """What one knows is not forgotten because another has other files."""
    put(prepared.root, 2, DONE)
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "state")
    other = prepared.folder / "other"
    prepared.git("worktree", "add", "-q", str(other))
    for _ in range(2):
        for root in (prepared.root, other):
            survey(root)
    assert opened(prepared.root)[1:] == opened(other)[1:] == [0, 0]
    assert stored.rows(prepared.store, "select count(distinct tree) from files") == [(2,)]


def test_a_store_that_cannot_be_written_is_no_reason_to_fail(here: Project) -> None:
    """Nothing is kept, and all the same is reported."""
    put(here.root, 1, OPEN)
    (here.store / "index.db").mkdir()
    assert names(survey(here.root)) == names(survey(here.root)) == ["one0000.md"]


def test_a_completed_file_is_counted_as_long_as_it_is_from_lately() -> None:
    """At the very end of that time it still is."""
    rows = {
        "recent": (1.8e9 - file_index.LATELY, file_index.OVER),
        "old": (1.8e9 - file_index.LATELY - 1, file_index.OVER),
    }
    assert file_index.select(rows, 1.8e9, 24).keys == ["recent"]
