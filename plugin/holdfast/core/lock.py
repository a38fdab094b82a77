"""The lock that lets one process at a time write in a project. The only importer of filelock."""

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.core import files
from holdfast.core.errors import HoldfastError

TIMEOUT = 30.0  # seconds; a writer usually holds the lock for a fraction of a second


@contextmanager
def hold(store: str, timeout: float = TIMEOUT) -> Iterator[None]:
    """Hold the project's lock; HoldfastError when that takes longer than `timeout` seconds. Calls can be nested.

    It is a lock of the kernel on the file `lock` in the store, which is released when the process ends in any way. A
    file system without such locks is an error: a lock that is only a file would remain after a crash.
    """
    from filelock import FileLock, Timeout

    files.private_folder(store)
    path = store + "/lock"
    try:
        lock = FileLock(path, mode=0o600, is_singleton=True, fallback_to_soft=False)
        held = lock.acquire(timeout=timeout, poll_interval=0.01)
    except Timeout:
        raise HoldfastError(
            f"{path} has been held by another process for {timeout:g} seconds; nothing was written. "
            f"`fuser {path}` names the process; try again when it is done."
        ) from None
    except OSError as error:
        if error.filename:  # the file could not be opened; the message of the system names it
            raise
        raise HoldfastError(
            f"{path} cannot be locked ({error.strerror}); nothing was written. "
            "Keep the repository on a file system with locks, such as a local disk."
        ) from None
    with held:
        yield


@contextmanager
def sole(path: str) -> Iterator[bool]:
    """Hold a lock that only one process has at a time, and say whether this one has it; nothing waits.

    Without working locks nobody has it. The file stays: who removed it could remove the lock of another process.
    """
    from filelock import FileLock, Timeout

    try:
        held = FileLock(path, mode=0o600, fallback_to_soft=False).acquire(timeout=0)
    except (Timeout, OSError):
        yield False
        return
    with held:
        yield True
