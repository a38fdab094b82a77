"""What every edit is made of: a splice with what it replaces, and items and entries as lines."""

import re

from holdfast.formats import managed_block
from holdfast.formats.format import Part
from holdfast.markdown.document import splices
from holdfast.trust.safe import plain as plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    Splice = tuple[int, int, bytes]

_BULLET = re.compile(r"\A[-*+]\s+")
_BOX = re.compile(r"\A\[[^\[\]]{1,2}\]\s+")
_ACTION = "Update"  # the heading of an entry that names no action
_LONGEST_ACTION = 80  # characters


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


def joined(data: bytes, changes: "list[Splice]", old: str, new: str) -> Edit | None:
    """Return one edit equal to several splices into `data`, None when it changes nothing."""
    start = min((at for at, _, _ in changes), default=0)
    end = max((at for _, at, _ in changes), default=0)
    made = splices(data[start:end], [(at - start, to - start, put) for at, to, put in changes])
    return Edit((start, end, made), old, new) if made != data[start:end] else None


def fit(text: str) -> str:
    """Return text fit for a file of plain text: without control characters, and halves of characters as JSON has."""
    return plain_text(text.encode("utf-8", "replace").decode())


def line(text: str) -> str:
    """Return a text on one line, fit for a file."""
    return " ".join(managed_block.inline(fit(text)).split())


def new_items(requested: list[str], known: list[str]) -> list[str]:
    """Return the requested items that none of the known ones is, each once, on one line and without its marker."""
    present = {key(text) for text in known}
    lines = dict.fromkeys(map(unmarked, requested))
    return [text for text in lines if bare(text) and key(text) not in present]


def unmarked(text: str) -> str:
    """Return an item on one line without its marker."""
    return " ".join(_BULLET.sub("", text.strip(), count=1).split())


def bare(text: str) -> str:
    """Return an item on one line without marker and box."""
    return _BOX.sub("", unmarked(text), count=1)


def key(text: str) -> str:
    """Return what two texts of the same item have in common: marker, box and case do not count."""
    return bare(text).casefold()


def item(text: str, *, checks: bool) -> str:
    """Return a new list item."""
    return f"- {'' if not checks or _BOX.match(text) else '[ ] '}{text}"


def entry(part: Part, text: str, minute: str) -> str:
    """Return a text as an entry of a log, as it is when it is one already.

    Where entries are headings, the line below one is what follows the first line of the text, or a colon in it.
    """
    headed = has_action(part)
    head, below = _parted(text) if headed else (" ".join(text.split()), "")
    form = (
        re.escape(part.entry).replace(r"\{minute\}", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d[^\s\]]*").replace(r"\{text\}", ".+")
    )
    if not re.fullmatch(form, head):
        head, below = (_ACTION, head) if headed and not below else (head, below)
        head = part.entry.replace("{minute}", minute).replace("{text}", head)
    return f"{head}\n\n{below}" if below else head


def has_action(part: Part) -> bool:
    """Whether an entry of a log names an action in its heading, such as "### {minute} - {text}"."""
    return part.entry.startswith("#") and "{text}" in part.entry.partition("\n")[0]


def _parted(text: str) -> tuple[str, str]:
    """Return the action that a text names and what it says about it, or the text and "" where it names none."""
    first, _, rest = text.strip().partition("\n")
    head, _, below = (first, "", rest) if rest.strip() else first.partition(": ")
    parts = (head, below) if len(head) <= _LONGEST_ACTION and below.strip() else (text, "")
    return " ".join(parts[0].split()), " ".join(parts[1].split())
