"""The heading that is the title of a document, and what follows the beginning that a format gives it."""

import re

from holdfast.formats import names
from holdfast.markdown.document import Document, Section

_TITLE = 1  # the level of its heading
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)? +[-\u2013\u2014:] +(?=\S)")  # before the words of a title
# What joins a beginning to the words after it; without one these go on, as in "Session 57: fix the gate".
_JOINT = re.compile(r"[*_`]*\s*[:\u2013\u2014-]|\s*$")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[\d\sTZ:.+-]*")


def title_of(document: Document) -> Section | None:
    """Return the heading that is the title of the whole: the first one, when it alone is of the first level."""
    headings = document.headings
    others = [heading for heading in headings[1:] if heading.level == _TITLE]
    return headings[0] if headings and headings[0].level == _TITLE and not others else None


def begins(title: str, beginning: str) -> bool:
    """Whether a title begins with these words, in any case and with any emphasis."""
    plain_beginning = names.plain(beginning)
    text = names.plain(title)
    return not plain_beginning or text == plain_beginning or text.startswith(plain_beginning + " ")


def after(title: str, beginning: str) -> str:
    """Return what follows the beginning of a title, "" when nothing does; the whole where that is only a date."""
    opening = beginning.rstrip(" :-")
    at = title.casefold().find(opening.casefold())
    if at < 0:  # it begins so in other dress, such as with an underscore
        return title.strip()
    rest = title[at + len(opening) :]
    if opening and not _JOINT.match(rest):
        return title.strip()
    words = _DATED.sub("", rest.lstrip(" :-\u2013\u2014").strip(), count=1)
    return title.strip() if _TIME.fullmatch(words) else words
