"""Make text safe to store and to show: mask secrets, remove control characters, limit the length."""

from holdfast.trust import key_prefixes

MASK = "[masked]"

# Every secret contains one of these prefixes of a word, or one of these parts, in lower case. Most texts contain none.
# Then the patterns are not loaded, which would take as long as starting an interpreter.
_PREFIXES = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "eyj"),
    *(prefix.lower() for prefix in (*key_prefixes.DISTINCT, *key_prefixes.WORDLIKE, *key_prefixes.CAPITALS)),
)
_PARTS = (
    *("-----begin", "bearer", "authorization", "passw", "passphrase", "secret", "token", "credential"),
    *("api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "accountkey"),
    *(":aa", "atlasv1", "q~", "slack.com/", "discord.com/"),
)
_RUN = 32  # letters and digits in a row in the shortest key without a prefix
_SEPARATORS = str.maketrans("-_./:=`'\"(),", " " * 12)  # of the parts of names, such as paths and UUIDs
# Characters that a pattern with IGNORECASE treats as `s` or `i`, and `str.lower` does not.
_CASE_VARIANTS = (("\u017f", "s"), ("\u0130", "i"), ("\u0131", "i"))
_BREAKS = str.maketrans("\n\t", "  ")


def mask(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `[masked]`."""
    lowered = _lowered(text)
    hinted = any(map(lowered.__contains__, _PARTS)) or ("://" in lowered and "@" in lowered)
    hinted = hinted or any(_has_word(lowered, prefix) for prefix in filter(lowered.__contains__, _PREFIXES))
    if not hinted and not any(len(run) >= _RUN for run in lowered.translate(_SEPARATORS).split()):
        return text
    from holdfast.trust import secrets

    return secrets.masked(text, MASK)


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


def shell(word: str) -> str:
    """Return a word quoted for a shell."""
    import shlex  # few texts contain a command

    return shlex.quote(word)


def line(text: str, limit: int = 300) -> str:
    """Return `text` as one safe line of at most `limit` characters; it is masked before it is cut."""
    return clip(" ".join(safe(text[: limit * 40]).split()), limit)
