"""Which texts were written or accepted here, by git's reflogs and by the ledger."""

from __future__ import annotations

import re
import shutil
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.editing import store
from holdfast.git import run as gitrun
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


def _fetched(world: World) -> None:
    """Let the stranger commit on a branch of their own, and fetch that."""
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.here.git("fetch", "-q", "origin", "x:refs/remotes/origin/x")


def _cloned_branch(world: World) -> None:
    """Replace the clone by one that got the branch x with the clone, so that it has no reflog."""
    _fetched(world)
    world.there.git("switch", "-q", "main")
    shutil.rmtree(world.here.folder)
    world.there.git("clone", "-q", ".", str(world.here.folder))


def _by_path(*command: str) -> Callable[[World], None]:
    """Return a case that takes files of the branch x by a command, without moving HEAD."""

    def case(world: World) -> None:
        _cloned_branch(world)
        world.here.git(*command)
        assert world.text() == THEIRS

    case.__name__ = "_" + "_".join(command).replace("/", "_")
    return case


def _and_commit(case: Callable[[World], None]) -> Callable[[World], None]:
    """Return a case after which the user commits everything."""

    def committed(world: World) -> None:
        case(world)
        world.here.git("commit", "-q", "-a", "-m", "all of it")

    committed.__name__ = case.__name__ + "_and_commit"
    return committed


def _merge_quit(world: World) -> None:
    world.ours()
    _fetched(world)
    world.here.git("merge", "-q", "--no-commit", "--no-ff", "origin/x")
    world.here.git("merge", "--quit")
    assert world.text() == BOTH


def _picked_without_commit(world: World) -> None:
    world.ours()
    _fetched(world)
    world.here.git("cherry-pick", "-n", "origin/x")
    assert world.text() == BOTH


def _fetch_head(world: World) -> None:
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.here.git("fetch", "-q", str(world.there.folder), "x")
    world.here.git("checkout", "-q", "FETCH_HEAD", "--", NAME)


def _branch_deleted(world: World) -> None:
    """Commit a stranger's text whose branch no ref contains any more; the reflog of HEAD still names it."""
    _fetched(world)
    world.here.git("switch", "-q", "--detach", "origin/x")
    world.here.git("switch", "-q", "main")
    world.here.git("checkout", "-q", "origin/x", "--", NAME)
    world.here.git("update-ref", "-d", "refs/remotes/origin/x")
    (world.here.folder / ".git/FETCH_HEAD").unlink(missing_ok=True)


def _older_version(world: World) -> None:
    """Take a text of the stranger that only an older commit of their branch has."""
    _fetched(world)
    world.theirs(b"newer\n")
    world.here.git("fetch", "-q", "origin", "x:refs/remotes/origin/x")
    world.here.git("checkout", "-q", "origin/x~1", "--", NAME)


def _renamed(world: World) -> None:
    """Move a stranger's text to the place of a state file."""
    world.there.commit("notes", {"notes/evil.md": THEIRS})
    world.here.git("pull", "-q", "--ff-only")
    world.here.git("mv", "-f", "notes/evil.md", NAME)


def _tagged(world: World) -> None:
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.there.git("tag", "v1")
    world.here.git("fetch", "-q", "--no-tags", "origin", "refs/tags/v1:refs/tags/v1")
    (world.here.folder / ".git/FETCH_HEAD").unlink(missing_ok=True)
    world.here.git("checkout", "-q", "v1", "--", NAME)


def _fetched_into_branch(world: World) -> None:
    """Take a text of a branch that a fetch wrote and that has a reflog; FETCH_HEAD names another one."""
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.there.git("update-ref", "refs/pull/42/head", "x")
    world.here.git("fetch", "-q", "origin", "refs/pull/42/head:pr-42")
    world.here.git("fetch", "-q", "origin", "main")
    world.here.git("checkout", "-q", "pr-42", "--", NAME)


def _branch_of_fetch_head(*command: str) -> Callable[[World], None]:
    """Return a case that takes a text of a branch made by hand of FETCH_HEAD, which names another commit since."""

    def case(world: World) -> None:
        world.there.git("switch", "-q", "-c", "x")
        world.theirs()
        world.there.git("switch", "-q", "main")
        world.here.git("fetch", "-q", str(world.there.folder), "x")
        world.here.git(*command, "FETCH_HEAD")
        world.here.git("fetch", "-q", "origin", "main")
        world.here.git("checkout", "-q", "own", "--", NAME)

    case.__name__ = f"_{command[0]}_of_fetch_head"
    return case


def _hunk_of_fetched_branch(world: World) -> None:
    """Apply a hunk of such a branch to a text of the user's own."""
    world.ours()
    _fetched_into_branch(world)
    world.here.git("checkout", "-q", "HEAD", "--", NAME)
    (world.here.folder / NAME).write_bytes(BOTH)


def _by_attributes(attributes: str, data: bytes, *settings: str) -> Callable[[World], None]:
    """Return a case in which git changes a text of the user's own between the index and the working tree."""

    def case(world: World) -> None:
        for setting in settings:
            world.here.git("config", *setting.split("="))
        world.here.write(".gitattributes", f"{NAME} {attributes}\n".encode())
        world.here.git("add", ".gitattributes")
        world.ours(data)
        (world.here.folder / NAME).unlink()
        world.here.git("checkout", "-q", "--", NAME)

    case.__name__ = "_" + attributes.replace(" ", "_")
    return case


def _behind_a_link(world: World) -> None:
    world.ours()
    (world.here.folder / ".agents").rename(world.here.folder / "docs")
    (world.here.folder / ".agents").symlink_to("docs")


def _case_twin(world: World) -> None:
    world.here.commit("ours", {NAME: OURS, NAME.replace("parser", "Parser"): OURS})


def _index_differs(world: World) -> None:
    world.ours()
    world.here.git(
        "update-index", "--cacheinfo", f"100644,{world.here.git('rev-parse', 'HEAD~1:' + NAME).decode().strip()},{NAME}"
    )


def _untracked_again(world: World) -> None:
    world.ours()
    world.here.git("rm", "-q", "--cached", NAME)


def _busy(name: str) -> Callable[[World], None]:
    """Return a case in which git is at work, as a file in its folder says."""

    def case(world: World) -> None:
        world.ours()
        (world.here.folder / ".git" / name).touch()

    case.__name__ = "_" + name
    return case


def _pack_and_unpack(world: World) -> None:
    moved = world.here.folder.with_name("archive")
    shutil.copytree(world.here.folder, moved, symlinks=True)
    shutil.rmtree(world.here.folder)
    shutil.copytree(moved, world.here.folder, symlinks=True)


def _unpacked_archive(world: World) -> None:
    """Copy the clone with its reflogs, as an archive is unpacked: no program can copy the change times."""
    world.ours()
    ledger.accept(str(world.here.folder / NAME), world.text())
    for log in (world.here.folder / ".git/logs").rglob("*"):
        if log.is_file():
            log.write_bytes(re.sub(rb"> \d+ ", b"> 1700000000 ", log.read_bytes()))
    _pack_and_unpack(world)


def _archive_of_times_to_come(world: World) -> None:
    """Unpack an archive whose reflog has a line for a second after that."""
    world.ours()
    shutil.rmtree(world.here.folder / ".git/logs/refs")
    log = world.here.folder / ".git/logs/HEAD"
    log.write_bytes(re.sub(rb"> \d+ ", b"> %d " % (time.time() + 3.5), log.read_bytes()))
    _pack_and_unpack(world)
    time.sleep(1.6)


def _unpack(world: World, moments: Callable[[int], dict[str, range]]) -> None:
    """Unpack an archive whose HEAD and worktrees have lines for many seconds around that moment."""
    world.ours()
    shutil.rmtree(world.here.folder / ".git/logs/refs")
    log = world.here.folder / ".git/logs/HEAD"
    line = log.read_bytes().splitlines()[-1]
    for name, seconds in moments(int(time.time())).items():
        forged = log.parents[1] / name
        forged.parent.mkdir(parents=True, exist_ok=True)
        forged.write_bytes(b"".join(re.sub(rb"> \d+ ", b"> %d " % at, line) + b"\n" for at in seconds))
    _pack_and_unpack(world)


def _archive_of_many_moments(world: World) -> None:
    _unpack(world, lambda now: {"logs/HEAD": range(now - 5, now + 60)})


def _archive_of_moments_backwards(world: World) -> None:
    _unpack(world, lambda now: {"logs/HEAD": range(now + 60, now - 5, -1)})


def _archive_of_moments_in_worktrees(world: World) -> None:
    _unpack(world, lambda now: {f"worktrees/w{at}/logs/HEAD": range(now + at, now + at + 1) for at in range(-4, 60, 2)})


def _tagged_tree(world: World) -> None:
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.there.git("tag", "-a", "-m", "a tree", "tree", "HEAD^{tree}")
    world.there.git("tag", "file", f"HEAD:{NAME}")
    world.there.git("switch", "-q", "main")
    world.here.git("fetch", "-q", "origin", "refs/tags/tree:refs/tags/tree", "refs/tags/file:refs/tags/file")
    (world.here.folder / ".git/FETCH_HEAD").unlink(missing_ok=True)
    world.here.git("checkout", "-q", "tree", "--", ".agents")


def _fetched_in_a_worktree(world: World) -> None:
    world.there.git("switch", "-q", "-c", "x")
    world.theirs()
    world.there.git("switch", "-q", "main")
    tree = Repository(world.folder / "tree")
    world.here.git("worktree", "add", "-q", "-b", "side", str(tree.folder))
    tree.git("fetch", "-q", str(world.there.folder), "x")
    tree.git("checkout", "-q", "FETCH_HEAD", "--", ".agents")
    tree.git("commit", "-q", "-a", "-m", "mine")
    world.here.git("merge", "-q", "--no-edit", "side")


TAKEN = (
    _by_path("checkout", "-q", "origin/x", "--", ".agents"),
    _by_path("restore", "--source", "origin/x", "--staged", "--worktree", ".agents"),
    _by_path("read-tree", "-u", "-m", "HEAD", "origin/x"),
    _by_path("cherry-pick", "-n", "origin/x"),
    *(_picked_without_commit, _merge_quit, _fetch_head, _branch_deleted, _older_version, _renamed, _tagged),
    *(_fetched_into_branch, _hunk_of_fetched_branch, _tagged_tree),
    _branch_of_fetch_head("branch", "own"),
    _branch_of_fetch_head("update-ref", "refs/heads/own"),
)
UNTRUSTED = (
    *(_cloned, _pulled, _merged, _rebased, _picked, _applied_by_mail, _squashed, _checked_out, _taken_from_branch),
    *(_amended, _committed_again, _merge_under_way, _merge_concluded, _in_conflict, _with_other_line_ends),
    *(_line_ends_turned_by_hand, _resolved, _shallow, _without_reflog, _reverted),
    *(_edited, _new, _staged, _stashed, _edited_after_pull),  # unknown until a session's edit or a commit
    *TAKEN,
    *map(_and_commit, TAKEN),
    _fetched_in_a_worktree,
    *(_behind_a_link, _case_twin, _index_differs, _untracked_again, _unpacked_archive),
    *(_archive_of_times_to_come, _archive_of_many_moments, _archive_of_moments_backwards),
    _archive_of_moments_in_worktrees,
    _by_attributes("ident", b"$Id$\nours\n"),
    _by_attributes("working-tree-encoding=UTF-16", "ours\n".encode("utf-16")),
    *map(_busy, ("index.lock", "HEAD.lock", "MERGE_HEAD", "BISECT_LOG", "rebase-merge")),
)
OWN = (
    *(_committed, _own_amended, _kept_by_rebase, _kept_by_merge, _there_and_back),
    *(_pushed, _edited_and_committed_after_pull),
    _by_attributes("text eol=crlf", OURS),
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


def test_outside_git_a_text_is_trusted_once_accepted(tmp_path: Path) -> None:
    """A folder outside git may be an unpacked archive; once it is prepared, its ledger says what was accepted."""
    plain = Repository(tmp_path)
    plain.write(NAME, FIRST)
    assert untrusted(plain)
    with pytest.raises(OSError, match="cannot be recorded"):
        ledger.accept(str(tmp_path / NAME), FIRST)
    plain.write(".agents/holdfast.toml", b"")
    assert untrusted(plain)
    ledger.accept(str(tmp_path / NAME), FIRST)
    assert not untrusted(plain)


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


def _stamped(world: World) -> None:
    """Let holdfast add a line to the state file, as a settle does, and the user commit everything."""
    _written(world, world.text() + b"stamped\n")
    world.here.git("commit", "-q", "-a", "-m", "with the stamp")


STAMPED = (
    *(_pulled, _merged, _rebased, _picked, _applied_by_mail, _squashed, _checked_out, _taken_from_branch, _amended),
    *(_committed_again, _merge_concluded, _reverted, *TAKEN),
)


@pytest.mark.parametrize("case", STAMPED, ids=_called)
def test_a_stamp_and_a_commit_make_no_text_trusted_that_git_brought(
    world: World, case: Callable[[World], None]
) -> None:
    """The lines that holdfast adds say nothing about who wrote the others."""
    case(world)
    _stamped(world)
    assert untrusted(world.here)
    _stamped(world)
    assert untrusted(world.here)


@pytest.mark.parametrize("case", [_edited, _new, _staged, _stashed, _edited_after_pull, _resolved], ids=_called)
def test_a_stamp_takes_no_trust_from_what_the_user_saved_and_commits(
    world: World, case: Callable[[World], None]
) -> None:
    """A text that a person saved in an editor, and to which holdfast added a line, counts once it is committed."""
    case(world)
    (world.here.folder / ".git/MERGE_HEAD").unlink(missing_ok=True)
    world.here.git("add", "-A")
    _stamped(world)
    assert not untrusted(world.here)


def test_holdfasts_line_does_not_vouch_for_a_text_composed_later(world: World) -> None:
    """The line is in a text that git composes of it, and a commit that undoes two others introduces that text."""
    _written(world, FIRST + b"stamped\n")
    world.here.git("commit", "-q", "-a", "-m", "with the stamp")
    _fetched(world)
    world.here.git("merge", "-q", "--squash", "origin/x")
    world.here.git("commit", "-q", "-m", "all of it")
    world.here.git("reset", "-q", "--soft", "HEAD~2")
    world.here.git("commit", "-q", "-m", "again")
    assert world.text() == THEIRS + b"stamped\n"
    assert untrusted(world.here)


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


def test_a_shortened_ledger_keeps_the_last_lines_of_each_sign(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many lines of one sign do not displace those of another."""
    monkeypatch.setattr(ledger, "_KEPT_LINES", 2)
    monkeypatch.setattr(ledger, "_MAX_BYTES", 100)
    path = str(world.here.folder / NAME)
    for number in range(9):
        ledger.accept(path, b"accepted %d\n" % number)
    for number in range(9):
        _written(world, b"written %d\n" % number)
    lines = (world.here.folder / ".git/holdfast/accepted").read_bytes().splitlines()
    counts = {sign: sum(line[:1] == sign for line in lines) for sign in (ledger.UNTRUSTED, ledger.ACCEPTED)}
    assert counts == {ledger.UNTRUSTED: 2, ledger.ACCEPTED: 2}


def test_a_text_whose_origin_git_does_not_tell_is_untrusted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """While git does not list its refs, a text that may be from one of them counts as one."""
    _and_commit(TAKEN[0])(world)
    run = gitrun.run

    def failing(root: str, *words: str, **options: Any) -> tuple[int, str, str]:
        return (128, "", "fatal") if words[0] == "for-each-ref" else run(root, *words, **options)

    monkeypatch.setattr(gitrun, "run", failing)
    assert untrusted(world.here)
    world.ours()
    assert untrusted(world.here)


def test_without_a_store_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder outside git that was not prepared has no ledger, and none is begun anywhere else."""
    path = tmp_path / "state.md"
    path.write_bytes(FIRST)
    written: list[str] = []
    monkeypatch.setattr(files, "append_line", lambda where, _line: written.append(where))
    monkeypatch.setattr(files, "write_private", lambda where, _data: written.append(where))
    ledger.record_edit(str(path))
    ledger.record_write(str(path), OURS, FIRST)
    assert written == []


def test_an_incomplete_ledger_line_is_ignored(world: World) -> None:
    """An incomplete line is ignored, and the next line does not continue it."""
    path = str(world.here.folder / NAME)
    ledger.accept(path, world.text())
    file = world.here.folder / ".git/holdfast/accepted"
    file.write_bytes(file.read_bytes()[:50])
    assert untrusted(world.here)
    ledger.accept(path, world.text())
    assert not untrusted(world.here)


def test_an_observed_edit_is_recorded_unless_git_is_running(world: World) -> None:
    """Between the edit and its hook git may have replaced the text."""
    world.here.write(NAME, OURS)
    (world.here.folder / ".git/index.lock").touch()
    ledger.record_edit(str(world.here.folder / NAME))
    (world.here.folder / ".git/index.lock").unlink()
    assert untrusted(world.here)
    ledger.record_edit(str(world.here.folder / NAME))
    assert not untrusted(world.here)


def test_a_ledger_that_was_copied_is_void(world: World) -> None:
    """Who sends an archive can write a ledger, but not the change time of a file on this disk."""
    path = str(world.here.folder / NAME)
    ledger.accept(path, world.text())
    born = world.here.folder / ".git/holdfast/born"
    data = born.read_bytes()
    born.unlink()
    assert untrusted(world.here)
    born.write_bytes(data)
    assert untrusted(world.here)
    ledger.accept(path, world.text())
    assert not untrusted(world.here)
