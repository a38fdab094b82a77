"""The error log: one line for each fault, with its location. Hooks show a fault in no other way."""

import os
import time

from holdfast.core import files
from holdfast.project import paths

_LIMIT = 1 << 18  # bytes; a longer log is renamed first


def record(store: str, where: str, error: BaseException) -> None:
    """Add a fault to the log in `store`, or to that in the plugin's data folder when the first cannot be written."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {where}: {_described(error)}"
    for folder in (store, paths.data_dir(os.environ)):
        if folder and _appended(folder + "/errors.log", line.encode("utf-8", "replace")):
            return


def read(store: str) -> "list[str]":
    """Return the errors recorded in a folder, oldest first; for a store those that it could not keep itself, too."""
    elsewhere = paths.data_dir(os.environ)
    others = [] if store == elsewhere else [line for line in _lines(elsewhere) if store in line]
    return sorted([*_lines(store), *others])


def _lines(folder: str) -> "list[str]":
    data = files.read_or_none(folder + "/errors.log") if folder else b""
    return (data or b"").decode("utf-8", "replace").splitlines()


def _described(error: BaseException) -> str:
    """Return an error as one line with the file and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:500]}{at}"


def _appended(path: str, line: bytes) -> bool:
    """Append a line to a log, and return whether that was possible."""
    try:
        if os.path.exists(path) and os.stat(path).st_size > _LIMIT:
            os.replace(path, path + ".1")
        files.append_line(path, line)
    except OSError:
        return False
    return True
