"""The journals of a soak: every acknowledged fact is there, in order, once, and nothing else."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from .acts import Act, token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .acts import Log
    from .seen import Seen

_LONGEST = 1 << 15


def look(log: Log, seen: Seen) -> Iterator[str]:
    """Yield what is not as it was acknowledged."""
    known = log.sessions()
    for session in sorted({*known, *seen.journals}):
        acts = [act for act in known.get(session, []) if act.kind == "fact"]
        facts: list[dict[str, Any]] = []
        for number, line in enumerate(seen.journals.get(session, b"").split(b"\n"), 1):
            fact = _read(line)
            if line and fact is None:
                yield f"journal {session}, line {number} is torn or too long: {line[:80]!r}"
            facts += [fact] if fact else []
        for problem in (*_counted(acts, facts), *_ordered(acts, facts)):
            yield f"journal {session}: {problem}"


def _read(line: bytes) -> dict[str, Any] | None:
    try:
        fact = json.loads(line) if len(line) < _LONGEST else None
    except ValueError:
        return None
    return fact if isinstance(fact, dict) and "kind" in fact and "at" in fact else None


def _counted(acts: list[Act], facts: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is there more or less often than it was acknowledged; what was cut off may be there."""
    least = Counter(token(act.stated) for act in acts if act.done)
    most = least + Counter(token(act.stated) for act in acts if act.cut)
    there = Counter(reported for fact in facts if (reported := token(fact)) and not _missed(fact, acts))
    for reported in sorted({*most, *there}):
        if not least[reported] <= there[reported] <= most[reported]:
            yield f"{reported} appears {there[reported]} times, of {least[reported]} to {most[reported]}"


def _missed(fact: dict[str, Any], acts: list[Act]) -> bool:
    """Whether it is the start that a prompt notes for a session whose own start was cut off."""
    return fact.get("source") == "fork" and any(act.cut and act.stated.get("kind") == "start" for act in acts)


def _ordered(acts: list[Act], facts: list[dict[str, Any]]) -> Iterator[str]:
    """Yield facts that are before one whose step was over when theirs began."""
    steps: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for act in acts:
        steps[token(act.stated)].append(act.step)
    last = 0
    for fact in facts:
        step = steps.get(token(fact), [])
        if len(step) != 1:  # holdfast's own, or one of several that look alike
            continue
        if step[0] < last:
            yield f"{token(fact)} of step {step[0]} is after one of step {last}"
        last = max(last, step[0])
