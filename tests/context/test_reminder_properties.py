"""Properties of reminders: how often, how much more each time, that none is missed, and the form of their words."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.context import drift_summary, reminder
from holdfast.context.drift import measured, report
from holdfast.context.drift.item import KINDS, Item, points
from holdfast.context.reminder import APART
from holdfast.journal import log
from holdfast.journal.payload import Payload
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.hazards import shapes
from tests.support import drifting
from tests.support.drifting import NAME
from tests.support.examples import times
from tests.support.hooks import Project

SPOKEN = ("prompt", "prompt", "prompt", "prompt", "machine")
MOST = ("edit", "edit", "edit", "stop", "stop", "stop")
REST = ("outside", "task", "task", "child", "loop", "zone", "worktree", "commit", "write")
STATUSES = ("pending", "in_progress", "completed", "deleted")
STEPS = st.lists(st.tuples(st.sampled_from(SPOKEN + MOST + REST), st.integers(0, 15)), min_size=20, max_size=80)


class Course:
    """A session whose facts are written by hand, at times of the test's choice, and what was reported in it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.place = paths.locate(str(project.root))
        self.at = drifting.LATER
        for number in range(16):
            drifting.put(project, f"src/{number}.py", "")
        (project.root / ".agents").mkdir()
        (project.root / ".agents/holdfast.toml").write_text("drift_limits = [1, 6, 15]\n")
        drifting.begin(project, shapes.AGENTS[1])
        (project.store / "bound").mkdir(parents=True)
        (project.store / "bound/one").write_text(f"{project.root}/{NAME}")
        self.prompts = APART  # since the last reminder
        self.reported = 0  # points since the file was written
        self.due = False  # whether Claude reads of it with the next prompt

    def fact(self, word: str, number: int) -> dict[str, Any]:
        """Return the fact of a step."""
        name, few = f"src/{number}.py", number % 4
        known: dict[str, dict[str, Any]] = {
            "edit": {"kind": "edit", "tool": "Edit", "path": name},
            "outside": {"kind": "edit", "tool": "Edit", "path": f"/elsewhere/{name}"},
            "task": {"kind": "task", "id": str(few), "subject": f"Part {few} of it", "status": STATUSES[number // 4]},
            "child": {"kind": "child", "agent": f"a{few}", "type": "Plan", "status": STATUSES[2 * (number > 7)]},
            "loop": {"kind": "loop", "id": f"LOOP-00{few}", "title": "Which rate counts", "status": "open"},
            "zone": {"kind": "zone", "zone": few},
            "worktree": {"kind": "worktree", "path": str(self.project.root), "branch": f"b{few}"},
            "write": {"kind": "state", "path": NAME, "root": str(self.project.root), "by": "sync"},
            "prompt": {"kind": "prompt", "text": "go on with it"},
            "machine": {"kind": "prompt", "text": "<task-notification>done"},
        }
        fact = known.get(word, {"kind": "answer", "text": ""})
        return {**fact, "status": "running"} if fact.get("status") == "pending" and word == "child" else fact

    def step(self, word: str, number: int) -> None:
        """Take a step, and say what must hold after it."""
        self.at += 3.0
        if word == "commit":
            drifting.commit(self.project, f"Convert the prices of part {self.at}", self.at)
            return
        fact = self.fact(word, number)
        self.project.remember("one", fact, at=time.time() + self.at)
        if word == "write":
            self.reported, self.due = 0, False
        elif word == "stop":
            self.stop()
        elif fact["kind"] == "prompt":
            self.prompt(fact["text"], counts=word == "prompt")

    def stop(self) -> None:
        """At most one reminder in ten prompts, each about more than the one before; and none is missed."""
        self.project.accept()
        measured.journal(Workspace(self.place), "one")  # as the settle after a Stop does
        found = reminder.at_stop(self.payload("Stop"), self.place)
        if found:
            weight = self.project.facts(kind="reminded")[-1]["points"]
            assert self.prompts >= APART
            assert weight > self.reported
            assert weight >= 6
            self.reported, self.prompts, self.due = weight, 0, True
        elif self.prompts >= APART:
            left: Any = log.last(str(self.project.store), "one", "drift")
            assert left
            assert left["points"] < max(6, self.reported and self.reported + max(3, self.reported // 2)), left["items"]

    def prompt(self, text: str, *, counts: bool) -> None:
        """Claude learns it with the user's first prompt, unless the file was written since or nothing is left."""
        due = self.due and counts
        expected = due and self.is_marked()
        answer = reminder.at_prompt(self.payload("UserPromptSubmit", prompt=text), self.place, time.time())
        assert bool(answer) == expected
        self.due = self.due and not counts
        self.prompts += counts

    def is_marked(self) -> bool:
        """Return whether drift is marked without what the next settle writes by itself."""
        workspace = Workspace(self.place)
        session = workspace.session("one")
        assert session
        items = report.look(session, workspace, own="one").items
        left = [item for item in items if not item.remedy.startswith(("holdfast settle", "holdfast memory"))]
        return points(left) >= 6

    def payload(self, event: str, **fields: str) -> Payload:
        """Return what the client sends."""
        return Payload({"session_id": "one", "hook_event_name": event, **fields})


@given(STEPS)
@example([("edit", number) for number in range(6)] + [("stop", 0)] + [("prompt", 0)] * 10 + [("edit", 9), ("stop", 0)])
@example([("commit", 0)] * 6 + [("stop", 0)])
@example([("task", 0), ("edit", 1), ("edit", 2), ("stop", 0), ("task", 8), ("stop", 0)])
@settings(max_examples=times(0.12), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_however_a_session_goes(plugin_copy: Path, packages: Path, steps: list[tuple[str, int]]) -> None:
    """Whatever happens in whichever order."""
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Project(Path(folder), plugin_copy, packages))
        for word, number in steps:
            course.step(word, number)
        assert course.project.log == []


WORDS = st.text(max_size=300)
NAMES = st.lists(WORDS, max_size=40)
ITEMS = st.lists(
    st.builds(
        lambda kind, stated, names, call: Item(kind, stated, stated, call=call, names=names),
        st.sampled_from(list(KINDS)),
        WORDS,
        NAMES,
        st.sampled_from(["", "holdfast sync --json '{}'", "holdfast settle", f"holdfast sync --json '{'x' * 600}'"]),
    ),
    max_size=14,
)


@given(ITEMS, WORDS.filter(lambda name: "\0" not in name), st.floats(min_value=0, max_value=4e9))
def test_words(items: list[Item], name: str, since: float) -> None:
    """One line for the user; for Claude one, and below it a whole call if there is a short one, in 1,200 characters."""
    record: Any = {"path": name, "since": since, "severity": "severe", "items": [item.row() for item in items]}
    user = drift_summary.for_user(record, paths.Project("/p", "", "", ""))
    claude = drift_summary.facts(name, since, "severe", [item for item in items if item.weight])
    assert "\n" not in user
    assert len(user) <= 430
    assert user.endswith("See: holdfast drift")
    call = "holdfast sync --json '{}'"
    short = any(item.remedy == call for item in items if item.weight)
    assert claude.split("\n")[1:] == [call] * short
    assert len(claude) <= 1200
    assert not any(ord(char) < 32 or char in "\x7f\x85\u2028\u2029" for char in (user + claude).replace("\n", ""))
