"""Times: read in every documented form, written back in the same one, and nothing guessed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import clock

NOON = datetime(2025, 12, 4, 14, 30, 5, tzinfo=UTC).timestamp()
MINUTE = NOON - 5
DAY = datetime(2025, 12, 4, tzinfo=UTC).timestamp()
FORMS = {
    "2025-12-04T14:30:05Z": NOON,
    "2025-12-04T14:30:05+00:00": NOON,
    "2025-12-04T14:30Z": MINUTE,
    "2025-12-04 14:30:05 UTC": NOON,
    "2025-12-04 14:30 UTC": MINUTE,
    "2025-12-04": DAY,
}


@pytest.mark.parametrize(("written", "seconds"), FORMS.items())
def test_reads_every_form_and_writes_it_back(written: str, seconds: float) -> None:
    """A time in a documented form is read as UTC and written back as it was."""
    assert clock.read(written) == seconds
    assert clock.write(seconds, clock.form(written)) == written


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("soon", id="prose"),
        pytest.param("2025-12-04T14:30:05", id="no zone"),
        pytest.param("2025-12-04T14:30:05+02:00", id="another zone"),
        pytest.param("2025-12-04T14:30:05.123Z", id="fractions"),
        pytest.param("2025-12-04 14:30", id="no zone, to the minute"),
        pytest.param("2025-12-04T14:30:05Z and more", id="something after it"),
        pytest.param("on 2025-12-04", id="something before it"),
        pytest.param("2025-12-04\n", id="a line end"),
        pytest.param("YYYY-MM-DD", id="a template"),
        pytest.param("20251204-143005", id="a file name's"),
    ],
)
def test_knows_no_other_form(text: str) -> None:
    """What is not surely a time in UTC has no form and reads as never."""
    assert clock.form(text) == ""
    assert clock.read(text) == 0.0


@pytest.mark.parametrize("text", ["2025-13-01", "2025-00-10", "2025-02-30", "0000-01-01", "2025-12-04T25:00:00Z"])
def test_reads_an_impossible_time_as_never(text: str) -> None:
    """A time that no calendar has is no time, and no error."""
    assert clock.read(text) == 0.0


@given(st.text() | st.from_regex(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(Z|\+00:00| UTC))?", fullmatch=True))
def test_reads_any_text(text: str) -> None:
    """Whatever the text, what is read from it is a time in its form, or never."""
    seconds = clock.read(text)
    assert seconds == 0.0 or clock.write(seconds, clock.form(text)) == text


@given(st.integers(min_value=-(2**31), max_value=2**35))
def test_what_is_written_is_read_back(seconds: int) -> None:
    """A time written in the usual form is read back to the second."""
    assert clock.read(clock.write(seconds)) == seconds


def test_writes_names_and_minutes() -> None:
    """File names and minutes have the forms that agents-sessions documents."""
    assert clock.write(NOON, clock.FILE_NAME) == "20251204-143005"
    assert clock.write(NOON, clock.MINUTE) == "2025-12-04 14:30"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "just now"),
        (0, "just now"),
        (59.9, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (3600, "1 h ago"),
        (86399, "23 h ago"),
        (86400, "1 d ago"),
        (400 * 86400, "400 d ago"),
    ],
)
def test_says_how_long_ago(seconds: float, said: str) -> None:
    """A length of time is said in its largest whole unit; one in the future is now."""
    assert clock.ago(seconds) == said
