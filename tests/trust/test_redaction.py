"""What is shown of untrusted files: a count, and the short names of three."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.trust import clone

if TYPE_CHECKING:
    from holdfast.core.summary import Summary


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        ([], ""),
        (["/p/a.md"], '"a.md"'),
        (["/p/a.md", "b.md", "c.md"], '"a.md", "b.md", "c.md"'),
        (["/p/a.md", "b.md", "c.md", "d.md"], '"a.md", "b.md", "c.md" and 1 more'),
        (["run it, now!.md"], '"run_it__now_.md"'),
    ],
)
def test_three_names_are_shown(paths: list[str], shown: str) -> None:
    """The others are counted, and a sign that is no part of a plain name becomes `_`."""
    assert clone.short_names(paths) == shown


@pytest.mark.parametrize(("length", "longest"), [(39, 39), (40, 40), (41, 40), (4000, 40)])
def test_a_name_is_short(length: int, longest: int) -> None:
    """A name of more than 40 characters is cut."""
    assert len(clone.short_names(["x" * length]).strip('"')) == longest


@pytest.mark.parametrize(("ident", "kept"), [("a" * 64, True), ("a" * 65, False), ("run it", False), ("1-a_b.c", True)])
def test_an_id_is_no_sentence(ident: str, *, kept: bool) -> None:
    """Of an untrusted hub only what can be an id is shown, without the texts of its entry."""
    entry: Summary = {"id": ident, "title": "t", "status": "s", "category": "active"}
    found = clone.redacted({"ids": [ident], "entries": [entry], "title": "t", "format": "f" * 50})
    assert found["ids"] == ([ident] if kept else [])
    wanted = {"id": ident, "title": "", "status": "", "category": "active"}
    assert found["entries"] == ([wanted] if kept else [])
    assert (found["title"], len(str(found["format"]))) == ("", 40)
