"""Git's own three-way merge of texts."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.git.run import run

OURS, BASE, THEIRS = "ours", "base", "theirs"  # the labels of conflict markers
MARKER = 7  # characters of a conflict marker, unless git asks for another number
_MAX_CONFLICTS = 127  # git's exit code is the number of conflicts, up to this


def text(base: bytes, ours: bytes, theirs: bytes, marker: int = MARKER) -> tuple[bytes, bool]:
    """Return the merge of three texts and whether it is free of conflicts; HoldfastError for texts git cannot merge.

    Conflicts are between markers of `marker` characters, with the base where git is configured to show it.
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
        if 0 < code <= _MAX_CONFLICTS:
            _, whole, _ = run(os.getcwd(), command[0], "--diff3", *command[1:])
            output = _whole_conflicts(output, whole, marker)
    if errors or not 0 <= code <= _MAX_CONFLICTS:
        raise HoldfastError(f"git merge-file failed: {' '.join(errors.split())[:200] or f'exit code {code}'}")
    return os.fsencode(output), code == 0


def _whole_conflicts(output: str, whole: str, marker: int) -> str:
    """Return a merge with its conflicts as git has them in the style that shows the base, which it may not show.

    In its other style git takes lines out of a conflict that are equal on both sides, and lines that one side deleted
    come back.
    """
    if f"\n{'|' * marker} {BASE}" in f"\n{output}":
        return output
    shown: list[str] = []
    in_base = False
    for line in whole.splitlines(keepends=True):
        plain = line.rstrip("\r\n")
        in_base = (in_base or plain == f"{'|' * marker} {BASE}") and plain != "=" * marker
        shown += [] if in_base else [line]
    return "".join(shown)
