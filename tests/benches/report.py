"""BENCHMARKS.md: what was measured, on what, when, and how to measure it again."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from typing import TYPE_CHECKING

from tests.benches import growth, hooks
from tests.benches.measure import ROUNDS
from tests.benches.project import LINES, STATE_FILES

if TYPE_CHECKING:
    from tests.benches.growth import Found
    from tests.benches.measure import Figures
    from tests.benches.project import Bench

PICTURE = "benchmarks.svg"
_TEXT = """\
# What holdfast costs

`make bench` measures all of this anew and writes this file; the command above each table makes that table alone.

{python}, {system}, {cores} cores, {date}; {rounds} rounds. Whole processes, started as the client starts them. A ratio
is to a bare `python3 -I -S -c pass` that ran in turn with what is measured, in the same loop: milliseconds belong to
this machine, ratios travel. What a hook leaves to the background is waited for between two runs, and not counted.

{verdict}

![Cost against size, a panel for each of state files, journal lines, sessions past and live, and payload]({picture})

## Hooks and commands

`python -m tests.benches.hooks`, with {files} state files and {files} journals of {lines} lines:

{hooks}

{commands}

## Work of a process

`python -m tests.benches.work`: processor time, with all that a process waits for; the modules of holdfast that it
loads, and how often a function of one calls a function of another. A settle with work follows the edit of a new file.

{work}

## Growth

`python -m tests.benches.growth`, or with `files`, `lines`, `past`, `live`, `payload` for one of them. A cell is the
ratio of the medians, with milliseconds of median and minimum. State files lie in several folders and are of several
shapes; four in five are done. Sessions of the past have a journal of 100 lines and a state file each; every other one
is done. The files were all read once before (the cache is warm).

{growth}

## What a start tells Claude

`python -m tests.benches.context`: the characters that a start adds to the context of a new session, with about as many
tokens as they are (four characters each), by the number of other sessions. The setting `brief_characters` limits them.

{context}

## The hub

`python -m tests.benches.hub`: `holdfast update` with few and with many entries in the hub, in turn.

{hub}

## Compaction

`python -m tests.benches.compaction`: PreCompact after an edit, in a small project and in a large one, in turn.

{compaction}

## The token budget

`python -m tests.benches.budget`: what the last request weighed, out of a short transcript and a long one, in turn.

{budget}

## All sessions at a glance

`python -m tests.benches.views`: commands that read every journal, without a cache; 100 facts a session. MB are the most
memory that one had.

{views}

## The board

`python -m tests.benches.board`: `holdfast board` in a terminal, with a state file a session: the time to the first
session on the screen and to the whole of the selected one, then the share of a processor and the memory while nothing
happens.

{board}

## The page of all sessions

`python -m tests.benches.page`: `holdfast report --html`, with a state file and 100 facts a session, and how long
Chromium takes from there until the page is drawn.

{page}

## Sharing

`python -m tests.benches.sharing`: a start and hooks in a project that shares its sessions with eight machines, and
in one that does not, in turn.

{sharing}

## A session on the real client

`python -m tests.benches.client`: five writes, with a model that takes no time.

{client}
"""


class Report:
    """All that was measured in one run."""

    def __init__(self, bench: Bench) -> None:
        self._python = subprocess.run([bench.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
        self.hooks: dict[str, Figures] = {}
        self.commands: dict[str, Figures] = {}
        self.growth: dict[str, Found] = {}
        self.tables: dict[str, str] = {}

    def text(self, wrong: list[str]) -> str:
        """Return the whole as Markdown; `wrong` is what was over its limit."""
        limits = "Over their limits in this run:\n\n" + "\n".join(f"- {line}" for line in wrong)
        return _TEXT.format(
            python=self._python,
            system=platform.system(),
            cores=os.cpu_count(),
            date=time.strftime("%Y-%m-%d", time.gmtime()),
            rounds=ROUNDS,
            verdict=limits if wrong else "All figures are within their limits.",
            picture=PICTURE,
            files=STATE_FILES,
            lines=LINES,
            hooks=hooks.table(self.hooks),
            commands=hooks.table(self.commands, "command"),
            growth="\n\n".join(growth.table(name, found) for name, found in self.growth.items()),
            **self.tables,
        )
