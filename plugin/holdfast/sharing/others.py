"""The sessions of other machines, as the last fetch left them: kept in the store, so that no reader starts git.

There are two lists: one of all sessions, for commands, and a short one of those that are open, for the start of a
session. `known_machines` makes both. This module is cheap.
"""

import os

from holdfast.core import fast_json
from holdfast.project import paths
from holdfast.sharing import rows, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable

    from holdfast.project.settings import Settings
    from holdfast.sessions.session import Session
    from holdfast.sharing.rows import Row

_WAITS = 86_400.0  # seconds: a state file that was resumed is given to a session that begins within that time
_LEASE = 300.0  # seconds between two contacts of a machine at work, beside `live_minutes`


def everything(store: str) -> "list[Row]":
    """Return all sessions of other machines, the last active first."""
    return _list(store, "all")


def open_ones(store: str) -> "list[Row]":
    """Return the sessions of other machines that are open, the last active first; at most 40."""
    return _list(store, "open") if paths.is_shared(store) else []


def changed(store: str) -> float:
    """Return when the lists were last made, in seconds since 1970, 0.0 without any."""
    try:
        return os.stat(f"{status.folder(store)}/open").st_mtime
    except OSError:
        return 0.0


def _list(store: str, name: str) -> "list[Row]":
    # known_machines.compile_lists writes it, in a private folder
    return fast_json.list_of(fast_json.read_object(f"{status.folder(store)}/{name}"), "rows")


def for_reader(found: "Iterable[Row]") -> "list[Row]":
    """Return the rows as the output may have them: if it reaches Claude, those of untrusted authors have no words."""
    from holdfast.trust import clone  # a session's start shows no untrusted row

    guarded = clone.output_reaches_claude()
    return [rows.nameless(row) if guarded and not row["trusted"] else row for row in found]


def shown(store: str, found: "Iterable[Row]", everyone: "Collection[Session]", beyond: "Container[str]") -> "list[Row]":
    """Return the rows without the work that goes on in a session of this clone.

    `everyone` are the sessions here that were read, `beyond` has the ids of the others.
    """
    left, ours = gone(store, everyone), status.load(store)
    known = {one.state for one in everyone if one.state and one not in left}
    here = {one.id for one in everyone if one.journaled and one not in left}
    here |= {ident for ident, path in (ours.states if ours else {}).items() if path in known}
    return [row for row in found if not {row["id"], rows.work(row)} & here and row["id"] not in beyond]


def gone(store: str, everyone: "Iterable[Session]") -> "list[Session]":
    """Return the sessions, state files and hand-overs here whose work goes on elsewhere, and has a row of there."""
    taken = taken_from_here(store) if paths.is_shared(store) else {}
    if not taken:
        return []
    ours = status.load(store)
    states = {path: ident for ident, path in (ours.states if ours else {}).items()}
    there = {rows.work(row) for row in everything(store) if row["trusted"]} & taken.keys()
    from holdfast.sessions import paused_work  # few clones have such work

    sessions = [*everyone]
    left = [one for one in sessions if not one.live and there & {one.id, states.get(one.state, "")}]
    files = {one.state_name for one in left if one.state}
    left += [one for one in sessions if paused_work.is_handed_over(one) and files & paused_work.states([one])]
    return left


def resumed_state(store: str, now: float) -> str:
    """Return the state file that was just resumed here from elsewhere, if no session here has it yet, else ""."""
    from holdfast.journal import log

    sharing, taken = status.load(store), taken_from_here(store)
    waiting = sorted(((at, ident) for ident, at in sharing.taken.items()), reverse=True) if sharing else []
    for at, ident in waiting:
        path = sharing.states.get(ident, "") if sharing else ""
        if abs(now - at) < _WAITS and path and ident not in taken and os.path.isfile(path):
            return "" if log.sessions_of_file(store, path) else path
    return ""


def presence(row: "Row", settings: "Settings", now: float) -> str:
    """Return whether a session of another machine is live, as far as is known here, in the words of `rows.presence`."""
    return rows.presence(row, now, settings.live_minutes * 60 + _LEASE)


def taken_from_here(store: str) -> dict[str, str]:
    """Return the sessions that trusted people continue elsewhere: id -> who and where."""
    return {ident: who for ident, (_, who) in _claims(store).items()}


def next_claim(store: str, ident: str, now: float) -> float:
    """Return the time at which a session is taken now: in whole seconds, and later than each claim that is known.

    The clocks of two machines may differ; a claim that follows another one counts all the same.
    """
    return max(round(now), int(_claims(store).get(ident, (0.0, ""))[0]) + 1)


def _claims(store: str) -> "dict[str, tuple[float, str]]":
    """Return when the sessions were taken that go on elsewhere, and who has them."""
    rows = fast_json.table_of(fast_json.read_object(f"{status.folder(store)}/open"), "taken").items()
    return {ident: (row[0], row[1]) for ident, row in rows if isinstance(row, list)}  # compile_lists wrote it
