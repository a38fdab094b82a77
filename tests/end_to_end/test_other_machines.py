"""The real client on two machines that share a remote: work goes from one to the other, a conflict is reported."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Hold, text, text_of, tool
from tests.client.fixtures import git
from tests.client.steps import command, listed, new, write
from tests.support.plugin import settled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)
CART = "src/cart.py"


@pytest.fixture
def two(ready: Claude, tmp_path: Path) -> tuple[Claude, Claude]:
    """Give two machines of two people who share their sessions, the second of whom trusts the first."""
    if not shutil.which("ssh-keygen"):
        pytest.skip("there is no ssh-keygen: apt install openssh-client")
    (ready.project / "src").mkdir()
    (ready.project / CART).write_text("x = 0\n")
    git(ready.project, "add", ".")
    git(ready.project, "commit", "--quiet", "--message", "Share")
    remote = tmp_path / "hub.git"
    subprocess.run(["git", "clone", "-q", "--bare", ready.project, remote], check=True)
    git(ready.project, "remote", "add", "origin", str(remote))
    git(ready.project, "switch", "-q", "-c", "fix/tax")
    clone = tmp_path / "elsewhere/project"
    subprocess.run(["git", "clone", "-q", remote, clone], check=True)
    data = tmp_path / "elsewhere/data"
    shutil.copytree(ready.extra["HOLDFAST_DATA"], data, symlinks=True)
    other = replace(
        ready, project=clone, home=tmp_path / "elsewhere/home", extra={**ready.extra, "HOLDFAST_DATA": str(data)}
    )
    for one, name in ((ready, "mara"), (other, "bob")):
        key = one.home / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        (one.home / ".gitconfig").write_text(
            f"[user]\nname = {name}\nemail = {name}@example.org\nsigningkey = {key}.pub\n[gpg]\nformat = ssh\n"
        )
        one.extra |= {"GIT_AUTHOR_NAME": name, "GIT_CONFIG_GLOBAL": str(one.home / ".gitconfig")}
        command(one, "init")
        command(one, "share", "on")
    command(other, "share", "now")
    command(other, "trust", "--person", "mara", "--yes")
    command(other, "trust", "--yes")
    return ready, other


def test_a_conflict_is_reported_on_the_other_machine_before_the_edit(two: tuple[Claude, Claude], api: Api) -> None:
    """Who changed the file, on which branch, and that its commit is not there; the edit is made."""
    mara, bob = two
    first, hold = new(), Hold()
    read = tool("Read", file_path=str(mara.project / CART))
    api.script([read], [write(mara, CART)], [hold, text("Fixed.")], marker="FIRST: fix the tax")
    process = mara.start("FIRST: fix the tax", session_id=first)
    try:
        assert hold.reached.wait(60)
        git(mara.project, "commit", "--quiet", "--all", "--message", "Fix")
        command(mara, "share", "now")
        command(bob, "share", "now")
        read = tool("Read", file_path=str(bob.project / CART))
        edit = tool("Edit", file_path=str(bob.project / CART), old_string="x = 0", new_string="x = 2")
        api.script([read], [edit], [text("Summed up.")], marker="SECOND: sum up")
        done = bob.run("SECOND: sum up", session_id=new())
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    assert done.returncode == 0, done.stderr
    start, before, after = (text_of(request) for request in api.main_requests("SECOND: sum up"))
    assert "Sessions on other machines" in start
    warned = f"holdfast: {CART} was changed just now by mara's session on "
    assert warned not in before
    assert warned in after
    assert "branch fix/tax, commit not here yet." in after
    assert (bob.project / CART).read_text() == "x = 2\n"


def test_work_is_handed_over_and_resumed_on_the_other_machine(two: tuple[Claude, Claude], api: Api) -> None:
    """The brief there has the hand-over, and the first machine has the work in one place: where it goes on."""
    mara, bob = two
    first, second = new(), new()
    api.script([write(mara, "src/tax.py")], [text("The rates are read; rounding is next.")])
    mara.run("Fix the tax", session_id=first)
    settled(mara.project, first)
    git(mara.project, "add", ".")
    git(mara.project, "commit", "--quiet", "--message", "Read the rates")
    git(mara.project, "push", "-q", "origin", "fix/tax")
    command(mara, "pause", first, "--note", "Ask the accountant about halves")
    command(mara, "share", "now")
    command(bob, "share", "now")
    assert listed(bob)[first]["person"] == "mara"
    assert "Branch fix/tax is here. Go there: git switch fix/tax" in command(bob, "resume", first)
    assert git(bob.project, "show", "origin/fix/tax:src/tax.py") == "x = 1\n"
    api.script([text("Rounding it is.")])
    assert bob.run("Go on", session_id=second).returncode == 0
    assert "Ask the accountant about halves" in text_of(api.main_requests()[-1])
    command(bob, "share", "now")
    command(mara, "share", "now")
    command(mara, "trust", "--person", "bob", "--yes")
    known = command(mara, "brief")
    assert f'- "Fix the tax" ({second[:8]}, bob on ' in known
    assert "Rounding it is." in known
    assert "Paused, to be continued" not in known
    assert "Whether to resume" not in known
    assert [*listed(mara)] == [second]
