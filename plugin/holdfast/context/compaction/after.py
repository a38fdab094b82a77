"""After a compaction: store the summary, and return to the context what it omits."""

import os
import re
import unicodedata
from collections.abc import Callable

from holdfast.context.compaction import must_keep, snapshots
from holdfast.context.compaction.must_keep import SAID, STATE, MustKeep
from holdfast.context.drift.evidence import Prose
from holdfast.journal import log
from holdfast.project.paths import Project
from holdfast.trust import safe

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


_TITLE = "## Left out by the summary\nOf what the summariser was given, its summary does not mention:\n"
_UNKNOWN = "## Given to the summariser\nWhat its summary says of this is not known here:\n"
_REST = 100  # characters that name what did not fit
_OMITTED = 300  # characters that name in a journal what was left out
_LONGEST = 1 << 20  # characters of a summary that are looked at; longer than any summary of a model


class Returned:
    """What returns into the context after a compaction.

    `missing` is what the summary does not mention. With `known=False` the summary itself is unknown. `manual` says that
    a person started the compaction.
    """

    def __init__(self, missing: "list[MustKeep]", *, known: bool = True, manual: bool = False) -> None:
        # What the state file says comes last.
        self.missing = sorted(missing, key=lambda one: one.kind in must_keep.STATED)
        self.manual = manual
        self.known = known

    def size(self, most: int) -> int:
        """Return the number of characters, at most `most`, for what no state file has."""
        return min(most, len(self._lines([one for one in self.missing if one.kind not in must_keep.STATED], most)))

    def section(self, room: int, state: str) -> str:
        """Return the section of the brief in at most `room` characters; it names what does not fit.

        What the text of the state file, which returns too, has is not repeated.
        """
        shown = " ".join(" ".join(line.lstrip("> ") for line in state.splitlines()).split())
        beyond = [one.without(shown) for one in self.missing]
        return self._lines([one for one in beyond if one.names], room)

    def _lines(self, missing: "list[MustKeep]", room: int) -> str:
        if not missing:
            return ""
        title = _TITLE if self.known else _UNKNOWN
        lines = must_keep.fitted(missing, room - len(title) - 2 * len(missing) - _REST)
        rest = ", ".join(one.label for one in missing[len(lines) :])
        lines += [safe.clip(f"not shown for length: {rest}", _REST)] if rest else []
        return title + "\n".join(f"- {line}" for line in lines)


def keep(project: "Project", session: str, summary: str, *, final: bool) -> None:
    """Store a summary beside its snapshot; OSError from the system.

    It arrives twice: when the summariser stops, which is before the session starts again, and after that as the final
    one. The client may ask for another summary; the last one counts. Other subagents without a type may stop before the
    session starts again. Their answers have no tags, and never replace a summary with tags.
    """
    snapshot = snapshots.newest(project.store, session) if project.store and summary else None
    if snapshot is None or (snapshot.took_place and not final):
        return
    new, known = safe.safe(_bounded(summary)), snapshot.summary
    if new != known and (final or TAG in new or TAG not in known):
        snapshot.keep_summary(new)


def _bounded(summary: str) -> str:
    """Return the part of a summary that is examined, without a word cut at the end: it may be half a secret."""
    return summary if len(summary) <= _LONGEST else summary[:_LONGEST].rpartition(" ")[0]


def returned(project: "Project", session: str) -> Returned:
    """Return what returns when a compacted session starts, and record that it did.

    If no summary arrived, everything returns, because it is not known what the summary has. Nothing of a snapshot that
    came in an archive returns.
    """
    snapshot = snapshots.newest(project.store, session) if project.store else None
    if snapshot is None or snapshot.took_place or not snapshot.made_here:
        return Returned([])
    summary = snapshot.summary
    missing = omitted(snapshot.must_keep, summary) if summary else snapshot.must_keep
    _note(snapshot, missing)
    if missing and summary:
        log.append(project.store, session, {"kind": "omitted", "text": must_keep.one_line(missing, _OMITTED)})
    return Returned(missing, known=bool(summary) or not missing, manual=snapshot.trigger == "manual")


def gone(project: "Project", session: str) -> str:
    """Return how to restore a state file that existed at an earlier compaction and is gone, "" for none."""
    known = (one for one in snapshots.of(project.store, session) if one.path and one.state is not None)
    last = next(known, None)
    if last is None or os.path.lexists(last.path):
        return ""
    return f"its state file is gone: holdfast restore {last.name}"


def _note(snapshot: "snapshots.Snapshot", missing: "list[MustKeep]") -> None:
    """Record what returns; if that fails, it may return twice."""
    try:
        snapshot.keep_omissions(missing)
    except OSError:
        return
