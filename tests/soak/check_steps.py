"""Tasks, plans and hand-overs of a soak: each appears once, as it was decided last, until it was taken up."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .acts import Act, Log
    from .seen import Seen


class _Kind(NamedTuple):
    """How one kind of them begins, and what may become of it."""

    begins: str
    first: str
    turns: dict[str, str]


_KINDS = {
    "task": _Kind("add", " ", {"complete": "x", "skip": "-"}),
    "plan": _Kind("propose", "proposed", {"approve": "approved", "reject": "rejected"}),
}
_TASK = re.compile(rb"^- \[(?P<status>.)\] (?P<id>TASK-\d+) - (?P<title>.*)$", re.MULTILINE)


class _Line(NamedTuple):
    """One of them as it is in a state file."""

    path: str
    ident: str
    title: str
    status: str


def look(log: Log, seen: Seen) -> Iterator[str]:
    """Yield what is not as it was acknowledged."""
    for name, kind in _KINDS.items():
        there = _plans(seen) if name == "plan" else _tasks({path: text.data for path, text in seen.states.items()})
        # The format of these files has no place for plans: they are in the ledger, which git does not have.
        staged = there if name == "plan" else _tasks({path: text.staged for path, text in seen.states.items()})
        count = Counter(line.ident for line in there)
        yield from (f"the id {ident} appears {times} times" for ident, times in count.items() if times > 1)
        for act in log.of(name):
            if act.stated["way"] == kind.begins:
                yield from _begun(act, [line for line in there if line.title == act.stated["text"]], kind, log)
                if act.done and not any(line.title == act.stated["text"] for line in staged):
                    yield f"{act.actor}: {act.stated} is not staged"
    yield from _handed(log, seen)


def _tasks(files: dict[str, bytes]) -> list[_Line]:
    """Return the tasks in state files, by their paths."""
    return [
        _Line(path, *(found[group].decode("utf-8", "replace") for group in ("id", "title", "status")))
        for path, data in files.items()
        for found in _TASK.finditer(data)
    ]


def _plans(seen: Seen) -> list[_Line]:
    return [_Line(path, *cells[:3]) for path, plans in seen.plans.items() for cells in plans]


def _begun(act: Act, found: list[_Line], kind: _Kind, log: Log) -> Iterator[str]:
    """Yield what is wrong with a task or a plan that somebody began."""
    idents = [line.ident for line in found]
    if not int(act.done) <= len(found) <= int(act.done or act.cut) or (act.done and idents != [act.stated["id"]]):
        yield f"{act.actor}: {act.stated} ended with {act.code}, and there is {idents}"
    for line in found:
        right = _statuses(act, line.ident, kind, log)
        if line.status not in right:
            yield f"{line.path}: {line.ident} says {line.status!r}, not one of {sorted(right)}"


def _statuses(act: Act, ident: str, kind: _Kind, log: Log) -> set[str]:
    """Return what a task or plan may say: what it was turned to, or what a turn that was cut off may have done."""
    turns = [other for other in log.of(act.kind) if other.actor == act.actor and other.stated["way"] in kind.turns]
    reported = {kind.turns[other.stated["way"]] for other in turns if other.done and other.stated.get("id") == ident}
    return reported or {kind.first} | {kind.turns[other.stated["way"]] for other in turns if other.cut}


def _handed(log: Log, seen: Seen) -> Iterator[str]:
    """Yield the notes of hand-overs that no session read and that are nowhere, or that are there twice."""
    taken = log.of("continue")
    for act in log.of("pause"):
        reported = any(other.done and act.stated["text"] in other.stated.get("notes", []) for other in taken)
        unsure = not act.done or any(other.cut and other.stated["id"] == act.stated["id"] for other in taken)
        least, most = int(not reported and not unsure), int(not reported)
        count = b"\n".join(seen.handed.values()).count(act.stated["text"].encode())
        if not least <= count <= most:
            yield f"{act.actor}: {act.stated} ended with {act.code}, and is in hand-overs {count} times"
