"""Sessions of the past at a glance: their journals are not read again, and what is kept is never believed over them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.context import brief
from holdfast.core import process
from holdfast.formats import state_file
from holdfast.project import paths
from holdfast.sessions import file_index, resume
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import hooks
from tests.support import index as stored
from tests.support.examples import times
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.sessions.survey import Survey
    from tests.support.hooks import Project

    Facts = list[dict[str, Any]]

here, prepared = hooks.here, hooks.prepared
NOW = 1_800_000_000.0
HOUR = 3600.0
LONG_AGO = NOW - 40 * 24 * HOUR
ALL = 1 << 20
MANY = file_index.SHOWN + 5
GONE = {"kind": "start", "pid": 1, "process": "gone", "host": os.uname().nodename}
LIVE = {"kind": "start", "pid": os.getpid(), "process": process.identity(os.getpid()), "host": os.uname().nodename}
ASKED = {"kind": "prompt", "text": "parse the invoices"}
EDIT = {"kind": "edit", "path": "a.py"}
END = {"kind": "end", "reason": "other"}
SETTLED = {"kind": "settled", "facts": 99}
CLOSED = {"kind": "status", "status": "completed"}
OVER: Facts = [GONE, ASKED, EDIT, END, CLOSED, SETTLED]
OPEN = shapes.AGENTS[1]
SAYING = {"active": OPEN, **{word: swap(OPEN, ("in_progress", word)) for word in ("completed", "paused")}}


def survey(project: Project, now: float = NOW, reads: int = ALL) -> Survey:
    """Return what a session that begins reads."""
    return sessions.survey(Workspace(paths.locate(str(project.root)), now), reads=reads)


def idents(reported: Survey) -> set[str]:
    """Return the ids of those that matter."""
    return {session.id for session in reported.sessions}


def past(project: Project, count: int = MANY, facts: Facts | None = None, name: str = "old") -> list[str]:
    """Leave so many sessions behind, each a minute after the one before, whose journals were read once."""
    made = [f"{name}{number:04}" for number in range(count)]
    for number, ident in enumerate(made):
        project.remember(ident, *(facts or [*OVER, entered("completed")]), at=LONG_AGO + number * 60)
    survey(project)
    return made


def entered(status: str) -> dict[str, Any]:
    """Return the fact that the hub has of a session whose state file says this, and that is gone."""
    return {"kind": "hub", "wrote": {"Status": status}}


def holding(project: Project, ident: str, status: str = "active", at: float = LONG_AGO - HOUR) -> Path:
    """Leave a session behind that has a state file."""
    path = project.root / f".agents/sessions/{ident}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SAYING[status])
    claim = {"kind": "state", "path": f".agents/sessions/{ident}.md", "root": str(project.root), "by": "edit"}
    project.remember(ident, GONE, ASKED, EDIT, claim, END, SETTLED, entered(status), at=at)
    return path


def test_the_last_of_them_are_reported_and_the_others_passed_over(here: Project) -> None:
    """A start reads those with the latest facts; that it does not read the others is known by their ids."""
    made = past(here)
    reported = survey(here)
    assert idents(reported) == {*made[-file_index.SHOWN :]}
    assert reported.beyond == {*made[: -file_index.SHOWN]}
    assert idents(survey(here, reads=0)) == {*made}


def test_what_is_read_in_parts_stays_read(here: Project) -> None:
    """A start does not forget it, though the index still lacks others: with more sessions than one look reads."""
    past(here)
    os.utime(here.root, (time.time() - 60,) * 2)
    survey(here)
    for number in range(20):
        here.remember(f"new{number:04}", *OVER, entered("completed"), at=LONG_AGO)
        (here.store / f"live/new{number:04}").write_text("")  # as an append leaves it
    seen = []
    for _ in range(3):
        survey(here, reads=5)
        sessions.survey(Workspace(paths.locate(str(here.root)), NOW), reads=5, quickly=True)
        seen.append(len(stored.rows(here.store, "select id from sessions")))
    assert seen == [MANY + 5, MANY + 10, MANY + 15]


COUNT = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.project import paths
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
opened = []
sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == "open" else None)
told = sessions.survey(Workspace(paths.locate(sys.argv[2]), float(sys.argv[3])), reads=1 << 20)
print(len(opened), sum(path.endswith(".jsonl") for path in opened))
"""


def opened(project: Project) -> list[int]:
    """Return how many files a warm start opens, and how many of these are journals."""
    words = [sys.executable, "-c", COUNT, str(ROOT / "plugin"), str(project.root), str(NOW)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=hooks.LIMIT)
    return [int(word) for word in done.stdout.split()]


def test_a_warm_start_opens_no_more_files_where_there_were_more_sessions(here: Project) -> None:
    """Hundreds of journals of the past cost a look at each, and no more of them is opened than of a few."""
    past(here, file_index.SHOWN)
    few = opened(here)
    past(here, 300, name="older")
    assert opened(here) == few
    assert few[1] == file_index.SHOWN


LEFT: dict[str, tuple[Facts, float]] = {
    "it lives": ([LIVE, ASKED, EDIT, SETTLED], LONG_AGO),
    "it was not settled": ([GONE, ASKED, EDIT, END], LONG_AGO),
    "it was heard lately": (OVER, NOW - file_index.LATELY / 2),
    "it may still be there": ([{**GONE, "host": "elsewhere"}, ASKED, EDIT, SETTLED], NOW - 5 * HOUR),
    "a child of it has no parent now": (
        [GONE, ASKED, EDIT, {"kind": "child", "agent": "a1", "status": "running", "type": "t"}, GONE, END, SETTLED],
        LONG_AGO,
    ),
}


@pytest.mark.parametrize("why", LEFT)
def test_one_about_which_something_is_left_to_do_is_always_read(here: Project, why: str) -> None:
    """However many came after it."""
    facts, at = LEFT[why]
    here.remember("one", *facts, at=at)
    for number in range(MANY):
        here.remember(f"later{number:04}", *OVER, at=max(at, LONG_AGO) + number)
    for _ in range(2):
        assert "one" in idents(survey(here, now=NOW + file_index.LATELY * (at > LONG_AGO and facts is OVER) / 4))


def test_in_a_project_with_a_hub_the_hub_must_know(prepared: Project) -> None:
    """A session is read until the hub has its end; in a project without a hub it is over before that."""
    made = past(prepared, facts=OVER)
    assert idents(survey(prepared)) == {*made}
    for ident in made:
        prepared.remember(ident, entered("completed"), at=LONG_AGO)
    survey(prepared)
    assert idents(survey(prepared)) == {*made[-file_index.SHOWN :]}


def test_those_with_open_work_are_counted(here: Project) -> None:
    """The brief counts the unfinished work that it does not name."""
    for number in range(MANY):
        holding(here, f"open{number:04}", at=LONG_AGO + number)
    for _ in range(2):
        reported = survey(here)
    assert reported.more["stale"] == MANY - file_index.SHOWN
    composed = brief.compose(brief.of_survey(reported, "own"), NOW, 9000, initialised=True)
    assert f"Also open here: {MANY} stale sessions." in composed
    assert "no journal here" not in composed


@pytest.mark.parametrize(
    ("text", "status"), [(swap(OPEN, ("in_progress", "blocked")), "waiting"), ("", "active"), (OPEN, "active")]
)
def test_a_session_whose_state_file_changed_is_read_again(here: Project, text: str, status: str) -> None:
    """By hand, by a pull or by another tool: the journal does not tell of it, and the file counts; so it does again."""
    path = holding(here, "one", "completed")
    past(here)
    assert "one" not in idents(survey(here))
    path.unlink()
    if text:
        path.write_text(text)
    (one,) = (session for session in survey(here).sessions if session.id == "one")
    assert one.status == status
    path.write_text(OPEN)
    (one,) = (session for session in survey(here).sessions if session.id == "one")
    assert one.status == "active"


def test_a_session_that_goes_on_is_read_again(here: Project) -> None:
    """Another line in its journal, and it is no session of the past."""
    made = past(here)
    here.remember(made[0], LIVE, at=NOW)
    reported = survey(here)
    assert made[0] in idents(reported)
    assert made[0] not in reported.beyond


def test_one_that_is_asked_for_is_read(here: Project) -> None:
    """Whoever asks by an id, or a beginning of it, gets that session, however long it is over."""
    made = past(here)
    survey(here)
    project = paths.locate(str(here.root))
    reported = sessions.survey(Workspace(project, NOW), own=made[0], reads=1)
    assert made[0] in idents(reported)
    shown = here.cli("brief", "--session", made[0])
    assert (shown.code, shown.err) == (0, "")


def test_what_could_not_be_read_is_no_row(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages no state file can be read: it is not remembered as empty."""

    def missing(_state: object) -> dict[str, object]:
        raise ImportError

    for number in range(MANY):
        holding(here, f"open{number:04}", at=LONG_AGO + number)
    with monkeypatch.context() as patch:
        patch.setattr(state_file, "summary", missing)
        survey(here)
    for _ in range(2):
        reported = survey(here)
    assert reported.more["stale"] == MANY - file_index.SHOWN


def test_what_cleared_work_went_on_with_is_no_session_of_its_own(here: Project) -> None:
    """A session that `/clear` ended has nothing to tell, be its successor passed over itself."""
    holding(here, "after", at=LONG_AGO - HOUR)
    claim = {"kind": "state", "path": ".agents/sessions/after.md", "root": str(here.root), "by": "edit"}
    before: Facts = [GONE, ASKED, EDIT, claim, {"kind": "end", "reason": "clear"}, SETTLED]
    here.remember("before", *before, at=LONG_AGO - 2 * HOUR)
    for number in range(MANY):
        holding(here, f"open{number:04}", at=LONG_AGO + number)
    for _ in range(2):
        reported = survey(here)
        assert [session.id for session in reported.sessions if session.id == "before" and not session.passed_on] == []
    assert "after" in reported.beyond


def test_an_entry_of_one_of_them_counts_as_known(prepared: Project) -> None:
    """Entries of a hub for sessions that a start passes over, and for their children, count as sessions known here."""
    child = {"kind": "child", "agent": "kid", "status": "completed", "type": "t"}
    (prepared.root / ".agents/SESSION-STATE.md").write_text(
        swap(shapes.GENIE[1], ("git-4be2", "old0000"), ("tests-91c0", "kid"), ("git-0aa1", "else"))
    )
    reported_of: Facts = [{"kind": "hub", "agent": agent, "wrote": {"Status": "completed"}} for agent in ("", "kid")]
    past(prepared, facts=[*OVER[:3], child, *OVER[3:], *reported_of])
    reported = survey(prepared)
    assert all(ident in reported.beyond for ident in ("kid", "old0000"))
    assert reported.hub == f"{prepared.root}/.agents/SESSION-STATE.md"
    assert resume.neurons(reported) == []


DAMAGE = (
    "update sessions set journal = x'ff'",
    "update sessions set active = 'x'",
    "update sessions set kind = 1.5",
    "update sessions set line = 'text'",
    "update sessions set journal = 'another'",
    "update marks set value = 'another'",
    "drop table sessions",
    "pragma user_version = 99",
)


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_was_damaged_is_not_believed(here: Project, damage: str) -> None:
    """Whatever became of what was kept, the journals decide."""
    made = past(here)
    stored.change(here.store, damage)
    assert idents(survey(here)) == {*made}
    assert idents(survey(here)) == {*made[-file_index.SHOWN :]}


@pytest.mark.parametrize("damage", ["gone", "noise", "locked"])
def test_an_index_that_cannot_be_used_changes_no_answer(here: Project, damage: str) -> None:
    """What a start reports is the same; only its time is not."""
    made = past(here)
    if damage == "locked":
        with sqlite3.connect(here.store / "index.db", isolation_level=None) as base:
            base.execute("begin exclusive")
            assert idents(survey(here)) == {*made}
    elif damage == "noise":
        (here.store / "index.db").write_bytes(os.urandom(40_000))
    else:
        (here.store / "index.db").unlink()
    assert idents(survey(here)) == {*made[-file_index.SHOWN :]} if damage == "locked" else {*made}


@pytest.mark.parametrize("reads", [1, 3, MANY])
def test_a_start_reads_no_more_journals_than_it_has_time_for(here: Project, reads: int) -> None:
    """What was written last comes first; the rest is counted, and read by those that follow."""
    for number in range(MANY):
        here.remember(f"old{number:04}", *OVER, at=LONG_AGO + number)
        os.utime(here.store / f"journal/old{number:04}.jsonl", (LONG_AGO + number, LONG_AGO + number))
    reported = survey(here, reads=reads)
    assert idents(reported) == {f"old{number:04}" for number in range(MANY - reads, MANY)}
    assert reported.unread == MANY - reads


KINDS = st.lists(
    st.tuples(
        st.sampled_from(["over", "active", "completed", "paused", "orphan", "clear"]),
        st.integers(0, 60 * 24),  # hours ago
    ),
    max_size=file_index.SHOWN,
)


@settings(max_examples=times(0.25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(KINDS)
def test_a_start_from_memory_tells_what_one_without_it_tells(prepared: Project, made: list[tuple[str, int]]) -> None:
    """Whatever a few sessions came to, their brief is the same, whether their journals are read or remembered."""
    folders = [prepared.store / "journal", prepared.store / "sessions", prepared.root / ".agents/sessions"]
    for path in [path for folder in folders if folder.is_dir() for path in folder.iterdir()]:
        path.unlink()
    for number, (kind, hours) in enumerate(made):
        left(prepared, f"s{number:04}", kind, NOW - hours * HOUR)
    reported = [brief.compose(brief.of_survey(survey(prepared), "own"), NOW, 9000, initialised=True) for _ in range(3)]
    assert reported[0] == reported[1] == reported[2]


def left(project: Project, ident: str, kind: str, at: float) -> None:
    """Leave a session of some kind behind."""
    child = {"kind": "child", "agent": f"a{ident}", "status": "running", "type": "t"}
    kinds: dict[str, Facts] = {
        "over": OVER,
        "orphan": [*OVER[:3], child, GONE, *OVER[3:]],
        "clear": [*OVER[:3], {"kind": "end", "reason": "clear"}, SETTLED],
    }
    if kind in kinds:
        project.remember(ident, *kinds[kind], entered("completed"), at=at)
    else:
        holding(project, ident, kind, at)
