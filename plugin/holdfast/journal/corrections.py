"""What a person corrected, forbade or prefers, quoted: a sentence that orders, and none that reports a fault."""

from holdfast.core.words import words
from holdfast.journal import phrases
from holdfast.journal.conversation import (
    LABEL,
    asks,
    bare_item,
    clipped,
    is_of_others,
    joined,
    own,
    sentences,
    width,
    without_code,
)
from holdfast.journal.replies import objective, withdraws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

# After "always" a number or an article makes no report: "always one commit for a topic".
_ALWAYS = frozenset(["always", "immer", "sempre", "siempre", "toujours"])
_COUNTING = frozenset(["one", "two", "three", "four", "a", "an", "zwei", "drei", "ein", "eine"])
_LONGEST = 220  # characters of a quote
_LISTED, _PASTED = 4, 20  # items of a list that specifies something, characters of a line that is known again
_SHORT = 3  # words of a sentence that needs the one before it
_POINTS, _AFTER = 60, 120  # columns of a correction that points to an answer, characters of that answer
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


def of_turns(turns: "Sequence[Turn]") -> list[tuple[float, str]]:
    """Return what a person corrected, forbade or preferred, sentence by sentence, with its time, oldest first.

    The first request is the objective, and no correction of it, unless it is long. What the next prompt takes back, and
    words of others that a prompt quotes, are none.
    """
    first = objective(turns)
    made: list[tuple[float, str]] = []
    said = ""  # by Claude until then, on one line
    for before, turn in zip([None, *turns], turns, strict=False):
        said += " ".join(["", *before.answer.split()]) if before else ""
        if before and made and made[-1][0] == before.at and withdraws(turn.prompt):
            del made[-1]
        if turn.prompt == first and len(first) < _LONGEST:
            continue
        text = _own(turn.prompt, said)
        if hits := _hits(sentences(text)):
            made.append((turn.at, joined(text, hits, _LONGEST) + _after(hits, before)))
    return made


def _own(prompt: str, said: str) -> str:
    """Return what a person says in a prompt: nothing that Claude `said` and they paste, and no long list of a request.

    A terminal breaks and indents the lines that are copied from it.
    """
    lines = own(prompt).splitlines()
    listed = sum(bare_item(line) != line.strip() for line in lines) > _LISTED
    return "\n".join(
        line
        for line in lines
        if not (listed and bare_item(line) != line.strip())
        and not (len(line.strip()) > _PASTED and " ".join(line.split()) in said)
    )


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
    return "".join(f" (said after: {clipped(text, _AFTER)})" for text in last)


def orders(sentence: str) -> bool:
    """Whether a sentence corrects, orders or forbids; a report such as "it does not work" does not."""
    its = words(sentence)
    if not its or its[0] in phrases.IF or is_of_others(sentence):
        return False
    marked = phrases.CORRECTING.count(sentence, its) or phrases.WITHDRAWING.count(sentence, its)
    return bool(marked) or any(_orders(clause) for clause in _clauses(sentence) if _says_what(clause) or len(its) == 1)


def _says_what(clause: str) -> bool:
    """Whether a clause has more than one word, or one that refuses, such as "no, the other file"."""
    its = words(clause)
    return len(its) != 1 or its[0] in phrases.BEFORE_ORDERS


def _clauses(sentence: str) -> list[str]:
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
