"""The real client in a real repository: what reaches the model, what is in the files, what the user sees."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Hold, text, text_of, tool
from tests.client.claude import kill
from tests.client.fixtures import git
from tests.client.steps import command, listed, new, write
from tests.client.wire import Fail
from tests.support.packages import offline
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api, Turn
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)


def work(client: Claude, api: Api, session: str, path: str = "src/parser.py") -> None:
    """Run a session that writes one file and says where it stopped."""
    api.script([write(client, path)], [text("The parser reads headers; totals are next.")])
    done = client.run("Parse the invoices of the north branch", session_id=session)
    assert done.returncode == 0, done.stderr
    settled(client.project, session)


@pytest.mark.smoke
def test_a_file_edited_in_session_one_is_in_journal_state_file_and_index(ready: Claude, api: Api) -> None:
    """What Claude writes is journaled and in the state file that appears; that is staged, and nothing else."""
    session = new()
    work(ready, api, session)
    assert [fact["path"] for fact in facts(ready.project, session, "edit")] == ["src/parser.py"]
    (state,) = state_files(ready.project)
    assert "parse-the-invoices-of-the-north-branch" in state.name
    assert "- `src/parser.py`\n" in state.read_text()
    staged = [str(state.relative_to(ready.project))]
    assert git(ready.project, "diff", "--cached", "--name-only").split() == staged


def test_the_brief_of_a_second_session_names_the_first_ones_work(ready: Claude, api: Api) -> None:
    """A new session gets title, files, and where the last one stopped."""
    work(ready, api, new())
    second = new()
    api.script([text("Hello.")])
    ready.run("What was going on here?", session_id=second)
    reported = text_of(api.main_requests()[-1])
    for words in ("Parse the invoices of the north branch", "src/parser.py", "totals are next"):
        assert words in reported


def test_without_init_the_brief_comes_from_journals_and_no_file_appears(holdfast: Claude, api: Api) -> None:
    """A project that was never prepared stays as it is; the next session still hears of the last."""
    work(holdfast, api, new())
    assert git(holdfast.project, "status", "--porcelain") == "?? src/\n"
    holdfast.run("What was going on here?", session_id=new())
    reported = text_of(api.main_requests()[-1])
    assert "Parse the invoices of the north branch" in reported
    assert "src/parser.py" in reported


def test_resume_brings_the_own_state_back(ready: Claude, api: Api) -> None:
    """A resumed session learns what its own state file says, and can be resumed by the title it was given."""
    session = new()
    work(ready, api, session)
    (state,) = state_files(ready.project)
    state.write_text(state.read_text().replace("## Next Steps\n", "## Next Steps\n- Sum the totals by hand\n"))
    command(ready, "trust", "--yes")
    ready.run("Go on", resume=session)
    reported = text_of(api.main_requests()[-1])
    assert f"This session's state file: {state.relative_to(ready.project)}" in reported
    assert "> - Sum the totals by hand" in reported
    again = ready.run("Go on", resume="Parse the invoices of the north branch")
    assert again.returncode == 0, again.stderr


def test_a_compaction_learns_what_to_keep_and_brings_the_state_back(ready: Claude, api: Api) -> None:
    """The summariser hears of state file and touched file; the compacted session starts with its state."""
    session = new()
    work(ready, api, session)
    for words in ("Go on", "Go on again", "And again"):
        ready.run(words, resume=session)
    api.summary = "<summary>We parsed.</summary>"
    ready.run("/compact", resume=session)
    (request,) = api.compaction_requests()
    (state,) = state_files(ready.project)
    assert "src/parser.py" in text_of(request)[-3000:]
    assert str(state.relative_to(ready.project)) in text_of(request)[-3000:]
    runs = [run for run in ready.hook_runs(session) if run.hook == "SessionStart:compact"]
    assert "This session's state file" in json.loads(runs[-1].stdout)["hookSpecificOutput"]["additionalContext"]
    (summary,) = facts(ready.project, session, "summary")
    assert "We parsed." in summary["text"]


def test_a_state_file_edited_by_claude_is_stamped_and_staged_without_a_word(ready: Claude, api: Api) -> None:
    """Claude's edit of its state file gets a new time and is staged; the client has nothing to report about it."""
    session = new()
    work(ready, api, session)
    (state,) = state_files(ready.project)
    aged = state.read_text().replace('last_updated: "20', 'last_updated: "19')
    state.write_text(aged)
    edit = tool("Edit", file_path=str(state), old_string="## Next Steps\n", new_string="## Next Steps\n- Totals\n")
    api.script([tool("Read", file_path=str(state))], [edit], [text("Noted.")])
    ready.run("Write down what is next", resume=session)
    settled(ready.project, session)
    assert 'last_updated: "20' in state.read_text()
    assert "- Totals\n" in git(ready.project, "show", f":{state.relative_to(ready.project)}")
    assert "likely a formatter" not in text_of(api.main_requests()[-1])
    assert [fact["by"] for fact in facts(ready.project, session, "state")] == ["settle"]


def test_a_subagent_does_not_take_over_its_parents_state_file(ready: Claude, api: Api) -> None:
    """A child's edits are its own: its state file is no parent's, and the parent keeps the one it had."""
    session = new()
    work(ready, api, session)
    (state,) = state_files(ready.project)
    theirs = state.read_text().replace("north branch", "child")
    api.script(
        [write(ready, ".agents/sessions/20260101-000000-child.md", theirs)], [text("Child done.")], marker="CHILD"
    )
    agent = tool("Agent", description="Look", prompt="CHILD: look around", subagent_type="general-purpose")
    api.script([agent], [text("Parent done.")])
    ready.run("Delegate", resume=session)
    known = settled(ready.project, session)
    child = next(fact["agent"] for fact in known if fact["kind"] == "child")
    assert [fact["agent"] for fact in known if fact["kind"] == "state" and "child" in fact["path"]] == [child]
    row = listed(ready)[session]
    assert row["state_file"] == str(state.relative_to(ready.project))
    assert [(kid["id"], kid["status"]) for kid in row["children"]] == [(child, "completed")]


def test_a_turn_that_an_api_error_ends_is_recorded(ready: Claude, api: Api) -> None:
    """The client sends StopFailure and no Stop; the session says where it stopped, and its file has what it did."""
    session = new()
    failing: list[Turn] = [[Fail(400, "no wind")] for _ in range(30)]
    api.script([write(ready, "a.py")], *failing)
    with ready.terminal("--session-id", session) as terminal:
        terminal.send("Parse the invoices")
        terminal.wait_for("no wind")
        end = time.monotonic() + 30
        while not facts(ready.project, session, "answer") and time.monotonic() < end:
            time.sleep(0.05)  # the client does not wait for this hook
        settled(ready.project, session)
        terminal.send("/exit")
        terminal.wait_closed()
    (answer,) = facts(ready.project, session, "answer")
    assert answer["text"] in {"an API error (unknown)", "an API error (invalid_request)"}  # 2.1.197; newer ones
    (state,) = state_files(ready.project)
    assert "- `a.py`\n" in state.read_text()


def test_work_goes_on_in_a_worktree(ready: Claude, api: Api) -> None:
    """A session that enters a worktree is listed there; what it changes there is in its state file."""
    session = new()
    inside = ".claude/worktrees/tree"
    enter = tool("EnterWorktree", name="tree")
    api.script([write(ready, "a.py")], [enter], [write(ready, f"{inside}/b.py")], [text("Done.")])
    ready.run("Work on two things", session_id=session)
    settled(ready.project, session)
    row = listed(ready)[session]
    assert row["worktree"] == str(ready.project / inside)
    assert row["files_touched"] == ["a.py", "b.py"]
    (state,) = state_files(ready.project)
    assert "- `a.py`\n- `b.py`\n" in state.read_text()


def test_a_killed_client_is_shown_as_not_live(ready: Claude, api: Api) -> None:
    """Liveness is exact: live while the client runs, not live the moment it was killed."""
    session, hold = new(), Hold()
    api.script([write(ready, "a.py")], [hold, text("never")])
    process = ready.start("Parse", session_id=session)
    try:
        assert hold.reached.wait(60)
        assert listed(ready)[session]["live"] is True
    finally:
        kill(process)
        hold.release.set()
    assert listed(ready)[session]["live"] is False
    assert listed(ready)[session]["ended"] == ""


def test_two_live_sessions_hear_of_each_other(ready: Claude, api: Api) -> None:
    """A session that starts beside a running one learns what that one does and which files it changed."""
    session, hold = new(), Hold()
    api.script([write(ready, "src/shared.py")], [hold, text("done")], marker="Parse the invoices")
    process = ready.start("Parse the invoices", session_id=session)
    try:
        assert hold.reached.wait(60)
        ready.run("Something else", session_id=new())
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    reported = text_of(api.main_requests()[-1])
    assert "## Live sessions" in reported
    assert "src/shared.py" in reported


def test_the_user_sees_checklist_and_clear_keeps_the_state_file(ready: Claude, api: Api) -> None:
    """In a terminal the start shows what the last session left; after /clear the new one has the same state file."""
    work(ready, api, new())
    api.script([write(ready, "src/second.py")], [text("Second file written.")])
    with ready.terminal() as terminal:
        terminal.wait_for("/holdfast:checklist")
        terminal.send("Write the second file")
        terminal.wait_for("Second file written")
        terminal.send("/clear")
        terminal.wait_for("SessionStart:clear says")
        terminal.send("/exit")
        terminal.wait_closed()
    after, before = [row for row in listed(ready).values() if row["title"] == "Write the second file"]
    assert (after["files_touched"], before["files_touched"]) == ([], ["src/second.py"])
    assert after["state_file"] == before["state_file"]
    assert command(ready, "list").count("Write the second file") == 1


def test_the_command_line_in_claudes_shell_knows_the_session(ready: Claude, api: Api) -> None:
    """`holdfast start` run by Claude makes a state file that belongs to Claude's session."""
    session = new()
    api.script([tool("Bash", command='holdfast start "Reconcile the ledgers"')], [text("Started.")])
    ready.run("Begin", session_id=session)
    settled(ready.project, session)
    assert listed(ready)[session]["title"] == "Reconcile the ledgers"
    (state,) = state_files(ready.project)
    assert session in state.read_text()


def test_the_command_line_in_claudes_shell_finds_the_packages_of_the_hooks(
    claude: Claude, api: Api, plugin_copy: Path, packages: Path
) -> None:
    """Loaded with --plugin-dir the client keeps the plugin's data elsewhere; `holdfast` in Claude's shell follows."""
    claude.plugin_dir = plugin_copy
    shutil.copytree(packages, claude.config / "plugins/data/holdfast-inline", symlinks=True)
    api.script([tool("Bash", command="holdfast init")], [text("Prepared.")])
    claude.run("Prepare the project", session_id=new())
    assert (claude.project / ".agents/holdfast.toml").exists()


def test_an_install_from_a_marketplace_works_from_the_cache_and_gets_its_packages(
    claude: Claude, api: Api, plugin_copy: Path, wheels: Path, tmp_path: Path
) -> None:
    """Installed from git, with nothing else done, the first start installs the packages and says so."""
    origin = tmp_path / "origin"
    shutil.copytree(plugin_copy, origin)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "Plugin"]):
        git(origin, *arguments)
    url = "https://git.example.org/holdfast.git"
    (claude.home / ".gitconfig").write_text(f'[url "file://{origin}"]\n\tinsteadOf = {url}\n')
    claude.extra.pop("GIT_CONFIG_GLOBAL")
    claude.extra.update(offline(wheels))
    for arguments in (["marketplace", "add", url], ["install", "holdfast@holdfast-tools"]):
        done = claude.plugin(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    session = new()
    api.script([write(claude, "a.py")], [text("Written.")])
    claude.run("Write a file", session_id=session)
    assert [fact["path"] for fact in facts(claude.project, session, "edit")] == ["a.py"]
    (run,) = [run for run in claude.hook_runs(session) if run.hook.startswith("SessionStart")]
    assert "packages are being installed" in json.loads(run.stdout)["systemMessage"]
    (cached,) = (claude.config / "plugins/cache/holdfast-tools/holdfast").iterdir()
    claude.plugin_dir = cached
    command(claude, "deps")  # waits for the build under way
    command(claude, "init")
    claude.plugin_dir = None
    work(claude, api, new())
    assert len(state_files(claude.project)) == 1
    claude.api_url = "http://127.0.0.1:9"  # nobody counts tokens there: the client's own estimate is what a user sees
    details = claude.plugin("details", "holdfast@holdfast-tools").stdout
    cost = details.partition("Always-on:")[2].split()[0]
    assert int(cost.strip("~").replace(",", "")) < 400, details


def test_this_repository_runs_its_own_hooks(claude: Claude, api: Api, plugin_copy: Path, packages: Path) -> None:
    """A clone that was never installed runs its hooks from the working tree, by `.claude/settings.json`."""
    claude.extra["HOLDFAST_DATA"] = str(packages)
    shutil.copytree(plugin_copy, claude.project, dirs_exist_ok=True)
    session = new()
    api.script([write(claude, "a.py")], [text("Written.")])
    claude.run("Write a file", session_id=session)
    assert [fact["kind"] for fact in settled(claude.project, session)][:4] == ["start", "prompt", "attempt", "edit"]


@pytest.mark.parametrize("manifest", [".", ".claude-plugin/plugin.json"])
def test_the_manifests_pass_strict_validation(
    claude: Claude, plugin_copy: Path, manifest: str, client_version: str
) -> None:
    """`claude plugin validate --strict` accepts all manifests; an old client warns of keys that it ignores."""
    strict = [] if client_version == "2.1.197" else ["--strict"]
    done = claude.plugin("validate", str(plugin_copy / manifest), *strict)
    assert done.returncode == 0, done.stdout + done.stderr


def test_doctor_names_a_session_without_hooks(ready: Claude, api: Api) -> None:
    """The client's own list has it, and no journal; one with hooks is in both."""
    bare, kept, hold = new(), new(), Hold()
    other = replace(ready, plugin_dir=None)
    api.script([hold, text("done")], marker="BARE")
    process = other.start("BARE", session_id=bare)
    environment = {**ready.env, "PATH": f"{ready.binary.parent}:{ready.path}"}
    try:
        assert hold.reached.wait(60)
        api.script([text("Looked.")], marker="KEPT")
        with ready.terminal("--session-id", kept) as terminal:
            program = [str(ready.plugin_dir) + "/bin/holdfast", "doctor", "--json"]
            done = subprocess.run(program, cwd=ready.project, env=environment, capture_output=True, check=False)
            terminal.send("/exit")
            terminal.wait_closed()
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    (live,) = [check for check in json.loads(done.stdout)["findings"] if check["what"] == "live"]
    assert live["why"] == f"no hooks fire in 1 session of Claude Code: {bare[:8]}"
