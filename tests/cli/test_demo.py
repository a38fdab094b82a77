"""The command `demo`: what its screens show, and that nothing stays behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

here = hooks.here
TITLES = (
    "A first session starts and works",
    "A second session is about to edit the same file",
    "The first conversation is compacted",
    "The session ends with work open, and the next one starts",
    "And the command line shows the same",
)


@pytest.fixture
def scratch(here: Project) -> Path:
    """Make a folder for temporary files that holds nothing else."""
    folder = here.folder / "scratch"
    folder.mkdir()
    return folder


def played(here: Project, scratch: Path, *words: str, **variables: str) -> Reply:
    """Play the demo with a folder of its own for temporary files."""
    return here.cli("demo", *words, cwd=here.folder, TMPDIR=str(scratch), **variables)


def test_each_step_fits_a_screen(here: Project, scratch: Path) -> None:
    """24 lines of 80 columns; the hooks' own answers say what the titles promise; nothing stays behind."""
    reply = played(here, scratch)
    assert (reply.code, reply.err) == (0, "")
    starts = [reply.out.index(f"{number}. {title}") for number, title in enumerate(TITLES, 1)]
    screens = [reply.out[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    for screen in screens:
        assert len(screen.splitlines()) <= 24
        assert max(map(len, screen.splitlines())) <= 80
    assert "Round CHF to five centimes" in screens[0]
    assert "totals.py was changed just now by another live session" in screens[1]
    assert "And keep the old function for the archive" in " ".join(screens[2].split())
    assert "or start fresh?" in screens[3]
    assert "5f1c2a9e" in screens[4]
    assert "untitled" not in screens[4]
    assert [*scratch.iterdir()] == []


def test_json_has_the_texts_uncut(here: Project, scratch: Path) -> None:
    """What Claude is told at the next start says what was answered and what was given up."""
    value = json.loads(played(here, scratch, "--json").out)
    assert tuple(screen["title"] for screen in value["screens"]) == TITLES
    (told,) = (part["text"] for part in value["screens"][3]["parts"] if part["reader"] == "claude")
    for words in ("Don't touch the CSV export.", "decimal context", "For each line.", "`archive.py` is next"):
        assert words in told, words
    assert [*scratch.iterdir()] == []


def test_without_git_one_line_says_so(here: Project, scratch: Path, tmp_path: Path) -> None:
    """And the scratch folder is removed."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "readlink", "dirname", "mkdir", "mv", "rm"):
        (tools / name).symlink_to(f"/bin/{name}")
    reply = played(here, scratch, PATH=str(tools))
    assert (reply.code, reply.out) == (1, "")
    assert reply.err.startswith("holdfast: the demo stopped at git: ")
    assert "Traceback" not in reply.err
    assert [*scratch.iterdir()] == []
