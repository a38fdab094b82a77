"""The machines that the tests of sharing begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.machines import Machines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machines(request: pytest.FixtureRequest, tmp_path: Path, plugin_copy: Path, packages: Path) -> Machines:
    """Give a remote without machines."""
    processes = request.node.get_closest_marker("processes") is not None
    return Machines(tmp_path, plugin_copy, packages, processes=processes)
