"""Most of these tests look at the hub in the tree, where git and people change it, too."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _hub_in_the_tree(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the hub in the tree."""
    if "here" in request.fixturenames:
        monkeypatch.setenv("HOLDFAST_HUB", "tracked")
        request.getfixturevalue("here").variables["HOLDFAST_HUB"] = "tracked"
