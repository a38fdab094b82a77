"""Secrets that are lists: numbers of cards, codes to recover an account, and the words that open a wallet."""

import re

from holdfast.trust import seed_words

_CARD = re.compile(
    r"(?<![A-Za-z0-9.])(?<!\d\d\d[0-9A-F][ -])"  # no row of numbers of four digits
    r"(?:\d{14,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{3,4}(?:\1\d{3})?|3\d{3}([ -])\d{6}\2\d{4,5})(?![A-Za-z0-9]|\.\d)"
)
# How the numbers of a network of cards begin, and how many digits they have.
_NETWORKS = re.compile(
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_LABEL = re.compile(
    r"\b(?:(?:recovery|back-?up|scratch|rescue|emergency|one[ -]time|2fa|mfa|otp|verification)[ _-]?codes?"
    r"|(?:sicherungs|wiederherstellungs|einmal|notfall)-?codes?)\b"
    r"(?:(?:[ ]\w{1,20}){0,4}?[ ]?(?:[:=]|->|[ ](?:is|are|ist|sind|lautet|lauten)\b:?))?",
    re.IGNORECASE,
)
_BETWEEN = r"(?:[\s,;|*•`\"'()\[\]#>-]|\d{1,2}[.):][ ]){0,12}"
_FIRST_CODE = re.compile(
    _BETWEEN + r"(?<![A-Za-z0-9])(?P<code>(?=[A-Za-z-]*\d)[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,7}"
    r"|[A-Z]{4,8}(?:-[A-Z]{4,8}){1,7}|\d{4}[ ]\d{4}|(?=[a-z]*\d|[A-Z]*\d)[A-Za-z0-9]{6,24})(?![\w/.-]*[\w/])"
)
_NEXT_CODE = re.compile(
    _BETWEEN + r"(?<![A-Za-z0-9])(?P<code>[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,7}|\d{4}[ ]\d{4}"
    r"|(?=[A-Za-z]*\d)[A-Za-z0-9]{6,24})(?![\w/.-]*[\w/])"
)
_WORD = re.compile(r"[A-Za-z]+")
_GAP = re.compile(r"[\s,;_.\-|\"'`*)\d]{1,12}")
_LEAST_WORDS, _LEAST_DIFFERENT = 12, 9  # of a phrase; a word that is repeated opens no wallet
_PHRASE = re.compile(
    r"(\b(?:(?:seed|recovery|secret|backup|mnemonic|wallet)[ _-]?(?:phrase|words?)|mnemonic|seed)\b"
    r"[ ]?(?:[:=]|[ ]?(?:is|are|ist|lautet)\b:?)\s{0,4}[\"'`]?)((?:[a-z]{3,12}[\s,]{1,3}){11,}[a-z]{3,12})\b",
    re.IGNORECASE,
)


def masked(text: str, mask: str) -> str:
    """Return a text with the numbers of cards, the codes and the phrases in it replaced by `mask`."""
    text = _CARD.sub(lambda match: mask if _is_card(match[0]) else match[0], text)
    text = _PHRASE.sub(lambda match: match[1] + mask, _without_codes(text, mask))
    return _without_phrases(text, mask)


def _is_card(written: str) -> bool:
    """Whether digits have the form of a card's number, and its check digit."""
    digits = written.replace(" ", "").replace("-", "")
    if not _NETWORKS.fullmatch(digits):
        return False
    doubled = (int(digit) * 2 for digit in digits[-2::-2])
    return (sum(map(int, digits[::-2])) + sum(map(int, "".join(map(str, doubled))))) % 10 == 0


def _without_phrases(text: str, mask: str) -> str:
    """Return a text without rows of at least twelve words that are all words of such phrases."""
    pieces: list[str] = []
    row: list[re.Match[str]] = []
    done = 0
    for word in _WORD.finditer(text):
        joined = row and _GAP.fullmatch(text, row[-1].end(), word.start())
        if row and not (joined and seed_words.is_one(word[0])):
            pieces, done = _closed(text, mask, row, pieces, done)
            row = []
        if seed_words.is_one(word[0]):
            row.append(word)
    pieces, done = _closed(text, mask, row, pieces, done)
    return "".join([*pieces, text[done:]])


def _closed(text: str, mask: str, row: "list[re.Match[str]]", pieces: list[str], done: int) -> tuple[list[str], int]:
    """Return the pieces of a text, and up to where they reach, after a row of words has ended."""
    if len(row) < _LEAST_WORDS or len({word[0].lower() for word in row}) < _LEAST_DIFFERENT:
        return pieces, done
    return [*pieces, text[done : row[0].start()], mask], row[-1].end()


def _without_codes(text: str, mask: str) -> str:
    """Return a text without the codes that follow words such as "recovery codes:"."""
    pieces: list[str] = []
    done = 0
    for label in _LABEL.finditer(text):
        code = _FIRST_CODE.match(text, max(done, label.end()))
        while code:
            pieces += [text[done : code.start("code")], mask]
            done = code.end()
            code = _NEXT_CODE.match(text, done)
    return "".join([*pieces, text[done:]])
