"""Whether the git folder that a working tree names is its own. git itself does not check that.

An ordinary working tree has a folder `.git`, which needs no check. A file or a link of that name may lead anywhere, and
so may `commondir` in a git folder: into another project's repository, whose sessions would be shown and whose index
would be changed. The git folders of linked worktrees and submodules, and separate git folders, are accepted.
"""

import os

from holdfast.core import files

_INSIDE = "/.git/"
_checked: "set[tuple[str, str]]" = set()  # pairs that passed; a process asks for the same ones many times


def owned(folder: str, git: str) -> bool:
    """Whether the git folder `git`, which the working tree `folder` names, belongs to no other working tree."""
    if (folder, git) not in _checked and _owned(folder, git):
        _checked.add((folder, git))
    return (folder, git) in _checked


def shared(git: str, common: str) -> bool:
    """Whether the git folder `git` is that of a worktree of the repository `common`, which it names."""
    worktrees = os.path.realpath(common) + "/worktrees"
    if (git, common) not in _checked and os.path.dirname(os.path.realpath(git)) == worktrees:
        _checked.add((git, common))
    return (git, common) in _checked


def around_private(folder: str, private: str) -> str:
    """Return the git folder whose private folder, at the path `private` in it, contains `folder`; "" for none.

    The caller makes sure that git tracks nothing there: other folders may have these names.
    """
    common, _, _ = (folder + "/").rpartition(private + "/")
    return common if is_bare(common) else ""


def is_bare(folder: str) -> bool:
    """Whether a folder looks like a git folder or a bare repository."""
    return all(os.path.exists(f"{folder}/{name}") for name in ("HEAD", "objects", "refs"))


def _owned(folder: str, git: str) -> bool:
    owner = _owner(os.path.realpath(git))
    here, there = os.path.realpath(folder) + "/", os.path.realpath(owner).rstrip("/") + "/"
    # An owner that no longer exists was moved; `git worktree repair` would enter its new path.
    return not owner or here.startswith(there) or not os.path.lexists(owner)


def _owner(git: str) -> str:
    """Return the working tree that a git folder belongs to, "" when that is unknown."""
    tree, inside, rest = (git + "/").rpartition(_INSIDE)
    names = rest.split("/")
    enclosing = [f"{tree}{_INSIDE}worktrees/{names[1]}"] if inside and names[0] == "worktrees" else []
    for folder in (git, *enclosing):  # a submodule's git folder is in that of the linked worktree around it
        try:
            line = os.fsdecode(files.read(folder + "/gitdir")).split("\n", 1)[0]
        except OSError:
            continue
        return os.path.dirname(os.path.join(folder, line))
    return (tree or "/") if inside else ""
