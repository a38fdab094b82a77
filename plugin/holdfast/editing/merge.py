"""The three-way merge of a Markdown file: its named parts by their names, all else by git's merge of lines.

Each version is cut into named parts, such as the entries of a hub. What is left has one line in the place of each part
and is merged by git; a part that both sides changed is merged by itself. So two entries that were added in one place
are no conflict, and an entry that moved keeps what the other side wrote in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from holdfast.core import clock
from holdfast.git import merge as git_merge

Texts = tuple[bytes, bytes, bytes]  # base, ours, theirs
Span = tuple[bytes, int, int]  # the name of a part, and its first and last offset

LARGEST = 1_000_000  # bytes of a file that is cut into parts; git alone merges a larger one
_MOST_CHANGED = 300  # parts that both sides changed
_MOST_CONFLICTS = 20  # parts in conflict, each of which takes some runs of git
_PLACE = b"\x01"  # begins the line that stands for a part
_HEAD = 4096  # bytes of a file that may have the line that tells when it was changed last
_CHANGED = re.compile(
    rb"^(?P<key>[ \t>*_-]{0,8}(?:last[ _-]?[a-z]{0,16}|[a-z_-]{0,16}updated[a-z_-]{0,16})[*_ \t]{0,4}:[*_ \t]{0,4})"
    rb"(?P<rest>[^\r\n]{1,200})",
    re.IGNORECASE | re.MULTILINE,
)
_FRONT = re.compile(rb"\A---[ \t]*\r?\n(?P<keys>.{0,%d}?)^---[ \t]*\r?$" % _HEAD, re.MULTILINE | re.DOTALL)
_KEY = re.compile(rb"^(?P<key>[ \t]{0,8}[A-Za-z_][\w-]{0,40}:[ \t]+)(?P<rest>[^\r\n]{1,400})", re.MULTILINE)
_FENCED = re.compile(rb"^[ \t]*(?P<fence>```+|~~~+).*?^[ \t]*(?P=fence)", re.MULTILINE | re.DOTALL)
_SECTION = re.compile(rb"^(?P<name>##?[ \t][^\r\n]*)", re.MULTILINE)
_ENTRY = re.compile(rb"^(?P<name>###[ \t][^\r\n]*)", re.MULTILINE)
_ITEM = re.compile(
    rb"^(?:[-*+][ \t]+)?(?P<name>\*\*[^*\r\n]{1,60}\*\*|(?<=[-*+][ \t])[^\r\n]+|(?<=[-*+]  )[^\r\n]+)", re.MULTILINE
)
_EMPTY_LINES = re.compile(rb"[\r\n]*")
_TIME = re.compile(rb"\d[\dT:.Z+ UTC-]*")


class Level(NamedTuple):
    """How a text is cut into parts, and what is made equal in its three versions before that."""

    cut: Callable[[bytes], list[Span]]
    agreed: Callable[[Texts], Texts]


class _Cut(NamedTuple):
    """A text with a line for each part, and the parts by name: each with its last line ends apart."""

    frame: bytes
    parts: dict[bytes, tuple[bytes, bytes]]


def chosen(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the text that a side changed, None where both did, each in its own way."""
    if theirs in {ours, base}:
        return ours
    return theirs if ours == base else None


def merged(texts: Texts, marker: int, levels: Sequence[Level] = ()) -> tuple[bytes, bool]:
    """Return the merge of three versions of a file, and whether it is free of conflicts.

    `levels` tell how the file is cut, then each of its parts, and so on. HoldfastError for bytes that git cannot merge.
    """
    taken = chosen(*texts)
    if taken is not None:
        return taken, True
    crlf = [b"\r\n" in text for text in texts]
    odd = any(sign in text for text in texts for sign in (b"\0", b"\r\r\n"))  # a second look would see such ends again
    if len(set(crlf)) > 1 and not odd:  # a side changed the ends of all lines
        plain = [text.replace(b"\r\n", b"\n") for text in texts]
        data, clean = merged((plain[0], plain[1], plain[2]), marker, levels)
        return data.replace(b"\n", b"\r\n") if chosen(*(b"%d" % one for one in crlf)) == b"1" else data, clean
    large = max(map(len, texts)) > LARGEST
    by_parts = None if large or not levels else _by_parts(texts, marker, levels)
    return by_parts if by_parts and not _brings_back(texts, by_parts[0], marker) else git_merge.text(*texts, marker)


def _brings_back(texts: Texts, result: bytes, marker: int) -> bool:
    """Whether a result has a line, outside of conflicts, that one side deleted and the other left alone."""
    base, ours, theirs = (Counter(map(bytes.strip, text.splitlines())) for text in texts)
    gone = {line for line, count in base.items() if line and sorted((ours[line], theirs[line])) == [0, count]}
    outside = re.sub(
        rb"^<{%d} ours\r?$.*?^>{%d} theirs\r?$" % (marker, marker), b"", result, flags=re.MULTILINE | re.DOTALL
    )
    return not gone.isdisjoint(map(bytes.strip, outside.splitlines()))


def with_later_time(texts: Texts) -> Texts:
    """Return three versions with one line for when the file was changed last, where that is all that differs in it."""
    matches = [{match["key"]: match for match in _CHANGED.finditer(text[:_HEAD])} for text in texts]
    swaps: list[list[tuple[int, int, bytes]]] = [[], [], []]
    for key in matches[1].keys() & matches[2].keys():
        one, other = matches[1][key]["rest"], matches[2][key]["rest"]
        line = later(one, other)
        if line is not None:
            for known, swap in zip(matches, swaps, strict=True):
                swap.extend([(*known[key].span("rest"), line)] if key in known else [])
    done = [_spliced(text, swap) for text, swap in zip(texts, swaps, strict=True)]
    return done[0], done[1], done[2]


def with_agreed_keys(texts: Texts) -> Texts:
    """Return three versions of a state file whose keys in the frontmatter are equal, where the versions decide it.

    A key that only one side changed is taken from that side. Of two changed statuses the one of the later version
    counts, and of two times of the last change the later one.
    """
    known = [_keys(text) for text in texts]
    newer = 1 if _changed_at(texts[1]) >= _changed_at(texts[2]) else 2
    swaps: list[list[tuple[int, int, bytes]]] = [[], [], []]
    for key in known[0].keys() & known[1].keys() & known[2].keys():
        values = [one[key]["rest"] for one in known]
        agreed = chosen(values[0], values[1], values[2])
        if agreed is None and key.strip() == b"status:":
            agreed = values[newer]
        for one, swap in zip(known, swaps, strict=True):
            swap.extend([] if agreed is None else [(*one[key].span("rest"), agreed)])
    done = [_spliced(text, swap) for text, swap in zip(texts, swaps, strict=True)]
    return with_later_time((done[0], done[1], done[2]))


def _named(text: bytes, pattern: re.Pattern[bytes], end: int) -> list[Span]:
    """Return the parts of a text up to `end` that begin where a pattern matches outside of fences, each to the next.

    A part whose name is there twice is left to the part before it.
    """
    plain = _FENCED.sub(lambda match: re.sub(rb"[^\r\n]", b" ", match[0]), text[:end])
    matches = [*pattern.finditer(plain)]
    count = Counter(match["name"].strip() for match in matches)
    once = [match for match in matches if count[match["name"].strip()] == 1]
    ends = [match.start() for match in once[1:]] + [end]
    return [(match["name"].strip(), match.start(), to) for match, to in zip(once, ends, strict=False)]


def _sections(text: bytes) -> list[Span]:
    """Return the sections of a state file: its title with what follows it, and each heading of the second level."""
    return _named(text, _SECTION, len(text))


def _entries(text: bytes) -> list[Span]:
    """Return the items of a section up to its first entry, and the entries, which have headings of the third level."""
    first = _ENTRY.search(text)
    return _items(text, first.start() if first else len(text)) + _named(text, _ENTRY, len(text))


def _items(text: bytes, end: int = 0) -> list[Span]:
    """Return the items of a list by their text, and lines with a label by their label."""
    spans = _named(text, _ITEM, end or len(text))
    return [(name, start, start + len(text[start:to].split(b"\n\n")[0])) for name, start, to in spans]


def _as_they_are(texts: Texts) -> Texts:
    return texts


# How a state file is cut. What both sides wrote into one entry, or one paragraph, is for a person.
STATE_FILE = (Level(_sections, _as_they_are), Level(_entries, _as_they_are), Level(_items, _as_they_are))


def _keys(text: bytes) -> dict[bytes, re.Match[bytes]]:
    """Return the keys of a frontmatter that have their value on their line, each that is there once."""
    front = _FRONT.match(text)
    matches = [*_KEY.finditer(text, *front.span("keys"))] if front else []
    count = Counter(match["key"] for match in matches)
    return {match["key"]: match for match in matches if count[match["key"]] == 1}


def _changed_at(text: bytes) -> float:
    """Return when a version of a file was changed last, by its own word; 0.0 for never."""
    times = [clock.find(match["rest"].decode("utf-8", "replace")) for match in _CHANGED.finditer(text[:_HEAD])]
    return max(times, default=0.0)


def later(one: bytes, other: bytes) -> bytes | None:
    """Return the text with the later time, of two that differ in nothing else; None for others."""
    times = [clock.find(text.decode("utf-8", "replace")) for text in (one, other)]
    if one == other or not all(times) or _TIME.sub(b"", one, count=1) != _TIME.sub(b"", other, count=1):
        return None
    return one if (times[0], one) >= (times[1], other) else other


def _spliced(text: bytes, swaps: list[tuple[int, int, bytes]]) -> bytes:
    for start, end, new in sorted(swaps, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _by_parts(texts: Texts, marker: int, levels: Sequence[Level]) -> tuple[bytes, bool] | None:
    """Return the merge of three texts by their parts; None where names cannot decide, or a part is in conflict itself.

    A part that one side deleted and the other changed is such a conflict.
    """
    texts = levels[0].agreed(texts)
    if any(sign in text for text in texts for sign in (_PLACE, b"<" * marker)):
        return None
    cuts = [_cut(text, levels[0].cut) for text in texts]
    base, ours, theirs = cuts
    if base is None or ours is None or theirs is None or _deleted_and_changed(base, ours, theirs):
        return None
    if not texts[0]:  # both sides added the file
        there = set(theirs.frame.splitlines())
        base = base._replace(
            frame=b"".join(line for line in ours.frame.splitlines(keepends=True) if line.rstrip() in there)
        )
    frame, clean = git_merge.text(base.frame, ours.frame, theirs.frame, marker)
    frames = base.frame, ours.frame, theirs.frame
    placed = _placed(frame if clean else _united(frame, marker), frames)
    both = ours.parts.keys() & theirs.parts.keys()
    if placed is None or len([1 for name in both if ours.parts[name] != theirs.parts[name]]) > _MOST_CHANGED:
        return None
    return _filled(placed, (base, ours, theirs), marker, levels[1:])


def _cut(text: bytes, cut: Callable[[bytes], list[Span]]) -> _Cut | None:
    """Return a text cut into its parts; None where two have one name, or one is within another or not whole lines."""
    pieces: list[bytes] = []
    parts: dict[bytes, tuple[bytes, bytes]] = {}
    done = 0
    for name, start, last in cut(text):
        end = _after(text, last)
        if name in parts or start < done or (start and text[start - 1 : start] != b"\n") or b"\n" in name:
            return None
        body = text[start:end].rstrip(b"\r\n")
        parts[name] = body, text[start + len(body) : end]
        pieces += [text[done:start], _PLACE, name, b"\n"]
        done = end
    return _Cut(b"".join([*pieces, text[done:]]), parts)


def _after(text: bytes, end: int) -> int:
    """Return where the line ends, and the empty lines after it, in which a part ends."""
    if text[end - 1 : end] != b"\n":
        end = text.find(b"\n", end) + 1 or len(text)
    match = _EMPTY_LINES.match(text, end)
    return match.end() if match else end


def _deleted_and_changed(base: _Cut, ours: _Cut, theirs: _Cut) -> bool:
    """Whether a part is gone on one side and is no longer on the other side what it was."""
    for one, other in ((ours, theirs), (theirs, ours)):
        gone = base.parts.keys() - one.parts.keys()
        if any(name in other.parts and other.parts[name][0] != base.parts[name][0] for name in gone):
            return True
    return False


def _united(frame: bytes, marker: int) -> bytes:
    """Return a merged frame without the conflicts in which each side only has parts: first ours, then theirs."""
    conflict = re.compile(
        rb"^<{%d} ours\r?\n(?P<ours>.*?)(?:^\|{%d} base\r?\n.*?)?^={%d}\r?\n(?P<theirs>.*?)^>{%d} theirs\r?\n"
        % (marker, marker, marker, marker),
        re.MULTILINE | re.DOTALL,
    )

    def one(match: re.Match[bytes]) -> bytes:
        sides = match["ours"].splitlines(keepends=True), match["theirs"].splitlines(keepends=True)
        if any(line.strip() and not line.startswith(_PLACE) for side in sides for line in side):
            return match[0]
        first = sides[0] if any(map(bytes.strip, sides[0])) else []
        return b"".join([*first, *(line for line in sides[1] if line.strip() and line not in first)])

    return conflict.sub(one, frame)


def _places(frame: bytes) -> dict[bytes, bytes]:
    """Return the line above each part that is no part itself."""
    places: dict[bytes, bytes] = {}
    above = b""
    for line in frame.splitlines():
        if line.startswith(_PLACE):
            places[line] = above
        elif line.strip():
            above = line
    return places


def _placed(frame: bytes, frames: Texts) -> list[bytes] | None:
    """Return the lines of a merged frame with each part once, where the side that moved it has it; None without one."""
    base, ours, theirs = map(_places, frames)
    wanted = {
        name: ours.get(name, b"") if ours.get(name) != base.get(name) else theirs.get(name, b"")
        for name in ours.keys() & theirs.keys()
    }
    known = base.keys() | wanted.keys()
    wanted |= {name: above for side in (ours, theirs) for name, above in side.items() if name not in known}
    lines: list[bytes] = []
    left = dict(wanted)
    above = b""
    for line in frame.splitlines(keepends=True):
        name = line.rstrip(b"\r\n")
        if not line.startswith(_PLACE):
            above = name if name.strip() else above
        elif left.get(name) != above:
            continue
        else:
            del left[name]
        lines.append(line)
    return None if left else lines


def _filled(
    lines: list[bytes], cuts: tuple[_Cut, _Cut, _Cut], marker: int, levels: Sequence[Level]
) -> tuple[bytes, bool] | None:
    """Return the lines with the merged parts in their places, and whether all is free of conflicts.

    None where so many parts are in conflict that git is to merge the whole.
    """
    conflicts = sum(line.startswith(b"<" * marker) for line in lines)
    newline = b"\r\n" if b"\r\n" in cuts[1].frame else b"\n"
    pieces: list[bytes] = []
    for at, line in enumerate(lines):
        if not line.startswith(_PLACE):
            pieces.append(line)
            continue
        known = [cut.parts.get(line.rstrip(b"\r\n")[len(_PLACE) :]) for cut in cuts]
        body, is_clean = _body([part and part[0] for part in known], marker, levels)
        between = newline * (
            2 if levels and body[:1] not in b"-+*" else 1
        )  # after a part that was the last of its file
        tail = next(part[1] for part in (known[1], known[2]) if part)
        pieces += [body, max(tail, between, key=len) if at + 1 < len(lines) else _end(cuts[1], tail)]
        conflicts += not is_clean
        if conflicts > _MOST_CONFLICTS:
            return None
    return b"".join(pieces), not conflicts


def _end(cut: _Cut, otherwise: bytes) -> bytes:
    """Return the line ends at the end of a text that ends with a part."""
    last = cut.frame.rstrip(b"\r\n").rpartition(b"\n")[2]
    return cut.parts[last[len(_PLACE) :]][1] if last.startswith(_PLACE) else otherwise


def _body(known: list[bytes | None], marker: int, levels: Sequence[Level]) -> tuple[bytes, bool]:
    """Return the merge of the versions base, ours and theirs of a part without its last line end."""
    base, ours, theirs = known
    if ours is None or theirs is None:
        return ours or theirs or b"", True
    taken = chosen(base, ours, theirs)
    if taken is not None:
        return taken, True
    if base is None:  # both sides added it
        _, ours, theirs = levels[0].agreed((b"", ours, theirs)) if levels else (b"", ours, theirs)
        there = set(theirs.splitlines())
        base = b"\n".join(line for line in ours.splitlines() if line in there)
    data, clean = merged((base + b"\n", ours + b"\n", theirs + b"\n"), marker, levels)
    return data.removesuffix(b"\n"), clean
