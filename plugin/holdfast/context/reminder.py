"""The reminder: a line for the user when a state file is far behind, and with the next prompt the facts for Claude.

A settle measures the drift after each turn and stores it (`sessions.drift_record`); the next Stop only reads that. The
user is reminded when drift is marked, and again when it has grown by half, ten prompts later at the earliest.
"""

import os

from holdfast.context.drift import severity
from holdfast.core import fast_json, files
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions import drift_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.sessions.drift_record import DriftRecord

APART = 10  # prompts from one reminder to the next
_FOLDER = "/reminded/"  # a file for each session: its last reminder
_LEAST_GROWTH = 3  # points; another file or two are no news
_PROMPT = 400  # characters of a prompt that are examined


class Reminded:
    """The last reminder of a session: about which state file, last updated when, at how many points of drift.

    `journal` is the size of the session's journal at that time, in bytes.
    """

    __slots__ = ("journal", "path", "points", "since")

    def __init__(self, path: str = "", since: float = 0.0, points: int = 0, journal: int = 0) -> None:
        self.path, self.since, self.points, self.journal = path, since, points, journal

    def points_due(self, record: "DriftRecord") -> int:
        """Return at how many points the drift in `record` is news: any, if the file was updated since."""
        if self.path != record["path"] or record["since"] > self.since:
            return 0
        return self.points + max(_LEAST_GROWTH, self.points // 2)


def at_stop(body: "Payload", project: "Project") -> str:
    """Return the reminder for the user that is due at this Stop, "" for none.

    A reminder that cannot be recorded is not given, because it would be repeated at every Stop.
    """
    store, ident = project.store, body.session
    record = drift_record.read(store, ident) if not body.agent else None
    if record is None or not severity.is_marked(record["severity"]) or not _is_current(record, store, ident):
        return ""
    last = _read(store, ident)
    if last and (record["points"] < last.points_due(record) or _prompts(store, ident, last.journal) < APART):
        return ""
    from holdfast.context import drift_summary

    if not drift_summary.is_enabled(project):
        return ""
    reminded = Reminded(record["path"], record["since"], record["points"], _journal_size(store, ident))
    recorded = _write(store, ident, reminded) and files.write_quietly(paths.owed_file(store, ident), b"")
    return drift_summary.for_user(record, project) if recorded else ""


def at_prompt(body: "Payload", project: "Project", now: float) -> str:
    """Return the facts for Claude with the first prompt of the user after a reminder, "" with any other prompt.

    They are measured again. There are none if the file was updated meanwhile, or if the prompt asks for the report.
    """
    from holdfast.context.drift import report
    from holdfast.journal.session import typed_by_user

    prompt = " ".join(body.text("prompt")[:_PROMPT].split())
    if not project.store or body.agent or not typed_by_user(prompt) or not _take_request(project.store, body.session):
        return ""
    last = _read(project.store, body.session)
    if last is None or log.state_file_of(project.store, body.session) != last.path or report.asked(prompt):
        return ""
    from holdfast.context import drift_summary

    return drift_summary.for_claude(project, body.session, last.since, now)


def _is_current(record: "DriftRecord", store: str, ident: str) -> bool:
    """Return whether a record is about the session's own state file, and the file was not written since."""
    return log.state_file_of(store, ident) == record["path"] and files.signature_of(record["path"]) == record["state"]


def _journal_size(store: str, ident: str) -> int:
    return files.size_of(log.path_of(store, ident))


def _prompts(store: str, ident: str, begin: int) -> int:
    """Return the number of the user's own prompts in a journal after its first `begin` bytes."""
    from holdfast.journal.session import typed_by_user

    size = _journal_size(store, ident)
    data = files.tail(log.path_of(store, ident), size - begin if size >= begin else size) if size else b""
    lines = b"\n".join(line for line in data.splitlines() if b'"prompt"' in line)
    return sum(fact["kind"] == "prompt" and typed_by_user(str(fact.get("text", ""))) for fact in log.facts_in(lines))


def _read(store: str, ident: str) -> "Reminded | None":
    """Return the last reminder of a session, None if there was none.

    A broken file counts as a reminder just now, so that none is given twice.
    """
    if not os.path.lexists(store + _FOLDER + ident):
        return None
    row = fast_json.read_object(store + _FOLDER + ident)
    found = Reminded()
    kinds = {name: type(getattr(found, name)) for name in Reminded.__slots__}
    if row.keys() == kinds.keys() and all(type(row[name]) is kind for name, kind in kinds.items()):
        for name in kinds:
            setattr(found, name, row[name])
        return found
    found.journal = _journal_size(store, ident)
    _write(store, ident, found)
    return found


def _write(store: str, ident: str, reminded: Reminded) -> bool:
    """Store a reminder; return whether that worked."""
    row = {name: getattr(reminded, name) for name in Reminded.__slots__}
    return files.write_quietly(store + _FOLDER + ident, fast_json.dumps(row).encode())


def _take_request(store: str, ident: str) -> bool:
    """Return whether this prompt gets the facts for Claude, and remove that record; False if it cannot be removed."""
    try:
        os.unlink(paths.owed_file(store, ident))
    except OSError:
        return False
    return True
