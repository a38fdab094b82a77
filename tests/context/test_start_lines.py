"""The lines that the user sees at a start: how many there are of each kind, and what they count."""

from __future__ import annotations

import pytest

from holdfast.context import start_lines
from holdfast.sessions.session import Session, fold

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
        (["x" * 60], "\n" + "x" * 60),
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
