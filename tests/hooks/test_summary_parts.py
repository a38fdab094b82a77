"""What the summary of a compaction says by its sections, or in its `<state>` block, reaches state file and brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.journal import conversation, dialogs, said
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

NUMBERED = """<analysis>We talked.</analysis>
<summary>
1. Primary Request and Intent:
   The user wants the tax table cached.
2. Key Technical Concepts:
   - LRU
3. Files and Code Sections:
   1. src/tax.py
4. Errors and fixes:
   - Redis was tried and given up because the cluster forbids it.
   - A typo in the import was corrected.
5. Problem Solving:
   The leak was the logger.
6. All user messages:
   - "do it for Mrs Miller"
7. Pending Tasks:
   - Measure the hit rate
8. Current Work:
   The cache is wired into the importer.
9. Optional Next Step: Write the eviction test
</summary>"""
BLOCK = """<analysis>Thought.
<state>
objective: Cache the tax table
decision: LRU in the process, because the cluster forbids Redis
- **Dead end:** A cache on disk, the lock took longer than the read
next: Write the eviction test
question: How long may an entry live?
preference: Never mock the clock
</state>
</analysis>
<summary>
We cached the tax table.
</summary>"""
PROSE = "<summary>\nWe worked on the cache.\n1. Fast\n2. Small\n3. Tested\n</summary>"


def _compacted(project: Project, summary: str) -> None:
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt="cache the tax table in the importer")
    project.edit("src/tax.py")
    project.fire("Stop", last_assistant_message="The first half is in.")
    project.fire("PreCompact")
    project.fire("PostCompact", compact_summary=summary)
    project.fire("SessionStart", source="compact")
    project.fire("UserPromptSubmit", prompt="go on")
    project.fire("Stop", last_assistant_message="The cache is there.")
    project.fire("SessionEnd")
    project.settled()


def _brief(project: Project) -> str:
    return project.fire("SessionStart", "two").context


def test_numbered_sections_reach_the_next_session(prepared: Project) -> None:
    """Request, next step and pending tasks; of the errors only what was given up, of the messages nothing."""
    _compacted(prepared, NUMBERED)
    brief = _brief(prepared)
    assert "Objective: The user wants the tax table cached." in brief
    assert "Named as next earlier: Write the eviction test; Measure the hit rate" in brief
    assert "Redis was tried and given up because the cluster forbids it." in brief
    assert brief.count("Write the eviction test") == 1
    assert "typo" not in brief
    assert "Miller" not in brief
    (file,) = prepared.state_files()
    assert "- Write the eviction test\n- Measure the hit rate\n" in file.read_text()
    assert "Miller" not in file.read_text()


def test_the_state_block_reaches_the_next_session(prepared: Project) -> None:
    """Each of its lines, in the words of the summariser."""
    _compacted(prepared, BLOCK)
    brief = _brief(prepared)
    assert "Objective: Cache the tax table\n" in brief
    for label in ("decision", "dead end", "next", "preference"):
        (text,) = said.summary_parts("\n".join(dialogs.summary_lines(BLOCK)))[label]
        assert text in brief, label
    (file,) = prepared.state_files()
    text = file.read_text()
    assert "LRU in the process, because the cluster forbids Redis" in text
    assert "A cache on disk, the lock took longer than the read" in text
    assert "Never mock the clock" not in text  # what a user prefers stays out of a file that is committed


def test_what_is_being_done_counts_until_the_next_answer(prepared: Project) -> None:
    """A session that ends right after its compaction says what the summary says of the present work."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="cache the tax table in the importer")
    prepared.edit("src/tax.py")
    prepared.fire("Stop", last_assistant_message="The first half is in.")
    prepared.fire("PostCompact", compact_summary=NUMBERED)
    prepared.fire("SessionEnd")
    prepared.settled()
    assert "The cache is wired into the importer." in _brief(prepared)


@pytest.mark.parametrize("summary", [PROSE, "", "<summary></summary>", "next: " * 3, BLOCK.replace("state>", "stat>")])
def test_of_prose_nothing_is_invented(summary: str) -> None:
    """A list in prose is no list of sections."""
    assert dialogs.summary_lines(summary) == []


@pytest.mark.parametrize("none", ["None", "- None.", "No pending tasks.", "N/A", "Nothing is pending."])
def test_a_section_that_says_none_is_empty(none: str) -> None:
    """Whatever the words."""
    found = dialogs.summary_lines(NUMBERED.replace("- Measure the hit rate", none))
    assert not any(line.startswith("pending") for line in found)


@pytest.mark.parametrize(
    ("section", "steps"),
    [
        ("Write the eviction test", ["Write the eviction test"]),
        (
            '**Next step**: Restart it.\n**Direct quote from conversation**:\nUser: "go, on three" (on three machines)',
            ["Restart it."],
        ),
        (
            'Direct quotes:\n- "and then the test"\n**What is to be done**:\n1. Stop it\n2. Start it',
            ["Stop it", "Start it"],
        ),
        ('Rename "hit" to "found"', ['Rename "hit" to "found"']),
    ],
)
def test_a_lead_and_a_quote_are_no_step(section: str, steps: list[str]) -> None:
    """Only what they introduce, or prove, is one."""
    found = said.summary_parts("\n".join(dialogs.summary_lines(NUMBERED.replace("Write the eviction test", section))))
    assert found[conversation.STEP] == steps


def test_a_prompt_without_an_answer_makes_no_old_summary_new(prepared: Project) -> None:
    """What was answered since the summary counts, also when the last prompt waits for its answer."""
    _compacted(prepared, NUMBERED)
    prepared.fire("SessionStart", source="resume")
    prepared.fire("UserPromptSubmit", prompt="and the docs?")
    prepared.fire("SessionEnd")
    prepared.settled()
    (file,) = prepared.state_files()
    assert "since then" not in file.read_text()
    assert "The cache is wired into the importer." not in _brief(prepared)


def test_headings_in_another_language(prepared: Project) -> None:
    """The numbers decide where all sections are there."""
    text = "\n".join(f"## {number}. 節\n内容{number}" for number in range(1, 10))
    _compacted(prepared, f"<summary>\n{text}\n</summary>")
    assert "Objective: 内容1" in _brief(prepared)


def test_the_summariser_is_asked_for_the_block(prepared: Project) -> None:
    """After the facts, in its analysis; a person who types /compact reads one line, without it."""
    prepared.fire("SessionStart")
    prepared.edit("src/tax.py")
    assert "<state>\nobjective: " in prepared.fire("PreCompact").out
