"""The end of a piece of work: both lists, what is measured in them, and when they are shown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.checklist import checklist, unfinished
from holdfast.core.cache import Cache
from holdfast.formats import catalogue, names
from holdfast.project import settings
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import drifting, hooks
from tests.support.drifting import GSD, NAME, child, edit, loops, task
from tests.support.facts import fold
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
AGENTS = shapes.AGENTS[1]
DONE = swap(AGENTS, ("status: in_progress", "status: completed"), ("- Try a file of 5 GB", "- None"))
KNOWLEDGE = ["tracking", "details", "decisions", "contracts", "remaining"]
DELETION = ["issue", "adrs", "lessons", "backlog", "references", "delete"]
MEASURED = ["steps", "tasks", "loops", "todos", "children", "uncommitted", "state", "unfilled"]


def worked(project: Project, *facts: dict[str, Any], state: str = AGENTS) -> None:
    """Let a session work on a project that has loops and two files with TODO in them."""
    known = [("LOOP-004", "open", "Which rate counts"), ("LOOP-012", "closed", "Lineage")]
    drifting.put(project, ".agents/LOOPS.md", loops(*known))
    drifting.put(project, "src/a.py", "one = 1  # TODO: from before\n")
    drifting.begin(project, state, *facts)


def lists(project: Project, *words: str, named: str = "exporter") -> dict[str, Any]:
    """Return what `holdfast close` says, as values."""
    reply = project.cli("close", *filter(None, [named]), "--json", *words)
    assert (reply.code, reply.err) == (0, "")
    row = json.loads(reply.out)
    assert isinstance(row, dict)
    return row


def test_both_lists_in_order(prepared: Project) -> None:
    """First where knowledge belongs, then what is measured, then what is asked, in the words of the format."""
    worked(prepared, edit("src/a.py"))
    row = lists(prepared, "--check")
    assert row["written"] is False
    assert [item["kind"] for item in row["findings"]] == KNOWLEDGE + MEASURED + DELETION
    words = [item["what"] for item in row["findings"]]
    assert words[13:18] == [
        "External issue updated with final status",
        "Decisions captured as ADRs (if architectural)",
        "Lessons learned added to relevant docs",
        "Remaining work created as issues",
        "No orphaned references to session file",
    ]


def test_what_is_measured_is_ticked_or_named(prepared: Project) -> None:
    """Each item is open with what speaks against it, and ticked once nothing does."""
    state = swap(AGENTS, ("- [x] Old links still work", "- TBD"))
    worked(prepared, task("pending", "Convert"), child("running"), edit("src/a.py"), state=state)
    path = drifting.put(prepared, "src/a.py", "one = 1  # TODO: from before\ntwo = 2  # FIXME: round\n")
    prepared.git("add", "--all")
    row = lists(prepared, "--check")
    reported = {item["kind"]: item for item in row["findings"]}
    assert [kind for kind in MEASURED if reported[kind]["level"] == "ok"] == []
    assert reported["tasks"]["evidence"] == ["Convert"]
    assert reported["loops"]["evidence"] == ["LOOP-004 Which rate counts"]
    assert reported["uncommitted"]["evidence"] == ["src/a.py"]
    assert reported["children"]["evidence"] == ["Explore"]
    assert reported["state"]["evidence"] == ["src/a.py"]
    assert reported["unfilled"]["evidence"] == ["Acceptance Criteria (line 25)"]
    remaining = next(item for item in row["findings"] if item["kind"] == "remaining")
    assert remaining["evidence"] == ["1 task", "1 loop", "1 TODO"]
    path.write_text("one = 1\n")
    drifting.commit(prepared, "Convert")
    drifting.put(prepared, ".agents/LOOPS.md", loops(("LOOP-004", "closed", "x")))
    drifting.put(prepared, NAME, DONE)
    drifting.commit(prepared, "state")
    now = time.time()
    done = [task("completed", "Convert", at=-5), child(at=-5), {"kind": "state", "path": NAME, "by": "sync", "at": -5}]
    prepared.remember("one", *({**fact, "at": now + fact["at"]} for fact in done))
    reported = {item["kind"]: item for item in lists(prepared, "--check")["findings"]}
    assert [kind for kind in MEASURED if reported[kind]["level"] != "ok"] == []
    assert not any(reported[kind]["evidence"] for kind in MEASURED)


PLANNED = "\n## Plans\n\n| ID | Title | Status | Proposed |\n|---|---|---|---|\n| PLAN-001 | Split it | {} | today |\n"
LISTED = "\n## Tasks\n\n- [ ] TASK-003 - Convert\n- [x] TASK-004 - Round\n- [-] TASK-005 - Sort\n- [ ] Print\n"
# State files, facts, and what is not finished by them.
UNFINISHED: dict[str, tuple[str, tuple[dict[str, Any], ...], list[str]]] = {
    "a task at hand": (GSD, (), ["TASK-002 - Read the price list"]),
    "a task at hand that the session has, too": (GSD, (task("in_progress"),), ["Read the price list"]),
    "a task at hand without a title": (swap(GSD, ("TASK-002 - Read the price list", "TASK-002")), (), ["TASK-002"]),
    "no task at hand": (swap(GSD, ("TASK-002 - Read the price list", "None (TASK-002 is complete)")), (), []),
    "words without an id": (swap(GSD, ("TASK-002 - Read the price list", "Read")), (), ["Read"]),
    "open boxes": (AGENTS + LISTED, (), ["TASK-003 - Convert", "Print"]),
    "open boxes that others name": (
        *(AGENTS + LISTED, (task("pending", "convert"), task("completed", "Print", "2"))),
        ["convert", "Print"],
    ),
    "a plan that waits": (AGENTS + PLANNED.format("proposed"), (), ["PLAN-001 waits for approval"]),
    "a plan that is at hand and waits": (
        swap(GSD, ("TASK-002 - Read the price list", "PLAN-001 - Split it")) + PLANNED.format("proposed"),
        (),
        ["PLAN-001 waits for approval"],
    ),
    "a plan that was approved and is at hand": (
        swap(GSD, ("TASK-002 - Read the price list", "PLAN-001 - Split it")) + PLANNED.format("approved"),
        (),
        ["PLAN-001 - Split it"],
    ),
    "nothing": (AGENTS + PLANNED.format("rejected"), (task("completed"), task("deleted", "x", "2")), []),
}


@pytest.mark.parametrize(("state", "facts", "left"), UNFINISHED.values(), ids=UNFINISHED)
def test_what_is_not_finished(
    prepared: Project, state: str, facts: tuple[dict[str, Any], ...], left: list[str]
) -> None:
    """Tasks of the session and of the file, the one at hand, and a plan that waits: each once, whoever names it."""
    worked(prepared, *facts, state=state)
    item = next(item for item in lists(prepared, "--check")["findings"] if item["kind"] == "tasks")
    assert (item["evidence"], item["level"] == "ok") == (left, not left)


def test_what_is_not_finished_is_shown_at_the_stop_and_at_the_next_start(prepared: Project) -> None:
    """The same counts wherever the list is shown."""
    path = begun(prepared, GSD + LISTED)
    stop(prepared)
    path.write_text(path.read_text().replace("**Status:** Working", "**Status:** Complete"))
    wanted = "- [ ] Tasks finished; 3 open: TASK-002 - Read the price list, TASK-003 - Convert, Print"
    assert wanted in stop(prepared)
    prepared.fire("SessionEnd")
    prepared.settled()
    assert wanted in prepared.cli("checklist", "one").out


TORN = swap(AGENTS, ("## Context", "<<<<<<< a\n=======\n>>>>>>> b\n## Context"))
SAYS = {"state": "State file says what was done", "unfilled": "State file filled in"}


@pytest.mark.parametrize(
    ("state", "why"),
    [(TORN, "line 15: a merge left conflict markers"), ("# Notes\n", "none of the known")],
    ids=["torn", "?"],
)
def test_a_state_file_that_cannot_be_read(prepared: Project, state: str, why: str) -> None:
    """Nobody can tell what it says: both items are open, with the reason."""
    worked(prepared, edit(NAME), state=state)
    reported = {item["kind"]: item for item in lists(prepared, "--check")["findings"]}
    for kind, words in SAYS.items():
        assert (reported[kind]["what"], reported[kind]["level"] == "ok") == (words, False)
        assert why in reported[kind]["evidence"][0]


def test_the_file_says_what_was_done_as_recovery_has_it(prepared: Project) -> None:
    """What is mentioned, a record, or made and gone again speaks against nothing, here as there."""
    state = swap(AGENTS, ("works against the test bucket.", "works against the test bucket. See ../src/a.py."))
    facts = [edit(name) for name in ("src/a.py", ".agents/LOOPS.md", "gone.py", "src/b.py", ".continue-here.md")]
    worked(prepared, *facts, state=state)
    drifting.put(prepared, "src/b.py", "")
    reported = {item["kind"]: item for item in lists(prepared, "--check")["findings"]}
    assert reported["state"]["evidence"] == ["src/b.py"]
    assert drifting.found(prepared, "files") == ["Files changed and not described: src/b.py"]
    drifting.put(prepared, NAME, state.replace("../src/a.py", "../src/a.py and b.py"))
    reported = {item["kind"]: item for item in lists(prepared, "--check")["findings"]}
    assert (reported["state"]["level"] == "ok", drifting.found(prepared, "files")) == (True, [])


def test_what_was_closed_goes_without_being_named(prepared: Project) -> None:
    """After it was completed it is the one that is meant to be looked at and to go, unless another one is active."""
    drifting.put(prepared, NAME, swap(DONE, ("status: completed", "status: in_progress")))
    other = drifting.put(prepared, ".agents/sessions/other.md", swap(AGENTS, ("status: in_progress", "status: paused")))
    commit(prepared)
    assert prepared.cli("close").code == 0
    assert prepared.cli("close").code == 1
    commit(prepared)
    assert lists(prepared, "--check", named="")["path"] == NAME
    other.write_text(AGENTS.replace("Move the exporter", "Move another one"))
    commit(prepared)
    assert lists(prepared, "--check", named="")["path"] == ".agents/sessions/other.md"
    other.write_text(DONE)
    commit(prepared)
    reply = prepared.cli("close", "--delete")
    assert (reply.code, "2 state files are completed:" in reply.err) == (1, True)
    other.unlink()
    commit(prepared)
    assert prepared.cli("close", "--delete").code == 0
    assert not (prepared.root / NAME).exists()


@pytest.mark.parametrize("command", [("close",), ("finish", "one", "done"), ("finish", "one", "drop")])
def test_a_step_that_is_open_when_the_work_is_over_is_named_and_kept(
    prepared: Project, command: tuple[str, ...]
) -> None:
    """Whoever closes work with a next step is told so first, and the file says what was left open."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of 2024")
    prepared.edit("invoices.py")
    prepared.fire("Stop", last_assistant_message="The dates are parsed.\n\nOpen:\n- Ben opens the firewall")
    prepared.fire("UserPromptSubmit", prompt="the sums, too")
    prepared.fire("Stop", last_assistant_message="The sums are there.\n\nNext steps:\n- the totals\n\nWhich rounding?")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert prepared.cli(*command).code == 0
    (path,) = prepared.state_files()
    following = path.read_text().partition("## Next Steps")[2].partition("\n## ")[0]
    assert "- Left open: the totals" in following
    assert "- Left open: Ben opens the firewall\n" in following
    assert "- Left open: Answer Claude: Which rounding?" in following
    shown = prepared.cli("close", "one", "--check").out
    (item,) = [line for line in shown.splitlines() if "Next steps done" in line]
    assert item.startswith("- [ ] Next steps done, questions answered; 3 open: the totals")


def test_a_session_deletes_its_own_file(prepared: Project) -> None:
    """Claude's own session means its own, whatever else is completed or active."""
    drifting.begin(prepared, DONE)
    drifting.put(prepared, ".agents/sessions/done.md", DONE)
    drifting.put(prepared, ".agents/sessions/other.md", AGENTS)
    commit(prepared)
    assert prepared.cli("close", "--delete", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert not (prepared.root / NAME).exists()


def test_a_check_writes_nothing(prepared: Project) -> None:
    """Nothing is set, staged or journaled, and the lists are those that closing prints."""
    worked(prepared)
    before = snapshot(prepared.root)
    reply = prepared.cli("close", "exporter", "--check")
    assert (reply.code, reply.err) == (0, "")
    changed = {name for name, state in snapshot(prepared.root).items() if before.get(name) != state}
    assert not {name for name in changed if not name.startswith(".git/")}
    assert prepared.facts(kind="completed") == prepared.facts(kind="measured") == []
    closed = prepared.cli("close", "exporter").out
    assert f"\n{NAME} updated:\n  Status" in closed
    still_open = [line for line in closed.splitlines() if line.startswith("- [ ]")]
    assert reply.out.splitlines()[: len(still_open)] == still_open
    assert reply.out.endswith("Complete it: holdfast close one\n")
    assert max(reply.out.count("\n"), closed.count("\n")) <= checklist.MOST
    assert prepared.cli("close", "exporter", "--check", "--delete").code == 2


def journaled(project: Project, *names: str, started: float) -> unfinished.Left:
    """Return what is left of a session that changed these files."""
    facts = [{"at": started, "kind": "start", "root": str(project.root)}]
    facts += [{"at": started + 1, "kind": "edit", "path": name} for name in names]
    return unfinished.left_in(fold("one", facts, str(project.root)), str(project.root))


def commit(project: Project) -> None:
    """Commit all there is, now."""
    project.git("add", "--all")
    project.git("commit", "-q", "-m", "all")


def test_only_lines_that_the_session_added(prepared: Project) -> None:
    """TODO and FIXME count where the session wrote them: in the diff against where it began, and in new files."""
    drifting.put(prepared, "a.py", "# TODO old\nx = 1\n# FIXME old\n")
    drifting.put(prepared, "untouched.py", "# TODO\n")
    commit(prepared)
    time.sleep(1.1)  # git remembers the time of what was checked out in seconds
    started = time.time()
    time.sleep(1.1)
    drifting.put(prepared, "a.py", "# TODO old\nx = 1\ny = 2  # TODO: new\n# FIXME old\n--- FIXME\n")
    drifting.put(prepared, "committed.py", "++ TODO too\n")
    commit(prepared)
    drifting.put(prepared, "new.py", "todo\nTODOS\n\n# FIXME(mara)\n")
    left = journaled(prepared, "a.py", "committed.py", "new.py", "gone.py", started=started)
    assert left.of == unfinished.ADDED
    assert left.lines == [
        "a.py:3: y = 2 # TODO: new",
        "a.py:5: --- FIXME",
        "committed.py:1: ++ TODO too",
        "new.py:4: # FIXME(mara)",
    ]


NAMES = ['it\'s "quoted".py', "tab\there.py", "b\\slash.py", "ü n.py", "new\nline.py", "-x.py", "[a]*.py", "c/+++ b.py"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_files_of_any_name(prepared: Project, name: str) -> None:
    """Whatever a file is called, its lines are found, and named in one line."""
    drifting.put(prepared, name, "a\n")
    commit(prepared)
    time.sleep(1.1)
    started = time.time()
    drifting.put(prepared, name, "a\nb TODO\n")
    (line,) = journaled(prepared, name, started=started).lines
    assert line.endswith(":2: b TODO")
    assert line.startswith(" ".join(name.split()))
    assert "\n" not in line


def test_outside_git_whole_files_count(tmp_path: Path) -> None:
    """Where it is not known which lines are new, the message says that whole files were looked at."""
    (tmp_path / "a.py").write_text("# TODO\n")
    facts = [{"at": 1e9, "kind": "edit", "path": "a.py"}]
    left = unfinished.left_in(fold("one", facts, str(tmp_path)), str(tmp_path))
    assert (left.of, left.lines) == (unfinished.PRESENT, ["a.py:1: # TODO"])


def test_ten_are_named_and_all_are_counted(prepared: Project) -> None:
    """A file with many has ten of them named; one that is too large, a link or no file is not looked at."""
    started = time.time() + 1
    drifting.put(prepared, "a.py", "# TODO\n" * 15)
    drifting.put(prepared, "large.txt", "# TODO\n" * (1 << 18))
    (prepared.root / "link.py").symlink_to("a.py")
    (prepared.root / "folder.py").mkdir()
    os.mkfifo(prepared.root / "pipe.py")
    left = journaled(prepared, "a.py", "large.txt", "link.py", "folder.py", "pipe.py", started=started)
    assert (left.count, len(left.lines)) == (15, 10)


def stop(project: Project) -> str:
    """Let a turn end, and return what the user is shown; the settle behind it is waited for."""
    message = project.fire("Stop").message
    project.settled()
    return message


def begun(project: Project, state: str = AGENTS) -> Path:
    """Let a session hold a state file."""
    path = drifting.put(project, NAME, state)
    commit(project)
    project.fire("SessionStart")
    project.edit(str(path))
    return path


PLAIN = hooks.STATE.format(
    title="The parser",
    status="in_progress",
    updated="2025-12-04T15:00:00Z",
    task="Read",
    state="Half.",
    following="Rest",
)


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param("- completed+ in_progress- completed+", id="reopened"),
        pytest.param("- completed+ done- in_progress- completed+", id="reopened after another word for completed"),
        pytest.param("- paused- completed+ completed- completed-", id="the same again"),
    ],
)
def test_completed_is_shown_each_time_the_status_turns(prepared: Project, turns: str) -> None:
    """`+` after a status: the list is shown at the Stop that follows. No other line near the status says completed."""
    path = begun(prepared, PLAIN)
    before = "in_progress"
    for turn in turns.split():
        status = turn[:-1] or before
        path.write_text(path.read_text().replace(f"status: {before}\n", f"status: {status}\n"))
        assert bool(stop(prepared)) == (turn[-1] == "+"), turn
        before = status


def test_completed_is_shown_once(prepared: Project) -> None:
    """The first Stop after the status has turned shows what is open, and so does the first after it was reopened."""
    path = begun(prepared)
    assert stop(prepared) == ""
    for turn in range(2):
        path.write_text(path.read_text().replace("status: in_progress", "status: completed"))
        reported = stop(prepared)
        assert reported.startswith('holdfast: "Move the exporter to object storage" is completed.'), turn
        assert "\n- [ ] Changes committed" in reported
        assert "Delete" not in reported
        assert len(reported.splitlines()) <= checklist.MOST
        assert stop(prepared) == ""
        path.write_text(path.read_text().replace("the test bucket", f"the test bucket {turn}"))
        assert stop(prepared) == ""
        path.write_text(path.read_text().replace("status: completed", "status: in_progress"))
        assert stop(prepared) == ""
    assert [fact["status"] for fact in prepared.facts(kind="completed")] == ["completed", "", "completed", ""]
    assert prepared.log == []


def test_no_word_for_completed_escapes_the_look_at_a_stop() -> None:
    """Every word and sign that comes to completed, in any dialect, is one that a Stop looks for."""
    formats = catalogue.known("", Cache(""))
    known = [word for file_format in formats for word in file_format.status["completed"]]
    known += [word.replace("_", " ") for word in names.GENERAL_STATUSES["completed"].split()]
    known += [sign for sign, meant in names.SIGNS.items() if meant == "completed"]
    assert len(known) > 20
    assert [word for word in known if not any(over in word.lower().encode() for over in checklist.OVER)] == []


def test_whoever_completes_it(prepared: Project) -> None:
    """`holdfast close` in another terminal counts as well as an edit, in each format's words."""
    begun(prepared, shapes.N5[1])
    assert stop(prepared) == ""
    assert prepared.cli("close", "exporter").code == 0
    assert "is completed." in stop(prepared)


def test_a_status_that_a_project_calls_otherwise(prepared: Project) -> None:
    """In a project with shapes of its own any change is looked at."""
    own = 'places = [".agents/sessions/*.md"]\nrecognised = [["label:Stand"]]\nmodel.status = ["label:Stand"]\n'
    (prepared.root / ".agents/holdfast.toml").write_text(f"[formats.own]\n{own}")
    path = begun(prepared, "# Export\n\n**Stand:** open\n")
    assert stop(prepared) == ""
    path.write_text("# Export\n\n**Stand:** done\n")
    assert '"Export" is completed.' in stop(prepared)


@pytest.mark.parametrize("what", ["no state file", "deleted", "a subagent", "a folder that cannot be written"])
def test_when_nothing_is_shown(prepared: Project, what: str) -> None:
    """Nothing to show is no fault; where nothing can be remembered it is shown all the same."""
    fields = {"agent_id": "a877"} if what == "a subagent" else {}
    if what == "no state file":
        prepared.fire("SessionStart")
    else:
        path = begun(prepared, DONE)
        if what == "deleted":
            path.unlink()
        if what.startswith("a folder"):
            (prepared.store / "stopped").write_text("")
    reported = prepared.fire("Stop", **fields).message
    assert bool(reported) == what.startswith("a folder")
    prepared.settled()
    assert prepared.log == []


READ = """
import sys, os
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
sys.path.insert(0, sys.argv[1])
from holdfast.context.checklist import checklist
from holdfast.journal import payload
from holdfast.project import paths
body = payload.Payload({"session_id": "one"})
told = checklist.at_stop(body, paths.locate(sys.argv[2]), 0.0)
print(told, [name for name in opened if name.endswith((".jsonl", ".md"))], "holdfast.formats.state_file" in sys.modules)
"""


def test_a_stop_reads_neither_journal_nor_file_when_nothing_was_written(prepared: Project) -> None:
    """One look at the file system decides; a change of other lines is read, and nothing is parsed for it."""
    (prepared.root / ".agents/holdfast.toml").write_text(settings.TEMPLATE)  # which names dialects in a comment
    path = begun(prepared)
    stop(prepared)
    assert prepared.fire("Stop").message == ""
    prepared.settled()

    def look() -> str:
        words = ["-c", READ, str(prepared.plugin / "plugin"), str(prepared.root)]
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    look()
    assert look() == "[] False"
    path.write_text(path.read_text().replace("the test bucket", "both buckets"))
    assert look() == f"['{path}'] False"
    agent = "  spawned_agents:\n    - agent: tests\n      task: Run them\n      status: completed\n"
    path.write_text(path.read_text().replace("  spawned_agents: []\n", agent))
    assert "status: completed" in path.read_text()
    assert look() == f"['{path}'] False"


def test_the_next_start_shows_what_was_measured_at_the_end(prepared: Project) -> None:
    """Open loops and TODO are in the checklist that an ended session leaves."""
    drifting.put(prepared, ".agents/LOOPS.md", loops(("LOOP-004", "open", "Which rate counts")))
    begun(prepared)
    drifting.put(prepared, "a.py", "x = 1  # TODO: round\n")
    prepared.edit("a.py")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert "1 TODO left: /holdfast:checklist one" in prepared.fire("SessionStart", "two").message
    reported = prepared.cli("checklist", "one", "--all").out
    assert "- [ ] Loops closed; 1 open: LOOP-004 Which rate counts" in reported
    assert "- [ ] No TODO or FIXME left in the lines added; 1 open: a.py:1: x = 1 # TODO: round" in reported
    assert "- [x] State file filled in" in reported
