"""Sessions of other machines in `list`, `brief`, `resume` and `conflicts`, and what a take-over does."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.actions import take_over
from holdfast.overview.board import Board
from holdfast.project import paths
from holdfast.sharing import rows
from tests.support.machines import listed, now, worked

if TYPE_CHECKING:
    from tests.support.hooks import Project
    from tests.support.machines import Machines


@pytest.mark.parametrize(
    ("live", "ended", "silent", "word"),
    [
        (True, False, 0, "live"),
        (True, False, 90, "live"),
        (True, False, 91, "not running"),
        (False, False, 0, "not running"),
        (True, True, 0, "not running"),
    ],
)
def test_presence(live: bool, ended: bool, silent: int, word: str) -> None:  # noqa: FBT001 - the columns of a table
    """A session counts as live up to the end of its lease, which is 60 seconds here, beside 30 of its own clock."""
    row: Any = {"live": live, "ended": ended, "contact": 1000.0, "lag": 30.0}
    assert rows.presence(row, 1000.0 + silent - 30, 90) == word


@pytest.fixture
def pair(machines: Machines) -> tuple[Project, Project]:
    """Give a machine that works on a branch which was pushed, and another one that trusts its person."""
    ann, bob = machines.add("ann"), machines.add("bob")
    ann.git("push", "-q", "origin", "main")
    ann.git("switch", "-q", "-c", "fix/tax")
    worked(ann, "one", "Fix the tax")
    ann.git("commit", "-q", "--allow-empty", "-m", "more")
    ann.edit("src/cart.py", "one")
    assert ann.cli("settle").code == 0
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    return ann, bob


def test_it_is_seen_everywhere(pair: tuple[Project, Project]) -> None:
    """With person and machine, by people, programs and Claude."""
    _, bob = pair
    for command in ("list", "resume"):
        assert "ann on " in bob.cli(command).out, command
        assert "ann on " in bob.cli(command, HOLDFAST_SCREEN="100x24").out, command
    board = Board(paths.locate(str(bob.root)))
    (row,) = board.read()
    assert (row.ident, row.group, row.process) == ("one", "on other machines", "live")
    shown = f"{row}{board.details(row.key)}{board.resumption(row.key)}"
    for part in (
        "Fix the tax (ann on ",
        "'Where', 'ann on ",
        "'Branch', 'fix/tax'",
        "src/cart.py",
        "holdfast resume one",
    ):
        assert part in shown, part
    assert board.find("cart.py") == {row.key}
    assert [row["command"] for row in json.loads(bob.cli("resume", "--json").out)] == ["holdfast resume one"]
    brief = bob.fire("SessionStart", "two").context
    assert "Sessions on other machines" in brief
    assert '"Fix the tax" (one, ann on ' in brief
    assert "src/cart.py" in brief
    assert "Fix the tax" in bob.cli("brief").out


def test_a_file_that_changes_elsewhere_is_a_conflict(pair: tuple[Project, Project]) -> None:
    """With the branch, and whether its commit is here."""
    ann, bob = pair
    (line,) = bob.cli("conflicts", HOLDFAST_SCREEN="200x24").out.splitlines()
    assert line.startswith("src/cart.py was changed just now by ann's session on ")
    assert line.endswith("branch fix/tax, commit not here yet")
    assert bob.cli("conflicts").out.split("\t")[0] == "src/cart.py"
    assert json.loads(bob.cli("conflicts", "--json").out)[0]["changes"][0]["session"] == "one"
    ann.fire("SessionEnd", "one")
    assert ann.cli("finish", "one", "done").code == 0
    now(ann)
    now(bob)
    assert bob.cli("conflicts").out == ""


def test_an_edit_of_it_is_warned_about_once(pair: tuple[Project, Project]) -> None:
    """Before the edit, to Claude and the user, from what the last fetch noted; and again after a later change there."""
    ann, bob = pair

    def reported(session: str = "two") -> str:
        return bob.fire("PreToolUse", session, tool_input={"file_path": "src/cart.py"}).out

    bob.fire("SessionStart", "two")
    first = bob.fire("PreToolUse", "two", tool_input={"file_path": "src/cart.py"})
    assert "src/cart.py was changed just now by ann's session on " in first.context
    assert '"Fix the tax", branch fix/tax, commit not here yet.' in first.context
    assert first.message.startswith("cart.py changes elsewhere, too: ann on ")
    assert reported() == ""
    assert bob.fire("PreToolUse", "two", tool_input={"file_path": "src/other.py"}).out == ""
    now(bob)
    assert reported() == ""
    ann.remember("one", {"kind": "edit", "tool": "Edit", "path": "src/cart.py"}, at=time.time() + 2)
    now(ann)
    now(bob)
    assert "ann's session on" in reported()
    assert "ann's session on" in reported("three")


@pytest.mark.parametrize("case", ["off", "a stranger", "no longer live", "done", "sharing is off"])
def test_no_warning(pair: tuple[Project, Project], case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the setting says so, for text that is not trusted, without contact, and once the work is completed."""
    ann, bob = pair
    later = time.time() + 3600 * (case == "no longer live")
    if case == "off":
        (bob.root / ".agents/holdfast.toml").write_text('conflicts = "off"\n')
    elif case == "a stranger":
        assert bob.cli("trust", "--person", "ann", "--revoke").code == 0
    elif case == "done":
        ann.fire("SessionEnd", "one")
        assert ann.cli("finish", "one", "done").code == 0
        now(ann)
        now(bob)
    elif case == "sharing is off":
        assert bob.cli("share", "off").code == 0
        assert '"there"' not in "".join(file.read_text() for file in (bob.store / "touched").glob("*"))
    bob.fire("SessionStart", "two")
    monkeypatch.setattr(time, "time", lambda: later)
    assert bob.fire("PreToolUse", "two", tool_input={"file_path": "src/cart.py"}).out == ""


def test_ask_asks_about_a_change_elsewhere(pair: tuple[Project, Project]) -> None:
    """With "ask" the user is asked; "deny" only warns, because the change is in another clone."""
    _, bob = pair
    for value, answer in (("ask", "ask"), ("deny", None)):
        (bob.root / ".agents/holdfast.toml").write_text(f'conflicts = "{value}"\n')
        reply = bob.fire("PreToolUse", value, tool_input={"file_path": "src/cart.py"})
        assert reply.json["hookSpecificOutput"].get("permissionDecision") == answer
        assert "ann's session on " in reply.out


def test_it_continues_here(pair: tuple[Project, Project]) -> None:
    """Its state file and branch come, what is not committed there is reported, and its own machine learns of it."""
    ann, bob = pair
    assert ann.cli("pause", "one", "--note", "Mara answers on Monday").code == 0
    ann.git("push", "-q", "origin", "fix/tax")
    now(ann)
    now(bob)
    commit = ann.git("rev-parse", "HEAD").strip()
    done = bob.cli("resume", "one")
    assert done.code == 0, done
    assert "Branch fix/tax is here. Go there: git switch fix/tax" in done.out
    assert "Not committed there, so not here: src/cart.py" in done.out
    assert bob.git("rev-parse", "origin/fix/tax").strip() == commit
    assert bob.git("branch", "--show-current").strip() == "main"
    (file,) = bob.state_files()
    assert "Fix the tax" in file.read_text()
    assert "Mara answers on Monday" in (bob.store / "private/.continue-here.md").read_text()
    assert "Mara answers on Monday" in bob.fire("SessionStart", "two").context
    again = bob.cli("resume", "Fix the tax")
    assert again.code == 0
    now(bob)
    now(ann)
    assert "is continued by" not in ann.cli("brief").out  # anybody could say so
    assert ann.cli("trust", "--person", "bob", "--yes").code == 0
    assert "is continued by bob on " in ann.fire("SessionStart", "three").context


def test_a_file_of_the_same_name_stays(pair: tuple[Project, Project]) -> None:
    """And the answer says so."""
    ann, bob = pair
    now(ann)
    now(bob)
    (there,) = ann.state_files()
    file = bob.root / ".agents/sessions" / there.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Mine\n")
    done = bob.cli("resume", "one")
    assert f"{there.name} is here already, and stays as it is." in done.out, done
    assert file.read_text() == "# Mine\n"


def test_the_text_of_a_stranger_does_not_continue_here(pair: tuple[Project, Project]) -> None:
    """Until they are trusted; and no more once they are not."""
    _, bob = pair
    assert bob.cli("trust", "--person", "ann", "--revoke").code == 0
    done = bob.cli("resume", "one")
    assert done.code == 1
    assert "holdfast trust --person" in done.err
    assert bob.state_files() == []
    assert "Fix the tax" not in bob.fire("SessionStart", "two").context
    assert "1 session of people who are not trusted here" in bob.cli("brief").out


def test_people_are_listed_and_trusted_by_their_key(machines: Machines) -> None:
    """A person decides, not Claude; who is meant must be clear."""
    ann, bob = machines.add("ann"), machines.add("bob")
    assert "nothing signed" not in bob.cli("trust", "--person").out
    now(bob)
    ((name, email, key, trusted),) = [line.split("\t") for line in bob.cli("trust", "--person").out.splitlines()]
    assert (name, email, trusted) == ("ann", "ann@example.org", "no")
    assert bob.cli("trust", "--person", "ann").code == 1
    assert bob.cli("trust", "--person", "ann", "--yes", CLAUDECODE="1").code == 1
    assert bob.cli("trust", "--person", "nobody", "--yes").code == 1
    assert bob.cli("trust", "--person", key, "--yes", "--json").code == 0
    assert json.loads(bob.cli("trust", "--person", "--json").out)[0]["trusted"] is True
    assert json.loads((bob.store / "sharing/people").read_text())[key]["key"].startswith("ssh-ed25519 ")
    assert ann.cli("trust", "--person").code == 0


def test_trusted_settings_do_not_come_along(pair: tuple[Project, Project]) -> None:
    """A person is trusted for state, not for settings and not for files in the tree."""
    ann, bob = pair
    (ann.root / ".agents/holdfast.toml").write_text('conflicts = "deny"\n')
    now(ann)
    now(bob)
    assert (bob.root / ".agents/holdfast.toml").read_text() != 'conflicts = "deny"\n'
    assert listed(bob)["one"]["trusted"] is True


@pytest.mark.parametrize("ahead", [0, *(pytest.param(ahead, marks=pytest.mark.slow) for ahead in (300, -300))])
def test_a_session_is_taken_back(machines: Machines, ahead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who resumed it last has it, whatever the clocks show: the other machine learns of it, and is not named any more.

    A third machine sees where it is.
    """
    ann, bob, cleo = (machines.add(name) for name in ("ann", "bob", "cleo"))
    worked(ann, "one", "Fix the tax")
    ann.fire("SessionEnd", "one")
    for one, others in ((bob, ["ann"]), (ann, ["bob"]), (cleo, ["ann", "bob"])):
        now(ann)
        now(bob)
        now(cleo)
        for other in others:
            assert one.cli("trust", "--person", other, "--yes").code == 0

    def resumed(one: Project, shift: int) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(take_over, "time", SimpleNamespace(time=lambda: time.time() + shift))
            done = one.cli("resume", "one")
        assert done.code == 0, done
        now(one)
        return done.out

    for _ in range(2):
        resumed(bob, ahead)
        now(ann)
        now(cleo)
        assert "is continued by bob on bob." in ann.cli("brief").out
        assert listed(cleo)["one"]["taken"] == "bob on bob"
        assert '"Fix the tax" (one, continued by bob on bob, ' in cleo.cli("brief").out
        assert "bob on bob continued it; from now on it is continued here again." in resumed(ann, 0)
        now(cleo)
        assert "is continued by" not in ann.cli("brief").out
        assert listed(cleo)["one"]["taken"] == ""
        assert '"Fix the tax" (one, ann on ann, ' in cleo.cli("brief").out
        now(bob)
    assert "continued it" not in ann.cli("resume", "one").out


@pytest.mark.slow
def test_two_machines_that_take_a_session_at_once_agree(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both claim it in the same second without knowing of each other: one of them has it, for all three."""
    clones = ann, bob, cleo = [machines.add(name) for name in ("ann", "bob", "cleo")]
    worked(ann, "one", "Fix the tax")
    for one in clones:
        now(one)
    for one in (ann, *clones):
        for other in {"ann", "bob", "cleo"} - {one.folder.name}:
            one.cli("trust", "--person", other, "--yes")
        now(one)
    monkeypatch.setattr(take_over, "time", SimpleNamespace(time=lambda: 1_900_000_000.0))
    for one in (bob, cleo):
        assert one.cli("resume", "one").code == 0
    for one in (*clones, *clones):
        now(one)
    winner = "bob" if "is continued by bob on bob." in ann.cli("brief").out else "cleo"
    for one in (bob, cleo):  # the work is one row: of the own state file, or of the machine where it goes on
        ((ident, row),) = listed(one).items()
        is_winner = one.folder.name == winner
        assert (ident == "one", row.get("taken")) == (not is_winner, None if is_winner else f"{winner} on {winner}")
    assert f"is continued by {winner} on {winner}." in ann.cli("brief").out


def test_a_screen_shows_tasks_and_whom_the_user_trusts(machines: Machines) -> None:
    """How many tasks of a session elsewhere are done; each person with the key, and whether they are trusted."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    ann.fire("TaskCreated", "one", task_id="1", task_subject="Read the rates")
    assert ann.cli("settle").code == 0
    now(ann)
    now(bob)
    assert "ann <ann@example.org>, not trusted: SHA256:" in bob.cli("trust", "--person", HOLDFAST_SCREEN="200x24").out
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    assert "ann <ann@example.org>, trusted: SHA256:" in bob.cli("trust", "--person", HOLDFAST_SCREEN="200x24").out
    assert "  0/1  " in bob.cli("list", HOLDFAST_SCREEN="200x24").out


def test_a_project_that_is_not_prepared_takes_nothing_over(machines: Machines) -> None:
    """The command says what to type; no state file is written."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    (bob.root / ".agents/holdfast.toml").unlink()
    reply = bob.cli("resume", "one")
    assert (reply.code, "is not prepared. Type: holdfast init" in reply.err) == (1, True), reply
    assert not bob.state_files()
