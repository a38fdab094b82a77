"""No command, slash command or event passes a text of a stranger on, to Claude or into a journal."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.actions.test_accept import NAME
from tests.support import hooks, hubs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.hooks import Project, Reply

here = hooks.here
CANARY = "CANARY"  # in every text of the stranger
ENTRY = "11111111-2222-3333-4444-555555555555"  # the id of an entry in the hub
TWICE = "22222222-2222-3333-4444-555555555555"  # of one that no update can change
MEMORY = f"""# Session State

## Current Context
**Phase:** 1 - {CANARY} phase
**Task:** TASK-001 - {CANARY} task
**Status:** Working

## Context Stack
**Current:** {CANARY} discussion
**Return to:** {CANARY} task
**Depth:** 1

## Active Loops
| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-007 | {CANARY} listed loop | Open | 2025-12-04 |

## Pending Plans
- **PLAN-001** - {CANARY} plan - Awaiting approval

## Task List
- [ ] TASK-001 - {CANARY} task
- [ ] TASK-002 - {CANARY} next task

## Decisions Made
- DECISION-001: {CANARY} decided

## Recent Updates
- [2025-12-04 14:30] {CANARY} update
"""
LOOPS = f"""# Loops

<loop id="LOOP-001" status="open">
  <title>{CANARY} loop</title>
  <question>{CANARY} question</question>
</loop>

<loop id="LOOP-002" status="closed">
  <title>{CANARY} closed loop</title>
  <outcome><result>{CANARY} result</result></outcome>
</loop>
"""
ACTIVE = hubs.person(
    ENTRY, f"{CANARY} entry", Agent=CANARY, Purpose=f"{CANARY} it", Context="files_modified:[shared.txt]"
) + hubs.person(TWICE, f"{CANARY} with two of a field", Status="active**\n**Status:** active")
HISTORY = hubs.HISTORY + hubs.person("3333", f"{CANARY} old", Status="completed", Purpose=f"{CANARY} was")
TEXTS = {
    ".agents/holdfast.toml": f'# {CANARY}\nconflicts = "{CANARY}"\n',
    ".agents/LOOPS.md": LOOPS,
    ".agents/SESSION-STATE.md": hubs.HEAD + ACTIVE + HISTORY,
    ".agents/SESSION-HISTORY.md": f"# History\n\n### {CANARY}\n**Session ID:** `4444`\n",
    ".project/sessions/2025-12-04-memory/STATE.md": MEMORY,
    ".agents/sessions/20251205-100000-memory.md": MEMORY,
    "ROADMAP.md": f"# Roadmap\n\n## Phase 1: {CANARY} first\n\n## Phase 2: {CANARY} second\n",
    ".continue-here.md": f"---\ntask: {CANARY}\nstatus: paused\n---\n\n<next_action>\n{CANARY}\n</next_action>\n",
}
MEMORY_NAME = ".agents/sessions/20251205-100000-memory.md"


@pytest.fixture
def clone(here: Project) -> Project:
    """Give a clone in which every file of a stranger has the canary, and the session `one` continues one of them."""
    here.accepts = False
    there = here.folder / "there"
    here.git("clone", "-q", ".", str(there))
    here.write_state(root=there, **dict.fromkeys(("title", "task", "state", "following"), CANARY))
    for name, text in TEXTS.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_text(text)
    here.git("add", "-A", cwd=there)
    here.git("commit", "-q", "-m", f"{CANARY} subject", cwd=there)
    shutil.rmtree(here.root)
    here.git("clone", "-q", str(there), str(here.root), cwd=there)
    here.fire("SessionStart")
    here.fire("UserPromptSubmit")
    here.edit("a.txt")
    return here


COMMANDS = (
    ("list", "--all"),
    ("list", "--all", "--json"),
    ("status",),
    ("resume",),
    ("resume", "--json"),
    ("resume", ENTRY),
    ("pause", "--note", "mine"),
    ("close",),
    ("close", "--check"),
    ("close", "--json"),
    ("close", "--delete", "--force"),
    ("doctor",),
    ("start", "Mine"),
    ("continue",),
    ("continue", "--json"),
    ("finish", "done"),
    ("finish", "later"),
    ("finish", "drop"),
    ("finish", "2025", "done"),
    ("handoff",),
    ("show",),
    ("show", "--json"),
    ("checklist",),
    ("checklist", "--json"),
    ("brief", "--all"),
    ("conflicts",),
    ("budget",),
    ("log",),
    ("log", "--json"),
    ("search", "e"),
    ("search", "Mine", "--json"),
    ("stats",),
    ("stats", "--json"),
    ("report", "--json"),
    ("sync", "--json", '{"Status": "paused", "Title": "Mine", "Next Steps": ["Mine"], "Current State": "Mine"}'),
    ("sync", "--dry-run", "--json", '{"Status": "paused", "Title": "Mine"}'),
    ("audit",),
    ("audit", ".agents/LOOPS.md"),
    ("audit", "ROADMAP.md"),
    ("drift",),
    ("drift", "--json"),
    ("recover",),
    ("recover", "--json"),
    ("snapshots",),
    ("memory",),
    ("loop", "list", "--all"),
    ("loop", "show", "1"),
    ("loop", "draft", "Mine"),
    ("loop", "add", "Mine?"),
    ("loop", "add", "Mine?", "--json"),
    ("loop", "explore", "1"),
    ("loop", "explore", "1", "--json"),
    ("loop", "explore", "7"),
    ("loop", "explore", "2"),
    ("loop", "explore", "99"),
    ("loop", "close", "1", "--outcome", "Mine"),
    ("loop", "close", "1", "--outcome", "Mine", "--json"),
    ("loop", "close", "1", "--outcome", "Mine", "--decision", "Mine"),
    ("loop", "close", "2", "--outcome", "Mine"),
    ("loop", "close", "7", "--outcome", "Mine"),
    ("task", "add", "Mine"),
    ("task", "start", "Mine"),
    ("task", "start", "TASK-002"),
    ("task", "complete"),
    ("task", "skip", "Mine"),
    ("task", "list"),
    ("task", "list", "--json"),
    ("plan", "propose", "Mine"),
    ("plan", "approve"),
    ("plan", "reject", "Mine"),
    ("plan", "edit", "Mine"),
    ("plan", "list"),
    ("phase", "complete"),
    ("phase", "skip-to", "2"),
    ("discuss", "Mine"),
    ("return",),
    ("hub",),
    ("hub", "--json"),
    ("tree", "--all"),
    ("tree", "--all", "--json"),
    ("update", "action=completed", f"session_id={ENTRY}"),
    ("update", "action=in_progress", f"session_id={ENTRY}", "purpose=Mine"),
    ("update", "action=started", "agent=git", "session_id=two", f"parent_session={ENTRY}", "purpose=Mine"),
    ("update", "action=completed", f"session_id={TWICE}"),
    ("update", "action=in_progress", f"session_id={TWICE}", "agent=git", "branch=main"),
    ("update", "action=in_progress", "session_id=one", "context=files_modified:[shared.txt]"),
    ("update", "action=started", "agent=git", f"parent_session={ENTRY}", "context=files_modified:[shared.txt]"),
    ("validate",),
    ("validate", "--fix"),
    ("sweep",),
    ("sweep", "later", "all"),
    ("archive", "--keep", "0"),
    ("init",),
    ("trust",),
    ("trust", "--json"),
    ("share", "status"),
    ("share", "show"),
    ("gc",),
    ("settle",),
    ("statusline",),
)
SLASH = (
    ("continue", ""),
    ("pause", ""),
    ("status", ""),
    ("add-loop", "Mine?"),
    ("discuss", "Mine"),
    ("return", ""),
    ("approve-plan", ""),
    ("reject-plan", "Mine"),
    ("edit-plan", "Mine"),
    ("close-loop", "LOOP-001 done"),
    ("close-loop", "LOOP-002 done"),
    ("close-loop", "LOOP-007 done"),
    ("explore-loop", "LOOP-001"),
    ("explore-loop", "LOOP-002"),
    ("explore-loop", "LOOP-007"),
    ("complete-phase", ""),
    ("skip-to-phase", "2"),
    ("complete-task", ""),
    ("skip-task", "Mine"),
    ("init", ""),
    ("start", "Mine"),
    ("handoff", ""),
    ("close", ""),
    ("recover", ""),
    ("audit", ""),
    ("tree", ""),
    ("budget", ""),
    ("resume", ""),
    ("resume", ENTRY),
    ("conflicts", ""),
    ("doctor", ""),
    ("list", ""),
    ("checklist", ""),
    ("finish", "later"),
)
_QUICK = (("slash", "a state file"),)  # each takes seconds
OWN = {"a file that a settle made": "", "a state file": NAME, "working memory": MEMORY_NAME}


def _journals(project: Project) -> str:
    return "".join(path.read_text() for path in (project.store / "journal").rglob("*.jsonl"))


def _in_shell(project: Project, command: tuple[str, ...]) -> Reply:
    return project.cli(*command, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="one")


def _typed(project: Project, command: tuple[str, ...]) -> Reply:
    name, words = command
    fields = {"command_name": f"holdfast:{name}", "command_args": words, "command_source": "plugin"}
    return project.fire("UserPromptExpansion", **fields)


def _later(project: Project) -> Iterator[tuple[str, Reply]]:
    """Yield what a session goes on with, and what Claude is told by it."""
    yield "PostToolUse", project.edit("b.txt")
    yield "Stop", project.fire("Stop")
    project.settled()
    yield "UserPromptSubmit", project.fire("UserPromptSubmit", prompt="update artifacts")
    yield "PreCompact", project.fire("PreCompact")
    yield "SessionStart", project.fire("SessionStart", source="compact")
    yield "SubagentStart", project.fire("SubagentStart")
    for command in (("log",), ("report", "--json"), ("recover",), ("drift",), ("checklist",), ("snapshots",)):
        yield command[0], _in_shell(project, command)
    yield "SessionEnd", project.fire("SessionEnd")
    project.settled()
    yield "SessionStart", project.fire("SessionStart", "two")


def _put_back(root: Path, saved: Path) -> None:
    """Set a project back to what it was; the file whose time is the mark of the clone stays."""
    for folder, _, names in os.walk(root, topdown=False):
        for name in names:
            if name != "born":
                os.unlink(f"{folder}/{name}")
        if not os.listdir(folder):
            os.rmdir(folder)
    shutil.copytree(saved, root, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("born"))


@pytest.mark.parametrize(
    ("run", "commands", "own"),
    [
        pytest.param(*way, own, id=f"{name}-{kind}", marks=() if (name, kind) in _QUICK else pytest.mark.slow)
        for name, way in {"shell": (_in_shell, COMMANDS), "slash": (_typed, SLASH)}.items()
        for kind, own in OWN.items()
    ],
)
def test_no_command_passes_a_text_on(
    clone: Project, run: Callable[[Project, tuple[str, ...]], Reply], commands: tuple[tuple[str, ...], ...], own: str
) -> None:
    """Whatever the file of the session is, no command tells Claude or a journal of a stranger's text, then or later."""
    if own:
        clone.remember("one", {"kind": "state", "path": str(clone.root / own), "by": "continue"})
    if own != NAME:  # with settings that do not count, commands go no further
        (clone.root / ".agents/holdfast.toml").write_text("")
    saved = clone.folder / "saved"
    shutil.copytree(clone.root, saved, symlinks=True)
    told: dict[str, list[str]] = {}
    for command in commands:
        reply = run(clone, command)
        stopped = clone.fire("Stop").out if not reply.code else ""  # what is refused leaves nothing to settle
        clone.settled()
        places = {"output": reply.out + reply.err, "Stop": stopped, "journal": _journals(clone)}
        told[" ".join(command)] = [place for place, text in places.items() if CANARY in text]
        _put_back(clone.root, saved)
    assert {command: places for command, places in told.items() if places} == {}
    assert [event for event, reply in _later(clone) if CANARY in reply.out + reply.err] == []
    assert CANARY not in _journals(clone)
