"""Update what was measured at the end of a session, as far as one question to git can."""

import os

from holdfast.project import paths
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def recount(session: Session) -> None:
    """Drop what was committed since a session was measured from its uncommitted files.

    Of more files than are kept by name, the others count as they were. When git fails, nothing changes.
    """
    measured = session.measured or {}
    names, count = measured.get("examples"), measured.get("uncommitted")
    root = session.worktree or session.root
    if not (isinstance(names, list) and isinstance(count, int) and names and os.path.isdir(root)):
        return
    if _is_unchanged(root, names, measured.get("looked")):
        return
    from holdfast.git import queries, run  # takes as long as everything else of a start's answer

    left = queries.uncommitted(root, names, run.TIMEOUT)
    if left is not None:
        gone = [name for name in names if name not in left and not name.endswith("…")]
        rest = 0 if len(gone) == len(names) else count - len(gone)
        session.measured = {**measured, "examples": [name for name in names if name not in gone], "uncommitted": rest}


def _is_unchanged(root: str, names: "Sequence[object]", looked: object) -> bool:
    """Return whether nothing was written since `looked` that git's answer about these files depends on."""
    git = paths.locate(root).git
    if not git or not isinstance(looked, float):
        return False
    needed = [f"{git}/HEAD", f"{git}/logs/HEAD", *(f"{root}/{name}" for name in names)]
    rules = [f"{git}/info/exclude", f"{root}/.gitignore"]
    return all(_changed(path, looked) <= looked for path in needed) and all(_changed(path) <= looked for path in rules)


def _changed(path: str, since: float = 0.0) -> float:
    """Return when a file was last written, replaced or renamed; a time after `since` if it does not exist."""
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return since and since + 1
