"""Fixtures that every test may ask for, and the guard that keeps tests out of the real home directory."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, settings

from holdfast.formats import catalogue, schema
from tests.client.fixtures import (
    CLIENT_OPTION,
    api,
    claude,
    client_binary,
    client_version,
    codex,
    copilot,
    holdfast,
    installed,
    models,
    other,
    project,
    ready,
)
from tests.support.covered import MEASURED_INTO
from tests.support.packages import wheels
from tests.support.plugin import packages, plugin_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

# How many examples each property is tried with; the option --hypothesis-profile chooses. For coverage it counts whether
# a line ran, not how often. Only long runs look at new cases each time: the others depend on the change alone. Slow
# machines are no failure, and to explain one takes many minutes.
_PROFILES = {"quick": 25, "default": 15 if MEASURED_INTO in os.environ else 100, "long": 2000}
_PHASES = [phase for phase in Phase if phase is not Phase.explain]
for _name, _examples in _PROFILES.items():
    settings.register_profile(_name, deadline=None, derandomize=_name != "long", max_examples=_examples, phases=_PHASES)
settings.load_profile("default")

# Beginnings of the variables that no test gets from its caller: each of them changes what a product in this process
# does. With CI=true nothing is staged, for example.
LEFT_OUT = (
    *("HOLDFAST", "CLAUDE", "CODEX_", "GEMINI_", "QWEN_", "COPILOT_", "OPENCODE", "DROID_", "FACTORY_", "CURSOR_"),
    *("CI", "GIT_", "GITHUB_", "GITLAB_", "GH_"),
    *(
        "XDG_CONFIG_",
        "XDG_DATA_",
        "XDG_STATE_",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "COLUMNS",
        "LINES",
        "TZ",
        "SESSION_ID",
    ),
)
# The fixtures that download a client.
_CLIENTS = {"client_binary", "other", "codex_programs"}

__all__ = [
    "api",
    "claude",
    "client_binary",
    "client_version",
    "codex",
    "copilot",
    "holdfast",
    "installed",
    "models",
    "other",
    "packages",
    "plugin_copy",
    "project",
    "ready",
    "wheels",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of these tests."""
    parser.addoption(CLIENT_OPTION, action="store_true", help="skip tests whose client cannot be downloaded")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need the real client."""
    for item in items:
        if isinstance(item, pytest.Function) and _CLIENTS & {*item.fixturenames}:
            item.add_marker(pytest.mark.client)


@pytest.fixture(scope="session", autouse=True)
def _home_is_not_the_real_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the whole run a throw-away home; downloads of clients stay where they are shared between runs."""
    clients = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", clients)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for name in [name for name in os.environ if name.startswith(LEFT_OUT)]:
            patch.delenv(name)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TEST_FSYNC", "0")
        signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_test_waits_for_the_disk() -> Iterator[None]:
    """Leave it to the system when bytes reach the disk: only a loss of power would tell, and no test has one.

    That a write asks for it is proved in processes of their own, by the tests of crashes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _handle: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _formats_that_come_along_are_parsed_once() -> Iterator[None]:
    """Parse them once a run: a project keeps what was parsed, but each test has a project of its own."""
    parse, own, parsed = schema.read_shipped, catalogue.FOLDER, json.dumps(schema.read_shipped(catalogue.FOLDER))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "read_shipped", lambda folder: json.loads(parsed) if folder == own else parse(folder))
        yield
