"""Git's own three-way merge of texts, and the commits of the merge, rebase or cherry-pick that is under way."""

import os
import re

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.git.run import run

OURS, BASE, THEIRS = "ours", "base", "theirs"  # the labels of conflict markers
MARKER = 7  # characters of a conflict marker, unless git asks for another number
_MAX_CONFLICTS = 127  # git's exit code is the number of conflicts, up to this
_HEAD = re.compile(r"GITHEAD_([0-9a-f]{40,64})")
_PICK = re.compile(r"(?:pick|p|reword|r|edit|e|squash|s|fixup|f)(?: -[cC])? ([0-9a-f]{7,64})\b")
_PICKED = ("rebase-merge/done", "sequencer/todo", "CHERRY_PICK_HEAD")


def text(base: bytes, ours: bytes, theirs: bytes, marker: int = MARKER) -> tuple[bytes, bool]:
    """Return the merge of three texts and whether it is free of conflicts; HoldfastError for texts git cannot merge.

    Conflicts are between markers of `marker` characters, in the style that git is configured to use.
    """
    if theirs in (ours, base):
        return ours, True
    if ours == base:
        return theirs, True
    import tempfile

    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        paths = [f"{folder}/{name}" for name in (OURS, BASE, THEIRS)]
        for path, data in zip(paths, (ours, base, theirs), strict=True):
            with open(path, "wb") as file:
                file.write(data)
        labels = [word for name in (OURS, BASE, THEIRS) for word in ("-L", name)]
        command = ("merge-file", "-p", "-q", f"--marker-size={marker}", *labels, *paths)
        code, output, errors = run(os.getcwd(), *command)
    if errors or not 0 <= code <= _MAX_CONFLICTS:
        raise HoldfastError(f"git merge-file failed: {' '.join(errors.split())[:200] or f'exit code {code}'}")
    return os.fsencode(output), code == 0


def commits(root: str, git: str) -> tuple[str, str] | None:
    """Return the base and the other commit of the merge, rebase or cherry-pick that is under way in a working tree.

    None when git does not say, as for a `stash pop` and for a cherry-pick of one commit.
    """
    heads = [found[1] for name in os.environ if (found := _HEAD.fullmatch(name))]
    if len(heads) == 1:
        code, output, _ = run(root, "merge-base", "HEAD", heads[0])
        return (output.split()[0], heads[0]) if code == 0 and output.split() else None
    for name in _PICKED if not heads else ():
        picked = _picked(f"{git}/{name}", last=name.endswith("done"))
        if picked:
            return f"{picked}^", picked
    return None


def _picked(path: str, *, last: bool) -> str:
    """Return the first or last commit in one of git's to-do lists, "" for none."""
    try:
        lines = [line for line in os.fsdecode(files.read(path)).splitlines() if line and not line.startswith("#")]
    except OSError:
        return ""
    line = (lines[-1] if last else lines[0]) if lines else ""
    found = _PICK.match(line)
    return found[1] if found else line if re.fullmatch(r"[0-9a-f]{40,64}", line) else ""


def at(root: str, commit: str, path: str) -> bytes:
    """Return the bytes of a file in a commit, b"" when the commit does not contain it."""
    code, output, _ = run(root, "cat-file", "blob", f"{commit}:{path}")
    return os.fsencode(output) if code == 0 else b""
