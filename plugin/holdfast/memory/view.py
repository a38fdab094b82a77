"""What the six sections of working memory say (formats/gsd-lite-state.md), in a state file of any format."""

import re
import time
from collections import Counter

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.editing import logs
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.catalogue import Formats
from holdfast.formats.record import Record, Spot
from holdfast.formats.state_file import StateFile
from holdfast.memory.loops.elements import KIND, STATUSES, Loop, is_over
from holdfast.project import ids
from holdfast.sessions import ledger
from holdfast.sessions.ledger import NEWEST, OPEN, SKIPPED, Ledger
from holdfast.trust import safe

FORMAT = "gsd-lite"  # the format that describes the six sections; any file is read through it
CONTEXT, LOOPS, BUDGET = "Current Context", "Active Loops", "Token Budget"
ACTIONS, STACK, UPDATES = "Available Actions", "Context Stack", "Recent Updates"
SECTIONS = (CONTEXT, LOOPS, BUDGET, ACTIONS, STACK, UPDATES)
PLANS, TASKS = "Plans", "Tasks"  # further sections, which a person may have begun
TALKING = "Discussion Mode"  # the status during a discussion
FORK = "/discuss"  # before the topic of a discussion, in the context stack
CHECKPOINT = " approval checkpoint"  # after the id of a plan that waits, in the context stack
LOOP_COLUMNS = ["ID", "Title", "Status", "Captured"]
TITLE_LENGTH = 200  # characters of a loop's title in the table
PLAN_COLUMNS = ["ID", "Title", "Status", "Proposed"]
PROPOSED = "proposed"
SKIP_MARK = "-"  # the mark in the box of a task that was skipped
_AWAITING = "awaiting approval"
_IDENT = pattern(r"(?P<ident>[A-Z]+-\d+)\s*(?:[-:\u2013\u2014]\s*(?P<title>.+)|\((?P<inside>.+)\))$", re.DOTALL)
_BARE_IDENT = pattern(r"[A-Z]+-\d+")
LISTED = pattern(
    r"[-*+] (?:\[(?P<box>.)\] )?[*`\[]*(?P<ident>LOOP-\d+)(?:[\]*`]|\(\S*\))*(?:\s*[-:\u2013\u2014])?\s*(?P<title>.+?)"
    r"(?:\s*\((?P<status>open|clarifying|exploring|closed|resolved|done)\))?",
    re.IGNORECASE,
)
_PLAN = pattern(r"PLAN-\d+")
_OF_TASK = pattern(r"(?P<verb>Added|Started|Completed|Skipped) (?P<ident>TASK-\d+): (?P<title>.+)", re.DOTALL)
_NUMBERED = pattern(
    r"(?:Phase\s+)?(?=(\d{1,9}(?:\.\d{1,9})*))\1\b[.:)]?\s*[-\u2013\u2014]?\s*(.*)", re.IGNORECASE | re.DOTALL
)
# "None" and what is put beside it, such as "None (not forked)", but no words that go on, such as "None of them fit".
_NOTHING = pattern(r"(?:none|n/a)(?:\s*(?:[(.,;:]|$)|\s+[-\u2013\u2014])", re.IGNORECASE)
_MAX_DIGITS = 10  # of a depth; Python refuses to convert numbers of thousands of digits


class View:
    """What a state file says in the six sections.

    - there: the titles of those sections that are in the file exactly once.
    - phase, task, focus, status, current, back: what the fields say, "" where nothing is filled in; `back` is "Return
      to". depth: 0 or more.
    - loops: (id, status) of each row that is not closed, in order.
    - tasks: text -> whether it is open, of each task of the file's own list and of its ledger; also those `told` of in
      Recent Updates alone. skipped: those skipped.
    - plan: id, title, status and time of the plan that waits for approval, [] for none.
    """

    def __init__(self, record: Record, kept: Ledger | None = None, own: Record | None = None) -> None:
        """Read the sections; of a file without them the `own` format has the phase, the ledger, `kept`, the work."""
        self.record = record
        self.there = frozenset(title for title in SECTIONS if len(record.sections(title)) == 1)
        self.phase, self.task = text(record, CONTEXT, "Phase"), text(record, CONTEXT, "Task")
        self.focus, self.status = text(record, CONTEXT, "Focus"), text(record, CONTEXT, "Status")
        self.current, self.back = text(record, STACK, "Current"), text(record, STACK, "Return to")
        depth = text(record, STACK, "Depth").split("(")[0].strip()
        self.depth = int(depth) if depth.isdecimal() and len(depth) < _MAX_DIGITS else 0
        self._add_from(kept or Ledger([]), own)
        self.loops = [(cells[0], cells[2].casefold()) for cells in loop_rows(record) if not is_over(cells[2])]
        self.plan = self._waiting_plan(kept or Ledger([]))

    def _add_from(self, kept: Ledger, own: Record | None) -> None:
        """Add what the file's own format and the ledger say where the sections say nothing."""
        self._idents = {title: ident for ident, title in map(split, kept.numbered)}
        listed = boxes(self.record, TASKS)
        self.tasks = {task: status in OPEN for task, status in kept.tasks.items()} | {
            task: not mark for task, mark in listed
        }
        self.told = self._told([*self.tasks, self.task])
        self.tasks = {**self.told, **self.tasks}  # what a clone brings waits longer than what is added here
        self.skipped = {task for task, status in kept.tasks.items() if status == SKIPPED}
        self.skipped |= {task for task, mark in listed if mark == SKIP_MARK}
        if CONTEXT not in self.there:
            self.task = kept.current
            texts = [own.text(spot) for spot in own.spots("phase")] if own else []
            self.phase = next((words for words in texts if words and own and not own.unfilled(words)), "")
        if STACK not in self.there and kept.discussion[0]:
            topic, self.back = kept.discussion
            self.current, self.depth = f"{FORK} {topic}", 1

    def _told(self, known: list[str]) -> dict[str, bool]:
        """Return the tasks that only Recent Updates name, and whether each is open: they came with a clone."""
        by_key: dict[str, bool] = {}
        for _, entry in reversed(timed_entries(self.record)):
            match = _OF_TASK.fullmatch(entry)
            task = f"{match['ident']} - {match['title']}" if match else ""
            same = next((one for one in by_key if same_task(one, task)), "")
            if match and match["verb"] in {"Added", "Started"} and not any(same_task(task, one) for one in known):
                by_key[same or task] = True
            elif match and same:
                by_key[same] = False
        return by_key

    def listed(self, subject: str) -> str:
        """Return a task of the client's list as the file has it, also where its title was changed there."""
        ident = self._idents.get(subject, "")
        return next((one for one in [self.task, *self.tasks] if ident and split(one)[0] == ident), subject)

    def is_over(self, task: str) -> bool:
        """Whether a task was completed or skipped, by the list of tasks or by an entry of Recent Updates."""
        listed = [open_ for other, open_ in self.tasks.items() if same_task(task, other)]
        ends = tuple(f"{verb} {called(task)}{end}" for verb in ("Completed", "Skipped") for end in (":", " "))
        told = bool(split(task)[0]) and any(text.startswith(ends) for _, text in timed_entries(self.record))
        return not any(listed) if listed else told

    def _waiting_plan(self, kept: Ledger) -> list[str]:
        """Return the plan that waits: the last proposed row of Plans, else the checkpoint that the sections describe.

        A checkpoint is a plan as the task, with a status that awaits approval, with one that waits for anything and
        a menu that offers the approval, or to which a discussion returns or has just returned. For a plan with a row,
        the row decides.
        """
        known = rows(self.record, PLANS, PLAN_COLUMNS)
        if CONTEXT not in self.there:
            known = known or [*kept.plans.values()]
        proposed = next((row for row in reversed(known) if row[2] == PROPOSED), [])
        ident, title = split(self.task)
        if proposed or not _PLAN.fullmatch(ident) or any(row[0] == ident for row in known):
            return proposed
        waits = self.record.file_format.category(self.status) == "waiting"
        menu = lines(self.record, ACTIONS)
        offered = any(ident in line and ("AWAITING" in line or "approve-plan`" in line) for line in menu)
        waits = (waits and offered) or _AWAITING in self.status.casefold()
        halted = self.depth > 0 or self.status == TALKING or self.record.file_format.category(self.status) == "paused"
        waits = waits or (halted and f"{ident}{CHECKPOINT}" in (self.current, self.back.partition(", status ")[0]))
        return [ident, title, PROPOSED, *kept.plans.get(ident, [""] * 4)[3:4]] if waits else []


def seen(state: StateFile, formats: Formats) -> Record:
    """Return a state file read with the format that has the six sections."""
    return Record(state.record.outline, formats.named(FORMAT))


def of(state: StateFile, formats: Formats) -> View:
    """Return what a state file and its ledger say."""
    return View(seen(state, formats), ledger.read(state.path), state.record)


def text(record: Record, title: str, name: str) -> str:
    """Return what a field says; "" where it appears more than once, is not filled in, or says that there is none."""
    spot = field(record, title, name)
    value = record.text(spot) if spot else ""
    return "" if _NOTHING.match(value) or names.is_none(value) or record.unfilled(value) else value


def rows(record: Record, title: str, columns: list[str]) -> list[list[str]]:
    """Return the cells of each row of a section's tables, in the order of these columns, "" for a missing cell."""
    from holdfast.editing import tables

    found = [cells for section in record.sections(title) for cells in tables.cells(record, section, columns)]
    return [[*cells, *[""] * len(columns)][: max(len(columns), len(cells))] for cells in found]


def loop_rows(record: Record) -> list[list[str]]:
    """Return id, title, status and time of each loop in the table, whether the id is bold, a link, or code.

    A person may have the loops as a list: "- LOOP-012: Which sources? (open)".
    """
    found = rows(record, LOOPS, LOOP_COLUMNS)
    tabled = [[ids.parse(KIND, cells[0]) or cells[0], *cells[1:]] for cells in found if cells[0]]
    items = [match for line in lines(record, LOOPS) if (match := LISTED.fullmatch(line))]
    over = [bool(match["box"] and match["box"].strip()) for match in items]
    return tabled + [
        [ids.parse(KIND, match["ident"]), match["title"], "closed" if done else match["status"] or "open", ""]
        for match, done in zip(items, over, strict=True)
    ]


def spellings(record: Record) -> dict[str, str]:
    """Return how the table writes the id of each loop, such as "loop-7" for LOOP-007."""
    return {ids.parse(KIND, cells[0]): cells[0] for cells in rows(record, LOOPS, LOOP_COLUMNS)}


def lines(record: Record, title: str) -> list[str]:
    """Return the lines of a section without the blanks around them."""
    return [line.strip() for section in record.sections(title) for line in record.body(section).splitlines()]


def boxes(record: Record, title: str) -> list[tuple[str, str]]:
    """Return (text, mark in its box) of each item of a section that has a box; the mark of an open item is ""."""
    return [
        (record.item(item), record.document.text(*item.box).strip())
        for section in record.sections(title)
        for item in record.items(section)
        if item.box
    ]


def listed_loops(record: Record) -> list[Loop]:
    """Return the loops of the table; rows without the id of a loop are skipped."""
    loops = []
    for ident, title, status, captured in (cells[:4] for cells in loop_rows(record)):
        if ids.parse(KIND, ident) == ident:
            loop = Loop(ident, 0, 0, 0)
            loop.title, loop.status, loop.captured = title, status.casefold() or STATUSES[0], captured
            loops.append(loop)
    return loops


def entries(record: Record) -> list[str]:
    """Return the entries of Recent Updates as lines, each with the minute that it is under, newest first."""
    return [f"{minute}: {entry}" if minute else entry for minute, entry in timed_entries(record)]


def timed_entries(record: Record) -> list[tuple[str, str]]:
    """Return (minute, text) of each entry of Recent Updates, newest first; "" for one above all minutes."""
    found, minute = [], ""
    for line in lines(record, UPDATES):
        if line.startswith("**") and line.endswith("**"):
            minute = line.strip("*: ")
        elif line.startswith(("- ", "* ")):
            found.append((minute, line[2:]))
    return found


def field(record: Record, title: str, name: str) -> Spot | None:
    """Return the position of a field, None where it is missing or appears more than once."""
    spots = record.find(f"label:{title}/{name}") if record.sections(title) else []
    return spots[0] if len(spots) == 1 else None


def split(task: str) -> tuple[str, str]:
    """Return (id, title) of "TASK-003 - Parse" or "TASK-003 (Parse)"; without an id the id is ""."""
    match = _IDENT.match(ids.without_alias(task))
    return (match["ident"], (match["title"] or match["inside"]).strip()) if match else ("", task)


def called(task: str) -> str:
    """Return the short name of a task or plan: its id, else its title."""
    ident, title = split(task)
    return ident or title


def headed(task: str) -> str:
    """Return a task or plan as messages and entries name it, "TASK-003: Parse"; one without an id stays as it is."""
    ident, title = split(task)
    return f"{ident}: {title}" if ident else task


def same_task(one: str, other: str) -> bool:
    """Whether two texts name the same task: by one id, or by one title where not both have an id."""
    (first, title), (second, words) = _parts(one), _parts(other)
    if first and second:
        return first == second
    return bool(title) and " ".join(title.split()).casefold() == " ".join(words.split()).casefold()


def _parts(task: str) -> tuple[str, str]:
    """Return (id, title); an id without a title has the title ""."""
    bare = clock.put_off(task.strip())
    return (bare, "") if _BARE_IDENT.fullmatch(bare) else split(bare)


def stacked(task: str) -> str:
    """Return a task or plan in the form of the context stack: "TASK-003 (Parse)"."""
    ident, title = split(task)
    return f"{ident} ({title})" if ident else title


def numbered(phase: str) -> tuple[str, str]:
    """Return (number, name) of "1. Foundation" or "Phase 1: Foundation"; without a number the number is ""."""
    match = _NUMBERED.match(phase)
    return (match[1], match[2].strip()) if match else ("", phase)


_UPDATE_MOST = 20_000  # characters of an entry; a text that a person types is never so long
_VERBS = (
    "Added|Approved|Asked for changes to|Closed|Completed|Created|Excluded|Explored|Exploring|Loaded|Presented|"
    "Put off|Rejected|Removed|Reopened|Skipped|Started|Updated"
)
_UPDATE = pattern(
    rf"(?:{_VERBS}) (?:[A-Z]{{2,}}-\d+|[\w./-]+\.md)\b"
    r"|(?:Completed|Began) phase |Skipped from |Forked into discussion: |Returned from discussion: "
    r"|Crossed into the \w+ zone |(?:Continued|Halted|Paused|Completed) the session|Created this file$"
)


def update_entry(line: str, minute: str) -> Request:
    """Return the request for a new entry, at a minute in UTC ("" for now)."""
    return Request((UPDATES,), items=[safe.line(line, _UPDATE_MOST)], minute=minute, most=NEWEST, gone=_is_update)


def _is_update(_minute: str, text: str) -> bool:
    return bool(_UPDATE.match(text))


def keep_left(path: str, before: View, after: View) -> None:
    """Keep the entries and rows of loops that have just left a state file; the caller holds the lock."""
    shift, there = updates_ahead(before.record), Counter(text for _, text in timed_entries(after.record))
    for minute, text in timed_entries(before.record):
        there[text] -= 1
        at = clock.find(minute)
        if there[text] < 0:
            ledger.note(path, {"kind": "left", "text": text, "since": at - shift if at else 0.0})
    still = spellings(after.record)
    for ident, text in _remarks(before.record).items():
        if ident not in still:
            ledger.note(path, {"kind": "left", "text": f"{ident} left {LOOPS}: {text}"})


def _remarks(record: Record) -> dict[str, str]:
    """Return what the table says of each loop in columns of a person, such as "Owner: Mara"."""
    document, remarks = record.document, dict[str, str]()
    for section in record.sections(LOOPS):
        names: list[str] = []
        for row in document.rows(section.body, section.end):
            texts = [document.text(*cell).strip() for cell in row.cells]
            names = texts if row.header else names
            own = [
                f"{name}: {text}" for name, text in zip(names, texts, strict=False) if name not in LOOP_COLUMNS and text
            ]
            ident = next((ident for ident, spelled in spellings(record).items() if spelled in texts), "")
            remarks |= {ident: ", ".join(own)} if ident and own and not row.header else {}
    return remarks


def updates_ahead(record: Record) -> int:
    """Return how many seconds the times of Recent Updates are ahead of UTC."""
    sections = record.sections(UPDATES)
    return logs.ahead(record, sections[0], clock.write(time.time(), clock.MINUTE)) if len(sections) == 1 else 0


def bare(text: str) -> str:
    """Return a text from a state file as its author typed it."""
    return text.replace(r"\*\*", "**").replace(r"\_\_", "__")
