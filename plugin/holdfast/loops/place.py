"""Where the open questions of a project are."""

import os

PLACES = (".gsd-lite/LOOPS.md", "gsd-lite/LOOPS.md", ".agents/LOOPS.md")


def path_of(root: str) -> str:
    """Return where the loops of a working tree are, or will be."""
    known = [f"{root}/{place}" for place in PLACES]
    return next((path for path in known if os.path.lexists(path)), known[-1])
