"""The drift that a settle measured for one session, stored for the reminder at the next Stop and for a compaction.

A record is a JSON object in the file `drift/<session>` of the store. It is replaced by each settle that measures. What
it was measured from is in it too, so that a reader can tell whether it still holds: see `is_current`.
"""

from holdfast.core import fast_json, files
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.project.paths import Project

    class DriftRecord(TypedDict):
        """What one measurement found, and what it was made from."""

        path: str  # absolute path of the state file
        state: list[int]  # `files.signature` of the state file
        journal: int  # bytes of the session's journal
        moves: int  # bytes of git's log of HEAD in the working tree where the session works
        tree: str  # that working tree, "" for none
        at: float  # when it was measured, in seconds since 1970
        since: float  # when the state file was last written with meaning, 0.0 for never
        writer: str  # who wrote it then: "the model", "a person", or "" for holdfast alone
        points: int  # how far the state file is behind, see context/drift/severity.py
        severity: str  # the same in a word
        gone: list[str]  # changed files that did not exist any more
        items: list[dict[str, object]]  # each difference, as `Item.row()` returns it, without the calls


_FOLDER = "/drift/"
_SHAPE = {
    "path": str,
    "state": list,
    "journal": int,
    "moves": int,
    "tree": str,
    "at": float,
    "since": float,
    "writer": str,
    "points": int,
    "severity": str,
    "gone": list,
    "items": list,
}


def read(store: str, session: str) -> "DriftRecord | None":
    """Return the record of a session, None where there is none or it is broken."""
    found = fast_json.read_object(store + _FOLDER + session) if store else {}
    if found.keys() != _SHAPE.keys() or any(type(found[key]) is not kind for key, kind in _SHAPE.items()):
        return None
    return found  # type: ignore[return-value] # each key was just checked


def write(store: str, session: str, record: "DriftRecord") -> bool:
    """Store the record of a session; whether that worked. It is a shortcut: without it drift is measured again."""
    return bool(store) and files.write_quietly(store + _FOLDER + session, fast_json.dumps(record).encode())


def is_current(record: "DriftRecord", project: "Project", session: str) -> bool:
    """Whether nothing was journaled, committed or written to the state file since the record was made.

    Three looks at the file system. Files that changed without an event, in a shell for one, are not noticed.
    """
    return (
        record["journal"] == files.size_of(log.path_of(project.store, session))
        and record["moves"] == moves_of(record["tree"])
        and record["state"] == files.signature_of(record["path"])
    )


def moves_of(tree: str) -> int:
    """Return how many bytes git's log of HEAD has in the working tree `tree`, 0 where there is none."""
    from holdfast.project import paths

    home = paths.locate(tree) if tree else None
    return files.size_of(home.git + "/logs/HEAD") if home and home.git else 0


def remove(store: str, session: str) -> None:
    """Remove the record of a session, if there is one."""
    files.unlink_quietly(store + _FOLDER + session)
