"""Which project a machine sends the state of: what it signs for one project is not another one's.

A project is recognised by the first commits of its history, which all clones have, and by the place of its remote,
which counts for a repository without commits and for a shallow clone. One common name is enough.
"""

import hashlib

from holdfast.git import remotes
from holdfast.git.run import LONG_TIMEOUT, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.status import Sharing

_MOST = 20  # first commits


def names(root: str, sharing: "Sharing") -> list[str]:
    """Return the names of the project of a clone; its first commits are looked for once, which reads its history."""
    sharing.roots = sharing.roots or _roots(root)
    place = hashlib.sha256(remotes.place(root, sharing.remote).encode("utf-8", "surrogateescape")).hexdigest()
    return sorted([*sharing.roots, f"remote:{place}"])


def _roots(root: str) -> list[str]:
    """Return the first commits of the history of HEAD, [] in a shallow clone or before the first commit."""
    if run(root, "rev-parse", "--is-shallow-repository")[1].strip() != "false":
        return []
    code, output, _ = run(root, "rev-list", "--max-parents=0", "HEAD", timeout=LONG_TIMEOUT)
    return output.split()[:_MOST] if code == 0 else []
