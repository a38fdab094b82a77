"""Sessions that are played, and the facts that are counted afterwards. sessions/README.md says how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_STEP = re.compile(r"^@@ (\w+) ?(.*)\n((?:(?!@@ ).*\n?)*)", re.MULTILINE)
KINDS = ("objective", "decision", "dead end", "preference", "question", "stopped", "next", "commit")


@dataclass(frozen=True)
class Step:
    """One thing that happens in a turn: its kind, what is on its line, its text, and what a transcript has of it."""

    kind: str
    head: str
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Turn:
    """A prompt and what Claude does until it answers; `summary` is that of a compaction between prompt and answer."""

    prompt: str
    summary: str = ""
    steps: list[Step] = field(default_factory=list)

    @property
    def answer(self) -> str:
        """What Claude says last."""
        return next((step.text for step in reversed(self.steps) if step.kind == "answer"), "")


@dataclass
class Session:
    """One session of a client, on a branch."""

    branch: str = "main"
    turns: list[Turn] = field(default_factory=list)


@dataclass(frozen=True)
class Fact:
    """What a colleague needs, and the patterns of which one must occur in a text that has it."""

    kind: str
    sentence: str
    terms: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Whether the text has one of the key terms."""
        return any(re.search(term, text, re.IGNORECASE) for term in self.terms)


@dataclass(frozen=True)
class Story:
    """One or more sessions that follow each other in one project, and their facts."""

    name: str
    sessions: list[Session]
    facts: list[Fact]


def read(path: Path) -> Story:
    """Return the story in a file, with the facts beside it."""
    return Story(path.stem, sessions(steps(path.read_text())), facts(path.with_suffix(".facts").read_text()))


def steps(text: str) -> Iterator[Step]:
    """Yield the steps of a story's text."""
    for kind, head, body in _STEP.findall(text):
        yield Step(kind, head.strip(), body.strip("\n"))


def sessions(given: Iterable[Step]) -> list[Session]:
    """Return steps as sessions and turns."""
    told: list[Session] = []
    summary = ""
    for step in given:
        if step.kind == "session":
            told.append(Session(step.head or "main"))
        elif step.kind == "compact":
            summary = step.text
        elif step.kind == "user":
            told[-1].turns.append(Turn(step.text, summary))
            summary = ""
        else:
            told[-1].turns[-1].steps.append(step)
    return told


def facts(text: str) -> list[Fact]:
    """Return the facts of a facts file; ValueError where a line is not one."""
    return [_fact(line) for line in text.splitlines() if line.strip()]


def _fact(line: str) -> Fact:
    kind, sentence, terms = (part.strip() for part in line.split(" | ", 2))
    if kind not in KINDS:
        raise ValueError(f"{line!r} has no kind of {', '.join(KINDS)}")
    return Fact(kind, sentence, tuple(term.strip() for term in terms.split(" ;; ")))


def choices(text: str) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the questions of an `ask` step as the client's tool takes them, and the answers by question."""
    questions: list[dict[str, Any]] = []
    answers: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("- "):
            label, _, about = line[2:].partition(" | ")
            questions[-1]["options"].append({"label": label, "description": about})
        elif line.startswith("> "):
            answers[questions[-1]["question"]] = line[2:]
        else:
            header, _, question = line.partition(": ")
            multiple = "several" in question
            questions.append({"header": header, "question": question, "multiSelect": multiple, "options": []})
    return questions, answers


def plan(text: str) -> tuple[str, str]:
    """Return the text of a `plan` step, and the reason for which it was refused."""
    body, _, reason = text.partition("\n> ")
    return body.strip(), reason.strip()
