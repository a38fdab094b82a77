"""Somebody saves the hub right after an update: from an older copy, which loses it, or to take it back on purpose."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks
from tests.support.updates import HISTORY, entries, put, read, update

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
NAME = ".agents/SESSION-STATE.md"
HUB = f"""\
# Session State

Ours.

## Active Sessions

### Git - Prices
**Session ID:** `a-1`
**Started:** 2025-10-17 16:00 UTC
**Status:** active
**Purpose:** Read prices

{HISTORY}

### Tests - Old
**Session ID:** `h-1`
**Started:** 2025-10-16 16:00 UTC
**Completed:** 2025-10-16 17:00 UTC
**Status:** completed
"""
NOTE = "A note of mine."
NEW = ("action=started", "agent=tests", "session_id=new-1", "purpose=ACKED")
MORE = ("action=started", "agent=tests", "session_id=new-2", "purpose=More")
GOES_ON = ("action=in_progress", "session_id=a-1", "context=said:ACKED")
PAUSED = ("action=paused", "session_id=a-1", "context=said:ACKED")
# What somebody changes in a copy, by its place.
EDITS = {
    "at the top": ("Ours.", f"Ours.\n\n{NOTE}"),
    "under the heading of the active ones": ("## Active Sessions\n", f"## Active Sessions\n\n{NOTE}\n"),
    "in an entry": ("Read prices", f"Read prices. {NOTE}"),
    "in the history": (
        f"{HISTORY}\n",
        f"{HISTORY}\n\n### Git - {NOTE}\n**Session ID:** `h-2`\n",
    ),
    "at the end": ("17:00 UTC\n**Status:** completed\n", f"17:00 UTC\n**Status:** completed\n\n{NOTE}\n"),
}


def save(project: Project, text: str, *, earlier: float = 0.0) -> None:
    """Save the hub by a rename, as most editors do; its text was written so many seconds earlier."""
    path = project.root / NAME
    path.with_name("new").write_text(text)
    os.utime(path.with_name("new"), (time.time() - earlier,) * 2)
    path.with_name("new").replace(path)


def edited(text: str, edit: tuple[str, str]) -> str:
    """Return a text with an edit, which fits."""
    assert edit[0] in text
    return text.replace(*edit, 1)


@pytest.mark.parametrize("committed", [False, True], ids=["", "committed at once"])
@pytest.mark.parametrize("given", [NEW, GOES_ON, PAUSED], ids=["new", "goes on", "paused"])
@pytest.mark.parametrize("place", EDITS)
def test_what_an_older_copy_takes_back_is_written_again(
    prepared: Project, place: str, given: tuple[str, ...], *, committed: bool
) -> None:
    """Wherever the copy was edited: the acknowledged update is in the hub again, and the edit stays."""
    put(prepared, HUB)
    update(prepared, *given)
    save(prepared, edited(HUB, EDITS[place]), earlier=5.0)
    if committed:
        prepared.git("commit", "--quiet", "--all", "--message", "all")
    update(prepared, *MORE)
    text = read(prepared)
    assert "ACKED" in text
    assert NOTE in text
    assert "new-2" in entries(text)
    assert entries(text)["a-1"].fields["Status"] == ("paused" if given == PAUSED else "active")


@pytest.mark.parametrize("place", EDITS)
def test_of_two_updates_in_one_minute_the_one_that_a_copy_lacks_is_written_again(prepared: Project, place: str) -> None:
    """The copy was read between them and is saved after both: no time in it is earlier."""
    put(prepared, HUB)
    update(prepared, *NEW)
    between = edited(read(prepared), EDITS[place])
    update(prepared, "action=in_progress", "session_id=new-1", "context=files_modified:[src/a.py] said:LATER")
    save(prepared, between)
    update(prepared, *MORE)
    text = read(prepared)
    assert "LATER" in text
    assert NOTE in text
    assert "new-2" in entries(text)


def _without(text: str, ident: str) -> str:
    """Return a hub without an entry."""
    blocks = text.split("\n### ")
    left = [block for block in blocks if f"`{ident}`" not in block]
    gone = next(block for block in blocks if f"`{ident}`" in block)
    tail = gone[gone.index("\n## ") :] if "\n## " in gone else ""
    return "\n### ".join(left[:2]) + "\n" + tail + "".join(f"\n### {block}" for block in left[2:])


def _noted(text: str) -> str:
    return edited(text, EDITS["under the heading of the active ones"])


# What somebody does to a hub whose latest updates he has read, by the updates: what is meant stays.
PURPOSES: dict[str, tuple[tuple[tuple[str, ...], ...], Callable[[str], str]]] = {
    "the entry taken out": ((NEW,), lambda text: _without(text, "new-1")),
    "the hub as it was, with other blank lines": ((NEW,), lambda text: HUB.replace("\n\n", "\n\n\n")),  # noqa: ARG005 - the others take the text as it is
    "one of two entries taken out, and a note": ((NEW, MORE), lambda text: _noted(_without(text, "new-1"))),
    "the status set back, and a note": ((PAUSED,), lambda text: _noted(_back(text))),
    "the context taken out, and a note": ((GOES_ON,), lambda text: _noted(_told_nothing(text))),
    "the entry of an update rewritten": ((NEW,), lambda text: _noted(text.replace("ACKED", "Mine"))),
}


def _back(text: str) -> str:
    return edited(_told_nothing(text), ("**Status:** paused", "**Status:** active"))


def _told_nothing(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "ACKED" not in line)


@pytest.mark.parametrize("case", PURPOSES)
def test_what_is_taken_back_on_purpose_stays_so(prepared: Project, case: str) -> None:
    """Nothing but what was read is changed on purpose: the hub stays as it was saved, with the next update."""
    given, change = PURPOSES[case]
    put(prepared, HUB)
    for one in given:
        update(prepared, *one)
    save(prepared, change(read(prepared)))
    before = entries(read(prepared))
    assert "ACKED" not in read(prepared)
    update(prepared, "action=started", "agent=tests", "session_id=later", "purpose=Later")
    after = entries(read(prepared))
    assert "ACKED" not in read(prepared)
    assert {ident: one for ident, one in after.items() if ident != "later"} == before


@pytest.mark.parametrize(
    "commands",
    [
        ["checkout --quiet HEAD -- .agents"],
        ["checkout --quiet HEAD~1 -- .agents"],
        ["checkout --quiet HEAD~1 -- .agents", "commit --quiet --all --message back"],
        ["restore --source=HEAD~1 .agents"],
        ["restore --source=HEAD~1 .agents", "commit --quiet --all --message back"],
        ["reset --quiet --hard HEAD~1"],
        ["reset --quiet --hard", "revert --no-edit HEAD"],
        ["reset --quiet --hard", "checkout --quiet other"],
        ["reset --quiet --hard", "merge --quiet --no-edit other"],
        ["reset --quiet --hard", "rebase --quiet other"],
        ["reset --quiet --hard", "cherry-pick other"],
    ],
    ids=", ".join,
)
def test_what_git_writes_right_after_an_update_is_meant(prepared: Project, commands: list[str]) -> None:
    """A version with other texts and without the update is no older copy if git wrote it."""
    put(prepared, HUB)
    prepared.git("checkout", "--quiet", "-b", "other")
    put(prepared, edited(HUB, ("Ours.", "Ours and theirs.")))
    prepared.git("checkout", "--quiet", "main")
    put(prepared, edited(HUB, ("Read prices", "Read all prices")))
    update(prepared, *NEW)
    for command in commands:
        prepared.git(*command.split())
    assert "ACKED" not in read(prepared)
    update(prepared, *MORE)
    assert "ACKED" not in read(prepared)
