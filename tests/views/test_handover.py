"""What a state file says, as labelled texts."""

from __future__ import annotations

from holdfast.views import handover


def test_a_text_that_repeats_the_title_is_left_out() -> None:
    """The title is the line above; what says more stays."""
    summary = {"title": "Read the invoices", "focus": "Read the invoices", "objective": "Totals by month", "next": []}
    assert handover.summarised(dict(summary)) == [("Objective", "Totals by month")]
