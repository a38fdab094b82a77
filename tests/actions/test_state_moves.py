"""State files that are copied, renamed, deleted, replaced or half made: there is always one for each piece of work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks, places

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared = hooks.prepared
here = hooks.here


@pytest.fixture
def working(prepared: Project) -> Project:
    """Give a project in which session one has a state file that holdfast made, and that was committed."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="parse the invoices")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled()
    prepared.git("commit", "-qm", "state")
    return prepared


def listed(project: Project) -> list[dict[str, Any]]:
    """Give the rows of `holdfast list`."""
    rows = json.loads(project.cli("list", "--json").out)
    assert isinstance(rows, list)
    return rows


def worktree(project: Project) -> Path:
    """Make another worktree, which has a copy of every committed state file."""
    tree = project.folder / "tree"
    project.git("worktree", "add", "-q", str(tree))
    return tree


def test_a_worktrees_copy_is_no_second_piece_of_work(working: Project) -> None:
    """A session in another worktree learns of the first one once, however many copies were checked out."""
    tree = worktree(working)
    reported = working.fire("SessionStart", "two", cwd=str(tree)).context
    assert reported.count('- "parse the invoices"') == 1
    assert "no journal here" not in reported
    rows = json.loads(working.cli("list", "--json", cwd=tree).out)
    assert [row["id"] for row in rows if row["state_file"]] == ["one"]


def test_from_a_worktree_the_state_file_is_named_whole(working: Project) -> None:
    """Who is in another worktree is given the path of the file itself, and an edit of the copy changes no owner."""
    (path,) = working.state_files()
    tree = worktree(working)
    for reported in (
        working.fire("SessionStart", source="compact", cwd=str(tree)).context,
        working.fire("PreCompact", cwd=str(tree)).out,
    ):
        assert str(path) in reported
    working.edit(str(tree / ".agents/sessions" / path.name), cwd=str(tree))
    assert [fact["by"] for fact in working.facts(kind="state")] == ["settle"]


def test_list_follows_branch_and_worktree(working: Project) -> None:
    """The session is listed in Claude's working tree: after a checkout, in a worktree, and back."""
    working.git("checkout", "-qb", "feature")
    working.fire("Stop")
    assert listed(working)[0]["branch"] == "feature"
    tree = worktree(working)
    working.fire("SessionStart", source="compact", cwd=str(tree))
    assert (listed(working)[0]["worktree"], listed(working)[0]["branch"]) == (str(tree), "tree")
    working.fire("Stop", cwd=str(working.root))
    assert listed(working)[0]["worktree"] == str(working.root)


def test_a_deleted_state_file_is_the_end_of_it_and_work_begins_anew(working: Project) -> None:
    """Deleting is how completed work ends: nothing speaks of the file any more, and the next edit begins a next one."""
    (path,) = working.state_files()
    assert working.cli("finish", "done", CLAUDE_CODE_SESSION_ID="one").code == 0
    path.unlink()
    reported = working.fire("SessionStart", source="resume")
    assert path.name not in reported.out
    working.fire("Stop")
    working.settled()
    assert working.state_files() == []
    working.edit("b.py")
    working.settled()
    assert len(working.state_files()) == 1


def test_a_renamed_state_file_stays_the_sessions(working: Project) -> None:
    """A file that was renamed is known by the session that it names."""
    (path,) = working.state_files()
    renamed = path.rename(path.with_name("20991204-143000-better-name.md"))
    working.edit("b.py")
    working.fire("Stop")
    working.settled()
    assert working.state_files() == [renamed]
    assert "- `b.py`" in renamed.read_text()
    assert len(listed(working)) == 1


def test_a_settle_cut_off_after_making_the_file_makes_no_second_one(prepared: Project) -> None:
    """What was made and not yet journaled is found again, by the time work began and the session it names."""
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.settled()
    journal = prepared.store / "journal/one.jsonl"
    own = ("state", "blocks", "settled")
    kept = [line for line in journal.read_text().splitlines() if json.loads(line)["kind"] not in own]
    journal.write_text("\n".join(kept) + "\n")
    prepared.cli("settle")
    assert len(prepared.state_files()) == 1
    assert len(listed(prepared)) == 1


def test_two_pieces_of_work_of_one_session_are_both_listed(prepared: Project) -> None:
    """`holdfast start` a second time leaves the first piece of work where everybody sees it."""
    prepared.fire("SessionStart")
    for title in ("Work A", "Work B"):
        prepared.cli("start", title, CLAUDE_CODE_SESSION_ID="one")
    assert {row["title"] for row in listed(prepared)} == {"Work A", "Work B"}


@pytest.mark.parametrize("name", ["README.md", "TEMPLATE.md", "index.md"])
def test_what_explains_the_folder_is_no_session(prepared: Project, name: str) -> None:
    """A template in the folder of state files is neither listed nor taken for the session's own."""
    path = prepared.write_state(name)
    before = path.read_bytes()
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    assert path.read_bytes() == before
    assert [fact for fact in prepared.facts(kind="state") if fact["path"].endswith(name)] == []


def test_a_session_that_was_open_before_counts_as_live(prepared: Project) -> None:
    """A session whose start is not in the journal is live as long as facts come from it."""
    prepared.fire("UserPromptSubmit", prompt="parse the invoices")
    (row,) = listed(prepared)
    assert (row["live"], row["title"]) == (True, "parse the invoices")


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("/srv/invoices/app.py crashes", "/srv/invoices/app.py crashes"),
        ("<Button> does not render", "<Button> does not render"),
        ("/clear", "untitled"),
        ("<task-notification>x</task-notification>", "untitled"),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>\n[Image #1] align the button", "align the button"),
        ("[Pasted text #1 +20 lines] why is this slow", "why is this slow"),
        ("[Image #2]", "[Image #2]"),
        ("/interview I want to learn the piano, ask me first", "I want to learn the piano, ask me first"),
        ("/model opus", "untitled"),
    ],
)
def test_only_commands_and_machines_words_name_no_session(prepared: Project, prompt: str, title: str) -> None:
    """A path or a tag at the beginning of a prompt is what a person says."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt=prompt)
    rows = json.loads(prepared.cli("list", "--all", "--json").out)
    assert rows[0]["title"] == title


def test_a_project_that_was_moved_keeps_its_state_files(working: Project) -> None:
    """After the whole project got another place, its sessions' files are found there."""
    working.edit("b.py")
    moved = working.root.rename(working.folder / "elsewhere")
    working.cli("settle", cwd=moved)
    (path,) = (moved / ".agents/sessions").iterdir()
    assert "- `b.py`" in path.read_text()
    (row,) = json.loads(working.cli("list", "--json", cwd=moved).out)
    assert (row["id"], row["state_file"]) == ("one", f".agents/sessions/{path.name}")


@pytest.mark.parametrize(
    ("was", "became"),
    [
        (".agents/sessions/20251204-143000-parser.md", ".claude/sessions/20251204-143000-parser.md"),
        (".claude/sessions/20251204-143000-parser.md", ".claude/sessions/2025-12-04-1430-parser.md"),
        (".project/sessions/parser/STATE.md", ".project/sessions/lexer/STATE.md"),
        (".project/sessions/parser/STATE.md", ".planning/STATE.md"),
    ],
    ids=["to another place", "to another name", "with its folder", "with its name"],
)
def test_a_state_file_that_was_moved_is_found_among_the_known_places(prepared: Project, was: str, became: str) -> None:
    """A file that keeps its name or its place is known by the session that it names, wherever it went."""
    path = places.put(prepared, was, state="Session one does this.")
    prepared.edit(was)
    moved = prepared.root / became
    moved.parent.mkdir(parents=True, exist_ok=True)
    path.rename(moved)
    prepared.edit("a.py")
    prepared.cli("settle")
    assert [(fact["path"], fact["by"]) for fact in prepared.facts(kind="state")] == [(was, "edit"), (became, "rename")]
    assert "- `a.py`" in moved.read_text()


def test_a_file_elsewhere_that_names_the_session_is_not_its_own(working: Project) -> None:
    """After a state file was deleted, its text comes back and not another one that speaks of the session."""
    (path,) = working.state_files()
    other = places.put(working, ".planning/STATE.md", state="Session one did the lexer.")
    path.unlink()
    before = other.read_bytes()
    working.edit("b.py")
    working.fire("Stop")
    working.settled()
    assert [fact["by"] for fact in working.facts(kind="state")] == ["settle", "restore"]
    assert other.read_bytes() == before


def test_a_copy_in_a_worktree_is_no_second_piece_of_work_wherever_it_lies(here: Project) -> None:
    """In every place a file is known by its path in its working tree."""
    own = ".project/sessions/a/STATE.md"
    places.put(here, own)
    places.put(here, ".project/sessions/b/STATE.md", title="The lexer")
    here.edit(own)
    here.git("add", ".")
    here.git("commit", "-qm", "state")
    tree = worktree(here)
    rows = json.loads(here.cli("list", "--json", cwd=tree).out)
    assert {(row["id"], row["title"]) for row in rows} == {
        ("one", "The parser"),
        (".project/sessions/b/STATE", "The lexer"),
    }
    here.edit(str(tree / own), "two", cwd=str(tree))
    here.edit(str(tree / ".project/sessions/b/STATE.md"), "two", cwd=str(tree))
    assert [fact["path"] for fact in here.facts("two", "state")] == [own, ".project/sessions/b/STATE.md"]


def test_a_file_is_looked_for_by_its_path_where_its_name_is_not_its_own(here: Project) -> None:
    """Where every file of a place has one name, only the path tells what still refers to it."""
    places.put(here, ".project/sessions/a/STATE.md")
    (here.root / "other.md").write_text("See STATE.md\n")
    (here.root / "README.md").write_text("See .project/sessions/a/STATE.md\n")
    here.git("add", ".")
    here.edit(".project/sessions/a/STATE.md")
    here.fire("SessionEnd")
    here.settled()
    assert [fact["mentions"] for fact in here.facts(kind="measured")] == [["README.md"]]


def test_a_file_that_was_given_up_is_so_by_any_name_of_the_project(working: Project) -> None:
    """Seen through a link, and from another worktree, what a session left for a file of its own is no work of its."""
    own = places.put(working, ".agents/sessions/20991204-143000-own.md")
    working.edit(str(own))
    tree, link = worktree(working), working.folder / "link"
    link.symlink_to(working.root)
    for folder in (working.root, tree, link):
        rows = json.loads(working.cli("-C", str(folder), "list", "--json").out)
        assert [row["id"] for row in rows] == ["one"]
