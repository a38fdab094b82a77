"""What holdfast writes under Current State, Next Steps, decisions and questions until somebody else writes there.

Everything is quoted. In a project whose state files are committed, only what Claude said is: a person's own words stay
in the store (setting `quotes`), except a bare reply such as "yes" or "2".
"""

import os

from holdfast.clients import catalogue
from holdfast.context import quotes
from holdfast.core import clock
from holdfast.core.words import words as words_of
from holdfast.editing import own_words
from holdfast.formats import managed_block, names
from holdfast.journal import conversation
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.formats.state_file import StateFile
    from holdfast.journal.conversation import Turn

_STOPPED, _STEP, _TASK = 1300, 240, 200  # characters of the last answer, of a next step, of a task
_STEPS, _DECISIONS, _CORRECTIONS, _GIVEN_UP = 6, 6, 5, 4
_TURNS, _TURN, _EARLIER = 14, 300, 1300  # turns before the last one, characters of one, of all
_BARE = 3  # words of a reply that says nothing candid
_OPENING = ("#", ">", "[", "+", "|")  # what would begin a heading, a quote, a box or a table


def words(workspace: Workspace, state: "StateFile", session: Session) -> dict[str, list[str]]:
    """Return the lines for the sections of a state file, by the words of the model in `own_words.BLOCKS`.

    A session that has not answered yet leaves what is there: after `/clear` that is about the session before it, whose
    open tasks are in the file.
    """
    known = quotes.of_session(workspace.project.store, session.id)
    chosen = _quotes(workspace, session)
    made = {"next": _next(state, session, known if chosen != "none" else [])}
    if not (not session.answer and own_words.is_written(state.record, "current")):
        made["current"] = _current(state, session, known, chosen)
    if decided := _decided(known, chosen):
        made["decisions"] = decided
    question = conversation.open_question(known) if chosen != "none" else ""
    if question:
        made["questions"] = [f"- {_plain(question)}"]
    return made


def _quotes(workspace: Workspace, session: Session) -> str:
    """Return what may be quoted in the session's state file: all, answers or none; a private file may have all."""
    home = paths.locate(os.path.dirname(session.state))
    return workspace.settings.quotes if home.git else "all"


def _current(state: "StateFile", session: Session, known: "Sequence[Turn]", chosen: str) -> list[str]:
    """Return where the work is: the last answer with its time, and what nobody else wrote down."""
    who = catalogue.of(session.client).SHORT
    if not session.answer:
        return [f"The work began on {clock.write(session.began, clock.MINUTE)} UTC; {who}'s first turn is not over."]
    at = clock.write(session.answered, clock.MINUTE)
    answer = next((turn.answer for turn in reversed(known) if turn.answer), session.answer)
    if chosen == "none":
        return [f"{who} stopped on {at} UTC."]
    said = quoted(conversation.ends(conversation.without_code(answer), _STOPPED))
    made = [*said, "", f"{who} stopped there on {at} UTC."]
    sections = {
        "decisions": _decided(known, chosen),
        "corrections": _corrected(known) if chosen == "all" else [],
        "given up": [f"- {_plain(text)}" for _, text in conversation.given_up(known[:-1])[-_GIVEN_UP:]],
    }
    titles = {
        "decisions": "Decided by the user:",
        "corrections": "The user corrected, or prefers:",
        "given up": f"Tried and given up, in {who}'s words:",
    }
    for word, lines in sections.items():
        if lines and not state.record.spots(word):
            made += ["", titles[word], "", *lines]
    earlier = _earlier(known, chosen)
    return [*made, "", "Turn by turn:", "", *earlier] if earlier else made


def _earlier(known: "Sequence[Turn]", chosen: str) -> list[str]:
    """Return the turns before the last one, each on one line: what Claude answered, and if wanted what was asked."""
    last = known[-1].answer if known else ""
    earlier = [turn for turn in known[:-1] if turn.answer not in {"", last} or chosen == "all"][-_TURNS:]
    room = min(_TURN, (_EARLIER if chosen == "all" else _EARLIER // 2) // max(1, len(earlier)))
    if chosen != "all":
        return [f"- {_plain(conversation.telling(turn.answer, room))}" for turn in earlier]
    return [f"- {_plain(quotes.in_short(turn, room))}" for turn in earlier]


def _decided(known: "Sequence[Turn]", chosen: str) -> list[str]:
    """Return what the user answered to questions, the latest first."""
    if chosen == "none":
        return []
    answered = [
        f"- {_plain(question)} The user answered: {_plain(answer)}"
        for _, question, answer in reversed(conversation.decisions(known))
        if chosen == "all" or len(words_of(answer)) <= _BARE
    ]
    return answered[:_DECISIONS]


def _corrected(known: "Sequence[Turn]") -> list[str]:
    answers = {at for at, *_ in conversation.decisions(known)}
    said = [f"- {_plain(text)}" for at, text in reversed(conversation.corrections(known)) if at not in answers]
    return said[:_CORRECTIONS]


def _next(state: "StateFile", session: Session, known: "Sequence[Turn]") -> list[str]:
    """Return what comes next: the plan, the open tasks, and what the last answer names; else that it is not known."""
    tasks = sorted((at, subject) for subject, status, at in session.tasks.values() if status == "in_progress")
    ahead = [subject for _, subject in tasks if subject] + session.unfinished()
    own = {managed_block.one_line(safe.line(subject, _TASK)).strip() for subject, *_ in session.tasks.values()}
    ahead += [subject for subject in managed_block.open_tasks(state.document) if subject not in own]
    plan = session.followed_plan()
    following = [f"Follow the plan {_plain(plan)}"] if plan else []
    following += [_plain(safe.line(subject, _TASK)) for subject in ahead if subject]
    if known:
        steps = next((named for turn in reversed(known) if (named := conversation.next_steps(turn.answer))), [])
        following += [_plain(conversation.clipped(step, _STEP)) for step in steps[:_STEPS]]
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
