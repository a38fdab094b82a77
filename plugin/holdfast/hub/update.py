"""The updater workflow (formats/genie-session-state-updater.md): one request is read, carried out, and journaled.

Its arguments are values, --key value, or KEY=VALUE.
"""

import hashlib
import os
import re
from collections.abc import Mapping

from holdfast.clients import catalogue
from holdfast.core import clock, fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, table_of
from holdfast.core.statuses import OVER
from holdfast.formats import names
from holdfast.hub import changes, entry_values
from holdfast.hub.changes import Record, Update
from holdfast.hub.companions import Activity
from holdfast.hub.document import ACTIVE
from holdfast.hub.entry import TIME, Entry, child_heading, made_heading
from holdfast.hub.entry_values import CUTS
from holdfast.hub.transaction import RefusedError, Transaction
from holdfast.journal import log
from holdfast.journal.payload import is_session
from holdfast.project import paths
from holdfast.sessions import resume
from holdfast.trust import safe

ACTIONS = {
    "started": "active",
    "in_progress": "active",
    "completed": "completed",
    "waiting": "waiting",
    "paused": "paused",
}
AGENTS = ("implementor", "tests", "git", "genie", "learn", "release", "roadmap")
KEYS = ("action", "agent", "session_id", "purpose", "context", "parent_session", "branch")
_PURPOSE, _BRANCH = 4000, 200  # characters
_IDENT = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9._-]{1,128}")
_KEY = re.compile(r"(?:(?<=\s)(?<!\\\s)|\A)([A-Za-z_][\w-]*)=")
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'", re.DOTALL)
_OPTION = re.compile(r"--[A-Za-z][\w-]*(?:=|\Z)")
_WORD = re.compile(r"\s*(\"(?:[^\"\\]|\\.)*\"(?!\S)|'[^']*'(?!\S)|\S+)")
_ESCAPED = re.compile(r"\\([\s\"'\\$`=])")  # before all else a backslash is one

_OUTCOME = (
    "no outcome is documented: say what came of it, and where the report is, with holdfast update action=completed "
    "session_id={} context=outcome:…"
)
_REASON = (
    "no reason is documented: say what it waits for, with holdfast update action=waiting session_id={} context=reason:…"
)
_EXAMPLE = 'holdfast update action=started agent=implementor session_id=ID purpose="…"'


class Request:
    """The values of an update; "" for one that was not given."""

    def __init__(self, given: "Mapping[str, str]") -> None:
        self.action = given.get("action", "").strip(" ,;").casefold()
        self.agent = given.get("agent", "")
        self.session = given.get("session_id", "")
        self.purpose = entry_values.line(given.get("purpose", ""), _PURPOSE)
        self.context = entry_values.safe(given.get("context", ""))
        self.parent = given.get("parent_session", "")
        self.branch = entry_values.line(given.get("branch", ""), _BRANCH)
        limits = (("purpose", _PURPOSE), ("branch", _BRANCH), ("context", entry_values.WHOLE))
        self.cut = [f"{key} was cut at {most:,} characters" for key, most in limits if len(given.get(key, "")) > most]

    @property
    def status(self) -> str:
        """The status that the action means."""
        return ACTIONS[self.action]

    @property
    def given(self) -> "dict[str, object]":
        """The request as a mapping, from which it can be made again."""
        values = (self.action, self.agent, self.session, self.purpose, self.context, self.parent, self.branch)
        return dict(zip(KEYS, values, strict=True))


def read_request(arguments: tuple[str, ...], own: str = "") -> Request:
    """Return the request in the arguments; `own` is the session id where they give none or an empty one.

    HoldfastError names the argument that cannot be used and the ones that can.
    """
    given = [(key, safe.writable(value)) for key, value in _pairs(arguments)]
    for key, _ in given:
        if key not in KEYS:
            raise HoldfastError(f"unknown parameter {key!r}. Known: {', '.join(KEYS)}. A value with an = is quoted.")
    fields = dict(given)
    if len(fields) < len(given):
        twice = next(key for number, (key, _) in enumerate(given) if key in dict(given[:number]))
        raise HoldfastError(f"the parameter {twice} is given twice. Give it once.")
    return _valid(Request({**fields, "session_id": fields.get("session_id", "").strip() or own}))


def _pairs(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return keys and values: of options, of values in the order of `KEYS`, and of KEY=VALUE."""
    options, rest = _options(arguments)
    values, left = _positional(rest)
    if len(values) > len(KEYS):
        raise HoldfastError(f"{values[len(KEYS)][:80]!r} is one value too many. Their order: {', '.join(KEYS)}.")
    return [*options, *zip(KEYS, values, strict=False), *_keyed(left)]


def _options(arguments: tuple[str, ...]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the keys and values of `--key value` and `--key=value`, and the other arguments."""
    options, rest, left = [], [], iter(arguments)
    for argument in left:
        if not _OPTION.match(argument):
            rest.append(argument)
            continue
        name, given, value = argument[2:].partition("=")
        options.append((name.replace("-", "_"), value if given else next(left, "")))
    return options, tuple(rest)


def _positional(arguments: tuple[str, ...]) -> tuple[list[str], tuple[str, ...]]:
    """Return the values that are without a key before all others, and the other arguments.

    They begin with an action: other words are a mistake.
    """
    values: list[str] = []
    if len(arguments) == 1:
        whole, at = arguments[0], 0
        while (word := _WORD.match(whole, at)) and not _KEY.match(whole, word.start(1)):
            values.append(_value(f"{word[1]}", 0)[0])
            at = word.end()
        arguments = (whole[at:],) if whole[at:].strip() or not values else ()
    else:
        count = next((at for at, one in enumerate(arguments) if _KEY.match(one)), len(arguments))
        values, arguments = list(arguments[:count]), arguments[count:]
    if values and values[0].strip(" ,;").casefold() not in ACTIONS:
        raise HoldfastError(f"{values[0].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
    return values, arguments


def _keyed(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return keys and values: of arguments that the shell unquoted, or of one string, even if split at its blanks."""
    whole = len(arguments) > 1 and all(_KEY.match(argument) for argument in arguments)
    if not whole:
        return _split(" ".join(arguments))
    return [(key, value) for key, _, value in (argument.partition("=") for argument in arguments)]


def _split(whole: str) -> list[tuple[str, str]]:
    """Return keys and values of one string: a value is quoted, or goes on to the next key, blanks and all."""
    pairs = []
    at = 0
    while key := _KEY.search(whole, at):
        if whole[at : key.start()].strip():
            raise HoldfastError(f"{whole[at : key.start()].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
        value, at = _value(whole, key.end())
        pairs.append((key[1], value))
    if whole[at:].strip():
        raise HoldfastError(f"{whole[at:].strip()[:80]!r} is not KEY=VALUE. Type: {_EXAMPLE}")
    return pairs


def _value(whole: str, at: int) -> tuple[str, int]:
    """Return the value that begins at an offset, and where it ends."""
    quoted = _QUOTED.match(whole, at)
    if quoted and (quoted.end() == len(whole) or whole[quoted.end()].isspace()):
        double = quoted[1]
        return (_ESCAPED.sub(r"\1", double) if double is not None else quoted[2]), quoted.end()
    following = _KEY.search(whole, at)
    end = following.start() if following else len(whole)
    return _ESCAPED.sub(r"\1", whole[at:end].strip()), end


def _valid(request: Request) -> Request:
    """Return a request that can be carried out; HoldfastError says what is wrong with it."""
    if request.action not in ACTIONS:
        given = repr(request.action) if request.action else "missing"
        raise HoldfastError(f"action is {given}. Give one of: {', '.join(ACTIONS)}. Type: {_EXAMPLE}")
    for key, ident in (("session_id", request.session), ("parent_session", request.parent)):
        if ident and not _IDENT.fullmatch(ident):
            raise HoldfastError(f"{key} {ident[:80]!r} is not an id. Give a UUID, or letters, digits, -, _ and . only.")
        if ident and resume.nameless(ident):
            raise HoldfastError(f"{key} {ident!r} is a placeholder. Give the session's id. Type: {_EXAMPLE}")
    if not request.session:
        raise HoldfastError(f"session_id is missing. Give the session's id. Type: {_EXAMPLE}")
    if request.parent == request.session:
        raise HoldfastError("parent_session is the session itself. Give the id of the one that started it.")
    return request


def check_agent(agent: str, more: tuple[str, ...], present: str) -> None:
    """Refuse an agent that is neither documented nor named in the settings, nor the entry's `present` agent."""
    own = (client.SHORT.lower() for client in catalogue.every())  # what the hub calls clients' own sessions
    known = (*AGENTS, *more, *own)
    if agent and agent not in {*known, present}:
        raise RefusedError(
            f"agent {agent[:80]!r} is not known. Known: {', '.join(known)}. "
            'More are named in .agents/holdfast.toml: agents = ["…"]'
        )


def apply(transaction: Transaction, request: Request) -> None:
    """Carry out a request in the hub; HoldfastError when that is not possible."""
    transaction.hub.holder(ACTIVE)  # raises an error if the hub has two of these sections
    known = transaction.get(request.session)
    ident = request.session if known is None or changes.is_starting(known) else known.ident
    new = known is None
    if known:
        known = changes.whole(known, ident)
    else:
        known = changes.placeholder(transaction, ident, request.agent, request.purpose)
    entry = _going_on(transaction, known, request) if known else _new(transaction, request)
    changes.put(transaction, ident, entry, always=bool(known) and request.action == "in_progress")
    if new:
        changes.adopt(transaction, ident)
    if request.parent:
        changes.link(transaction, ident, _known(transaction, request.parent))
    if request.action == "completed":
        changes.complete(transaction, ident)
    elif request.status == "active" and known and known.category in {"paused", "waiting"}:
        changes.resume(transaction, ident)


def fact(request: Request, at: float, text: str) -> "dict[str, object]":
    """Return the fact that a request was made at a time; `text` is the status that the entry has by it."""
    return {"at": at, "kind": "update", "status": request.status, "text": text, "request": request.given}


def journal(store: str, ident: str, made: "Mapping[str, object]") -> None:
    """Append an update to the journal of its session, whole, as its context may be longer than other facts are."""
    files.append_line(log.path_of(store, _journal_of(ident)), fast_json.dumps(made).encode())


def recorded(store: str, update: "Update") -> Request | None:
    """Return the request of an update in the journal of its session, None where that is gone."""
    ident, at = update
    for made in reversed(log.read(store, _journal_of(ident))):
        if made["kind"] == "update" and number_of(made, "at") == at:
            return Request({key: str(value) for key, value in table_of(made, "request").items()})
    return None


def defer(store: str, request: Request, at: float) -> None:
    """Journal a request that the hub cannot take now, once if it is made again; the next write carries it out."""
    record = Record(store)
    waiting = [recorded(store, one) for one in record.waiting]
    if all(one is None or one.given != request.given for one in waiting):
        record.wait((request.session, at))
        journal(store, request.session, fact(request, at, request.status))


def repeat(transaction: Transaction, store: str, update: "Update") -> None:
    """Carry out an update once more, at its own time, after an older copy of the hub took it back."""
    request, now = recorded(store, update), transaction.now
    if request is None:
        return
    transaction.now = update[1]
    try:
        apply(transaction, request)
    finally:
        transaction.now = now
    transaction.repeated.append(update)


def _journal_of(ident: str) -> str:
    """Return the name of a session's journal; an id that no client gives, such as one with dots, has one of its own."""
    return ident if is_session(ident) else f"id-{hashlib.sha256(ident.encode()).hexdigest()[:32]}"


def _known(transaction: Transaction, ident: str) -> str:
    """Return an id as its entry has it, which may be shortened."""
    entry = transaction.get(ident)
    return entry.ident if entry else ident


def _new(transaction: Transaction, request: Request) -> Entry:
    """Return the entry of a session that the hub does not know yet."""
    if request.session.endswith(CUTS):
        raise RefusedError(f"session_id {request.session!r} is shortened, and no entry has it. Give the whole id.")
    if not request.agent:
        raise RefusedError(
            f"no entry has the session id {request.session!r}, and agent is missing. Add agent=NAME, such as claude"
        )
    fields = [
        ("Started", clock.write(transaction.now, TIME)),
        ("Status", request.status),
        ("Agent", request.agent),
        ("Branch", request.branch),
        ("Purpose", request.purpose or changes.OPEN),
        ("Next", changes.OPEN),
    ]
    heading = made_heading(request.agent, request.purpose)
    above = transaction.get(request.parent) if request.parent else None
    heading = child_heading(heading, above.name) if above else heading
    return changes.begin(transaction, request.session, heading, fields).telling(entry_values.parse(request.context))


def _going_on(transaction: Transaction, entry: Entry, request: Request) -> Entry:
    """Return the entry of a known session with the values of the request; other fields stay, but not a template's."""
    if names.is_placeholder(entry.text("Started")) and request.status not in OVER:
        entry = entry.setting("Started", clock.write(transaction.now, TIME))
    other = entry.category != entry.file_format.category(request.status)
    if other or changes.is_starting(entry) or changes.has_remark(entry):
        entry = changes.turned(entry, request.status)
    agent, purpose = entry.text("Agent"), "" if entry.open("Purpose") else entry.text("Purpose")
    made = made_heading(agent, purpose)
    rest = entry.title.removeprefix(made)
    if not entry.has_title:
        entry = entry.titled(made_heading(request.agent or agent, request.purpose or purpose))
    elif agent and rest != entry.title and rest[:7] in {"", " (child"}:  # nobody else wrote the heading
        entry = entry.titled(made_heading(request.agent or agent, request.purpose or purpose) + rest)
    if purpose and request.purpose and entry.setting("Purpose", request.purpose).data != entry.data:
        entry = entry.telling([entry_values.Segment(purpose, "Purpose before")])
    for field, value in (("Agent", request.agent), ("Branch", request.branch), ("Purpose", request.purpose)):
        entry = entry.setting(field, value) if value else entry
    return entry.telling(entry_values.parse(request.context))


def done(transaction: Transaction, request: Request) -> tuple[list[Activity], str]:
    """Return the activities for the documents beside the hub after a request was carried out, and the session's agent.

    The session itself comes first, then the children that were completed with it.
    """
    ident = _known(transaction, request.session)
    entry = transaction.get(ident)
    title, agent = (entry.title, entry.text("Agent")) if entry else (request.session, request.agent)
    time = clock.write(transaction.now, TIME)
    activities = [Activity(request.session, title, request.status, time)]
    for change in transaction.changes() if request.action == "completed" else ():
        after = Entry(change.after, transaction.hub.form)
        if change.ident != ident and after.category == "completed":
            activities.append(Activity(after.ident, after.title, "completed", time))
    return activities, agent


def advice(transaction: Transaction, request: Request, entry: Entry | None, *, waits: bool, bare: bool) -> list[str]:
    """Return notes for the requester: an outcome or a reason is missing, or another session works on the same files.

    `bare` ones repeat nothing that the hub says; an entry that `waits` already says why.
    """
    if entry is None:
        return []
    if request.action == "completed":
        has_outcome = bool(request.context) or any(entry.tells(key) for key in ("outcome", "done_report"))
        return [] if has_outcome else [_OUTCOME.format(request.session)]
    if request.action == "waiting" and not (waits or entry_values.says_why(request.context)):
        return [_REASON.format(request.session)]
    return _shared(transaction, entry, bare=bare) if request.action == "started" else []


def _shared(transaction: Transaction, entry: Entry, *, bare: bool) -> list[str]:
    """Return a note for each other active entry that names a file of this one; one that it began as is no other."""
    root = paths.locate(os.path.dirname(transaction.path)).root
    own, begun = set(names.named(entry.text("Context"), root)), transaction.find(entry.ident)
    notes = []
    for placed in transaction.hub.entries() if own else ():
        other = placed.entry
        both = sorted(own.intersection(names.named(other.text("Context"), root)))
        if begun and placed.start == begun.start:
            continue
        if both and not placed.history and other.category == "active" and other.ident not in {"", entry.ident}:
            name = "another entry" if bare else f"{other.title} ({other.ident})"
            notes.append(f"{name} is active and works on {', '.join(both[:8])}, too")
    return notes
