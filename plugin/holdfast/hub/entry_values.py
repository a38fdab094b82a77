"""What the values of an entry of a hub say: the links to parent and children, and the context of an update.

Links are as in `Parent: Git Neuron (abc123)`, a context has segments: `files_modified:[a,b] tests_pass:true`, or words.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from holdfast.core.patterns import pattern
from holdfast.formats import names
from holdfast.trust import safe as text

_LINK = pattern(r"(?<![^,;()])(?P<name>[^,;()]*+)\((?P<id>[^()\s]+?)\)")
_BARE = pattern(r"`(?P<id>[^`\s]+)`")
CUTS = ("...", "…")  # after an id that is shortened
_SHORTEST = 6  # characters of a shortened id that is still unique enough


class Link(NamedTuple):
    """One end of a parent-child link: the id, and the name before it, "" for none."""

    ident: str
    name: str = ""

    @property
    def shown(self) -> str:
        """The link as an entry has it."""
        return f"{self.name} ({self.ident})" if self.name else f"`{self.ident}`"


def links_in(value: str) -> list[Link]:
    """Return the links in a value; none in words such as "none", a template's, or a remark in brackets with blanks."""
    links = [Link(match["id"].strip("`"), match["name"].rstrip().strip(" -*`")) for match in _LINK.finditer(value)]
    if links:
        return [link for link in links if re.search(r"\d", link.ident) or not names.is_placeholder(link.name)]
    links = [Link(match["id"]) for match in _BARE.finditer(value)]
    lone = value.strip()
    return links or ([Link(lone)] if re.fullmatch(r"[\w.-]+", lone) and re.search(r"\d", lone) else [])


def same_ident(one: str, other: str) -> bool:
    """Whether two ids name one session; one may be shortened, as in `abc123...`."""
    bare = [_bare(ident) for ident in (one, other)]
    cut = [ident != short for ident, short in zip((one, other), bare, strict=True)]
    if bare[0] == bare[1]:
        return True
    long, short = (bare[0], bare[1]) if cut[1] else (bare[1], bare[0])
    return any(cut) and len(short) >= _SHORTEST and long.startswith(short)


def _bare(ident: str) -> str:
    """Return an id without the mark that it is shortened."""
    return ident.removesuffix(CUTS[0]).removesuffix(CUTS[1])


class Known:
    """Ids among which one is found, also by a shortened one, without a comparison with each of them."""

    def __init__(self, idents: "Iterable[str]") -> None:
        self._order = {ident: number for number, ident in enumerate(dict.fromkeys(idents))}
        self._whole: dict[str, list[str]] = {}
        for ident in self._order:
            self._whole.setdefault(_bare(ident), []).append(ident)
        self._sorted = sorted(self._whole)
        self._cuts = {ident for ident in self._order if _bare(ident) != ident}
        self._lengths = sorted({len(_bare(ident)) for ident in self._cuts})
        self._found: dict[str, list[str]] = {}

    def first(self, ident: str) -> str:
        """Return the id itself, or else the first that names the same session; "" where there is none."""
        if ident in self._order:
            return ident
        return next(iter(self.same(ident)), "") if ident else ""

    def same(self, ident: str) -> list[str]:
        """Return the ids that name the same session, in their order."""
        if ident not in self._found:
            bare = _bare(ident)
            longer = self._beginning(bare) if bare != ident else self._shortened(bare)
            found = {*self._whole.get(bare, []), *longer}
            self._found[ident] = sorted(found, key=self._order.__getitem__)
        return self._found[ident]

    def _beginning(self, bare: str) -> list[str]:
        """Return the ids that begin with a shortened one."""
        idents: list[str] = []
        at = bisect_left(self._sorted, bare) if len(bare) >= _SHORTEST else len(self._sorted)
        while at < len(self._sorted) and self._sorted[at].startswith(bare):
            idents += self._whole[self._sorted[at]]
            at += 1
        return idents

    def _shortened(self, ident: str) -> list[str]:
        """Return the shortened ids with which a whole one begins."""
        lengths = [length for length in self._lengths if _SHORTEST <= length < len(ident)]
        return [one for length in lengths for one in self._whole.get(ident[:length], []) if one in self._cuts]


_KEY = r"(?P<key>(?<![\w/.\\-])[A-Za-z_][\w-]*):"
_INNER = r"[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\]"  # app/[id]/page.tsx, app/[[...rest]]/page.tsx
_LIST = pattern(_KEY + rf"\[(?P<list>(?:{_INNER})*)\]")
_BRACKETS = pattern(rf"\[(?:{_INNER})*\]")
_TRUTH = pattern(_KEY + r"(?P<quoted>true|false)(?=\s|\Z)")
_QUOTED = pattern(_KEY + r"\"(?P<quoted>(?:[^\"\\]|\\.)*)\"(?=\s|\Z)")
_KEYED = pattern(r"(?<!\S)(?P<key>[A-Za-z_][\w-]*):(?P<gap> ?)(?![\s:\\]|//)(?=\S)")
_NAMES = frozenset({"outcome", "reason", "branch", "next", "decision", "blockers"})  # keys also before a blank
_MEASURED = frozenset({"files_modified", "tests_pass", "done_report", "branch"})  # keys of data in the document
_PARTING = pattern(r"[,\[\]]")
_NOTHING = "[]"
WHOLE = 40_000  # characters of a context, and of one segment


class Segment(NamedTuple):
    """One piece of a context: a list with a key, one value with a key, or words without a key."""

    words: str
    key: str = ""
    items: list[str] | None = None

    @property
    def shown(self) -> str:
        """The segment as it is in an entry."""
        value = self.words if self.items is None else ", ".join(self.items) or _NOTHING
        return f"{self.key}: {value}" if self.key else value

    @property
    def values(self) -> list[str]:
        """The items, or the words as the only item."""
        return [self.words] if self.items is None else self.items


def safe(context: str) -> str:
    """Return a context as it may be kept: secrets masked, no control characters; an object stays one."""
    segments = _object(context)
    if segments is None:
        return text.safe(context[:WHOLE])
    return json.dumps({one.key: one.words if one.items is None else one.items for one in segments}, ensure_ascii=False)


def parse(context: str) -> list[Segment]:
    """Return the segments of a context, each key once; words without a key stay together as they are."""
    segments = [one for part in _elements(context) for one in _object(part) or _of_words(text.line(part, WHOLE))]
    segments = [each for one in segments for each in ([one] if one.key else map(Segment, _elements(one.words)))]
    return [one for one in _together(segments) if one.key or not _empty(one.words)]


def says_why(context: str) -> bool:
    """Whether a context has words or a reason, and not only measured data."""
    return any(one.key not in _MEASURED for one in parse(context))


def _empty(words: str) -> bool:
    """Whether words only say that there is nothing yet."""
    return (
        words == _NOTHING
        or (bool(words) and names.is_none(words))
        or names.is_nothing_else(re.sub(r"[\[\]]", "", words))
    )


def _object(context: str) -> list[Segment] | None:
    """Return the keys of a JSON object as segments, None when the text is not a JSON object."""
    if not context.lstrip().startswith("{"):
        return None
    try:
        parsed = json.loads(context, strict=False)
    except (ValueError, RecursionError):
        return None
    return [_of_value(line(key, 80).replace(":", " "), value) for key, value in parsed.items()]


def _elements(context: str) -> list[str]:
    """Return the elements of a context that is a list in square brackets, any other as the only one."""
    inner = context.strip()[1:-1]
    if not _BRACKETS.fullmatch(context.strip()) or context.strip() == text.MASK:
        return [context]
    try:
        return [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in json.loads(context)]
    except (ValueError, RecursionError):
        return _parted(inner)


def _of_value(key: str, value: object) -> Segment:
    """Return one key of an object; a key such as `password` shows that the value is a secret."""
    values = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in _list(value)]
    safe = [line(f"{key}: {one}", WHOLE).removeprefix(key).removeprefix(":").lstrip() for one in values]
    return _listed(key, safe) if isinstance(value, list) else Segment(safe[0], key)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _of_words(context: str) -> list[Segment]:
    """Return the segments of a line: lists and values under their keys, and words; a value ends at the next key."""
    segments: list[Segment] = []
    at = 0
    while at < len(context):
        data = _LIST.match(context, at) or _QUOTED.match(context, at) or _TRUTH.match(context, at)
        keyed = None if data else _KEYED.match(context, at)
        end = data.end() if data else _next_key(context, keyed.end() if keyed else at)
        segments.append(_data(data) if data else _words(context[at:end], keyed))
        at = end + len(context[end:]) - len(context[end:].lstrip(" ,"))
    return [segment for segment in segments if segment.words or segment.key]


def _next_key(context: str, at: int) -> int:
    """Return the offset of the next key after one in a line, its length if there is none."""
    following = _KEYED.finditer(context, at + 1)
    return next((match.start() for match in following if _is_key(context, at, match)), len(context))


def _is_key(context: str, at: int, keyed: re.Match[str]) -> bool:
    """Whether this is a key, after words from an offset on: not "localhost:8080" or "the bug: it" within a sentence."""
    if keyed["gap"]:
        return keyed["key"] in _NAMES or "_" in keyed["key"]
    return not context[keyed.end()].isdigit() or " " not in context[at : keyed.start()].strip()


def _data(match: re.Match[str]) -> Segment:
    """Return the segment of a key and its value."""
    quoted, items = match.groupdict().get("quoted"), match.groupdict().get("list", "")
    if quoted is not None:
        return Segment(line(quoted.replace('\\"', '"'), WHOLE), match["key"])
    if f"[{items}]" == text.MASK:
        return Segment(text.MASK, match["key"])
    return _listed(match["key"], _parted(items))


def _parted(items: str) -> list[str]:
    """Return the parts of a list between its commas; a comma within brackets separates nothing."""
    cuts, within = [len(items)], False
    for sign in reversed(list(_PARTING.finditer(items))):
        within = within if sign[0] == "," else sign[0] == "]"
        if sign[0] == "," and not within:
            cuts.append(sign.start())
    return [items[start + 1 : end] for start, end in pairwise([-1, *reversed(cuts)])]


def _listed(key: str, items: list[str]) -> Segment:
    """Return a list, each item once; a semicolon becomes a comma, because semicolons separate segments."""
    found = [line(item, WHOLE).strip(" \"'").replace(";", ",") for item in items]
    return Segment("", key, list(dict.fromkeys(item for item in found if item)))


def _words(context: str, keyed: re.Match[str] | None) -> Segment:
    """Return the segment of words, which may begin with a key."""
    key = keyed["key"] if keyed else ""
    words = context[len(keyed[0]) :] if keyed else context
    return Segment(line(words, WHOLE).strip(" ,;" if keyed else " ,"), key)


def line(value: str, limit: int) -> str:
    """Return one line without a backslash at its end, which would escape the line end."""
    return text.line(value, limit).rstrip(" \\")


def _together(segments: list[Segment]) -> list[Segment]:
    """Return the segments with those of one key joined."""
    known: dict[str, Segment] = {}
    for number, segment in enumerate(segments):
        name = _plain(segment.key).casefold() or f"\0{number}"
        before = known.get(name)
        known[name] = _listed(before.key, [*before.values, *segment.values]) if before else segment
    return list(known.values())


def merged(known: list[str], new: Segment, *, whole: bool = False) -> tuple[int, str] | None:
    """Return (index, text) of the known segment to change, the index after the last for a new one; None for no change.

    New items are added to the list of a key; another value of a key becomes a new segment. With `whole` the segment
    replaces the one of its key.
    """
    same = under(known, new.key) if new.key else []
    if _is_there(known, new.shown, same[-1:] if new.key else range(len(known))):
        return None
    if same and whole:
        return same[-1], new.shown
    if same and new.items is not None:
        return _grown(known[same[-1]], same[-1], new)
    return len(known), new.shown


def under(known: list[str], key: str) -> list[int]:
    """Return the indices of the known segments with a key."""
    return [number for number, segment in enumerate(known) if _key(segment) == _plain(key).casefold()]


def _grown(last: str, number: int, new: Segment) -> tuple[int, str] | None:
    """Return the index of a list and the list with its new items, None when it has them all."""
    there = last.partition(":")[2].strip()
    if there in {"", _NOTHING}:
        return number, new.shown
    has = f",{','.join(map(_plain, there.split(',')))},"
    more = [item for item in new.values if f",{','.join(map(_plain, item.split(',')))}," not in has]
    return (number, ", ".join([last, *more])) if more else None


def _is_there(known: list[str], shown: str, places: "Iterable[int]") -> bool:
    """Whether a segment is at one of these indices, as one piece or split at its semicolons."""
    requested = _plain(shown)
    pieces = requested.count(";") + 1
    return any(requested in {_plain(known[at]), _plain(";".join(known[at : at + pieces]))} for at in places)


def _key(segment: str) -> str:
    return _plain(segment.partition(":")[0]).casefold() if ":" in segment else ""


def _plain(value: str) -> str:
    """Return a text without escapes, code marks and extra blanks, for comparison."""
    pieces = (" ".join(piece.split()) for piece in value.replace("\\", "").replace("`", "").split(";"))
    return "; ".join(piece.strip(" *_") or piece for piece in pieces if piece)
