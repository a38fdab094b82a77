"""The fence around everything that holdfast puts into Claude's context. No text inside can close it."""

import os

OVERHEAD = 41  # characters that a fence adds to a text
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
