"""The hub's summary: its entries, the files that they name, and the statuses that people set there."""

import os

from holdfast.core.fast_json import number_of, rows_of, text_of, texts_of
from holdfast.core.statuses import ACTIVE
from holdfast.journal import file_touches
from holdfast.sessions import status
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary
    from holdfast.sessions.index import Ids

_MOST = 200  # files that entries name


def hub_of(sessions: "Iterable[Session]", path: str) -> Session | None:
    """Return the hub at `path` among state files without a journal, None where it is not or its text is untrusted."""
    found = (one for one in sessions if path and one.state == path and not one.journaled)
    return next((one for one in found if not one.summary.get("untrusted")), None)


def rows(hub: Session | None) -> "list[Summary]":
    """Return the entries of a hub that have an id, each as its summary."""
    return [one for one in rows_of(hub.summary, "entries") if text_of(one, "id")] if hub else []


def dated(row: "Summary") -> float:
    """Return the time of the last change that an entry records, 0.0 for none."""
    return number_of(row, "updated") or number_of(row, "created")


def active_files(hub: Session | None) -> dict[str, tuple["Summary", list[str]]]:
    """Return the active entries by their ids, each with the files that its context names."""
    rows_of_file: dict[str, tuple[Summary, list[str]]] = {}
    root = f"{os.path.dirname(os.path.dirname(hub.state))}/" if hub else ""
    for row in rows(hub):
        if row["category"] == ACTIVE:
            rows_of_file[text_of(row, "id")] = row, [path.removeprefix(root) for path in texts_of(row, "files")]
    return rows_of_file


def follow_hub(sessions: "list[Session]", path: str) -> "list[Session]":
    """Return sessions, each with the status that a person, or an update, set in its entry of the hub at `path`."""
    words = {text_of(row, "id"): row for row in rows(hub_of(sessions, path))}

    def followed(session: Session) -> Session:
        row = words.get(session.id, {}) if session.journaled else {}
        word, wrote = text_of(row, "status"), status.wrote(session, "", "Status")
        return session.replace(in_hub=text_of(row, "category")) if word and wrote and word != wrote else session

    return [*map(followed, sessions)] if words else sessions


def note_files(store: str, hub: Session | None, over: "Ids") -> set[str]:
    """Note each file that an active entry of the hub names, so that a hook reads no hub before an edit.

    Return the ids of these entries. Entries of sessions that are `over`, known here and not live, do not count.
    """
    active = {ident: names for ident, (_, names) in active_files(hub).items() if ident not in over}
    for name, ident in [(name, ident) for ident, names in active.items() for name in names][:_MOST]:
        file_touches.declare(store, name, ident)
    return {ident for ident, names in active.items() if names}
