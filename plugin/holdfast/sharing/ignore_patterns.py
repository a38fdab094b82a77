"""Patterns of paths, as in `.gitignore` without `!`: which paths one matches, and how one that was cut may begin."""

import fnmatch
import os
import re

_LONGEST = 300  # characters of a pattern
_ESCAPED = re.compile(r"\\(.?)")
_WILD = re.compile(r"\[.[^\]]*\]|[*?]+")
_SIGNS = "*?["


class Patterns:
    """Patterns, one from each line. An instance is a function that tells whether a path is ignored."""

    def __init__(self, lines: list[str]) -> None:
        self._known = [_parts(line[:_LONGEST]) for line in lines]

    def __call__(self, path: str) -> bool:
        """Return whether a path, relative to the root, or a folder above it matches a pattern."""
        names = os.path.normpath(path).lstrip("/").split("/")
        return any(_matches(parts, names) for parts in self._known)

    def begins(self, path: str) -> bool:
        """Return whether a path that was cut within its last name may be the beginning of an ignored one."""
        if self(path):
            return True
        *folders, last = path.removeprefix("./").lstrip("/").split("/")
        return any(_may_begin(parts, folders, last) for parts in self._known)


class _Name:
    """The pattern of one name."""

    __slots__ = ("literals", "match")

    def __init__(self, pattern: str) -> None:
        plain = _ESCAPED.sub(_literal, pattern).replace("[^", "[!")
        self.match = re.compile(fnmatch.translate(plain)).match
        self.literals = _WILD.split(plain)

    def may_begin(self, name: str) -> bool:
        """Whether `name` may be the beginning of a matching one and has some of the characters of the pattern."""
        first, *rest = self.literals
        if first:
            return first.startswith(name) or (bool(rest) and name.startswith(first))
        piece = next(filter(None, rest), "")
        return bool(piece) and (piece in name or any(name.endswith(piece[:end]) for end in range(1, len(piece))))


def _literal(escaped: re.Match[str]) -> str:
    """Return a character that a backslash precedes, as a pattern of that character; a blank after the last one."""
    char = escaped[1] or " "  # the end of a line has lost its blanks
    return f"[{char}]" if char in _SIGNS else char


def _parts(pattern: str) -> "list[_Name | None]":
    """Return the pattern of each name, None for any folders."""
    anchored = "/" in pattern.rstrip("/")
    names = [name for name in pattern.split("/") if name]
    if not anchored and names[:1] != ["**"]:
        names = ["**", *names]
    return [None if name == "**" else _Name(name) for name in names]


def _matches(parts: "list[_Name | None]", names: list[str]) -> bool:
    """Whether a path or one of the folders above it matches a pattern."""
    reached = {0}  # how many parts of the pattern the names so far may have used up
    for name in names:
        reached = _after(parts, reached, name)
        if len(parts) in reached:
            return True
    return len(parts) in _with_empty(parts, reached) and bool(parts) and parts[-1] is None and bool(names)


def _may_begin(parts: "list[_Name | None]", folders: list[str], last: str) -> bool:
    """Whether a path in these folders may match whose name begins with `last`."""
    reached = {0}
    for name in folders:
        reached = _after(parts, reached, name)
    following = [parts[at] for at in _with_empty(parts, reached) if at < len(parts)]
    return any(part is not None and part.may_begin(last) for part in following)


def _after(parts: "list[_Name | None]", reached: set[int], name: str) -> set[int]:
    """Return the places of a pattern that one more name leads to."""
    reached = _with_empty(parts, reached)
    following = {at for at in reached if at < len(parts) and parts[at] is None}
    for at in reached:
        part = parts[at] if at < len(parts) else None
        if part is not None and part.match(name):
            following.add(at + 1)
    return following


def _with_empty(parts: "list[_Name | None]", reached: set[int]) -> set[int]:
    """Return the places of a pattern together with those after a `**`, which may match no folder."""
    lengths = set(reached)
    for at, part in enumerate(parts):
        if part is None and at in lengths:
            lengths.add(at + 1)
    return lengths
