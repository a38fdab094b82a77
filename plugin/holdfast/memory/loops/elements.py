"""XML-like elements in Markdown that people write by hand, and the loop, an open question, as one of them.

The text in them is not XML: it has bare `&` and `<`, blank lines, and code fences, in which no tag counts.
"""

import os

from holdfast.core.fast_json import texts_of
from holdfast.core.patterns import pattern
from holdfast.trust.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

Splice = tuple[int, int, bytes]
SHORT = 80  # characters; a longer text gets lines of its own
_BLANKS = " \t"
_CODE = 4  # columns; text indented so far begins no heading, fence or comment of the file around it
_ENTITY = pattern("&(lt|gt|amp);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&"}
_FENCED = rb"^[ \t]*+(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)"
_FENCE = pattern(rb"(?m)" + _FENCED)
_NEXT = pattern(
    rb"(?m)(?:^|(?<=>))[ \t]*+(?:(?P<comment><!--)|<(?P<name>[A-Za-z_][\w-]*)(?:\s[^<>]*)?(?<!/)>)|" + _FENCED
)


class Element:
    """One element: `start` and `end` are around its tags, `inner` and `inner_end` between them.

    `children` are the elements in it that the reader searched for.
    """

    __slots__ = ("children", "end", "inner", "inner_end", "name", "start")

    def __init__(self, name: str, start: int, inner: int, inner_end: int, end: int) -> None:
        self.name = name
        self.start = start
        self.inner = inner
        self.inner_end = inner_end
        self.end = end
        self.children: list[Element] = []


def fence_end(data: bytes, fence: bytes, at: int, end: int) -> int:
    """Return where the line ends that closes a code fence whose first line ends after `at`, -1 for none."""
    closing = pattern(rb"(?m)^[ \t]*+" + fence[:1] + rb"{%d,}[ \t\r]*$" % len(fence))
    after = data.find(b"\n", at, end)
    match = closing.search(data, after + 1, end) if after >= 0 else None
    return match.end() if match else -1


def find(data: bytes, start: int, end: int) -> tuple[list[Element], list[tuple[int, str]]]:
    """Return the elements between two offsets, and (offset, name) of the tags there that are not closed.

    Tags in a comment or a code fence do not count.
    """
    elements: list[Element] = []
    alone: list[tuple[int, str]] = []
    never: set[bytes] = set()  # names and signs without a closing one in the rest
    while tag := _NEXT.search(data, start, end):
        start, name = tag.end(), tag["name"]
        if name is None:
            start = max(start, _hidden(data, tag, end, never))
            continue
        at = -1 if name in never else _outside_fences(data, b"</" + name + b">", (start, end), never)
        if at < 0:
            never.add(name)
            alone.append((tag.start("name") - 1, name.decode()))
        else:
            elements.append(Element(name.decode(), tag.start("name") - 1, start, at, at + len(name) + 3))
            start = elements[-1].end
    return elements, alone


def _hidden(data: bytes, opening: "re.Match[bytes]", end: int, never: set[bytes]) -> int:
    """Return where a comment or code fence ends, -1 for one that does not."""
    fence, at = opening["fence"], -1
    sign = fence or b"<!--"
    if sign not in never:
        at = fence_end(data, fence, opening.end(), end) if fence else data.find(b"-->", opening.end(), end)
    if at < 0:
        never.add(sign)
    return at


def _outside_fences(data: bytes, closing: bytes, span: tuple[int, int], never: set[bytes]) -> int:
    """Return where a closing tag is outside code fences, else inside one, -1 for nowhere."""
    start, end = span
    at = data.find(closing, start, end)
    while at >= 0 and (opening := _FENCE.search(data, start, at)):
        after = _hidden(data, opening, end, never)
        start = max(after, opening.end())
        if after > at:
            following = data.find(closing, after, end)
            if following < 0:
                break
            at = following
    return at


def text_of(data: bytes, element: Element) -> str:
    """Return the text of an element without the indentation of the file, with entities decoded."""
    raw = data[element.inner : element.inner_end].decode("utf-8", "replace")
    text = _flush(raw.replace("\r\n", "\n").replace("\r", "\n"))
    return _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text)


def tidy(text: str) -> str:
    """Return text as it reads back once written: safe, without blanks at the ends of lines and around it."""
    return _flush("\n" + safe(text))


def _flush(text: str) -> str:
    """Return text without blank lines around it, and without the indentation that its lines after the first share."""
    first, *lines = [line.rstrip(_BLANKS) for line in text.split("\n")]
    blanks = [line[: len(line) - len(line.lstrip(_BLANKS))] for line in lines if line]
    margin = os.path.commonprefix(blanks)  # noqa: RUF071 - blank by blank is what is meant
    return "\n".join([first.lstrip(_BLANKS), *(line[len(margin) :] for line in lines)]).strip("\n")


def lines(name: str, text: str, indent: str, step: str) -> list[str]:
    """Return the lines of a new element; a text that is not short gets lines of its own, indented between the tags."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if "\n" not in text and (len(text) <= SHORT or name == "title"):
        return [f"{indent}<{name}>{safe}</{name}>"]
    inner = indent + step
    if len(inner.expandtabs(_CODE)) < _CODE:
        inner = indent + " " * _CODE
    made = [f"{indent}<{name}>", *(line and inner + line for line in safe.split("\n"))]
    if "\n\n" not in safe:
        return [*made, f"{indent}</{name}>"]
    after = [""] if len(indent.expandtabs(_CODE)) >= _CODE else []  # there the closing tag counts as code, too
    return [*made, "", f"{indent}</{name}>", *after]


def between(name: str, text: str, indent: str, step: str, newline: bytes) -> bytes:
    """Return what is between the tags of an element that is there already, for a new text."""
    whole = newline.join(line.encode() for line in lines(name, text, indent, step))
    return whole[len(indent) + len(name) + 2 : -len(name) - 3]


def before(data: bytes, end: int, name: str, new: list[str], newline: bytes) -> "Splice":
    """Return the splice that puts lines before the closing tag that ends at `end`, and may share its line."""
    closing = data.rfind(b"</" + name.encode(), 0, end)
    line = _line(data, closing)
    block = b"".join(each.encode() + newline for each in new)
    if not data[line:closing].strip():
        return line, line, block
    return closing, closing, newline + block + indentation(data, closing).encode()


def indentation(data: bytes, at: int) -> str:
    """Return the blanks at the beginning of the line of an offset."""
    line = data[_line(data, at) : at]
    return line[: len(line) - len(line.lstrip(_BLANKS.encode()))].decode()


def _line(data: bytes, at: int) -> int:
    return max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1


KIND = "LOOP"
STATUSES = ("open", "clarifying", "closed")
_OVER = frozenset({"closed", "done", "resolved"})
# element -> field of a loop; the elements of the second and third line are inside another one.
OWN = {"title": "title", "context": "context", "question": "question", "captured": "captured"}
EXPLORING = {"started": "started", "approach": "approach"}
OUTCOME = {"closed": "closed", "result": "result", "evidence": "evidence", "decision_ref": "decision"}
INNER = {"exploring": EXPLORING, "outcome": OUTCOME}
FIELDS = (*OWN.values(), *EXPLORING.values(), *OUTCOME.values())


def is_over(status: str) -> bool:
    """Whether a status says that a loop is closed, in any of the known words."""
    return status.strip().casefold() in _OVER


class Loop:
    """One loop: its id, status and texts as people read them, and the span of its element in the file.

    `aliases` are the ids that it had before merges. `problem` says why it must not be edited, "" when it may.
    """

    def __init__(self, ident: str, start: int, end: int, line: int) -> None:
        self.ident = ident
        self.start = start
        self.end = end
        self.line = line
        self.tag_end = start  # where its opening tag ends
        self.own_aliases: tuple[int, int] | None = None
        self.own_status: tuple[int, int] | None = None  # the span of the attribute's value
        self.children: list[Element] = []
        self.aliases: list[str] = []
        self.problem = self.status = ""
        self.title = self.context = self.question = self.captured = ""
        self.started = self.approach = ""
        self.closed = self.result = self.evidence = self.decision = ""

    @property
    def over(self) -> bool:
        """Whether it is closed."""
        return is_over(self.status)

    def has_id(self, ident: str) -> bool:
        """Whether this is its id, or was before a merge."""
        return ident == self.ident or ident in self.aliases

    def text(self, field: str) -> str:
        """Return one of its texts by its name in FIELDS."""
        return str(getattr(self, field))

    def row(self) -> "dict[str, object]":
        """Return the loop as JSON has it."""
        return {
            "id": self.ident,
            "status": self.status,
            "line": self.line,
            "aliases": self.aliases,
            **{name: self.text(name) for name in FIELDS},
        }


def of_row(row: "dict[str, object]") -> Loop:
    """Return the loop that `Loop.row` described; where it is in the file is not known."""
    line = row["line"]
    loop = Loop(str(row["id"]), 0, 0, line if isinstance(line, int) else 0)
    loop.aliases = texts_of(row, "aliases")
    for name in ("status", *FIELDS):
        setattr(loop, name, str(row[name]))
    return loop
