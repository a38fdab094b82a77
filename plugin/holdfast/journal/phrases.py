"""Words that mark a sentence worth quoting, in the languages that people write to coding clients in.

They choose what is quoted, never what it means. `phrases.txt` has the groups, and says what each is for.
"""

import os

_PARTING = str.maketrans("'-", "  ")  # in a word of a phrase
_NO_BLANKS = "\u1100"  # from here on scripts put no blanks between words, or endings on them


class Phrases:
    """A group of words; `count` says how many different ones a text has. Everything is in lower case.

    An asterisk in a phrase is for any words between.
    """

    def __init__(self, words: str = "", beginnings: str = "", parts: str = "") -> None:
        self._words = frozenset(words.split())
        self._beginnings = tuple(beginnings.split())
        self._known = tuple(part.strip() for part in parts.replace("\n", ",").split(",") if part.strip())
        self._phrases: list[list[str]] | None = None  # those of whole words, with a blank on each side
        self._parts: list[list[str]] = []  # those of languages without blanks

    def count(self, text: str, words: list[str]) -> int:
        """Return how many of the group a text has; `words` are its words in lower case."""
        if self._phrases is None:
            known = [part.translate(_PARTING).split("*") for part in self._known if part < _NO_BLANKS]
            self._phrases = [[_spaced(one.split()) for one in parts] for parts in known]
            self._parts = [part.split("*") for part in self._known if part >= _NO_BLANKS]
        whole = len(self._words.intersection(words))
        begun = sum(word.startswith(self._beginnings) for word in set(words)) if self._beginnings else 0
        low, spaced = text.casefold(), _spaced(words)
        phrases = sum(_follow(one, spaced) for one in self._phrases)
        return whole + begun + phrases + sum(_follow(one, low) for one in self._parts)


def _spaced(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _follow(parts: list[str], text: str) -> bool:
    """Whether the parts of a phrase follow each other in a text."""
    for part in parts:
        _, mark, text = text.partition(part)
        if not mark:
            return False
        text = f" {text}"
    return True


def _read() -> dict[str, dict[str, str]]:
    """Return what the file has: by group, the words of each kind."""
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/phrases.txt", "rb") as file:
        lines = file.read().decode().splitlines()
    groups: dict[str, dict[str, str]] = {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if line.startswith("["):
            group = groups[line.strip("[]")] = {}
        elif kind in {"words", "beginnings", "parts"}:
            group[kind] = f"{group.get(kind, '')}\n{rest}"
    return groups


_GROUPS = _read()


def _phrases(name: str) -> Phrases:
    return Phrases(**_GROUPS[name])


def _words(name: str) -> frozenset[str]:
    return frozenset(_GROUPS[name]["words"].split())


CORRECTING = _phrases("CORRECTING")
ORDERING = _words("ORDERING")
REPORTING = _words("REPORTING")
BEFORE_ORDERS = _words("BEFORE_ORDERS")
TAKEN_BACK = _phrases("TAKEN_BACK")
TRIED = _phrases("TRIED")
ATTEMPTED = _phrases("ATTEMPTED")
FAILED = _phrases("FAILED")
TURNED = _phrases("TURNED")
FIRST = _phrases("FIRST")
NOW = _phrases("NOW")
SUCCEEDED = _phrases("SUCCEEDED")
GIVEN_UP_HEADS = _phrases("GIVEN_UP_HEADS")
TAKE_BACK = _phrases("TAKE_BACK")
THIS_TURN = _phrases("THIS_TURN")
OPENING = _phrases("OPENING")
COMMON = _words("COMMON")
WANTED = _words("WANTED")
OFFERED = _words("OFFERED")
WITHDRAWING = _phrases("WITHDRAWING")
DEFERRING = _phrases("DEFERRING")
LATER = _words("LATER")
INTERROGATIVE = _words("INTERROGATIVE")
ASKING = _words("ASKING")
INFORMING = _phrases("INFORMING")
SAYING = _words("SAYING")
SPEAKING = _words("SPEAKING")
IF = _words("IF")
SUPPOSED = _phrases("SUPPOSED")
REASONS = _phrases("REASONS")
POINTING = _phrases("POINTING")
PROPOSING = _phrases("PROPOSING")
ADVISING = _phrases("ADVISING")
CHOOSING = _words("CHOOSING")
PROCEEDING = _phrases("PROCEEDING")
AHEAD = _words("AHEAD")
DECLINING = _words("DECLINING")
QUOTING = _phrases("QUOTING")
