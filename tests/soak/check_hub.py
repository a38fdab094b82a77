"""The hub of a soak: one entry for each session, subagent and update, linked, with the status that they came to."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .acts import Act, Log
    from .seen import Seen


class Entry(NamedTuple):
    """An entry as a person reads it."""

    text: str
    past: bool

    def field(self, name: str) -> str:
        """Return what a field says, on its line or in the list below."""
        found = re.search(rf"(?m)^\*\*{name}:\*\*(.*(?:\n- .*)*)", self.text)
        return found[1].strip() if found else ""

    def known(self, key: str) -> str:
        """Return what the context says under a key, "" also where it says none."""
        found = re.search(rf"(?m)^- {key}: (.*)$", self.text)
        return found[1].removesuffix("none") if found else ""


def entries(data: bytes) -> dict[str, list[Entry]]:
    """Return the entries by their ids."""
    found: dict[str, list[Entry]] = {}
    past = False
    for block in re.split(r"(?m)^(?=#{2,3} )", data.decode("utf-8", "replace")):
        past = "Session History" in block if block.startswith("## ") else past
        ident = re.search(r"(?m)^\*\*Session ID:\*\* `([^`]+)`", block)
        if ident:
            found.setdefault(ident[1], []).append(Entry(block, past))
    return found


def look(log: Log, seen: Seen) -> Iterator[str]:
    """Yield what is not as it was acknowledged."""
    there = entries(seen.hub.data)
    for ident, found in entries(seen.archive.data).items():
        there.setdefault(ident, []).extend(entry._replace(past=True) for entry in found)
    yield from (f"the hub has {len(found)} entries of {ident}" for ident, found in there.items() if len(found) > 1)
    if seen.hub.data != seen.hub.staged or seen.archive.data != seen.archive.staged:
        yield "the hub, or the archive of its history, is not staged as it is"
    known = {ident: found[0] for ident, found in there.items()}
    swept = any(act.kind == "look" and act.stated.get("words") == "sweep" for act in log.acts)
    for session, acts in log.sessions().items():
        yield from _session(session, acts, known)
        yield from _children(session, acts, known, swept=swept)
    yield from _updates(log, known, swept=swept)


def _session(session: str, acts: list[Act], known: dict[str, Entry]) -> Iterator[str]:
    """Yield what is wrong with a session's entry."""
    worked = [act for act in acts if act.stated.get("kind") in {"edit", "task", "child"}]
    entry = known.get(session)
    if entry is None:
        if any(act.done for act in worked):
            yield f"the hub has no entry of {session}"
        return
    if not any(act.done or act.cut for act in worked):
        yield f"the hub has an entry of {session}, which did nothing"
    if (tree := entry.known("Worktree")) not in (right := _trees(acts)):
        yield f"the hub has {session} in the worktree {tree!r}, not one of {sorted(right)}"
    if not _presence(acts, entry.field("Status")):
        yield f"the hub says {entry.field('Status')!r} of {session}, whose end was: {end(acts)}"


def _trees(acts: list[Act]) -> set[str]:
    """Return the names of the worktrees that a session may be in, "" for the project's own or one that is removed."""
    right = set()
    for act in reversed(acts):
        if act.stated.get("kind") in {"start", "answer", "worktree"}:
            right |= {os.path.basename(str(act.stated.get("path", act.root))), ""}
            if act.done:
                break
    return right


def end(acts: list[Act]) -> str:
    """Return how a session ended: ended, crashed, live, or unsure where nobody acknowledged it."""
    turns = [act for act in acts if act.kind == "client" or act.stated.get("kind") in {"start", "end"}]
    last = next((act for act in reversed(turns) if act.kind != "client" or act.stated["gone"] == "crash"), None)
    if last is None or last.cut:
        return "unsure"
    return {"end": "ended", "start": "live"}.get(str(last.stated.get("kind")), "crashed")


def _presence(acts: list[Act], stated: str) -> bool:
    """Whether a status in a tracked hub says nothing of a process, and a live session's is not completed."""
    return " (" not in stated and (stated != "completed" or end(acts) != "live")


def _children(session: str, acts: list[Act], known: dict[str, Entry], *, swept: bool) -> Iterator[str]:
    """Yield what is wrong with the entries of a session's subagents."""
    reported = [act for act in acts if act.stated.get("kind") == "child"]
    for child in dict.fromkeys(act.stated["agent"] for act in reported):
        own = [act for act in reported if act.stated["agent"] == child]
        entry, above = known.get(child), known.get(session)
        if entry is None or above is None:
            if any(act.done for act in own):
                yield f"the hub has no entry of {child}"
            continue
        if f"({session})" not in entry.field("Parent") or f"({child})" not in above.field("Children"):
            yield f"the hub does not link {child} and {session}"
        right = _standings(own, above, swept=swept)
        if entry.field("Status") not in right:
            yield f"the hub says {entry.field('Status')!r} of {child}, not one of {sorted(right)}"


def _standings(own: list[Act], above: Entry, *, swept: bool) -> set[str]:
    """Return what the status of a subagent may be; the end of its session changes nothing."""
    over = {"completed"} if above.field("Status").startswith("completed") else set()
    over |= {"completed", "paused"} if swept else set()  # with no hours to wait, a sweep pauses whom it just missed
    stop = next((act for act in own if act.stated["status"] == "completed"), None)
    if stop is not None and stop.done:
        return {"completed"}
    return over | {"active"} | ({"completed"} if stop and stop.cut else set())


def _updates(log: Log, known: dict[str, Entry], *, swept: bool) -> Iterator[str]:
    """Yield what was written to the hub and is not in it, or is in it twice; a sweep pauses what has stopped."""
    for ident in dict.fromkeys(act.stated["id"] for act in log.of("update")):
        acts = [act for act in log.of("update") if act.stated["id"] == ident]
        entry = known.get(ident)
        if entry is None:
            if any(act.done for act in acts):
                yield f"the hub has no entry of {ident}"
            continue
        for act in acts:
            count = entry.text.count(act.stated["text"])
            if not int(act.done) <= min(count, 1) <= int(act.done or act.cut) or count > 1 + act.stated[
                "text"
            ].startswith("Purpose"):
                yield f"{ident}: {act.stated['text']!r} ended with {act.code}, and appears {count} times"
        last = max((number for number, act in enumerate(acts) if act.done), default=0)
        right = {act.stated["status"] for act in acts[last:] if act.done or act.cut}
        right |= {"paused"} if swept and "active" in right else set()
        if right and entry.field("Status") not in right:
            yield f"the hub says {entry.field('Status')!r} of {ident}, not one of {sorted(right)}"
        if entry.past != (entry.field("Status") == "completed"):
            yield f"the entry of {ident} is {'' if entry.past else 'not '}in the history: {entry.field('Status')!r}"
