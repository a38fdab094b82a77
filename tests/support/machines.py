"""Several machines that share one remote: each has a home, a clone and a plugin of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import crafted
from tests.support.hooks import Project, Reply

if TYPE_CHECKING:
    from pathlib import Path


class Machines:
    """A bare repository, and the machines that have it as `origin`."""

    def __init__(self, folder: Path, plugin: Path, packages: Path, *, processes: bool = False) -> None:
        self.folder, self._plugin, self.packages, self._processes = folder, plugin, packages, processes
        self.remote = folder / "hub.git"
        self.ssh = ""  # the command that git starts for ssh, "" for its own
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.remote], check=True)

    def add(self, name: str, *, on: bool = True, sign: bool = True, init: bool = True, user: str = "") -> Project:
        """Add a machine whose user, by default one of its name, signs with a key of their own unless `sign` is off."""
        place = self.folder / name
        place.mkdir()
        one = Project(place, self._plugin, self.packages, processes=self._processes)
        one.git("remote", "add", "origin", str(self.remote))
        if sign:
            self.sign(one, user or name)
        if init:
            assert one.cli("init", "--shared").code == 0
        if on:
            done = one.cli("share", "on")
            assert (done.code, done.err) == (0, ""), done
        return one

    def sign(self, one: Project, name: str) -> None:
        """Give the user of a machine the key of this name, which is made if there is none.

        Where nothing can make keys, the test is skipped; `.ci/run` installs what can.
        """
        if not shutil.which("ssh-keygen"):
            pytest.skip("there is no ssh-keygen: apt install openssh-client")
        key = self.folder / f"key-{name}"
        if not key.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key], check=True)
        ssh = f"[core]\nsshCommand = {self.ssh}\n" if self.ssh else ""
        (one.home / ".gitconfig").write_text(
            f"[user]\nname = {name}\nemail = {name}@example.org\nsigningkey = {key}.pub\n[gpg]\nformat = ssh\n{ssh}"
        )
        known = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": f"{name}@example.org"}
        one.variables |= {**known, "GIT_CONFIG_GLOBAL": str(one.home / ".gitconfig")}

    def sealed(self, one: Project, tree: dict[str, Any], key: str, *, machine: str = crafted.MACHINE) -> None:
        """Push a folder to the ref of a machine, signed for the project of a clone by the user with this key."""
        root = one.git("rev-list", "--max-parents=0", "HEAD").strip()
        path = self.folder / f"key-{key}"
        if not path.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        crafted.push(self.remote, crafted.sealed(self.remote, tree, path, root), machine=machine)

    def git(self, *arguments: str) -> str:
        """Run git in the remote."""
        command = ["git", "-C", str(self.remote), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def worked(one: Project, session: str, title: str, path: str = "src/cart.py") -> None:
    """Let a session of a machine begin, say what it works on, and change a file."""
    file = one.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("two\n")
    one.fire("SessionStart", session)
    one.fire("UserPromptSubmit", session, prompt=title)
    one.edit(path, session)
    assert one.cli("settle").code == 0


def now(one: Project) -> Reply:
    """Send and fetch at once."""
    done = one.cli("share", "now")
    assert (done.code, done.err) == (0, ""), done
    return done


def listed(one: Project, *more: str) -> dict[str, dict[str, Any]]:
    """Return the rows of `list --json`, by id."""
    done = one.cli("list", "--all", "--json", *more)
    assert (done.code, done.err) == (0, ""), done
    return {row["id"]: row for row in json.loads(done.out)}
