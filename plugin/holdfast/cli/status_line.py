"""The status line: reads what the client sends it, prints one line, and never fails.

A status line that the user had before is run first with the same input, and printed above.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.journal import payload
from holdfast.project import paths

_BETWEEN = " · "
_MOST = 1 << 16  # bytes of input that an earlier status line gets, which fit a pipe
_KEPT = "/statusline.json"  # in the data folder, see `project.status_line`


def main() -> int:
    """Print the status line for the JSON object on standard input, and return the exit code."""
    data = files.read_all(0)
    parts = [_earlier(data), _line(data)]
    files.write_all(1, "".join(f"{part}\n" for part in parts if part).encode("utf-8", "replace"))
    return 0


def _line(data: bytes) -> str:
    """Return the line of the session that the input names, "" if there is nothing to say."""
    try:
        body = payload.parse(data)
        folder = body.text("workspace", "project_dir") or body.cwd
        project = paths.locate(folder) if folder.startswith("/") else None
        if project is None or not (project.store and body.session) or paths.store_problem(project):
            return ""
        from holdfast.overview import line

        return _BETWEEN.join(line.segments(body, project))
    except (OSError, ValueError, HoldfastError):  # the line is left out; the session goes on
        return ""


def _earlier(data: bytes) -> str:
    """Return what the status line prints that the user had before, "" for none."""
    folder = paths.data_dir(os.environ)
    known = fast_json.read_object(folder + _KEPT) if folder else {}
    command = known.get("earlier")
    if not isinstance(command, str) or not command:
        return ""
    try:
        return _output(command, data[:_MOST]).decode("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def _output(command: str, data: bytes) -> bytes:
    """Run a command of the shell with this input and return its output; `subprocess` would take longer to import."""
    given, taken = os.pipe(), os.pipe()
    os.write(given[1], data)
    os.close(given[1])
    moves = [(os.POSIX_SPAWN_DUP2, given[0], 0), (os.POSIX_SPAWN_DUP2, taken[1], 1)]
    child = os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ, file_actions=moves)
    os.close(given[0])
    os.close(taken[1])
    try:
        return files.read_all(taken[0])
    finally:
        os.close(taken[0])
        os.waitpid(child, 0)
