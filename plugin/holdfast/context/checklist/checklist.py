"""The completion checklist of a session, and where its knowledge belongs (formats/agents-sessions.md)."""

import os
import stat

from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import texts_of
from holdfast.core.finding import NOTE, OK, WARNING, Finding
from holdfast.core.statuses import COMPLETED
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.status import described
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.core.summary import Summary
    from holdfast.formats.state_file import StateFile
    from holdfast.journal.log import Fact
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

MOST = 6  # lines of a checklist
_SHOWN = 4  # names of what is open
_LONGEST = 2500  # characters of a message for the user
_SEEN = "/stopped/"  # for each session a file with what its state file looked like at the last Stop
_ITEM = 20  # lines of a list's item that are examined
_READ = 4 << 20  # bytes; a larger file is not looked at
# A file without any of these words is not completed. Most Stops end here, before anything expensive is imported.
_WORDS = "complete done closed finished archived cancel abandoned shipped merged resolved ended superseded ✅ ☑ ✔"
OVER = tuple(word.encode() for word in _WORDS.split())
_KEYS = {"uncommitted": ("examples", "uncommitted")}  # keys of names and number in a measurement, where unusual
_LEFT = {"tasks": ("task", "tasks"), "loops": ("loop", "loops"), "todos": ("TODO", "TODO")}
# What a start counts, by kind: only what was measured.
_COUNTED = {
    "tasks": ("task", "tasks"),
    "uncommitted": ("uncommitted file", "uncommitted files"),
    "todos": ("TODO", "TODO"),
    "children": ("subagent", "subagents"),
}
_LOOKED = {"added": " in the lines added", "present": " in the files changed"}
# Kinds that git and files answer.
MEASURED = frozenset({*_COUNTED, "steps", "loops", "state", "unfilled", "references"})
_TASKS, _CHILDREN, _SAYS = "Tasks finished", "Children finished", "State file says what was done"
# Where each kind of knowledge belongs before a state file is deleted, and questions that only people can answer.
KNOWLEDGE = (
    ("tracking", "Work tracking", "external issue (Linear, GitHub)"),
    ("details", "Implementation details", "git commits, pull requests"),
    ("decisions", "Architectural decisions", "ADRs (docs/decisions/)"),
    ("contracts", "API contracts", "API documentation"),
    ("remaining", "Remaining work", "external issue backlog"),
)
_ASKED = (
    ("issue", "External issue updated with final status"),
    ("adrs", "Decisions captured as ADRs (if architectural)"),
    ("lessons", "Lessons learned added to relevant docs"),
    ("backlog", "Remaining work created as issues"),
)
# What `holdfast.tracker` did and read back answers two of them.
_TRACKED = {"issue": "issue_told", "backlog": "issues_made"}


class Item(Finding):
    """One box of a checklist: its kind, its words, whether it is ticked, and by name what is still open.

    `count` is the number of open things, and `evidence` may name only the first of them.
    """

    __slots__ = ("count", "evidence")

    def __init__(
        self, kind: str, words: str, evidence: list[str] | None = None, *, done: bool = False, count: int | None = None
    ) -> None:
        self.evidence = [safe.line(name, 140) for name in evidence or []]
        self.count = len(self.evidence) if count is None else count
        open_level = WARNING if kind in MEASURED else NOTE
        super().__init__(kind, 0, safe.line(words, 500), "", level=OK if done else open_level)

    @property
    def text(self) -> str:
        """The item with its box and the first names of what is open."""
        most = len(self.evidence) if self.kind == "todos" else _SHOWN
        longest = 120 if self.kind == "todos" or self.count == 1 else 60
        shown = ", ".join(safe.line(name, longest) for name in self.evidence[:most])
        more = ", …" if self.count > most else ""
        against = f"; {self.count} open: {shown}{more}" if self.count else ""
        return f"- [{'x' if self.ok else ' '}] {self.what}{against}"

    def row(self) -> "dict[str, object]":
        """Return the item as JSON values."""
        return {**super().row(), "why": ", ".join(self.evidence), "count": self.count, "evidence": self.evidence}


def counts(session: Session, *, named: bool = False) -> list[str]:
    """Return how many things of each kind were still open when a session was measured, such as "2 tasks".

    If `named`, each with the first of them: "2 tasks (Write the lexer, Write tests)".
    """
    known = {item.kind: item for item in _measured(session) if item.count}
    return [
        f"{known[kind].count} {words[known[kind].count > 1]}{_first(known[kind]) if named else ''}"
        for kind, words in _COUNTED.items()
        if kind in known
    ]


def _first(item: Item) -> str:
    """Return the first things that an item has open, in brackets, "" where none has a name."""
    shown = ", ".join(safe.line(name, 40) for name in item.evidence[:2])
    return f" ({shown}{', …' if item.count > len(item.evidence[:2]) else ''})" if shown else ""


def head(session: Session, entry: str = "", title: str = "") -> str:
    """Return the line above the checklist of a session, or of the entry with this id and title in a hub."""
    from holdfast.sessions import listed  # a start only counts

    when = f"ended {clock.local(session.ended)}, " if session.ended else ""
    ident = entry or session.id
    name = listed.shortened([ident])[ident]
    return f'Checklist of "{safe.line(title or session.title, 80)}" ({when}{safe.line(name, 100)})'


def lines(session: Session, active: int, entry: str = "", title: str = "") -> list[str]:
    """Return what was measured, with its head; `active` is how many sessions are still active."""
    return [head(session, entry, title), *short(items(session), MOST - 2), still_active(active)]


def short(left: "Iterable[Item]", most: int) -> list[str]:
    """Return at most so many lines of what is measured, first what is open; one that says so if nothing is."""
    measured = sorted((item for item in left if item.kind in MEASURED), key=lambda item: item.ok)
    still_open = sum(not item.ok for item in measured)
    more = [f"- [ ] and {still_open - most + 1} more: --all"] if still_open > most else []
    nothing = [] if still_open else ["Nothing that is measured is open."]
    return [*nothing, *(item.text for item in measured)][: max(0, most - len(more))] + more


def still_active(count: int) -> str:
    """Return the line that says how many sessions are still active."""
    return f"Sessions still active: {count}"


def active(sessions: "Iterable[Session]") -> int:
    """Return how many pieces of work are active: with a state file, changed files or tasks; several share a file."""
    return len({one.state or one.id for one in sessions if one.worked and one.active and not one.shared})


def items(session: Session) -> list[Item]:
    """Return what must be done before a session's work is complete, ticked where that was measured."""
    known = session.measured or {}
    true = {kind for kind, key in _TRACKED.items() if known.get(key) is True}
    asked = [Item(kind, words, done=kind in true) for kind, words in _ASKED] if session.state else []
    return [*_measured(session), *asked, *_file(session)]


def knowledge(session: Session, summary: "Summary") -> list[Item]:
    """Return where a session's knowledge belongs, with what is known to be missing there.

    `summary` is the summary of its state file.
    """
    known = {item.kind: item for item in _measured(session)}
    left = [known[kind] for kind in _LEFT if kind in known and known[kind].count]
    against = {
        "details": known["uncommitted"].evidence if "uncommitted" in known else [],
        "decisions": texts_of(summary, "decisions"),
        "remaining": [f"{item.count} {_LEFT[item.kind][item.count > 1]}" for item in left],
    }
    counts = {"remaining": sum(item.count for item in left)}
    counts |= {"details": known["uncommitted"].count} if "uncommitted" in known else {}
    found = [
        Item(kind, f"{what} → {where}", against.get(kind), count=counts.get(kind)) for kind, what, where in KNOWLEDGE
    ]
    for item in found:
        item.level = OK if item.kind == "details" and counts.get("details") == 0 else item.level
    return found


def completion(workspace: "Workspace", session: Session, state: "StateFile") -> tuple[list[Item], list[Item]]:
    """Return both lists for a session whose state file is about to be deleted: knowledge, and what is to be done."""
    from holdfast.context.checklist import unfinished
    from holdfast.formats.state_file import summary

    session = session.replace(measured=unfinished.measure(workspace, session))
    return knowledge(session, summary(state)), items(session)


def at_stop(body: "Payload", project: "Project", now: float) -> str:
    """Return the checklist for the user if the session's state file became completed since the last Stop.

    "" otherwise. Most Stops end after one look at the file system: the file is the same, or its status lines are.
    """
    path = log.state_file_of(project.store, body.session) if project.store and not body.agent else ""
    try:
        file_stat = os.stat(path) if path else None
    except OSError:  # deleted, which the next settle sees to
        return ""
    if file_stat is None or not stat.S_ISREG(file_stat.st_mode) or file_stat.st_size > _READ:
        return ""
    signature = [path, *files.signature(file_stat)]
    kept = project.store + _SEEN + body.session
    seen = fast_json.read_object(kept)  # how the state file was at the last Stop, {} for nothing
    if seen.get("file") == signature:
        return ""
    status, over = _status(path, project)
    shown = seen.get("shown") is True
    shown_now: str | None = ""
    if seen.get("status") != status and (over or shown):
        shown_now = _turned(body.session, project, path, now)
        shown = bool(shown_now) or (shown and over)
    if shown_now is not None:
        look = {"file": signature, "status": status, "shown": shown}
        files.write_quietly(kept, fast_json.dumps(look).encode())  # if that fails, it is read again
    return shown_now or ""


def _status(path: str, project: "Project") -> "tuple[int, bool]":
    """Return a checksum of the lines with a status, and whether one of them may say that the work is over.

    If the project has its own formats, the status may be anywhere: then the whole file counts, and may always say so.
    """
    import zlib

    lines = files.read(path).splitlines()
    own = project.target.root + "/" + paths.SETTINGS
    if os.path.isfile(own) and _describes_formats(files.read(own)):
        return zlib.crc32(b"\n".join(lines)), True
    numbers = [at for at, line in enumerate(lines) if b"status" in line.lower() and not _is_in_item(lines, at)]
    near = {at + more for at in numbers for more in (0, 1, 2)}
    status_lines = b"\n".join(line for number, line in enumerate(lines) if number in near)
    return zlib.crc32(status_lines), any(word in status_lines.lower() for word in OVER)


def _is_in_item(lines: list[bytes], at: int) -> bool:
    """Whether a line is a status in an item of a list in YAML, as that of a listed subagent is."""
    if not lines[at].lstrip().startswith(b"status:"):
        return False
    depth = _depth(lines[at])
    above = next((line for line in reversed(lines[max(0, at - _ITEM) : at]) if _depth(line) < depth), b"")
    return above.lstrip().startswith(b"- ")


def _depth(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _describes_formats(settings: bytes) -> bool:
    """Return whether a settings file describes formats; the comment of an untouched one does not count."""
    return b"\n[formats" in b"\n" + settings


def _turned(ident: str, project: "Project", path: str, now: float) -> str | None:
    """Return the checklist if a state file became completed, None if that cannot be determined yet."""
    from holdfast.project import packages

    if not packages.activate():
        return None
    from holdfast.formats.state_file import summary
    from holdfast.sessions.workspace import Workspace

    workspace = Workspace(project, now)
    state, session = workspace.state_file(path), workspace.recorded(ident)
    session = session.replace(summary=summary(state))
    over = session.status == COMPLETED and not session.shared
    if over == bool(session.file.completed):
        return ""
    fact: Fact = {"at": round(now, 3), "kind": "completed", "status": "completed" if over else ""}
    log.append(project.store, ident, fact)
    if not over:
        return ""
    title, status = safe.line(session.title, 80), safe.line(described(session), 60)
    left = short(completion(workspace, session, state)[1], MOST - 1)
    return safe.clip("\n".join([f'holdfast: "{title}" is {status}.', *left]), _LONGEST)


def _measured(session: Session) -> list[Item]:
    """Return the items that were measured, or that the journal alone answers if nothing was."""
    measured = session.measured or {}
    found = _of(measured, "steps", "Next steps done, questions answered")
    found += _of(measured, "tasks", _TASKS) or [_answered("tasks", _TASKS, session.unfinished())]
    found += _of(measured, "loops", "Loops closed")
    found += _of(measured, "todos", f"No TODO or FIXME left{_LOOKED.get(str(measured.get('todos_of')), '')}")
    found += _of(measured, "children", _CHILDREN) or [_answered("children", _CHILDREN, session.running())]
    found += _of(measured, "uncommitted", "Changes committed")
    if session.state and not session.summary.get("shared"):  # one of an unknown format says why it is not read
        found += _of(measured, "state", _SAYS) or [_answered("state", _SAYS, session.inside(session.file.edited))]
        found += _of(measured, "unfilled", "State file filled in")
    return found


def _of(measured: "Mapping[str, object]", kind: str, words: str) -> list[Item]:
    """Return the item about one kind of measurement, [] if it was not measured."""
    names, counted = _KEYS.get(kind, (kind, f"{kind}_count"))
    count = measured.get(counted)
    return [_answered(kind, words, texts_of(measured, names), count)] if isinstance(count, int) else []


def _answered(kind: str, words: str, against: list[str], count: int | None = None) -> Item:
    """Return an item that is ticked if nothing is open."""
    return Item(kind, words, against, count=count, done=not (len(against) if count is None else count))


def _file(session: Session) -> list[Item]:
    """Return the last items, about the state file itself; a hub, which all sessions share, is not deleted."""
    if not session.state or session.shared:
        return []
    measured = session.measured or {}
    names = texts_of(measured, "mentions")
    orphaned = Item(
        "references",
        "No orphaned references to session file",
        names,
        done=isinstance(measured.get("mentions"), list) and not names,
    )
    return [orphaned, Item("delete", f"Delete the session file {session.state_name} once all of this is done")]
