"""Edited files: what becomes a session's own, what is left alone, and by which path each is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared


def test_a_state_file_that_is_edited_becomes_the_sessions_own(prepared: Project) -> None:
    """An edited state file is bound, stamped and staged, its modification time and all other bytes kept."""
    path = prepared.write_state()
    before, text = path.stat().st_mtime_ns, path.read_text()
    assert prepared.edit(str(path)) == (0, "", "")
    (fact,) = prepared.facts(kind="state")
    assert (fact["path"], fact["by"]) == (".agents/sessions/20251204-143000-parser.md", "edit")
    changed = path.read_text()
    stamped = changed.split("last_updated: ")[1][:22]
    assert changed == text.replace('last_updated: "2025-12-04T14:30:00Z"', f"last_updated: {stamped}") != text
    assert path.stat().st_mtime_ns == before
    assert prepared.staged() == [".agents/sessions/20251204-143000-parser.md"]


def test_a_file_of_an_unknown_shape_is_left_alone(prepared: Project) -> None:
    """A Markdown file beside the state files that is none is neither bound nor changed nor staged."""
    path = prepared.root / ".agents/sessions/notes.md"
    path.parent.mkdir()
    path.write_text("# Notes\nlast_updated: 2020-01-01\n")
    assert prepared.edit(str(path)) == (0, "", "")
    assert path.read_text() == "# Notes\nlast_updated: 2020-01-01\n"
    assert prepared.facts(kind="state") == []
    assert prepared.staged() == []
    assert prepared.log == []


def test_the_file_of_another_session_is_not_taken_over(prepared: Project) -> None:
    """A session that has a state file keeps it when it touches another session's; one without takes it up."""
    theirs, own = prepared.write_state("20251204-143000-theirs.md"), prepared.write_state("20251204-143001-own.md")
    prepared.edit(str(theirs), "theirs")
    prepared.edit(str(own), "one")
    prepared.edit(str(theirs), "one")
    prepared.edit(str(theirs), "third")
    named = [fact["path"].rpartition("-")[2] for fact in prepared.facts("one", "state")]
    assert named == ["own.md"]
    assert len(prepared.facts("third", "state")) == 1


def test_a_subagent_never_binds_nor_changes_its_parents_state_file(prepared: Project) -> None:
    """What happens inside a subagent is journaled as the child's; the parent's state file stays what it was."""
    own, other = prepared.write_state("20251204-143000-own.md"), prepared.write_state("20251204-143001-child.md")
    prepared.edit(str(own))
    text = own.read_bytes()
    bound = (prepared.store / "bound/one").read_bytes()
    prepared.edit(str(other), agent_id="a877", agent_type="general-purpose")
    prepared.edit("b.py", agent_id="a877", agent_type="general-purpose")
    assert (own.read_bytes(), (prepared.store / "bound/one").read_bytes()) == (text, bound)
    assert [fact.get("agent") for fact in prepared.facts(kind="state")] == [None, "a877"]
    assert prepared.fire("SessionStart", source="resume").context.count("own.md") > 0


def test_a_subagents_first_edit_makes_no_state_file(prepared: Project) -> None:
    """Only the session itself begins a piece of work."""
    prepared.fire("SessionStart")
    prepared.edit("a.txt", agent_id="a877", agent_type="general-purpose")
    assert not list(prepared.store.glob("bound/*"))
    assert prepared.facts(kind="settled") == []


def test_the_first_edit_makes_a_state_file_titled_from_the_prompt(prepared: Project) -> None:
    """In a prepared project a session that begins to work gets a state file, which is staged; later edits make none."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="parse the invoices")
    prepared.edit("a.txt")
    prepared.settled()
    prepared.edit("b.txt")
    (path,) = prepared.state_files()
    assert path.name.endswith("-parse-the-invoices.md")
    assert prepared.staged() == [f".agents/sessions/{path.name}"]
    assert "- `a.txt`" in path.read_text()


def _worktree(here: Project) -> tuple[Path, str, Path]:
    here.git("worktree", "add", "-q", str(here.folder / "tree"))
    return here.folder / "tree/sub/a.py", "sub/a.py", here.folder / "tree"


def _submodule(here: Project) -> tuple[Path, str, None]:
    here.git("init", "-q", str(here.folder / "library"))
    here.git("commit", "-q", "--allow-empty", "-m", "first", cwd=here.folder / "library")
    here.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(here.folder / "library"), "lib")
    return here.root / "lib/a.py", "lib/a.py", None


def _nested(here: Project) -> tuple[Path, str, None]:
    here.git("init", "-q", str(here.root / "inner"))
    return here.root / "inner/a.py", "inner/a.py", None


def _outside(here: Project) -> tuple[Path, str, None]:
    return here.home / "a.py", f"{here.home}/a.py", None


def _relative(here: Project) -> tuple[str, str, None]:
    (here.root / "sub").mkdir()
    return "sub/../sub/./a.py", "sub/a.py", None


def _link(here: Project) -> tuple[Path, str, None]:
    (here.folder / "link").symlink_to(here.root)
    return here.folder / "link/sub/a.py", "sub/a.py", None


@pytest.mark.parametrize("make", [_worktree, _submodule, _nested, _outside, _relative, _link])
def test_path_and_root_of_an_edit(here: Project, make: Any) -> None:
    """A file is known by its path in its working tree, and by the tree where that is another one."""
    path, expected, root = make(here)
    here.edit(str(path))
    (fact,) = here.facts(kind="edit")
    assert (fact["path"], fact.get("root")) == (expected, str(root) if root else None)


def test_a_project_reached_through_a_link_is_the_same_project(prepared: Project) -> None:
    """Started by another name of its folder, a session edits and holds the same files."""
    link = prepared.folder / "link"
    link.symlink_to(prepared.root)
    path = prepared.write_state()
    edited = prepared.payload("PostToolUse", cwd=str(link), tool_input={"file_path": str(path)})
    prepared.send("PostToolUse", json.dumps(edited).encode(), CLAUDE_PROJECT_DIR=str(link))
    assert prepared.facts(kind="edit")[0]["path"] == ".agents/sessions/20251204-143000-parser.md"
    listed = json.loads(prepared.cli("list", "--all", "--json").out)
    assert [row["id"] for row in listed] == ["one"]


def test_a_state_file_in_a_worktree_is_the_worktrees(prepared: Project) -> None:
    """A state file edited in another worktree of the project is stamped and staged there."""
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", str(tree))
    path = prepared.write_state(root=tree)
    prepared.edit(str(path))
    assert prepared.facts(kind="state")[0]["root"] == str(tree)
    assert prepared.staged(tree) == [".agents/sessions/20251204-143000-parser.md"]
    assert prepared.staged() == []


def test_a_state_file_that_was_given_up_is_nobodys_unfinished_work(prepared: Project) -> None:
    """A session that gets a file from holdfast, and then writes one of its own, is still one piece of work."""
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.settled()
    path = prepared.write_state("20991204-143000-own.md")
    prepared.edit(str(path))
    prepared.fire("Stop")
    prepared.settled()
    assert len(json.loads(prepared.cli("list", "--json").out)) == 1


def test_a_file_that_is_just_being_saved_is_settled_once_it_is(prepared: Project) -> None:
    """An editor that writes in place leaves nothing there for a moment: what a settle finds so, the next one does."""
    state = prepared.write_state()
    prepared.fire("SessionStart")
    prepared.edit(str(state))
    saved = state.read_bytes()
    state.write_bytes(b"")
    prepared.remember("one", {"kind": "edit", "tool": "Edit", "path": "src/parser.py"})
    assert prepared.cli("settle").code == 0
    assert state.read_bytes() == b""
    state.write_bytes(saved)
    prepared.cli("settle")
    assert state.read_bytes().count(b"- `src/parser.py`\n") == 1
    assert prepared.git("show", f":{state.relative_to(prepared.root)}").encode() == state.read_bytes()
