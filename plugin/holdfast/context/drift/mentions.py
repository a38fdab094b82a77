"""Find out whether a text mentions a file, a commit or a word, in any common spelling."""

import re
import unicodedata

_HASH = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])")
_SUBJECT = 10  # least characters of a commit's subject; a shorter one may be a common word
_UP = ("./", "../")


class Prose:
    """A text that can be searched for mentions."""

    def __init__(self, words: str) -> None:
        plain = unicodedata.normalize("NFC", words.replace("\\_", "_").replace("%20", " "))
        self.words = plain
        self.collapsed = " ".join(plain.split()).casefold()
        self.hashes = set(_HASH.findall(plain))

    def has(self, word: str) -> bool:
        """Return whether a word or phrase occurs as a whole, with the same case."""
        return bool(word.strip() and self._found(word))

    def says(self, phrase: str) -> bool:
        """Return whether a phrase occurs, ignoring case and line breaks."""
        words = " ".join(unicodedata.normalize("NFC", phrase).split()).casefold()
        return bool(words) and words in self.collapsed

    def has_commit(self, name: str, subject: str) -> bool:
        """Return whether a commit is mentioned by an abbreviation of its name or by its subject."""
        by_name = any(name.startswith(known) for known in self.hashes)
        return by_name or (len(subject) >= _SUBJECT and self.says(subject))

    def has_path(self, path: str, *, unique: bool = False) -> bool:
        """Return whether a file is mentioned by its path, by a relative path, or, with `unique`, by its base name."""
        path = unicodedata.normalize("NFC", path)
        return any(self._leads(path, at, unique=unique) for at in self._found(path.rpartition("/")[2]))

    def _found(self, word: str) -> "list[int]":
        """Return the end offsets of all occurrences of a word that are not part of a longer word."""
        found, at = [], self.words.find(word)
        while at >= 0:
            end = at + len(word)
            if not _joins(self.words[:at][-1:], word[:1]) and not self._goes_on(end):
                found.append(end)
            at = self.words.find(word, at + 1)
        return found

    def _goes_on(self, end: int) -> bool:
        """Return whether a name continues at an offset, as in `a.pyc` and `a.py.orig`; a full stop ends it."""
        after, next_one = self.words[end : end + 1], self.words[end + 1 : end + 2]
        return _joins(after, self.words[end - 1 : end]) or (after in {".", "/"} and next_one.isalnum())

    def _leads(self, path: str, end: int, *, unique: bool) -> bool:
        """Return whether the text before an offset is this path, or its end as written from another folder."""
        size = 0
        while size < min(len(path), end) and self.words[end - size - 1] == path[-size - 1]:
            size += 1
        if size == len(path):
            return self.words[: end - size][-1:] != "." and not _joins(self.words[: end - size][-1:], "a")
        known = path[len(path) - size :]
        tail = known if path[len(path) - size - 1] == "/" else known.partition("/")[2]
        before = self.words[: end - len(tail)][-200:]
        while before.endswith(_UP):
            before = before[: before.rindex(".")].rstrip(".")
        alone = not before or not (_joins(before[-1], "a") or before[-1] in "/\\.")
        return bool(tail) and alone and (unique or "/" in tail)


def _joins(one: str, other: str) -> bool:
    """Return whether two adjacent characters belong to one word."""
    return all(char.isalnum() or char in {"_", "-"} for char in (one, other)) if one and other else False
