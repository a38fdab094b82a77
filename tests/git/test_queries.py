"""Queries and staging with the real git: one file is staged and nothing else, in every state of a repository."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from holdfast.core import process
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.git import objects, queries, refs, run
from holdfast.project import paths
from tests.support.repository import Repository

GIT = shutil.which("git") or ""
NAMES = [
    "plain.md",
    "with blank.md",
    "-n.md",
    "a\nb.md",
    "a*.md",
    "[ab].md",
    ":(top)x.md",
    "é.md",
    'q"\\.md',
    "n\udce9.md",
]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Give a repository with one commit."""
    return Repository.create(tmp_path / "work")


def stage(repository: Repository, name: str) -> str:
    """Stage a file by its path."""
    return store.stage(f"{repository.folder}/{name}")


def program(path: Path, text: str) -> str:
    """Write a program and return its path."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_file_being_saved_is_staged_when_complete(repository: Repository) -> None:
    """A file that an editor empties and fills again is staged with its new content."""
    path = repository.folder / repository.write("state.md", b"")
    saver = threading.Timer(0.3, path.write_bytes, [b"state\n"])
    saver.start()
    assert stage(repository, "state.md") == ""
    assert repository.staged() == {"state.md": b"state\n"}
    saver.join()


def test_a_file_that_keeps_changing_is_reported(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that keeps changing is staged as it is, and the result says so."""
    monkeypatch.setattr(queries, "_TIMEOUT", 0.2)
    repository.write("state.md", b"")
    assert queries.SAVING in stage(repository, "state.md")


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_stages_one_file_and_no_other(repository: Repository, name: str) -> None:
    """A file is staged under its literal name; other changes, staged or not, stay as they are."""
    repository.git("add", "--", repository.write("a.txt", b"staged\n"))
    repository.write("a.txt", b"staged\nand more\n")
    repository.write("b.txt", b"changed\n")
    for other in ("a1.md", "a.md", "b.md", "x.md", "untracked.md"):
        repository.write(other)
    repository.write(name, b"state\n")
    assert stage(repository, name) == ""
    assert repository.staged() == {"a.txt": b"staged\n", name: b"state\n"}
    repository.write(name, b"state 2\n")
    assert stage(repository, name) == ""
    assert repository.staged() == {"a.txt": b"staged\n", name: b"state 2\n"}


def test_obeys_gitignore(repository: Repository) -> None:
    """An ignored file is not staged, and there is no reason to report."""
    repository.write(".gitignore", b".agents/\n")
    name = repository.write(".agents/sessions/x.md")
    assert stage(repository, name) == ""
    assert repository.staged() == {}


def test_stages_before_the_first_commit(tmp_path: Path) -> None:
    """A file is staged in a repository without a commit."""
    repository = Repository.create(tmp_path / "work", commit=False)
    assert stage(repository, repository.write("x.md")) == ""
    assert repository.staged() == {"x.md": b"new\n"}


def test_stages_in_a_worktree(repository: Repository, tmp_path: Path) -> None:
    """A file of a worktree is staged in that worktree's index only."""
    repository.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    second = Repository(tmp_path / "second")
    assert stage(second, second.write("deep/x.md")) == ""
    assert second.staged() == {"deep/x.md": b"new\n"}
    assert repository.staged() == {}


def test_stages_in_a_submodule(repository: Repository, tmp_path: Path) -> None:
    """A file of a submodule is staged in the submodule's index."""
    Repository.create(tmp_path / "library")
    repository.git("submodule", "--quiet", "add", str(tmp_path / "library"), "sub")
    repository.git("commit", "--quiet", "-m", "sub")
    inner = Repository(repository.folder / "sub")
    assert stage(inner, inner.write("x.md")) == ""
    assert inner.staged() == {"x.md": b"new\n"}
    assert repository.staged() == {}


def test_stages_nothing_outside_git(tmp_path: Path) -> None:
    """Outside a repository nothing is staged and no reason is given."""
    (tmp_path / "x.md").touch()
    assert store.stage(f"{tmp_path}/x.md") == ""


@pytest.mark.parametrize("command", ["merge", "rebase --merge", "rebase --apply", "cherry-pick", "revert"])
def test_stages_nothing_while_git_is_busy(repository: Repository, command: str) -> None:
    """During a merge, rebase, cherry-pick or revert nothing is staged, and the reason is given in plain words."""
    way = command.partition(" ")[0]
    repository.git("switch", "--quiet", "-c", "topic")
    repository.commit("theirs", {"a.txt": b"theirs\n", "x.md": b"theirs\n"})
    if command == "revert":
        repository.commit("again", {"a.txt": b"again\n"})
        repository.git("revert", "--no-edit", "HEAD~1", check=False)
    else:
        repository.git("switch", "--quiet", "main")
        repository.commit("ours", {"a.txt": b"ours\n", "x.md": b"ours\n"})
        repository.git(*command.split(), "topic", check=False)
    before = repository.git("ls-files", "--stage", "--unmerged")
    assert before
    repository.write("x.md", b"resolved\n")
    assert stage(repository, "x.md") == f"x.md is not staged: git is in the middle of a {way}"
    assert queries.busy(f"{repository.folder}/.git") == (
        f"git is in the middle of a {way}. Finish it (git {way} --continue) or end it (git {way} --abort), "
        "then try again."
    )
    assert stage(repository, repository.write("new.md")).startswith("new.md is not staged: ")
    assert repository.git("ls-files", "--stage", "--unmerged") == before


PATCHES = "Finish it (git am --continue) or end it (git am --abort), then try again."


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("BISECT_START", "git is in the middle of a bisect. End it (git bisect reset), then try again."),
        ("rebase-apply/applying", f"git is in the middle of applying patches. {PATCHES}"),
        ("index", ""),
    ],
)
def test_what_git_is_in_the_middle_of(tmp_path: Path, name: str, told: str) -> None:
    """Each operation is called as a person knows it, with what to type."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert queries.busy(str(tmp_path)) == told


@pytest.mark.parametrize("way", ["cherry-pick", "revert"])
def test_between_two_commits_of_a_series(repository: Repository, way: str) -> None:
    """Only the folder of the series is there once a conflict is committed by hand; its list tells the command."""
    repository.git("switch", "--quiet", "-c", "topic")
    for text in (b"first\n", b"second\n", b"third\n"):
        repository.commit(text.decode().strip(), {"a.txt": text})
    repository.git("switch", "--quiet", "main" if way == "cherry-pick" else "topic")
    repository.commit("ours", {"a.txt": b"ours\n"})
    repository.git(way, *([] if way == "cherry-pick" else ["--no-edit"]), "topic~3..topic~1", check=False)
    repository.write("a.txt", b"resolved\n")
    repository.git("commit", "--quiet", "--all", "--message", "resolved")
    git = f"{repository.folder}/.git"
    assert queries.running(git, queries.STOPPED) == ["sequencer"]
    assert queries.busy(git).startswith(f"git is in the middle of a {way}. Finish it (git {way} --continue)")


def test_an_operation_without_a_command_of_its_own() -> None:
    """What is not known better is said in general words."""
    assert queries.advice("", "X") == (
        "git is in the middle of an operation. Finish it (see git status), then try again."
    )


def test_does_not_stage_a_conflict(repository: Repository) -> None:
    """A file in conflict after a stash pop is not staged; another file is."""
    repository.commit("state", {"x.md": b"one\n"})
    repository.write("x.md", b"stashed\n")
    repository.git("stash", "--quiet")
    repository.commit("other", {"x.md": b"other\n"})
    repository.git("stash", "pop", check=False)
    assert stage(repository, "x.md") == "x.md is not staged: git holds it in conflict"
    assert b"x.md" in repository.git("ls-files", "--unmerged")
    assert stage(repository, repository.write("y.md")) == ""


def test_waits_for_a_lock_that_goes(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another git holds the index, staging waits until the lock is gone."""
    lock = repository.folder / ".git/index.lock"
    lock.touch()
    name = repository.write("x.md")
    script = f'{GIT} "$@"; code=$?; case "$*" in *" add "*) echo >> {tmp_path}/tries; rm -f "{lock}";; esac; exit $code'
    program(tmp_path / "bin/git", script)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
        assert stage(repository, name) == ""
    assert (tmp_path / "tries").read_text() == "\n\n"
    assert repository.staged() == {"x.md": b"new\n"}


def test_gives_up_on_a_lock_that_stays(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that stays is left alone and named in the reason."""
    monkeypatch.setattr(queries, "_TIMEOUT", 0.0)
    lock = repository.folder / ".git/index.lock"
    lock.write_bytes(b"theirs")
    stated = stage(repository, repository.write("x.md"))
    assert stated.startswith("x.md is not staged: ")
    assert f"{lock}': File exists" in stated
    assert "\n" not in stated
    assert lock.read_bytes() == b"theirs"


def test_works_without_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH every query returns its value for "unknown"."""
    name = repository.write("x.md")
    monkeypatch.setenv("PATH", "")
    assert stage(repository, name).startswith("x.md is not staged: git could not be run: ")
    assert queries.uncommitted(str(repository.folder)) is None
    assert queries.files_with(str(repository.folder), "one") is None
    assert queries.version() == ""


def test_ignores_gits_redirecting_variables(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variables that git sets for its hooks do not redirect staging to another index or repository."""
    other = Repository.create(tmp_path / "other")
    astray = {
        "GIT_INDEX_FILE": f"{tmp_path}/index",
        "GIT_DIR": f"{other.folder}/.git",
        "GIT_WORK_TREE": f"{other.folder}",
        "GIT_OBJECT_DIRECTORY": f"{tmp_path}/objects",
        "GIT_PREFIX": "sub/",
        "GIT_LITERAL_PATHSPECS": "rubbish",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
    }
    with monkeypatch.context() as patch:
        for name, value in astray.items():
            patch.setenv(name, value)
        assert stage(repository, repository.write("x.md")) == ""
    assert repository.staged() == {"x.md": b"new\n"}
    assert other.staged() == {}
    assert not (tmp_path / "index").exists()


def test_runs_no_program_of_the_repository(repository: Repository, tmp_path: Path) -> None:
    """No file-system monitor and no hook of the repository is run."""
    ran = tmp_path / "ran"
    spy = program(tmp_path / "spy/post-index-change", f"touch {ran}")
    repository.git("config", "core.fsmonitor", spy)
    repository.git("config", "core.hooksPath", str(tmp_path / "spy"))
    shutil.copy(spy, repository.folder / ".git/hooks/post-index-change")
    name = repository.write("x.md")
    assert stage(repository, name) == ""
    assert queries.uncommitted(str(repository.folder)) == ["x.md"]
    assert queries.files_with(str(repository.folder), "two") == ["b.txt"]
    assert not ran.exists()
    repository.git("status")
    assert ran.exists(), "the spy itself does not work"


def test_lists_uncommitted_files(repository: Repository) -> None:
    """Changed, staged, deleted, moved and untracked files are listed, ignored ones are not, whatever their names."""
    root = str(repository.folder)
    assert queries.uncommitted(root) == []
    repository.write("a.txt", b"changed\n")
    repository.git("mv", "b.txt", "moved.txt")
    repository.write(".gitignore", b"ignored\n")
    for name in ("ignored", "new folder/a\nb", "n\udce9"):
        repository.write(name)
    repository.git("config", "status.showUntrackedFiles", "no")
    expected = {"a.txt", "b.txt", "moved.txt", ".gitignore", "new folder/a\nb", "n\udce9"}
    assert set(queries.uncommitted(root) or []) == expected


def test_finds_files_with_a_text(repository: Repository) -> None:
    """Files with the literal text are listed, untracked ones too, ignored ones not."""
    root = str(repository.folder)
    repository.commit("more", {"a\nb.md": b"see x.y-(1).md\n", "c.md": b"see xzy-(1).md\n", "-e": b"--x.y-(1).md"})
    for name in ("untracked.md", "ignored.md"):
        repository.write(name, b"x.y-(1).md")
    repository.write(".gitignore", b"ignored.md\n")
    assert queries.files_with(root, "x.y-(1).md") == ["-e", "a\nb.md", "untracked.md"]
    assert queries.files_with(root, "--x.y") == ["-e"]
    assert queries.files_with(root, "nowhere") == []


def test_returns_none_where_git_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing folder and one outside a repository have no answer, also when the current folder has one."""
    monkeypatch.chdir(Repository.create(tmp_path / "here").folder)
    Path("untracked").touch()
    (tmp_path / "plain").mkdir()
    for folder in (str(tmp_path / "gone"), str(tmp_path / "plain")):
        assert queries.uncommitted(folder) is None
        assert queries.files_with(folder, "one") is None
    assert queries.stage(f"{tmp_path}/gone", paths.locate(".").git, "untracked").startswith("untracked is not staged: ")
    assert queries.version()[0].isdigit()


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["TERM", "nothing"])
def test_ends_a_git_that_hangs(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    """A git that does not answer is ended with its children, and reported; the next run gets one second."""
    trap = "trap '' TERM; " if sign == "nothing" else ""
    program(tmp_path / "bin/git", f"{trap}sleep 1000 & echo $$ $! >> {tmp_path}/started; wait; sleep 1000")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setattr(run, "_timed_out", [])
    assert run.run(str(repository.folder), "status", timeout=0.5) == (
        124,
        "",
        "git gave no answer within 0.5 seconds",
    )
    assert run.run(str(repository.folder), "status", timeout=900.0)[2] == "git gave no answer within 1 seconds"
    for pid in map(int, (tmp_path / "started").read_text().split()):
        while process.identity(pid):  # it is dying
            time.sleep(0.01)


def test_kind_and_size_of_objects(repository: Repository, tmp_path: Path) -> None:
    """One that is missing has none."""
    names = objects.write_blobs(str(repository.folder), str(tmp_path / "scratch"), [b"one", b"three"])
    assert objects.kinds(str(repository.folder), [names[0], "0" * 40, names[1]]) == [("blob", 3), ("", 0), ("blob", 5)]


def test_stored_texts_leave_no_file(tmp_path: Path) -> None:
    """The files from which git reads them are gone, also when it fails."""
    made = Repository.create(tmp_path / "work")
    names = objects.write_blobs(str(made.folder), str(tmp_path / "scratch"), [b"one", b"two"])
    assert [made.git("cat-file", "-p", name) for name in names] == [b"one", b"two"]
    assert list((tmp_path / "scratch").iterdir()) == []
    with pytest.raises(HoldfastError):
        objects.write_blobs(str(tmp_path), str(tmp_path / "scratch"), [b"one"])
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_file_outside_of_git_is_not_from_git(tmp_path: Path) -> None:
    """Also where there is a folder of that name around it."""
    (tmp_path / "a.txt").write_text("one\n")
    assert not refs.is_from_git(str(tmp_path / "a.txt"))


@pytest.mark.parametrize(("later", "expected"), [(-1, False), (0, True), (1, True)])
def test_a_file_that_is_as_new_as_its_commit_is_from_git(repository: Repository, later: int, *, expected: bool) -> None:
    """Where times are whole seconds, both may be the same; a file from before was typed and then committed."""
    repository.commit("it", {"it.md": b"x\n"})
    name = repository.git("rev-parse", "HEAD").decode().strip()
    for path, at in ((f".git/objects/{name[:2]}/{name[2:]}", 1000), ("it.md", 1000 + later)):
        os.utime(repository.folder / path, (at, at))
    assert refs.is_from_git(str(repository.folder / "it.md")) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b"author Ann B <ann@example.org> 123 +0100", ("Ann B", "ann@example.org"), id="as git writes it"),
        pytest.param(b"author Ann <> 123 +0100", ("Ann", ""), id="no address"),
        pytest.param(b"author <ann@example.org> 123 +0100", ("", "ann@example.org"), id="no name"),
        pytest.param(b"author A\xff <a@b> 123 +0100", ("A\ufffd", "a@b"), id="not UTF-8"),
        pytest.param(b"committer Bob <b@example.org> 123 +0100", ("", ""), id="no author"),
    ],
)
def test_the_author_of_a_commit_is_read_from_its_bytes(line: bytes, expected: tuple[str, str]) -> None:
    """Its message is not its head."""
    data = b"tree " + b"0" * 40 + b"\n" + line + b"\n\nauthor Eve <eve@example.org> 123 +0100\n"
    assert objects.author(data) == expected


def test_a_long_line_of_an_author_takes_no_time() -> None:
    """A machine that sends it may be hostile; looking through all of it would take hours."""
    assert objects.author(b"author " + b"1 " * 500_000 + b"\n\n")[1] == ""
