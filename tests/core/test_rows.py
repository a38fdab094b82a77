"""Rows that are kept from one process to the next: valid for their signature; damage is never an error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.core.rows import Rows

if TYPE_CHECKING:
    from pathlib import Path


def test_a_row_is_valid_for_its_signature_only(tmp_path: Path) -> None:
    """A row with another signature, version or variant is not found."""
    path = str(tmp_path / "store/rows")
    rows = Rows(path, 1, "a")
    rows.put("one", [3, "x"], {"said": "é\0"})
    rows.marks = frozenset(["/a b/\udce9.md", "2"])
    rows.save()
    again = Rows(path, 1, "a")
    assert again.find("one", [3, "x"]) == {"said": "é\0"}
    assert again.marks == {"/a b/\udce9.md", "2"}
    assert again.signature("one") == [3, "x"]
    assert (again.find("one", [4, "x"]), again.find("two", [3, "x"]), again.signature("two")) == (None, None, None)
    for version, variant in ((2, "a"), (1, "b")):
        other = Rows(path, version, variant)
        assert (list(other.keys), other.marks) == ([], frozenset())


def test_only_a_change_is_written(tmp_path: Path) -> None:
    """Without a change the file is not written; rows that are not kept are removed."""
    path = tmp_path / "rows"
    rows = Rows(str(path), 1)
    rows.save()
    assert not path.exists()
    rows.put("one", None, 1)
    rows.put("two", None, 2)
    rows.save()
    path.write_text(path.read_text() + " ")
    rows.keep(["one", "two", "three"])
    rows.save()
    assert path.read_text().endswith(" ")
    rows.keep(["two"])
    rows.save()
    assert list(Rows(str(path), 1).keys) == ["two"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"version": 1, "variant": "", "rows": {"one": 1}}', "row"])
def test_a_damaged_file_has_no_rows(tmp_path: Path, damage: str) -> None:
    """One invalid row drops all rows, because something else wrote the file."""
    path = tmp_path / "rows"
    good = {"version": 1, "variant": "", "rows": {"one": ["s", "text"], "two": ["s", 2]}}
    path.write_text(json.dumps(good) if damage == "row" else damage)
    assert not Rows(str(path), 1, is_row=lambda value: isinstance(value, str)).keys


def test_errors_in_save_are_ignored(tmp_path: Path) -> None:
    """A folder at the path, a value that JSON cannot express, and a missing store are not errors."""
    for path, value in ((str(tmp_path), 1), (str(tmp_path / "rows"), {1, 2}), ("", 1)):
        rows = Rows(path, 1)
        rows.put("one", None, value)
        rows.save()
        assert rows.find("one", None) == value
    assert not list(tmp_path.iterdir())
