"""State files of unfinished sessions that are not in their working tree: where each is, and what it says there.

A file that is on another branch, in a stash or in another working tree is written there alone: a copy of it here would
meet it in a merge. What is new waits in the journal until git brings the file back. A file that is nowhere has what
holdfast wrote last, if git still has that, or its latest snapshot.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.fast_json import text_of
from holdfast.editing import store
from holdfast.git import objects, refs
from holdfast.journal import checkouts
from holdfast.project import paths
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.journal.session import Recorded
    from holdfast.project.paths import Project

DELETED, GONE = "deleted", "gone with its working tree"
_MOST = 12  # sessions for which git is asked
_DAY = 86_400.0  # seconds


class Copy:
    """A state file that is not in its working tree.

    - place: where it is, such as "on branch feat" or "deleted".
    - waits: whether git may bring it back, so that nothing is written meanwhile.
    - text: what it says, b"" if nothing has its text any more.
    """

    def __init__(self, place: str, text: bytes, *, waits: bool) -> None:
        self.place, self.text, self.waits = place, text, waits


def copies(project: "Project", sessions: "Iterable[Recorded]") -> dict[str, Copy]:
    """Return the copy of each of these sessions' state files, by the session's id; of the first few, if they are many.

    The file of each is not there.
    """
    trees: dict[str, list[Recorded]] = {}
    for session in [*sessions][:_MOST]:
        trees.setdefault(_tree(project, session), []).append(session)
    found: dict[str, Copy] = {}
    for root, those in trees.items():
        home = paths.locate(root)
        named = refs.with_files(home, {one.claimed_name: one.branch for one in those}) if home.git else {}
        found |= {one.id: _copy(home, one, named.get(one.claimed_name, [])) for one in those}
    return found


def path_here(project: "Project", session: "Recorded") -> str:
    """Return where a session's state file is in the working tree that it is looked for in."""
    return os.path.join(_tree(project, session), session.claimed_name)


def _tree(project: "Project", session: "Recorded") -> str:
    """Return the working tree of a session's state file, that of the project if it is gone."""
    return session.state_root if os.path.isdir(session.state_root) else project.root


def _copy(home: "Project", session: "Recorded", versions: "list[refs.Version]") -> Copy:
    """Return the copy of one state file; `versions` are those that git has, the nearest first."""
    name = session.claimed_name
    if versions and versions[0].ref == refs.HEAD:
        if objects.index_entry(home.root, home.git, name).state == objects.SPARSE:
            return Copy("outside the sparse checkout", refs.text(home, versions[0]), waits=True)
        return Copy(DELETED, refs.text(home, versions[0]), waits=False)
    aside = [row for row in checkouts.written(home.store) if row[2] and row[0] == session.claimed]
    if aside and not versions:
        return Copy(f"on branch {aside[0][1]}", refs.blob(home.root, aside[0][2]), waits=True)
    trees = refs.trees(home) if home.git else []
    other = next((tree for tree in trees if os.path.isfile(f"{tree}/{name}")), "")
    if other:
        return Copy(f"in worktree {os.path.basename(other)}", files.read_or_none(f"{other}/{name}") or b"", waits=True)
    deleted = refs.before_deletion(home, name, session.started - _DAY) if home.git else b""
    if versions and not (deleted and versions[0].is_branch):
        return Copy(versions[0].place, refs.text(home, versions[0]), waits=True)
    if home.git and not deleted:
        deleted = objects.index_text(home.root, name) or store.last_written(home, session.claimed)
    place = DELETED if os.path.isdir(session.state_root) else GONE
    return Copy(place, deleted or _snapshot(home.store, session), waits=False)


def _snapshot(store: str, session: "Recorded") -> bytes:
    """Return the state file as the latest snapshot of a session has it that was made in this store, b"" for none."""
    folder = f"{store}/snapshots/{session.id}"  # see `context.compaction.snapshots`
    try:
        known = [f"{folder}/{name}" for name in os.listdir(folder)]
    except OSError:
        return b""
    own = clone.seal_of(store)
    known = [one for one in known if own and text_of(fast_json.read_object(f"{one}/facts.json"), "seal") == own]
    latest = max(known, key=files.modified_at, default="")
    return files.read_or_none(f"{latest}/state.md") or b"" if latest else b""
