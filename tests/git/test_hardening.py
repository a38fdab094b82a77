"""A repository whose own configuration, attributes, hooks and files would have git run programs, or wait for ever."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.editing import store
from holdfast.git import commits, hardening, queries, run
from tests.support.hostile import Spies, missing, signed
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRACKED = {"a.txt": b"one\n", "b.txt": b"one\ntwo\n", "c.bin": b"\0one\n", "d.inc": b"one\n"}
# Every question that is asked of git, and the two things done with it.
QUESTIONS: dict[str, Callable[[str], object]] = {
    "uncommitted": queries.uncommitted,
    "committed": lambda root: queries.committed(root, "state.md"),
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
    """Give programs that tell when they are run."""
    return Spies(tmp_path)


@pytest.fixture
def armed(tmp_path: Path, spies: Spies) -> Repository:
    """Give a repository, and one inside of it, that name a spy wherever they can, each file just saved again."""
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
    """Ask each question, and return what ran at which."""
    ran = {}
    for name, question in QUESTIONS.items():
        question(root)
        ran[name] = spies.ran
        spies.forget()
    return {name: programs for name, programs in ran.items() if programs}


def test_no_question_runs_a_program(armed: Repository, spies: Spies) -> None:
    """Whatever is configured, hooked or attributed, to ask git or to stage a file runs nothing of the repository's."""
    assert asked(str(armed.folder), spies) == {}


def test_the_spies_work(armed: Repository, spies: Spies) -> None:
    """What holdfast asks, asked without its care, runs the programs that the test above is about."""
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


def test_the_answers_are_right_all_the_same(armed: Repository) -> None:
    """Without filters the files say what they say."""
    root = str(armed.folder)
    assert queries.uncommitted(root) == ["b.txt"]
    assert queries.added_lines(root, "HEAD", ["b.txt"]) == [("b.txt", 2, "two!")]
    assert queries.committed(root, "state.md")


def test_staging_filters_the_file_itself_and_no_other(armed: Repository, spies: Spies) -> None:
    """What is staged is what the project wants there, as git-crypt needs it; no other file is filtered for it."""
    encrypt = spies.folder / "encrypt"
    encrypt.write_text("#!/bin/sh\ntr a-z b-za\n")
    encrypt.chmod(0o755)
    armed.git("config", "filter.crypt.clean", str(encrypt))
    armed.git("config", "filter.crypt.required", "true")
    armed.write(".gitattributes", b"state.md filter=crypt\n")
    armed.write("state.md", b"abc\n")
    assert store.stage(f"{armed.folder}/state.md") == ""
    assert armed.git("show", ":state.md") == b"bcd\n"
    armed.git("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--no-gpg-sign", "-m", "state")
    spies.forget()
    assert queries.committed(str(armed.folder), "state.md")
    assert spies.ran == []


def test_a_persons_own_filter_stays(tmp_path: Path, spies: Spies, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody configured for all repositories, such as LFS, is applied, so that no file seems changed."""
    made = Repository.create(tmp_path / "work")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
        (tmp_path / "config").write_text(f'[filter "mine"]\n\tclean = {spies.program("mine")}\n')
        made.commit("attributes", {".gitattributes": b"a.txt filter=mine\n"})
        os.utime(made.folder / "a.txt", (1, 1))
        assert queries.uncommitted(str(made.folder)) == []
    assert spies.ran == ["mine"]


def test_a_filter_that_cannot_be_switched_off_stops_the_question(tmp_path: Path, spies: Spies) -> None:
    """A name with a = in it would end the option early, so git is not asked."""
    made = Repository.create(tmp_path / "work")
    made.git("config", "filter.a=b.clean", spies.program("odd"))
    made.commit("attributes", {".gitattributes": b"b.txt filter=a=b\n"})
    spies.forget()
    os.utime(made.folder / "b.txt", (1, 1))
    assert queries.uncommitted(str(made.folder)) is None
    assert "= in it" in store.stage(f"{made.folder}/a.txt")
    assert spies.ran == []


def test_what_a_partial_clone_lacks_is_not_fetched(tmp_path: Path, spies: Spies) -> None:
    """A blob that is not there stays away: its fetch would run what the configuration names."""
    made = Repository.create(tmp_path / "work")
    made.commit("more", {**TRACKED, "state.md": b"state\n"})
    made.git("mv", "b.txt", "moved.txt")
    missing(made, "b.txt", f"ext::{spies.program('fetch', 'exit 1')}")
    assert asked(str(made.folder), spies) == {}


def test_the_fetch_works(tmp_path: Path, spies: Spies) -> None:
    """Without that care git fetches."""
    made = Repository.create(tmp_path / "work")
    missing(made, "b.txt", f"ext::{spies.program('fetch', 'exit 1')}")
    made.git("cat-file", "blob", "HEAD:b.txt", check=False)
    assert spies.ran == ["fetch"]


def test_another_working_tree_is_none_of_ours(tmp_path: Path) -> None:
    """A configuration that names a folder elsewhere as the working tree neither shows it nor stages from it."""
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
def test_git_is_not_asked_where_it_would_wait_for_ever(tmp_path: Path, name: str) -> None:
    """A pipe in the place of a file that git reads is named, and nobody waits for it."""
    made = Repository.create(tmp_path / "work")
    made.write(".agents/state.md")
    path = made.folder / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert hardening.endless_file(str(made.folder), ".agents/state.md") == name
    assert f"{name} is a pipe or a device" in store.stage(f"{made.folder}/.agents/state.md")


def test_what_never_answers_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe that an included configuration leads to is waited for no longer than for any answer."""
    made = Repository.create(tmp_path / "work")
    os.mkfifo(tmp_path / "pipe")
    made.git("config", "include.path", str(tmp_path / "pipe"), check=False)
    monkeypatch.setattr(run, "_timed_out", [])
    assert run.run(str(made.folder), "ls-files", timeout=0.2)[0] == 124
