"""What git does goes on beside live sessions as it would without holdfast: no conflict, no refusal, no lost line.

Each case runs with real git in a project that is shared and in one that is private, with two live sessions. Turns are
edits as the client reports them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
pytestmark = pytest.mark.slow


def turn(project: Project, session: str, name: str = "", text: str = "more\n") -> None:
    """Let a session edit a file, or only answer, and end its turn."""
    project.fire("UserPromptSubmit", session, prompt=f"work of {session}")
    if name:
        path = project.root / name
        path.write_text((path.read_text() if path.exists() else "") + text)
        project.edit(name, session)
    project.fire("Stop", session)
    project.rested()


def commit(project: Project, message: str) -> None:
    """Commit everything."""
    project.git("add", "--all")
    project.git("commit", "--quiet", "-m", message)


def clean(project: Project) -> None:
    """Check that nothing is left to commit."""
    assert project.git("status", "--porcelain").splitlines() == []


def _branches(project: Project) -> None:
    """Make two branches with a session each."""
    project.git("switch", "-qc", "side")
    turn(project, "two", "side.txt")
    commit(project, "side")
    project.git("switch", "-q", "main")
    turn(project, "one", "main.txt")
    commit(project, "main")


def _commit(project: Project) -> None:
    turn(project, "one", "new.txt")
    commit(project, "new")
    clean(project)
    turn(project, "one")
    project.fire("SessionEnd", "two")
    project.fire("SessionStart", "three")
    project.rested()
    clean(project)


def _amend(project: Project) -> None:
    turn(project, "one", "new.txt")
    commit(project, "new")
    turn(project, "one", "new.txt")
    project.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    turn(project, "one")
    clean(project)


def _switch(project: Project) -> None:
    _branches(project)
    for branch in ("side", "main", "side", "main"):
        project.git("switch", "-q", branch)
        turn(project, "one")
        clean(project)


def _switch_and_work(project: Project) -> None:
    _branches(project)
    project.git("switch", "-q", "side")
    turn(project, "one", "there.txt")
    commit(project, "one works there")
    project.git("switch", "-q", "main")
    turn(project, "one", "here.txt")
    commit(project, "and here")
    project.git("merge", "-q", "--no-edit", "side")
    clean(project)


def _rebase(project: Project) -> None:
    _branches(project)
    project.git("switch", "-q", "side")
    project.git("rebase", "-q", "main")
    turn(project, "two")
    clean(project)


def _rebase_interactive(project: Project) -> None:
    """End a turn while a rebase has stopped."""
    for number in range(3):
        turn(project, "one", f"{number}.txt")
        commit(project, f"step {number}")
    project.git("-c", "sequence.editor=sed -i '1s/pick/edit/'", "rebase", "-q", "-i", "HEAD~3")
    turn(project, "one", "kept.txt")
    (project.root / "kept.txt").unlink()
    project.git("-c", "core.editor=true", "rebase", "--continue")
    assert "HEAD detached" not in project.git("status")


def _rebase_autostash(project: Project) -> None:
    _branches(project)
    turn(project, "one", "a.txt")
    project.git("rebase", "-q", "--autostash", "side")
    assert "more" in (project.root / "a.txt").read_text()


def _merge(project: Project) -> None:
    _branches(project)
    project.git("merge", "-q", "--no-edit", "side")
    clean(project)


def _cherry_pick(project: Project) -> None:
    _branches(project)
    project.git("cherry-pick", "side")
    clean(project)


def _revert(project: Project) -> None:
    (project.root / "b.txt").write_text("other\n")
    commit(project, "other")
    turn(project, "one", "new.txt")
    commit(project, "new")
    project.git("revert", "--no-edit", "HEAD~1")
    turn(project, "one")
    clean(project)


def _stash(project: Project) -> None:
    """End a turn between `stash` and `stash pop`."""
    turn(project, "one", "a.txt")
    commit(project, "so far")
    turn(project, "one", "a.txt")
    turn(project, "one", "b.txt")
    project.git("add", "b.txt")
    project.git("stash", "-q")
    turn(project, "one", "other.txt")
    project.git("stash", "pop", "-q")
    assert "more" in (project.root / "a.txt").read_text()
    turn(project, "one", "last.txt")
    assert "`last.txt`" in project.cli("show", "one").out


def _stash_new(project: Project) -> None:
    """Let the stash take the state file itself away."""
    turn(project, "one", "a.txt")
    project.git("stash", "-q", "--include-untracked")
    turn(project, "one", "other.txt")
    project.git("stash", "pop", "-q")
    assert "more" in (project.root / "a.txt").read_text()


def _bisect(project: Project) -> None:
    for number in range(5):
        turn(project, "one", f"{number}.txt")
        commit(project, f"step {number}")
    project.git("bisect", "start", "HEAD", "HEAD~4")
    turn(project, "one", "0.txt")
    project.git("checkout", "-q", "--", "0.txt")
    project.git("bisect", "good")
    project.git("bisect", "reset")


def _pull(project: Project) -> None:
    origin = project.folder / "origin.git"
    project.git("clone", "-q", "--bare", str(project.root), str(origin))
    project.git("remote", "add", "origin", str(origin))
    project.git("fetch", "-q")
    other = project.folder / "other"
    project.git("clone", "-q", str(origin), str(other))
    (other / "theirs.txt").write_text("theirs\n")
    project.git("add", "--all", cwd=other)
    project.git("commit", "-q", "-m", "theirs", cwd=other)
    project.git("push", "-q", cwd=other)
    turn(project, "one", "mine.txt")
    commit(project, "mine")
    project.git("pull", "-q", "--rebase", "origin", "main")
    turn(project, "one")
    clean(project)


def _worktree(project: Project) -> None:
    there = project.folder / "there"
    project.git("worktree", "add", "-q", str(there))
    project.fire("SessionStart", "four", cwd=str(there))
    (there / "t.txt").write_text("t\n")
    project.fire("PostToolUse", "four", cwd=str(there), tool_input={"file_path": str(there / "t.txt")})
    project.fire("Stop", "four", cwd=str(there))
    project.rested()
    project.git("add", "--all", cwd=there)
    project.git("commit", "-q", "-m", "there", cwd=there)
    project.git("worktree", "remove", str(there))
    turn(project, "one", "x.txt")
    commit(project, "x")
    clean(project)


def _partly_staged(project: Project) -> None:
    """Write to a state file of which the user has staged a part."""
    turn(project, "one", "a.txt")
    commit(project, "so far")
    found = [path for path in project.root.glob(".agents/sessions/*.md") if b"a.txt" in path.read_bytes()]
    for path in found:
        name = str(path.relative_to(project.root))
        path.write_text(path.read_text() + "\nstaged\n")
        project.git("add", name)
        path.write_text(path.read_text() + "\nnot staged\n")
        staged = project.git("show", f":{name}")
        turn(project, "one", "b.txt")
        assert project.git("show", f":{name}") == staged
        assert "`b.txt`" in path.read_text()
        commit(project, "all of it")
        turn(project, "one", "c.txt")
        assert "`c.txt`" in project.git("show", f":{name}")


def _untracked_on_purpose(project: Project) -> None:
    turn(project, "one", "a.txt")
    commit(project, "so far")
    for path in project.root.glob(".agents/sessions/*.md"):
        project.git("rm", "-q", "--cached", str(path.relative_to(project.root)))
    turn(project, "one", "b.txt")
    assert not project.git("ls-files", ".agents/sessions").splitlines()


CASES: dict[str, Callable[[Project], None]] = {
    "commit": _commit,
    "amend": _amend,
    "switch": _switch,
    "switch and work": _switch_and_work,
    "rebase": _rebase,
    "rebase --interactive": _rebase_interactive,
    "rebase --autostash": _rebase_autostash,
    "merge": _merge,
    "cherry-pick": _cherry_pick,
    "revert": _revert,
    "stash": _stash,
    "stash of a new state file": _stash_new,
    "bisect": _bisect,
    "pull --rebase": _pull,
    "worktree add and remove": _worktree,
    "partly staged": _partly_staged,
    "rm --cached": _untracked_on_purpose,
}


@pytest.mark.parametrize("mode", ["--shared", "--private"])
@pytest.mark.parametrize("case", CASES)
def test_git_goes_on_as_without_holdfast(here: Project, case: str, mode: str) -> None:
    """No command of git fails because of holdfast, and the tree is clean after a commit until the next edit."""
    assert here.cli("init", mode).code == 0
    for session in ("one", "two"):
        here.fire("SessionStart", session)
    turn(here, "two", "second.txt")
    commit(here, "prepared")
    CASES[case](here)
    assert here.git("ls-files", "--unmerged") == ""
    if mode == "--private":
        assert not (here.root / ".agents").exists()
    assert here.log == []
