"""What is measured beside a state file and goes into its six sections: loops, token budget, tasks of the client."""

import os
import re

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of
from holdfast.core.patterns import pattern
from holdfast.editing import store
from holdfast.formats import managed_block, state_file
from holdfast.formats.state_file import StateFile
from holdfast.journal.session import TASK_OVER
from holdfast.journal.transcript import Usage
from holdfast.memory import budget
from holdfast.memory.budget import Budget
from holdfast.memory.loops import book
from holdfast.memory.loops.book import Book
from holdfast.project import discovery, ids
from holdfast.project.paths import Project, locate
from holdfast.sessions import ledger
from holdfast.sessions.ledger import NEWEST
from holdfast.sessions.session import Session
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.formats.catalogue import Formats
    from holdfast.journal.log import Fact
    from holdfast.project.settings import Settings

TASK = "TASK"
_VERBS = {"in_progress": "Started", "completed": "Completed"}
_CONTEXTS = (".gsd-lite/CONTEXT.md", "gsd-lite/CONTEXT.md", "CONTEXT.md")
_SIZE = r"\d[\d,.]{0,12}k?"
# A line with a label whose value is so many of so many tokens, or so many.
_BUDGET = pattern(
    rf"^[-*+| \t]*\**(?P<label>[A-Z][\w ]{{0,30}})\**[ \t]*[:|]\**[ \t]*"
    rf"(?:(?P<used>{_SIZE})[ \t]*(?:tokens[ \t]*)?/[ \t]*)?(?P<size>{_SIZE})[ \t\r]*(?:tokens\b|[(|]|$)",
    re.MULTILINE | re.IGNORECASE,
)
_SPENT = pattern(r"\b(?:used|loaded|spent)\b", re.IGNORECASE)
_WHOLE = pattern(r"\b(?:total|budget|limit|window)\b", re.IGNORECASE)
_MARKS = str.maketrans("", "", "*_`<>\\")
_BARE_IDENT = pattern(r"TASK-\d+", re.IGNORECASE)


class Numbers:
    """Gives ids to the tasks of one state file that have none. The same title always gets the same id.

    With `take` the ids are recorded as used, and the caller holds the lock; without it they are only predicted.
    """

    def __init__(
        self, project: Project | None, state: str = "", patterns: "Iterable[str]" = (), *, take: bool = False
    ) -> None:
        self._project = project
        self._state = state
        self._patterns = tuple(patterns)
        self._take = take
        self.kept = ledger.read(state) if state else ledger.Ledger([])
        self.listed = [*self.kept.tasks, *self.kept.numbered]
        self._given = {found[1]: " - ".join(found) for task in self.listed if (found := ids.split_title(TASK, task))}

    def with_id(self, title: str) -> str:
        """Return a task with the id that it has, else its title alone."""
        return self._given.get(title, title)

    def titled(self, title: str) -> str:
        """Return a task as "TASK-003 - Parse"; an id that is in the title stays."""
        leading = ids.split_title(TASK, title)
        if leading:
            return " - ".join(leading)
        if _BARE_IDENT.fullmatch(title.strip()) or not self._project or not self._project.store:
            return title
        if title not in self._given:
            from holdfast.memory.loops import lifecycle  # most tasks have their id

            texts = lifecycle.texts(self._project, self._patterns)
            number = ids.next_number if self._take else ids.peek_number
            self._given[title] = f"{number(self._project, TASK, texts)} - {title}"
            if self._take:
                ledger.note(self._state, {"kind": "numbered", "text": self._given[title]})
        return self._given[title]


class Measured:
    """What was measured for a session.

    - book: LOOPS.md, None where it may not be repeated or is missing. budget: None where it is unknown.
    - current: the one task in progress of the client's list, "" for none. done: the tasks there that are over. Both
      without what is older than the last command that set the current task.
    - news: (seconds since 1970, verb, task) of what the list started and completed since the last settle.
    - numbers: gives ids to tasks. listed: the tasks with an id in the ledger of the file, `kept`.
    - gone: the loops whose row a person took out of the table. renewed: those with a new title in LOOPS.md.
    """

    def __init__(self, loops: Book | None = None, budget: Budget | None = None) -> None:
        self.book = loops
        self.budget = budget
        self.current = ""
        self.done: list[str] = []
        self.news: list[tuple[float, str, str]] = []
        self.numbers = Numbers(None)
        self.kept = self.numbers.kept
        self.listed: list[str] = []
        self.gone: set[str] = set()
        self.renewed: set[str] = set()


def measure(
    root: str, session: Session, settings: "Settings", formats: "Formats", *, take_ids: bool = False
) -> Measured:
    """Return what is measured for a session whose state file is in the working tree `root`.

    With `take_ids` ids of tasks are recorded as used, and LOOPS.md gets what a person changed in the table of loops,
    for an edit that is written; the caller holds the lock.
    """
    project = locate(root)
    measured = Measured(book.readable(root, session.state), budget_of(root, session, settings))
    tasks = [task for task in session.tasks.values() if task[0] and task[2] > session.file.task_set]
    current = [subject for subject, status, _ in tasks if status == "in_progress"]
    measured.numbers = Numbers(project, session.state, formats.patterns, take=take_ids)
    measured.current = measured.numbers.with_id(current[0]) if len(current) == 1 else ""
    over = [subject for subject, status, _ in tasks if status in TASK_OVER]
    measured.done = [*over, *map(measured.numbers.with_id, over)]  # its title in the file may be a person's
    measured.listed, measured.kept = measured.numbers.listed, measured.numbers.kept
    if not measured.kept.at:
        return measured
    state = state_file.parse(files.read(session.state), session.state, formats)
    stamp = clock.find(managed_block.stamped(state)[1])
    measured.kept.of_text(stamp)
    if take_ids:
        ledger.go_on(session.state, stamp)
    edits = _rows(measured, measured.book, state, formats) if measured.book else {}
    if measured.book and edits:
        from holdfast.memory.loops import lifecycle  # few tables are edited by hand

        path, measured.book = measured.book.path, lifecycle.edited(measured.book, edits)
        written = take_ids and store.update(path, lambda data: lifecycle.edited(Book(path, data), edits).data)
        if written and settings.stage:
            store.stage(path)
    return measured


def _rows(measured: Measured, book: Book, state: StateFile, formats: "Formats") -> dict[str, dict[str, str]]:
    """Return what was changed by hand in the table of loops, since that was last written, as fields of each loop.

    Of a loop that was changed in LOOPS.md too, that counts. A title in other words than there is the table's own.
    """
    from holdfast.memory.view import TITLE_LENGTH, listed_loops, seen  # few projects have loops

    kept = measured.kept.loops
    rows = {loop.ident: loop for loop in listed_loops(seen(state, formats))}
    edits: dict[str, dict[str, str]] = {}
    for loop, (title, status, *own) in ((loop, kept[loop.ident]) for loop in book.open if loop.ident in kept):
        row, same = rows.get(loop.ident), own == [loop.title, loop.status]
        if row is None and same:
            measured.gone.add(loop.ident)
        elif row and title == safe.line(own[0], TITLE_LENGTH) and loop.title != own[0]:
            measured.renewed.add(loop.ident)
        elif row and same:
            changed = {"title": row.title} if title == own[0] and _bare(row.title) != _bare(title) else {}
            changed |= {"status": row.status} if row.status != status else {}
            edits |= {loop.ident: changed} if changed else {}
    return edits if not clone.TrustCheck().untrusted([state.path]) else {}


def _bare(text: str) -> str:
    """Return words without the marks that a formatter writes in another way, such as those of emphasis."""
    return " ".join(text.translate(_MARKS).split())


def _shown(state: StateFile, formats: "Formats", measured: Measured, book: Book) -> dict[str, list[str]]:
    """Return title and status of each open loop, in the table and in LOOPS.md, also of rows that a person took out."""
    from holdfast.memory.view import listed_loops, seen

    known = {loop.ident: [loop.title, loop.status] for loop in book.open}
    gone = {ident: measured.kept.loops[ident] for ident in measured.gone}
    rows = [loop for loop in listed_loops(seen(state, formats)) if loop.ident in known]
    return gone | {loop.ident: [loop.title, loop.status, *known[loop.ident]] for loop in rows}


def keep_shown(state: StateFile, formats: "Formats", measured: Measured, names: "Iterable[str]" = ()) -> None:
    """Record what a state file shows of the loops and of these names, so that a later edit by hand is known as one.

    The caller holds the lock.
    """
    rows = _shown(state, formats, measured, measured.book) if measured.book else measured.kept.loops
    stamp, words = clock.find(managed_block.stamped(state)[1]), state.document.text(0, len(state.document.data))
    if rows != measured.kept.loops:
        table = [[ident, *cells] for ident, cells in rows.items()]
        ledger.note(state.path, {"kind": "loops", "rows": table, "stamp": stamp})
    new = [name for name in names if name in words and name not in measured.kept.listed]
    if new:
        ledger.note(state.path, {"kind": "listed", "texts": new, "stamp": stamp})


def budget_of(root: str, session: Session, settings: "Settings") -> Budget | None:
    """Return the token budget of a session: the project's own, else that of its transcript; None if unknown."""
    own, spent = context_budget(root, session.state, settings), budget.of(session.transcript, settings)
    if own and not own.used:  # it has the size alone
        return Budget(spent.usage, own.window, own.zones, own.origin) if spent else None
    return own or spent


def news(facts: "list[Fact]", session: Session) -> list[tuple[float, str, str]]:
    """Return when which task was started and completed in these facts, as `Measured.news`."""
    entries = []
    for fact in facts:
        verb = _VERBS.get(text_of(fact, "status")) if fact.get("kind") == "task" else None
        subject = session.tasks.get(text_of(fact, "id"), ("",))[0]
        if verb and subject:
            entries.append((number_of(fact, "at"), verb, safe.line(subject, 200)))
    return list(dict.fromkeys(entries))[-NEWEST:]


def context_budget(root: str, state: str, settings: "Settings") -> Budget | None:
    """Return the token budget that the project keeps in a CONTEXT.md, None where none does.

    The file is beside the state file, or in the folder of gsd-lite. Its line is `**Status:** 1850 / 5000 tokens ...`;
    zones of its own count, too.
    """
    beside = [os.path.join(os.path.dirname(state), "CONTEXT.md")] if state else []
    for path in (*beside, *(os.path.join(root, name) for name in _CONTEXTS)):
        try:
            small = os.path.isfile(path) and os.path.getsize(path) <= discovery.LARGEST
            text = files.read(path).decode("utf-8-sig", "replace") if small else ""
        except (HoldfastError, OSError):
            continue
        used, window = _tokens_in(text)
        if window:
            return Budget(Usage(fresh=used), window, budget.zones_in(text) or settings.zones, safe.line(path, 400))
    return None


def _tokens_in(text: str) -> tuple[int, int]:
    """Return how many tokens a CONTEXT.md says are used, 0 for unknown, and of how many, 0 for none."""
    lines = [line for line in _BUDGET.finditer(text) if re.search("token|budget", line[0], re.IGNORECASE)]
    spent = [line for line in lines if not line["used"] and _SPENT.search(line["label"])]
    whole = [line for line in lines if line["used"] or (line not in spent and _WHOLE.search(line["label"]))]
    if not whole:
        return 0, 0
    first = next((line for line in whole if line["used"]), whole[0])
    return tokens(first["used"] or (spent[0]["size"] if spent else "0")), tokens(first["size"])


def tokens(digits: str) -> int:
    """Return a number of tokens such as 2,100 or 2.1k."""
    thousands = digits[-1:] in "kK"
    return int(float(digits.rstrip("kK").replace(",", "")) * 1000) if thousands else int(re.sub("[,.]", "", digits))
