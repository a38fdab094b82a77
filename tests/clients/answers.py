"""Any answer that holdfast may give, for the properties of what the clients' modules make of it."""

from __future__ import annotations

from hypothesis import strategies as st

from holdfast.core.client import Answer

_TEXT = st.text(max_size=40)
ANSWERS = st.builds(
    Answer,
    context=_TEXT,
    title=_TEXT,
    message=_TEXT,
    verdict=st.sampled_from(["", "ask", "deny"]),
    reason=st.text(min_size=1, max_size=40),
    steering=_TEXT,
    block=_TEXT,
)
