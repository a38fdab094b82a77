"""Hubs as people have them: several histories, entries without a status, templates, times to the second."""

from __future__ import annotations

import json
import subprocess

import pytest

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import parse, summary
from holdfast.hub.document import HISTORY, Hub
from tests.support import hooks

FORMATS = known("", Cache(""))
PATH = ".agents/SESSION-STATE.md"
here = hooks.here
prepared = hooks.prepared
HUB = """\
# Session State

## Active Sessions

### Parser
**Session ID:** a1
**Started:** 2026-03-01 09:00:05 UTC
**Status:** active
**Purpose:** Read prices

## Session History (Recent)

### Importer
**Session ID:** b2
**Started:** 2026-02-01 09:00 UTC
**Completed:** 2026-02-02 10:00 UTC
**Purpose:** Import prices

## Session History (Older)

### Beginnings
**Session ID:** c3
**Started:** 2026-01-01 09:00 UTC
**Status:** completed
**Purpose:** Begin

## How to add an entry

\\`\\`\\`markdown
### Name
**Session ID:** the id
**Status:** active
\\`\\`\\`
"""


def hub(text: str = HUB) -> Hub:
    """Return the hub above, or one with this text."""
    found = FORMATS.get("genie")
    assert found
    return Hub(text.encode(), found)


@pytest.mark.parametrize(
    "title",
    [
        HISTORY,
        "\N{BOOKS} Session History (Recent)",
        "Session History (Recent - last 7 days)",
        "Session History",
        "Session History - Recent",
        "Session History \N{EM DASH} Recent",
        "Recent Session History",
    ],
)
@pytest.mark.parametrize("older", ["Older", "Archived", "older than a month"])
def test_the_recent_history_is_one_section(title: str, older: str) -> None:
    """An older history beside it does not make it unclear where completed entries go."""
    holder = hub(HUB.replace(HISTORY, title).replace("(Older)", f"({older})")).holder(HISTORY)
    assert holder
    assert holder.title == title


@pytest.mark.parametrize(
    ("first", "second"), [("2025", "2026"), ("Older", "Archived"), ("Recent", "Recent")], ids=lambda word: word
)
def test_two_histories_that_are_alike_are_refused(first: str, second: str) -> None:
    """Of two with other remarks holdfast chooses none."""
    text = HUB.replace("(Recent)", f"({first})").replace("(Older)", f"({second})")
    with pytest.raises(HoldfastError, match="appears 2 times"):
        hub(text).holder(HISTORY)


def test_a_template_in_escaped_fences_is_no_entry() -> None:
    """Neither the hub nor the summary has an entry for the template."""
    assert [found.entry.ident for found in hub().entries()] == ["a1", "b2", "c3"]
    reported = summary(parse(HUB.encode(), PATH, FORMATS))["entries"]
    assert isinstance(reported, list)
    assert "the" not in {entry["id"].split()[0] for entry in reported}


def test_an_entry_of_the_history_without_a_status_is_completed() -> None:
    """An active entry has its own category; one in the history that has no status is completed."""
    reported = summary(parse(HUB.encode(), PATH, FORMATS))["entries"]
    assert isinstance(reported, list)
    assert {entry["id"]: entry["category"] for entry in reported}["b2"] == "completed"
    assert {entry["id"]: entry["category"] for entry in reported}["a1"] == "active"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2026-03-01T09:00:05Z", "2026-03-01 09:00:05 UTC"),
        ("2026-03-01 11:00 +0200", "**Started:** 2026-03-01 09:00 UTC"),
    ],
)
def test_a_fixed_time_keeps_its_seconds(prepared: hooks.Project, before: str, after: str) -> None:
    """`validate --fix` writes the documented form, with seconds where there are some."""
    text = HUB.replace("2026-03-01 09:00:05 UTC", before)
    path = prepared.root / PATH
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    subprocess.run(["git", "-C", str(prepared.root), "add", PATH], check=True)
    prepared.cli("validate", "--fix")
    assert after in path.read_text()


# What else an entry of the history without a status may be: with others, or alone beside an older history or none.
HISTORIES = {
    "two histories": HUB,
    "one history": HUB.replace(HUB[HUB.index("## Session History (Older)") : HUB.index("## How to")], ""),
    "without a status in the older one": HUB.replace("**Status:** completed\n", ""),
    "under other names": HUB.replace("Session History (Recent)", "Completed Sessions"),
}


@pytest.mark.parametrize("case", HISTORIES)
def test_every_view_calls_the_entries_of_each_history_completed(prepared: hooks.Project, case: str) -> None:
    """List, tree and validate agree, with a status or without one; only the active one is open."""
    path = prepared.root / PATH
    path.parent.mkdir(exist_ok=True)
    path.write_text(HISTORIES[case])
    subprocess.run(["git", "-C", str(prepared.root), "add", PATH], check=True)
    past = {"b2", "c3"} if "c3" in HISTORIES[case] else {"b2"}
    for view, key in (("list", "status"), ("tree", "status")):
        rows = {row["id"]: row for row in json.loads(prepared.cli(view, "--all", "--json").out)}
        assert {ident: row[key] for ident, row in rows.items()} == {"a1": "active"} | dict.fromkeys(past, "completed")
        assert not any(rows[ident].get("stale") for ident in past)
        assert {row["id"] for row in json.loads(prepared.cli(view, "--json").out)} == {"a1"}
    done = prepared.cli("validate")
    assert (done.code, f"is valid: {1 + len(past)} entries, 1 of them open" in done.out) == (0, True), done.out


@pytest.mark.parametrize("ident", ["b2", "c3"])
@pytest.mark.parametrize("case", ["two histories", "without a status in the older one"])
def test_an_entry_of_the_history_goes_on_among_the_active_ones(prepared: hooks.Project, case: str, ident: str) -> None:
    """One that has no status moves as one that says completed does, and back when it is completed again."""
    path = prepared.root / PATH
    path.parent.mkdir(exist_ok=True)
    path.write_text(HISTORIES[case])
    subprocess.run(["git", "-C", str(prepared.root), "add", PATH], check=True)
    for action, past in (("started", False), ("completed", True)):
        given = ("agent=git", "context=outcome:done")
        assert prepared.cli("update", f"action={action}", f"session_id={ident}", *given).code == 0
        found = hub(path.read_text()).entry(ident)
        assert found
        assert found.history is past
        assert "is valid" in prepared.cli("validate").out
    recent = path.read_text().index("## Session History (Recent)")
    assert recent < path.read_text().index(f"**Session ID:** {ident}") < path.read_text().index("(Older)")


def test_a_child_in_the_history_without_a_status_is_not_completed_again(prepared: hooks.Project) -> None:
    """Its parent is completed, and the child stays as it is."""
    text = HUB.replace("**Purpose:** Import prices\n", "**Parent:** Parser (a1)\n**Purpose:** Import prices\n")
    path = prepared.root / PATH
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    before = hub(text).entry("b2")
    assert prepared.cli("update", "action=completed", "session_id=a1", "context=outcome:done").code == 0
    after = hub(path.read_text()).entry("b2")
    assert before
    assert after
    assert after.entry.data == before.entry.data
