"""The cache: results for unchanged files come from it, changed files are read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.core.cache import Cache
from tests.support import index

if TYPE_CHECKING:
    from pathlib import Path


def test_an_entry_is_valid_for_its_variant_and_file(tmp_path: Path) -> None:
    """A file is read again under another variant, and after it was written."""
    (tmp_path / "store").mkdir()
    file, calls = tmp_path / "a.md", list[str]()
    file.write_text("one")

    def read(path: str) -> dict[str, object]:
        calls.append(path)
        return {"text": file.read_text(), "number": len(calls)}

    first = Cache(str(tmp_path / "store"))
    assert first.read(str(file), read) == first.read(str(file), read, "") == {"text": "one", "number": 1}
    assert first.read(str(file), read, "8f3a") == {"text": "one", "number": 2}
    first.save()
    second = Cache(str(tmp_path / "store"))
    assert second.read(str(file), read, "8f3a") == {"text": "one", "number": 2}
    assert second.read(str(file), read, "77c1") == {"text": "one", "number": 3}
    file.write_text("other")
    assert second.read(str(file), read, "77c1") == {"text": "other", "number": 4}


def test_entries_of_deleted_files_are_removed(tmp_path: Path) -> None:
    """The entries of a deleted file are removed, whatever their variant."""
    (tmp_path / "store").mkdir()
    stays, goes = tmp_path / "stays.md", tmp_path / "goes.md"
    memory = Cache(str(tmp_path / "store"))
    for file in (stays, goes):
        file.touch()
        memory.read(str(file), lambda _: {}, "8f3a")
    goes.unlink()
    memory.save()
    memory.tidy()
    assert index.rows(tmp_path / "store", "select path from kept") == [(bytes(stays),)]


def test_a_name_that_is_not_utf8_and_a_value_that_is_not_json(tmp_path: Path) -> None:
    """The first is kept as any other; the second stays with the process that read it."""
    (tmp_path / "store").mkdir()
    file = tmp_path / os.fsdecode(b"\xff.md")
    file.touch()
    first = Cache(str(tmp_path / "store"))
    assert first.read(str(file), lambda _: {"a": "\udcff"}) == {"a": "\udcff"}
    first.read(str(file), lambda _: {"a": {1, 2}}, kind="set")
    first.save()
    second = Cache(str(tmp_path / "store"))
    assert second.read(str(file), lambda _: {}) == {"a": "\udcff"}
    assert second.read(str(file), lambda _: {}, kind="set") == {}


def test_what_was_damaged_is_read_again(tmp_path: Path) -> None:
    """An entry counts as it was written, or not at all."""
    (tmp_path / "store").mkdir()
    file = tmp_path / "a.md"
    file.touch()
    for change in ("value = replace(value, 'one', 'two')", "value = x'ff'", "signature = x'ff'", "value = ''"):
        memory = Cache(str(tmp_path / "store"))
        assert memory.read(str(file), lambda _: {"text": "one"}) == {"text": "one"}
        memory.save()
        assert index.change(tmp_path / "store", f"update kept set {change}") == 1  # noqa: S608 - of this test
