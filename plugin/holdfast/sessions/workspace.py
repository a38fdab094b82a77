"""What one process has read of a project: everything is read once, on first use, and passed down as one parameter.

The handler of an event or a command creates one `Workspace` and passes it on. It only holds what files, journals and
git say; each method documents when it reads them again.
Summaries of state files come through the cache: a file is parsed only if it has changed since the last process.
"""

import os
import stat
import time

from holdfast.core.cache import Cache
from holdfast.formats import catalogue
from holdfast.journal import log, payload
from holdfast.project import discovery
from holdfast.sessions import hub_location, session_cache
from holdfast.sessions.session import Session, judged, look_elsewhere, with_state
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    from holdfast.core.files import Look
    from holdfast.core.summary import Summary
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.format import Format
    from holdfast.formats.state_file import StateFile
    from holdfast.journal.log import Fact
    from holdfast.journal.said import Said
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings

    Asked = ParamSpec("Asked")
    Answer = TypeVar("Answer")
    T = TypeVar("T")

_SHORTEST_PREFIX = 8  # characters of a session's id that lists and briefs show


class Workspace:
    """A project at one moment, for one process.

    `project` says where everything is, `now` is the time in seconds since 1970 (UTC) that ages are measured from.
    Call `save()` once, at the end of the process, to store the cache for the next one.
    """

    def __init__(self, project: "Project", now: float | None = None) -> None:
        self.project = project
        self.now = time.time() if now is None else now
        self.cache = Cache(project.store)  # what earlier processes read from unchanged files
        self._settings: tuple[Settings, str] | None = None
        self._formats: Formats | None = None
        self._hub_home: Project | None = None
        self._journals = session_cache.Journals(project, self.cache)
        self._said: tuple[str, int, Said] | None = None
        self._answers: dict[object, object] = {}
        self._unstaged: list[str] = []
        self.not_staged: dict[str, str] = {}  # path -> why it could not be staged, "" where it was

    @property
    def settings(self) -> "Settings":
        """The settings in force: the project's own, or the defaults where those cannot be used."""
        return self._chosen[0]

    @property
    def valid_settings(self) -> "Settings":
        """The settings of the project; HoldfastError when they cannot be used."""
        if self.settings_problem:
            from holdfast.core.errors import HoldfastError

            raise HoldfastError(self.settings_problem)
        return self.settings

    @property
    def settings_problem(self) -> str:
        """What is wrong with the project's settings, "" for nothing."""
        return self._chosen[1]

    @property
    def complaint(self) -> str:
        """What is wrong with the project's settings, or with the formats it describes; "" for nothing."""
        return self._chosen[1] or self.formats.complaint

    @property
    def _chosen(self) -> "tuple[Settings, str]":
        if self._settings is None:
            self._settings = clone.settings_of(self.project, self.cache)
        return self._settings

    @property
    def formats(self) -> "Formats":
        """The formats of state files in this project."""
        if self._formats is None:
            self._formats = catalogue.known(self.project.target.root, self.cache, clone.is_settings_file_trusted)
        return self._formats

    @property
    def hub_format(self) -> "Format":
        """The format of hubs in this project; HoldfastError if the project replaced it by one without entries."""
        from holdfast.core.errors import HoldfastError

        file_format = self.formats.get("genie")
        if file_format is None or file_format.entry is None:
            raise HoldfastError("the format genie of this project describes no entries. Fix it in its settings.")
        return file_format

    @property
    def hub_home(self) -> "Project":
        """The project whose root has the hub, or would have it."""
        if self._hub_home is None:
            self._hub_home = hub_location.home(self.project, self.cache)
        return self._hub_home

    def state_file(self, path: str, data: bytes | None = None) -> "StateFile":
        """Return the state file at `path`, or one with these bytes instead; the same bytes are parsed once.

        OSError when the file cannot be read.
        """
        from holdfast.core import files
        from holdfast.formats import state_file

        return state_file.parse(files.read(path) if data is None else data, path, self.formats)

    def recorded(self, ident: str, look: "Look" = os.stat) -> "Session":
        """Return the current session of a journal; a session without facts if there is no journal of this id.

        A journal is folded once. When it has grown, only its new lines are read.
        """
        return self._journals.session(ident, self.formats.patterns, look)

    def said(self, ident: str) -> "Said":
        """Return what was said in a session; its journal is read again only when it has grown."""
        from holdfast.journal import said  # most processes quote nothing

        count = self.recorded(ident).settling.count
        if self._said is None or self._said[:2] != (ident, count):
            self._said = (ident, count, said.of_session(self.project.store, ident))
        return self._said[2]

    def facts(self, ident: str) -> "list[Fact]":
        """Return the facts of a journal, which `recorded` then does not read again."""
        return self._journals.facts(ident, self.formats.patterns)

    def session(self, ident: str) -> "Session | None":
        """Return a session with its current state file, and judge whether it is live and stale.

        The summary of an untrusted state file is redacted: what is made of it may be written to other files.

        None for an id without a journal here.
        """
        session = self.recorded(ident) if payload.is_session(ident) else None
        if session is None or not session.journaled:
            return None
        session = with_state(session, self.project)
        summary = trusted_summary(session.state, self.cache, self.formats)
        session = session.replace(summary=summary, passed_on=self._is_passed_on(session))
        (session,) = look_elsewhere([session], self.project, self.formats, over=True)
        return judged(session, self.settings, self.now)

    def _is_passed_on(self, session: "Session") -> bool:
        """Whether `/clear` ended a session and another one has its state file now."""
        cleared = bool(session.claimed) and session.process.reason == "clear"
        return cleared and {*log.sessions_of_file(self.project.store, session.claimed)} > {session.id}

    def whole(self, ident: str) -> str:
        """Return the id of the only session here that begins with `ident`, in any case; else `ident` itself."""
        if len(ident) < _SHORTEST_PREFIX or not payload.is_session(ident) or log.exists(self.project.store, ident):
            return ident
        idents = [known for known in log.sessions(self.project.store) if known.casefold().startswith(ident.casefold())]
        return idents[0] if len(idents) == 1 else ident

    def ask(self, question: "Callable[Asked, Answer]", *arguments: "Asked.args", **options: "Asked.kwargs") -> "Answer":
        """Return `question(*arguments, **options)`, a question to git; the same question is asked once.

        Use it only for answers that holdfast's own writes and staging do not change, such as those about commits.
        """
        key = (question, arguments, tuple(sorted(options.items())))
        if key not in self._answers:
            self._answers[key] = question(*arguments, **options)
        return self._answers[key]  # type: ignore[return-value] # the key holds the question that returned it

    def stage(self, *names: str, at_once: bool = True) -> None:
        """Stage files that were written, if the settings say so; `not_staged` has the outcome of each.

        Files that need not be staged `at_once` wait for the next call, which stages them with one start of git.
        """
        if not self.settings.stage:
            return
        self._unstaged += names
        if at_once and self._unstaged:
            from holdfast.editing import store

            waiting, self._unstaged = [*dict.fromkeys(self._unstaged)], []
            self.not_staged |= store.stage_all(waiting)

    def save(self) -> None:
        """Store the cache for the next process."""
        self.cache.save()


def summary_of(path: str, cache: "Cache", formats: "Formats", look: "Look" = os.lstat) -> "Summary":
    """Return the summary of a state file, {} for no path and for a file that cannot be read now."""
    try:
        return read_summary(path, cache, formats, look) if path else {}
    except (OSError, ImportError):  # ImportError: the packages are still being installed
        return {}


def trusted_summary(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file as `summary_of` does, without its texts if the file is untrusted."""
    return _guarded(path, summary_of(path, cache, formats))


def remembered_summary(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return what `trusted_summary` returns if the cache has it; {} if not, and if the file has changed since."""
    try:
        nothing: Summary = {}
        return _guarded(path, cache.read(path, lambda _: nothing, formats.fingerprint) if path else nothing)
    except OSError:
        return {}


def _guarded(path: str, summary: "Summary") -> "Summary":
    """Return a summary, without its texts if the file is untrusted."""
    from holdfast.trust import clone

    return clone.redacted(summary) if summary and clone.TrustCheck().untrusted([path]) else summary


def read_summary(path: str, cache: "Cache", formats: "Formats", look: "Look" = os.lstat) -> "Summary":
    """Return the summary of a state file, {} when it is no plain file or too large; errors as in `read_as`."""

    def summarise(state: "StateFile") -> "Summary":
        from holdfast.formats import state_file

        return state_file.summary(state)

    return read_as(path, cache, formats, summarise, "", look=look) or {}


def read_as(  # noqa: PLR0913 - the last one has a default
    path: str,
    cache: "Cache",
    formats: "Formats",
    reader: "Callable[[StateFile], T]",
    kind: str,
    *,
    look: "Look" = os.lstat,
) -> "T | None":
    """Return what a reader returns for a state file, cached as `kind`; None when it is no plain file or too large.

    OSError when the file is gone; ImportError when it must be parsed and the packages are not installed yet.
    """
    file_stat = look(path)
    if not stat.S_ISREG(file_stat.st_mode) or file_stat.st_size > discovery.LARGEST:
        return None

    def parse(path: str) -> "T":
        from holdfast.core import files
        from holdfast.formats import state_file

        return reader(state_file.parse(files.read(path), path, formats))

    return cache.read(path, parse, formats.fingerprint, kind, file_stat)


def summary_of_entry(summary: "Summary", ident: str) -> "Summary":
    """Return the summary of a hub's entry with this id; that of the whole file for "" and if there is none."""
    entries = summary["entries"] if ident else []
    return next((one for one in entries if one["id"] == ident), summary) if isinstance(entries, list) else summary
