"""A compaction as its hooks see it: what the summariser reads, what is kept, and what comes back."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from holdfast.context.compaction import snapshots
from tests.support import hooks
from tests.support.hooks import Claude

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
STATE = """---
session:
  title: "Exporter"
  status: in_progress
  created: "2026-11-20T14:30:00Z"
  last_updated: "2026-11-20T15:00:00Z"

orchestration:
  current_task: "Write the upload step"
  spawned_agents: []
---

# Session: Exporter

## Context

Prices reach the bucket every night.

## Current State

The price list is read.

## Next Steps

- Sign the upload
- Ask Mara about the quota

## Decisions

- Keep the cents: rounding lost money
- One file a shop

## Open Questions

- Which region
"""
NAME = ".agents/sessions/20261120-143000-exporter.md"
FILES = ("src/upload.py", "src/sign.py", "src/quota.py")
KEPT = (
    *(NAME, "Focus: Write the upload step", "Next steps: Sign the upload; Ask Mara about the quota"),
    *("Decisions: Keep the cents: rounding lost money; One file a shop", "Open questions: Which region"),
    "Objective: Prices reach the bucket every night.",
    *FILES,
)
MENTIONS = (
    "Write the upload step. Sign the upload. Ask Mara about the quota. Keep the cents. One file a shop. Which region. "
    "Prices reach the bucket every night. src/upload.py, src/sign.py, src/quota.py. See 20261120-143000-exporter.md"
)


def begun(project: Project, state: str = STATE) -> Path:
    """Let a session have a state file, which it wrote, and three files that it changed after that; it is settled."""
    path = project.root / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(state)
    project.fire("SessionStart")
    project.edit(str(path))
    for name in FILES:
        (project.root / name).parent.mkdir(exist_ok=True)
        (project.root / name).write_text("pass\n")
        project.edit(name)
    assert project.cli("settle", "--session", "one").code == 0
    return path


def compact(project: Project, summary: str, trigger: str = "auto") -> Reply:
    """Fire what a compaction fires, in its order, and return what the start was answered with."""
    project.fire("PreCompact", trigger=trigger)
    tagged = f"<analysis>\nLooking at it.\n</analysis>\n\n<summary>\n{summary}\n</summary>"
    project.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message=tagged)
    reply = project.fire("SessionStart", source="compact")
    assert project.fire("PostCompact", trigger=trigger, compact_summary=tagged).out == ""
    return reply


def left_out(reply: Reply) -> list[str]:
    """Return the lines of what came back because the summary left it out."""
    _, found, rest = reply.context.partition("## Left out by the summary\n")
    return rest.partition("\n\n")[0].splitlines()[1:] if found else []


def test_the_summariser_learns_what_to_keep(prepared: Project) -> None:
    """What the state file says, and what it does not say yet, are there as plain text of at most 4,000 characters."""
    path = begun(prepared)
    reported = prepared.fire("PreCompact").out
    for words in KEPT:
        assert words in reported
    assert (
        reported.index("State file")
        < reported.index("Focus")
        < reported.index("src/upload.py")
        < reported.index("Objective")
    )
    assert re.search(r"As of 20\d\d-\d\d-\d\dT[\d:]+Z; later messages may say more\.", reported)
    assert len(reported) <= 4000
    assert not reported.startswith("{")
    assert "- `src/upload.py`" in path.read_text()  # settled by then


def test_what_the_state_file_mentions_is_no_news(prepared: Project) -> None:
    """A file that the state file mentions is not named once more."""
    begun(prepared, STATE.replace("The price list is read.", "The list is read; src/sign.py signs."))
    reported = prepared.fire("PreCompact").out
    assert "src/upload.py" in reported
    assert "src/sign.py" not in reported


def test_what_was_answered_since_the_file_was_written_is_not_kept_open(prepared: Project) -> None:
    """No settle has read the answer yet; what the file calls open besides stays."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Write the upload step for the prices")
    prepared.edit("src/upload.py")
    asked = "The upload is written. Next: sign the upload.\n\nWhich region does the bucket of the prices belong to?"
    prepared.fire("Stop", last_assistant_message=asked)
    assert prepared.cli("settle", "--session", "one").code == 0
    (path,) = prepared.state_files()
    assert "Which region" in path.read_text()
    assert "Which region" in prepared.fire("PreCompact").out
    prepared.settled("one")
    prepared.fire("UserPromptSubmit", prompt="Frankfurt, because the contract says so")
    open_lines = [
        line
        for line in prepared.fire("PreCompact").out.splitlines()
        if line.startswith(("Next steps: ", "Open question"))
    ]
    assert "sign the upload" in " ".join(open_lines).lower()
    assert "Which region" not in " ".join(open_lines)


def test_however_much_there_is_the_rest_is_counted(prepared: Project) -> None:
    """Of hundreds of files those that fit are named, and no other line is lost to them."""
    path = begun(prepared)
    prepared.remember("one", *({"kind": "edit", "path": f"src/part_{n}.py", "root": ""} for n in range(400)))
    for number in range(400):
        (prepared.root / f"src/part_{number}.py").touch()
    reported = prepared.fire("PreCompact").out
    assert len(reported) <= 4000
    for words in KEPT[1:6]:
        assert words in reported
    (line,) = [line for line in reported.splitlines() if line.startswith("Files changed")]
    assert int(line.rpartition(" and ")[2].partition(" more")[0]) + line.count(".py") == 403
    assert path.exists()


def test_what_the_summary_left_out_comes_back_and_nothing_else(prepared: Project) -> None:
    """The state file is there whole, then exactly what neither it nor the summary mentions."""
    begun(prepared)
    reply = compact(prepared, MENTIONS.replace("src/sign.py", "").replace("Keep the cents. ", ""))
    assert f"## This session's state file: {NAME}" in reply.context
    assert "> - Ask Mara about the quota" in reply.context
    assert "Keep the cents" in reply.context
    assert left_out(reply) == ["- Files changed, which the state file does not describe: src/sign.py"]
    assert reply.message == "holdfast: the state file is in the context again"


def test_a_summary_that_has_all_of_it_brings_nothing_back(prepared: Project) -> None:
    """Then the state file alone comes back."""
    begun(prepared)
    reply = compact(prepared, MENTIONS)
    assert "Left out" not in reply.context
    assert "> - Ask Mara about the quota" in reply.context
    assert reply.message == "holdfast: the state file is in the context again"


def test_of_two_summaries_the_last_one_counts(prepared: Project) -> None:
    """A client that is not content with a summary asks for another one before the session starts anew."""
    begun(prepared)
    prepared.fire("PreCompact")
    for words in ("nothing at all", f"<summary>{MENTIONS}</summary>"):
        prepared.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message=words)
    assert left_out(prepared.fire("SessionStart", source="compact")) == []


def test_without_a_summary_all_that_was_given_comes_back(prepared: Project) -> None:
    """A client that does not report its summary in time gets it all: rather twice than never. It is kept afterwards."""
    begun(prepared)
    prepared.fire("PreCompact")
    reply = prepared.fire("SessionStart", source="compact")
    assert "## Given to the summariser" in reply.context
    assert reply.context.count("Ask Mara about the quota") == 1  # in the state file
    prepared.fire("PostCompact", compact_summary="<summary>Late.</summary>")
    (found,) = snapshots.of(str(prepared.store), "one")
    assert "Late." in found.summary


def test_of_a_summary_that_no_model_says_the_beginning_counts(prepared: Project) -> None:
    """What is in the first megabyte is known; what is beyond it may be reported a second time, but never left out."""
    begun(prepared)
    prepared.fire("PreCompact")
    secret = "ghp_" + "a1B2" * 9
    long = f"<summary>{MENTIONS.replace('src/sign.py', '')} ".ljust((1 << 20) - 20, "-")
    reported = f"{long} {secret} src/sign.py</summary>"
    prepared.fire("PostCompact", compact_summary=reported)
    (found,) = snapshots.of(str(prepared.store), "one")
    assert "ghp_" not in found.summary
    back = left_out(prepared.fire("SessionStart", source="compact"))
    assert back == ["- Files changed, which the state file does not describe: src/sign.py"]


@pytest.mark.parametrize("limit", [1000, 2000, 9500])
def test_what_comes_back_keeps_within_the_brief(prepared: Project, limit: int) -> None:
    """However much was left out, state file and it share the brief, and what was cut is counted."""
    begun(prepared)
    prepared.remember("one", *({"kind": "edit", "path": f"src/part_{n}.py"} for n in range(300)))
    for number in range(300):
        (prepared.root / f"src/part_{number}.py").touch()
    prepared.fire("PreCompact")
    prepared.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message="<summary>-</summary>")
    data = json.dumps(prepared.payload("SessionStart", source="compact")).encode()
    reply = prepared.send("SessionStart", data, "one", HOLDFAST_BRIEF_CHARACTERS=str(limit))
    assert len(reply.context) <= limit
    assert f"## This session's state file: {NAME}" in reply.context
    reported = left_out(reply)
    assert any(line.startswith("- Files changed") and line.endswith(" more") for line in reported) or (
        limit == 1000 and reported[-1].startswith("- not shown for length: ")
    )


def test_nothing_comes_back_twice(prepared: Project) -> None:
    """What came back with one start is not reported again by the next, which has no compaction before it."""
    begun(prepared)
    assert left_out(compact(prepared, "Nothing."))
    assert "Left out" not in prepared.fire("SessionStart", source="resume").context
    assert "Left out" not in prepared.fire("SessionStart", source="compact").context


def test_a_session_without_a_state_file_keeps_what_it_did(here: Project) -> None:
    """Where no state file is kept, files, tasks and subagents are reported all the same, and no file appears."""
    here.fire("SessionStart")
    here.edit("src/a.py")
    here.fire("TaskCreated", task_subject="Read the list")
    here.fire("SubagentStart", agent_id="a900", agent_type="Explore")
    reported = here.fire("PreCompact").out
    for words in ("Files changed: src/a.py", "Tasks: Read the list (pending)", "Explore a900"):
        assert words in reported
    here.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message="<summary>src/a.py</summary>")
    reply = here.fire("SessionStart", source="compact")
    assert left_out(reply) == ["- Tasks: Read the list (pending)", "- Subagents still running: Explore a900"]
    assert here.git("status", "--porcelain") == ""


def test_nothing_to_tell(prepared: Project) -> None:
    """A session that did nothing has nothing to keep."""
    prepared.fire("SessionStart")
    assert prepared.fire("PreCompact").out == ""
    assert prepared.fire("PreCompact", "nobody").out == ""


def test_a_person_who_compacts_reads_one_line(prepared: Project) -> None:
    """The client prints it in the terminal: it has no tags, names this session's work, and the start adds nothing."""
    begun(prepared)
    other = Claude(prepared)
    other.fire("SessionStart", "two")
    other.fire("PostToolUse", "two", tool_input={"file_path": "src/others.py"})
    line = prepared.fire("PreCompact", trigger="manual").out
    other.kill()
    assert line.startswith("Keep: ")
    assert "Write the upload step" in line
    assert len(line) <= 75
    assert not [sign for sign in ("\n", "<", "holdfast", "others", str(prepared.root)) if sign in line]
    reply = compact(prepared, "Nothing of it.", trigger="manual")
    assert any(line.endswith("does not describe: src/quota.py, src/sign.py, src/upload.py") for line in left_out(reply))
    assert reply.message == ""


def test_marked_drift_is_warned_of(prepared: Project) -> None:
    """How far this session's file is behind, and how many others changed files lately; nothing while it is slight."""
    begun(prepared)
    assert "is behind" not in prepared.fire("PreCompact").out
    for number in range(8):
        (prepared.root / f"src/{number}.py").write_text("pass\n")
        prepared.edit(f"src/{number}.py")
    prepared.fire("SessionStart", "two")
    prepared.edit("src/others.py", "two")
    warning = "The state file is behind: marked drift, 11 points; 1 other session changed files lately.\n"
    assert warning in prepared.fire("PreCompact").out
    line = prepared.fire("PreCompact", trigger="manual").out
    assert line.startswith("State file is behind. Keep: ")
    assert len(line) <= 75


def test_a_subagents_own_compaction_is_none_of_the_sessions(prepared: Project) -> None:
    """What a subagent's context is about is not its parent's work."""
    begun(prepared)
    assert prepared.fire("PreCompact", agent_id="a900", agent_type="Explore").out == ""
    assert snapshots.of(str(prepared.store), "one") == []


SEVERE = {"HOLDFAST_DRIFT_LIMITS": "1,2,3"}


def pre_compact(project: Project, **changes: Any) -> Reply:
    """Fire PreCompact with variables set."""
    trigger = changes.pop("trigger", "manual")
    data = json.dumps(project.payload("PreCompact", trigger=trigger)).encode()
    return project.send("PreCompact", data, "one", **changes)


@pytest.mark.parametrize("guard", ["steer", "off"])
def test_nothing_stops_a_compaction(prepared: Project, guard: str) -> None:
    """Not even severe drift; `off` also says nothing."""
    begun(prepared)
    reported = pre_compact(prepared, HOLDFAST_COMPACT_GUARD=guard, **SEVERE).out
    assert not reported.startswith("{")
    assert bool(reported) == (guard != "off")
    if guard == "off":
        assert "Left out" not in compact_rest(prepared).context


def compact_rest(project: Project) -> Reply:
    """Fire what follows PreCompact, with a summary that mentions nothing."""
    project.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message="<summary>-</summary>")
    return project.fire("SessionStart", source="compact")


def test_what_cannot_be_kept_is_reported_all_the_same(prepared: Project) -> None:
    """A store that takes no snapshot, and a lock that is held, are no reason to leave the summariser alone."""
    begun(prepared)
    (prepared.store / "snapshots").write_text("in the way")
    assert "src/sign.py" in prepared.fire("PreCompact").out
    assert any("snapshots" in line for line in prepared.log)
    assert f"## This session's state file: {NAME}" in compact_rest(prepared).context


def test_a_lock_that_another_process_holds(prepared: Project) -> None:
    """Then the file is settled in the background, and the summariser learns what is measured all the same."""
    begun(prepared)
    with prepared.busy(), FileLock(prepared.store / "lock"):
        assert "src/sign.py" in prepared.fire("PreCompact").out


def test_a_file_in_conflict_is_read_as_far_as_it_goes(prepared: Project) -> None:
    """What cannot be compared is reported by the journal alone."""
    path = begun(prepared)
    path.write_text(STATE.replace("- One file a shop", "<<<<<<< ours\n- One\n=======\n- Two\n>>>>>>> theirs"))
    reported = prepared.fire("PreCompact").out
    assert NAME in reported
    assert "src/sign.py" in reported


def test_secrets_do_not_reach_the_summariser_or_a_snapshot(prepared: Project) -> None:
    """What looks like a secret is masked in what is reported and in the summary that is kept."""
    secret = "sk-ant-api03-" + "x" * 40
    begun(prepared, STATE.replace("Which region", f"Which region, key {secret}"))
    assert secret not in prepared.fire("PreCompact").out
    prepared.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message=f"<summary>{secret}</summary>")
    reply = prepared.fire("SessionStart", source="compact")
    assert secret not in reply.context
    (found,) = snapshots.of(str(prepared.store), "one")
    assert secret not in found.summary + json.dumps(found.facts)


def test_two_sessions_are_compacted_side_by_side(prepared: Project) -> None:
    """Each gets its own back, whatever the order in which they are done."""
    begun(prepared)
    other = Claude(prepared)
    other.fire("SessionStart", "two")
    (prepared.root / "src/other.py").touch()
    other.fire("PostToolUse", "two", tool_input={"file_path": "src/other.py"})
    prepared.fire("PreCompact")
    other.fire("PreCompact", "two")
    other.fire("SubagentStop", "two", agent_id="c2", agent_type="", last_assistant_message="<summary>x</summary>")
    prepared.fire("SubagentStop", agent_id="c1", agent_type="", last_assistant_message=f"<summary>{MENTIONS}</summary>")
    assert left_out(prepared.fire("SessionStart", source="compact")) == []
    assert any("src/other.py" in line for line in left_out(other.fire("SessionStart", "two", source="compact")))
    other.kill()


def test_the_store_is_private(prepared: Project) -> None:
    """Snapshots hold what a state file says, so that only their owner may look into them, and git never sees them."""
    begun(prepared)
    prepared.fire("PreCompact")
    (found,) = snapshots.of(str(prepared.store), "one")
    assert os.stat(found.folder).st_mode & 0o777 == 0o700
    assert ".git/" in found.folder


def test_what_happened_in_a_worktree_is_looked_for_there(prepared: Project) -> None:
    """Whoever resumes in a worktree began in the main working tree: what counts is where Claude stands now."""
    prepared.fire("SessionStart")
    prepared.fire("PostToolUse", tool_input={"file_path": "src/first.py"})
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", "-b", "feat/signing", str(tree))
    (tree / "src").mkdir()
    (tree / "src/signed.py").touch()
    prepared.edit(str(tree / "src/signed.py"), cwd=str(tree))
    reported = prepared.fire("PreCompact", cwd=str(tree)).out
    assert "src/signed.py" in reported
    (one,) = snapshots.of(str(prepared.store), "one")
    assert one.facts["branch"] == "feat/signing"


def test_a_state_file_that_is_gone_can_be_had_back(prepared: Project) -> None:
    """Who deleted it by mistake learns how to get it back; one that is there is not described."""
    path = begun(prepared)
    assert "is gone" not in compact(prepared, "-").message
    (one,) = snapshots.of(str(prepared.store), "one")
    path.unlink()
    assert f"holdfast restore {one.name}" in compact(prepared, "-").message
