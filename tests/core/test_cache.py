"""The cache: results for unchanged files come from it, changed files are read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.cache import Cache

if TYPE_CHECKING:
    from pathlib import Path


def test_an_entry_is_valid_for_its_variant_and_file(tmp_path: Path) -> None:
    """A file is read again under another variant, and after it was written."""
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
    stays, goes = tmp_path / "stays.md", tmp_path / "goes.md"
    memory = Cache(str(tmp_path / "store"))
    for file in (stays, goes):
        file.touch()
        memory.read(str(file), lambda _: {}, "8f3a")
    goes.unlink()
    memory.save()
    kept = (tmp_path / "store/cache.json").read_text()
    assert "stays.md" in kept
    assert "goes.md" not in kept


def test_a_full_small_cache_keeps_recently_used_entries(tmp_path: Path) -> None:
    """The small cache stays small; the large one keeps every entry."""
    paths = [tmp_path / f"{number}.md" for number in range(310)]
    for whole, kept in ((False, 10), (True, 310)):
        for some in (paths[:300], paths[300:]):
            memory = Cache(str(tmp_path / "store"), large=whole)
            for path in some:
                path.touch()
                memory.read(str(path), lambda _: {})
            memory.save()
        assert (tmp_path / "store" / ("whole.json" if whole else "cache.json")).read_text().count(".md") == kept
