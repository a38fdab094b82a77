"""The frame around what Claude gets, taken off by whoever looks at the text inside."""

from __future__ import annotations

import re

_FRAME = re.compile(r"<(?P<name>holdfast-[0-9a-f]{8})>\n(?P<reported>.+)\n</(?P=name)>", re.DOTALL)


def inside(framed: str) -> str:
    """Return what is in the one frame that a text is."""
    found = _FRAME.fullmatch(framed)
    assert found, framed
    reported = found["reported"]
    assert not re.search(f"</?{found['name']}", reported)
    return reported
