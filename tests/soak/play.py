"""One seed of a soak: everybody is let loose on a project, and what is there afterwards is checked."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from tests.support.hooks import Project

from . import plan, seen
from .actors import HANGS, Actor, World, live, type_all
from .checker import LAST, findings
from .lives import sessions
from .reaper import Reaper, settling
from .typists import typist

if TYPE_CHECKING:
    from pathlib import Path

_EDITOR = os.path.join(os.path.dirname(__file__), "editor.py")
_SETTINGS = 'live_minutes = 0\nstale_hours = 0\noverlap_minutes = 1\nhistory_entries = 3\nhub = "tracked"\n'
AT_ONCE = 10  # sessions; the others wait for their turn
TYPED = 12  # commands of each person


class Size(NamedTuple):
    """How large a soak is: working trees, sessions, people at the command line, seconds in which work is begun."""

    trees: int
    sessions: int
    typists: int
    seconds: float


class Outcome(NamedTuple):
    """What came of one seed."""

    acknowledged: int
    kills: int
    saves: int
    again: int
    seconds: float
    lost: list[str]


def play(seed: int, folder: Path, plugin: Path, packages: Path, size: Size) -> Outcome:
    """Play one seed in a folder of its own, which keeps the log as `acts.jsonl`."""
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    project = Project(folder, plugin, packages)
    world = World(project, _trees(project, size.trees), began + size.seconds)
    editor = subprocess.Popen(
        [sys.executable, "-I", "-S", _EDITOR, str(seed), *map(str, world.roots)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    living = _storm(world, seed, size)
    _quiet(project)
    written = json.loads(editor.communicate(b"\n", timeout=HANGS)[0])
    _epilogue(world, seed)
    there = seen.read(project, world.roots, written["notes"])
    (folder / "acts.jsonl").write_text(world.log.dump())
    lost = findings(world.log, there)
    for actor in living:
        actor.go("leave")
    if written["again"] > max(2, written["saves"] // 10):
        lost.append(f"a person had to write {written['again']} lines again in {written['saves']} saves")
    done = sum(act.done and act.kind not in {"client", "look"} for act in world.log.acts)
    return Outcome(
        done + written["saves"], world.kills, written["saves"], written["again"], time.monotonic() - began, lost
    )


def _trees(project: Project, count: int) -> list[Path]:
    """Prepare the project, and give it more working trees."""
    (project.root / ".agents").mkdir()
    (project.root / ".agents/holdfast.toml").write_text(_SETTINGS)
    project.accept()
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Prepare")
    trees = [project.folder / f"tree-{number}" for number in range(1, count)]
    for tree in trees:
        project.git("worktree", "add", "--quiet", str(tree))
    return [project.root, *trees]


def _storm(world: World, seed: int, size: Size) -> list[Actor]:
    """Let everybody loose until all is done or the time is over; return the sessions that live on."""
    chance = random.Random(f"{seed} storm")  # noqa: S311 - moments, not secrets
    reaper = Reaper(world, random.Random(f"{seed} reaper"), plan.KILLS)  # noqa: S311 - moments, not secrets
    reaper.start()
    with ThreadPoolExecutor(AT_ONCE) as clients, ThreadPoolExecutor(size.typists) as people:
        roots = [chance.choice(world.roots) for _ in range(size.sessions + size.typists)]
        typing = [
            people.submit(type_all, world, name, root, typist(seed, name, TYPED), random.Random(name))  # noqa: S311 - moments, not secrets
            for name, root in zip([f"typist-{number}" for number in range(size.typists)], roots, strict=False)
        ]
        lives = zip(sessions(seed, size.sessions), roots[size.typists :], strict=True)
        living = [clients.submit(live, world, life, root) for life, root in lives]
        found = [actor for each in living if (actor := each.result())]
        for each in typing:
            each.result()
    reaper.stop()
    return found


def _quiet(project: Project) -> None:
    """Wait until nothing settles in the background any more."""
    end = time.monotonic() + HANGS
    while settling(project):
        if time.monotonic() > end:
            raise TimeoutError(f"{settling(project)} settle for longer than {HANGS:g} s")
        time.sleep(0.1)


def _epilogue(world: World, seed: int) -> None:
    """Settle what is left, and let a last update and a last loop stage what a killed one had only written.

    It is an hour later: what killed writers left in the store lies there for longer than anybody writes.
    """
    then = time.time() - 7200
    for left in world.project.store.rglob(".holdfast.*.tmp"):
        os.utime(left, (then, then))
    last = Actor(world, f"{LAST}-{seed}", world.project.root)
    calls = [
        plan.Call("look", {"words": "settle"}, words=("settle",)),
        plan.Call(
            "update",
            {"id": last.name, "status": "active", "text": "Purpose of the last."},
            words=("update", "action=started", "agent=git", "purpose=Purpose of the last.", f"session_id={last.name}"),
        ),
    ]
    last.begin()
    for call in calls:
        last.take([call])
    last.go("leave")
    for root in world.roots:
        writer = Actor(world, f"{LAST}-{root.name}", root)
        writer.begin()
        writer.take(
            [plan.Call("loop", {"title": f"Last of {root.name}."}, words=("loop", "add", f"Last of {root.name}."))]
        )
        writer.go("leave")
