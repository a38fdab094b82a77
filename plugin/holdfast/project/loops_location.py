"""Where the file with the loops (open questions) of a project is."""

import os

from holdfast.core import files
from holdfast.project import paths

PATHS = (".gsd-lite/LOOPS.md", "gsd-lite/LOOPS.md", ".agents/LOOPS.md")
_NAME, _MEMORY = "LOOPS.md", "STATE.md"
SESSIONS = ".project/sessions"  # a folder for each session's STATE.md and LOOPS.md


def path_of(root: str, state: str = "") -> str:
    """Return the path of the loops of a working tree: the first that exists, else the one to create.

    A STATE.md uses the LOOPS.md in its own folder, so with such a `state` that one comes first. Without a state file
    it is the latest of those beside one. In a private project it is in the private folder.
    """
    root = paths.locate(root).target.root or root
    beside = [companion_of(state)] if os.path.basename(state) == _MEMORY else []
    known = [*beside, *(f"{root}/{path}" for path in PATHS)]
    there = next((path for path in known if os.path.lexists(path)), "")
    return there or (beside[0] if beside else _latest(f"{root}/{SESSIONS}") or known[-1])


def _latest(folder: str) -> str:
    """Return the LOOPS.md in the folders of sessions that was changed last, "" where there is none."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    books = [path for name in names if os.path.isfile(path := f"{folder}/{name}/{_NAME}")]
    return max(books, key=files.modified_at, default="")


def companion_of(state: str) -> str:
    """Return the path of a LOOPS.md in the folder of a state file."""
    return os.path.join(os.path.dirname(state), _NAME)
