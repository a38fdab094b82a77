"""Sessions whose journals went on after a silence, as `log.append` notes: the index may have outdated rows of them."""

import os

from holdfast.core import files
from holdfast.journal import log
from holdfast.journal.payload import is_session


def sessions(store: str) -> "list[str]":
    """Return the ids of sessions whose journals went on after a silence, so that what the index has may be outdated."""
    try:
        return [name for name in os.listdir(store + log.WOKEN) if is_session(name)]
    except OSError:
        return []


def forget(store: str, session: str, known: str) -> None:
    """Forget that a journal went on, unless it did so again since its `signature` was `known`."""
    files.unlink_quietly(store + log.WOKEN + session)
    if log.signature(store, session) != known:
        files.write_quietly(store + log.WOKEN + session, b"", durable=False)
