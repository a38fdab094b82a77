"""Three lines in AGENTS.md for clients without hooks, which only `holdfast init --agents-md` adds."""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError

NAME = "AGENTS.md"
LINES = (
    "<!-- holdfast, for clients without hooks. To remove this, delete these three lines. -->",
    "- `holdfast brief` prints where the last working session here stopped and what is open; run it before you begin.",
    "- `holdfast sync --help` says how decisions, progress and next steps are recorded; do that before you end.",
)


def add(root: str) -> list[str]:
    """Add the lines that are missing, and return what the file has now, for the user.

    All other bytes stay. HoldfastError when the file is not a plain file, or does not have the lines afterwards.
    """
    path = f"{root}/{NAME}"
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isfile(path)):
        raise HoldfastError(f"{path} is not a plain file; nothing was added. Add the lines where it leads to by hand.")
    there = os.path.lexists(path)
    data = files.read(path) if there else b""
    if not _missing(data):
        return [f"{NAME} has the lines of holdfast already; nothing changed."]
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    gap = b"" if not data else newline if data.endswith(b"\n") else 2 * newline
    added = b"".join(line + newline for line in _missing(data))
    files.write_atomic(path, data + gap + added, fresh=not there)
    if _missing(files.read(path)):
        raise HoldfastError(
            f"{path} does not have the lines of holdfast after they were written. Type the command again."
        )
    return [
        f"{NAME} has three lines for clients without hooks. To remove them, delete the lines from `{LINES[0][:13]}` on."
    ]


def _missing(data: bytes) -> list[bytes]:
    """Return the lines that a text does not have."""
    known = set(data.splitlines())
    return [line for line in map(str.encode, LINES) if line not in known]
