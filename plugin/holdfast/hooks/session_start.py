"""Answer SessionStart: the brief for Claude, a title for the session, and at most three lines for the user."""

import os

from holdfast.context import brief, start_brief, start_lines
from holdfast.context.brief import Brief
from holdfast.context.short_lists import counted
from holdfast.context.start_brief import Notices
from holdfast.core import clock, files, process
from holdfast.core.client import Answer, Client, claude_code
from holdfast.core.statuses import PAUSED
from holdfast.journal import checkouts, log
from holdfast.journal.payload import Payload
from holdfast.project import error_log, packages, paths
from holdfast.project.paths import Project
from holdfast.sessions import paused_work, status
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_BUILDING = "holdfast: its packages are being installed in the background; until then it keeps journals only."
_NO_DATA_FOLDER = "holdfast: there is no place for its packages, so it keeps journals only; set HOME or HOLDFAST_DATA."
_HELD = "holdfast trust"  # a complaint about settings has it where the user did not say yes to them
_SHARE = "holdfast share on"  # key under which notices count how often this was suggested
_INIT = "/holdfast:init"  # key under which notices count how often this was suggested


def reply(body: Payload, project: Project, client: "Client", now: float) -> Answer:
    """Return the answer to SessionStart."""
    given = paths.is_shared(project.store) and _give_resumed(body, project, now)
    survey = sessions.survey(
        Workspace(project, now), body.cwd, own=body.session, reads=sessions.AT_ONCE, quickly=True, guarded=True
    )
    own = sessions.find(survey.sessions, body.session)
    if given and own and own.status == PAUSED:  # so that it goes on with the first prompt
        log.append(project.store, body.session, {"kind": "status", "status": PAUSED, "text": "it was paused elsewhere"})
    if own and body.text("source") == "clear":
        from holdfast.hooks import cleared

        before, own = own, cleared.inherit(project, own, survey.sessions)
        survey.sessions = [own if one is before else one for one in survey.sessions]
    missing = _prepare(project, survey, own)
    if os.path.isfile(project.store + paths.GENIE):
        from holdfast.actions import adoption

        adoption.restore_shim(project.store, body.cwd or project.root)
    notices = Notices(survey)
    attended = body.text("source") == "startup" and client.is_attended(os.environ)
    kind = "" if body.agent else body.text("agent_type")
    found = start_brief.of_start(survey, body.session, body.cwd, notices if attended else None, kind)
    if found.untrusted or _HELD in survey.complaint:
        from holdfast.actions import accept

        found.untrusted = accept.untrusted_paths(survey)
    returned = _returned(body, project, found)
    room = survey.settings.brief_characters - safe.FENCE
    context = brief.compose(found, now, room, initialised=project.initialised)
    complaints = [missing, "" if found.untrusted and _HELD in survey.complaint else survey.complaint, *found.damaged]
    complaints += [_untrusted(found), _unread(survey), _errors(project, survey)]
    lines = [start_lines.problem(complaints).replace(f"{project.root}/", ""), returned]
    if body.text("source") != "compact":
        lines = _news(body, survey, found, notices, [line for line in lines if line])
    if notices.is_first and project.store:
        from holdfast.project import background

        background.note_project(project)
    notices.save()
    _export(body.session, client)
    # A person may have named the session already.
    title = own.title if own and own.state and not body.text("session_title") else ""
    return Answer(
        context=safe.fenced(context),
        title=safe.line(title, 80),
        message=start_lines.compose(lines, process.columns(os.getppid())),
    )


def _give_resumed(body: Payload, project: Project, now: float) -> bool:
    """Give a new session the state file that was just resumed here from another machine; return whether it has it."""
    from holdfast.sharing import others

    path = others.resumed_state(project.store, now) if body.text("source") == "startup" else ""
    if not path or log.has_state_file(project.store, body.session):
        return False
    log.claim(project.store, body.session, path, by="resume")
    return True


def _news(body: Payload, survey: Survey, found: Brief, notices: Notices, lines: list[str]) -> list[str]:
    """Return these lines, then what was left, who else is live, how much of it is open, and what is of less weight."""
    project, now, columns = survey.workspace.project, survey.workspace.now, process.columns(os.getppid())
    if found.own and found.own.away:
        switch = f": git switch {safe.shell(found.own.holder)}" if found.own.holder else ""
        lines.insert(0, f"this work's state file is {found.own.away}, not here{switch}")
    due = [each for each in found.due if notices.is_open(f"due {each[1]}", 0.0)]
    for one, text in due[:1]:
        lines.append(start_lines.due(due, columns))
        notices.asked(f"due {text}", body.session)
        found.asked = [other for other in found.asked if other is not one]
    found.asked = found.asked[: max(1, start_lines.MOST - 1 - len(lines))]
    home = paused_work.named(found.asked[0]) if found.asked and len(found.handovers) > 1 else ""
    count = 0 if body.text("source") == "resume" else found.count - bool(due)  # who resumes has chosen
    *named, rest = start_lines.asked(found.asked, count, home, now, columns)
    lines += named
    for one in found.asked:
        notices.asked(start_brief.notice_of(one), body.session)
    lines += start_lines.neurons(found.neurons, columns)
    for one in found.neurons:
        notices.asked(one.key, body.session)
    if not found.asked and found.own and found.own.state:
        lines.append(f"state file: {found.own.state_name}")
    lines.append(start_lines.live(found.active, columns, rest))
    if len(found.asked) == 1:
        lines.append(start_lines.still_open(found.asked[0], survey.root, columns))
    in_hub = len(start_brief.neurons(survey)) - len(found.neurons)
    lines.append(f"{in_hub} more in the hub: /holdfast:resume" if in_hub else "")
    if not project.initialised and project.store and notices.is_open(_INIT, 0.0):
        notices.asked(_INIT, body.session)
        lines.append("/holdfast:init keeps the state of each session in Markdown here")
    if survey.settings.share == "state" and not paths.is_shared(project.store) and notices.is_open(_SHARE, 0.0):
        notices.asked(_SHARE, body.session)
        lines.append("this project shares sessions between machines: holdfast share on")
    return lines


def _prepare(project: Project, survey: Survey, own: Session | None) -> str:
    """Start what is due in the background; return why only journals are kept, "" if the packages are there."""
    if paths.is_shared(project.store):
        from holdfast.sharing import status as sharing

        sharing.ask(project)
    if not packages.ready() and not packages.activate():
        from holdfast.project import background

        background.build_dependencies()
        return _BUILDING if packages.folder() else _NO_DATA_FOLDER
    others = (one for one in survey.sessions if one is not own and not one.live)
    if survey.unread or checkouts.moved(project) or any(_is_cut_off(one, survey) for one in others):
        from holdfast.project import background

        background.settle(project)
    return ""


def _is_cut_off(session: Session, survey: Survey) -> bool:
    """Return whether a settle of a session that is gone is missing, or the hub still shows it as running."""
    talked = session.settling.last > session.settling.settled and survey.workspace.project.is_private
    late = talked or bool(status.unsaid(session))
    return session.settling.unsettled or late or (survey.has_hub and status.due(session))


def _returned(body: Payload, project: Project, found: Brief) -> str:
    """Return to the context what a compaction would lose; return the line about it for the user, "" for none."""
    if body.text("source") != "compact" or body.agent:
        return ""
    from holdfast.context.compaction import after

    found.returned = after.returned(project, body.session)
    has_state = found.own is not None and bool(found.own.state)
    if found.returned.manual:  # the user has read the line of the hook before the compaction
        return "" if has_state else after.gone(project, body.session)
    state = "the state file is in the context again" if has_state else after.gone(project, body.session)
    return f"holdfast: {state}" if state else ""


def _export(ident: str, client: "Client") -> None:
    """Let the client's shell know the session's id, and `holdfast` in it the data folder of this session's hooks."""
    script, data = os.environ.get(client.SHELL_SCRIPT), os.environ.get(client.PLUGIN_DATA)
    if script:
        for name in ("SESSION_ID", *((client.SESSION,) if client.NAME != claude_code.NAME else ())):  # Claude sets it
            files.append_line(script, f"export {name}='{ident}'".encode())
    if script and data and not os.environ.get("HOLDFAST_DATA"):
        quoted = data.replace("'", "'\\''")
        files.append_line(script, f"export HOLDFAST_DATA='{quoted}'".encode())


def _unread(survey: Survey) -> str:
    """Return the line about state files that this start did not read, "" for none."""
    if survey.left_out:
        return f"holdfast: {survey.left_out} state files or folders are too many to look at; move those that are done"
    unread = survey.unread if survey.unread and packages.ready() else 0
    return f"holdfast: {unread} state files or journals are still to be read, in the background" if unread else ""


def _untrusted(found: Brief) -> str:
    """Return the line about files of a clone that is not trusted, "" for none."""
    command = "holdfast trust" if paths.typed_elsewhere() == "holdfast" else "/holdfast:trust"  # which prints the path
    count = counted(len(found.untrusted), "file")
    return f"kept back from Claude: {count} of this clone ({command})" if found.untrusted else ""


def _errors(project: Project, survey: Survey) -> str:
    """Return one line if errors were logged since the session before this one started, "" if none were."""
    before = sorted(session.started for session in survey.sessions)[-2:-1]
    since = clock.write(before[0]) if before else ""
    logged = [line for line in error_log.read(project.store) if line[:20] >= since]
    return f"holdfast: {counted(len(logged), 'error')} since the last start: /holdfast:doctor" if logged else ""
