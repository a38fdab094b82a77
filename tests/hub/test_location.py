"""Where the hub is: in git's folder unless somebody wants it in the tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks, hubs
from tests.support.updates import update

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
BEGIN = ("action=started", "agent=git", "session_id=git-1", "purpose=Make the issues")


@pytest.fixture(autouse=True)
def _as_it_comes(prepared: Project, monkeypatch: pytest.MonkeyPatch, _hub_in_the_tree: None) -> None:
    """Leave the place of the hub to holdfast."""
    monkeypatch.delenv("HOLDFAST_HUB")
    del prepared.variables["HOLDFAST_HUB"]


def _status(project: Project) -> list[str]:
    return project.git("status", "--porcelain", "--untracked-files=all").splitlines()


def test_the_hub_is_not_in_the_tree_and_all_commands_know_it(prepared: Project) -> None:
    """Updates, `hub`, `tree`, `validate` and `doctor` work on the hub in the store; the tree stays."""
    before = _status(prepared)
    assert update(prepared, *BEGIN)["updated_files"] == ["SESSION-STATE.md"]
    assert _status(prepared) == before
    printed = prepared.cli("hub")
    assert (printed.code, printed.out.rstrip("\n")) == (0, hubs.kept(prepared).read_text().rstrip("\n"))
    row = json.loads(prepared.cli("hub", "--json").out)
    name = ".git/holdfast/private/.agents/SESSION-STATE.md"
    assert (row["path"], row["tracked"], row["entries"][0]["Purpose"]) == (name, False, "Make the issues")
    assert "git-1" in prepared.cli("tree", "--json").out
    assert prepared.cli("validate").out.startswith(f"✓ {name} is valid")
    assert f"✓ hub: {hubs.kept(prepared)}\n" in prepared.cli("doctor").out


@pytest.mark.parametrize("wanted", ["folder", "hub", "setting", "variable"])
def test_the_hub_is_in_the_tree_where_somebody_wants_it(prepared: Project, wanted: str) -> None:
    """What the hub in the store said by then goes along, and that file goes."""
    update(prepared, *BEGIN)
    path = prepared.root / ".agents/SESSION-STATE.md"
    if wanted == "folder":
        path = prepared.root / ".genie/SESSION-STATE.md"
        path.parent.mkdir()
    elif wanted == "hub":
        hubs.write(prepared, hubs.HEAD + hubs.person("abc123"))
    elif wanted == "setting":
        (prepared.root / ".agents/holdfast.toml").write_text('hub = "tracked"\n')
    else:
        prepared.variables["HOLDFAST_HUB"] = "tracked"
    update(prepared, "action=started", "agent=tests", "session_id=tests-1", "purpose=Test them")
    text = path.read_text()
    assert ("git-1" in text, "tests-1" in text, "abc123" in text) == (True, True, wanted == "hub")
    assert not hubs.kept(prepared).exists()
    assert f"A  {path.relative_to(prepared.root)}" in _status(prepared)
    assert prepared.cli("validate").code == 0


def test_worktrees_share_the_hub(prepared: Project) -> None:
    """A session in a linked worktree has its entry in the one hub, and neither tree changes."""
    there = prepared.folder / "there"
    prepared.git("worktree", "add", "-q", str(there))
    update(prepared, *BEGIN, cwd=there)
    assert "git-1" in hubs.kept(prepared).read_text()
    assert "git-1" in prepared.cli("tree", "--json", cwd=there).out
    assert not (there / ".agents").exists()
