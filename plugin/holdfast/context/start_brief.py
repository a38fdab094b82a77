"""The brief of a start, for the hook and for the command that prints it."""

from holdfast.context import agent_results, brief
from holdfast.journal import file_touches
from holdfast.project import paths
from holdfast.sessions import resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.context.brief import Brief
    from holdfast.context.notices import Notices
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey

_ASKED = 2  # sessions at one start
_ASKED_GIT = 3  # sessions for which git is asked
_MAIN = frozenset({"main", "master", "trunk", "develop"})  # branches into which others are merged


def of_start(survey: "Survey", ident: str, cwd: str, notices: "Notices | None", kind: str = "") -> "Brief":
    """Return the brief for a session that starts in the folder `cwd`.

    `kind` is the agent that the session is, as by `claude --agent`, "" for none.
    `notices` says what the user was asked before; None where nobody is asked, as in a resume or without a terminal.
    """
    found = brief.of_survey(survey, ident)
    found.in_use = _in_use(survey, ident, cwd)
    if kind:
        found.reports = agent_results.of(survey.sessions, kind=kind)
    if notices:
        found.asked = _asked_about(survey, ident, found, notices)
        found.neurons = _neurons(survey, notices)
    return found


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

    Work whose branch was merged comes first, then what is not stale, the newest first. Paused work with a hand-over and
    work whose files came without a conversation on this machine count too.
    """
    waiting = [one for one in resume.resumable(survey.listed) if one.id != ident and not one.passed_on]
    known = {id(one) for one in waiting}
    waiting += [one for one in (*found.unfinished, *found.stale) if not one.journaled and id(one) not in known]
    waiting = [one for one in waiting if one not in found.gone and not found.is_handed_over(one)] + found.handovers
    merged = _merged(survey, waiting)
    waiting.sort(key=lambda one: (one not in merged, one.stale, -one.last_active))
    for one in merged:
        one.merged = True
    return [one for one in waiting if _is_asked(one, notices)][:_ASKED]


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
    return {one for one, commit in latest.items() if refs.is_merged(project.root, commit)}


def _neurons(survey: "Survey", notices: "Notices") -> "Sequence[Session]":
    """Return the open neurons without a conversation on this machine that the user is asked about."""
    if survey.hub_session is None:
        return []
    from holdfast.sessions import neurons

    return [one for one in neurons.neurons(survey) if notices.is_open(one.key, one.last_active)]
