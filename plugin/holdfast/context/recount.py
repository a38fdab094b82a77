"""Brings what was measured when a session ended up to date, as far as one question to git can."""

import os

from holdfast.git import queries, run
from holdfast.sessions.session import Session


def recount(session: Session) -> None:
    """Drop what was committed since a session was measured from its uncommitted files.

    Of more files than are kept by name, the others count as they were. When git fails, nothing changes.
    """
    measured = session.measured or {}
    names, count = measured.get("examples"), measured.get("uncommitted")
    root = session.worktree or session.root
    if not (isinstance(names, list) and isinstance(count, int) and names and os.path.isdir(root)):
        return
    left = queries.uncommitted(root, names, run.TIMEOUT)
    if left is not None:
        gone = [name for name in names if name not in left and not name.endswith("…")]
        rest = 0 if len(gone) == len(names) else count - len(gone)
        session.measured = {**measured, "examples": [name for name in names if name not in gone], "uncommitted": rest}
