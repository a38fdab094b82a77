"""A conversation of another machine: fetched by `resume`, checked, and decrypted.

The signed summary of the session names its commit, so the person who signed the summary made the conversation.
"""

import re

from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.objects import FILE
from holdfast.git.remotes import RemoteError
from holdfast.project import packages
from holdfast.sharing import own_ref, people, status
from holdfast.sharing.conversation import outgoing, sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sharing.rows import Row
    from holdfast.sharing.status import Sharing

_PART = re.compile(r"[0-9]{4}\.age")
_LARGEST_TREE = 1 << 13  # bytes; 64 entries take less
_ODD = "it is not as it should be"


class Conversation:
    """The lines of a conversation, and where its paths belong: `root`, `tree`, `folder`, `config` and `home` there."""

    __slots__ = ("lines", "places")

    def __init__(self, places: dict[str, str], lines: list[bytes]) -> None:
        self.places = places
        self.lines = lines


def fetch(project: "Project", sharing: "Sharing", row: "Row") -> Conversation:
    """Return the conversation of a trusted person's session; HoldfastError if it is not there, or not for this user."""
    names = _parts(project, sharing, row)
    key = people.private_key(project.root)
    if not key:
        raise HoldfastError("there is no private SSH key here; git's user.signingkey names none")
    packages.build_extra()
    opener, places, lines, left = sealed.Opener(key), {}, [], outgoing.LARGEST * 2
    for number, data in enumerate(_read(project.root, names)):
        text = opener.opened(data, left)
        left -= len(text)
        head, *some = text.splitlines()
        places = _places(head, row["id"], number)
        lines += [line for line in some if _is_of(line, row["id"])]
    return Conversation(places, lines)


def _parts(project: "Project", sharing: "Sharing", row: "Row") -> list[str]:
    """Fetch the ref of a conversation, and return the objects of its parts in their order; HoldfastError."""
    root, name = project.root, f"{row['machine']}/{row['id']}"
    ours = f"{status.FETCHED}{sharing.remote}/{name}"
    objects.delete(root, project.common, [ours])  # its author may have begun it anew
    try:
        refused = remotes.fetch(root, sharing.remote, [f"{status.CONVERSATIONS}{name}:{ours}"])
    except RemoteError as error:
        raise HoldfastError(f"{sharing.remote} does not answer: {error}") from None
    ((kind, size),) = objects.kinds(root, [row["conversation"]])
    if kind != "commit" or size > own_ref.LARGEST_COMMIT:
        raise HoldfastError(f"{sharing.remote} does not have it any more. Type: holdfast share now. {refused}".strip())
    (data,) = objects.read(root, [f"{row['conversation']}^{{tree}}"], "tree", _LARGEST_TREE)
    entries = objects.entries(data, objects.length(root)) if data else None
    named = sorted(entries or ())
    if not entries or named != [f"{number:04}.age" for number in range(len(named))]:
        raise HoldfastError(_ODD)
    if len(named) > outgoing.MOST_PARTS or any(entry.mode != FILE for entry in entries.values()):
        raise HoldfastError(_ODD)
    return [entries[name].name for name in named]


def _read(root: str, names: list[str]) -> list[bytes]:
    """Return the parts; HoldfastError if one is missing, or they are too large."""
    if sum(size for _, size in objects.kinds(root, names)) > outgoing.LARGEST:
        raise HoldfastError(f"it is larger than {outgoing.LARGEST >> 20} MB")
    found = [data for data in objects.read(root, names, "blob", outgoing.LARGEST) if data is not None]
    if len(found) != len(names):
        raise HoldfastError(_ODD)
    return found


def _places(head: bytes, ident: str, number: int) -> dict[str, str]:
    """Return the places that the first line of a part names; HoldfastError if it belongs to something else."""
    value = fast_json.object_in(head)
    if value.get("format") != outgoing.FORMAT:
        raise HoldfastError("its format is not known here: update holdfast")
    if (value.get("session"), value.get("part")) != (ident, number):
        raise HoldfastError(_ODD)
    known = {key: value.get(key) for key in ("root", "tree", "folder", "config", "home")}
    return {key: one for key, one in known.items() if isinstance(one, str) and one.startswith("/") and len(one) > 1}


def _is_of(line: bytes, ident: str) -> bool:
    """Whether a line is one of a session's transcript; HoldfastError if it is one of another session."""
    value = fast_json.object_in(line)
    if not value:
        return False
    if value.get("sessionId", ident) != ident:
        raise HoldfastError(_ODD)
    return True
