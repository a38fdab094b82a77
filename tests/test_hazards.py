"""Every hazard of real state files: an edit changes what is meant, once, can be undone, or is refused and told."""

from __future__ import annotations

import pytest

from holdfast.cache import Cache
from holdfast.dialects import known
from holdfast.edit import Editor
from holdfast.errors import HoldfastError
from holdfast.markdown import Document
from holdfast.statefile import StateFile
from tests.hazards import HAZARDS, Hazard

DIALECTS = known("", Cache(""))
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
    return Editor(PATHS.get(hazard.dialect, ".agents/sessions/x.md"), DIALECTS, "2026-04-01 12:00")


@pytest.mark.parametrize("hazard", [pytest.param(hazard, id=hazard.id) for hazard in HAZARDS])
def test_an_edit_changes_what_is_meant(hazard: Hazard) -> None:
    """The file becomes the one that the hazard names, byte for byte, and what could not be placed is told."""
    path = editor(hazard).path
    state = StateFile(hazard.before, path, DIALECTS)
    assert (state.dialect.name if state.dialect else "unknown") == hazard.dialect, state.reason
    if hazard.refused:
        with pytest.raises(HoldfastError, match=hazard.refused):
            editor(hazard).apply(hazard.before, hazard.wanted)
        return
    outcome = editor(hazard).apply(hazard.before, hazard.wanted)
    assert outcome.data.decode("utf-8", "surrogateescape") == (hazard.after or hazard.before).decode(
        "utf-8", "surrogateescape"
    ), outcome.unplaced
    assert tuple(where for where, _ in outcome.unplaced) == hazard.unplaced, outcome.unplaced
