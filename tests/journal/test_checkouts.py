"""What is kept of the branch that a session knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.journal import checkouts
from holdfast.project import paths
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here = hooks.here

SECRET = "ghp_" + "a1B2c3D4" * 4 + "e5F6"


@pytest.mark.parametrize("before", ["", f"feat/{SECRET}"], ids=["new", "kept by an older version"])
def test_a_secret_in_the_name_of_a_branch_is_not_kept(here: Project, before: str) -> None:
    """The name is kept masked, is still equal to itself, and another branch is still a switch."""
    store = str(here.store)
    (here.store / "checkouts").mkdir(parents=True)
    if before:
        (here.store / "checkouts/one").write_text(f"{here.root}\n{before}")
    here.git("checkout", "-q", "-b", f"feat/{SECRET}")
    tree = paths.locate(str(here.root))
    assert checkouts.switched(store, "one", tree) == ""
    assert checkouts.switched(store, "one", tree) == ""
    assert (here.store / "checkouts/one").read_text() == f"{here.root}\nfeat/[masked]"
    here.git("checkout", "-q", "main")
    assert checkouts.switched(store, "one", tree) == "feat/[masked]"
