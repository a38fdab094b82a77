"""Find out which of the things that a summary must keep it does not mention, by path, id or heading."""

import os
import re
import unicodedata

from holdfast.context.compaction.must_keep import SAID, STATE, MustKeep
from holdfast.context.drift.mentions import Prose

TAG = "<summary>"
_TAGGED = re.compile(r"<summary>(.*)</summary>", re.DOTALL)
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_IDENT = re.compile(r"[A-Z][A-Z0-9]*-\d+\b")
_HEADING = re.compile(r"(?P<heading>.+?)(?::\s| [-\u2013\u2014] )")
_NUMBERED = re.compile(r"^(?:\w+ )?\d+[.:)]\s+")
_REMARK = re.compile(r" \([^()]*\)$")
_BETWEEN = re.compile(r"[\W_]+")
_TELLING = 4  # letters of a word that tells more than "the" or "was"
_MOST_WORDS = 0.7  # of the words of a quote
_HEADED = 12  # characters that a heading has at least, so that it is no common word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def context_of(summary: str) -> str:
    """Return the part of a summary that enters Claude's context: without the analysis and the tags."""
    tagged = _TAGGED.search(summary)
    return (tagged[1] if tagged else _ANALYSIS.sub("", summary)).strip()


def omitted(must_keep: list[MustKeep], summary: str) -> list[MustKeep]:
    """Return what a summary does not mention, each thing with those of its names that are missing."""
    text = _Summary(context_of(summary), must_keep)
    missing = [(each, [name for name in each.names if not text.mentions(each.kind, name)]) for each in must_keep]
    return [MustKeep(each.kind, each.label, lines) for each, lines in missing if lines]


class _Summary:
    """A summary that can be searched for what it must keep."""

    def __init__(self, summary: str, must_keep: list[MustKeep]) -> None:
        self.prose = Prose(summary)
        self.words = f" {_plain(summary)} "
        paths = [_path(name) for each in must_keep if each.kind == "files" for name in each.names]
        self.known = [os.path.basename(path) for path in paths]
        self._checks: dict[str, Callable[[str], bool]] = {
            STATE: self._file,
            "files": self._file,
            "commits": self._commit,
            "tasks": self._text,
            "children": self._subagent,
            "running": self._subagent,
            **dict.fromkeys(SAID, self._quote),
        }

    def mentions(self, kind: str, name: str) -> bool:
        """Return whether the summary mentions a name of this kind."""
        return self._checks.get(kind, self._text)(name)

    def _file(self, name: str) -> bool:
        """Return whether a file is mentioned: by path, or by its base name if no other file shares it."""
        path = _path(name)
        return self.prose.has_path(path, unique=self.known.count(os.path.basename(path)) < 2)

    def _commit(self, name: str) -> bool:
        short, _, subject = name.partition(" ")
        named = any(known.startswith(short) or short.startswith(known) for known in self.prose.hashes)
        return named or self.prose.has_commit(short, subject)

    def _subagent(self, name: str) -> bool:
        """Return whether a subagent is mentioned by its id; its type may be that of another one."""
        return self.prose.has(name.rpartition(" ")[2])

    def _text(self, name: str) -> bool:
        """Return whether a text is mentioned: by the id or the heading with which it begins, or by its words."""
        ident = _IDENT.match(name)
        if ident:
            return self.prose.has(ident[0])
        heading = _HEADING.match(name)
        begin = heading["heading"] if heading and len(heading["heading"]) >= _HEADED else ""
        return any(self._says(words) for words in (begin, name, _REMARK.sub("", name), _numberless(name)))

    def _quote(self, name: str) -> bool:
        """Return whether most words of a quote occur: a summary says it in words of its own."""
        telling = {word for word in _plain(name).split() if len(word) >= _TELLING or not word.isascii()}
        mentioned = sum(f" {word} " in self.words for word in telling)
        return bool(telling) and mentioned >= _MOST_WORDS * len(telling)

    def _says(self, words: str) -> bool:
        """Return whether these words occur, ignoring case and punctuation; a text cut by `…` may continue."""
        plain = _plain(words)
        return bool(plain) and f" {plain}{'' if words.endswith('…') else ' '}" in self.words


def _numberless(name: str) -> str:
    """Return a text without a leading number such as "Decision 1: ", "" if the rest is too short to identify it."""
    rest = _NUMBERED.sub("", name)
    return rest if len(rest) >= _HEADED else ""


def _plain(words: str) -> str:
    """Return words in lower case with single spaces and without punctuation."""
    return _BETWEEN.sub(" ", unicodedata.normalize("NFC", words)).strip().casefold()


def _path(name: str) -> str:
    """Return the path in the display name of a file, without a remark after it."""
    return _REMARK.sub("", name)
