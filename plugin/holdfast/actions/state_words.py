"""What holdfast writes under Current State, Next Steps, decisions and questions until somebody else writes there.

Everything is quoted. In a project whose state files are committed, only what Claude said is: a person's own words stay
in the store (setting `quotes`), except a bare reply such as "yes" or "2".
"""

import os
import re

from holdfast.actions import state_parts
from holdfast.actions.adoption import quotes_allowed
from holdfast.clients import catalogue
from holdfast.context.checklist import unfinished
from holdfast.context.short_lists import listed
from holdfast.core import clock
from holdfast.core.fast_json import text_of
from holdfast.core.patterns import pattern
from holdfast.core.statuses import COMPLETED, DROPPED, OVER, PAUSED
from holdfast.editing import log_entries, own_words
from holdfast.editing.log_entries import Entry
from holdfast.formats import managed_block, names
from holdfast.formats.state_file import StateFile, summary
from holdfast.journal import conversation, next_steps, open_items, said, telling
from holdfast.journal.decided import Decision
from holdfast.journal.said import Said
from holdfast.journal.session import TASK_OVER
from holdfast.markdown.document import outside_code
from holdfast.sessions import ledger
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

SECTIONS = ("decisions", "blockers")  # words whose section is added when there is something for it
_STOPPED, _CURRENT, _STEP, _TASK = 900, 400, 240, 200  # characters of the last answer, of a summary, of a step, a task
_STEPS, _QUOTED, _QUESTIONS = 8, 3, 2
_NUMBERED = pattern(r"Decision (\d+): (.*)", re.IGNORECASE)
_ALONE = 2  # decisions of one answer that are told one by one
_LONGEST = 4340  # characters of a file
_DECIDED, _DECIDED_LEAST, _FORM = 1600, 500, 22  # characters of all decisions, of the form of one
_LISTED, _LISTED_LEAST, _STOPPED_LEAST = 700, 240, 400  # characters of quotes in a list, of the last answer
_TITLE, _ABOUT, _ASKED = 80, 40, 180  # characters of a decision, of what it is about, of a question that waits
_ENDING = ".,;:! \u3002\uff0c\uff1b\uff1a\uff01"  # with which a heading does not end
_BEGINNING = 60  # characters by which a text that was quoted already is known
_CORRECTED = {True: "The user corrected, or prefers", False: "Claude said when the user corrected it"}
_NO_STEPS = (f"- {names.NOT_KNOWN}", "- None. ", "- Follow the plan ")
_CHANGED = 4  # files that were changed for a request without an answer
_NO_ANSWER = "The last request got no answer"
_END, _PUT_OFF = 40, " (put off on "  # characters at the end of a step by which it is known, what follows a question
_OPENING = ("#", ">", "[", "+", "|")  # what would begin a heading, a quote, a box or a table
_IN_LIST = pattern(r"\s|- |\d{1,9}[.)] ")  # an item of a list, or what goes on in one


def words(workspace: Workspace, state: "StateFile", session: Session) -> dict[str, list[str]]:
    """Return the lines for the sections of a state file, by the words of the model in `own_words.BLOCKS`.

    A session that has not answered yet leaves what is there: after `/clear` that is about the session before it, whose
    open tasks are in the file. In a file of its own it says that it crashed.
    """
    chosen = _quotes(workspace, session)
    whole = workspace.said(session.id)
    known = (
        whole if chosen == "all" else whole.without_candid(answers=True) if chosen == "answers" else said.Said([], {})
    )
    steps = _still_open(state, session, known if chosen == "none" else whole)
    if _in_turn(known):
        steps = [step for step in steps if not open_items.is_uncommitted(step)]
    made = {"next": _next(state, session, known, steps)}
    if known.open_questions:
        made["questions"] = [f"- {_plain(question)}" for question in known.open_questions]
    blocked = _blocked(session)
    if blocked or own_words.is_written(state.record, "blockers"):
        made["blockers"] = blocked or ["- None."]
    own = session.talk.answer or (session.file.made and session.process.crashes)
    if own or not own_words.is_written(state.record, "current"):
        made["current"] = _current(state, session, known, steps, _room(state, made))
    if decided := _decided(state, known, min(_DECIDED, max(_DECIDED_LEAST, _room(state, made)))):
        made["decisions"] = decided
    return made


def _in_turn(known: "Said") -> bool:
    """Whether the last prompt has no answer yet; then Claude may be about to commit the file."""
    return bool(known.last and not known.last.answer)


def _room(state: "StateFile", made: dict[str, list[str]]) -> int:
    """Return how many characters are left for other sections, so that the file stays one that is read."""
    record = state.record
    present = sum(len(own_words.text(record, word)) for word in own_words.BLOCKS)
    present += sum(section.end - section.body for section in record.sections("Decisions"))
    made_here = sum(len(line) + 1 for lines in made.values() for line in lines)
    return _LONGEST - len(record.document.data.decode("utf-8", "replace")) + present - made_here


def entries(workspace: Workspace, state: "StateFile", session: Session) -> "list[Entry]":
    """Return the entries for the log of a session's state file, also of the status that somebody wrote into it."""
    chosen = _quotes(workspace, session)
    known = workspace.said(session.id)
    known = known.without_candid(answers=False) if chosen == "none" else known
    made = state_parts.entries(session, known, quotes=chosen == "all", short=log_entries.is_long(state.record))
    at = max(session.file.edited, session.file.saved)
    written = text_of(summary(state), "category")
    if at > session.chosen_at and written in {PAUSED, *OVER} and session.chosen != written:
        heading, text = state_parts.TURNED[written]
        text = state_parts.evidence(known, whole=session.file.made) or text if written in OVER else text
        made.append(Entry("closed" if written in OVER else written, at, heading, text))
    return made


def _quotes(workspace: Workspace, session: Session) -> str:
    """Return what may be quoted in the session's state file: all, answers or none; a private file may have all."""
    return quotes_allowed(os.path.dirname(session.state), workspace.settings)


def _current(state: "StateFile", session: Session, known: "Said", steps: list[str], room: int) -> list[str]:
    """Return where the work is: what was answered last, and what nobody else wrote down, in about `room` characters."""
    request = _plain(unfinished.request(session)) if any(turn.prompt for turn in known.turns) else ""
    crash = [f"Crashed on {unfinished.crash(session, request)}.", ""] if session.crash else []
    who = catalogue.of(session.client).SHORT
    if not session.talk.answer:  # the file may be committed now, so it says only what stays true
        changed = [f"`{safe.line(name, 100)}`" for name in session.inside()]
        files = f", and changed {safe.listed(changed, _CHANGED)}" if changed else ""
        return [*crash, f"{who} began this work on {clock.write(session.started, clock.MINUTE)} UTC{files}."]
    if not known.turns:  # nothing may be quoted
        return [*crash, f"{who} stopped on {clock.write(session.talk.answered, clock.MINUTE)} UTC."]
    answer = next((turn.answer for turn in reversed(known.turns) if turn.answer), session.talk.answer)
    if _in_turn(known):  # the next prompt has answered what it asks
        answer = open_items.without_uncommitted(conversation.without_question(answer))
    most = min(_STOPPED, max(_STOPPED_LEAST, room - _DECIDED_LEAST))
    quote = quoted(
        conversation.ends(conversation.without_code(answer), most, [*steps[:_STEPS], *known.following[:_STEPS]])
    )
    shown = " ".join(line.removeprefix("> ") for line in quote)
    given_up = [text for _, text in known.given_up if text[:_BEGINNING] not in shown]
    whole = any(turn.prompt for turn in known.turns)
    more = {
        "The summary of a compaction since then says": known.current,
        _CORRECTED[whole]: [text for _, text in known.corrections[-_QUOTED:] if text[:_BEGINNING] not in shown],
        "Tried and given up": [*given_up, *_refused(known, whole=whole)][-_QUOTED:],
    }
    most = min(_LISTED, max(_LISTED_LEAST, room // 2) // max(1, sum(map(bool, more.values()))))
    quotes = [lines for title, texts in more.items() if texts for lines in (["", *_listed(title, texts, most)])]
    end = _end(state, session)
    head = [f"The work {end}. {who} said last:", ""] if end else []
    return [*crash, *head, *quote, *quotes]


def _listed(title: str, texts: list[str], room: int) -> list[str]:
    """Return a quote after its label, or several as a list below it."""
    room //= len(texts)
    items = [_plain(conversation.clipped(text, room)) for text in texts]
    return [f"{title}: {items[0]}"] if len(items) == 1 else [f"{title}:", "", *(f"- {item}" for item in items)]


def _decided(state: "StateFile", known: "Said", room: int) -> list[str]:
    """Return the latest decisions in the form of the document, oldest first; one keeps the number that it has.

    They have about `room` characters. What was decided together, such as the rows of a table, is one of them, and stays
    longest.
    """
    by_time: dict[float, list[Decision]] = {}
    for one in known.decisions:
        by_time.setdefault(one.at, []).append(one)
    lists = [some for some in by_time.values() if len(some) > _ALONE and not any(one.question for one in some)]
    kept = [
        entry
        for some in by_time.values()
        for entry in ([(False, *_together(some))] if some in lists else [(True, *_decision(one)) for one in some])
    ]
    while len(kept) > 1 and sum(len(title) + len(text) + _FORM for _, title, text in kept) > room:
        kept.remove(next((one for one in kept if one[0]), kept[0]))
    numbers, lines = _numbers(state), []
    last = max((number for some in numbers.values() for number in some), default=0)
    for _, whole, text in kept:
        title = whole.rstrip(_ENDING)
        own = numbers.get(names.plain(title), [])
        number = own.pop(0) if own else (last := last + 1)
        lines += ["", f"### Decision {number}: {title}", "", text]
    return lines[1:]


def _together(some: "list[Decision]") -> tuple[str, str]:
    """Return the title and the text of what was decided together: what it is about, and each point."""
    about = ", ".join(one.answer.partition(": ")[0] for one in some)
    return _plain(conversation.clipped(about, _TITLE)), f"**Decision**: {_plain('; '.join(one.told for one in some))}"


def _numbers(state: "StateFile") -> dict[str, list[int]]:
    """Return the numbers of the decisions in a state file, whoever wrote them, by their titles."""
    record = state.record
    titles = [one.title for section in record.sections("Decisions") for one in record.within(section.body, section.end)]
    numbers: dict[str, list[int]] = {}
    for match in filter(None, map(_NUMBERED.match, titles)):
        numbers.setdefault(names.plain(match[2]), []).append(int(match[1]))
    return numbers


def _decision(one: "Decision") -> tuple[str, str]:
    """Return the title of a decision and its text.

    The title is what was decided, after the question if it is short, or what a statement is about.
    """
    about, colon, stated = one.answer.partition(": ")
    if not one.question and colon and len(about) <= _ABOUT and not one.undone:
        return _plain(about), f"**Decision**: {_plain(stated)}"
    short = one.choice or one.answer or one.then
    asked = (conversation.sentences(one.question) or [""])[-1]
    whole = f"{asked} \u2192 {short}" if asked else short
    title = _plain(conversation.clipped(whole if len(whole) <= _TITLE else short, _TITLE))
    told = short if title == _plain(whole) and asked == one.question and not one.undone else one.told
    return title, f"**Decision**: {_plain(told)}"


def _blocked(session: Session) -> list[str]:
    """Return what keeps the work from going on: that the last turn ended with an error."""
    return (
        [f"- The last turn ended with {_plain(session.talk.answer)}."]
        if session.talk.answer.startswith(conversation.API_ERROR)
        else []
    )


def _refused(known: "Said", *, whole: bool) -> list[str]:
    """Return the plans that the user refused, with the reason if the user's words may be quoted."""
    reasons = [(title, f": {reason}" if reason and whole else "") for _, title, reason in known.refused]
    return [f'The user refused the plan "{title}"{reason}' for title, reason in reasons]


def _next(state: "StateFile", session: Session, known: "Said", steps: list[str]) -> list[str]:
    """Return what comes next: what was named as next, the other open tasks and the plan, or the question that waits.

    Work that is over has no next step; what it left open is named. Else it says that the next step is not known.
    """
    tasks = sorted((at, subject) for subject, status, at in session.tasks.values() if status == "in_progress")
    ahead = [subject for _, subject in tasks if subject] + session.unfinished()
    own = {managed_block.one_line(safe.line(subject, _TASK)).strip() for subject, *_ in session.tasks.values()}
    ahead += [subject for subject in managed_block.open_tasks(state.document) if subject not in own]
    later = ledger.put_off(session.replace(state=state.path, summary={}))[1]
    ahead = [subject for subject in ahead if not open_items.is_in(subject, later)] + later
    steps = [step for step in steps if not open_items.is_in(step, later)][:_STEPS]
    following = [_plain(conversation.clipped(step, _STEP)) for step in steps]
    following += [
        _plain(safe.line(subject, _TASK)) for subject in ahead if subject and not open_items.is_in(subject, steps)
    ]
    plan, since = session.followed_plan(), session.plan[2]
    is_done = not following and any(at > since for at, _ in known.made)  # a commit, and nothing is named as open
    following += [f"Follow the plan {_plain(plan)}"] if plan and not is_done else []
    end = _end(state, session)
    silent = session.talk.answered < session.talk.prompted
    if (session.ended or session.crash) and silent and _in_turn(known):
        following.insert(0, f"{_NO_ANSWER}{_about_request(session, known)}")
    who = catalogue.of(session.client).SHORT
    waiting = [conversation.clipped_front(question, _ASKED) for question in known.open_questions[:_QUESTIONS]]
    asked = [f"Answer {who}: {_plain(question)}" for question in waiting]
    if end:
        left = dict.fromkeys([*following, *asked])
        return [_left_open(one) for one in left] or [f"- None. The work {end}."]
    lines = [f"- {subject}" for subject in dict.fromkeys(following)]
    apart = bool(state.record.spots("questions"))  # the format has a place for them
    return [*lines, *([] if lines and apart else [f"- {one}" for one in asked])] or [f"- {names.NOT_KNOWN}"]


def _about_request(session: Session, known: "Said") -> str:
    """Return what a request without an answer was about: its words, else what was changed for it and said before it."""
    if known.turns[-1].prompt:
        return f": {_plain(conversation.clipped(known.turns[-1].prompt, _CURRENT))}"
    changed = listed(session.changed_in_turn(session.ended or session.crash), _CHANGED)
    before = next((turn.answer for turn in reversed(known.turns) if turn.answer), "")
    told = _plain(telling.of_answer(open_items.without_uncommitted(before), _STEP))
    who = catalogue.of(session.client).SHORT
    return (f"; {who} had changed {changed} for it" if changed else "") + (f"; {who} had said: {told}" if told else "")


def _still_open(state: "StateFile", session: Session, known: "Said") -> list[str]:
    """Return what is open, the latest first: of this session, and what an earlier one left in the file.

    What this session said, planned or had as a task is its own; a task that is over is none.
    """
    answer = f"Answer {catalogue.of(session.client).SHORT}: "
    own = [*(turn.answer for turn in known.turns), *(subject for subject, *_ in session.tasks.values())]
    own += [text for texts in known.parts.values() for text in texts]
    here = _solid(_plain(" ".join(own)))
    lines = [line for line in own_words.text(state.record, "next").splitlines() if line.startswith("- ")]
    steps = [next_steps.bare_step(line.removeprefix("- ")) for line in lines if not line.startswith(_NO_STEPS)]
    text = state.document.data.decode("utf-8", "replace")
    tasks = [*ledger.read(state.path).tasks, *(step for step in steps if f"] {step}" in text or clock.not_before(step))]
    steps = [step for step in steps if not any(task in step for task in tasks)]
    made = (_NO_ANSWER,) if session.file.made else ()  # what is said of another session's request stays
    asked = [(one, one.removeprefix(answer).partition(_PUT_OFF)[0]) for one in steps if not one.startswith(made)]
    before = [one for one, text in asked if _solid(text)[-_END:] not in here]
    over = [subject for subject, status, _ in session.tasks.values() if status in TASK_OVER]
    left = known.still_open(before) if before else known.following
    return [one for one in left if not any(open_items.same(one, subject) for subject in over)]


def _solid(text: str) -> str:
    """Return a text without blanks and the marks of a cut, by which a quote is the same as what it quotes."""
    return "".join(text.split()).strip("\u2026")


def _left_open(step: str) -> str:
    """Return the line for a step that work which is over left open."""
    return f"- {next_steps.LEFT_OPEN}: {next_steps.bare_step(step)}"


def _end(state: "StateFile", session: Session) -> str:
    """Return how the work ended, "" while it is not over; few formats have a word for work that was given up."""
    record = state.record
    over = any(record.file_format.category(record.text(spot)) == COMPLETED for spot in record.spots("status"))
    return "" if not over else "was given up" if session.chosen == DROPPED else "is completed"


def quoted(text: str) -> list[str]:
    """Return a text as the lines of a quote in Markdown, without headings, labels, tags and comments of its own."""
    lines = [_quoted_line(line) for line in text.splitlines()]
    kept: list[str] = []
    for line, before in zip(lines, ["", *lines], strict=False):
        kept += [""] if line and before and bool(_IN_LIST.match(line)) != bool(_IN_LIST.match(before)) else []
        kept += [line] if line or before else []
    return [f"> {line}".rstrip() for line in kept]


def _quoted_line(line: str) -> str:
    bare = line.strip().lstrip("#").strip() if line.lstrip().startswith("#") else line.rstrip()
    item = bare.lstrip()
    indent, mark = bare[: len(bare) - len(item)], item[:2] if item[:2] in {"- ", "* "} else ""
    return f"{indent}{'- ' if mark else ''}{_plain(item[len(mark) :])}" if item else ""


def _plain(text: str) -> str:
    """Return words of a conversation as plain Markdown of one line: no label, heading, box or tag of its own counts."""
    words = outside_code(text.replace("**", ""), _escaped)
    return f"\\{words}" if words.startswith(_OPENING) else words


def _escaped(text: str) -> str:
    return text.replace("__", "\\_\\_").replace("<", "\\<")
