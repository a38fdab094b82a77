"""State files that are not in the working tree: their work stays open, and is written nowhere else meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.overview import board
from holdfast.project import paths
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hooks import Project

HALF = "Half of the parser is written."
here, prepared = hooks.here, hooks.prepared


def _row(project: Project, root: Path | None = None) -> dict[str, Any]:
    """Return the session `one` as the list has it."""
    rows = [row for row in json.loads(project.cli("list", "--json", cwd=root).out) if row["id"] == "one"]
    assert len(rows) == 1, rows
    return {**rows[0]}


def _begun(project: Project) -> Path:
    """Let a session begin on branch feat, and return its state file."""
    project.git("add", ".agents/holdfast.toml")
    project.git("commit", "-q", "-m", "holdfast")
    project.git("switch", "-q", "-c", "feat")
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt="Parse the invoices of 2024 with Decimal")
    project.edit("a.py")
    project.fire("Stop", last_assistant_message=HALF)
    project.settled()
    (path,) = project.state_files()
    return path


def _ended(project: Project) -> None:
    project.fire("SessionEnd")
    project.rested()


def _committed(project: Project) -> None:
    project.git("add", "--all")
    project.git("commit", "-q", "-m", "half of it")


def _on_branch(project: Project, _path: Path) -> None:
    _committed(project)
    project.git("switch", "-q", "main")


def _in_stash(project: Project, _path: Path) -> None:
    project.git("stash", "--include-untracked", "-q")


def _in_worktree(project: Project, _path: Path) -> None:
    _committed(project)
    project.git("switch", "-q", "main")
    project.git("worktree", "add", "-q", str(project.folder / "tree"), "feat")


WAITING: dict[str, tuple[Callable[[Project, Path], None], str]] = {
    "on another branch": (_on_branch, "on branch feat"),
    "in a stash": (_in_stash, "in stash@{0}"),
    "in another working tree": (_in_worktree, "in worktree tree"),
}


@pytest.mark.parametrize(("leave", "place"), WAITING.values(), ids=WAITING)
def test_what_git_has_elsewhere_is_open_and_read_there(
    prepared: Project, leave: Callable[[Project, Path], None], place: str
) -> None:
    """List and status say where, status and brief have its text, and nothing is written here."""
    path = _begun(prepared)
    title = _row(prepared)["title"]
    leave(prepared, path)
    _ended(prepared)
    row = _row(prepared)
    assert (row["status"], row["where"], row["title"]) == ("active", place, title)
    assert row["state_file"] == f".agents/sessions/{path.name}"
    assert f"{path.name} ({place})" in prepared.cli("status", "one").out
    assert "Half of the parser" in prepared.cli("show", "one").out
    assert title in prepared.cli("status", CLAUDE_CODE_SESSION_ID="one").out
    known = board.Board(paths.locate(str(prepared.root)))
    known.begin()
    details = known.details("one")
    assert details is not None
    assert ("Half of the parser" in details.state, details.notice) == (True, "")
    assert dict(details.facts)["Branch"] == "feat"  # which has it
    assert ("git switch feat && claude --resume one" in prepared.cli("resume", "one").out) == (leave is _on_branch)
    resumed = prepared.fire("SessionStart", source="resume")
    assert f"state file is {place}, not here" in resumed.message
    context = resumed.context
    assert place in context
    assert "Half of the parser" in context
    assert "no state file yet" not in context
    prepared.edit("b.py")
    prepared.fire("Stop")
    _ended(prepared)
    assert prepared.state_files() == []


def test_what_is_new_is_written_when_git_has_the_file_again(prepared: Project) -> None:
    """The work goes on in one file, and a merge of the branch meets no other copy of it."""
    path = _begun(prepared)
    _on_branch(prepared, path)
    prepared.edit("b.py")
    prepared.fire("Stop")
    prepared.rested()
    (prepared.root / "b.py").write_text("b = 1\n")
    prepared.git("add", "b.py")
    prepared.git("commit", "-q", "-m", "beside it")
    prepared.git("merge", "-q", "--no-edit", "feat")
    prepared.fire("Stop")
    prepared.settled()
    assert prepared.state_files() == [path]
    assert "`b.py`" in path.read_text()
    assert _row(prepared)["where"] == ""


def test_a_command_says_where_the_file_is(prepared: Project) -> None:
    """What would write into it names the branch to switch to, and makes no second file."""
    _on_branch(prepared, _begun(prepared))
    done = prepared.cli("sync", "--json", '{"Next Steps": ["Lex"]}', CLAUDE_CODE_SESSION_ID="one")
    assert done.code
    assert "on branch feat" in done.err
    assert prepared.state_files() == []


def _unlinked(_project: Project, path: Path) -> None:
    path.unlink()


def _committed_and_deleted(project: Project, path: Path) -> None:
    _committed(project)
    project.git("rm", "-q", str(path))
    project.git("commit", "-q", "-m", "away with it")


DELETED = {"never committed": _unlinked, "by a commit": _committed_and_deleted}


@pytest.mark.parametrize("delete", DELETED.values(), ids=DELETED)
@pytest.mark.parametrize("answer", ["resume", "edit", "done"])
def test_a_file_that_is_deleted_ends_no_work(
    prepared: Project, delete: Callable[[Project, Path], None], answer: str
) -> None:
    """Its session is open until somebody answers; to resume it, or to go on, restores the file with its text."""
    path = _begun(prepared)
    path.write_text(path.read_text().replace("## Context\n", "## Context\n\nAs the tax office wants it.\n"))
    prepared.git("add", str(path))
    before = path.read_text()
    delete(prepared, path)
    _ended(prepared)
    assert (_row(prepared)["status"], _row(prepared)["where"]) == ("active", "deleted")
    if answer == "done":
        assert prepared.cli("finish", "one", "done").code == 0
        assert _row(prepared)["status"] == "completed"
        assert prepared.state_files() == []
        return
    if answer == "resume":
        assert path.name in prepared.cli("resume", "one").out
        assert path.read_text() == before
    else:
        prepared.fire("SessionStart", source="resume")
        prepared.edit("d.py")
        prepared.fire("Stop")
        prepared.settled()
        assert "`d.py`" in path.read_text()
    assert "tax office" in path.read_text()
    assert prepared.state_files() == [path]
    assert _row(prepared)["where"] == ""


def test_a_worktree_that_was_removed_takes_no_work_with_it(prepared: Project) -> None:
    """A file that only the removed tree had is restored from what git has of it when the work goes on elsewhere."""
    prepared.git("add", ".agents/holdfast.toml")
    prepared.git("commit", "-q", "-m", "holdfast")
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", str(tree), "-b", "feat")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(tree / "a.py"), "old_string": "1", "new_string": "2"}}
    events: dict[str, dict[str, Any]] = {
        "SessionStart": {},
        "PostToolUse": edit,
        "Stop": {"last_assistant_message": HALF},
    }
    for event, fields in events.items():
        data = json.dumps(prepared.payload(event, cwd=str(tree), **fields)).encode()
        prepared.send(event, data, CLAUDE_PROJECT_DIR=str(tree))
    _ended(prepared)
    (path,) = (tree / ".agents/sessions").glob("*.md")
    shutil.rmtree(tree)
    prepared.git("worktree", "prune")
    assert (_row(prepared)["status"], _row(prepared)["where"]) == ("active", "gone with its working tree")
    assert "Half of the parser" in prepared.fire("SessionStart", source="resume").context
    prepared.edit("b.py")
    prepared.fire("Stop")
    prepared.settled()
    assert [one.name for one in prepared.state_files()] == [path.name]


@pytest.mark.parametrize("private", [False, True])
def test_a_folder_that_was_renamed_has_its_work(prepared: Project, *, private: bool) -> None:
    """Before any settle the list has the session with its file in the new place."""
    if private:
        prepared.git("rm", "-rq", "--cached", "--ignore-unmatch", ".agents")
        shutil.rmtree(prepared.root / ".agents")
        assert prepared.cli("init", "--private", "--yes").code == 0
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.fire("Stop")
    _ended(prepared)
    before = _row(prepared)
    moved = prepared.root.rename(prepared.folder / "renamed")
    after = _row(prepared, moved)
    assert (after["status"], after["where"], after["title"]) == (before["status"], "", before["title"])
    assert after["state_file"].endswith(before["state_file"].rpartition("/")[2])


@pytest.mark.parametrize("kind", ["copied", "linked"])
def test_a_project_under_a_second_path_has_its_work(prepared: Project, kind: str) -> None:
    """As in a container, where the folder is mounted elsewhere: bindings are relative to the repository."""
    _begun(prepared)
    _ended(prepared)
    before = _row(prepared)
    mounted = prepared.root.parent / "mounted"
    if kind == "linked":
        mounted.symlink_to(prepared.root)
    else:
        shutil.copytree(prepared.root, mounted, symlinks=True)
        shutil.rmtree(prepared.root)
    row = _row(prepared, mounted)
    assert (row["status"], row["title"]) == (before["status"], before["title"])
    assert row["state_file"].endswith(".md")
    assert HALF in prepared.cli("status", "one", cwd=mounted).out
    assert len([*mounted.glob(".agents/sessions/*.md")]) == 1


def test_a_file_outside_a_sparse_checkout_ends_no_work(prepared: Project) -> None:
    """Its text is that of the last commit, and no second file is made while it is away."""
    path = _begun(prepared)
    _committed(prepared)
    _ended(prepared)
    prepared.git("sparse-checkout", "set", "--no-cone", "/*", "!/.agents/sessions/")
    assert not path.exists()
    assert _row(prepared)["status"] == "active"
    assert HALF in prepared.cli("status", "one").out
    prepared.git("sparse-checkout", "disable")
    assert HALF in path.read_text()
    assert _row(prepared)["status"] == "active"
    assert prepared.state_files() == [path]


def _back(project: Project, place: str) -> None:
    """Let git bring the state file back from a place of `WAITING`."""
    project.git(*(("stash", "pop", "-q") if "stash" in place else ("switch", "-q", "feat")))


TURNS = {  # what is typed, with the status that the work has from then on, and the word of the file
    "finish done": (("finish", "one", "done"), "completed", "completed"),
    "finish drop": (("finish", "one", "drop"), "dropped", "completed"),
    "finish later": (("finish", "one", "later"), "paused", "paused"),
    "close": (("close", "one"), "completed", "completed"),
    "pause": (("pause", "one", "--note", "Ana has the key", "--until", "2099-01-02"), "paused", "paused"),
}


@pytest.mark.parametrize("place", ["on another branch", "in a stash"])
@pytest.mark.parametrize(("command", "status", "word"), TURNS.values(), ids=TURNS)
def test_work_whose_file_git_has_elsewhere_gets_its_status_at_once(
    prepared: Project, place: str, command: tuple[str, ...], status: str, word: str
) -> None:
    """The journal has it, all commands agree, and a settle writes it as soon as the file is here again."""
    path = _begun(prepared)
    if place == "in a stash":
        _ended(prepared)
        WAITING[place][0](prepared, path)
    else:
        WAITING[place][0](prepared, path)
        _ended(prepared)
    done = prepared.cli(*command)
    assert (done.code, done.err) == (0, "")
    assert f'"Parse the invoices of 2024 with Decimal" is {status}.' in done.out
    assert f"Its state file is {WAITING[place][1]}, and says so once that is here." in done.out
    assert ("git switch feat" in done.out) == (place == "on another branch")
    assert prepared.state_files() == []
    shown = prepared.cli("status", "one")
    assert f"Status: {status}" in shown.out, shown
    assert f"({WAITING[place][1]})" in shown.out
    assert f"Status: {status}" in prepared.cli("handoff", "one").out
    _back(prepared, place)
    assert _row(prepared)["status"] == status
    prepared.cli("settle")
    assert f"status: {word}" in path.read_text()
    assert _row(prepared)["status"] == status
    if command[0] == "pause":
        assert "Ana has the key" in prepared.cli("resume", "one").out
        assert "2099-01-02" in prepared.cli("status", "one").out
        assert prepared.cli("continue", "one").code == 0
        assert "status: in_progress" in path.read_text()


@pytest.mark.parametrize("newer", ["", "by hand", "by a commit"])
def test_a_file_that_a_merge_brings_with_an_older_status_is_not_believed(prepared: Project, newer: str) -> None:
    """The journal of this clone has the later word, unless a person gave one in the file since."""
    path = _begun(prepared)
    _on_branch(prepared, path)
    _ended(prepared)
    assert prepared.cli("finish", "one", "done").code == 0
    prepared.git("merge", "-q", "--no-edit", "feat")
    if newer:
        time.sleep(1.1)  # git counts whole seconds
        path.write_text(path.read_text().replace("status: in_progress", "status: blocked"))
        os.utime(path, (time.time() + 120,) * 2)  # later than its time, which has minutes
    if newer == "by a commit":
        prepared.git("commit", "-q", "--all", "-m", "blocked", "--date", str(int(time.time()) + 120))
    prepared.cli("settle")
    assert ("status: completed" in path.read_text()) == (not newer)
    assert _row(prepared)["status"] == ("waiting" if newer else "completed")


def test_paused_work_on_another_branch_is_continued_there(prepared: Project) -> None:
    """Its hand-over is shown, and stays until the file is here."""
    path = _begun(prepared)
    _ended(prepared)
    assert prepared.cli("pause", "one", "--note", "Ana has the key").code == 0
    _on_branch(prepared, path)
    done = prepared.cli("continue", "one")
    assert done.code == 0, done
    assert "git switch feat" in done.out
    assert "Ana has the key" in done.out
    assert _row(prepared)["status"] == "active"
    prepared.git("switch", "-q", "feat")
    prepared.cli("settle")
    assert "status: in_progress" in path.read_text()


def test_a_worktree_that_has_the_branch_has_the_work(prepared: Project) -> None:
    """Seen from there it is one piece of work, whose status that was given elsewhere is written there."""
    _on_branch(prepared, _begun(prepared))
    _ended(prepared)
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", str(tree), "feat")
    assert "is in worktree tree, and says so once that is here" in prepared.cli("pause", "one").out
    assert "This work is in worktree tree, where branch feat" in prepared.cli("resume", "one").out
    assert (_row(prepared, tree)["status"], _row(prepared, tree)["where"]) == ("paused", "")
    assert len(json.loads(prepared.cli("list", "--json", cwd=tree).out)) == 1
    prepared.cli("settle", cwd=tree)
    (path,) = (tree / ".agents/sessions").glob("*.md")
    assert "status: paused" in path.read_text()
    assert _row(prepared)["status"] == "paused"


def test_a_commit_that_is_checked_out_gets_no_status(prepared: Project) -> None:
    """What a person says there is written on the branch that has the file."""
    path = _begun(prepared)
    _committed(prepared)
    prepared.git("switch", "-q", "--detach", "main")
    _ended(prepared)
    assert prepared.cli("finish", "one", "done").code == 0
    prepared.git("cherry-pick", "feat")
    prepared.cli("settle")
    assert prepared.git("status", "--porcelain") == ""
    prepared.git("switch", "-q", "feat")
    prepared.cli("settle")
    assert "status: completed" in path.read_text()


def test_work_that_only_a_remote_branch_has_is_named(prepared: Project) -> None:
    """A colleague who fetched it learns which branch to switch to; the network is not used."""
    _on_branch(prepared, _begun(prepared))
    clone = prepared.folder / "clone"
    prepared.git("clone", "-q", str(prepared.root), str(clone))
    prepared.git("remote", "set-url", "origin", "/nowhere", cwd=clone)
    for words in (("resume", "invoices"), ("status", "parse", "invoices"), ("resume", "20")):
        reply = prepared.cli(words[0], " ".join(words[1:]), cwd=clone)
        assert reply.code == 1
        assert "origin/feat has .agents/sessions/" in reply.err
        assert "Type: git switch feat." in reply.err
    assert "origin" not in prepared.cli("resume", "nothing-like-it", cwd=clone).err


def test_the_drift_of_work_on_another_branch_is_shown(prepared: Project) -> None:
    """Recover reads the file where it is."""
    _on_branch(prepared, _begun(prepared))
    _ended(prepared)
    assert prepared.cli("recover", "one").err == ""


def test_the_status_is_one_on_each_branch_that_has_the_file(prepared: Project) -> None:
    """The journal knows a newer one than the file as this branch has it."""
    path = _begun(prepared)
    _ended(prepared)
    _committed(prepared)
    prepared.git("branch", "rates")
    assert prepared.cli("pause", "one").code == 0
    prepared.git("commit", "-q", "--all", "-m", "paused")
    prepared.git("switch", "-q", "rates")
    assert "status: in_progress" in path.read_text()
    assert _row(prepared)["status"] == "paused"
    again = prepared.cli("continue", "one")
    assert (again.code, "is not paused" in again.out) == (0, False)
    assert _row(prepared)["status"] == "active"
    assert "Paused without" not in prepared.cli("continue").out
    prepared.git("stash", "--include-untracked", "-q")
    prepared.git("switch", "-q", "feat")
    assert "status: paused" in path.read_text()
    assert _row(prepared)["status"] == "active"


@pytest.mark.parametrize("command", [("close",), ("finish", "one", "done"), ("pause", "one")])
def test_a_committed_file_that_a_command_changes_is_named_with_what_to_type(
    prepared: Project, command: tuple[str, ...]
) -> None:
    """Else `git switch` refuses later, and nobody knows why."""
    path = _begun(prepared)
    _ended(prepared)
    _committed(prepared)
    (line,) = [line for line in prepared.cli(*command).out.splitlines() if line.startswith("Not committed: ")]
    assert line == f"Not committed: git commit -m State -- .agents/sessions/{path.name}"
    prepared.git(*line.removeprefix("Not committed: git ").split())
    prepared.git("switch", "-q", "main")
    assert "Not committed" not in prepared.cli("list").out


def test_a_stash_without_the_state_file_holds_nothing(prepared: Project) -> None:
    """A stash has every tracked file; what counts is whether it took the file's text away."""
    path = _begun(prepared)
    _ended(prepared)
    _committed(prepared)
    (prepared.root / "other.py").write_text("z = 1\n")
    prepared.git("stash", "--include-untracked", "-q")
    assert prepared.cli("finish", "one", "done").code == 0
    assert "status: completed" in path.read_text()


def test_a_branch_is_merged_when_its_commits_are(prepared: Project) -> None:
    """A commit that somebody makes on main after a crash is none of the session's, and merges nothing."""
    prepared.git("add", ".agents/holdfast.toml")
    prepared.git("commit", "-q", "-m", "holdfast")
    prepared.git("switch", "-q", "-c", "feat")
    claude = hooks.Claude(prepared)
    claude.fire("SessionStart", "one")
    claude.fire("UserPromptSubmit", "one", prompt="Parse the invoices of 2024 with Decimal")
    (prepared.root / "a.py").write_text("a = 1\n")
    called = {"tool_name": "Write", "tool_input": {"file_path": str(prepared.root / "a.py")}}
    claude.fire("PostToolUse", "one", **called)
    claude.fire("Stop", "one", last_assistant_message=HALF)
    prepared.settled()
    _committed(prepared)
    claude.kill()
    prepared.git("switch", "-q", "main")
    time.sleep(1.1)  # git counts whole seconds
    (prepared.root / "other.py").write_text("z = 1\n")
    prepared.git("add", "other.py")
    prepared.git("commit", "-q", "-m", "Other work")
    for ident in ("two", "three"):
        prepared.fire("SessionStart", ident)
        prepared.fire("SessionEnd", ident)
        prepared.cli("settle")
    assert "Other work" not in [one["subject"] for one in prepared.facts("one", "commit")]
    assert "merged" not in prepared.fire("SessionStart", "four").message


def test_private_work_is_resumed_on_its_branch(here: Project) -> None:
    """Its state file is in no branch; the command switches all the same, and a second pause keeps the day."""
    assert here.cli("init", "--private", "--yes").code == 0
    here.git("switch", "-q", "-c", "rooms")
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="List the rooms")
    here.edit("rooms.py")
    here.fire("Stop")
    here.fire("SessionEnd")
    here.settled()
    here.git("switch", "-q", "main")
    assert "&& git switch rooms && claude --resume one" in here.cli("resume", "one").out
    assert here.cli("pause", "one", "--until", "2099-01-02").code == 0
    again = here.cli("pause", "one", "--note", "Ana has the key").out
    assert "It comes back on 2099-01-02." in again
    assert "nothing was written" not in again
