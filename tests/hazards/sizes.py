"""Hazards of size, made when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.hazards.shapes import N5, Hazard, case

if TYPE_CHECKING:
    from collections.abc import Callable


def sections() -> Hazard:
    """Return a file with 101 sections, the one that is wanted last but one."""
    more = "".join(f"## Week {week}\n- Read {week} files\n\n" for week in range(1, 97))
    return _n5("101 sections", N5[1].replace("## Open", more + "## Open"), "files have?\n", "Open Questions")


def kilobytes() -> Hazard:
    """Return a file of a little more than 650 kB."""
    text = "The bank's list has a rate for each day, and none for holidays.\n"
    return _n5("650 kB", N5[1] + "\n## Notes\n" + text * (650_000 // len(text)), "sample files\n", "Covered")


def headings() -> Hazard:
    """Return a file with 100,000 headings."""
    more = "".join(f"### Note {number}\n" for number in range(100_000))
    return _n5("100,000 headings", f"{N5[1]}\n## Notes\n{more}", "sample files\n", "Covered")


def _n5(name: str, text: str, last: str, section: str) -> Hazard:
    """Return a hazard that wants one more item after the last line of a section's list."""
    return case(name, (N5[0], text), {section: ["Rates"]}, (last, f"{last}- Rates\n"))


LARGE: tuple[Callable[[], Hazard], ...] = (sections, kilobytes, headings)
