"""Only what is ours is staged, and nothing that git was asked for is undone."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.git import objects
from holdfast.journal import checkouts
from tests.git.test_matrix import commit, turn
from tests.support import hooks, hubs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
HUB = ".agents/SESSION-STATE.md"
UPDATE = ("update", "action=started", "agent=git", "session_id=second", "purpose=Go on")


@pytest.fixture
def worked(prepared: Project) -> Project:
    """Give a project with a committed state file of a session."""
    prepared.fire("SessionStart", "one")
    turn(prepared, "one", "a.txt")
    commit(prepared, "so far")
    return prepared


def _state(project: Project) -> Path:
    (path,) = project.state_files()
    return path


def _index(project: Project, name: str) -> str:
    return project.git("rev-parse", f":{name}")


@pytest.mark.parametrize("options", [("--staged",), ("--staged", "--worktree")], ids=" ".join)
def test_what_was_restored_from_the_index_stays_so(worked: Project, options: tuple[str, ...]) -> None:
    """A person who takes holdfast's change out of the index finds it there as they left it, until the next commit."""
    name = str(_state(worked).relative_to(worked.root))
    turn(worked, "one", "b.txt")
    worked.git("restore", *options, name)
    restored = _index(worked, name)
    turn(worked, "one", "c.txt")
    assert _index(worked, name) == restored
    assert "`c.txt`" in _state(worked).read_text()


def test_an_ignored_state_file_is_written_and_not_staged(prepared: Project) -> None:
    """What git ignores stays out of the index."""
    (prepared.root / ".gitignore").write_text(".agents/sessions/\n")
    commit(prepared, "ignored")
    prepared.fire("SessionStart", "one")
    turn(prepared, "one", "a.txt")
    assert "`a.txt`" in _state(prepared).read_text()
    assert prepared.staged() == []


@pytest.fixture
def sha256(prepared: Project) -> Project:
    """Give a project whose repository names its objects by SHA-256."""
    shutil.rmtree(prepared.root / ".git")
    prepared.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    commit(prepared, "first")
    return prepared


def test_own_writes_are_staged_in_a_sha256_repository(sha256: Project) -> None:
    """Each turn stages the file; what a person took out of the index stays out until they stage it again."""
    sha256.fire("SessionStart", "one")
    turn(sha256, "one", "a.txt")
    name = str(_state(sha256).relative_to(sha256.root))
    assert name in sha256.staged()
    assert objects.index_entry(str(sha256.root), str(sha256.root / ".git"), name).blob == _index(sha256, name).strip()
    commit(sha256, "so far")
    turn(sha256, "one", "b.txt")
    assert "`b.txt`" in sha256.git("show", f":{name}")
    restored = sha256.git("rev-parse", f"HEAD:{name}")
    sha256.git("restore", "--staged", name)
    turn(sha256, "one", "c.txt")
    assert _index(sha256, name) == restored
    assert "`c.txt`" in _state(sha256).read_text()
    sha256.git("add", name)
    turn(sha256, "one", "d.txt")
    assert "`d.txt`" in sha256.git("show", f":{name}")


def test_a_stash_is_found_in_a_sha256_repository(sha256: Project) -> None:
    """While the latest stash has what holdfast wrote last, the file is not written."""
    sha256.fire("SessionStart", "one")
    turn(sha256, "one", "a.txt")
    commit(sha256, "so far")
    turn(sha256, "one", "b.txt")
    sha256.git("stash", "--quiet")
    before = _state(sha256).read_bytes()
    turn(sha256, "one", "c.txt")
    assert _state(sha256).read_bytes() == before
    sha256.git("stash", "pop", "--quiet")
    turn(sha256, "one", "d.txt")
    text = _state(sha256).read_text()
    assert "`b.txt`" in text
    assert "`c.txt`" in text


def _cherry_pick(project: Project) -> None:
    project.git("switch", "-qc", "side", "HEAD~1")
    (project.root / "b.txt").write_text("theirs\n")
    commit(project, "theirs")
    project.git("switch", "-q", "main")
    (project.root / "b.txt").write_text("ours\n")
    commit(project, "ours")
    os.system(f"git -C '{project.root}' cherry-pick side >/dev/null 2>&1")  # noqa: S605 - stops at the conflict
    assert (project.root / ".git/CHERRY_PICK_HEAD").exists()


def _bisect(project: Project) -> None:
    for number in range(3):
        commit_empty(project, str(number))
    project.git("bisect", "start", "HEAD", "HEAD~3")


def commit_empty(project: Project, message: str) -> None:
    """Commit no change."""
    project.git("commit", "-q", "--allow-empty", "-m", message)


@pytest.mark.parametrize("begin", [_cherry_pick, _bisect])
def test_nothing_tracked_is_written_in_the_middle_of_it(worked: Project, begin: Callable[[Project], None]) -> None:
    """A cherry-pick that stopped and a bisect go on; the facts are written at the next settle."""
    begin(worked)
    before = _state(worked).read_bytes()
    turn(worked, "one", "c.txt")
    assert _state(worked).read_bytes() == before
    worked.git("cherry-pick" if begin is _cherry_pick else "bisect", "--abort" if begin is _cherry_pick else "reset")
    turn(worked, "one", "d.txt")
    text = _state(worked).read_text()
    assert "`c.txt`" in text
    assert "`d.txt`" in text


def test_nothing_tracked_is_written_between_two_picks(worked: Project) -> None:
    """When a person committed one commit of a cherry-pick of several, git still has to go on with the next."""
    _cherry_pick(worked)
    worked.git("cherry-pick", "--abort")
    worked.git("switch", "-q", "side")
    (worked.root / "d.txt").write_text("theirs\n")
    commit(worked, "more of theirs")
    worked.git("switch", "-q", "main")
    os.system(f"git -C '{worked.root}' cherry-pick side~2..side >/dev/null 2>&1")  # noqa: S605 - stops at the conflict
    commit(worked, "resolved")
    assert not (worked.root / ".git/CHERRY_PICK_HEAD").exists()
    before = _state(worked).read_bytes()
    turn(worked, "one", "c.txt")
    assert _state(worked).read_bytes() == before
    assert worked.staged() == []
    worked.git("cherry-pick", "--continue")
    turn(worked, "one", "e.txt")
    text = _state(worked).read_text()
    assert "`c.txt`" in text
    assert "`e.txt`" in text


def _sparse(project: Project) -> None:
    """Leave only a folder of code in the working tree."""
    (project.root / "src").mkdir()
    (project.root / "src/a.txt").write_text("a\n")
    commit(project, "src")
    project.git("sparse-checkout", "set", "--cone", "src")


@pytest.mark.parametrize("kept", ["a hub in the tree", "genie"])
def test_a_hub_outside_the_sparse_cone_is_read_from_git(prepared: Project, kept: str) -> None:
    """Its entries are still there after an update, and nothing is staged."""
    name = ".genie/SESSION-STATE.md" if kept == "genie" else HUB
    hubs.write(prepared, hubs.HEAD + hubs.person("1111", "Person - By hand"))
    if kept == "genie":
        (prepared.root / ".genie").mkdir()
        (prepared.root / HUB).rename(prepared.root / name)
    _sparse(prepared)
    assert not (prepared.root / name).exists()
    found = {one["what"]: one for one in json.loads(prepared.cli("doctor", "--json").out)["findings"]}["hub"]
    assert (found["why"], found["remedy"]) == (
        f"{prepared.root}/{name} is outside the sparse checkout; lists read it from git",
        f"Type: git sparse-checkout add {name.partition('/')[0]}",
    )
    for words in (("hub",), ("validate",), ("status", "1111"), ("show", "1111"), ("resume", "1111")):
        assert f"{name} is outside the sparse checkout. Type: git sparse" in prepared.cli(*words).err
    for words in (("list", "--json"), ("resume", "--json"), ("tree", "--json"), ("brief", "--all")):
        assert "By hand" in prepared.cli(*words).out, words
    assert "By hand" in prepared.fire("SessionStart", "two").context
    reply = prepared.cli(*UPDATE)
    assert reply.code == 0, reply
    assert f"{name} is written and not staged: it is outside the sparse checkout" in reply.out
    text = (prepared.root / name).read_text()
    assert "1111" in text
    assert "second" in text
    assert prepared.staged() == []
    assert not (prepared.store / "private" / HUB).exists()


def test_a_hub_outside_the_sparse_cone_is_untrusted_like_any_text(prepared: Project, tmp_path: Path) -> None:
    """Claude gets no title of a hub that a clone brought; a person sees it."""
    hubs.write(prepared, hubs.HEAD + hubs.person("1111", "Person - By hand"))
    _sparse(prepared)
    cloned = tmp_path / "cloned"
    prepared.git("clone", "-q", ".", str(cloned))
    prepared.git("sparse-checkout", "set", "--cone", "src", cwd=cloned)
    for word in ("list", "tree"):
        assert "By hand" in prepared.cli(word, cwd=cloned).out, word
    for words in (("list", "--all"), ("resume",), ("tree",), ("brief", "--all")):
        reply = prepared.cli(*words, cwd=cloned, CLAUDECODE="1")
        assert "By hand" not in reply.out + reply.err, words


def test_settings_outside_the_sparse_cone_are_kept(prepared: Project) -> None:
    """Init writes no default over what git has, and doctor says what to type."""
    (prepared.root / ".agents/holdfast.toml").write_text("stage = false\n")
    commit(prepared, "settings")
    _sparse(prepared)
    reply = prepared.cli("init", "--yes")
    typed = "git sparse-checkout add .agents"
    assert (reply.code, typed in reply.err) == (1, True), reply
    assert not (prepared.root / ".agents/holdfast.toml").exists()
    found = {one["what"]: one for one in json.loads(prepared.cli("doctor", "--json").out)["findings"]}["project"]
    assert (found["level"], found["remedy"]) == ("error", f"Type: {typed}")
    prepared.git("sparse-checkout", "add", ".agents")
    assert (prepared.root / ".agents/holdfast.toml").read_text() == "stage = false\n"


def test_a_state_file_outside_the_sparse_cone_is_written_and_not_staged(worked: Project) -> None:
    """It is in the working tree all the same; the index keeps what it had."""
    path, name = _state(worked), str(_state(worked).relative_to(worked.root))
    text = path.read_bytes()
    _sparse(worked)
    assert not path.exists()
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    before = _index(worked, name)
    turn(worked, "one", "d.txt")
    assert "`d.txt`" in path.read_text()
    assert _index(worked, name) == before


@pytest.mark.parametrize("committed", [False, True], ids=["saved", "saved and another commit follows"])
def test_an_update_that_an_older_copy_overwrote_is_written_again(prepared: Project, *, committed: bool) -> None:
    """A commit of anything else does not make holdfast forget what it wrote."""
    hubs.write(prepared, hubs.HEAD + hubs.person("1111", "Person - By hand"))
    commit(prepared, "hub")
    assert prepared.cli("update", "action=started", "agent=git", "session_id=first", "purpose=Begin").code == 0
    old = (prepared.root / HUB).read_bytes().replace(b"# Session State", b"# Session State of the team")
    assert prepared.cli(*UPDATE).code == 0
    (prepared.root / HUB).write_bytes(old)
    os.utime(prepared.root / HUB, (time.time() - 5,) * 2)  # saved before the update, as a copy that a rename put back
    if committed:
        (prepared.root / "other.txt").write_text("other\n")
        prepared.git("add", "other.txt")
        prepared.git("commit", "-q", "-m", "other", "--", "other.txt")
    assert prepared.cli("update", "action=started", "agent=git", "session_id=later", "purpose=More").code == 0
    text = (prepared.root / HUB).read_text()
    assert "`second`" in text
    assert "`later`" in text


def test_a_persons_file_that_was_taken_out_of_the_index_stays_out(prepared: Project) -> None:
    """Also one that holdfast never staged; the command that stages it is named."""
    path = prepared.write_state()
    commit(prepared, "a person's")
    name = str(path.relative_to(prepared.root))
    prepared.git("rm", "-q", "--cached", name)
    reply = prepared.cli("sync", "--json", '{"Current State": "It parses."}')
    assert "It parses." in path.read_text()
    assert f"it was taken out of the index. To stage it, type: git add {name}" in reply.err
    assert prepared.git("ls-files", name) == ""


def test_a_new_file_with_the_name_of_one_that_was_removed_is_staged(prepared: Project) -> None:
    """A person removed a file from the index and the disk; holdfast, which never staged it, makes another one there."""
    prepared.variables["HOLDFAST_HUB"] = "tracked"
    hubs.write(prepared, hubs.HEAD)
    commit(prepared, "a person's")
    prepared.git("rm", "-q", HUB)
    reply = prepared.cli(*UPDATE)
    assert (reply.code, reply.err) == (0, "")
    assert prepared.git("ls-files", HUB).strip() == HUB


@pytest.fixture
def closed(worked: Project) -> Project:
    """Give a project on main in which committed work was closed, and that is in no commit."""
    worked.fire("SessionEnd", "one")
    worked.rested()
    assert worked.cli("close", "one").code == 0
    assert _state(worked).read_text().count("status: completed") == 1
    return worked


def _by_claude(project: Project) -> None:
    """Commit everything in a session that runs on."""
    project.fire("SessionStart", "two")
    turn(project, "two", "letter.txt")
    project.git("add", "letter.txt")
    shell = {"tool_name": "Bash", "tool_input": {"command": "git commit --all -m Letter"}}
    project.fire("PreToolUse", "two", **shell)
    project.git("commit", "-q", "--all", "-m", "Letter")


def _by_hand(project: Project) -> None:
    """Commit everything after a session."""
    project.fire("SessionStart", "two")
    turn(project, "two", "letter.txt")
    project.fire("SessionEnd", "two")
    project.rested()
    commit(project, "Letter")


@pytest.mark.parametrize("made", [_by_claude, _by_hand])
@pytest.mark.parametrize("new", [False, True], ids=["committed before", "in no commit"])
def test_what_is_written_on_one_branch_is_in_no_commit_on_another(
    prepared: Project, made: Callable[[Project], None], *, new: bool
) -> None:
    """It is set aside, all commands know it, and it is back with its branch."""
    prepared.fire("SessionStart", "one")
    turn(prepared, "one", "a.txt")
    prepared.git("add", "a.txt")
    prepared.git("commit", "-q", "-m", "work", "--", *(["a.txt"] if new else []))
    prepared.fire("SessionEnd", "one")
    prepared.rested()
    path = _state(prepared)
    name = str(path.relative_to(prepared.root))
    assert prepared.cli("close", "one").code == 0
    text = path.read_bytes()
    before = prepared.git("ls-tree", "main", name)
    prepared.git("switch", "-q", "-c", "letter")
    made(prepared)
    assert "letter.txt" in prepared.git("show", "--name-only", "--format=")
    assert prepared.git("ls-tree", "letter", name) == before
    rows = {row["id"]: row for row in json.loads(prepared.cli("list", "--all", "--json").out)}
    assert rows["one"]["status"] == "completed"
    assert name in prepared.cli("status", "one").out
    prepared.git("switch", "-q", "main")
    prepared.cli("settle")
    assert path.read_bytes() == text
    assert name in prepared.git("diff", "--name-only", "HEAD")
    assert prepared.git("for-each-ref", "refs/holdfast") == ""


def test_what_is_committed_is_not_remembered(worked: Project) -> None:
    """However many state files were written, the list of those that may be in no commit stays short."""
    for number in range(30):
        checkouts.write(str(worked.store), [], [f"{worked.root}/{number}.md", "main", "", ""])
    worked.cli("settle")
    assert checkouts.written(str(worked.store)) == []


def _commit_code(project: Project) -> None:
    project.git("add", "a.txt")
    project.git("commit", "-q", "-m", "work", "--", "a.txt")


@pytest.mark.parametrize("ended", [False, True], ids=["its session goes on", "its files are in no commit"])
def test_a_state_file_goes_along_with_its_work(prepared: Project, *, ended: bool) -> None:
    """What was begun on main and is committed on a branch is there with its state."""
    claude = hooks.Claude(prepared)
    claude.fire("SessionStart", "one")
    claude.fire("UserPromptSubmit", "one", prompt="Sort the letters")
    (prepared.root / "a.txt").write_text("a\n")
    claude.fire("PostToolUse", "one", tool_name="Write", tool_input={"file_path": str(prepared.root / "a.txt")})
    claude.fire("Stop", "one", last_assistant_message="Half of it is done.")
    prepared.settled()
    if ended:
        claude.fire("SessionEnd", "one")
        prepared.rested()
    else:
        _commit_code(prepared)
    prepared.git("switch", "-q", "-c", "letter")
    prepared.fire("SessionStart", "two")
    prepared.cli("settle")
    assert str(_state(prepared).relative_to(prepared.root)) in prepared.staged()
    claude.kill()


def test_what_waits_for_its_branch_is_merged_with_what_came_there(closed: Project) -> None:
    """The branch got another section of the file meanwhile."""
    path = _state(closed)
    closed.git("switch", "-q", "-c", "letter")
    closed.fire("SessionStart", "two")
    closed.cli("settle")
    assert "status: in_progress" in path.read_text()
    path.write_text(path.read_text() + "\n## Notes\n\nAna knows.\n")
    commit(closed, "notes")
    closed.git("branch", "-f", "main", "letter")
    closed.git("switch", "-q", "main")
    closed.cli("settle")
    assert "status: completed" in path.read_text()
    assert "Ana knows." in path.read_text()
