"""What the user sees in a small and in a wide terminal: a start, a compaction, a second session, and reports."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from holdfast.cli.slash import REPORTS
from tests.client.api import Hold, text, tool
from tests.client.fixtures import git
from tests.client.steps import command, new, write
from tests.support.plugin import settled, state_files, store_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api, Turn
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]

SIZES = pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=["80x24", "160x45"])
TITLE = "Parse the invoices of the north branch"


def _leave_work(client: Claude, api: Api) -> str:
    """Run a session that leaves a changed file and an open task, and return its id."""
    session = new()
    api.script([write(client, "src/parser.py")], [text("The parser reads headers; totals are next.")])
    done = client.run(TITLE, session_id=session)
    assert done.returncode == 0, done.stderr
    settled(client.project, session)
    return session


def _drawn(screen: str) -> list[str]:
    """Return the conversation as a client drew it last: when it opens a pane beside it, it draws all again."""
    last = screen.rpartition("Claude Code v")[2]
    return [line.partition("│")[0].rstrip() for line in last.split("\n")]


def _below(screen: str, mark: str) -> list[str]:
    """Return the lines of ours that follow a line of the client's with this mark."""
    lines = screen.split("\n")
    first = next(number for number, line in enumerate(lines) if mark in line)
    rest = lines[first + 1 :]
    return rest[: next((number for number, line in enumerate(rest) if not line.startswith("     ")), len(rest))]


@SIZES
def test_a_start_shows_at_most_three_lines_that_fit(ready: Claude, api: Api, size: tuple[int, int]) -> None:
    """What was left and how to resume it, how much is open, who else is live."""
    session, hold = _leave_work(ready, api), Hold()
    api.script([write(ready, "src/other.py")], [hold, text("done")], marker="Write the lexer")
    other = ready.start("Write the lexer", session_id=new())
    try:
        assert hold.reached.wait(60)
        with ready.terminal(size=size) as terminal:
            screen = terminal.wait_for("SessionStart:startup says:")
            shown = _below(screen, "SessionStart:startup says:")
            terminal.send("/exit")
            terminal.wait_closed()
    finally:
        hold.release.set()
        other.communicate(timeout=60)
    assert len(shown) == 3, screen
    assert shown[0].strip().startswith('"Parse the')
    assert f" (now): /holdfast:resume {session[:8]}" in shown[0]
    assert "or start fresh?" in f"{shown[0]} {shown[1]}"
    assert shown[1].strip().endswith('live: "Write the lexer"')
    assert "uncommitted file" in shown[2]
    assert shown[2].strip().endswith(f"left: /holdfast:checklist {session[:8]}")


@SIZES
def test_a_command_that_reports_takes_no_turn_of_the_model(ready: Claude, api: Api, size: tuple[int, int]) -> None:
    """The client shows the report itself, and no line is broken by the width."""
    session = _leave_work(ready, api)
    asked = len(api.requests("main"))
    with ready.terminal(size=size) as terminal:
        for name in sorted(REPORTS):
            terminal.send(f"/holdfast:{name}")
            last = (
                "errors: none" if name == "doctor" else "answer, no error:"
            )  # the first line of a long answer is gone
            screen = terminal.wait_for(last, after=f" /holdfast:{name}\n")
        terminal.send("/exit")
        terminal.wait_closed()
    assert len(api.requests("main")) == asked
    rows = [line for line in screen.split("\n") if session[:8] in line and "/holdfast:" not in line]
    assert [line for line in rows if TITLE[:20] in line], screen
    assert max(map(len, screen.split("\n"))) <= size[0]


@SIZES
def test_a_compaction_by_hand_shows_one_line(ready: Claude, api: Api, size: tuple[int, int]) -> None:
    """The client's own line about the hook names no path of ours, and the line below it no tag; the start adds none."""
    with ready.terminal(size=size) as terminal:
        for number in range(5):
            turn: list[Turn] = [[write(ready, f"src/part_{number}.py")]] if number < 2 else []
            api.script(*turn, [text(f"Answer number {number}.")])
            terminal.send(f"Write part number {number}")
            terminal.wait_for(f"Answer number {number}.")
        terminal.send("/compact")
        terminal.wait_for("Compacted (ctrl+o")
        time.sleep(1)  # for what might follow
        screen = terminal.screen()
        terminal.send("/exit")
        terminal.wait_closed()
    shown = _below(screen, "Compacted (ctrl+o")
    assert '/compact" || :] completed successfully:' in shown[0]
    rows = [line.partition("│")[0].strip() for line in shown]  # beside it a wide client shows the changed files
    reported = [row for row in rows if row]
    assert len(reported) <= 2, screen  # the client's own line, and one of ours where that does not fit beside it
    assert "Keep: src/part_1.py" in " ".join(reported)
    assert not [sign for sign in ("<holdfast", "hooks/", "SessionStart:compact says") if sign in screen]
    assert [*(store_of(ready.project) / "snapshots").rglob("*.json")]


@SIZES
def test_the_user_sees_a_second_session_on_the_same_file(ready: Claude, api: Api, size: tuple[int, int]) -> None:
    """One line beside the edit, within the width."""
    hold = Hold()
    api.script([write(ready, "src/shared.py")], [hold, text("done")], marker=TITLE)
    other = ready.start(TITLE, session_id=new())
    try:
        assert hold.reached.wait(60)
        read = tool("Read", file_path=str(ready.project / "src/shared.py"))
        api.script([read], [write(ready, "src/shared.py", "x = 2\n")], [text("Edited.")], marker="Go on")
        with ready.terminal(size=size) as terminal:
            terminal.send("Go on")
            terminal.wait_for("Edited.")
            terminal.send("/exit")
            terminal.wait_closed()
            drawn = _drawn(terminal.screen())
    finally:
        hold.release.set()
        other.communicate(timeout=60)
    (line,) = [line for line in drawn if "says:" in line and "PreToolUse" in line]
    assert line.endswith(" also edits shared.py")
    assert '"Parse the' in line


def test_a_program_reads_a_report_too(ready: Claude, api: Api) -> None:
    """With -p the report is the output, and no request is made."""
    session = _leave_work(ready, api)
    asked = len(api.requests("main"))
    done = ready.run(f"/holdfast:checklist {session[:8]}")
    assert 'Checklist of "Parse the invoices' in done.stdout
    assert "Sessions still active: 0\n" in done.stdout
    assert len(api.requests("main")) == asked


def test_a_commit_carries_little_and_a_push_leaves_a_clean_tree(ready: Claude, api: Api, tmp_path: Path) -> None:
    """After three sessions; each state file has at most twenty lines more than one that was only begun.

    After a turn that commits and pushes, git sees no change and another machine's commit is pulled with a rebase.
    """
    project, remote, other = ready.project, tmp_path / "origin.git", tmp_path / "other"
    git(tmp_path, "init", "-q", "--bare", "--initial-branch=main", str(remote))
    git(project, "remote", "add", "origin", str(remote))
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", "Keep sessions")
    git(project, "push", "-q", "-u", "origin", "main")
    git(tmp_path, "clone", "-q", str(remote), str(other))
    for number in range(3):
        session = new()
        api.script([write(ready, f"src/part{number}.py")], [text("It is written. Next: the totals.")])
        ready.run(f"Write part {number} of the invoices", session_id=session)
        settled(project, session)
    git(project, "add", "src/part0.py", "src/part1.py")
    git(project, "commit", "-q", "-m", "Two parts")
    names = git(project, "show", "--format=", "--name-only", "HEAD").split()
    made = [name for name in names if name.startswith(".agents/sessions/")]
    assert {*names} - {*made} == {"src/part0.py", "src/part1.py"}
    assert 0 < len(made) <= 3
    command(ready, "start", "Only begun")
    (begun,) = {path.name for path in state_files(project)} - {name.rpartition("/")[2] for name in made}
    least = len((project / ".agents/sessions" / begun).read_text().splitlines())
    assert max(len(git(project, "show", f"HEAD:{name}").splitlines()) for name in made) <= least + 20
    (other / "README.md").write_text("# Another machine\n")
    git(other, "commit", "-q", "-a", "-m", "Elsewhere")
    session = new()
    pushed = "git add -A && git commit -q -m Rest && git pull -q --rebase && git push -q && echo it is pushed"
    api.script([write(ready, "src/rest.py")], [tool("Bash", command=pushed)], [text("Committed and pushed.")])
    ready.run("Write the rest, commit and push", session_id=session)
    settled(project, session)
    assert git(project, "status", "--short") == ""
    assert git(remote, "log", "-1", "--format=%s", "main").strip() == "Rest"
    git(other, "pull", "-q", "--rebase")
    git(other, "push", "-q")
    git(project, "pull", "-q", "--rebase")
    assert git(project, "log", "-1", "--format=%s").strip() == "Elsewhere"
