"""What the people at the command line do in a soak: drawn from one seed."""

from __future__ import annotations

import random

from .plan import Call, Step, cut, loop
from .steps import PAUSED, PIECE, pause, run, step, take_up


def typist(seed: int, name: str, count: int) -> list[Step]:
    """Return what a person types: work, its steps, loops, updates of the hub, and what keeps the rest going."""
    chance = random.Random(f"{seed} {name}")  # noqa: S311 - moments, not secrets
    made = _Typist(chance, f"{name}-{seed}")
    return [[chance.choice(made.ways)(number)] for number in range(count)]


class _Typist:
    """A person at the command line, while his part is made up."""

    def __init__(self, chance: random.Random, name: str) -> None:
        self.chance, self.name = chance, name
        self.agent = ""
        self.coming: list[str] = []
        self.ways = [
            *(self._begun, self._loop, self._turned, self._kept, self._handed),
            *(self._step, self._step, self._update, self._update),
        ]

    def _begun(self, number: int) -> Call:
        title = f"Piece {number} of {self.name}."
        return Call("begun", {"title": title}, words=("start", title), cut=cut(self.chance))

    def _step(self, number: int) -> Call:
        self.coming = self.coming or run(self.chance)
        return step(self.coming.pop(0), f"{number} of {self.name}.", self.chance, "--convo-id", PIECE)

    def _handed(self, number: int) -> Call:
        """Return the pausing of the last piece of work, or the taking up of it, or of a session's that paused."""
        way = self.chance.random()
        if way < 0.4:
            return pause(f"{number} of {self.name}.", PIECE, self.chance)
        return take_up(PIECE if way < 0.7 else PAUSED, self.chance)

    def _loop(self, number: int) -> Call:
        return loop(f"Question {number} of {self.name}.", self.chance)

    def _turned(self, number: int) -> Call:
        """Return a step with the last loop that this person captured, which has its id by then."""
        if self.chance.random() < 0.5:
            stated = {"text": f"Approach {number} of {self.name}."}
            return Call(
                "explored", stated, words=("loop", "explore", "ID", "--approach", stated["text"]), cut=cut(self.chance)
            )
        stated = {"text": f"Outcome {number} of {self.name}."}
        return Call("closed", stated, words=("loop", "close", "ID", "--outcome", stated["text"]), cut=cut(self.chance))

    def _update(self, number: int) -> Call:
        """Return an update of the hub: an agent begins, goes on, and is done."""
        words: tuple[str, ...]
        if not self.agent:
            self.agent = f"{self.name}-agent-{number}"
            stated = {"id": self.agent, "status": "active", "text": f"Purpose {number} of {self.name}."}
            words = ("action=started", "agent=git", f"purpose={stated['text']}")
        elif self.chance.random() < 0.6:
            stated = {"id": self.agent, "status": "active", "text": f"reports/{number}-of-{self.name}.md"}
            words = ("action=in_progress", f"context=files_modified:[{stated['text']}]")
        else:
            stated = {"id": self.agent, "status": "completed", "text": f"reports/done-{number}-of-{self.name}.md"}
            words, self.agent = ("action=completed", f"context=done_report:{stated['text']}"), ""
        return Call("update", stated, words=("update", *words, f"session_id={stated['id']}"), cut=cut(self.chance))

    def _kept(self, _number: int) -> Call:
        looks = [("list",), ("brief",), ("conflicts",)]
        turns = [("settle",), ("git",), ("sweep", "done", "all"), ("validate", "--fix"), ("archive", "--keep", "0")]
        words = self.chance.choices([*looks, *turns], [1, 1, 1, 4, 3, 1, 3, 1])[0]
        return Call("look", {"words": words[0]}, words=words, cut=0.0 if words == ("git",) else cut(self.chance))
