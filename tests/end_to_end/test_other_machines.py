"""The real client on two machines that share a remote: work goes from one to the other, a conflict is reported."""

from __future__ import annotations

import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Hold, text, text_of, tool
from tests.client.fixtures import git
from tests.client.models import custom, say
from tests.client.steps import command, listed, new, write
from tests.support.plugin import settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.client.models import Models
    from tests.client.others import Other

pytestmark = pytest.mark.timeout(240)
CART, TOTALS = "src/cart.py", "src/totals.py"
PATCH = """\
*** Begin Patch
*** Update File: src/cart.py
@@
-x = {}
+x = 2
*** Add File: src/{}.py
+y = 1
*** End Patch
"""


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
    commit = tool("Bash", command="git commit --quiet --all --message Fix")
    api.script([read], [write(mara, CART)], [commit], [hold, text("Fixed.")], marker="FIRST: fix the tax")
    process = mara.start("FIRST: fix the tax", session_id=first)
    try:
        assert hold.reached.wait(60)
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


@pytest.fixture
def day(two: tuple[Claude, Claude], other: Callable[[str], Other]) -> tuple[Claude, Other]:
    """Give Claude Code on mara's machine and Codex on bob's; each trusts the other."""
    mara, bob = two
    codex = other("codex")
    codex.project = bob.project
    (codex.home / codex.SETTINGS).write_text(codex.settings())
    codex.extra |= {name: bob.extra[name] for name in ("HOLDFAST_DATA", "GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL")}
    codex.install()
    command(codex, "trust", "--yes")
    command(codex, "share", "now")
    command(mara, "share", "now")
    command(mara, "trust", "--person", "bob", "--yes")
    return mara, codex


@pytest.mark.nightly
def test_two_clients_work_on_two_machines(day: tuple[Claude, Other], api: Api, models: Models) -> None:
    """Warned both ways, handed over and brought home, by what runs in the background and by `resume` alone."""
    mara, bob = day
    first, hold = new(), Hold()
    (mara.project / TOTALS).write_text("y = 1\n")
    read = tool("Read", file_path=str(mara.project / TOTALS))
    edit = tool("Edit", file_path=str(mara.project / TOTALS), old_string="y = 1", new_string="y = 2")
    answer = text("Fixed. Next: round the halves")
    api.script([write(mara, CART)], [hold, read], [edit], [answer], marker="FIRST: fix")
    process = mara.start("FIRST: fix the tax", session_id=first)
    try:
        assert hold.reached.wait(60)
        patch = custom("apply_patch", PATCH.format(0, "totals"))
        models.script([bob.shell("sleep 20")], [patch], [bob.shell("sleep 60")], [say("Summed up.")])
        with ThreadPoolExecutor(1) as beside:
            done = beside.submit(bob.run, "Sum up the totals")
            _until(lambda: any(TOTALS in row["files_touched"] for row in listed(mara).values()))
            hold.release.set()
            process.communicate(timeout=60)
            assert done.result().returncode == 0
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    for name, person, read_by in (
        (CART, "mara", "".join(models.requests)),
        (TOTALS, "bob", text_of(api.main_requests("FIRST: fix")[-1])),
    ):
        assert f"{name} was changed" in read_by
        assert f"by {person}'s session on " in read_by

    settled(mara.project, first)
    command(mara, "pause", first, "--note", "Ask the accountant about halves")
    _until(lambda: _is_at_the_remote(mara, "Ask the accountant about halves"))
    assert "paused, last active" in command(bob, "resume", first)
    asked = len(models.requests)
    models.script([custom("apply_patch", PATCH.format(2, "halves"))], [say("Rounded. Next: test the halves")])
    bob.run("Go on")
    assert "Ask the accountant about halves" in models.requests[asked]
    _until(lambda: _is_at_the_remote(mara, "- test the halves"))
    assert "has what was added there" in command(mara, "resume", first)
    api.script([text("Hello.")], marker="HOME")
    mara.run("HOME: go on", session_id=new())
    assert "test the halves" in text_of(api.main_requests("HOME")[-1])

    command(bob, "share", "forget", "--yes")
    assert len(_refs(mara)) == 1
    command(mara, "share", "now")
    assert not any("bob" in str(row) for row in listed(mara).values())


def _refs(client: Claude) -> list[str]:
    """Return what the remote of a clone has of each machine."""
    return git(client.project, "ls-remote", "origin", "refs/holdfast/*").splitlines()


def _is_at_the_remote(client: Claude, words: str) -> bool:
    """Whether a machine has sent these words."""
    names = [line.split()[0] for line in _refs(client)]
    remote = git(client.project, "remote", "get-url", "origin").strip()
    return subprocess.run(["git", "-C", remote, "grep", "-q", "-e", words, *names], check=False).returncode == 0


def _until(met: Callable[[], bool]) -> None:
    """Wait until the processes in the background have brought something about."""
    end = time.monotonic() + 90
    while not met():
        assert time.monotonic() < end
        time.sleep(1)
