"""What holdfast writes into one file from another: words of an untrusted file make no other file trusted."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.project import paths
from holdfast.trust import kept_texts
from holdfast.trust.ledger import TrustCheck
from tests.actions import test_accept
from tests.actions.test_accept import HUB, NAME, WORD, claim, pulled
from tests.support import hooks, hubs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

here, prepared, clone = hooks.here, hooks.prepared, test_accept.clone
HUB_NAME = ".agents/SESSION-STATE.md"


def trusted_with(project: Project, word: str) -> set[str]:
    """Return the files in the tree and in the store's folder for state files that are trusted and contain a word."""
    found = [
        f"{folder}/{name}"
        for root in (project.root, project.store / "private", project.store / "continued")
        for folder, folders, names in os.walk(root)
        for name in names
        if ".git" not in Path(folder).relative_to(root).parts and word in Path(folder, name).read_text(errors="replace")
    ]
    return {*found} - TrustCheck(Cache(str(project.store))).untrusted(found)


def _trust(project: Project, *names: str) -> None:
    for name in names:
        assert project.cli("trust", name, "--yes").code == 0


def _without(project: Project, *names: str) -> None:
    for name in names:
        project.git("rm", "-q", "--", name)
    project.git("commit", "-qm", "without")


def _hub_of_a_session(project: Project) -> None:
    """Let a settle write the hub entry of a session whose state file a pull has changed."""
    _without(project, HUB_NAME)
    claim(project)
    project.edit("a.txt")
    project.fire("Stop")
    project.settled()
    project.fire("SessionEnd")
    project.settled()
    assert "one" in (project.store / "private" / HUB_NAME).read_text()


def _update_of_a_session(project: Project) -> None:
    """Let an update of the hub give the title of the session's state file on."""
    _without(project, HUB_NAME)
    claim(project)
    project.cli("update", "action=in_progress", "session_id=one", "context=x:y")
    project.cli("update", "action=started", "agent=git", "session_id=two", "parent_session=one", "purpose=Go on")


def _archived_history(project: Project) -> None:
    """Move entries from the history of an untrusted hub to the archive."""
    one = hubs.person("1111", f"{WORD} entry", Status="completed")
    entries = "".join(one.replace("1111", f"{number}111") for number in range(9))
    (project.folder / "there" / HUB_NAME).write_text(hubs.HEAD + "## Session History (Recent)\n\n" + entries)
    pulled(project)
    (project.root / "SESSION-HISTORY.md").unlink(missing_ok=True)
    assert project.cli("archive", "--keep", "2").code == 0
    assert WORD in (project.root / ".agents/SESSION-HISTORY.md").read_text()


def _hand_over(project: Project) -> None:
    assert project.cli("pause", NAME).code == 0


def _hand_over_again(project: Project) -> None:
    """Write the hand-over of an accepted text again after a pull."""
    _trust(project, NAME)
    (project.root / NAME).write_text((project.root / NAME).read_text().replace(WORD, "mine"))
    _trust(project, NAME)
    assert project.cli("pause", NAME).code == 0
    project.git("checkout", "-qf", "HEAD", "--", NAME)
    pulled(project, state=f"{WORD} again")
    assert project.cli("pause", NAME).code == 0
    assert f"{WORD} again" in (project.root / ".continue-here.md").read_text()


def _restored(project: Project) -> None:
    """Restore a snapshot of an untrusted text after the file is gone."""
    claim(project)
    project.fire("PreCompact")
    (project.root / NAME).unlink()
    (name, *_) = [row["name"] for row in json.loads(project.cli("snapshots", "--json").out)]
    assert project.cli("restore", name).code == 0


def _restored_over_own(project: Project) -> None:
    claim(project)
    project.fire("PreCompact")
    (project.root / NAME).write_text((project.root / NAME).read_text().replace(WORD, "mine"))
    _trust(project, NAME)
    (name, *_) = [row["name"] for row in json.loads(project.cli("snapshots", "--json").out)]
    assert project.cli("restore", name).code == 0
    assert WORD in (project.root / NAME).read_text()


def _made_private(project: Project) -> None:
    assert project.cli("init", "--private").code == 0


def _made_shared(project: Project) -> None:
    """Move a text that a person saved in the private folder to the tree."""
    assert project.cli("init", "--private").code == 0
    own = project.store / "private" / NAME
    own.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(project.root / NAME, own)
    assert project.cli("init", "--shared").code == 0
    assert WORD in (project.root / NAME).read_text()


def _hub_in_the_store(project: Project) -> None:
    """Unite the hub in the store and a stranger's in the tree."""
    _without(project, HUB_NAME)
    project.fire("SessionStart")
    project.edit("a.txt")
    project.fire("SessionEnd")
    project.settled()
    (project.root / HUB_NAME).write_text(HUB)
    project.cli("update", "action=started", "agent=git", "session_id=two", "purpose=Go on")


def _loop(project: Project) -> None:
    assert project.cli("loop", "add", "Which rate?").code == 0
    project.cli("loop", "close", "1")


def _loop_of_a_stranger(project: Project) -> None:
    """Explore and close a stranger's loop, of which the own state file, with its six sections, gets an entry."""
    (project.root / NAME).unlink()
    project.write_state(state="Mine", following="Mine", task="mine", title="Mine")
    _trust(project, NAME)
    assert project.cli("memory").code == 0
    assert project.cli("loop", "explore", "1").code == 0
    assert project.cli("loop", "close", "1", "--outcome", "Mine").code == 0
    assert "Exploring LOOP-001" in (project.root / NAME).read_text()


def _started_again(project: Project) -> None:
    claim(project)
    project.cli("finish", "one")
    project.cli("resume", "one")
    project.cli("sync", "--convo-id", "one", "--json", '{"Status": "paused", "Current State": "Mine"}')


@pytest.mark.parametrize("there", ["the same text", "another text", "no file"])
def test_claudes_own_shell_shows_no_snapshot_of_an_untrusted_text(clone: Project, there: str) -> None:
    """Neither the text nor a difference to it is shown; a person's terminal shows both."""
    claim(clone)
    clone.fire("PreCompact")
    path = clone.root / NAME
    if there == "another text":
        path.write_text(path.read_text().replace(WORD, "mine"))
        _trust(clone, NAME)
    elif there == "no file":
        path.unlink()
    (name, *_) = [row["name"] for row in json.loads(clone.cli("snapshots", "--json").out)]
    commands = (("snapshots", name, "--state"), ("restore", name, "--dry-run"), ("restore", name))
    replies = [clone.cli(*command, CLAUDECODE="1") for command in commands]
    assert [reply.code for reply in replies] == [1, 1, 1]
    assert WORD not in "".join(reply.out + reply.err for reply in replies)
    assert WORD in clone.cli("snapshots", name, "--state").out


def test_claude_restores_a_file_that_its_shell_spoiled(prepared: Project) -> None:
    """The text in the snapshot is trusted; the present one is not, so that no difference to it is shown."""
    path = prepared.write_state()
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.fire("PreCompact")
    before = path.read_bytes()
    (name, *_) = [row["name"] for row in json.loads(prepared.cli("snapshots", "--json").out)]
    prepared.accepts = False
    path.write_text(f"{WORD}\n")
    reply = prepared.cli("restore", name, CLAUDECODE="1")
    assert (reply.code, reply.err) == (0, "")
    assert reply.out.startswith("The present text may come from elsewhere and is not shown here.\nRestored ")
    assert WORD not in reply.out
    assert path.read_bytes() == before


CASES = (
    *(_hub_of_a_session, _update_of_a_session, _archived_history, _hand_over, _hand_over_again, _restored),
    *(_restored_over_own, _made_private, _made_shared, _hub_in_the_store, _loop, _loop_of_a_stranger),
    _started_again,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__.strip("_"))
def test_words_of_an_untrusted_file_are_trusted_nowhere(clone: Project, case: Callable[[Project], None]) -> None:
    """Whatever holdfast copies, composes or moves: no file with the stranger's words is trusted afterwards."""
    case(clone)
    assert trusted_with(clone, WORD) == set()
    for session in ("one", "three"):
        assert WORD not in clone.fire("SessionStart", session).out
    for command in (("list", "--all"), ("tree",), ("brief", "--all"), ("status",), ("log",)):
        assert WORD not in clone.cli(*command, CLAUDECODE="1").out, command


@pytest.mark.parametrize(("claude", "accepted", "hidden"), [(1, 1, 0), (1, 0, 1), (0, 1, 0), (0, 0, 0)])
def test_a_person_is_shown_any_text(
    clone: Project, monkeypatch: pytest.MonkeyPatch, *, claude: int, accepted: int, hidden: int
) -> None:
    """Claude gets only what was accepted."""
    if accepted:
        _trust(clone, NAME)
    if claude:
        monkeypatch.setenv("CLAUDECODE", "1")
    assert kept_texts.is_redacted(paths.locate(str(clone.root)), str(clone.root / NAME)) is bool(hidden)
