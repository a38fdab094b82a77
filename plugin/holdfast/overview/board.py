"""What the board shows of the sessions of some projects. All values are plain texts that are safe to print."""

from typing import NamedTuple

from holdfast.clients import catalogue
from holdfast.core import clock
from holdfast.core.fast_json import texts_of
from holdfast.overview import details, timeline
from holdfast.overview.details import Details
from holdfast.overview.session_events import DECISION, FILE, PROMPT
from holdfast.overview.timeline import Filter
from holdfast.overview.watched import GROUPS, Row, Watched
from holdfast.sessions import resume
from holdfast.sharing import others, rows
from holdfast.trust import redaction, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.sharing.rows import Row as Shared


_AT_ONCE = 32  # journals and state files that are read before the first picture
_SEARCHED = (PROMPT, FILE, DECISION)  # kinds of events whose texts a search reads


class Resumption(NamedTuple):
    """How to resume a session: in which folder, with which command; `problem` says why that is not possible.

    `live` says that its process runs, so that this opens it a second time. `paused` says that its state file is paused.
    """

    folder: str
    command: tuple[str, ...]
    live: bool = False
    paused: bool = False
    problem: str = ""


class Board:
    """The sessions of some projects. `rows` has one for each, by group, the last active first."""

    def __init__(self, projects: "Iterable[Project]") -> None:
        self._projects = {project.root: Watched(project) for project in projects}
        self.rows: list[Row] = []
        self._elsewhere: dict[str, tuple[Row, Shared]] = {}
        self._fetched: list[float] = []  # when the sessions of other machines were last read

    @property
    def roots(self) -> list[str]:
        """The working trees of the projects."""
        return [*self._projects]

    def begin(self) -> list[Row]:
        """Read what is live, open or recent, which is quick in a large project; return the rows."""
        return self._read(_AT_ONCE)

    def read(self) -> list[Row]:
        """Read all sessions, and return the rows."""
        return self._read(0)

    def look(self, shown: str = "") -> list[Row] | None:
        """Read what was written since the last look, and return the rows; None if nothing shown may have changed.

        `shown` is the key of the session whose details are shown.
        """
        changed = [one.look(shown) for one in self._projects.values()]
        changed.append(self._fetched != self._contacts())
        return self._arranged() if any(changed) else None

    def notes(self) -> list[str]:
        """Return what the user should know beside the sessions: wrong settings, and files not accepted here."""
        complaints = [one.complaint for one in self._projects.values() if one.complaint]
        untrusted = [path for one in self._projects.values() for path in one.untrusted]
        if untrusted:
            count = f"{len(untrusted)} file{'s' * (len(untrusted) > 1)}"
            complaints.append(f"not accepted here: {count}, {redaction.short_names(untrusted)} (holdfast trust)")
        return [safe.line(line, 400) for line in complaints]

    def details(self, key: str) -> "Details | None":
        """Return all that is shown of one session, None if it is gone."""
        watched, session = self._find(key)
        if watched and key in self._elsewhere:
            return remote_details(watched, *self._elsewhere[key])
        return details.of(watched, session) if watched and session else None

    def resumption(self, key: str) -> Resumption:
        """Return how to resume a session."""
        watched, session = self._find(key)
        if key in self._elsewhere:
            ident = self._elsewhere[key][0].ident
            return Resumption("", (), problem=f"it is on another machine. To continue it here: holdfast resume {ident}")
        if watched is None or session is None:
            return Resumption("", (), problem="it is not there any more")
        if not session.journaled:
            command = resume.command(session)
            problem = f"there is no conversation of it here. Start a new session to continue it: {command}"
            return Resumption("", (), problem=safe.line(problem.removesuffix(": "), 400))
        folder = resume.folder(session, watched.project.root) or watched.project.root
        words = tuple(catalogue.of(session.client).RESUME.format(id=session.id).split())
        return Resumption(folder, words, session.live, session.status == "paused")

    def find(self, words: str) -> set[str]:
        """Return the keys of the sessions whose title, id, prompts, files or decisions, as far as read, have a text."""
        sought = words.casefold()
        pairs = ((key, one) for watched in self._projects.values() for key, one in watched.sessions.items())
        away = ((key, [row.ident, row.title, *one["files"]]) for key, (row, one) in self._elsewhere.items())
        return {key for key, one in pairs if sought in f"{key}\n{_texts(one)}".casefold()} | {
            key for key, texts in away if sought in "\n".join(texts).casefold()
        }

    def find_in_journals(self, words: str) -> set[str]:
        """Return the same for all prompts, files and decisions that journals have, which are read for that."""
        chosen = Filter(word=words.casefold(), kinds=_SEARCHED)
        return {
            f"{watched.project.root}\0{event.session}"
            for watched in self._projects.values()
            for event in timeline.read(watched.project, chosen).events
        }

    def _read(self, reads: int) -> list[Row]:
        for one in self._projects.values():
            one.read(reads)
        return self._arranged()

    def _arranged(self) -> list[Row]:
        self._fetched = self._contacts()
        self._elsewhere = {key: row for one in self._projects.values() for key, row in remote_rows(one).items()}
        rows = [row for one in self._projects.values() for row in one.rows.values()]
        rows += [row for row, _ in self._elsewhere.values()]
        self.rows = sorted(rows, key=lambda row: (GROUPS.index(row.group), -row.last_active))
        return self.rows

    def _contacts(self) -> list[float]:
        return [others.changed(one.project.store) for one in self._projects.values()]

    def _find(self, key: str) -> "tuple[Watched | None, Session | None]":
        watched = self._projects.get(key.partition("\0")[0])
        return watched, watched.sessions.get(key) if watched else None


def _texts(session: "Session") -> str:
    """Return the texts of a session that a search reads without its journal."""
    known = texts_of(session.summary, "decisions")
    texts = (
        session.title,
        session.talk.prompt,
        session.talk.request,
        session.talk.latest,
        *session.file.decided,
        *known,
    )
    return "\n".join(map(str, (*texts, *session.files)))


def remote_rows(watched: "Watched") -> "dict[str, tuple[Row, Shared]]":
    """Return the open sessions of other machines, each as a row of the board and as it was shared, by key."""
    store, here = watched.project.store, [*watched.sessions.values()]
    known = others.shown(store, others.open_ones(store), here, ())
    return {row.key: (row, one) for one in known for row in [_row(watched, one)]}


def _row(watched: "Watched", one: "Shared") -> Row:
    root, now = watched.project.root, watched.workspace.now
    return Row(
        key=f"{root}\0elsewhere:{one['id']}",
        ident=one["id"],
        root=root,
        project=safe.line(root.rpartition("/")[2], 60),
        title=safe.line(f"{one['title']} ({rows.where(one)})", 200),
        group=rows.GROUP,
        status=one["status"],
        process=_presence(watched, one),
        last_active=now - rows.age(one, now),
        tasks=one["tasks"],
        files=len(one["files"]),
        branch=safe.line(one["branch"], 100),
    )


def _presence(watched: "Watched", one: "Shared") -> str:
    return others.presence(one, watched.workspace.settings, watched.workspace.now)


def remote_details(watched: "Watched", row: Row, one: "Shared") -> Details:
    """Return all that is shown of one session."""
    now = watched.workspace.now
    facts = (
        ("Status", f"{one['status']}, {_presence(watched, one)}"),
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
