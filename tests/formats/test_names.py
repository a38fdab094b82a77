"""Names and states in people's words: dressed in many ways, and still the same; alike, and yet another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.formats import names

SAME = [
    ("Next Steps", "next steps"),
    ("  NEXT   STEPS  ", "next steps"),
    ("**Next Steps**", "next steps"),
    ("`Next Steps`", "next steps"),
    ("🎯 Next Steps", "next steps"),
    ("Next Steps ✅", "next steps"),
    ("2. Next Steps", "next steps"),
    ("2.1 Next Steps", "next steps"),
    ("3) Next Steps:", "next steps"),
    ("Next Steps (for tomorrow)", "next steps"),
    ("Next Steps (a) (b)", "next steps"),
    ("Next Steps [v1.2]", "next steps"),
    ("Next-Steps", "next steps"),
    ("next_steps", "next steps"),
    ("What's next?", "what s next"),
    ("Blockers/Concerns", "blockers concerns"),
    ("次のステップ", "次のステップ"),
    ("当前焦点\uff08搜索\uff09", "当前焦点"),
    ("PRÓXIMOS PASOS", "próximos pasos"),
    ("Phase 2", "phase 2"),
    ("2026-03-02 Notes", "2026 03 02 notes"),
    ("(remark alone)", "remark alone"),
    ("12", "12"),
    ("", ""),
    ("—", "—"),
]
FORMS = [
    ("Status: DONE", {"status done", "status"}),
    ("Open Issues / Next Steps", {"open issues next steps", "open issues", "next steps"}),
    ("Focus · 焦点", {"focus 焦点", "focus", "焦点"}),
    ("当前上下文 (Active Context)", {"当前上下文", "active context"}),
    ("Current State (Done)", {"current state"}),
    ("🚧", {"🚧"}),
]
WORDS = {"active": ["Working", "Discussion Mode"], "completed": ["Milestone complete"], "waiting": ["Awaiting Input"]}
# What a status comes to, "" for nobody knows, and the statuses, one after the other.
CATEGORIES = {
    "completed": "completed; Complete; DONE; ✅ Done; ✅; closed; archived; shipped; completed (pending cleanup)"
    "; **Complete** (ready to commit); merged in #12; Milestone complete; milestone v1.7 complete",
    "active": "active; in_progress; In Progress; in-progress; IN PROGRESS; 🚧 ACTIVE; Ready to execute; executing"
    "; ready-to-start; Working; discussion mode; 🚧; not_started; Not yet started; almost_done; verifying; starting",
    "waiting": "waiting (depends on the index); Blocked; blocked: the host; ⛔; awaiting input; pending",
    "paused": "paused; On hold; parked until May; ⏸ paused; deferred",
    "": "; unknown; not complete; never finished; incomplete; undone; 80 %; 11-02 complete; activity; completely new"
    "; Import complete; 32 of 40; -; \0",
}
PERCENTS = [
    ("75%", 75),
    ("[███░] 40 %", 40),
    ("99.5% done", 99.5),
    ("100%", 100),
    ("12 of 40", None),
    ("75 percent", None),
    ("", None),
]
NUMBERS = [("3 loops (1 open)", 3), ("**4**", 4), ("0", 0), ("12th", None), ("loops: 3", None), ("", None)]
REMARKED = [
    ("Decisions (from research)", True),
    ("Decisions", False),
    ("Focus (a) b", False),
    ("——", False),
    ("", True),
]


@pytest.mark.parametrize(("dressed", "plain"), SAME)
def test_a_name_without_its_dress(dressed: str, plain: str) -> None:
    """Emphasis, emoji, numbers before it, remarks after it and case make no other name."""
    assert names.plain(dressed) == plain


@pytest.mark.parametrize(("heading", "forms"), FORMS)
def test_the_names_of_a_heading(heading: str, forms: set[str]) -> None:
    """A heading goes by what is before its colon, and by each of its languages; a remark is no language."""
    assert names.forms(heading) == forms


@pytest.mark.parametrize(
    ("stated", "category"),
    [(stated, category) for category, listed in CATEGORIES.items() for stated in listed.split("; ")],
)
def test_what_a_status_comes_to(stated: str, category: str) -> None:
    """A status is prose: what it begins with counts, a format's own words first, and a guess is never made."""
    assert names.category(stated, WORDS) == category


def test_the_formats_words_count_before_the_general_ones() -> None:
    """A word that means one thing everywhere means another where a format says so, longer ones first."""
    words = {"active": ["Done with planning"], "paused": ["Done"]}
    assert names.category("done with planning, now the code", words) == "active"
    assert names.category("Done", words) == "paused"
    assert names.category("finished", words) == "completed"


@pytest.mark.parametrize(("stated", "share"), PERCENTS)
def test_percent(stated: str, share: float | None) -> None:
    """Only a number with its sign is a share."""
    assert names.percent(stated) == share


@pytest.mark.parametrize(("stated", "count"), NUMBERS)
def test_number(stated: str, count: int | None) -> None:
    """Only the number that a text begins with counts."""
    assert names.number(stated) == count


@pytest.mark.parametrize(("name", "remarked"), REMARKED)
def test_remarked(name: str, remarked: bool) -> None:  # noqa: FBT001 - a column
    """A remark in brackets at the end tells a name from others of the same words; so does having no words."""
    assert names.remarked(name) is remarked


def test_whole_names_keep_their_remarks() -> None:
    """Two headings of the same words are distinguished by what is in brackets after them."""
    assert names.whole("**Decisions  (v1)**") == "decisions (v1)" != names.whole("Decisions (v2)")


@given(st.text())
def test_any_text_has_one_plain_name(text: str) -> None:
    """Nothing fails, a plain name is plain already where it has words, and its own heading goes by it."""
    plain = names.plain(text)
    assert plain == plain.casefold()
    assert not plain or plain in names.forms(text)
    assert names.category(text, {}) in {"active", "waiting", "paused", "completed", ""}
