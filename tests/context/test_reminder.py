"""The reminder: when it comes, what it says to the user and to Claude, and when it does not come."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import drifting, hooks
from tests.support.drifting import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

here = hooks.here
prepared = drifting.prepared
AGENTS = shapes.AGENTS[1]
TORN = swap(AGENTS, ("## Context", "<<<<<<< a\n=======\n>>>>>>> b\n## Context"))
DONE = swap(AGENTS, ("status: in_progress", "status: completed"))


class Played:
    """A session that is played by a script, a word for each step, and what was reported at its Stops and prompts.

    `e` edits a new file, `p` is a prompt, `m` one that a machine makes, `/` a slash command, `u` asks for the report,
    `w` is an edit of the state file, `c` a commit, and `s` a Stop; a number behind a word repeats it.
    """

    def __init__(self, project: Project, state: str = AGENTS, session: str = "one") -> None:
        self.project, self.session = project, session
        self.path = drifting.put(project, NAME if session == "one" else f".agents/sessions/{session}.md", state)
        drifting.commit(project, "state", -5000)
        project.fire("SessionStart", session)
        self.write()
        self.number = 0

    def play(self, script: str) -> str:
        """Play it, and return a letter for each Stop and prompt: `!` where something was reported, else `.`."""
        reported = ""
        for word in script.split():
            for _ in range(int(word[1:] or "1")):
                reported += self._step(word[0])
        return reported

    def _step(self, word: str) -> str:
        steps: dict[str, Callable[[], str]] = {
            "e": self.edit,
            "w": self.write,
            "c": self.commit,
            "s": lambda: "!" if self.stop() else ".",
            "p": lambda: "!" if self.prompt("go on with it") else ".",
            "m": lambda: "!" if self.prompt("<task-notification>the build is done</task-notification>") else ".",
            "/": lambda: "!" if self.prompt("/compact what is left") else ".",
            "u": lambda: "!" if "holdfast: the state file" in self.prompt("update artifacts") else ".",
        }
        return steps[word]()

    def edit(self) -> str:
        """Change a file that the state file does not mention."""
        self.number += 1
        name = f"src/{self.session}{self.number}.py"
        drifting.put(self.project, name, f"one = {self.number}\n")
        self.project.edit(name, self.session)
        return ""

    def write(self) -> str:
        """Let the model write the state file."""
        self.path.write_text(self.path.read_text().replace("the test bucket", "both buckets"))
        self.project.edit(str(self.path), self.session)
        return ""

    def commit(self) -> str:
        """Commit something that the session did not change, so much later that it is after the last write."""
        self.number += 1
        drifting.put(self.project, f"lib/{self.number}.py", "")
        drifting.commit(self.project, f"Convert the prices of part {self.number}", 2.0)
        return ""

    def stop(self, **fields: Any) -> str:
        """Let a turn end, and return what the user is shown then, or else at the end of a turn without any news."""
        for _ in range(2):
            message = self.project.fire("Stop", self.session, **fields).message
            self.project.settled(self.session)
            if message:
                return message
        return ""

    def prompt(self, text: str = "go on") -> str:
        """Give a prompt, and return what Claude gets beside it."""
        reply = self.project.fire("UserPromptSubmit", self.session, prompt=text)
        return reply.context if reply.out else ""


# A script, and what is reported: at each Stop, and at each prompt.
SCRIPTS = {
    "nothing happened": ("s", "."),
    "slight": ("e5 s s", ".."),
    "marked": ("e6 s", "!"),
    "marked a while after it was slight": ("e4 s e1 s e1 s", "..!"),
    "said once": ("e6 s s p s p s", "!.!..."),
    "Claude learns it with the prompt that follows, though a machine came first": ("e6 s m / p p", "!..!."),
    "the report, where it is asked for, brings it along": ("e6 s u p", "!.."),
    "grown, within ten prompts": ("e6 s e9 p9 s", "!" + "!" + "." * 8 + "."),
    "grown, after ten": ("e6 s e9 p10 s p", "!" + "!" + "." * 9 + "!!"),
    "machines' prompts are none of the ten": ("e6 s e9 p m9 s", "!" + "!" + "." * 9 + "."),
    "grown by too little": ("e6 s p10 s", "!" + "!" + "." * 9 + "."),
    "grown by just enough": ("e6 s p10 e s", "!" + "!" + "." * 9 + "!"),
    "written meanwhile": ("e6 s w p s", "!.."),
    "written, and behind again within ten prompts": ("e6 s p w e8 s", "!!."),
    "written, and behind again after ten": ("e6 s p w e6 p9 s p", "!!" + "." * 9 + "!!"),
    "written, and behind by less than before": ("e9 s p10 w e6 s", "!!" + "." * 9 + "!"),
    "commits": ("c5 s c1 s", ".!"),
    "many prompts": ("p23 s p s", "." * 23 + "." + "." + "!"),
}


@pytest.mark.parametrize(("script", "reported"), SCRIPTS.values(), ids=SCRIPTS)
def test_when_it_comes(prepared: Project, script: str, reported: str) -> None:
    """From marked on, once, and with the next prompt; then when it has grown, and ten prompts later at the soonest."""
    assert Played(prepared).play(script) == reported
    assert prepared.log == []


def test_nobody_waits_for_the_measurement(prepared: Project) -> None:
    """The settle after a Stop measures, and the next Stop shows what it found, however much happened meanwhile."""
    played = Played(prepared)
    played.play("e6")
    assert prepared.fire("Stop").message == ""
    prepared.settled("one")
    played.play("e3 p")
    assert "6 files not described" in prepared.fire("Stop").message
    assert prepared.fire("Stop").message == ""


def test_an_outdated_line_is_not_shown(prepared: Project) -> None:
    """If the state file was written since it was measured, or is another one now, there is no reminder."""
    for step in ("w", "start"):
        played = Played(prepared, session=step)
        played.play("e6")
        prepared.fire("Stop", step)
        prepared.settled(step)
        if step == "w":
            played.write()
        else:
            assert prepared.cli("start", "The next piece", CLAUDE_CODE_SESSION_ID=step).code == 0
        assert prepared.fire("Stop", step).message == ""
        prepared.settled(step)
        assert prepared.fire("Stop", step).message == ""


def test_the_ten_prompts_count_from_the_reminder(prepared: Project) -> None:
    """Prompts between a measurement and its reminder are not among the ten before the next reminder."""
    played = Played(prepared)
    played.play("e6")
    prepared.fire("Stop")
    prepared.settled("one")
    played.play("p4")
    assert prepared.fire("Stop").message
    assert played.play("p6 e9 s") == "!" + "." * 6
    assert played.play("p3 s p s") == "." * 5 + "!"


def test_what_the_user_sees(prepared: Project) -> None:
    """One line: which file, how far and since when, by what, and where all of it is named."""
    played = Played(prepared)
    played.play("e4 c2")
    began = time.strftime("%Y-%m-%d %H:%M", time.gmtime(prepared.facts(kind="state")[0]["at"]))
    wanted = f"holdfast: the state file {NAME} is behind what happened since {began} UTC (marked): "
    assert played.stop() == f"{wanted}4 files, 2 commits not described. See: holdfast drift"


def test_what_claude_gets(prepared: Project) -> None:
    """The facts, fenced, and the exact command: run with words for its placeholders, it leaves no drift."""
    played = Played(prepared)
    played.play("e6 s")
    *reported, call = played.prompt().splitlines()
    assert len(reported) == 1
    assert "information, not instructions" in reported[0]
    assert "Files changed and not described: src/one6.py, src/one5.py, " in reported[0]
    assert call == """holdfast sync --json '{"Current State": "…", "Next Steps": ["…"]}'"""
    done = drifting.typed(prepared, call.replace("…", "Prices are read."), CLAUDE_CODE_SESSION_ID="one")
    assert (done.code, done.err) == (0, "")
    assert drifting.look(prepared, "one").points == 0


def test_what_a_settle_writes_is_no_drift(prepared: Project) -> None:
    """Tasks go into the file with the settle behind the very Stop."""
    played = Played(prepared)
    for number in range(7):
        prepared.fire("TaskCreated", task_id=str(number), task_subject=f"Convert part {number}")
    assert played.stop() == ""
    assert "Convert part 6" in played.path.read_text()


def test_two_sessions_are_two(prepared: Project) -> None:
    """Each has its own state file, its own ten prompts, and its own line with the next prompt."""
    one, two = Played(prepared), Played(prepared, session="two")
    assert (one.play("e6 s"), two.play("e5 s p e1 s"), one.play("s p p")) == ("!", "..!", ".!.")
    assert two.play("p p") == "!."


def test_edits_of_a_subagent_count(prepared: Project) -> None:
    """Its edits count, and it is never reminded."""
    played = Played(prepared)
    for number in range(6):
        drifting.put(prepared, f"src/{number}.py", "")
        prepared.edit(f"src/{number}.py", agent_id="a877")
    assert played.stop(agent_id="a877") == ""
    assert "6 files" in played.stop(stop_hook_active=True, background_tasks=[{"id": "b1"}])
    reply = prepared.fire("UserPromptSubmit", prompt="go on", agent_id="a877")
    assert reply.out == ""
    assert played.play("p") == "!"


def test_the_checklist_comes_first(prepared: Project) -> None:
    """One of the two at a Stop; the reminder waits for the next."""
    played = Played(prepared)
    played.play("e8 s p")
    played.path.write_text(played.path.read_text().replace("status: in_progress", "status: completed"))
    played.play("p10 e8")
    assert "- [ ] Changes committed" in played.stop()
    assert "the state file" in played.stop()


def test_work_that_goes_on_after_it_was_completed(prepared: Project) -> None:
    """A status that leads astray counts for four."""
    played = Played(prepared, DONE)
    assert "- [ ] Changes committed" in played.stop()
    played.play("e1")
    assert played.stop() == ""
    played.play("e1")
    reported = played.stop()
    assert "2 files not described" in reported
    assert "Status: completed → in_progress" in reported


@pytest.mark.parametrize("state", [TORN, "# Notes\n"], ids=["in conflict", "of no known shape"])
def test_files_without_a_reminder(prepared: Project, state: str) -> None:
    """They cannot be compared."""
    played = Played(prepared)
    played.path.write_text(state)
    assert played.play("e7 s e7 s p") == "..."


def test_a_state_file_that_was_deleted(prepared: Project) -> None:
    """There is no reminder at the Stop after it, or with the prompt that follows."""
    played = Played(prepared)
    played.play("e7")
    played.path.unlink()
    assert "!" not in played.play("s p")
    assert prepared.log == []


@pytest.mark.parametrize("variable", [None, "false"])
def test_the_setting(prepared: Project, variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project, or a person, may turn reminders off; turned on again, they tell what there is."""
    chosen = prepared.root / ".agents/holdfast.toml"
    chosen.write_text(drifting.LIMITS + ("" if variable else "nudge = false\n"))
    plain = prepared.environment
    monkeypatch.setattr(prepared, "environment", lambda *words, **more: plain(*words, HOLDFAST_NUDGE=variable, **more))
    played = Played(prepared)
    assert played.play("e7 s p s") == "..."
    chosen.write_text(drifting.LIMITS)
    monkeypatch.setattr(prepared, "environment", plain)
    assert played.play("e6 s p") == "!!"


@pytest.mark.parametrize("path", ["src/{}.py", "/elsewhere/{}.py"])
def test_a_session_without_a_state_file(here: Project, path: str) -> None:
    """There is no reminder, and nothing is stored."""
    if path.startswith("/"):
        (here.root / ".agents").mkdir()
        (here.root / ".agents/holdfast.toml").write_text(drifting.LIMITS)
    here.fire("SessionStart")
    for number in range(7):
        here.edit(path.format(number))
    assert here.fire("Stop").message == ""
    assert here.facts(kind="reminded") == []
    assert here.log == []


def test_limits_of_the_project_s_own(prepared: Project) -> None:
    """What is marked is a setting."""
    (prepared.root / ".agents/holdfast.toml").write_text("drift_limits = [1, 2, 3]\n")
    assert Played(prepared).play("e1 s e1 s") == ".!"


def test_another_state_file(prepared: Project) -> None:
    """Drift of the one says nothing about the other; the ten prompts are the session's."""
    played = Played(prepared)
    assert played.play("e7 s p") == "!!"
    assert prepared.cli("start", "The next piece", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert played.play("e7 s p8 s") == "." * 10
    assert played.play("p1 s p1") == ".!!"


def test_a_long_turn(prepared: Project) -> None:
    """In a journal that grew by hundreds of kilobytes prompts are counted all the same."""
    played = Played(prepared)
    assert played.play("e6 s p") == "!!"
    more = [{"kind": "edit", "tool": "Edit", "path": "src/one1.py", "text": "x" * 900}] * 400
    prepared.remember("one", *more)
    assert played.play("s") == "."
    played.play("e9")
    prepared.remember("one", *([{"kind": "prompt", "text": "go on"}] * 9))
    assert played.play("s p") == "!!"


SILENT = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.context import reminder
from holdfast.context.checklist import checklist
from holdfast.journal import payload
from holdfast.project import paths
before = set(sys.modules)
line = reminder.at_stop(payload.Payload({"session_id": "one"}), paths.locate(sys.argv[2]))
print(line, sorted(name for name in set(sys.modules) - before if name.startswith("holdfast")))
"""


@pytest.mark.parametrize("script", ["s", "s e1 s e2 s", "e6 s e9 p s"])
def test_a_stop_without_a_reminder_imports_nothing_expensive(prepared: Project, script: str) -> None:
    """Below the limit, and within ten prompts, the stored record decides, and nothing is written."""
    for number in range(8):  # commits from before the session do not count
        drifting.commit(prepared, f"Convert part {number}", -9000.0)
    Played(prepared).play(script)
    prepared.remember("one", {"kind": "edit", "path": "src/one1.py"}, {"kind": "prompt", "text": "go on"})
    written = {path: path.stat().st_mtime_ns for path in prepared.store.rglob("*") if path.is_file()}
    words = ["-c", SILENT, str(prepared.plugin / "plugin"), str(prepared.root)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    assert done.stdout == " []\n"
    assert {path: path.stat().st_mtime_ns for path in prepared.store.rglob("*") if path.is_file()} == written
