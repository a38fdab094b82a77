"""Ask Claude to write down what it knows, at a breakpoint: with the next prompt, or by one more turn.

A settle notes that it is time (`note`); a prompt then only looks for a file. Claude is asked again only after it has
written into its state file, or after many more prompts, and not while drift is marked: of that the reminder speaks.
"""

import os

from holdfast.context.drift import measured
from holdfast.core import files
from holdfast.core.fast_json import text_of
from holdfast.journal.said import Said
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

# Files for a session in the store: `ID` while it is time to ask, `ID.asked` since Claude was asked, `ID.turn` where the
# setting asks for turns, `ID.forced` from the Stop that asks for one to the next.
FOLDER, TURN, FORCED = "/librarian/", ".turn", ".forced"
_PROMPTS, _APART = 3, 10  # prompts since Claude last wrote, and since it was last asked without writing
_KNOWN = 160  # characters of what is known under one heading


def note(workspace: Workspace, session: Session) -> None:
    """Note after a settle whether it is time to ask; OSError when that cannot be written."""
    path, chosen = workspace.project.store + FOLDER + session.id, workspace.settings.librarian
    due = chosen == "prompt" and is_due(workspace.project.store, session)
    for mark, wanted in ((path, due), (path + TURN, chosen == "turn")):
        if wanted:
            files.write_private(mark, b"", durable=False)
        elif os.path.exists(mark):
            os.unlink(mark)


def is_due(store: str, session: Session) -> bool:
    """Whether a breakpoint was reached since Claude last wrote: a task was completed, or work over several prompts."""
    if not session.state or session.shared or measured.is_far_behind(session.settling.drift):
        return False
    path = _asked(store, session.id)
    asked = files.modified_at(path) if os.path.exists(path) else 0.0
    written = max(session.file.edited, session.started)
    if asked > written and sum(at > asked for at in session.talk.times) < _APART:
        return False
    changed = [*session.inside(written), *(name for name, at in session.commits.items() if at > written)]
    completed = any(status == "completed" and at > written for _, status, at in session.tasks.values())
    prompts = sum(at > written for at in session.talk.times)
    return bool(changed) and (prompts >= _PROMPTS or (completed and prompts > 0))


def prompts_left(workspace: Workspace, session: Session) -> int:
    """Return after how many more prompts `is_due` may change its answer."""
    path = _asked(workspace.project.store, session.id)
    asked = files.modified_at(path) if os.path.exists(path) else 0.0
    written = max(session.file.edited, session.started)
    since, most = (asked, _APART) if asked > written else (written, _PROMPTS)
    left = most - sum(at > since for at in session.talk.times)
    return left if left > 0 else _APART


def at_prompt(project: "Project", ident: str, now: float) -> str:
    """Return the text for Claude, "" if it is not time; it is given once."""
    if not os.path.exists(project.store + FOLDER + ident):
        return ""
    os.unlink(project.store + FOLDER + ident)
    workspace = Workspace(project, now)
    return _text(workspace, ident) if is_due(project.store, workspace.recorded(ident)) else ""


def at_stop(project: "Project", ident: str, now: float) -> str:
    """Return the text for one more turn where the setting asks for that, "" if it is not time."""
    path = project.store + FOLDER + ident
    workspace = Workspace(project, now)
    if not os.path.exists(path + TURN) or not is_due(project.store, workspace.recorded(ident)):
        return ""
    text = _text(workspace, ident)
    if text:
        files.write_private(path + FORCED, b"", durable=False)
    return text


def _text(workspace: Workspace, ident: str) -> str:
    """Return what is known and what is missing, and note that Claude was asked."""
    session = workspace.session(ident)
    if session is None or not session.state or session.summary.get("untrusted"):
        return ""
    from holdfast.context import guide  # a settle asks nothing

    files.write_private(_asked(workspace.project.store, ident), b"", durable=False)
    known, command = _known(workspace.said(ident)), guide.command(text_of(session.summary, "format"))
    listed = "; ".join(f"{heading}: {safe.line(text, _KNOWN)}" for heading, text in known.items() if text)
    missing = ", ".join(heading for heading, text in known.items() if not text)
    return "\n".join(
        [
            f"holdfast: {safe.line(session.state_name, 200)} has not been written by Claude for several prompts.",
            *([f"Quoted in it or in the journal: {listed}."] if listed else []),
            *([f"Nothing is known of: {missing}."] if missing else []),
            f"What the conversation says beyond that is added with: {command}",
        ]
    )


def _known(said: Said) -> dict[str, str]:
    """Return the latest that is known under each heading, "" for nothing."""
    decided = [one.answer for one in said.decisions]
    latest = {
        "decisions with their reasons": decided[-1:],
        "dead ends": [text for _, text in said.given_up[-1:]],
        "next steps": said.following[:1],
        "open questions": said.open_questions[:1],
        "preferences": [text for _, text in said.corrections[-1:]],
    }
    return {heading: "; ".join(texts) for heading, texts in latest.items()}


def _asked(store: str, ident: str) -> str:
    return f"{store}{FOLDER}{ident}.asked"
