"""The paths that `.holdfastignore` keeps from being shared.

Each line is a pattern: `*`, `?` and `[...]` stand for characters of one name, `**` for any folders. A pattern without a
slash, or with one at its end only, matches a name in any folder; any other begins at the root. A folder that matches
keeps back all that is in it. `#` begins a comment, a backslash takes the meaning of the next sign. There is no `!`.

A stranger can add patterns and take none away: each that was seen counts until a text of the user's own replaces them.
"""

import fnmatch
import html
import os
import re
import urllib.parse
from collections.abc import Callable, Iterable, Iterator

from holdfast.core import fast_json, files
from holdfast.project import paths as project_paths
from holdfast.trust import clone

_LONGEST = 300  # characters of a pattern
_ESCAPED = re.compile(r"\\(.?)")
_WILD = re.compile(r"\[.[^\]]*\]|[*?]+")
_SIGNS = "*?["


class Patterns:
    """Patterns, one from each line. An instance is a function that tells whether a path is ignored."""

    def __init__(self, lines: list[str]) -> None:
        self._known = [_parts(line[:_LONGEST]) for line in lines]

    def __call__(self, path: str) -> bool:
        """Return whether a path, relative to the root, or a folder above it matches a pattern."""
        names = os.path.normpath(path).lstrip("/").split("/")
        return any(_matches(parts, names) for parts in self._known)

    def begins(self, path: str) -> bool:
        """Return whether a path that was cut within its last name may be the beginning of an ignored one."""
        if self(path):
            return True
        *folders, last = path.removeprefix("./").lstrip("/").split("/")
        return any(_may_begin(parts, folders, last) for parts in self._known)


class _Name:
    """The pattern of one name."""

    __slots__ = ("literals", "match")

    def __init__(self, pattern: str) -> None:
        plain = _ESCAPED.sub(_literal, pattern).replace("[^", "[!")
        self.match = re.compile(fnmatch.translate(plain)).match
        self.literals = _WILD.split(plain)

    def may_begin(self, name: str) -> bool:
        """Whether `name` may be the beginning of a matching one and has some of the characters of the pattern."""
        first, *rest = self.literals
        if first:
            return first.startswith(name) or (bool(rest) and name.startswith(first))
        piece = next(filter(None, rest), "")
        return bool(piece) and (piece in name or any(name.endswith(piece[:end]) for end in range(1, len(piece))))


def _literal(escaped: re.Match[str]) -> str:
    """Return a character that a backslash precedes, as a pattern of that character; a blank after the last one."""
    char = escaped[1] or " "  # the end of a line has lost its blanks
    return f"[{char}]" if char in _SIGNS else char


def _parts(pattern: str) -> "list[_Name | None]":
    """Return the pattern of each name, None for any folders."""
    anchored = "/" in pattern.rstrip("/")
    names = [name for name in pattern.split("/") if name]
    if not anchored and names[:1] != ["**"]:
        names = ["**", *names]
    return [None if name == "**" else _Name(name) for name in names]


def _matches(parts: "list[_Name | None]", names: list[str]) -> bool:
    """Whether a path or one of the folders above it matches a pattern."""
    reached = {0}  # how many parts of the pattern the names so far may have used up
    for name in names:
        reached = _after(parts, reached, name)
        if len(parts) in reached:
            return True
    return len(parts) in _with_empty(parts, reached) and bool(parts) and parts[-1] is None and bool(names)


def _may_begin(parts: "list[_Name | None]", folders: list[str], last: str) -> bool:
    """Whether a path in these folders may match whose name begins with `last`."""
    reached = {0}
    for name in folders:
        reached = _after(parts, reached, name)
    following = [parts[at] for at in _with_empty(parts, reached) if at < len(parts)]
    return any(part is not None and part.may_begin(last) for part in following)


def _after(parts: "list[_Name | None]", reached: set[int], name: str) -> set[int]:
    """Return the places of a pattern that one more name leads to."""
    reached = _with_empty(parts, reached)
    following = {at for at in reached if at < len(parts) and parts[at] is None}
    for at in reached:
        part = parts[at] if at < len(parts) else None
        if part is not None and part.match(name):
            following.add(at + 1)
    return following


def _with_empty(parts: "list[_Name | None]", reached: set[int]) -> set[int]:
    """Return the places of a pattern together with those after a `**`, which may match no folder."""
    lengths = set(reached)
    for at, part in enumerate(parts):
        if part is None and at in lengths:
            lengths.add(at + 1)
    return lengths


NAME = ".holdfastignore"
MASK = "[ignored]"
_KEPT = "/sharing-ignored"  # in the store: the patterns that count
_MOST = 500  # patterns
_CUT = "…"  # at the end of a text that was cut


def reader(root: str) -> Patterns:
    """Return what tells whether a path, relative to `root`, is kept back; OSError if the file is no file."""
    return Patterns(_patterns(root))


def _patterns(root: str) -> list[str]:
    """Return the patterns that count, and remember them in the store; OSError."""
    project, path = project_paths.locate(root), f"{root}/{NAME}"
    data = files.read(path) if os.path.lexists(path) else b""
    own = bool(data) and clone.approves(project, path, data)
    kept = f"{project.store}{_KEPT}" if project.store else ""
    before = files.read_or_none(kept) if kept else None
    text = data if own else (before or b"") + b"\n" + data
    lines = (line.strip() for line in text.decode("utf-8", "replace").splitlines())
    patterns = list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))[:_MOST]
    known = "".join(f"{line}\n" for line in patterns).encode()
    if kept and known != (before or b""):
        files.write_private(kept, known, durable=False)
    return patterns


def hider(is_ignored: Patterns, root: str, paths: "Iterable[str]") -> "Callable[[str], str]":
    """Return a function that replaces ignored paths in a text by `[ignored]`.

    These are `paths`, also as JSON and YAML escape them, and each word that looks like a path and matches a pattern,
    in whichever way it is spelled, or that was cut and may have been such a path.
    """
    forms = {form for path in paths for form in (path, fast_json.dumps(path)[1:-1], path.replace('"', '\\"'))}
    known = sorted(forms, key=len, reverse=True)

    def is_hidden(path: str) -> bool:
        return ("/" in path or "." in path) and is_ignored(path.removeprefix(f"{root}/"))

    def word(match: "re.Match[str]") -> str:
        path = match[0].rstrip(".?!")
        if any(map(is_hidden, readings(path))):
            return MASK + match[0][len(path) :]
        was_cut = match.string.startswith(_CUT, match.end()) and is_ignored.begins(match[0].removeprefix(f"{root}/"))
        return MASK if was_cut else match[0]

    def hidden(text: str) -> str:
        for form in known:
            text = text.replace(form, MASK)
        return WORD.sub(word, text)

    return hidden


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
