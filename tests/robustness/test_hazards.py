"""Hazards of real state files: an edit changes what is meant, once and byte for byte, or is refused and reported."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import StateFile
from tests.hazards import HAZARDS, LARGE, MODES, Hazard

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMATS = known("", Cache(""))
PATHS = {
    "genie": ".genie/SESSION-STATE.md",
    "gsd": ".planning/STATE.md",
    "continue-here": ".continue-here.md",
    "memory-bank": "memory-bank/activeContext.md",
    "continuity": "thoughts/ledgers/CONTINUITY_CLAUDE-x.md",
    "handoff": "HANDOFF.md",
}


def editor(hazard: Hazard) -> Editor:
    """Return the editor for a hazard's file at a place of its dialect."""
    return Editor(PATHS.get(hazard.file_format, ".agents/sessions/x.md"), FORMATS, "2026-04-01 12:00")


EACH = pytest.mark.parametrize("hazard", [pytest.param(hazard, id=hazard.id) for hazard in HAZARDS])


@EACH
def test_an_edit_changes_what_is_meant(hazard: Hazard) -> None:
    """The file becomes the one that the hazard names, byte for byte, and what could not be placed is reported.

    The same edit again changes nothing, and reports the same keys as not placed.
    """
    path = editor(hazard).path
    state = StateFile(hazard.before, path, FORMATS)
    assert (state.file_format.name if state.file_format else "unknown") == hazard.file_format, state.reason
    if hazard.refused:
        with pytest.raises(HoldfastError, match=hazard.refused):
            editor(hazard).apply(hazard.before, hazard.wanted)
        return
    outcome = editor(hazard).apply(hazard.before, hazard.wanted)
    assert outcome.data.decode("utf-8", "surrogateescape") == (hazard.after or hazard.before).decode(
        "utf-8", "surrogateescape"
    ), outcome.unplaced
    assert tuple(where for where, _ in outcome.unplaced) == hazard.unplaced, outcome.unplaced
    again = editor(hazard).apply(outcome.data, hazard.wanted)
    assert (again.data, again.changes) == (outcome.data, [])
    assert tuple(where for where, _ in again.unplaced) == hazard.unplaced


@pytest.mark.slow
@pytest.mark.parametrize("make", LARGE)
def test_an_edit_of_a_large_file(make: Callable[[], Hazard]) -> None:
    """However much is there, one line is added and the rest stays."""
    hazard = make()
    outcome = editor(hazard).apply(hazard.before, hazard.wanted)
    assert (outcome.data == hazard.after, outcome.unplaced) == (True, [])


# One of each kind: a file that is written, one that is refused, one in which nothing changes.
KINDS = {("refused" if hazard.refused else "written" if hazard.after else "unchanged"): hazard for hazard in HAZARDS}


@pytest.mark.parametrize("hazard", KINDS.values(), ids=KINDS)
def test_a_file_keeps_its_permissions(hazard: Hazard, tmp_path: Path) -> None:
    """A file on disk has the mode it had, whatever that is; one in which nothing changes is not even touched."""
    for mode in MODES:
        path = tmp_path / f"{mode:o}.md"
        path.write_bytes(hazard.before)
        path.chmod(mode)
        os.utime(path, ns=(1, 1))
        if hazard.refused:
            with pytest.raises(HoldfastError, match=hazard.refused):
                _update(path, hazard)
        else:
            assert _update(path, hazard) is (hazard.after is not None)
        assert stat.S_IMODE(path.stat().st_mode) == mode
        assert path.read_bytes() == (hazard.after or hazard.before)
        assert (path.stat().st_mtime_ns == 1) is (hazard.after is None)


def _update(path: Path, hazard: Hazard) -> bool:
    """Make the hazard's edit in a file, and return whether it was written."""
    return store.update(str(path), lambda data: editor(hazard).apply(data, hazard.wanted).data)
