"""The hub in the real client: who is in it, whose child it is, what became of it, and how it is picked up again."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.client.api import Hold, Turn, text, text_of, tool
from tests.client.claude import Claude, kill
from tests.client.fixtures import git
from tests.client.steps import command, listed, new, write
from tests.support.plugin import settled, state_files
from tests.support.updates import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api

pytestmark = pytest.mark.timeout(240)
LIMIT = 60.0
NAMES = ("one", "two", "three")
OF = " (child of Claude)"  # how the protocol ends the heading of a child


def tree(client: Claude) -> dict[str, dict[str, Any]]:
    """Give `holdfast tree --all` by id."""
    return {row["id"]: row for row in json.loads(command(client, "tree", "--all", "--json"))}


@pytest.fixture(autouse=True)
def _hub_in_the_tree(request: pytest.FixtureRequest) -> None:
    """Keep the hub in the tree, where people and git change it, too."""
    if "ready" in request.fixturenames:
        ready = request.getfixturevalue("ready")
        settings = ready.project / ".agents/holdfast.toml"
        settings.write_text(settings.read_text() + 'hub = "tracked"\n')
        command(ready, "trust", "--yes")


def hub(client: Claude) -> str:
    """Give the text of the hub, brought up to date."""
    command(client, "settle")
    return (client.project / ".agents/SESSION-STATE.md").read_text()


def children(client: Claude, session: str) -> dict[str, str]:
    """Give the status of each child of a session by what it was called to do, as the tree and the list have it.

    The client may note what it was called to do only after its start was written into the hub.
    """
    command(client, "settle", "--hub", "--session", session)
    known = tree(client)
    kids = [known[kid["id"]] for kid in listed(client)[session]["children"]]
    assert all(kid["title"].endswith(OF) for kid in kids)
    return {kid["title"].removesuffix(OF).rpartition(" - ")[2]: kid["status"] for kid in kids}


def delegate(client: Claude, api: Api) -> list[Hold]:
    """Script a parent that starts three subagents in the background, each of which writes a file and then waits."""
    holds = [Hold() for _ in NAMES]
    for name, hold in zip(NAMES, holds, strict=True):
        marker = f"CHILD-{name}:"
        api.script([write(client, f"src/{name}.py")], [hold, text(f"Part {name} is done.")], marker=marker)
    calls: Turn = [
        tool(
            "Agent",
            description=f"Part {name}",
            prompt=f"CHILD-{name}: do it",
            subagent_type="general-purpose",
            run_in_background=True,
        )
        for name in NAMES
    ]
    api.script(calls, [text("All three are at work.")], marker="Delegate")
    return holds


def wait_until(true: Any) -> None:
    """Wait until something holds."""
    end = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_what_sessions_do_stands_in_the_hub_and_what_people_write_there_stays(ready: Claude, api: Api) -> None:
    """A session gets an entry with file, branch and state file, kept over its life; a note by hand stays."""
    session = new()
    api.script([write(ready, "src/parser.py")], [text("Totals are next.")])
    ready.run("Parse the invoices", session_id=session)
    settled(ready.project, session)
    path = ready.project / ".agents/SESSION-STATE.md"
    path.write_text(path.read_text() + "\n## Who to ask\nMara, on weekdays.\n")
    (state,) = state_files(ready.project)
    reported = hub(ready)
    for line in (
        f"**Session ID:** `{session}`\n",
        "**Status:** active\n",
        "**Agent:** claude\n",
        "**Branch:** main\n",
        f"- State file: {state.relative_to(ready.project)}\n",
        "- Files changed: src/parser.py\n",
    ):
        assert line in reported
    state.write_text(state.read_text().replace("status: in_progress", "status: completed"))
    command(ready, "trust", "--yes")
    api.script([write(ready, "src/second.py")], [text("Done.")])
    ready.run("Something else", session_id=new())
    after = hub(ready)
    assert after.index("## Session History") < after.index(f"`{session}`")
    assert after.index("Something else") < after.index("## Session History")
    assert after.endswith("\n## Who to ask\nMara, on weekdays.\n")
    assert "is valid: 2 entries, 1 of them open" in command(ready, "validate")
    assert ".agents/SESSION-STATE.md" in git(ready.project, "diff", "--cached", "--name-only").split()


PROTOCOL = f"""\
# 🧞 Genie Session State
**Last Updated:** !`date -u +"%Y-%m-%d %H:%M:%S UTC"`

> Ask Mara before you delete anything.

{EXAMPLE}
---
*Kept by hand since the summer.*
"""


def test_the_hub_of_the_protocol_is_extended_by_real_sessions_and_stays_what_it_was(ready: Claude, api: Api) -> None:
    """Each line that was there is still there, in its order; the new session is among them; all is valid."""
    path = ready.project / ".genie/SESSION-STATE.md"
    path.parent.mkdir()
    path.write_text(PROTOCOL)
    command(ready, "trust", "--yes")
    session = new()
    api.script([write(ready, "src/a.py")], [text("Done.")])
    ready.run("Write a", session_id=session)
    settled(ready.project, session)
    assert f"`{session}`" in path.read_text()
    rest = iter(path.read_text().splitlines())
    assert [line for line in PROTOCOL.splitlines() if line not in rest] == []
    assert path.read_text().endswith("*Kept by hand since the summer.*\n")
    assert command(ready, "validate") == "✓ .genie/SESSION-STATE.md is valid: 4 entries, 3 of them open\n"
    command(ready, "update", "action=completed", "session_id=pr-xyz-ghi789", "context=pull_request:#92")
    assert path.read_text().index("## Session History") < path.read_text().index("### PR Workflow")
    assert "; pull_request: #92\n" in path.read_text()
    assert command(ready, "validate").startswith("✓")
    ready.run("And now?", session_id=new())
    known = text_of(api.main_requests()[-1])
    assert "Git Neuron - Feature XYZ Implementation (git-xyz-abc123, active, " in known
    assert "PR Workflow" not in known


def test_a_session_that_only_talked_has_no_entry(ready: Claude, api: Api) -> None:
    """Who changed nothing and started nobody is not in the hub, and no hub is made for it."""
    api.script([text("Hello.")])
    ready.run("What is this?", session_id=new())
    command(ready, "settle")
    assert not (ready.project / ".agents/SESSION-STATE.md").exists()


def test_three_background_subagents_are_children_with_the_status_they_have(ready: Claude, api: Api) -> None:
    """While they run they are active, after they finished completed; their hooks leave the parent's state alone."""
    session, holds = new(), delegate(ready, api)
    process = ready.start("Delegate three parts", session_id=session)
    try:
        assert all(hold.reached.wait(LIMIT) for hold in holds)
        at_work = {f"Part {name}": "active" for name in NAMES}  # the client notes what they are called a moment later
        wait_until(lambda: children(ready, session) == at_work)
        holds[0].release.set()
        wait_until(lambda: children(ready, session)["Part one"] == "completed")
        assert children(ready, session)["Part two"] == "active"
    finally:
        for hold in holds:
            hold.release.set()
        process.communicate(timeout=LIMIT)
    settled(ready.project, session)
    assert children(ready, session) == {f"Part {name}": "completed" for name in NAMES}
    reported = hub(ready)
    for name in NAMES:
        entry = reported[reported.index(f"### General-purpose - Part {name}") :].partition("\n### ")[0]
        assert f"({session})" in entry
        assert f"- Files changed: src/{name}.py\n" in entry
        assert f"- Result: Part {name} is done.\n" in entry
    assert command(ready, "validate").startswith("✓")


@pytest.mark.parametrize("end", ["kill -9", "SIGTERM"])
def test_subagents_whose_session_went_stay_open_until_somebody_adopts_or_closes_them(
    ready: Claude, api: Api, end: str
) -> None:
    """The end of their process changes no status; a start names them, and they are adopted and closed by their ids."""
    session, holds = new(), delegate(ready, api)
    process = ready.start("Delegate three parts", session_id=session)
    try:
        assert all(hold.reached.wait(LIMIT) for hold in holds)
        wait_until(lambda: {*children(ready, session)} == {f"Part {name}" for name in NAMES})
    finally:
        if end == "SIGTERM":
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)
        kill(process)
        for hold in holds:
            hold.release.set()
    api.script([text("Hello.")])
    second = new()
    ready.run("What was going on?", session_id=second)
    settled(ready.project, session)
    assert children(ready, session) == dict.fromkeys((f"Part {name}" for name in NAMES), "active")
    shown = command(ready, "tree")
    rows = [row for row in tree(ready).values() if row["parent"] == session]
    kid, other = (row["id"] for row in rows if row["title"].removesuffix(OF)[-3:] in {"one", "two"})
    assert [line.split("\t")[2] for line in shown.splitlines() if line.startswith(kid)] == ["active"]
    assert "orphaned" not in (ready.project / ".agents/SESSION-STATE.md").read_text()
    command(ready, "update", "action=completed", f"session_id={kid}")
    command(ready, "update", "action=started", "agent=git", "session_id=new-parent", "purpose=Go on")
    command(ready, "update", "action=in_progress", f"session_id={other}", "parent_session=new-parent")
    known = tree(ready)
    assert (known[kid]["orphaned"], known[kid]["status"]) == (False, "completed")
    assert (known[other]["orphaned"], known[other]["parent"]) == (False, "new-parent")


def test_sessions_in_worktrees_stand_in_the_one_hub_of_the_project(ready: Claude, api: Api, tmp_path: Path) -> None:
    """A session in another working tree is in the hub of the main one, and hears of the session there."""
    git(ready.project, "worktree", "add", "-q", "-b", "feat/x", str(tmp_path / "tree"))
    api.script([write(ready, "src/main.py")], [text("Main done.")])
    first, second = new(), new()
    ready.run("Work in the main tree", session_id=first)
    settled(ready.project, first)
    there = Claude(ready.binary, tmp_path / "home-2", tmp_path / "tree", ready.api_url, ready.plugin_dir)
    there.extra.update(ready.extra)
    api.script([write(there, "src/side.py")], [text("Side done.")])
    there.run("Work in the other tree", session_id=second)
    settled(ready.project, second)
    reported = hub(ready)
    assert f"`{first}`" in reported
    entry = reported[reported.index("### Claude - Work in the other tree") :].partition("\n### ")[0]
    assert f"`{second}`" in entry
    assert "**Branch:** feat/x\n" in entry
    assert "- Worktree: tree\n" in entry
    assert not (there.project / ".agents/SESSION-STATE.md").exists()
    assert "Work in the main tree" in command(there, "brief", "--all")


def test_the_line_of_resume_picks_a_crashed_session_up_where_it_was(ready: Claude, api: Api, tmp_path: Path) -> None:
    """`holdfast resume` lists what crashed in a subfolder; the line it prints goes on with that conversation."""
    session, hold = new(), Hold()
    below = ready.project / "packages/api"
    below.mkdir(parents=True)
    inner = Claude(ready.binary, ready.home, below, ready.api_url, ready.plugin_dir, extra=dict(ready.extra))
    api.script([write(ready, "packages/api/a.py")], [hold, text("never")], marker="Parse")
    process = inner.start("Parse the invoices", session_id=session)
    try:
        assert hold.reached.wait(LIMIT)
    finally:
        kill(process)
        hold.release.set()
    shown = command(ready, "resume")
    assert "Parse the invoices" in shown
    (line,) = [row.rpartition("\t")[2] for row in shown.splitlines() if session in row]
    assert line == f"cd {shlex.quote(str(below))} && claude --resume {session}"
    assert line in command(ready, "resume", session[:8])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude").symlink_to(ready.binary)
    api.script([text("Going on.")], marker="Parse")
    done = subprocess.run(
        ["sh", "-c", f"{line} -p 'Go on' --plugin-dir {shlex.quote(str(ready.plugin_dir))}"],
        cwd=tmp_path,
        env={**ready.env, "PATH": f"{tmp_path}/bin:{ready.path}"},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert "Going on." in done.stdout, done.stderr
    assert "Parse the invoices" in text_of(api.main_requests("Parse")[-1])


def test_a_session_started_in_claudes_shell_is_its_child(ready: Claude, api: Api, tmp_path: Path) -> None:
    """Claude runs the client in its own shell: that session has the first one as Parent, in tree and hub."""
    outer, inner = new(), new()
    (tmp_path / "inner.sh").write_text(
        f'exec "{ready.binary}" -p "INNER: write it" --session-id {inner} --plugin-dir "{ready.plugin_dir}"'
        " --permission-mode acceptEdits\n"
    )
    api.script([write(ready, "src/inner.py")], [text("Inner done.")], marker="INNER")
    shell = tool("Bash", command=f"sh {tmp_path}/inner.sh", description="Run it")
    api.script([shell], [text("Outer done.")], marker="OUTER")
    ready.run("OUTER: have it written", session_id=outer)
    settled(ready.project, inner)
    settled(ready.project, outer)
    assert tree(ready)[inner]["parent"] == outer
    reported = hub(ready)
    assert f"**Parent:** Claude ({outer})\n" in reported
    assert f"**Children:** Claude ({inner})\n" in reported


def test_a_fork_is_known_as_one(ready: Claude, api: Api) -> None:
    """A forked session is shown with the one whose conversation it goes on from; it is nobody's child."""
    session, fork = new(), new()
    api.script([write(ready, "src/a.py")], [text("Written.")])
    ready.run("Write a", session_id=session)
    api.script([write(ready, "src/b.py")], [text("Forked.")])
    ready.run("Write b instead", resume=session, session_id=fork, args=["--fork-session"])
    settled(ready.project, fork)
    hub(ready)
    row = tree(ready)[fork]
    assert (row["forked_from"], row["parent"]) == (session, "")
    assert f"- Forked from: {session}\n" in hub(ready)


def test_a_start_in_a_terminal_asks_whether_to_resume(ready: Claude, api: Api) -> None:
    """The user is shown what can be resumed, and the command for it, again after one prompt; a script never is."""
    session = new()
    api.script([write(ready, "src/a.py")], [text("Half of it.")])
    ready.run("Write the exporter", session_id=session)
    settled(ready.project, session)
    ready.run("Something else", session_id=new())
    assert "start fresh" not in text_of(api.main_requests()[-1])
    for prompt in ("", "Describe the manual", ""):
        with ready.terminal() as terminal:
            terminal.wait_for("Write the exporter")
            terminal.wait_for(f"/holdfast:resume {session[:8]} or start fresh?")
            if prompt:
                api.script([text("It is short.")])
                terminal.send(prompt)
                terminal.wait_for("It is short.")
            terminal.send("/exit")
            terminal.wait_closed()
