"""The boundary to the client: read one event, print at most one answer, exit 0; errors go to the error log."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this very line tells an old interpreter's owner that it is old
    if sys.argv[0].endswith("session_start.py") or sys.argv[2:3] == ["SessionStart"]:
        sys.stdout.write('{"systemMessage": "holdfast: needs Python 3.11 or newer; install it, then start anew."}')
    raise SystemExit(0)

import os

_PROJECT_FOLDER = "CLAUDE_PROJECT_DIR"  # several clients set this variable


def main(event: str, name: str = "") -> None:
    """Answer one event of a client from standard input and leave the process; an empty name means Claude Code.

    With `HOLDFAST=off` nothing is read, recorded or answered.
    """
    try:
        if os.environ.get("HOLDFAST", "").lower() == "off":
            return
        from holdfast.core import files
        from holdfast.hooks import handler

        reply = handler.answer(event, files.read_all(0), handler.client_of(name))
        if reply:
            files.write_all(1, reply.encode())
    except Exception as error:  # noqa: BLE001 - one of two boundaries: no fault of ours may reach the session
        _log(event, error)
    finally:
        # Nothing is buffered or left to do, and skipping the interpreter's shutdown saves a tenth of its run time.
        os._exit(0)


def _log(event: str, error: Exception) -> None:
    """Write an error to the project's error log, or to the plugin's if that fails."""
    from holdfast.project import error_log, paths

    try:
        store = paths.locate(os.environ.get(_PROJECT_FOLDER) or os.getcwd()).store
    except OSError:  # the current folder was deleted
        store = ""
    error_log.record(store, event, error)
