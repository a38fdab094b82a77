"""What a row of another machine's session may hold."""

from __future__ import annotations

import pytest

from holdfast.sharing import rows


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("0f" * 20, True),
        ("0f" * 32, True),
        ("0f", False),
        ("0f" * 21, False),
        ("xy" * 20, False),
        ("xy" * 32, False),
        ("0F" * 20, False),
        ("", False),
    ],
)
def test_only_the_whole_name_of_an_object_is_kept(name: str, *, kept: bool) -> None:
    """A commit that no git names so is as good as none."""
    found = rows.clean({"commit": name}, "one")
    assert found["commit"] == (name if kept else "")
