"""How much has drifted: points, limits, and `holdfast drift`, which says so and writes nothing."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.drift import item
from holdfast.context.drift.item import KINDS, Item
from tests.hazards import shapes
from tests.support import drifting, hooks
from tests.support.drifting import GSD, NAME, child, edit, loop, loops, prompts, task, zone
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here = hooks.here
prepared = drifting.prepared
AGENTS = shapes.AGENTS[1]
DEFAULT = (1, 6, 15)


def items(*reported: tuple[str, int]) -> list[Item]:
    """Return items of these kinds, each about so many things."""
    return [Item(kind, "", "x", names=[str(number) for number in range(count)]) for kind, count in reported]


LIMITS = [
    ((), DEFAULT, "none"),
    ((("budget", 0), ("actions", 3), ("age", 0)), DEFAULT, "none"),
    ((("files", 1),), DEFAULT, "slight"),
    ((("files", 5),), DEFAULT, "slight"),
    ((("files", 6),), DEFAULT, "marked"),
    ((("files", 14),), DEFAULT, "marked"),
    ((("files", 15),), DEFAULT, "severe"),
    ((("files", 3), ("commits", 2)), DEFAULT, "slight"),
    ((("files", 3), ("commits", 3)), DEFAULT, "marked"),
    ((("status", 0), ("task", 0)), DEFAULT, "marked"),
    ((("status", 0), ("status", 0)), DEFAULT, "slight"),
    ((("unfilled", 9), ("files", 2), ("tasks", 1)), DEFAULT, "slight"),
    ((("files", 2),), (3, 4, 5), "none"),
    ((("files", 3),), (3, 4, 5), "slight"),
    ((("files", 4),), (3, 4, 5), "marked"),
    ((("files", 5),), (3, 4, 5), "severe"),
]


@pytest.mark.parametrize(("reported", "limits", "expected"), LIMITS, ids=str)
def test_limits(reported: tuple[tuple[str, int], ...], limits: tuple[int, ...], expected: str) -> None:
    """A severity begins with its limit."""
    assert item.severity(items(*reported), limits) == expected


@pytest.mark.parametrize(("count", "points"), [(3, 0), (4, 1), (7, 1), (8, 2), (300, 75)])
def test_prompts_weigh_little(count: int, points: int) -> None:
    """Four of them are one point."""
    assert Item("prompts", "", str(count), count=count).weight == points


SOME = st.lists(st.tuples(st.sampled_from(list(KINDS)), st.integers(0, 20)), max_size=8)
RISING = st.lists(st.integers(1, 60), min_size=3, max_size=3, unique=True).map(sorted)


@given(SOME, SOME, RISING)
def test_more_is_never_less(some: list[tuple[str, int]], more: list[tuple[str, int]], limits: list[int]) -> None:
    """Whatever comes to a drift, its severity does not fall; nor does it when one more name comes to each item."""
    levels = item.LEVELS.index
    less, whole = items(*some), items(*some, *more)
    grown = items(*((kind, count + 1) for kind, count in some))
    assert item.points(less) <= min(item.points(whole), item.points(grown))
    assert levels(item.severity(less, limits)) <= levels(item.severity(whole, limits))
    assert all(item.weight >= 0 for item in whole)


def drifted(project: Project, files: int) -> None:
    """Let a session have changed so many files that its state file does not mention."""
    paths = [f"src/{number}.py" for number in range(files)]
    drifting.begin(project, AGENTS, *map(edit, paths))
    for path in paths:
        drifting.put(project, path, "new\n")


@pytest.mark.parametrize(
    ("files", "level", "code"), [(0, "none", 0), (1, "slight", 0), (6, "marked", 1), (15, "severe", 1)]
)
def test_the_command(prepared: Project, files: int, level: str, code: int) -> None:
    """Its first line says how much, its check fails from marked on, and `recover` begins with the same."""
    drifted(prepared, files)
    reply = prepared.cli("drift", "--check")
    assert (reply.code, reply.err) == (code, "")
    lines = reply.out.splitlines()
    points = f"{level} ({files} {'point' if files == 1 else 'points'}): {NAME} was compared with what"
    assert lines[0].startswith(f"{points} was measured since 20")
    assert lines[0].endswith("(50 min ago, last written by the model)")
    assert len(lines) == (3 if files else 1)
    if files:
        assert lines[1].startswith("- Files changed and not described: src/")
        assert lines[2] == "Commands that settle them: holdfast recover"
        assert prepared.cli("recover").out.splitlines()[2].startswith(points.capitalize()[:-20])
    assert prepared.cli("drift", "one").code == 0
    assert "holdfast sync" not in reply.out


def test_the_row_is_that_of_recover(prepared: Project) -> None:
    """Programs get the same from both, with severity and points."""
    drifting.put(prepared, ".agents/LOOPS.md", loops(("LOOP-012", "open", "Lineage")))
    drifting.begin(prepared, GSD, task("pending", "Convert"), child(), *prompts(9), zone(2))
    rows = [json.loads(prepared.cli(name, "--json").out) for name in ("drift", "recover")]
    assert rows[0] == rows[1]
    assert rows[0]["severity"] == "marked"
    assert rows[0]["points"] == sum(item["weight"] for item in rows[0]["findings"])
    assert all(item["names"] == [] or item["weight"] for item in rows[0]["findings"] if item["kind"] != "actions")


def test_limits_of_ones_own(prepared: Project) -> None:
    """They are chosen in the file, and over it in the variable; what does not rise is refused."""
    drifted(prepared, 2)
    file = prepared.root / ".agents/holdfast.toml"
    levels = {"": "slight", "drift_limits = [1,2,9]": "marked", "drift_limits = [1,2,2]": "slight"}
    for text, level in levels.items():
        file.write_text(text + "\n")
        reply = prepared.cli("drift")
        assert reply.out.startswith(f"{level} (2 points)")
        assert ("whole numbers from 1 to 1000" in reply.err) == ("[1,2,2]" in text)
    file.write_text("drift_limits = [1,2,9]\n")
    assert prepared.cli("drift", HOLDFAST_DRIFT_LIMITS="3,4,5").out.startswith("none (2 points)")
    assert prepared.cli("drift", HOLDFAST_DRIFT_LIMITS="1, 1, 2").out.startswith("slight (2 points)")


def test_what_has_none(prepared: Project) -> None:
    """A session without a state file, and what is no state file of one piece of work, is reported with what to type."""
    prepared.remember("bare", {"kind": "start", "root": str(prepared.root)}, {"kind": "prompt", "text": "go on"})
    drifting.put(prepared, ".agents/sessions/notes.md", "# Notes\n")
    for ident, reported in (("bare", "holdfast resume bare"), ("notes", "holdfast list --all"), ("nobody", "--all")):
        reply = prepared.cli("drift", ident)
        assert (reply.code, reply.out) == (1, "")
        assert reported in reply.err
    drifting.begin(
        prepared, AGENTS.replace("## Next", "<<<<<<< ours\n## Next").replace("- Try", "=======\n>>>>>>> x\n- Try")
    )
    reply = prepared.cli("drift", "exporter", "--check")
    assert reply.code == 1
    assert reply.out.startswith(f"{NAME} is not compared: ")


def everything(folder: Path) -> dict[str, Any]:
    """Return all files but what holdfast remembers of them for the next time."""
    known = snapshot(folder).items()
    return {name: state for name, state in known if not name.startswith(".git/holdfast") and name != ".git"}


def test_nothing_is_written(prepared: Project) -> None:
    """Neither the state file nor anything of git's, and no fact."""
    drifting.put(prepared, ".agents/LOOPS.md", loops(("LOOP-012", "open", "Lineage")))
    facts = (edit("src/a.py"), edit("gone.py"), task("completed"), child(), *prompts(5), zone(2), loop("open"))
    drifting.begin(prepared, GSD, *facts, transcript=drifting.transcript(prepared, 84_000))
    drifting.put(prepared, "src/a.py", "new\n")
    drifting.commit(prepared, "Work on it")
    before, known = everything(prepared.root), prepared.facts()
    for words in (["drift"], ["drift", "--json"], ["drift", "--check"], ["recover"]):
        assert prepared.cli(*words).out
    assert everything(prepared.root) == before
    assert prepared.facts() == known


def test_without_git_none_is_asked(here: Project, tmp_path: Path) -> None:
    """In a folder that git does not know it is not even started."""
    os.rename(here.root / ".git", tmp_path / "away")
    assert here.cli("init").code == 0
    here.fire("SessionStart")
    assert here.cli("start", "Work", CLAUDE_CODE_SESSION_ID="one").code == 0
    for name in ("a.py", "src/b.py"):
        drifting.put(here, name, "new\n")
        here.edit(name)
    (path,) = here.state_files()
    path.write_text(path.read_text() + "\nb.py, said a person\n")
    spy = tmp_path / "bin/git"
    spy.parent.mkdir()
    spy.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexit 128\n')
    spy.chmod(0o755)
    reply = here.cli("drift", PATH=f"{spy.parent}:{os.environ['PATH']}")
    assert (reply.code, reply.err) == (0, "")
    assert "Files changed and not described: a.py\n" in reply.out
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("begin", [["start", "Read the price list"], []], ids=["by the model", "by holdfast"])
def test_a_session_that_has_just_begun(prepared: Project, begin: list[str]) -> None:
    """A new file, two files edited, a task and some prompts: that is slight, however it began."""
    prepared.fire("SessionStart")
    if begin:
        assert prepared.cli(*begin, CLAUDE_CODE_SESSION_ID="one").code == 0
    for prompt in ("read the price list", "and convert it", "go on"):
        prepared.fire("UserPromptSubmit", prompt=prompt)
    prepared.fire("TaskCreated", task_id="1", task_subject="Convert")
    for path in ("a.py", "b.py"):
        (prepared.root / path).write_text("new\n")
        prepared.edit(path)
    assert prepared.cli("settle").code == 0
    row = json.loads(prepared.cli("drift", "--json").out)
    kinds = {item["kind"] for item in row["findings"]}
    assert {"files", "prompts"} <= kinds
    assert ("unfilled" in kinds) == bool(begin)  # the Context; the rest has holdfast's words
    assert row["severity"] == "slight"


def test_what_a_session_does_with_loops(prepared: Project) -> None:
    """Its own commands are its facts; those of a person, or of an unknown shell, are not."""
    path = prepared.write_state()
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    beside = prepared.store / "one.jsonl"
    beside.touch()
    for words, whose in (
        (("add", "Which rate counts"), "one"),
        *((("add", f"Lineage of {other}"), other) for other in (None, "nobody", "../one")),
        (("explore", "1"), "one"),
        *((("close", "1", "--outcome", "The one of the day"), "one") for _ in range(2)),
    ):
        assert prepared.cli("loop", *words, CLAUDE_CODE_SESSION_ID=whose).code == 0
    facts = [(fact["id"], fact["status"], fact["title"]) for fact in prepared.facts(kind="loop")]
    assert facts == [("LOOP-001", status, "Which rate counts") for status in ("open", "clarifying", "closed")]
    assert drifting.found(prepared, "loops") == ["Loops: LOOP-001: Which rate counts (closed)"]
    assert beside.read_bytes() == b""


def test_a_zone_that_was_crossed(prepared: Project) -> None:
    """The prompt at which the budget is in another zone notes it once, whichever way it went."""
    path = prepared.write_state()
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    for used in (10_000, 84_000, 86_000, 10_000):
        prepared.fire("UserPromptSubmit", transcript_path=drifting.transcript(prepared, used))
    assert [fact["zone"] for fact in prepared.facts(kind="zone")] == [2, 0]
    (words,) = drifting.found(prepared, "zone")
    assert words == "Budget zone: comfortable → warning (crossed just now)"
    assert prepared.log == []
