"""What git's index has of one path, read from its bytes where that is possible."""

import os

from holdfast.core import files
from holdfast.git import objects
from holdfast.git.run import run

ABSENT, CONFLICT, SPARSE = "absent", "conflict", "sparse"
_NAME_BITS = 0xFFF


class Entry:
    """`state` is "" for an ordinary entry, whose object is named `blob`; else one of the constants above."""

    __slots__ = ("blob", "state")

    def __init__(self, state: str, blob: str = "") -> None:
        self.state = state
        self.blob = blob


def entry(root: str, git: str, path: str) -> Entry:
    """Return what the index of a working tree has of a path, given relative to `root`.

    The format is Documentation/gitformat-index.txt: in version 2 an entry's name follows the object's name, in 20 or 32
    bytes, and 16 bits of flags: bits 12 and 13 are the stage, bits 0 to 11 the length of the name. A null byte ends it.
    """
    try:
        data = files.read(f"{git}/index", files.OWN_LIMIT)
        split = any(name.startswith("sharedindex.") for name in os.listdir(git))
    except FileNotFoundError:
        return Entry(ABSENT)
    except OSError:
        return _asked(root, path)
    if split or data[:8] != b"DIRC\0\0\0\2":
        return _asked(root, path)
    name = os.fsencode(path)
    at = data.find(name + b"\0")
    while at >= 0:
        flags = int.from_bytes(data[at - 2 : at], "big")
        if flags & _NAME_BITS == min(len(name), _NAME_BITS):
            return Entry(CONFLICT) if flags & 0x3000 else Entry("", data[at - 2 - objects.length(root) : at - 2].hex())
        at = data.find(name + b"\0", at + 1)
    return Entry(ABSENT)


def is_left_out(root: str, git: str, path: str) -> bool:
    """Whether git has a file that a sparse checkout leaves out of the working tree; git is not started without one."""
    sparse = bool(git and root) and os.path.isfile(f"{git}/info/sparse-checkout")
    return sparse and not os.path.lexists(f"{root}/{path}") and entry(root, git, path).state == SPARSE


def text(root: str, path: str) -> bytes:
    """Return the bytes that the index has of a path, given relative to `root`; b"" when it has none."""
    code, output, _ = run(root, "cat-file", "blob", f":{path}")
    return b"" if code else os.fsencode(output)


def _asked(root: str, path: str) -> Entry:
    """Return what `git ls-files` says of a path: a tag, the mode, the object, the stage."""
    _, output, _ = run(root, "--literal-pathspecs", "ls-files", "-s", "-t", "-z", "--", path)
    words = output.partition("\t")[0].split()
    if len(words) != 4:
        return Entry(ABSENT)
    tag, _, blob, stage = words
    return Entry(CONFLICT) if stage != "0" else Entry(SPARSE if tag == "S" else "", blob)
