"""Answer SessionStart: the brief for Claude, a title for the session, and a short message for the user."""

import gc
import os

from holdfast.clients import claude_code
from holdfast.context import brief, checklist
from holdfast.context.brief import Brief
from holdfast.context.notices import WEEK, Notices
from holdfast.context.texts import counted, listed
from holdfast.core import clock, files
from holdfast.journal import log
from holdfast.journal.payload import Payload
from holdfast.project import background, error_log, hub_location, packages
from holdfast.project.paths import Project
from holdfast.sessions import conflicts, declared_files, neurons, paused_work, resume, status
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import fence, safe

_BUILDING = "holdfast: its packages are being installed in the background; until then it keeps journals only."
_HOMELESS = "holdfast: there is no place for its packages, so it keeps journals only; set HOME or HOLDFAST_DATA."
_CHECKLISTS_MOST = 3
_SHOWN = 3  # names of a group that the user is shown
_MESSAGE_MOST = 2500  # characters of a message for the user, so that it does not fill the terminal


def reply(body: Payload, project: Project, now: float) -> str:
    """Return the answer to SessionStart, "" if there is nothing to say."""
    gc.disable()  # cycle collection is wasted work in a process that lives a fraction of a second
    survey = sessions.survey(Workspace(project, now), body.cwd, own=body.session, reads=sessions.AT_ONCE, guarded=True)
    own = sessions.find(survey.sessions, body.session)
    if own and body.text("source") == "clear":
        _inherit(project, own, survey.sessions)
    missing = _prepare(project, survey, own)
    ended = [session for session in survey.sessions if checklist.due(session, now)][:_CHECKLISTS_MOST]
    found = brief.of_survey(survey, body.session)
    found.checklists = lists = [checklist.lines(session, found.working) for session in ended]
    returned = _returned(body, project, found)
    declared_files.note(survey.workspace)
    found.in_use = conflicts.in_use(project, body.session, survey, body.cwd, now)
    notices = Notices(survey)
    found.offered = _offered(body, survey, found, notices)
    home = hub_location.tree(project).root
    found.neurons = _neurons(body, survey, notices)
    in_hub = len(resume.entries(survey, hub_location.known(hub_location.home(project).root))) - len(found.neurons)
    room = survey.settings.brief_characters - fence.OVERHEAD
    context = brief.compose(found, now, room, initialised=project.initialised)
    message = [
        missing,
        survey.complaint,
        _unread(survey),
        *found.damaged,
        _greeting(found, in_hub, initialised=project.initialised),
        returned,
        _question(found, body, home, now),
        neurons.question(found.neurons),
        _left_behind(survey, notices, now),
        *map("\n".join, lists),
        _errors(project, survey),
    ]
    _record(project, ended, [*found.offered, *found.neurons], notices, body.session)
    _export(body.session)
    # A person may have named the session already.
    title = own.title if own and own.state and not body.text("session_title") else ""
    return claude_code.answer(
        "SessionStart",
        context=fence.fenced(context),
        title=safe.line(title, 80),
        message=safe.clip("\n".join(line for line in message if line), _MESSAGE_MOST),
    )


def _prepare(project: Project, survey: Survey, own: Session | None) -> str:
    """Start what is due in the background; return why only journals are kept, "" if the packages are there."""
    if not packages.ready() and not packages.activate():
        background.build_dependencies()
        return _BUILDING if packages.folder() else _HOMELESS
    others = (one for one in survey.sessions if one is not own and not one.live)
    if survey.unread or any(_is_cut_off(one, survey) for one in others):
        background.settle(project)
    return ""


def _is_cut_off(session: Session, survey: Survey) -> bool:
    """Return whether a settle of a session that is gone is missing, or the hub still shows it as running."""
    return session.unsettled or (survey.has_hub and status.due(session))


def _returned(body: Payload, project: Project, found: Brief) -> str:
    """Return to the context what a compaction would lose; return the line about it for the user, "" for none."""
    if body.text("source") != "compact" or body.agent:
        return ""
    from holdfast.context.compaction import after

    found.returned = after.returned(project, body.session)
    has_state = found.own is not None and bool(found.own.state)
    state = "its state file is back in the context" if has_state else after.gone(project, body.session)
    parts = [part for part in (state, found.returned.notice) if part]
    return f"holdfast: compacted; {', and '.join(parts)} (holdfast snapshots)" if parts else ""


def _offered(body: Payload, survey: Survey, found: Brief, notices: Notices) -> list[Session]:
    """Return the sessions that the user is asked about: unfinished work that nobody works on, newest first.

    Work whose files came without a conversation on this machine counts too. A program that runs the client is not
    asked, and neither is a user who resumes.
    """
    if body.text("source") != "startup" or not claude_code.is_attended(os.environ):
        return []
    waiting = [one for one in resume.resumable(survey.sessions) if one.worked and one.id != body.session]
    known = {id(one) for one in waiting}
    waiting += [one for one in (*found.unfinished, *found.stale) if not one.journaled and id(one) not in known]
    waiting.sort(key=lambda one: -one.heard)
    return [one for one in waiting if not found.is_handed_over(one) and notices.is_open(_key(one), one.heard)]


def _neurons(body: Payload, survey: Survey, notices: Notices) -> list[neurons.Neuron]:
    """Return the open neurons without a conversation on this machine that the user is asked about."""
    if body.text("source") != "startup" or not claude_code.is_attended(os.environ):
        return []
    return [one for one in neurons.neurons(survey) if notices.is_open(_key(one), one.heard)]


def _key(session: Session) -> str:
    """Return what identifies a session in the notices: its id, or the path of its file without a journal."""
    return session.id if session.journaled or isinstance(session, neurons.Neuron) else session.state


def _question(found: Brief, body: Payload, home: str, now: float) -> str:
    """Return the question whether to resume one of these, each with the command that does it; "" for none.

    A session whose folder is gone is resumed from `home`, the root of the repository.
    """
    offered = found.offered
    if not offered:
        return ""
    folder = body.start_folder(os.environ.get(claude_code.PROJECT_FOLDER, ""))
    shown = [
        f'  "{safe.line(one.title, 60)}", {clock.ago(now - one.heard)}: {_command(one, folder, home)}'
        for one in offered[:_SHOWN]
    ]
    left = len(offered[_SHOWN:]) + _passed_over(found)
    more = [f"  and {left} more: holdfast resume"] if left else []
    return "\n".join(["holdfast: resume one of these, or start fresh?", *shown, *more])


def _passed_over(found: Brief) -> int:
    """Return how many sessions the survey passed over in the groups that only the question names."""
    groups = {"unfinished": found.unfinished, "stale": found.stale}
    asked = [word for word, group in groups.items() if group and all(one in found.offered for one in group)]
    return sum(found.more.get(word, 0) for word in asked)


def _command(session: Session, folder: str, home: str) -> str:
    """Return the command that resumes a session, without `cd` if `folder` is where its conversation began."""
    if not session.journaled:
        return f"holdfast resume {safe.shell(session.state_name)}"
    command = resume.command(session, home)
    return command.partition(" && ")[2] if session.folder == folder else command


def _left_behind(survey: Survey, notices: Notices, now: float) -> str:
    """Return the line about state files in `.agents/sessions` that were completed a week ago, at most once a week."""
    names = survey.left_behind(now - WEEK) if notices.is_week_over else []
    if not names:
        return ""
    notices.mentioned_left_behind()
    count = counted(len(names), "completed state file")
    return f"holdfast: {count} left behind: {listed(names, _SHOWN)}; `holdfast close --check` says what is left to do"


def _record(project: Project, ended: list[Session], offered: list[Session], notices: Notices, asking: str) -> None:
    """Record what the user was shown; if that fails, it is shown again."""
    for session in offered:
        notices.asked(_key(session), asking)
    notices.save()
    for session in ended:
        try:
            log.append(project.store, session.id, {"kind": "shown"})
        except OSError:
            return


def _export(ident: str) -> None:
    """Let Claude's shell know the session's id, and `holdfast` in it the data folder of this session's hooks."""
    script, data = os.environ.get(claude_code.SHELL_SCRIPT), os.environ.get(claude_code.PLUGIN_DATA)
    if script:
        files.append_line(script, f"export SESSION_ID='{ident}'".encode())
    if script and data and not os.environ.get("HOLDFAST_DATA"):
        quoted = data.replace("'", "'\\''")
        files.append_line(script, f"export HOLDFAST_DATA='{quoted}'".encode())


def _inherit(project: Project, own: Session, everyone: list[Session]) -> None:
    """Give a session that `/clear` began the state file of the session that it ended in the same process."""
    cleared = [
        session
        for session in everyone
        if session.reason == "clear" and session.state and (session.pid, session.process) == (own.pid, own.process)
    ]
    before = max(cleared, key=lambda session: session.ended, default=None)
    if before is None or own.state:
        return
    own.state, own.state_name, own.summary = before.state, before.state_name, before.summary
    log.claim(project.store, own.id, before.state, by="clear")


def _unread(survey: Survey) -> str:
    """Return the lines about state files that this start did not read, "" for none."""
    too_many = (
        "holdfast: {} state files or folders are too many to look at; move those that are done out of their places"
    )
    later = "holdfast: {} state files or journals were not read yet; the background reads them, some at every turn"
    counts = ((survey.left_out, too_many), (survey.unread if packages.ready() else 0, later))
    return "\n".join(line.format(count) for count, line in counts if count)


def _greeting(found: Brief, in_hub: int, *, initialised: bool) -> str:
    """Return one line for the user: the own state file, other sessions, and how many more only the hub knows.

    Sessions that the user is asked about are left to the question.
    """
    parts = [f"state file {found.own.state_name}"] if found.own and found.own.state else []
    for word, group in (("active", found.active), ("unfinished", found.unfinished), ("stale", found.stale)):
        left = [session for session in group if session not in found.offered]
        if left:
            more = found.more.get(word, 0)
            titles = listed([f'"{safe.line(session.title, 50)}"' for session in left], _SHOWN, more)
            parts.append(f"{len(left) + more} {word}: {titles}")
    parts += paused_work.greeting(found.handovers)
    parts += [f"{in_hub} more in the hub (holdfast resume)"] if in_hub else []
    parts += [f"not accepted here: {counted(found.untrusted, 'file')} (holdfast trust)"] if found.untrusted else []
    if not parts and not initialised and found.ended is None and not found.offered:
        parts = ["journals are kept for this project; `holdfast init` makes it keep state files too"]
    return f"holdfast: {'; '.join(parts)}" if parts else ""


def _errors(project: Project, survey: Survey) -> str:
    """Return one line if errors were logged since the session before this one started, "" if none were."""
    before = sorted(session.started for session in survey.sessions)[-2:-1]
    since = clock.write(before[0]) if before else ""
    logged = [line for line in error_log.read(project.store) if line[:20] >= since]
    return f"holdfast: faults logged lately: {len(logged)}; `holdfast doctor` tells them" if logged else ""
