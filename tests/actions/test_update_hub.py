"""What an answer to an update says of the entries that it changed."""

from __future__ import annotations

import pytest

from holdfast.actions import update_hub
from holdfast.hub.document import Hub
from tests.support import hubs


def _hub(one: str, other: str, **more: str) -> Hub:
    """Return a hub with two entries of these statuses; the first has more fields."""
    fields = {"Completed": "2026-01-01", **more}
    assert hubs.FORMAT
    text = (
        hubs.HEAD + hubs.person("1111", "A - One", Status=one, **fields) + hubs.person("2222", "B - Two", Status=other)
    )
    return Hub(text.encode(), hubs.FORMAT)


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (_hub("active", "active"), []),
        (_hub("paused", "active"), [("Status", "active", "paused")]),
        (_hub("active", "paused"), [("Status of B - Two", "active", "paused")]),
        (_hub("active", "active", Purpose="Other"), []),
        (_hub("active", "active", Completed="2026-01-02"), [("Completed", "2026-01-01", "2026-01-02")]),
    ],
    ids=["nothing", "its status", "the status of another", "a text", "a time"],
)
def test_statuses_and_its_own_times_are_reported(after: Hub, changes: list[tuple[str, str, str]]) -> None:
    """Each with what was there before; the texts that the user gave are not repeated."""
    found = update_hub._changes(_hub("active", "active"), after, "1111")  # noqa: SLF001 - the answer has more in it
    assert [(one.where, one.old, one.new) for one in found] == changes
