"""Questions at the end of answers, and what a person replied to them: decisions, and what stays open.

What counts is that an answer ended with a question; words only tell a reply that puts it off, or takes one back.
"""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import next_steps
from holdfast.journal.conversation import (
    LABEL,
    SHORT,
    asks,
    bare_item,
    clauses,
    clipped,
    clipped_front,
    is_of_others,
    own,
    sentences,
    width,
    without_code,
)
from holdfast.journal.phrases import (
    AHEAD,
    ASKING,
    CHOOSING,
    DEFERRING,
    INFORMING,
    INTERROGATIVE,
    LATER,
    POINTING,
    PROCEEDING,
    PROPOSING,
    WITHDRAWING,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

_TAIL = 700  # characters at an answer's end that are searched for its question
_POINTS, _BARE = 16, 30  # columns of a question that says nothing, or little, alone: "Shall I?"
_MARKED_WITHIN = 3  # words of a reply that may name a choice
_MARKS = frozenset("123456789ABCDE")
_BARE_REPLY = 3  # words of a reply that says nothing candid
_NEW, _SPOKEN = 5, 2  # new words of a request that begins a topic, later turns that speak of it
_TELLING = 4  # letters by which a word is known
_AFTER_MARKS = frozenset(".):\uff0e\u3001\uff09")
_CHOICES = 200  # characters of what precedes it
_QUESTION, _REPLY = 300, 280  # the most characters of each
_OFFER = 80  # columns of an offer that says little more than "Shall I go on?"
_LATER = AHEAD | LATER
_PARTING = 60  # columns of an answer that only returns thanks
_TELLING_MARKS = frozenset("`/:0123456789")


def is_small_talk(prompt: str, answer: str) -> bool:
    """Whether a prompt only thanks, agrees or takes leave, and the answer says nothing either: "See you tomorrow."."""
    polite = requests.answers(prompt) and not requests.has_substance(prompt)
    return polite and width(answer) <= _PARTING and not asks(answer) and not _TELLING_MARKS.intersection(answer)


def question(answer: str) -> str:
    """Return the questions at the end of an answer with the list of choices before them; "" for none."""
    tail, last = _last_question(answer)
    first = start = _first_of(tail, last)
    while first > 0 and _is_choice(tail[first - 1]) and sum(map(len, tail[first - 1 : start])) < _CHOICES:
        first -= 1
    steps = next_steps.of_answer(answer) if first < start else []
    if first < start and all(bare_item(one) in steps for one in tail[first:start]):  # these are no choices
        first = start
    elif first < start and first > 0 and tail[first - 1].endswith(LABEL):
        first -= 1
    return clipped_front(" ".join(tail[first : last + 1]), _QUESTION)


def bare_question(answer: str) -> str:
    """Return the questions at the end of an answer, with the sentence before them if they point to it."""
    tail, last = _last_question(answer)
    return clipped_front(" ".join(tail[_first_of(tail, last) : last + 1]), _QUESTION)


def _first_of(tail: list[str], last: int) -> int:
    """Return where the questions that end with the one at `last` begin, or what they point to; 0 for none."""
    first = max(0, last)
    while first > 0 and (asks(tail[first - 1]) or _asks_in_list(tail, first)):
        first -= 1
    if not first or _is_choice(tail[first - 1]) or next_steps.is_head(tail[first - 1]):
        return first
    says_little = width(tail[first]) < _BARE and (
        requests.has_substance(tail[first - 1]) or width(tail[first]) < _POINTS
    )
    return first - (says_little or bool(POINTING.count(tail[first], words(tail[first]))))


def _asks_in_list(tail: list[str], at: int) -> bool:
    """Whether the sentence before this one belongs to a list whose items ask, such as a remark after a question."""
    return any(map(asks, tail[max(0, at - 3) : at])) and _is_choice(tail[at]) and asks(tail[at])


def _is_choice(part: str) -> bool:
    return bare_item(part) != part


def _last_question(answer: str) -> tuple[list[str], int]:
    """Return the sentences at the end of an answer, with their marks of lists, and the number of the last question."""
    text = without_code(answer)
    tail = sentences(text[-_TAIL:], marked=True)
    last = next((at for at in range(len(tail) - 1, -1, -1) if asks(tail[at])), -1)
    return (tail, last) if last >= 0 and sum(map(len, tail[last + 1 :])) <= _TAIL // 2 else ([], -1)


def replies(turns: "Sequence[Turn]") -> "list[tuple[Turn, str, str]]":
    """Return each turn whose prompt answers a question: (turn, the answer with the question, the reply).

    A question waits until it is answered, also beyond a question of the person's own. Of two choices from one list the
    later one counts, and a reply that the next prompt takes back does not.
    """
    return _asked_and_answered(turns)[0]


def _asked_and_answered(turns: "Sequence[Turn]") -> "tuple[list[tuple[Turn, str, str]], list[tuple[Turn, str]]]":
    """Return the replies, and each turn that puts an answer off, or a part of it, with the answer that asks."""
    made: list[tuple[Turn, str, str]] = []
    put_off: list[tuple[Turn, str]] = []
    waiting = ""
    is_off = False
    for before, turn in zip([None, *turns], turns, strict=False):
        reply, has_question = _reply(turn.prompt), bool(_last_question(turn.answer)[0])
        if is_off and reply and not speaks_of(reply, bare_question(waiting)):  # it was put off, and is no question now
            waiting = ""
        decided = _beyond(reply, waiting)
        is_off = bool(waiting and reply) and (len(decided) < len(sentences(reply)) or _LATER.issuperset(words(reply)))
        if is_off:
            put_off.append((turn, waiting))
        if waiting and reply and (not is_off or requests.has_substance(" ".join(decided))):
            made.append((turn, waiting, " ".join(decided) if is_off else reply))
        elif made and not is_off and (other := _other_choice(made[-1], turn.prompt)):
            made[-1] = (turn, made[-1][1], other)
        elif made and made[-1][0] is before and withdraws(turn.prompt):
            del made[-1]
        if reply or has_question:
            waiting = turn.answer if has_question else waiting if is_off else ""
        is_off = is_off and not has_question
    return made, put_off


def _beyond(reply: str, question: str) -> list[str]:
    """Return the sentences of a reply that do not put the answer off.

    An order to ask somebody does, unless the question itself speaks of asking.
    """
    spoken = set(words(question))
    kept = []
    for one in sentences(reply):
        its = words(one)
        sends = bool(ASKING.intersection(its[:1]) - spoken) and its[1:2] != ["for"]
        kept += [] if sends or DEFERRING.count(one, its) else [one]
    return kept


def _other_choice(reply: "tuple[Turn, str, str]", prompt: str) -> str:
    """Return a short prompt that names another choice of the list from which a reply chose, "" for any other."""
    _, answer, said = reply
    before, now = chosen(answer, said), _named(answer, _mark_at_end(prompt))
    return prompt if before and now and now != before else ""


def _mark_at_end(prompt: str) -> str:
    """Return the number or letter that ends a clause of a short prompt, such as "wait, take 1"; "" for none."""
    marks = [last[0] for clause in clauses(prompt) if (last := clause.split()[-1:]) and last[0] in _MARKS]
    marks += [word for word in prompt.split() if word in _MARKS and not prompt.isascii()]
    return marks[0] if len({*marks}) == 1 and width(prompt) < 2 * SHORT else ""


def withdraws(prompt: str) -> bool:
    """Whether a prompt takes back what was said just before it."""
    parts = [one for one in sentences(own(prompt)) if not asks(one) and not is_of_others(one)]
    return any(WITHDRAWING.count(one, words(one)) for one in parts)


def informs(question: str) -> bool:
    """Whether the last question of a text asks for information, so that its answer decides nothing."""
    last = sentences(question)[-1:]
    return bool(last) and bool(INFORMING.count(last[0], words(last[0])))


def _reply(prompt: str) -> str:
    """Return what a prompt says before its own first question; "" if it begins with one, or else only says "nice"."""
    parts = sentences(prompt)
    first = next((at for at, one in enumerate(parts) if _is_question(one)), len(parts))
    said = " ".join(parts[:first])
    return prompt if first == len(parts) else said if requests.is_request(said) else ""


def _is_question(sentence: str) -> bool:
    """Whether a sentence of a prompt asks: people leave the mark out."""
    return asks(sentence) or bool(INTERROGATIVE.intersection(words(sentence)[:1]))


def speaks_of(text: str, question: str) -> bool:
    """Whether a text has a word of its own of a question, in any form; of scripts without blanks, a part of one."""
    return bool(_stems(text) & _stems(question))


def _stems(text: str) -> set[str]:
    """Return the beginnings of the longer words of a text; of scripts without blanks, each two characters."""
    own_words = requests.own_words(text)
    wide = {word[at : at + 2] for word in own_words if width(word) > len(word) for at in range(len(word) - 1)}
    return wide | {word[:_TELLING] for word in own_words if len(word) >= _TELLING}


def chosen(answer: str, reply: str) -> str:
    """Return the choice of an answer that a reply names by its number or letter, such as "2" or "Bで"; "" for none."""
    return "" if _names_several(reply) else _named(answer, _mark_at_start(reply) or _mark_at_end(reply))


def _named(answer: str, mark: str) -> str:
    """Return the choice of an answer with this number or letter, "" for none."""
    items = (line.strip() for line in without_code(answer).splitlines())
    named = [item[2:].strip() for item in items if mark and item[:1].upper() == mark and item[1:2] in _AFTER_MARKS]
    return named[0] if len(named) == 1 and not asks(named[0]) else ""


def _names_several(reply: str) -> bool:
    """Whether a reply is a list of its own, such as "1. yes 2. no"."""
    return sum(word[:1].upper() in _MARKS and word[1:] in _AFTER_MARKS for word in reply.split()) > 1


def _mark_at_start(reply: str) -> str:
    """Return the number or letter with which a reply begins or that it names, "" for none."""
    for word in reply.replace(",", " ").split()[:_MARKED_WITHIN]:
        mark, following = word[0].upper(), word[1:2]
        if mark in _MARKS and (not following.isalnum() or following >= "\u1100"):
            return mark
    return ""


def objective(turns: "Sequence[Turn]") -> str:
    """Return the first request that has substance and answers no question, as it was typed; "" for none."""
    made, put_off = _asked_and_answered(turns)
    answering = {*(one[0].at for one in made), *(one[0].at for one in put_off)}
    return next((one.prompt for one in turns if one.at not in answering and requests.is_request(one.prompt)), "")


def asked_later(turns: "Sequence[Turn]") -> str:
    """Return the latest request that begins another topic, if later turns go on with it; "" for none."""
    answering = {turn.at for turn, *_ in replies(turns)}
    for number in range(len(turns) - 1, 0, -1):
        asked = turns[number].prompt
        if turns[number].at in answering and width(asked) > len(asked) * 1.5:  # parts of words tell too little
            continue
        before = _stems(" ".join(f"{one.prompt} {one.answer}" for one in turns[:number]))
        own_words = _stems(asked)
        new = own_words - before
        shared = [len(new & _stems(f"{one.prompt} {one.answer}")) for one in turns[number + 1 :]]
        went_on = sum(count > max(1, len(new) // 8) for count in shared) >= _SPOKEN
        if len(new) >= _NEW and 4 * len(new) >= 3 * len(own_words) and went_on and own(asked) == asked:
            return asked
    return ""


def decisions(turns: "Sequence[Turn]") -> "list[tuple[float, str, str, str]]":
    """Return what a person answered to a question: (time, question, reply, choice that it names), oldest first.

    Where the reply names no choice by its mark, the choices are quoted with the question.
    """
    made = []
    for turn, answer, reply in replies(turns):
        named = clipped(chosen(answer, reply), _REPLY)
        asked = bare_question(answer) if named else question(answer)
        made.append((turn.at, asked, clipped(reply, _REPLY), named))
    return made


def decides(asked: str, reply: str, choice: str) -> bool:
    """Whether a reply decides something: it is no yes to going on, and no request of its own instead of an answer."""
    last = (sentences(asked) or [""])[-1]
    its = words(last)
    offers = bool(PROPOSING.count(last, its))
    if choice:
        return True
    if is_bare(reply):
        goes_on = offers and PROCEEDING.count(last, its) and width(last) < _OFFER and not CHOOSING.intersection(its)
        return not goes_on and (requests.has_substance(asked) or not requests.answers(reply))
    return not offers or requests.answers(reply) or not requests.has_substance(reply) or speaks_of(reply, asked)


def is_bare(reply: str) -> bool:
    """Whether a reply says nothing beyond "yes" or "2", and nothing candid."""
    return len(words(reply)) <= _BARE_REPLY


def open_questions(turns: "Sequence[Turn]") -> list[tuple[str, float]]:
    """Return the questions that wait, each with the time at which a person put the answer off, 0.0 for never.

    What was put off waits until a later reply has several of its words, whatever is asked meanwhile; the one with which
    the last answer ended comes last.
    """
    made, put_off = _asked_and_answered(turns)
    last = bare_question(turns[-1].answer) if turns else ""
    times: dict[str, float] = {}
    for turn, answer in put_off:
        asked = bare_question(answer)
        theirs = set(requests.own_words(asked))
        later = [(by, set(requests.own_words(reply))) for one, by, reply in made if one.at > turn.at]
        if asked != last and not any(by is answer or len(theirs & its) > 1 for by, its in later):
            times[asked] = turn.at
    return [*times.items(), *([(last, 0.0)] if last else [])]
