"""The values that a field may have by its kind, and the names that a file may have."""

from __future__ import annotations

import pytest

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.formats.audit import audit, kinds
from holdfast.formats.catalogue import known
from holdfast.formats.format import Field

NOW = clock.read("2026-02-11T09:00:00Z")
AGENTS = known("", Cache("")).named("agents")
# A kind, a text, and what the problem says, "" for a value that fits.
VALUES = [
    ("text", "anything at all", ""),
    ("replaced", "anything at all", ""),
    ("percent", "0%", ""),
    ("percent", "100 %", ""),
    ("percent", "[██░░] 40 % of phase 2", ""),
    ("percent", "99.5%", ""),
    ("percent", "100.5%", "not a percentage"),
    ("percent", "1000%", "not a percentage"),
    ("percent", "-5%", "not a percentage"),
    ("percent", "\N{MINUS SIGN}5%", "not a percentage"),
    ("percent", "75", "not a percentage"),
    ("percent", "soon", "not a percentage"),
    ("time", "2026-02-11T08:00:00Z", ""),
    ("time", "2026-02-11", ""),
    ("time", "2026-02-11T09:05:00Z", ""),
    ("time", "2026-02-12", ""),
    ("time", "2026-02-11T10:00:00Z", "still to come"),
    ("time", "2026-02-14", "still to come"),
    ("time", "2026-02-30", "not a time"),
    ("time", "2026-13-11T08:00:00Z", "not a time"),
    ("time", "yesterday", "not a time"),
    ("status", "in_progress", ""),
    ("status", "completed (pending cleanup)", ""),
    ("status", "banana", "in_progress, paused, completed"),
    ("choice", "In_Progress", ""),
    ("choice", "banana", "pending, in_progress"),
    ("share", "1850 / 5000 tokens (37%) - deliberate", ""),
    ("share", "48,000 / 200,000 tokens (24%)", ""),
    ("share", "1850 / 5000 tokens (73%)", "1850 of 5000 tokens are 37%"),
    ("share", "1850 / 0 tokens (37%)", ""),
    ("share", "N/A (not measured yet)", ""),
]


@pytest.mark.parametrize(("kind", "text", "expected"), VALUES)
def test_a_kind_says_what_a_field_may_be(kind: str, text: str, expected: str) -> None:
    """A value that fits has no problem, and the problem of another one quotes it."""
    field = Field({"name": "Field", "kind": kind, "values": ["pending", "in_progress"] if kind == "choice" else []})
    found = kinds.problem(field, text, AGENTS, NOW)
    assert bool(found) == bool(expected)
    assert expected in found


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("sessions/20251204-143000-weather.md", ""),
        ("sessions/20251204-143000-UTF-8-sums.md", ""),
        ("sessions/20251204-143000-解析.md", ""),
        ("notes/anything.md", ""),
        ("sessions/weather.md", "timestamp"),
        ("sessions/20251204-143000.md", "timestamp"),
        ("sessions/20251204-253000-weather.md", "timestamp"),
        ("sessions/20251204-143000-PLT-123-weather.md", "PLT-123"),
    ],
)
def test_the_name_of_a_session_file(path: str, expected: str) -> None:
    """In a folder `sessions` a name is a possible time and a description without the key of an issue."""
    found = audit.check(f"/work/{path}")
    assert [expected in finding.why for finding in found] == [True] * bool(expected)
