"""The paths that a word of a text may mean: as JSON, addresses, HTML, Markdown, Windows and git spell them."""

import html
import re
import urllib.parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = "\\s…\"'`<>|*(){}\\[\\],;:=「」『』【】《》〈〉（）［］｛｝“”„‟‘’‚«»‹›、。，：；！？→←"  # noqa: RUF001 - other brackets
WORD = re.compile(rf"(?:&\#?\w{{1,8}};|&|[^{_ENDS}&]+)+")
_MARKED = re.compile(r"[\\%&#?@~+!$]")  # characters of a word that may mean something else
_SPLIT = re.compile(rf"[{_ENDS}&#?@~+!$]")
_REPEATED = re.compile(r"\\\\+")
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_OCTAL = re.compile(r"(?:\\[0-3][0-7]{2})+")
_BLANK = re.compile(r"\\[nrtbf]")
_BACKSLASH = re.compile(r"\\(?=\W)")


def readings(word: str) -> "Iterator[str]":
    """Yield a word, and the paths that it may mean."""
    yield word
    if not _MARKED.search(word):
        return
    plain = urllib.parse.unquote(urllib.parse.unquote(html.unescape(word)))
    plain = _CODE.sub(_coded, _OCTAL.sub(_octal, _REPEATED.sub(r"\\", plain)))
    for read in {plain, _BACKSLASH.sub("", plain), plain.replace("\\", "/"), _BLANK.sub("\n", plain)}:
        yield read
        yield from filter(None, _SPLIT.split(read))


def _coded(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))


def _octal(match: re.Match[str]) -> str:
    """Return the characters of which git writes the bytes in octal digits."""
    return bytes(int(digits, 8) for digits in match[0].split("\\")[1:]).decode("utf-8", "replace")
