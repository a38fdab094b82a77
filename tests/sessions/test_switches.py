"""Another branch is checked out under a session: each session in that working tree is warned once, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sessions.test_conflicts import OWN, THEIRS, Actor, actor
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

NOW = "this working tree is on branch fix/tax now, and was on main."


@pytest.fixture
def both(prepared: Project) -> tuple[Actor, Actor]:
    """Return two live sessions in the main working tree, on the branch main."""
    prepared.git("branch", "fix/tax")
    return actor(prepared, OWN), actor(prepared, THEIRS)


def prompted(one: Actor) -> str:
    """Return what Claude reads with a prompt, "" for nothing."""
    reply = one.fire("UserPromptSubmit", prompt="go on")
    return reply.context if reply.out else ""


def test_both_sessions_learn_it_once_before_an_edit_or_with_a_prompt(both: tuple[Actor, Actor]) -> None:
    """The one that switched, and the one under which it did; each names the other."""
    own, other = both
    assert own.reported() == ""
    other.project.git("switch", "-q", "fix/tax")
    first = own.about_to_change()
    assert NOW in first.context
    assert f'Also at work in it: "parse the invoices" ({THEIRS[:8]}).' in first.context
    assert first.message == "branch fix/tax now, was main"
    second = prompted(other)
    assert NOW in second
    assert f"({OWN[:8]})" in second
    assert (own.reported(), prompted(own), other.reported(), prompted(other)) == ("", "", "", "")
    other.project.git("switch", "-q", "main")
    assert "on branch main now, and was on fix/tax" in prompted(own)


@pytest.mark.parametrize("name", ["feed", "feedfacefeed-2", "decaf-decaf1"])
def test_a_branch_may_be_named_as_a_commit_begins(prepared: Project, name: str) -> None:
    """Only twelve hexadecimal digits are a detached commit."""
    prepared.git("switch", "-q", "-c", "cafe")
    prepared.git("branch", name)
    own, _ = actor(prepared, OWN), actor(prepared, THEIRS)
    prepared.git("switch", "-q", name)
    assert f"on branch {name} now, and was on cafe" in own.reported()


def test_a_conflict_and_a_switch_are_reported_together(both: tuple[Actor, Actor]) -> None:
    """Neither takes the place of the other."""
    own, other = both
    other.changes("a.py")
    other.project.git("switch", "-q", "fix/tax")
    text = own.reported("a.py")
    assert NOW in text
    assert "a.py was changed" in text


@pytest.mark.parametrize("case", ["alone", "other tree", "off", "subagent", "between commits", "resumed"])
def test_it_is_not_reported(prepared: Project, case: str) -> None:
    """A session that is alone in its tree switched by itself; one that starts knows nothing else."""
    prepared.git("branch", "fix/tax")
    if case == "off":
        (prepared.root / ".agents/holdfast.toml").write_text('conflicts = "off"\n')
        prepared.accept()
    own = actor(prepared, OWN)
    if case == "other tree":
        prepared.git("worktree", "add", "-q", "-b", "topic", "../topic")
        actor(prepared, THEIRS, prepared.root.parent / "topic")
    elif case != "alone":
        actor(prepared, THEIRS)
    if case == "between commits":
        prepared.git("switch", "-q", "--detach")
        own.about_to_change()
        prepared.git("commit", "-q", "--allow-empty", "-m", "x")
    else:
        prepared.git("switch", "-q", "fix/tax")
    if case == "resumed":
        own.fire("SessionStart", source="resume")
    assert (own.child("a1") if case == "subagent" else own).reported() == ""


def test_a_session_that_ended_is_not_named(both: tuple[Actor, Actor]) -> None:
    """Nothing is left of it, either."""
    own, other = both
    other.fire("SessionEnd")
    other.project.git("switch", "-q", "fix/tax")
    assert own.reported() == ""
    assert [one.name for one in (own.project.store / "checkouts").iterdir()] == [OWN]
