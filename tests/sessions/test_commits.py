"""A commit that takes along what another live session changed: Claude is warned before it, and otherwise not."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.sessions.test_conflicts import OWN, THEIRS, Actor, actor
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
FILTER = json.loads((ROOT / "hooks/hooks.json").read_text())["hooks"]["PreToolUse"][1]["hooks"][0]["args"][1]


@pytest.fixture
def own(prepared: Project) -> Actor:
    """Return a session that changed mine.py and both.py, beside one that changed theirs.py and, before, both.py."""
    for name in ("mine.py", "theirs.py", "both.py"):
        (prepared.root / name).write_text("old\n")
    prepared.git("add", "mine.py", "theirs.py", "both.py")
    prepared.git("commit", "-qm", "old")
    for name in ("mine.py", "theirs.py", "both.py", "new.py"):
        (prepared.root / name).write_text("new\n")
    actor(prepared, THEIRS).changes("theirs.py").changes("both.py").changes("new.py")
    return actor(prepared, OWN).changes("mine.py").changes("both.py")


def warned(own: Actor, command: str, **environ: str) -> str:
    """Return what Claude reads before a command of its shell, "" for nothing."""
    reply = own.fire("PreToolUse", tool_name="Bash", tool_input={"command": command}, environ=environ)
    return reply.context if reply.out else ""


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("git commit -am 'All of it'", ["theirs.py"]),
        ("git commit --all --message=x", ["theirs.py"]),
        ("git add -A && git commit -m x", ["theirs.py", "new.py"]),
        ("cd src; git add . ; git commit -m x", ["theirs.py", "new.py"]),
        ("git commit -m x theirs.py mine.py", ["theirs.py"]),
        ("git add ./new.py && git commit -F message", ["new.py"]),
        ("git -c user.name=x commit -a -m \"$(cat <<'END'\nSubject\nEND\n)\"", ["theirs.py"]),
        ("git commit generic.c theirs.py", ["theirs.py"]),
        ("git commit --amend theirs.py", ["theirs.py"]),
        ("git commit --message - theirs.py", ["theirs.py"]),
        ("git commit -m x", []),
        ("git commit -m -a", []),
        ("git commit -uno -m x", []),
        ("git commit -m theirs.py mine.py", []),
        ("git commit -m 'theirs.py and new.py'", []),
        ("git log --grep commit -a", []),
        ("echo git; commit -a", []),
        ("git status", []),
    ],
)
def test_a_commit_names_the_files_of_others(own: Actor, command: str, named: list[str]) -> None:
    """Only files that the command commits and that another live session was the last to change."""
    text = warned(own, command)
    assert [name for name in ("mine.py", "theirs.py", "both.py", "new.py") if f"{name}, changed" in text] == named
    assert ("another live session" in text) is bool(named)


def test_staged_files_of_others_are_named(own: Actor) -> None:
    """What is in the index is committed without being named; the user sees one line, too."""
    own.project.git("add", "theirs.py")
    reply = own.fire("PreToolUse", tool_name="Bash", tool_input={"command": "git commit -m x"})
    assert "theirs.py, changed by another live session" in reply.context
    assert reply.message == 'commits files of "parse the invoices"'
    own.project.git("commit", "-qm", "theirs")
    assert warned(own, "git commit -m x") == ""


def test_nothing_is_reported_of_sessions_that_are_not_live_or_not_here(own: Actor, tmp_path: Path) -> None:
    """A session that ended, one in another working tree, and the setting "off"."""
    assert warned(own, "git commit -a", HOLDFAST_CONFLICTS="off") == ""
    tree = tmp_path / "tree"
    own.project.git("worktree", "add", "-q", str(tree))
    (tree / "theirs.py").write_text("other\n")
    elsewhere = actor(own.project, "3a-elsewhere", tree)
    assert warned(elsewhere, "git commit -a") == ""
    own.project.fire("SessionEnd", THEIRS)
    assert warned(own, "git commit -a") == ""


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("git commit -m 'a $HOME `b` \\ c'", True),
        ("word " * 40_000 + "; git commit -m x", True),
        ("git status", False),
        ("ls", False),
        ("git add; " * 20_000, False),
    ],
    ids=["commit", "long commit", "git", "other", "long git"],
)
def test_other_commands_start_no_python(command: str, *, runs: bool) -> None:
    """The registered line starts the hook for a commit alone, with the payload as it was."""
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}})
    done = subprocess.run(["sh", "-c", FILTER, "cat", "-"], input=payload, capture_output=True, text=True, check=True)
    assert done.stdout == (payload + "\n" if runs else "")


def test_the_registered_line_never_forbids_a_command() -> None:
    """Code 2 forbids a tool call; if the hook cannot be started, the line ends with 0."""
    payload = json.dumps({"tool_name": "Bash", "tool_input": {"command": "git commit"}})
    done = subprocess.run(["/bin/sh", "-c", FILTER, "/nowhere/launch"], input=payload, capture_output=True, text=True)  # noqa: PLW1510 - the code is looked at
    assert (done.returncode, done.stdout) == (0, "")
