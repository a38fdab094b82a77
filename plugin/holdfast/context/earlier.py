"""The line before an edit of a file with which something was tried and given up before, or about which was decided."""

import time

from holdfast.journal import tried
from holdfast.trust import safe

_MOST, _LONGEST = 2, 300  # texts that are named, characters of one


def line(store: str, session: str, path: str) -> str:
    """Return what earlier sessions say about a file, "" for nothing or if this session was told already."""
    known = tried.first_told(store, session, path)
    named = [f"{time.strftime('%d %b', time.localtime(at))}, {safe.line(text, _LONGEST)}" for at, text in known[:_MOST]]
    return f"holdfast: {safe.line(path, 200)}, in an earlier session: {'; '.join(named)}" if named else ""
