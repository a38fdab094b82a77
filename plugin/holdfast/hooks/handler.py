"""One event of a client: journal its facts, and return the answer."""

import os

from holdfast.core.client import Answer, Client, claude_code, merged
from holdfast.hooks import dispatch
from holdfast.journal import facts, log, payload
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.log import Fact

_POSTED = ("start", "turn_end", "asked", "end")  # events after which webhooks may have something to tell
_PROMPTS = ("prompt", "command")  # a session that had no start begins with one of these


def client_of(name: str) -> "Client":
    """Return a client by its name; only its own module is loaded. ValueError for an unknown name."""
    if not name:
        return claude_code
    from holdfast.clients import catalogue

    if name in catalogue.NAMES:
        return catalogue.of(name)
    raise ValueError(f"no client is called {name[:64]!r}")


def answer(event: str, data: bytes, client: "Client") -> str:
    """Journal the facts of an event and return the answer; ValueError if `data` is not this event."""
    body = _parsed(event, data)
    project = paths.locate(body.start_folder(os.environ.get(client.PROJECT_FOLDER, "")))
    problem = paths.store_problem(project)
    start = client.EVENTS[event] == "start" and body.text("source") != "compact"
    if problem:  # nothing may be kept or shown here, and a start says why
        why = Answer(message=f"holdfast: nothing is recorded here: {problem}. See: holdfast doctor")
        return _encoded(event, [why] if start else [], client)
    if project.git and project.store and not os.path.isdir(project.store):
        from holdfast.project import new_repository

        new_repository.take_over(project)
    meaning = client.EVENTS[event]
    parts = [payload.Payload(part) for part in client.parts(event, body.data)]
    known = [(part, facts.of(meaning, part, project, client)) for part in parts]
    found = [fact for _, fact in known if fact]
    may_begin = bool(parts) and client.SILENT_FORKS and meaning in _PROMPTS
    if may_begin and project.store and not log.has_begun(project.store, body.session):
        found.insert(0, facts.unreported_start(body, project, client))
    if project.store and any(each["kind"] == "start" for each in found):
        _note_start(body, project, found[0])
    failure = _journal(event, body.session, found, project.store) if project.store else ""
    try:
        replies = [_replied(meaning, part, project, fact, client) for part, fact in known]
    except OSError:  # the same disk failed, and that is logged already
        if not failure:
            raise
        replies = []
    if failure and meaning == "start":
        place = project.store.replace(f"{project.root}/", "", 1)
        line = f"holdfast: nothing of this session is recorded in {place}: {failure}. Type: df -h ."
        replies.append(Answer(message=line))
    replies += [Answer(message="no git, so nothing is kept here: /holdfast:init")] * (start and not project.store)
    if meaning in _POSTED and found:
        from holdfast.project import user_settings

        if user_settings.tells(os.environ):  # few users have webhooks
            from holdfast.project import background

            background.post(project)
    return _encoded(event, [reply for reply in replies if reply], client)


def _parsed(event: str, data: bytes) -> "payload.Payload":
    """Return what came with an event; ValueError if it is another event or has no usable session."""
    body = payload.parse(data)
    if body.text("hook_event_name") not in ("", event):
        raise ValueError(f"wired for {event}, called for {payload.masked(body.text('hook_event_name'))[:64]!r}")
    if not body.session:
        raise ValueError(f"session_id {payload.masked(body.text('session_id'))[:64]!r} is not usable as a file name")
    return body


def _note_start(body: "payload.Payload", project: "paths.Project", start: "Fact") -> None:
    """Store the process of a session, and its branch unless this is a compaction, which is in the middle of a turn."""
    from holdfast.journal import checkouts, live

    live.note(project.store, body.session, start)
    if start.get("source") != "compact":
        checkouts.switched(project.store, body.session, facts.current_tree(body, project))


def _encoded(event: str, replies: "list[Answer]", client: "Client") -> str:
    """Return the answers to the parts of an event as the client reads them, "" for none."""
    whole = merged(replies)
    return client.encode(event, whole) if whole else ""


def _replied(
    meaning: str, body: "payload.Payload", project: "paths.Project", fact: "Fact | None", client: "Client"
) -> "Answer | None":
    """Return the answer to an event. holdfast runs a slash command itself; one that only reports ends the turn."""
    if meaning != "command":
        return dispatch.react(meaning, body, project, fact, client)
    from holdfast.cli import slash
    from holdfast.journal import shells

    shells.expand(project.store, paths.data_dir(os.environ), body.session)
    folder = body.start_folder(os.environ.get(client.PROJECT_FOLDER, ""))
    text, is_report, message = slash.report(body, folder)
    return (Answer(block=text) if is_report else Answer(context=text, message=message)) if text else None


def _journal(event: str, session: str, found: "list[Fact]", store: str) -> str:
    """Journal facts; return "" or why that failed. On a full or read-only disk the rest of the event is still done."""
    try:
        for each in found:
            log.append(store, session, each)
    except OSError as error:
        from holdfast.project import error_log

        error_log.record(store, event, error)
        return error.strerror or "the disk failed"
    return ""
