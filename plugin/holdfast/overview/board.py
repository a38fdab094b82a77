"""What the board shows of the sessions of a project. All values are plain texts that are safe to print.

The sessions are read once, and then only where a journal has changed.
"""

import re
import time
from typing import NamedTuple

from holdfast.clients import catalogue
from holdfast.context.drift import measured
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.hub import tree
from holdfast.journal import log
from holdfast.memory import budget, reading
from holdfast.memory.loops.elements import is_over
from holdfast.overview import session_events
from holdfast.overview.session_events import Filter
from holdfast.sessions import full_text, listed, resume, status, survey
from holdfast.sessions.session import Session, judged
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import others, rows
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.memory.budget import Budget
    from holdfast.overview.session_events import Event
    from holdfast.project.paths import Project
    from holdfast.sharing.rows import Row as Shared


_EVENTS = 100  # the newest
_FILES = 100  # changed last
_TEXT, _LINE = 2000, 300  # characters
_OWN_MARKS = re.compile(r"^<!-- /?holdfast:.*-->\n", re.MULTILINE)  # around what holdfast keeps in a state file
_OPEN_TASKS = ("pending", "in_progress")


class Details(NamedTuple):
    """One session. Times are seconds since 1970, 0.0 for unknown.

    - facts: labels with their values: status, branch, drift, state file and the like.
    - percent, zone: how full its context is, and the number of the zone; -1 for unknown.
    - notice: why there is no state file to show, "" if there is one. state: its Markdown, without frontmatter.
    - tasks: subject and status of those that are not completed. loops: title and status of those that are not closed.
    - files: path and time of each change, the latest first. children: name, status and last answer.
    """

    key: str
    title: str
    facts: tuple[tuple[str, str], ...]
    percent: int
    zone: int
    notice: str
    state: str
    tasks: tuple[tuple[str, str], ...]
    loops: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, float], ...]
    children: tuple[tuple[str, str, str], ...]
    answer: str
    events: "tuple[Event, ...]"


def of(workspace: "Workspace", session: "Session") -> Details:
    """Return the details of a session."""
    found = budget.of(session.transcript, workspace.settings)
    state, notice = _state(workspace, session)
    files = sorted(session.files.items(), key=lambda item: -item[1])[:_FILES]
    chosen = Filter(session=session.id)
    events = session_events.read_timeline(workspace.project, chosen, _EVENTS).events if session.journaled else []
    return Details(
        session.key,
        safe.line(session.title, _LINE),
        tuple((label, safe.line(text, _LINE)) for label, text in _facts(workspace, session, found, notice) if text),
        found.percent if found else -1,
        found.zone if found else -1,
        notice,
        state,
        tuple((safe.line(subject), status) for subject, status, _ in session.tasks.values() if status in _OPEN_TASKS),
        tuple(_loops(workspace, session, shown=not notice)),
        tuple((safe.line(path, 400), at) for path, at in files),
        tuple(
            (safe.line(one.type, 60) or "subagent", one.status, safe.line(one.answer))
            for one in session.children.values()
        ),
        safe.line(session.talk.answer, _TEXT),
        tuple(events),
    )


def _facts(workspace: "Workspace", session: "Session", found: "Budget | None", notice: str) -> "list[tuple[str, str]]":
    """Return labels with their values, "" for unknown ones."""
    last_active = clock.ago(workspace.now - session.last_active) if session.last_active else ""
    return [
        ("Status", ", ".join(filter(None, (status.described(session), session.presence, last_active)))),
        ("Branch", session.holder or session.branch),
        ("Context", budget.status(found) if found else ""),
        ("Drift", "" if notice else _drift(workspace, session)),
        ("State file", session.state_shown),
        ("ID", session.id),
    ]


def _drift(workspace: "Workspace", session: "Session") -> str:
    """Return how severe the drift of the state file is, "" if there is none that can be compared."""
    if session.is_neuron or not session.state or session.shared or session.summary.get("problem"):
        return ""
    try:
        return measured.level(session, workspace)
    except OSError:  # removed meanwhile
        return ""


def _state(workspace: "Workspace", session: "Session") -> tuple[str, str]:
    """Return the Markdown of the state file or entry without its frontmatter, and why there is none to show."""
    if not session.state:
        data = b"" if session.summary.get("untrusted") or not session.away else session.text()
        shown = _OWN_MARKS.sub("", safe.plain(data.decode(errors="replace"))).strip("\n")
        return shown, "" if shown else "There is no state file."
    if clone.TrustCheck().untrusted([session.state]):
        name = clone.short_names([session.state])
        return "", f"The state file {name} may come from elsewhere and is not accepted here: holdfast trust"
    try:
        state_file = workspace.state_file(session.state)
        if session.is_neuron:
            return safe.plain(state_file.part("", session.id)), ""
        text = safe.plain(state_file.document.text(state_file.document.body, len(state_file.document.data)))
        return _OWN_MARKS.sub("", text).strip("\n"), ""
    except (OSError, HoldfastError) as error:
        return "", safe.line(f"The state file cannot be read: {error}", _LINE)


def _loops(workspace: "Workspace", session: "Session", *, shown: bool) -> "list[tuple[str, str]]":
    """Return the open loops that a session changed, and with `shown` those in its state file; title and status."""
    loops_by_id = {ident: (title, status) for ident, (title, status, _) in session.loops.items()}
    try:
        rows = reading.read(session.state, workspace)["loops"] if shown and session.state else []
    except OSError:  # removed meanwhile
        rows = []
    loops_by_id |= {str(row["id"]): (str(row["title"]), str(row["status"])) for row in rows}
    return [(safe.line(title), safe.line(status, 40)) for title, status in loops_by_id.values() if not is_over(status)]


DONE = "done"
GROUPS = (listed.LIVE, listed.OPEN, listed.PAUSED, rows.GROUP, DONE)
_AT_ONCE = 32  # journals and state files that are read before the first picture
_NEWEST = 32  # journals, those written last, that are looked at each time
_LOOKS = 200  # looking at all journals takes at most one part in so many of the time
_SURVEYS = 50  # the same for a new survey while sessions are at work
_LEAST = 5.0  # seconds between two surveys
_TITLE, _PATH = 200, 400  # characters


class Row(NamedTuple):
    """One session as a list shows it. `last_active` is in seconds since 1970.

    - ident: what a command takes as ID. process: live, stale or not running.
    - tasks: such as 2/5, "" for none. files: how many it changed.
    """

    key: str
    ident: str
    title: str
    group: str
    status: str
    process: str
    last_active: float
    tasks: str
    files: int
    branch: str


class Resumption(NamedTuple):
    """How to resume a session: in which folder, with which command; `problem` says why that is not possible.

    `live` says that its process runs, so that this opens it a second time.
    """

    folder: str
    command: tuple[str, ...]
    live: bool = False
    problem: str = ""


class Board:
    """The sessions of a project, by key. `rows` has one for each, by group, the last active first.

    `complaint` is what is wrong with the settings, `untrusted` are the paths of files that were not accepted here.
    """

    def __init__(self, project: "Project") -> None:
        self.project = project
        self.workspace = Workspace(project)
        self.sessions: dict[str, Session] = {}
        self.rows: list[Row] = []
        self.complaint = ""
        self.untrusted: list[str] = []
        self._own: dict[str, Row] = {}
        self._surveyed = survey.Survey([], self.workspace)  # the last one
        self._passed_on: set[str] = set()  # the session that goes on with the state file of one of these has the row
        self._elsewhere: dict[str, tuple[Row, Shared]] = {}
        self._fetched = 0.0  # when the sessions of other machines were last read
        self._journals: dict[str, str] = {}
        self._next_look = self._next_survey = 0.0
        self._behind = False  # whether something was written since the survey
        self._file: tuple[str, list[int]] = ("", [])  # the session whose state file was looked at, and its signature

    def begin(self) -> list[Row]:
        """Read what is live, open or recent, as a session start does, which is quick; return the rows."""
        return self.read(_AT_ONCE)

    def read(self, reads: int = 0) -> list[Row]:
        """Read all sessions, or with `reads` so many that are live, open or recent; return the rows."""
        began = time.monotonic()
        self.workspace.now = time.time()
        if not reads:  # else the next reading takes them
            self._journals = log.signatures(self.project.store)
        surveyed = self._surveyed = survey.survey(self.workspace, reads=reads, guarded=True)
        self.complaint, self.untrusted = surveyed.complaint, surveyed.untrusted
        groups = listed.grouped(tree.listed(surveyed), self.workspace.now, everything=True)
        self._passed_on = {one.id for group in groups.values() for one in group if one.passed_on}
        shown = [(one, name) for name, group in groups.items() for one in group if listed.has_content(one)]
        own = [(one, name) for one, name in shown if one.id not in self._passed_on]
        self.sessions = {one.key: one for one, _ in own}
        self._own = {one.key: _row(one, name) for one, name in own}
        self._behind = bool(reads)
        self._next_survey = time.monotonic() + max(_LEAST, _SURVEYS * (time.monotonic() - began))
        return self._arranged()

    def look(self, shown: str = "") -> list[Row] | None:
        """Read what was written since the last look, and return the rows; None if nothing shown may have changed.

        `shown` is the key of the session whose state file is looked at too, "" for none.
        """
        self.workspace.now = time.time()
        changed, edited = self._changed(), self._edited(shown)
        for ident in changed:
            self._refresh(ident)
        gone = self._gone()
        self._behind = self._behind or bool(changed) or edited
        if self._behind and time.monotonic() >= self._next_survey:
            return self.read()
        heard = self._fetched != others.changed(self.project.store)
        return self._arranged() if changed or gone or edited or heard else None

    def notes(self) -> list[str]:
        """Return what the user should know beside the sessions: wrong settings, and files not accepted here."""
        notes = [self.complaint] if self.complaint else []
        if self.untrusted:
            notes.append(f"{clone.kept_back(self.untrusted)} (holdfast trust)")
        return [safe.line(line, 400) for line in notes]

    def details(self, key: str) -> "Details | None":
        """Return all that is shown of one session, None if it is gone."""
        if key in self._elsewhere:
            return self._remote_details(*self._elsewhere[key])
        session = self.sessions.get(key)
        return of(self.workspace, session) if session else None

    def resumption(self, key: str) -> Resumption:
        """Return how to resume a session."""
        session = self.sessions.get(key)
        if key in self._elsewhere:
            ident = self._elsewhere[key][0].ident
            return Resumption("", (), problem=f"it is on another machine. To continue it here: holdfast resume {ident}")
        if session is None:
            return Resumption("", (), problem="it is not there any more")
        if not session.journaled:
            problem = f"there is no conversation of it here. To continue it, start one: {resume.command(session)}"
            return Resumption("", (), problem=safe.line(problem.removesuffix(": "), 400))
        folder = resume.folder(session, self.project.root) or self.project.root
        words = tuple(catalogue.of(session.client).RESUME.format(id=session.id).split())
        return Resumption(folder, words, session.live)

    def find(self, words: str) -> set[str]:
        """Return the keys of the sessions with a title or an id that has a text, or with texts as `search` has them."""
        sought = words.casefold()
        idents = {text.session for text in full_text.search(self._surveyed, words)}
        named = {row.key for row in self.rows if sought in f"{row.ident}\n{row.title}".casefold()}
        named |= {key for key, (_, one) in self._elsewhere.items() if sought in "\n".join(one["files"]).casefold()}
        return named | {one.key for one in self.sessions.values() if one.id in idents}

    def _arranged(self) -> list[Row]:
        store, here = self.project.store, [*self.sessions.values()]
        self._fetched = others.changed(store)
        shown = others.shown(store, others.open_ones(store), here, ())
        self._elsewhere = {row.key: (row, one) for one in shown for row in [self._remote_row(one)]}
        everyone = [*self._own.values(), *(row for row, _ in self._elsewhere.values())]
        self.rows = sorted(everyone, key=lambda row: (GROUPS.index(row.group), -row.last_active))
        return self.rows

    def _edited(self, shown: str) -> bool:
        """Return whether the state file of a session is another than at the last look at this session."""
        session = self.sessions.get(shown)
        before, self._file = self._file, (shown, files.signature_of(session.state) if session else [])
        return before != self._file and before[0] == shown

    def _changed(self) -> list[str]:
        """Return the ids of the sessions whose journals were written since the last look."""
        began, known = time.monotonic(), self._journals
        if began >= self._next_look:
            self._journals = log.signatures(self.project.store)
            self._next_look = began + _LOOKS * (time.monotonic() - began)
            self._behind = self._behind or self._journals.keys() != known.keys()
            return [ident for ident, line in self._journals.items() if known.get(ident) != line]
        live = [one.id for one in self.sessions.values() if one.live]
        looked = {ident: log.signature(self.project.store, ident) for ident in {*live, *list(known)[:_NEWEST]}}
        changed = {ident: line for ident, line in looked.items() if line and known.get(ident) != line}
        if changed:  # what was written last comes first
            rest = {ident: line for ident, line in known.items() if ident not in changed}
            self._journals = {**changed, **rest}
        return [*changed]

    def _refresh(self, ident: str) -> None:
        """Read what was added to the journal of a session, and its state file if that has changed."""
        session = self.workspace.session(ident)
        elsewhere = bool(session and session.claimed and not session.state)  # the next survey looks where it is
        if session is None or elsewhere or (ident in self._passed_on and not session.live):
            return
        name = self.project.relative(session.state) if session.state else ""
        session = session.replace(state_name=safe.line(name or session.state, _PATH))
        if clone.TrustCheck().untrusted([session.state] if session.state else []):
            session = session.replace(summary=clone.redacted(session.summary))
        self.sessions[session.key] = session
        self._own[session.key] = _row(session, listed.group(session, self.workspace.now))

    def _gone(self) -> bool:
        """Judge the live sessions again, and return whether one of them is not live any more."""
        settings, now = self.workspace.settings, self.workspace.now
        live = {key: judged(one, settings, now) for key, one in self.sessions.items() if one.live}
        self.sessions |= live
        over = {key: one for key, one in live.items() if not one.live}
        self._own |= {key: _row(one, listed.group(one, now)) for key, one in over.items()}
        return bool(over)

    def _presence(self, one: "Shared") -> str:
        return others.presence(one, self.workspace.settings, self.workspace.now)

    def _remote_row(self, one: "Shared") -> Row:
        """Return a session of another machine as a row."""
        return Row(
            f"elsewhere:{one['id']}",
            one["id"],
            safe.line(f"{one['title']} ({rows.where(one)})", _TITLE),
            rows.GROUP,
            one["status"],
            self._presence(one),
            self.workspace.now - rows.age(one, self.workspace.now),
            one["tasks"],
            len(one["files"]),
            safe.line(one["branch"], 100),
        )

    def _remote_details(self, row: Row, one: "Shared") -> Details:
        """Return all that is shown of a session of another machine."""
        now = self.workspace.now
        facts = (
            ("Status", f"{one['status']}, {self._presence(one)}"),
            ("Where", rows.where(one)),
            ("Branch", one["branch"]),
            ("Commit", one["commit"][:12]),
            ("Contact", clock.ago(now - one["contact"])),
            ("State file", one["state"]),
            ("Uncommitted", ", ".join(one["uncommitted"])),
            ("Next", "; ".join(one["next"])),
        )
        return Details(
            row.key,
            safe.line(one["title"], 300),
            tuple((label, safe.line(text, 300)) for label, text in facts if text),
            percent=-1,
            zone=-1,
            notice=f"It is on another machine. To continue it here: holdfast resume {one['id']}",
            state="",
            tasks=tuple((text, "pending") for text in one["unfinished"]),
            loops=tuple((text, "open") for text in one["loops"]),
            files=tuple((path, now - rows.unchanged_for(one, path, now)) for path in one["files"]),
            children=tuple((text, "", "") for text in one["children"]),
            answer="",
            events=(),
        )


def _row(session: Session, group: str) -> Row:
    """Return a session as a row of a group."""
    return Row(
        session.key,
        session.id,
        safe.line(session.title, _TITLE),
        group if group in GROUPS else DONE,
        session.status,
        session.presence,
        session.last_active,
        listed.tasks(session),
        len(session.files),
        safe.line(session.holder or session.branch, 100),
    )
