"""The bar of long work: on standard error, where that is a terminal, and only there."""

from __future__ import annotations

import io
import sys

import pytest

from holdfast.cli import output


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "count", "drawn"), [(_Terminal, 25, True), (_Terminal, 19, False), (io.StringIO, 25, False)]
)
def test_a_bar_is_drawn_for_long_work_in_a_terminal(
    stream: type[io.StringIO],
    count: int,
    drawn: bool,  # noqa: FBT001 - a column of the table
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What the command prints is not mixed with it; the items are the same."""
    error = stream()
    monkeypatch.setattr(sys, "stderr", error)
    assert [*output.each(range(count), "Sweeping")] == [*range(count)]
    assert capsys.readouterr().out == ""
    assert ("Sweeping" in error.getvalue()) is drawn
