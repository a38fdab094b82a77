"""Which branch each session knows in its working tree: one small file each, so that a hook sees a switch by two reads.

These files only serve a warning. A lost one means that the next switch is not reported. For each state file
that may not be committed yet, another file has the branch on which it was written (`actions.upkeep.follow`).
"""

import os

from holdfast.core import fast_json, files
from holdfast.journal.payload import masked
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_FOLDER, _WRITTEN = "/checkouts/", "/written.json"


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
    return was if root == tree.root and was and now and was != now and not (is_commit(was) and is_commit(now)) else ""


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


def written(store: str) -> "list[list[str]]":
    """Return a row for each state file that may be in no commit yet: path, branch, text, base.

    `text` is the object with its text, if that was set aside until its branch is checked out again, else "". `base` is
    then the object that the last commit had, "" for none.
    """
    rows = fast_json.object_in(files.read_or_none(store + _WRITTEN) or b"{}").get("rows")
    return [[*map(str, row)] for row in rows] if isinstance(rows, list) else []


def write(store: str, old: "list[list[str]]", new: "list[str]") -> None:
    """Replace rows by another one, [] for none; the caller holds the lock.

    One whose branch has a secret in its name is not kept.
    """
    before = written(store)
    is_kept = bool(new) and new not in before and masked(new[1]) == new[1]
    rows = [row for row in before if row not in old] + ([new] if is_kept else [])
    if rows != before:
        files.write_quietly(store + _WRITTEN, fast_json.dumps({"rows": rows}).encode())


def note_written(project: "Project", path: str) -> None:
    """Note that a state file is written on the branch that is checked out; the caller holds the lock."""
    branch = paths.branch(project)
    if branch and not is_commit(branch):
        write(project.store, [], [path, branch, "", ""])


def moved(project: "Project") -> "list[list[str]]":
    """Return the rows of files that were carried to another branch, and of texts that wait for the one that is here."""
    here = paths.branch(project)
    rows = [row for row in written(project.store) if project.root and row[0].startswith(f"{project.root}/")]
    elsewhere = {branch for branch in {row[1] for row in rows} - {here} if exists(project, branch)}
    return [row for row in rows if bool(row[2]) == (row[1] not in elsewhere)]


def exists(project: "Project", branch: str) -> bool:
    """Return whether a branch exists."""
    ref = f"refs/heads/{branch}"
    packed = (files.read_or_none(f"{project.common}/packed-refs") or b"").decode("utf-8", "surrogateescape")
    return os.path.exists(f"{project.common}/{ref}") or f" {ref}\n" in packed


def _known(store: str, session: str) -> str:
    """Return the working tree and the branch that a session knows, "" for none."""
    return (files.read_or_none(store + _FOLDER + session) or b"").decode("utf-8", "surrogateescape")


def is_commit(branch: str) -> bool:
    """Return whether the name of what is checked out is that of a commit."""
    return len(branch) == 12 and not branch.strip("0123456789abcdef")
