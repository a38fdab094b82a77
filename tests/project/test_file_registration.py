"""A file of holdfast's own that a client reads: written, replaced if it is holdfast's, and undone after a failure."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.project.file_registration import Copilot

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the path of the file that Copilot CLI reads."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".copilot/hooks/holdfast.json"


def _failing(client: Copilot) -> None:
    """Install, and fail after that."""
    with contextlib.suppress(KeyError), contextlib.ExitStack() as undo:
        client.add("user", undo)
        raise KeyError


def test_a_failure_leaves_what_was_there(file: Path) -> None:
    """A new file goes again; one of another clone of holdfast stays, as the new one."""
    client = Copilot("copilot")
    _failing(client)
    assert not file.exists()
    file.write_text('{"hooks": {"x": [{"bash": "[ -x \'/old/hooks/launch\' ] || exit 0"}]}}')
    client.check()
    _failing(client)
    assert client.is_ours()


def test_a_file_of_others_is_left_alone(file: Path) -> None:
    """One that names no clone of holdfast."""
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    with pytest.raises(HoldfastError, match="is not from holdfast"):
        Copilot("copilot").check()
