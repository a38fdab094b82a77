"""A journal that shrinks makes the same session as before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.actions import prune
from holdfast.journal.folding import fold
from holdfast.journal.session import Recorded
from tests.support.facts import plain

if TYPE_CHECKING:
    from holdfast.journal.log import Fact

START = {"kind": "start", "pid": 1, "process": "p", "root": "/r", "branch": "main"}
PATHS = st.sampled_from(["a.py", "b.py", "/outside.py", ".agents/sessions/x.md"])
TEXTS = st.sampled_from(["Parse the invoices", "Now sum the totals of it", "yes", "/clear", ""])
IDS = st.sampled_from(["1", "2"])
FACTS = st.one_of(
    st.just(START),
    st.fixed_dictionaries({"kind": st.just("prompt"), "text": TEXTS}),
    st.fixed_dictionaries({"kind": st.just("attempt"), "tool": st.just("Edit"), "path": PATHS}),
    st.fixed_dictionaries(
        {"kind": st.just("edit"), "tool": st.sampled_from(["Edit", "Write"]), "path": PATHS},
        optional={"agent": IDS, "root": st.just("/r2")},
    ),
    st.fixed_dictionaries({"kind": st.just("answer"), "text": TEXTS, "branch": st.sampled_from(["main", "fix"])}),
    st.fixed_dictionaries(
        {"kind": st.just("task"), "id": IDS}, optional={"subject": TEXTS, "status": st.sampled_from(["completed"])}
    ),
    st.fixed_dictionaries({"kind": st.just("plan"), "text": TEXTS, "path": PATHS}),
    st.fixed_dictionaries(
        {"kind": st.just("child"), "agent": IDS, "status": st.sampled_from(["running", "completed"])},
        optional={"text": TEXTS, "type": st.just("Explore")},
    ),
    st.fixed_dictionaries(
        {"kind": st.just("state"), "path": st.just(".agents/sessions/x.md"), "by": st.sampled_from(["settle", "edit"])}
    ),
    st.fixed_dictionaries({"kind": st.just("hub"), "wrote": st.fixed_dictionaries({"Status": TEXTS})}),
    st.fixed_dictionaries({"kind": st.just("update"), "status": st.sampled_from(["paused", "completed"])}),
    st.fixed_dictionaries({"kind": st.just("measured"), "uncommitted": st.integers(0, 3)}),
    st.fixed_dictionaries({"kind": st.just("summary"), "text": TEXTS}),
    st.fixed_dictionaries({"kind": st.just("compact"), "trigger": st.just("auto")}),
    st.fixed_dictionaries({"kind": st.just("zone"), "zone": st.integers(0, 3)}),
    st.fixed_dictionaries({"kind": st.just("status"), "status": st.sampled_from(["paused", "completed"])}),
    st.fixed_dictionaries({"kind": st.just("settled"), "facts": st.integers(0, 30)}),
    st.fixed_dictionaries({"kind": st.just("end"), "reason": st.just("other")}),
)


def made(facts: list[Fact]) -> Recorded:
    """Return the session that facts make."""
    return fold(Recorded(""), facts)


def journal(facts: list[dict[str, Any]]) -> list[Fact]:
    """Return facts with their times, one second apart, that were settled."""
    timed: list[Any] = [{"at": float(at), **fact} for at, fact in enumerate([START, *facts], 1)]
    return [*timed, {"at": timed[-1]["at"], "kind": "settled", "facts": len(timed)}]


@given(st.lists(FACTS, max_size=40).map(journal))
def test_the_session_is_the_same(facts: list[Fact]) -> None:
    """All that lists, hub and state file need of a session is as before, and it is still settled."""
    before, after = made(facts), made(prune.shrunk(facts))
    assert not after.settling.unsettled
    apart = {"count", "last", "settled", "changed", "pending", "times", "news"}
    assert plain(after, apart) == plain(before, apart)
    assert [*after.files.items()] == [*before.files.items()]


def test_repeated_work_shrinks() -> None:
    """What was said remains, of a hundred edits the first and the last; shrinking again changes nothing."""
    turn = [
        {"kind": "prompt", "text": "Do the next part of the work"},
        {"kind": "attempt", "tool": "Edit", "path": "a.py"},
        {"kind": "edit", "tool": "Edit", "path": "a.py"},
        {"kind": "answer", "text": "It is done.", "branch": "main"},
    ]
    facts = journal(turn * 100)
    kept = prune.shrunk(facts)
    kinds = [fact["kind"] for fact in kept]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "start": 1,
        "prompt": 100,
        "edit": 2,
        "answer": 100,
        "settled": 1,
        "pruned": 1,
    }
    assert prune.shrunk(kept) == kept
    assert prune.shrunk(facts[:-1]) == facts[:-1]  # not settled: nothing is dropped
