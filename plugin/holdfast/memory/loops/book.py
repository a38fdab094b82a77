"""Read LOOPS.md: its path, its loops as they are parsed, and what is wrong with it."""

import os
import re

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.markdown.document import Document
from holdfast.memory.loops import elements
from holdfast.memory.loops.elements import EXPLORING, INNER, KIND, OUTCOME, OWN, STATUSES, Element, Loop
from holdfast.project import discovery, ids
from holdfast.project.discovery import loops_path
from holdfast.trust import clone

Flaw = tuple[int, str]

NEW = b"""\
# Loops

The open questions of this project; `holdfast loop` adds them, and closes them
with an outcome.
"""


class Book:
    """A LOOPS.md as it was read: its loops in order, and (line, what) of what is wrong with it."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.document = Document(data)
        self.loops, flaws = parse(self.document)
        found = sorted({*flaws, *self.document.flaws})
        self.flaws = sorted([(self.document.line(at), what) for at, what in found] + self._twice())

    @property
    def open(self) -> list[Loop]:
        """The loops that are not closed."""
        return [loop for loop in self.loops if not loop.over]

    def loop(self, requested: str) -> Loop:
        """Return the loop that `7` or `LOOP-007` names; HoldfastError when there is none, or more than one."""
        return one_of(self.loops, requested, self.path)

    def refuse(self, at: int) -> None:
        """Refuse an edit after an element, comment or fence that never closes, or with any other flaw in the file."""
        for offset, what in self.document.flaws:
            if offset < at or not what.endswith("never closes"):
                raise HoldfastError(f"{self.path}, line {self.document.line(offset)}: {what}; fix that by hand first")

    def _twice(self) -> list[tuple[int, str]]:
        """Return the lines of ids that appear twice, as after a bad merge."""
        same: dict[str, list[Loop]] = {}
        for loop in self.loops:
            same.setdefault(loop.ident, []).append(loop)
        return [(loops[-1].line, _appears_twice(loops)) for loops in same.values() if len(loops) > 1]


def one_of(loops: list[Loop], requested: str, path: str) -> Loop:
    """Return the loop of the file at `path` that `7` or `LOOP-007` names; HoldfastError without exactly one.

    An id that no loop has counts as the one that a loop had before a merge.
    """
    ident = ids.parse(KIND, requested)
    if not ident:
        raise HoldfastError(
            f"{requested!r} is not the id of a loop. Give one such as LOOP-007. Type: holdfast loop list"
        )
    found = [loop for loop in loops if loop.ident == ident] or formerly(loops, ident)
    if not found:
        known = ", ".join([loop.ident for loop in loops if not loop.over][:8]) or "none"
        raise HoldfastError(f"{path} has no {ident}. Open: {known}. Type: holdfast loop list --all")
    if len(found) > 1:
        if found[0].ident != ident:
            named = " and ".join(loop.ident for loop in found)
            raise HoldfastError(f"{path}: {ident} is {named} since merges. Give the one that you mean.")
        raise HoldfastError(f"{path}: {_appears_twice(found)}; give one of them another id")
    return found[0]


def formerly(loops: list[Loop], ident: str) -> list[Loop]:
    """Return the loops that had an id before a merge gave them another one."""
    return [loop for loop in loops if ident in loop.aliases]


def _appears_twice(loops: list[Loop]) -> str:
    lines = " and ".join(str(loop.line) for loop in loops)
    return f"{loops[0].ident} appears {'twice' if len(loops) == 2 else f'{len(loops)} times'}, on lines {lines}"


def read(root: str, state: str = "") -> Book:
    """Return the loops of a working tree, for the state file at `state`; none where there is no file.

    HoldfastError for a file that cannot be read.
    """
    path = loops_path(root, state)
    if not os.path.lexists(path):
        return Book(path, b"")
    refuse_odd(path)
    return Book(path, files.read(path))


def refuse_odd(path: str) -> None:
    """Refuse a link, a folder, a pipe and the like, and a file that is too large."""
    if os.path.islink(path):
        raise HoldfastError(f"{path} is a link, which is not followed. Put the file itself there.")
    if discovery.leads_out(path):
        raise HoldfastError(f"{path} leads out of the project through a link. Put the file itself there.")
    if os.path.lexists(path) and not os.path.isfile(path):
        raise HoldfastError(f"{path} is not a plain file. Move it away.")
    if os.path.lexists(path):
        _refuse_size(path, os.path.getsize(path))


def fitting(path: str, data: bytes) -> bytes:
    """Return the bytes of a file that is not too large."""
    _refuse_size(path, len(data))
    return data


def _refuse_size(path: str, size: int) -> None:
    if size > files.DOCUMENT_LIMIT:
        most = files.DOCUMENT_LIMIT >> 20
        raise HoldfastError(f"{path} would be or is larger than {most} MB. Move closed loops to a file of their own.")


def readable(root: str, state: str = "") -> Book | None:
    """Return the loops of a working tree, for the state file at `state`, if other texts may repeat them.

    None where there are none, where the file cannot be read (`loop list` says why), and where its text is untrusted.
    """
    try:
        book = read(root, state) if root else None
    except (HoldfastError, OSError):
        return None
    if not book or not book.loops:
        return None
    return None if clone.TrustCheck().untrusted([book.path]) else book


_KNOWN = frozenset({*OWN, *EXPLORING, *OUTCOME, *INNER, "status"})
_OPENING = rb"<loop(?=[\s/>])"
_MARKER = rb"(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*"
_FENCED = rb"^[ \t]*+" + _MARKER + rb"(?:(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)|(?P<comment><!--))"
_OUTSIDE = pattern(_FENCED + rb"|^[ \t]*+(?P<open>" + _OPENING + rb")", re.MULTILINE)
_TAGS = pattern(rb"^[ \t]*+(?P<open>" + _OPENING + rb")|(?P<close></loop\s*>)(?=[ \t\r]*$)", re.MULTILINE)
_INSIDE = pattern(_FENCED + rb"|" + _TAGS.pattern, re.MULTILINE)
_TAG = pattern(rb"<loop(?=((?:\s+[\w:-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*))\1\s*(/?)>")
_ATTRIBUTE = pattern(rb"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_LONE_CR = pattern(rb"\r(?!\n)")


class _Scan:
    """One scan of a file; fences and comments that are never closed are text and hide nothing."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.loops: list[Loop] = []
        self.flaws: list[Flaw] = []
        self._data = document.data
        # The front matter is replaced by line ends, so that offsets stay the same.
        self._plain = b"\n" * document.body + _LONE_CR.sub(b"\n", document.data[document.body :])
        self._stray: dict[bytes, int] = {}  # by their sign, the end of the last one that ends beyond the loop it is in
        self._unclosed: dict[bytes, int] = {}  # by their sign, the length of the shortest fence that does not close

    def run(self) -> None:
        """Find all loops."""
        at = self.document.body
        while match := _OUTSIDE.search(self._plain, at):
            at = self._loop(match.start("open")) if match["open"] else max(self._hidden(match), match.end())

    def _hidden(self, match: re.Match[bytes]) -> int:
        """Return where a fence or comment ends, -1 for one that does not."""
        sign = match["fence"] or b"<!--"
        if len(sign) >= self._unclosed.get(sign[:1], len(sign) + 1):
            return -1
        if match["comment"]:
            end = self._plain.find(b"-->", match.end())
        else:
            end = elements.fence_end(self._plain, sign, match.end(), len(self._plain))
        if end < 0:
            self._unclosed[sign[:1]] = len(sign)
        return end

    def _loop(self, start: int) -> int:
        """Add the loop that begins here; return where to continue."""
        tag = _TAG.match(self._plain, start)
        if not tag:
            self._flaw(start, "a <loop> whose opening tag cannot be read")
            return start + 1
        if tag[2]:
            self._flaw(start, "a <loop/> with nothing in it")
            return tag.end()
        closing, after = self._closing(tag.end())
        if closing < 0:
            self._flaw(start, "a <loop> that never closes")
            return after
        spans = {each[1].lower(): each.span(2 if each[2] is not None else 3) for each in _attributes(tag)}
        written = self._text(spans.get(b"id", (0, 0)))
        ident = ids.parse(KIND, written)
        if ident:
            loop = Loop(ident, start, after, self.document.line(start))
            loop.tag_end, loop.own_status = tag.end(), spans.get(b"status")
            loop.own_aliases = spans.get(b"alias")
            loop.aliases = [
                one for word in self._text(loop.own_aliases or (0, 0)).split() if (one := ids.parse(KIND, word))
            ]
            self.loops.append(self._read(loop, closing))
        else:
            why = f"a <loop> whose id {written!r} is none such as LOOP-007" if written else "a <loop> without an id"
            self._flaw(start, why)
        return after

    def _closing(self, at: int) -> tuple[int, int]:
        """Return the span of the tag that closes a loop; (-1, where to continue) when there is none."""
        while match := _INSIDE.search(self._plain, at):
            if match["close"]:
                return match.span("close")
            if match["open"]:
                return -1, match.start("open")
            at = max(self._inner_hidden(match), match.end())
        return -1, len(self._plain)

    def _inner_hidden(self, match: re.Match[bytes]) -> int:
        """Return where a fence or comment ends that begins in a loop; -1 if it does not end in the loop."""
        sign = match["fence"] or b"<!--"
        if match.end() < self._stray.get(sign, 0):
            return -1
        end = self._hidden(match)
        if end < 0 or self._hides(match.end(), end):
            return end
        self._stray[sign] = end
        return -1

    def _hides(self, start: int, end: int) -> bool:
        """Whether a span is one fenced text or comment, and not the text between stray fences of two loops."""
        depth = 0
        for tag in _TAGS.finditer(self._plain, start, end):
            if tag["open"] and depth < 0:
                return False
            depth += 1 if tag["open"] else -1 if depth >= 0 else 0
        following = _TAGS.search(self._plain, end)
        return depth >= 0 or bool(following and following["close"])

    def _read(self, loop: Loop, closing: int) -> Loop:
        """Fill in the texts of a loop whose closing tag begins at `closing`."""
        loop.children, alone = elements.find(self._plain, loop.tag_end, closing)
        self._say(loop, loop.children, OWN)
        for child in loop.children:
            if child.name in INNER:
                child.children, inner_alone = elements.find(self._plain, child.inner, child.inner_end)
                alone += inner_alone
                self._say(loop, child.children, INNER[child.name])
        for at, name in alone:
            if name in _KNOWN:
                loop.problem = f"its <{name}> on line {self.document.line(at)} never closes"
                self._flaw(at, f"<{name}> of {loop.ident} never closes")
        children = [elements.text_of(self._data, child) for child in loop.children if child.name == "status"]
        status = self._text(loop.own_status) if loop.own_status else next(iter(children), "")
        loop.status = status.casefold() if status.casefold() in STATUSES else status or STATUSES[0]
        return loop

    def _say(self, loop: Loop, found: list[Element], fields: dict[str, str]) -> None:
        """Fill in the fields from elements; of two with one name the first counts."""
        for element in reversed(found):
            if element.name in fields:
                setattr(loop, fields[element.name], elements.text_of(self._data, element))

    def _text(self, span: tuple[int, int]) -> str:
        """Return the text of an attribute."""
        return " ".join(self._data[slice(*span)].decode("utf-8", "replace").split())

    def _flaw(self, at: int, what: str) -> None:
        self.flaws.append((at, what))


def _attributes(tag: re.Match[bytes]) -> list[re.Match[bytes]]:
    return list(_ATTRIBUTE.finditer(tag.string, *tag.span(1)))


def parse(document: Document) -> tuple[list[Loop], list["Flaw"]]:
    """Return the loops outside code fences and comments, and (offset, what) of text that only looks like a loop."""
    scan = _Scan(document)
    scan.run()
    return scan.loops, scan.flaws
