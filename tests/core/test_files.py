"""Files: a line is appended completely, a file is replaced completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from tests.support import children

if TYPE_CHECKING:
    from collections.abc import Callable

APPENDER = """if True:
    import sys
    from holdfast.core import files
    path, name = sys.argv[1:]
    sys.stdin.readline()
    for number in range(200):
        files.append_line(path, f"{name} {number} ".encode() + b"x" * (number * 17 % 3000))
"""
# A limit on the size of files is in for a full disk: it works for everyone, and write() fails in the same place.
FULL = """if True:
    import os, resource, signal, sys
    from holdfast.core import files
    action, path, size = sys.argv[1:]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    try:
        if action == "replace":
            files.write_atomic(path, b"y" * 100_000)
        elif action == "make":
            files.write_atomic(path, b"y" * 100_000, fresh=True)
        else:
            files.append_line(path, b"y" * 100_000)
    except OSError as error:
        print(error.errno)
        assert error.filename == path, error
"""
REPLACER = """if True:
    import resource, signal, sys
    from holdfast.core import files
    path, text, limit = sys.argv[1:]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    try:
        print(files.write_atomic(path, text.encode()))
    except OSError as error:
        print(error.errno)
"""
# Root may do anything; without its capabilities it is subject to permissions like everyone.
POWERLESS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


@pytest.mark.parametrize("size", [0, 1, 65535, 65536, 65537, 300_000])
def test_reads_all_there_is(tmp_path: Path, size: int) -> None:
    """A file of any size is read whole."""
    data = os.urandom(size)
    (tmp_path / "x").write_bytes(data)
    assert files.read(str(tmp_path / "x")) == data


def test_reads_a_pipe_to_its_end() -> None:
    """Data is read and written completely when each call transfers only a part."""
    child = children.start("from holdfast.core import files; files.write_all(1, bytes(range(128)) * 8000)")
    assert child.stdout
    assert files.read_all(child.stdout.fileno(), 10) == bytes(range(128)) * 8000
    assert children.finish(child) == ""


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    """Reading a missing file raises FileNotFoundError."""
    with pytest.raises(FileNotFoundError):
        files.read(str(tmp_path / "x"))


ACTIONS: dict[str, Callable[[str], object]] = {
    "read": files.read,
    "tail": lambda path: files.tail(path, 10),
    "append": lambda path: files.append_line(path, b"new"),
}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_not_a_plain_file_is_refused(tmp_path: Path, kind: str, action: str) -> None:
    """A pipe or a device is opened without waiting for another process, and neither read nor written."""
    path = tmp_path / "x" if kind == "pipe" else Path("/dev/null")
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(OSError, match="not a plain file") as caught:
        ACTIONS[action](str(path))
    assert caught.value.errno == errno.EINVAL


def test_reads_through_no_link(tmp_path: Path) -> None:
    """A link is refused, even one to a plain file."""
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "x").symlink_to("target")
    with pytest.raises(OSError, match=r".") as caught:
        files.read(str(tmp_path / "x"))
    assert caught.value.errno == errno.ELOOP


@pytest.mark.parametrize(("size", "refused"), [(7, False), (8, False), (9, True)])
def test_reads_no_more_than_the_limit(tmp_path: Path, size: int, *, refused: bool) -> None:
    """A file of just as many bytes is read, a larger one is refused."""
    (tmp_path / "x").write_bytes(b"x" * size)
    if not refused:
        assert files.read(str(tmp_path / "x"), 8) == b"x" * size
        return
    with pytest.raises(OSError, match="larger than") as caught:
        files.read(str(tmp_path / "x"), 8)
    assert caught.value.errno == errno.EFBIG


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, b"new\n", id="no file, no folder"),
        pytest.param(b"", b"new\n", id="an empty file"),
        pytest.param(b"old\n", b"old\nnew\n", id="after a line"),
        pytest.param(b"old\ncut o", b"old\ncut o\nnew\n", id="after a line that was cut off"),
        pytest.param(b"\xff\x00", b"\xff\x00\nnew\n", id="after rubbish"),
    ],
)
def test_appends_a_line_of_its_own(tmp_path: Path, before: bytes | None, after: bytes) -> None:
    """A line is added at the end and never continues an incomplete one; the rest of the file stays."""
    path = tmp_path / "deep/er/x"
    if before is not None:
        path.parent.mkdir(parents=True)
        path.write_bytes(before)
    files.append_line(str(path), b"new")
    assert path.read_bytes() == after
    assert before is not None or path.stat().st_mode & 0o777 == 0o600


def test_concurrent_appends_keep_every_line(tmp_path: Path) -> None:
    """When eight processes append at once, every line is complete and in its writer's order."""
    path = str(tmp_path / "x")
    started = [children.start(APPENDER, path, f"p{number}") for number in range(8)]
    for child in started:
        assert child.stdin
        child.stdin.write("\n")
        child.stdin.flush()
    for child in started:
        children.finish(child)
    lines = [line.split() for line in files.read(path).decode().splitlines() if line]
    for number in range(8):
        own = [line for line in lines if line[0] == f"p{number}"]
        assert [int(line[1]) for line in own] == list(range(200))
        assert all("".join(line[2:]) == "x" * (int(line[1]) * 17 % 3000) for line in own)
    assert len(lines) == 1600


def test_appends_through_no_link(tmp_path: Path) -> None:
    """A link at the path is refused, and its target is unchanged."""
    (tmp_path / "target").write_bytes(b"theirs")
    (tmp_path / "x").symlink_to("target")
    (tmp_path / "y").symlink_to("nowhere")
    for name in ("x", "y"):
        with pytest.raises(OSError, match="symbolic") as caught:
            files.append_line(str(tmp_path / name), b"new")
        assert caught.value.errno == errno.ELOOP
    assert (tmp_path / "target").read_bytes() == b"theirs"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("refused", ["chown", "setxattr"])
def test_a_file_whose_owner_or_attributes_a_new_one_cannot_have_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """It stays the same file with the same owner and attributes, shorter than before, with no file beside it."""

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    path = tmp_path / "x"
    path.write_bytes(b"old and longer")
    inode = path.stat().st_ino
    if refused == "chown":
        real = os.fstat
        monkeypatch.setattr(os, "fstat", lambda handle: os.stat_result([*real(handle)[:4], 1 << 20, *real(handle)[5:]]))
        monkeypatch.setattr(os, "fchown", refuse)
    else:
        monkeypatch.setattr(os, "listxattr", lambda _path: ["user.team"], raising=False)
        monkeypatch.setattr(os, "getxattr", lambda *_: b"blue", raising=False)
        monkeypatch.setattr(os, "setxattr", refuse, raising=False)
    assert files.write_atomic(str(path), b"new")
    monkeypatch.undo()
    assert (path.read_bytes(), path.stat().st_ino) == (b"new", inode)
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("new", "limit", "printed", "after"),
    [
        pytest.param("new", 1 << 20, "True", "new", id="shorter"),
        pytest.param("new and longer than before", 1 << 20, "True", "new and longer than before", id="longer"),
        pytest.param("x" * 9000, 5000, f"{errno.EFBIG}", "old and longer", id="disk full"),
    ],
)
def test_a_file_in_a_folder_that_takes_no_new_file_is_overwritten(
    tmp_path: Path, new: str, limit: int, printed: str, after: str
) -> None:
    """It stays the same file with the same owner, mode and attributes; on a full disk it keeps its text."""
    around = POWERLESS if os.geteuid() == 0 else ()
    if around and not shutil.which("setpriv"):
        pytest.skip("root without setpriv: permissions do not apply to root")
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "x"
    path.write_text("old and longer")
    path.chmod(0o640)
    if sys.platform == "linux":
        os.setxattr(path, "user.team", b"blue")
    before = path.stat()
    folder.chmod(0o555)
    try:
        result = children.finish(children.start(REPLACER, str(path), new, str(limit), around=around))
    finally:
        folder.chmod(0o755)
    status = path.stat()
    assert (result.strip(), path.read_text()) == (printed, after)
    assert (status.st_ino, status.st_mode, status.st_uid, status.st_gid) == (
        before.st_ino,
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert sys.platform != "linux" or os.getxattr(path, "user.team") == b"blue"
    assert os.listdir(folder) == ["x"]


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o640, 0o755, 0o444])
def test_replaces_a_file_with_its_mode(tmp_path: Path, mode: int) -> None:
    """A replaced file has the new bytes, the old mode bits, another inode, and no file beside it."""
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(mode)
    inode = path.stat().st_ino
    os.link(path, tmp_path / "same")
    assert files.write_atomic(str(path), b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o7777) == (b"new", mode)
    assert path.stat().st_ino != inode
    assert (tmp_path / "same").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["same", "x"]


@pytest.mark.parametrize("name", ["x" * 255, "🎯" * 63, "a b\n.md", "-x"], ids=["long", "long in bytes", "odd", "dash"])
def test_writes_any_name(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name that the file system allows can be written, also by a relative path."""
    monkeypatch.chdir(tmp_path)
    assert files.write_atomic(name, b"one", fresh=True)
    assert files.write_atomic(str(tmp_path / name), b"two")
    assert os.listdir(tmp_path) == [name]
    assert files.read(name) == b"two"


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_writes_through_no_link(tmp_path: Path, target: str, *, fresh: bool) -> None:
    """A link at the path is refused with a message, and nothing changes."""
    (tmp_path / "there").write_bytes(b"theirs")
    (tmp_path / "x").symlink_to(target)
    with pytest.raises(HoldfastError, match="is a link; holdfast writes to plain files only"):
        files.write_atomic(str(tmp_path / "x"), b"new", fresh=fresh)
    assert (tmp_path / "x").readlink().name == target
    assert (tmp_path / "there").read_bytes() == b"theirs"
    assert sorted(os.listdir(tmp_path)) == ["there", "x"]


def test_a_fresh_file_overwrites_nothing_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have none: an existing file stays, and a new one is made all the same."""

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refused)
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        files.write_atomic(str(tmp_path / "x"), b"new", fresh=True)
    files.write_atomic(str(tmp_path / "y"), b"new", fresh=True)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"x": b"old", "y": b"new"}


def test_a_fresh_file_overwrites_nothing(tmp_path: Path) -> None:
    """With `fresh` an existing file stays, and no temporary file is left."""
    (tmp_path / "x").write_bytes(b"theirs")
    with pytest.raises(FileExistsError):
        files.write_atomic(str(tmp_path / "x"), b"new", fresh=True)
    assert (tmp_path / "x").read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["x"]


def test_does_not_replace_a_file_saved_meanwhile(tmp_path: Path) -> None:
    """A file that was saved since its status was taken is not replaced; an unchanged one is."""
    path = tmp_path / "x"
    path.write_bytes(b"old")
    seen = path.stat()
    assert files.write_atomic(str(path), b"new", unchanged_since=seen)
    assert not files.write_atomic(str(path), b"newer", unchanged_since=seen)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("size", [0, 1, 50_000])
@pytest.mark.parametrize("action", ["replace", "make"])
def test_a_full_disk_changes_no_file(tmp_path: Path, action: str, size: int) -> None:
    """When the disk accepts none or half of the bytes, the old file is unchanged and no other is left."""
    path = tmp_path / "x"
    if action == "replace":
        path.write_bytes(b"old\n")
    assert children.finish(children.start(FULL, action, str(path), str(size))) == f"{errno.EFBIG}\n"
    assert os.listdir(tmp_path) == (["x"] if action == "replace" else [])
    assert action == "make" or path.read_bytes() == b"old\n"


def test_a_line_that_a_full_disk_cuts_off_is_reported(tmp_path: Path) -> None:
    """A line that fits only in part is an error, and the next one begins on its own line."""
    path = tmp_path / "x"
    path.write_bytes(b"old\n")
    assert children.finish(children.start(FULL, "append", str(path), "50000")) == f"{errno.ENOSPC}\n"
    files.append_line(str(path), b"next")
    lines = path.read_bytes().splitlines()
    assert (lines[0], set(lines[1]), lines[2:]) == (b"old", set(b"y"), [b"next"])


def test_names_are_numbered_from_two() -> None:
    """The number stands before the extension."""
    names = files.numbered("a/b", ".md")
    assert [next(names) for _ in range(3)] == ["a/b.md", "a/b-2.md", "a/b-3.md"]


def test_looks_that_never_fail(tmp_path: Path) -> None:
    """What is not there has no bytes, no signature and no size, and was modified at no time; a write says so."""
    here, gone = str(tmp_path / "here"), str(tmp_path / "gone")
    assert files.write_quietly(here, b"abc")
    assert (files.read_or_none(here), files.size_of(here)) == (b"abc", 3)
    assert files.signature_of(here) == files.signature(os.stat(here))
    assert files.modified_at(here) == os.stat(here).st_mtime
    assert (files.read_or_none(gone), files.size_of(gone), files.signature_of(gone)) == (None, 0, [])
    assert files.modified_at(gone) == float("inf")
    assert not files.write_quietly(here + "/below", b"")


@pytest.mark.parametrize(("fresh", "there", "raised"), [(True, True, True), (False, False, True), (False, True, False)])
def test_a_file_that_must_not_be_beside_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, fresh: bool, there: bool, raised: bool
) -> None:
    """A file that is there is written in place instead; for a new one there is no other way, so the error comes out."""

    def refused(*_: object, **__: object) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "_write_temporary", refused)
    if there:
        (tmp_path / "a").touch()
    with pytest.raises(PermissionError) if raised else contextlib.nullcontext():
        assert not files._write_beside(f"{tmp_path}/.tmp", b"x", f"{tmp_path}/a", fresh=fresh)  # noqa: SLF001 - whoever calls it makes the name free first
