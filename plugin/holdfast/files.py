"""Bytes on disk: append a line in one write, replace a file whole or not at all."""

import os

LARGEST = 4 << 20  # bytes of a document; nobody reads a larger one, be it for what it costs
OWN = 512 << 20  # bytes of what holdfast keeps for itself; a journal of a million lines takes 100 MB
_READING = os.O_RDONLY | os.O_NONBLOCK  # or a pipe in the place of a file would be waited for, for ever
ASIDE = ".holdfast."  # how the name of a file begins that is being written and will be renamed


def read(path: str, most: int = LARGEST) -> bytes:
    """Return a file's bytes; OSError as the system gives it, and for a link, a pipe, a device or a file too large."""
    handle = os.open(path, _READING | os.O_NOFOLLOW)
    try:
        size = _plain(handle, path).st_size
        if size > most:
            raise OSError(27, f"larger than the {most >> 20} MB that are read", path)
        return read_all(handle, size + 1)
    finally:
        os.close(handle)


def tail(path: str, most: int) -> bytes:
    """Return the last bytes of a file, `most` of them at the most; OSError as the system gives it, or for a pipe."""
    handle = os.open(path, _READING)
    try:
        return os.pread(handle, most, max(0, _plain(handle, path).st_size - most))
    finally:
        os.close(handle)


def _plain(handle: int, path: str) -> os.stat_result:
    """Return what the system knows of an open file; OSError where it is none that has bytes and an end."""
    found = os.fstat(handle)
    if found.st_mode & 0o170000 != 0o100000:  # stat.S_ISREG, without the import
        raise OSError(22, "not a plain file", path)
    return found


def read_all(handle: int, expected: int = 1 << 16) -> bytes:
    """Return all bytes up to the end of an open handle."""
    chunks = []
    while chunk := os.read(handle, max(expected, 1 << 16)):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data` to an open handle, however little the system takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def append_line(path: str, line: bytes) -> None:
    """Append `line` and its end in one write, after the end of any line that was cut off; to a plain file only."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        handle = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle = os.open(path, flags, 0o600)
    try:
        size = _plain(handle, path).st_size
        # A full disk can cut a line short: what follows must not be glued to it. Where another process is just writing,
        # its line looks cut off too: an empty line then stands between the two, which readers pass over.
        cut_off = size and os.pread(handle, 1, size - 1) != b"\n"
        whole = (b"\n" if cut_off else b"") + line + b"\n"
        if os.write(handle, whole) != len(whole):
            raise OSError(28, "No space left on device", path)
    finally:
        os.close(handle)


def write_atomic(
    path: str, data: bytes, *, fresh: bool = False, unchanged_since: "os.stat_result | None" = None
) -> bool:
    """Make `path` hold `data`, whole or not at all, keeping its mode bits; whether it does now.

    With `unchanged_since` a file that was saved after that look is left alone, and False returned. HoldfastError when
    `path` is a link; FileExistsError when `fresh` finds a file; OSError when the disk says no: `path` is as it was.
    """
    if os.path.islink(path):
        from holdfast.errors import HoldfastError  # on the way out only: not on the hot path

        raise HoldfastError(f"{path} is a link; holdfast writes to plain files only. Edit what it points to by hand.")
    aside = os.path.join(os.path.dirname(path), f"{ASIDE}{os.getpid()}.tmp")
    try:
        _write_aside(aside, data, like=path)
        if unchanged_since is not None and signature(os.stat(path)) != signature(unchanged_since):
            unlink_quietly(aside)
            return False
        if fresh:
            _move_fresh(aside, path)
        else:
            os.replace(aside, path)
    except BaseException:
        unlink_quietly(aside)
        raise
    return True


def signature(found: os.stat_result) -> "list[int]":
    """Return what changes whenever a file is written or replaced: size, times and inode."""
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _write_aside(aside: str, data: bytes, like: str) -> None:
    """Write all of `data` down to the disk, with the mode bits of the file `like`."""
    unlink_quietly(aside)  # left by a writer that was killed, or put there to be written to
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    try:
        if os.path.exists(like):
            os.fchmod(handle, os.stat(like).st_mode & 0o7777)
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


def _move_fresh(aside: str, path: str) -> None:
    """Give `aside` the name `path`, which nothing may have yet; a link is the one way that cannot overwrite."""
    try:
        os.link(aside, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: the caller's lock is what keeps others out
        if os.path.lexists(path):
            raise FileExistsError(17, "File exists", path) from None
        os.replace(aside, path)
        return
    os.unlink(aside)


def unlink_quietly(path: str) -> None:
    """Remove a file of our own if it is there."""
    try:
        os.unlink(path)
    except OSError:
        return
