"""The one way a state file changes: lock, re-read, splice, write aside, replace, stage."""

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from holdfast.core import files, lock
from holdfast.core.errors import HoldfastError
from holdfast.editing import own_changes
from holdfast.git import queries, run
from holdfast.git.run import own_filter
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.trust import clone, safe

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
        own_changes.refuse_held(path)
        own_changes.note_write(path, data, changed)
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
    own_changes.note_write(path, None, data)
    try:
        files.write_atomic(path, data, fresh=True, mode=mode)
    except FileExistsError:  # another process made it meanwhile
        return update(path, change)
    return True


def create(folder: str, name: str, data: bytes) -> str:
    """Create a file in `folder`, numbered when the name is taken; the caller holds the lock. Return its path."""
    mode = _made(folder)
    stem, extension = os.path.splitext(name)
    for path in files.numbered(f"{folder}/{stem}", extension):
        if os.path.lexists(path):
            continue
        try:
            files.write_atomic(path, data, fresh=True, mode=mode)
        except FileExistsError:  # another process made it meanwhile
            continue
        own_changes.note_write(path, None, data)
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


def _open_mode(path: str) -> int:
    """Return the mode of a file or folder on which other users have a permission, else 0."""
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        return mode if mode & 0o077 and (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) else 0
    return 0


def _make_private(path: str) -> None:
    """Remove all permissions of other users from a file or folder in the store; earlier versions left some."""
    with suppress(OSError):
        if mode := _open_mode(path):
            os.chmod(path, mode & 0o700)


def open_to_others(folder: str) -> int:
    """Return how many files and folders in the store, itself included, other users have a permission on."""
    every_path = (
        path for place, _, names in os.walk(folder) for path in (place, *(f"{place}/{name}" for name in names))
    )
    return sum(bool(_open_mode(path)) for path in every_path)


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
            reasons[path] = own_changes.refusal(home, home.relative(path))
        if home.git and home.root and not reasons[path]:
            trees.setdefault((home.root, home.git), {})[home.relative(path)] = path
    for (root, git), known in trees.items():
        refused = {name: why for name in known if (why := _refused_filter(root, name))}
        staged = queries.stage_all(root, git, [name for name in known if name not in refused])
        reasons |= {known[name]: why for name, why in {**staged, **refused}.items()}
    for path in names:
        if not reasons[path]:
            own_changes.note_staged(path)
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
