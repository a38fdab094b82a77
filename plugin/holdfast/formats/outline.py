"""A document with its frontmatter, and its sections by every name that they go by."""

import re

from holdfast.formats import names
from holdfast.markdown import metadata
from holdfast.markdown.document import Document, Section


class Outline:
    """A document, its frontmatter, and its sections: in order, by their offsets, and by every name that they go by.

    `unclosed` is the offset at which the text begins under frontmatter that never closes, 0 where there is none.
    """

    __slots__ = ("begun", "document", "metadata", "named", "sections", "starts", "unclosed")

    def __init__(self, document: Document) -> None:
        self.document = document
        self.metadata = metadata.read(document)
        self.sections = document.sections
        self.starts = [section.start for section in self.sections]
        self.unclosed = _unclosed(document)
        self.named: dict[str, list[Section]] = {}
        self.begun: dict[str, list[Section]] = {}  # by the name without the words that only say more
        for section in self.sections:
            for name in names.forms(section.title):
                self.named.setdefault(name, []).append(section)
            if shorter := names.begins(section.title):
                self.begun.setdefault(shorter, []).append(section)


def _unclosed(document: Document) -> int:
    """Return where the keys of frontmatter end that never closes, 0 where there is none."""
    if not any("frontmatter" in what for _, what in document.flaws):
        return 0
    blank = re.compile(rb"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)").search(document.data, document.body)
    return blank.end() if blank else len(document.data)
