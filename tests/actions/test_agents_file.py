"""`holdfast init --agents-md`: three lines for clients without hooks, and nothing unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here = hooks.here
NAME = "AGENTS.md"


@pytest.mark.parametrize(
    ("before", "gap", "newline"),
    [
        (None, b"", b"\n"),
        (b"# Rules\n", b"\n", b"\n"),
        (b"# Rules", b"\n\n", b"\n"),
        (b"# R\r\nx\r\n", b"\r\n", b"\r\n"),
    ],
)
def test_three_lines_are_added_once(here: Project, before: bytes | None, gap: bytes, newline: bytes) -> None:
    """A person's bytes stay in front, line ends are those of the file, and a second run changes nothing."""
    path = here.root / NAME
    if before is not None:
        path.write_bytes(before)
    reply = here.cli("init", "--agents-md")
    assert (reply.code, reply.err) == (0, "")
    assert "To remove them, delete the lines from `<!-- holdfast` on." in reply.out
    data = path.read_bytes()
    start = (before or b"") + gap
    assert data.startswith(start + b"<!-- holdfast")
    assert data[len(start) :].count(newline) == 3
    assert "AGENTS.md has the lines of holdfast already; nothing changed." in here.cli("init", "--agents-md").out
    assert path.read_bytes() == data


def test_nothing_is_written_unasked(here: Project) -> None:
    """`init` alone makes no such file."""
    assert here.cli("init").code == 0
    assert not (here.root / NAME).exists()


def test_a_link_is_refused(here: Project) -> None:
    """What a link leads to is left alone, and the error says so."""
    (here.root / NAME).symlink_to(here.folder / "elsewhere")
    reply = here.cli("init", "--agents-md")
    assert reply.code == 1
    assert "AGENTS.md is not a plain file; nothing was added." in reply.err
    assert not (here.folder / "elsewhere").exists()
