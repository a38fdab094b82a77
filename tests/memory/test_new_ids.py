"""One id for two tasks, decisions or plans after a merge: one of them gets the next free id, and names the old one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory import new_ids, view
from holdfast.project import ids

BASE = b"# State\n\n**Task:** TASK-001 - Begin\n"


def merged(base: bytes, ours: bytes, theirs: bytes, last: int = 0) -> tuple[bytes, bytes, list[str]]:
    """Return both sides with new ids, and what is reported."""
    (_, one, other), lines = new_ids.renumbered((base, ours, theirs), lambda _: last)
    return one, other, lines


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (
            b"- TASK-002 - Parse\n",
            b"- TASK-002 - Sum\n",
            (b"- TASK-002 - Parse\n", b"- TASK-003 - Sum (was TASK-002)\n"),
        ),
        (
            b"- TASK-002 - Sum\n",
            b"- TASK-002 - Parse\n",
            (b"- TASK-003 - Sum (was TASK-002)\n", b"- TASK-002 - Parse\n"),
        ),
        (
            b"| TASK-002 - Parse | open |\nSee TASK-002.\n",
            b"| TASK-002 - Add | open |\n",
            (b"| TASK-003 - Parse (was TASK-002) | open |\nSee TASK-003.\n", b"| TASK-002 - Add | open |\n"),
        ),
        (
            b"- **DECISION-004**: Read dates as UTC\r\n",
            b"- **DECISION-004: Round up**\r\n",
            (b"- **DECISION-004**: Read dates as UTC\r\n", b"- **DECISION-005: Round up (was DECISION-004)**\r\n"),
        ),
        (
            b"PLAN-2: Alpha\n- TASK-002: Beta",
            b"PLAN-002: Gamma\n- TASK-002: Alpha",
            (b"PLAN-2: Alpha\n- TASK-003: Beta (was TASK-002)", b"PLAN-003: Gamma (was PLAN-002)\n- TASK-002: Alpha"),
        ),
    ],
)
def test_one_of_two_gets_a_new_id(ours: bytes, theirs: bytes, expected: tuple[bytes, bytes]) -> None:
    """The one whose title is later in the alphabet, on whichever side it is; mentions in new lines follow."""
    one, other, lines = merged(BASE, BASE + ours, BASE + theirs)
    assert (one, other) == (BASE + expected[0], BASE + expected[1])
    assert all(" is " in line and "because both sides gave that id" in line for line in lines)
    assert lines


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (b"", b"- TASK-002 - Parse\n", b"- task TASK-002 - parse\n"),
        (b"TASK-002", b"- TASK-002 - Parse\n", b"- TASK-002 - Sum\n"),
        (b"", b"- TASK-002 - Parse\n", b"See TASK-002 and TASK-002-3.\n"),
        (b"", b"- TASK-002 - Parse\n", b"- TASK-003 - Sum\n"),
    ],
)
def test_what_is_one_thing_keeps_its_id(base: bytes, ours: bytes, theirs: bytes) -> None:
    """The same title, an id that was there before, one that is only mentioned, and different ids."""
    assert merged(base, ours, theirs) == (ours, theirs, [])


def test_the_new_id_is_above_all_that_were_given() -> None:
    """Also above those of other files and machines."""
    _, other, _ = merged(b"", b"- PLAN-002 - A", b"- PLAN-002 - B", 40)
    assert other == b"- PLAN-041 - B (was PLAN-002)"


@given(st.lists(st.sampled_from(["TASK-002 - A", "TASK-002 - B", "PLAN-7: C", "PLAN-7: D", "x", "See TASK-002"])))
def test_both_directions_agree(lines: list[str]) -> None:
    """Who merges whom does not matter, and without two titles nothing changes."""
    ours, theirs = "\n".join(lines[::2]).encode(), "\n".join(lines[1::2]).encode()
    one, other, reported = merged(b"", ours, theirs)
    back = merged(b"", theirs, ours)
    assert (back[1], back[0], len(back[2])) == (one, other, len(reported))
    if not reported:
        assert (one, other) == (ours, theirs)


def test_the_alias_is_no_part_of_the_title() -> None:
    """The client's list, which has the title alone, still means the same task."""
    assert ids.split_title("TASK", "TASK-007 - Parse (was TASK-003)") == ("TASK-007", "Parse")
    assert view.same_task("TASK-007 - Parse (was TASK-003)", "Parse")
    assert ids.split_title("TASK", "TASK-007 - Parse (was slow)") == ("TASK-007", "Parse (was slow)")
