"""Which texts were written or accepted here, by git's reflogs and by the ledger."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest

from holdfast.core.cache import Cache
from holdfast.editing import store
from holdfast.project import paths
from holdfast.trust import ledger
from holdfast.trust.ledger import TrustCheck
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = ".agents/sessions/20251204-143000-parser.md"
MIDDLE = b"".join(b"line %d\n" % number for number in range(20))
FIRST = b"top\n" + MIDDLE + b"end\n"
THEIRS = b"their top\n" + MIDDLE + b"end\n"
OURS = b"top\n" + MIDDLE + b"our end\n"
BOTH = b"their top\n" + MIDDLE + b"our end\n"


class World(NamedTuple):
    """A stranger's repository, and the user's clone of it."""

    folder: Path
    there: Repository
    here: Repository

    def theirs(self, data: bytes = THEIRS) -> None:
        """Commit a text as the stranger."""
        self.there.commit("theirs", {NAME: data})

    def ours(self, data: bytes = OURS) -> None:
        """Commit a text as the user, without a session."""
        self.here.commit("ours", {NAME: data})

    def text(self, where: Repository | None = None) -> bytes:
        """Return the text of the state file."""
        return ((where or self.here).folder / NAME).read_bytes()


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Give a repository with a state file, and a clone of it."""
    there = Repository.create(tmp_path / "there")
    there.commit("state", {NAME: FIRST})
    there.git("clone", "-q", ".", str(tmp_path / "here"))
    return World(tmp_path, there, Repository(tmp_path / "here"))


def untrusted(where: Repository, name: str = NAME) -> bool:
    """Whether a new process finds a file untrusted."""
    path = str(where.folder / name)
    memory = Cache(paths.locate(str(where.folder)).store)
    found = TrustCheck(memory).untrusted([path]) == {path}
    memory.save()
    return found


def _cloned(_: World) -> None:
    """Nothing happens after the clone."""


def _pulled(world: World) -> None:
    world.theirs()
    world.here.git("pull", "-q", "--ff-only")


def _merged(world: World) -> None:
    world.ours()
    world.theirs()
    world.here.git("pull", "-q", "--no-rebase", "--no-edit")
    assert world.text() == BOTH


def _rebased(world: World) -> None:
    world.ours()
    world.theirs()
    world.here.git("pull", "-q", "--rebase")
    assert world.text() == BOTH


def _picked(world: World) -> None:
    world.theirs()
    world.here.git("fetch", "-q")
    world.here.git("cherry-pick", "origin/main")


def _applied_by_mail(world: World) -> None:
    world.theirs()
    patch = world.there.git("format-patch", "-1", "--stdout")
    (world.folder / "a.patch").write_bytes(patch)
    world.here.git("am", "-q", str(world.folder / "a.patch"))


def _squashed(world: World) -> None:
    world.theirs()
    world.here.git("fetch", "-q")
    world.here.git("merge", "-q", "--squash", "origin/main")
    world.here.git("commit", "-q", "-m", "all of it")


def _checked_out(world: World) -> None:
    world.there.git("switch", "-q", "-c", "other")
    world.theirs()
    world.here.git("fetch", "-q")
    world.here.git("switch", "-q", "other")


def _taken_from_branch(world: World) -> None:
    _checked_out(world)
    world.here.git("switch", "-q", "main")
    world.here.git("checkout", "-q", "origin/other", "--", NAME)


def _amended(world: World) -> None:
    _pulled(world)
    world.here.git("commit", "-q", "--amend", "-m", "theirs, said anew")


def _committed_again(world: World) -> None:
    _pulled(world)
    world.here.git("reset", "-q", "--soft", "HEAD~1")
    world.here.git("commit", "-q", "-m", "as if it were ours")


def _merge_under_way(world: World) -> None:
    world.ours()
    world.there.commit("theirs", {NAME: THEIRS, "a.txt": b"theirs\n"})
    world.here.commit("ours", {"a.txt": b"ours\n"})
    world.here.git("pull", "-q", "--no-rebase", "--no-edit", check=False)
    assert world.text() == BOTH


def _merge_concluded(world: World) -> None:
    _merge_under_way(world)
    world.here.git("add", "a.txt")
    world.here.git("commit", "-q", "--no-edit")


def _in_conflict(world: World) -> None:
    world.ours(b"our top\n" + MIDDLE)
    world.theirs()
    world.here.git("pull", "-q", "--no-rebase", "--no-edit", check=False)
    assert b"<<<<<<<" in world.text()


def _with_other_line_ends(world: World) -> None:
    world.here.git("config", "core.autocrlf", "true")
    (world.here.folder / NAME).unlink()
    world.here.git("checkout", "-q", "--", NAME)
    assert b"\r\n" in world.text()


def _line_ends_turned_by_hand(world: World) -> None:
    (world.here.folder / NAME).write_bytes(FIRST.replace(b"\n", b"\r\n"))


def _committed(world: World) -> None:
    world.ours()


def _edited(world: World) -> None:
    world.here.write(NAME, OURS)


def _new(world: World) -> None:
    (world.here.folder / NAME).unlink()
    world.here.write(NAME, b"another one\n")


def _staged(world: World) -> None:
    world.here.write(NAME, OURS)
    world.here.git("add", NAME)


def _own_amended(world: World) -> None:
    world.ours(b"half of it\n")
    world.here.write(NAME, OURS)
    world.here.git("commit", "-q", "--amend", "-a", "-m", "ours")


def _kept_by_rebase(world: World) -> None:
    world.ours()
    world.there.commit("theirs", {"a.txt": b"theirs\n"})
    world.here.git("pull", "-q", "--rebase")


def _kept_by_merge(world: World) -> None:
    world.ours()
    world.there.commit("theirs", {"a.txt": b"theirs\n"})
    world.here.git("pull", "-q", "--no-rebase", "--no-edit")


def _stashed(world: World) -> None:
    world.here.write(NAME, OURS)
    world.here.git("stash", "-q")
    world.here.git("stash", "pop", "-q")


def _there_and_back(world: World) -> None:
    world.ours()
    world.here.git("switch", "-q", "-c", "aside", "HEAD~1")
    world.here.git("switch", "-q", "main")


def _pushed(world: World) -> None:
    world.ours()
    world.there.git("switch", "-q", "-c", "away")
    world.here.git("push", "-q", "origin", "main")
    world.here.git("fetch", "-q")


def _edited_after_pull(world: World) -> None:
    _pulled(world)
    world.here.write(NAME, BOTH)


def _edited_and_committed_after_pull(world: World) -> None:
    _pulled(world)
    world.ours(BOTH)


def _shallow(world: World) -> None:
    """Replace the clone by one with the last commit only."""
    shutil.rmtree(world.here.folder)
    world.there.git("clone", "-q", "--depth", "1", f"file://{world.there.folder}", str(world.here.folder))


def _without_reflog(world: World) -> None:
    """Delete all reflogs: a text of unknown origin is untrusted."""
    world.ours()
    shutil.rmtree(world.here.folder / ".git/logs")


def _reverted(world: World) -> None:
    world.ours()
    world.here.git("revert", "--no-edit", "HEAD")
    assert world.text() == FIRST


def _resolved(world: World) -> None:
    _in_conflict(world)
    world.here.write(NAME, b"resolved by hand\n")


UNTRUSTED = (
    *(_cloned, _pulled, _merged, _rebased, _picked, _applied_by_mail, _squashed, _checked_out, _taken_from_branch),
    *(_amended, _committed_again, _merge_under_way, _merge_concluded, _in_conflict, _with_other_line_ends),
    *(_line_ends_turned_by_hand, _resolved, _shallow, _without_reflog, _reverted),
)
OWN = (
    *(_committed, _edited, _new, _staged, _own_amended, _kept_by_rebase, _kept_by_merge, _stashed, _there_and_back),
    *(_pushed, _edited_after_pull, _edited_and_committed_after_pull),
)


def _called(case: Callable[[World], None]) -> str:
    return case.__name__.strip("_")


@pytest.mark.parametrize("case", UNTRUSTED, ids=_called)
def test_a_text_that_git_brought_is_untrusted(world: World, case: Callable[[World], None]) -> None:
    """A text that git brought is untrusted, whichever command brought it."""
    case(world)
    assert untrusted(world.here)


@pytest.mark.parametrize("case", OWN, ids=_called)
def test_a_text_written_here_is_trusted(world: World, case: Callable[[World], None]) -> None:
    """A text that was edited or committed here is trusted without any session."""
    case(world)
    assert not untrusted(world.here)
    assert untrusted(world.there) is False


def test_worktrees_share_what_was_written_here(world: World) -> None:
    """All worktrees share what was written here; a stranger's text is untrusted in each."""
    world.here.git("worktree", "add", "-q", "-b", "aside", str(world.folder / "aside"))
    aside = Repository(world.folder / "aside")
    assert untrusted(aside)
    aside.commit("ours", {NAME: OURS})
    world.here.git("merge", "-q", "--ff-only", "aside")
    assert not untrusted(aside)
    assert not untrusted(world.here)


def test_outside_git_every_text_is_trusted(tmp_path: Path) -> None:
    """A folder outside git has no untrusted text and no ledger."""
    plain = Repository(tmp_path)
    plain.write(NAME, FIRST)
    assert not untrusted(plain)
    ledger.accept(str(tmp_path / NAME))
    assert [path.name for path in tmp_path.iterdir()] == [".agents"]


def _written(world: World, data: bytes) -> None:
    """Write to the state file as holdfast does."""
    project = paths.locate(str(world.here.folder))
    with store.writing(project):
        store.update(str(world.here.folder / NAME), lambda _: data)


def test_holdfasts_own_edit_keeps_the_trust_of_a_text(world: World) -> None:
    """Holdfast's own edit keeps an untrusted text untrusted, also after a commit, and a trusted one trusted."""
    _written(world, FIRST + b"stamped\n")
    assert untrusted(world.here)
    world.here.git("commit", "-q", "-a", "-m", "with the stamp")
    assert untrusted(world.here)
    ledger.accept(str(world.here.folder / NAME), world.text())
    assert not untrusted(world.here)
    _written(world, FIRST + b"stamped again\n")
    assert not untrusted(world.here)


def test_a_shortened_ledger_keeps_accepted_texts(world: World) -> None:
    """A large ledger is shortened; accepted texts stay accepted."""
    path = str(world.here.folder / NAME)
    ledger.accept(path, world.text())
    file = world.here.folder / ".git/holdfast/accepted"
    with file.open("ab") as stream:
        stream.writelines(b"+%064x\n" % number for number in range(4000))
    _written(world, OURS)
    assert file.stat().st_size < 100_000
    assert not untrusted(world.here)
    world.here.git("checkout", "-q", "--", NAME)
    assert not untrusted(world.here)


def test_an_incomplete_ledger_line_is_ignored(world: World) -> None:
    """An incomplete line is ignored, and the next line does not continue it."""
    path = str(world.here.folder / NAME)
    ledger.accept(path, world.text())
    file = world.here.folder / ".git/holdfast/accepted"
    file.write_bytes(file.read_bytes()[:30])
    assert untrusted(world.here)
    ledger.accept(path, world.text())
    assert not untrusted(world.here)
