"""What was planned is done: clients whose hooks and commands are killed now and then, and people."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from .acts import KILLED, Act, Log, Said
from .plan import CRASH, LEAVE, TREE, Call, Step
from .steps import PAUSED, PIECE, TASK, WHERE, done_to

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.support.hooks import Project

    from .lives import Life

_CLIENT = os.path.join(os.path.dirname(__file__), "client.py")
HANGS = 300.0  # seconds; a sweep of dozens of sessions waits for the lock dozens of times
HUNG = 99  # no code of any process here
_USUAL = {"hook": 0.06, "command": 0.5}  # seconds, until the first one of its name is over
# A person's own state file; the spaces, the tab and the other words are his, and stay.
BY_HAND = """\
---
session:
  title:   "By hand {ident}"
  status: in_progress
  created: "2025-12-04T14:30:00Z"
  last_updated: "2025-12-04T14:30:00Z"   # when I looked last
my_own:\t[1,  2]
---

# Session: By hand {ident}

## Context
Why this is done.  \n\n\n## Current State
* uneven   list \u2615\u00a0cafe\u0301
\t+ and a tab

## Next Steps
1) one
"""


class World:
    """What all actors share: the project, its working trees, the log, and when it is time to go home."""

    def __init__(self, project: Project, roots: list[Path], end: float) -> None:
        self.project, self.roots, self.end = project, roots, end
        self.log = Log()
        self.kills = 0
        self.paused: list[tuple[str, str]] = []  # sessions that paused, and where, which nobody has taken up
        self._usual: dict[str, float] = {}

    def over(self) -> bool:
        """Whether nothing more is begun."""
        return time.monotonic() > self.end

    def timeout(self, call: Call) -> float:
        """Return the seconds after which a call is killed; one that is spared hangs when it takes so long."""
        usual = self._usual.get(_name(call), _USUAL["hook" if call.event else "command"])
        return call.cut * usual if call.cut else HANGS

    def took(self, call: Call, seconds: float) -> None:
        """Note how long a call took that ended by itself."""
        known = self._usual.get(_name(call), seconds)
        self._usual[_name(call)] = known * 0.8 + seconds * 0.2


def _name(call: Call) -> str:
    return call.event or " ".join(call.words[:2])


class Actor:
    """Somebody who runs hooks or commands in one working tree, one step after the other."""

    def __init__(self, world: World, name: str, root: Path, *, session: bool = False) -> None:
        self.world, self.name, self.root = world, name, root
        self.session = name if session else ""
        self.step = 0
        self.loops: list[str] = []  # the ids of those that it captured and did not close
        self.tree = str(root)  # the working tree that it is in now
        self.known = {TREE: f"{root}/.claude/worktrees/{name}"}  # what the words in capitals stand for
        self._client: subprocess.Popen[str] | None = None

    def begin(self) -> None:
        """Start the client."""
        command = [sys.executable, "-I", "-S", _CLIENT]
        self._client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tree = str(self.root)

    def go(self, how: str) -> None:
        """End the client: by leaving, or as `kill -9` does."""
        assert self._client
        if how == "crash":
            self._client.kill()
        self._client.communicate()
        self.note(Call("client", {"gone": how}))

    def take(self, step: Step) -> None:
        """Do what is planned for one step, and note what came of it."""
        if step == CRASH:
            self.go("crash")
            self.begin()
            return
        if step == LEAVE:
            self.tree = str(self.root)
            return
        calls = [self._known(call) for call in step if self._able(call)]
        jobs = [self._job(call) for call in calls]
        self.step += 1
        for call, (code, out, err, seconds) in zip(calls, self._run(jobs), strict=True):
            self._came(call, code, out, err, seconds)

    def _run(self, jobs: list[dict[str, Any]]) -> list[Any]:
        assert self._client
        assert self._client.stdin
        assert self._client.stdout
        self._client.stdin.write(json.dumps(jobs) + "\n")
        self._client.stdin.flush()
        done = json.loads(self._client.stdout.readline())
        assert isinstance(done, list)
        return done

    def _job(self, call: Call) -> dict[str, Any]:
        """Return a call as the client starts it."""
        project, own = self.world.project, {"CLAUDE_PROJECT_DIR": str(self.root)} if self.session else {}
        command, data = self._words(call), ""
        if call.event:
            command = project.command(call.event)
            data = json.dumps(project.payload(call.event, self.session, cwd=self.tree, **call.fields))
        environment = project.environment(self.session, **own)
        job = {"command": command, "folder": self.tree, "environment": environment, "data": data}
        return {**job, "timeout": self.world.timeout(call)}

    def _words(self, call: Call) -> list[str]:
        """Return a command line; who commits, commits what is staged."""
        if call.words == ("git",):
            return ["git", "commit", "--quiet", "--allow-empty", "--message", f"Step {self.step} of {self.name}"]
        if call.words[:1] == ("git",):  # what becomes of a working tree is read from the one that it belongs to
            return ["git", "-C", str(self.root), *call.words[1:]]
        return [str(self.world.project.plugin / "bin/holdfast"), *call.words]

    def _able(self, call: Call) -> bool:
        """Whether all is known that the words in capitals stand for; what another paused, one alone takes up."""
        self.known["ID"] = self.loops[-1] if self.loops else ""
        if PAUSED in call.words:
            try:
                self.known[PAUSED], self.known[WHERE] = self.world.paused.pop()
            except IndexError:
                return False
        return all(self.known.get(word) for word in call.words if word in {"ID", TASK, PIECE})

    def _known(self, call: Call) -> Call:
        """Return a call with what its words in capitals stand for, and where it finds the session."""

        def known(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: known(each) for key, each in value.items()}
            return self.known.get(value, value) if isinstance(value, str) else value

        words, stated = tuple(known(word) for word in call.words), known(call.stated)
        if stated.get("kind") == "worktree" and os.path.isdir(stated["path"]):
            self.tree = stated["path"]
        if stated.get("kind") in {"attempt", "edit"} and self.tree != str(self.root):
            stated["root"] = self.tree
        return call._replace(words=words, stated=stated, fields=known(call.fields))

    def _came(self, call: Call, code: int, out: str, err: str, seconds: float) -> None:
        """Note what came of a call."""
        reported = call._replace(stated=self._reported(call, dict(call.stated), out))
        if code != KILLED:
            self.world.took(call, seconds)
            if call.kind == "pause" and self.session and not code:
                self.world.paused.append((self.name, str(self.root)))
            self.note(reported, code, f"{err}{out if code else ''}"[:600])
        elif call.cut:
            self.world.kills += 1
            self.note(reported, KILLED)
        else:
            self.note(reported, HUNG, "it hung")

    def _reported(self, call: Call, stated: Said, out: str) -> Said:
        """Return what a call is to leave behind, with what only its run could tell."""
        if stated.get("kind") == "start" and self._client:
            stated["pid"] = self._client.pid
        found = re.search(r"LOOP-[0-9]+", out)
        if call.kind == "loop" and found:
            self.loops.append(found[0])
            stated["id"] = found[0]
        if call.kind in {"explored", "closed"}:
            stated["id"] = self.loops.pop() if call.kind == "closed" else self.loops[-1]
        if call.kind == "begun":
            stated["path"] = self.known[PIECE] = out.strip()
        return {**stated, **self._stepped(call, out)}

    def _stepped(self, call: Call, out: str) -> Said:
        """Return what a step, a pause or its end says it has done."""
        if call.kind == "continue":
            return {"notes": re.findall(r"Note [0-9]+ of [^ ]+\.", out)}
        ident = done_to(out) if call.kind in {"task", "plan"} else ""
        if ident and call.stated["way"] == "add":
            self.known[TASK] = ident
        return {"id": ident} if ident else {}

    def note(self, call: Call, code: int = 0, err: str = "") -> None:
        """Note an act."""
        self.world.log.add(Act(self.name, self.step, call.kind, self.tree, call.stated, code, err))


def live(world: World, life: Life, root: Path) -> Actor | None:
    """Live a session's life as far as there is time; return it when it lives on."""
    actor = Actor(world, life.ident, root, session=True)
    if life.adopts:
        (root / life.adopts).parent.mkdir(exist_ok=True)
        (root / life.adopts).write_bytes(BY_HAND.format(ident=life.ident).encode())
        actor.note(Call("by hand", {"path": life.adopts}))
    actor.begin()
    for step in life.steps:
        if world.over() and actor.step > 3 and step != life.steps[-1]:
            continue
        actor.take(step)
    if life.ends == "live":
        return actor
    actor.go(life.ends)
    return None


def type_all(world: World, name: str, root: Path, steps: list[Step], chance: random.Random) -> None:
    """Be a person at the command line, who thinks between two commands."""
    actor = Actor(world, name, root)
    actor.begin()
    for step in steps:
        if not world.over():
            actor.take(step)
            time.sleep(chance.uniform(0, 0.5))
    actor.go("leave")
