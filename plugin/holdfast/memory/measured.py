"""What is measured beside a state file and goes into its six sections: loops, token budget, tasks of the client."""

import os
import re

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal.session import TASK_OVER
from holdfast.journal.transcript import Usage
from holdfast.memory import budget, ledger
from holdfast.memory.budget import Budget
from holdfast.memory.ledger import NEWEST
from holdfast.memory.loops import book
from holdfast.memory.loops.book import Book
from holdfast.project import discovery, ids
from holdfast.project.paths import Project, locate
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.journal.log import Fact
    from holdfast.project.settings.values import Settings

TASK = "TASK"
_VERBS = {"in_progress": "Started", "completed": "Completed"}
_CONTEXTS = (".gsd-lite/CONTEXT.md", "gsd-lite/CONTEXT.md")
# The first line with a label whose value is so many of so many tokens.
_BUDGET = re.compile(
    r"^[-*+| \t]*\**[A-Z][\w ]{0,30}\**[ \t]*[:|]\**[ \t]*([\d,]{1,12})\s*/\s*([\d,]{1,12})\s*tokens\b", re.MULTILINE
)
_BARE_IDENT = re.compile(r"TASK-\d+", re.IGNORECASE)


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
        kept = ledger.read(state) if state else None
        self.listed = [*kept.tasks, *kept.numbered] if kept else []
        self._given = {found[1]: " - ".join(found) for task in self.listed if (found := ids.split_title(TASK, task))}

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
    - numbers: gives ids to tasks. listed: the tasks with an id in the ledger of the file.
    """

    __slots__ = ("book", "budget", "current", "done", "listed", "news", "numbers")

    def __init__(self, loops: Book | None = None, budget: Budget | None = None) -> None:
        self.book = loops
        self.budget = budget
        self.current = ""
        self.done: list[str] = []
        self.news: list[tuple[float, str, str]] = []
        self.numbers = Numbers(None)
        self.listed: list[str] = []


def measure(
    root: str, session: Session, settings: "Settings", patterns: "Iterable[str]", *, take_ids: bool = False
) -> Measured:
    """Return what is measured for a session whose state file is in the working tree `root`.

    `patterns` are those of the project's state files, which may contain ids. With `take_ids` ids of tasks are
    recorded as used, for an edit that is written; the caller holds the lock.
    """
    project = locate(root)
    measured = Measured(book.readable(root, session.state), budget_of(root, session, settings))
    tasks = [task for task in session.tasks.values() if task[0] and task[2] > session.file.task_set]
    current = [subject for subject, status, _ in tasks if status == "in_progress"]
    measured.current = current[0] if len(current) == 1 else ""
    measured.done = [subject for subject, status, _ in tasks if status in TASK_OVER]
    measured.numbers = Numbers(project, session.state, patterns, take=take_ids)
    measured.listed = measured.numbers.listed
    return measured


def budget_of(root: str, session: Session, settings: "Settings") -> Budget | None:
    """Return the token budget of a session: the project's own, else that of its transcript; None if unknown."""
    return context_budget(root, session.state, settings) or budget.of(session.transcript, settings)


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
            match = _BUDGET.search(text)
        except (HoldfastError, OSError):
            continue
        used, window = (int(part.replace(",", "") or 0) for part in match.groups()) if match else (0, 0)
        if window:
            return Budget(Usage(fresh=used), window, budget.zones_in(text) or settings.zones, safe.line(path, 400))
    return None
