"""State files and loops of a soak: what was acknowledged is there once, and a person's text is as it was."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from .actors import BY_HAND
from .seen import HUB, LOOPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .acts import Act, Log
    from .seen import Seen, Text

_LOOP = re.compile(rb'<loop id="(LOOP-[0-9]+)" status="[a-z]+">\n  <title>(.*?)</title>.*?</loop>', re.DOTALL)
# What is holdfast's own in a person's state file: two sections below its marks, and the time of the last change.
_OWN = re.compile(rb"\n*## [A-Z][A-Za-z ]+\n+<!-- holdfast:[a-z]+ -->\n+(?:- [^\n]*\n?)*\n*")
_STAMP = re.compile(rb'(last_updated: )"[^"\n]*"')
_STATUS = re.compile(rb"(?m)^(  status:).*$")


class Loop(NamedTuple):
    """A loop as a person reads it, and the working tree that has it."""

    root: str
    ident: str
    title: str
    text: str


def look(log: Log, seen: Seen) -> Iterator[str]:
    """Yield what is not as it was acknowledged."""
    for session, acts in log.sessions().items():
        yield from _measured(session, [*acts, *(act for act in log.of("sync") if act.actor == session)], seen)
    yield from _begun(log, seen)
    yield from _captured(log, seen)
    for act in log.of("by hand"):
        yield from _kept(f"{act.root}/{act.stated['path']}", act.actor, seen)
    yield from _noted(seen)


def _noted(seen: Seen) -> Iterator[str]:
    """Yield the files in which a person's lines are not what he saved, each once and in order."""
    texts = {**seen.states, **{f"{root}/{LOOPS}": text for root, text in seen.loops.items()}}
    for path, notes in seen.notes.items():
        text = texts.get(path, seen.hub if path.endswith(HUB) else None)
        lines = text.data.decode("utf-8", "replace").split("\n") if text else []
        if [line for line in lines if line.startswith("- note ")] != notes:
            lost = [note for note in notes if lines.count(note) != 1]
            yield f"{path}: a person's lines are not as they were saved: {lost or 'their order'}"


def _measured(session: str, acts: list[Act], seen: Seen) -> Iterator[str]:
    """Yield files, tasks and words of a session that its state file does not have once."""
    least, most = Counter[str](), Counter[str]()
    statuses: dict[str, list[Act]] = defaultdict(list)
    for act in acts:
        stated = act.stated
        if stated.get("kind") == "task" and (act.done or act.cut):
            statuses[stated["subject"]].append(act)
        elif act.kind == "sync" or (stated.get("kind") == "edit" and ".agents/" not in stated["path"]):
            line = stated["text"] if act.kind == "sync" else f"- `{stated['path']}`"
            least[line] = max(least[line], int(act.done))
            most[line] = max(most[line], int(act.done or act.cut))
    for subject, tried in statuses.items():
        least[f"] {subject}"] = max(int(act.done) for act in tried)
        most[f"] {subject}"] = 1
    own = [line for line in most if session in line]  # the others are everybody's
    found = {path: text for path, text in seen.states.items() if any(line.encode() in text.data for line in own)}
    if len(found) > 1:
        yield f"{session}: its work is in {len(found)} state files: {sorted(found)}"
    elif any(least.values()) and not found:
        yield f"{session}: no state file has {sorted(+least)}"
    for path, text in found.items():
        yield from _stand(path, text, least, most)
        yield from _ticked(path, text, statuses)


def _stand(path: str, text: Text, least: Counter[str], most: Counter[str]) -> Iterator[str]:
    """Yield the lines that are not in a file as often as they should, or are not staged."""
    for line in sorted(most):
        for where, data in (("", text.data), (" as it is staged", text.staged)):
            count = data.count(line.encode())
            if not least[line] <= count <= most[line]:
                yield f"{path}{where}: {line!r} appears {count} times, of {least[line]} to {most[line]}"


def _ticked(path: str, text: Text, tasks: dict[str, list[Act]]) -> Iterator[str]:
    """Yield the tasks whose box does not say what was reported last."""
    for subject, acts in tasks.items():
        done = max((number for number, act in enumerate(acts) if act.done), default=0)
        right = {"x" if act.stated["status"] == "completed" else " " for act in acts[done:]}
        found = re.search(rb"- \[(.)\] " + re.escape(subject.encode()), text.data)
        if found and found[1].decode() not in right:
            yield f"{path}: {found[0].decode()!r} should be one of {sorted(right)}"


def _begun(log: Log, seen: Seen) -> Iterator[str]:
    """Yield pieces of work that somebody began and that have no state file, or several."""
    for act in log.of("begun"):
        title = f'title: "{act.stated["title"]}"\n'.encode()
        found = [path for path, text in seen.states.items() if title in text.data]
        if act.done and found != [f"{act.root}/{act.stated['path']}"]:
            yield f"{act.actor}: {act.stated} is in {found}"
        elif len(found) > int(act.done or act.cut):
            yield f"{act.actor}: {act.stated} ended with {act.code}, and is in {found}"
        elif act.done and title not in seen.states[found[0]].staged:
            yield f"{found[0]} is not staged"


def _captured(log: Log, seen: Seen) -> Iterator[str]:
    """Yield loops that are not there once, under the id that was reported, and with the outcome that was reported."""
    loops = [
        Loop(root, *(group.decode() for group in (found[1], found[2], found[0])))
        for root, text in seen.loops.items()
        for found in _LOOP.finditer(text.data)
    ]
    count = Counter(loop.ident for loop in loops)
    yield from (f"the id {ident} appears {times} times" for ident, times in count.items() if times > 1)
    for root, text in seen.loops.items():
        if text.data != text.staged:
            yield f"the loops of {root} are not staged as they are"
    for act in log.of("loop"):
        found = [one for one in loops if one.root == act.root and one.title == act.stated["title"]]
        right = all(one.ident == act.stated.get("id", one.ident) for one in found)
        if not (right and int(act.done) <= len(found) <= int(act.done or act.cut)):
            yield f"{act.actor}: {act.stated} ended with {act.code}, and there is {[one.ident for one in found]}"
    for act in log.of("explored", "closed"):
        times = sum(one.text.count(act.stated["text"]) for one in loops if one.ident == act.stated["id"])
        if not int(act.done and not _closed_over(act, log)) <= times <= int(act.done or act.cut):
            yield f"{act.actor}: {act.stated} ended with {act.code}, and appears {times} times"


def _closed_over(act: Act, log: Log) -> bool:
    """Whether somebody gave the loop another approach later, which takes the place of the one before."""
    later = log.acts[log.acts.index(act) + 1 :]
    return act.kind == "explored" and any(
        other.kind == "explored" and other.stated["id"] == act.stated["id"] and (other.done or other.cut)
        for other in later
    )


def _kept(path: str, ident: str, seen: Seen) -> Iterator[str]:
    """Yield a person's state file that differs in more than what is holdfast's own there."""
    there = seen.states[path].data if path in seen.states else b""
    before = BY_HAND.format(ident=ident).encode()
    if _bare(there) != _bare(before):
        yield f"{path} differs from what its owner wrote: {_bare(there)!r}"


def _bare(data: bytes) -> bytes:
    """Return a file without what is holdfast's own in it, and without its status, which a sweep or a pause turns."""
    return _STATUS.sub(rb"\1", _STAMP.sub(rb"\1", _OWN.sub(b"", data))).rstrip(b"\n")
