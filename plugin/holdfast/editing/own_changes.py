"""What holdfast may stage: only its own complete change of a file, never a change that the user has not staged.

For each file in a working tree the store has a record of what holdfast wrote last (`wrote`), what it wrote before that
(`replaced`) and what it staged last (`staged`), all as names of git objects, how long git's log of HEAD was then
(`moves`), and why the file may not be staged now (`kept`). The record is written under the lock, just before the file
is replaced.
"""

import hashlib
import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, queries
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

    Record = dict[str, object]

_PARTLY = "its index entry differed from the file. To stage it, type: git add"
_UNTRACKED = "it was taken out of the index. To stage it, type: git add"
_BY_HAND = "the index was changed by hand since holdfast staged it; it goes on after the next commit"
_SPARSE = "it is outside the sparse checkout"


class HeldError(HoldfastError):
    """The file is not written now, because a git operation is in progress; the next settle writes it."""


def refuse_held(path: str, *, missing: bool = False) -> None:
    """Raise HeldError when a write would stop git: in a rebase, bisect or cherry-pick, or before a `stash pop`.

    With `missing` the file is not there, and is not created again while git may bring it back.
    """
    home = paths.locate(os.path.dirname(path))
    if not (home.git and home.root):
        return
    name = home.relative(path)
    operation = queries.replaying(home.git)
    if operation and (missing or objects.index_entry(home.root, home.git, name).state != objects.ABSENT):
        raise HeldError(f"{path} is not written now: {queries.advice(home.git, operation)}")
    wrote = _read(home, path).get("wrote")
    if wrote and queries.stashed(home.root, home.common, name) == wrote:
        raise HeldError(f"{path} is not written now: its text is in the stash. Type: git stash pop")


def note_write(path: str, before: bytes | None, after: bytes) -> None:
    """Record that `after` replaces `before`, None for a file that was not there; the caller holds the lock."""
    home = paths.locate(os.path.dirname(path))
    if not (home.git and home.root):
        return
    record = _read(home, path)
    kept = _reason(home, home.relative(path), before, record)
    # A process that is killed before it replaces the file leaves the text that this record calls `replaced`.
    replaced = _blob(home, before) if before is not None and _wrote(home, record, before) else ""
    _keep(home, path, {**record, "wrote": _blob(home, after), "replaced": replaced, "kept": kept})


def note_edit(path: str) -> None:
    """Record that the file's present text is Claude's, after a hook saw the edit."""
    home = paths.locate(os.path.dirname(path))
    if home.git and home.root:
        _keep(home, path, {**_read(home, path), "wrote": _blob(home, files.read(path))})


def last_written(home: "Project", path: str) -> bytes:
    """Return the text that holdfast wrote last to a file that is gone, b"" if git does not have it."""
    from holdfast.git import refs  # few files are gone

    wrote = str(_read(home, path).get("wrote") or "")
    return refs.blob(home.root, wrote) if wrote and home.git else b""


def refusal(home: "Project", name: str) -> str:
    """Return why a file may not be staged, "" when it may."""
    path = f"{home.root}/{name}"
    kept = str(_read(home, path).get("kept") or "")
    if not kept or _is_in_index(home, name):
        return ""
    return f"{name} is written and not staged: {kept}{f' {name}' if kept.endswith('git add') else ''}"


def note_staged(path: str) -> None:
    """Record the index entry of a file that was just staged."""
    home = paths.locate(os.path.dirname(path))
    if not (home.git and home.root):
        return
    index_entry = objects.index_entry(home.root, home.git, home.relative(path))
    _keep(home, path, {**_read(home, path), "staged": index_entry.blob, "moves": _moves(home), "kept": ""})


def _reason(home: "Project", name: str, before: bytes | None, record: "Record") -> str:
    """Return why a file that is about to be written may not be staged, "" when it may."""
    index_entry = objects.index_entry(home.root, home.git, name)
    staged = record.get("staged")
    if index_entry.state == objects.SPARSE:
        return _SPARSE
    if index_entry.state == objects.ABSENT:
        # Git had the file, or holdfast staged it, and a person took it out. A new file may have an old one's name.
        once = bool(staged) or before is not None
        untracked = once and ((before is not None and bool(staged)) or bool(queries.head_blob(home.root, name)))
        return _UNTRACKED if untracked else ""
    if before is None:
        return _PARTLY
    if index_entry.blob == _blob(home, before) or _is_in_index(home, name):
        restored = bool(staged) and index_entry.blob != staged and record.get("moves") == _moves(home)
        return _BY_HAND if restored and record.get("wrote") != index_entry.blob else ""
    ours = _wrote(home, record, before) and not record.get("kept")
    if ours and (index_entry.blob == staged or (not staged and queries.head_blob(home.root, name) == index_entry.blob)):
        return ""
    return _PARTLY


def _wrote(home: "Project", record: "Record", data: bytes) -> bool:
    """Return whether holdfast wrote these bytes last, or was about to replace them."""
    return _blob(home, data) in {record.get("wrote"), record.get("replaced")}


def _is_in_index(home: "Project", name: str) -> bool:
    """Whether the file equals its index entry, after all filters."""
    index_entry = objects.index_entry(home.root, home.git, name)
    if index_entry.state:
        return False
    try:
        same = index_entry.blob == _blob(home, files.read(f"{home.root}/{name}"))
    except OSError:
        return False
    return same or queries.is_unchanged(home.root, name)


def _moves(home: "Project") -> int:
    """Return the length of git's log of HEAD, which grows with each commit and each switch."""
    return files.size_of(f"{home.git}/logs/HEAD")


def _blob(home: "Project", data: bytes) -> str:
    """Return the name that git gives to these bytes."""
    return objects.blob_name(data, objects.length(home.root))


def _path(home: "Project", path: str) -> str:
    return f"{home.store}/staged/{hashlib.sha256(os.fsencode(path)).hexdigest()[:24]}.json"


def _read(home: "Project", path: str) -> "Record":
    return fast_json.read_object(_path(home, path)) if home.store else {}


def _keep(home: "Project", path: str, record: "Record") -> None:
    """Write the record; without a record the file is staged as one that holdfast has not written before."""
    target = _path(home, path)
    try:
        files.write_private(target, fast_json.dumps(record).encode())
    except OSError:
        return
