"""The seal of a store: the change time of an empty file in it, which an archive or a copy cannot bring along."""

import os

from holdfast.core import files

_BORN = "/born"


def of(store: str) -> str:
    """Return the seal of a store, "" where there is none."""
    try:
        return f"={os.lstat(store + _BORN).st_ctime_ns}"
    except OSError:
        return ""


def begun(store: str) -> str:
    """Return the seal of a store, which gets one if there is none; OSError."""
    files.private_folder(store)
    os.close(os.open(store + _BORN, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
    return of(store)
