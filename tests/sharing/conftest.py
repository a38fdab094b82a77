"""The machines that the tests of sharing begin with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.sharing import machine, status
from holdfast.sharing.exchange import exchange
from tests.support.machines import Machines


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no hook ask for an exchange."""
    monkeypatch.setattr(status, "ask", lambda *_, **__: None)


def _end(_seconds: float) -> None:
    """End the process that keeps exchanging, after what is due now."""
    raise SystemExit


@pytest.fixture
def machines(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    plugin_copy: Path,
    packages: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Machines:
    """Give a remote without machines; each machine is named like its folder, where it runs in this process."""
    monkeypatch.setattr(exchange, "pause", _end)
    monkeypatch.setattr(machine, "host", lambda: Path(os.environ["HOME"]).parent.name)
    processes = request.node.get_closest_marker("processes") is not None
    return Machines(tmp_path, plugin_copy, packages, processes=processes)
