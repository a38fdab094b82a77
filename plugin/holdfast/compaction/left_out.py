"""Which of the things that a summariser was given its summary does not mention, by path, id or heading."""

import os
import re
import unicodedata

from holdfast.compaction.given import STATE, Given
from holdfast.drifts.mentions import Prose

TAG = "<summary>"
_TAGGED = re.compile(r"<summary>(.*)</summary>", re.DOTALL)
_ANALYSIS = re.compile(r"<analysis>.*?</analysis>", re.DOTALL)
_IDENT = re.compile(r"[A-Z][A-Z0-9]*-\d+\b")
_HEADING = re.compile(r"(?P<said>.+?)(?::\s| [-\u2013\u2014] )")
_NUMBERED = re.compile(r"^(?:\w+ )?\d+[.:)]\s+")
_REMARK = re.compile(r" \([^()]*\)$")
_BETWEEN = re.compile(r"[\W_]+")
_HEADED = 12  # characters that a heading has at least, to be told from a common word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def context_of(summary: str) -> str:
    """Return what Claude is left with of a summary as the client hands it to hooks: without analysis and tags."""
    tagged = _TAGGED.search(summary)
    return (tagged[1] if tagged else _ANALYSIS.sub("", summary)).strip()


def left_out(given: list[Given], summary: str) -> list[Given]:
    """Return what a summary does not mention, each with those of its names that are missing."""
    look = _Look(context_of(summary), given)
    missing = [(each, [name for name in each.names if not look.has(each.kind, name)]) for each in given]
    return [Given(each.kind, each.label, found) for each, found in missing if found]


class _Look:
    """A summary that is asked whether it mentions a thing."""

    def __init__(self, summary: str, given: list[Given]) -> None:
        self.prose = Prose(summary)
        self.words = f" {_plain(summary)} "
        paths = [_path(name) for each in given if each.kind == "files" for name in each.names]
        self.known = [os.path.basename(path) for path in paths]
        self._asked: dict[str, Callable[[str], bool]] = {
            STATE: self._file,
            "files": self._file,
            "commits": self._commit,
            "tasks": self._text,
            "children": self._subagent,
            "running": self._subagent,
        }

    def has(self, kind: str, name: str) -> bool:
        """Whether the summary mentions what goes by this name."""
        return self._asked.get(kind, self._text)(name)

    def _file(self, name: str) -> bool:
        """Whether a file is named: by a path, or by its own name where no other one that was given has it."""
        path = _path(name)
        return self.prose.has_path(path, unique=self.known.count(os.path.basename(path)) < 2)

    def _commit(self, name: str) -> bool:
        short, _, subject = name.partition(" ")
        named = any(known.startswith(short) or short.startswith(known) for known in self.prose.hashes)
        return named or self.prose.has_commit(short, subject)

    def _subagent(self, name: str) -> bool:
        """Whether a subagent is named by its id; its type may be another one's too."""
        return self.prose.has(name.rpartition(" ")[2])

    def _text(self, name: str) -> bool:
        """Whether a text stands there: by the id that it begins with, its heading, or its words."""
        ident = _IDENT.match(name)
        if ident:
            return self.prose.has(ident[0])
        heading = _HEADING.match(name)
        said = heading["said"] if heading and len(heading["said"]) >= _HEADED else ""
        return any(self._says(words) for words in (said, name, _REMARK.sub("", name), _numberless(name)))

    def _says(self, words: str) -> bool:
        """Whether these words stand there, in any case and with any signs between them; a cut one may go on."""
        plain = _plain(words)
        return bool(plain) and f" {plain}{'' if words.endswith('…') else ' '}" in self.words


def _numberless(name: str) -> str:
    """Return a text without a number before it, such as "Decision 1: ", "" where nothing that says much is left."""
    rest = _NUMBERED.sub("", name)
    return rest if len(rest) >= _HEADED else ""


def _plain(words: str) -> str:
    """Return words in lower case with one blank between them, whatever stood there."""
    return _BETWEEN.sub(" ", unicodedata.normalize("NFC", words)).strip().casefold()


def _path(name: str) -> str:
    """Return the path in the name of a file, without what was said of it."""
    return _REMARK.sub("", name)
