"""What a session leaves behind beside what git knows: open loops, TODO in added lines, what its file omits."""

import os
import time

from holdfast import discovery, files, paths, provenance, text, todos
from holdfast.audits.unfilled import unfilled
from holdfast.cache import Cache
from holdfast.dialects import catalog
from holdfast.dialects.catalog import Dialects
from holdfast.drifts import changes, known, progress
from holdfast.drifts.sight import Sight
from holdfast.loops import book
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    Fact = dict[str, object]

_MOST = 10  # names of each kind that are kept
_LONGEST = 120  # characters of a path or a reason


def measured(place: Place, session: Session, root: str) -> "Fact":
    """Return the names of what is left, at most ten of each kind, and how many there are; nothing where none can be."""
    found: Fact = {}
    read = book.readable(root)
    if read:
        found |= _named("loops", [f"{loop.ident} {loop.title}" for loop in read.open])
    if root and session.inside():
        left = todos.left(session, root)
        found |= {"todos": left.lines, "todos_count": left.count, "todos_of": left.of}
    return found | _said(place, session)


def _said(place: Place, session: Session) -> "Fact":
    """Return what a session's own state file says that is not finished, and what it does not say.

    One that cannot be read as it is meant says neither, for a reason; of a file that others have, too, nothing is told.
    """
    path = session.state
    if not os.path.isfile(path):
        return {}
    memory = Cache(place.store)
    if provenance.Judge(memory).foreign([path]):
        return _unread("it came with the repository and was not accepted here")
    if os.path.getsize(path) > discovery.LARGEST:
        return _unread(f"it is larger than {discovery.LARGEST >> 20} MB")
    home = paths.locate(os.path.dirname(path))
    dialects = catalog.known(home.root or place.root, memory)
    state = StateFile(files.read(path), path, dialects)
    if state.dialect and state.dialect.shared:
        return {}
    sight = _sight(session, state, dialects)
    tasks = _named("tasks", progress.unfinished(session, sight.view))
    if state.problem:
        return tasks | _unread(state.problem)
    blanks = [f"{found.what}, line {found.line}" for found in unfilled(state.record)]
    return tasks | _named("state", changes.unmentioned(sight), _LONGEST) | _named("unfilled", blanks)


def _sight(session: Session, state: StateFile, dialects: Dialects) -> Sight:
    """Return a state file beside what tells which files were changed since it was written."""
    return Sight(session, state, known.files(session, state, dialects, time.time()))


def _unread(why: str) -> "Fact":
    """Return that nobody can tell what a state file says."""
    return _named("state", [why], _LONGEST) | _named("unfilled", [why], _LONGEST)


def _named(kind: str, names: list[str], longest: int = 60) -> "Fact":
    """Return the first names of a kind and how many there are."""
    return {kind: [text.line(name, longest) for name in names[:_MOST]], f"{kind}_count": len(names)}
