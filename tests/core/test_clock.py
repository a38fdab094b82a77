"""Times: every documented form is read, and written back in the same form; an unclear one is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import clock

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
    "2025-12-04 14:30:05Z": NOON,
    "2025-12-04T14:30:05.5Z": NOON + 0.5,
    "2025-12-04T14:30:05.000Z": NOON,
    "2025-12-04T14:30:05.123Z": NOON + 0.123,
    "2025-12-04T14:30:05.999999+00:00": NOON + 0.999999,
    "2025-12-04T16:30:05+02:00": NOON,
    "2025-12-04T09:00-05:30": MINUTE,
    "2025-12-05 00:30:05.25+10:00": NOON + 0.25,
}
NAIVE = {
    "2025-12-04 14:30": MINUTE,
    "2025-12-04T14:30": MINUTE,
    "2025-12-04 14:30:05": NOON,
    "2025-12-04T14:30:05": NOON,
    "2025-12-04T14:30:05.25": NOON + 0.25,
}


@pytest.mark.parametrize(("written", "seconds"), FORMS.items())
def test_reads_every_form_and_writes_it_back(written: str, seconds: float) -> None:
    """A time in a documented form is read correctly and written back unchanged."""
    assert clock.read(written) == seconds
    assert clock.write(seconds, clock.form(written)) == written


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("2025-12-04T14:30:05Z", clock.ISO),
        ("2025-12-04T14:30:05+00:00", "%Y-%m-%dT%H:%M:%S+00:00"),
        ("2025-12-04 14:30:05 UTC", "%Y-%m-%d %H:%M:%S UTC"),
        ("2025-12-04", "%Y-%m-%d"),
        ("2025-12-04T14:30:05.123-03:30", "%Y-%m-%dT%H:%M:%S.%3f-03:30"),
    ],
)
def test_returns_the_form(written: str, form: str) -> None:
    """A form is a format for strftime with a literal offset and the number of digits of a second."""
    assert clock.form(written) == form


@pytest.mark.parametrize(
    ("seconds", "form", "written"),
    [
        pytest.param(NOON + 0.9999, "%Y-%m-%dT%H:%M:%S.%3fZ", "2025-12-04T14:30:06.000Z", id="rounded to the digits"),
        pytest.param(NOON + 0.9999, clock.ISO, "2025-12-04T14:30:05Z", id="whole seconds begun"),
        pytest.param(DAY, "%Y-%m-%dT%H:%M:%S-05:00", "2025-12-03T19:00:00-05:00", id="the day before, there"),
        pytest.param(DAY, "%Y-%m-%d", "2025-12-04", id="a date"),
    ],
)
def test_writes_another_time_in_a_form(seconds: float, form: str, written: str) -> None:
    """Any time can be written in a form; offset and digits stay the same."""
    assert clock.write(seconds, form) == written


@pytest.mark.parametrize(("written", "seconds"), NAIVE.items())
def test_a_time_without_a_zone_has_no_form(written: str, seconds: float) -> None:
    """A time without a zone is read as UTC, which is enough for sorting, and has no form."""
    assert clock.read(written) == seconds
    assert clock.form(written) == ""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("soon", id="prose"),
        pytest.param("2025-12-04 14:30 ET", id="a zone by name"),
        pytest.param("2025-12-04T14:30:05+99:00", id="an offset that is nowhere"),
        pytest.param("2025-12-04T14:30:05.1234567Z", id="fractions too fine to be written back"),
        pytest.param("2025-12-04T14:30.5Z", id="a fraction of a minute"),
        pytest.param("2025-12-04T14Z", id="an hour"),
        pytest.param("2025-12-04Z", id="a date with a zone"),
        pytest.param("2025-12-04T14:30:05Z and more", id="something after it"),
        pytest.param("on 2025-12-04", id="something before it"),
        pytest.param("2025-12-04\n", id="a line end"),
        pytest.param("٢٠٢٥-١٢-٠٤", id="other digits"),
        pytest.param("YYYY-MM-DD", id="a template"),
        pytest.param("20251204-143005", id="a file name's"),
    ],
)
def test_other_texts_have_no_form(text: str) -> None:
    """A text that is not clearly a time has no form and is read as 0."""
    assert clock.form(text) == ""
    assert clock.read(text) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "2025-13-01",
        "2025-00-10",
        "2025-02-30",
        "0000-01-01",
        "2025-12-04T25:00:00Z",
        "2025-12-04T24:00Z",
        "2025-02-29 10:00",
    ],
)
def test_an_impossible_time_is_read_as_0(text: str) -> None:
    """A date that does not exist is read as 0 without an error."""
    assert clock.read(text) == 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *((f"a {written}, b", seconds) for written, seconds in (FORMS | NAIVE).items()),
        pytest.param("2025-12-04 — Completed plan 3", DAY, id="a date, then prose"),
        pytest.param("2025-12-04 14:30 (local)", DAY, id="a zone that is not known"),
        pytest.param("2025-12-04T14:30:05-0500", NOON + 5 * 3600, id="an offset without a colon"),
        pytest.param("2025-12-04 at 14:30", DAY, id="the time further on"),
        pytest.param("2025-12-04 14:77", DAY, id="an impossible time of a day"),
        pytest.param("**2025-12-04T14:30Z**: 2026-01-01", MINUTE, id="the first of two"),
        pytest.param("plan-2025-12-04-a.md", DAY, id="in a file's name"),
        pytest.param("2025-02-30, then 2025-12-04", DAY, id="an impossible one before it"),
        pytest.param("2025-02-30 and 2025-13-01", 0.0, id="only impossible ones"),
        pytest.param("12025-12-04 and 2025-12-041", 0.0, id="within longer numbers"),
        pytest.param("Phase 3 of 12", 0.0, id="none"),
        pytest.param("", 0.0, id="nothing"),
    ],
)
def test_finds_the_first_time_in_a_text(text: str, seconds: float) -> None:
    """The first valid date or time is found, as much of it as can be read."""
    assert clock.find(text) == seconds


@given(
    st.text()
    | st.from_regex(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d{3})?(Z|[+-]\d\d:\d\d| UTC)?)?", fullmatch=True)
)
def test_reads_any_text(text: str) -> None:
    """Any text is read as a time, with a form if it has one, or as 0."""
    seconds = clock.read(text)
    assert seconds in {0.0, clock.find(text)}
    if seconds and clock.form(text):
        assert clock.write(seconds, clock.form(text)) == text


@given(
    st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)),  # noqa: DTZ001 - Hypothesis wants bounds without a zone
    st.integers(0, 6),
    st.sampled_from("T "),
    st.sampled_from(["Z", " UTC", "+00:00", "+02:00", "-09:30", "+14:00"]),
)
def test_every_instant_is_written_as_it_was_read(moment: datetime, digits: int, between: str, zone: str) -> None:
    """With any zone and digits, a time that was read is written back exactly."""
    fraction = f".{moment.microsecond:06}"[: digits + 1] if digits else ""
    text = f"{moment:%Y-%m-%d}{between}{moment:%H:%M:%S}{fraction}{zone}"
    assert clock.write(clock.read(text), clock.form(text)) == text


@given(st.integers(min_value=-(2**31), max_value=2**35))
def test_what_is_written_is_read_back(seconds: int) -> None:
    """A time in the default form is read back to the second."""
    assert clock.read(clock.write(seconds)) == seconds


def test_writes_names_and_minutes() -> None:
    """File names and minutes have the forms that agents-sessions documents."""
    assert clock.write(NOON, clock.FILE_NAME) == "20251204-143005"
    assert clock.write(NOON, clock.MINUTE) == "2025-12-04 14:30"


@pytest.mark.parametrize(
    ("seconds", "stated"),
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
def test_says_how_long_ago(seconds: float, stated: str) -> None:
    """An age is given in its largest whole unit; a time in the future is "just now"."""
    assert clock.ago(seconds) == stated


@pytest.mark.parametrize(("seconds", "stated"), [(59.9, "less than a minute"), (60, "1 min"), (2 * 86400, "2 d")])
def test_says_how_long(seconds: float, stated: str) -> None:
    """A length of time has no "ago", also where it is short."""
    assert clock.duration(seconds) == stated
