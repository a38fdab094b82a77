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
from .codex import Codex
from .copilot import Copilot
from .fetch import ClientUnavailableError, fetch
from .gemini import Gemini
from .identity import IDENTITY
from .models import Models
from .qwen import Qwen
from .steps import command

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def _program(client: str) -> Path:
    """Return the program of another client; the test is skipped if it cannot be downloaded."""
    try:
        return npm.program(client)
    except ClientUnavailableError as error:
        pytest.skip(f"the client {client} cannot be downloaded: {error}")


@pytest.fixture(scope="session")
def codex_binary() -> Path:
    """Give the executable of Codex CLI."""
    return _program("codex")


@pytest.fixture
def models() -> Iterator[Models]:
    """Give a running OpenAI API without a script."""
    with Models() as running:
        yield running


@pytest.fixture
def codex_alone(codex_binary: Path, models: Models, project: Path, plugin_copy: Path, packages: Path) -> Codex:
    """Give Codex CLI in a home of its own, without a plugin."""
    client = Codex(codex_binary, project.parent / "codex", project, models.url, plugin_dir=plugin_copy)
    client.extra["HOLDFAST_DATA"] = str(packages)
    return client


@pytest.fixture
def codex(codex_alone: Codex) -> Codex:
    """Give Codex CLI in a prepared project, with the plugin installed by its own command."""
    for words in (("marketplace", "add", str(codex_alone.plugin_dir)), ("add", "holdfast@holdfast-tools")):
        done = codex_alone.command("plugin", *words)
        assert done.returncode == 0, done.stderr
    command(codex_alone, "init")
    return codex_alone


@pytest.fixture(scope="session")
def gemini_programs() -> tuple[Path, Path]:
    """Give a Node.js that is new enough for Gemini CLI, and its script."""
    return _program("node"), _program("gemini")


@pytest.fixture
def gemini_alone(
    gemini_programs: tuple[Path, Path], models: Models, project: Path, plugin_copy: Path, packages: Path
) -> Gemini:
    """Give Gemini CLI in a home of its own, without an extension."""
    client = Gemini(*gemini_programs, project.parent / "gemini", project, models.url, plugin_dir=plugin_copy)
    client.extra["HOLDFAST_DATA"] = str(packages)
    return client


@pytest.fixture
def gemini(gemini_alone: Gemini) -> Gemini:
    """Give Gemini CLI in a prepared project, with the extension linked by its own command."""
    done = gemini_alone.command("extensions", "link", f"{gemini_alone.plugin_dir}/extensions/gemini", "--consent")
    assert done.returncode == 0, done.stderr
    command(gemini_alone, "init")
    return gemini_alone


@pytest.fixture(scope="session")
def qwen_programs() -> tuple[Path, Path]:
    """Give a Node.js that is new enough for Qwen Code, and its script."""
    return _program("node"), _program("qwen")


@pytest.fixture
def qwen_alone(
    qwen_programs: tuple[Path, Path], models: Models, project: Path, plugin_copy: Path, packages: Path
) -> Qwen:
    """Give Qwen Code in a home of its own, without an extension."""
    client = Qwen(*qwen_programs, project.parent / "qwen", project, models.url, plugin_dir=plugin_copy)
    client.extra["HOLDFAST_DATA"] = str(packages)
    return client


@pytest.fixture
def qwen(qwen_alone: Qwen) -> Qwen:
    """Give Qwen Code in a prepared project, with the extension linked by its own command."""
    done = qwen_alone.command("extensions", "link", f"{qwen_alone.plugin_dir}/extensions/qwen", typed="y\n")
    assert done.returncode == 0, done.stderr
    command(qwen_alone, "init")
    return qwen_alone


@pytest.fixture(scope="session")
def copilot_binary() -> Path:
    """Give the executable of Copilot CLI."""
    return _program("copilot")


@pytest.fixture
def copilot(copilot_binary: Path, models: Models, project: Path, plugin_copy: Path) -> Copilot:
    """Give Copilot CLI in a prepared project, with its hooks installed and a data folder of its own."""
    client = Copilot(copilot_binary, project.parent / "copilot", project, models.url, plugin_dir=plugin_copy)
    data = project.parent / "data"
    data.mkdir()
    lend(data)
    client.extra["HOLDFAST_DATA"] = str(data)
    client.install()
    command(client, "init")
    return client
