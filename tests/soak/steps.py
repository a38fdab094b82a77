"""Steps of the work, and its putting down and taking up, as sessions and people type them: tasks, plans, hand-overs.

Which ids there are only the runs can tell: a word in capitals stands for what the actor knows by then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .plan import Call, cut

if TYPE_CHECKING:
    import random

TASK, PIECE, PAUSED, WHERE = "TASK", "PIECE", "PAUSED", "WHERE"  # the last of each; WHERE is that of what is paused
_CALLED = {"task": "Errand", "plan": "Design"}  # so that nothing else is called so
_RUNS = (
    ("task add", "task start", "task complete"),
    ("task add", "task add", "task start", "task skip"),
    ("plan propose", "plan approve", "task complete"),
    ("plan propose", "plan reject"),
)


def run(chance: random.Random) -> list[str]:
    """Return steps that follow on each other."""
    return [*chance.choice(_RUNS)]


def step(kind: str, words: str, chance: random.Random, *which: str) -> Call:
    """Return a step in a state file; `words` stand for nothing else in the soak, and `which` names the file."""
    group, way = kind.split()
    stated = {"text": f"{_CALLED[group]} {words}", "way": way}
    given = {
        "add": stated["text"],
        "start": TASK,
        "skip": stated["text"],
        "propose": stated["text"],
        "reject": stated["text"],
    }
    more = (given[way],) if way in given else ()
    return Call(group, stated, words=(group, way, *more, *which), cut=cut(chance))


def done_to(out: str) -> str:
    """Return the id of what a step was taken with, "" where that has none; what follows it is named behind."""
    found = re.match(r"(?:[A-Z][a-z]+ )?((?:TASK|PLAN)-[0-9]+)", out)
    return found[1] if found else ""


def pause(words: str, ident: str, chance: random.Random) -> Call:
    """Return the pausing of a session or a piece of work, with a note for whoever takes it up."""
    stated = {"text": f"Note {words}", "id": ident}
    words_typed = ("pause", ident, "--note", stated["text"], "--next", f"Next {words}")
    return Call("pause", stated, words=words_typed, cut=cut(chance))


def take_up(ident: str, chance: random.Random) -> Call:
    """Return the taking up of what was paused, in the working tree that it was paused in when it is another's."""
    where = ("-C", WHERE) if ident == PAUSED else ()
    return Call("continue", {"id": ident}, words=(*where, "continue", ident), cut=cut(chance))
