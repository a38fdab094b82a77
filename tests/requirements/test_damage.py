"""Kinds of damage to a good file, one at a time: audit or validate names each with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.requirements.support_states import (
    HUB_FILE,
    MEMORY_FILE,
    SESSION_FILE,
    SESSION_STATE,
    agents,
    audited,
    findings,
    hours_ago,
    hub,
    line_of,
    memory,
    n5,
    put,
    swap,
)
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

GOOD = {SESSION_STATE: n5, SESSION_FILE: agents, MEMORY_FILE: memory, HUB_FILE: hub}
TWIN = "7f2d0c11-0000-4000-8000-000000000001"
CHILD = "7f2d0c11-0000-4000-8000-000000000002"
PARENT_TITLE = "### Implementor - The importer"
CHILD_TITLE = "### Tests - The importer"


class Damage(NamedTuple):
    """Damage to a file: what is replaced, where it is to be found then, and a word that names it.

    `old` and `new` are replaced once, after the text `start`. `at` is on the line that is to be named, or on one of
    them where two places contradict each other. A surrogate in `new` stands for a byte that is not UTF-8.
    """

    file: str
    old: str
    new: str
    at: tuple[str, ...]
    word: str
    start: str = ""


CONFLICT = "<<<<<<< HEAD\n{0}\n=======\nSomething else\n>>>>>>> other"
AGENT = "      status: completed"
DAMAGE = {
    # What is there is no answer, or nothing is there.
    "a placeholder in a field": Damage(SESSION_STATE, "60%", "TBD", ("**Overall:**",), "Overall"),
    "a placeholder in a list": Damage(SESSION_FILE, "- Try a file of 5 GB", "- TBD", ("- TBD",), "Next Steps"),
    "a placeholder in brackets": Damage(
        SESSION_FILE,
        "The upload step works against the test bucket.",
        "[Where the work stands]",
        ("[Where the work stands]",),
        "Current State",
    ),
    "an empty value": Damage(
        SESSION_STATE,
        "- **Focus:** Move the exporter from the local disk to object storage",
        "- **Focus:**",
        ("- **Focus:**",),
        "Focus",
    ),
    "a field that is gone": Damage(
        SESSION_STATE,
        "- **Objective:** Stop the monthly outage by writing exports to a bucket\n",
        "",
        ("## Metadata",),
        "Objective",
    ),
    "a key that is gone": Damage(
        SESSION_FILE, '  current_task: "Write the upload step"\n', "", ("orchestration:", "---"), "current_task"
    ),
    "an empty section": Damage(
        SESSION_FILE, "The disk of the old host fills up every month.\n", "", ("## Context",), "Context"
    ),
    "a section that is gone": Damage(
        SESSION_STATE,
        "## Covered\n- Found why the disk fills up\n- Wrote the upload step\n\n",
        "",
        ("---", "# SESSION STATE"),
        "Covered",
    ),
    "a heading without its blank": Damage(
        SESSION_STATE, "## Covered", "##Covered", ("##Covered", "---", "# SESSION STATE"), "Covered"
    ),
    # What is there cannot be read as it was meant.
    "frontmatter that does not close": Damage(
        SESSION_FILE, "\n---\n\n# Session", "\n\n# Session", ("---",), "frontmatter"
    ),
    "frontmatter that is not YAML": Damage(
        SESSION_STATE, "mode: general", "mode: general: again", ("mode: general: again",), "YAML"
    ),
    "a key that appears twice": Damage(
        SESSION_STATE, "status: active", "status: active\nstatus: idle", ("status: idle",), "status"
    ),
    "a tab in the frontmatter": Damage(SESSION_FILE, '  title: "', '\ttitle: "', ('\ttitle: "',), "YAML"),
    "a conflict marker": Damage(
        SESSION_FILE,
        "- Try a file of 5 GB",
        CONFLICT.format("- Try a file of 5 GB"),
        ("<<<<<<< HEAD",),
        "conflict",
    ),
    "a code fence that does not close": Damage(
        SESSION_FILE, "exporter -v\n```\n", "exporter -v\n", ("```bash",), "fence"
    ),
    "a comment that does not close": Damage(
        SESSION_STATE, "## Topics", "<!-- later\n\n## Topics", ("<!--",), "comment"
    ),
    "a byte that is not UTF-8": Damage(SESSION_STATE, "- Object storage", "- Objekt\udcfc", ("- Objekt",), "UTF-8"),
    "a null character": Damage(
        SESSION_STATE,
        "- Object storage",
        "- Object\0storage",
        ("- Object\0",),
        "null",
    ),
    # Two places say different things.
    "a section that appears twice": Damage(
        SESSION_STATE, "## Topics", "## Covered\n- Again\n\n## Topics", ("## Covered\n- Again",), "Covered"
    ),
    "a status that says two things": Damage(
        SESSION_STATE, "status: active", "status: completed", ("status: completed", "**Status:**"), "status"
    ),
    "a pause in the frontmatter only": Damage(
        SESSION_STATE,
        "status: active",
        "status: paused",
        ("status: paused", "**Status:**"),
        "status",
    ),
    "a type that says two things": Damage(
        SESSION_STATE,
        "type: build",
        "type: research",
        ("type: research", "**Type:**"),
        "type",
    ),
    "completed over an open box": Damage(
        SESSION_FILE,
        "status: in_progress",
        "status: completed",
        ("- [ ] BACK-125 - Retry",),
        "open",
    ),
    "changed before it was created": Damage(
        SESSION_FILE, f'last_updated: "{hours_ago(1)[:4]}', 'last_updated: "2019', ("last_updated:",), "updated"
    ),
    "a total that is not that of the table": Damage(
        MEMORY_FILE, "**Total active:** 1 loop", "**Total active:** 4 loops", ("**Total active:**",), "Total active"
    ),
    "a row that appears twice": Damage(
        MEMORY_FILE,
        "| LOOP-004 | Who deletes old exports | open | 2026-02-11 |\n",
        "| LOOP-004 | Who deletes old exports | open | 2026-02-11 |\n| LOOP-004 | Who pays | open | 2026-02-11 |\n",
        ("| LOOP-004 | Who pays", "**Total active:**"),
        "LOOP-004",
    ),
    # A value that the format does not have.
    "a status that is none": Damage(
        SESSION_FILE,
        "status: in_progress",
        "status: banana",
        ("status: banana",),
        "status",
    ),
    "an agent's status that is none": Damage(
        SESSION_FILE, AGENT, "      status: banana", ("      status: banana",), "status"
    ),
    "a time that is none": Damage(
        SESSION_FILE,
        f'created: "{hours_ago(3)[:4]}',
        'created: "yesterday',
        ('created: "yesterday',),
        "created",
    ),
    "a day that no month has": Damage(
        SESSION_STATE,
        f"created: {hours_ago(3)[:7]}",
        f"created: {hours_ago(3)[:4]}-13",
        ("created:",),
        "created",
    ),
    "a time that is still to come": Damage(
        SESSION_FILE,
        f'last_updated: "{hours_ago(1)[:4]}',
        'last_updated: "2999',
        ("last_updated:",),
        "updated",
    ),
    "progress beyond the whole": Damage(SESSION_STATE, "60%", "130%", ("**Overall:**",), "Overall"),
    "a row with more cells than its table": Damage(
        MEMORY_FILE,
        "| Who deletes old exports | open |",
        "| Who deletes | old exports | open |",
        ("| LOOP-004",),
        "cells",
    ),
    "a table without its column": Damage(MEMORY_FILE, "| ID | Title |", "| Nr | Title |", ("| Nr |",), "ID"),
    "a budget that does not add up": Damage(
        MEMORY_FILE,
        "tokens (24%)",
        "tokens (84%)",
        ("**Status:** 48000",),
        "84",
    ),
    # The hub, as `validate` sees it: the line of the damage, or that of its entry.
    "an entry without its id": Damage(
        HUB_FILE,
        f"**Session ID:** `{CHILD}`\n",
        "",
        (CHILD_TITLE,),
        "Session ID",
    ),
    "an id that appears twice": Damage(
        HUB_FILE,
        f"**Session ID:** `{CHILD}`",
        f"**Session ID:** `{TWIN}`",
        (CHILD_TITLE, f"`{TWIN}`"),
        TWIN,
        CHILD_TITLE,
    ),
    "an entry that is its own parent": Damage(
        HUB_FILE,
        f"Implementor ({TWIN})",
        f"Tests ({CHILD})",
        (CHILD_TITLE, "**Parent:** Tests"),
        "own parent",
    ),
    "a parent that is not there": Damage(
        HUB_FILE, f"Implementor ({TWIN})", "Implementor (0badf00d)", (CHILD_TITLE, "0badf00d"), "parent"
    ),
    "an entry without its status": Damage(HUB_FILE, "**Status:** waiting\n", "", (CHILD_TITLE,), "Status"),
    "an entry's status that is none": Damage(
        HUB_FILE, "**Status:** waiting", "**Status:** banana", (CHILD_TITLE, "banana"), "banana"
    ),
    "an entry's time that is none": Damage(
        HUB_FILE, "**Started:** 2", "**Started:** yesterday, 2", (CHILD_TITLE, "yesterday"), "Started", CHILD_TITLE
    ),
    "an entry's day that no month has": Damage(
        HUB_FILE,
        f"**Started:** {hours_ago(3)[:7]}",
        f"**Started:** {hours_ago(3)[:4]}-13",
        (CHILD_TITLE, f"{hours_ago(3)[:4]}-13"),
        "Started",
        CHILD_TITLE,
    ),
    "a completed entry among the active ones": Damage(
        HUB_FILE,
        "**Status:** active",
        "**Status:** completed",
        (PARENT_TITLE, "**Status:** completed"),
        "completed",
    ),
    "an active entry in the history": Damage(
        HUB_FILE,
        "**Status:** completed",
        "**Status:** active",
        ("### Git - The branch",),
        "history",
    ),
    "a conflict marker in the hub": Damage(
        HUB_FILE, "**Agent:** tests", CONFLICT.format("**Agent:** tests"), ("<<<<<<< HEAD",), "conflict"
    ),
    "a byte in the hub that is not UTF-8": Damage(
        HUB_FILE, "Cover the importer", "Cover\udcfc the importer", ("**Purpose:** Cover",), "UTF-8"
    ),
}


def damaged(damage: Damage) -> tuple[bytes, set[int]]:
    """Return a file after its damage, and the lines of which one is to be named."""
    text = GOOD[damage.file]()
    at = text.index(damage.start)
    text = text[:at] + swap(text[at:], (damage.old, damage.new))
    lines = {line_of(text, needle, damage.start) for needle in damage.at if needle in text[text.index(damage.start) :]}
    return text.encode("utf-8", "surrogateescape"), lines


def reported(project: Project, name: str) -> list[tuple[int, str]]:
    """Return what audit, or for the hub validate, finds wrong with a file: each with its line."""
    if name != HUB_FILE:
        return [(line, f"{kind}: {words}") for kind, line, words in findings(audited(project, name))]
    found = json.loads(project.cli("validate", "--json").out)
    return [(flaw["line"], f"{flaw['what']}: {flaw['why']}") for flaw in found["findings"]]


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_wrong_with_a_good_file(prepared: Project, name: str) -> None:
    """The files that the damage is done to have no finding, so that what is found is the damage."""
    put(prepared, name, GOOD[name]())
    assert reported(prepared, name) == []


@pytest.mark.parametrize(
    "damage",
    [pytest.param(damage, id=name) for name, damage in DAMAGE.items()],
)
def test_each_kind_of_damage_is_named_with_its_line(prepared: Project, damage: Damage) -> None:
    """One of the findings names the damage, on its line."""
    data, lines = damaged(damage)
    put(prepared, damage.file, data)
    found = reported(prepared, damage.file)
    assert [one for one in found if one[0] in lines and damage.word.casefold() in one[1].casefold()], found
