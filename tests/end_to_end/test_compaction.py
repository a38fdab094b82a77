"""The real client: what its summariser must keep, and what the compacted session gets back."""

from __future__ import annotations

import json
import re
import shlex
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.client.api import COMPACTION_MARK, FULL, HEAVY, Api, Hold, Request, Turn, Weigh, text, text_of, tool
from tests.client.steps import command, new, write
from tests.client.wire import Fail, Json
from tests.support.machine import snapshot
from tests.support.plugin import facts, settled, state_files, store_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.client.claude import Claude
    from tests.client.conversation import Conversation, Line

pytestmark = pytest.mark.timeout(240)

SAID = {
    "Current State": "src/known.py reads the price list.",
    "Focus": "Write the upload step",
    "Next Steps": ["Sign the upload", "Ask Mara about the quota"],
    "Decisions": ["Keep the cents: rounding lost money", "One file a shop"],
    "Open Questions": ["Which region"],
}
FILES = ("src/quota.py", "src/sign.py", "src/upload.py")
LOOP, TASK, CHILD, WORDS = "Which bucket is ours?", "Measure the tide", "LOOKOUT: go up", "keep the harbour in mind"
ASKED = "Begin with the exporter"
HEAD = "Facts of this working session"
TITLE = "## Left out by the summary"
NOTHING = "<summary>\nWe worked.\n</summary>"
MENTIONED = f"{SAID['Focus']}. {'. '.join([*SAID['Next Steps'], *SAID['Decisions'], *SAID['Open Questions']])}. {LOOP}"


@dataclass
class Work:
    """A session at work: what was done and said, and the parts of requests that this is about."""

    client: Claude
    api: Api
    session: str = field(default_factory=new)
    hold: Hold = field(default_factory=Hold)

    def script(self) -> None:
        """Let the model say what it knows, then do what the state file does not say."""
        files: Turn = [write(self.client, path) for path in ("src/known.py", *FILES)]
        look = tool("Agent", description="Look", prompt=CHILD, subagent_type="general-purpose", run_in_background=True)
        task = tool("TaskCreate", subject=TASK, description="At the pier")
        self.api.script([bash("holdfast start Exporter")], [bash(sync(SAID))], [text("Begun.")])
        self.api.script(files, [bash(f"holdfast loop add '{LOOP}'"), task, look], [text("Written.")])
        self.api.script([self.hold, text("Land.")], marker=CHILD)

    @contextmanager
    def talk(self) -> Iterator[Conversation]:
        """Begin to talk; the subagent goes on until that is over, as its end would be a turn that nobody asked for."""
        with self.client.conversation(self.session) as talk:
            try:
                yield talk
            finally:
                self.hold.release.set()

    def begin(self, talk: Conversation) -> None:
        """Do all of it and wait until the state file has the subagent, which goes on."""
        self.script()
        talk.say(ASKED)
        talk.say("Write the upload")
        assert self.hold.reached.wait(60)
        self.wait_for_child("running")  # under load its first request may come before its SubagentStart is noted
        settled(self.client.project, self.session)
        command(self.client, "settle")  # the subagent may have begun after the settle at the end of the turn
        assert "- agent: general-purpose\n" in self.state.read_text()  # its task when the client has written it

    @property
    def state(self) -> Path:
        """The state file."""
        (path,) = state_files(self.client.project)
        return path

    @property
    def child(self) -> str:
        """How the subagent is called."""
        return f"general-purpose {facts(self.client.project, self.session, 'child')[0]['agent']}"

    def wait_for_child(self, status: str = "completed") -> None:
        """Wait until the last fact of the subagent has this status."""
        end = time.monotonic() + 60
        while [fact["status"] for fact in facts(self.client.project, self.session, "child")][-1:] != [status]:
            assert time.monotonic() < end, f"the subagent is not {status}"
            time.sleep(0.1)

    @property
    def given(self) -> dict[str, str]:
        """What the summariser is to be given: a line for each thing."""
        return {
            "state": f"State file: {self.state.relative_to(self.client.project)}",
            "asked": f"The user asked for: {ASKED}",
            "focus": "Focus: Write the upload step",
            "next": "Next steps: Sign the upload; Ask Mara about the quota",
            "files": f"Files changed, which the state file does not describe: {', '.join(FILES)}",
            "decisions": "Decisions: Keep the cents: rounding lost money; One file a shop",
            "questions": "Open questions: Which region",
            "loops": f"Open loops: LOOP-001 {LOOP}",
            "running": f"Subagents still running: {self.child}",
        }

    @property
    def everything(self) -> str:
        """A text that mentions all of it."""
        return f"{MENTIONED} {self.state.name} {' '.join(FILES)} {self.child} LOOP-001 {ASKED}"

    def first(self) -> Request:
        """Give the first request of the conversation after the last compaction."""
        last = max(number for number, request in enumerate(self.api.log) if request.kind == "compaction")
        main = self.api.main_requests()
        return next(request for request in self.api.log[last:] if request in main)

    def left_out(self) -> list[str]:
        """Give what came back with it because the summary left it out, a line for each thing."""
        _, found, rest = text_of(self.first()).partition(TITLE + "\n")
        assert TITLE not in rest
        lines = rest.partition("\n\n")[0].splitlines()
        return [plain(line.removeprefix("- ")) for line in lines[1:]] if found else []

    def kept(self) -> list[dict[str, Any]]:
        """Give the snapshots as the command line lists them, the newest first."""
        found = json.loads(command(self.client, "snapshots", self.session, "--json"))
        assert isinstance(found, list)
        return found

    def folder(self, name: str = "*") -> Path:
        """Give the folder of a snapshot, of the only one without a name."""
        (found,) = store_of(self.client.project).glob(f"snapshots/{self.session}/{name}")
        return found


@pytest.fixture
def work(ready: Claude, api: Api) -> Iterator[Work]:
    """Give a session that is yet to begin, in a client whose window is small; no fault may be logged by the end."""
    ready.extra.update(FULL)
    found = Work(ready, api)
    yield found
    log = store_of(ready.project) / "errors.log"
    assert not log.exists(), log.read_text()


def bash(line: str) -> Json:
    """Give a step in which the model runs a command."""
    return tool("Bash", command=line, description="Do it")


def sync(stated: dict[str, Any]) -> str:
    """Give the command with which the model says something in its state file."""
    return f"holdfast sync --json {shlex.quote(json.dumps(stated))}"


def plain(line: str) -> str:
    """Give a line without the words about the drift in it, and files by their names."""
    label, _, names = re.sub(r"^State file \(\w+ drift\)", "State file", line).partition(": ")
    return f"{label}: {', '.join(sorted(names.split(', '))) if label.startswith('Files') else names}"


def reported(request: Request) -> list[str]:
    """Return the lines that the summariser must keep, which come after the client's own instruction."""
    whole = text_of(request)
    assert whole.rindex(COMPACTION_MARK) < whole.rindex("Additional Instructions:") < whole.rindex(HEAD)
    given = re.split(r"\n\n|\n</holdfast-|\nAt its end the analysis", whole[whole.rindex(HEAD) :])[0]
    return [plain(line) for line in given.splitlines()[1:]]


def by_hand(_work: Work, talk: Conversation) -> list[Line]:
    """Compact as a person does, and go on."""
    return [*talk.say(f"/compact {WORDS}"), *talk.say("Go on")]


def at_a_prompt(work: Work, talk: Conversation) -> list[Line]:
    """Let an answer fill the window, so that the next prompt compacts."""
    work.api.script([Weigh(HEAVY), text("That was much.")])
    talk.say("Read it all")
    assert work.api.compaction_requests() == []
    return talk.say("Go on")


def amid_a_turn(work: Work, talk: Conversation) -> list[Line]:
    """Let a call of a tool fill the window, so that its result is only seen after a compaction."""
    work.api.script([Weigh(HEAVY), text("That was much."), bash("echo land")], [text("Seen.")])
    return talk.say("Read it all")


IN_FILE = ("next", "decisions", "questions")  # what the state file says, which is in the context again
WAYS = {"by hand": by_hand, "at a prompt": at_a_prompt, "amid a turn": amid_a_turn}


@pytest.mark.parametrize("way", WAYS)
def test_what_the_summary_left_out_is_in_the_first_request_after_it(
    work: Work, plugin_copy: Path, client_version: str, way: str
) -> None:
    """The summariser has it all, the next request the whole state and exactly the rest; the user and the disk know."""
    half = f"src/sign.py, {', '.join([*SAID['Next Steps'][:1], *SAID['Decisions'][1:]])}. LOOP-001. Which region?"
    work.api.summary = f"<analysis>\n{MENTIONED}\n</analysis>\n\n<summary>\n{half}\n</summary>"
    with work.talk() as talk:
        work.begin(talk)
        stated = WAYS[way](work, talk)
        given = work.given
        (request,) = work.api.compaction_requests()
        assert reported(request) == [*given.values()]
        assert (WORDS in text_of(request)) == (way == "by hand")
        wanted = given | {"files": "Files changed, which the state file does not describe: src/quota.py, src/upload.py"}
        missing = [wanted[name] for name in wanted if name not in (*IN_FILE, "loops")]
        assert sorted(work.left_out()) == sorted(missing)
        _, _, body = work.folder().joinpath("state.md").read_text().partition("\n# Session")
        shown = [line for line in body.splitlines() if line and not line.startswith("<!--")]
        assert [line for line in shown if line not in text_of(work.first())] == []
        assert all(any(words in line for line in shown) for words in (TASK, *SAID["Decisions"], *FILES))
    about = "holdfast: the state file is in the context again"
    after = way != "by hand"  # a person who types /compact has read the line before the compaction
    assert any(about in line.get("output", "") for line in stated if line.get("subtype") == "hook_response") == after
    if client_version != "2.1.197":
        assert (
            any(about in line.get("content", "") for line in stated if line.get("subtype") == "informational") == after
        )
    assert not re.search(r"(post_compact\.py\] completed successfully:|\] failed)", json.dumps(stated))
    (known,) = work.kept()
    assert (known["trigger"], known["compacted"]) == ("manual" if way == "by hand" else "auto", True)
    assert sum(len(one["names"]) for one in known["left_out"]) == 8
    assert sorted(path.name for path in work.folder().iterdir()) == [
        "brought.json",
        "facts.json",
        "state.md",
        "summary.md",
    ]
    assert work.folder().joinpath("summary.md").read_text() == work.api.summary
    limits = json.loads((plugin_copy / "hooks/hooks.json").read_text())["hooks"]
    runs = work.client.hook_runs(work.session)
    assert "SessionStart:compact" in [run.hook for run in runs]
    assert [run for run in runs if run.exit_code] == []
    assert [run for run in runs if run.hook.startswith("PostCompact")] == []
    assert all(run.milliseconds < limits[run.hook.partition(":")[0]][0]["hooks"][0]["timeout"] * 1e3 for run in runs)


def test_what_a_summary_mentions_is_not_brought_back(work: Work) -> None:
    """All of it, or nothing, or only the thoughts before the summary do; and of two summaries the last one counts."""
    with work.talk() as talk:
        work.begin(talk)
        missing = [line for name, line in work.given.items() if name not in IN_FILE]
        cases = {
            f"<summary>{work.everything}</summary>": [],
            NOTHING: missing,
            f"<analysis>{work.everything}</analysis>\n{NOTHING}": missing,
        }
        for summary, wanted in cases.items():
            work.api.summarise(summary)
            talk.say("/compact")
            talk.say("Go on")
            assert sorted(work.left_out()) == sorted(wanted), summary
            talk.say("And on")
        before = len(work.api.compaction_requests())
        work.api.summarise(work.everything)  # which some clients are not content with
        work.api.summary = NOTHING
        talk.say("/compact")
        talk.say("Go on")
        asked = len(work.api.compaction_requests()) - before
        assert sorted(work.left_out()) == (sorted(missing) if asked == 2 else [])
    assert [one["compacted"] for one in work.kept()] == [True] * 4


def test_the_user_sees_one_line_in_the_terminal(work: Work) -> None:
    """Under the words of the client: what the summary keeps."""
    work.script()
    with work.client.terminal("--session-id", work.session) as terminal:
        terminal.send("Begin with the exporter")
        terminal.wait_for("Begun.")
        terminal.send("Write the upload")
        terminal.wait_for("Written.")
        terminal.send("/compact")
        terminal.wait_for("Keep: ")
        work.hold.release.set()
        work.wait_for_child()  # while it runs, the client asks before it exits
        terminal.send("/exit")
        terminal.wait_closed()


def test_a_compaction_that_fails_leaves_nothing_behind(work: Work) -> None:
    """The next one begins anew and brings back what its own summary left out; only finished ones are kept."""
    work.client.extra["CLAUDE_CODE_MAX_RETRIES"] = "0"
    work.api.summary = Fail(400, "no wind")
    with work.talk() as talk:
        work.begin(talk)
        stated = written(work.state)
        assert "no wind" in talk.say("/compact")[-1]["result"]
        assert "Go on" in text_of(after(talk, work, "Go on"))
        work.api.script([Weigh(HEAVY), text("That was much.")])
        talk.say("Read it all")
        assert TITLE not in text_of(after(talk, work, "Go on"))
        assert [one["compacted"] for one in work.kept()] == [False]
        work.api.summary = f"<summary>{work.everything}</summary>".replace("src/sign.py", "")
        for _ in range(2):
            by_hand(work, talk)
            assert work.left_out() == ["Files changed, which the state file does not describe: src/sign.py"]
            talk.say("/compact")  # "Not enough messages", or one more summary of the summary
            talk.say("And on")
    finished = [line for line in talk.lines if line.get("subtype") == "compact_boundary"]
    assert [one["compacted"] for one in work.kept() if one["compacted"]] == [True] * len(finished)
    assert len(work.kept()) <= len(finished) + 1
    assert written(work.state) == stated


def written(state: Path) -> str:
    """Give what the model wrote in its state file, without the times and lists that holdfast keeps.

    Blockers are there, and "None." afterwards, when a file was brought up to date between an error and the next turn.
    """
    return re.split("## (?:Blockers|Files|Execution)", state.read_text().partition("# Session")[2])[0]


def after(talk: Conversation, work: Work, prompt: str) -> Request:
    """Say something and give the request that it led to."""
    talk.say(prompt)
    return work.api.main_requests()[-1]


def test_a_spoiled_file_is_restored_and_whoever_goes_on_has_the_state(work: Work, client_version: str) -> None:
    """After a compaction the model itself brings its file back; a session that is resumed, or forked, knows of it."""
    with work.talk() as talk:
        work.begin(talk)
        by_hand(work, talk)
        (known,) = work.kept()
        work.api.script(
            [bash(f"echo lost > {work.state}")], [bash(f"cat {work.state}; holdfast restore {known['name']}")]
        )
        talk.say("Tidy up")
        assert f"Restored {work.state.relative_to(work.client.project)}" in text_of(work.api.main_requests()[-1])
        assert work.state.read_bytes() == work.folder(known["name"]).joinpath("state.md").read_bytes()
    settled(work.client.project, work.session)
    work.client.run("Go on", resume=work.session)
    assert "> - Sign the upload" in brief(work.api.main_requests()[-1])
    work.client.run("Go another way", resume=work.session, args=["--fork-session"])
    reported = brief(work.api.main_requests()[-1])
    assert ("> - Sign the upload" if client_version == "2.1.197" else "  Next: Sign the upload; Ask Mara") in reported


def brief(request: Request) -> str:
    """Give what the last start of a session brought into a request."""
    return text_of(request).rpartition("SessionStart hook additional context: ")[2]


def wait_for(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_subagent_that_compacts_leaves_its_parents_snapshots_alone(work: Work, client_version: str) -> None:
    """What was kept of the parent stays as it is, byte for byte; who says whose compaction it is adds none."""
    with work.talk() as talk:
        work.begin(talk)
        by_hand(work, talk)
        home = store_of(work.client.project) / "snapshots" / work.session
        (before,) = [name for name in snapshot(home) if "/" not in name]
        kept, own = snapshot(home / before), written(work.state)
        steps: list[Turn] = [[text("Up."), bash("echo sail")] for _ in range(4)]
        steps[-1].insert(0, Weigh(HEAVY))
        work.api.script(*steps, [text("Land.")], marker="MASTHEAD")
        look = tool("Agent", description="Look", prompt="MASTHEAD: go up", subagent_type="general-purpose")
        work.api.script([look], [text("Sent.")])
        talk.say("Send one up")
        wait_for(lambda: len(work.api.compaction_requests()) == 2)
        wait_for(lambda: len(facts(work.client.project, work.session, "child")) == 3)
    assert snapshot(home / before) == kept
    assert written(work.state) == own
    if client_version != "2.1.197":  # which does not say whose compaction it is
        assert [one["name"] for one in work.kept()] == [before]
        assert HEAD not in text_of(work.api.compaction_requests()[-1])
