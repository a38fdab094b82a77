"""What was said in a session, in its own words: quotes from prompts and from the last answer of each turn.

Nothing here decides what a sentence means. A decision is what a person answered to a question; a correction is a
sentence of a person with a word such as "instead" or "never"; what Claude says is quoted as what Claude says.
"""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal.phrases import (
    CORRECTING,
    GIVEN_UP,
    LEFT,
    MARKING,
    NEXT_HEADS,
    POINTING,
    SUPPOSED,
    TRIED,
    TURNED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STOPS, _WIDE_STOPS = ".!?", "\u3002\uff01\uff1f"  # after a wide one no blank follows
_ASKING = ("?", "\uff1f")
_CLOSING = "\"')]*_`\u201d\u300d "
_TAIL = 700  # characters at an answer's end that are searched for its question
_SHORT = 45  # characters of a question that is quoted with what precedes it
_CHOICES = 200  # characters of what precedes it
_QUESTION, _REPLY, _CORRECTION, _GIVEN_UP = 300, 280, 220, 320  # the most characters of each
_LEFT_MOST = 3  # sentences that say what is left
_POINTED = 90  # characters of a sentence that is quoted with the one that it points to
_MOST_MARKS = 4  # marked words of a sentence that count
_FENCE = "```"


class Turn:
    """A prompt of a person and the last answer to it; `answer` is "" while none came. Times in seconds since 1970."""

    __slots__ = ("answer", "answered", "at", "prompt")

    def __init__(self, at: float, prompt: str, answered: float = 0.0, answer: str = "") -> None:
        self.at, self.prompt = at, prompt
        self.answered, self.answer = answered, answer


def turns(prompts: "Iterable[tuple[float, str]]", answers: "Iterable[tuple[float, str]]") -> list[Turn]:
    """Return the turns of a session in order: each prompt with the last answer before the next prompt.

    An answer before any prompt makes a turn with the prompt "".
    """
    events = [*((at, 0, text) for at, text in prompts), *((at, 1, text) for at, text in answers)]
    made: list[Turn] = []
    for at, is_answer, text in sorted(events, key=lambda event: event[:2]):
        if not is_answer or not made:
            made.append(Turn(at, "" if is_answer else text))
        if is_answer:
            made[-1].answered, made[-1].answer = at, text
    return made


def question(answer: str) -> str:
    """Return the last question at the end of an answer, with the choices before it if it is short; "" for none."""
    tail = sentences(without_code(answer)[-_TAIL:])
    last = next((at for at in range(len(tail) - 1, -1, -1) if _asks(tail[at])), None)
    if last is None or sum(map(len, tail[last + 1 :])) > _TAIL // 2:
        return ""
    first = last
    while first and len(tail[last]) < _SHORT and sum(map(len, tail[first - 1 : last])) < _CHOICES:
        first -= 1  # a short question refers to what precedes it, such as a list of choices
    return clipped_front(" ".join(tail[first : last + 1]), _QUESTION)


def is_reply(number: int, known: "Sequence[Turn]") -> bool:
    """Whether a turn's prompt answers the turn before it, which ended with a question; a counter-question does not."""
    return bool(number and question(known[number - 1].answer)) and not _asks(known[number].prompt)


def objective(known: "Sequence[Turn]") -> str:
    """Return the first request that has substance and answers no question, as it was typed; "" for none."""
    for number, turn in enumerate(known):
        if turn.prompt and not is_reply(number, known) and requests.is_request(turn.prompt):
            return turn.prompt
    return ""


def corrections(known: "Sequence[Turn]") -> list[tuple[float, str]]:
    """Return what a person corrected, forbade or preferred, sentence by sentence, with its time, oldest first.

    The first request is the objective, and no correction of it, unless it is long.
    """
    first = objective(known)
    made: list[tuple[float, str]] = []
    for turn in known:
        if turn.prompt == first and len(first) < _CORRECTION:
            continue
        hits = [one for one in sentences(turn.prompt) if not _asks(one) and CORRECTING.count(one, words(one))]
        made += [(turn.at, clipped(" ".join(hits), _CORRECTION))] if hits else []
    return made


def decisions(known: "Sequence[Turn]") -> list[tuple[float, str, str]]:
    """Return what a person answered to a question of the turn before: (time, question, answer), oldest first."""
    return [
        (turn.at, question(known[number - 1].answer), clipped(turn.prompt, _REPLY))
        for number, turn in enumerate(known)
        if turn.prompt and is_reply(number, known)
    ]


def given_up(known: "Sequence[Turn]") -> list[tuple[float, str]]:
    """Return what prompts and answers say was tried and given up, with its time, oldest first."""
    said = [(at, text) for turn in known for at, text in ((turn.at, turn.prompt), (turn.answered, turn.answer)) if text]
    found = ((at, abandoned(text)) for at, text in said)
    return [(at, clipped(" ".join(hits), _GIVEN_UP)) for at, hits in found if hits]


def abandoned(text: str) -> list[str]:
    """Return the sentences of a text that tell of something that was tried and given up, in their order."""
    parts = [(one, words(one)) for one in sentences(without_code(text))]
    chosen = set[int]()
    for at, (sentence, its) in enumerate(parts):
        if _asks(sentence) or SUPPOSED.count(sentence, its):
            continue
        after = parts[at + 1] if at + 1 < len(parts) and not _asks(parts[at + 1][0]) else ("", [])
        turns_here, turns_next = TURNED.count(sentence, its), TURNED.count(*after)
        if GIVEN_UP.count(sentence, its):
            chosen |= {at, *((at + 1,) if turns_next else ())}
        elif TRIED.count(sentence, its) and (turns_here or turns_next):
            chosen |= {at, *(() if turns_here else (at + 1,))}
        if at in chosen and at and len(sentence) < _POINTED and POINTING.count(sentence, its):
            chosen.add(at - 1)
    return [parts[at][0] for at in sorted(chosen)]


def open_question(known: "Sequence[Turn]") -> str:
    """Return the question with which the last answer ended and that nobody answered; "" for none."""
    return question(known[-1].answer) if known else ""


def next_steps(answer: str) -> list[str]:
    """Return what an answer names as next; [] for nothing.

    It is the items below such a heading, or the rest of its line; without any, the sentences that say what is left.
    """
    lines = [part for line in without_code(answer).splitlines() for part in _from_head(line)]
    for number in range(len(lines) - 1, -1, -1):
        rest = _after_head(lines[number])
        if rest is None:
            continue
        items = _items(lines[number + 1 :])
        if rest or items:
            return [*([rest] if rest else []), *items]
    parts = [one for one in sentences(without_code(answer)) if not _asks(one)]
    return [one for one in parts if LEFT.count(one, words(one)) and not SUPPOSED.count(one, words(one))][-_LEFT_MOST:]


def _from_head(line: str) -> list[str]:
    """Return a line, in two parts if a later sentence of it begins with what such a heading says."""
    at = 0
    for sentence in _sentences_of(line)[1:]:
        at = line.find(sentence, at)
        if _after_head(sentence) is not None:
            return [line[:at], line[at:]]
    return [line]


def _after_head(line: str) -> str | None:
    """Return what follows a heading such as "Next steps:" in a line, None for a line of another kind."""
    text = _bare_item(line).lstrip("#>*_ ")
    low = text.casefold()
    head, mark, rest = text.replace("\uff1a", ":").partition(":")
    if not low.startswith(NEXT_HEADS):
        listing = bool(mark) and not rest.strip(" *_") and len(text) < 2 * _SHORT and LEFT.count(text, words(text))
        return "" if listing else None
    if mark:
        return rest.strip(" *_") if len(head) < _SHORT else text
    is_heading = line.lstrip().startswith(("#", "**")) and len(text) < _SHORT
    return "" if is_heading else text


def _items(lines: list[str]) -> list[str]:
    """Return the items of the list with which these lines begin."""
    made: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        bare = _bare_item(line)
        if bare == line.strip():
            break
        made.append(bare)
    return made


def ends(text: str, room: int) -> str:
    """Return a text in at most `room` characters: whole, or its beginning and its end."""
    text = text.strip()
    if len(text) <= room:
        return text
    head = _up_to_a_stop(text[: room * 2 // 5])
    tail = text[-(room - len(head) - 3) :]
    return f"{head}\n…\n{tail.partition(' ')[2] or tail}"


def few_lines(text: str, most: int, room: int) -> str:
    """Return a text in at most so many lines that are not blank, and `room` characters: its first and its last ones."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if len(lines) <= most:
        return ends(text, room)
    whole = "\n".join([f"{lines[0].rstrip()} …", *lines[-(most - 1) :]])
    return "\n".join(line for line in ends(whole, room).splitlines() if line != "…")


def telling(answer: str, room: int) -> str:
    """Return the sentences of an answer that matter to the next reader, in their order, within `room` characters.

    The last and the first sentence count, then those with words of choice, reason, failure or what is left.
    """
    parts = sentences(without_code(answer))
    left, chosen = room, set[int]()
    for at in sorted(range(len(parts)), key=lambda at: (-_weight(parts, at), at)):
        if len(parts[at]) + 3 <= left:
            chosen.add(at)
            left -= len(parts[at]) + 3
    if not chosen:
        return clipped(parts[-1], room) if parts else ""
    made: list[str] = []
    for at in sorted(chosen):
        made += ["…"] if made and at - 1 not in chosen else []
        made.append(parts[at])
    return " ".join(made)


def _weight(parts: list[str], at: int) -> int:
    """Return how much a sentence of an answer counts."""
    last = at == len(parts) - 1 or (at == len(parts) - 2 and len(parts[-1]) < _SHORT)
    marks = min(MARKING.count(parts[at], words(parts[at])), _MOST_MARKS)
    return _MOST_MARKS * last + 2 * (not at) + marks + 2 * _asks(parts[at])


def clipped(text: str, room: int) -> str:
    """Return a text on one line, cut at a word, in at most `room` characters."""
    line = " ".join(text.split())
    if len(line) <= room:
        return line
    cut = line[: room - 1]
    at_word = cut.rpartition(" ")[0]
    return f"{at_word if len(at_word) > room // 2 else cut}…"


def clipped_front(text: str, room: int) -> str:
    """Return the end of a text on one line, cut at a word, in at most `room` characters."""
    line = " ".join(text.split())
    if len(line) <= room:
        return line
    cut = line[-(room - 1) :]
    at_word = cut.partition(" ")[2]
    return f"…{at_word if len(at_word) > room // 2 else cut}"


def without_code(text: str) -> str:
    """Return a text without its fenced blocks of code; one that is not closed goes to the end."""
    return "".join(text.split(_FENCE)[::2])


def sentences(text: str) -> list[str]:
    """Return the sentences, list items and lines of a text, without marks of lists and headings."""
    parts = [one for line in text.splitlines() for one in _sentences_of(_bare_item(line).strip("#> "))]
    return [part for part in parts if any(map(str.isalnum, part))]


def _sentences_of(line: str) -> list[str]:
    """Return the sentences of a line: each ends with a stop before a blank, or with a wide stop."""
    made, start = [], 0
    for at, char in enumerate(line):
        ends_here = char in _WIDE_STOPS or (char in _STOPS and line[at + 1 : at + 2] in {"", " "})
        if ends_here and at + 1 > start:
            made.append(line[start : at + 1].strip())
            start = at + 1
    rest = line[start:].strip()
    if rest and made and not any(map(str.isalnum, rest)):
        made[-1] += rest
        return made
    return [*made, rest] if rest else made


def _bare_item(line: str) -> str:
    """Return a line without the mark of a list's item."""
    text = line.strip()
    mark, blank, rest = text.partition(" ")
    numbered = mark[-1:] in {".", ")"} and (mark[:-1].isdecimal() or (len(mark) == 2 and mark[0].isalpha()))
    return rest.strip() if blank and (mark in {"-", "*", "+", "•"} or numbered) else text


def _asks(text: str) -> bool:
    """Whether a text ends with a question."""
    return text.rstrip(_CLOSING + "\n").endswith(_ASKING)


def _up_to_a_stop(text: str) -> str:
    """Return a text without the sentence that was cut at its end, unless only one sentence is there."""
    at = max(text.rfind(stop) for stop in (*(f"{stop} " for stop in _STOPS), *_WIDE_STOPS, "\n"))
    return text[: at + 1].rstrip() if at > len(text) // 3 else text.rpartition(" ")[0] or text
