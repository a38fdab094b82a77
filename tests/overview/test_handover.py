"""What a state file says, as labelled texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.overview import handover

if TYPE_CHECKING:
    from holdfast.core.summary import Summary


def test_a_text_that_repeats_the_title_is_left_out() -> None:
    """The title is the line above; what says more stays."""
    summary: Summary = {
        "title": "Read the invoices",
        "focus": "Read the invoices",
        "objective": "Totals by month",
        "next": [],
    }
    assert handover.summarised(summary) == [("Objective", "Totals by month")]
