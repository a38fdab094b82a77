"""`list` reads only what it shows: what was done before today comes from the index, and changes no answer."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.core import files
from holdfast.core.cache import Database
from holdfast.project import paths
from holdfast.sessions import listed
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.sessions.test_session_index import OVER, entered, holding, left
from tests.support import hooks
from tests.support.examples import times

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
DAY = 86_400.0
FORMS = (("list",), ("list", "--json"), ("list", "--all"))


class Answer(NamedTuple):
    """What the forms of `list` print, and how many sessions they count as done earlier."""

    texts: list[str]
    earlier: int


def answer(project: Project) -> Answer:
    """Return what the command prints with the index as it is."""
    printed = [project.cli(*words) for words in FORMS]
    assert [(one.code, one.err) for one in printed] == [(0, "")] * len(FORMS)
    survey = short(project)
    groups = listed.grouped(survey.sessions, survey.workspace.now, everything=True)
    return Answer([one.out for one in printed], len(groups[listed.EARLIER]) + survey.passed_over)


def short(project: Project) -> sessions.Survey:
    """Return what `list` without `--all` reads."""
    now = time.time()
    return sessions.survey(Workspace(paths.locate(str(project.root)), now), done_before=listed.today(now))


def without_index(project: Project) -> Answer:
    """Return what the command prints when there is no index."""
    printed = []
    for words in FORMS:
        (project.store / "index.db").unlink(missing_ok=True)
        printed.append(project.cli(*words).out)
    (project.store / "index.db").unlink(missing_ok=True)
    return Answer(printed, answer(project).earlier)


def history(project: Project) -> None:
    """Leave behind sessions of every kind, done and open, today and long ago."""
    now = time.time()
    for number, kind in enumerate(("over", "active", "completed", "paused", "orphan", "clear") * 2):
        left(project, f"s{number:04}", kind, now - (number // 6 * 9 + 1) * DAY)


def test_what_was_done_before_today_is_not_read(here: Project) -> None:
    """The others are, however old."""
    history(here)
    here.cli("list")
    survey = short(here)
    over = {"s0000", "s0002", "s0006", "s0008"}
    assert survey.passed_over == len(over)
    assert all(ident in survey.beyond for ident in over)
    assert {one.id for one in survey.sessions if one.journaled}.isdisjoint(over)


def _noise(store: Path) -> None:
    (store / "index.db").write_bytes(os.urandom(40_000))


def _deleted(store: Path) -> None:
    (store / "index.db").unlink()


def _folder(store: Path) -> None:
    (store / "index.db").unlink()
    (store / "index.db").mkdir()


def _without_a_table(store: Path) -> None:
    with closing(sqlite3.connect(store / "index.db")) as base, base:
        base.execute("drop table sessions")


@pytest.mark.parametrize("damage", [_deleted, _noise, _folder, _without_a_table])
def test_a_damaged_index_changes_no_answer(prepared: Project, damage: Callable[[Path], None]) -> None:
    """Whatever became of the file."""
    history(prepared)
    before = answer(prepared)
    damage(prepared.store)
    assert answer(prepared) == before


def test_a_locked_index_changes_no_answer(prepared: Project) -> None:
    """Another process has it for as long as the command runs."""
    history(prepared)
    before = answer(prepared)
    with closing(sqlite3.connect(prepared.store / "index.db", isolation_level=None)) as base:
        base.execute("begin exclusive")
        assert answer(prepared) == before


def _reopen(project: Project) -> None:
    """Open the work of a session that is done again, in its file."""
    for path in project.state_files()[1:2]:
        path.write_text(swap(shapes.AGENTS[1], ("in_progress", "blocked")))


def _hub_says(project: Project) -> None:
    """Let the hub say that a session which is done is active."""
    hub = project.root / ".agents/SESSION-STATE.md"
    hub.write_text(swap(shapes.GENIE[1], ("git-4be2", "s0002"), ("tests-91c0", "s0000")))


def _hand_over(project: Project) -> None:
    """Hand over the work of a session that is done."""
    head = "---\nstatus: in_progress\nlast_updated: 2026-01-01T10:00:00Z\n---\n"
    (project.root / ".continue-here.md").write_text(f"{head}\n<current_state>\nHalf.\n</current_state>\n")


def _delete(project: Project) -> None:
    for path in project.state_files()[:3]:
        path.unlink()


def _forget(project: Project) -> None:
    """Remove a journal; its state file remains."""
    for path in sorted((project.store / "journal").glob("*.jsonl"))[:3]:
        path.unlink()


def _add(project: Project) -> None:
    at = time.time() - 3 * DAY
    project.remember("added", *OVER, entered("completed"), at=at)
    holding(project, "held", "completed", at)


def _go_on(project: Project) -> None:
    project.remember(
        "s0000", {"kind": "start", "pid": 1, "process": "gone", "host": "elsewhere"}, {"kind": "edit", "path": "b.py"}
    )


STEPS = {one.__name__: one for one in (_reopen, _hub_says, _hand_over, _delete, _forget, _add, _go_on)}


@settings(max_examples=times(0.1), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=4, unique=True))
def test_the_answer_is_that_without_an_index(prepared: Project, steps: list[str]) -> None:
    """Whatever happens to journals, state files and hub, by hand or by git, between two lists."""
    for folder in (prepared.store / "journal", prepared.root / ".agents/sessions"):
        shutil.rmtree(folder, ignore_errors=True)
    for name in (".agents/SESSION-STATE.md", ".continue-here.md"):
        (prepared.root / name).unlink(missing_ok=True)
    history(prepared)
    answer(prepared)
    for step in steps:
        STEPS[step](prepared)
        known = answer(prepared)
        assert known == without_index(prepared), step
        assert known == answer(prepared), step


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a list show two sessions of each kind of work."""
    monkeypatch.setattr(listed, "MOST", 2)


@pytest.mark.usefixtures("two")
def test_the_latest_are_listed_and_the_others_counted(prepared: Project) -> None:
    """With and without an index, whichever of the two commands; `list --all` has them all."""
    now = time.time()
    for number in range(5):
        left(prepared, f"open{number}", "active", now - 3 * 3600 - number)
        left(prepared, f"paused{number}", "paused", now - 4 * 3600 - number)
    for _ in range(2):
        for command in ("list", "resume"):
            done = prepared.cli(command, "--json")
            assert [row["id"] for row in json.loads(done.out)] == ["open0", "open1"]
            assert done.err == (
                "holdfast: these are the latest; 8 older ones are not shown. All: holdfast list --all\n"
            )
        prepared.cli("settle")
    assert len(json.loads(prepared.cli("list", "--all", "--json").out)) == 10
    (prepared.store / "index.db").unlink()
    assert [row["id"] for row in json.loads(prepared.cli("list", "--json").out)] == ["open0", "open1"]


def _looks(project: Project, monkeypatch: pytest.MonkeyPatch, most: int) -> tuple[int, set[str]]:
    """Return how many queries a list asks, and which journals and state files it opens."""
    queries, opened = [], set()
    rows, read = Database.rows, files.read

    def counted(database: Database, query: str, *parameters: Any) -> list[Any]:
        queries.append(query)
        return rows(database, query, *parameters)

    def noted(path: str, *rest: Any) -> bytes:
        opened.add(os.path.basename(path))
        return read(path, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Database, "rows", counted)
        patch.setattr(files, "read", noted)
        now = time.time()
        sessions.survey(Workspace(paths.locate(str(project.root)), now), done_before=listed.today(now), most=most)
    return len(queries), {name for name in opened if name.startswith("s0")}


def test_a_list_asks_no_query_for_a_session_and_opens_what_it_shows(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are: with six times as many sessions it asks as many queries."""
    now = time.time()
    seen = []
    for size in (5, 30):
        for number in range(size):
            left(here, f"s{number:04}", "active", now - 3 * 3600 - number)
        for folder in (here.root, here.root / ".agents", here.root / ".agents/sessions"):
            os.utime(folder, (now - 60, now - 60))  # what changed a moment ago is searched again
        sessions.survey(Workspace(paths.locate(str(here.root)), now), reads=sessions.LATER)
        seen.append(_looks(here, monkeypatch, 3))
    assert seen[0][0] == seen[1][0]
    assert [opened for _, opened in seen] == [{f"s{number:04}.jsonl" for number in range(3)}] * 2
