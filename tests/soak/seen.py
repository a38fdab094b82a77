"""What is there after a soak: every file that matters as bytes, read once, so that the check needs nothing else."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from holdfast.sessions import ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.hooks import Project

HUB, LOOPS, STATES = ".agents/SESSION-STATE.md", ".agents/LOOPS.md", ".agents/sessions"
ARCHIVE = ".agents/SESSION-HISTORY.md"
HANDED = ".continue-here*.md"


class Text(NamedTuple):
    """A file of a working tree: its bytes, and those that git's index has, b"" for none."""

    data: bytes
    staged: bytes


class Seen(NamedTuple):
    """All of it."""

    journals: dict[str, bytes]  # by session
    states: dict[str, Text]  # by path
    loops: dict[str, Text]  # by working tree
    hub: Text
    archive: Text  # where the hub's history goes on
    handed: dict[str, bytes]  # the hand-overs, by path
    plans: dict[str, list[list[str]]]  # the cells of the plans in the ledger of each state file, by its path
    notes: dict[str, list[str]]  # what a person wrote with an editor, by path
    left: list[str]  # what a writer left behind that was cut off
    log: list[str]  # the faults that were logged
    doctor: list[str]  # what the doctor is not content with
    invalid: list[str]  # what is wrong with the hub


def read(project: Project, roots: list[Path], notes: dict[str, list[str]]) -> Seen:
    """Read what is there."""
    journals = {path.stem: path.read_bytes() for path in (project.store / "journal").glob("*.jsonl")}
    states = {
        str(path): _text(project, root, f"{STATES}/{path.name}", notes)
        for root in roots
        for path in sorted((root / STATES).glob("*.md"))
    }
    loops = {str(root): _text(project, root, LOOPS, notes) for root in roots}
    reported = json.loads(project.cli("doctor", "--json").out)["findings"]
    checked = project.cli("validate")
    return Seen(
        journals,
        states,
        loops,
        _text(project, project.root, HUB, notes),
        _text(project, project.root, ARCHIVE, notes),
        {
            str(path): path.read_bytes()
            for path in (project.store / "private").rglob(HANDED)
            if ".used" not in path.parts
        },
        {path: [*ledger.read(path).plans.values()] for path in states},
        notes,
        sorted(_left(project)),
        project.log,
        [f"{finding['what']}: {finding['why']}" for finding in reported if finding["level"] != "ok"],
        [line for line in (checked.out + checked.err).splitlines() if line and line[0] not in "\u2713\u2717"],
    )


def _text(project: Project, root: Path, name: str, notes: dict[str, list[str]]) -> Text:
    """Return a file as it is in a working tree and as it is staged.

    A file that a person saved is his to stage: holdfast writes to it and leaves the index as it is. Of such a file
    only the working tree counts.
    """
    path = root / name
    if notes.get(str(path)):
        return Text(path.read_bytes(), path.read_bytes())
    shown = subprocess.run(
        ["git", "show", f":{name}"], cwd=root, env=project.environment(), capture_output=True, check=False
    )
    return Text(path.read_bytes() if path.is_file() else b"", shown.stdout if shown.returncode == 0 else b"")


def _left(project: Project) -> Iterator[str]:
    """Yield what lies about: files that were being written, locks of git's, and the lock where somebody holds it."""
    for folder, _, names in os.walk(project.folder):
        yield from (
            os.path.relpath(f"{folder}/{name}", project.folder)
            for name in names
            if name.endswith((".tmp", "index.lock", "~"))
        )
    try:
        with open(project.store / "lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield "the lock is held"
