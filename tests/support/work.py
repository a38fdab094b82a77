"""How much an act takes, told in a number that is the same on every machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


def lines(act: Callable[[], object]) -> int:
    """Return how many lines of Python an act takes, however often each of them is run."""
    count, before = 0, sys.gettrace()

    def trace(_frame: FrameType, event: str, _value: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
    return count
