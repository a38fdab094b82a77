"""What a state file says of working memory: the six sections of formats/gsd-lite-state.md, whatever its own dialect."""

import re

from holdfast.dialects.catalog import Dialects
from holdfast.loops.loop import is_over
from holdfast.states.record import Record, Spot
from holdfast.states.statefile import StateFile

DIALECT = "gsd-lite"  # through which the sections are seen in any file
CONTEXT, LOOPS, BUDGET = "Current Context", "Active Loops", "Token Budget"
ACTIONS, STACK, UPDATES = "Available Actions", "Context Stack", "Recent Updates"
SECTIONS = (CONTEXT, LOOPS, BUDGET, ACTIONS, STACK, UPDATES)
PLANS, TASKS = "Plans", "Tasks"  # kept beside the six where a command needs them
PROPOSED = "proposed"
_IDENT = re.compile(r"(?P<ident>[A-Z]+-\d+)\s*(?:[-:\u2013\u2014]\s*|\((?=.*\)$))(?P<title>.+?)\)?$", re.DOTALL)
_NUMBERED = re.compile(
    r"(?:Phase\s+)?(\d{1,9}(?:\.\d{1,9})*+)\b[.:)]?\s*[-\u2013\u2014]?\s*(.*)", re.IGNORECASE | re.DOTALL
)
_NOTHING = ("none", "n/a")
_DIGITS = 10  # of a depth; Python reads no number of thousands


class View:
    """The words of the six sections, "" where nothing is filled in; `depth` is 0 or more, `there` the sections.

    `loops` are id and status of the rows that are not closed, `tasks` the items of the list of tasks with whether their
    box is empty, `plan` the row of the one that waits, [] for none.
    """

    __slots__ = (
        *("back", "current", "depth", "focus", "loops", "phase", "plan", "record", "status", "task", "tasks"),
        "there",
    )

    def __init__(self, record: Record) -> None:
        self.record = record
        self.there = frozenset(title for title in SECTIONS if len(record.sections(title)) == 1)
        self.phase, self.task = text(record, CONTEXT, "Phase"), text(record, CONTEXT, "Task")
        self.focus, self.status = text(record, CONTEXT, "Focus"), text(record, CONTEXT, "Status")
        self.current, self.back = text(record, STACK, "Current"), text(record, STACK, "Return to")
        depth = text(record, STACK, "Depth")
        self.depth = int(depth) if depth.isdecimal() and len(depth) < _DIGITS else 0
        self.tasks = checks(record, TASKS)
        self.loops = [(row[0], row[2]) for row in rows(record, LOOPS) if len(row) > 2 and not is_over(row[2])]
        self.plan = next((row for row in reversed(rows(record, PLANS)) if row[2:3] == [PROPOSED]), [])


def seen(state: StateFile, dialects: Dialects) -> Record:
    """Return a state file as it is seen through the dialect that has the six sections."""
    return Record(state.record.outline, dialects.named(DIALECT))


def text(record: Record, title: str, name: str) -> str:
    """Return what a field says, "" where it stands more than once, is not filled in, or says that there is none."""
    found = record.find(f"label:{title}/{name}") if record.sections(title) else []
    said = record.text(found[0]) if len(found) == 1 else ""
    nothing = said.casefold().startswith(_NOTHING) or record.unfilled(said)
    return "" if nothing else said


def rows(record: Record, title: str) -> list[list[str]]:
    """Return the cells of each row of a section's tables, without heading rows."""
    document = record.document
    return [
        [" ".join(document.text(*cell).replace(r"\|", "|").split()) for cell in row.cells]
        for section in record.sections(title)
        for row in document.rows(section.body, record.own_end(section))
        if not row.header
    ]


def checks(record: Record, title: str) -> list[tuple[str, bool]]:
    """Return the items of a section with whether their box says that they are open."""
    document = record.document
    return [
        (record.item(item), bool(item.box) and not document.text(*item.box).strip())
        for section in record.sections(title)
        for item in record.items(section)
        if item.box
    ]


def entries(record: Record) -> list[str]:
    """Return the entries of Recent Updates as lines, each with the time that it stands under, newest first."""
    found, minute = [], ""
    for section in record.sections(UPDATES):
        for line in record.body(section).splitlines():
            bare = line.strip()
            if bare.startswith("**") and bare.endswith("**"):
                minute = bare.strip("*: ")
            elif bare.startswith(("- ", "* ")):
                found.append(f"{minute}: {bare[2:]}" if minute else bare[2:])
    return found


def field(record: Record, title: str, name: str) -> Spot | None:
    """Return where a field stands, None where it does not or more than once."""
    found = record.find(f"label:{title}/{name}") if record.sections(title) else []
    return found[0] if len(found) == 1 else None


def split(said: str) -> tuple[str, str]:
    """Return the id and the title in "TASK-003 - Parse" or "TASK-003 (Parse)"; without an id the id is ""."""
    found = _IDENT.match(said)
    return (found["ident"], found["title"].strip()) if found else ("", said)


def called(said: str) -> str:
    """Return how a task or plan is spoken of: its id, else its title."""
    ident, title = split(said)
    return ident or title


def stacked(said: str) -> str:
    """Return a task or plan as the context stack has it: "TASK-003 (Parse)"."""
    ident, title = split(said)
    return f"{ident} ({title})" if ident else title


def numbered(phase: str) -> tuple[str, str]:
    """Return the number and the name in "1. Foundation" or "Phase 1: Foundation"; without a number that is ""."""
    found = _NUMBERED.match(phase)
    return (found[1], found[2].strip()) if found else ("", phase)
