"""Read files with a limit, append lines in one write, and replace files atomically."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Look = Callable[[str], os.stat_result]  # looks at a file, a link itself; OSError

DOCUMENT_LIMIT = 4 << 20  # bytes; parsing a larger document would take too long
OWN_LIMIT = 512 << 20  # bytes of a file in the store; a journal of a million lines takes 100 MB
TEMPORARY_PREFIX = ".holdfast."  # of the name of a file that is written first and then renamed
_READ = os.O_RDONLY | os.O_NONBLOCK  # without O_NONBLOCK opening a pipe waits for a writer


def read(path: str, limit: int = DOCUMENT_LIMIT) -> bytes:
    """Return a file's bytes; OSError also for a link, a pipe, a device, and a file of more than `limit` bytes."""
    handle = os.open(path, _READ | os.O_NOFOLLOW)
    try:
        size = _regular(handle, path).st_size
        if size > limit:
            raise OSError(27, f"larger than the {limit >> 20} MB that are read", path)
        return read_all(handle, size + 1)
    finally:
        os.close(handle)


def read_or_none(path: str) -> "bytes | None":
    """Return a file's bytes as `read` does, None when it is gone or cannot be read."""
    try:
        return read(path)
    except OSError:
        return None


def tail(path: str, limit: int) -> bytes:
    """Return at most the last `limit` bytes of a file; OSError also for a pipe or a device."""
    handle = os.open(path, _READ)
    try:
        return os.pread(handle, limit, max(0, _regular(handle, path).st_size - limit))
    finally:
        os.close(handle)


def lines(path: str, longest: int) -> "Iterator[bytes]":
    """Yield the lines of a file, one at a time, without those of more than `longest` bytes; OSError as for `tail`."""
    handle = os.open(path, _READ)
    with open(handle, "rb") as file:
        _regular(handle, path)
        is_begin = True
        while piece := file.readline(longest):
            is_whole = is_begin and (piece.endswith(b"\n") or len(piece) < longest)
            is_begin = piece.endswith(b"\n")
            if is_whole:
                yield piece


def _regular(handle: int, path: str) -> os.stat_result:
    """Return the status of an open file; OSError when it is not a regular file."""
    status = os.fstat(handle)
    if status.st_mode & 0o170000 != 0o100000:  # stat.S_ISREG, without the import
        raise OSError(22, "not a plain file", path)
    return status


def read_all(handle: int, expected: int = 1 << 16) -> bytes:
    """Return all bytes up to the end of an open handle; `expected` is how many that may be."""
    return b"".join(iter(lambda: os.read(handle, max(expected, 1 << 16)), b""))


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data` to an open handle, in as many writes as the system needs."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def append_line(path: str, line: bytes) -> float:
    """Append `line` and a newline in one write; return when the file was written before, 0.0 for an empty one.

    OSError also if it is no regular file. A last line without a newline, which a crash may have left, is ended first.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        handle = os.open(path, flags, 0o600)
    except FileNotFoundError:
        private_folder(os.path.dirname(path))
        handle = os.open(path, flags, 0o600)
    try:
        size = (status := _regular(handle, path)).st_size
        # A full disk can cut a line short; the new line must not continue it. A line that another process is just
        # writing looks the same: the result is an empty line between the two, which readers skip.
        cut_off = size and os.pread(handle, 1, size - 1) != b"\n"
        data = (b"\n" if cut_off else b"") + line + b"\n"
        written = os.write(handle, data)
    except OSError as error:
        _name(error, path)
        raise
    finally:
        os.close(handle)
    if written != len(data):
        raise OSError(28, "No space left on device", path)
    return status.st_mtime if size else 0.0


def _name(error: BaseException, path: str) -> None:
    """Make an error of the system name the file that was to be written, which the system itself does not know."""
    if isinstance(error, OSError):
        error.filename = path


def private_folder(path: str) -> None:
    """Create a folder and its missing parents, each for the current user only."""
    if not os.path.isdir(path):
        private_folder(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:  # another process was faster
            return


def write_private(path: str, data: bytes, *, durable: bool = True) -> bool:
    """Replace `path` as `write_atomic` does, by a file that only the current user can read; create its folder.

    The file keeps nothing of the old one. A file that is not `durable`, such as a cache, may be lost or empty after a
    crash of the machine; that is quicker.
    """
    private_folder(os.path.dirname(path))
    temporary = _temporary(path)
    try:
        _write_temporary(temporary, data, mode=0o600, durable=durable)
        os.replace(temporary, path)
    except BaseException as error:
        unlink_quietly(temporary)
        _name(error, path)
        raise
    return True


def write_quietly(path: str, data: bytes) -> bool:
    """Do the same as `write_private`, not durable, and return whether that worked: a full disk is not an error."""
    try:
        return write_private(path, data, durable=False)
    except OSError:
        return False


def write_atomic(
    path: str, data: bytes, *, fresh: bool = False, unchanged_since: "os.stat_result | None" = None, mode: int = 0o666
) -> bool:
    """Replace `path` by a file with the bytes `data`, completely or not at all; return True when that was done.

    Owner, group, mode and extended attributes stay; where there is no file yet, the new one has `mode`, less the mask.
    Where a new file cannot have them, or the folder takes no new file, the old one is overwritten, and a process that
    is killed meanwhile leaves it incomplete.
    With `unchanged_since`, a file that was written after that status was taken is left alone and the result is False.
    Errors leave `path` as it was: HoldfastError when it is a link, FileExistsError when it exists and `fresh` is set,
    OSError from the system.
    """
    temporary = _temporary(path)
    try:
        alike = _write_beside(temporary, data, path, fresh=fresh, mode=mode)
        if unchanged_since is not None and signature(os.stat(path)) != signature(unchanged_since):
            unlink_quietly(temporary)
            return False
        if fresh:
            _rename_fresh(temporary, path)
        elif alike:
            os.replace(temporary, path)
        else:
            _write_in_place(path, data)
            unlink_quietly(temporary)
    except BaseException as error:
        unlink_quietly(temporary)
        _name(error, path)
        raise
    return True


def signature(status: os.stat_result) -> "list[int]":
    """Return size, times and inode: one of them changes whenever a file is written or replaced."""
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def numbered(path: str, extension: str = "") -> "Iterator[str]":
    """Yield names to choose a free one from: `path`, then `path-2`, `path-3` and so on, each with the extension."""
    yield path + extension
    number = 1
    while number := number + 1:
        yield f"{path}-{number}{extension}"


def signature_of(path: str, *, follow: bool = True) -> "list[int]":
    """Return the signature of a file, or with `follow` unset that of the link itself; [] where it is gone."""
    try:
        return signature(os.stat(path, follow_symlinks=follow))
    except OSError:
        return []


def modified_at(path: str) -> float:
    """Return when a file was last modified, in seconds since 1970, infinity where it is gone."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return float("inf")


def size_of(path: str) -> int:
    """Return how many bytes a file has, 0 where it is gone."""
    return (signature_of(path) or [0])[0]


def _temporary(path: str) -> str:
    """Return the temporary name beside a file that is to be replaced; HoldfastError when the file is a link."""
    if os.path.islink(path):
        from holdfast.core.errors import HoldfastError  # only needed here, and not loaded on the hot path

        raise HoldfastError(f"{path} is a link; holdfast writes to plain files only. Edit the file it points to.")
    return os.path.join(os.path.dirname(path), f"{TEMPORARY_PREFIX}{os.getpid()}.tmp")


def _write_temporary(temporary: str, data: bytes, *, like: str = "", mode: int = 0o666, durable: bool = True) -> bool:
    """Write `data` under a temporary name, on the disk if `durable`; return whether it has all attributes of `like`."""
    unlink_quietly(temporary)  # a killed process, or an attacker, may have left a file of this name
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        alike = not os.path.exists(like) or _keep_attributes(handle, like)
        write_all(handle, data)
        if durable:
            os.fsync(handle)
        return alike
    finally:
        os.close(handle)


def _write_beside(temporary: str, data: bytes, path: str, *, fresh: bool, mode: int = 0o666) -> bool:
    """Write what is to replace `path`; return False where that cannot be like it, or be there at all."""
    try:
        return _write_temporary(temporary, data, like=path, mode=mode)
    except PermissionError:
        if fresh or not os.path.exists(path):
            raise
        return False


def _keep_attributes(handle: int, like: str) -> bool:
    """Give an open file owner, group, mode and extended attributes of the file `like`; return whether that was allowed.

    Labels that the system itself gives to each file are left to it.
    """
    model, own = os.stat(like), os.fstat(handle)
    os.fchmod(handle, model.st_mode & 0o7777)
    try:
        if (model.st_uid, model.st_gid) != (own.st_uid, own.st_gid):
            os.fchown(handle, model.st_uid, model.st_gid)
            os.fchmod(handle, model.st_mode & 0o7777)
        for name in _attribute_names(like):
            os.setxattr(handle, name, os.getxattr(like, name))
    except OSError:
        return False
    return True


def _attribute_names(path: str) -> "list[str]":
    """Return the names of a file's extended attributes; [] where the file system or Python has none."""
    try:
        return [name for name in os.listxattr(path) if not name.startswith("security.")]
    except (OSError, AttributeError):
        return []


def _write_in_place(path: str, data: bytes) -> None:
    """Overwrite a file; where that fails, such as on a full disk, it has its old bytes again."""
    old = read(path, OWN_LIMIT)
    handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    try:
        try:
            _overwrite(handle, data)
        except BaseException:
            _overwrite(handle, old)
            raise
    finally:
        os.close(handle)


def _overwrite(handle: int, data: bytes) -> None:
    """Make `data` the whole content of an open file, and wait until it is on the disk."""
    os.lseek(handle, 0, os.SEEK_SET)
    write_all(handle, data)
    os.ftruncate(handle, len(data))
    os.fsync(handle)


def _rename_fresh(temporary: str, path: str) -> None:
    """Rename a file to `path`; FileExistsError when that exists. `os.link` is the only way that never overwrites."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the caller's lock keeps other writers away
        if os.path.lexists(path):
            raise FileExistsError(17, "File exists", path) from None
        os.replace(temporary, path)
        return
    os.unlink(temporary)


def unlink_quietly(path: str) -> None:
    """Remove a file if it is there and can be removed."""
    try:
        os.unlink(path)
    except OSError:
        return
