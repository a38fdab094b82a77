"""A repository whose configuration, attributes, hooks and files try to make git run programs or wait for ever."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.editing import store
from holdfast.git import commits, queries, refs, run
from holdfast.git.run import disable_hooks, endless_file, own_filter
from holdfast.project import paths
from holdfast.trust import clone
from tests.support.hostile import Spies, missing, signed
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRACKED = {"a.txt": b"one\n", "b.txt": b"one\ntwo\n", "c.bin": b"\0one\n", "d.inc": b"one\n"}
# Every query to git, and the two operations that write.
QUESTIONS: dict[str, Callable[[str], object]] = {
    "uncommitted": queries.uncommitted,
    "committed": lambda root: queries.committed(root, "state.md"),
    "written": lambda root: refs.is_from_git(f"{root}/state.md"),
    "keep": lambda root: queries.keep_object(root, "state.md"),
    "mentions": lambda root: queries.files_with(root, "two"),
    "moved": lambda root: queries.renamed(root, 0.0),
    "called": lambda root: queries.tracked_with_name(root, ["a.txt", "--output=x"]),
    "head_at": lambda root: queries.head_at(root, time.time()),
    "tracked": lambda root: queries.tracked(root, list(TRACKED)),
    "added": lambda root: queries.added_lines(root, "HEAD", list(TRACKED)),
    "commits": lambda root: commits.commits(root, 0.0),
    "unchanged": lambda root: commits.unchanged(root, "HEAD", list(TRACKED)),
    "reworded": lambda root: commits.has_unstaged_words(root, "a.txt"),
    "stage": lambda root: store.stage(f"{root}/state.md"),
}


@pytest.fixture
def spies(tmp_path: Path) -> Spies:
    """Give programs that record when they are run."""
    return Spies(tmp_path)


@pytest.fixture
def armed(tmp_path: Path, spies: Spies) -> Repository:
    """Give a repository with a submodule; both name a spy in every setting, and each file was just saved again."""
    Repository.create(tmp_path / "library")
    made = Repository.create(tmp_path / "work")
    made.git("submodule", "--quiet", "add", str(tmp_path / "library"), "sub")
    made.commit("more", {**TRACKED, "state.md": b"state\n"})
    signed(made)
    inner = Repository(made.folder / "sub")
    for repository in (inner, made):
        # A worktree's .git is a file; the submodule's own configuration lies in the repository around it.
        spies.configure(repository)
    spies.arm(made)
    (made.folder / ".git/modules/sub/info").mkdir(exist_ok=True)
    (made.folder / ".git/modules/sub/info/attributes").write_text("* filter=inner\n")
    inner.git("config", "filter.inner.clean", spies.program("filter.inner.clean"))
    for folder, names in ((made.folder, TRACKED), (inner.folder, ["a.txt"])):
        for name in names:
            data = (folder / name).read_bytes()
            (folder / name).write_bytes(data[:-1] + b"!" if name == "b.txt" else data)
            os.utime(folder / name, (1, 1))
    spies.forget()
    return made


def asked(root: str, spies: Spies) -> dict[str, list[str]]:
    """Run each query, and return the programs that it ran."""
    ran = {}
    for name, question in QUESTIONS.items():
        question(root)
        ran[name] = spies.ran
        spies.forget()
    return {name: programs for name, programs in ran.items() if programs}


def test_no_query_runs_a_program(armed: Repository, spies: Spies) -> None:
    """No query and no staging runs a program that the repository's configuration, hooks or attributes name."""
    assert asked(str(armed.folder), spies) == {}


@pytest.mark.parametrize("entry", [".", "", "bin"])
def test_no_program_comes_from_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    """An entry of PATH that is relative is a folder of the project."""
    one = Repository.create(tmp_path / "x")
    one.write("a.txt", b"a\n")
    for folder in (one.folder, one.folder / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text("#!/bin/sh\necho evil\n")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(one.folder)
    monkeypatch.setenv("PATH", f"{entry}:{os.environ['PATH']}")
    assert run.run(str(one.folder), "rev-parse", "--is-inside-work-tree")[1] == "true\n"


def test_the_spies_work(armed: Repository, spies: Spies) -> None:
    """The same commands without the safe options run the programs."""
    for command in (
        ("status", "--porcelain"),
        ("log", "-1"),
        ("-c", "core.fsmonitor=false", "diff", "HEAD"),
        ("update-ref", "refs/x/y", "HEAD"),
        ("add", "a.txt"),
    ):
        armed.git(*command, check=False)
    expected = {"core.fsmonitor", "gpg.program", "diff.spied.command", "hook-reference-transaction"}
    assert expected | {"filter.spied.clean"} <= set(spies.ran), spies.ran


def test_the_answers_are_correct_without_filters(armed: Repository) -> None:
    """With filters switched off the answers are still correct."""
    root = str(armed.folder)
    assert queries.uncommitted(root) == ["b.txt"]
    assert queries.added_lines(root, "HEAD", ["b.txt"]) == [("b.txt", 2, "two!")]
    assert queries.committed(root, "state.md")


def test_staging_filters_the_file_itself_and_no_other(armed: Repository, spies: Spies) -> None:
    """Staging applies the filter of the file itself, which git-crypt needs, and of no other file."""
    encrypt = spies.folder / "encrypt"
    encrypt.write_text("#!/bin/sh\ntr a-z b-za\n")
    encrypt.chmod(0o755)
    armed.git("config", "filter.crypt.clean", str(encrypt))
    armed.git("config", "filter.crypt.required", "true")
    armed.write(".gitattributes", b"state.md filter=crypt\n")
    armed.write("state.md", b"abc\n")
    commands = own_filter(str(armed.folder), run.run, "state.md")
    clone.approve(paths.locate(str(armed.folder)), commands.encode())
    assert store.stage(f"{armed.folder}/state.md") == ""
    assert armed.git("show", ":state.md") == b"bcd\n"
    armed.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--no-gpg-sign", "-m", "state")
    spies.forget()
    assert queries.committed(str(armed.folder), "state.md")
    assert spies.ran == []


def test_a_filter_of_an_included_file_is_switched_off(tmp_path: Path, spies: Spies) -> None:
    """The repository's own file only names the other one."""
    made = Repository.create(tmp_path / "work")
    (made.folder / ".git/more").write_text(f'[filter "odd"]\n\tclean = {spies.program("odd")}\n')
    made.git("config", "include.path", "more")
    made.commit("attributes", {".gitattributes": b"b.txt filter=odd\n"})
    os.utime(made.folder / "b.txt", (1, 1))
    spies.forget()
    assert queries.uncommitted(str(made.folder)) == []
    assert spies.ran == []


def test_a_fetch_runs_no_command_for_alternates(tmp_path: Path, spies: Spies) -> None:
    """Git itself runs the one that is configured, where the repository borrows objects of another one."""
    made, other = Repository.create(tmp_path / "work"), Repository.create(tmp_path / "other")
    other.commit("more", {"c.txt": b"three\n"})
    (made.folder / ".git/objects/info/alternates").write_text(f"{other.folder}/.git/objects\n")
    made.git("config", "core.alternateRefsCommand", spies.program("refs", then="true"))
    words = ("fetch", "--quiet", str(other.folder), "main")
    code, _, errors = run.run(str(made.folder), *words, variables={"GIT_ALLOW_PROTOCOL": "file"})
    assert (code, errors, spies.ran) == (0, "", [])
    made.git(*words)
    assert spies.ran == ["refs"]


def _configured_hooks(made: Repository, spies: Spies, name: str = "spied") -> None:
    """Configure a spy for the events of commands that write, in a file that the configuration includes."""
    events = ("post-index-change", "reference-transaction", "pre-push", "pre-commit")
    lines = "".join(f"\tevent = {event}\n" for event in events)
    (made.folder / ".git/more").write_text(f'[hook "{name}"]\n{lines}\tcommand = {spies.program("hook")}\n')
    made.git("config", "include.path", "more")
    spies.forget()


def test_configured_hooks_are_switched_off(tmp_path: Path, spies: Spies) -> None:
    """Each by its name, as git 2.54 and later read it; one that cannot be switched off stops git."""
    made = Repository.create(tmp_path / "work")
    root = str(made.folder)
    assert disable_hooks(root, run.run) == ()
    _configured_hooks(made, spies)
    assert disable_hooks(root, run.run) == ("-c", "hook.spied.enabled=false")
    _configured_hooks(made, spies, "a=b")
    assert run.run(root, "status")[0] == 127
    assert "defines a hook that cannot be switched off" in store.stage(f"{root}/a.txt")


@pytest.mark.skipif(
    tuple(map(int, queries.version().split(".")[:2])) < (2, 54), reason="this git has no hooks in its configuration"
)
def test_no_configured_hook_runs(tmp_path: Path, spies: Spies) -> None:
    """Staging and moving a ref run none, which git itself does."""
    if tuple(map(int, queries.version().split(".")[:2])) < (2, 54):
        pytest.skip("this git has no hooks in its configuration")
    made = Repository.create(tmp_path / "work")
    _configured_hooks(made, spies)
    made.write("a.txt")
    assert store.stage(f"{made.folder}/a.txt") == ""
    assert run.run(str(made.folder), "update-ref", "refs/x/y", "HEAD")[0] == 0
    assert spies.ran == []
    made.git("update-ref", "refs/x/z", "HEAD")
    assert spies.ran == ["hook"]


def test_the_users_own_filter_stays(tmp_path: Path, spies: Spies, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter in the user's own configuration, such as LFS, is applied, so that no file seems changed."""
    made = Repository.create(tmp_path / "work")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
        (tmp_path / "config").write_text(f'[filter "mine"]\n\tclean = {spies.program("mine")}\n')
        made.commit("attributes", {".gitattributes": b"a.txt filter=mine\n"})
        os.utime(made.folder / "a.txt", (1, 1))
        assert queries.uncommitted(str(made.folder)) == []
    assert spies.ran == ["mine"]


def test_a_filter_that_cannot_be_switched_off_stops_the_query(tmp_path: Path, spies: Spies) -> None:
    """A name with a = in it cannot be switched off, so git is not run."""
    made = Repository.create(tmp_path / "work")
    made.git("config", "filter.a=b.clean", spies.program("odd"))
    made.commit("attributes", {".gitattributes": b"b.txt filter=a=b\n"})
    spies.forget()
    os.utime(made.folder / "b.txt", (1, 1))
    assert queries.uncommitted(str(made.folder)) is None
    assert "= in it" in store.stage(f"{made.folder}/a.txt")
    assert spies.ran == []


def test_missing_objects_are_not_fetched(tmp_path: Path, spies: Spies) -> None:
    """A missing object is not fetched, because a fetch runs what the configuration names."""
    made = Repository.create(tmp_path / "work")
    made.commit("more", {**TRACKED, "state.md": b"state\n"})
    made.git("mv", "b.txt", "moved.txt")
    missing(made, "b.txt", f"ext::{spies.program('fetch', 'exit 1')}")
    assert asked(str(made.folder), spies) == {}


def test_the_fetch_works(tmp_path: Path, spies: Spies) -> None:
    """Without the safe environment git fetches."""
    made = Repository.create(tmp_path / "work")
    missing(made, "b.txt", f"ext::{spies.program('fetch', 'exit 1')}")
    made.git("cat-file", "blob", "HEAD:b.txt", check=False)
    assert spies.ran == ["fetch"]


def test_a_configured_working_tree_elsewhere_is_ignored(tmp_path: Path) -> None:
    """When the configuration names another folder as the working tree, nothing of it is shown or staged."""
    made = Repository.create(tmp_path / "work")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private").write_text("x")
    (outside / "state.md").write_text("theirs\n")
    made.git("config", "core.worktree", str(outside))
    made.write("state.md", b"ours\n")
    assert queries.uncommitted(str(made.folder)) == ["state.md"]
    assert store.stage(f"{made.folder}/state.md") == ""
    assert made.git("show", ":state.md") == b"ours\n"


@pytest.mark.parametrize("name", [".git/config", ".git/index", ".gitattributes", ".agents/.gitignore"])
def test_git_is_not_run_where_it_would_wait_for_ever(tmp_path: Path, name: str) -> None:
    """A pipe at the path of a file that git reads is reported, and git is not run."""
    made = Repository.create(tmp_path / "work")
    made.write(".agents/state.md")
    path = made.folder / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert endless_file(str(made.folder), ".agents/state.md") == name
    assert f"{name} is a pipe or a device" in store.stage(f"{made.folder}/.agents/state.md")


@pytest.mark.slow
def test_a_git_that_never_answers_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that reads an included pipe is ended after the time limit."""
    made = Repository.create(tmp_path / "work")
    os.mkfifo(tmp_path / "pipe")
    made.git("config", "include.path", str(tmp_path / "pipe"), check=False)
    monkeypatch.setattr(run, "_timed_out", [])
    assert run.run(str(made.folder), "ls-files", timeout=0.2)[0] == 124


def test_no_bare_repository_is_found(tmp_path: Path) -> None:
    """A folder with the parts of a git folder is none, where git is started in it; a working tree is found."""
    made = Repository.create(tmp_path / "work")
    shutil.copytree(made.folder / ".git", tmp_path / "planted")
    assert run.run(str(made.folder), "rev-parse", "HEAD")[0] == 0
    assert run.run(str(tmp_path / "planted"), "rev-parse", "HEAD")[0] != 0
