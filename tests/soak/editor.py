"""A person with an editor: adds a line of his own to a state file, the hub or the loops now and then, and saves.

Run as a program with a seed and the working trees; ends with its standard input, and prints what he wrote where, how
often he saved, and how often he had to write a line again.

He reads and saves through one handle, as an editor that writes in place: where holdfast has put a new file there
meanwhile, his line goes to the old one, he sees that it is missing, and writes it again. The hub he also saves by a
rename, from a copy that may be old by then.
"""

from __future__ import annotations

import glob
import json
import os
import random
import select
import sys
import time

HEADING = b"## Notes of mine"
BYTES = "\u2615\u00a0\tcafe\u0301  "  # which no tool may tidy up: wide, unbroken, a tab, two code points, two spaces
MANY = 40  # notes in one file, after which he leaves it alone
SLOW = 0.1  # of all saves: the file is empty for a while
HUB = "SESSION-STATE.md"


class Editor:
    """The person, and what he wrote."""

    def __init__(self, seed: str, roots: list[str]) -> None:
        self.chance, self.roots = random.Random(seed), roots  # noqa: S311 - moments, not secrets
        self.notes: dict[str, list[str]] = {}
        self.saves = self.again = self.count = 0

    def work(self) -> None:
        """Save now and then until standard input ends, and then until all that was written is there."""
        while not select.select([0], [], [], self.chance.uniform(0.05, 0.4))[0]:
            known = [path for path in self._files() if len(self.notes.get(path, [])) < MANY]
            if known:
                self._note(self.chance.choice(known))
        while sum(self._missing(path) for path in self.notes):  # all of them, not only the first
            time.sleep(0.05)

    def _files(self) -> list[str]:
        """Return what he may write to; the state files that are called by-hand he wrote once and for all."""
        places = (".agents/sessions/2*.md", ".agents/LOOPS.md", f".agents/{HUB}")
        return sorted(path for root in self.roots for place in places for path in glob.glob(f"{root}/{place}"))

    def _note(self, path: str) -> None:
        """Write a new line, unless one from before is missing and was written again."""
        if self._missing(path):
            return
        self.count += 1
        self.notes.setdefault(path, []).append(f"- note {self.count} {BYTES}")
        self._save(path, self.notes[path][-1:])

    def _missing(self, path: str) -> bool:
        """Whether lines of his are missing, which are written again."""
        try:
            with open(path, "rb") as file:
                lines = file.read().decode().split("\n")
        except OSError:
            return False
        missing = [note for note in self.notes.get(path, []) if note not in lines]
        if missing:
            self.again += len(missing)
            self._save(path, missing)
        return bool(missing)

    def _save(self, path: str, notes: list[str]) -> None:
        """Save a file with some lines more."""
        self.saves += 1
        handle = os.open(path, os.O_RDWR)
        try:
            data = os.pread(handle, 1 << 24, 0)
            changed = added(data, "".join(f"{note}\n" for note in notes).encode())
            if path.endswith(HUB) and self.chance.random() < 0.3:
                with open(f"{path}~", "wb") as file:
                    file.write(changed)
                os.replace(f"{path}~", path)
                return
            os.ftruncate(handle, 0)
            if self.chance.random() < SLOW:
                time.sleep(self.chance.uniform(0, 0.6))
            os.pwrite(handle, changed, 0)
        finally:
            os.close(handle)


def added(data: bytes, notes: bytes) -> bytes:
    """Return a file with lines at the end of the person's own section, which is the last one in the file at first."""
    at = data.find(b"\n" + HEADING)
    if at < 0:
        return data.rstrip(b"\n") + b"\n\n" + HEADING + b"\n\n" + notes
    end = data.rfind(b"- note ", at)
    end = data.index(b"\n", end) + 1 if end >= 0 else at + 1 + len(HEADING) + 2
    return data[:end] + notes + data[end:]


if __name__ == "__main__":
    person = Editor(sys.argv[1], sys.argv[2:])
    person.work()
    sys.stdout.write(json.dumps({"notes": person.notes, "saves": person.saves, "again": person.again}))
