"""Whether a run of letters and digits is random, as a key is, and no name, word, number or commit id.

`safe` asks before it loads the patterns, so this module imports nothing.
"""

# How often a letter follows another, a row for each first letter from a to z: the binary logarithm of the frequency
# relative to chance, times 1.2, plus 5. Counted over the 93,000 different words and parts of names in the sources of
# the Python library, in C headers, and in English and German documentation.
_FOLLOWS = (
    *("67774465636879361878654453", "74437332631622620542611131", "73546338506532740546421031"),
    *("74458423722433631553522120", "65776655715869464988454653", "63446620600522620544401020"),
    *("62238234502434520664512011", "72227111602534620535502020", "66767572225769751688252325"),
    *("51004000301000310020300000", "61126123501422620345402021", "83358332813733730256631052"),
    *("85338221602352660253511020", "74688683725435741378543144", "45663453425768560866655323"),
    *("72337424602532651755512040", "10000000100000000100500000", "85569453815565741677644144"),
    *("63748346705544662378634053", "83549426812543740766623255", "55545542513668350676122222"),
    *("61217100500211410121100000", "60226102500113410331201000", "31323301300120140124100420"),
    *("51223110301234350243311041", "41006001500100300012402014"),
)
_EVEN = 5  # as often as by chance
_FIRST = ord("a")
_PAIRS = {
    chr(_FIRST + first) + chr(_FIRST + second): int(digit) - _EVEN
    for first, row in enumerate(_FOLLOWS)
    for second, digit in enumerate(row)
}
# The same for two characters that are not letters of one word: names have few digits, and many separators.
_CAPITAL, _DIGIT, _SUCCESSOR, _SEPARATED, _BROKEN = -1, -2, 1, 3, -2
_SEPARATORS = "-_/+"
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + _SEPARATORS)
_HEX = "0123456789abcdef"
_SHORTEST = 32  # characters of a key that nothing but its randomness shows
_COMMIT = 40  # hexadecimal digits of a commit's id
_UUID = [8, 4, 4, 4, 12]  # hexadecimal digits of the parts of one
_MANGLED = ("_Z", "__Z", "_R")  # how C++ and Rust begin names in object files
_HEX_DIFFERENT, _DIFFERENT = 8, 14  # characters of random text that are not equal
_LEAST_DIGITS = 2  # in text of one case; else it may be a word, or a list of letters
_THIRD = 3  # of a point for each character: below minus that, a run is random


def runs(word: str) -> "list[str]":
    """Return the long runs of letters, digits and separators in a word."""
    if not _ALPHABET.issuperset(word):
        word = "".join(char if char in _ALPHABET else " " for char in word)
    return [run for run in word.split() if len(run) >= _SHORTEST]


def is_random(run: str) -> bool:
    """Return whether a run is random. A hexadecimal one may still be a digest, and any may be part of a path."""
    run = run.strip("=/")
    if run.isdecimal() or run.startswith(_MANGLED) or _has_known_id(run):
        return False
    lowered, different = run.lower(), len(set(run))
    mixed = run not in (lowered, run.upper())
    if not mixed and not lowered.strip(_HEX):
        return different > _HEX_DIFFERENT
    if different < _DIFFERENT or (not mixed and sum(map(str.isdecimal, run)) < _LEAST_DIGITS):
        return False
    return _score(run) * _THIRD < -len(run)


def _has_known_id(run: str) -> bool:
    """Whether a run is a UUID, or ends with the id of a commit, of a PGP key, or of a change in Gerrit (with an I)."""
    last = run.rpartition("/")[2].rpartition("_")[2].rpartition("-")[2].removeprefix("I")
    if len(last) == _COMMIT and (not last.strip(_HEX) or not last.strip(_HEX.upper())):
        return True
    return [len(part) for part in run.split("-")] == _UUID and not run.lower().replace("-", "").strip(_HEX)


def _score(run: str) -> int:
    """Return how much a run resembles words: about zero or more for a name, clearly less for random characters."""
    score, first = 0, run[0]
    for second, third in zip(run[1:], run[2:] + first, strict=True):
        if ord(second) - ord(first) == 1:  # as in a list of all letters
            score += _SUCCESSOR
        elif second in _SEPARATORS:
            score += _SEPARATED if _is_between(first, second, third) else _BROKEN
        elif first.isdigit() != second.isdigit():
            score += _DIGIT if first not in _SEPARATORS else 0
        elif first.isalpha() and second.isalpha():
            score += _CAPITAL if first.islower() and second.isupper() else _PAIRS[(first + second).lower()]
        first = second
    return score


def _is_between(first: str, separator: str, third: str) -> bool:
    """Return whether a separator stands where a name has one: beside a digit, its like, or letters of one case."""
    if separator == "+":
        return False
    if first in _SEPARATORS or third in _SEPARATORS:
        return separator in {first, third}
    return first.isdigit() or third.isdigit() or first.islower() == third.islower()
