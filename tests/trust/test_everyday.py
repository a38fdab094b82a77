"""What an ordinary user sees: the words of their own sessions come back, those of an editor after a commit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.project import paths
from holdfast.trust import ledger
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here = hooks.here
SAID = "not accepted here: 1 file (holdfast trust)"


@pytest.fixture(params=["a new project", "a clone"])
def project(here: Project, request: pytest.FixtureRequest) -> Project:
    """Give a prepared project in which nobody accepts anything."""
    here.accepts = False
    if request.param == "a clone":
        here.git("clone", "-q", "--bare", ".", str(here.folder / "upstream.git"))
        shutil.rmtree(here.root)
        here.git("clone", "-q", str(here.folder / "upstream.git"), str(here.root), cwd=here.folder)
    assert here.cli("init").code == 0
    return here


def _untrusted(project: Project) -> set[str]:
    known = [*map(str, project.state_files()), f"{project.root}/{paths.SETTINGS}"]
    return ledger.TrustCheck(Cache(str(project.store))).untrusted(known)


def _session(project: Project, tool: str) -> Path:
    """Let a session change code and write its state file with a tool of its own, and end."""
    project.fire("SessionStart")
    project.edit("lexer.py")
    project.settled()
    (path,) = project.state_files()
    if tool == "Write":
        path.unlink()
        project.write_state(path.name, title="The parser", state="The lexer is done.")
    else:
        path.write_text(path.read_text().replace("## Current State\n", "## Current State\n\nThe lexer is done.\n"))
    project.edit(str(path), tool=tool)
    project.fire("Stop")
    project.settled()
    project.fire("SessionEnd")
    project.settled()
    return path


@pytest.mark.parametrize("tool", ["Edit", "Write"])
def test_the_words_of_an_own_session_come_back(project: Project, tool: str) -> None:
    """Nothing has to be typed, neither before a commit nor after it, a push and the next branch."""
    path = _session(project, tool)
    assert "The lexer is done." in path.read_text()
    for after in ((), ("add", "-A"), ("commit", "-qm", "state"), ("switch", "-qc", "topic")):
        project.git(*after or ("status",))
        assert _untrusted(project) == set()
        reply = project.fire("SessionStart", f"after-{after[-1] if after else ''}")
        assert "holdfast trust" not in reply.out
    reported = project.cli("brief", "--all", CLAUDECODE="1").out
    assert path.name in reported
    assert "The lexer is done." in project.cli("status", "one", CLAUDECODE="1").out


def test_what_is_saved_in_an_editor_counts_after_a_commit(project: Project) -> None:
    """Until then the start says what to type."""
    path = _session(project, "Edit")
    project.git("add", "-A")
    project.git("commit", "-qm", "state")
    path.write_text(path.read_text().replace("The lexer is done.", "By hand."))
    reply = project.fire("SessionStart", "two")
    assert SAID in reply.message
    assert "By hand." not in reply.out
    assert path.name in project.cli("trust").out
    project.git("commit", "-qam", "by hand")
    assert "holdfast trust" not in project.fire("SessionStart", "three").out
    assert _untrusted(project) == set()


def test_settings_of_an_editor_name_what_to_type(project: Project) -> None:
    """They count once they are committed; the line fits the terminal."""
    (project.root / paths.SETTINGS).write_text('conflicts = "deny"\n')
    assert f"holdfast trust {paths.SETTINGS}" in project.fire("SessionStart").message
    project.git("add", paths.SETTINGS)
    project.git("commit", "-qm", "settings")
    assert "holdfast trust" not in project.fire("SessionStart", "two").message
