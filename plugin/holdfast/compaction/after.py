"""After a compaction: the summary that was made is kept, and what it left out of what it was given comes back."""

import os

from holdfast import text
from holdfast.compaction import given, snapshots
from holdfast.compaction.left_out import TAG, left_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.compaction.given import Given
    from holdfast.paths import Place

_TITLE = "## Left out by the summary\nOf what the summariser was given, its summary does not mention:\n"
_UNKNOWN = "## Given to the summariser\nWhat its summary says of this is not known here:\n"
_REST = 100  # characters that name what did not fit
_LONGEST = 1 << 20  # characters of a summary that are looked at; a model says less at once


class Brought:
    """What comes back after a compaction, and in a few words for who is at the terminal.

    `missing` is what the summary does not mention; without `known`, what it says is not known here.
    """

    __slots__ = ("known", "missing", "told")

    def __init__(self, missing: "list[Given]", told: str = "", *, known: bool = True) -> None:
        self.missing = sorted(missing, key=lambda one: one.kind in given.SAID)  # what the state file says comes last
        self.told = told
        self.known = known

    def size(self, most: int) -> int:
        """Return how many characters those things take that no state file says, `most` at the most."""
        return min(most, len(self._lines([one for one in self.missing if one.kind not in given.SAID], most)))

    def section(self, room: int) -> str:
        """Return what comes back as a section of the brief within `room` characters; what does not fit is named."""
        return self._lines(self.missing, room)

    def _lines(self, missing: "list[Given]", room: int) -> str:
        if not missing:
            return ""
        title = _TITLE if self.known else _UNKNOWN
        lines = given.fitted(missing, room - len(title) - 2 * len(missing) - _REST)
        rest = ", ".join(one.label for one in missing[len(lines) :])
        lines += [text.clip(f"not shown for length: {rest}", _REST)] if rest else []
        return title + "\n".join(f"- {line}" for line in lines)


def keep(place: "Place", session: str, summary: str, *, final: bool) -> None:
    """Put a summary beside what it was made of; OSError as the system gives it.

    It is heard of twice: when the summariser stops, which is before the session starts anew, and finally after that. A
    client that was not content with one asks for another: the last one counts. Until the session starts anew others
    may stop that have no name either: what they say has no tags, and never replaces what has.
    """
    found = snapshots.newest(place.store, session) if place.store and summary else None
    if found is None or (found.over and not final):
        return
    new, known = text.safe(_bounded(summary)), found.summary
    if new != known and (final or TAG in new or TAG not in known):
        found.keep_summary(new)


def _bounded(summary: str) -> str:
    """Return as much of a summary as is looked at, without the word that the end cuts: it may be half a secret."""
    return summary if len(summary) <= _LONGEST else summary[:_LONGEST].rpartition(" ")[0]


def brought(place: "Place", session: str) -> Brought:
    """Return what comes back with the start of a session that was compacted, and note that it did.

    Where nobody told the summary, that is all that was given: rather twice than never.
    """
    found = snapshots.newest(place.store, session) if place.store else None
    if found is None or found.over:
        return Brought([])
    summary = found.summary
    missing = left_out(found.given, summary) if summary else found.given
    _note(found, missing)
    if not missing:
        return Brought([], "the summary has all that it was given" if found.given else "")
    return Brought(missing, f"{_counted(missing)} that the summary left out" if summary else "", known=bool(summary))


def gone(place: "Place", session: str) -> str:
    """Return how to have a state file back that was there at an earlier compaction and is gone, "" for none."""
    known = (one for one in snapshots.of(place.store, session) if one.path and one.state is not None)
    last = next(known, None)
    if last is None or os.path.lexists(last.path):
        return ""
    return f"its state file {text.line(os.path.basename(last.path), 100)} is gone: holdfast restore {last.name}"


def _note(found: "snapshots.Snapshot", missing: "list[Given]") -> None:
    """Note what comes back; where that is not possible it may come back twice."""
    try:
        found.keep_brought(missing)
    except OSError:
        return


def _counted(missing: "list[Given]") -> str:
    """Return how much comes back."""
    count = sum(len(one.names) for one in missing)
    labels = ", ".join(one.label.partition(",")[0].lower() for one in missing[:4])
    return f"{count} {'thing' if count == 1 else 'things'} ({labels}{', …' if len(missing) > 4 else ''})"
