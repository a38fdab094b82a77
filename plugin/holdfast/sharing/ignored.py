"""The paths that `.holdfastignore` keeps from being shared.

Each line is a pattern: `*`, `?` and `[...]` stand for characters of one name, `**` for any folders. A pattern without a
slash, or with one at its end only, matches a name in any folder; any other begins at the root. A folder that matches
keeps back all that is in it. `#` begins a comment. There is no `!`.

A stranger can add patterns and take none away: each that was seen counts until a text of the user's own replaces them.
"""

import fnmatch
import os
import re

from holdfast.core import fast_json, files
from holdfast.project import paths as project_paths
from holdfast.trust import ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NAME = ".holdfastignore"
MASK = "[ignored]"
_KEPT = "/sharing-ignored"  # in the store: the patterns that count
_MOST, _LONGEST = 500, 300  # patterns, and characters of one
_WORD = re.compile(r"[^\s\"'`<>|*(){}\[\],;:=]+")


def reader(root: str) -> "Callable[[str], bool]":
    """Return a function that tells whether a path, relative to `root`, is kept back; OSError if the file is no file."""
    patterns = _patterns(root)
    known = [_parts(line[:_LONGEST]) for line in patterns]

    def is_ignored(path: str) -> bool:
        names = os.path.normpath(path).lstrip("/").split("/")
        return any(_matches(parts, names) for parts in known)

    return is_ignored


def _patterns(root: str) -> list[str]:
    """Return the patterns that count, and remember them in the store; OSError."""
    project, path = project_paths.locate(root), f"{root}/{NAME}"
    data = files.read(path) if os.path.lexists(path) else b""
    own = bool(data) and ledger.is_written(project, path, data)
    kept = f"{project.store}{_KEPT}" if project.store else ""
    before = files.read_or_none(kept) if kept else None
    text = data if own else (before or b"") + b"\n" + data
    lines = (line.strip() for line in text.decode("utf-8", "replace").splitlines())
    patterns = list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))[:_MOST]
    known = "".join(f"{line}\n" for line in patterns).encode()
    if kept and known != (before or b""):
        files.write_private(kept, known, durable=False)
    return patterns


def hider(is_ignored: "Callable[[str], bool]", root: str, paths: "Iterable[str]") -> "Callable[[str], str]":
    """Return a function that replaces ignored paths in a text by `[ignored]`.

    These are `paths`, also as JSON and YAML escape them, and each word that looks like a path and matches a pattern.
    """
    forms = {form for path in paths for form in (path, fast_json.dumps(path)[1:-1], path.replace('"', '\\"'))}
    known = sorted(forms, key=len, reverse=True)

    def word(match: re.Match[str]) -> str:
        path = match[0].rstrip(".?!")
        is_path = "/" in path or "." in path
        return MASK + match[0][len(path) :] if is_path and is_ignored(path.removeprefix(f"{root}/")) else match[0]

    def hidden(text: str) -> str:
        for form in known:
            text = text.replace(form, MASK)
        return _WORD.sub(word, text)

    return hidden


def _parts(pattern: str) -> "list[re.Pattern[str] | None]":
    """Return the pattern of each name, None for any folders."""
    anchored = "/" in pattern.rstrip("/")
    names = [name for name in pattern.split("/") if name]
    if not anchored and names[:1] != ["**"]:
        names = ["**", *names]
    return [None if name == "**" else re.compile(fnmatch.translate(name)) for name in names]


def _matches(parts: "list[re.Pattern[str] | None]", names: list[str]) -> bool:
    """Whether a path or one of the folders above it matches a pattern."""
    reached = {0}  # how many parts of the pattern the names so far may have used up
    for name in names:
        reached = _with_empty(parts, reached)
        following = {at for at in reached if at < len(parts) and parts[at] is None}
        for at in reached:
            part = parts[at] if at < len(parts) else None
            if part is not None and part.match(name):
                following.add(at + 1)
        if len(parts) in following:
            return True
        reached = following
    return len(parts) in _with_empty(parts, reached) and bool(parts) and parts[-1] is None and bool(names)


def _with_empty(parts: "list[re.Pattern[str] | None]", reached: set[int]) -> set[int]:
    """Return the places of a pattern together with those after a `**`, which may match no folder."""
    found = set(reached)
    for at, part in enumerate(parts):
        if part is None and at in found:
            found.add(at + 1)
    return found
