"""A year of a large team, simulated: `python -m tests.benches.sharing_growth [PEOPLE SESSIONS]`. It takes minutes."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benches.project import Bench
from tests.support import crafted

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE, SESSIONS = 500, 100_000  # each person has one machine
SENDS = 3  # of each session
DAY, YEAR = 86_400, 365
_WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("a", "erin", "io", "oten", "uld", "y", "ask")]
_FILES, _STATE = 8, 400  # files that a session changed, words of its state file


def simulated(remote: Path, people: int, sessions: int, now: float, days: range) -> None:
    """Let a remote have what so many machines sent on these days, counted from a year before `now`."""
    with subprocess.Popen(["git", "-C", remote, "fast-import", "--quiet"], stdin=subprocess.PIPE) as running:
        assert running.stdin
        for number in range(people):
            for part in _machine(number, sessions // people, now - YEAR * DAY, days):
                running.stdin.write(part)
    assert running.returncode == 0


def _machine(number: int, sessions: int, begin: float, days: range) -> Iterator[bytes]:
    """Yield what git reads to make the commits of one machine on these days."""
    ident, follows = f"{number:020x}", days.start > 0
    for session in range(sessions):
        at = begin + (session + number / PEOPLE) * YEAR * DAY / sessions
        if int((at - begin) // DAY) not in days:
            continue
        chance = random.Random(number * 1_000_000 + session)  # noqa: S311 - no secret
        files = {f"src/{chance.choice(_WORDS)}/{chance.choice(_WORDS)}.py": round(at) for _ in range(_FILES)}
        words = chance.choices(_WORDS, k=_STATE)
        folder = f"{time.strftime('%Y-%m', time.gmtime(at))}/{number:04x}{session:06x}-{chance.getrandbits(64):016x}"
        for send in range(SENDS):
            sent = at + send * 60
            words[send * 20 : send * 20 + 20] = chance.choices(_WORDS, k=20)
            row = crafted.summary(
                title=" ".join(words[:6]), status="completed", files=files, heard=round(sent), started=round(at),
                live=False, ended=round(sent),
            )  # fmt: skip
            about = crafted.about(ident, sequence=session * SENDS + send + 1, at=round(sent))
            state = (
                "# State\n\n" + "\n".join(" ".join(words[n : n + 10]) for n in range(0, _STATE, 10)) + "\n"
            ).encode()
            known = f"refs/holdfast/{ident}"
            head = f"commit {known}\ncommitter Ann <ann@example.org> {round(sent)} +0000\ndata 1\nx\n"
            yield (head + (f"from {known}^0\n" if follows else "")).encode()
            follows = False
            for name, data in (
                ("machine.json", about),
                (f"{folder}/summary.json", row),
                (f"{folder}/state.md", state),
            ):
                yield f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n"


def size(folder: Path) -> int:
    """Return the bytes of the objects of a repository."""
    done = subprocess.run(["git", "-C", folder, "count-objects", "-v"], capture_output=True, text=True, check=True)
    rows = dict(line.split(": ") for line in done.stdout.splitlines())
    return (int(rows["size"]) + int(rows["size-pack"])) * 1024


def reported(folder: Path, people: int = PEOPLE, sessions: int = SESSIONS) -> str:
    """Return the figures as a table."""
    bench, remote, now = Bench(folder / "one"), folder / "hub.git", time.time()
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    simulated(remote, people, sessions, now, range(YEAR - 1))
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=bench.project, check=True)
    subprocess.run(["git", "config", "fetch.unpackLimit", "1"], cwd=bench.project, check=True)
    before = size(bench.project)
    first = _shared(bench, "share", "on")
    year, there = size(bench.project) - before, size(remote)
    simulated(remote, people, sessions, now, range(YEAR - 1, YEAR))
    before = size(bench.project)
    daily = _shared(bench, "share", "now")
    day = size(bench.project) - before
    known = json.loads(_output(bench, "share", "status", "--json"))
    rows = [
        ("machines read", f"{known['machines']:,}"),
        ("objects at the remote", f"{there / 1e6:,.0f} MB"),
        ("the first fetch: bytes kept", f"{year / 1e6:,.0f} MB"),
        ("the first fetch: time", f"{first:.0f} s"),
        ("a fetch after a day: bytes kept", f"{day / 1e6:.2f} MB"),
        ("a fetch after a day: time", f"{daily:.1f} s"),
        ("`holdfast list`", f"{_median(bench, 'list'):.2f} s"),
        ("`holdfast list --all`", f"{_median(bench, 'list', '--all'):.2f} s"),
        ("a start", f"{sorted(bench.fire('SessionStart') for _ in range(5))[2]:.2f} s"),
    ]
    head = f"| {people} people, {sessions:,} sessions, one year, {SENDS} sends of each session | |\n|---|---|"
    notes = "".join(f"\n\n{note}" for note in known.get("notes", []))
    return "\n".join([head, *(f"| {name} | {value} |" for name, value in rows)]) + notes


def _person(bench: Bench) -> dict[str, str]:
    return {name: value for name, value in bench.env.items() if not name.startswith("CLAUDE")}


def _output(bench: Bench, *words: str) -> str:
    command = [str(bench.plugin / "bin/holdfast"), *words]
    done = subprocess.run(command, cwd=bench.project, env=_person(bench), capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
    return done.stdout


def _shared(bench: Bench, *words: str) -> float:
    began = time.perf_counter()
    _output(bench, *words)
    return time.perf_counter() - began


def _median(bench: Bench, *words: str) -> float:
    return sorted(bench.cli(*words) for _ in range(5))[2]


def main(people: int = PEOPLE, sessions: int = SESSIONS) -> int:
    """Print all figures."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        print(reported(Path(folder), people, sessions))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
