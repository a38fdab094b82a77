"""The one frame in which everything stands that holdfast puts into Claude's context; no text inside can close it."""

import os

from holdfast import codec

SIZE = 41  # characters that a frame takes
_SIGN = "\u2039"  # looks like a `<`, and is none


def framed(told: str, mark: str = "") -> str:
    """Return a text in a frame, "" for none: a tag that nobody can know beforehand, around a text without any tags.

    `mark` are the eight digits that make the tag, new ones each time where none are given.
    """
    if not told:
        return ""
    name = f"holdfast-{mark or os.urandom(4).hex()}"
    return f"<{name}>\n{tagless(told)}\n</{name}>"


def tagless(told: str) -> str:
    """Return a text in which nothing opens or closes a tag: every `<` before a name gives way to another sign."""
    first, *rest = told.split("<")
    return first + "".join((_SIGN if _begins_tag(part) else "<") + part for part in rest)


def _begins_tag(after: str) -> bool:
    """Whether what follows a `<` makes a tag of it, be it a closing one, or a sign of XML."""
    name = after[:40].lstrip()
    return not name or name[0].isalpha() or name[0] in "/!?_:"


def context(event: str, told: str) -> str:
    """Return the reply that tells Claude something beside an event (hooks reference)."""
    return codec.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": framed(told)}})
