"""The database in the store: what is broken is replaced, what cannot be used is done without."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from holdfast.core import cache
from holdfast.core.cache import Database

if TYPE_CHECKING:
    from pathlib import Path

PUT = "insert or replace into marks values (?, ?)"
ALL = "select name, value from marks"


def put(store: Path, name: str, value: str = "1") -> bool:
    """Set a mark and return whether that was done."""
    return Database(str(store)).change([(PUT, [(name, value)])])


def names(store: Path) -> list[str]:
    """Return the marks that a new process would see."""
    return [name for name, _ in Database(str(store)).rows(ALL)]


def test_a_change_is_seen_by_the_next_process(tmp_path: Path) -> None:
    """The file is made with the first use, for this user only, and the schema of it is not trusted."""
    assert names(tmp_path) == []
    assert put(tmp_path, "one")
    assert names(tmp_path) == ["one"]
    assert os.stat(tmp_path / "index.db").st_mode & 0o777 == 0o600
    assert Database(str(tmp_path)).rows("pragma trusted_schema") == [(0,)]
    assert os.listdir(tmp_path) == ["index.db"]


def test_a_broken_change_changes_nothing(tmp_path: Path) -> None:
    """Changes are made together or not at all."""
    put(tmp_path, "one")
    one = Database(str(tmp_path))
    assert not one.change([(PUT, [("two", "2")]), ("insert into marks values (?, ?)", [("one", "again")])])
    assert names(tmp_path) == ["one"]


@pytest.mark.parametrize("kind", ["noise", "half", "other version", "other tables", "empty"])
def test_a_broken_file_is_replaced(tmp_path: Path, kind: str) -> None:
    """Whatever is in the place of the database, the next use has an empty one that works."""
    put(tmp_path, "one")
    file = tmp_path / "index.db"
    if kind == "noise":
        file.write_bytes(os.urandom(40_000))
    elif kind == "half":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif kind == "empty":
        file.write_bytes(b"")
    else:
        base = sqlite3.connect(file)
        base.execute("drop table marks" if kind == "other tables" else "pragma user_version = 999")
        base.commit()
        base.close()
    assert names(tmp_path) == []
    assert put(tmp_path, "two")
    assert names(tmp_path) == ["two"]


def test_noise_in_any_page_never_raises(tmp_path: Path) -> None:
    """A database of which some bytes are wrong answers something or nothing, and can be written again."""
    source = random.Random(7)  # noqa: S311 - the same noise each time
    for _ in range(20):
        Database(str(tmp_path)).change([(PUT, [(f"name {number}", "x" * 50) for number in range(300)])])
        data = bytearray((tmp_path / "index.db").read_bytes())
        for _ in range(200):
            data[source.randrange(len(data))] = source.randrange(256)
        (tmp_path / "index.db").write_bytes(data)
        assert isinstance(names(tmp_path), list)
        put(tmp_path, "after")
        (tmp_path / "index.db").unlink(missing_ok=True)
        assert put(tmp_path, "after")


def test_a_locked_file_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process holds the lock, a query has no rows and a change is dropped, and nothing is lost."""
    monkeypatch.setattr(cache, "_WAIT", 0.01)
    put(tmp_path, "one")
    base = sqlite3.connect(tmp_path / "index.db", isolation_level=None)
    base.execute("begin exclusive")
    assert names(tmp_path) == []
    assert not put(tmp_path, "two")
    base.close()
    assert names(tmp_path) == ["one"]


def test_a_file_system_without_locks_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock on the bytes that SQLite locks, held by another process, is what a lock that never works looks like."""
    monkeypatch.setattr(cache, "_WAIT", 0.01)
    put(tmp_path, "one")
    script = (
        "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); input()"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "index.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert names(tmp_path) == []
        assert not put(tmp_path, "two")
        holder.communicate(b"\n")
    assert names(tmp_path) == ["one"]


@pytest.mark.parametrize("kind", ["link", "folder", "file", "full"])
def test_a_place_that_cannot_have_a_file_is_done_without(tmp_path: Path, kind: str) -> None:
    """A link is not followed, and a store that is no folder or full is no error."""
    store = tmp_path / "store"
    store.mkdir() if kind != "file" else store.touch()
    if kind == "link":
        (store / "index.db").symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        (store / "index.db").mkdir()
    elif kind == "full":
        script = (
            "import resource, signal, sys; sys.path.insert(0, sys.argv[2])\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
            "from holdfast.core.cache import Database\n"
            f"assert not Database(sys.argv[1]).change([({PUT!r}, [('one', '1')])])\n"
            f"assert Database(sys.argv[1]).rows({ALL!r}) == []\n"
        )
        plugin = os.path.dirname(os.path.dirname(os.path.dirname(cache.__file__)))
        subprocess.run([sys.executable, "-c", script, str(store), plugin], check=True)
        assert put(store, "one")
        return
    assert names(store) == []
    assert not put(store, "one")
    assert not (tmp_path / "elsewhere").exists()


def test_without_a_store_nothing_is_kept() -> None:
    """An empty path means that there is no database."""
    assert not Database("").change([(PUT, [("one", "1")])])
    assert Database("").rows(ALL) == []


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each waits for the other."""
    plugin = os.path.dirname(os.path.dirname(os.path.dirname(cache.__file__)))
    script = (
        "import sys; sys.path.insert(0, sys.argv[2]); from holdfast.core import cache; cache._WAIT = 60\n"
        "one = cache.Database(sys.argv[1])\n"
        f"print(all(one.change([({PUT!r}, [(sys.argv[3] + str(n), '')])]) for n in range(30)))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), plugin]
    both = [subprocess.Popen([*command, name], stdout=subprocess.PIPE) for name in ("a", "b")]
    assert [one.communicate()[0] for one in both] == [b"True\n"] * 2
    assert len(names(tmp_path)) == 60
