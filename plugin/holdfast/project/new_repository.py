"""A project that was outside git until `git init`: its store moves into git's folder, with all journals.

A store that came with a clone, or with a merge, is never used: any author may have written it.
"""

import os

from holdfast.core import files
from holdfast.project import paths
from holdfast.project.paths import Project

_FIRST = b"commit (initial)"


def take_over(project: "Project") -> None:
    """Move the store of a project that has just become a repository; nothing happens where that is not sure.

    The caller has seen that the store does not exist yet.
    """
    before = paths.store_outside_git(project.root) if project.root else ""
    if not before or project.git != project.common or not os.path.isdir(before) or os.path.islink(before):
        return
    if not paths.within(before, project.root) or os.stat(before).st_uid != os.geteuid() or not _is_new(project.git):
        return
    try:
        os.rename(before, project.store)
        files.unlink_quietly(project.store + "/.gitignore")
    except OSError:  # another disk, or another process was first
        return


def _is_new(git: str) -> bool:
    """Whether a repository was made here: without a commit, or with a first one of its own and nothing fetched."""
    if any(os.path.exists(f"{git}/{name}") for name in ("FETCH_HEAD", "packed-refs", "refs/remotes", "shallow")):
        return False
    try:
        return _FIRST in files.read(f"{git}/logs/HEAD").partition(b"\n")[0]
    except OSError:
        return not os.path.exists(f"{git}/index")
