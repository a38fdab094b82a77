"""Counts which facts are in which carrier, and says it as a table or as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any

from .script import KINDS, Story

if TYPE_CHECKING:
    from .project import Carriers

NAMES = (
    "state file",
    "brief",
    "hand-over",
    "after compaction",
    "summary alone",
    "prompts alone",
    "prompts and answers",
)


@dataclass
class Cell:
    """How many facts a carrier should have and has, the lengths of its texts, and the facts that it lacks."""

    of: int = 0
    present: int = 0
    lengths: list[int] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add(self, has: bool, sentence: str) -> None:  # noqa: FBT001 - what a comparison gave
        """Count one fact."""
        self.of += 1
        self.present += has
        if not has:
            self.missing.append(sentence)

    @property
    def share(self) -> str:
        """How many of how many, and in percent."""
        return f"{self.present}/{self.of} ({self.present / self.of:.0%})" if self.of else ""


Table = dict[str, dict[str, Cell]]  # carrier, then kind of fact; "all" has all kinds and the lengths


def compared(story: Story) -> dict[str, list[str]]:
    """Return the two texts that cost nothing, to compare with: prompts cut as in a list, and prompts with answers."""
    turns = [turn for session in story.sessions for turn in session.turns]
    prompts = "\n".join(" ".join(turn.prompt.split())[:160] for turn in turns)
    return {"prompts alone": [prompts], "prompts and answers": ["\n".join(f"{t.prompt}\n{t.answer}" for t in turns)]}


def add(table: Table, story: Story, carriers: Carriers) -> None:
    """Count a story's facts into the table. A compaction that did not happen is not a carrier without facts."""
    for name, texts in (carriers.texts() | compared(story)).items():
        if not texts and name in ("after compaction", "summary alone"):
            continue
        cells = table.setdefault(name, {kind: Cell() for kind in (*KINDS, "all")})
        whole = "\n".join(texts)
        cells["all"].lengths += [len(text) for text in texts]
        for fact in story.facts:
            for kind in (fact.kind, "all"):
                cells[kind].add(fact.is_in(whole), f"{story.name}: {fact.sentence}")


def text(table: Table) -> str:
    """Return the table in Markdown: a row for each carrier."""
    heads = ["carrier", "facts present", *KINDS, "characters (mean, most)"]
    rows = [heads, ["---"] * len(heads)]
    rows += [_row(name, table[name]) for name in NAMES if name in table]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(name: str, cells: dict[str, Cell]) -> list[str]:
    whole = cells["all"]
    lengths = f"{mean(whole.lengths):.0f}, {max(whole.lengths)}" if whole.lengths else "no text"
    return [name, whole.share, *(f"{cells[kind].present}/{cells[kind].of}" for kind in KINDS), lengths]


def data(table: Table) -> dict[str, Any]:
    """Return the table as what JSON can hold."""
    return {name: {kind: vars(cell) for kind, cell in cells.items()} for name, cells in table.items()}
