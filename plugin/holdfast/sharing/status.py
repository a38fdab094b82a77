"""What a project has recorded about sharing: whether it is on, with which remote, and how the last exchange went.

Everything is in the folder `sharing` of the store. This module is cheap: each start of a session asks it.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, table_of, text_of, texts_of

_FOLDER = "/sharing"
SEND_EVERY, FETCH_EVERY = 60.0, 300.0  # seconds, while somebody works
OWN, OTHERS = "refs/holdfast/", "refs/holdfast-remote/"


class Sharing:
    """How a project shares its sessions, as its user switched it on.

    - remote: the name of the remote. machine: the id under which this clone is known there.
    - agreed: the SHA-256 of the repository's own settings about the remote that the user agreed to.
    - sent, fetched: when that was last done, in seconds since 1970. pushed: the commit that the remote has of us.
    - problem: why the last exchange failed, "" if it did not. away: nothing answered then, so it is no refusal.
    - notes: what was left out of the refs of others, and why.
    - split: when this clone took a new id because another machine used the old one, 0.0 for never.
    - begun: when the history of the own ref began, 0.0 if that is not known.
    - taken: the sessions of others that continue here: id -> when.
    """

    __slots__ = (
        "agreed",
        "away",
        "begun",
        "fetched",
        "machine",
        "notes",
        "problem",
        "pushed",
        "remote",
        "sent",
        "split",
        "store",
        "taken",
    )

    def __init__(self, store: str, remote: str, machine: str, agreed: str) -> None:
        self.store, self.remote, self.machine, self.agreed = store, remote, machine, agreed
        self.sent = self.fetched = self.split = self.begun = 0.0
        self.pushed = self.problem = ""
        self.away = False
        self.notes: list[str] = []
        self.taken: dict[str, float] = {}

    @property
    def ref(self) -> str:
        """The ref that only this clone writes."""
        return OWN + self.machine

    @property
    def tracking(self) -> str:
        """The folder of the refs that were fetched."""
        return f"{OTHERS}{self.remote}/"

    def save(self) -> None:
        """Record everything; OSError."""
        row = {name: getattr(self, name) for name in self.__slots__ if name != "store"}
        files.write_private(_path(self.store), fast_json.dumps(row).encode() + b"\n")


def folder(store: str) -> str:
    """Return the folder in which everything about sharing is kept."""
    return store + _FOLDER


def is_on(store: str) -> bool:
    """Whether the sessions of a project are shared."""
    return bool(store) and os.path.exists(_path(store))


def load(store: str) -> Sharing | None:
    """Return how a project shares its sessions, None where it does not, or where the record is damaged."""
    row = fast_json.read_object(_path(store)) if store else {}
    remote, machine = text_of(row, "remote"), text_of(row, "machine")
    if not remote or not machine:
        return None
    found = Sharing(store, remote, machine, text_of(row, "agreed"))
    for key in ("sent", "fetched", "split", "begun"):
        setattr(found, key, number_of(row, key))
    found.pushed, found.problem, found.away = text_of(row, "pushed"), text_of(row, "problem"), row.get("away") is True
    found.notes = texts_of(row, "notes")
    taken = table_of(row, "taken")
    found.taken = {ident: number_of(taken, ident) for ident in taken}
    return found


def due(sharing: Sharing, now: float, *, ended: bool = False) -> tuple[bool, bool]:
    """Return whether it is time to send, and to fetch. A clock that was set back counts as if the time had come."""
    sends = ended or not 0 <= now - sharing.sent < SEND_EVERY
    return sends, not 0 <= now - sharing.fetched < FETCH_EVERY


def _path(store: str) -> str:
    return f"{store}{_FOLDER}/on"
