"""How often a test tries something, measured by the profile of Hypothesis that was chosen."""

from __future__ import annotations

from hypothesis import settings


def times(share: float) -> int:
    """Return so many times the number of examples of the profile, at least 3."""
    return max(3, round(settings().max_examples * share))
