"""The words of a text in any script."""

_JOINERS = frozenset({"Cf", "Me"})  # invisible characters and enclosing marks, which part no words


def words(text: str) -> list[str]:
    """Return the words of a text in lower case and in NFC: runs of letters and digits with their combining marks."""
    if text.isascii():
        return "".join(char if char.isalnum() else " " for char in text).lower().split()
    import unicodedata  # most prompts are ASCII

    parts, word = [], ""
    for char in f"{unicodedata.normalize('NFC', text).lower()} ":
        kind = unicodedata.category(char)
        if kind[0] in "LN" or (kind[0] == "M" and word and not _varies(char) and kind != "Me"):
            word += char
        elif kind not in _JOINERS and not _varies(char):
            parts += [unicodedata.normalize("NFC", word)] if word else []
            word = ""
    return parts


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata  # most texts have no wide characters

    return sum(
        0 if unicodedata.category(sign) in {"Mn", "Me", "Cf"} else 1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
    )


def _varies(char: str) -> bool:
    """Whether a character only chooses how the one before it looks, as in emoji."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
