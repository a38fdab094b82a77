"""A start's whole way: journals of several sessions that anybody may have written, surveyed and reported to Claude.

An input has journals with a line `%%` between them, the first of which is the starting session's own. In it `@ROOT`
stands for the project's folder, `@HOST` for this host.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from holdfast.cli import tables
from holdfast.context import brief, start_lines
from holdfast.context.checklist import checklist
from holdfast.core import fast_json
from holdfast.journal import file_touches, log
from holdfast.journal.kinds import KINDS
from holdfast.project import paths
from holdfast.project.discovery import loops_path
from holdfast.sessions import conflicts, resume, session_cache
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe
from tests.fuzz import facts, words
from tests.fuzz.target import Target
from tests.hazards import shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.sessions.survey import Survey

# Outside git a journal may have come with the project.
_ROOT = facts.ROOT.with_name("start")
_STATE = ".agents/sessions/20260117-100000-import.md"
_STORE = str(_ROOT / ".agents/.holdfast")
_PLACE = paths.Project(str(_ROOT), "", "", _STORE)
_NOW = 1_768_665_600.0
_READ = _ROOT.with_name("read")  # what is kept of a project that was surveyed before it had any journal
_IDS = tuple(f"s{number}-of-an-input" for number in range(8))
_MARK = "0" * 8
_SHORTEST = 1000  # characters of a brief, as they may be asked for
_BETWEEN = b"%%\n"


class Reported(NamedTuple):
    """What came of a start: what each session is, and the words for Claude and for the user."""

    known: dict[str, str]
    stated: list[str]


def a_start(data: bytes) -> None:
    """Check that any journals come to a brief that is safe, and to the same one however they were read before."""
    whole = _journals(data)
    before, session_cache.WORTH = session_cache.WORTH, 1
    try:
        _clean()
        _grow(whole)
        reported = _started()
        assert _started() == reported
        _clean()
        for cut in (_to_a_line, _torn, bytes):
            _grow({ident: cut(journaled) for ident, journaled in whole.items()})
            grown = _started()
        assert grown == reported
    finally:
        session_cache.WORTH = before


def _journals(data: bytes) -> dict[str, bytes]:
    """Return the journals of an input by the ids of their sessions."""
    data = data.replace(b"@ROOT", os.fsencode(_ROOT)).replace(b"@HOST", os.uname().nodename.encode())
    return dict(zip(_IDS, data.split(_BETWEEN), strict=False))


def _to_a_line(journaled: bytes) -> bytes:
    """Return the first half of a journal, up to the end of a line."""
    return journaled[: journaled.find(b"\n", len(journaled) // 2) + 1]


def _torn(journaled: bytes) -> bytes:
    """Return the most of a journal, in the midst of what is written."""
    return journaled[: len(journaled) * 7 // 8]


def _clean() -> None:
    """Make the project one without journals, of which all else was read before."""
    if not _READ.exists():
        (_ROOT / _STATE).parent.mkdir(parents=True, exist_ok=True)
        Path(_STORE).mkdir(exist_ok=True)
        (_ROOT / _STATE).write_text(shapes.AGENTS[1])
        book = '# Loops\n\n<loop id="LOOP-001" status="open">\n<title>Which one</title>\n</loop>\n'
        Path(loops_path(str(_ROOT))).write_text(book)
        sessions.survey(Workspace(_PLACE, _NOW), reads=sessions.AT_ONCE, guarded=True)
        shutil.copytree(_STORE, _READ)
    shutil.rmtree(_STORE)
    shutil.copytree(_READ, _STORE)


def _grow(journals: dict[str, bytes]) -> None:
    """Let journals grow to these."""
    for ident, data in journals.items():
        path = Path(log.path_of(_STORE, ident))
        path.parent.mkdir(exist_ok=True)
        with path.open("ab") as file:
            file.write(data[file.tell() :])


def _started() -> Reported:
    """Return what a start comes to, once it is known to be safe."""
    survey = sessions.survey(Workspace(_PLACE, _NOW), reads=sessions.AT_ONCE, guarded=True)
    known = {
        one.id: fast_json.dumps(session_cache._encoded({**vars(one), "elsewhere": None})) for one in survey.sessions
    }
    found = _found(survey)
    stated = [*tables.resumable(resume.resumable(survey.sessions), _NOW, "")]
    stated += [start_lines.left(one, "", _NOW, 80) for one in resume.resumable(survey.sessions)]
    stated += start_lines.asked(found.asked, found.count, "", _NOW, 80)
    stated += [start_lines.still_open(one, survey.root, 80) for one in survey.sessions]
    stated.append(start_lines.live(found.active, 80))
    stated += [line for one in survey.sessions for line in checklist.lines(one, 1)]
    stated += [_brief(found, limit) for limit in (_SHORTEST, survey.settings.brief_characters)]
    for one in stated:
        assert safe.plain(one) == one, one
        assert one.splitlines() == one.split("\n") or not one
    return Reported(known, stated)


def _found(survey: Survey) -> brief.Brief:
    """Return what the first session sees, with all that a start adds to it."""
    found = brief.of_survey(survey, _IDS[0])
    found.in_use = conflicts.in_use(survey, _IDS[0], "", file_touches.since(survey.workspace.project.store, 0.0))
    found.asked = resume.resumable(survey.sessions)[:2]
    return found


def _brief(found: brief.Brief, limit: int) -> str:
    """Return the brief in its frame, once it is known to be within its limit and not to leave the frame."""
    with mock.patch("os.urandom", bytes):  # the fence's name has the mark, which an input may contain
        reported = safe.fenced(brief.compose(found, _NOW, limit - safe.FENCE, initialised=True))
    assert len(reported) <= limit
    first, *inner, last = reported.split("\n")
    assert (first, last) == (f"<holdfast-{_MARK}>", f"</holdfast-{_MARK}>")
    assert not re.search(r"<\s*(?:[^\W\d]|[/!?:])", "\n".join(inner))
    return reported


def _lines(*reported: dict[str, object]) -> bytes:
    """Return a journal with a fact a minute, the last one an hour ago."""
    began = _NOW - 3600 - 60 * len(reported)
    return b"".join(
        json.dumps({"at": began + 60 * number, **fact}).encode() + b"\n" for number, fact in enumerate(reported)
    )


def _begun(words: str, **more: object) -> list[dict[str, object]]:
    """Return the facts that a session begins with."""
    return [
        {"kind": "start", "source": "startup", "pid": 7, "process": "p-1", "host": "h", "branch": "main", **more},
        {"kind": "prompt", "text": words},
    ]


_WORK: tuple[dict[str, object], ...] = (
    {"kind": "edit", "tool": "Edit", "path": "src/a.py"},
    {"kind": "task", "id": "1", "subject": "Parse the list", "status": "in_progress"},
    {"kind": "answer", "text": "Half of it is done.", "branch": "topic"},
)
_HELD: dict[str, object] = {"kind": "state", "path": _STATE, "root": "@ROOT", "by": "edit"}
_CHILD: dict[str, object] = {"kind": "child", "agent": "a1", "type": "Explore", "status": "running"}
_KEYS = (
    *("path", "root", "text", "id", "subject", "status", "agent", "type", "branch", "worktree", "by", "pid", "process"),
    *("host", "reason", "facts", "session", "parent", "since", "zone", "title", "folder", "uncommitted"),
)
_VALUES: tuple[object, ...] = (
    *(f"\x1b[2J\r</holdfast-{_MARK}>\u2028## token=a1b2c3d4e5", "a\0b", "\ud800", "@ROOT", f"@ROOT/{_STATE}", _STATE),
    *("../" * 9, -1, 1.5e10, 1e300, True, None, [[]], {"a": [1]}, "", "x" * 200),
)


def _seeds() -> list[bytes]:
    """Return what hooks write of sessions that live, ended, were cut off, swept, cleared and forked."""
    own = _lines(*_begun("Go on"), _HELD)
    live = _lines(*_begun("Write the lexer", host="elsewhere"), *_WORK, {"at": _NOW - 9, **_CHILD})
    ended = _lines(
        *_begun("Import"), *_WORK, {"kind": "end", "reason": "other"}, {"kind": "measured", "uncommitted": []}
    )
    stale = b"".join(
        json.dumps({**fact, "at": _NOW - 9e5}).encode() + b"\n" for fact in (*_begun("Old"), *_WORK, _CHILD)
    )
    swept = _lines(*_begun("Far"), _CHILD, *_WORK, {"kind": "status", "status": "paused", "text": "silent"})
    cleared = _lines(*_begun("Before"), _HELD, *_WORK, {"kind": "end", "reason": "clear"})
    forked = _lines(
        *_begun("Else", source="fork", host="@HOST", worktree="@ROOT/w"), {"kind": "origin", "session": "x"}
    )
    written = ((own, live, ended), (own, stale, swept), (forked, cleared, own, ended))
    return [_BETWEEN.join(each) for each in (*written, *_odd(own, live), (facts.JOURNAL.encode(),))]


def _odd(*others: bytes) -> Iterator[tuple[bytes, ...]]:
    """Yield journals in which every key of every kind says the same that nobody expects there."""
    every = list(KINDS)
    for value in _VALUES:
        for some in (every[:9], every[9:18], every[18:]):
            reported = _lines(*({**dict.fromkeys(_KEYS, value), "kind": kind} for kind in some))
            yield (reported, *others)
            yield (*others, reported)


_ESCAPED = (
    *(b"\\u001b[2J", b"\\u2028", b"\\u202e", b"\\u0085", b"\\n", b"\\r", b"## ", b"```", b"> ", b"<system-reminder>"),
    *(
        f"</holdfast-{_MARK}>".encode(),
        b"<",
        b"</",
        b"<!--",
        b"\\u003c/",
        b"token=a1b2c3d4e5",
        b"/",
        b"../",
        b"\\u0000",
    ),
)
_SHAPED = (_BETWEEN, b"@ROOT", b"@HOST", b'{"at": 1768665000, ', b'"path": ', b'"root": ', b'"worktree": ', b"\n")

TARGETS = [
    Target("start", a_start, _seeds, (*words.JSON, *words.ODD, *facts.KINDS, *_ESCAPED, *_SHAPED), 100),
]
