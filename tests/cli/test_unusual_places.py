"""What `init` asks before it prepares a home directory, or a folder that is not in git."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click
import pytest

from holdfast.cli import preparing
from holdfast.project import paths

if TYPE_CHECKING:
    from pathlib import Path


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "goes_on"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_the_user_decides_in_a_terminal(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    goes_on: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Only a yes goes on."""
    monkeypatch.setattr(sys, "stdin", _Terminal(answer))
    monkeypatch.setattr(click.termui, "visible_prompt_func", lambda _: sys.stdin.readline())
    try:
        preparing.confirm(paths.locate(str(tmp_path)), str(tmp_path), agreed=False)
    except click.Abort:
        assert not goes_on
    else:
        assert goes_on
