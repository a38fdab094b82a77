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
    """Each session is named or counted, once."""
    assert start_lines.live(_sessions(*idents), COLUMNS) == line


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
    ("names", "line"),
    [
        ([], ""),
        ([".agents/sessions/a.md"], "a.md completed: holdfast close --check"),
        (["x/a.md", "b.md", "c.md"], "a.md and 2 more completed: holdfast close --check"),
    ],
)
def test_files_left_behind_are_counted(names: list[str], line: str) -> None:
    """The first is named."""
    assert start_lines.files_left_behind(names) == line


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


@pytest.mark.parametrize(
    ("session", "home", "line"),
    [
        (_left(journaled=True), "", '"Parser": resume or start fresh? /holdfast:resume 11111111 (1 min ago)'),
        (
            _crashed(),
            "",
            '"Parser": resume or start fresh? /holdfast:resume 11111111 (crashed)',
        ),
        (
            _left(journaled=True, silent=True, files={"a.py": 1.0}),
            "",
            '"Parser": resume or start fresh? /holdfast:resume 11111111 (1 min ago)',
        ),
        (
            _left(state_name="p/a.md", silent=True),
            "",
            '"Parser": resume or start fresh? /holdfast:resume a (1 min ago)',
        ),
        (
            _left(state_name=".continue-here.md", summary=CONTINUED),
            "",
            '"Parser": continue or start fresh? /holdfast:continue (1 min ago)',
        ),
        (
            _left(state_name=".continue-here.md", summary=CONTINUED),
            "tree",
            '"Parser": continue? /holdfast:continue tree (1 min ago)',
        ),
    ],
)
def test_the_question_names_the_command_that_answers_it(session: Session, home: str, line: str) -> None:
    """What was merged or deleted may be done, all else is resumed; a hand-over is continued, in its working tree."""
    assert start_lines.left(session, home, NOW, COLUMNS) == line


FRESH, STALE = _left(journaled=True), _left("Lexer", journaled=True, silent=True, files={"a.py": 1.0})
CRASHED = _crashed()
MERGED = _left("Rates", journaled=True, merged=True)
LOST = _left("Dates", journaled=True, elsewhere=Copy("deleted", b"", waits=False))
PAUSED = _left(state_name=".continue-here.md", summary=CONTINUED)
RESUME, DONE = "/holdfast:resume 11111111", "/holdfast:finish 11111111 done"


@pytest.mark.parametrize(
    ("sessions", "count", "lines"),
    [
        ([], 0, []),
        ([], 4, ["4 open: /holdfast:resume"]),
        ([FRESH], 3, ['3 open: "Parser" (1 min)', f"{RESUME} or start fresh?"]),
        ([FRESH, FRESH], 2, ['2 open: "Parser" (1 min), "Parser" (1 min)', f"{RESUME} or start fresh? {RESUME}?"]),
        (
            [CRASHED, STALE],
            9,
            ['9 open: "Parser" (crashed, 1 min), "Lexer" (1 min)', f"{RESUME} or start fresh? {RESUME}?"],
        ),
        ([MERGED], 1, [f'"Rates": its branch was merged. Done? {DONE}']),
        ([LOST], 1, [f'"Dates": its state file was deleted. Done? {DONE}']),
        ([MERGED, LOST], 2, ['2 open: "Rates" (merged, 1 min), "Dates" (file deleted, 1 min)', f"{DONE}? {DONE}?"]),
        (
            [PAUSED, FRESH],
            2,
            ['2 open: "Parser" (1 min), "Parser" (1 min)', "/holdfast:continue or start fresh? " + RESUME + "?"],
        ),
        (
            [_left("x" * 60, journaled=True)] * 2,
            12,
            [f'12 open: "{"x" * 21}…" (1 min), "{"x" * 21}…" (1 min)', f"{RESUME} or start fresh? {RESUME}?"],
        ),
    ],
)
def test_of_several_two_are_named_and_all_are_counted(sessions: list[Session], count: int, lines: list[str]) -> None:
    """The first line has the number and the titles, the second what answers the question about each."""
    shown = start_lines.asked(sessions, count, "", NOW, COLUMNS)
    assert [line.removesuffix(" (1 min ago)") for line in shown] == lines
    assert max(map(len, shown), default=0) <= COLUMNS - 5


@pytest.mark.parametrize(("length", "shown"), [(11, " (1 min ago)"), (12, ""), (23, ""), (24, None)])
def test_a_question_has_the_age_only_where_there_is_room(length: int, shown: str | None) -> None:
    """A title that leaves no room for it goes before the age; only a longer one than the line is cut."""
    line = start_lines.left(_left("x" * length, journaled=True), "", NOW, COLUMNS)
    assert line.startswith(f'"{"x" * length}":' if shown is not None else f'"{"x" * (length - 2)}…":')
    assert line.endswith(f"11111111{shown or ''}")
    assert len(line) <= COLUMNS - 5


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
    assert f"/holdfast:resume {short} (" in line


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
