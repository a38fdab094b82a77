"""The lines that the user sees at a start: how many there are of each kind, and what they count."""

from __future__ import annotations

import os
from typing import Any

import pytest

from holdfast.context import start_lines
from holdfast.journal.session import Process
from holdfast.sessions.absent import Copy
from holdfast.sessions.session import Session
from tests.support.facts import fold

NOW = 1_800_000_000.0
COLUMNS = 80


def _sessions(*idents: str) -> list[Session]:
    """Return sessions with these ids, whose titles are `Work` and the id."""
    facts = [{"kind": "start", "at": NOW - 60}]
    return [fold(ident, [*facts, {"kind": "prompt", "at": NOW - 60, "text": f"Work {ident}"}]) for ident in idents]


@pytest.mark.parametrize(
    ("idents", "line"),
    [
        ("", ""),
        ("a", 'live: "Work a"'),
        ("abc", 'live: "Work a", "Work b", "Work c"'),
        ("abcd", 'live: "Work a", "Work b", "Work c" and 1 more'),
        ("abcdef", 'live: "Work a", "Work b", "Work c" and 3 more'),
    ],
)
def test_three_live_sessions_are_named_and_the_others_counted(idents: str, line: str) -> None:
    """Each session is named or counted, once; one that was opened and got no prompt is no news."""
    opened = fold("opened", [{"kind": "start", "at": NOW - 60}])
    assert start_lines.live([opened, *_sessions(*idents)], COLUMNS) == line


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("2 more: /holdfast:resume", '2 more: /holdfast:resume; live: "Work a", "Work b"'),
        ("x" * 50, "x" * 50),
    ],
)
def test_live_sessions_follow_in_the_same_line_where_they_have_room(before: str, line: str) -> None:
    """What was left comes first."""
    assert start_lines.live(_sessions("a", "b"), COLUMNS, before) == line


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([], ""),
        (["", ""], ""),
        (["one"], "one"),
        (["one", "", "two"], "\none\ntwo"),
        (["one", "two", "three", "four"], "\none\ntwo\nthree"),
        (["x" * 48], "x" * 48),
        (["x" * 49], "\n" + "x" * 49),
    ],
)
def test_at_most_three_lines_begin_below_the_clients_own_words(lines: list[str], shown: str) -> None:
    """One line that has room beside the client's words shares their line."""
    assert start_lines.compose(lines, COLUMNS) == shown


@pytest.mark.parametrize(
    ("complaints", "line"),
    [
        ([], ""),
        (["", "one"], "one"),
        (["one", "two"], "one (and 1 more: holdfast doctor)"),
        (["one", "", "two", "three"], "one (and 2 more: holdfast doctor)"),
    ],
)
def test_the_first_problem_is_shown_and_the_others_counted(complaints: list[str], line: str) -> None:
    """An empty complaint is none."""
    assert start_lines.problem(complaints) == line


@pytest.mark.parametrize(
    ("idents", "command"),
    [
        (["11111111-2222", "33333333-4444"], "/holdfast:resume 11111111"),
        (["11111111-2222", "11111111-4444"], "/holdfast:resume 11111111-2222"),
    ],
)
def test_a_neuron_is_named_by_as_much_of_its_id_as_it_takes(idents: list[str], command: str) -> None:
    """Eight characters are enough unless another neuron's id begins with them, too."""
    named, question = start_lines.neurons(_sessions(*idents), COLUMNS)
    assert all(f'"Work {ident}"' in named for ident in idents)
    assert question.endswith(command)


OLD = "20260102-030405-parser.md"
CONTINUED = {"format": "continue-here"}


def _left(title: str = "", **fields: Any) -> Session:
    """Return a session without a journal that was active a minute ago."""
    summary = {"title": title or "Parser", **fields.pop("summary", {})}
    return Session("11111111-2222").replace(**{"last_active": NOW - 60, **fields, "summary": summary})


def _crashed() -> Session:
    """Return a session whose process is gone without having ended."""
    process = Process()
    process.identity, process.host = "7", os.uname().nodename
    return _left(journaled=True, process=process)


FRESH, STALE = _left(journaled=True), _left("Lexer", journaled=True, silent=True, files={"a.py": 1.0})
CRASHED = _crashed()
MERGED = _left("Rates", journaled=True, merged=True)
LOST = _left("Dates", journaled=True, elsewhere=Copy("deleted", b"", waits=False))
PAUSED = _left(state_name=".continue-here.md", summary=CONTINUED)
RESUME, DONE = "/holdfast:resume 11111111", "/holdfast:finish 11111111 done"
LONG = f'"{"x" * 37}…" (1 min): {RESUME}'


@pytest.mark.parametrize(
    ("sessions", "count", "lines"),
    [
        ([], 0, [""]),
        ([], 4, ["4 open: /holdfast:resume"]),
        ([FRESH], 1, [f'"Parser" (1 min): {RESUME} or start fresh?', ""]),
        ([FRESH], 3, [f'"Parser" (1 min): {RESUME} or start fresh?', "2 more: /holdfast:resume"]),
        ([FRESH, FRESH], 2, [f'"Parser" (1 min): {RESUME}', f'"Parser" (1 min): {RESUME} or start fresh?', ""]),
        (
            [CRASHED, STALE],
            9,
            [
                f'"Parser" (crashed, 1 min): {RESUME}',
                f'"Lexer" (1 min): {RESUME} or start fresh?',
                "7 more: /holdfast:resume",
            ],
        ),
        ([MERGED], 1, [f'"Rates" (merged, 1 min): {DONE}', ""]),
        ([CRASHED.replace(merged=True)], 1, [f'"Parser" (crashed, merged, 1 min): {DONE}', ""]),
        ([LOST], 1, [f'"Dates" (file deleted, 1 min): {DONE}', ""]),
        ([_left(state_name="p/a.md")], 1, ['"Parser" (1 min): /holdfast:resume a or start fresh?', ""]),
        (
            [PAUSED, FRESH],
            2,
            ['"Parser" (1 min): /holdfast:continue', f'"Parser" (1 min): {RESUME} or start fresh?', ""],
        ),
        (
            [_left("x" * 60, journaled=True)] * 2,
            12,
            [LONG, LONG, "resume one or start fresh? 10 more: /holdfast:resume"],
        ),
        ([_left("x" * 60, journaled=True)], 1, [LONG, "resume it or start fresh?"]),
    ],
)
def test_each_session_has_a_line_with_the_command_that_takes_it_up(
    sessions: list[Session], count: int, lines: list[str]
) -> None:
    """What was merged or deleted may be done, all else is resumed or continued; the others are counted."""
    shown = start_lines.asked(sessions, count, "", NOW, COLUMNS)
    assert shown == lines
    assert max(map(len, shown), default=0) <= COLUMNS - 5


def test_one_of_several_hand_overs_is_named() -> None:
    """The command names the file of the hand-over, by the id in it where it has one."""
    assert start_lines.left(PAUSED, "x", NOW, COLUMNS) == '"Parser" (1 min): /holdfast:continue .continue-here.md'
    other = PAUSED.replace(state_name=".continue-here-6584fb24.md")
    assert start_lines.left(other, "x", NOW, COLUMNS) == '"Parser" (1 min): /holdfast:continue 6584fb24'


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (f".agents/sessions/{OLD}", OLD[:15]),
        ("20260102-030405.md", "20260102-030405"),
        ("20260102-030405x.md", "20260102-030405x"),
        ("parser-of-the-invoices.md", "parser-of-the-invoices"),
        ("parser-of-rates-a.md", "parser-of-rates-a"),
        ("plans/2026-01-21-importer/STATE.md", "2026-01-21-importer"),
        ("plans/2026-01-21-importer/state.md", "state"),
        (".planning/STATE.md", "STATE"),
        ("STATE.md", "STATE"),
    ],
)
def test_a_state_file_is_named_by_what_tells_it_from_others(name: str, short: str) -> None:
    """The date and time of a dated name; the folder of a name in capitals, unless it is hidden; else the whole name."""
    line = start_lines.left(_left(state_name=name), "", NOW, 200)
    assert line.endswith(f"/holdfast:resume {short}")


def test_no_neuron_is_asked_about() -> None:
    """Without an open neuron there is no question."""
    assert start_lines.neurons([], COLUMNS) == []


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        (["x" * 70], f'"{"x" * 64}…" waiting'),
        (["x" * 20] * 3, ", ".join([f'"{"x" * 12}…" waiting'] * 3)),
        (["x" * 20] * 4, ", ".join([f'"{"x" * 20}" waiting'] * 2) + " and 2 more"),
        (["x" * 40] * 9, ", ".join([f'"{"x" * 20}…" waiting'] * 2) + " and 7 more"),
    ],
)
def test_neurons_share_the_line(titles: list[str], shown: str) -> None:
    """Each title has at least twelve columns; those without room are counted."""
    asked = [_left(title, summary={"category": "waiting"}) for title in titles]
    assert start_lines.neurons(asked, COLUMNS)[0] == shown


@pytest.mark.parametrize(
    ("measured", "columns", "line"),
    [
        ({}, COLUMNS, ""),
        ({"uncommitted": 3}, COLUMNS, "3 uncommitted files left: /holdfast:checklist 11111111"),
        (
            {"tasks": ["Lex"], "tasks_count": 1, "examples": ["a.py", "b.py"], "uncommitted": 3},
            100,
            "1 task (Lex), 3 uncommitted files (a.py, b.py, …) left: /holdfast:checklist 11111111",
        ),
        ({"uncommitted": 3, "tasks_count": 1}, 67, "1 task, 3 uncommitted files left: /holdfast:checklist 11111111"),
        ({"uncommitted": 3, "tasks_count": 1}, 66, "1 task left: /holdfast:checklist 11111111"),
        ({"uncommitted": 3, "tasks_count": 1}, 20, ""),
    ],
)
def test_what_is_left_is_counted_as_far_as_there_is_room(measured: dict[str, Any], columns: int, line: str) -> None:
    """The last counts go first."""
    assert start_lines.still_open(_left(journaled=True, measured=measured), "", columns) == line
