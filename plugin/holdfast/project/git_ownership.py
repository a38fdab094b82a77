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


def consented(root: str) -> bool:
    """Whether the user trusts this working tree of another owner by git's `safe.directory`.

    The user's own settings of git and those of the machine count, as for git. They are read as text: this runs on each
    tool call, but only where the owner is another.
    """
    home, base = os.environ.get("HOME", ""), os.environ.get("XDG_CONFIG_HOME", "")
    known = [f"{home}/.gitconfig", f"{base or home + '/.config'}/git/config", "/etc/gitconfig"]
    named = [value for path in known for value in _values(path, "[safe]", "directory")]
    valid = named[len(named) - named[::-1].index("") if "" in named else 0 :]
    return any(value == "*" or _covers(value, os.path.realpath(root)) for value in valid)


def _covers(value: str, root: str) -> bool:
    """Whether a value of `safe.directory` names a working tree, or with `/*` a folder above it."""
    if value.endswith("/*"):
        return (root + "/").startswith(os.path.realpath(value[:-2]) + "/")
    return os.path.realpath(value) == root


def _values(path: str, section: str, key: str) -> "list[str]":
    """Return the values of a key in one section of a settings file of git, "" for an empty one, which resets."""
    values, inside = [], False
    text = (files.read_or_none(path) or b"").decode("utf-8", "replace")
    for line in map(str.strip, text.splitlines()):
        inside = line.casefold() == section if line.startswith("[") else inside
        name, _, value = line.partition("=")
        if inside and name.strip().casefold() == key:
            values.append(os.path.expanduser(value.strip().strip('"')))
    return values


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
