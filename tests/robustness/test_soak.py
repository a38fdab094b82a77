"""A very small soak with each run of the tests; `make soak` plays ten seeds of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.soak.play import Size, play

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_few_sessions_lose_nothing(tmp_path: Path, plugin_copy: Path, packages: Path) -> None:
    """Sessions in two working trees, a person who types and one with an editor, and kills: all is there, once."""
    done = play(1, tmp_path / "soak", plugin_copy, packages, Size(trees=2, sessions=4, typists=1, seconds=4))
    assert done.lost == [], "\n".join(done.lost)
    assert done.acknowledged > 20
