"""What is known of work that is paused: the words of its state file and of its working memory, and its tasks."""

from holdfast import text
from holdfast.dialects import names
from holdfast.memory.step import bare
from holdfast.memory.view import View, called, entries, split
from holdfast.session import Session, text_of
from holdfast.states.record import Record, Spot

LONGEST = 200  # characters of the title of a task or loop
_LISTS = ("next", "questions", "decisions", "blockers")
_SAME = 200  # characters by which an entry of the model is known again
_FORK = "/discuss"
PENDING, UNDER_WAY, DONE = "pending", "in_progress", "completed"

TYPE_CHECKING = False
if TYPE_CHECKING:
    Model = dict[str, object]
    Task = tuple[str, str]  # its words, and how it stands


class Said:
    """What whoever pauses adds: a note, and what is to be done next, both "" for nothing."""

    __slots__ = ("following", "note")

    def __init__(self, note: str, following: str) -> None:
        self.note = text.safe(note).strip()
        self.following = text.safe(following).strip()

    def after(self, before: "Said") -> "Said":
        """Return this beside what was said before: each note once, and the newest of what is to be done next."""
        again = not self.note or f"\n{self.note}\n" in f"\n{before.note}\n"
        notes = [before.note, "" if again else self.note]
        return Said("\n".join(note for note in notes if note), self.following or before.following)


class Matter:
    """What is handed over: the words of the model, the session, its state file, and of a register the entry.

    `branch` is the one checked out, `said` what whoever pauses adds, `loops` are the project's open ones, which stand
    in the file `book`; `view` is the working memory of the state file, None where it has none of its own.
    """

    __slots__ = ("book", "branch", "entry", "loops", "model", "path", "said", "session", "view")

    def __init__(self, told: "Model", session: Session, path: str, entry: str = "") -> None:
        self.model = {word: _typed(value) for word, value in told.items()}
        self.session = session
        self.path = path  # of the state file, in its working tree
        self.entry = entry
        self.branch = session.branch
        self.said = Said("", "")
        self.loops: list[str] = []
        self.book = ""
        self.view: View | None = None

    @property
    def phase(self) -> str:
        """The phase of the project, "" where nobody says it."""
        return bare(self.view.phase if self.view else "") or text_of(self.model, "phase")

    @property
    def focus(self) -> str:
        """What is to be reached now."""
        return bare(self.view.focus if self.view else "") or text_of(self.model, "focus")

    @property
    def objective(self) -> str:
        """What it is all for, "" where that is no more than the task at hand."""
        said = text_of(self.model, "objective")
        return "" if self.view and _begins(self.view.task, said) else said

    @property
    def stands(self) -> str:
        """Where the work stands, as the state file says it."""
        current = text_of(self.model, "current")
        if current.startswith("None ("):  # what was at hand is over
            return self.focus or current
        if self.view and _begins(self.view.current, current):  # a title, which can be long
            return f"In discussion: {self.discussion}" if self.discussion else text.line(current, LONGEST)
        return current or self.focus

    @property
    def discussion(self) -> str:
        """What is talked about in a detour and what that returns to, "" outside of one."""
        if not self.view or not self.view.depth:
            return ""
        topic = self.view.current.removeprefix(_FORK).strip() or "what was asked"
        back = f"; returns to {text.line(bare(self.view.back), LONGEST)}" if self.view.back else ""
        return text.line(bare(topic), LONGEST) + back

    @property
    def plan(self) -> list[str]:
        """Id and title of the plan that waits for approval, nothing where none does."""
        return [bare(cell) for cell in self.view.plan[:2]] if self.view else []


def _begins(whole: str, said: str) -> bool:
    """Whether a text of the model is this one of the file, of which it may be the beginning."""
    return bool(said) and bare(whole)[:_SAME] == said[:_SAME]


def _typed(value: object) -> object:
    """Return a value of the model as its author typed it."""
    if isinstance(value, list):
        return [bare(entry) if isinstance(entry, str) else entry for entry in value]
    return bare(value) if isinstance(value, str) else value


def texts(told: "Model", word: str) -> list[str]:
    """Return a list of the model."""
    value = told.get(word)
    return [str(entry) for entry in value] if isinstance(value, list) else []


def whole(told: "Model", record: Record) -> "Model":
    """Return a model with its lists as they were typed, and as long as they are in the file."""
    return {**told, **{word: _listed(record, word, texts(told, word)) for word in _LISTS}}


def _listed(record: Record, word: str, known: list[str]) -> list[str]:
    """Return the entries that the model has, and those after them for which it has no room."""
    same = {entry[:_SAME] for entry in known}
    for place in record.dialect.model.get(word, []):
        said = [pair for spot in record.find(place) for pair in _pairs(record, spot)]
        found = [number for number, (raw, _) in enumerate(said) if raw[:_SAME] in same]
        if found:
            more = [number for number in range(found[-1] + 1, len(said)) if _says(record, said[number][0])]
            return [text.clip(said[number][1], 300) for number in (*found, *more)]
    return known


def _says(record: Record, entry: str) -> bool:
    """Whether an entry says anything."""
    return not record.unfilled(entry) and names.plain(entry) not in {"", "none", "n a"}


def _pairs(record: Record, spot: Spot) -> list[tuple[str, str]]:
    """Return what stands at a place as a list, each entry as it stands and as it was typed into a table's cells."""
    said, section = record.entries(spot), spot.section
    if section is None or spot.kind == "title" or not record.document.rows(section.body, record.own_end(section)):
        return [(entry, entry) for entry in said]
    items = {record.item(item) for item in record.items(section)}
    return [(entry, entry if entry in items else entry.replace(r"\|", "|")) for entry in said]


def tasks(matter: Matter) -> "list[Task]":
    """Return the tasks with how they stand: those of the state file, the one at hand, and the session's own."""
    view = matter.view
    found = [(bare(words), PENDING if waits else DONE) for words, waits in view.tasks] if view else []
    if view and view.task and called(view.task) not in matter.plan[:1]:
        found = _with(found, bare(view.task), UNDER_WAY)
    listed = found
    for subject, status, _ in matter.session.tasks.values():
        if not subject or status == "deleted":  # given up
            continue
        alike = any(_alike(words, subject) for words, _ in listed)
        found = _with(found, subject, status) if alike else [*found, (subject, status)]
    return found


def _with(found: "list[Task]", said: str, status: str) -> "list[Task]":
    """Return the tasks with what is known of one more: one that is listed stands as both know it, done by either."""
    number = next((number for number, (words, _) in enumerate(found) if _alike(words, said)), None)
    if number is None:
        return [*found, (said, status)]
    words, before = found[number]
    stands = before if before == DONE or status == PENDING else status
    return [*found[:number], (words, stands), *found[number + 1 :]]


def _alike(one: str, other: str) -> bool:
    """Whether two mean the same task: by id, or by title where one of them has no id."""
    (ident, title), (known, words) = split(one), split(other)
    return ident == known and bool(ident) if ident and known else title == words


def lines(matter: Matter, *, done: bool) -> list[str]:
    """Return the tasks that are completed, or those that are left, each with its id or else its number."""
    told = [(number, *task) for number, task in enumerate(tasks(matter), 1) if (task[1] == DONE) == done]
    told.sort(key=lambda task: task[2] != UNDER_WAY)
    return [
        f"{'' if split(words)[0] else f'Task {number}: '}{text.line(words, LONGEST)}"
        f"{' (in progress)' if status == UNDER_WAY else ''}"
        for number, words, status in told
    ]


def left(matter: Matter) -> list[str]:
    """Return what is left to do: the plan that waits for approval, the task at hand, then the others."""
    plan = text.line(" - ".join(matter.plan), LONGEST)
    return [*([f"{plan} (waits for approval)"] if plan else []), *lines(matter, done=False)]


def completed(matter: Matter) -> list[str]:
    """Return what is done: the tasks, and what the state file's news say of others."""
    done = [words for words, status in tasks(matter) if status == DONE]
    news = [told for entry in entries(matter.view.record) if (told := _over(bare(entry)))] if matter.view else []
    others = [
        f"{text.line(said, LONGEST)}{f' ({when})' if when else ''}"
        for said, when in news
        if not any(_alike(words, said.removeprefix("Completed ")) for words in done)
    ]
    return [*lines(matter, done=True), *others]


def _over(entry: str) -> tuple[str, str] | None:
    """Return what an entry of the news says to be completed, and when; None for any other."""
    when, _, said = entry.partition(": ") if entry[:1].isdigit() else ("", "", entry)
    return (said, when) if said.startswith("Completed ") else None
