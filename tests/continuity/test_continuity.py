"""The measure of continuity itself: its stories can be read, and a short one is played to its end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from . import count, script, transcripts
from .__main__ import SESSIONS, keep
from .direct import Direct
from .project import Project

if TYPE_CHECKING:
    from pathlib import Path

STORIES = sorted(SESSIONS.glob("[0-9]*.md"))
STORY = """\
@@ session feat/tides
@@ user
Read the tide tables of the harbour
@@ plan rejected
# Read them from the web

> no network in the harbour office
@@ task Read the tables
@@ write tides.py
TABLES = []
@@ agent Explore: Look for tables
They are in data/.
@@ bash git add -A && git commit -q -m "Begin the tide tables"
@@ done Read the tables
@@ answer
The tables are read. Which gauge is right after a storm?
@@ compact
We read the tide tables.
@@ user
I ask the harbour master
@@ ask
Unit: Which unit?
- metres
- feet
> metres
@@ edit tides.py
TABLES = []
=>
TABLES = [1]
@@ answer
Soundings come next.
"""
FACTS = """\
objective | The tide tables are read. | tide tables
next | Soundings come next. | soundings
dead end | Nothing of the sort was said. | no such words
"""


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_each_fact_is_said_in_its_story(path: Path) -> None:
    """A term that no text can have would count against every carrier."""
    story = script.read(path)
    assert len(story.facts) == 10
    assert [fact.sentence for fact in story.facts if not fact.is_in(path.read_text())] == []
    assert all(turn.answer for session in story.sessions for turn in session.turns)


@pytest.mark.processes
@pytest.mark.parametrize("way", ["shared", "private"])
def test_a_short_story_is_played_and_counted(tmp_path: Path, plugin_copy: Path, packages: Path, way: str) -> None:
    """Each kind of step reaches the hooks, and each carrier is kept as a file."""
    story = script.Story("tides", script.sessions(script.steps(STORY)), script.facts(FACTS))
    project = Project(tmp_path / "play", plugin_copy, packages, way)
    carriers = Direct(project).play(story)
    assert (project.folder / "tides.py").read_text() == "TABLES = [1]\n"
    assert len(carriers.state) == 1
    assert "tides.py" in carriers.state[0]
    assert carriers.brief.startswith("<holdfast-")
    assert carriers.compacted[0].startswith("We read the tide tables.\n\n<holdfast-")
    assert "tides.py" in carriers.hand_over
    table: count.Table = {}
    count.add(table, story, carriers)
    whole = table["prompts and answers"]["all"]
    assert (whole.present, whole.of) == (2, 3)
    assert whole.missing == ["tides: Nothing of the sort was said."]
    keep(tmp_path / "out", story, carriers)
    kept = {path.name for path in (tmp_path / "out").iterdir()}
    assert kept == {
        *("state-file.md", "brief.md", "hand-over.md", "after-compaction.md", "summary-alone.md", "facts.txt"),
    }


def test_a_transcript_is_read_as_a_story(tmp_path: Path) -> None:
    """Prompts, answers, commits and reports are taken; what the client says to itself and other commands are not."""
    use = {"type": "tool_use", "id": "t1", "name": "Bash"}
    agent = {
        "type": "tool_use",
        "id": "t2",
        "name": "Agent",
        "input": {"subagent_type": "Explore", "description": "Look"},
    }
    told = [
        ("user", "Read the tables"),
        ("user", "<command-name>/clear</command-name>"),
        ("assistant", [{"type": "text", "text": "I look."}]),
        ("assistant", [{**use, "input": {"command": "rm -rf /"}}]),
        ("assistant", [{**use, "input": {"command": "git add -A && git commit -m 'Read them'"}}]),
        ("assistant", [agent]),
        ("user", [{"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "In data/."}]}]),
        ("assistant", [{"type": "text", "text": "Done."}]),
    ]
    lines = [{"type": role, "message": {"role": role, "content": content}, "cwd": "/p"} for role, content in told]
    (tmp_path / "one.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "one.facts").write_text(FACTS)
    (story,) = transcripts.read(tmp_path)
    (turn,) = story.sessions[0].turns
    assert (turn.prompt, turn.answer) == ("Read the tables", "Done.")
    assert [(step.kind, step.head, step.text) for step in turn.steps] == [
        ("answer", "", "I look."),
        ("bash", "git add -A && git commit -q --allow-empty -m 'Read them'", ""),
        ("agent", "Explore: Look", "In data/."),
        ("answer", "", "Done."),
    ]
