"""Tag lines: `<name>` and `</name>`, each alone on its line, around a section that is Markdown all the same."""

import re

from holdfast.core.patterns import pattern

# A formatter that takes a closing tag for the end of a list's last item indents it.
_TAG = pattern(rb"^(?: {1,3}(?=</))?<(/?)([A-Za-z_][A-Za-z0-9_-]+)>(?=[ \t]*\r?$)", re.MULTILINE)
# The elements of HTML that people put into Markdown; their content is HTML.
_HTML = pattern(
    rb"abbr|address|article|aside|audio|bdi|bdo|big|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|"
    rb"dd|del|details|dfn|dialog|div|dl|dt|em|fieldset|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|"
    rb"iframe|img|input|ins|kbd|legend|li|link|main|map|mark|menu|nav|noscript|ol|optgroup|option|picture|pre|ruby|samp|"
    rb"script|search|section|select|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|"
    rb"textarea|tfoot|th|thead|title|tr|track|tt|ul|var|video|wbr",
    re.IGNORECASE,
)


def find(text: bytes) -> list[re.Match[bytes]]:
    """Return the tag lines of a text whose lines end in LF or CRLF."""
    return [tag for tag in _TAG.finditer(text) if not _HTML.fullmatch(tag[2])]


def replaced(text: bytes, tags: list[re.Match[bytes]]) -> bytes:
    """Return the text with a blank line and a rule in place of each tag, so that nothing moves.

    CommonMark takes a tag line for the beginning of HTML. This ends all blocks but fences, comments and the like, and
    only outside of these the rule is seen as one.
    """
    out = bytearray(text)
    for tag in tags:
        out[tag.start() : tag.end()] = b"\n".ljust(tag.end() - tag.start(), b"*")
    return bytes(out)


def separator(tag: re.Match[bytes]) -> int:
    """Return the offset of the rule that is in the place of a tag."""
    return tag.start() + 1


def pairs(tags: list[re.Match[bytes]]) -> list[tuple[re.Match[bytes], re.Match[bytes]]]:
    """Return each opening tag with its closing one; what is open when a tag around it closes stays alone."""
    matches = []
    waiting: dict[bytes, re.Match[bytes]] = {}
    for tag in tags:
        name = tag[2]
        if not tag[1]:
            waiting.pop(name, None)  # of two that open, the first was meant as text
            waiting[name] = tag
        elif name in waiting:
            matches.append((waiting[name], tag))
            while waiting.popitem()[0] != name:
                pass
    return matches
