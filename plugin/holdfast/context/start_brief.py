"""The brief of a start, for the hook and for the command that prints it."""

import os

from holdfast.context import brief, session_lines
from holdfast.context.brief import Brief
from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import number_of, text_of, texts_of
from holdfast.journal import file_touches
from holdfast.project import packages, paths
from holdfast.sessions import paused_work, resume
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Notice = dict[str, object]  # when it was asked, by which session, and how often it was ignored

_ASKED = 2  # sessions at one start
_ASKED_GIT = 3  # sessions for which git is asked
_MAIN = frozenset({"main", "master", "trunk", "develop"})  # branches into which others are merged


def of_start(survey: "Survey", ident: str, cwd: str, notices: "Notices | None", kind: str = "") -> "Brief":
    """Return the brief for a session that starts in the folder `cwd`.

    `kind` is the agent that the session is, as by `claude --agent`, "" for none.
    `notices` says what the user was asked before; None where nobody is asked, as in a resume or without a terminal.
    """
    if notices:
        merged = _merged(survey, [one for one in resume.resumable(survey.listed) if one.id != ident])
        survey.sessions = [one.replace(merged=True) if one in merged else one for one in survey.sessions]
    found = brief.of_survey(survey, ident)
    found.in_use = _in_use(survey, ident, cwd)
    _put_off(survey, found)
    if kind:
        opened = session_lines.open_agents(survey.listed, kind)
        found.reports = [*opened, *session_lines.agent_results(survey.sessions, kind=kind)]
    if notices:
        found.asked = _asked_about(survey, ident, found, notices)
        found.neurons = [one for one in neurons(survey) if notices.is_open(one.key, one.last_active)]
    if any(map(found.going, found.hubs)) and packages.activate():
        from holdfast.hub import tree  # few starts have open entries of other machines

        found.neurons, found.lost = tree.asked(survey, found.neurons)
    return found


def _put_off(survey: "Survey", found: "Brief") -> None:
    """Set what was put off to a day, by whether the day has come; few projects have any."""
    known = [one for one in survey.listed if one.open and not one.passed_on]
    steps = (step for one in known for step in texts_of(one.summary, "next"))
    if not os.path.isdir(f"{found.store}/steps") and not any(map(clock.not_before, steps)):
        return
    from holdfast.sessions import ledger

    for one in known:
        until, texts = ledger.put_off(one, survey.workspace)
        found.ahead += [one] if until and clock.is_ahead(until, found.now) else []
        texts = [clock.put_off(one.title, until), *texts] if until else texts
        found.due += [(one, text) for text in texts if not clock.is_ahead(clock.not_before(text), found.now)]
    names = {one.state_name for one in found.ahead}
    found.handovers = [one for one in found.handovers if not names & paused_work.states([one])]
    found.unfinished = [one for one in found.unfinished if one not in found.ahead]
    found.stale = [one for one in found.stale if one not in found.ahead]


def _in_use(survey: "Survey", ident: str, cwd: str) -> "Sequence[str]":
    """Return a line for each file that other live sessions changed lately, and note the files that the hub names."""
    named_by = survey.note_files()
    earliest = survey.workspace.now - survey.settings.overlap_minutes * 60
    touches = file_touches.since(survey.workspace.project.store, earliest)
    changed_by = {one.session for each in touches.values() for one in each}
    if (named_by | changed_by) <= {ident}:
        return []
    from holdfast.sessions import conflicts

    return conflicts.in_use(survey, ident, cwd, touches)


def _asked_about(survey: "Survey", ident: str, found: "Brief", notices: "Notices") -> "list[Session]":
    """Return the sessions that the user is asked about, at most two: unfinished work of sessions that are not live.

    Work whose branch was merged comes first, then the nearest, then what is not stale, the newest first. Paused work
    with a hand-over and work whose files came without a conversation on this machine count too.
    """
    waiting = [one for one in resume.resumable(survey.listed) if one.id != ident and not one.passed_on]
    known = {id(one) for one in waiting}
    waiting += [one for one in (*found.unfinished, *found.stale) if not one.journaled and id(one) not in known]
    waiting = [one for one in waiting if one not in found.gone and not found.is_handed_over(one)] + found.handovers
    waiting.sort(key=lambda one: (not one.merged, -one.near, one.stale, -one.last_active))
    return [one for one in waiting if one not in found.ahead and _is_asked(one, notices)][:_ASKED]


def notice_of(session: "Session") -> str:
    """Return the key under which notices have the question about a session: another reason is another question."""
    why = "lost" if session.lost else "merged" if session.merged else "stale" if session.stale else ""
    return f"{session.key} {why}".strip()


def _is_asked(session: "Session", notices: "Notices") -> bool:
    """Whether the user is asked about a session: what to do about a missing file once, about stale work each week."""
    key = notice_of(session)
    if session.lost:
        return notices.is_new(key)
    if session.stale or session.merged:
        return notices.is_due(key, session.last_active)
    return notices.is_open(key, session.last_active)


def _merged(survey: "Survey", waiting: "Sequence[Session]") -> "set[Session]":
    """Return the sessions whose last commit came into the main branch, which is checked out, from another one."""
    project = survey.workspace.project
    branch = paths.branch(project) if project.git else ""
    made = [one for one in waiting if one.commits and one.branch not in {"", branch}] if branch in _MAIN else []
    if not made:
        return set()
    from holdfast.git import refs  # takes as long as everything else of a start's answer

    latest = {one: max(one.commits, key=lambda name: one.commits[name]) for one in made[:_ASKED_GIT]}
    return {one for one, commit in latest.items() if refs.is_merged(project.root, one.branch, commit)}


def neurons(survey: "Survey") -> "Sequence[Session]":
    """Return the open neurons without a conversation on this machine."""
    if survey.hub_session is None:
        return []
    return resume.neurons(survey)


WEEK = 7 * 86_400.0  # seconds
_FILE = "/notices"
_PATIENCE = 3  # how often a question may be ignored before it is not asked any more
_MOST = 400  # questions that are remembered; the oldest are forgotten first


class Notices:
    """The notices of a survey's project; `save` writes what was added."""

    def __init__(self, survey: "Survey") -> None:
        self._survey, self._now = survey, survey.workspace.now
        self._store = survey.workspace.project.store
        self._rows = fast_json.read_object(self._store + _FILE) if self._store else {}
        self.is_first = not self._rows  # whether no start here has asked anything
        self._sessions: dict[str, Session | None] = {}

    def is_due(self, key: str, changed: float) -> bool:
        """Return whether to ask whether work that changed last at `changed` is over: at most once a week."""
        asked = number_of(self._row(key), "at")
        return changed > asked or self._now - asked >= WEEK

    def is_new(self, key: str) -> bool:
        """Return whether the user was never asked about `key`."""
        return not self._row(key)

    def is_open(self, key: str, changed: float) -> bool:
        """Return whether to ask about `key`, a session or a file that changed last at `changed`.

        It is asked again until it was ignored three times.
        """
        row = self._row(key)
        return not row or changed > number_of(row, "at") or self._ignored(row) < _PATIENCE

    def asked(self, key: str, session: str) -> None:
        """Record that `session` asks the user about `key`."""
        row = self._row(key)
        self._rows[key] = {"at": round(self._now, 3), "by": session, "ignored": self._ignored(row)}

    def _ignored(self, row: "Notice") -> int:
        """Return how often the user gave a prompt after the question, and did nothing about it."""
        asking = self._asking(row)
        return int(number_of(row, "ignored")) + (asking is not None and _prompted_since(asking, row))

    def save(self) -> None:
        """Write the notices; if that fails, the user sees the same again."""
        questions = sorted(self._rows, key=lambda key: number_of(self._row(key), "at"))
        kept = {key: self._rows[key] for key in questions[-_MOST:]}
        files.write_quietly(self._store + _FILE, fast_json.dumps(kept).encode())

    def _row(self, key: str) -> "Notice":
        row = self._rows.get(key)
        return row if isinstance(row, dict) else {}

    def _asking(self, row: "Notice") -> "Session | None":
        """Return the session that asked last, None if it is unknown."""
        ident = text_of(row, "by")
        if ident not in self._sessions:
            session = find(self._survey.sessions, ident) or self._survey.workspace.session(ident)
            self._sessions[ident] = session
        return self._sessions[ident]


def _prompted_since(session: "Session", row: "Notice") -> bool:
    """Return whether the user gave a session a prompt after its question."""
    return any(prompted >= number_of(row, "at") for prompted in session.talk.times)
