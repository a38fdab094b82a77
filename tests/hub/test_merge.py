"""The merge of two hubs: entries of both sides, fields of one entry, and entries that moved to the history."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from holdfast.hub.merge import merged
from tests.hazards import shapes
from tests.support import hubs, merges

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.merges import Case

assert hubs.FORMAT
FORMAT = hubs.FORMAT
TIME = "**Last Updated:** 2025-10-17 16:00 UTC\n\n"
ONE, TWO, THREE = (hubs.person(f"{word}-1234", f"Git - {word}") for word in ("one", "two", "three"))


def _hub(active: list[str], history: list[str], *, time: str = "16:00") -> bytes:
    head = hubs.HEAD.replace("\n\n", f"\n\n{TIME}", 1).replace("16:00", time)
    return "".join([head, *active, hubs.HISTORY, *history]).encode()


def _done(entry: str) -> str:
    return entry.replace("active", "completed")


CASES = {
    "a session on each side": (
        ([ONE], []),
        ([ONE, TWO], []),
        ([ONE, THREE], []),
        ([ONE, TWO, THREE], []),
    ),
    "a first session on each side": (([], []), ([ONE], []), ([TWO], []), ([ONE, TWO], [])),
    "a session moved to the history and changed on the other side": (
        ([ONE, TWO], [THREE]),
        ([TWO], [_done(ONE), THREE]),
        ([ONE.replace("By hand", "Two hands", 1).replace("Git - one", "Git - uno"), TWO], [THREE]),
        ([TWO], [_done(ONE).replace("By hand", "Two hands", 1).replace("Git - one", "Git - uno"), THREE]),
    ),
    "two sessions moved to the history": (
        ([ONE, TWO], [THREE]),
        ([TWO], [_done(ONE), THREE]),
        ([ONE], [_done(TWO), THREE]),
        ([], [_done(ONE), _done(TWO), THREE]),
    ),
    "one session moved to the history by both": (
        ([ONE, TWO], []),
        ([TWO], [_done(ONE)]),
        ([TWO], [_done(ONE).replace("By hand", "Two hands", 1)]),
        ([TWO], [_done(ONE).replace("By hand", "Two hands", 1)]),
    ),
    "what a session did, on both sides": (
        ([hubs.person("one-1234", Context="files_modified: a.py; tests_pass: true", Children="x (c-1)")], []),
        (
            [
                hubs.person(
                    "one-1234", Context="files_modified: a.py, o.py; tests_pass: true", Children="x (c-1), o (c-2)"
                )
            ],
            [],
        ),
        ([hubs.person("one-1234", Context="files_modified: a.py, t.py; more: 1", Children="x (c-1), t (c-3)")], []),
        (
            [
                hubs.person(
                    "one-1234",
                    Context="files_modified: a.py, o.py, t.py; more: 1",
                    Children="x (c-1), o (c-2), t (c-3)",
                )
            ],
            [],
        ),
    ),
}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"), [pytest.param(*case, id=name) for name, case in CASES.items()]
)
def test_entries_come_together(
    base: tuple[list[str], list[str]],
    ours: tuple[list[str], list[str]],
    theirs: tuple[list[str], list[str]],
    wanted: tuple[list[str], list[str]],
) -> None:
    """Each side's entries and fields are in the result, each entry once, and the later time of the last change."""
    texts = _hub(*base), _hub(*ours, time="17:00"), _hub(*theirs, time="18:00")
    data, clean = merged(texts, 7, FORMAT)
    assert (data.decode(), clean) == (_hub(*wanted, time="18:00").decode(), True)
    assert merged((texts[0], texts[2], texts[1]), 7, FORMAT)[1]


@pytest.mark.parametrize("name", CASES)
def test_line_ends_of_the_own_side_are_kept(name: str) -> None:
    """Also around an entry that moves to another section."""
    *texts, wanted = (_hub(*each).replace(b"\n", b"\r\n") for each in CASES[name])
    assert merged((texts[0], texts[1], texts[2]), 7, FORMAT) == (wanted, True)


def test_a_field_in_conflict_stands_between_markers() -> None:
    """Two purposes of one session contradict, and only that line is in conflict."""
    sides = [hubs.person("one-1234", Purpose=word) for word in ("Base", "Ours", "Theirs")]
    texts = _hub([sides[0]], []), _hub([sides[1], TWO], []), _hub([sides[2], THREE], [])
    data, clean = merged(texts, 7, FORMAT)
    assert not clean
    assert b"<<<<<<< ours\n**Purpose:** Ours\n=======\n**Purpose:** Theirs\n>>>>>>> theirs\n" in data
    assert [data.count(word) for word in (b"<<<<<<<", b"two-1234", b"three-1234", b"one-1234")] == [1, 1, 1, 1]


HUBS = [shapes.GENIE[1].encode(), _hub([ONE, TWO], [THREE]), _hub([ONE], [])]


@pytest.mark.parametrize("check", merges.CHECKS)
@given(case=merges.cases(HUBS))
def test_any_edits(check: Callable[[Case, merges.Merge], None], case: Case) -> None:
    """Whatever both sides do to a hub, nothing is lost, nothing comes back, and neither side counts more."""
    check(case, partial(merged, marker=7, file_format=FORMAT))
