"""The brief of a start, for the hook and for the command that prints it."""

from holdfast.context import agent_results, brief
from holdfast.journal import file_touches
from holdfast.sessions import resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.context.brief import Brief
    from holdfast.context.notices import Notices
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey


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
    touches = file_touches.since(survey.workspace.project.store, earliest).values()
    changed_by = {one.session for each in touches for one in each}
    if (named_by | changed_by) <= {ident}:
        return []
    from holdfast.sessions import conflicts

    return conflicts.in_use(survey, ident, cwd)


def _asked_about(survey: "Survey", ident: str, found: "Brief", notices: "Notices") -> "Session | None":
    """Return the session that the user is asked about: the newest unfinished work of a session that is not live.

    Paused work with a hand-over and work whose files came without a conversation on this machine count too. Return
    None after the question was ignored three times.
    """
    waiting = [one for one in resume.resumable(survey.listed) if one.worked and one.id != ident]
    known = {id(one) for one in waiting}
    waiting += [one for one in (*found.unfinished, *found.stale) if not one.journaled and id(one) not in known]
    waiting = [one for one in waiting if not found.is_handed_over(one)] + found.handovers
    waiting.sort(key=lambda one: -one.last_active)
    return next((one for one in waiting if notices.is_open(one.key, one.last_active)), None)


def _neurons(survey: "Survey", notices: "Notices") -> "Sequence[Session]":
    """Return the open neurons without a conversation on this machine that the user is asked about."""
    if survey.hub_session is None:
        return []
    from holdfast.sessions import neurons

    return [one for one in neurons.neurons(survey) if notices.is_open(one.key, one.last_active)]
