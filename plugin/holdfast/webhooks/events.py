"""What the user is told of: the facts of a journal as events, in their order, and the bodies that are posted for them.

Example: the facts start, prompt, answer ("Shall I merge?"), prompt, update (completed) give session.started,
session.waiting and session.completed.
"""

import os
from dataclasses import dataclass, field

from holdfast.core import clock, fast_json, process
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, table_of, text_of
from holdfast.journal import replies
from holdfast.project import settings, user_settings
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.journal.log import Fact
    from holdfast.sessions.session import Session

STARTED, WAITING, PAUSED, COMPLETED = "session.started", "session.waiting", "session.paused", "session.completed"
ENDED = "session.ended"
CRASHED, STALE = "session.crashed", "session.stale"
CONFLICT, OMITTED, DRIFTED = "session.conflict", "session.omitted", "session.drifted"
TEST = "webhook.test"
NAMES = (STARTED, WAITING, PAUSED, COMPLETED, ENDED, CRASHED, STALE, CONFLICT, OMITTED, DRIFTED)
_BEGINS = ("startup", "resume", "fork", "new", "")  # sources of a start; after /clear and a compaction work goes on
_BEHIND = ("marked", "severe")  # severities of drift
_GOES_ON = ("clear", "resume")  # reasons of an end after which the client stays where it is
_BY_STATUS = {"waiting": WAITING, "paused": PAUSED, "completed": COMPLETED}


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, its time in seconds since 1970, and what is told of it, by name; "" tells nothing."""

    name: str
    at: float
    data: dict[str, str] = field(default_factory=dict)


def of_facts(facts: "Sequence[Fact]", seen: int) -> "Iterator[tuple[int, Event]]":
    """Yield each event of the facts after the first `seen`, with the number of its fact.

    A status that is set again without work in between is no second event, nor is drift that stays marked.
    """
    status = drift = ""
    for number, fact in enumerate(facts, 1):
        status = "" if fact["kind"] in ("start", "prompt", "edit") else status
        drift = drift if fact["kind"] != "drift" or text_of(fact, "severity") in _BEHIND else ""
        event = _EVENTS[fact["kind"]](fact) if fact["kind"] in _EVENTS else None
        if event is None or event.name in (status, drift):
            continue
        status = event.name if event.name in (PAUSED, COMPLETED) else status
        drift = DRIFTED if event.name == DRIFTED else drift
        if number > seen:
            yield number, event


def _started(fact: "Fact") -> Event | None:
    if text_of(fact, "source") not in _BEGINS:
        return None
    return Event(STARTED, number_of(fact, "at"), {"branch": text_of(fact, "branch"), "host": text_of(fact, "host")})


def _answered(fact: "Fact") -> Event | None:
    question = replies.question(text_of(fact, "text"))
    return Event(WAITING, number_of(fact, "at"), {"text": question, "reason": "question"}) if question else None


def _asked(fact: "Fact") -> Event:
    return Event(WAITING, number_of(fact, "at"), {"text": text_of(fact, "text"), "reason": "permission"})


def _status_set(fact: "Fact") -> Event | None:
    name = _BY_STATUS.get(text_of(fact, "status"))
    text = _reason(fact) if name == WAITING else ""
    return Event(name, number_of(fact, "at"), {"text": text}) if name else None


def _reason(fact: "Fact") -> str:
    """Return what a session waits for: as the context of an update says it, else the text of the fact."""
    return text_of(table_of(fact, "request"), "context").removeprefix("reason:").strip() or text_of(fact, "text")


def _ended(fact: "Fact") -> Event | None:
    reason = text_of(fact, "reason")
    return Event(ENDED, number_of(fact, "at"), {"reason": reason}) if reason not in _GOES_ON else None


def _conflict(fact: "Fact") -> Event:
    return Event(CONFLICT, number_of(fact, "at"), {"file": text_of(fact, "path"), "text": text_of(fact, "text")})


def _omitted(fact: "Fact") -> Event:
    return Event(OMITTED, number_of(fact, "at"), {"text": text_of(fact, "text")})


def _drifted(fact: "Fact") -> Event | None:
    severity = text_of(fact, "severity")
    text = f"drift is {severity}: {number_of(fact, 'points'):g} points"
    return Event(DRIFTED, number_of(fact, "at"), {"text": text}) if severity in _BEHIND else None


_EVENTS: "dict[object, Callable[[Fact], Event | None]]" = {
    "start": _started,
    "answer": _answered,
    "asked": _asked,
    "update": _status_set,
    "status": _status_set,
    "completed": _status_set,
    "end": _ended,
    "conflict": _conflict,
    "omitted": _omitted,
    "drift": _drifted,
}


JSON, _SLACK, _DISCORD, _NTFY, _JIRA = "json", "slack", "discord", "ntfy", "jira"
TEMPLATES = (JSON, _SLACK, _DISCORD, _NTFY, _JIRA)
_MOST = 1800  # characters of a text for people
_JSON_TYPE, _TEXT_TYPE = "application/json", "text/plain; charset=utf-8"


def compose(event: "Event", template: str) -> str:
    """Return the body for an event, with secrets masked.

    - json: the payload that Standard Webhooks recommends (standardwebhooks.com): type, timestamp, data.
    - slack: an incoming webhook (docs.slack.dev, "Sending messages using incoming webhooks"): `text`, in which & < >
      are written as entities.
    - discord: `content` of at most 2,000 characters; `allowed_mentions` lets no text call people (docs.discord.com).
    - ntfy: the text itself (docs.ntfy.sh/publish).
    - jira: what an automation rule with an incoming webhook reads: `issues`, and `data` for its smart values.
    """
    data = {name: safe.mask(value) for name, value in event.data.items() if value}
    if template == _NTFY:
        return _sentence(event.name, data)
    whole: dict[str, object]
    if template == _SLACK:
        escaped = _sentence(event.name, data).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        whole = {"text": escaped}
    elif template == _DISCORD:
        whole = {"content": _sentence(event.name, data), "allowed_mentions": {"parse": []}}
    elif template == _JIRA:
        whole = {"issues": [data["issue"]] if "issue" in data else [], "data": {"event": event.name, **data}}
    else:
        whole = {"type": event.name, "timestamp": clock.write(event.at, clock.ISO), "data": data}
    return fast_json.dumps(whole)


def words(name: str) -> str:
    """Return what an event is called for people, such as "waits for an answer"."""
    return _WORDS[name]


def content_type(template: str) -> str:
    """Return the media type of a template's bodies."""
    return _TEXT_TYPE if template == _NTFY else _JSON_TYPE


def _sentence(name: str, data: "dict[str, str]") -> str:
    """Return an event as a line for people, and what was said below it."""
    who = f"{data.get('project', '')}: {data.get('title') or data.get('session', '')[:8]}"
    text = data.get("text", "")
    return safe.clip(f"{who} - {_WORDS[name]}" + (f"\n{text}" if text else ""), _MOST)


_WORDS = {
    "session.started": "started",
    "session.waiting": "waits for an answer",
    "session.paused": "paused",
    "session.completed": "completed",
    "session.ended": "ended",
    "session.crashed": "crashed",
    "session.stale": "is open and was silent for long",
    "session.conflict": "edits a file that another session changed",
    "session.omitted": "was compacted, and the summary left things out",
    "session.drifted": "does what its state file does not say",
    "webhook.test": "this is a test",
}


OFF, _BELL, _OSC9, _OSC777, _DESKTOP = "off", "bell", "osc9", "osc777", "desktop"
_KINDS = (OFF, _BELL, _OSC9, _OSC777, _DESKTOP)
_OF = (WAITING, ENDED)
_LATEST = 60.0  # seconds after which a notice comes too late
_TITLE = 60  # characters


def is_notice_configured(environ: "Mapping[str, str]") -> str:
    """Return the kind of notice that the user set; HoldfastError for another word."""
    kind = settings.load_personal(environ).get(user_settings.NOTICE, OFF)
    if not (isinstance(kind, str) and kind in _KINDS):
        place = user_settings.path(environ)
        raise HoldfastError(f"{place}: notice = {str(kind)[:60]!r} does not fit; give one of {', '.join(_KINDS)}.")
    return kind


def show_notice(kind: str, session: "Session", event: "Event", now: float) -> bool:
    """Show a notice of an event that is new, and return whether that was done."""
    if kind == OFF or event.name not in _OF or now - event.at > _LATEST:
        return False
    text = safe.line(f"{session.title[:_TITLE]} {words(event.name)}", 2 * _TITLE)
    if kind == _DESKTOP:
        return _on_desktop(text)
    return _in_terminal(session.process.pid, _sequence(kind, text))


def _sequence(kind: str, text: str) -> bytes:
    """Return the bytes of a notice for a terminal; a semicolon would end a part of OSC 777."""
    if kind == _OSC9:
        return f"\x1b]9;holdfast: {text}\x07".encode()
    if kind == _OSC777:
        return f"\x1b]777;notify;holdfast;{text.replace(';', ',')}\x07".encode()
    return b"\x07"


def _in_terminal(pid: int, data: bytes) -> bool:
    """Write to the terminal of a process; False if it has none that can be written to now."""
    path = process.terminal(pid)
    if not path:
        return False
    try:
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        return os.isatty(handle) and os.write(handle, data) == len(data)
    except OSError:
        return False
    finally:
        os.close(handle)


def _on_desktop(text: str) -> bool:
    """Show a notice by the platform's program; False without one."""
    import contextlib
    import shutil

    script = 'on run words\ndisplay notification (item 1 of words) with title "holdfast"\nend run'
    for command in (["notify-send", "--", "holdfast", text], ["osascript", "-e", script, text]):
        if place := shutil.which(command[0]):
            with contextlib.suppress(OSError):  # such as a script whose interpreter is not there
                process.spawn([place, *command[1:]])
                return True
    return False
