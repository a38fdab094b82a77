"""Work that goes on at another machine and comes back, and what commands say of sessions that run elsewhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.machines import listed, now, worked

if TYPE_CHECKING:
    from tests.support.hooks import Project
    from tests.support.machines import Machines


@pytest.fixture
def home(machines: Machines) -> tuple[Project, Project]:
    """Give the laptop and the desk of one person, and work that began on the laptop."""
    laptop, desk = (machines.add(name, sign=False, on=False) for name in ("laptop", "desk"))
    for one in (laptop, desk):
        machines.sign(one, "ann")
        assert one.cli("share", "on").code == 0
    worked(laptop, "one", "Fix the tax")
    laptop.fire("Stop", "one", last_assistant_message="the rates are read")
    assert laptop.cli("sync", "one", "--json", json.dumps({"Next Steps": ["Read the rates"]})).code == 0
    laptop.fire("SessionEnd", "one")
    assert laptop.cli("settle").code == 0
    now(laptop)
    now(desk)
    return laptop, desk


def _works(one: Project, session: str, following: str) -> None:
    """Let a session of a machine go on with its state file, and end."""
    one.fire("SessionStart", session)
    one.edit(f"src/{session}.py", session)
    steps = json.dumps({"Next Steps": [following]})
    assert one.cli("sync", "--json", steps, CLAUDE_CODE_SESSION_ID=session).code == 0
    one.fire("Stop", session, last_assistant_message=f"halves are rounded in {session}")
    one.fire("SessionEnd", session)
    assert one.cli("settle").code == 0


def _rows(one: Project) -> list[str]:
    """Return the ids of the rows of `list` with the work, and of `resume`."""
    return [ident for ident, row in listed(one).items() if row["title"] == "Fix the tax"]


def test_coming_home_brings_the_work_back(machines: Machines, home: tuple[Project, Project]) -> None:
    """Laptop, desk, laptop: state file, list and brief have what the desk added; each machine has one row of it."""
    laptop, desk = home
    third = machines.add("third", sign=False, on=False)
    machines.sign(third, "ann")
    assert third.cli("share", "on").code == 0
    done = desk.cli("resume", "one")
    assert done.code == 0, done
    assert "git switch main" not in done.out
    now(laptop)  # the claim was sent with `resume`
    assert "is continued by ann on desk" in laptop.cli("brief").out
    now(third)
    assert [len(_rows(one)) for one in (desk, laptop, third)] == [1, 1, 1]
    assert listed(laptop)["one"]["where"] == "continued by ann on desk"
    assert "ann on desk" in third.cli("list").out
    _works(desk, "two", "Round the halves")
    (file,) = desk.state_files()
    assert "Round the halves" in file.read_text()
    for one in (desk, laptop, third):
        now(one)
    assert [_rows(one) for one in (desk, laptop, third)] == [["two"], ["two"], ["two"]]
    assert [listed(one)["two"]["host"] for one in (laptop, third)] == ["desk", "desk"]
    assert "Round the halves" in laptop.cli("brief").out
    done = laptop.cli("resume", "one")
    assert done.code == 0, done
    assert "ann on desk continued it" in done.out
    (file,) = laptop.state_files()
    assert "Round the halves" in file.read_text()
    assert "Read the rates" in file.read_text()
    assert "halves are rounded in two" in laptop.fire("SessionStart", "new").context
    for one in (desk, third):
        now(one)
    assert [_rows(one) for one in (laptop, desk, third)] == [["one"], ["one"], ["one"]]
    assert [listed(one)["one"]["host"] for one in (desk, third)] == ["laptop", "laptop"]
    assert third.cli("resume", "one").code == 0
    for one in (laptop, desk):  # before a session of the third has anything to share
        now(one)
        assert len(_rows(one)) == 1
        assert "ann on third" in one.cli("list").out
    _works(laptop, "three", "Ask Mara")


def test_it_goes_to_and_fro(home: tuple[Project, Project]) -> None:
    """Each side has what the other added, however often it changes."""
    laptop, desk = home
    assert desk.cli("resume", "one").code == 0
    _works(desk, "two", "Round the halves")
    now(desk)
    assert laptop.cli("resume", "one").code == 0
    steps = json.dumps({"Next Steps": ["Ask Mara"]})
    assert laptop.cli("sync", "one", "--json", steps, CLAUDE_CODE_SESSION_ID="one").code == 0
    now(laptop)
    assert desk.cli("resume", "one").code == 0
    (file,) = desk.state_files()
    for text in ("Ask Mara", "Round the halves"):
        assert text in file.read_text()


def test_what_both_changed_is_kept(home: tuple[Project, Project]) -> None:
    """The file here stays, and what the other machine wrote is beside it."""
    laptop, desk = home
    assert desk.cli("resume", "one").code == 0
    _works(desk, "two", "Round the halves")
    (file,) = desk.state_files()
    file.write_text(file.read_text().replace("Read the rates", "Read the rates of 2027"))
    now(desk)
    (own,) = laptop.state_files()
    own.write_text(own.read_text().replace("Read the rates", "Read the old rates"))
    done = laptop.cli("resume", "one")
    assert "was changed here, too" in done.out
    assert "Read the old rates" in own.read_text()
    assert any("rates of 2027" in path.read_text() for path in laptop.state_files())


def test_a_new_session_is_given_the_state_that_was_resumed(home: tuple[Project, Project]) -> None:
    """The first one that starts; the next one is not."""
    _, desk = home
    assert desk.cli("resume", "one").code == 0
    first = desk.fire("SessionStart", "two").context
    assert "This session's state file" in first
    assert "Read the rates" in first
    assert "This session's state file" not in desk.fire("SessionStart", "three").context


@pytest.mark.parametrize("kept", [False, True])
def test_paused_work_that_went_on_comes_back_as_it_is_now(home: tuple[Project, Project], *, kept: bool) -> None:
    """The session that took it up used the hand-over, without a command; it waits for one that did nothing."""
    laptop, desk = home
    assert laptop.cli("pause", "one", "--note", "Mara answers on Monday").code == 0
    now(laptop)
    done = desk.cli("resume", "one")  # what was sent meanwhile is fetched by it
    assert "laptop: paused" in done.out
    assert "Mara answers on Monday" in desk.fire("SessionStart", "two").context
    if not kept:
        desk.fire("UserPromptSubmit", "two", prompt="Go on")
        _works(desk, "two", "Round the halves")
        assert listed(desk)["two"]["status"] == "active"
    desk.fire("SessionEnd", "two")
    assert desk.cli("settle").code == 0
    now(desk)
    assert laptop.cli("resume", "one").code == 0
    context = laptop.fire("SessionStart", "three").context
    assert ("Mara answers on Monday" in context) is kept
    assert kept or "Round the halves" in context


READING = (
    (["status", "one"], ["Fix the tax", "the rates are read", "Read the rates", "holdfast resume one"]),
    (["status", "one", "--json"], ["Fix the tax", "the rates are read", "Read the rates"]),
    (["show", "one"], ["# ", "Read the rates"]),
    (["show", "one", "--section", "Next Steps", "--json"], ["Read the rates"]),
    (["brief", "one"], ["Fix the tax", "the rates are read"]),
    (["continue", "one"], ["Read the rates", "holdfast resume one"]),
    (["log", "--session", "one"], ["start", "src/cart.py"]),
    (["log", "one"], ["start", "src/cart.py"]),
)


def test_ids_of_the_list_work_everywhere(home: tuple[Project, Project]) -> None:
    """Also of sessions of other machines; none of these takes the session over."""
    laptop, desk = home
    for command, parts in READING:
        done = desk.cli(*command)
        assert done.code == 0, (command, done)
        assert [part for part in parts if part not in done.out] == [], command
        assert desk.state_files() == [], command
    now(desk)
    now(laptop)
    assert "continued by" not in laptop.cli("brief").out


def test_a_brief_says_where_a_trusted_session_stopped(home: tuple[Project, Project]) -> None:
    """With what is next, decisions and open questions, as of a session here."""
    laptop, desk = home
    (file,) = laptop.state_files()
    sections = {"Decisions Made": ["Round half to even"]}
    assert laptop.cli("sync", "one", "--json", json.dumps(sections)).code == 0, file.read_text()
    assert laptop.cli("loop", "add", "Which halves", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert laptop.cli("settle").code == 0
    now(laptop)
    now(desk)
    brief = desk.fire("SessionStart", "two").context
    for part in ("the rates are read", "Next: Read the rates", "Round half to even", "Which halves"):
        assert part in brief, part


def test_a_hand_over_comes_back(home: tuple[Project, Project]) -> None:
    """Paused on the desk, the work has its hand-over on the laptop; the one that the desk used is gone there."""
    laptop, desk = home
    assert laptop.cli("pause", "one", "--note", "Mara answers on Monday").code == 0
    now(laptop)
    now(desk)
    assert desk.cli("resume", "one").code == 0
    assert "Mara answers on Monday" in (desk.store / "private/.continue-here.md").read_text()
    assert desk.cli("continue").code == 0
    _works(desk, "two", "Round the halves")
    assert desk.cli("pause", "two", "--note", "The bank answers on Friday").code == 0
    now(desk)
    done = laptop.cli("resume", "one")
    assert done.code == 0, done
    (text,) = [path.read_text() for path in (laptop.store / "private").glob(".continue-here*.md")]
    assert "The bank answers on Friday" in text
    assert "Mara answers on Monday" not in text
