"""What an answer names as next: below a heading, in a label, or in the sentences that say what is left."""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal.conversation import SHORT, asks, bare_item, clauses, sentences, sentences_of, width, without_code
from holdfast.journal.phrases import (
    AHEAD,
    AHEAD_LABELS,
    ASKED,
    GREETING,
    LEFT,
    NEXT,
    NEXT_HEADS,
    NOT_LEFT,
    PLAN,
    SUPPOSED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

_LEFT_MOST = 4  # sentences or items that say what is left
_SHORT_ITEM = 3  # words of a sentence that only says goodbye until tomorrow


def of_answer(answer: str, *, headed: bool = False) -> list[str]:
    """Return what an answer names as next; [] for nothing.

    It is the items below such headings, or the rest of their lines; without any, unless it has to be `headed`, the
    sentences that say what is left. Of a list it is the whole items, from the first that says so.
    """
    lines = [part for line in without_code(answer).splitlines() for part in _from_head(line)]
    made: list[str] = []
    for number, line in enumerate(lines):
        rest = _after_head(line)
        if rest is not None:
            made += [*_split(rest), *_items(lines[number + 1 :])]
    return list(dict.fromkeys(made)) if made or headed else _left(lines)


def is_in(task: str, steps: "Sequence[str]") -> bool:
    """Whether one of the steps has the words of a task."""
    own = set(requests.own_words(task))
    return bool(own) and any(own <= set(requests.own_words(step)) for step in steps)


def _left(lines: list[str]) -> list[str]:
    """Return the sentences that say what is left, and of a list the whole items from the first that says so.

    Those that say what is next come first.
    """
    said: list[str] = []
    listing = False
    for line in filter(str.strip, lines):
        item, hits = bare_item(line), [one for one in sentences(line) if not asks(one) and _is_left(one)]
        is_item = item != line.strip()
        listing = is_item and (listing or bool(hits))
        said += [item] if listing else hits
    return sorted(said, key=lambda one: not (NEXT.count(one, words(one)) or _is_ahead(one)))[:_LEFT_MOST]


def _split(rest: str) -> list[str]:
    """Return the sentences of a line, the first one taken apart at its semicolons outside of quotes and brackets."""
    first, *others = [one for one in sentences_of(rest) if not asks(one)] or [""]
    parts = [one.strip() for one in first.split(";")]
    whole = all(len(words(one)) > 1 and one.count("(") == one.count(")") and not one.count("`") % 2 for one in parts)
    return [one for one in [*(parts if whole else [first]), *others] if one]


def is_over(step: str, later: "Sequence[Turn]", *, worked: bool) -> bool:
    """Whether later turns speak of a step: by several of its words, or by one if work was done since."""
    spoken = {word for turn in later for word in words(f"{turn.prompt}\n{turn.answer}")}
    shared = len(spoken.intersection(requests.own_words(step)))
    wide = worked and bool(later) and width(step) > len(step) * 1.5  # it has no blanks between words
    return shared > 1 or (worked and bool(shared)) or wide


def _is_left(sentence: str) -> bool:
    """Whether a sentence says what is still to be done, by whomever: in a certain clause, by its label, or its day."""
    its = words(sentence)
    hits = [one for one in clauses(sentence) if LEFT.count(one, words(one))]
    certain = any(not SUPPOSED.count(one, words(one)) for one in hits) or bool(not hits and LEFT.count(sentence, its))
    label = words(_label(sentence))
    named = bool(AHEAD_LABELS.intersection([*label[:1], *label[-1:]]))
    asked = bool(ASKED.count(sentence, its))
    return named or asked or _is_ahead(sentence) or (certain and not NOT_LEFT.count(sentence, its))


def _is_ahead(sentence: str) -> bool:
    """Whether a sentence begins with the day that it is for, and says more than goodbye until then."""
    its = words(sentence)
    return bool(AHEAD.intersection(its[:2])) and len(its) > _SHORT_ITEM and its[0] not in GREETING


def _label(sentence: str) -> str:
    """Return what is before the colon of a sentence that has a short label and more after it, "" for none."""
    head, mark, rest = sentence.replace("\uff1a", ": ").partition(": ")
    return head if mark and rest.strip() and len(head) < SHORT else ""


def _from_head(line: str) -> list[str]:
    """Return a line, in parts where a later sentence of it begins with what such a heading says."""
    at = 0
    for sentence in sentences_of(line)[1:]:
        at = line.find(sentence, at)
        if _after_head(sentence) is not None:
            return [line[:at], *_from_head(line[at:])]
    return [line]


def _after_head(line: str) -> str | None:
    """Return what follows a heading such as "Next steps:" in a line, None for a line of another kind.

    What is for another day keeps its label.
    """
    text = bare_item(line).lstrip("#>*_ ")
    low = text.casefold()
    head, mark, rest = text.replace("\uff1a", ":").partition(":")
    rest = rest.strip(" *_")
    if not low.startswith(NEXT_HEADS):
        label = words(_label(text))
        listing = bool(mark) and not rest and len(text) < 2 * SHORT and _is_left(text)
        is_next = PLAN.intersection(label) or NEXT.count("", label[:1])
        return rest if is_next else text if AHEAD.intersection(label) else "" if listing else None
    if mark:
        return rest if len(head) < SHORT else text
    is_heading = line.lstrip().startswith(("#", "**")) and len(text) < SHORT
    return "" if is_heading else " ".join(one for one in sentences_of(text) if not asks(one))


def _items(lines: list[str]) -> list[str]:
    """Return the items of the list with which these lines begin."""
    made: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        bare = bare_item(line)
        if bare == line.strip():
            break
        made.append(bare)
    return made
