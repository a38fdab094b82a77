"""Continue here a session of another machine: its state file and hand-over are written, its branch is fetched."""

import contextlib
import os
import time
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.actions import hand_over
from holdfast.core import clock, files, lock
from holdfast.core.errors import HoldfastError
from holdfast.editing import merge, store
from holdfast.git import objects, queries, remotes
from holdfast.git.remotes import RemoteError
from holdfast.git.run import run
from holdfast.project import paths
from holdfast.sessions import paused_work
from holdfast.sharing import known_machines, machine, others, own_ref, reading, rows, status
from holdfast.sharing.exchange import exchange
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sessions.candidates import Hit
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.rows import Row


_SHOWN = 8  # files or sessions that are named
_WAIT = 5.0  # seconds for another exchange
_MARKER = 7  # characters of a conflict marker


class Shared(NamedTuple):
    """What another machine shared of a session: state file and hand-over, "" for none, and the blob of the first."""

    text: str
    handover: str
    blob: str


@dataclass(slots=True, frozen=True)
class TakenOver:
    """A session that continues here: the path of its state file, and what the user needs to know."""

    path: str
    lines: list[str]


def fetch(workspace: "Workspace") -> None:
    """Send and fetch what is new before work changes hands; without an answer goes on with what was fetched before."""
    with contextlib.suppress(HoldfastError):  # another process is at it
        exchange.run(workspace, timeout=_WAIT)


def take_back(workspace: "Workspace", hit: "Hit") -> list[str]:
    """Continue here work of this machine that may have gone on elsewhere; return what to report.

    What was added elsewhere is fetched, and merged into the state file here. HoldfastError, OSError.
    """
    project = workspace.project
    fetch(workspace)
    sharing = status.load(project.store)
    roots = {path: ident for ident, path in (sharing.states if sharing else {}).items()}
    ident = roots.get(hit.path, hit.session.id)
    who = others.taken_from_here(project.store).get(ident, "")
    if not who:
        return []
    row = next((one for one in others.everything(project.store) if rows.work(one) == ident and one["trusted"]), None)
    lines = [f"{who} continued it; from now on it is continued here again."]
    if row:
        shared = texts(workspace, row)
        lines += _code(project, sharing.remote, row) if sharing else []
        with store.writing(project):
            lines += _merge(workspace, hit.path, shared, row) if shared.text and hit.path else []
        lines += _hand_over(workspace, hit.path, shared.handover)
    _note(project, ident, hit.path, shared.blob if row else "")
    return [*lines, *_send(workspace)]


def _merge(workspace: "Workspace", path: str, shared: Shared, row: "Row") -> list[str]:
    """Bring what was added elsewhere into a state file here; the caller holds the lock. Return what to report."""
    project, name = workspace.project, os.path.basename(path)
    ours, theirs = files.read_or_none(path), shared.text.encode()
    if ours is None:
        return [f"Wrote {project.relative(store.create(os.path.dirname(path), name, theirs))}."]
    base = objects.read(project.root, [row["base"]], "blob", own_ref.LARGEST_TEXT)[0] if row["base"] else None
    if base is None and queries.committed(project.root, path) and queries.is_unchanged(project.root, path):
        base = ours
    if base is None:
        return [f"{name} is here already, and stays as it is."]
    merged, clean = merge.merged(merge.with_agreed_keys((base, ours, theirs)), _MARKER)
    if not clean:
        aside = store.create(os.path.dirname(path), f"{name.removesuffix('.md')}-elsewhere.md", theirs)
        return [f"{name} was changed here, too, and stays as it is. What it says there: {project.relative(aside)}"]
    changed = store.upsert(path, lambda data: merged if data == ours else data)
    return [f"{name} has what was added there."] if changed else []


def _hand_over(workspace: "Workspace", path: str, handover: str) -> list[str]:
    """Let the hand-over of a state file here be that of the other machine, where the work was paused again or not."""
    lines = hand_over.take_away(workspace, path) if path else []
    return [*lines, *_handed(workspace.project, handover)]


def find(workspace: "Workspace", requested: str) -> "Row | None":
    """Return the session of another machine with this id or these words in its title; None when there is none.

    HoldfastError when several are possible.
    """
    known = others.for_reader(others.everything(workspace.project.store))
    words = requested.casefold().split()
    found = (
        [row for row in known if requested in {row["id"], rows.work(row)}]
        or [row for row in known if row["id"].startswith(requested) or rows.work(row).startswith(requested)]
        or [row for row in known if words and all(word in row["title"].casefold() for word in words)]
    )
    if len(found) > 1:
        named = ", ".join(f'{row["id"][:8]} "{safe.line(row["title"], 50)}"' for row in found[:_SHOWN])
        raise HoldfastError(f"{requested!r} may mean {len(found)} sessions of other machines: {named}")
    return found[0] if found else None


def begun_here(survey: "Survey", row: "Row") -> "Session | None":
    """Return the session or state file of this clone whose work a row is about, None where it was never here."""
    sharing, work = status.load(survey.workspace.project.store), rows.work(row)
    path = sharing.states.get(work, "") if sharing else ""
    fits = (one for one in survey.sessions if (path and one.state == path) or (one.journaled and one.id == work))
    return max(fits, key=lambda one: one.last_active, default=None)


def take_over(workspace: "Workspace", row: "Row") -> TakenOver:
    """Write the state file of a session here, and record that it continues here; HoldfastError, OSError."""
    project = workspace.project
    require_trusted(row)
    if not project.initialised:
        raise HoldfastError(f"{project.root} is not prepared. Type: holdfast init")
    sharing = status.load(project.store)
    shared = texts(workspace, row)
    if not shared.text or sharing is None:
        raise HoldfastError(f"{row['id']} has no state file that was shared; {rows.where(row)} can make one.")
    lines = [f"{rows.where(row)}: {row['status']}, last active there {clock.ago(rows.age(row, workspace.now))}."]
    lines += _code(project, sharing.remote, row)
    with store.writing(project):
        path, reported = _write(workspace, row, shared)
    _note(project, rows.work(row), path, shared.blob)
    return TakenOver(path, [*lines, *reported, *_send(workspace)])


def texts(workspace: "Workspace", row: "Row") -> Shared:
    """Return what was shared of a session of another machine; HoldfastError if that is not trusted, or not fetched."""
    require_trusted(row)
    project = workspace.project
    from_ = known_machines.machines(project.store).get(row["machine"])
    month = next((name for name, (_, by_id) in (from_.months if from_ else {}).items() if row["id"] in by_id), "")
    if from_ is None or not month:
        raise HoldfastError(f"the files of session {row['id']} were not fetched yet. Type: holdfast share now")
    (state, blob), (handover, _) = (
        reading.text(project.root, from_, month, row["id"], name) for name in (own_ref.STATE, own_ref.HANDOVER)
    )
    return Shared(state, handover, blob)


def require_trusted(row: "Row") -> None:
    """Raise HoldfastError, which says what to type, if nobody trusted has signed a session."""
    if not row["trusted"]:
        raise HoldfastError(
            f"{row['id']} is a session of machine {machine.short(row['machine'])}, whose author is not trusted here. "
            "To see who that is: holdfast trust --person"
        )


def _code(project: "Project", remote: str, row: "Row") -> list[str]:
    """Fetch the branch of a session, and return what is known of it, its commit and what is not committed.

    It is fetched also if the commit is here: what the session left may have been committed after it ended.
    """
    branch, lines = row["branch"], []
    if branch and branch[:1] != "-" and run(project.root, "check-ref-format", f"refs/heads/{branch}")[0] == 0:
        try:
            remotes.fetch(project.root, remote, [f"+refs/heads/{branch}:refs/remotes/{remote}/{branch}"])
        except RemoteError as error:
            lines.append(f"{remote} does not answer, so its branch may be old here: {safe.line(str(error))}")
        lines.append(_branch(project.root, remote, branch, row["commit"]))
    left = row["uncommitted"]
    if left:
        lines.append(f"Not committed there, so not here: {safe.listed(left, _SHOWN)}.")
    return lines


def _branch(root: str, remote: str, branch: str, commit: str) -> str:
    """Return the line that says whether a branch and a commit, "" for an unknown one, are here."""
    is_here = remotes.has(root, commit)
    if not any(remotes.has(root, f"refs/{place}/{branch}") for place in ("heads", f"remotes/{remote}")):
        also = f" Commit {commit[:12]} is here." if is_here else ""
        return f"Branch {branch} is not here: it was not pushed.{also}"
    missing = f", but not commit {commit[:12]}: it was not pushed" if commit and not is_here else ""
    switch = "" if paths.branch(paths.locate(root)) == branch else f" Go there: git switch {branch}"
    return f"Branch {branch} is here{missing}.{switch}"


def _write(workspace: "Workspace", row: "Row", shared: Shared) -> tuple[str, list[str]]:
    """Write the state file, and the hand-over if none waits here; the caller holds the lock."""
    project, name = workspace.project, os.path.basename(row["state"])
    usable = name.endswith(".md") and not name.startswith(".") and not are_in(name)
    name = name if usable else other_name(f"{row['id']}.md")
    folder = f"{project.target.root}/{paths.STATE_FOLDER}"
    path = f"{folder}/{name}"
    if os.path.lexists(path):
        lines = _merge(workspace, path, shared, row)
    else:
        path = store.create(folder, name, shared.text.encode())
        lines = [f"Wrote {project.relative(path) or path}."]
    return path, [*lines, *_handed(project, shared.handover)]


def _handed(project: "Project", handover: str) -> list[str]:
    """Keep a hand-over in the store, if none waits in the working tree."""
    if not handover or os.path.lexists(f"{project.root}/{paused_work.NAME}"):
        return []
    hand_over.receive(project, handover.encode())
    return ["Its hand-over is here, too: holdfast continue"]


def _note(project: "Project", ident: str, state: str, base: str) -> None:
    """Record that a session continues here, so that its own machine learns it."""
    with lock.hold(f"{status.folder(project.store)}/taken.lock"):
        sharing = status.load(project.store)
        if sharing is not None:
            sharing.take(ident, others.next_claim(project.store, ident, time.time()), state, base)


def _send(workspace: "Workspace") -> list[str]:
    """List and send now that a session continues here; return the line that says if that has to wait."""
    try:
        exchange.read_again(workspace)
        problem = exchange.run(workspace, fetch=False).problem
    except HoldfastError as error:
        problem = str(error)
    return [f"The other machines learn of it later: {safe.line(problem, 200)}"] if problem else []


_NAMES = frozenset(
    (
        *("agent.md", "agents.local.md", "agents.md", "agents.override.md", "claude.local.md"),
        *("claude.md", "context.md", "conventions.md", "copilot-instructions.md", "crush.md"),
        *("gemini.md", "qwen.md", "skill.md", "warp.md"),
    )
)
_ENDS = (".instructions.md", ".prompt.md", ".agent.md", ".chatmode.md")


def are_in(name: str) -> bool:
    """Whether a client may load a file of this name as instructions; case does not count, as on some disks."""
    folded = name.casefold()
    return folded in _NAMES or folded.endswith(_ENDS)


def other_name(name: str) -> str:
    """Return the name, or one that no client loads."""
    return f"session-{name.removesuffix('.md').replace('.', '-')}.md" if are_in(name) else name
