"""After a compaction: store the summary, and return to the context what it omits."""

import os

from holdfast.context.compaction import must_keep, snapshots
from holdfast.context.compaction.omissions import TAG, omitted
from holdfast.journal import log
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.context.compaction.must_keep import MustKeep
    from holdfast.project.paths import Project

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

    __slots__ = ("known", "manual", "missing")

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
