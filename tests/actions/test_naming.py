"""A state file that began without a request gets title and context from the first one that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.formats import template
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared


@pytest.mark.parametrize("written", ["", "A person wrote this."])
def test_the_context_is_the_first_request(prepared: Project, written: str) -> None:
    """Unless a person has written there meanwhile."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="yes")
    prepared.edit("a.py")
    prepared.settled()
    (path,) = prepared.state_files()
    assert template.OPEN in path.read_text()
    if written:
        path.write_text(path.read_text().replace(template.OPEN, written))
        prepared.accept()
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of May")
    prepared.edit("b.py")
    prepared.fire("Stop")
    prepared.settled()
    (path,) = prepared.state_files()
    text = path.read_text()
    assert "# Session: Parse the invoices of May\n" in text
    assert f"## Context\n\n{written or 'The request is in no commit; the title says it in short.'}\n" in text
