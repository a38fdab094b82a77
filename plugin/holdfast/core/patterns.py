"""Regular expressions that are compiled when they are first used: few processes use all of those that they load."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr


class _Pattern:
    """What `re.compile` returns, made on first use."""

    def __init__(self, text: "str | bytes", flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> "Any":
        import re  # takes longer than the rest of many a process

        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)  # the next use does not come here
        return value


def pattern(text: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return a regular expression; what is wrong with it shows on first use."""
    return _Pattern(text, flags)  # type: ignore[return-value] # it has all that one has
