"""Texts that holdfast made from texts of unknown origin: from which ones, and the lines that it added to them.

Such a text counts once a commit made here introduces it, under two more conditions than other texts: nobody else
brought the text that it was made from, and the lines that holdfast adds say nothing about who wrote the others.

The file `derived` in the store has one line for each: the SHA-256 of the text, the names that git may have for the text
it was made from, with commas, and a short hash of each line that holdfast added.
"""

import hashlib

from holdfast.core import files
from holdfast.git import objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_LINES = 500  # that one write adds; a text that is new from end to end is not recorded
_MAX_BYTES = 400_000  # of the file; the newest half is kept


def record(store: str, name: str, before_name: str, before: bytes, after: bytes) -> None:
    """Record that holdfast made the text `after`, with the SHA-256 `name`, from the unknown text `before`.

    OSError when that cannot be written.
    """
    known = _read(store)
    added = {line_hash(line) for line in _lines(after) - _lines(before)}
    if len(added) > _MAX_LINES:
        return
    origin = known.get(before_name, git_names(before))
    files.append_line(_path(store), " ".join((name, ",".join(origin), *sorted(added))).encode())
    _shorten(store)


def origins(store: str) -> dict[str, tuple[str, ...]]:
    """Return for each text, by its SHA-256, the names that git has for the text that it was made from."""
    return _read(store)


def added_lines(store: str) -> set[str]:
    """Return the hashes of the lines that holdfast added to texts of unknown origin."""
    return {word for words in _words(store) for word in words[2:]}


def line_hash(line: bytes) -> str:
    """Return the hash of a line as `added_lines` has it."""
    return hashlib.sha256(line).hexdigest()[:20]


def git_names(data: bytes) -> tuple[str, ...]:
    """Return the names that git may have for a text: as it is or with Unix line ends, by SHA-1 or by SHA-256."""
    texts = dict.fromkeys((data, data.replace(b"\r\n", b"\n")))
    return tuple(objects.blob_name(text, length) for text in texts for length in (objects.SHORT, objects.LONG))


def _lines(data: bytes) -> set[bytes]:
    return {line.strip() for line in data.splitlines() if line.strip()}


def _read(store: str) -> dict[str, tuple[str, ...]]:
    return {words[0]: tuple(words[1].split(",")) for words in _words(store)}


def _words(store: str) -> "Iterable[list[str]]":
    try:
        lines = files.read(_path(store)).decode("ascii", "replace").split("\n")
    except OSError:
        return []
    return [words for line in lines if len(words := line.split()) >= 2]


def _shorten(store: str) -> None:
    data = files.read(_path(store))
    if len(data) > _MAX_BYTES:
        files.write_private(_path(store), data[-_MAX_BYTES // 2 :].partition(b"\n")[2])


def _path(store: str) -> str:
    return store + "/derived"
