"""What every edit is made of: a splice with what it replaces, and items and entries as lines."""

import re

from holdfast.dialects.dialect import Part
from holdfast.edits.placing import Want

TYPE_CHECKING = False
if TYPE_CHECKING:
    Splice = tuple[int, int, bytes]

_BULLET = re.compile(r"\A[-*+]\s+")
_BOX = re.compile(r"\A\[[^\[\]]{1,2}\]\s+")


class Edit:
    """A splice with the text it replaces and the one it gives.

    `headings` is how many headings it adds, `key` the key of the frontmatter that it sets, "" for none.
    """

    __slots__ = ("data", "end", "headings", "key", "new", "old", "start")

    def __init__(self, splice: "Splice", old: str, new: str, *, headings: int = 0, key: str = "") -> None:
        self.start, self.end, self.data = splice
        self.old = old
        self.new = new
        self.headings = headings
        self.key = key


def one_line(want: Want) -> str:
    """Return the text of a wish on one line, items joined."""
    return " ".join((want.text or "; ".join(dict.fromkeys(want.items or []))).split())


def new_items(wanted: list[str], known: list[str]) -> list[str]:
    """Return the texts, each once and on one line, that no known one says."""
    said = {plain(text) for text in known}
    lines = dict.fromkeys(" ".join(_BULLET.sub("", text.strip(), count=1).split()) for text in wanted)
    return [text for text in lines if plain(text) and plain(text) not in said]


def plain(text: str) -> str:
    """Return what makes two items the same: their text without marker and checkbox."""
    return " ".join(_BOX.sub("", _BULLET.sub("", text.strip(), count=1), count=1).split())


def item(text: str, *, checks: bool) -> str:
    """Return a new list item."""
    return f"- {'' if not checks or _BOX.match(text) else '[ ] '}{text}"


def entry(part: Part, text: str, minute: str) -> str:
    """Return a text as an entry of a log, as it is when it is one already."""
    text = " ".join(text.split())
    form = (
        re.escape(part.entry).replace(r"\{minute\}", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\s\]]*").replace(r"\{text\}", ".+")
    )
    return text if re.fullmatch(form, text) else part.entry.replace("{minute}", minute).replace("{text}", text)
