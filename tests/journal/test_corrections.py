"""What is quoted as a correction or a preference: an order, a prohibition; no report of a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.journal import corrections
from holdfast.journal.conversation import Turn

ORDERS, REPORTS = (
    table.splitlines()[1:] for table in (Path(__file__).parent / "corrections.txt").read_text().split("# ")[1:]
)


def quoted(prompt: str) -> list[str]:
    """Return what is quoted of a second prompt; the first one is the objective."""
    turns = [Turn(1.0, "Make the nightly import faster", 2.0, "Done."), Turn(3.0, prompt, 4.0, "Done.")]
    return [text for _, text in corrections.of_turns(turns)]


@pytest.mark.parametrize("prompt", ORDERS)
def test_an_order_is_quoted(prompt: str) -> None:
    """In several languages."""
    assert quoted(prompt) == [prompt]


@pytest.mark.parametrize("prompt", REPORTS)
def test_a_report_is_not_quoted(prompt: str) -> None:
    """Although it has words such as "not", "always" and "only"."""
    assert quoted(prompt) == []


def test_sentences_that_do_not_follow_each_other_are_joined_with_an_ellipsis() -> None:
    """So that nobody takes them for one quote."""
    assert quoted("Never skip rows. Count them. And no prints please.") == ["Never skip rows. … And no prints please."]
