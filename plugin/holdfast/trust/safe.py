"""Make text safe to store and to show: masks, plain characters, lengths and lists; and the fence around Claude's."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.trust import secret_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MASK = "[masked]"
USER_MOST = 45  # columns of a terminal of 80 that the client leaves beside its own words

# Every secret contains one of these prefixes of a word, or one of these parts, in lower case. Most texts contain none.
# Then the patterns are not loaded, which would take as long as starting an interpreter.
_PREFIXES = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "eyj", "putty-", "bsa"),
    *(prefix.lower() for prefix in (*secret_names.DISTINCT, *secret_names.WORDLIKE, *secret_names.CAPITALS)),
    *(prefix.lower() for prefixes in secret_names.prefixes_by_count().values() for prefix in prefixes),
)
_PARTS = (
    *("----", "bearer", "passw", "passphrase", "secret", "token", "credential", "cookie", "password", "curl", "mysql"),
    *("mariadb", "sshpass", "7z ", "7za ", "7zr ", " -p ", " -a ", " -w ", "key is ", "key was ", " key ", "_key "),
    *("-key ", "ikey ", "key\t", "pwd", "identified ", "pass is ", "pass was ", "vault login", "env ", "setx "),
    *("config set", "configure set"),
    *(lead + joint + "key" for lead in ("api", "access", "private") for joint in ("", " ", "_", "-")),
    *("mnemonic", "seed", " phrase", "/p:"),
    *(
        name
        for names, _ in secret_names.COMMANDS
        for name in names
        if name not in {"http", "https", "net use", "net user"}
    ),
    *("net use", *secret_names.PASSWORD_WORDS[:-1], "pw ", "pw\t"),
    *(":aa", "atlasv1", "q~", "slack.com/", "discord.com/", "discordapp.com/", "office.com/", "zapier.com/", "$"),
)
# Of the words before "code" in the name of a code that recovers an account; without one, "Claude Code" is meant.
_CODES = (
    *("recovery", "backup", "back-up", "scratch", "rescue", "emergency", "one time", "one-time", "2fa", "mfa", "otp"),
    *("verification", "sicherungs", "wiederherstellungs", "einmal", "notfall"),
)
_NAMES = ("pass", "pwd", "pw", "key", "auth", "sig")  # of values, which they are joined to
_WORDLIKE = ("pass", "pwd", "pw")  # of those whose value may be a word
_REACH = 56  # characters from the beginning of a name to what joins it to a value
_VALUE = 120  # characters from there on that have a digit, when the value is a secret
_RUN = 32  # letters and digits in a row in the shortest key without a prefix
_PIECE = 10  # letters and digits in a row in such a key that also has other characters
_WORD = 16  # letters in a word; a random text of as many letters in lower case has a digit among them
_HEX = "0123456789abcdef"
_UUID = [8, 4, 4, 4, 12]  # hexadecimal digits of the parts of one
_CARD = 14  # digits of the shortest number of a card
_DATED = 15  # digits of a date and a time and one more, as the names of state files have them
_DIGITS = bytes(code if chr(code).isdecimal() and code < 128 else 32 for code in range(256))  # the others are blanks
_PARTED = 56  # characters of the shortest key in three parts, up to a slash
_PHRASE, _PLAIN = 12, (3, 8)  # words of the shortest phrase of a wallet, and their letters
_SEPARATORS = str.maketrans("-_./:=`'\"(),;|*", " " * 15)  # of the parts of names, such as paths and UUIDs
_ROW = str.maketrans("-_.,:;`'\"()|*?!<>{}[]#/\\=", " " * 25)  # what stands between plain words
_ENDS = str.maketrans(".:=`'\"(),;<>[]{}|", " " * 17)
_INNER = str.maketrans("-_/+", " " * 4)
# Characters that a pattern with IGNORECASE treats as `s` or `i`, and `str.lower` does not.
_CASE_VARIANTS = (("\u017f", "s"), ("\u0130", "i"), ("\u0131", "i"))
_BREAKS = str.maketrans("\n\t", "  ")
_KEPT: "dict[str, str]" = {}  # what short texts came to: a title, a name or a branch is shown in many lines
_SHORT, _MOST_KEPT = 400, 4096  # characters, texts


def writable(text: str) -> str:
    """Return a text that somebody gives; HoldfastError for one with a character that no file can have."""
    if odd := next((each for each in text if each == "\0" or "\ud800" <= each <= "\udfff"), ""):
        byte = " (a byte that is not UTF-8)" if "\udc80" <= odd <= "\udcff" else ""
        raise HoldfastError(f"a text has the character U+{ord(odd):04X}{byte}, which no file can have. Leave it out.")
    return text


def mask(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `[masked]`."""
    if len(text) > _SHORT:
        return _masked(text)
    if text not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[text] = _masked(text)
    return _KEPT[text]


def _masked(text: str) -> str:
    if not _may_have_secret(text):
        decoded = secret_names.decoded(text)
        if decoded == text or not _may_have_secret(decoded):
            return text
    from holdfast.trust import secrets

    return secrets.masked(text, MASK)


def _may_have_secret(text: str) -> bool:
    """Whether a text has what every secret has; most texts do not."""
    lowered = _lowered(text)
    hinted = any(map(lowered.__contains__, _PARTS)) or _has_login(lowered)
    hinted = hinted or any(_has_word(lowered, prefix) for prefix in filter(lowered.__contains__, _PREFIXES))
    hinted = hinted or ("code" in lowered and any(map(lowered.__contains__, _CODES)))
    return hinted or _names_value(lowered) or _has_run(text, lowered) or _has_list(text, lowered)


def _has_login(text: str) -> bool:
    """Whether a text has a word with an `@`, and before that what joins a name to a password, or an address."""
    words = [before.rsplit(None, 1)[-1:] for before in text.split("@")[:-1] if not before[-1:].isspace()]
    return any(joint in word[0] for word in words if word for joint in (":", "__", "--"))


def _has_list(text: str, lowered: str) -> bool:
    """Whether a text has as many digits in a row as a card's number, a key in three parts, or a row of plain words."""
    if any(map(_may_be_card, text.encode("utf-8", "replace").translate(_DIGITS, b" -").split())):
        return True
    if any(len(part) >= _PARTED and part.count(".") > 1 for word in text.split() for part in word.split("/")):
        return True
    words = lowered.translate(_ROW).split()
    if not _has_row(words, lambda word: word.isalpha() and _PLAIN[0] <= len(word) <= _PLAIN[1]):
        return False
    return _has_row(words, secret_names.is_seed_word)


def _has_row(words: list[str], is_one: "Callable[[str], bool]") -> bool:
    """Whether enough such words for a phrase follow on one another, with numbers between them at most."""
    row = 0
    for word in words:
        row = row + 1 if is_one(word) else row if word.isdecimal() else 0
        if row >= _PHRASE:
            return True
    return False


def _may_be_card(digits: bytes) -> bool:
    """Whether a row of digits may have the number of a card; none begins as a date of this century does."""
    return len(digits) >= _CARD and not (digits.startswith(b"20") and len(digits) <= _DATED)


def _names_value(text: str) -> bool:
    """Whether a name that may have a secret value is joined to something with a digit."""
    if not any(map(text.__contains__, _NAMES)):
        return False
    for joint in ("=", ":", "\uff1a"):
        at = text.find(joint)
        while at >= 0:
            name, value = text[max(0, at - _REACH) : at], text[at + 1 : at + 1 + _VALUE]
            if any(map(name.__contains__, _WORDLIKE if value.isalpha() else _NAMES)):
                return True
            at = text.find(joint, at + 1)
    tags = text.split("</")[1:]
    return any(any(map(tag[:_REACH].__contains__, _NAMES)) for tag in tags)


def _has_run(text: str, lowered: str) -> bool:
    """Whether a text has a long run of letters and digits, or one with other characters of base64 that is random."""
    if any(len(run) >= _RUN for run in lowered.translate(_SEPARATORS).split()):
        return True
    long = [word for word in text.translate(_ENDS).split() if len(word) >= _RUN]
    if any(_is_mixed(piece) for word in long for piece in word.lower().translate(_INNER).split()):
        return True
    long = [word for word in long if not _is_plain(word)]
    if not long:
        return False
    from holdfast.trust import randomness

    return any(randomness.is_random(run) for word in long for run in randomness.runs(word))


def _is_plain(word: str) -> bool:
    """Whether a run is a UUID or consists of numbers and short words in lower case, as most paths do; no key does."""
    pieces = word.translate(_INNER).split()
    if [*map(len, pieces)] == _UUID and not word.replace("-", "").strip(_HEX):
        return True
    return all(piece.isdecimal() or (piece.islower() and piece.isalpha() and len(piece) <= _WORD) for piece in pieces)


def _is_mixed(piece: str) -> bool:
    """Whether a piece of a run is long and has digits and letters beyond those of hexadecimal numbers."""
    return len(piece) >= _PIECE and any(map(str.isdigit, piece)) and bool(piece.strip("0123456789abcdef"))


def _lowered(text: str) -> str:
    """Return a text in lower case, as patterns with IGNORECASE see it."""
    for letter, equivalent in _CASE_VARIANTS:
        text = text.replace(letter, equivalent)
    return text.lower()


def _has_word(text: str, prefix: str) -> bool:
    """Whether any word of the text begins with the prefix."""
    at = text.find(prefix)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(prefix, at + 1)
    return at >= 0


def plain(text: str) -> str:
    """Return `text` without control characters and terminal escapes; line ends become newlines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.translate(_BREAKS).isprintable():
        return text
    from holdfast.trust import secrets

    return secrets.printable(text)


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, with an ellipsis at the end if it was longer."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def safe(text: str) -> str:
    """Return `text` plain and with secrets masked."""
    return mask(plain(text))


def every(value: object) -> object:
    """Return a value as JSON has it with each text in it as `safe` returns it."""
    if isinstance(value, dict):
        return {safe(str(key)): every(each) for key, each in value.items()}
    if isinstance(value, list):
        return [every(each) for each in value]
    return safe(value) if isinstance(value, str) else value


def shell(word: str) -> str:
    """Return a word quoted for a shell."""
    import shlex  # few texts contain a command

    return shlex.quote(word)


def listed(names: "Sequence[str]", most: int, between: str = ", ") -> str:
    """Return the first `most` names in one line, and how many more there are, as in "a, b and 3 more"."""
    shown, more = between.join(names[:most]), len(names) - most
    return f"{shown}{between.rstrip(', ')} and {more} more" if more > 0 else shown


def line(text: str, limit: int = 300) -> str:
    """Return `text` as one safe line of at most `limit` characters; it is masked before it is cut."""
    most = limit * 40
    if len(text) > most:  # up to the last blank, so that no key is cut before it is masked
        *whole, last = text[:most].rsplit(None, 1) or [""]
        text = whole[0] if whole else last
    return clip(" ".join(safe(text).split()), limit)


def ends(text: str, limit: int) -> str:
    """Return `text` safe and in its own line breaks; of a long one both ends, in `limit` characters.

    It is masked before it is cut. Of a very long text only both ends are looked at.
    """
    most = limit * 20
    if len(text) > 2 * most:  # at blanks, so that no key is cut before it is masked
        head, tail = text[:most].rpartition(" ")[0], text[-most:].partition(" ")[2]
        text = f"{head} … {tail}"
    whole = safe(text).strip()
    if len(whole) <= limit:
        return whole
    half = (limit - 3) // 2
    return f"{whole[:half].rstrip()}\n…\n{whole[-half:].lstrip()}"


def shortened(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`; one that is too long is masked before it is cut."""
    return text if len(text) <= limit else clip(mask(text), limit)


FENCE = 41  # characters that a fence adds to a text
_REPLACEMENT = "\u2039"  # looks like a `<`


def fenced(text: str, own: str = "") -> str:
    """Return a text between tags whose name contains eight random digits, "" for an empty text.

    `own` follows it with its tags: it is a text of holdfast's that quotes nothing.
    """
    if not text:
        return ""
    name = f"holdfast-{os.urandom(4).hex()}"
    return f"<{name}>\n{without_tags(text)}\n{own}</{name}>"


def without_tags(text: str) -> str:
    """Return a text that opens and closes no tag: each `<` that could begin one is replaced by a similar character."""
    first, *rest = text.split("<")
    return first + "".join((_REPLACEMENT if _begins_tag(part) else "<") + part for part in rest)


def _begins_tag(rest: str) -> bool:
    """Whether a `<` followed by `rest` begins a tag, a closing tag, or a declaration of XML.

    A character outside ASCII, such as a combining sign, may be invisible and hide the name after it.
    """
    name = rest[:40].lstrip()
    return not name or name[0].isalpha() or name[0] in "/!?_:" or not (name[0].isascii() and name[0].isprintable())
