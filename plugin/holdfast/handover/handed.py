"""The text of a hand-over, `.continue-here.md`: composed of what is known of a piece of work, and read back.

What comes from elsewhere stands in it as data: in quotes in the frontmatter, as list items that are one line each, or
behind `>`; where a line would be more to a parser than a line, it becomes a code span.
"""

import os
from collections.abc import Iterable

from holdfast import discovery, files, text
from holdfast.dialects.catalog import Dialects
from holdfast.handover import matter as matters
from holdfast.handover.matter import Matter
from holdfast.handover.paused import DIALECT
from holdfast.markdown.document import Document
from holdfast.session import text_of
from holdfast.states import measured
from holdfast.states.statefile import StateFile

NAME = ".continue-here.md"
PATTERN = ".continue-here-*.md"
_LONGEST = 400  # characters of the name of a state file
_SHOWN = 40  # entries of a list, and files changed that are named
_NONE = ["None"]


class Handed:
    """A hand-over that stands somewhere, with what its frontmatter says of whose it is, "" for nothing.

    `own` tells one that holdfast would write: at the root, and with the name of a state file.
    """

    __slots__ = ("at", "body", "data", "entry", "name", "own", "path", "session", "state", "title")

    def __init__(self, state: StateFile, root: str) -> None:
        said = state.metadata
        self.path = state.path
        self.data = state.document.data
        self.body = state.document.body  # where its text begins
        self.name = os.path.relpath(state.path, root)
        self.at = said.text("last_updated")
        self.state, self.session, self.entry = said.text("state_file"), said.text("session"), said.text("entry")
        self.title = said.text("title") or said.text("phase")
        self.own = bool(self.state) and os.path.dirname(state.path) == root.rstrip("/")

    def whose(self) -> tuple[str, str, str]:
        """Return what two hand-overs of the same work have in common."""
        return os.path.dirname(self.path), self.state, self.entry

    def is_of(self, path: str, entry: str) -> bool:
        """Whether it hands over this state file, and of a register this entry."""
        root = os.path.dirname(self.path).rstrip("/") + "/"
        return self.own and path.startswith(root) and self.state == named(path[len(root) :]) and self.entry == entry


def named(path: str) -> str:
    """Return the name of a state file as a hand-over has it."""
    return text.line(path, _LONGEST)


def read(path: str, root: str, dialects: Dialects) -> Handed | None:
    """Return the hand-over at `path`, None for a file of another shape, or one that cannot be read."""
    try:
        data = files.read(path) if os.stat(path).st_size <= discovery.LARGEST else b""
    except OSError:
        return None
    state = StateFile(data, path, dialects)
    return Handed(state, root) if state.dialect and state.dialect.name == DIALECT else None


def compose(matter: Matter, at: str, dialects: Dialects) -> bytes:
    """Return a hand-over, written at a time; whatever the words are, it is read as one, whole."""
    data = _composed(matter, at, plain=True)
    state = StateFile(data, NAME, dialects)
    whole = state.dialect is not None and state.dialect.name == DIALECT and not state.broken()
    return data if whole else _composed(matter, at, plain=False)


def _composed(matter: Matter, at: str, *, plain: bool) -> bytes:
    """Return a hand-over whose lines are plain where they can be, or all of them code spans."""
    ahead, remaining = _ahead(matter)
    where = named(matter.path)
    decisions, blockers = (_cut(matters.texts(matter.model, word), where) for word in ("decisions", "blockers"))
    sections: dict[str, list[str]] = {
        "current_state": _quoted(matter.stands or matter.said.note, plain=plain),
        "completed_work": _items(_cut(matters.completed(matter), where), plain=plain) or _NONE,
        "remaining_work": _items(remaining, plain=plain) or _NONE,
        "decisions_made": _items(decisions, plain=plain) or _NONE,
        "blockers": _items(blockers, plain=plain) or _NONE,
        "context": [*_items(_context(matter), plain=plain), *_noted(matter, plain=plain)],
        "next_action": _items(ahead, plain=plain),
    }
    lines = ["---", *_front(matter, at), "---"]
    for tag, body in sections.items():
        lines += ["", f"<{tag}>", *body, f"</{tag}>"]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _front(matter: Matter, at: str) -> list[str]:
    """Return the lines of the frontmatter; a number of tasks only where tasks are known."""
    title = text_of(matter.model, "title")
    keys = {"title": title, "phase": matter.phase or title}
    whose = {"state_file": named(matter.path), "session": matter.session.id if matter.session.journaled else ""}
    whose |= {"entry": matter.entry}
    statuses = [status for _, status in matters.tasks(matter)]
    current = [number for number, status in enumerate(statuses, 1) if status == matters.UNDER_WAY]
    current += [number for number, status in enumerate(statuses, 1) if status != matters.DONE]
    count = len(statuses)
    tasks = [f"task: {[*current, count][0]}", f"total_tasks: {count}"] if count else []
    return [
        *(f"{key}: {_in_quotes(value)}" for key, value in keys.items()),
        *tasks,
        "status: paused",
        f"last_updated: {at}",
        *(f"{key}: {_in_quotes(value)}" for key, value in whose.items() if value),
    ]


def _in_quotes(value: str) -> str:
    """Return a text as one line of YAML, whatever it holds."""
    return '"' + text.line(value, _LONGEST).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _cut(said: list[str], where: str) -> list[str]:
    """Return the first entries of a list, and how many more there are, and where."""
    more = [f"and {len(said) - _SHOWN} more in {where}"] if len(said) > _SHOWN else []
    return [*said[:_SHOWN], *more]


def lacking(matter: Matter) -> list[str]:
    """Return what a hand-over cannot say, with the option that says it."""
    known = {"where the work stands (--note TEXT)": matter.stands or matter.said.note}
    known["what is next (--next TEXT)"] = "".join(_ahead(matter)[0])
    return [what for what, said in known.items() if not said]


def _ahead(matter: Matter) -> tuple[list[str], list[str]]:
    """Return what is to be done next, and what else is left."""
    steps, left = matters.texts(matter.model, "next"), matters.left(matter)
    given = [line for line in matter.said.following.splitlines() if line.strip()]
    following = given or steps[:1] or left[:1]
    others = [step for step in steps if step not in following]
    where = named(matter.path)
    return following, [*_cut(left, where), *_cut(others, where)]


def _context(matter: Matter) -> list[str]:
    """Return what else the next one should know, each with its name."""
    told, session = matter.model, matter.session
    changed = session.inside()
    more = f" (and {len(changed) - _SHOWN} more)" if len(changed) > _SHOWN else ""
    words = {
        "Work": text_of(told, "title"),
        "State file": named(matter.path) + (f", its entry {matter.entry}" if matter.entry else ""),
        "Phase": matter.phase,
        "In discussion": matter.discussion,
        "Focus": matter.focus,
        "Objective": matter.objective,
        "Progress": text_of(told, "progress"),
        "Branch": matter.branch,
        "Files changed": ", ".join(text.line(path, 200) for path in changed[:_SHOWN]) + more,
    }
    title = words["Work"]
    new = {label: said for label, said in words.items() if said and (label == "Work" or said != title)}
    lines = [f"{label}: {text.line(said.lstrip('-*# '), 10_000)}" for label, said in new.items()]
    return [*lines, *_open(matter)]


def _open(matter: Matter) -> list[str]:
    """Return the open questions of the state file, and those loops of the project that are not among them."""
    asked = [text.line(question, matters.LONGEST) for question in matters.texts(matter.model, "questions")]
    loops = [loop for loop in matter.loops if not any(loop.partition(":")[0] in question for question in asked)]
    lists = {"Open question": _cut(asked, named(matter.path)), "Open loop": _cut(loops, matter.book)}
    return [f"{label}: {entry}" for label, entries in lists.items() for entry in entries]


def _noted(matter: Matter, *, plain: bool) -> list[str]:
    """Return the note of whoever paused, unless it stands for where the work stands."""
    apart = matter.said.note and matter.stands
    return ["", "Note:", "", *_quoted(matter.said.note, plain=plain)] if apart else []


def _items(texts: Iterable[str], *, plain: bool) -> list[str]:
    """Return each text as one list item, which reads back as that text or as a code span of it."""
    lines = dict.fromkeys(text.line(said, max(len(said), 1)) for said in texts)
    return [f"- {said if plain and _is_item(said) else measured.code(said)}" for said in lines if said]


def _is_item(said: str) -> bool:
    """Whether a line is no more than an item's text to a parser: no heading, box, fence, comment or other list."""
    data = f"- {said}\n".encode("utf-8", "replace")
    document = Document(data)
    items = document.items(0, len(data))
    alone = len(items) == 1 and not items[0].box and not document.flaws and not document.sections
    return alone and document.text(items[0].text_start, items[0].text_end) == said


def _quoted(said: str, *, plain: bool) -> list[str]:
    """Return a text with a mark before each line; code spans where it opens what it does not close."""
    lines = text.safe(said).strip().splitlines()
    quote = [f"> {line}".rstrip() for line in lines]
    flaws = Document("\n".join([*quote, ""]).encode("utf-8", "replace")).flaws
    if plain and not flaws:
        return quote
    return [f"> {measured.code(line.strip())}" if line.strip() else ">" for line in lines]
