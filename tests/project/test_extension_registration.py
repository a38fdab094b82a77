"""Whether the hooks of an extension run in a project, as the client's own files say."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.project.extension_registration import Gemini, Qwen

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.project.extension_registration import Extension

RULES, USER, PROJECT = "extensions/extension-enablement.json", "settings.json", "../../work/.{}/settings.json"
LINKS = """#!/bin/sh
kept=$HOME/.gemini/extensions/holdfast/.gemini-extension-install.json
case $2 in
uninstall) rm "$kept" ;;
link) [ ! -e "$kept" ] && mkdir -p "${kept%/*}" && printf '{"source": "%s"}' "$3" >"$kept" ;;
esac
"""
ASKS = {"security": {"folderTrust": {"enabled": True}}}


def _rules(*rules: str) -> object:
    return {"holdfast": {"overrides": rules}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the home directory, beside a project in `work`."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.parametrize("client", [Gemini, Qwen])
@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (RULES, _rules("BASE/*"), ""),
        (RULES, _rules("!BASE/*"), "the extension is disabled here"),
        (RULES, _rules("!BASE/work/"), "the extension is disabled here"),
        (RULES, _rules("!BASE/*", "BASE/work/*"), ""),
        (RULES, _rules("!BASE/elsewhere/*"), ""),
        (RULES, _rules("!BASE/wor/"), ""),
        (RULES, {"holdfast": "odd"}, ""),
        (USER, {"hooksConfig": {"enabled": False}}, "hooks are switched off"),
        (PROJECT, {"disableAllHooks": True}, "hooks are switched off"),
        (USER, {"hooksConfig": "odd"}, ""),
        (USER, "odd", ""),
    ],
)
def test_what_the_files_say(client: type[Extension], name: str, content: object, expected: str, home: Path) -> None:
    """The last rule that fits counts; settings of the user and of the project do, too."""
    path = home / f".{client.NAME}" / name.format(client.NAME)
    for folder in (home / f".{client.NAME}", path.parent):
        folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content).replace("BASE", str(home.parent)))
    problem, remedy = client.silenced(str(home.parent / "work"))
    assert problem == expected
    assert bool(remedy) == bool(expected)


@pytest.mark.parametrize(
    ("settings", "trusted", "expected"),
    [
        ({"hooksConfig": {"disabled": ["holdfast"]}}, {}, "the hook holdfast is disabled"),
        ({"hooksConfig": {"disabled": ["other"]}}, {}, ""),
        (ASKS, {}, ""),
        (ASKS, {"work": "DO_NOT_TRUST"}, "Gemini CLI does not trust "),
        (ASKS, {"": "DO_NOT_TRUST", "work": "TRUST_FOLDER"}, ""),
        ({}, {"work": "DO_NOT_TRUST"}, ""),
    ],
)
def test_what_only_gemini_has(settings: object, trusted: dict[str, str], expected: str, home: Path) -> None:
    """Hooks can be disabled by their names, and folders can be trusted or not."""
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini/settings.json").write_text(json.dumps(settings))
    rules = {f"{home.parent}/{folder}".rstrip("/"): level for folder, level in trusted.items()}
    (home / ".gemini/trustedFolders.json").write_text(json.dumps(rules))
    problem, _ = Gemini.silenced(str(home.parent / "work"))
    assert problem.startswith(expected)
    assert bool(problem) == bool(expected)


@pytest.mark.parametrize("client", [Gemini, Qwen])
def test_what_is_not_installed_is_not_removed(client: type[Extension], home: Path) -> None:
    """The client is not started for it."""
    assert not home.exists()
    assert client("/no/such/client").remove() == "extension: holdfast is not installed"


@pytest.fixture
def gemini(home: Path) -> str:
    """Give a stand-in for gemini that links extensions as it does: not under a name that is there already."""
    program = home.parent / "gemini"
    program.write_text(LINKS)
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("before", ["", "/gone/clone"])
def test_the_extension_of_a_clone_that_is_gone_is_replaced(gemini: str, home: Path, before: str) -> None:
    """It is uninstalled before this one is linked; afterwards there is one, from this clone."""
    kept = home / ".gemini/extensions/holdfast/.gemini-extension-install.json"
    if before:
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps({"source": before}))
    with ExitStack() as undo:
        assert Gemini(gemini).add("user", undo) == [f"extension: linked holdfast from {Gemini.folder()}"]
        undo.pop_all()
    assert json.loads(kept.read_text()) == {"source": Gemini.folder()}
    assert Gemini(gemini).remove() == "extension: removed holdfast"
    assert not kept.exists()


def test_a_client_that_links_nothing_is_reported(home: Path) -> None:
    """It ends as if all were well, and the extension is not there."""
    program = home.parent / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    with ExitStack() as undo, pytest.raises(HoldfastError, match="made no link"):
        Gemini(str(program)).add("user", undo)
