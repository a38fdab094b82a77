"""What was said in a session, as the next one needs it: objective, answers to questions, corrections, where it stopped.

Everything is quoted from the journal. The user's words never leave the store by this: the text goes to Claude only.
"""

import time

from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import conversation, log
from holdfast.journal.session import typed_by_user
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn
    from holdfast.journal.log import Fact

_CORRECTIONS = 5  # that are quoted, the latest ones
_DECISIONS = 6
_GIVEN_UP = 4
_OBJECTIVE, _PROMPT, _QUESTION, _STEP = 350, 250, 150, 200  # characters of each
_STOPPED = 0.4  # of the room, for the last answer
_EARLIER = 0.6  # of what is left, for decisions, corrections and what was given up; the rest shows the turns
_TURN_LEAST, _TURN_MOST = 90, 420  # characters of a turn that is quoted in short
_ASKED_SHARE = 0.35  # of a turn, for the prompt


def turns(facts: "Sequence[Fact]") -> "list[Turn]":
    """Return the turns that a journal has: what people typed, each with the last answer to it."""
    prompts, answers = (
        [(number_of(fact, "at"), safe.safe(text_of(fact, "text"))) for fact in facts if fact["kind"] == kind]
        for kind in ("prompt", "answer")
    )
    typed = [(at, text) for at, text in prompts if typed_by_user(text)]
    return conversation.turns(typed, [(at, text) for at, text in answers if text])


def of_session(store: str, ident: str) -> "list[Turn]":
    """Return the turns of a session by its journal, [] without one."""
    return turns(log.said(store, ident)) if store else []


def lines(known: "Sequence[Turn]", room: int) -> list[str]:
    """Return what the next session needs of these turns, most important first, in about `room` characters."""
    if not known:
        return []
    last = known[-1]
    stopped = _stopped(last, int(room * _STOPPED))
    made = [*_labelled("Objective", conversation.clipped(conversation.objective(known), _OBJECTIVE)), *stopped]
    made += _next(known, last)
    left = room - _size(made)
    chosen = _fitted([*_decisions(known), *_corrections(known), *_given_up(known)], int(left * _EARLIER))
    made += chosen
    return [*made, *_turns_in_short(known, room - _size(made))]


def _size(made: list[str]) -> int:
    return sum(len(line) + 1 for line in made)


def _labelled(label: str, text: str) -> list[str]:
    return [f"{label}: {text}"] if text else []


def _stopped(last: "Turn", room: int) -> list[str]:
    """Return the last answer with its time, or the prompt that has no answer yet."""
    if not last.answer:
        return _labelled(f"Not answered yet ({_day(last.at)})", conversation.clipped(last.prompt, room))
    text = conversation.ends(last.answer, room)
    asked = _labelled("The last prompt", conversation.clipped(last.prompt, _PROMPT))
    return [*asked, f"Where it stopped ({_day(last.answered)}), in Claude's words:", *_quoted(text)]


def _next(known: "Sequence[Turn]", last: "Turn") -> list[str]:
    """Return the open question of the last answer, and what it, or else an earlier answer, names as next."""
    steps = next((found for turn in reversed(known) if (found := conversation.next_steps(turn.answer))), [])
    named = "; ".join(conversation.clipped(step, _STEP) for step in steps[:5] if step not in last.answer)
    question = conversation.open_question(known)
    return [*_labelled("Open question to the user", question), *_labelled("Named as next earlier", named)]


def _decisions(known: "Sequence[Turn]") -> list[str]:
    """Return what the user answered to questions, the latest first."""
    answered = [
        f'- {_day(at)}, asked "{conversation.clipped_front(question, _QUESTION)}", the user answered "{answer}"'
        for at, question, answer in reversed(conversation.decisions(known))
    ]
    return ["Decided by the user:", *answered[:_DECISIONS]] if answered else []


def _corrections(known: "Sequence[Turn]") -> list[str]:
    """Return what the user corrected or prefers, the latest first, without what answered a question."""
    answers = {at for at, *_ in conversation.decisions(known)}
    said = [f'- {_day(at)}: "{text}"' for at, text in reversed(conversation.corrections(known)) if at not in answers]
    return ["The user corrected, or prefers:", *said[:_CORRECTIONS]] if said else []


def _given_up(known: "Sequence[Turn]") -> list[str]:
    """Return what Claude said it tried and gave up, the latest first, but for the last answer, which is quoted."""
    said = [f'- {_day(at)}: "{text}"' for at, text in reversed(conversation.given_up(known[:-1]))]
    return ["Tried and given up, in Claude's words:", *said[:_GIVEN_UP]] if said else []


def _fitted(made: list[str], room: int) -> list[str]:
    """Return the first lines that fit; a label without a line below it is left out."""
    kept: list[str] = []
    for line in made:
        if len(line) + 1 > room:
            continue
        room -= len(line) + 1
        kept.append(line)
    last = len(kept) - 1
    return [line for at, line in enumerate(kept) if _is_item(line) or (at < last and _is_item(kept[at + 1]))]


def _is_item(line: str) -> bool:
    return line.startswith("- ")


def _turns_in_short(known: "Sequence[Turn]", room: int) -> list[str]:
    """Return the turns before the last one, oldest first: each prompt with the telling sentences of its answer."""
    label = "Turn by turn:"
    earlier = known[:-1]
    room -= len(label) + 1
    count = min(len(earlier), max(0, room // _TURN_LEAST))
    if not count:
        return []
    share = min(room // count, _TURN_MOST)
    return [label, *(f"- {in_short(turn, share - 2)}" for turn in earlier[-count:])]


def in_short(turn: "Turn", room: int) -> str:
    """Return a turn on one line within `room` characters."""
    prompt = conversation.clipped(turn.prompt, max(40, int(room * _ASKED_SHARE)))
    left = room - len(prompt) - 8
    answer = conversation.telling(turn.answer, left) if turn.answer and left > 0 else ""
    return f'"{prompt}"' + (f" → {answer}" if answer else "")


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.splitlines() if line.strip()]


def _day(at: float) -> str:
    """Return a time as the user's clock shows it."""
    return time.strftime("%d %b %H:%M", time.localtime(at))
