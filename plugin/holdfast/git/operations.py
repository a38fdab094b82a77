"""The files in a git folder that say that git is in the middle of something, such as a rebase."""

import os

# Git applies commits one after the other, or bisects. Between two commits of a cherry-pick only `sequencer` is there.
REPLAYING = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "sequencer")
# Nothing is staged meanwhile.
STOPPED = ("MERGE_HEAD", *REPLAYING)
# Texts in the working tree may come from elsewhere. SQUASH_MSG stays until the commit of `merge --squash`, for which
# no write has to wait; REBASE_HEAD and BISECT_LOG are there beside names above, and no operation stops at them alone.
UNSETTLED = (*STOPPED, "SQUASH_MSG", "REBASE_HEAD", "BISECT_LOG")


def running(git: str, names: "tuple[str, ...]") -> list[str]:
    """Return those of the names, one of the tuples above, that exist in the git folder `git`."""
    return [name for name in names if os.path.lexists(f"{git}/{name}")]
