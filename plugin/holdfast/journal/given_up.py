"""What was tried and given up, quoted from answers and prompts: an attempt that failed, and what was taken back."""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import phrases
from holdfast.journal.conversation import SHORT, asks, bare_item, clipped, joined, own, sentences, width, without_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.journal.conversation import Turn

_GIVEN_UP, _PROMPT = 420, 220  # the most characters of a quote of an answer, of a prompt
_TEXT, _LISTED, _HEADED = "text", "item", "heading"
_HEAD_MOST = 80  # characters of a line that is a heading
_ITEM = 2  # sentences of a list item below it
_AFTER = 280  # characters of an answer after which something is taken back
_TELLING = 3  # letters that a word of its own has more than


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
        if asks(part[0]) or part[1][0] in phrases.IF or (phrases.SUPPOSED.count(*part) and not done):
            continue
        if phrases.TAKEN_BACK.count(*part):
            taken |= {*range(_beginning(parts, at), at + 1)}
        elif phrases.FIRST.count(*part) and phrases.FAILED.count(*part) and not phrases.SUCCEEDED.count(*part):
            taken.add(at)
        elif phrases.TRIED.count(*part) and (length := _turns_away(parts[at : at + 3])):
            taken |= {*range(at, at + length)}
    return [parts[at][0] for at in sorted(taken)]


def _beginning(parts: "Sequence[tuple[str, list[str]]]", at: int) -> int:
    """Return where what a sentence says was taken back begins: up to two sentences earlier, if it points there."""
    for first in range(at, max(0, at - 2), -1):
        points = phrases.POINTING.count(*parts[first]) or width(parts[first][0]) < SHORT
        if phrases.TRIED.count(*parts[first]) or not points or asks(parts[first - 1][0]):
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
        if phrases.TURNED.count(*part) or phrases.TAKEN_BACK.count(*part):
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
