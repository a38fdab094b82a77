"""Questions at the end of answers, and what a person replied to them: decisions, and what stays open.

What counts is that an answer ended with a question; words only tell a reply that puts it off, or takes one back.
"""

from itertools import takewhile

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import next_steps
from holdfast.journal.conversation import (
    LABEL,
    SHORT,
    asks,
    bare_item,
    clauses,
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
    COMMON,
    DECLINING,
    DEFERRING,
    INFORMING,
    INTERROGATIVE,
    LATER,
    OPENING,
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
_ECHOING = 20  # columns of a sentence that asks for agreement; a shorter one agrees
_POINTS, _BARE = 16, 30  # columns of a question that says nothing, or little, alone: "Shall I?"
_MARKED_WITHIN = 3  # words of a reply that may name a choice
MARKS = frozenset("123456789ABCDE")
_AGAIN = 4  # words by which a question is asked again
_BARE_REPLY, _BARE_WIDE = 3, 16  # words of a reply that says nothing candid, columns of one with wide letters
_TELLING = 4  # letters by which a word is known
# What an option is called before its number or letter, such as "Plan A", and what follows a mark that is none.
_CALLED = (
    "option",
    "plan",
    "variante",
    "variant",
    "opção",
    "opción",
    "案",
    "方案",
    "选项",
    "選択肢",
    "プラン",
    "방안",
    "안",
)
_AFTER_MARK = frozenset(".):、")
_CHOICES, _OFFER = 200, 80  # characters of what precedes it, columns of an offer: "Shall I go on?"
QUESTION = 300  # the most characters of one
_LATER = AHEAD | LATER
# How a sentence ends that asks for agreement, or only wonders.
_ECHOES = (
    *("ですね", "ますね", "よね", "かね", "かな", "でしょう", "でしょうか", "ますか", "ですか", "ませんか"),
    *("나요", "까요", "지요", "죠", "인가요", "吗", "呢", ", né", ", ne", ", oder", ", right", ", verdad"),
)


def question(answer: str) -> str:
    """Return the questions at the end of an answer with the list of choices before them; "" for none."""
    tail, last = _last_question(answer)
    first = start = _first_of(tail, last)
    has_inline = " (" in tail[last] and bool(option_of(answer, "A") or option_of(answer, "1")) if tail else False
    while (
        not has_inline
        and first > 0
        and _is_choice(tail[first - 1])
        and sum(map(len, tail[first - 1 : start])) < _CHOICES
    ):
        first -= 1
    steps = next_steps.of_answer(answer) if first < start else []
    if first < start and all(bare_item(one) in steps for one in tail[first:start]):  # these are no choices
        first = start
    elif first < start and first > 0 and tail[first - 1].endswith(LABEL):
        first -= 1
    return clipped_front(" ".join(tail[first : last + 1]), QUESTION)


def bare_question(answer: str) -> str:
    """Return the questions at the end of an answer, with the sentence before them if they point to it."""
    tail, last = _last_question(answer)
    return clipped_front(" ".join(tail[_first_of(tail, last) : last + 1]), QUESTION)


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
    """Return the sentences at the end of an answer, with their marks of lists, and the number of the last question.

    An option that asks is none: "Plan A: apply both. Plan B: which one shall change?"
    """
    text = without_code(answer)
    tail = sentences(text[-_TAIL:], marked=True)
    lettered = [at for at, one in enumerate(tail) if (mark := _option(one)[0]) and not mark.isdecimal()]
    asking = {at for at in lettered if asks(tail[at])}
    options = [at for at in lettered if not asking & {at - 1, at + 1}]
    last = next((at for at in range(len(tail) - 1, -1, -1) if asks(tail[at]) and at not in options), -1)
    if last < 0 and any(asks(tail[at]) for at in options):
        last = max(0, options[0] - 1)
    others = (len(tail[at]) for at in range(last + 1, len(tail)) if at not in options)
    return (tail, last) if last >= 0 and sum(others) <= _TAIL // 2 else ([], -1)


def replies(turns: "Sequence[Turn]") -> "list[tuple[Turn, str, str]]":
    """Return each turn whose prompt answers a question: (turn, the answer with the question, the reply).

    A question waits until it is answered, also beyond a question of the person's own. Of two choices from one list the
    later one counts, and a reply that the next prompt takes back does not.
    """
    return asked_and_answered(turns)[0]


def asked_and_answered(turns: "Sequence[Turn]") -> "tuple[list[tuple[Turn, str, str]], list[tuple[Turn, str]]]":
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
        rest = " ".join(decided) if is_off else reply
        if waiting and reply and (not is_off or requests.has_substance(rest) or any(map(str.isdecimal, rest))):
            made.append((turn, waiting, rest))
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
    before, now = chosen(answer, said), option_of(answer, _mark_at_end(prompt))
    return prompt if before and now and now != before else ""


def _mark_at_end(prompt: str) -> str:
    """Return the number or letter that ends a clause of a short prompt, such as "wait, take 1"; "" for none."""
    marks = [last[0] for clause in clauses(prompt) if (last := clause.split()[-1:]) and last[0] in MARKS]
    marks += [word for word in prompt.split() if word in MARKS and not prompt.isascii()]
    return marks[0] if len({*marks}) == 1 and width(prompt) < 2 * SHORT else ""


def withdraws(prompt: str) -> bool:
    """Whether a prompt takes back what was said just before it."""
    parts = [one for one in sentences(own(prompt)) if not asks(one) and not is_of_others(one)]
    return any(WITHDRAWING.count(one, words(one)) for one in parts)


def informs(question: str) -> bool:
    """Whether the last question of a text asks for information, so that its answer decides nothing."""
    last = sentences(question)[-1:]
    return any(INFORMING.count(one, words(one)) and not CHOOSING.intersection(words(one)) for one in last)


def _reply(prompt: str) -> str:
    """Return what a prompt says before its own first question; "" if it begins with one, or else only says "nice"."""
    parts = sentences(prompt)
    first = next((at for at, one in enumerate(parts) if _is_question(one)), len(parts))
    said = " ".join(parts[:first])
    return prompt if first == len(parts) else said if requests.is_request(said) else ""


def _is_question(sentence: str) -> bool:
    """Whether a sentence of a prompt asks: people leave the mark out, and end with "isn't it" in their language."""
    echoes = sentence.rstrip(" .\u3002").endswith(_ECHOES) and width(sentence) > _ECHOING
    return asks(sentence) or echoes or bool(INTERROGATIVE.intersection(words(sentence)[:1]))


def speaks_of(text: str, question: str) -> bool:
    """Whether a text has a word of its own of a question, in any form; of scripts without blanks, two parts of one."""
    shared = stems(text) & stems(question)
    return len(shared) > 1 or any(width(part) == len(part) for part in shared)


def stems(text: str) -> set[str]:
    """Return the beginnings of the longer words of a text, and its numbers; of scripts without blanks, two characters.

    Those of hiragana are mostly endings, and tell nothing.
    """
    own_words = requests.own_words(text)
    wide = {word[at : at + 2] for word in own_words if width(word) > len(word) for at in range(len(word) - 1)}
    wide = {part for part in wide if not all("\u3040" <= char < "\u30a0" for char in part)}
    numbers = {"".join(takewhile(str.isdecimal, word)) for word in words(text) if word[0].isdecimal()}
    return wide | numbers | {word[:_TELLING] for word in own_words if len(word) >= _TELLING} - COMMON


def chosen(answer: str, reply: str) -> str:
    """Return the choice of an answer that a reply names by its number or letter, such as "2" or "Bで"; "" for none."""
    is_request = requests.has_substance(reply) and not any(word.startswith(_CALLED) for word in words(reply))
    mark = _mark_at_start(reply) or ("" if is_request else _mark_at_end(reply))  # a request may end so: "sums, part 2"
    return "" if _names_several(reply) else option_of(answer, mark)


def option_of(answer: str, mark: str) -> str:
    """Return the choice of an answer with this number or letter, "" for none."""
    inline = [f"({part.rstrip('?, ')}" for part in asking(answer).split(" (")[1:]]  # "do I (a) wait, or (b) go on?"
    options = map(_option, [*without_code(answer).splitlines(), *inline] if mark else ())
    named = [text for own_mark, text in options if own_mark[-1:] == mark and text]
    return _without_or(named[0]) if len(named) == 1 and not asks(named[0]) else ""


def _without_or(option: str) -> str:
    """Return an option without the word that leads to the next one."""
    before, _, last = option.rpartition(" ")
    return before.rstrip(" ,") if last in CHOOSING else option


def _option(line: str) -> tuple[str, str]:
    """Return the mark of an option, with what it is called before it, and its text; two times "" for any other line."""
    text = narrow(line).lstrip("-*+• (#")
    called = next((one for one in _CALLED if text.casefold().startswith(one)), "")
    rest = text[len(called) :].lstrip(" ")
    mark, after = rest[:1].upper(), rest[1:].lstrip("*")
    is_marked = after[:1] in _AFTER_MARK or (called and not after[:1].isalnum())
    return (called + mark, after.lstrip(" *):.-、").rstrip(" *;")) if mark in MARKS and is_marked else ("", "")


def narrow(text: str) -> str:
    """Return a text with narrow letters, digits and marks; a circled digit is a number with a stop."""
    if text.isascii():
        return text
    import unicodedata  # most texts are ASCII

    spaced = "".join(f"{char}." if "\u2460" <= char <= "\u2468" else char for char in text)
    return unicodedata.normalize("NFKC", spaced)


def _names_several(reply: str) -> bool:
    """Whether a reply is a list of its own, such as "1. yes 2. no"."""
    return sum(word[:1].upper() in MARKS and word[1:2] in {".", ")", ":"} for word in reply.split()) > 1


def _mark_at_start(reply: str) -> str:
    """Return the number or letter with which a reply begins or that it names, "" for none."""
    every = narrow(reply).replace(",", " ").split()
    for whole in every[:_MARKED_WITHIN]:
        before = next((one for one in ("选", "選", "(", *_CALLED) if whole.casefold().startswith(one)), "")
        word = whole[len(before) :] or whole
        mark, following = word[0].upper(), word[1:2]
        is_article = word == "a" and len(every) > 1
        if mark in MARKS and not is_article and (not following.isalnum() or following >= "\u1100"):
            return mark
    return ""


def asking(answer: str) -> str:
    """Return the one sentence with which an answer asks last."""
    tail, last = _last_question(answer)
    return tail[last] if tail else ""


def offers(answer: str) -> bool:
    """Whether an answer ends with an offer, such as "Shall I go on?"."""
    last = asking(answer)
    opens = OPENING.count(last, words(last)[:2])  # "what shall I take?" offers nothing
    return bool(PROPOSING.count(last, words(last))) and not opens


def is_yes_or_no(question: str) -> bool:
    """Whether a question offers something without alternatives."""
    last = asking(question)
    return offers(question) and not CHOOSING.intersection(words(last))


def goes_on(answer: str) -> bool:
    """Whether the offer with which an answer ends only goes on with the work, so that a yes to it decides nothing."""
    last, asked = asking(answer), bare_question(answer)
    goes_on = PROCEEDING.count(asked, words(asked)) and width(last) < _OFFER
    return offers(answer) and bool(goes_on) and not CHOOSING.intersection(words(last))


def declines(reply: str) -> bool:
    """Whether a reply has a word such as "no" or "none"."""
    return bool(DECLINING.intersection(words(reply)))


def is_bare(reply: str) -> bool:
    """Whether a reply says nothing beyond "yes" or "2", and nothing candid; some scripts have no blanks."""
    return len(words(reply)) <= _BARE_REPLY and (width(reply) == len(reply) or width(reply) <= _BARE_WIDE)


def open_questions(turns: "Sequence[Turn]") -> list[tuple[str, float]]:
    """Return the questions that wait, each with the time at which a person put the answer off, 0.0 for never.

    What was put off waits until a later reply has several of its words, whatever is asked meanwhile; the one with which
    the last answer ended comes last.
    """
    made, put_off = asked_and_answered(turns)
    last = bare_question(turns[-1].answer) if turns else ""
    times: dict[str, float] = {}
    for turn, answer in put_off:
        asked = bare_question(answer)
        theirs = set(requests.own_words(asked))
        later = [(by, set(requests.own_words(reply))) for one, by, reply in made if one.at > turn.at]
        again = (stems(bare_question(by)) for one, by, _ in made if one.at > turn.at)
        is_again = any(len(stems(asked) & other) >= min(_AGAIN, len(stems(asked)) / 2) for other in again)
        if asked != last and not (
            goes_on(answer) or is_again or any(by is answer or len(theirs & its) > 1 for by, its in later)
        ):
            times[asked] = turn.at
    return [*times.items(), *([(last, 0.0)] if last else [])]
