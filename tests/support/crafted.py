"""Refs of a machine that nobody should trust, made object by object, as git's own commands would refuse to."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = "feedfeedfeedfeedfeed"
MONTH = time.strftime("%Y-%m", time.gmtime())


class Odd(NamedTuple):
    """An entry with a mode of the test's choice; `content` is what it leads to, or the name of an object."""

    mode: str
    content: Any = b"x\n"
    name: str = ""


class Pairs(NamedTuple):
    """A folder whose entries may have one name twice, or be in no order."""

    entries: list[tuple[str, Any]]


def about(machine: str = MACHINE, **more: Any) -> bytes:
    """Return a machine.json."""
    row = {"format": 2, "machine": machine, "host": "host-x", "sequence": 1, "at": int(time.time()), "taken": {}}
    return json.dumps({**row, **more}).encode()


def summary(**more: Any) -> bytes:
    """Return the summary of a session."""
    row = {"title": "Crafted", "status": "active", "state": ".agents/sessions/x.md", "branch": "main", "live": True}
    return json.dumps({**row, "heard": int(time.time()), "started": int(time.time()), **more}).encode()


def stored(remote: Path, kind: str, data: bytes) -> str:
    """Write a loose object of any content, and return its name."""
    whole = f"{kind} {len(data)}\0".encode() + data
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = remote / "objects" / name[:2] / name[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(whole))
    return name


def entry(remote: Path, content: Any, known: dict[int, tuple[str, str]] | None = None) -> tuple[str, str]:
    """Write what an entry of a folder leads to, and return its mode and the name of its object.

    A folder that occurs again is written once; `known` has those.
    """
    known = {} if known is None else known
    if id(content) not in known:
        known[id(content)] = _entry(remote, content, known)
    return known[id(content)]


def _entry(remote: Path, content: Any, known: dict[int, tuple[str, str]]) -> tuple[str, str]:
    if isinstance(content, Odd):
        return content.mode, content.name or entry(remote, content.content, known)[1]
    if isinstance(content, bytes):
        return "100644", stored(remote, "blob", content)
    rows = content.entries if isinstance(content, Pairs) else sorted(content.items())
    found = [(name, *entry(remote, inner, known)) for name, inner in rows]
    data = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(blob) for name, mode, blob in found)
    return "40000", stored(remote, "tree", data)


def push(remote: Path, tree: Any, *, machine: str = MACHINE, head: str = "") -> str:
    """Write a commit with this folder to the ref of a machine in the remote; `head` goes into the commit's head."""
    who = f"Ann <ann@example.org> {int(time.time())} +0000"
    data = f"tree {entry(remote, tree)[1]}\nauthor {who}\ncommitter {who}\n{head}\nx\n"
    name = stored(remote, "commit", data.encode())
    ref(remote, f"refs/holdfast/{machine}", name)
    return name


def ref(remote: Path, name: str, target: str) -> None:
    """Set a ref of the remote without asking git whether that is wise."""
    path = remote / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(target + "\n")


def sealed(remote: Path, tree: dict[str, Any], key: Path, project: str) -> dict[str, Any]:
    """Return a folder whose machine.json names the project and all months, with the signature of a key."""
    months = {name: entry(remote, part)[1] for name, part in tree.items() if name != "machine.json"}
    about_it = json.dumps({**json.loads(tree["machine.json"]), "project": [project], "months": months}).encode()
    command = ["ssh-keygen", "-q", "-Y", "sign", "-n", "holdfast", "-f", str(key)]
    made = subprocess.run(command, input=about_it, capture_output=True, check=True)
    return {**tree, "machine.json": about_it, "machine.json.sig": made.stdout}


def committed(remote: Path, folder: Path, tree: Any, key: Path, *, machine: str = MACHINE) -> str:
    """Write an ordinary commit with this folder that a key signed, with an author of another name."""
    names = {"GIT_AUTHOR_NAME": "ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_COMMITTER_NAME": "ann"}
    who = {**os.environ, **names, "GIT_COMMITTER_EMAIL": "ann@example.org", "HOME": str(folder)}
    command = ["git", "-C", str(remote), "-c", "gpg.format=ssh", "-c", f"user.signingkey={key}"]
    made = subprocess.run(
        [*command, "commit-tree", "-S", "-m", "x", entry(remote, tree)[1]], env=who, capture_output=True, check=True
    )
    name = made.stdout.decode().strip()
    ref(remote, f"refs/holdfast/{machine}", name)
    return name
