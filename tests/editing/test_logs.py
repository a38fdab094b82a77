"""Entries of a log that begins with its newest: put where their time belongs, and holdfast's own gone when too old."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.editing.edit import Editor
from holdfast.editing.requests import Request
from tests.support import edits
from tests.support.edits import FORMATS, NOW, make, within

UPDATES = "Recent Updates"
THREE = "**2026-01-21 15:00**\n- Closed LOOP-003\n"
TWO = "**2026-01-21 14:00**\n- Added LOOP-002\n"
ONE = "**2026-01-21 13:00**\n- Added LOOP-001\n"
AT_TWO = "2026-01-21 14:00"
MINE = "**2026-01-21 12:00**\n- Spoke with Jan\n"
LOG = f"{THREE}\n{TWO}\n{ONE}"


def entry(*items: str, at: str = "2026-01-21 15:30", most: int = 0) -> Request:
    """Return the wish for an entry; with `most` of those that begin as holdfast's do the older ones go."""
    gone = re.compile(r"(?:Added|Closed) LOOP-\d+").fullmatch
    return Request(
        (UPDATES,), items=list(items), minute=at, most=most, gone=(lambda _, text: bool(gone(text))) if most else None
    )


def new(*items: str, at: str = "2026-01-21 15:30") -> str:
    """Return an entry as it is in the log."""
    return f"**{at}**\n" + "".join(f"- {text}\n" for text in items)


def first(*items: str) -> str:
    """Return an entry as it is in a log that has no other one."""
    return new(*items).replace("**\n", "**\n\n")


def joined(*items: str, log: str = LOG) -> str:
    """Return the log with new entries on top of those of its second time."""
    return log.replace("14:00**\n", "14:00**\n" + "".join(f"- {text}\n" for text in items))


ADDED = [
    pytest.param(LOG, entry("x"), f"{new('x')}\n{LOG}", id="the newest"),
    pytest.param(LOG, entry("x", "y"), f"{new('x', 'y')}\n{LOG}", id="two at once"),
    pytest.param(
        LOG,
        entry("x", at="2026-01-21 14:30"),
        f"{THREE}\n{new('x', at='2026-01-21 14:30')}\n{TWO}\n{ONE}",
        id="between",
    ),
    pytest.param(LOG, entry("x", at="2026-01-20 09:00"), f"{LOG}\n{new('x', at='2026-01-20 09:00')}", id="the oldest"),
    pytest.param(LOG, entry("x", at="2026-01-21 14:00"), joined("x"), id="at a minute that is there"),
    pytest.param(LOG, entry("x", "y", at="2026-01-21 14:00"), joined("x", "y"), id="two at a minute that is there"),
    pytest.param(
        f"{TWO}\nWords.\n\n{TWO}",
        entry("Added LOOP-002", "x", at="2026-01-21 14:00"),
        f"{joined('x', log=TWO)}\nWords.\n\n{TWO}",
        id="a minute that is there twice",
    ),
    pytest.param(
        f"{THREE}\n**2026-01-21 14:00**\n\n* a\n\n* b\n",
        entry("x", at="2026-01-21 14:00"),
        f"{THREE}\n**2026-01-21 14:00**\n\n* x\n* a\n\n* b\n",
        id="a list in other clothes",
    ),
    pytest.param(LOG, entry("Added LOOP-002", at="2026-01-21 14:00"), LOG, id="the same at the same minute"),
    pytest.param(LOG, entry("Added LOOP-002"), f"{new('Added LOOP-002')}\n{LOG}", id="the same at another minute"),
    pytest.param(
        LOG,
        entry("Added LOOP-00", at="2026-01-21 14:00"),
        joined("Added LOOP-00"),
        id="the beginning of one",
    ),
    pytest.param(
        f"Newest first.\n\n<!-- five -->\n\n{LOG}",
        entry("x"),
        f"Newest first.\n\n<!-- five -->\n\n{new('x')}\n{LOG}",
        id="an introduction",
    ),
    pytest.param(
        f"<!-- five -->\n{LOG}", entry("x"), f"<!-- five -->\n\n{new('x')}\n{LOG}", id="a comment right above"
    ),
    pytest.param("Newest first.\n", entry("x"), f"Newest first.\n\n{first('x')}", id="an introduction alone"),
    pytest.param("*None yet*\n", entry("x"), first("x"), id="a placeholder"),
    pytest.param(
        "- 2026-01-20: began\n", entry("x"), f"{first('x')}\n- 2026-01-20: began\n", id="a list without times"
    ),
    pytest.param(
        f"{LOG}\n---\n\n*Kept by hand.*\n",
        entry("x", at="2026-01-20 09:00"),
        f"{LOG}\n{new('x', at='2026-01-20 09:00')}\n---\n\n*Kept by hand.*\n",
        id="before a closing note",
    ),
    pytest.param(
        f"**2026-01-21T15:00Z:** deployed\n\n{TWO}",
        entry("x", at="2026-01-21 14:30"),
        f"**2026-01-21T15:00Z:** deployed\n\n{new('x', at='2026-01-21 14:30')}\n{TWO}",
        id="times in other clothes",
    ),
    pytest.param(LOG, entry("two\nlines\x1b"), f"{new('two lines')}\n{LOG}", id="one line"),
]

PRUNED = [
    pytest.param(
        LOG, entry("Added LOOP-004", most=3), f"{new('Added LOOP-004')}\n{THREE}\n{TWO}", id="the oldest goes"
    ),
    pytest.param(LOG, entry("Added LOOP-004", most=2), f"{new('Added LOOP-004')}\n{THREE}", id="two go"),
    pytest.param(LOG, entry(most=2), f"{THREE}\n{TWO}", id="nothing is added"),
    pytest.param(LOG, entry(most=4), LOG, id="not too many"),
    pytest.param(
        f"{LOG}\n---\n\n*Kept by hand.*\n",
        entry(most=1),
        f"{THREE}\n---\n\n*Kept by hand.*\n",
        id="above a closing note",
    ),
    pytest.param(LOG, entry("Added LOOP-000", at="2026-01-20 09:00", most=3), LOG, id="too old to come"),
    pytest.param(
        LOG,
        entry("Added LOOP-000", at="2026-01-20 09:00", most=2),
        f"{THREE}\n{TWO}",
        id="too old to come, and one goes",
    ),
    pytest.param(
        LOG,
        entry("Added LOOP-009", at="2026-01-21 13:30", most=3),
        f"{THREE}\n{TWO}\n{new('Added LOOP-009', at='2026-01-21 13:30')}",
        id="one comes where one goes",
    ),
    pytest.param(
        LOG,
        entry("Added LOOP-009", at="2026-01-21 13:00", most=2),
        f"{THREE}\n{TWO}",
        id="too old to come to one that goes",
    ),
    pytest.param(
        joined("Added LOOP-004"), entry(most=3), joined("Added LOOP-004", log=f"{THREE}\n{TWO}"), id="not its minutes"
    ),
    pytest.param(joined("Added LOOP-004"), entry(most=2), f"{THREE}\n{new('Added LOOP-004', at=AT_TWO)}", id="in one"),
    pytest.param(
        LOG,
        entry("Added LOOP-004", at=AT_TWO, most=2),
        f"{THREE}\n{new('Added LOOP-004', at=AT_TWO)}",
        id="one comes where the next one goes",
    ),
    pytest.param(LOG, entry("Added LOOP-004", at=AT_TWO, most=1), THREE, id="too old to come to a minute that goes"),
    pytest.param(
        LOG, entry("a", "Added LOOP-004", "b", most=2), f"{new('a', 'Added LOOP-004', 'b')}", id="a person's come"
    ),
    pytest.param(
        LOG,
        entry("Spoke with Eva", at="2026-01-21 13:30", most=1),
        f"{THREE}\n{new('Spoke with Eva', at='2026-01-21 13:30')}",
        id="a person's comes among some that go",
    ),
    pytest.param(f"{LOG}\n{MINE}", entry(most=2), f"{THREE}\n{TWO}\n{MINE}", id="newer than a person's"),
    pytest.param(
        f"{THREE}\n{MINE}\n{ONE}".replace("13:00", "11:00"),
        entry(most=1),
        f"{THREE}\n{MINE}",
        id="older than a person's",
    ),
    pytest.param(
        f"{THREE}\n{ONE}- Spoke with Jan\n- Closed LOOP-001\n",
        entry(most=1),
        f"{THREE}\n{ONE}".replace("Added LOOP-001", "Spoke with Jan"),
        id="around a person's item",
    ),
    pytest.param(
        f"{THREE}\n{ONE}- [x] Closed LOOP-001\n",
        entry(most=1),
        f"{THREE}\n{ONE}".replace("- Added LOOP-001", "- [x] Closed LOOP-001"),
        id="a person's box",
    ),
    pytest.param(f"{LOG}  - and Eva\n", entry(most=1), f"{THREE}\n{ONE}  - and Eva\n", id="a person's item below one"),
    pytest.param(
        f"{LOG}  with words\n", entry(most=1), f"{THREE}\n{ONE}  with words\n", id="a person's line below one"
    ),
    pytest.param(
        f"{LOG}\nWords below.\n",
        entry(most=1),
        f"{THREE}\n**2026-01-21 13:00**\n\nWords below.\n",
        id="a person's words below",
    ),
    pytest.param(
        LOG.replace("13:00**", "13:00** Eva"),
        entry(most=1),
        f"{THREE}\n**2026-01-21 13:00** Eva\n",
        id="a word beside the time",
    ),
    pytest.param(
        f"{THREE}\n**2026-01-21 14:00**\n\n{ONE}", entry(most=1), f"{THREE}\n**2026-01-21 14:00**\n", id="a bare time"
    ),
    pytest.param(
        "**2026-01-21 15:00**\n\n- Closed LOOP-003\n\n- Closed LOOP-002\n\n- mine\n",
        entry(most=1),
        "**2026-01-21 15:00**\n\n- Closed LOOP-003\n\n- mine\n",
        id="a loose list",
    ),
    pytest.param(f"{ONE}\n{TWO}\n{THREE}", entry(most=2), f"{ONE}\n{TWO}", id="not in order"),
    pytest.param(
        f"{LOG}\n---\n\n- Added LOOP-000\n\n---\n\nEnd.\n",
        entry(most=1),
        f"{THREE}\n---\n\n- Added LOOP-000\n\n---\n\nEnd.\n",
        id="below a rule",
    ),
    pytest.param(
        f"{THREE}\n{TWO}\n### More\n\n{ONE}", entry(most=1), f"{THREE}\n### More\n\n{ONE}", id="a section below"
    ),
]


@pytest.mark.parametrize(("text", "want", "expected"), [*ADDED, *PRUNED])
def test_entries_stand_where_their_time_belongs(text: str, want: Request, expected: str) -> None:
    """An entry is put in order of time, and each of holdfast's own goes that is too old; nothing else changes."""
    for end in ("\n", "\r\n"):
        assert within(UPDATES, text.replace("\n", end), want, end=end) == (expected.replace("\n", end), [])


@pytest.mark.parametrize("text", [LOG, f"{LOG}\n{MINE}"], ids=["own", "with a person's"])
def test_a_log_at_the_end_of_a_file(text: str) -> None:
    """Where the log is the last thing in the file, it still ends as it did."""
    data = f"{edits.BEFORE}## {UPDATES}\n\n{text}".encode()
    added = make(data, entry("Added LOOP-000", at="2026-01-20 09:00")).data.decode()
    assert added == data.decode() + "\n" + new("Added LOOP-000", at="2026-01-20 09:00")
    assert make(added.encode(), entry(most=4 if "Jan" in text else 3)).data == data


def test_a_last_line_without_an_end() -> None:
    """A last entry without a line's end gets one where another follows it, and only there."""
    data = f"{edits.BEFORE}## {UPDATES}\n\n{LOG}".rstrip("\n").encode()
    old = entry("x", at="2026-01-20 09:00")
    assert make(data, old).data == data + f"\n\n{new('x', at='2026-01-20 09:00')}".encode()
    assert make(data, entry("x")).data.endswith(f"{new('x')}\n{LOG}".rstrip("\n").encode())


def test_a_change_is_reported() -> None:
    """The outcome has the line, what went, and what came."""
    data = f"{edits.BEFORE}## {UPDATES}\n\n{LOG}".encode()
    (change,) = make(data, entry("x", at=AT_TWO, most=2)).changes
    assert (change.line, change.old, change.new) == (15, "Added LOOP-002; Added LOOP-001", "x")


def test_a_section_is_begun_with_its_entry() -> None:
    """Where there is no section it begins with the entry, and not without one."""
    data = (edits.BEFORE + edits.AFTER[1:]).encode()
    assert make(data, entry("x")).data.decode() == f"{data.decode()}\n## {UPDATES}\n\n{first('x')}"
    assert make(data, entry(most=5)).data == data


def test_a_plain_wish_is_an_entry_of_now() -> None:
    """Without a time of its own, what the log says already is not written again, and what is new is on top."""
    data = f"{edits.BEFORE}## {UPDATES}\n\nNewest first.\n\n{LOG}".encode()
    editor = Editor(".agents/sessions/x.md", FORMATS, NOW)
    outcome = editor.apply(data, {UPDATES: ["Added LOOP-001", "x"]})
    assert outcome.data.decode() == f"{edits.BEFORE}## {UPDATES}\n\nNewest first.\n\n{new('x', at=NOW)}\n{LOG}"
    assert editor.apply(outcome.data, {UPDATES: "x"}).changes == []


def test_a_log_that_ends_with_its_newest() -> None:
    """An entry gets the time that is wanted in a log of another form, too; the same at another time is another."""
    data = b"---\nclaude_session_id: x\n---\n\n# S\n\n## Journal\n- [2026-02-11 08:00] feat: a\n"
    editor = Editor(".agents/sessions/x.md", FORMATS, NOW)
    wants = [Request(("Journal",), items=["feat: a"], minute=f"2026-02-11 0{hour}:00") for hour in (8, 9)]
    outcome = editor.make(data, wants)
    assert outcome.data == data + b"- [2026-02-11 09:00] feat: a\n"
    assert editor.make(outcome.data, wants).changes == []


MINUTES = st.sampled_from([f"2026-01-2{day} 1{hour}:00" for day in (0, 1) for hour in (0, 5)])
TEXTS = st.sampled_from(["Added LOOP-001", "Closed LOOP-002", "Spoke with Jan", "a | b", "TBD"]) | st.text(max_size=6)
LINES = st.sampled_from(
    [
        *(
            "**2026-01-21 15:00**",
            "**2026-01-20 15:00**",
            "**2026-01-20 10:00** x",
            "- Added LOOP-001",
            "- mine",
            "",
            "",
            "",
        ),
        *("- Closed LOOP-002", "words", "<!-- c -->", "  - below", "---", "### 2026-01-21", "> quoted", "*None yet*"),
    ]
)


@given(st.lists(LINES, max_size=9), MINUTES, st.lists(TEXTS, max_size=2), st.integers(0, 3))
def test_entries_of_people_stay(lines: list[str], minute: str, texts: list[str], most: int) -> None:
    """Whatever is in a log, what people wrote stays in its order, and what is added reads back."""
    text = "".join(line + "\n" for line in lines)
    after, problems = within(UPDATES, text, entry(*texts, at=minute, most=most))
    if problems:
        assert after == text
        return
    ours = ("- Added", "- Closed", "**2026-01-2", "*None")
    mine = [line for line in lines if line and not line.startswith(ours)]
    rest = iter(after.splitlines())
    assert all(line in rest for line in mine)
    reported = " ".join(after.split())
    if not most:
        assert all(" ".join(_plain(item).split()).removeprefix("- ") in reported for item in texts)


OWN = st.sampled_from(["Added LOOP-001", "Closed LOOP-002", "Added LOOP-003", "Spoke with Jan", "Eva called"])
TIMES = [f"2026-01-2{day} 1{hour}:00" for day in (2, 1, 0) for hour in (5, 0)]


@given(st.dictionaries(st.sampled_from(TIMES), st.lists(OWN, min_size=1, max_size=4, unique=True)), st.integers(1, 5))
def test_no_more_of_its_own_than_the_newest(log: dict[str, list[str]], most: int) -> None:
    """Of a log in order the newest entries stay, and a person's; a time without any entry left is gone."""
    reported = [(minute, text) for minute in sorted(log, reverse=True) for text in log[minute]]
    kept = reported[:most] + [(minute, text) for minute, text in reported[most:] if "LOOP" not in text]
    before, after = ("\n".join(_groups(entries)) for entries in (reported, kept))
    assert within(UPDATES, before, entry(most=most)) == (after, [])


def _groups(entries: list[tuple[str, str]]) -> list[str]:
    """Return entries as they are under their times."""
    minutes = dict.fromkeys(minute for minute, _ in entries)
    return [new(*(text for at, text in entries if at == minute), at=minute) for minute in minutes]


def _plain(text: str) -> str:
    """Return a text without what no file of plain text holds."""
    from holdfast.trust.safe import plain

    return plain(text.encode("utf-8", "replace").decode())
