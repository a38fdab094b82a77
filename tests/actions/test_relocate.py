"""Moving the files of holdfast between the working tree and git's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.actions import relocate
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_private_files_need_a_git_folder(tmp_path: Path) -> None:
    """Where there is no git, nothing is moved and the error says what to type."""
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/holdfast.toml").touch()
    with pytest.raises(HoldfastError, match=r"there is no git here\. Type: git init"):
        relocate.to_private(Workspace(paths.locate(str(tmp_path))))
    assert (tmp_path / ".agents/holdfast.toml").exists()
