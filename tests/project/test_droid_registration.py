"""Hooks in a file that is not holdfast's own: what others have there stays, and what holdfast adds goes again."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.project.file_registration import Droid

if TYPE_CHECKING:
    from pathlib import Path

OTHER: dict[str, Any] = {"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}
OWN = {"Notification": [OTHER], "PostToolUse": [OTHER]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder with Droid's settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".factory").mkdir()
    return tmp_path / ".factory"


def _added() -> list[str]:
    with contextlib.ExitStack() as undo:
        client = Droid("droid")
        client.check()
        lines = client.add("user", undo)
        undo.pop_all()
    return lines


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("hooks.json", OWN),
        ("hooks.json", {"hooks": OWN}),
        ("hooks/hooks.json", {"hooks": OWN}),
        ("settings.json", {"model": "one", "hooks": OWN}),
    ],
)
def test_what_others_have_stays(folder: Path, name: str, whole: dict[str, Any]) -> None:
    """The entries go where the client reads hooks, beside those that are there; removing them leaves the rest."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(whole))
    assert _added() == [f"hooks: added to {path}"]
    assert _added() == [f"hooks: already in {path}"]
    assert sorted(one.name for one in folder.rglob("*.json")) == [path.name]
    events = json.loads(path.read_text())
    events = events.get("hooks", events)
    assert [len(events[event]) for event in ("Notification", "PostToolUse", "Stop")] == [1, 2, 1]
    assert Droid("droid").remove() == f"hooks: removed from {path}"
    assert json.loads(path.read_text()) == whole
    assert Droid("droid").remove() == f"hooks: {path} has none of holdfast"


def test_a_file_of_holdfast_alone_goes(folder: Path) -> None:
    """Nothing is left where nothing was."""
    (folder / "settings.json").write_text("{}")
    assert _added() == [f"hooks: added to {folder / 'hooks.json'}"]
    Droid("droid").remove()
    assert [path.name for path in folder.iterdir()] == ["settings.json"]


def test_entries_of_another_clone_or_version_are_replaced(folder: Path) -> None:
    """Each event has one entry of holdfast."""
    _added()
    path = folder / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 15', '"timeout": 1').replace("[ -x '", "[ -x '/elsewhere"))
    assert not Droid.is_ours()
    assert _added() == [f"hooks: added to {path}"]
    assert Droid.is_ours()
    assert "/elsewhere" not in path.read_text()


@pytest.mark.parametrize("text", ["[]", "{", '{"hooks": []}'])
def test_an_odd_file_is_left_alone(folder: Path, text: str) -> None:
    """The error names it."""
    path = folder / "hooks.json"
    path.write_text(text)
    with pytest.raises(HoldfastError, match=r"hooks\.json"):
        _added()
    assert path.read_text() == text
    assert Droid("droid").remove() == f"hooks: {path} has none of holdfast"


def test_a_failure_puts_back_what_was_there(folder: Path) -> None:
    """Whatever fails later, the file is as before."""
    for before in (json.dumps(OWN), ""):
        path = folder / "hooks.json"
        path.write_text(before) if before else path.unlink()
        with contextlib.ExitStack() as undo:
            Droid("droid").add("user", undo)
        assert (path.read_text() if path.exists() else "") == before
