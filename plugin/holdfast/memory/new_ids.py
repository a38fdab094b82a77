"""New ids in a merge: where both sides gave one id to two tasks, decisions or plans, one of them gets the next free id.

Which one does not depend on whose side it is, so that two people who merge each other's work get the same. The old id
stays as an alias after the title: "TASK-007 - Parse (was TASK-003)".
"""

import re

from holdfast.editing.merge import document
from holdfast.project import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.editing.merge.document import Texts

_KINDS = tuple(kind for kind in ids.KINDS if kind != "LOOP")
_ID = rb"(?<!\w)(?P<kind>" + "|".join(_KINDS).encode() + rb")-(?P<number>[0-9]{1,6})(?![0-9]|-[0-9])"
_DASH = rb"(?:\*\*)?[ \t]*(?:[-:]|\xe2\x80[\x93\x94])(?:\*\*)?[ \t]+"  # hyphen, colon, or one of the two longer dashes
_TITLE = rb"(?P<title>[^\s|*][^\r\n|*]*?)(?=[ \t]*(?:[\r\n|*]|$))"
_MENTION = re.compile(_ID)
_NAMED = re.compile(_ID + _DASH + _TITLE)


def renumbered(texts: "Texts", given: "Callable[[str], int]") -> "tuple[Texts, list[str]]":
    """Return the three versions of a file with new ids in the lines that a side added, and a line for each new id.

    `given` returns the last number of a kind that was used in the project.
    """
    base, ours, theirs = texts
    titles, others = _titles(ours), _titles(theirs)
    old = {_plain(found) for found in _MENTION.finditer(base)}
    twice = [ident for ident in titles.keys() & others.keys() - old if titles[ident].lower() != others[ident].lower()]
    last: dict[str, int] = {}
    changed, changed_there = dict[bytes, bytes](), dict[bytes, bytes]()
    for ident in sorted(twice):
        kind = ident.partition(b"-")[0].decode()
        last[kind] = 1 + (last.get(kind) or max(given(kind), ids.highest(kind, texts)))
        later = changed if titles[ident].lower() > others[ident].lower() else changed_there
        later[ident] = ids.full_id(kind, last[kind]).encode()
    lines = [
        f"{ident.decode()} of {side} is {new.decode()} now, because both sides gave that id"
        for side, known in (("ours", changed), ("theirs", changed_there))
        for ident, new in known.items()
    ]
    return (base, _changed(base, ours, changed), _changed(base, theirs, changed_there)), lines


def _titles(text: bytes) -> dict[bytes, bytes]:
    """Return the first title of each id in a text."""
    found: dict[bytes, bytes] = {}
    for match in _NAMED.finditer(text):
        found.setdefault(_plain(match), match["title"])
    return found


def _plain(found: "re.Match[bytes]") -> bytes:
    return ids.full_id(found["kind"].decode(), int(found["number"])).encode()


def _changed(base: bytes, side: bytes, known: dict[bytes, bytes]) -> bytes:
    """Return a side with new ids and aliases in the lines that it added."""
    return document.with_new_lines(base, side, lambda line: _line(line, known)) if known else side


def _line(line: bytes, known: dict[bytes, bytes]) -> bytes:
    for match in [*_NAMED.finditer(line)][::-1]:
        if _plain(match) in known:
            line = line[: match.end()] + b" (was " + _plain(match) + b")" + line[match.end() :]
    aliases = [found.span() for found in _MENTION.finditer(line) if line[: found.start()].endswith(b"(was ")]
    for found in [*_MENTION.finditer(line)][::-1]:
        if found.span() not in aliases:
            line = line[: found.start()] + known.get(_plain(found), found[0]) + line[found.end() :]
    return line
