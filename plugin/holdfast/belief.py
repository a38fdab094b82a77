"""Whether a working tree's word for where its git folder is can be believed: git itself believes any.

An ordinary working tree has a folder `.git`, and nobody asks here. A file or a link of that name may lead anywhere, and
so may the `commondir` of a git folder: into the repository of somebody else's project, whose sessions would be told,
whose index would be staged into. What a linked worktree, a submodule or a separate git folder has is believed.
"""

import os

from holdfast import files

_INSIDE = "/.git/"
_known: "set[tuple[str, str]]" = set()  # what was believed before: one process asks of one tree again and again


def owned(folder: str, git: str) -> bool:
    """Whether the git folder that the working tree `folder` names is no other working tree's."""
    if (folder, git) not in _known and _owned(folder, git):
        _known.add((folder, git))
    return (folder, git) in _known


def shared(git: str, common: str) -> bool:
    """Whether a git folder is one of the worktrees of the repository that it says it belongs to."""
    if (git, common) not in _known and os.path.dirname(os.path.realpath(git)) == os.path.realpath(
        common
    ) + "/worktrees":
        _known.add((git, common))
    return (git, common) in _known


def _owned(folder: str, git: str) -> bool:
    owner = _owner(os.path.realpath(git))
    here, there = os.path.realpath(folder) + "/", os.path.realpath(owner).rstrip("/") + "/"
    # One that is gone has left its word behind: the tree was moved, and only `git worktree repair` would say so.
    return not owner or here.startswith(there) or not os.path.lexists(owner)


def _owner(git: str) -> str:
    """Return the working tree that a git folder is of, "" where nothing tells; a linked one's folder says which."""
    tree, inside, rest = (git + "/").rpartition(_INSIDE)
    names = rest.split("/")
    around = [f"{tree}{_INSIDE}worktrees/{names[1]}"] if inside and names[0] == "worktrees" else []
    for folder in (git, *around):  # around: a submodule's git folder lies in that of the linked tree around it
        try:
            said = os.fsdecode(files.read(folder + "/gitdir")).split("\n", 1)[0]
        except OSError:
            continue
        return os.path.dirname(os.path.join(folder, said))
    return (tree or "/") if inside else ""
