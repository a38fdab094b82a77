"""What git is in the middle of, such as a rebase, by the files in its folder; and what to type to finish or end it."""

import os

from holdfast.core import files

# Git applies commits one after the other, or bisects. Between two commits of a cherry-pick only `sequencer` is there.
REPLAYING = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_START", "sequencer")
# Nothing is staged meanwhile.
STOPPED = ("MERGE_HEAD", *REPLAYING)
# Texts in the working tree may come from elsewhere. SQUASH_MSG stays until the commit of `merge --squash`, for which
# no write has to wait; REBASE_HEAD and BISECT_LOG are there beside names above, and no operation stops at them alone.
UNSETTLED = (*STOPPED, "SQUASH_MSG", "REBASE_HEAD", "BISECT_LOG")

_NAMES = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


def running(git: str, names: "tuple[str, ...]") -> list[str]:
    """Return those of the names, one of the tuples above, that exist in the git folder `git`."""
    return [name for name in names if os.path.lexists(f"{git}/{name}")]


def named(git: str, operation: str) -> str:
    """Return what git is in the middle of; `operation` is the file in the git folder `git` that says so."""
    name = _name(git, operation)
    words = {"am": "applying patches", "bisect": "a bisect", "": "an operation"}
    return f"git is in the middle of {words.get(name, f'a {name}')}"


def advice(git: str, operation: str) -> str:
    """Return the same with what to type."""
    what, name = named(git, operation), _name(git, operation)
    if not name:
        return f"{what}. Finish it (see git status), then try again."
    if name == "bisect":
        return f"{what}. End it (git bisect reset), then try again."
    return f"{what}. Finish it (git {name} --continue) or end it (git {name} --abort), then try again."


def _name(git: str, operation: str) -> str:
    """Return the command of git that has begun, "" if it cannot be told."""
    if operation.startswith("BISECT"):
        return "bisect"
    if os.path.exists(f"{git}/rebase-apply/applying"):
        return "am"
    if operation != "sequencer":
        return _NAMES.get(operation, "")
    first = (files.read_or_none(f"{git}/sequencer/todo") or b"").split(None, 1)[:1]
    return {b"pick": "cherry-pick", b"revert": "revert"}.get(b"".join(first), "")
