"""All sessions of a project: journals folded into sessions, and joined with the state files."""

import functools
import os
import time

from holdfast.core.fast_json import text_of
from holdfast.core.statuses import OVER
from holdfast.journal import log
from holdfast.project import discovery, paths
from holdfast.sessions import file_index, hub_entries, hub_location, index, paused_work
from holdfast.sessions.session import Session, judged, look_elsewhere, with_nearness, with_state, written_at
from holdfast.sessions.workspace import Workspace, read_summary, summary_of
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.cache import Cache
    from holdfast.core.files import Look
    from holdfast.formats.catalogue import Formats
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings
    from holdfast.sessions.index import Ids, SessionIndex

    Lines = tuple[str, str, str]


AT_ONCE, LATER = 200, 1000  # state files read at most in the foreground, and in the background
_AT_ONCE = 500  # sessions that one query asks for


class Survey:
    """The sessions of a project, read through `workspace`, with the settings and the formats in force.

    - complaint: what is wrong with the project's settings or formats. has_hub: whether the project has a hub.
    - hub: the path of the hub, "" where there is no file yet. loops: the path of the open questions, "" for none.
    - left_out: how many files or folders in the known places were not read because there are too many.
    - untrusted: the paths of the untrusted files. redacted: those of them that the reader of the survey may not see.

    - done_before: sessions whose work was done before this time are passed over, 0.0 to pass over none.

    A survey with this or with `reads` also has:

    - beyond: the ids of sessions and children that it passed over. passed_over: how many sessions and files these are.
      more: how many of them, and of state files without a journal, are "stale", "unfinished" and so on. left: how many
      others, which are not done, are older than the latest ones.
    - unread: how many state files and journals remain for a later survey.
    """

    def __init__(self, sessions: list[Session], workspace: Workspace) -> None:
        self.sessions = sessions
        self.workspace = workspace
        self.look: Look = functools.cache(os.lstat)  # while the survey is taken: a file is looked at once
        self.left_out = self.unread = self.left = 0
        self.done_before = 0.0
        self.more: dict[str, int] = {}
        self.redacted: set[str] = set()
        self.untrusted: list[str] = []
        self.beyond: Ids = frozenset()
        self.has_hub = hub_location.is_kept(workspace.project)
        self.hub = self.loops = ""
        self.files = file_index.FileIndex(
            workspace.cache.database, workspace.project.root, workspace.formats.fingerprint
        )
        variant = (
            f"{workspace.formats.fingerprint} {workspace.settings.stale_hours} {self.has_hub} {workspace.hub_home.git}"
        )
        self.session_index = index.SessionIndex(workspace.cache.database, workspace.project.root, variant)

    @property
    def passed_over(self) -> int:
        """How many sessions, and state files without a journal, were passed over because their work was done."""
        return self.session_index.count + self.files.count

    @property
    def listed(self) -> list[Session]:
        """The sessions to list: without the redacted files that belong to no journal here."""
        return [one for one in self.sessions if one.journaled or one.state not in self.redacted]

    @property
    def hub_session(self) -> Session | None:
        """The hub among the sessions, None where there is none or its text was not accepted here."""
        return hub_entries.hub_of(self.sessions, self.hub)

    def note_files(self) -> set[str]:
        """Note the files that active entries of the hub name, unless its text is untrusted; return the entries' ids."""
        store = self.workspace.project.store
        if not store or self.hub in self.untrusted:
            return set()
        over = self.beyond.union(one.id for one in self.sessions if one.journaled and not one.live)
        return hub_entries.note_files(store, self.hub_session, over)

    @property
    def settings(self) -> "Settings":
        """The settings in force."""
        return self.workspace.settings

    @property
    def formats(self) -> "Formats":
        """The formats in force."""
        return self.workspace.formats

    @property
    def cache(self) -> "Cache":
        """The cache of what was read from unchanged files."""
        return self.workspace.cache

    @property
    def root(self) -> str:
        """The project's working tree."""
        return self.workspace.project.root

    @property
    def complaint(self) -> str:
        """What is wrong with the project's settings or formats, "" for nothing."""
        return self.workspace.complaint


def find(everyone: list[Session], ident: str) -> Session | None:
    """Return the session with this id, None when there is none."""
    return next((session for session in everyone if session.id == ident), None)


def survey(  # noqa: PLR0913 - by name, except the first two
    workspace: Workspace,
    cwd: str = "",
    *,
    own: str = "",
    reads: int = 0,
    quickly: bool = False,
    done_before: float = 0.0,
    ended: bool = False,
    most: int = 0,
    guarded: bool | None = None,
) -> Survey:
    """Return all sessions of a project, from journals and state files.

    `cwd` is the reader's folder, if it may be in another working tree than the project's. With `reads` the survey is
    limited: it reads at most so many state files and so many journals, and passes over sessions that ended long ago or
    are too many to be shown, except `own`. With `done_before` it passes over the sessions whose work was done before
    that time; all others are read, with `ended` also those that ended without being completed. With `most` the latest
    of them suffice: so many of each kind, those that are live, and those whose state file is in the current folder.

    A survey with this, or done `quickly`, trusts the index: while no folder of state files has changed, it looks only
    at journals that are new or went on after a silence. A `guarded` survey has only title and status of untrusted
    texts; by default it is guarded if Claude reads the output.
    """
    project, now, cache = workspace.project, workspace.now, workspace.cache
    cache.database.hold()
    found = Survey([], workspace)
    home = workspace.hub_home
    found.hub = hub_location.known(home.root)
    seen = file_index.Folders(cache.database, project.root, file_index.variant(workspace, found.hub))
    began = time.time_ns()
    ages = file_index.Ages(now, workspace.settings.stale_hours)
    over = found.session_index
    chosen = None
    if (quickly or done_before) and seen.are_unchanged():
        chosen = _undone(found, done_before, own, most or -1, ended=ended) if done_before else _shown(found, ages, own)
    journals = log.signatures(project.store, chosen or (), found.look)
    quick = chosen is not None and not over.among(chosen.difference(journals))  # nobody removed a journal
    if not quick:  # reading the files may take seconds, in which others write
        cache.database.release()
        found.look = functools.cache(os.lstat)
    state_files = (
        discovery.FoundFiles({}, seen.left_out, {}) if quick else file_index.in_tree(project, workspace.formats)
    )
    lines = {} if quick else file_index.with_hub(project, home, found.hub, state_files.lines)
    found.done_before = 0.0 if reads or _needs_all(found, lines) else done_before
    if not quick:
        journals = log.signatures(project.store, _noticed(found, lines, reads, own, quickly=quickly, ended=ended))
    read = _journaled(found, lines, reads, own, journals)
    if quick:
        _add_quickly(found, over, ages, {state: line for _, state, line in read.values()})
    else:
        _add(found, lines, cache, reads, over)
    found.sessions = _with_summaries(found)
    cache.database.release()
    found.sessions = look_elsewhere(found.sessions, project, workspace.formats)
    _add_hub_in_git(found, home)
    found.redacted = _redact(found, guarded=guarded)
    found.sessions = _judged(found.sessions, workspace.settings, now, over)
    for session in found.sessions:
        if session.id in read:
            over.learn(session, read[session.id], now, kept=found.has_hub)
    if not quick and over.save() and not quickly:
        over.note_lacking(log.sessions(project.store), whole=not found.unread)
    if not quick and not found.unread:
        seen.save(state_files, began)
    cache.save()
    discovery.remember(project.store, workspace.formats.patterns)
    reader = paths.locate(cwd or project.root, project)
    reader = reader if reader.root else project
    found.sessions = hub_entries.follow_hub([_with_name(one, reader.root) for one in found.sessions], found.hub)
    found.sessions = with_nearness(found.sessions, reader, cwd)
    found.left_out = state_files.left_out
    found.left = over.left + found.files.left
    if most:
        _keep_newest(found, most, done_before, ended=ended)
    return found


def _with_name(session: Session, root: str) -> Session:
    """Return a session with the name of its state file as seen from a folder."""
    name = session.claimed_name if session.away else file_index.relative_to(root, session.state)
    return session.replace(state_name=safe.line(name, 400))


def _shown(result: Survey, ages: file_index.Ages, own: str) -> set[str] | None:
    """Return the ids of the sessions that a start reads, trusting the index; None if that cannot be used."""
    return result.session_index.choose_shown(ages, own) if result.files.choose_shown(ages) else None


def _undone(result: Survey, before: float, own: str, most: int, *, ended: bool) -> set[str] | None:
    """Return the ids of the sessions whose work was not done by a time, and `own`; None if all must be read."""
    folder = os.getcwd() if most > 0 else ""
    if _hub_is_outside(result) or not result.files.choose_undone(before, most, folder):
        return None
    asked = {own, *map(str, result.session_index.done_among(_reopened(result)))} - {""}
    return result.session_index.choose_undone(before, asked, ended=ended, most=most, folder=folder)


def _keep_newest(result: Survey, most: int, before: float, *, ended: bool) -> None:
    """Leave out what a survey with the index does not read."""
    cut = index.older(result.sessions, most, before, ended=ended)
    result.left += len(cut)
    result.beyond = result.beyond.union(one.id for one in cut)
    result.sessions = [one for one in result.sessions if one not in cut]


def _hub_is_outside(result: Survey) -> bool:
    """Whether a sparse checkout leaves the hub out of the working tree."""
    return not result.hub and bool(hub_location.outside_cone(result.workspace.hub_home))


def _needs_all(result: Survey, lines: "dict[str, str]") -> bool:
    """Whether a hand-over is compared with the state files of all sessions, or the hub is not in the working tree."""
    handed = any(path.rpartition("/")[2].startswith(paused_work.STEM) for path in lines)
    return handed or _hub_is_outside(result)


def _reopened(result: Survey) -> set[str]:
    """Return the ids of the hub's entries that do not say completed, since a person may have opened one again."""
    hub = Session("").replace(summary=summary_of(result.hub, result.cache, result.formats))
    return {text_of(row, "id") for row in hub_entries.rows(hub) if row["category"] not in OVER}


def _add_hub_in_git(result: Survey, home: "Project") -> None:
    """Add the hub that git has and that a sparse checkout leaves out of the working tree, if there is one."""
    if result.hub or not (path := hub_location.outside_cone(home)):
        return
    session, trusted = hub_entries.session_in_git(result.workspace, path)
    result.hub = path
    result.sessions.append(session)
    result.untrusted = [] if trusted else [path]


def _redact(result: Survey, *, guarded: bool | None) -> set[str]:
    """Find the untrusted files and redact their summaries if the survey is `guarded`; return the redacted paths."""
    loops = discovery.loops_path(result.root, project=result.workspace.project) if result.root else ""
    result.loops = loops if os.path.isfile(loops) and not discovery.leads_out(loops) else ""
    requested = [*(session.state for session in result.sessions if session.summary), *filter(None, [result.loops])]
    untrusted = clone.TrustCheck(result.workspace.project, result.look).untrusted(requested).union(result.untrusted)
    result.untrusted = sorted(untrusted)
    if not (clone.output_reaches_claude() if guarded is None else guarded):
        return set()
    if untrusted:
        result.sessions = [
            one.replace(summary=clone.redacted(one.summary)) if one.state in untrusted else one
            for one in result.sessions
        ]
    return untrusted


def _add_quickly(result: Survey, over: "SessionIndex", ages: file_index.Ages, lines: "dict[str, str]") -> None:
    """Add a session for each state file to show that the index has and that belongs to no journal here.

    `lines` has the lines of state files that were looked at before.
    """
    project, indexed = result.workspace.project, result.files
    held = {session.state for session in result.sessions if session.state}
    if indexed.forget(held, lines) and not result.done_before:
        indexed.choose_shown(ages)
    given_up = {path for session in result.sessions for path in session.file.given_up} | over.given_up
    words = indexed.more.keys() | over.more.keys()
    result.more = {word: indexed.more.get(word, 0) + over.more.get(word, 0) for word in words}
    result.sessions += [
        file_index.of_file(project, path) for path in file_index.unheld(project, held, given_up, indexed.shown)
    ]


def _add(result: Survey, lines: "dict[str, str]", cache: "Cache", reads: int, over: "SessionIndex") -> None:
    """Add a session for each state file that belongs to no journal here; a limited survey adds only those to show.

    `reads` is how many state files may be read at most, 0 for all; `over` has the sessions that were passed over.
    """
    project, now, indexed = result.workspace.project, result.workspace.now, result.files
    held = {session.state for session in result.sessions if session.state} | over.held
    try:
        others = {path: line for path, line in lines.items() if path not in held}
        result.unread += indexed.learn(
            others, lambda path: read_summary(path, cache, result.formats), reads or len(lines)
        )
    except ImportError:  # the dependency folder is still being built
        result.unread = len(lines)
    indexed.save()
    rows = indexed.rows() if reads else {}
    given_up = {path for session in result.sessions for path in session.file.given_up} | over.given_up
    new = file_index.unheld(project, held, given_up, list(rows) if reads else sorted(lines))
    if reads:
        found = file_index.select({path: rows[path] for path in new}, now, result.settings.stale_hours)
        new, words = found.keys, found.more.keys() | over.more.keys()
        result.more = {word: found.more.get(word, 0) + over.more.get(word, 0) for word in words}
    result.sessions += [file_index.of_file(project, path) for path in new]


def _noticed(  # noqa: PLR0913 - what `survey` was given
    result: Survey, lines: "dict[str, str]", reads: int, own: str, *, quickly: bool, ended: bool
) -> set[str]:
    """Return the ids of the sessions to read, from a look at all journals; `quickly` only at those not in the index."""
    project, over, chosen = result.workspace.project, result.session_index, result.settings
    names = {*log.sessions(project.store)}
    stored = over.stored_journals() if quickly else {}
    unsure = [ident for ident in names if ident not in stored or ident in over.lacking]
    journals = {**log.signatures(project.store, unsure)}
    journals |= {ident: stored[ident] for ident in names if ident not in journals and ident in stored}
    if result.done_before:
        over.pass_over_done(journals, lines, {own, *_reopened(result)}, result.done_before, ended=ended)
    else:
        over.pass_over(journals, lines, [own] if reads else names, result.workspace.now, chosen.stale_hours)
    return {ident for ident in names if ident not in over.beyond}


def _journaled(
    result: Survey, lines: "dict[str, str]", reads: int, own: str, journals: "dict[str, str]"
) -> "dict[str, Lines]":
    """Add the sessions of these journals, whose lines are given, `own` first; a limited survey adds only so many.

    Return for each session that was read the lines for `SessionIndex.learn`.
    """
    over = result.session_index
    requested = [*dict.fromkeys([*([own] if own in journals else []), *journals])]
    result.beyond, result.unread = over.beyond, len(requested[reads or len(requested) :])
    read: dict[str, Lines] = {}
    chosen, store = requested[: reads or len(requested)], result.workspace.project.store
    for number, ident in enumerate(chosen):
        if not number % _AT_ONCE:
            result.cache.fetch([log.path_of(store, each) for each in chosen[number : number + _AT_ONCE]])
        session = result.workspace.recorded(ident, result.look)
        line = file_index.line_of(session.state, lines, result.look)
        read[ident] = (journals[ident], session.state, line)
        result.sessions.append(session if line else with_state(session, result.workspace.project))
    return read


def _with_summaries(result: Survey) -> list[Session]:
    """Return the sessions, each with the summary of its state file."""
    made: list[Session] = []
    for number, session in enumerate(result.sessions):
        if not number % _AT_ONCE:
            result.cache.fetch([one.state for one in result.sessions[number : number + _AT_ONCE] if one.state])
        summary = summary_of(session.state, result.cache, result.formats, result.look)
        made.append(session.replace(summary=summary, version=result.cache.version(session.state)))
    return made


def _judged(sessions: list[Session], chosen: "Settings", now: float, over: "SessionIndex") -> list[Session]:
    """Return the sessions with a known last activity, judged whether they are live and stale, the latest first.

    `over` has the sessions that were passed over.
    """
    timed = [(session.last_active or written_at(session), session) for session in sessions]
    made = [judged(session.replace(last_active=at), chosen, now) for at, session in timed if at]
    at_work = sorted(made, key=lambda one: (one.live, one.last_active))
    holders = {one.claimed: one for one in at_work if one.claimed and one.journaled and not one.shared}
    known = [one.replace(passed_on=_passed_on(one, holders.get(one.claimed, one), over)) for one in made]
    return sorted(known, key=lambda session: -session.last_active)


def _passed_on(session: Session, holder: Session, over: "SessionIndex") -> bool:
    """Whether another session goes on with the state file of one that is not live: its `holder`, after `/clear` any."""
    cleared = session.process.reason == "clear" and over.holds(session.claimed)
    return not session.live and (holder is not session or cleared)
