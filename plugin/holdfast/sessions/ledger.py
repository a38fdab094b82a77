"""What commands did that a state file has no place for: its tasks, plans, discussion, old entries.

It is kept in the store as facts, one JSON line each, one file per state file. The format decides what of it is in the
text too.
"""

import os

from holdfast.core import clock, files
from holdfast.core.cache import short_hash
from holdfast.core.fast_json import list_of, number_of, text_of, texts_of
from holdfast.core.patterns import pattern
from holdfast.core.statuses import PAUSED
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.journal.log import Fact
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_FOLDER = "/steps/"
WAITING, CURRENT, COMPLETED, SKIPPED = "waiting", "current", "completed", "skipped"  # of a task
REWORDED = "reworded"  # of the text that a task had before
OPEN = frozenset((WAITING, CURRENT))
_IDENT = pattern(r"[A-Z]+-\d+\b")
NEWEST = 5  # entries of Recent Updates


class Ledger:
    """What the facts of one state file say.

    - tasks: text -> status, in the order in which they were added. plans: id -> id, title, status and time.
    - interrupted: id of a plan -> the task that was current when it was proposed, "" for none.
    - numbered: the tasks of the client's list that have an id, and earlier titles. phases: those that were left.
    - discussion: its topic and what it returns to, ("", "") for none. until: the day that the work is put off to.
    - loops: id -> title and status in the table, and in LOOPS.md, when that was last written.
    - listed: the files and tasks that holdfast has listed in the file, whether they are still in it or not.
    - phase: the one that a command began last. left: what left Recent Updates and the table of loops.
    - put_back: task and phase, where an older text was put back by git and no command set them since.
    - at: the time in the file when the last of this was written, see `of_text`.
    """

    __slots__ = (
        "at",
        "discussion",
        "interrupted",
        "left",
        "listed",
        "loops",
        "numbered",
        "phase",
        "phases",
        "plans",
        "put_back",
        "tasks",
        "until",
    )

    def __init__(self, facts: "list[Fact]") -> None:
        self.tasks: dict[str, str] = {}
        self.plans: dict[str, list[str]] = {}
        self.interrupted: dict[str, str] = {}
        self.numbered: list[str] = []
        self.phases: list[str] = []
        self.discussion = ("", "")
        self.loops: dict[str, list[str]] = {}
        self.listed: set[str] = set()
        self.at = 0.0
        self.until = self.phase = ""
        self.left: list[str] = []
        self.put_back: set[str] = set()
        for fact in facts:
            self.at = number_of(fact, "stamp") if "stamp" in fact else self.at
            self.put_back.discard({"plan": "task"}.get(fact["kind"], fact["kind"]))
            if fact["kind"] in {"task", "plan"}:
                self._add_work(fact)
            else:
                self._add(fact)

    def _add_work(self, fact: "Fact") -> None:
        cells = texts_of(fact, "cells")
        if fact["kind"] == "plan":
            self.plans[cells[0] if cells else ""] = cells
            self.interrupted |= {cells[0]: text_of(fact, "interrupted")} if "interrupted" in fact else {}
        elif fact["status"] == REWORDED:
            self.tasks.pop(text_of(fact, "text"), None)
        else:
            text = text_of(fact, "text")
            for old in [one for one in self.tasks if one != text and _is_same(one, text)]:  # its title was changed
                self.tasks = {text if one == old else one: status for one, status in self.tasks.items()}
                self.numbered.append(old)
            self.tasks[text] = text_of(fact, "status")

    def _add(self, fact: "Fact") -> None:
        text = text_of(fact, "text")
        match fact["kind"]:
            case "numbered":
                self.numbered.append(text)
            case "phase":
                self.phases.append(text)
                self.phase = text_of(fact, "now")
            case "until":
                self.until = text
            case "discussion":
                self.discussion = text, text_of(fact, "back")
            case "loops":
                self.loops = {cells[0]: cells[1:] for cells in list_of(fact, "rows")}
            case "back":
                self.loops, self.listed, self.put_back = {}, set(), {"task", "phase"}
            case "left":
                self.left.append(text)
            case "listed":
                self.listed.update(texts_of(fact, "texts"))

    def of_text(self, stamp: float) -> "Ledger":
        """Return this without what was written into a later text: one with an older time, or none, was put back."""
        if stamp < self.at or not stamp:
            self.loops, self.listed = {}, set()
            self.put_back = {"task", "phase"} if stamp else set()
        return self

    @property
    def current(self) -> str:
        """The task at hand, "" for none."""
        return next((task for task, status in reversed(self.tasks.items()) if status == CURRENT), "")


def _is_same(one: str, other: str) -> bool:
    """Whether two tasks have one id."""
    ident, others = _IDENT.match(one), _IDENT.match(other)
    return bool(ident and others and ident[0] == others[0])


def read(path: str, workspace: "Workspace | None" = None) -> Ledger:
    """Return what is recorded of the state file at `path`; with a `workspace` its folder is looked up once."""
    own = _file(path, workspace)
    return Ledger(_facts(own) if own else [])


def put_off(session: Session, workspace: "Workspace | None" = None) -> tuple[str, list[str]]:
    """Return the day that paused work is put off to, "" for none, and its open tasks and steps that are put off."""
    path = session.state or (session.claimed if session.elsewhere else "")
    kept = read(path, workspace) if path and session.open else Ledger([])
    waiting = [task for task, status in kept.tasks.items() if status in OPEN]
    steps = texts_of(session.summary, "next") if session.open else []
    until = kept.until if session.status == PAUSED else ""
    return until, list(dict.fromkeys(text for text in (*waiting, *steps) if clock.not_before(text)))


def discussion(path: str, workspace: "Workspace | None" = None) -> list[str]:
    """Return what is discussed in a state file that has no place for it, and what that returns to; [] for nothing."""
    topic, back = read(path, workspace).discussion
    return [f"In discussion: {topic}", f"Return to: {back} (holdfast return)"] if topic else []


def note(path: str, *facts: "dict[str, object]") -> None:
    """Record facts about the state file at `path`; the caller holds the lock."""
    own = _file(path)
    for fact in facts if own else ():
        log.append_to(own, {**fact, "path": path})


def go_on(path: str, stamp: float) -> None:
    """Record that an older text, put back by git, is what is written from now on; the caller holds the lock."""
    if 0 < stamp < read(path).at:
        note(path, {"kind": "back", "stamp": stamp})


def moved(path: str, target: str) -> None:
    """Let what is recorded of a state file go with it to another path; the caller holds the lock."""
    old, new = _file(path), _file(target)
    for fact in _facts(old) if old and new else ():
        log.append_to(new, {**fact, "path": target})
    if old:
        files.unlink_quietly(old)


def left(store: str) -> "Iterator[tuple[float, str, str]]":
    """Yield (seconds since 1970, text, path) of each entry that left Recent Updates, and of each row of a table."""
    folder = store + _FOLDER
    for name in sorted(os.listdir(folder)) if store and os.path.isdir(folder) else ():
        for fact in _facts(folder + name):
            if fact["kind"] == "left":
                yield number_of(fact, "since") or number_of(fact, "at"), text_of(fact, "text"), text_of(fact, "path")


def _facts(path: str) -> "list[Fact]":
    return log.facts_in(files.read_or_none(path) or b"")


def _file(path: str, workspace: "Workspace | None" = None) -> str:
    """Return the path of the ledger of a state file, "" where there is no store."""
    folder, name = os.path.split(path)
    store, real = workspace.ask(_place, folder, workspace.project) if workspace else _place(folder)
    return f"{store}{_FOLDER}{short_hash(os.fsencode(f'{real}/{name}'))}.jsonl" if store else ""


def _place(folder: str, project: "Project | None" = None) -> tuple[str, str]:
    """Return the store for the state files in a folder, "" for none, and the folder without links."""
    return paths.locate(folder, project).store if os.path.isabs(folder) else "", os.path.realpath(folder)
