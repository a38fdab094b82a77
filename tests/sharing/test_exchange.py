"""When sessions are sent, what of each is sent, and how the remote is reached."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.git import objects, remotes
from holdfast.project import background, paths
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import people, status
from holdfast.sharing.exchange import exchange
from holdfast.sharing.status import Sharing
from tests.benches.sharing_growth import simulated
from tests.support.machines import listed, now, worked
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hooks import Project
    from tests.support.machines import Machines

DAY = 86_400.0


@pytest.mark.parametrize(
    ("since_sent", "since_fetched", "ended", "due"),
    [
        (29, 19, False, (False, False)),
        (31, 19, False, (True, False)),
        (29, 21, False, (False, True)),
        (1, 1, True, (True, False)),
        (-5, -5, False, (True, True)),  # a clock that was set back
    ],
)
def test_when_it_is_due(since_sent: float, since_fetched: float, due: tuple[bool, bool], *, ended: bool) -> None:
    """It is sent at most every 30 seconds and at an end; it is fetched every 20."""
    sharing, at = Sharing("", "origin", "0" * 20, ""), 1e9
    sharing.sent, sharing.fetched = at - since_sent, at - since_fetched
    assert status.due(sharing, at, at_once=ended) == due


def test_what_a_command_changes_is_sent_although_nothing_is_live(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hook comes afterwards that would ask for it; a command that only reports asks for nothing."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax")
    ann.fire("SessionEnd", "one")
    assert ann.cli("settle").code == 0
    begun: list[object] = []
    monkeypatch.setattr(background, "keep_sharing", begun.append)
    for command, asks in (
        (["list", "--all"], False),
        (["status", "one"], False),
        (["sync", "one", "--json", '{"Next Steps": ["Ask Mara"]}'], True),
        (["pause", "one", "--note", "Ask Mara"], True),
        (["finish", "one", "done"], True),
    ):
        now(ann)
        status.take_request(str(ann.store))
        begun.clear()
        assert ann.cli(*command).code == 0, command
        assert bool(begun) is asks, command
        assert status.requested(str(ann.store)) == (status.AT_ONCE if asks else b""), command


@pytest.mark.parametrize("runs", [True, False])
def test_a_start_lets_one_process_exchange(machines: Machines, monkeypatch: pytest.MonkeyPatch, *, runs: bool) -> None:
    """A start begins no process where one is at it."""
    ann = machines.add("ann")
    begun: list[object] = []
    monkeypatch.setattr(background, "keep_sharing", begun.append)
    held = status.keeping(str(ann.store)) if runs else None
    ann.fire("SessionStart", "one")
    if held is not None:
        os.close(held)
    assert len(begun) == (not runs)


def _exchanged(one: Project, seconds: float) -> None:
    """Let the last exchange of a machine be so long ago."""
    path = one.store / "sharing/on"
    at = time.time() - seconds
    path.write_text(json.dumps({**json.loads(path.read_text()), "sent": at, "tried": at}))


def test_a_stop_sends_once_a_minute(machines: Machines) -> None:
    """The first Stop after a minute sends, another one right after it does not."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax")
    before = machines.git("for-each-ref")
    ann.fire("Stop", "one")
    ann.settled("one")
    assert machines.git("for-each-ref") == before
    _exchanged(ann, 61)
    ann.edit("b.py", "one")
    ann.fire("Stop", "one")
    ann.settled("one")
    assert machines.git("for-each-ref") != before


@pytest.mark.parametrize("live", [True, False])
def test_a_sign_of_life_is_only_sent_while_a_session_is_live(machines: Machines, *, live: bool) -> None:
    """Where nobody works, nothing is sent but what is new."""
    ann = machines.add("ann")
    worked(ann, "one", "Fix the tax")
    if not live:
        ann.fire("SessionEnd", "one", reason="other")
    now(ann)
    before = machines.git("for-each-ref")
    _exchanged(ann, 301)
    now(ann)
    assert (machines.git("for-each-ref") == before) is not live


def test_a_month_that_is_over_does_not_change(machines: Machines) -> None:
    """Its tree is that of the commit before, so a fetch brings only what is new."""
    ann = machines.add("ann")
    for ident, days in (("old", 40.0), ("new", 0.0)):
        edit = {"kind": "edit", "tool": "Edit", "path": "a.py"}
        start = {"kind": "start", "source": "startup", "root": str(ann.root)}
        ann.remember(ident, start, edit, {"kind": "end", "reason": "other"}, at=time.time() - days * DAY)
        now(ann)
    ref = ann.git("for-each-ref", "--format=%(refname)", "refs/holdfast").strip()
    trees = [
        {line.split("\t")[1]: line.split("\t")[0] for line in ann.git("ls-tree", commit).splitlines()}
        for commit in (f"{ref}^", ref)
    ]
    before, after = ({name: what for name, what in tree.items() if "machine" not in name} for tree in trees)
    assert len(before) == 1
    assert len(after) == 2
    assert before.items() <= after.items()


def test_all_that_list_shows_is_sent(machines: Machines) -> None:
    """Title, status, branch, commit, files, tasks, loops, children and times arrive with machine and person."""
    ann, bob = machines.add("ann"), machines.add("bob")
    worked(ann, "one", "Fix the tax")
    ann.fire("TaskCreated", "one", task_id="1", task_subject="Round halves")
    ann.fire("TaskCreated", "one", task_id="2", task_subject="Read rates")
    ann.fire("TaskCompleted", "one", task_id="2", task_subject="Read rates")
    ann.fire("SubagentStart", "one", agent_id="a1", agent_type="Explore")
    assert ann.cli("loop", "add", "Which halves", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert ann.cli("settle").code == 0
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    rows = json.loads((bob.store / "sharing/all").read_text())["rows"]
    (row,) = rows
    shown = listed(bob)["one"]
    assert (row["title"], row["status"], row["branch"]) == ("Fix the tax", "active", "main")
    assert (row["tasks"], row["unfinished"], row["loops"]) == ("1/2", ["Round halves"], ["Which halves"])
    assert row["children"] == ["Explore running"]
    assert [*row["files"]] == ["src/cart.py"]
    assert row["started"] <= row["heard"] <= time.time() + 1
    assert (shown["person"], shown["machine"]) == ("ann", row["machine"])
    assert shown["commit"] == ann.git("rev-parse", "HEAD").strip()


def test_nothing_asks_for_a_password(machines: Machines) -> None:
    """The programs that git starts to reach the remote must not ask, even if the user's own variables allow it."""
    ann = machines.add("ann", on=False)
    seen = machines.folder / "seen"
    program = machines.folder / "ssh"
    program.write_text(f"#!/bin/sh\nenv > {seen}\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with (ann.home / ".gitconfig").open("a") as file:
        file.write(f"[core]\nsshCommand = {program}\naskPass = /bin/false\n")
    ann.variables |= {"SSH_ASKPASS": "/bin/false", "GIT_ASKPASS": "/bin/false", "GIT_TERMINAL_PROMPT": "1"}
    ann.git("remote", "set-url", "origin", "ssh://nowhere.example/hub.git")
    ann.cli("share", "on")
    known = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    assert known["GIT_TERMINAL_PROMPT"] == "0"
    assert (known.get("GIT_ASKPASS"), known.get("SSH_ASKPASS")) == ("", "")
    assert known["SSH_ASKPASS_REQUIRE"] == "never"


def _resumed(pair: tuple[Project, Project]) -> str:
    ann, bob = pair
    now(ann)
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    done = bob.cli("resume", "one")
    assert done.code == 0, done
    return done.out


def _no_more(ann: Project, _: Project) -> None:
    """Push nothing."""


def _push(ann: Project, _: Project) -> None:
    ann.git("push", "-q", "--force", "origin", "HEAD")


def _push_later_commit(ann: Project, bob: Project) -> None:
    """Commit what the session left, as a person does, and push that."""
    ann.git("commit", "-q", "--allow-empty", "-m", "later")
    _push(ann, bob)


def _push_and_commit(ann: Project, bob: Project) -> None:
    _push(ann, bob)
    ann.git("commit", "-q", "--allow-empty", "-m", "only here")
    worked(ann, "one", "Fix the tax")


def _rewrite(ann: Project, bob: Project) -> None:
    """Push a branch again, with another history, after the other machine fetched it."""
    _push(ann, bob)
    bob.git("fetch", "-q", "origin")
    ann.git("commit", "-q", "--amend", "--allow-empty", "-m", "other words")
    _push(ann, bob)


@pytest.mark.parametrize(
    ("after", "printed", "same"),
    [
        (_no_more, "Branch fix/tax is not here: it was not pushed.\n", False),
        (_push, "Branch fix/tax is here. Go there: git switch fix/tax\n", True),
        (_push_later_commit, "Branch fix/tax is here. Go there: git switch fix/tax\n", True),
        (_push_and_commit, "Branch fix/tax is here, but not commit ", False),
        (_rewrite, "Branch fix/tax is here", True),
    ],
)
def test_the_branch_of_a_resumed_session(
    machines: Machines, after: Callable[[Project, Project], None], printed: str, *, same: bool
) -> None:
    """It is fetched as it is at the remote now; what is missing is reported, and the state file comes all the same."""
    ann, bob = machines.add("ann"), machines.add("bob")
    ann.git("switch", "-q", "-c", "fix/tax")
    ann.git("commit", "-q", "--allow-empty", "-m", "work")
    worked(ann, "one", "Fix the tax")
    after(ann, bob)
    assert printed in _resumed((ann, bob))
    assert "Fix the tax" in bob.state_files()[0].read_text()
    here = bob.git("for-each-ref", "--format=%(objectname)", "refs/remotes/origin/fix/tax")
    assert (here == ann.git("rev-parse", "HEAD")) is same


def test_a_fetch_of_one_ref_refuses_nothing(tmp_path: Path) -> None:
    """What git fetched is there, and nothing is reported."""
    remote, here = Repository.create(tmp_path / "there"), Repository.create(tmp_path / "here")
    remote.commit("one", {"a.txt": b"a\n"})
    remote.git("update-ref", "refs/holdfast/one", "HEAD")
    assert remotes.fetch(str(here.folder), str(remote.folder), ["refs/holdfast/one:refs/holdfast-remote/o/one"]) == ""
    assert here.git("rev-parse", "refs/holdfast-remote/o/one") == remote.git("rev-parse", "HEAD")


@pytest.mark.slow
def test_a_fetch_brings_only_what_is_new(tmp_path: Path) -> None:
    """With many machines, too: git looks for what both have among the refs that it fetches, and not among all."""
    remote, here, at = tmp_path / "hub.git", tmp_path / "here", time.time()
    for path, more in ((remote, ["--bare"]), (here, [])):
        subprocess.run(["git", "init", "-q", *more, path], check=True)
    subprocess.run(["git", "-C", here, "config", "fetch.unpackLimit", "1"], check=True)
    packed = []
    for days in (range(364), range(364, 365)):
        simulated(remote, 500, 5000, at, days)
        refs = [*remotes.listed(str(here), str(remote), "refs/holdfast/*")]
        found = [f"{ref}:{ref.replace('holdfast', 'holdfast-remote/o')}" for ref in refs]
        assert remotes.fetch(str(here), str(remote), found) == ""
        packed.append(_packed(here))
    assert packed[1] - packed[0] < packed[0] / 50


def _packed(folder: Path) -> int:
    """Return how many objects the packs of a repository have, those in several packs each time."""
    done = subprocess.run(["git", "-C", folder, "count-objects", "-v"], capture_output=True, text=True, check=True)
    return int(dict(line.split(": ") for line in done.stdout.splitlines())["in-pack"])


def test_a_new_id_is_kept_before_the_ref_of_the_old_one_goes(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error after that leaves the clone with the id under which its history goes on."""
    ann = machines.add("ann")
    now(ann)
    project = paths.locate(str(ann.root))
    sharing = status.load(project.store)
    assert sharing
    old = sharing.ref
    monkeypatch.setattr(exchange, "_publish", lambda *_: pytest.fail("the disk is full"))
    with pytest.raises(pytest.fail.Exception):
        exchange._split(Workspace(project), sharing, 1.0)  # noqa: SLF001 - two machines would have to meet
    kept = status.load(project.store)
    assert kept
    assert kept.ref != old
    assert [*objects.refs(project.root, status.OWN)] == [kept.ref]


@pytest.mark.parametrize("named", [True, False])
def test_a_user_whom_git_does_not_know_gets_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, named: bool
) -> None:
    """A commit needs one; who has a name keeps it."""
    for name in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_COMMITTER_{name}", raising=False)
    own = "name = ann\nemail = ann@example.org\n" if named else ""
    (tmp_path / "config").write_text(f"[user]\nuseConfigOnly = true\n{own}")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    words = people.options(str(Repository.create(tmp_path / "work", commit=False).folder))
    assert any(word.startswith("user.name=") for word in words) is not named
