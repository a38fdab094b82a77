"""The log of writes to the hub: what waits in it, and what is left of it when it is shortened."""

from __future__ import annotations

import json
import os
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.hub import old_copy, write_log, writing
from holdfast.hub.write_log import WriteLog, mark

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Give a store with a folder for the log."""
    (tmp_path / "journal/hub").mkdir(parents=True)
    return tmp_path


def write(store: Path, *lines: dict[str, Any]) -> None:
    """Write the lines of a log."""
    (store / "journal/hub/writes.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))


def read(store: Path) -> list[dict[str, Any]]:
    """Return the lines of a log."""
    return [json.loads(line) for line in (store / "journal/hub/writes.jsonl").read_text().splitlines()]


def test_a_request_waits_until_it_is_carried_out_or_dropped(store: Path) -> None:
    """It is noted once."""
    log = WriteLog(str(store))
    for number in (1, 2, 1):
        log.defer({"number": number})
    assert [line["request"] for line in log.waiting] == [{"number": 1}, {"number": 2}]
    log.drop({"number": 1}, "it has no id")
    for known in (log, WriteLog(str(store))):
        assert [line["request"] for line in known.waiting] == [{"number": 2}]


@pytest.mark.parametrize(("kind", "waits"), [("written", True), ("finished", False)])
def test_a_write_waits_until_it_is_staged(store: Path, kind: str, *, waits: bool) -> None:
    """The hub is as holdfast left it in both cases."""
    begun = {"kind": "begun", "at": 1.0, "request": {"number": 1}, "facts": [["one", {"kind": "hub"}], "x"]}
    write(store, begun, {"kind": kind, "at": 2.0, "hub": mark(b"# Hub\n")})
    log = WriteLog(str(store))
    assert ([line["request"] for line in log.waiting], log.facts) == (
        ([{"number": 1}], [("one", {"kind": "hub"})]) if waits else ([], [])
    )
    assert log.is_left(b"# Hub\n\n")
    assert not log.is_left(b"# Hub 2\n")


def test_old_lines_go_from_a_large_log_but_not_what_waits(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of the last minute stay, and requests that are not carried out yet."""
    monkeypatch.setattr(write_log, "_LARGEST", 100)
    now = time.time()
    lines = [
        {"at": now - 90, "kind": "begun", "request": None, "changes": {}},
        {"at": now - 80, "kind": "deferred", "request": {"number": 1}},
        {"at": now - 30, "kind": "finished", "hub": "x"},
        {"at": now - 20, "kind": "begun", "request": None, "changes": {}},
    ]
    write(store, *lines)
    WriteLog(str(store)).finish(b"# Hub\n", staged=True)
    found = read(store)
    assert found[:-1] == lines[1:]
    assert (found[-1]["kind"], found[-1]["hub"]) == ("finished", mark(b"# Hub\n"))


@pytest.mark.parametrize(("limit", "staged"), [(100_000, True), (100, False)])
def test_a_small_or_unfinished_log_stays(
    store: Path, limit: int, *, staged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is removed from it."""
    monkeypatch.setattr(write_log, "_LARGEST", limit)
    lines = [{"at": 1.0, "kind": "begun", "request": None, "changes": {}}]
    write(store, *lines)
    WriteLog(str(store)).finish(b"# Hub\n", staged=staged)
    assert read(store)[:-1] == lines


@pytest.mark.parametrize(
    ("marks", "fields", "saved", "text", "undone"),
    [
        ({"one": "a"}, {}, 101.0, "new", [1, 2]),  # both writes are gone
        ({"one": "b"}, {}, 101.0, "new", [2]),
        ({"one": "c"}, {}, 101.0, "new", []),  # nothing is gone
        ({"one": "x"}, {}, 101.0, "new", []),  # a person wrote something else
        ({"one": "x"}, {"Status": "s1"}, 101.0, "new", [1, 2]),  # a person edited the older entry
        ({"one": "x"}, {"Status": "s2"}, 101.0, "new", [2]),
        ({"one": "x"}, {"Status": "s3"}, 101.0, "new", []),
        ({"one": None}, {}, 101.0, "new", []),  # ambiguous
        ({"one": "a"}, {}, 110.0, "new", []),  # saved so late that the writes had been read
        ({"one": "a"}, {}, 101.0, "old", []),  # only entries were edited, on purpose
    ],
)
def test_which_writes_an_older_copy_has_undone(  # noqa: PLR0913, PLR0917 - a row of the table
    store: Path, marks: dict[str, str | None], fields: dict[str, str], saved: float, text: str, undone: list[int]
) -> None:
    """The first write made b of a, the second c of b."""
    changed = [(["a", "b"], ["s1", "s2"]), (["b", "c"], ["s2", "s3"])]
    write(
        store,
        *(
            {"at": 100.0, "kind": "begun", "request": {"number": number}, "changes": {"one": entry}}
            | {"fields": {"one": {"Status": status}}, "text": "old"}
            for number, (entry, status) in enumerate(changed, 1)
        ),
    )
    found = old_copy.undone(WriteLog(str(store)).recent(saved), text, marks.__getitem__, lambda _: fields)
    assert [one["request"] for one in found] == [{"number": number} for number in undone]


@pytest.mark.parametrize(
    ("since", "text", "waits"),
    [
        (0.0, b"# Hub\n", False),  # holdfast wrote it a moment ago
        (9.0, b"# Hub\n", False),
        (9.0, b"# Hub 2\n", False),  # a person saved it, and long ago
        (0.0, b"# Hub 2\n", True),  # a person may be saving it
        (9.0, b"", True),
        (9.0, None, False),  # there is none
    ],
)
def test_only_a_save_that_may_be_going_on_is_waited_for(
    store: Path, since: float, text: bytes | None, *, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is as holdfast left it, or has not changed for a while, is read at once; no wait is without end."""
    write(store, {"kind": "finished", "at": 1.0, "hub": mark(b"# Hub\n")})
    hub, naps = store / "SESSION-STATE.md", list[float]()
    if text is not None:
        hub.write_bytes(text)
        os.utime(hub, (1000.0, 1000.0))
    clock = SimpleNamespace(monotonic=lambda: sum(naps), time=lambda: 1000.0 + since, sleep=naps.append)
    monkeypatch.setattr(writing, "time", clock)
    writing._wait(str(hub), WriteLog(str(store)))  # noqa: SLF001 - how long a command takes depends on the machine
    assert bool(naps) == waits
