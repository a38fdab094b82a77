"""What a person corrected, forbade or prefers, quoted: a sentence that orders, and none that reports a fault."""

from holdfast.core.words import words
from holdfast.journal import phrases
from holdfast.journal.conversation import asks, joined, objective, sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

_LONGEST = 220  # characters of a quote
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


def of_turns(known: "Sequence[Turn]") -> list[tuple[float, str]]:
    """Return what a person corrected, forbade or preferred, sentence by sentence, with its time, oldest first.

    The first request is the objective, and no correction of it, unless it is long.
    """
    first = objective(known)
    made: list[tuple[float, str]] = []
    for turn in known:
        if turn.prompt == first and len(first) < _LONGEST:
            continue
        hits = [one for one in sentences(turn.prompt) if not asks(one) and _corrects(one)]
        made += [(turn.at, joined(turn.prompt, hits, _LONGEST))] if hits else []
    return made


def _corrects(sentence: str) -> bool:
    """Whether a sentence corrects, orders or forbids; a report such as "it does not work" does not."""
    its = words(sentence)
    if not its or its[0] in phrases.IF:
        return False
    return bool(phrases.CORRECTING.count(sentence, its)) or any(_orders(clause) for clause in _clauses(sentence))


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
    return bool(its) and its[0] in phrases.ORDERING and not phrases.REPORTING.intersection(following)
