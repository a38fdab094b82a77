"""Fixtures that every test may ask for, and the guard that keeps tests out of the real home directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.client.fixtures import api, claude, client_binary, client_version, holdfast, project, ready
from tests.support.covered import MEASURED_INTO
from tests.support.packages import wheels
from tests.support.plugin import packages, plugin_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

# By hand every run looks at new cases; in CI a run must depend on the change alone. Slow machines are no failure. For
# coverage it counts whether a line ran, not how often.
_EXAMPLES = 15 if MEASURED_INTO in os.environ else 100
settings.register_profile("default", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=_EXAMPLES)
settings.load_profile("default")

__all__ = [
    "api",
    "claude",
    "client_binary",
    "client_version",
    "holdfast",
    "packages",
    "plugin_copy",
    "project",
    "ready",
    "wheels",
]


@pytest.fixture(scope="session", autouse=True)
def _home_is_not_the_real_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the whole run a throw-away home; downloads of clients stay where they are shared between runs."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", cache)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for name in [name for name in os.environ if name.startswith(("HOLDFAST_", "CLAUDE", "GIT_"))]:
            patch.delenv(name)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        yield
