"""Entries of the hub in all the shapes that people write, and drafts that change several of them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.hub import changes, entry, entry_values
from holdfast.hub.document import ACTIVE, HISTORY, Hub
from holdfast.hub.entry import Entry
from holdfast.hub.entry_values import Link, links_in, same_ident
from holdfast.hub.transaction import Transaction
from tests.hazards import shapes
from tests.robustness.test_hazards import FORMATS

if TYPE_CHECKING:
    from holdfast.formats.format import Format

NOW = 1_768_665_600.0  # 2026-01-17 16:00 UTC


def _genie() -> Format:
    found = FORMATS.get("genie")
    assert found
    return found


def _entry(text: str) -> Entry:
    """Return an entry under a heading of its own."""
    form = _genie().entry
    assert form
    return Entry(f"### Git - Work\n{text}".encode(), form)


def _text(changed: Entry) -> str:
    return changed.data.decode().removeprefix("### Git - Work\n")


SET = [
    ("paragraph", "**Session ID:** `a1`\n**Status:** active\n", "**Session ID:** `a1`\n**Status:** paused\n"),
    ("bullets", "- **Session ID:** a1\n- **Status:** active\n", "- **Session ID:** a1\n- **Status:** paused\n"),
    ("colon outside", "**Session ID**: a1\n**Status**: active\n", "**Session ID**: a1\n**Status**: paused\n"),
    ("plain", "Session ID: a1\nStatus: active\n", "Session ID: a1\nStatus: paused\n"),
    (
        "breaks",
        "**Session ID:** a1  \n**Status:** active  \n**Next:** x\n",
        "**Session ID:** a1  \n**Status:** paused  \n**Next:** x\n",
    ),
    ("crlf", "**Session ID:** a1\r\n**Status:** active\r\n", "**Session ID:** a1\r\n**Status:** paused\r\n"),
    ("two lines", "**Session ID:** a1\n**Status:** active,\nsince noon\n", "**Session ID:** a1\n**Status:** paused\n"),
    ("prose", "**Status:** waiting (depends on #1)\n**Next:** x\n", "**Status:** paused\n**Next:** x\n"),
    (
        "odd order",
        "**Next:** x\n**Status:** active\n**Session ID:** a1\n",
        "**Next:** x\n**Status:** paused\n**Session ID:** a1\n",
    ),
    ("empty", "**Status:**\n**Next:** x\n", "**Status:** paused\n**Next:** x\n"),
    ("not there", "**Session ID:** a1\n**Next:** x\n", "**Session ID:** a1\n**Status:** paused\n**Next:** x\n"),
    ("not there, plain", "Session ID: a1\nNext: x\n", "Session ID: a1\nStatus: paused\nNext: x\n"),
    ("not there, bullets", "- Session ID: a1\n- Next: x\n", "- Session ID: a1\n- Status: paused\n- Next: x\n"),
    ("no final newline", "**Session ID:** a1", "**Session ID:** a1\n**Status:** paused"),
    (
        "below a table of another kind",
        "**Session ID:** a1\n**Next:** x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "**Session ID:** a1\n**Status:** paused\n**Next:** x\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    (
        "rows",
        "| Field | Value |\n|---|---|\n| Session ID | a1 |\n| Status | active |\n",
        "| Field | Value |\n|---|---|\n| Session ID | a1 |\n| Status | paused |\n",
    ),
    (
        "a fence before it",
        "**Session ID:** a1\n\n```\n**Status:** x\n```\n\n**Status:** active\n",
        "**Session ID:** a1\n\n```\n**Status:** x\n```\n\n**Status:** paused\n",
    ),
    (
        "a fence alone",
        "**Session ID:** a1\n\n```\n**Status:** x\n```\n",
        "**Session ID:** a1\n**Status:** paused\n\n```\n**Status:** x\n```\n",
    ),
    (
        "a comment",
        "<!-- **Status:** x -->\n**Session ID:** a1\n**Status:** active\n",
        "<!-- **Status:** x -->\n**Session ID:** a1\n**Status:** paused\n",
    ),
    (
        "another's subsection",
        "**Session ID:** a1\n\n#### Notes\n**Status:** of these\n",
        "**Session ID:** a1\n**Status:** paused\n\n#### Notes\n**Status:** of these\n",
    ),
    (
        "another's list",
        "**Session ID:** a1\n**Context:**\n- Status: of the branch\n- Branch: x\n**Next:** x\n",
        "**Session ID:** a1\n**Status:** paused\n**Context:**\n- Status: of the branch\n- Branch: x\n**Next:** x\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in SET], ids=[case[0] for case in SET])
def test_a_field_is_set_where_it_stands(before: str, after: str) -> None:
    """The value changes, in the place and the style that it has; all else stays, and again is the same."""
    changed = _entry(before).setting("Status", "paused")
    assert _text(changed) == after
    assert changed.text("Status") == "paused"
    assert changed.setting("Status", "paused").data == changed.data


def test_a_list_in_the_place_of_a_value_stays() -> None:
    """Nobody's list gives way to a single value."""
    known = _entry("**Session ID:** a1\n**Next:**\n- one\n- two\n")
    assert known.setting("Next", "three") is known


@pytest.mark.parametrize("field", ["Status", "Context", "Children", "Parent"])
def test_a_field_that_stands_twice_is_refused(field: str) -> None:
    """It is not known which of two is meant."""
    known = _entry(f"**Session ID:** a1\n**{field}:** x\n**Next:** y\n**{field}:** z\n")
    refused = f"2 fields {field}"
    with pytest.raises(HoldfastError, match=refused):
        known.setting(field, "w")
    if field == "Context":
        with pytest.raises(HoldfastError, match=refused):
            known.telling(entry_values.parse("w"))
    if field in {"Children", "Parent"}:
        with pytest.raises(HoldfastError, match=refused):
            known.linking(field, Link("b2"))


HARD = ["$25 weekly", r"\1 \g<0>", "a: b", "| a | b |", "**Status:** done", "x **Next:** y", "---", "## H", "- item"]
HARD += ["`code`", "<!-- x", "<details>", "```", "[a]: b", "1. x", "Status: done; Next: y", "日本 🎯", "line\n## two"]


@pytest.mark.parametrize("value", HARD)
def test_any_value_is_text(value: str) -> None:
    """A value that looks like structure is none: it reads back, and no other field comes, goes or changes."""
    known = _entry("**Session ID:** a1\n**Status:** active\n**Purpose:** p\n**Next:** n\n")
    for field in ("Purpose", "Next", "Agent"):
        changed = known.setting(field, value)
        assert _bare(changed.text(field)) == _bare(value), field
        before, after = ([reported for reported in entry.pairs() if reported[0] != field] for entry in (known, changed))
        assert after == before, field
        assert changed.setting(field, value).data == changed.data, field


def _bare(stated: str) -> str:
    """Return words without what only escapes them."""
    return "".join(stated.replace("\\", "").replace("`", "").replace(";", "").split())


IDENTS = [
    ("`abc123`", "abc123"),
    ("abc123 (resumed twice)", "abc123"),
    ("`abc123` - the first", "abc123"),
    ("`abc123...`", "abc123..."),
    ("abc-123_x", "abc-123_x"),
]


@pytest.mark.parametrize(("stated", "ident"), IDENTS)
@pytest.mark.parametrize("label", ["**Session ID:**", "**Session IDs:**", "- **Session ID**:", "Session ID:"])
def test_an_id_is_read_without_its_remarks(label: str, stated: str, ident: str) -> None:
    """An id is the first word, in code or not, whatever is remarked on it."""
    assert _entry(f"{label} {stated}\n").ident == ident


CHILD = Link("b2-22", "Tests")
LINKED = [
    ("none yet", "**Children:** None\n", "**Children:** Tests (b2-22)\n"),
    ("not applicable", "**Children:** N/A\n", "**Children:** Tests (b2-22)\n"),
    ("placeholder", "**Children:** [workflow-name]\n", "**Children:** Tests (b2-22)\n"),
    ("empty", "**Children:**\n", "**Children:** Tests (b2-22)\n"),
    ("not there", "", "**Children:** Tests (b2-22)\n"),
    ("inline", "**Children:** a (a-1), b (b-1)\n", "**Children:** a (a-1), b (b-1), Tests (b2-22)\n"),
    ("a list", "**Children:**\n- a (a-1)\n- b (b-1)\n", "**Children:**\n- a (a-1)\n- b (b-1)\n- Tests (b2-22)\n"),
    ("known", "**Children:** flow (b2-22)\n", "**Children:** flow (b2-22)\n"),
    ("known in a list", "**Children:**\n- flow (b2-22)\n", "**Children:**\n- flow (b2-22)\n"),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in LINKED], ids=[case[0] for case in LINKED])
def test_a_child_is_linked_once(before: str, after: str) -> None:
    """A child joins those that are there, in their style, and takes the place of words for none."""
    head = "**Session ID:** a1\n**Status:** active\n"
    changed = _entry(head + before + "**Purpose:** p\n").linking("Children", CHILD)
    assert _text(changed) == head + after + "**Purpose:** p\n"
    assert changed.linking("Children", CHILD) is changed


def test_a_parent_takes_the_place_of_another() -> None:
    """A session has one parent."""
    changed = _entry("**Session ID:** a1\n**Parent:** Git (old-1)\n").linking("Parent", Link("new-1", "Tests"))
    assert _text(changed) == "**Session ID:** a1\n**Parent:** Tests (new-1)\n"


PARTED = [
    ("inline", "**Children:** a (a-1), b (b2-22)\n", "**Children:** a (a-1)\n"),
    ("the only one", "**Children:** b (b2-22)\n", "**Children:** none\n"),
    ("a list", "**Children:**\n- a (a-1)\n- b (b2-22)\n", "**Children:**\n- a (a-1)\n"),
    ("another", "**Children:** a (a-1)\n", "**Children:** a (a-1)\n"),
    ("none", "", ""),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in PARTED], ids=[case[0] for case in PARTED])
def test_a_child_is_parted(before: str, after: str) -> None:
    """One link goes, all others stay."""
    head = "**Session ID:** a1\n"
    assert _text(_entry(head + before + "**Next:** x\n").without_child("b2-22")) == head + after + "**Next:** x\n"


MERGED = [
    ("nothing yet", "", "**Context:**\n\n- files: a, b\n- done: no\n\n"),
    ("empty", "**Context:**\n", "**Context:**\n\n- files: a, b\n- done: no\n\n"),
    ("placeholder", "**Context:** [Key files]\n", "**Context:**\n\n- files: a, b\n- done: no\n\n"),
    ("a placeholder in a list", "**Context:**\n- None yet\n", "**Context:**\n- files: a, b\n- done: no\n"),
    ("a line", "**Context:** one of mine\n", "**Context:** one of mine; files: a, b; done: no\n"),
    ("a list", "**Context:**\n- mine\n", "**Context:**\n- mine\n- files: a, b\n- done: no\n"),
    ("a list that grows", "**Context:**\n- files: b, c\n", "**Context:**\n- files: b, c, a\n- done: no\n"),
    ("starred", "**Context:**\n* mine\n", "**Context:**\n* mine\n* files: a, b\n* done: no\n"),
    ("known", "**Context:**\n- files: a, b\n- done: no\n", "**Context:**\n- files: a, b\n- done: no\n"),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in MERGED], ids=[case[0] for case in MERGED])
def test_context_is_appended(before: str, after: str) -> None:
    """New context joins what is there, in its style; what is there already is not added again."""
    head = "**Session ID:** a1\n**Purpose:** p\n"
    reported = entry_values.parse("files:[a,b] done:no")
    changed = _entry(head + before + "**Next:** x\n").telling(reported)
    assert _text(changed) == head + after + "**Next:** x\n"
    assert changed.telling(reported).data == changed.data


WITHOUT = [
    ("a line", "**Completed:** x\n**Next:** y\n", "**Next:** y\n"),
    ("a bullet", "- **Completed:** x\n- **Next:** y\n", "- **Next:** y\n"),
    ("a shared line", "**Completed:** x | **Next:** y\n", "**Completed:** x | **Next:** y\n"),
    ("a list", "**Completed:**\n- one\n", "**Completed:**\n- one\n"),
    ("not there", "**Next:** y\n", "**Next:** y\n"),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in WITHOUT], ids=[case[0] for case in WITHOUT])
def test_a_line_goes_alone(before: str, after: str) -> None:
    """A field goes only when nothing goes with it."""
    head = "**Session ID:** a1\n"
    if before.startswith("-"):
        head = "- **Session ID:** a1\n"
    assert _text(_entry(head + before).without("Completed")) == head + after


@pytest.mark.parametrize(
    ("heading", "after"),
    [("Git - Other", "Git - Other"), ("Git ##", "Git"), ("", "Git - Work"), ("**Status:** x", "**Status:** x")],
)
def test_a_heading_changes_alone(heading: str, after: str) -> None:
    """Another heading, or the one there was when it cannot be."""
    known = _entry("**Session ID:** a1\nGit - Work in words\n")
    changed = known.titled(heading)
    assert changed.data.decode() in {f"### {after}\n**Session ID:** a1\nGit - Work in words\n", known.data.decode()}
    assert changed.pairs() == known.pairs()


def test_a_new_entry_has_its_fields_in_order() -> None:
    """Those without a value are left out, whatever order they are given in."""
    form = _genie().entry
    assert form
    given = [("Session ID", "`a1`"), ("Status", "active"), ("Branch", ""), ("Purpose", "P"), ("Started", "S")]
    made = entry.begun("Git - P #", given, form, level=4, newline="\r\n")
    lines = ["#### Git - P", "", "**Session ID:** `a1`", "**Started:** S", "**Status:** active", "**Purpose:** P", ""]
    assert made.data.decode() == "\r\n".join(lines)


READ = [
    ("Git Neuron (abc123)", [("Git Neuron", "abc123")]),
    ("issue workflow (def456), pr workflow (ghi789)", [("issue workflow", "def456"), ("pr workflow", "ghi789")]),
    ("`abc-1`", [("", "abc-1")]),
    ("`abc-1`, `abc-2`", [("", "abc-1"), ("", "abc-2")]),
    ("abc-1", [("", "abc-1")]),
    ("none", []),
    ("N/A", []),
    ("the one of last week (see below)", []),
    ("issue workflow (`def456`)", [("issue workflow", "def456")]),
    ("Git (abc123...)", [("Git", "abc123...")]),
    ("", []),
]


@pytest.mark.parametrize(("stated", "known"), READ)
def test_links_are_read(stated: str, known: list[tuple[str, str]]) -> None:
    """Names with ids, bare ids, and words that are neither."""
    assert [(link.name, link.ident) for link in links_in(stated)] == known


SAME = [
    ("abc123", "abc123", True),
    ("abc123...", "abc123-4567", True),
    ("abc123-4567", "abc123…", True),
    ("abc12...", "abc123-4567", False),  # too short to be sure
    ("abc123", "abc123-4567", False),
    ("abc123...", "abd123-4567", False),
]


@pytest.mark.parametrize(("one", "other", "alike"), SAME)
def test_ids_that_were_cut(one: str, other: str, alike: bool) -> None:  # noqa: FBT001 - a table's column
    """An id that was cut names the one that it begins."""
    assert same_ident(one, other) is same_ident(other, one) is alike


# The whole hub.

HUB = """\
# Session State
**Last Updated:** !`date -u`

Words of mine.

## 🎯 Active Sessions (two)

### Git - One
**Session ID:** `one-1`
**Status:** active
**Purpose:** One

A remark on one.

### A heading without an entry

Its text.

### Tests - Two
**Session ID:** `two-2`
**Status:** active
**Purpose:** Two

<!-- Add sessions above -->

## Session History (Recent)

### Git - Old
**Session ID:** `old-0`
**Status:** completed
**Purpose:** Old

---

*Kept by the librarian.*
"""


def _hub(text: str = HUB) -> Hub:
    return Hub(text.encode(), _genie())


def _draft(text: str = HUB) -> Transaction:
    return Transaction(_hub(text), NOW)


def _new(transaction: Transaction, ident: str, name: str) -> Entry:
    return changes.begin(transaction, ident, name, [("Status", "active"), ("Purpose", name)])


def _block(ident: str, name: str, level: str = "###") -> str:
    return f"{level} {name}\n\n**Session ID:** `{ident}`\n**Status:** active\n**Purpose:** {name}\n"


def test_entries_in_order() -> None:
    """All of them, with where they are, without what no entry owns."""
    found = list(_hub().entries())
    assert [(one.entry.ident, one.history) for one in found] == [("one-1", False), ("two-2", False), ("old-0", True)]
    assert [one.entry.data.decode().splitlines()[-1] for one in found] == [
        "A remark on one.",
        "**Purpose:** Two",
        "**Purpose:** Old",
    ]


def test_a_chapter_is_no_entry() -> None:
    """An id right under a heading that holds the entries makes none of it, with which all of them would move."""
    hub = _hub(HUB.replace("(two)\n", "(two)\n**Session ID:** `nobody`\n"))
    assert [one.entry.ident for one in hub.entries()] == ["one-1", "two-2", "old-0"]
    assert hub.entry("nobody") is None


def test_an_entry_as_high_as_the_history_takes_none_of_it() -> None:
    """It stays where it is: before the entries of the history these would become its own."""
    text = HUB.replace("### Tests - Two", "## Tests - Two")
    transaction = _draft(text)
    entry = transaction.get("two-2")
    assert entry
    transaction.put("two-2", entry, history=True)
    done = transaction.done()
    assert [one.entry.ident for one in _hub(done.decode()).entries() if one.history] == ["old-0"]
    again = _draft(done.decode())
    again.put("two-2", entry, history=True)
    assert again.done() == done


def test_an_id_in_others_words_is_no_entry() -> None:
    """The entries that name an id are found, its own is one of them; what is in a fence or in prose is none."""
    text = HUB.replace("A remark on one.", "Part of `two-2`.\n\n```\n### X\n**Session ID:** `two-2`\n```")
    hub = _hub(text)
    assert [one.entry.ident for one in hub.naming("two-2")] == ["one-1", "two-2"]
    own = hub.entry("two-2")
    assert own
    assert own.entry.title == "Tests - Two"
    assert hub.entry("two") is None
    assert hub.entry("Words") is None


def test_an_id_that_was_cut_names_its_entry() -> None:
    """`abc123...` stands for an id that begins so, by a person's hand."""
    for cut in ("9f86d081...", "9f86d081…"):
        own = _hub(HUB.replace("`one-1`", f"`{cut}`")).entry("9f86d081-884c")
        assert own
        assert own.entry.title == "Git - One"


def test_two_entries_of_one_id_are_refused() -> None:
    """Both lines are reported."""
    with pytest.raises(HoldfastError, match="one-1 has 2 entries, on lines 8, 19"):
        _draft(HUB.replace("two-2", "one-1")).get("one-1")


def test_two_holders_are_refused() -> None:
    """It is not known which of two sections is meant."""
    text = HUB.replace("## Session History", "## Active Sessions\n\n## Session History")
    with pytest.raises(HoldfastError, match="appears 2 times, on lines 6, 26"):
        _hub(text).holder(ACTIVE)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("Words of mine.", "<<<<<<< HEAD", "line 4: a conflict marker"),
        ("Its text.", "```", "code fence"),
    ],
)
def test_a_broken_hub_is_refused(old: str, new: str, problem: str) -> None:
    """What cannot be read as it was meant is not written."""
    with pytest.raises(HoldfastError, match=problem):
        _draft(HUB.replace(old, new))


def test_a_new_entry_comes_last_among_the_active() -> None:
    """In front of the comment that closes its section."""
    transaction = _draft()
    transaction.put("new-9", _new(transaction, "new-9", "New"), history=False)
    expected = HUB.replace("Two\n\n<!--", "Two\n\n" + _block("new-9", "New") + "\n<!--")
    assert transaction.done().decode() == expected


def test_a_child_comes_after_its_parent() -> None:
    """Right behind it, whatever follows."""
    transaction = _draft()
    transaction.put("new-9", _new(transaction, "new-9", "New").setting("Parent", "Git (one-1)"), history=False)
    assert "A remark on one.\n\n### New\n" in transaction.done().decode()


def test_several_at_once() -> None:
    """One changed, one moved to the history, one moved back, one new: each where it belongs, the rest as it was."""
    transaction = _draft()
    one, two, old = (transaction.get(ident) for ident in ("one-1", "two-2", "old-0"))
    assert one
    assert two
    assert old
    transaction.put("one-1", one.setting("Status", "waiting"), history=False)
    transaction.put("two-2", two, history=True)
    transaction.put("old-0", old, history=False)
    transaction.put("new-9", _new(transaction, "new-9", "New"), history=False)
    two_block, old_block = (f"### {each.title}\n" + each.data.decode().partition("\n")[2] for each in (two, old))
    expected = (
        HUB.replace("`one-1`\n**Status:** active", "`one-1`\n**Status:** waiting")
        .replace(old_block, two_block)
        .replace(two_block + "\n<!--", old_block + "\n" + _block("new-9", "New") + "\n<!--")
    )
    assert transaction.done().decode() == expected


def test_the_history_is_begun_where_there_is_none() -> None:
    """Right behind the active ones, in front of what closes the file."""
    text = HUB[: HUB.index("<!--")] + "---\n\n*Kept by the librarian.*\n"
    transaction = _draft(text)
    known = transaction.get("two-2")
    assert known
    transaction.put("two-2", known, history=True)
    after = transaction.done().decode()
    block = known.data.decode()
    assert after == text.replace(block + "\n", "").replace("---\n\n*", f"## {HISTORY}\n\n{block}\n---\n\n*")


def test_the_level_and_the_line_ends_are_the_hub_s() -> None:
    """Entries stand a level below the section that holds them."""
    text = "# Hub\r\n\r\n# Active Sessions\r\n\r\n## Git\r\n**Session ID:** `a-1`\r\n"
    transaction = _draft(text)
    transaction.put("new-9", _new(transaction, "new-9", "New"), history=False)
    assert transaction.done().decode() == text + "\r\n" + _block("new-9", "New", "##").replace("\n", "\r\n")


NESTED = """\
## Active Sessions

### Git - Outer
**Session ID:** `out-1`
**Status:** active

#### Flow - Inner
**Session ID:** `in-1`
**Status:** active

Text of the inner one.

### Git - Next
**Session ID:** `next-1`
**Status:** active

## Session History
"""


@pytest.mark.parametrize(("outer", "inner"), [(True, True), (True, False), (False, True), (False, False)])
def test_entries_within_entries(outer: bool, inner: bool) -> None:  # noqa: FBT001 - a table's columns
    """An entry within another changes, stays and moves by itself, or together with the one around it."""
    transaction = _draft(NESTED)
    for ident, past in (("out-1", outer), ("in-1", inner)):
        known = transaction.get(ident)
        assert known
        transaction.put(ident, known.setting("Status", "completed" if past else "waiting"), history=past)
    after = transaction.done()
    found = {one.entry.ident: one for one in Hub(after, _genie()).entries()}
    assert {ident: one.history for ident, one in found.items()} == {"out-1": outer, "in-1": inner, "next-1": False}
    assert [found[ident].entry.category for ident in ("out-1", "in-1")] == [
        "completed" if past else "waiting" for past in (outer, inner)
    ]
    assert after.count(b"Text of the inner one.") == after.count(b"`in-1`") == after.count(b"`out-1`") == 1
    assert found["in-1"].entry.data.endswith(b"\n\nText of the inner one.\n")


def test_a_tag_s_last_line_is_the_entry_s() -> None:
    """A section in tags moves as a whole, and nothing comes to stand within it."""
    text = NESTED.replace("Text of the inner one.", "<decision>\nYes.\n</decision>")
    transaction = _draft(text)
    known = transaction.get("in-1")
    assert known
    assert known.data.endswith(b"</decision>\n")
    transaction.put("in-1", known, history=True)
    assert transaction.done().decode().endswith("## Session History\n\n" + known.data.decode())


def test_a_change_that_would_swallow_a_heading_is_refused() -> None:
    """An entry that does not end by itself must not be written, however it came to be."""
    transaction = _draft()
    known = transaction.get("one-1")
    assert known
    for broken in (b"\n```\n", b"\n<!--\n", b"\n#### Another\n\n```\n## Within\n"):
        transaction.put("one-1", Entry(known.data + broken, known.file_format), history=False)
        with pytest.raises(HoldfastError, match="headings"):
            transaction.done()


def test_a_line_that_would_become_a_heading_is_refused() -> None:
    """A rule right under the last field makes a heading of it; the entry's last list goes, and the rule is there."""
    text = HUB.replace("**Purpose:** Old\n\n---", "**Children:**\n- a (a-1)\n---")
    transaction = _draft(text)
    known = transaction.get("old-0")
    assert known
    transaction.put("old-0", known.without_child("a-1"), history=True)
    with pytest.raises(HoldfastError, match="headings"):
        transaction.done()


def test_the_shape_of_the_wild_is_read() -> None:
    """The hub that other tests know has its three entries."""
    hub = _hub(shapes.GENIE[1])
    assert [one.entry.ident for one in hub.entries()] == ["git-4be2", "tests-91c0", "git-0aa1"]
    assert (len(hub.lines_of(ACTIVE)), len(hub.lines_of(HISTORY))) == (1, 1)
