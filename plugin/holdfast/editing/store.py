"""The one way a state file changes: lock, re-read, splice, write aside, replace, stage.

What holdfast may stage: only its own complete change of a file, never a change that the user has not staged.

For each file in a working tree the store has a record of what holdfast wrote last (`wrote`), what it wrote before that
(`replaced`) and what it staged last (`staged`), all as names of git objects, how long git's log of HEAD was then
(`moves`), and why the file may not be staged now (`kept`). The record is written under the lock, just before the file
is replaced.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from holdfast.core import fast_json, files, lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, queries, run
from holdfast.git.run import own_filter
from holdfast.journal import checkouts
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.trust import clone, safe

Record = dict[str, object]

_TRIES = 5
_ABANDONED = 3600.0  # seconds after which no process is still writing


@contextmanager
def writing(project: Project, timeout: float = lock.TIMEOUT) -> Iterator[None]:
    """Hold the project's lock."""
    with lock.hold(project.store, timeout):
        yield


def update(
    path: str,
    change: Callable[[bytes], bytes],
    *,
    quiet: bool = False,
) -> bool:
    """Replace a state file by `change` of its bytes; the caller holds the lock. Whether anything was written.

    A file that was saved in the meantime is read again. `quiet` keeps the file's modification time, for a change
    made within Claude's own edit. HoldfastError when the file lies beyond a link or keeps changing.
    """
    _enter(os.path.dirname(path))
    refuse_protected(path)
    for _ in range(_TRIES):
        before = os.stat(path)
        data = files.read(path)
        changed = change(data)
        if changed == data:
            return False
        refuse_held(path)
        note_write(path, data, changed)
        if files.write_atomic(path, changed, unchanged_since=before):
            if quiet:
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            return True
        time.sleep(0.02)
    raise HoldfastError(f"{path} kept changing while holdfast tried to update it; nothing was written. Try again.")


def text_to_change(path: str) -> bytes:
    """Return the bytes of a file that is about to be changed, b"" for a new one; the caller holds the lock.

    HoldfastError when it must not be written.
    """
    if not os.path.lexists(path):
        _refuse_links(os.path.dirname(path))
        return b""
    _enter(os.path.dirname(path))
    refuse_protected(path)
    return files.read(path)


def copy(path: str, data: bytes) -> bool:
    """Write a text that was another file's, or this one's, as it is."""
    return upsert(path, lambda _: data)


def upsert(path: str, change: Callable[[bytes], bytes]) -> bool:
    """Like `update`, but create a missing file with `change(b"")`, unless that is empty."""
    if os.path.lexists(path):
        return update(path, change)
    data = change(b"")
    if not data:
        return False
    mode = _made(os.path.dirname(path))
    note_write(path, None, data)
    try:
        files.write_atomic(path, data, fresh=True, mode=mode)
    except FileExistsError:  # another process made it meanwhile
        return update(path, change)
    return True


def create(folder: str, name: str, data: bytes, taken: Callable[[str], object] = os.path.lexists) -> str:
    """Create a file in `folder`, numbered when the name is taken; the caller holds the lock. Return its path."""
    mode = _made(folder)
    stem, extension = os.path.splitext(name)
    for path in files.numbered(f"{folder}/{stem}", extension):
        if taken(path):
            continue
        try:
            files.write_atomic(path, data, fresh=True, mode=mode)
        except FileExistsError:  # another process made it meanwhile
            continue
        note_write(path, None, data)
        break
    return path


def _made(folder: str) -> int:
    """Make a folder if it is missing, and return the mode of new files in it: in the store they are private."""
    _refuse_links(folder)
    home = paths.locate(folder)
    inside = bool(home.private) and home.root == home.private
    if inside:
        files.private_folder(folder)
    else:
        os.makedirs(folder, exist_ok=True)
    _enter(folder)
    return 0o600 if inside else 0o666


def remove(path: str) -> None:
    """Delete a state file; the caller holds the lock and has made sure that a copy of the text exists."""
    _enter(os.path.dirname(path))
    if os.path.islink(path):
        raise HoldfastError(f"{path} is a link; holdfast deletes plain files only. Remove it by hand.")
    os.unlink(path)


def open_mode(path: str) -> int:
    """Return the mode of a file or folder on which other users have a permission, else 0."""
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        return mode if mode & 0o077 and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) else 0
    return 0


def _make_private(path: str) -> None:
    """Remove all permissions of other users from a file or folder in the store; earlier versions left some."""
    with suppress(OSError):
        if mode := open_mode(path):
            os.chmod(path, mode & 0o700)


def sweep(project: Project, now: float) -> None:
    """Remove old temporary files that killed writers left in the store, and make all other files there private."""
    for folder, _, names in os.walk(project.store):
        _make_private(folder)
        for name in names:
            path = f"{folder}/{name}"
            if _is_aside(name) and files.modified_at(path) < now - _ABANDONED:
                files.unlink_quietly(path)
            else:
                _make_private(path)


def _enter(folder: str) -> None:
    """Refuse a folder outside its project, and remove temporary files of killed writers. The caller holds the lock.

    Such a temporary file may be a second hard link of a state file, which must not be mistaken for a person's.
    """
    _refuse_links(folder)
    for name in filter(_is_aside, os.listdir(folder)):
        files.unlink_quietly(f"{folder}/{name}")


def _is_aside(name: str) -> bool:
    return name.startswith(files.TEMPORARY_PREFIX) and name.endswith(".tmp")


def stage(path: str) -> str:
    """Stage a file in its repository; return "" or why it was not staged."""
    return stage_all([path])[path]


def stage_all(names: list[str]) -> dict[str, str]:
    """Stage files, with one start of git for those of one working tree; return for each "" or why it is not staged."""
    trees: dict[tuple[str, str], dict[str, str]] = {}
    reasons = dict.fromkeys(names, "")
    for path in names:
        home = paths.locate(os.path.dirname(path))
        if home.git and home.root:
            reasons[path] = refusal(home, home.relative(path))
        if home.git and home.root and not reasons[path]:
            trees.setdefault((home.root, home.git), {})[home.relative(path)] = path
    for (root, git), known in trees.items():
        refused = {name: why for name in known if (why := _refused_filter(root, name))}
        staged = queries.stage_all(root, git, [name for name in known if name not in refused])
        reasons |= {known[name]: why for name, why in {**staged, **refused}.items()}
    for path in names:
        if not reasons[path]:
            note_staged(path)
    return reasons


def _refused_filter(root: str, name: str) -> str:
    """Return why a file is not staged if the repository defines a filter for it that the user has not accepted."""
    commands = own_filter(root, run.run, name)
    if not commands or clone.is_accepted(paths.locate(root), commands.encode("utf-8", "surrogateescape")):
        return ""
    config = ".git/config"
    return f"{name} is not staged: {config} defines a filter for it. Read and accept it: holdfast trust {config}"


def refuse_protected(path: str) -> None:
    """Refuse a read-only file, and one with further hard links, which an edit would separate."""
    if os.path.islink(path):
        raise HoldfastError(f"{path} is a link; holdfast writes to plain files only. Edit what it points to by hand.")
    file_stat = os.stat(path)
    if not file_stat.st_mode & 0o200:
        raise HoldfastError(f"{path} is read-only. Type: chmod u+w {safe.shell(path)}")
    if not os.access(path, os.W_OK):
        raise HoldfastError(
            f"{path} cannot be written: it belongs to another user, or its file system is read-only. "
            f"Type: ls -l {safe.shell(path)}"
        )
    if file_stat.st_nlink > 1:
        raise HoldfastError(f"{path} has {file_stat.st_nlink} hard links, which an edit would separate. Copy it over.")


def _refuse_links(folder: str) -> None:
    """Refuse a folder outside its project, reached through a link, also when it is in another project."""
    inner = folder
    while (home := paths.locate(inner)).store and home.root:
        if not paths.within(folder, home.root):
            raise HoldfastError(f"{folder} leads out of {home.root} through a link; holdfast writes in a project only.")
        if home.root == inner == "/":
            return
        inner = os.path.dirname(home.root)


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
    if wrote and queries.stashed(home.root, home.common, name) == wrote and not _is_there(home, path, wrote):
        raise HeldError(f"{path} is not written now: its text is in the stash. Type: git stash pop")


def _is_there(home: "Project", path: str, wrote: object) -> bool:
    """Whether a file has the text that was written last: a stash has each tracked file, also one that it left here."""
    data = files.read_or_none(path)
    return data is not None and _blob(home, data) == wrote


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
    checkouts.note_written(home, path)


def note_edit(path: str) -> None:
    """Record that the file's present text is Claude's, after a hook saw the edit."""
    home = paths.locate(os.path.dirname(path))
    if home.git and home.root:
        _keep(home, path, {**_read(home, path), "wrote": _blob(home, files.read(path))})


def is_own_change(path: str) -> bool:
    """Whether all that differs from the last commit is what holdfast wrote last, also in the index."""
    home = paths.locate(os.path.dirname(path))
    record, index_entry = _read(home, path), objects.index_entry(home.root, home.git, home.relative(path))
    own = {record.get("wrote"), record.get("staged"), queries.head_blob(home.root, home.relative(path))}
    return not index_entry.state and _is_there(home, path, record.get("wrote")) and index_entry.blob in own


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
