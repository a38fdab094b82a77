"""What was tried and given up, and what a person corrected, forbade or prefers: quoted from answers and prompts."""

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import phrases
from holdfast.journal.conversation import (
    LABEL,
    SHORT,
    asks,
    bare_item,
    clipped,
    is_of_others,
    joined,
    outside,
    own,
    sentences,
    width,
    without_code,
)
from holdfast.journal.replies import offers, withdraws
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.journal.conversation import Turn

    Preference = tuple[float, str]  # when it was said, in seconds since 1970, and its words

_GIVEN_UP, _PROMPT = 420, 220  # the most characters of a quote of an answer, of a prompt
_TEXT, _LISTED, _HEADED = "text", "item", "heading"
_HEAD_MOST = 80  # characters of a line that is a heading
_ITEM = 2  # sentences of a list item below it
_AFTER = 280  # characters of an answer after which something is taken back
_TELLING = 3  # letters that a word of its own has more than
# How a report of a change begins; and words that deny, which alone tell of no failure.
_CHANGED = phrases.Phrases(
    "updated rewrote replaced changed marked added reworded edited aktualisiert ersetzt geändert umgeschrieben "
    "atualizei substituí reescrevi actualicé reemplacé reescribí remplacé réécrit modifié aggiornato sostituito",
    parts="を更新, を書き換え, を修正, 업데이트, 수정했, 수정:, 更新了, 修改了, 改写了, 更新:",
)
_DENYING = frozenset(
    """
    but not no without isn doesn didn don won nicht kein keine keinen aber não sem mas sin pero mais ma
    """.split()  # noqa: SIM905 - the same
)


def of_turns(turns: "Sequence[Turn]") -> list[tuple[float, str]]:
    """Return what was tried and given up, with its time, oldest first: as answers say it, or as a person wants it."""
    made: list[tuple[float, str]] = []
    before = ""
    for turn in turns:
        wanted = _taken_back(turn.prompt, before)
        made.append((turn.at, wanted or _reported(own(turn.prompt))))
        made.append((turn.answered, told(turn.answer)))
        before = turn.answer
    return [(at, text) for at, text in made if text]


def told(answer: str) -> str:
    """Return the sentences with which an answer tells of something that was given up, "" for none."""
    return joined(answer, sentences_of(answer), _GIVEN_UP)


def _reported(prompt: str) -> str:
    """Return what a person tells of a trial of their own, "" for none."""
    parts = sentences_of(prompt)
    tried = any(phrases.TRIED.count(one, words(one)) for one in parts)
    return joined(prompt, parts, _GIVEN_UP) if tried else ""


def _taken_back(prompt: str, before: str) -> str:
    """Return what a person wants taken back, with what the answer `before` it says of that; "" for nothing."""
    parts = sentences(own(prompt))
    hits = [one for one in parts if not asks(one) and phrases.TAKE_BACK.count(one, words(one))]
    if not hits or asks(before):
        return ""
    parts = sentences(without_code(before))
    failed = next((at for at, one in enumerate(parts) if phrases.FAILED.count(one, words(one)) and not asks(one)), None)
    reason = clipped(" ".join(parts[:1] if failed is None else parts[failed:]), _AFTER)
    return joined(prompt, hits, _PROMPT) + (f" (said after: {reason})" if reason else "")


def takes_back(prompt: str, about: str) -> str:
    """Return the sentence of a prompt that takes back what a text is about, by a word that both have; "" for none."""
    theirs = _own(about)
    for one in sentences(own(prompt)):
        its = words(one)
        if asks(one) or not (phrases.TAKE_BACK.count(one, its) or phrases.WITHDRAWING.count(one, its)):
            continue
        if any(word in about.casefold() if width(word) > len(word) else word in theirs for word in _own(one)):
            return clipped(one, _AFTER)
    return ""


def _own(text: str) -> set[str]:
    """Return the words of a text that tell it from others; of scripts without blanks, parts of them."""
    found = requests.own_words(text)
    wide = {word[at : at + 3] for word in found if width(word) > len(word) for at in range(len(word) - 2)}
    return {word for word in found if len(word) > _TELLING} | wide


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text that tell of something that was tried and given up, in their order."""
    made: list[str] = []
    below = trials = False  # a heading says that what follows was given up, or that it was tried
    for mark, paragraph in _paragraphs(without_code(text)):
        head = paragraph[0]
        label = head.partition(":")[0] if head.startswith("**") else ""
        failed = trials and any(phrases.FAILED.count(one, words(one)) for one in paragraph)
        listed = ((below or failed) and mark == _LISTED) or _says_so(label)
        made += paragraph[:_ITEM] if listed else _in_paragraph(paragraph)
        is_head = len(paragraph) == 1 and (mark == _HEADED or head.rstrip("*_ ").endswith((":", "\uff1a")))
        below = _says_so(head) if is_head else below and mark == _LISTED
        trials = bool(phrases.TRIED.count(head, words(head))) if is_head else trials and mark == _LISTED
    return made


def _says_so(head: str) -> bool:
    return width(head) < _HEAD_MOST and bool(phrases.GIVEN_UP_HEADS.count(head, words(head)))


def _in_paragraph(paragraph: list[str]) -> list[str]:
    """Return those sentences of one paragraph: each that says so, with what it points to and what was done then."""
    parts = [(one, words(one)) for one in paragraph if words(one)]
    taken = set[int]()
    for at, part in enumerate(parts):
        done = phrases.TRIED.count(*part) and phrases.TURNED.count(*part)
        wanted = not phrases.TRIED.count(*part) and phrases.WANTED.intersection(part[1])
        if asks(part[0]) or part[1][0] in phrases.IF or (supposes(part[0]) and not done) or wanted or _reports(*part):
            continue
        if phrases.TAKEN_BACK.count(*part):
            taken |= {*range(_beginning(parts, at), at + 1)}
        elif (
            phrases.FIRST.count(*part)
            and (phrases.FAILED.count(*part) or phrases.ATTEMPTED.count(*part))
            and not phrases.SUCCEEDED.count(*part)
        ):
            taken.add(at)
        elif phrases.TRIED.count(*part) and (length := _turns_away(parts[at : at + 3])):
            taken |= {*range(at, at + length)}
    return [parts[at][0] for at in sorted(taken)]


def supposes(sentence: str) -> bool:
    """Whether a sentence only supposes something, by its first word or by one such as "might"."""
    its = words(sentence)
    return bool(phrases.IF.intersection(its[:1]) or phrases.SUPPOSED.count(sentence, its))


def _reports(sentence: str, its: list[str]) -> bool:
    """Whether a sentence only tells what was changed in a text: "NOTES: replaced the naive idea with four steps"."""
    head, colon, rest = sentence.partition(":")
    begins = head if _CHANGED.count(head, words(head)[:2]) or not colon else rest
    changed = _CHANGED.count(" ".join(words(begins)[:2]), words(begins)[:2])
    failed = phrases.FAILED.count(sentence, [word for word in its if word not in _DENYING])
    return bool(changed) and not (failed or phrases.TAKEN_BACK.count(sentence, its))


def _beginning(parts: "Sequence[tuple[str, list[str]]]", at: int) -> int:
    """Return where what a sentence says was taken back begins: up to two sentences earlier, if it points there."""
    for first in range(at, max(0, at - 2), -1):
        follows = bool(phrases.NOW.count("", parts[first][1][:1]))  # "so", "also", "donc"
        points = phrases.POINTING.count(*parts[first]) or width(parts[first][0]) < SHORT
        if (phrases.TRIED.count(*parts[first]) and not follows) or not points or asks(parts[first - 1][0]):
            return first
    return max(0, at - 2)


def _turns_away(parts: "Sequence[tuple[str, list[str]]]") -> int:
    """Return how many sentences it takes to tell that a trial, the first of them, was given up; 0 for never."""
    failed = False
    for number, part in enumerate(parts, 1):
        if asks(part[0]):
            return 0
        failed = failed or bool(phrases.FAILED.count(*part))
        if number == 1 and phrases.GIVEN_UP_HEADS.count(*part):
            return number
        only_named = (
            not failed and phrases.TRIED.count(part[0], [word for word in part[1] if word not in phrases.OFFERED]) == 0
        )
        if (phrases.TURNED.count(*part) and not (number == 1 and only_named)) or phrases.TAKEN_BACK.count(*part):
            return number
        if failed and phrases.NOW.count(*part) and not phrases.SUCCEEDED.count(*part):
            return number
    return 0


def _paragraphs(text: str) -> "Iterator[tuple[str, list[str]]]":
    """Yield the sentences of each paragraph, list item or heading, and which of these it is."""
    mark, made = _TEXT, list[str]()
    for line in text.splitlines():
        bare, is_head = bare_item(line), line.lstrip().startswith("#")
        if not bare or bare != line.strip() or is_head or mark == _HEADED:
            if made:
                yield mark, made
            mark, made = (_HEADED if is_head else _LISTED if bare != line.strip() else _TEXT), []
        made += sentences(line)
    if made:
        yield mark, made


# After "always" a number or an article makes no report: "always one commit for a topic".
_ALWAYS = frozenset(["always", "immer", "sempre", "siempre", "toujours"])
_COUNTING = frozenset(["one", "two", "three", "four", "a", "an", "zwei", "drei", "ein", "eine"])
_LONGEST = 220  # characters of a quote
_SPECIFYING = 12  # lines of a prompt
_ITEMS, _PASTED = 4, 20  # items of a list that specifies something, characters of a line that is known again
_SHORT = 3  # words of a sentence that needs the one before it
_BARE = 18  # columns of a yes with a condition
_POINTS, _ANSWER = 60, 120  # columns of a correction that points to an answer, characters of that answer
_BETWEEN = (
    ",",
    ";",
    ": ",
    " - ",
    " \u2013 ",
    " \u2014 ",
    " and ",
    " but ",
    " und ",
    " aber ",
    " y ",
    " pero ",
    " mas ",
)


# A reply agrees on a condition.
_CONDITIONS = phrases.Phrases(
    "but first only aber erst zuerst vorher nur mas antes primeiro só pero primero solo mais avant seulement ma prima",
    parts="d'abord, 但, 先, 不过, でも, まず, その前に, 먼저, 하지만, 다만",
)


def corrections_of(turns: "Sequence[Turn]", first: str = "") -> list[tuple[float, str]]:
    """Return what a person corrected, forbade or preferred, sentence by sentence, with its time, oldest first.

    The `first` request is the objective, and no correction of it, unless it is long. What the next prompt takes back,
    and words of others that a prompt quotes, are none.
    """
    made: list[tuple[float, str]] = []
    said = ""  # by Claude until then, on one line
    for before, turn in zip([None, *turns], turns, strict=False):
        said += " ".join(["", *before.answer.split()]) if before else ""
        if before and made and made[-1][0] == before.at and withdraws(turn.prompt):
            del made[-1]
        if turn.prompt == first and len(first) < _LONGEST:
            continue
        text = _own_words(turn.prompt, said)
        if before and offers(before.answer) and _agrees_if(text):
            made.append((turn.at, clipped(text, _LONGEST)))
        elif hits := _hits(sentences(text)):
            made.append((turn.at, joined(text, hits, _LONGEST) + _after(hits, before)))
    return made


def _agrees_if(text: str) -> bool:
    """Whether a reply agrees on a condition, such as "yes, but write the changelog first"."""
    return requests.answers(text) and width(text) > _BARE and bool(_CONDITIONS.count(text, words(text)))


def _own_words(prompt: str, said: str) -> str:
    """Return what a person says in a prompt: nothing that Claude `said` and they paste, and no long list of a request.

    One of many lines specifies the task, and corrects nothing.

    A terminal breaks and indents the lines that are copied from it.
    """
    lines = own(prompt).splitlines()
    if len(lines) > _SPECIFYING:
        return ""
    listed = sum(bare_item(line) != line.strip() for line in lines) > _ITEMS

    def in_list(line: str) -> bool:  # what is indented goes on with an item
        return listed and (line[:1] == " " or bare_item(line) != line.strip())

    def is_pasted(line: str) -> bool:
        return len(line.strip()) > _PASTED and " ".join(line.split()) in said

    return "\n".join(line for line in lines if not in_list(line) and not is_pasted(line))


def _hits(parts: list[str]) -> list[str]:
    """Return the sentences that correct, each with its reason: the one after it, and before it if it is short."""
    chosen = [at for at, one in enumerate(parts) if not (asks(one) or one.endswith(LABEL)) and orders(one)]
    context = [at - 1 for at in chosen if at and (len(words(parts[at])) <= _SHORT or _points(parts[at]))]
    context += [at + 1 for at in chosen if at + 1 < len(parts) and not asks(parts[at + 1])]
    return [parts[at] for at in sorted({*chosen, *context})]


def _points(sentence: str) -> bool:
    """Whether a sentence orders something that it does not name, such as "leave it, nobody needs that"."""
    first = _clauses(sentence)[0]
    return width(sentence) < _POINTS and bool(_orders(first) and phrases.POINTING.count(first, words(first)))


def _after(hits: list[str], before: "Turn | None") -> str:
    """Return the end of the answer to which a correction points, "" for none."""
    points = before and len(hits) == 1 and _points(hits[0])
    last = sentences(without_code(before.answer))[-1:] if before and points else []
    return "".join(f" (said after: {clipped(text, _ANSWER)})" for text in last)


def orders(sentence: str) -> bool:
    """Whether a sentence corrects, orders or forbids; a report such as "it does not work" does not."""
    its = words(sentence)
    if not its or its[0] in phrases.IF or is_of_others(sentence) or phrases.THIS_TURN.count(sentence, its):
        return False
    marked = phrases.CORRECTING.count(sentence, its) or phrases.WITHDRAWING.count(sentence, its)
    return bool(marked) or any(_orders(clause) for clause in _clauses(sentence) if _says_what(clause) or len(its) == 1)


def _says_what(clause: str) -> bool:
    """Whether a clause has more than one word, or one that refuses, such as "no, the other file"."""
    its = words(clause)
    return len(its) != 1 or its[0] in phrases.BEFORE_ORDERS


def _clauses(sentence: str) -> list[str]:
    sentence = outside(sentence, "(", ")")
    for mark in _BETWEEN:
        sentence = sentence.replace(mark, "\n")
    return sentence.splitlines()


def _orders(clause: str) -> bool:
    """Whether a clause begins with a word that orders or forbids, such as "never" or "do not"."""
    its = words(clause)
    while (
        len(its) > 1
        and its[0] in phrases.BEFORE_ORDERS
        and (its[0] not in phrases.ORDERING or its[1] in phrases.ORDERING)
    ):
        its = its[1:]
    its = its[1:] if its[:2] in (["do", "not"], ["do", "always"], ["do", "never"]) else its
    following = its[2:3] if its[:2] == ["don", "t"] else its[1:2]
    reports = phrases.REPORTING - _COUNTING if its[:1] and its[0] in _ALWAYS else phrases.REPORTING
    return bool(its) and its[0] in phrases.ORDERING and not reports.intersection(following)


# What the user prefers in all sessions: corrections that a person or the model has confirmed, a line for each.
MOST_PREFERRED = 5  # in a brief
KEPT, DROPPED = "kept", "dropped"


def preferences(store: str) -> "dict[str, list[Preference]]":
    """Return those that were kept and those that were dropped, by these words; the latest word about each counts."""
    lines = (files.read_or_none(paths.preferences_file(store)) or b"").splitlines()
    rows = {text_of(row, "text"): row for row in map(fast_json.object_in, lines) if text_of(row, "text")}
    return {
        word: [(number_of(row, "said"), text) for text, row in rows.items() if text_of(row, "status") == word]
        for word in (KEPT, DROPPED)
    }


def forget_preferences(store: str, fits: "Callable[[str], bool]") -> None:
    """Remove those whose words fit; OSError when that cannot be written."""
    before = files.read_or_none(paths.preferences_file(store)) or b""
    kept = [line for line in before.splitlines() if not fits(text_of(fast_json.object_in(line), "text"))]
    if len(kept) < len(before.splitlines()):
        files.write_private(paths.preferences_file(store), b"".join(line + b"\n" for line in kept))


def note_preference(store: str, one: "Preference", status: str) -> None:
    """Note that a preference is kept or dropped; OSError when that cannot be written."""
    row = {"said": one[0], "text": one[1], "status": status}
    files.append_line(paths.preferences_file(store), fast_json.dumps(row).encode())
