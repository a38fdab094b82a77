"""From which session a fork copied its beginning."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from holdfast.hub import refresh
from tests.support.facts import fold

if TYPE_CHECKING:
    from pathlib import Path

FORK = '{"type":"user","forkedFrom":{"sessionId":"11111111-before"}}\n'


@pytest.mark.parametrize(("text", "origin"), [(FORK, "11111111-before"), ("{}\n", ""), (None, "")])
def test_the_transcript_names_it(tmp_path: Path, text: str | None, origin: str) -> None:
    """A folder in its place names none; nothing stays open."""
    path = tmp_path / "t.jsonl"
    path.mkdir() if text is None else path.write_text(text)
    session = fold("22222222-fork", [{"kind": "start", "at": 1.0, "source": "fork", "transcript": str(path)}])
    before = len(os.listdir("/dev/fd"))
    assert refresh.origin_of(session) == origin
    assert len(os.listdir("/dev/fd")) == before
