"""Small promises to the system and to people: attributes of files, links, `git init` in mid-session, moving files."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.core import files
from holdfast.git import merge
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
STATE = ".git/holdfast/private/.agents"


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_private_keeps_the_tree_as_it_is(here: Project) -> None:
    """State file, loops, hub and hand-over are in git's folder; every command knows them, in worktrees too."""
    before = here.git("status", "--porcelain", "--ignored")
    assert here.cli("init", "--private").code == 0
    here.fire("SessionStart")
    here.edit("a.txt")
    here.rested()
    assert here.cli("loop", "add", "Which sources?").code == 0
    there = here.folder / "there"
    here.git("worktree", "add", "-q", str(there))
    assert "Which sources?" in here.cli("loop", "list", cwd=there).out
    assert "one" in here.cli("list", "--all", "--json", cwd=there).out
    assert "Status: active" in here.cli("status", "one", cwd=there).out
    assert here.cli("pause", "one", "--next", "Go on").code == 0
    assert (here.root / ".git/holdfast/private/.continue-here.md").exists()
    assert here.cli("continue").code == 0
    assert here.git("status", "--porcelain", "--ignored") == before
    names = _names(here.root / STATE)
    assert [name for name in names if "/" not in name] == ["LOOPS.md", "SESSION-STATE.md", "holdfast.toml"]
    assert here.cli("init").out.endswith("nothing changed.\n")


def test_files_move_between_shared_and_private(here: Project) -> None:
    """`init` with the other option moves all files, their sessions go on with them, and git knows it."""
    here.cli("init")
    here.fire("SessionStart")
    here.edit("a.txt")
    here.rested()
    here.cli("loop", "add", "Which sources?")
    here.git("add", "--all")
    here.git("commit", "-qm", "shared")
    text = here.state_files()[0].read_bytes()
    done = here.cli("init", "--private")
    assert (done.code, done.out.count("Moved ")) == (0, 2), done
    assert not (here.root / ".agents").exists() or _names(here.root / ".agents") == []
    assert not (here.root / ".gitattributes").exists()
    assert merge.configured(str(here.root)) == ""
    (moved,) = (here.root / STATE / "sessions").glob("*.md")
    assert moved.read_bytes() == text
    here.git("commit", "-qam", "private")
    here.edit("b.txt")
    here.fire("Stop")
    here.rested()
    assert "`b.txt`" in moved.read_text()
    assert here.git("status", "--porcelain") == ""
    back = here.cli("init", "--shared")
    assert (back.code, back.err) == (0, "")
    assert "`b.txt`" in here.state_files()[0].read_text()
    assert here.cli("status", "one").code == 0
    assert not moved.exists()


def test_settings_outlive_each_move(here: Project) -> None:
    """Changed settings are neither reset by the same command typed again, nor replaced by others of the other place."""
    private, shared = (here.root / folder / "holdfast.toml" for folder in (STATE, ".agents"))
    assert here.cli("init").code == 0
    shared.write_text("history_entries = 7\n")
    here.git("add", "--all")
    here.git("commit", "-qm", "settings")
    for _ in range(2):
        assert here.cli("init", "--private").code == 0
        assert private.read_text() == "history_entries = 7\n"
    shared.parent.mkdir(exist_ok=True)
    shared.write_text("history_entries = 8\n")
    here.git("add", "--all")
    here.git("commit", "-qm", "other settings")
    for way in ("--private", "--shared"):
        done = here.cli("init", way)
        assert (done.code, "is there already, with another text" in done.err) == (1, True), way
        assert (private.read_text(), shared.read_text()) == ("history_entries = 7\n", "history_entries = 8\n")
    shared.unlink()
    assert here.cli("init", "--shared").code == 0
    assert shared.read_text() == "history_entries = 7\n"


def test_what_claude_makes_private_of_a_strangers_clone_stays_in_the_tree(here: Project) -> None:
    """What holdfast writes into the private folder has no yes of the user's either."""
    here.accepts = False
    there = here.folder / "clone"
    here.write_state()
    here.git("add", "--all")
    here.git("commit", "-qm", "state")
    here.git("clone", "-q", str(here.root), str(there))
    done = here.cli("init", "--private", cwd=there, CLAUDECODE="1")
    assert "Left in the tree: " in done.out
    assert not list((there / STATE / "sessions").glob("*.md"))


def test_a_replaced_file_keeps_its_attributes(tmp_path: Path) -> None:
    """Owner, group, mode and extended attributes are those of before."""
    path = tmp_path / "state.md"
    path.write_text("before")
    path.chmod(0o640)
    try:
        os.setxattr(path, "user.kept", b"yes")
    except OSError:
        pytest.skip("no extended attributes on this file system")
    if os.geteuid() == 0:
        os.chown(path, 1234, 1235)
    was = path.stat()
    files.write_atomic(str(path), b"after")
    now = path.stat()
    assert (now.st_uid, now.st_gid, now.st_mode) == (was.st_uid, was.st_gid, was.st_mode)
    assert (os.getxattr(path, "user.kept"), path.read_text()) == (b"yes", "after")


def test_git_init_in_mid_session_takes_the_journals_along(here: Project) -> None:
    """The session and its state file go on in the new repository."""
    shutil.rmtree(here.root / ".git")
    here.cli("init")
    here.fire("SessionStart")
    here.edit("a.txt")
    here.rested()
    (state,) = here.state_files()
    here.git("init", "-q", "-b", "main")
    here.edit("b.txt")
    here.fire("Stop")
    here.rested()
    assert here.state_files() == [state]
    assert "`a.txt`" in state.read_text()
    assert "`b.txt`" in state.read_text()
    assert not (here.root / ".agents/.holdfast").exists()


@pytest.mark.parametrize("name", ["FETCH_HEAD", "packed-refs", "refs/remotes", "shallow"])
def test_a_store_beside_a_repository_that_fetched_is_not_used(here: Project, name: str) -> None:
    """It may have come with what was fetched."""
    shutil.rmtree(here.root / ".git")
    here.cli("init")
    here.fire("SessionStart")
    here.edit("a.txt")
    here.rested()
    here.git("init", "-q", "-b", "main")
    (here.root / ".git" / name).touch()
    here.fire("Stop")
    assert here.facts(kind="edit") == []


def test_nothing_is_printed_through_a_link_that_leads_outside(prepared: Project) -> None:
    """Neither a hub, nor a file to be audited or accepted; doctor makes no file there."""
    outside = prepared.folder / "outside"
    outside.mkdir()
    (outside / "SESSION-STATE.md").write_text("# Session State\n\n## Active Sessions\n\nsecret words\n")
    (prepared.root / ".genie").symlink_to(outside)
    (prepared.root / ".agents/sessions").symlink_to(outside)
    (prepared.root / "docs").symlink_to(outside)
    for command in (["hub"], ["tree"], ["audit", "docs/SESSION-STATE.md"], ["trust", "docs/SESSION-STATE.md"]):
        done = prepared.cli(*command)
        assert "secret words" not in done.out + done.err, command
    assert "leads out of the project through a link" in prepared.cli("doctor").out
    assert [path.name for path in outside.iterdir()] == ["SESSION-STATE.md"]


def test_a_look_leaves_nothing(here: Project) -> None:
    """In a project in which no session ran and nothing was prepared, with git and without."""
    for _ in range(2):
        before = sorted(here.root.rglob("*"))
        for words in ("list", "status", "resume", "search x", "log", "brief", "stats", "tree", "doctor", "loop list"):
            here.cli(*words.split())
        assert sorted(here.root.rglob("*")) == before
        shutil.rmtree(here.root / ".git", ignore_errors=True)


@pytest.mark.processes
def test_the_launcher_runs_no_payload_as_a_program() -> None:
    """Without an argument it exits 0 and leaves its standard input alone."""
    done = subprocess.run([ROOT / "hooks/launch"], input=b"raise SystemExit(7)", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.processes
@pytest.mark.parametrize("limit", [11, 12, 16])
def test_a_hook_with_few_file_descriptors_blocks_nothing(here: Project, limit: int) -> None:
    """The launcher's shell would exit with 2, which forbids the tool call."""
    limited = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *here.command("PreToolUse")]
    done = subprocess.run(limited, input=b"{}", capture_output=True, check=False, env=here.environment())
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_merge_driver_is_removed_with_its_lines(here: Project) -> None:
    """Lines of other people stay; a file with nothing else goes, and one that git has is named."""
    attributes, committed = here.root / ".git/info/attributes", here.root / ".gitattributes"
    attributes.parent.mkdir(exist_ok=True)
    for own in (b"", b"*.txt text\n"):
        attributes.unlink(missing_ok=True)
        if own:
            attributes.write_bytes(own)
        committed.write_bytes(own + b".agents/LOOPS.md merge=holdfast\n")
        here.git("add", ".gitattributes")
        here.cli("init")
        assert "merge=holdfast" in attributes.read_text()
        removed = here.cli("init", "--without-merges")
        assert removed.code == 0
        assert f"{committed}" in removed.out
        assert "git has it, so commit that" in removed.out
        assert merge.configured(str(here.root)) == ""
        for path in (attributes, committed):
            assert (path.read_bytes() if path.exists() else b"") == own
    here.cli("init")
    assert (here.data / "repositories").read_text().splitlines() == [str(here.root)]
