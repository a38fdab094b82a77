"""What holdfast logs of a session: its turns, commits, runs of tests, decisions, subagents and plans."""

import re
import zlib

from holdfast.clients import catalogue
from holdfast.context.short_lists import listed
from holdfast.editing.log_entries import Entry
from holdfast.formats import managed_block
from holdfast.journal import asked as requests
from holdfast.journal import conversation
from holdfast.journal.session import Child
from holdfast.sessions import children
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.conversation import Turn
    from holdfast.journal.said import Said

_LONGEST = 200  # characters of a line
_HEADING = 60  # characters of a prompt that names a turn
_LEAST = 30  # characters of an answer that says something
_NAMED = 2  # files in a heading
_OPENING = re.compile(r"^(?=[#>\[+*|-])|(?=<)")  # what would begin a heading, a box, a tag and the like


def entries(session: Session, known: "Said", *, quotes: bool) -> list[Entry]:
    """Return all entries in order; `quotes` says whether the user's own words may be there."""
    made = [
        *(_turn(session, turn, quotes=quotes) for turn in known.turns if _matters(turn)),
        *(Entry(_commit(text), at, "Commit", prose(text), renewed=True) for at, text in known.made),
        *(Entry(_key("tests", at), at, "Tests", prose(text)) for at, text in known.ran),
        *(Entry(_key("undone", at), at, "Edits taken back", prose(text)) for at, text in known.undone),
        *(
            Entry(_key("decided", at), at, "Decision", prose(text), telling=False)
            for at, text in _decisions(known, quotes=quotes)
        ),
        *(_child(session, child) for child in session.children.values() if child.type and child.status == "completed"),
        *_plan(session),
        *(Entry(_key("refused", at), at, "Plan refused", prose(title)) for at, title, _ in known.refused),
    ]
    return sorted({entry.key: entry for entry in made}.values(), key=lambda one: one.at)


def _commit(text: str) -> str:
    """Return the key of a commit, which it keeps when it is amended: a checksum of its subject."""
    return f"commit-{zlib.crc32(text.partition(' ')[2].encode()):08x}"


def _key(kind: str, at: float) -> str:
    return f"{kind}-{at * 1000:.0f}"


def prose(text: str, longest: int = _LONGEST) -> str:
    """Return words of a conversation as one line of plain Markdown, without labels, tags and links of their own."""
    words = safe.line(managed_block.inline(text), longest).replace("**", "").replace("__", "\\_\\_")
    return _OPENING.sub(r"\\", words)


def _matters(turn: "Turn") -> bool:
    return len(turn.answer) >= _LEAST


def _turn(session: Session, turn: "Turn", *, quotes: bool) -> Entry:
    """Return the entry about a turn: what was asked or changed, and the telling sentences of the answer."""
    who = catalogue.of(session.client).SHORT
    changed = [path for path, at in session.files.items() if turn.at <= at <= turn.answered and path[:1] != "/"]
    did = f"{who} changed {listed(changed, _NAMED)}" if changed else f"{who} answered"
    asked = prose(conversation.clipped(requests.title(turn.prompt), _HEADING)) if quotes else ""
    text = conversation.telling(turn.answer, _LONGEST - 5)
    return Entry(_key("turn", turn.at), turn.answered, asked or did, prose(text), telling=bool(asked))


def _decisions(known: "Said", *, quotes: bool) -> list[tuple[float, str]]:
    """Return time and text of each decision that is no plan, which has an entry of its own."""
    kept = [one for one in known.decisions if (quotes or not one.candid) and one.at != known.summed_up]
    return [(one.at, f'"{one.in_short}" was the answer to: {one.question}') for one in kept if one.question]


def _child(session: Session, child: Child) -> Entry:
    """Return the entry about a subagent that has ended."""
    task, answer = children.description(session, child), child.answer
    text = ": ".join(prose(text) for text in (task, answer) if text) or "It gave no answer."
    return Entry(f"child-{child.id}", child.last_active, f"{safe.line(child.type, 64)} finished", text)


def _plan(session: Session) -> list[Entry]:
    """Return the entry about the plan that the user accepted last."""
    title, path, accepted = session.plan
    text = ": ".join(prose(text) for text in (title, path) if text)
    return [Entry(_key("plan", accepted), accepted, "Plan accepted", text)] if accepted else []
