"""Which branch each session knows in its working tree: one small file each, so that a hook sees a switch by two reads.

These files only serve a warning. A lost one means that the next switch is not reported.
"""

import os

from holdfast.core import files
from holdfast.journal.payload import masked
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_FOLDER = "/checkouts/"


def switched(store: str, session: str, tree: "Project") -> str:
    """Return the branch that a session knew in a working tree, if another one is checked out there now; "" if not.

    From now on the session knows the new one. A detached commit counts as a branch, but not a move between two. Names
    are kept and compared with secrets masked, also those that were kept before.
    """
    now = masked(paths.branch(tree))
    known, words = _known(store, session), f"{tree.root}\n{now}"
    if known == words:
        return ""
    if not files.write_quietly(store + _FOLDER + session, words.encode("utf-8", "surrogateescape")):
        return ""
    root, _, was = known.partition("\n")
    was = masked(was)
    return was if root == tree.root and was and now and was != now and not (_is_commit(was) and _is_commit(now)) else ""


def sessions(store: str) -> "list[str]":
    """Return the ids of the sessions that know a branch."""
    try:
        return sorted(os.listdir(store + _FOLDER))
    except OSError:
        return []


def in_tree(store: str, root: str) -> "list[str]":
    """Return the ids of the sessions that know a branch of a working tree."""
    return [name for name in sessions(store) if _known(store, name).partition("\n")[0] == root]


def forget(store: str, session: str) -> None:
    """Remove what a session knows, when it ends."""
    files.unlink_quietly(store + _FOLDER + session)


def _known(store: str, session: str) -> str:
    """Return the working tree and the branch that a session knows, "" for none."""
    return (files.read_or_none(store + _FOLDER + session) or b"").decode("utf-8", "surrogateescape")


def _is_commit(branch: str) -> bool:
    return len(branch) == 12 and not branch.strip("0123456789abcdef")
