"""The text of a hand-over, `.continue-here.md`: composed from its content, and read back.

Foreign text is data in it: quoted in the frontmatter, one list item per line, or after `>`. A line that a parser would
read as more than text becomes a code span.
"""

import os
from collections.abc import Iterable

from holdfast.context.handover.content import (
    LONGEST_TITLE,
    OVER,
    UNDER_WAY,
    HandoverContent,
    blockers,
    boxes,
    completed,
    decisions,
    remaining,
    tasks,
)
from holdfast.core import clock, files
from holdfast.core.fast_json import text_of, texts_of
from holdfast.formats.catalogue import Formats
from holdfast.formats.state_file import StateFile, parse
from holdfast.journal import telling
from holdfast.journal.said import Said
from holdfast.markdown import yamltree
from holdfast.markdown.document import Document, code_span
from holdfast.project import discovery, paths
from holdfast.sessions.paused_work import FORMAT, NAME
from holdfast.trust import safe

_LONGEST_VALUE = 400  # characters of a value in the frontmatter, such as the name of a state file
_SHOWN = 40  # entries of a list, and files changed that are named
_GIVEN_UP, _DECIDED = 6, 12
_BEGINNING = 60  # characters by which a text that is elsewhere is known
_TURNS, _TURN = 10, 380  # turns of which something is quoted, and characters of each
_NONE = ["None"]
_UNKNOWN = ["Not known: nothing names what is left."]


class Handover:
    """A hand-over file, with what its frontmatter says about its owner, "" for nothing.

    `own` tells whether holdfast would write it: it is in the folder `root` itself, and names a state file.
    """

    def __init__(self, state: StateFile, root: str) -> None:
        front = state.metadata
        self.path = state.path
        self.data = state.document.data
        self.body = state.document.body  # where its text begins
        self.name = os.path.relpath(state.path, root)
        self.at = front.text("last_updated")
        self.state, self.session, self.entry = front.text("state_file"), front.text("session"), front.text("entry")
        self.title = front.text("title") or front.text("phase")
        self.own = bool(self.state) and os.path.dirname(state.path) == root.rstrip("/")

    def work(self) -> tuple[str, str, str]:
        """Return what two hand-overs of the same work have in common."""
        return os.path.dirname(self.path), self.state, self.entry

    def is_of(self, path: str, entry: str) -> bool:
        """Return whether it belongs to this state file, and to this entry of a hub."""
        if not self.own or self.entry != entry or not path:
            return False
        home, folder = paths.locate(os.path.dirname(path)), os.path.dirname(self.path)
        return folder in {home.root.rstrip("/"), home.aside} and self.state == named(home.relative(path))


def named(path: str) -> str:
    """Return the name of a state file as a hand-over contains it."""
    return safe.line(path, _LONGEST_VALUE)


def read(path: str, root: str, formats: Formats) -> Handover | None:
    """Return the hand-over at `path`, None for a file of another format or one that cannot be read."""
    try:
        data = files.read(path) if os.stat(path).st_size <= discovery.LARGEST else b""
    except OSError:
        return None
    state = parse(data, path, formats)
    return Handover(state, root) if state.file_format and state.file_format.name == FORMAT else None


def compose(content: HandoverContent, at: str, formats: Formats) -> bytes:
    """Return a hand-over with the time `at`; it can be read back completely, with any texts."""
    data = _composed(content, at, plain=True)
    state = parse(data, NAME, formats)
    whole = state.file_format is not None and state.file_format.name == FORMAT and not state.broken()
    return data if whole else _composed(content, at, plain=False)


def _composed(content: HandoverContent, at: str, *, plain: bool) -> bytes:
    """Return a hand-over whose lines are plain where possible, or all code spans."""
    ahead, remaining = _ahead(content)
    where = named(content.path)
    sections: dict[str, list[str]] = {
        "current_state": _quoted(content.current_state or content.additions.note, plain=plain),
        "completed_work": _items(_cut(completed(content), where), plain=plain) or _NONE,
        "remaining_work": _items(remaining or ahead, plain=plain) or _UNKNOWN,
        "decisions_made": _items(_cut(decisions(content), where), plain=plain) or _NONE,
        "blockers": _items(_cut(blockers(content), where), plain=plain) or _NONE,
        "context": [*_items([*_context(content), *_turns(content)], plain=plain), *_noted(content, plain=plain)],
        "next_action": _items(ahead, plain=plain),
    }
    lines = ["---", *_front(content, at), "---"]
    for tag, body in sections.items():
        lines += ["", f"<{tag}>", "", *body, "", f"</{tag}>"]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _front(content: HandoverContent, at: str) -> list[str]:
    """Return the lines of the frontmatter; numbers of tasks only if tasks are known."""
    title = text_of(content.summary, "title")
    keys = {"title": title, "phase": content.phase or title}
    owner = {"state_file": named(content.path), "session": content.session.id if content.session.journaled else ""}
    owner |= {"entry": content.entry}
    statuses = [status for _, status in tasks(content)]
    current = [number for number, status in enumerate(statuses, 1) if status == UNDER_WAY]
    current += [number for number, status in enumerate(statuses, 1) if status not in OVER]
    count = len(statuses)
    numbers = [f"task: {[*current, count][0]}", f"total_tasks: {count}"] if count else []
    return [
        *(f"{key}: {_in_quotes(value)}" for key, value in keys.items()),
        *numbers,
        "status: paused",
        f"last_updated: {at}",
        *(f"{key}: {_in_quotes(value)}" for key, value in owner.items() if value),
    ]


def _in_quotes(value: str) -> str:
    """Return a text as one quoted line of YAML."""
    return yamltree.quoted(safe.line(value, _LONGEST_VALUE))


def _cut(entries: list[str], where: str) -> list[str]:
    """Return the first entries of a list, and a line with the number of the others and where they are."""
    more = [f"and {len(entries) - _SHOWN} more in {where}"] if len(entries) > _SHOWN else []
    return [*entries[:_SHOWN], *more]


def lacking(content: HandoverContent) -> list[str]:
    """Return what a hand-over lacks, each part with the option that adds it."""
    known = {"the current state (--note TEXT)": content.current_state or content.additions.note}
    known["what is next (--next TEXT)"] = "".join(_ahead(content)[0])
    return [what for what, text in known.items() if not text]


def _ahead(content: HandoverContent) -> tuple[list[str], list[str]]:
    """Return what is to be done next, and what else is left."""
    steps, left = texts_of(content.summary, "next") or content.said.following, remaining(content)
    given = [line for line in content.additions.next_step.splitlines() if line.strip()]
    asked = [f"Answer: {text}" for text in content.said.open_questions[:1]]
    following = given or steps[:1] or left[:1] or asked
    others = [step for step in steps if step not in following]
    where = named(content.path)
    return following, [line for lines in (left, boxes(content, done=False), others) for line in _cut(lines, where)]


def _context(content: HandoverContent) -> list[str]:
    """Return labelled lines with everything else that is known."""
    summary, session = content.summary, content.session
    changed = session.inside()
    more = f" (and {len(changed) - _SHOWN} more)" if len(changed) > _SHOWN else ""
    words = {
        "Work": text_of(summary, "title"),
        "State file": named(content.path) + (f", its entry {content.entry}" if content.entry else ""),
        "Phase": content.phase,
        "In discussion": content.discussion,
        "Focus": content.focus,
        "Objective": content.objective,
        "Progress": text_of(summary, "progress"),
        "Branch": content.branch,
        "Given up": "; ".join(
            text for _, text in content.said.given_up[-_GIVEN_UP:] if text[:_BEGINNING] not in content.current_state
        ),
        "Refused plans": "; ".join(title for _, title, _ in content.said.refused),
        "Files changed": ", ".join(safe.line(path, 200) for path in changed[:_SHOWN]) + more,
    }
    title = words["Work"]
    new = {label: text for label, text in words.items() if text and (label == "Work" or text != title)}
    lines = [f"{label}: {safe.line(text.lstrip('-*# '), 10_000)}" for label, text in new.items()]
    return [*lines, *_open(content)]


def _turns(content: HandoverContent) -> list[str]:
    """Return what the answers before the last one say beyond what the hand-over has elsewhere, a line for each turn."""
    lists = (content.current_state, *decisions(content), *(text for _, text in content.said.given_up))
    shown = " ".join(" ".join(lists).split())
    told = [(turn, telling.of_turn(turn, _TURN, shown)) for turn in content.said.turns[:-1]]
    lines = [f"Said on {clock.write(turn.answered, clock.MINUTE)}: {text}" for turn, text in told if text][-_TURNS:]
    return [*lines, *(line for title, said in content.before for line in _before(title, said))]


def _before(title: str, said: "Said") -> list[str]:
    """Return what a session that worked on the branch before had decided, given up and committed."""
    made = {
        "Asked": said.objective,
        "Decided": "; ".join(one.told for one in said.decisions[-_DECIDED:]),
        "Corrected": "; ".join(text for _, text in said.corrections[-_GIVEN_UP:]),
        "Given up": "; ".join(text for _, text in said.given_up[-_GIVEN_UP:]),
        "Named as next": "; ".join(said.following),
        "Said last": telling.of_turn(said.last, _TURN, "; ".join(said.following)) if said.last else "",
        "Committed": "; ".join(said.commits),
    }
    lines = [f"{label} then: {text}" for label, text in made.items() if text]
    lines += [
        f"Said then, before its end: {text}"
        for one in said.turns[-_TURNS:-1]
        if (text := telling.of_turn(one, _TURN, "".join(lines)))
    ]
    return [f"Before that on this branch: {title}", *lines] if lines else []


def _open(content: HandoverContent) -> list[str]:
    """Return the open questions of the state file, and the project's loops that are not among them."""
    asked = [safe.line(question, LONGEST_TITLE) for question in texts_of(content.summary, "questions")]
    loops = [loop for loop in content.loops if not any(loop.partition(":")[0] in question for question in asked)]
    lists = {"Open question": _cut(asked, named(content.path)), "Open loop": _cut(loops, content.book)}
    return [f"{label}: {entry}" for label, entries in lists.items() for entry in entries]


def _noted(content: HandoverContent, *, plain: bool) -> list[str]:
    """Return the note of the person who paused, unless it is used as the current state."""
    apart = content.additions.note and content.current_state
    return ["", "Note:", "", *_quoted(content.additions.note, plain=plain)] if apart else []


def _items(entries: Iterable[str], *, plain: bool) -> list[str]:
    """Return each text as one list item that reads back as the same text, or as a code span of it."""
    lines = dict.fromkeys(safe.line(entry, max(len(entry), 1)) for entry in entries)
    return [f"- {line if plain and _is_item(line) else code_span(line)}" for line in lines if line]


def _is_item(line: str) -> bool:
    """Return whether a line is plain text to a parser: no heading, box, code block, comment or nested list."""
    data = f"- {line}\n".encode("utf-8", "replace")
    document = Document(data)
    items = document.items(0, len(data))
    alone = len(items) == 1 and not items[0].box and not document.flaws and not document.sections
    return alone and document.text(items[0].text_start, items[0].text_end) == line


def _quoted(text: str, *, plain: bool) -> list[str]:
    """Return a text with `>` before each line; code spans if it opens something that it does not close."""
    lines = safe.safe(text).strip().splitlines()
    quote = [f"> {line}".rstrip() for line in lines]
    flaws = Document("\n".join([*quote, ""]).encode("utf-8", "replace")).flaws
    if plain and not flaws:
        return quote
    return [f"> {code_span(line.strip())}" if line.strip() else ">" for line in lines]
