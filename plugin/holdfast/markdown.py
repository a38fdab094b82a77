"""A Markdown file as bytes with a known structure; edits are splices, so what is not meant stays as it is."""

import re
from functools import cached_property

_RULE = re.compile(rb"---[ \t]*(?:\r\n|\r|\n|\Z)")
_FRONTMATTER_END = re.compile(rb"(?:\A|(?<=[\r\n]))---[ \t]*(?:\r\n|\r|\n|\Z)")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_MARK = re.compile(rb"<!-- (/?)holdfast:([a-z]+)(?: [^>]*)?-->")
_BOM = b"\xef\xbb\xbf"


class Heading:
    """A heading outside fences, comments, lists and quotes.

    `start` is where its line begins, `body` where the text under it begins, `end` where the next heading of the same or
    a higher level begins; all are offsets into the document's bytes.
    """

    __slots__ = ("body", "end", "level", "start", "title")

    def __init__(self, level: int, title: str, start: int, body: int) -> None:
        self.level = level
        self.title = title
        self.start = start
        self.body = body
        self.end = -1


class Document:
    """The structure of one Markdown file: frontmatter, headings, and comments that stand alone on their line."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.newline = b"\r\n" if b"\r\n" in data else b"\n"
        self.frontmatter, self.body = _frontmatter(data)
        self._lines = [self.body, *(end.end() for end in _LINE_END.finditer(data, self.body))]

    @property
    def headings(self) -> list[Heading]:
        """The headings outside fences, comments, lists and quotes, in order."""
        return self._outline[0]

    @property
    def comments(self) -> list[tuple[int, int]]:
        """The spans of the comments that stand alone on their lines."""
        return self._outline[1]

    def text(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    def section(self, title: str) -> str | None:
        """Return the text under the first heading with this title, None when there is no such heading."""
        found = self.find(title)
        return None if found is None else self.text(found.body, found.end).strip()

    def find(self, title: str) -> Heading | None:
        """Return the first heading with this title, whatever its level and case."""
        wanted = title.casefold()
        return next((heading for heading in self.headings if heading.title.casefold() == wanted), None)

    def only(self, title: str) -> Heading | None:
        """Return the heading with this title, None when there is none, or more than one."""
        found = [heading for heading in self.headings if heading.title.casefold() == title.casefold()]
        return found[0] if len(found) == 1 else None

    def block(self, name: str) -> tuple[int, int] | None:
        """Return where the lines between `<!-- holdfast:name … -->` and `<!-- /holdfast:name -->` begin and end.

        None when the marks are missing, stand twice, in the wrong order, or around other marks: then nobody knows what
        is ours.
        """
        marks = [(span, mark) for span in self.comments if (mark := _MARK.fullmatch(self.data[slice(*span)].strip()))]
        own = [at for at, (_, mark) in enumerate(marks) if mark[2] == name.encode()]
        if len(own) != 2 or own[1] != own[0] + 1:
            return None
        (begin, opening), (end, closing) = marks[own[0]], marks[own[1]]
        return None if opening[1] or not closing[1] else (begin[1], end[0])

    def conflicted(self) -> bool:
        """Whether a merge left conflict markers behind."""
        return re.search(rb"^<{7} ", self.data, re.MULTILINE) is not None and b"\n>>>>>>> " in self.data

    @cached_property
    def _outline(self) -> tuple[list[Heading], list[tuple[int, int]]]:
        """Headings and comments; their line numbers are all that is asked for, whatever the bytes decode to."""
        from markdown_it import MarkdownIt  # the one importer

        headings: list[Heading] = []
        comments = []
        for token in MarkdownIt("commonmark").disable("inline").parse(self.text(self.body, len(self.data))):
            if token.level or not token.map:
                if token.type == "inline" and token.level == 1 and headings and headings[-1].title == "\0":
                    headings[-1].title = _title(token.content)
                continue
            start, end = (self._offset(line) for line in token.map)
            if token.type == "heading_open":
                headings.append(Heading(int(token.tag[1]), "\0", start, end))
            elif token.type == "html_block" and token.content.startswith("<!--"):
                comments.append((start, end))
        self._close_sections(headings)
        return headings, comments

    def _close_sections(self, headings: list[Heading]) -> None:
        """Set each heading's end, in one pass from the last to the first."""
        next_at = [len(self.data)] * 7
        for heading in reversed(headings):
            heading.end = min(next_at[1 : heading.level + 1])
            next_at[heading.level] = heading.start

    def _offset(self, line: int) -> int:
        """Return where a line begins."""
        return self._lines[line] if line < len(self._lines) else len(self.data)


def _frontmatter(data: bytes) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the YAML between the rules, None without any, and where the body begins."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    opening = _RULE.match(data, start)
    closing = _FRONTMATTER_END.search(data, opening.end()) if opening else None
    return ((opening.end(), closing.start()), closing.end()) if opening and closing else (None, start)


def _title(content: str) -> str:
    """Return a heading's text without emphasis around the whole."""
    return content.strip().strip("*_").strip()


def splice(data: bytes, start: int, end: int, replacement: bytes) -> bytes:
    """Return `data` with the bytes from `start` to `end` replaced."""
    return data[:start] + replacement + data[end:]
