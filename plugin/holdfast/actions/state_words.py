"""What holdfast writes under Current State, Next Steps, decisions and questions until somebody else writes there.

Everything is quoted. In a project whose state files are committed, only what Claude said is: a person's own words stay
in the store (setting `quotes`), except a bare reply such as "yes" or "2".
"""

import os

from holdfast.clients import catalogue
from holdfast.context import quotes
from holdfast.core import clock
from holdfast.editing import own_words
from holdfast.formats import managed_block, names
from holdfast.journal import conversation, said
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.state_file import StateFile
    from holdfast.journal.said import Said

_STOPPED, _CURRENT, _STEP, _TASK = 1300, 400, 240, 200  # characters of the last answer, of a summary, of a step, a task
_COMMITS = 8
_STEPS, _DECISIONS, _CORRECTIONS, _GIVEN_UP = 6, 6, 5, 4
_TURNS, _TURN, _EARLIER = 14, 300, 1300  # turns before the last one, characters of one, of all
_BEGINNING = 60  # characters by which a text that was quoted already is known
_OPENING = ("#", ">", "[", "+", "|")  # what would begin a heading, a quote, a box or a table


def words(workspace: Workspace, state: "StateFile", session: Session) -> dict[str, list[str]]:
    """Return the lines for the sections of a state file, by the words of the model in `own_words.BLOCKS`.

    A session that has not answered yet leaves what is there: after `/clear` that is about the session before it, whose
    open tasks are in the file.
    """
    chosen = _quotes(workspace, session)
    known = workspace.said(session.id) if chosen != "none" else said.Said([], {})
    made = {"next": _next(state, session, known)}
    if not (not session.answer and own_words.is_written(state.record, "current")):
        made["current"] = _current(state, session, known, chosen)
    if decided := _decided(known, chosen):
        made["decisions"] = decided
    if known.open_questions:
        made["questions"] = [f"- {_plain(question)}" for question in known.open_questions]
    return made


def _quotes(workspace: Workspace, session: Session) -> str:
    """Return what may be quoted in the session's state file: all, answers or none; a private file may have all."""
    home = paths.locate(os.path.dirname(session.state))
    return workspace.settings.quotes if home.git else "all"


def _current(state: "StateFile", session: Session, known: "Said", chosen: str) -> list[str]:
    """Return where the work is: the last answer with its time, and what nobody else wrote down."""
    who = catalogue.of(session.client).SHORT
    if not session.answer:
        return [f"The work began on {clock.write(session.began, clock.MINUTE)} UTC; {who}'s first turn is not over."]
    at = clock.write(session.answered, clock.MINUTE)
    answer = next((turn.answer for turn in reversed(known.turns) if turn.answer), session.answer)
    if chosen == "none":
        return [f"{who} stopped on {at} UTC."]
    quote = quoted(conversation.ends(conversation.without_code(answer), _STOPPED))
    made = [*quote, "", f"{who} stopped there on {at} UTC."]
    if known.current:
        current = _plain(conversation.clipped(" ".join(known.current), _CURRENT))
        made += ["", f"The summary of a compaction since then says: {current}"]
    shown = " ".join(line.removeprefix("> ") for line in quote)
    given_up = [f"- {_plain(text)}" for _, text in known.given_up if text[:_BEGINNING] not in shown]
    sections = {
        "decisions": _decided(known, chosen),
        "corrections": _corrected(known) if chosen == "all" else [],
        "given up": [*given_up, *_refused(known, chosen)][-_GIVEN_UP:],
    }
    titles = {
        "decisions": "Decided:",
        "corrections": "The user corrected, or prefers:",
        "given up": f"Tried and given up, in {who}'s words, or refused:",
    }
    if known.commits:
        made += ["", "Commits:", "", *(f"- {_plain(commit)}" for commit in known.commits[-_COMMITS:])]
    for word, lines in sections.items():
        if lines and not state.record.spots(word):
            made += ["", titles[word], "", *lines]
    earlier = _earlier(known, chosen)
    return [*made, "", "Turn by turn:", "", *earlier] if earlier else made


def _earlier(known: "Said", chosen: str) -> list[str]:
    """Return the turns before the last one, each on one line: what Claude answered, and if wanted what was asked."""
    last = known.last.answer if known.last else ""
    earlier = [turn for turn in known.turns[:-1] if turn.answer not in {"", last} or chosen == "all"][-_TURNS:]
    room = min(_TURN, (_EARLIER if chosen == "all" else _EARLIER // 2) // max(1, len(earlier)))
    if chosen != "all":
        return [f"- {_plain(conversation.telling(turn.answer, room))}" for turn in earlier]
    return [f"- {_plain(quotes.in_short(turn, room))}" for turn in earlier]


def _decided(known: "Said", chosen: str) -> list[str]:
    """Return what was decided, the latest first."""
    decided = [
        f"- {_plain(one.question)} The user answered: {_plain(one.answer)}"
        if one.question
        else f"- {_plain(one.answer)}"
        for one in reversed(known.decisions)
        if chosen == "all" or not one.candid
    ]
    return decided[:_DECISIONS]


def _corrected(known: "Said") -> list[str]:
    return [f"- {_plain(text)}" for _, text in reversed(known.corrections)][:_CORRECTIONS]


def _refused(known: "Said", chosen: str) -> list[str]:
    """Return the plans that the user refused, with the reason if the user's words may be quoted."""
    reasons = [(title, f": {reason}" if reason and chosen == "all" else "") for _, title, reason in known.refused]
    return [f"- {_plain(f'The user refused the plan {title}{reason}')}" for title, reason in reasons]


def _next(state: "StateFile", session: Session, known: "Said") -> list[str]:
    """Return what comes next: the plan, the open tasks, and what was named as next; else that it is not known."""
    tasks = sorted((at, subject) for subject, status, at in session.tasks.values() if status == "in_progress")
    ahead = [subject for _, subject in tasks if subject] + session.unfinished()
    own = {managed_block.one_line(safe.line(subject, _TASK)).strip() for subject, *_ in session.tasks.values()}
    ahead += [subject for subject in managed_block.open_tasks(state.document) if subject not in own]
    plan = session.followed_plan()
    following = [f"Follow the plan {_plain(plan)}"] if plan else []
    following += [_plain(safe.line(subject, _TASK)) for subject in ahead if subject]
    following += [_plain(conversation.clipped(step, _STEP)) for step in known.following[:_STEPS]]
    return [f"- {subject}" for subject in dict.fromkeys(following)] or [f"- {names.NOT_KNOWN}"]


def quoted(text: str) -> list[str]:
    """Return a text as the lines of a quote in Markdown, without headings, labels, tags and comments of its own."""
    lines = [_quoted_line(line) for line in text.splitlines()]
    kept = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return [f"> {line}".rstrip() for line in kept]


def _quoted_line(line: str) -> str:
    bare = line.strip().lstrip("#").strip() if line.lstrip().startswith("#") else line.rstrip()
    item = bare.lstrip()
    indent, mark = bare[: len(bare) - len(item)], item[:2] if item[:2] in {"- ", "* "} else ""
    return f"{indent}{'- ' if mark else ''}{_plain(item[len(mark) :])}" if item else ""


def _plain(text: str) -> str:
    """Return words of a conversation as plain Markdown of one line: no label, heading, box or tag of its own counts."""
    words = text.replace("**", "").replace("__", "\\_\\_").replace("<", "\\<")
    return f"\\{words}" if words.startswith(_OPENING) else words
