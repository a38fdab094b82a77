"""What git is in the middle of, in words, and what to type to finish or end it."""

import os

_NAMES = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


def named(git: str, operation: str) -> str:
    """Return what git is in the middle of; `operation` is the file in the git folder `git` that says so."""
    if operation.startswith("BISECT"):
        return "git is in the middle of a bisect"
    if os.path.exists(f"{git}/rebase-apply/applying"):
        return "git is in the middle of applying patches"
    name = _NAMES.get(operation)
    return f"git is in the middle of {'an operation' if name is None else f'a {name}'}"


def advice(git: str, operation: str) -> str:
    """Return the same with what to type."""
    what = named(git, operation)
    if operation.startswith("BISECT"):
        return f"{what}. End it (git bisect reset), then try again."
    name = "am" if what.endswith("patches") else _NAMES.get(operation)
    if name is None:
        return f"{what}. Finish it (see git status), then try again."
    return f"{what}. Finish it (git {name} --continue) or end it (git {name} --abort), then try again."
