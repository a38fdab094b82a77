"""Text that comes from elsewhere, made fit to keep and to show: secrets masked, control characters gone, clipped."""

from holdfast import issuers

MASK = "[masked]"

# What every pattern for secrets needs, in lower case: the beginning of a word, or a part of one. Most text has none of
# it, and then the patterns, which cost as much as an interpreter's start, are not even loaded.
_BEGINNINGS = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "eyj"),
    *(each.lower() for each in (*issuers.DISTINCT, *issuers.WORDLIKE, *issuers.CAPITALS)),
)
_PARTS = (
    *("-----begin", "bearer", "authorization", "passw", "passphrase", "secret", "token", "credential"),
    *("api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "accountkey"),
    *(":aa", "atlasv1", "q~", "slack.com/", "discord.com/"),
)
_RUN = 32  # letters and digits in a row in the shortest key that nothing else tells from a word
_JOINTS = str.maketrans("-_./:=`'\"(),", " " * 12)  # between the parts of names, such as paths and UUIDs
# What patterns that are blind to case take for an `s` or an `i`, and `lower` does not.
_ALIKE = (("\u017f", "s"), ("\u0130", "i"), ("\u0131", "i"))
_BREAKS = str.maketrans("\n\t", "  ")


def mask(text: str) -> str:
    """Return `text` with everything that looks like a secret replaced by `[masked]`."""
    lowered = _lowered(text)
    hinted = any(map(lowered.__contains__, _PARTS)) or ("://" in lowered and "@" in lowered)
    hinted = hinted or any(_begins(lowered, word) for word in filter(lowered.__contains__, _BEGINNINGS))
    if not hinted and not any(len(run) >= _RUN for run in lowered.translate(_JOINTS).split()):
        return text
    from holdfast import masks

    return masks.masked(text, MASK)


def _lowered(text: str) -> str:
    """Return a text in the one case that patterns which are blind to case see."""
    for letter, taken_for in _ALIKE:
        text = text.replace(letter, taken_for)
    return text.lower()


def _begins(text: str, beginning: str) -> bool:
    """Whether any word of the text begins so."""
    at = text.find(beginning)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(beginning, at + 1)
    return at >= 0


def plain(text: str) -> str:
    """Return `text` without control characters and terminal escapes; line ends become newlines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.translate(_BREAKS).isprintable():
        return text
    from holdfast import masks

    return masks.printable(text)


def clip(text: str, limit: int) -> str:
    """Return at most `limit` characters of `text`, an ellipsis showing that there was more."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def safe(text: str) -> str:
    """Return `text` fit to be kept or shown: plain, secrets masked."""
    return mask(plain(text))


def shell(word: str) -> str:
    """Return a word as it is typed in a shell."""
    import shlex  # most of what is told has no command in it

    return shlex.quote(word)


def line(text: str, limit: int = 300) -> str:
    """Return `text` as one safe line of at most `limit` characters; masked first, so that no half secret stays."""
    return clip(" ".join(safe(text[: limit * 40]).split()), limit)
