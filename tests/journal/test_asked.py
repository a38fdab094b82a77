"""A title that is made of a request."""

from __future__ import annotations

import pytest

from holdfast.journal import asked

MOST = 60


@pytest.mark.parametrize(
    ("request_line", "title"),
    [
        ("Fix the parser of dates", "Fix the parser of dates"),
        (
            "The nightly export writes 3 GB to /tmp. Can you look at export.py and make it stream?",
            "The nightly export writes 3 GB to /tmp",
        ),
        (
            "Does the importer lose rows? I think it does, since Monday, and nobody knows why",
            "Does the importer lose rows?",
        ),
        ("e.g. this one", "e.g. this one"),
        (
            "we are now at the fifth step of the long plan in a.md: paint the gate of the old shed",
            "paint the gate of the old shed",
        ),
        (
            "Rewrite src/export.py so that it streams, and add the tests for empty files",
            "Rewrite src/export.py so that it streams, and add the tests…",
        ),
        (
            "夜間のエクスポートがディスクを埋めます。" * 4,
            "夜間のエクスポートがディスクを埋めます。" * 2 + "夜間のエクスポートがディスクを埋めます",
        ),
        ("x" * 90, "x" * 59 + "…"),
    ],
)
def test_a_title_ends_where_a_sentence_or_a_word_ends(request_line: str, title: str) -> None:
    """It is never longer than asked for; only one long word is cut."""
    assert asked.short(request_line, MOST) == title
    assert len(title) <= MOST


@pytest.mark.parametrize(
    ("request_line", "title"),
    [
        ("hi, fix the parser of dates", "fix the parser of dates"),
        ("read NOTES.md. paint the door of the shed", "paint the door of the shed"),
        ("@docs/plan.md, paint the door of the shed", "paint the door of the shed"),
        ("lies bitte.txt, dann streiche die Tür", "dann streiche die Tür"),
        ("阅读 NOTES.md。修复日期解析器", "修复日期解析器"),
        ("fix NOTES.md. it has the wrong date", "fix NOTES.md. it has the wrong date"),
    ],
)
def test_a_title_has_no_greeting_and_no_file_to_be_read_first(request_line: str, title: str) -> None:
    """In any language."""
    assert asked.title(request_line) == title
