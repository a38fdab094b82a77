"""Continue here a session of another machine: its state file and hand-over are written, its branch is fetched."""

import os
import time
from dataclasses import dataclass

from holdfast.clients import instructions
from holdfast.core import clock, lock
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.git import remotes
from holdfast.git.remotes import RemoteError
from holdfast.git.run import run
from holdfast.project import paths
from holdfast.sessions import paused_work
from holdfast.sharing import content, known_machines, machine, others, reading, rows, status
from holdfast.sharing.exchange import exchange
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row

_SHOWN = 8  # files or sessions that are named


@dataclass(slots=True, frozen=True)
class TakenOver:
    """A session that continues here: the path of its state file, and what the user needs to know."""

    path: str
    lines: list[str]


def take_back(workspace: "Workspace", ident: str) -> list[str]:
    """Continue here a session of this machine that may have gone on elsewhere; return what to report."""
    who = others.taken_from_here(workspace.project.store).get(ident, "")
    if not who:
        return []
    _note(workspace.project, ident)
    _send(workspace)
    return [f"{who} continued it; from now on it is continued here again."]


def find(workspace: "Workspace", requested: str) -> "Row | None":
    """Return the session of another machine with this id or these words in its title; None when there is none.

    HoldfastError when several are possible.
    """
    known = others.for_reader(others.everything(workspace.project.store))
    words = requested.casefold().split()
    found = (
        [row for row in known if row["id"] == requested]
        or [row for row in known if row["id"].startswith(requested)]
        or [row for row in known if words and all(word in row["title"].casefold() for word in words)]
    )
    if len(found) > 1:
        named = ", ".join(f'{row["id"][:8]} "{safe.line(row["title"], 50)}"' for row in found[:_SHOWN])
        raise HoldfastError(f"{requested!r} may mean {len(found)} sessions of other machines: {named}")
    return found[0] if found else None


def take_over(workspace: "Workspace", row: "Row") -> TakenOver:
    """Write the state file of a session here, and record that it continues here; HoldfastError, OSError."""
    project = workspace.project
    if not row["trusted"]:
        raise HoldfastError(
            f"{row['id']} is a session of machine {machine.short(row['machine'])}, whose author is not trusted here. "
            "To see who that is: holdfast trust --person"
        )
    if not project.initialised:
        raise HoldfastError(f"{project.root} is not prepared. Type: holdfast init")
    sharing, from_ = status.load(project.store), known_machines.machines(project.store).get(row["machine"])
    month = next((name for name, (_, by_id) in (from_.months if from_ else {}).items() if row["id"] in by_id), "")
    if sharing is None or from_ is None or not month:
        raise HoldfastError(f"the files of session {row['id']} were not fetched yet. Type: holdfast share now")
    text, handover = (
        reading.text(project.root, from_, month, row["id"], name) for name in (content.STATE, content.HANDOVER)
    )
    if not text:
        raise HoldfastError(f"{row['id']} has no state file that was shared; {rows.where(row)} can make one.")
    lines = [f"{rows.where(row)}: {row['status']}, last active there {clock.ago(rows.age(row, workspace.now))}."]
    lines += _code(project, sharing.remote, row)
    with store.writing(project):
        path, reported = _write(project, row, text, handover)
    _note(project, row["id"])
    _send(workspace)
    return TakenOver(path, [*lines, *reported])


def _code(project: "Project", remote: str, row: "Row") -> list[str]:
    """Fetch the branch of a session, and return what is known of it, its commit and what is not committed.

    It is fetched also if the commit is here: what the session left may have been committed after it ended.
    """
    branch, lines = row["branch"], []
    if _is_branch(project.root, branch):
        try:
            remotes.fetch(project.root, remote, [f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}"])
        except RemoteError as error:
            lines.append(f"{remote} does not answer, so its branch may be old here: {error}")
        lines.append(_branch(project.root, remote, branch, row["commit"]))
    left = row["uncommitted"]
    if left:
        lines.append(f"Not committed there, so not here: {safe.listed(left, _SHOWN)}.")
    return lines


def _is_branch(root: str, branch: str) -> bool:
    return bool(branch) and branch[:1] != "-" and run(root, "check-ref-format", f"refs/heads/{branch}")[0] == 0


def _branch(root: str, remote: str, branch: str, commit: str) -> str:
    """Return the line that says whether a branch and a commit, "" for an unknown one, are here."""
    is_here = remotes.has(root, commit)
    if not any(remotes.has(root, f"refs/{place}/{branch}") for place in ("heads", f"remotes/{remote}")):
        also = f" Commit {commit[:12]} is here." if is_here else ""
        return f"Branch {branch} is not here: it was not pushed.{also}"
    missing = f", but not commit {commit[:12]}: it was not pushed" if commit and not is_here else ""
    return f"Branch {branch} is here{missing}. Go there: git switch {branch}"


def _write(project: "Project", row: "Row", text: str, handover: str) -> tuple[str, list[str]]:
    """Write the state file, and the hand-over if none waits here; the caller holds the lock."""
    name = os.path.basename(row["state"])
    usable = name.endswith(".md") and not name.startswith(".") and not instructions.are_in(name)
    name = name if usable else instructions.other_name(f"{row['id']}.md")
    folder = f"{project.target.root}/{paths.STATE_FOLDER}"
    path, lines = f"{folder}/{name}", []
    if os.path.lexists(path):
        lines.append(f"{name} is here already, and stays as it is.")
    else:
        path = store.create(folder, name, text.encode())
        lines.append(f"Wrote {project.relative(path) or path}.")
    waiting = f"{project.root}/{paused_work.NAME}"
    if handover and not project.is_private and not os.path.lexists(waiting):
        store.create(project.root, paused_work.NAME, handover.encode())
        lines.append(f"Wrote {paused_work.NAME}, its hand-over.")
    return path, lines


def _note(project: "Project", ident: str, state: str = "") -> None:
    """Record that a session continues here, so that its own machine learns it."""
    with lock.hold(f"{status.folder(project.store)}/taken.lock"):
        sharing = status.load(project.store)
        if sharing is not None:
            sharing.take(ident, others.next_claim(project.store, ident, time.time()), state)


def _send(workspace: "Workspace") -> list[str]:
    """Send now that a session continues here; return the line that says if that has to wait."""
    try:
        problem = exchange.run(workspace, fetch=False).problem
    except HoldfastError as error:
        problem = str(error)
    return [f"The other machines learn of it later: {safe.line(problem, 200)}"] if problem else []
