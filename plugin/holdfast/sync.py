"""Bring a state file up to date by hand or by Claude: every wish placed and told, under lock, stamped and staged."""

import difflib
import io
import json
import os
import time

from holdfast import clock, files, journal, measured, paths, settle, store
from holdfast.dialects import Dialects
from holdfast.edit import Change, Editor, Outcome
from holdfast.errors import HoldfastError
from holdfast.lookup import Hit
from holdfast.paths import Place
from holdfast.settings import Settings
from holdfast.statefile import StateFile

_STDIN = 0
_EXAMPLE = """'{"Metadata": {"Focus": "…"}, "Covered": ["…"]}'"""


class Synced:
    """What came of a sync: the outcome of the edits, whether it was written, why it was not staged ("" if it was)."""

    __slots__ = ("before", "outcome", "unstaged", "written")

    def __init__(self, before: bytes, outcome: Outcome) -> None:
        self.before = before
        self.outcome = outcome
        self.written = False
        self.unstaged = ""


def wanted(source: str) -> dict[str, object]:
    """Return the object in a JSON text, in the file after an @, or on standard input for a dash."""
    text, where = source, "--json"
    try:
        if source == "-":
            where = "standard input"
            text = files.read_all(_STDIN).decode("utf-8-sig")
        elif source.startswith("@"):
            where = source[1:]
            text = files.read(where).decode("utf-8-sig")
        value = json.loads(text)
    except OSError as error:
        raise HoldfastError(
            f"{where}: {error.strerror}. Give --json the object itself, or @ and a file's path."
        ) from None
    except UnicodeDecodeError:
        raise HoldfastError(f"{where} is not UTF-8. Give one JSON object such as {_EXAMPLE}") from None
    except (ValueError, RecursionError) as error:
        raise HoldfastError(f"{where} is not JSON: {error}. Give one object such as {_EXAMPLE}") from None
    if not isinstance(value, dict):
        raise HoldfastError(f"{where} is no JSON object. Give one such as {_EXAMPLE}")
    return value


def sync(place: Place, hit: Hit, wishes: dict[str, object], dialects: Dialects, settings: Settings) -> Synced:
    """Make the wishes true in a state file; what could not be placed is told, the rest is written."""
    with settle.writing(place):
        done = _written(hit, wishes, dialects)
        if done.written:
            _note(place, hit)
            done.unstaged = settle.stage(place, "", hit.path, settings)
    return done


def preview(hit: Hit, wishes: dict[str, object], dialects: Dialects) -> Synced:
    """Return what a sync would come to; nothing is written."""
    before = files.read(hit.path)
    return Synced(before, _applied(before, hit, wishes, dialects, time.time()))


def diff(done: Synced, name: str) -> bytes:
    """Return the change as a unified diff that git applies, b"" where nothing changes."""
    old, new = (io.BytesIO(data).readlines() for data in (done.before, done.outcome.data))
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, os.fsencode(f"a/{name}"), os.fsencode(f"b/{name}"))
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _written(hit: Hit, wishes: dict[str, object], dialects: Dialects) -> Synced:
    """Write what the wishes come to; the caller holds the lock."""
    done: list[Synced] = []

    def change(data: bytes) -> bytes:
        done.append(Synced(data, _applied(data, hit, wishes, dialects, time.time())))
        return done[-1].outcome.data

    written = store.update(hit.path, change)
    done[-1].written = written
    return done[-1]


def _applied(data: bytes, hit: Hit, wishes: dict[str, object], dialects: Dialects, now: float) -> Outcome:
    """Return the outcome of the edits, with the time of the change set where the dialect keeps it."""
    outcome = Editor(hit.path, dialects, clock.write(now, clock.MINUTE), hit.entry).apply(data, wishes)
    if outcome.changes:
        state = StateFile(outcome.data, hit.path, dialects)
        outcome.data = measured.stamp(state, now)
        if outcome.data != state.document.data:
            line, old = measured.stamped(state)
            _, new = measured.stamped(StateFile(outcome.data, hit.path, dialects))
            outcome.changes.append(Change("last updated", old, new, line))
    return outcome


def _note(place: Place, hit: Hit) -> None:
    """Journal that Claude's own session wrote down what it knows."""
    own = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if own and own == hit.session.id and place.store:
        home = paths.locate(os.path.dirname(hit.path))
        fact: dict[str, object] = {"kind": "state", "path": home.relative(hit.path), "root": home.root, "by": "sync"}
        journal.append(place.store, own, fact)
