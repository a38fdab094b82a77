"""What an update tells of a session's context, as data: `files_modified:[a,b] tests_pass:true`, an object, or words."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise

from holdfast.formats import names, placeholders
from holdfast.trust import safe as text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY = r"(?P<key>(?<![\w/.\\-])[A-Za-z_][\w-]*):"
_INNER = r"[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\]"  # app/[id]/page.tsx, app/[[...rest]]/page.tsx
_LIST = re.compile(_KEY + rf"\[(?P<list>(?:{_INNER})*)\]")
_VALUE = re.compile(_KEY + r"(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>(?!//|\\)[^\s\[\"]\S*))(?=\s|\Z)")
_NAMED = re.compile(_KEY + r" (?P<rest>\S.*)")
_PARTING = re.compile(r"[,\[\]]")
_NOTHING = "[]"
WHOLE = 40_000  # characters of a context
_LONGEST = WHOLE  # characters of one thing in it


@dataclass(slots=True, frozen=True)
class Segment:
    """One piece of a context: a list with a key, one value with a key, or words without a key."""

    words: str
    key: str = ""
    items: list[str] | None = None

    @property
    def shown(self) -> str:
        """The segment as it is in an entry."""
        told = self.words if self.items is None else ", ".join(self.items) or _NOTHING
        return f"{self.key}: {told}" if self.key else told

    @property
    def said(self) -> list[str]:
        """What is told, as a list."""
        return [self.words] if self.items is None else self.items


def safe(context: str) -> str:
    """Return a context as it may be kept: secrets masked, no control characters; an object stays one."""
    told = _object(context)
    if told is None:
        return text.safe(context[:WHOLE])
    return json.dumps({one.key: one.words if one.items is None else one.items for one in told}, ensure_ascii=False)


def parse(context: str) -> list[Segment]:
    """Return what a context tells, each key once; words that are no data stay together as they are."""
    told = _object(context)
    told = _of_words(text.line(context, WHOLE)) if told is None else told
    return [one for one in _together(told) if one.key or not _empty(one.words)]


def _empty(words: str) -> bool:
    """Whether words are told in the place of something that is still to come."""
    return (bool(words) and names.is_none(words)) or placeholders.is_nothing_else(words)


def _object(context: str) -> list[Segment] | None:
    """Return the keys of a JSON object, None for what is none or only looks like one."""
    if not context.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(context, strict=False)
    except (ValueError, RecursionError):
        return None
    return [_of_value(_line(key, 80).replace(":", " "), value) for key, value in found.items()]


def _of_value(key: str, value: object) -> Segment:
    """Return one key of an object; a secret is known by its key, too."""
    said = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in _list(value)]
    safe = [_line(f"{key}: {one}", _LONGEST).removeprefix(key).removeprefix(":").lstrip() for one in said]
    return _listed(key, safe) if isinstance(value, list) else Segment(safe[0], key)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _of_words(context: str) -> list[Segment]:
    """Return data up to the first word that is none, and from every list under a key that is further on."""
    found: list[Segment] = []
    at = 0
    while at < len(context):
        data = _LIST.match(context, at) or _VALUE.match(context, at)
        following = None if data else _LIST.search(context, at)
        end = data.end() if data else following.start() if following else len(context)
        found.append(_data(data) if data else _words(context[at:end]))
        at = end + len(context[end:]) - len(context[end:].lstrip(" ,"))
    return [segment for segment in found if segment.words or segment.key]


def _data(found: re.Match[str]) -> Segment:
    """Return what is under a key."""
    told = found.groupdict()
    if told.get("list") is not None:
        if f"[{told['list']}]" == text.MASK:
            return Segment(text.MASK, found["key"])
        return _listed(found["key"], _parted(told["list"]))
    quoted = told.get("quoted")
    return Segment(_line(told["bare"] if quoted is None else quoted.replace('\\"', '"'), _LONGEST), found["key"])


def _parted(items: str) -> list[str]:
    """Return what is between the commas of a list, but for those within brackets, which close next."""
    cuts, within = [len(items)], False
    for sign in reversed(list(_PARTING.finditer(items))):
        within = within if sign[0] == "," else sign[0] == "]"
        if sign[0] == "," and not within:
            cuts.append(sign.start())
    return [items[start + 1 : end] for start, end in pairwise([-1, *reversed(cuts)])]


def _listed(key: str, items: list[str]) -> Segment:
    """Return a list, each item once; what parts the things in a line parts no item."""
    found = [_line(item, _LONGEST).strip(" \"'").replace(";", ",") for item in items]
    return Segment("", key, list(dict.fromkeys(item for item in found if item)))


def _words(context: str) -> Segment:
    said = _line(context, _LONGEST).strip(" ,")
    named = _NAMED.fullmatch(said)
    return Segment(named["rest"], named["key"]) if named else Segment(said)


def _line(said: str, limit: int) -> str:
    """Return one line, which does not escape its own end."""
    return text.line(said, limit).rstrip(" \\")


def _together(found: list[Segment]) -> list[Segment]:
    """Return the segments with all that is told under one key in one."""
    known: dict[str, Segment] = {}
    for number, segment in enumerate(found):
        name = _plain(segment.key).casefold() or f"\0{number}"
        before = known.get(name)
        known[name] = _listed(before.key, [*before.said, *segment.said]) if before else segment
    return list(known.values())


def merged(known: list[str], new: Segment, *, whole: bool = False) -> tuple[int, str] | None:
    """Return which of the known segments becomes what text, the number after the last for a new one, None for nothing.

    A list under a key grows, another value under a key comes after the last one, and what is there stays. With `whole`
    the segment takes the place of the one under its key.
    """
    same = under(known, new.key) if new.key else []
    if _stands(known, new.shown, same[-1:] if new.key else range(len(known))):
        return None
    if same and whole:
        return same[-1], new.shown
    if same and new.items is not None:
        return _grown(known[same[-1]], same[-1], new)
    return len(known), new.shown


def under(known: list[str], key: str) -> list[int]:
    """Return which of the known segments are under a key."""
    return [number for number, said in enumerate(known) if _key(said) == _plain(key).casefold()]


def _grown(last: str, number: int, new: Segment) -> tuple[int, str] | None:
    """Return the list that is there with the items that it does not have."""
    there = last.partition(":")[2].strip()
    if there in {"", _NOTHING}:
        return number, new.shown
    has = f",{','.join(map(_plain, there.split(',')))},"
    more = [item for item in new.said if f",{','.join(map(_plain, item.split(',')))}," not in has]
    return (number, ", ".join([last, *more])) if more else None


def _stands(known: list[str], shown: str, places: "Iterable[int]") -> bool:
    """Whether a segment is at one of these places, in one piece or in those that its semicolons make of it."""
    wanted = _plain(shown)
    pieces = wanted.count(";") + 1
    return any(wanted in {_plain(known[at]), _plain(";".join(known[at : at + pieces]))} for at in places)


def _key(said: str) -> str:
    return _plain(said.partition(":")[0]).casefold() if ":" in said else ""


def _plain(said: str) -> str:
    """Return a text without what escapes it, so that it is known again however it was written."""
    pieces = (" ".join(piece.split()) for piece in said.replace("\\", "").replace("`", "").split(";"))
    return "; ".join(piece.strip(" *_") or piece for piece in pieces if piece)
