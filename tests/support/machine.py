"""A made-up machine: a clone of the working tree, a home, a PATH, and nothing else of the caller's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.hooks import Project

ROOT = Path(__file__).resolve().parents[2]
# The interpreter behind any shim or virtual environment that runs the tests.
PYTHON = Path(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
TOOLS = ("sh", "git", "mkdir", "mv", "rm", "sleep", "uname", "dirname", "readlink", "cat", "touch", "env")
LIMIT = 100.0


@dataclass
class Machine:
    """Runs commands in an environment of its own."""

    folder: Path
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make an empty home, and a PATH with the usual tools but no Python."""
        for place in (self.home, self.work, self.tools):
            place.mkdir(parents=True)
        for name in TOOLS:
            found = shutil.which(name)
            assert found, name
            (self.tools / name).symlink_to(found)
        self.path = [self.tools]

    @property
    def home(self) -> Path:
        """The home, which holds only what a test put there."""
        return self.folder / "home"

    @property
    def work(self) -> Path:
        """The folder in which commands are run."""
        return self.folder / "work"

    @property
    def tools(self) -> Path:
        """The only folder on PATH at first."""
        return self.folder / "tools"

    @property
    def data(self) -> Path:
        """Where the client keeps the installed plugin's data."""
        return self.home / ".claude/plugins/data/holdfast-holdfast-tools"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of a command."""
        return {"HOME": str(self.home), "PATH": os.pathsep.join(map(str, self.path)), **self.extra}

    def add_python(self) -> None:
        """Put the real Python on PATH."""
        (self.tools / "python3").symlink_to(PYTHON)

    def add_program(self, name: str, text: str, folder: str = "tools") -> Path:
        """Put a program on PATH, before what is there."""
        place = self.folder / folder
        place.mkdir(parents=True, exist_ok=True)
        if place not in self.path:
            self.path.insert(0, place)
        program = place / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def start(
        self, *command: str | Path, stdin: int = subprocess.DEVNULL, cwd: Path | None = None, own_group: bool = False
    ) -> subprocess.Popen[bytes]:
        """Start a command."""
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or self.work,
            env={key: value for key, value in self.env.items() if value != "(unset)"},
            start_new_session=own_group,
        )

    def run(self, *command: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        process = self.start(*command, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out.decode(), err.decode())


def clone(target: Path) -> Path:
    """Copy what git knows or would add, so that no ignored file can help."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in set(listed.stdout.split("\0")) - {""}:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


# The harness trusts the clone, when a hook or command runs. The index is a cache: a row of a file that changed
# just now waits for the next run.
_LEDGER = {"trusted", "born", "index.db", "index.db-journal"}


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return all there is in a folder but trust and index: modes, targets, bytes and times."""
    found = [path for path in sorted(folder.rglob("*")) if path.name not in _LEDGER]
    kept = [path for path in found if path.name != "holdfast" or not path.is_dir() or {*os.listdir(path)} - _LEDGER]
    return {str(path.relative_to(folder)): _state(path) for path in kept}


def _state(path: Path) -> tuple[object, ...]:
    if path.is_symlink():
        return ("link", path.readlink())
    if path.is_dir():
        return ("folder", path.stat().st_mode)
    return ("file", path.stat().st_mode, path.stat().st_mtime_ns, path.read_bytes())


def loaded(command: list[str], project: Project, data: bytes = b"") -> set[str]:
    """Return the modules that a process loads, as the interpreter itself tells."""
    done = subprocess.run(
        [PYTHON, "-X", "importtime", "-I", "-S", *command],
        env=project.environment("one"),
        input=data,
        capture_output=True,
        check=True,
    )
    rows = [line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if "|" in line]
    assert len(rows) > 5
    return set(rows) - {"imported package"}
