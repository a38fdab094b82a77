"""Changing a state file: one writer at a time, nothing lost, nothing written outside the project."""

from __future__ import annotations

import errno
import os
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from holdfast.core import lock
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.project import paths
from tests.support import children
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITER = """if True:
    import sys
    from holdfast.core import lock
    from holdfast.editing import store
    folder, path, name = sys.argv[1:]
    sys.stdin.readline()
    for number in range(25):
        with lock.hold(folder, timeout=90):
            assert store.update(path, lambda data: data.replace(b"end\\n", f"{name} {number}\\nend\\n".encode()))
"""
HOLDER = """if True:
    import sys
    from holdfast.core import lock
    with lock.hold(sys.argv[1]):
        print("held", flush=True)
        sys.stdin.readline()
"""


# A file system without locks, such as some that come over a network, says so when it is asked for one.
LOCKLESS = """if True:
    import fcntl, os, sys
    def flock(handle, how):
        raise OSError(int(sys.argv[2]), os.strerror(int(sys.argv[2])))
    fcntl.flock = flock
    from holdfast.core import lock
    from holdfast.core.errors import HoldfastError
    try:
        with lock.hold(sys.argv[1], 0):
            print("held")
    except HoldfastError as error:
        print(error)
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Give a state file in a repository."""
    repository = Repository.create(tmp_path / "work")
    return repository.folder / repository.write(".agents/sessions/x.md", b"one\n")


def facts(path: Path) -> tuple[object, ...]:
    """Return all that a write would change."""
    found = path.lstat()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode, path.read_bytes(), os.listdir(path.parent)


def test_no_change_is_no_write(state: Path) -> None:
    """A change that changes nothing leaves the file untouched, times and inode too."""
    before = facts(state)
    assert not store.update(str(state), lambda data: data)
    assert facts(state) == before


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o664])
def test_writes_what_the_change_makes(state: Path, mode: int) -> None:
    """The file has the new bytes and its old mode bits, and nothing is left beside it."""
    state.chmod(mode)
    assert store.update(str(state), lambda data: data + b"two\n")
    assert (state.read_bytes(), state.stat().st_mode & 0o7777) == (b"one\ntwo\n", mode)
    assert os.listdir(state.parent) == ["x.md"]


@pytest.mark.parametrize(
    ("update", "quiet"),
    [(partial(store.update, quiet=True), True), (partial(store.update, quiet=False), False), (store.update, False)],
)
def test_keeps_the_time_only_when_quiet(state: Path, update: Callable[..., bool], *, quiet: bool) -> None:
    """A change within somebody's own edit keeps the file's time; any other one does not."""
    os.utime(state, ns=(1, 1_600_000_000_000_000_007))
    assert update(str(state), lambda data: data + b"two\n")
    assert (state.stat().st_mtime_ns == 1_600_000_000_000_000_007) is quiet


def test_a_save_in_between_is_taken_in(state: Path) -> None:
    """What a person saves while a change is being made is read again, and both are there."""
    seen = []

    def change(data: bytes) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            state.write_bytes(b"theirs\n")
        return data + b"ours\n"

    assert store.update(str(state), change)
    assert seen == [b"one\n", b"theirs\n"]
    assert state.read_bytes() == b"theirs\nours\n"


def test_gives_up_on_a_file_that_never_stands_still(state: Path) -> None:
    """A file that is saved again and again stays as it was saved, and it is reported that nothing was written."""

    def change(data: bytes) -> bytes:
        state.write_bytes(data + b"theirs\n")
        return b"ours\n"

    with pytest.raises(HoldfastError, match=r"x\.md kept changing .* nothing was written"):
        store.update(str(state), change)
    assert b"ours" not in state.read_bytes()
    assert os.listdir(state.parent) == ["x.md"]


def test_a_change_that_fails_changes_nothing(state: Path) -> None:
    """An error in the middle of a change comes out, and the file is as it was."""
    before = facts(state)
    with pytest.raises(ZeroDivisionError):
        store.update(str(state), lambda data: data * (1 // 0))
    assert facts(state) == before


def test_writes_through_no_link(state: Path) -> None:
    """A state file that is a link is not written through, wherever it leads."""
    link = state.with_name("link.md")
    link.symlink_to("x.md")
    with pytest.raises(HoldfastError, match="is a link"):
        store.update(str(link), lambda data: data + b"two\n")
    assert (link.is_symlink(), state.read_bytes()) == (True, b"one\n")


@pytest.mark.parametrize("linked", [".agents", ".agents/sessions"])
@pytest.mark.parametrize("target", ["a folder", "another repository", "a folder in another repository"])
def test_leaves_the_project_through_no_link(tmp_path: Path, linked: str, target: str) -> None:
    """A folder that a link takes out of the project is refused for files old and new, another project or not."""
    project = Repository.create(tmp_path / "work").folder
    outside = tmp_path / "outside"
    if "repository" in target:
        Repository.create(outside)
    outside = outside / "inner" if target.startswith("a folder in") else outside
    (outside / "sessions").mkdir(parents=True)
    (project / linked).parent.mkdir(exist_ok=True)
    (project / linked).symlink_to(outside)
    folder = project / ".agents/sessions"
    (folder / "x.md").write_bytes(b"theirs\n")
    before = sorted(os.listdir(folder))
    with pytest.raises(HoldfastError, match="through a link; holdfast writes"):
        store.update(str(folder / "x.md"), lambda data: data + b"ours\n")
    with pytest.raises(HoldfastError, match="through a link; holdfast writes"):
        store.create(str(folder), "y.md", b"ours\n")
    assert (folder / "x.md").read_bytes() == b"theirs\n"
    assert sorted(os.listdir(folder)) == before


def test_makes_no_folder_through_a_link(tmp_path: Path) -> None:
    """A folder that is missing where a link leads is not made."""
    project, outside = Repository.create(tmp_path / "work").folder, tmp_path / "outside"
    outside.mkdir()
    (project / ".agents").symlink_to(outside)
    with pytest.raises(HoldfastError, match="through a link; holdfast writes"):
        store.create(str(project / ".agents/sessions"), "y.md", b"ours\n")
    with pytest.raises(HoldfastError, match="through a link; holdfast writes"):
        store.upsert(str(project / ".agents/sessions/y.md"), lambda _: b"ours\n")
    assert os.listdir(outside) == []


def test_a_project_may_be_reached_through_a_link(state: Path, tmp_path: Path) -> None:
    """A link to the whole project, and one within it, lead nowhere else and are followed."""
    (tmp_path / "alias").symlink_to("work")
    (tmp_path / "work/notes").symlink_to(".agents/sessions")
    assert store.update(str(tmp_path / "alias/.agents/sessions/x.md"), lambda data: data + b"two\n")
    assert store.update(str(tmp_path / "work/notes/x.md"), lambda data: data + b"three\n")
    assert state.read_bytes() == b"one\ntwo\nthree\n"


def test_creates_under_a_name_that_is_free(state: Path) -> None:
    """A taken name gets a number, whatever has taken it; what was there stays."""
    folder = str(state.parent)
    (state.parent / "x-3.md").mkdir()
    made = [store.create(folder, "x.md", data) for data in (b"a", b"b")]
    assert made == [f"{folder}/x-2.md", f"{folder}/x-4.md"]
    assert state.read_bytes() == b"one\n"
    assert (state.with_name("x-2.md").read_bytes(), state.with_name("x-4.md").read_bytes()) == (b"a", b"b")
    assert sorted(os.listdir(folder)) == ["x-2.md", "x-3.md", "x-4.md", "x.md"]


def test_creates_the_folder_too(tmp_path: Path) -> None:
    """The first file of a project brings its folder along."""
    assert store.create(f"{tmp_path}/a/b", "x.md", b"new") == f"{tmp_path}/a/b/x.md"
    assert (tmp_path / "a/b/x.md").read_bytes() == b"new"


@pytest.mark.slow
def test_many_writers_lose_nothing_and_nobody_sees_a_torn_file(state: Path, tmp_path: Path) -> None:
    """Eight processes with 25 updates each leave all 200, and every look in between shows a whole file."""
    state.write_bytes(b"start\n" + b"." * 50_000 + b"\nend\n")
    writers = [children.start(WRITER, str(tmp_path / "store"), str(state), f"w{number}") for number in range(8)]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n")
        writer.stdin.flush()
    looks = set()
    while any(writer.poll() is None for writer in writers):
        data = state.read_bytes()
        looks.add(len(data))
        assert data.startswith(b"start\n")
        assert data.endswith(b"\nend\n")
    for writer in writers:
        children.finish(writer)
    assert len(looks) > 1
    lines = state.read_text().splitlines()[2:-1]
    for number in range(8):
        own = [line for line in lines if line.startswith(f"w{number} ")]
        assert own == [f"w{number} {update}" for update in range(25)]
    assert len(lines) == 200
    assert os.listdir(state.parent) == ["x.md"]


def test_a_lock_is_held_again_by_its_holder(tmp_path: Path) -> None:
    """The process that holds the lock may take it again, with another timeout too, and holds it to the end."""
    folder = str(tmp_path / "deep/store")
    with lock.hold(folder):
        with lock.hold(folder, timeout=0.5):
            pass
        other = children.start(HOLDER.replace("hold(sys.argv[1])", "hold(sys.argv[1], 0)"), folder)
        assert "has been held by another process for 0 seconds" in other.communicate(timeout=100)[1]
    assert children.finish(children.start(HOLDER, folder)) == "held\n"


def test_a_lock_falls_with_its_holder(tmp_path: Path) -> None:
    """A second process cannot take a held lock, and learns what to type; a killed holder frees the lock."""
    holder = children.start(HOLDER, str(tmp_path))
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with (
        pytest.raises(HoldfastError, match=r"lock has been held .* nothing was written. `fuser "),
        lock.hold(str(tmp_path), 0),
    ):
        pytest.fail("the lock was given to two")
    holder.kill()
    holder.communicate()
    with lock.hold(str(tmp_path), 0):
        assert (tmp_path / "lock").exists()


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_writes_nothing_where_there_are_no_locks(tmp_path: Path, error: int) -> None:
    """A file system without locks is named; no file is in for the lock, which would outlive its holder."""
    done = children.start(LOCKLESS, str(tmp_path), str(error))
    reported = children.finish(done)
    assert reported.startswith(f"{tmp_path}/lock cannot be locked (")
    assert "; nothing was written. Keep the repository on a file system with locks" in reported
    assert os.listdir(tmp_path) == ["lock"]
    with lock.hold(str(tmp_path), 0):
        assert os.listdir(tmp_path) == ["lock"]


@pytest.mark.parametrize("how", ["replaced", "linked", "made"])
def test_sweeps_what_a_killed_writer_left_and_nothing_else(state: Path, how: str) -> None:
    """A file that was being written when its writer was killed goes; files of people stay, whatever their name."""
    (state.parent / ".holdfast.4711.tmp").write_text("x")
    if how == "linked":  # killed between giving a new file its name and taking away the one that it was written under
        (state.parent / ".holdfast.4711.tmp").unlink()
        os.link(state, state.parent / ".holdfast.4711.tmp")
    for name in ("holdfast.tmp", "notes.tmp", ".holdfast.md"):
        (state.parent / name).write_text("x")
    if how == "made":
        store.create(str(state.parent), "y.md", b"new")
    else:
        assert store.update(str(state), lambda data: data + b"two\n")
    names = {path.name for path in state.parent.iterdir()} - {"y.md"}
    assert names == {".holdfast.md", "holdfast.tmp", "notes.tmp", "x.md"}


def test_sweeps_its_own_folder_of_what_is_old(tmp_path: Path) -> None:
    """Not all who write in the store hold the lock: only what was left there long ago goes."""
    project = paths.locate(str(Repository.create(tmp_path / "work").folder))
    for name in ("new", "old"):
        left = tmp_path / f"work/.git/holdfast/bound/.holdfast.{name}.tmp"
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_text("x")
        os.utime(left, (1e9, 1e9 if name == "old" else 1e9 + 4000))
    store.sweep(project, 1e9 + 5000)
    assert os.listdir(tmp_path / "work/.git/holdfast/bound") == [".holdfast.new.tmp"]


def test_a_project_in_the_root_of_the_system_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no folder above it."""
    asked: list[str] = []

    def located(folder: str) -> SimpleNamespace:
        asked.append(folder)
        assert len(asked) < 10
        return SimpleNamespace(store="/holdfast", root="/")

    monkeypatch.setattr(paths, "locate", located)
    store._refuse_links("/")  # noqa: SLF001 - no test writes there
    assert asked == ["/"]
