"""Fixtures that give a test the real client, its API and a project to work in."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import lend

from . import npm
from .api import Api
from .claude import Claude
from .fetch import ClientUnavailableError, fetch
from .identity import IDENTITY
from .models import Models
from .others import OTHERS, Other
from .steps import command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VERSIONS = os.environ.get("HOLDFAST_TEST_CLIENTS", "latest").split()
CLIENT_OPTION = "--client-may-be-missing"
GIT_LIMIT = 30.0


def git(folder: Path, *args: str) -> str:
    """Run git in a folder as a made-up person, and give what it printed."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    done = subprocess.run(
        ["git", *args],
        cwd=folder,
        env={**inherited, **IDENTITY},
        capture_output=True,
        text=True,
        timeout=GIT_LIMIT,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="session", params=VERSIONS)
def client_version(request: pytest.FixtureRequest) -> str:
    """Give each client version that the suite is run against."""
    return str(request.param)


@pytest.fixture(scope="session")
def client_binary(client_version: str, pytestconfig: pytest.Config) -> Path:
    """Give the executable of the client; where it cannot be had, fail, or skip if that was asked for."""
    try:
        return fetch(client_version)
    except ClientUnavailableError as error:
        why = f"the client {client_version} cannot be downloaded: {error}"
    if pytestconfig.getoption(CLIENT_OPTION):
        pytest.skip(why)
    pytest.fail(why, pytrace=False)


@pytest.fixture
def api() -> Iterator[Api]:
    """Give a running API without a script."""
    with Api() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a git repository on branch main that has one commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# A project\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


@pytest.fixture
def claude(client_binary: Path, api: Api, project: Path, tmp_path: Path) -> Claude:
    """Give a client in a home of its own, without a plugin."""
    return Claude(client_binary, tmp_path / "home", project, api.url, extra=dict(IDENTITY))


@pytest.fixture
def holdfast(claude: Claude, plugin_copy: Path, packages: Path) -> Claude:
    """Give the client with the plugin loaded from its copy."""
    claude.plugin_dir = plugin_copy
    claude.extra["HOLDFAST_DATA"] = str(packages)
    return claude


@pytest.fixture
def ready(holdfast: Claude) -> Claude:
    """Give the client in a project that was prepared by `holdfast init`."""
    command(holdfast, "init")
    return holdfast


def programs(client: str) -> tuple[Path, ...]:
    """Return the words that start another client, whose newest version is fetched; skip the test if it cannot be."""
    try:
        found = npm.program(client)
        return (npm.program("node"), found) if found.suffix == ".js" else (found,)
    except ClientUnavailableError as error:
        pytest.skip(f"the client {client} cannot be downloaded: {error}")


@pytest.fixture
def models() -> Iterator[Models]:
    """Give a running OpenAI API without a script."""
    with Models() as running:
        yield running


@pytest.fixture
def other(models: Models, project: Path, plugin_copy: Path, tmp_path: Path) -> Callable[[str], Other]:
    """Give what makes another client by its name, in a home of its own and with a data folder of its own."""

    def make(name: str) -> Other:
        data = tmp_path / f"data-{name}"
        data.mkdir()
        lend(data)
        extra = {"HOLDFAST_DATA": str(data)}
        return OTHERS[name](programs(name), tmp_path / name, project, models.url, plugin_copy, extra)

    return make


@pytest.fixture
def installed(other: Callable[[str], Other]) -> Callable[[str], Other]:
    """Give what makes another client in a prepared project, with holdfast installed in it."""

    def make(name: str) -> Other:
        client = other(name)
        client.install()
        command(client, "init")
        return client

    return make


@pytest.fixture
def codex(installed: Callable[[str], Other]) -> Other:
    """Give Codex CLI with holdfast."""
    return installed("codex")


@pytest.fixture
def copilot(installed: Callable[[str], Other]) -> Other:
    """Give Copilot CLI with holdfast."""
    return installed("copilot")
