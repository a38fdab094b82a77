"""What a repository that attacks is made of: spies that tell when they are run, and a secret that lies outside."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import Repository

HOOKS = (
    *("pre-commit", "post-commit", "post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"),
    *("pre-auto-gc", "post-rewrite", "applypatch-msg", "update", "sendemail-validate"),
)
# Options whose value is a command line that some git command runs.
COMMANDS = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
    *("core.alternateRefsCommand", "credential.helper", "sequence.editor", "interactive.diffFilter"),
    *("gpg.program", "gpg.ssh.program", "gpg.x509.program", "diff.external", "diff.spied.command"),
    *("diff.spied.textconv", "filter.spied.clean", "filter.spied.smudge", "filter.other.process"),
    *("merge.spied.driver", "pager.status", "pager.diff", "pager.log", "pager.config", "browser.spied.cmd"),
    *("uploadpack.packObjectsHook", "remote.origin.uploadpack", "remote.origin.receivepack", "trailer.spied.command"),
)
# git's own commands, which an alias must not stand in for.
ALIASED = ("add", "status", "diff", "log", "grep", "ls-files", "ls-tree", "hash-object", "update-ref", "config")
SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----"


class Spies:
    """Programs that leave a file with their name when they are run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ran_folder = folder / "spies", folder / "ran"
        self.folder.mkdir(parents=True)
        self.ran_folder.mkdir()

    def program(self, name: str, then: str = "cat") -> str:
        """Return a program; what it is given it gives back, as a filter would, unless it does something else then."""
        path = self.folder / name.replace("/", "-")
        path.write_text(f"#!/bin/sh\n: > {shlex.quote(str(self.ran_folder))}/{shlex.quote(path.name)}\n{then}\n")
        path.chmod(0o755)
        return str(path)

    @property
    def ran(self) -> list[str]:
        """The names of those that were run."""
        return sorted(path.name for path in self.ran_folder.iterdir())

    def forget(self) -> None:
        """Begin anew."""
        for path in self.ran_folder.iterdir():
            path.unlink()

    def arm(self, repository: Repository) -> None:
        """Make a repository name a spy wherever it can name a program."""
        self.hook(repository)
        self.configure(repository)
        # Included files count as the repository's own.
        included = repository.folder / ".git/included"
        included.write_text(f'[filter "included"]\n\tclean = {self.program("filter.included.clean")}\n\trequired\n')
        repository.git("config", "include.path", "included")
        repository.git("config", "log.showSignature", "true")
        attributes = "*.txt filter=spied diff=spied\n*.bin filter=other diff=spied\n*.inc filter=included\n"
        (repository.folder / ".git/info").mkdir(exist_ok=True)
        (repository.folder / ".git/info/attributes").write_text(attributes)

    def hook(self, repository: Repository) -> None:
        """Give a repository every hook, at both places."""
        folder = self.folder / "hooks"
        for place in (folder, repository.folder / ".git/hooks"):
            place.mkdir(parents=True, exist_ok=True)
            for name in HOOKS:
                shutil.copy(self.program(f"hook-{name}"), place / name)
        repository.git("config", "core.hooksPath", str(folder))

    def configure(self, repository: Repository) -> None:
        """Set every option that names a program."""
        for name in COMMANDS:
            repository.git("config", name, self.program(name))
        for name in ALIASED:
            repository.git("config", f"alias.{name}", f"!{self.program(f'alias.{name}')}")
        repository.git("config", "filter.spied.required", "true")


def signed(repository: Repository) -> None:
    """Put a commit on top that claims to be signed, as nobody but gpg can tell."""
    head = os.fsdecode(repository.git("cat-file", "commit", "HEAD"))
    tree = head.split("\n", 1)[0]
    parent = f"parent {os.fsdecode(repository.git('rev-parse', 'HEAD')).strip()}"
    who = next(line for line in head.split("\n") if line.startswith("committer "))
    text = f"{tree}\n{parent}\nauthor {who.removeprefix('committer ')}\n{who}\ngpgsig {SIGNATURE}\n\nsigned\n"
    path = repository.folder / ".git/signed"
    path.write_text(text)
    made = os.fsdecode(repository.git("hash-object", "-t", "commit", "-w", str(path))).strip()
    repository.git("update-ref", "HEAD", made)


def missing(repository: Repository, name: str, url: str) -> None:
    """Make a repository lack a file's blob, as a partial clone does that has yet to fetch it from `url`."""
    blob = os.fsdecode(repository.git("rev-parse", f"HEAD:{name}")).strip()
    (repository.folder / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": url,
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }
    for key, value in settings.items():
        repository.git("config", key, value)
