"""One writer at a time in a project: the only importer of filelock."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.errors import HoldfastError

PATIENCE = 30.0  # seconds; a writer holds the lock for a fraction of one, several when a file is huge or many wait


@contextmanager
def hold(store: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the project's lock, again if this process holds it already; HoldfastError after `patience` seconds.

    The lock is the kernel's, on `lock` in the store: it falls with the process that holds it, however that ends. Where
    the file system has no such lock, nothing is written: one that is a file of its own would outlive its process.
    """
    from filelock import FileLock, Timeout

    os.makedirs(store, exist_ok=True)
    path = store + "/lock"
    try:
        held = FileLock(path, is_singleton=True, fallback_to_soft=False).acquire(timeout=patience, poll_interval=0.01)
    except Timeout:
        raise HoldfastError(
            f"{path} has been held by another process for {patience:g} seconds; nothing was written. "
            f"`fuser {path}` names the process; try again when it is done."
        ) from None
    except OSError as error:
        if error.filename:  # else it was not to be opened, which says its path itself
            raise
        raise HoldfastError(
            f"{path} cannot be locked ({error.strerror}); nothing was written. "
            "Keep the repository on a file system with locks, such as a local disk."
        ) from None
    with held:
        yield
