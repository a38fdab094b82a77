"""What a machine shares of each session: its summary, its state file and its hand-over, without secrets.

Of the conversation it has what the state file quotes. A text that may come from elsewhere is not passed on, because the
signature of this machine would vouch for it.
"""

import os
import time

from holdfast.core import fast_json, files
from holdfast.core.fast_json import text_of, texts_of
from holdfast.git import queries
from holdfast.sessions import listed, paused_work
from holdfast.sharing import ignored, rows, status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.journal.session import Recorded
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.ignored import Patterns

    Hidden = Callable[[str], str]
    Texts = dict[str, bytes]  # name -> text

STATE, HANDOVER = "state.md", "handover.md"
LARGEST_SUMMARY, LARGEST_TEXT = 1 << 17, 1 << 18  # bytes
_DAYS_SHARED = 90 * 86_400.0  # seconds since a session was active
_DAYS_MEASURED = 7 * 86_400.0  # the same, for what git says of its files
_OWN = ("", "")  # the work that a session began itself
_NAMED = 3  # files in a title
_FILES, _LIST, _TEXT, _PATH = 500, 50, 200, 400


def month(session: "Recorded") -> str:
    """Return the month in which a session started, UTC, such as 2026-11: the folder that it is in for good."""
    return time.strftime("%Y-%m", time.gmtime(session.started or session.last_active))


def of_survey(survey: "Survey") -> "dict[tuple[str, str], Texts]":
    """Return what is shared: month and id of a session -> its texts. OSError if `.holdfastignore` cannot be read."""
    is_ignored = ignored.reader(survey.root)
    now = survey.workspace.now
    shared = status.load(survey.workspace.project.store)
    works = {path: (ident, shared.bases.get(ident, "")) for ident, path in shared.states.items()} if shared else {}
    chosen = [one for one in survey.sessions if _is_shared(one, now)]
    handed = [one for one in survey.sessions if paused_work.is_handed_over(one) and one.state not in survey.untrusted]
    return {(month(one), one.id): _texts(one, survey, handed, is_ignored, works.get(one.state, _OWN)) for one in chosen}


def _is_shared(session: "Session", now: float) -> bool:
    known = session.journaled and not session.passed_on and session.worked
    return known and now - session.last_active < _DAYS_SHARED


def _texts(
    session: "Session", survey: "Survey", handed: "list[Session]", is_ignored: "Patterns", work: "tuple[str, str]"
) -> "Texts":
    """Return the texts of one session; `work` is the session that began it, and the blob from which it goes on here."""
    kept_back = [path for path in session.files if is_ignored(path)]
    state = session.state if session.state and session.state not in survey.untrusted else ""
    name = os.path.relpath(state, _root(survey.workspace, state)) if state else ""
    if not name or name.startswith("..") or is_ignored(name):
        state = name = ""
    contents: Texts = {}
    hidden = ignored.hider(is_ignored, survey.root, kept_back)
    row = _summary(session, survey.workspace, name, is_ignored, hidden)
    row |= {"continues": work[0] if work[0] != session.id else "", "base": work[1]}
    contents[status.SUMMARY] = fast_json.dumps(row).encode() + b"\n"
    if state:
        contents |= _text(STATE, state, hidden)
        of_it = [one for one in handed if name in paused_work.states([one])]
        for one in of_it[:1]:
            contents |= {} if is_ignored(one.state_name) else _text(HANDOVER, one.state, hidden)
    return contents


def _root(workspace: "Workspace", path: str) -> str:
    """Return the folder that the path of a state file is given from: the private one or the working tree."""
    private = workspace.project.private
    if private and path.startswith(private + "/"):
        return private
    return workspace.project.root if path.startswith(workspace.project.root + "/") else _tree_of(path)


def _tree_of(path: str) -> str:
    from holdfast.project import paths

    return paths.locate(os.path.dirname(path)).root


def _text(name: str, path: str, hidden: "Hidden") -> "Texts":
    """Return a file without secrets and ignored paths, {} for one that is too large or gone."""
    try:
        text = files.read(path, LARGEST_TEXT).decode("utf-8", "replace")
    except OSError:
        return {}
    data = hidden(safe.safe(text)).encode()
    return {name: data} if len(data) <= LARGEST_TEXT else {}


def _summary(
    session: "Session", workspace: "Workspace", state: str, is_ignored: "Patterns", hidden: "Hidden"
) -> "dict[str, object]":
    """Return the summary of a session, as `list` shows it, as a JSON object."""

    def line(text: str) -> str:
        return safe.line(hidden(text), _TEXT)  # an ignored path that was cut would not be recognised

    summary = session.summary if state else {}
    changed = {path: session.files[path] for path in session.inside()[:_FILES] if not is_ignored(path)}
    return {
        "title": line(text_of(summary, "title") or _title(session)),
        "status": session.status,
        "state": state,
        "branch": line(session.branch),
        "commit": _commit(session),
        "files": {safe.line(path, _PATH): round(at) for path, at in changed.items()},
        "uncommitted": [safe.line(path, _PATH) for path in _uncommitted(session, workspace, [*changed])],
        "tasks": listed.tasks(session),
        "unfinished": [line(one) for one in session.unfinished()[:_LIST]],
        "loops": [line(title) for title, status, _ in [*session.loops.values()][:_LIST] if status != "closed"],
        "children": [line(f"{one.type} {one.status}") for one in [*session.children.values()][:_LIST]],
        **{word: line(text_of(summary, word)) for word in rows.TEXTS},
        **{word: [line(one) for one in texts_of(summary, word)[:_LIST]] for word in rows.LISTS},
        "stopped": line(session.talk.answer) if state else "",
        "started": round(session.started),
        "heard": round(session.last_active),
        "ended": round(session.ended),
        "live": session.live,
    }


def _title(session: "Session") -> str:
    """Return the title of a session whose state file has none: what it changed, as the user's words stay here."""
    names = ", ".join(os.path.basename(path) for path in session.inside()[:_NAMED])
    return f"Work on {names or session.branch or 'this project'}"


def _commit(session: "Session") -> str:
    """Return the commit that was checked out when the session was last active, "" if that is unknown."""
    tree = session.worktree or session.root
    return queries.head_at(tree, session.last_active) if tree and os.path.isdir(tree) else ""


def _uncommitted(session: "Session", workspace: "Workspace", changed: list[str]) -> list[str]:
    """Return those of the files that are not committed, while the session is young enough to be continued."""
    tree = session.worktree or session.root
    if not changed or not os.path.isdir(tree) or workspace.now - session.last_active > _DAYS_MEASURED:
        return []
    return (queries.uncommitted(tree, changed) or [])[:_LIST]
