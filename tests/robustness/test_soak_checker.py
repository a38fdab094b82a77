"""The check of a soak finds every kind of damage; what was cut off may be there or not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.soak.actors import BY_HAND
from tests.soak.acts import KILLED, Act, Log
from tests.soak.checker import findings
from tests.soak.seen import Seen, Text
from tests.soak.steps import done_to

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = "/p"
PATH, HAND, MADE = (f"{ROOT}/.agents/sessions/{name}.md" for name in ("2026-one", "by-hand-two", "2026-piece"))
FACTS: tuple[dict[str, Any], ...] = (
    {"kind": "start", "source": "startup", "pid": 7},
    {"kind": "prompt", "text": "Work 1 of one."},
    {"kind": "task", "id": "t2", "status": "pending", "subject": "Task 2 of one."},
    {"kind": "edit", "path": "src/one/file-3.py"},
    {"kind": "child", "agent": "one-child-4", "status": "running"},
    {"kind": "task", "id": "t2", "status": "completed", "subject": "Task 2 of one."},
    {"kind": "answer", "text": "Answer 5 of one."},
    {"kind": "worktree", "path": f"{ROOT}/.claude/worktrees/one"},
    {"kind": "edit", "path": "src/one/file-8.py", "root": f"{ROOT}/.claude/worktrees/one"},
)
ACTS = (
    *(Act("one", step, "fact", ROOT, dict(stated)) for step, stated in enumerate(FACTS, 1)),
    Act("one", 10, "fact", ROOT, {"kind": "edit", "path": "src/one/file-9.py"}, KILLED),
    Act("one", 11, "sync", ROOT, {"text": "Seen 6 of one."}),
    Act("one", 12, "task", ROOT, {"way": "add", "text": "Errand 12 of one.", "id": "TASK-001"}),
    Act("one", 13, "task", ROOT, {"way": "add", "text": "Errand 13 of one.", "id": "TASK-002"}),
    Act("one", 14, "task", ROOT, {"way": "complete", "id": "TASK-001"}),
    Act("one", 15, "task", ROOT, {"way": "skip", "id": "TASK-002"}, KILLED),
    Act("one", 16, "plan", ROOT, {"way": "propose", "text": "Design 16 of one.", "id": "PLAN-001"}),
    Act("one", 17, "plan", ROOT, {"way": "approve", "id": "PLAN-001"}),
    Act("one", 18, "pause", ROOT, {"text": "Note 18 of one.", "id": "one"}),
    Act("one", 19, "client", "", {"gone": "crash"}),
    Act("typist", 8, "pause", ROOT, {"text": "Note 8 of typist.", "id": "2026-piece.md"}),
    Act("typist", 9, "continue", ROOT, {"id": "2026-piece.md", "notes": ["Note 8 of typist."]}),
    Act("two", 0, "by hand", ROOT, {"path": ".agents/sessions/by-hand-two.md"}),
    Act("typist", 1, "begun", ROOT, {"title": "Piece 1.", "path": ".agents/sessions/2026-piece.md"}),
    Act("typist", 2, "loop", ROOT, {"title": "Question 2.", "id": "LOOP-001"}),
    Act("typist", 3, "closed", ROOT, {"text": "Outcome 3.", "id": "LOOP-001"}),
    Act("typist", 4, "loop", ROOT, {"title": "Question 4."}, KILLED),
    Act("typist", 5, "update", ROOT, {"id": "agent-0", "status": "completed", "text": "Purpose 0."}),
    Act("typist", 5, "update", ROOT, {"id": "agent", "status": "active", "text": "reports/5.md"}),
    Act("typist", 6, "update", ROOT, {"id": "agent", "status": "completed", "text": "reports/6.md"}),
    Act("typist", 7, "update", ROOT, {"id": "agent", "status": "active", "text": "reports/7.md"}, 1, "it is locked"),
)
NOTE = "- note 1 \u2615\u00a0\t  "
STATE = b"""\
# One

- [x] Task 2 of one.
- `src/one/file-3.py`
- `src/one/file-8.py`
- Seen 6 of one.

- [x] TASK-001 - Errand 12 of one.
- [ ] TASK-002 - Errand 13 of one.

## Notes of mine

- note 1 \xe2\x98\x95\xc2\xa0\t  \n"""
OWN = b"""
## Files Modified
<!-- holdfast:files -->
- `src/two.py`
"""
PLAN = ["PLAN-001", "Design 16 of one.", "approved", "2026-01-01 00:00"]
HANDED = b"> Note 18 of one.\n"
LOOPS = b"""\
<loop id="LOOP-001" status="closed">
  <title>Question 2.</title>
  <outcome>Outcome 3.</outcome>
</loop>
"""
HUB = b"""\
## Active Sessions

### Claude - One
**Session ID:** `one`
**Status:** active
**Children:** General-purpose (one-child-4)
**Purpose:** Work 1 of one.
**Context:**
- Worktree: one

### General-purpose - Part of One
**Session ID:** `one-child-4`
**Parent:** Claude (one)
**Status:** active

## Session History (Recent)

### Git - Agent
**Session ID:** `agent`
**Status:** completed
**Context:**
- Files: reports/5.md
- Done report: reports/6.md
"""
ARCHIVE = b"""\
# Session History

### Git - Agent 0
**Session ID:** `agent-0`
**Status:** completed
**Purpose:** Purpose 0.
"""


def _text(data: bytes) -> Text:
    return Text(data, data)


def _seen() -> Seen:
    """Return what is there where nothing was lost."""
    lines = [json.dumps({"at": number, **stated}) for number, stated in enumerate(FACTS)]
    lines.insert(3, json.dumps({"at": 3, "kind": "settled", "facts": 2}))
    by_hand = BY_HAND.format(ident="two").encode().replace(b'2025-12-04T14:30:00Z"   #', b'2026-01-01T00:00:00Z"   #')
    states = {PATH: STATE, HAND: by_hand + OWN, MADE: b'title: "Piece 1."\n'}
    return Seen(
        {"one": ("\n".join(lines) + "\n").encode()},
        {path: _text(data) for path, data in states.items()},
        {ROOT: _text(LOOPS)},
        _text(HUB),
        _text(ARCHIVE),
        {f"{ROOT}/.continue-here.md": HANDED},
        {PATH: [PLAN]},
        {PATH: [NOTE]},
        [],
        ["2026 settle: HoldfastError: /p/lock has been held by another process for 30 seconds"],
        ["errors: 1 logged"],
        [],
    )


def _journal(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[Seen], Seen]:
    return lambda seen: seen._replace(journals={"one": b"\n".join(change(seen.journals["one"].split(b"\n")))})


def _state(path: str, old: bytes, new: bytes, *, staged: bool = True) -> Callable[[Seen], Seen]:
    def change(seen: Seen) -> Seen:
        assert old in seen.states[path].data
        data = seen.states[path].data.replace(old, new)
        text = Text(seen.states[path].data, data) if not staged else _text(data)
        return seen._replace(states={**seen.states, path: text})

    return change


def _loops(old: bytes, new: bytes) -> Callable[[Seen], Seen]:
    assert old in LOOPS
    return lambda seen: seen._replace(loops={ROOT: _text(LOOPS.replace(old, new))})


def _handed(data: bytes) -> Callable[[Seen], Seen]:
    return lambda seen: seen._replace(handed={f"{ROOT}/.continue-here.md": data})


def _hub(old: bytes, new: bytes) -> Callable[[Seen], Seen]:
    assert old in HUB
    return lambda seen: seen._replace(hub=_text(HUB.replace(old, new)))


DAMAGE: dict[str, tuple[Callable[[Seen], Seen], str]] = {
    "a fact lost": (_journal(lambda lines: lines[:4] + lines[5:]), "appears 0 times, of 1 to 1"),
    "a fact doubled": (_journal(lambda lines: lines[:5] + lines[4:]), "appears 2 times, of 1 to 1"),
    "facts turned round": (_journal(lambda lines: [lines[1], lines[0], *lines[2:]]), "is after one of step 2"),
    "a fact cut short": (_journal(lambda lines: [lines[0][:-5], *lines[1:]]), "line 1 is torn"),
    "a fact of nobody": (_journal(lambda lines: [*lines, b'{"at": 1, "kind": "end"}']), "appears 1 times, of 0 to 0"),
    "a journal lost": (lambda seen: seen._replace(journals={}), "journal one: ('answer'"),
    "a file's line lost": (_state(PATH, b"- `src/one/file-3.py`\n", b""), "appears 0 times"),
    "a file's line doubled": (_state(PATH, b"file-3.py`\n", b"file-3.py`\n- `src/one/file-3.py`\n"), "appears 2 times"),
    "a task lost": (_state(PATH, b"- [x] Task 2 of one.\n", b""), "'] Task 2 of one.' appears 0 times"),
    "a tick lost": (_state(PATH, b"[x]", b"[ ]"), "should be one of ['x']"),
    "what was synced lost": (_state(PATH, b"- Seen 6 of one.\n", b""), "'Seen 6 of one.' appears 0 times"),
    "what was done in a worktree lost": (_state(PATH, b"- `src/one/file-8.py`\n", b""), "file-8.py`' appears 0 times"),
    "a worktree lost": (_journal(lambda lines: [line for line in lines if b'"worktree"' not in line]), "'worktree'"),
    "a worktree it is not in": (_hub(b"Worktree: one", b"Worktree: two"), "has one in the worktree 'two'"),
    "an errand lost": (_state(PATH, b"- [ ] TASK-002 - Errand 13 of one.\n", b""), "ended with 0, and there is []"),
    "an errand twice": (
        _state(PATH, b"- [x] TASK-001", b"- [x] TASK-003 - Errand 12 of one.\n- [x] TASK-001"),
        "and there is ['TASK-003', 'TASK-001']",
    ),
    "an errand's id given again": (_state(PATH, b"TASK-002", b"TASK-001"), "the id TASK-001 appears 2 times"),
    "an errand open again": (_state(PATH, b"[x] TASK-001", b"[ ] TASK-001"), "TASK-001 says ' ', not one of ['x']"),
    "an errand done by nobody": (_state(PATH, b"[ ] TASK-002", b"[x] TASK-002"), "TASK-002 says 'x'"),
    "an errand not staged": (
        lambda seen: seen._replace(states={**seen.states, PATH: Text(STATE, STATE.replace(b"Errand 13", b"x"))}),
        "Errand 13 of one.', 'id': 'TASK-002'} is not staged",
    ),
    "a plan lost": (lambda seen: seen._replace(plans={}), "and there is []"),
    "a plan twice": (lambda seen: seen._replace(plans={PATH: [PLAN, PLAN]}), "the id PLAN-001 appears 2 times"),
    "a decision lost": (
        lambda seen: seen._replace(plans={PATH: [[*PLAN[:2], "proposed"]]}),
        "PLAN-001 says 'proposed'",
    ),
    "a hand-over lost": (_handed(b""), "Note 18 of one.', 'id': 'one'} ended with 0, and is in hand-overs 0 times"),
    "a hand-over twice": (_handed(HANDED * 2), "and is in hand-overs 2 times"),
    "a hand-over that stays": (_handed(HANDED + b"> Note 8 of typist.\n"), "of typist.', 'id'"),
    "not staged": (_state(PATH, b"- Seen 6 of one.\n", b"", staged=False), "as it is staged: 'Seen 6 of one.'"),
    "a state file lost": (lambda seen: seen._replace(states={HAND: seen.states[HAND]}), "no state file has"),
    "two state files": (_state(MADE, b"title", b"- `src/one/file-9.py`\ntitle"), "is in 2 state files"),
    "a person's line lost": (_state(PATH, NOTE.encode(), b""), "a person's lines are not as they were saved"),
    "a person's spaces lost": (_state(PATH, b"\t  \n", b"\t\n"), "a person's lines are not as they were saved"),
    "a person's byte changed": (_state(HAND, b"uneven   list", b"uneven  list"), "differs from what its owner wrote"),
    "a piece of work lost": (_state(MADE, b"Piece 1.", b"Piece 2."), "'Piece 1.'"),
    "a piece of work not staged": (_state(MADE, b"Piece 1.", b"Piece 2.", staged=False), "is not staged"),
    "a loop lost": (lambda seen: seen._replace(loops={ROOT: _text(b"")}), "and there is []"),
    "a loop doubled": (_loops(LOOPS, LOOPS * 2), "the id LOOP-001 appears 2 times"),
    "a loop renamed": (_loops(b"LOOP-001", b"LOOP-002"), "and there is ['LOOP-002']"),
    "an outcome lost": (_loops(b"Outcome 3.", b""), "and appears 0 times"),
    "loops not staged": (lambda seen: seen._replace(loops={ROOT: Text(LOOPS, b"")}), "loops of /p are not staged"),
    "an entry lost": (_hub(b"`one`", b"`other`"), "the hub has no entry of one"),
    "an entry doubled": (_hub(b"### Git", b"### Git\n**Session ID:** `one`\n\n### Git"), "2 entries of one"),
    "a status that names a process": (
        _hub(b"active\n**Children", b"active (stale)\n**Children"),
        "of one, whose end was: crashed",
    ),
    "a child that is orphaned by its status": (
        _hub(b"active\n\n##", b"active, orphaned\n\n##"),
        "of one-child-4, not one of",
    ),
    "a child lost": (_hub(b"`one-child-4`", b"`x`"), "the hub has no entry of one-child-4"),
    "a link lost": (_hub(b"**Parent:** Claude (one)\n", b""), "the hub does not link"),
    "an update lost": (_hub(b"- Files: reports/5.md\n", b""), "'reports/5.md' ended with 0, and appears 0 times"),
    "an update doubled": (_hub(b"reports/5.md", b"reports/5.md, reports/5.md"), "appears 2 times"),
    "a refused update done": (_hub(b"reports/5.md", b"reports/5.md, reports/7.md"), "'reports/7.md' ended with 1"),
    "an update's status lost": (_hub(b"completed", b"active"), "'active' of agent"),
    "an entry out of the history": (_hub(b"## Session History (Recent)\n", b""), "is not in the history"),
    "the hub not staged": (lambda seen: seen._replace(hub=Text(HUB, b"")), "is not staged as it is"),
    "the archive not staged": (lambda seen: seen._replace(archive=Text(ARCHIVE, b"")), "is not staged as it is"),
    "an archived entry lost": (lambda seen: seen._replace(archive=_text(b"")), "the hub has no entry of agent-0"),
    "an entry in hub and archive": (lambda seen: seen._replace(archive=_text(ARCHIVE + HUB)), "2 entries of one"),
    "a temporary file": (lambda seen: seen._replace(left=[".holdfast.7.tmp"]), "left behind: .holdfast.7.tmp"),
    "a fault": (lambda seen: seen._replace(log=["2026 Stop: KeyError: 'x'"]), "logged: 2026 Stop"),
    "a discontent doctor": (lambda seen: seen._replace(doctor=["hub: it is a link"]), "doctor: hub"),
    "an invalid hub": (lambda seen: seen._replace(invalid=["hub:3: no id"]), "validate: hub:3: no id"),
    "an orphan of nobody": (
        lambda seen: seen._replace(invalid=["hub:3: orphaned: its parent x is over"]),
        "validate: hub:3: orphaned",
    ),
}


def test_nothing_is_found_where_nothing_was_lost() -> None:
    """All that was acknowledged is there, and of what was cut off nothing."""
    assert findings(Log(ACTS), _seen()) == []


def test_a_session_whose_way_back_was_cut_off_is_in_either_tree() -> None:
    """What else it did since says nothing of where."""
    more = Act("one", 15, "fact", ROOT, {"kind": "answer", "text": "Answer 15 of one."}, KILLED)
    assert findings(Log([*ACTS[:-1], more, ACTS[0]._replace(actor="six", code=1), ACTS[-1]]), _seen())[1:] == []


def test_what_was_cut_off_may_be_there() -> None:
    """A killed hook and a killed command may have done their work before they died."""
    seen = _journal(lambda lines: [*lines, b'{"at": 9, "kind": "edit", "path": "src/one/file-9.py"}', b""])(_seen())
    seen = _state(PATH, b"# One\n", b"# One\n- `src/one/file-9.py`\n")(seen)
    seen = _state(PATH, b"[ ] TASK-002", b"[-] TASK-002")(seen)
    loop = LOOPS.replace(b"001", b"002").replace(b"Question 2.", b"Question 4.").replace(b"closed", b"open")
    assert findings(Log(ACTS), seen._replace(loops={ROOT: _text(LOOPS + loop)})) == []


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found(damage: str) -> None:
    """Each damage has a line of its own."""
    change, reported = DAMAGE[damage]
    found = findings(Log(ACTS), change(_seen()))
    assert [line for line in found if reported in line], found


@pytest.mark.parametrize(
    ("act", "reported"),
    [
        (Act("one", 20, "fact", ROOT, {"kind": "attempt", "path": "a"}, 1, "no"), "ended with 1: no"),
        (Act("one", 20, "fact", ROOT, {"kind": "attempt", "path": "a"}, 0, "Traceback"), "complained: Traceback"),
        (Act("typist", 20, "look", ROOT, {}, 3, "KeyError"), "ended with 3: KeyError"),
        (Act("typist", 20, "look", ROOT, {}, 99, "it hung"), "ended with 99: it hung"),
        (Act("epilogue-1", 1, "look", ROOT, {}, 1, "it is locked"), "ended with 1: it is locked"),
    ],
)
def test_a_process_that_ends_as_none_may_is_found(act: Act, reported: str) -> None:
    """A hook ends well and says nothing, and a command is done or refuses: all else is a fault."""
    found = findings(Log([*ACTS, act]), _seen())
    assert [line for line in found if reported in line], found


@pytest.mark.parametrize(
    ("out", "ident"),
    [
        ("Added TASK-002: Errand 4.\nState file: a.md\n", "TASK-002"),
        ("Completed TASK-002. Now: TASK-003.\n", "TASK-002"),
        ("Completed Piece 2 of one. Now: TASK-003.\n", ""),
        ("PLAN-001 waits for approval: Design 8.\n", "PLAN-001"),
        ("Rejected PLAN-002 (Design 9.). It is to be revised.\n", "PLAN-002"),
    ],
)
def test_what_a_step_was_taken_with(out: str, ident: str) -> None:
    """Whoever completes what has no id has not completed what comes next."""
    assert done_to(out) == ident
