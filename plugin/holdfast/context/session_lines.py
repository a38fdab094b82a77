"""The lines about one session, its plan, tasks and reports, or a state file: for the brief, a start and commands."""

import os

from holdfast.context.short_lists import listed
from holdfast.core import clock
from holdfast.core.fast_json import number_of, rows_of, text_of, texts_of
from holdfast.journal.session import Child, inside_project
from holdfast.project import paths
from holdfast.sessions import hub_entries, paused_work, resume, status
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.core.summary import Summary
    from holdfast.sessions.workspace import Workspace

    Labelled = list[tuple[str, str]]  # labels with their texts
    from collections.abc import Iterable, Mapping


_ENTRIES_MOST = 6  # entries of a hub that are shown
_SAME = 60  # characters of two texts that begin alike
_LINE = 260  # characters of a text after a label
_ABSENT = "this is what it says where it is. What is new waits in the journal until it is back."
LEFT = "Not committed"
_OWN_TITLE = "This session's state file"


def entry(session: Session, now: float, reader: str = "", quoted: str = "") -> str:
    """Return what other sessions need to know of this one: its work, where it stopped, what is next, its files.

    `reader` is the client of the session that reads this. What is `quoted` elsewhere of its conversation is left out.
    """
    summary, left = session.summary, uncommitted(session)
    focus = text_of(summary, "focus")
    labelled = [
        ("Doing", focus if focus != session.title else ""),
        *[(label, text if label == "Phase" else unless_said(text, quoted)) for label, text in _progress(summary)],
        ("Stopped at", "" if quoted else unless_said(session.talk.answer, text_of(summary, "current"))),
        *_ahead(summary, quoted),
        ("Plan", session.followed_plan()),
        ("Files", listed([path for path in session.inside() if path not in left], 8)),
        (LEFT, listed(left, 4)),
        ("Unfinished tasks", listed(session.unfinished(), 4)),
        ("State file", session.state_shown),
    ]
    return "\n".join([named(session, now, reader), *_lines(labelled)])


def uncommitted(session: Session) -> list[str]:
    """Return the files that a session left in no commit and that are in none now, without its state file."""
    return texts_of(recount(session).measured or {}, "examples")


def unless_said(text: str, shown: str) -> str:
    """Return a text, "" where its first sentence, or the beginning of a long one, is in what is `shown`."""
    if not (text and shown):
        return text
    from holdfast.journal.conversation import sentences  # most sessions of a start say nothing twice

    first = next(iter(sentences(text)), text)
    words, known = (" ".join(one.replace("> ", "").split()).casefold() for one in (first, shown))
    return "" if words[:_SAME].rstrip(" …") in known else text


def named(session: Session, now: float, reader: str = "") -> str:
    """Return the line that names a session."""
    return f'- "{safe.line(session.title, 100)}" ({where(session, now, reader)})'


def where(session: Session, now: float, reader: str = "") -> str:
    """Return id, presence, status, branch, worktree and age of a session in one phrase."""
    linked = os.path.isfile(session.worktree + "/.git")  # in the main working tree it is a folder
    worktree = os.path.basename(session.worktree) if linked else ""
    parts = [
        _label(session, reader),
        session.presence,
        safe.line(status.described(session), 60),
        f"branch {safe.line(session.branch, 60)}" if session.branch else "",
        f"worktree {safe.line(worktree, 60)}" if worktree else "",
        f"in {safe.line(session.folder, 60)}" if session.folder else "",
        f"last active {clock.ago(now - session.last_active)}",
    ]
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _label(session: Session, reader: str) -> str:
    if not session.journaled:
        return "no journal here"
    if not (session.client or reader):
        return session.id[:8]
    from holdfast.clients import catalogue  # most projects know one client

    return catalogue.label(session.id[:8], session.client, reader)


def due(session: Session, text: str) -> str:
    """Return the line about what was put off to a day that has come."""
    what = safe.line(clock.put_off(text), 200)
    of_work = f' of "{safe.line(session.title, 60)}"' if what != session.title else ""
    return f'- "{what}"{of_work} ({session.id[:8]}), put off to {clock.not_before(text)}'


def asked(session: Session) -> str:
    """Return what the user was asked in the terminal about a session, with the commands for each answer."""
    name = session.id[:8] if session.journaled else safe.shell(session.state_name)
    title = f'"{safe.line(session.title, 60)}"'
    if session.journaled and (session.stale or session.merged or session.lost):
        why = "its branch was merged, " if session.merged else f"its state file is {session.away}, " * session.lost
        words = ("done", "drop") if session.lost else ("done", "later", "drop")
        answers = ", ".join([*(f"`holdfast finish {name} {word}`" for word in words), f"`holdfast resume {name}`"])
        return f"- What becomes of {title} ({why}{session.presence}). The first prompt may answer: {answers}."
    verb, name = ("continue", paused_work.named(session)) if paused_work.is_handed_over(session) else ("resume", name)
    return f"- Whether to resume {title} (`holdfast {verb} {name}`) or to start fresh. The first prompt may answer."


def asked_neurons(neurons: "Sequence[Session]") -> list[str]:
    """Return which neurons of the hub the user was asked about, [] for none."""
    if not neurons:
        return []
    named = listed([f'"{safe.line(one.title, 60)}" (`holdfast resume {safe.shell(one.id)}`)' for one in neurons], 4)
    return [f"- Which of these entries of the hub to resume, or to start fresh: {named}. The first prompt may answer."]


def orphan(child: Child, session: Session, now: float) -> str:
    """Return the line about a subagent that was still running when its session's process ended."""
    ident = safe.line(child.id, 60)
    who = f"{safe.line(child.type, 60)} subagent {ident}, a child of"
    when = clock.ago(now - child.last_active)
    changed = f"; it changed {listed(inside_project(child.files), 4)}" if child.files else ""
    close = f"`holdfast update action=completed session_id={ident}`"
    return (
        f'- {who} "{safe.line(session.title, 80)}" ({session.id[:8]}), last active {when}{changed}. Closed by {close}.'
    )


def file_entry(session: Session, going: "list[Summary]", now: float) -> str:
    """Return what a state file without a session says; `going` are its open entries. Of an unknown format, its name."""
    summary = session.summary
    if text_of(summary, "format") == "unknown":
        return f"- {session.state_name} (of an unknown shape)"
    shown = [("Entry", _hub_entry(one, now)) for one in going[:_ENTRIES_MOST]]
    lines = _lines([("Focus", text_of(summary, "focus")), *_progress(summary), *_ahead(summary), *shown])
    lines += [f"  and {len(going) - _ENTRIES_MOST} more: holdfast tree"] if len(going) > _ENTRIES_MOST else []
    words = [text_of(summary, "format"), safe.line(status.of_summary(summary), 60), _age(session, now)]
    known = ", ".join(filter(None, words))
    return "\n".join([f'- "{safe.line(session.title, 100)}" ({session.state_name}; {known})', *lines])


def state_file(session: Session, now: float, room: int, title: str = "State file") -> tuple[str, list[str]]:
    """Return the text of a session's state file within `room` characters, and what was cut; ("", []) without a file."""
    if not (session.state or session.away):
        return "", []
    head = f"## {title}: {session.state_shown} ({safe.line(status.described(session), 60)}, {_age(session, now)})\n"
    if session.summary.get("untrusted"):
        return f'{head}"{safe.line(session.title, 80)}": its text was not accepted here.', []
    head += f"It is not in this working tree: {_ABSENT}\n" if session.away else ""
    head += f"It is not written until this is fixed: {damage(session)}\n" if damage(session) else ""
    quoted = paused_work.quoted(session.text(), room)
    if len(head) + len(quoted) <= room:
        return head + quoted, []
    # The end of a long file matters too, so a summary of the whole comes first.
    head = safe.clip(head + "\n".join(_lines(_whole_summary(session.summary))), max(room, 0)) + "\n"
    return head + quoted[: max(0, room - len(head))].rpartition("\n")[0], [f"the end of {session.state_name}"]


def own_state_file(own: Session | None, now: float, room: int) -> tuple[str, list[str]]:
    """Return the text of the own session's state file, as `state_file` does."""
    return state_file(own, now, room, _OWN_TITLE) if own else ("", [])


def is_hub(session: Session) -> bool:
    """Return whether a state file is a hub, even one without entries."""
    return bool(rows_of(session.summary, "entries")) or text_of(session.summary, "format") == "genie"


def damage(session: Session) -> str:
    """Return the damage that keeps a state file from being written, "" if there is none."""
    problem = text_of(session.summary, "problem")
    return safe.line(problem, 300) if problem.startswith("line ") else ""


def _hub_entry(one: "Summary", now: float) -> str:
    """Return title, id, status, age and focus of an entry in a hub."""
    ident = safe.line(text_of(one, "id"), 80) or "no id"
    focus = text_of(one, "focus")
    return f"{safe.line(text_of(one, 'title'), 100)} ({ident}, {resume.about(one, now)}){f': {focus}' if focus else ''}"


def _progress(summary: "Summary") -> "Labelled":
    words = (("Phase", "phase"), ("Progress", "progress"), ("Current state", "current"))
    return [(label, text_of(summary, word)) for label, word in words]


def _ahead(summary: "Summary", quoted: str = "") -> "Labelled":
    words = (("Next", "next"), ("Open questions", "questions"), ("Blockers", "blockers"))
    texts = [(label, [text for text in texts_of(summary, word) if not _is_in(text, quoted)]) for label, word in words]
    return [(label, safe.listed(known, 4, "; ")) for label, known in texts]


def _is_in(text: str, quoted: str) -> bool:
    """Whether a text is quoted, or only asks for the answer to a question that is."""
    return text in quoted or (text.startswith("Answer ") and text.partition(": ")[2] in quoted)


def _whole_summary(summary: "Summary") -> "Labelled":
    first = [(label, text_of(summary, word)) for label, word in (("Focus", "focus"), ("Objective", "objective"))]
    lists = (("Decisions", "decisions"), ("Artifacts", "artifacts"))
    last = [(label, "; ".join(texts_of(summary, word)[:6])) for label, word in lists]
    return [*first, *_progress(summary), *_ahead(summary), *last]


def _lines(labelled: "Labelled") -> list[str]:
    """Return an indented line for each label that has a text."""
    return [f"  {label}: {safe.line(text.lstrip('-*# '), _LINE)}" for label, text in labelled if text]


def _age(session: Session, now: float) -> str:
    """Return the time since a state file, or the newest entry in it, was updated by its own word."""
    updated = max([number_of(session.summary, "updated"), *map(hub_entries.dated, rows_of(session.summary, "entries"))])
    return f"updated {clock.ago(now - updated)}" if updated else "no known update"


TITLE = "What agents of this kind have to do here, and what they reported"
_MOST, _LONGEST = 6, 260  # reports, and characters of one


def agent_results(sessions: "Iterable[Session]", without: str = "", kind: str = "") -> list[str]:
    """Return a line for each of the latest reports of subagents: its kind, its task and what it answered.

    The subagent `without` is left out; with a `kind`, only agents of that kind count.
    """
    from holdfast.journal import transcript  # most starts tell no reports

    pairs = [(child, one) for one in sessions for child in one.children.values() if child.id != without]
    known = [pair for pair in pairs if pair[0].answer and pair[0].type and kind in {"", pair[0].type}]
    latest = sorted(known, key=lambda pair: -pair[0].last_active)[:_MOST]
    return [_line(child.type, transcript.description(one, child), child.answer) for child, one in latest]


def open_agents(sessions: "Iterable[Session]", kind: str) -> list[str]:
    """Return a line for each open task of a kind of agent that an open state file lists."""
    from holdfast.formats import agents  # few sessions are of a kind of agent

    known = [(one, row) for one in sessions if one.open for row in rows_of(one.summary, "agents")]
    return [
        f"- {safe.line(row['task'], 120) or 'a task without words'}, {safe.line(row['status'], 20)}, "
        f'in "{safe.line(one.title, 80)}" ({one.state_name})'
        for one, row in known
        if row["agent"] == kind and row["status"] != agents.COMPLETED
    ][:_MOST]


def _line(kind: str, task: str, answer: str) -> str:
    named = f"{safe.line(kind, 64)}, {safe.line(task, 120)}" if task else safe.line(kind, 64)
    return f"- {named}: {safe.line(answer, _LONGEST)}"


_TALK = "Discussion that goes on"
_PLAN = "Plan that the user accepted for this session"
_LOST = "Open tasks that the client's own list has lost (TaskCreate adds them again)"
_TASKS = 12  # tasks
_LIST = "CLAUDE_CODE_TASK_LIST_ID"  # the variable that names another list than the session's own


def own_sections(own: Session, workspace: "Workspace") -> "list[tuple[str, list[str], int]]":
    """Return the sections of a brief about the plan and the lost tasks of a session: title, entries, their number."""
    from holdfast.sessions import ledger

    plan, lost = own.followed_plan(), lost_tasks(own, os.environ)
    plans = [f"- {safe.line(plan, 600)}"] if plan else []
    talk = [f"- {safe.line(line, 400)}" for line in (ledger.discussion(own.state, workspace) if own.state else [])]
    return [
        (_TALK, talk, len(talk)),
        (_PLAN, plans, len(plans)),
        (_LOST, [f"- {safe.line(task, 200)}" for task in lost[:_TASKS]], len(lost)),
    ]


def lost_tasks(session: Session, environ: "Mapping[str, str]") -> list[str]:
    """Return the open tasks of a session if the list in which Claude Code keeps them is empty or gone.

    A resumed session can be without its list (anthropics/claude-code issue 76844). The list is a folder with a JSON
    file for each task, below the folder that has the transcripts too.
    """
    open_tasks = [task for task in session.unfinished() if task]
    projects = os.path.dirname(os.path.dirname(session.transcript))
    if not open_tasks or session.client or os.path.basename(projects) != "projects":
        return []
    folder = f"{os.path.dirname(projects)}/tasks/{environ.get(_LIST) or session.id}"
    try:
        kept = any(name.endswith(".json") for name in os.listdir(folder))
    except OSError:
        kept = False
    return [] if kept else open_tasks


def recount(session: Session) -> Session:
    """Return a session without its state file, and what was committed since, among its uncommitted files.

    Of more files than are kept by name, the others count as they were. When git fails, nothing changes.
    """
    measured = session.measured or {}
    names, count = measured.get("examples"), measured.get("uncommitted")
    root = session.worktree or session.root
    if not (isinstance(names, list) and isinstance(count, int) and names and os.path.isdir(root)):
        return session
    if session.claimed_name in names:
        names, count = [name for name in names if name != session.claimed_name], count - 1
        session = session.replace(measured={**measured, "examples": names, "uncommitted": count})
    if not names or _is_unchanged(root, names, measured.get("looked")):
        return session
    from holdfast.git import queries, run  # takes as long as everything else of a start's answer

    left = queries.uncommitted(root, names, run.TIMEOUT)
    if left is None:
        return session
    gone = [name for name in names if name not in left and not name.endswith("…")]
    rest = 0 if len(gone) == len(names) else count - len(gone)
    examples = [name for name in names if name not in gone]
    return session.replace(measured={**measured, "examples": examples, "uncommitted": rest})


def _is_unchanged(root: str, names: "Sequence[object]", looked: object) -> bool:
    """Return whether nothing was written since `looked` that git's answer about these files depends on."""
    git = paths.locate(root).git
    if not git or not isinstance(looked, float):
        return False
    needed = [f"{git}/HEAD", f"{git}/logs/HEAD", *(f"{root}/{name}" for name in names)]
    rules = [f"{git}/info/exclude", f"{root}/.gitignore"]
    return all(_changed(path, looked) <= looked for path in needed) and all(_changed(path) <= looked for path in rules)


def _changed(path: str, since: float = 0.0) -> float:
    """Return when a file was last written, replaced or renamed; a time after `since` if it does not exist."""
    try:
        return os.lstat(path).st_ctime
    except OSError:
        return since and since + 1
