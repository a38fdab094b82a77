"""What was decided: by a person in a dialog, or as an answer states it, in its words and with the reason."""

from itertools import takewhile

from holdfast.core.fast_json import number_of, text_of
from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import replies
from holdfast.journal.conversation import (
    LABEL,
    asks,
    bare_item,
    clauses,
    clipped,
    clipped_front,
    row_of,
    sentences,
    width,
    without_code,
)
from holdfast.journal.next_steps import label_of, list_below
from holdfast.journal.phrases import (
    ADVISING,
    AHEAD,
    CHOOSING,
    DEFERRING,
    PROCEEDING,
    PROPOSING,
    SPEAKING,
    SUPPOSED,
    Phrases,
)
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn
    from holdfast.journal.log import Fact

_HEADING = 80  # characters of a line that may be such a heading
_LONGEST, _MOST = 280, 24  # characters of a decision, decisions of an answer
# What answers several numbered questions, such as "1. yes 2. no", "F1: A; F2: no" or "A1 - the first", and a question.
_PART = r"(?:^|[\s;,])[A-Z]?([1-9])(?:[.):]|\s[-\u2013\u2014])\s+"
_POINT = r"\W{0,4}[A-Z]?([1-9])(?:[.):]|\s[-\u2013\u2014])\W*(.+)"
# Before the one number that a reply speaks of.
_ABOUT = ("zu", "to", "re", "ad", "for", "sobre", "para", "sur", "pour")
_REPLY = 280  # characters of a reply
_ONE = 2  # words of a reply that names one of several, such as "the second"
_ARTICLES = frozenset(["the", "a", "der", "die", "das", "le", "la", "les", "el", "los", "o", "os", "il", "i"])
_LABEL_LONGEST = 2  # words of a label before what was decided
_DECIDED = frozenset(
    """
    decision decisions decided entscheidung entscheidungen entschieden décision décisions décidé decisão decisões
    decidido decisión decisiones decisione decisioni deciso
    """.split()  # noqa: SIM905 - a list of words in several languages
)
_DECIDED_PARTS = ("결정", "決定", "决定", "决策")  # of languages without blanks
# A heading with one of these names what is still to be decided.
_UNDECIDED = frozenset(
    """
    open pending needed need needs required outstanding remaining missing your you next offen offene offenen nötig
    nötige ausstehende deine ihre pendente pendentes pendiente pendientes sua suas tu tus abertas abiertas requise
    requises votre vos
    """.split()  # noqa: SIM905 - the same
)
_CHOOSING_PARTS = ("か、", "それとも", "还是", "還是", "아니면", "또는")  # between the options of a question
_UNDECIDED_PARTS = ("필요", "남은", "必要", "未決", "待ち", "需要", "待定", "未决")


# Claude chose something, in a sentence that says for what reason or instead of what.
_CHOSE = Phrases(
    parts="""
    i went with, i chose, i've chosen, i decided, i've decided, we decided, i picked, i settled on, i opted for
    i used * instead, i use * instead, i kept * instead, i made it * instead, i stay with, i stayed with
    i use * because, i used * because, i keep * because, i kept * because, i round * because, i store * because
    i take * because, i took * because, i put * because, we use * because, ich verwende * weil, ich nutze * weil
    ich nehme * weil, ich runde * weil, uso * porque, usei * porque, usé * porque, j'utilise * parce que
    habe mich für, ich habe mich * entschieden, haben uns für, ich nehme, ich habe * statt, ich verwende * statt
    optei por, escolhi, decidi, preferi, elegí, opté por, decidí, preferí, j'ai choisi, j'ai opté, j'ai préféré
    j'ai décidé, ho scelto, ho deciso, 선택했, 로 정했, 기로 했, 을 선택, にしました, を選び, を採用, に決め
    我选, 选择了, 采用了, 决定
    """,
)
_REASON = Phrases(
    "because instead rather since weil statt stattdessen denn da porque pois invece perché car",
    parts="so that, em vez, en vez, en lugar, ya que, au lieu, parce que, plutôt que, 때문, 대신, ため, 代わり, 因为",
)


class Decision:
    """What was decided: the question, "" where none was asked, and the answer. `at` is in seconds since 1970.

    `choice` is what was offered under the number or letter that the answer names, "" for none. `then` is how Claude
    took the answer up, where the answer itself may not be quoted. `undone` says when a person took it back, and how.

    `candid` says that it has words that a person typed, beyond a bare reply such as "yes" or "2".
    """

    __slots__ = ("answer", "at", "candid", "choice", "question", "then", "undone")

    def __init__(self, at: float, question: str, answer: str, *, choice: str = "", candid: bool = False) -> None:
        self.at, self.question, self.answer, self.candid = at, question, answer, candid
        self.choice, self.then, self.undone = choice, "", ""

    @property
    def reply(self) -> str:
        """The user's answer in quotation marks and the choice that it names, or how Claude took it up."""
        named = f" ({self.choice})" if self.choice else ""
        then = f'Claude, after the answer: "{self.then}"' if self.then else ""
        if self.answer:
            return "; ".join(filter(None, (f'"{self.answer}"{named}', then)))
        return "; ".join(filter(None, (self.choice if self.choice not in self.then else "", then)))

    @property
    def told(self) -> str:
        """What was decided: the answer after the question; what a summary or a plan states, as it is."""
        text = f"{self.question} → {self.reply}" if self.question else self.choice or self.answer
        return f"{text}; {self.undone}" if self.undone else text


def of_fact(fact: "Fact") -> list[Decision]:
    """Return what a person chose or accepted by this fact."""
    at, text = number_of(fact, "at"), safe.safe(text_of(fact, "text"))
    if fact["kind"] == "choice":
        from holdfast.journal import dialogs

        return [Decision(at, question, answer, candid=typed) for question, answer, typed in dialogs.answered(text)]
    return [Decision(at, "", f'The plan "{text}" was accepted')] if fact["kind"] == "plan" and text else []


def quoted(question: str, reply: str) -> str:
    """Return the option of a question with which a reply begins, such as "DHL" of "DHL or UPS?"; "" for none.

    In scripts without blanks it is as much of it as the question has.
    """
    first, asked = next(iter(clauses(reply)), "").strip(), {*words(question)}
    parts = [part for part in _CHOOSING_PARTS if part in question]
    if parts and width(reply) > len(reply):
        options = question.replace(parts[0], "\n")
        return next((first[:end].strip() for end in range(len(first), 1, -1) if first[:end] in options), "")
    is_option = bool(requests.own_words(first)) and asked.issuperset(words(first))
    return first if is_option and CHOOSING & asked else ""


def restates(one: Decision, chosen: Decision) -> bool:
    """Whether what Claude states later has the words of a choice in a dialog."""
    its, stated = set(requests.own_words(chosen.answer)), set(requests.own_words(one.answer))
    return one.at > chosen.at and 3 * len(its & stated) > len(its)


def of_replies(turns: "Sequence[Turn]") -> "list[tuple[float, str, str, str]]":
    """Return what a person answered to a question: (time, question, reply, choice that it names), oldest first.

    Where the reply names no choice by its mark, the choices are quoted with the question; options without a question
    have "" for it. A reply to numbered questions is one answer to each.
    """
    made = []
    for turn, answer, reply in replies.replies(turns):
        named = clipped(replies.chosen(answer, reply), _REPLY)
        if several := _by_number(answer, reply):
            made += [(turn.at, asked, clipped(part, _REPLY), choice) for asked, part, choice in several]
        elif (fitting := _fitting(turn, answer, reply)) is not None:
            made += [(turn.at, asked, clipped(reply, _REPLY), "") for asked in fitting]
        elif (advice := _advice(answer, reply)) and replies.goes_on(answer):
            made.append((turn.at, f"{advice} {replies.asking(answer)}", clipped(reply, _REPLY), named))
        elif _decides(answer, reply, named):
            short = named or (replies.is_bare(reply) and not CHOOSING.intersection(words(replies.asking(answer))))
            asked = replies.bare_question(answer) if short else replies.question(answer)
            agrees = replies.is_bare(reply) and not replies.declines(reply)
            mark = _mark_in(replies.bare_question(answer)) if agrees else ""  # "I would take 2. Shall I?"
            named = named or clipped(replies.option_of(answer, mark), _REPLY)
            made.append((turn.at, asked if asks(replies.asking(answer)) else "", clipped(reply, _REPLY), named))
    return made


def _fitting(turn: "Turn", answer: str, reply: str) -> list[str] | None:
    """Return the other questions of an answer that a reply is for, [] if it puts off the only one; None for the last.

    It is the one that the reply speaks of, or all of them if a part of the prompt puts the last one off.
    """
    last = replies.asking(answer)
    if replies.chosen(answer, reply) or requests.answers(reply) or not requests.is_request(reply):
        return None
    every = [one for one in sentences(without_code(answer)) if asks(one)]
    fitting = max(every, key=lambda one: len(replies.stems(one) & replies.stems(reply)), default="")
    goes_on = PROPOSING.count(fitting, words(fitting)) and PROCEEDING.count(fitting, words(fitting))
    if replies.speaks_of(reply, fitting) and not (goes_on or replies.speaks_of(reply, last)):
        return [clipped_front(fitting, replies.QUESTION)]
    if replies.speaks_of(reply, replies.question(answer)):
        return None
    parts = sentences(turn.prompt)
    puts_off = any(DEFERRING.count(one, words(one)) or AHEAD.intersection(words(one)) for one in parts)
    if not puts_off:
        return None
    return [clipped_front(" ".join(every), replies.QUESTION)] if every[1:] else []


def _mark_in(text: str) -> str:
    """Return the only number by which a text names an option, such as "I would take 2"; "" for none or several."""
    marks = {word for word in words(text) if word in replies.MARKS}
    return next(iter(marks)) if len(marks) == 1 else ""


def _advice(answer: str, reply: str) -> str:
    """Return the sentence with which an answer recommends something to which a reply may agree, "" for none."""
    if not (replies.is_bare(reply) or requests.answers(reply)):
        return ""
    parts = [one for one in sentences(without_code(answer)) if not asks(one)]
    return next((one for one in reversed(parts) if ADVISING.count(one, words(one))), "")


def _by_number(answer: str, reply: str) -> list[tuple[str, str, str]]:
    """Return question, answer and the choice that it names for each numbered question of an answer; [] for others."""
    import re  # only where decisions are read

    before, *pieces = re.split(_PART, replies.narrow(reply))
    parts = dict(zip(pieces[::2], (part.strip(" ;,\n") for part in pieces[1::2]), strict=True))
    lines = without_code(answer).splitlines()
    points = {match[1]: at for at, line in enumerate(lines) if (match := re.match(_POINT, line))}
    if not (pieces[2:] or before.casefold() in _ABOUT) or not parts.keys() <= points.keys():
        return []
    made = []
    for number, part in parts.items():
        following = [at for at in points.values() if at > points[number]]
        block = "\n".join(lines[points[number] + 1 : min(following, default=len(lines))])
        asked = re.sub(_POINT, r"\2", lines[points[number]]).strip(" *:")
        made.append((clipped(asked, _REPLY), part, clipped(replies.chosen(block, part), _REPLY)))
    return [one for one in made if one[1]]


def _decides(answer: str, reply: str, choice: str) -> bool:
    """Whether a reply decides something: it is no yes to going on, and no request of its own instead of an answer."""
    if choice:
        return True
    if replies.goes_on(answer):
        return False
    last, its = replies.asking(answer), words(reply)
    agrees = requests.answers(reply) and not SPEAKING.intersection(its[:1])
    declines, speaks = replies.declines(reply), replies.speaks_of(reply, last)
    choosing, offers = CHOOSING.intersection(words(last)), replies.offers(answer)
    names_one = len(its) <= _ONE or bool(({*its[:1]} - _ARTICLES) & {*words(last)})  # "the second", "SES, please"
    fits = agrees or declines or speaks or (choosing and names_one)
    if not fits and (choosing or offers):
        return False  # such as "read page 4" after "Shall I delete the old data?"
    if replies.is_bare(reply):
        asked = last if declines else replies.bare_question(answer)
        return requests.has_substance(asked) or not (requests.answers(reply) or declines)
    return not offers or agrees or speaks or not requests.has_substance(reply)


def of_answer(answer: str) -> list[str]:
    """Return what an answer states as decided, in its words.

    It is the list items, or table rows, below a heading about decisions, what follows such a label, and a sentence with
    which Claude chose for a reason.
    """
    lines = without_code(answer).splitlines()
    found: list[str] = []
    for number, line in enumerate(lines):
        if _is_heading(line) and not label_of(line):
            found += _below(lines[number + 1 :])
        elif _is_row(line):
            is_first = not _is_row(lines[number - 1] if number else "")
            found += _rows(lines[number:]) if is_first and _is_heading(line.strip("| "), cells=True) else []
        else:
            found += filter(None, map(_stated, sentences(line)))
    return [clipped(text, _LONGEST) for text in dict.fromkeys(found)][:_MOST]


def _stated(sentence: str) -> str:
    """Return what a sentence states as chosen: what follows "Decision:", or the whole with its reason; "" for none."""
    label = label_of(sentence)
    if label and len(words(label)) <= _LABEL_LONGEST and _is_heading(f"{label}:"):
        return _plain(sentence.replace("**", "").replace("\uff1a", ": ").partition(": ")[2])
    its = words(sentence)
    chose = _CHOSE.count(sentence, its) and _REASON.count(sentence, its)
    return _plain(sentence) if chose and not (asks(sentence) or SUPPOSED.count(sentence, its)) else ""


def _is_heading(line: str, *, cells: bool = False) -> bool:
    """Whether a line is a heading, a label, or the head of a table that announces decisions which were taken."""
    text = line.strip()
    marked = text.startswith(("#", "**")) or text.rstrip("*_ ").endswith(LABEL) or cells
    if not marked or len(text) > _HEADING or bare_item(text) != text or asks(text):
        return False
    its, low = set(words(text)), text.casefold()
    decided = bool(its & _DECIDED) or any(part in low for part in _DECIDED_PARTS)
    return decided and not (its & _UNDECIDED or any(part in low for part in _UNDECIDED_PARTS))


def _below(lines: list[str]) -> list[str]:
    """Return the items of the list, or the rows of the table, with which these lines begin."""
    filled = [line for line in lines if line.strip()]
    if filled and _is_row(filled[0]):
        return _rows(filled)
    return [_plain(text) for text in list_below(filled, 0)[0] if not asks(text)]


def _rows(lines: list[str]) -> list[str]:
    """Return a text for each row of the table with which these lines begin, without its head."""
    return [_plain(row) for line in takewhile(_is_row, lines) for row in row_of(line, 2)][1:]


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") and line.count("|") > 2


def _plain(text: str) -> str:
    return text.replace("**", "").replace("`", "").strip()
