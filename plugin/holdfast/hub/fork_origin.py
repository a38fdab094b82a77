"""Find the session whose conversation a fork continues in its transcript, where its command line did not name it."""

import os
import re

from holdfast.journal import payload
from holdfast.sessions.session import Session

_HEAD = 1 << 18  # bytes of a transcript; its copied lines come first
_NAMED = re.compile(rb'"forkedFrom":\s*\{\s*"sessionId":\s*"([\w-]{8,128})"|"requestSessionId":\s*"([\w-]{8,128})"')


def origin(session: Session) -> str:
    """Return the id of the session that a fork copied its beginning from, "" when it is unknown."""
    if not session.forked or session.origin or not session.transcript:
        return ""
    try:
        handle = os.open(session.transcript, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        head = os.pread(handle, _HEAD, 0)
    except OSError:  # a folder, or a pipe
        return ""
    finally:
        os.close(handle)
    found = (os.fsdecode(each[1] or each[2]) for each in _NAMED.finditer(head))
    return next((ident for ident in found if ident != session.id and payload.is_session(ident)), "")
