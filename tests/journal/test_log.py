"""What is appended to a journal and stored beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.journal import log
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here = hooks.here


@pytest.mark.parametrize("folder", ["", "/work/clone/src"])
def test_a_claim_says_where_a_fetched_conversation_goes_on(here: Project, folder: str) -> None:
    """The folder is recorded only if there is one."""
    log.claim(str(here.store), "one", str(here.root / "STATE.md"), by="resume", folder=folder)
    (fact,) = here.facts(kind="state")
    assert (fact["path"], fact["by"]) == ("STATE.md", "resume")
    assert [value for key, value in fact.items() if key == "folder"] == [folder] * bool(folder)
