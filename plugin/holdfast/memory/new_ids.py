"""New ids in a merge: where both sides gave one id to two tasks, decisions or plans, one of them gets the next free id.

Which one does not depend on whose side it is, so that two people who merge each other's work get the same. The old id
stays as an alias after the title: "TASK-007 - Parse (was TASK-003)".
"""

import re

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
    new = _titles(ours).keys() & _titles(theirs).keys()
    last = {kind: max(given(kind), ids.highest(kind, texts)) for kind in _KINDS}
    known: tuple[dict[bytes, bytes], dict[bytes, bytes]] = {}, {}
    for ident in sorted(new - {_plain(found) for found in _MENTION.finditer(base)}):
        titles = [_titles(side)[ident] for side in (ours, theirs)]
        if titles[0].lower() == titles[1].lower():
            continue
        kind = ident.partition(b"-")[0].decode()
        last[kind] += 1
        known[titles[0].lower() < titles[1].lower()][ident] = ids.full_id(kind, last[kind]).encode()
    lines = [
        f"{old.decode()} of {side} is {changed[old].decode()} now, because both sides gave that id"
        for side, changed in zip(("ours", "theirs"), known, strict=True)
        for old in changed
    ]
    return (base, _changed(base, ours, known[0]), _changed(base, theirs, known[1])), lines


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
    if not known:
        return side
    there = {line.strip() for line in base.splitlines()}
    lines = side.splitlines(keepends=True)
    return b"".join(line if line.strip() in there else _line(line, known) for line in lines)


def _line(line: bytes, known: dict[bytes, bytes]) -> bytes:
    for match in [*_NAMED.finditer(line)][::-1]:
        if _plain(match) in known:
            line = line[: match.end()] + b" (was " + _plain(match) + b")" + line[match.end() :]
    aliases = [found.span() for found in _MENTION.finditer(line) if line[: found.start()].endswith(b"(was ")]
    for found in [*_MENTION.finditer(line)][::-1]:
        if found.span() not in aliases:
            line = line[: found.start()] + known.get(_plain(found), found[0]) + line[found.end() :]
    return line
