"""What a hand-over contains about paused work: the summary of its state file, its working memory, and its tasks."""

from collections.abc import Mapping

from holdfast.core.fast_json import text_of, texts_of
from holdfast.formats import listing, names
from holdfast.formats.record import Record, Spot
from holdfast.journal.said import Said
from holdfast.memory.view import FORK, View, bare, called, entries, split
from holdfast.sessions.session import Session
from holdfast.trust import safe

_END = 40  # characters at the end of a text by which it is found in another one
LONGEST_TITLE = 200  # characters of the title of a task or loop
_LISTS = ("next", "questions", "decisions", "blockers")
_SAME = 200  # characters by which an entry of a summary is found in the file
PENDING, UNDER_WAY, DONE, LEFT_OUT = "pending", "in_progress", "completed", "skipped"
OVER = frozenset({DONE, LEFT_OUT})

Summary = Mapping[str, object]
Task = tuple[str, str]  # its text and its status


class Additions:
    """What the person who pauses adds: a note and the next step, "" for nothing."""

    def __init__(self, note: str, next_step: str) -> None:
        self.note = safe.safe(note).strip()
        self.next_step = safe.safe(next_step).strip()

    def added_to(self, before: "Additions") -> "Additions":
        """Return these together with earlier additions: each note once, and the newest next step."""
        again = not self.note or f"\n{self.note}\n" in f"\n{before.note}\n"
        notes = [before.note, "" if again else self.note]
        return Additions("\n".join(note for note in notes if note), self.next_step or before.next_step)


class HandoverContent:
    """The content of a hand-over: the state file's summary, its session, and the entry of a hub.

    `branch` is the branch that is checked out. `additions` come from the person who pauses. `loops` are the project's
    open loops, from the file `book`. `view` is the working memory of the state file, None if it has none of its own.
    `boxes` are the ticked ones of the file (True) and the open ones (False). `said` is what was said in the session, as
    far as a file may quote it; `before` has the same of the sessions that worked on its branch before, by title.
    """

    def __init__(self, summary: "Summary", session: Session, path: str, entry: str = "") -> None:
        self.summary = {word: _typed(value) for word, value in summary.items()}
        self.session = session
        self.path = path  # of the state file, in its working tree
        self.entry = entry
        self.branch = session.branch
        self.additions = Additions("", "")
        self.loops: list[str] = []
        self.book = ""
        self.view: View | None = None
        self.boxes: dict[bool, list[str]] = {}
        self.said = Said([], {})
        self.before: list[tuple[str, Said]] = []

    @property
    def phase(self) -> str:
        """The phase of the project, "" if unknown."""
        return bare(self.view.phase if self.view else "") or text_of(self.summary, "phase")

    @property
    def focus(self) -> str:
        """What the work aims at now."""
        return bare(self.view.focus if self.view else "") or text_of(self.summary, "focus")

    @property
    def objective(self) -> str:
        """The purpose of the whole, "" if it repeats the current task."""
        objective = text_of(self.summary, "objective")
        return "" if self.view and _begins(self.view.task, objective) else objective

    @property
    def current_state(self) -> str:
        """The current state, in the words of the state file."""
        current = text_of(self.summary, "current")
        if current.startswith("None ("):  # the current task was completed
            return self.focus or current
        if self.view and _begins(self.view.current, current):  # a title, which may be long
            return f"In discussion: {self.discussion}" if self.discussion else safe.line(current, LONGEST_TITLE)
        return current or self.focus

    @property
    def discussion(self) -> str:
        """The topic of a detour and where it returns to, "" outside of one."""
        if not self.view or not self.view.depth:
            return ""
        topic = self.view.current.removeprefix(FORK).strip() or "what was asked"
        back = f"; returns to {safe.line(bare(self.view.back), LONGEST_TITLE)}" if self.view.back else ""
        return safe.line(bare(topic), LONGEST_TITLE) + back

    @property
    def plan(self) -> list[str]:
        """Id and title of the plan that waits for approval, [] if there is none."""
        return [bare(cell) for cell in self.view.plan[:2]] if self.view else []


def _begins(whole: str, beginning: str) -> bool:
    """Return whether a text of the summary is the beginning of this text of the file."""
    return bool(beginning) and bare(whole)[:_SAME] == beginning[:_SAME]


def _typed(value: object) -> object:
    """Return a value of the summary without Markdown escapes, as its author typed it."""
    if isinstance(value, list):
        return [bare(entry) if isinstance(entry, str) else entry for entry in value]
    return bare(value) if isinstance(value, str) else value


def with_whole_lists(summary: "Summary", record: Record) -> "Summary":
    """Return a summary whose lists are complete and as they were typed."""
    return {**summary, **{word: _listed(record, word, texts_of(summary, word)) for word in _LISTS}}


def _listed(record: Record, word: str, known: list[str]) -> list[str]:
    """Return the entries of a summary's list, and those that follow them in the file."""
    same = {entry[:_SAME] for entry in known}
    for place in record.file_format.model.get(word, []):
        pairs = [pair for spot in record.find(place) for pair in _pairs(record, spot)]
        numbers = [number for number, (raw, _) in enumerate(pairs) if raw[:_SAME] in same]
        if numbers:
            more = [number for number in range(numbers[-1] + 1, len(pairs)) if _is_filled(record, pairs[number][0])]
            return [safe.clip(pairs[number][1], 300) for number in (*numbers, *more)]
    return known


def _is_filled(record: Record, entry: str) -> bool:
    """Return whether an entry is more than a placeholder or a word for none."""
    return not record.unfilled(entry) and not names.is_none(entry)


def _pairs(record: Record, spot: Spot) -> list[tuple[str, str]]:
    """Return the entries of a list: each as it is in the file, and as it was typed into a table's cell."""
    listed, section = listing.entries(record, spot), spot.section
    if section is None or spot.kind == "title" or not record.document.rows(section.body, record.own_end(section)):
        return [(entry, entry) for entry in listed]
    items = {record.item(item) for item in record.items(section)}
    return [(entry, entry if entry in items else entry.replace(r"\|", "|")) for entry in listed]


def tasks(content: HandoverContent) -> "list[Task]":
    """Return all tasks with their status: of the state file, the current one, and the session's own."""
    view = content.view
    left_out = view.skipped if view else set()
    box = {True: PENDING, False: DONE}
    pairs = (
        [(bare(text), LEFT_OUT if text in left_out else box[open_]) for text, open_ in view.tasks.items()]
        if view
        else []
    )
    if view and view.task and called(view.task) not in content.plan[:1]:
        pairs = _with(pairs, bare(view.task), UNDER_WAY)
    listed = pairs
    for subject, status, _ in content.session.tasks.values():
        if not subject or status == "deleted":  # abandoned
            continue
        alike = any(_alike(text, subject) for text, _ in listed)
        pairs = _with(pairs, subject, status) if alike else [*pairs, (subject, status)]
    return pairs


def _with(found: "list[Task]", text: str, status: str) -> "list[Task]":
    """Return the tasks with one more; a task that is listed already gets the more advanced status."""
    number = next((number for number, (words, _) in enumerate(found) if _alike(words, text)), None)
    if number is None:
        return [*found, (text, status)]
    words, before = found[number]
    merged = before if before == DONE or status == PENDING else status
    return [*found[:number], (words, merged), *found[number + 1 :]]


def _alike(one: str, other: str) -> bool:
    """Return whether two texts mean the same task: by id, or by title if one has no id."""
    (ident, title), (known, words) = split(one), split(other)
    return ident == known and bool(ident) if ident and known else title == words


def task_lines(content: HandoverContent, *, done: bool) -> list[str]:
    """Return the tasks that are over or the remaining ones, each with its id or its number."""
    rows = [(number, *task) for number, task in enumerate(tasks(content), 1) if (task[1] in OVER) == done]
    words = {UNDER_WAY: " (in progress)", LEFT_OUT: " (skipped)"}
    rows.sort(key=lambda row: row[2] != UNDER_WAY)
    return [
        f"{'' if split(text)[0] else f'Task {number}: '}{safe.line(text, LONGEST_TITLE)}{words.get(status, '')}"
        for number, text, status in rows
    ]


def remaining(content: HandoverContent) -> list[str]:
    """Return what is left to do: the plan that waits for approval, the current task, then the others."""
    plan = safe.line(" - ".join(content.plan), LONGEST_TITLE)
    return [*([f"{plan} (waits for approval)"] if plan else []), *task_lines(content, done=False)]


def boxes(content: HandoverContent, *, done: bool) -> list[str]:
    """Return the boxes of the state file that are no tasks: the ticked ones, or the open ones."""
    known = [text for text, _ in tasks(content)]
    texts = [text for text in content.boxes.get(done, []) if not any(_alike(text, one) for one in known)]
    return [safe.line(text, LONGEST_TITLE) for text in texts]


def completed(content: HandoverContent) -> list[str]:
    """Return what is completed: tasks, and other work that the state file's recent updates report."""
    done = [text for text, status in tasks(content) if status == DONE]
    lines = entries(content.view.record) if content.view else []
    updates = [completion for entry in lines if (completion := _completion(bare(entry)))]
    others = [
        f"{safe.line(text, LONGEST_TITLE)}{f' ({when})' if when else ''}"
        for text, when in updates
        if not any(_alike(one, text.removeprefix("Completed ")) for one in done)
    ]
    lines = [*task_lines(content, done=True), *boxes(content, done=True), *others]
    return [*lines, *(f"Committed: {commit}" for commit in content.said.commits)]


def decisions(content: HandoverContent) -> list[str]:
    """Return what was decided: as the state file says it, then what the user answered or accepted."""
    known = texts_of(content.summary, "decisions")
    made = [one.told for one in content.said.decisions]
    return [*known, *(text for text in made if not _is_in(text, known))]


def blockers(content: HandoverContent) -> list[str]:
    """Return what blocks: as the state file and its status say it, then the questions that the user did not answer."""
    known, asked = texts_of(content.summary, "blockers"), content.said.open_questions
    status = text_of(content.summary, "status")
    status = names.before_hold(status) or status
    waits = [status] if not content.plan and names.category(status, {}) == "waiting" else []
    return [*waits, *known, *(f"Open question to the user: {text}" for text in asked if not _is_in(text, known))]


def _is_in(text: str, known: list[str]) -> bool:
    """Whether one of the known texts has the end of a text, such as an answer."""
    return any(text[-_END:] in one for one in known)


def _completion(entry: str) -> tuple[str, str] | None:
    """Return the text and the date of an update that reports something completed, None for another one."""
    when, _, text = entry.partition(": ") if entry[:1].isdigit() else ("", "", entry)
    return (text, when) if text.startswith("Completed ") else None
