"""The boundary to the client: read one event, print at most one answer, exit 0; errors go to the error log."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this very line tells an old interpreter's owner that it is old
    if sys.argv[0].endswith("session_start.py"):
        sys.stdout.write('{"systemMessage": "holdfast: needs Python 3.11 or newer; install it, then start anew."}')
    raise SystemExit(0)

import os

from holdfast.clients import claude_code
from holdfast.core import files
from holdfast.hooks import dispatch
from holdfast.journal import facts, log, payload
from holdfast.project import paths

_SLASH = "UserPromptExpansion"
_PROMPTS = ("UserPromptSubmit", _SLASH)  # a session that had no SessionStart begins with one of these


def main(event: str) -> None:
    """Answer one event from standard input and leave the process."""
    try:
        reply = answer(event, files.read_all(0))
        if reply:
            files.write_all(1, reply.encode())
    except Exception as error:  # noqa: BLE001 - one of two boundaries: no fault of ours may reach the session
        _logged(event, error)
    finally:
        # Nothing is buffered or left to do, and skipping the interpreter's shutdown saves a tenth of its run time.
        os._exit(0)


def answer(event: str, data: bytes) -> str:
    """Journal the fact of an event and return the answer; ValueError if `data` is not this event."""
    body = payload.parse(data)
    if body.text("hook_event_name") not in ("", event):
        raise ValueError(f"wired for {event}, called for {body.text('hook_event_name')[:64]!r}")
    if not body.session:
        raise ValueError(f"session_id {body.text('session_id')[:64]!r} is not usable as a file name")
    project = paths.locate(body.start_folder(os.environ.get(claude_code.PROJECT_FOLDER, "")))
    if problem := paths.store_problem(project):
        raise ValueError(problem)
    if project.git and project.store and not os.path.isdir(project.store):
        from holdfast.project import new_repository

        new_repository.take_over(project)
    fact = facts.of(claude_code.EVENTS[event], body, project, claude_code)
    begun = event in _PROMPTS and project.store and not log.exists(project.store, body.session)
    found = [each for each in (facts.unreported_start(body, project, claude_code) if begun else None, fact) if each]
    if project.store and any(each["kind"] == "start" for each in found):
        from holdfast.journal import live

        live.note(project.store, body.session, found[0])
    kept = not project.store or all(_kept(event, body.session, each, project.store) for each in found)
    try:
        return _replied(event, body, project, fact)
    except OSError:  # the same disk failed, and that is logged already
        if kept:
            raise
        return ""


def _replied(event: str, body: "payload.Payload", project: "paths.Project", fact: "dict[str, object] | None") -> str:
    """Return the answer to an event; the command line runs a slash command, and what only reports needs no turn."""
    if event != _SLASH:
        return dispatch.react(event, body, project, fact)
    from holdfast.cli import slash

    folder = body.start_folder(os.environ.get(claude_code.PROJECT_FOLDER, ""))
    text, is_report = slash.report(body, folder)
    return claude_code.block(text) if is_report else claude_code.answer(event, context=text)


def _kept(event: str, session: str, fact: "dict[str, object]", store: str) -> bool:
    """Return whether a fact was journaled; on a full or read-only disk the rest is still done."""
    try:
        log.append(store, session, fact)
    except OSError as error:
        _logged(event, error)
        return False
    return True


def _logged(event: str, error: Exception) -> None:
    """Write an error to the project's error log, or to the plugin's if that fails."""
    from holdfast.project import error_log

    try:
        store = paths.locate(os.environ.get(claude_code.PROJECT_FOLDER) or os.getcwd()).store
    except OSError:  # the current folder was deleted
        store = ""
    error_log.record(store, event, error)
