"""Objects and refs, written and read without an index, a branch or a working tree.

Objects may come from others, so each one is read only after its kind and size were looked at. The only importer of
GitPython, whose import takes as long as a whole command: only what reads commits of other machines comes there.
"""

import contextlib
import os
import time
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.git.run import LONG_TIMEOUT, run
from holdfast.project import paths

FILE, FOLDER = "100644", "40000"  # the modes that are written
_ABANDONED = 90.0  # seconds after which no git can still hold a lock: each run is ended before
_AUTHOR = 1000  # bytes of the line that names the author; a longer one is cut
_BATCH = 500  # objects for one start of git
_NO_COMMIT = "0" * 40
_SHA256 = pattern(rb'(?im)^[ \t]*(?:\[extensions\][ \t]*)?objectformat[ \t]*=[ \t]*"?sha256\b')
SHORT, LONG = 20, 32  # bytes of an object's name: by SHA-1 and by SHA-256


class Budget:
    """What may still be spent on objects of others: how many, how many bytes of them unpacked, and how many seconds.

    `exceeded` says whether something did not fit.
    """

    def __init__(self, objects: int, size: int, seconds: float) -> None:
        self.objects, self.bytes, self._end = objects, size, time.monotonic() + seconds
        self.exceeded = False

    def takes(self, count: int, size: int) -> bool:
        """Whether so many objects with so many bytes are within it; then they count as spent.

        Bytes that are only known after a read may be taken after it.
        """
        if count > self.objects or size > self.bytes or time.monotonic() > self._end:
            self.exceeded = True
            return False
        self.objects, self.bytes = self.objects - count, self.bytes - size
        return True


class Entry(NamedTuple):
    """One entry of a tree: its mode, as git writes it, and the name of its object."""

    mode: str
    name: str


def write_blobs(root: str, folder: str, contents: "Sequence[bytes]") -> list[str]:
    """Store texts as blobs and return their names; `folder` is for temporary files. HoldfastError when git fails."""
    names: list[str] = []
    files.private_folder(folder)
    for begin in range(0, len(contents), _BATCH):
        paths = [f"{folder}/{number}" for number in range(len(contents[begin : begin + _BATCH]))]
        try:
            for path, data in zip(paths, contents[begin : begin + _BATCH], strict=True):
                files.write_private(path, data, durable=False)
            names += _done(root, "hash-object", "-w", "--no-filters", "--stdin-paths", stdin="\n".join(paths)).split()
        finally:
            for path in paths:
                files.unlink_quietly(path)
    if len(names) != len(contents):
        raise HoldfastError(f"git stored {len(names)} of {len(contents)} objects. Type: git fsck")
    return names


def write_trees(root: str, trees: "Sequence[Mapping[str, Entry]]") -> list[str]:
    """Store trees, none of them empty, and return their names; HoldfastError when git fails."""
    texts = ["".join(_line(name, entry) for name, entry in sorted(tree.items())) for tree in trees]
    return _done(root, "mktree", "--batch", stdin="\n".join(texts)).split() if texts else []


def _line(name: str, entry: Entry) -> str:
    kind = "tree" if entry.mode == FOLDER else "blob"
    return f"{entry.mode:0>6} {kind} {entry.name}\t{name}\n"


def commit(root: str, tree: str, parent: str, message: str, options: "Sequence[str]") -> str:
    """Store a commit and return its name; HoldfastError when git fails.

    `options` are those before the command of git; `parent` is "" for the first commit.
    """
    above = ["-p", parent] if parent else []
    return _done(root, *options, "commit-tree", *above, "-F", "-", tree, stdin=message).strip()


def length(root: str) -> int:
    """Return the length of an object's name in bytes, which depends on the repository's format: SHORT or LONG.

    No git is started: it takes the format from the repository's own configuration file and no other.
    """
    try:
        config = files.read(f"{paths.locate(root).common}/config")
    except OSError:
        return SHORT
    return LONG if _SHA256.search(config) else SHORT


def blob_name(data: bytes, length: int) -> str:
    """Return the name that git gives to a blob of these bytes, where an object's name has `length` bytes."""
    import hashlib  # with OpenSSL, which takes longer than an interpreter's start on some machines

    made = hashlib.sha256 if length == LONG else hashlib.sha1
    return made(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def move(root: str, ref: str, new: str, old: str) -> bool:
    """Set a ref to a commit if it still is `old`, "" for a new ref; return whether that was done."""
    return run(root, "update-ref", "--no-deref", ref, new, old or _NO_COMMIT)[0] == 0


def delete(root: str, common: str, refs: "Collection[str]") -> None:
    """Delete refs and the folders that become empty; those that do not exist are no error.

    `common` is the git folder that all working trees share.
    """
    requested = "".join(f"delete {ref}\n" for ref in refs)
    if requested:
        run(root, "update-ref", "--no-deref", "--stdin", stdin=requested, timeout=LONG_TIMEOUT)
    for ref in refs:
        folder = os.path.dirname(ref)
        while folder != "refs":
            with contextlib.suppress(OSError):  # it has other refs, or is gone
                os.rmdir(f"{common}/{folder}")
            folder = os.path.dirname(folder)


def unlock(common: str, prefixes: "Collection[str]") -> None:
    """Remove the lock files of refs that a killed git left; the caller is the only one who writes these refs."""
    for prefix in prefixes:
        folder = f"{common}/{prefix}"
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = f"{folder}{name}"
            with contextlib.suppress(OSError):  # gone meanwhile
                if name.endswith(".lock") and time.time() - os.stat(path).st_mtime > _ABANDONED:
                    os.unlink(path)


def refs(root: str, prefix: str) -> dict[str, str]:
    """Return the refs whose name begins with `prefix`, which ends with a slash, and what each names."""
    code, output, _ = run(root, "for-each-ref", "--format=%(objectname) %(refname)", prefix, timeout=LONG_TIMEOUT)
    rows = [line.partition(" ") for line in output.splitlines()] if code == 0 else []
    return {name: target for target, _, name in rows}


def is_ancestor(root: str, older: str, newer: str) -> bool:
    """Whether a commit is the other one or among those before it; False when one of them is not here."""
    return run(root, "merge-base", "--is-ancestor", older, newer, timeout=LONG_TIMEOUT)[0] == 0


def kinds(root: str, names: "Sequence[str]") -> list[tuple[str, int]]:
    """Return kind and size in bytes of each object, ("", 0) for one that is missing."""
    pairs: list[tuple[str, int]] = []
    for begin in range(0, len(names), _BATCH):
        requested = names[begin : begin + _BATCH]
        output = _done(root, "cat-file", "--batch-check=%(objecttype) %(objectsize)", stdin="\n".join(requested) + "\n")
        rows = [line.split(" ") for line in output.splitlines()]
        pairs += [(row[0], int(row[1])) if len(row) == 2 and row[1].isdigit() else ("", 0) for row in rows]
    return pairs if len(pairs) == len(names) else [("", 0)] * len(names)


def read(root: str, names: "Sequence[str]", kind: str, limit: int) -> list[bytes | None]:
    """Return the bytes of objects, None for one of another kind, one that is missing, and one larger than `limit`."""
    known = kinds(root, names)
    fit = [name for name, (kind_there, size) in zip(names, known, strict=True) if kind_there == kind and size <= limit]
    data: dict[str, bytes] = {}
    for begin in range(0, len(fit), _BATCH):
        requested = [*dict.fromkeys(fit[begin : begin + _BATCH])]
        output = os.fsencode(_done(root, "cat-file", "--batch", stdin="\n".join(requested) + "\n"))
        at = 0
        for name in requested:
            head, _, _ = output[at : at + 200].partition(b"\n")
            size = int(head.rpartition(b" ")[2])
            at += len(head) + 1
            data[name] = output[at : at + size]
            at += size + 1
    return [data.get(name) for name in names]


def entries(data: bytes, length: int) -> dict[str, Entry] | None:
    """Return the entries of a tree from its bytes, None when it is damaged or has one name twice.

    The format is `mode SP name NUL object`, again and again; `length` is that of an object's name in bytes. A name that
    is not UTF-8 is damage, too.
    """
    found: dict[str, Entry] = {}
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, blank, name = data[at:end].partition(b" ")
        if end < 0 or not blank or end + 1 + length > len(data):
            return None
        try:
            word = name.decode()
        except UnicodeDecodeError:
            return None
        if word in found:
            return None
        found[word] = Entry(mode.decode("ascii", "replace"), data[end + 1 : end + 1 + length].hex())
        at = end + 1 + length
    return found


def author(commit: bytes) -> tuple[str, str]:
    """Return name and address of the author in the bytes of a commit, "" for what it does not have."""
    # The import would run `git version`, which takes time, fails without git, and waits for a git that hangs.
    os.environ.update(GIT_PYTHON_REFRESH="quiet", GIT_PYTHON_GIT_EXECUTABLE=os.devnull)
    from git.objects.util import parse_actor_and_date

    head = commit.partition(b"\n\n")[0]
    found = next((line for line in head.split(b"\n") if line.startswith(b"author ")), b"")
    actor, _, _ = parse_actor_and_date(found[:_AUTHOR].decode("utf-8", "replace"))
    return actor.name or "", actor.email or ""


def _done(root: str, *arguments: str, stdin: str) -> str:
    """Return the output of git; HoldfastError with its first words when it fails."""
    code, output, errors = run(root, *arguments, stdin=stdin, timeout=LONG_TIMEOUT, bounded=True)
    if code:
        words = next((line for line in errors.splitlines() if line.strip()), "it did not say why")
        raise HoldfastError(f"git failed: {words[:200]}")
    return output


ABSENT, CONFLICT, SPARSE = "absent", "conflict", "sparse"
_NAME_BITS = 0xFFF


class IndexEntry:
    """`state` is "" for an ordinary entry, whose object is named `blob`; else one of the constants above."""

    def __init__(self, state: str, blob: str = "") -> None:
        self.state = state
        self.blob = blob


def index_entry(root: str, git: str, path: str) -> IndexEntry:
    """Return what the index of a working tree has of a path, given relative to `root`.

    The format is Documentation/gitformat-index.txt: in version 2 an entry's name follows the object's name, in 20 or 32
    bytes, and 16 bits of flags: bits 12 and 13 are the stage, bits 0 to 11 the length of the name. A null byte ends it.
    """
    try:
        data = files.read(f"{git}/index", files.OWN_LIMIT)
        split = any(name.startswith("sharedindex.") for name in os.listdir(git))
    except FileNotFoundError:
        return IndexEntry(ABSENT)
    except OSError:
        return _asked(root, path)
    if split or data[:8] != b"DIRC\0\0\0\2":
        return _asked(root, path)
    name = os.fsencode(path)
    at = data.find(name + b"\0")
    while at >= 0:
        flags = int.from_bytes(data[at - 2 : at], "big")
        if flags & _NAME_BITS == min(len(name), _NAME_BITS):
            return (
                IndexEntry(CONFLICT) if flags & 0x3000 else IndexEntry("", data[at - 2 - length(root) : at - 2].hex())
            )
        at = data.find(name + b"\0", at + 1)
    return IndexEntry(ABSENT)


def is_left_out(root: str, git: str, path: str) -> bool:
    """Whether git has a file that a sparse checkout leaves out of the working tree; git is not started without one."""
    sparse = bool(git and root) and os.path.isfile(f"{git}/info/sparse-checkout")
    return sparse and not os.path.lexists(f"{root}/{path}") and index_entry(root, git, path).state == SPARSE


def index_text(root: str, path: str) -> bytes:
    """Return the bytes that the index has of a path, given relative to `root`; b"" when it has none."""
    code, output, _ = run(root, "cat-file", "blob", f":{path}")
    return b"" if code else os.fsencode(output)


def _asked(root: str, path: str) -> IndexEntry:
    """Return what `git ls-files` says of a path: a tag, the mode, the object, the stage."""
    _, output, _ = run(root, "--literal-pathspecs", "ls-files", "-s", "-t", "-z", "--", path)
    words = output.partition("\t")[0].split()
    if len(words) != 4:
        return IndexEntry(ABSENT)
    tag, _, blob, stage = words
    return IndexEntry(CONFLICT) if stage != "0" else IndexEntry(SPARSE if tag == "S" else "", blob)
