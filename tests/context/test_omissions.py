"""What a summariser is given, in which words and how much of it, and what its summary is said to have left out."""

from __future__ import annotations

import pytest
from hypothesis import given as every
from hypothesis import strategies as st

from holdfast.context.compaction.after import context_of, omitted
from holdfast.context.compaction.must_keep import LIMIT, MustKeep, collect, compose, fitted, of_row, one_line
from holdfast.context.drift.item import Item
from holdfast.journal.said import Said
from holdfast.sessions.session import Session

# What was given, what the summary says, and whether that mentions it.
CASES = {
    "a path": ("files", "src/prices/table.py", "We changed src/prices/table.py.", True),
    "an absolute path": ("files", "src/table.py", "in /srv/mara/exporter/src/table.py:", True),
    "a path from its folder": ("files", "src/prices/table.py", "in ./prices/table.py", True),
    "a name by itself": ("files", "src/table.py", "Then `table.py` was rewritten", True),
    "a name within another": ("files", "src/table.py", "Then src/table.pyc and my-src/table.py.orig", False),
    "another folder": ("files", "src/table.py", "Then lib/table.py was rewritten", False),
    "a file that is gone": ("files", "src/table.py (deleted)", "src/table.py is gone", True),
    "a renamed file": ("files", "src/new.py (was src/old.py)", "It is src/new.py now", True),
    "a renamed file by its old name": ("files", "src/new.py (was src/old.py)", "It was src/old.py", False),
    "the state file": ("state", ".agents/sessions/20261121-exporter.md", "State: 20261121-exporter.md", True),
    "no state file": ("state", ".agents/sessions/20261121-exporter.md", "There is a state file", False),
    "a commit": ("commits", "abc1234 Read the prices", "committed as abc1234", True),
    "a commit by its whole name": ("commits", "abc1234 Read it", f"committed as abc1234{'0' * 33}", True),
    "a commit by its subject": ("commits", "abc1234 Read the prices", 'with the message "read the\nprices"', True),
    "another commit": ("commits", "abc1234 Read the prices", "committed as abc1235", False),
    "a subagent": ("running", "Explore a877f", "Explore (a877f) still looks around", True),
    "another subagent": ("running", "Explore a877f", "Explore a900c still looks around", False),
    "a loop": ("loops", "LOOP-007 Which rate counts", "LOOP-007 stays open", True),
    "another loop": ("loops", "LOOP-007 Which rate counts", "LOOP-0071 and Which rate counts", False),
    "a decision by its id": ("decisions", "DECISION-004: Keep cents (LOOP-002)", "as of DECISION-004", True),
    "a decision by its heading": (
        "decisions",
        "Keep the cents: rounding lost money",
        "- **Keep the cents**, of course",
        True,
    ),
    "a decision by its words": ("decisions", "Keep the cents", "we\nkeep   **the cents**", True),
    "a decision by its words, without its number": ("decisions", "Decision 1: Keep the cents", "keep the cents", True),
    "a text of twelve characters without its number": (
        "decisions",
        "Decision 1: Round prices",
        "Then round prices",
        True,
    ),
    "a short text without its number": ("decisions", "Decision 1: Round cents", "Then round cents", False),
    "a heading that is a common word": ("decisions", "Prices: keep the cents", "Prices were discussed", False),
    "a remark is none of the words": ("tasks", "Read the prices (completed)", "We read the prices.", True),
    "a task": ("tasks", "Read the prices", "to read the price list", False),
    "a text that was cut": ("focus", "Prices with more than one curren…", "Prices with more than one currency", True),
    "in the analysis only": ("tasks", "Read it", "<analysis>Read it</analysis><summary>None.</summary>", False),
    "in the summary": ("tasks", "Read it", "<analysis>None</analysis>\n<summary>\nRead it.\n</summary>", True),
    "in a summary without tags": ("tasks", "Read it", "<analysis>None</analysis>Read it.", True),
    "within a word": ("tasks", "Read it", "Bread items", False),
    "only signs": ("next", "---", "nothing", False),
    "letters of another form": ("tasks", "Caf\u00e9 fragen", "cafe\u0301 fragen", True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_summary_mentions(name: str) -> None:
    """A thing is mentioned by its path, its id, its heading or its words, and by nothing that only looks like them."""
    kind, thing, summary, mentioned = CASES[name]
    found = omitted([MustKeep(kind, "Label", [thing])], summary)
    assert [one.names for one in found] == ([] if mentioned else [[thing]])


def test_a_name_that_two_files_have_says_which_of_none() -> None:
    """Where two files were given that share a name, the name alone mentions neither."""
    both = MustKeep("files", "Files", ["src/table.py", "lib/table.py"])
    assert omitted([both], "table.py was rewritten")[0].names == both.names
    assert omitted([both], "lib/table.py was rewritten")[0].names == ["src/table.py"]


def test_nothing_was_summarised() -> None:
    """An empty summary leaves everything out, and what was not given is not missed."""
    all_of_it = [MustKeep("focus", "Focus", ["Prices"]), MustKeep("next", "Next steps", ["Read", "Write"])]
    assert [one.row() for one in omitted(all_of_it, "")] == [one.row() for one in all_of_it]
    assert omitted([], "anything") == []


THINGS = st.lists(
    st.builds(
        MustKeep, st.sampled_from(["files", "next"]), st.text(max_size=30), st.lists(st.text(max_size=500), max_size=60)
    ),
    max_size=14,
)


@every(THINGS)
def test_the_text_for_the_summariser_keeps_the_limit(things: list[MustKeep]) -> None:
    """However much there is, it is reported in 4,000 characters."""
    known = [one for one in things if one.names]
    assert len(compose(known)) <= LIMIT
    assert len(one_line(known, 75)) <= 75


@every(st.lists(st.integers(1, 80), min_size=1, max_size=10), st.integers(2000, 5000))
def test_what_is_long_gives_way_to_what_is_short(sizes: list[int], room: int) -> None:
    """A short line stays whole next to any long ones, and what was cut says how much there is."""
    things = [MustKeep("files", f"Kind {size}", [f"src/part_{number}.py" for number in range(size)]) for size in sizes]
    lines = fitted(things, room)
    assert sum(len(line) + 1 for line in lines) <= room
    for line, thing in zip(lines, things, strict=False):
        named = line.count(".py")
        assert line.endswith(f" and {len(thing.names) - named} more") or named == len(thing.names)
    shortest = min(things, key=lambda one: len(one.line()))
    assert shortest.line() in lines or len(shortest.line()) > room // len(things)


def test_an_order_is_kept_and_each_name_counts_once() -> None:
    """The lines stand as they were given; a name that comes twice is one, and an empty one is none."""
    one = MustKeep("next", "Next steps", ["Read", "", "Read", "Write\nit"])
    assert one.names == ["Read", "Write it"]
    reported = compose([MustKeep("focus", "Focus", ["Prices"]), one])
    assert reported.endswith("\nFocus: Prices\nNext steps: Read; Write it")


@every(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_what_was_kept_of_it_is_read_back(broken: object) -> None:
    """A row reads back as what it was; what is none gives nothing, and no error."""
    one = MustKeep("next", "Next steps", ["Read", "Write"])
    back = of_row(one.row())
    assert back
    assert back.row() == one.row()
    assert of_row(broken) is None or isinstance(broken, dict)


@every(st.text())
def test_any_text_is_a_summary(summary: str) -> None:
    """Whatever a summariser answers can be looked through."""
    assert context_of(summary) in summary
    assert len(omitted([MustKeep("files", "Files", ["a.py"]), MustKeep("next", "Next", ["b"])], summary)) <= 2


@pytest.mark.parametrize(
    ("in_file", "evidence", "expected"),
    [("main", "git", "main → tax (git)"), ("", "git", "tax (git)"), ("main", "", "main → tax")],
)
def test_a_single_value_that_changed(in_file: str, evidence: str, expected: str) -> None:
    """The file's value, if it has one, the measured one, and how that is known."""
    items = [Item("branch", in_file, "tax", evidence)]
    assert {each.kind: each.names for each in collect(Session("one"), items, [], Said([], {}))}["branch"] == [expected]
