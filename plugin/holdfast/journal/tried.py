"""What was tried and given up, or decided, about a file: one small file per path names the sessions that say so.

The texts are in the journals of these sessions, so that nothing else has to forget them.
"""

import os
import time

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import file_touches, given_up, log, said
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.journal.said import Said

    About = tuple[float, str, set[str]]  # when, a text, and the paths that it is about

_MOST, _LONGEST = 2, 300  # texts that are named, characters of one
_SHORTEST = 5  # letters of a file's name by which a text means it


def note(store: str, session: str, known: "Said", edited: "Mapping[str, float]") -> None:
    """Note which files the texts of a session are about; `edited` has the latest change of each."""
    for path in {path for _, _, paths in about(known, edited.items()) for path in paths}:
        if session not in _sessions(store, path, "session"):
            files.append_line(
                file_touches.tried(store, path), fast_json.dumps({"path": path, "session": session}).encode()
            )


def line(store: str, session: str, path: str) -> str:
    """Return what earlier sessions say about a file, "" for nothing or if this session was told already."""
    known = first_told(store, session, path)
    named = [f"{time.strftime('%d %b', time.localtime(at))}, {safe.line(text, _LONGEST)}" for at, text in known[:_MOST]]
    return f"holdfast: {safe.line(path, 200)}, in another session: {'; '.join(named)}" if named else ""


def first_told(store: str, session: str, path: str) -> "list[tuple[float, str]]":
    """Return (time, text) of what other sessions say about a file, latest first; [] if this one was told before."""
    known = _sessions(store, path, "session") - {session}
    if not known or session in _sessions(store, path, "told"):
        return []
    files.append_line(file_touches.tried(store, path), fast_json.dumps({"path": path, "told": session}).encode())
    return sorted(((at, text) for ident in known for at, text in _texts(store, ident, path)), reverse=True)


def _texts(store: str, session: str, path: str) -> "list[tuple[float, str]]":
    facts = log.read(store, session)
    edits = [(text_of(fact, "path"), number_of(fact, "at")) for fact in facts if fact["kind"] in {"edit", "attempt"}]
    return [(at, text) for at, text, paths in about(said.of_facts(facts), edits) if path in paths]


def about(known: "Said", edits: "Iterable[tuple[str, float]]") -> "list[About]":
    """Return what was given up or decided with the files that it names, else those that were edited in its turn.

    A decision is about the files that it names, and about no others.
    """
    changes = [(path, at) for path, at in edits if path and not path.startswith("/")]
    names = {path for path, _ in changes}
    found: list[About] = []
    for turn in known.turns:
        in_turn = {path for path, at in changes if turn.at <= at <= turn.answered}
        for at, text in given_up.of_turns([turn]):
            found.append((at, f'given up: "{text}"', _named(text, names) or in_turn))
    for one in known.decisions:
        text = one.told
        found.append((one.at, f'decided: "{text}"', _named(text, names)))
    return [each for each in found if each[2]]


def _named(text: str, paths: set[str]) -> set[str]:
    """Return the paths whose file's name a text has."""
    return {path for path in paths if len(name := os.path.basename(path)) >= _SHORTEST and name in text}


def _sessions(store: str, path: str, key: str) -> set[str]:
    lines = (files.read_or_none(file_touches.tried(store, path)) or b"").splitlines()
    rows = [row for row in map(fast_json.object_in, lines) if row.get("path") == path]
    return {text_of(row, key) for row in rows if text_of(row, key)}
