"""The boundary to Claude Code: one event in, at most one reply out, exit 0 always; a fault goes to the error log."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this very line tells an old interpreter's owner that it is old
    if sys.argv[0].endswith("session_start.py"):
        sys.stdout.write('{"systemMessage": "holdfast: needs Python 3.11 or newer; install it, then start anew."}')
    raise SystemExit(0)

import os

from holdfast import events, facts, files, journal, paths, payload

_SLASH = "UserPromptExpansion"
_PROMPTS = ("UserPromptSubmit", _SLASH)  # with which a session may begin that had no start of its own


def main(event: str) -> None:
    """Answer one event from standard input and leave the process."""
    try:
        reply = answer(event, files.read_all(0))
        if reply:
            files.write_all(1, reply.encode())
    except Exception as error:  # noqa: BLE001 - one of two boundaries: no fault of ours may reach the session
        _logged(event, error)
    finally:
        # Nothing is buffered and nothing is left to do: skipping the interpreter's farewell saves a tenth of its life.
        os._exit(0)


def answer(event: str, data: bytes) -> str:
    """Journal what the event tells and return what it is answered with; ValueError for what is no event of ours."""
    body = payload.parse(data)
    if body.text("hook_event_name") not in ("", event):
        raise ValueError(f"wired for {event}, called for {body.text('hook_event_name')[:64]!r}")
    if not body.session:
        raise ValueError(f"session_id {body.text('session_id')[:64]!r} is not usable as a file name")
    place = paths.locate(body.project(os.environ))
    if link := paths.linked(place):
        raise ValueError(paths.LINKED.format(link))
    fact = facts.of(event, body, place)
    begun = event in _PROMPTS and place.store and not journal.known(place.store, body.session)
    found = [each for each in (facts.missed(body, place) if begun else None, fact) if each]
    kept = not place.store or all(_kept(event, body.session, each, place.store) for each in found)
    try:
        return _replied(event, body, place, fact)
    except OSError:  # the same disk, and it is logged already
        if kept:
            raise
        return ""


def _replied(event: str, body: "payload.Payload", place: "paths.Place", fact: "dict[str, object] | None") -> str:
    """Return what an event is answered with; a slash command is the command line's own."""
    if event != _SLASH:
        return events.react(event, body, place, fact)
    from holdfast.cli import slash

    return slash.reply(body)


def _kept(event: str, session: str, fact: "dict[str, object]", store: str) -> bool:
    """Whether a fact could be journaled; a full or read-only disk is no reason to leave the rest undone."""
    try:
        journal.append(store, session, fact)
    except OSError as error:
        _logged(event, error)
        return False
    return True


def _logged(event: str, error: Exception) -> None:
    """Put a fault into the project's error log, or where that is not possible the plugin's."""
    from holdfast import faults

    try:
        store = paths.locate(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()).store
    except OSError:  # the folder was deleted under us
        store = ""
    faults.record(store, event, error)
