"""The error log: one line a fault, telling where; hooks never show a fault in any other way."""

import os
import time

from holdfast import files, paths

_LIMIT = 1 << 18


def record(store: str, where: str, error: BaseException) -> None:
    """Add a fault to the log in `store`, or in the plugin's data folder where that cannot be written."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {where}: {_worded(error)}"
    for folder in (store, paths.data_dir(os.environ)):
        if folder and _appended(folder + "/errors.log", line.encode("utf-8", "replace")):
            return


def read(store: str) -> "list[str]":
    """Return the faults recorded for a project, oldest first."""
    try:
        return files.read(store + "/errors.log").decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _worded(error: BaseException) -> str:
    """Return an error as one line with the place in our code that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    at = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:500]}{at}"


def _appended(path: str, line: bytes) -> bool:
    """Whether the line could be added; a log that has grown too long is put aside first."""
    try:
        if os.path.exists(path) and os.stat(path).st_size > _LIMIT:
            os.replace(path, path + ".1")
        files.append_line(path, line)
    except OSError:
        return False
    return True
