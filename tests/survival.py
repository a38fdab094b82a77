"""A long conversation that is compacted six times, and how much of what was reported in it is still there after each.

Twenty facts are planted in it: files that are written, decisions, open questions, tasks. The model says or does each of
them in the same words whether holdfast is there or not; with it, the model also keeps decisions and questions as the
brief tells it to. The summariser is one function for both: of the planted names that are in its request it keeps
every third, by a hash. After each compaction the first request is looked at: which of the names are in it?
"""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.client.api import HEAVY, Api, Request, Turn, Weigh, text, text_of, tool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.client.claude import Claude
    from tests.client.conversation import Conversation
    from tests.client.wire import Json

TURNS = 300
KEPT = 3  # of so many names a summary keeps one
BY_HAND, AT_A_PROMPT, AMID_A_TURN = "by hand", "at a prompt", "amid a turn"
# The turn after which, or in which, the conversation is compacted, and what makes it so.
COMPACTIONS = {50: BY_HAND, 95: AT_A_PROMPT, 140: BY_HAND, 185: AMID_A_TURN, 230: BY_HAND, 275: AT_A_PROMPT}
FILES = {
    3: "src/berths/ledger.py",
    9: "src/berths/moorings.py",
    17: "src/tides/almanac.py",
    33: "src/tides/soundings.py",
    60: "src/pilots/rota.py",
    150: "docs/quay_survey.md",
}
DECISIONS = {
    5: "Berths are numbered from the sea inwards",
    21: "Draughts are kept in decimetres",
    40: "A vessel without a pilot waits at the buoy",
    75: "Night arrivals are billed at the day rate",
    160: "The ledger is closed at the turn of the tide",
}
QUESTIONS = {
    13: "Who signs for a berth at weekends?",
    29: "Do tugs pay harbour dues?",
    110: "Which gauge is right after a storm?",
    200: "Is the east lock in our charge?",
}
TASKS = {
    7: "Chart the north shoal",
    25: "Weigh the spare anchor",
    45: "Count the fenders of pier nine",
    120: "Answer the harbour master of Tyne",
    215: "Paint the leading marks",
}
PLANTED = {turn: name for planted in (FILES, DECISIONS, QUESTIONS, TASKS) for turn, name in planted.items()}


@dataclass
class Row:
    """What was planted by a compaction, and what of it the first request after it does not have."""

    planted: list[str]
    lost: list[str]

    @property
    def left(self) -> int:
        """How many it has."""
        return len(self.planted) - len(self.lost)


@dataclass
class Run:
    """What came of a conversation: a row for each compaction, and how long it took."""

    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0


def play(client: Claude, api: Api, *, holdfast: bool) -> Run:
    """Have the whole conversation; the client's window is to be small, and with holdfast the project prepared."""
    api.summary = lambda request: _summary(request, len(api.compaction_requests()))
    run = Run()
    began = time.monotonic()
    with client.conversation() as talk:
        for turn in range(1, TURNS + 1):
            api.script(*_turns(client, turn, holdfast=holdfast))
            talk.say(_prompt(turn))
            _compact(talk, turn)
    run.seconds = time.monotonic() - began
    run.rows = [_row(api, number) for number in range(len(api.compaction_requests()))]
    return run


def _compact(talk: Conversation, turn: int) -> None:
    if COMPACTIONS.get(turn) == BY_HAND:
        talk.say("/compact")


def _prompt(turn: int) -> str:
    return f"Part {turn}: go on with the port's books, and say where you stand."


def _turns(client: Claude, turn: int, *, holdfast: bool) -> list[Turn]:
    """Return what the model does in one turn: the planted thing, what it keeps of it, and a few words."""
    calls = _planted(client, turn) + (_kept(turn) if holdfast else [])
    done: list[Turn] = [[call] for call in calls]
    stated: Turn = [text(f"Part {turn} is done; the books agree so far. {_words(turn)}".rstrip())]
    way = COMPACTIONS.get(turn)
    if way == AMID_A_TURN:
        return [*done, [Weigh(HEAVY), tool("Bash", command="seq 9", description="Count")], stated]
    return [*done, [Weigh(HEAVY), *stated] if way == AT_A_PROMPT else stated]


def _planted(client: Claude, turn: int) -> list[Json]:
    """Return the calls that plant something, whoever listens."""
    if turn in FILES:
        return [tool("Write", file_path=str(client.project / FILES[turn]), content="# to be written\n")]
    return [tool("TaskCreate", subject=TASKS[turn], description="As agreed")] if turn in TASKS else []


def _words(turn: int) -> str:
    """Return what the model says of what it plants, whoever listens."""
    if turn in DECISIONS:
        return f"Decided: {DECISIONS[turn]}."
    return f"An open question: {QUESTIONS[turn]}" if turn in QUESTIONS else ""


def _kept(turn: int) -> list[Json]:
    """Return the calls with which the model keeps it, as the brief says."""
    if turn == 1:
        return [_bash("holdfast start 'The books of the port'")]
    if turn in DECISIONS:
        return [_bash(f"holdfast sync --json {shlex.quote(json.dumps({'Decisions': [DECISIONS[turn]]}))}")]
    return [_bash(f"holdfast loop add {shlex.quote(QUESTIONS[turn])}")] if turn in QUESTIONS else []


def _bash(line: str) -> Json:
    return tool("Bash", command=line, description="Keep it")


def _summary(request: Request, number: int) -> str:
    """Return a summary that keeps every third of the planted names that are in the request."""
    whole = text_of(request)
    kept = [name for name in PLANTED.values() if name in whole and _lucky(name, number)]
    return f"<summary>\nWe went on with the books of the port. {'; '.join(kept)}.\n</summary>"


def _lucky(name: str, number: int) -> bool:
    return hashlib.sha256(f"{number} {name}".encode()).digest()[0] % KEPT == 0


def _row(api: Api, number: int) -> Row:
    """Return what the first request after a compaction has."""
    asked = api.compaction_requests()[number]
    at = next(place for place, request in enumerate(api.log) if request is asked)
    first = text_of(next(request for request in api.log[at:] if request.kind == "main"))
    until = [*COMPACTIONS][number]
    planted = [name for turn, name in sorted(PLANTED.items()) if turn <= until]
    return Row(planted, [name for name in planted if name not in first])


def table(runs: Mapping[str, Run]) -> str:
    """Return what several conversations came to, as a table in Markdown."""
    lines = [["compaction", "planted so far", *runs], ["---"] * (len(runs) + 2)]
    for number, way in enumerate(COMPACTIONS.values()):
        rows = [run.rows[number] for run in runs.values()]
        lines.append([f"{number + 1}, {way}", str(len(rows[0].planted)), *(str(row.left) for row in rows)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
