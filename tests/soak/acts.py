"""What was tried in a soak: by whom, what it was to leave behind, and how the process ended that was asked for it."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

KILLED = -9
# What tells a fact from the others of its session.
_TELLS = {
    "start": ("source", "pid"),
    "prompt": ("text",),
    "answer": ("text",),
    "summary": ("text",),
    "attempt": ("path", "root"),
    "edit": ("path", "root"),
    "worktree": ("path",),
    "task": ("id", "status"),
    "child": ("status",),
    "compact": ("trigger",),
    "end": ("reason",),
}

Said = dict[str, Any]


class Act(NamedTuple):
    """One process that was asked for something, or a person's save.

    Acts of one actor with the same `step` ran at once; otherwise one was over before the next began.
    """

    actor: str  # a session's id, or a person's name
    step: int
    kind: str  # fact, sync, begun, loop, explored, closed, task, plan, pause, continue, update, look, client
    root: str  # the working tree it was done in
    stated: Said
    code: int = 0
    err: str = ""

    @property
    def done(self) -> bool:
        """Whether it was acknowledged."""
        return self.code == 0

    @property
    def cut(self) -> bool:
        """Whether it was killed, so that it may be there or not."""
        return self.code == KILLED


class Log:
    """All acts, in the order in which each actor did them."""

    def __init__(self, acts: Iterable[Act] = ()) -> None:
        self.acts = list(acts)
        self._lock = threading.Lock()

    def add(self, act: Act) -> None:
        """Note an act."""
        with self._lock:
            self.acts.append(act)

    def of(self, *kinds: str) -> list[Act]:
        """Return the acts of these kinds."""
        return [act for act in self.acts if act.kind in kinds]

    def sessions(self) -> dict[str, list[Act]]:
        """Return what the hooks of each session were fired for, and when its client came and went."""
        found: dict[str, list[Act]] = defaultdict(list)
        fired = {act.actor for act in self.of("fact")}
        for act in self.of("fact", "client"):
            if act.actor in fired:
                found[act.actor].append(act)
        return found

    def dump(self) -> str:
        """Return it as lines of JSON, for whoever looks into a loss."""
        return "".join(json.dumps(act._asdict()) + "\n" for act in self.acts)


def token(fact: Said) -> tuple[str, ...]:
    """Return what tells a fact from the others of its session; () for what holdfast notes for itself."""
    keys = _TELLS.get(str(fact.get("kind")))
    return (str(fact["kind"]), str(fact.get("agent", "")), *(str(fact.get(key, "")) for key in keys)) if keys else ()
