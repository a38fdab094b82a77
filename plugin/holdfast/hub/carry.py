"""A hub that is in the store while the project's hub is in the tree: its entries go to the tree's hub.

There are two hubs when a person commits a hub, makes `.genie/`, or sets `hub = "tracked"` after sessions were recorded.
"""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.hub.document import NEW, Hub
from holdfast.hub.transaction import Transaction
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.format import Format
    from holdfast.project.paths import Project


def left_in_store(project: "Project", path: str) -> str:
    """Return the path of a second hub in the store, "" when the hub at `path` is the only one."""
    there = hub_location.known(project.private) if project.private else ""
    return "" if there == path or (there and os.path.islink(there)) else there


def united(data: bytes, other: str, file_format: "Format") -> bytes:
    """Return the hub `data`, b"" for none, with the entries of the hub at `other`, "" for none.

    HoldfastError where both have one entry in versions that contradict each other.
    """
    if not other:
        return data
    from holdfast.hub import merge

    base, left = NEW.encode(), files.read(other)
    here, there = Hub(data or base, file_format), Hub(left, file_format)
    if _frame(there) == _frame(Hub(base, file_format)) and not _shared(here, there):
        return _with_entries(here, there, new=not data)
    texts = (base, data or base, left)
    found, clean = merge.merged(texts, 7, file_format)
    if not clean:
        raise HoldfastError(
            f"{other} has other versions of the same entries. Copy what is right by hand, then delete that file."
        )
    return found


def _frame(hub: Hub) -> bytes:
    """Return the lines of a hub that belong to no entry, without blank ones."""
    text = hub.data
    for found in reversed(list(hub.entries())):
        text = text[: found.start] + text[found.end :]
    return b"\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _shared(here: Hub, there: Hub) -> bool:
    """Whether two hubs have an entry of one session each."""
    return any(here.entry(found.entry.ident) for found in there.entries())


def _with_entries(here: Hub, there: Hub, *, new: bool) -> bytes:
    """Return a hub with the entries of another one, each in its section."""
    transaction = Transaction(here, 0.0, "", new=new)
    for found in there.entries():
        transaction.put(found.entry.ident, found.entry, history=found.history)
    return transaction.done()


def done(other: str) -> None:
    """Remove the second hub, after its entries moved to the first one."""
    if other:
        store.remove(other)
