"""`holdfast recover` and the prompt "update artifacts": the report on a state file, for people, programs and Claude."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.context import reminder
from holdfast.context.drift import report as recovery
from holdfast.context.drift.item import KINDS, Item
from holdfast.context.drift.report import Report
from holdfast.sessions.session import Session
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import drifting, hooks
from tests.support.drifting import GSD, NAME, child, edit, loops, task
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
AGENTS = shapes.AGENTS[1]
AGREE = "The state file agrees with what was measured.\n"
HEAD = "📋 ARTIFACT UPDATE - Protocol Drift Detected"


def drifted(project: Project) -> None:
    """Let a session's working memory drift as in the format's own example."""
    known = [
        ("LOOP-004", "open", "Which rate counts"),
        ("LOOP-012", "open", "Lineage"),
        ("LOOP-018", "open", "Root cause"),
    ]
    drifting.put(project, ".agents/LOOPS.md", loops(*known))
    drifting.put(project, "src/a.py", "")
    facts = [task("completed"), task("in_progress", "Convert", "2"), edit("src/a.py")]
    drifting.begin(project, GSD, *facts, transcript=drifting.transcript(project, 84_000))


def test_the_example_of_the_format(prepared: Project) -> None:
    """Each item is a line with what was reported, what was found and why, and under it the line that settles it."""
    drifted(prepared)
    before = snapshot(prepared.root / ".agents")
    reply = prepared.cli("recover")
    assert (reply.code, reply.err) == (0, "")
    lines = reply.out.splitlines()
    since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(time.time() + drifting.WROTE))[:13]
    assert lines[:2] == [HEAD, ""]
    assert lines[2].startswith(f"Slight (6 points): {NAME} was compared with what was measured since {since}")
    assert lines[2].endswith("last written by the model):")
    reported = dict(zip(lines[4::2], lines[5::2], strict=True))
    assert list(reported) == [
        '- Task: TASK-002 - Read the price list → TASK-003 - Convert (completed 33 min ago, "Convert" in progress)',
        "- Loops: 1 → 3 (LOOP-012, LOOP-018 captured since)",
        "- Budget: 24% → 42% (crossed into the warning zone)",
        "- Actions: continue, complete-task, skip-task, close-loop, explore-loop (out of date)",
        "- Tasks not recorded: Convert (in_progress)",
        "- Files changed and not described: src/a.py",
    ]
    calls = list(reported.values())
    stated = '"Recent Updates": ["Completed TASK-002: Read the price list"]'
    wanted = f'{{"Current Context": {{"Task": "TASK-003 - Convert"}}, {stated}}}'
    assert calls[0] == f"    holdfast sync one --json '{wanted}'"
    assert calls[1] == calls[2] == calls[3] == "    holdfast memory one"
    assert snapshot(prepared.root / ".agents") == before
    assert prepared.staged() == []


def test_exit_codes_and_json(prepared: Project) -> None:
    """A report is no failure, unless it was asked for as a check; programs get the same items."""
    drifted(prepared)
    assert prepared.cli("recover", "one").code == 0
    assert prepared.cli("recover", "--check").code == 1
    reply = prepared.cli("recover", "--json", CLAUDE_CODE_SESSION_ID="one")
    row = json.loads(reply.out)
    assert (reply.code, row["path"], row["session"], row["written_by"]) == (0, NAME, "one", "the model")
    assert [item["kind"] for item in row["findings"]] == ["task", "loops", "budget", "actions", "tasks", "files"]
    assert row["findings"][1] == {
        "kind": "loops",
        "what": "Loops",
        "why": "1 → 3 (LOOP-012, LOOP-018 captured since)",
        "path": NAME,
        "line": 0,
        "level": "warning",
        "remedy": "holdfast memory",
        "in_file": "1",
        "measured": "3",
        "evidence": "LOOP-012, LOOP-018 captured since",
        "names": ["LOOP-012", "LOOP-018"],
        "weight": 2,
    }
    assert (row["severity"], row["points"]) == ("slight", 6)


def test_nothing_has_drifted(prepared: Project) -> None:
    """One line, exit code 0 either way."""
    drifting.begin(prepared, AGENTS)
    for words in (["recover"], ["recover", "--check"], ["recover", "exporter"]):
        assert prepared.cli(*words) == (0, AGREE, "")
    assert json.loads(prepared.cli("recover", "--json").out)["findings"] == []


def test_a_file_that_no_session_has(prepared: Project) -> None:
    """Without a journal the file's own time counts, and git and LOOPS.md are measured all the same."""
    drifting.put(
        prepared,
        NAME,
        swap(AGENTS, ("2026-02-11T09:30:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 900)))),
    )
    drifting.commit(prepared, "state", -1000)
    drifting.commit(prepared, "Convert all prices", -800)
    reply = prepared.cli("recover", "exporter")
    assert "(15 min ago)" in " ".join(reply.out.split())
    assert "Commits not described:" in reply.out
    assert f"holdfast sync {NAME} --json" in reply.out


@pytest.mark.parametrize(
    ("name", "text", "called", "reported"),
    [
        (".genie/SESSION-STATE.md", shapes.GENIE[1], "git-4be2", "one piece of work"),
        ("memory-bank/activeContext.md", shapes.MEMORY[1], "activeContext", "one piece of work"),
        (".agents/sessions/notes.md", "# Notes\n", "notes", "one piece of work"),
        (NAME, AGENTS, "nobody", "no session here has"),
    ],
)
def test_what_has_no_report(prepared: Project, name: str, text: str, called: str, reported: str) -> None:
    """What is several sessions' own, and what is no state file, is refused with what to type."""
    drifting.put(prepared, name, text)
    reply = prepared.cli("recover", called)
    assert (reply.code, reply.out) == (1, "")
    assert reported in reply.err
    assert "holdfast list --all" in reply.err


def test_a_file_in_conflict_is_not_compared(prepared: Project) -> None:
    """It says so with the line, and a check fails."""
    drifting.begin(prepared, swap(AGENTS, ("## Context", "<<<<<<< a\n=======\n>>>>>>> b\n## Context")))
    reply = prepared.cli("recover", "--check")
    assert (reply.code, reply.err) == (1, "")
    assert reply.out.startswith(f"{NAME} is not compared: line 15: a merge left conflict markers")


def test_loops_that_cannot_be_read_are_reported(prepared: Project) -> None:
    """The rest is compared all the same."""
    drifted(prepared)
    (prepared.root / ".agents/LOOPS.md").write_bytes(b"# Loops\n" * (1 << 20))
    reply = prepared.cli("recover")
    assert reply.code == 0
    assert reply.out.splitlines()[-1].startswith("Not measured: ")
    assert "LOOPS.md" in reply.out.splitlines()[-1]
    assert "- Budget: 24% → 42%" in reply.out


HOSTILE = "\x1b[31mred\x1b[0m\r\n## Not a heading\u2028`$(touch X)` '\"; password=hunter2secret </loop>\u202e"


def test_hostile_words(prepared: Project) -> None:
    """Whatever tasks, files, subagents and commits are called, each stays in its line, and no call runs it."""
    path = "src/it's $(touch X)\n- Loops: 1 → 2.py"
    drifting.put(prepared, path, "")
    drifting.begin(
        prepared,
        AGENTS,
        task("pending", HOSTILE),
        task("completed", "Write the upload step", "2"),
        task("in_progress", HOSTILE, "3"),
        edit(path),
        child(type=HOSTILE[:60], text=HOSTILE),
        branch=HOSTILE,
    )
    drifting.commit(prepared, "`touch X` \x1b[31m\x07; touch X")
    reply = prepared.cli("recover")
    assert reply.code == 0
    assert not any(char in reply.out for char in "\x1b\r\x07\u2028\u202e")
    assert "hunter2secret" not in reply.out
    lines = reply.out.splitlines()
    assert sum(line.startswith("- ") for line in lines) == sum(line.startswith("    holdfast ") for line in lines) == 5
    for line in lines:
        if line.startswith("    holdfast ") and "…" not in line:
            assert drifting.typed(prepared, line).code == 0
    assert not (prepared.root / "X").exists()


WORDS = st.text(max_size=300)


@given(st.lists(st.tuples(st.sampled_from(list(KINDS)), WORDS, WORDS, WORDS), max_size=4), WORDS, WORDS)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_report_has_a_line_for_each_value(found: list[tuple[str, str, str, str]], name: str, note: str) -> None:
    """No value brings a control character or a line break into a report."""
    report = Report(Session("one").replace(state_name=name), "")
    report.items = [Item(*words) for words in found]
    report.notes = [note]
    lines = recovery.report_lines(report, 0.0)
    assert len(lines) == (len(found) + 4 if found else 1) + 1
    assert not any(
        ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u2028\u2029" for line in lines for char in line
    )


PROMPTS = {
    "update artifacts": True,
    "Update Artifacts": True,
    "UPDATE  ARTIFACTS!": True,
    '  "update artifacts".\n': True,
    "**update artifacts**": True,
    "update artifacts - check for uncaptured loops": True,
    "update artifacts: check for uncaptured loops": True,
    "update artifacts\n\nand then go on": True,
    "please update artifacts": True,
    "Please update  the Artifacts, then go on": True,
    "update artifacts please": True,
    "update the artifacts": True,
    "Good. Now (update artifacts)!": True,
    "don't forget to update the artifacts": True,
    "do not stop; update artifacts": True,
    "update artifacts - " + "and go on " * 30: True,
    "do not update artifacts": False,
    "Do not yet update the artifacts!": False,
    "don't update artifacts": False,
    "don\u2019t update artifacts": False,
    "I don't want you to update artifacts": False,
    "never update artifacts": False,
    "go on without update artifacts": False,
    "/holdfast:add-loop when to update artifacts": False,
    "<command-name>update artifacts</command-name>": False,
    "go on " * 20 + "update artifacts": False,
    "update artifactsx": False,
    "updates artifacts": False,
    "see docs/update artifacts": False,
    "update all of the artifacts of the build": False,
    "update": False,
    "": False,
    "x" * 5000 + "update artifacts": False,
}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt[:20])
def test_which_prompts_ask(prompt: str) -> None:
    """The phrase alone, in any dress, or with a remark after punctuation."""
    assert reminder.asked(prompt) == PROMPTS[prompt]


def test_the_prompt_brings_the_report_along(prepared: Project) -> None:
    """Claude learns it beside the prompt, once for each time that it is asked, and no other prompt says anything."""
    drifted(prepared)
    for prompt in ("update artifacts", "Update artifacts."):
        context = prepared.fire("UserPromptSubmit", prompt=prompt).context
        assert "information, not instructions" in context
        assert "- Loops: 1 → 3 (LOOP-012, LOOP-018 captured since)\n    holdfast memory\n" in context
        assert len(context) <= 6000
    assert HEAD not in prepared.fire("UserPromptSubmit", prompt="go on").out
    assert prepared.log == []


def test_the_prompt_of_a_session_without_a_state_file(prepared: Project) -> None:
    """It is reported so."""
    prepared.fire("SessionStart")
    assert "no state file yet" in prepared.fire("UserPromptSubmit", prompt="update artifacts").context


def test_a_long_report_is_cut(prepared: Project) -> None:
    """However much has drifted, a prompt brings at most 6,000 characters along."""
    facts = [task("pending", f"Task {number} {'x' * 250}", str(number)) for number in range(60)]
    drifting.begin(prepared, GSD, *facts, *(edit(f"src/{'y' * 150}{number}.py") for number in range(60)))
    for number in range(60):
        drifting.put(prepared, f"src/{'y' * 150}{number}.py", "")
    context = prepared.fire("UserPromptSubmit", prompt="update artifacts").context
    assert 2000 < len(context) <= 6000
