"""What follows the words with which a format begins a title."""

from __future__ import annotations

import pytest

from holdfast.formats.format import title_after


@pytest.mark.parametrize(
    ("title", "beginning", "rest"),
    [
        ("Session: Parser", "Session:", "Parser"),
        ("SESSION - Parser", "Session:", "Parser"),
        ("Session", "Session:", ""),
        ("Session: 2026-01-17 - Parser", "Session:", "Parser"),
        ("Sessions of the parser", "Session:", "Sessions of the parser"),
        ("session.md", "Session:", "session.md"),
        ("Session_State: Parser", "Session State:", "Session_State: Parser"),
        ("Session/ and State: Parser", "Session State:", "Session/ and State: Parser"),
        (" Parser ", "", "Parser"),
    ],
)
def test_what_follows(title: str, beginning: str, rest: str) -> None:
    """The whole where the words are a part of another one, or are written in another way."""
    assert title_after(title, beginning) == rest
