"""The real client: two sessions on one file, and a subagent beside them: what the model hears, and what stays."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.client.api import Hold, text, text_of, tool
from tests.client.fixtures import git
from tests.client.steps import command, listed, new, write
from tests.support.plugin import settled, state_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)
SHARED = "src/shared.py"
FIRST, SECOND, CHILD = (
    "FIRST: parse the invoices",
    "SECOND: sum up the totals of",
    "CHILD: look around in the whole house",
)


def _commit(folder: Path) -> None:
    """Commit all there is: settings, and the file that both sessions will want."""
    (folder / "src").mkdir()
    (folder / SHARED).write_text("x = 0\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Share")


def _beside(client: Claude, tmp_path: Path) -> Claude:
    """Return a second client, with a home of its own, in another working tree of the same repository."""
    tree = tmp_path / "tree"
    git(client.project, "worktree", "add", "--quiet", "-b", "feat/x", str(tree))
    second = replace(client, project=tree, home=tmp_path / "second home")
    command(second, "trust", "--yes")
    return second


@contextmanager
def _at_work(client: Claude, api: Api) -> Iterator[str]:
    """Keep a session running that has just changed the shared file; give its id."""
    session, hold = new(), Hold()
    read = tool("Read", file_path=str(client.project / SHARED))
    api.script([read], [write(client, SHARED)], [hold, text("Parsed.")], marker=FIRST)
    process = client.start(FIRST, session_id=session)
    try:
        assert hold.reached.wait(60)
        yield session
    finally:
        hold.release.set()
        process.communicate(timeout=60)


def _edits(client: Claude, api: Api) -> str:
    """Run a second session that edits the shared file, and return what the model read along with the result."""
    read = tool("Read", file_path=str(client.project / SHARED))
    edit = tool("Edit", file_path=str(client.project / SHARED), old_string="x = 0", new_string="x = 2")
    api.script([read], [edit], [text("Summed up.")], marker=SECOND)
    done = client.run(SECOND, session_id=new())
    assert done.returncode == 0, done.stderr
    first, *_, last = api.main_requests(SECOND)
    assert f"holdfast: {SHARED} was" not in text_of(first)
    assert f"- {SHARED}: " in text_of(first)  # the brief has named it by then
    return text_of(last)


def test_the_second_of_two_sessions_in_two_worktrees_is_informed(ready: Claude, api: Api, tmp_path: Path) -> None:
    """What another session changed in another working tree is reported with an edit of the same file, which is made."""
    _commit(ready.project)
    second = _beside(ready, tmp_path)
    with _at_work(ready, api) as session:
        reported = _edits(second, api)
    assert (
        f'another live session, "{FIRST}" ({session[:8]}, branch main, main working tree); the change was' in reported
    )
    assert reported.count(f"holdfast: {SHARED} was changed") == 1
    assert (second.project / SHARED).read_text() == "x = 2\n"
    assert (ready.project / SHARED).read_text() == "x = 1\n"


def test_a_refused_edit_leaves_the_file_as_it_was(ready: Claude, api: Api, tmp_path: Path) -> None:
    """Under "deny" the edit is not made, and the model reads why and what would let it."""
    (ready.project / ".agents/holdfast.toml").write_text('conflicts = "deny"\n')
    _commit(ready.project)
    second = _beside(ready, tmp_path)
    with _at_work(ready, api):
        reported = _edits(second, api)
    assert f"holdfast: {SHARED} was changed" in reported
    assert 'conflicts = "warn"' in reported
    assert (second.project / SHARED).read_text() == "x = 0\n"


def _row(client: Claude, session: str) -> dict[str, Any]:
    """Return what is known of a session that no hook of a subagent may change."""
    # The state file lists the subagent, which sets its time; where it stands follows the parent's own answers.
    changing = {"last_heard", "ended", "updated", "current"}
    return {key: value for key, value in listed(client)[session].items() if key not in changing}


def test_a_subagent_learns_what_is_taken_and_changes_nothing_of_its_parents(ready: Claude, api: Api) -> None:
    """A subagent's first request names parent and files in use; it edits, and state file and listing are as before."""
    _commit(ready.project)
    session, own = new(), ready.project / "src/own.py"
    api.script([write(ready, "src/own.py")], [text("Half of it.")], marker=SECOND)
    ready.run(SECOND, session_id=session)
    settled(ready.project, session)
    (state,) = state_files(ready.project)
    before, lines_before = _row(ready, session), state.read_text().splitlines()
    read = tool("Read", file_path=str(own))
    api.script([read], [write(ready, "src/own.py", "x = 3\n")], [text("Looked.")], marker=CHILD)
    agent = tool("Agent", description="Look", prompt=CHILD, subagent_type="general-purpose")
    api.script([agent], [text("Delegated.")], marker=SECOND)
    with _at_work(ready, api) as first:
        ready.run("Delegate", resume=session)
        settled(ready.project, session)
    reported = text_of(api.main_requests(CHILD)[0])
    assert f'Parent of this subagent: the session "{SECOND}" ({session[:8]}).' in reported
    assert f"state file is {state.relative_to(ready.project)}. Only the parent writes to it" in reported
    assert f'- {SHARED}: another live session, "{FIRST}" ({first[:8]}), ' in reported
    assert own.read_text() == "x = 3\n"
    after = _row(ready, session)
    assert [child["status"] for child in after.pop("children")] == ["completed"]
    assert before.pop("children") == []
    assert after == before
    assert listed(ready)[session]["current"] != "Looked."
    after_it = state.read_text()
    assert [line for line in lines_before if line.startswith(("  title:", "  status:")) and line not in after_it] == []
    assert "general-purpose finished" in after_it


def test_a_commit_of_the_others_file_is_reported_before_it(ready: Claude, api: Api, tmp_path: Path) -> None:
    """In one working tree: Claude learns whose change the commit includes, and other commands of the shell nothing."""
    _commit(ready.project)
    second = replace(ready, home=tmp_path / "second home")
    look, save = (tool("Bash", command=line) for line in ("git status --short", "git commit -qam 'Sum up'"))
    api.script([look], [save], [text("Committed.")], marker=SECOND)
    with _at_work(ready, api) as session:
        done = second.run(SECOND, session_id=new())
    assert done.returncode == 0, done.stderr
    _, status, commit = (text_of(one) for one in api.main_requests(SECOND))
    assert "this commit includes" not in status
    reported = f'this commit includes {SHARED}, changed by another live session, "{FIRST}" ({session[:8]}).'
    assert reported in commit


def test_a_variable_in_the_clients_settings_counts_in_all_projects(ready: Claude, api: Api, tmp_path: Path) -> None:
    """What a person set in the client refuses an edit in a project that says nothing of it."""
    _commit(ready.project)
    second = _beside(ready, tmp_path)
    options = {"env": {"HOLDFAST_CONFLICTS": "deny"}}
    (second.config / "settings.json").write_text(json.dumps(options))
    with _at_work(ready, api):
        assert f"holdfast: {SHARED} was changed" in _edits(second, api)
    assert (second.project / SHARED).read_text() == "x = 0\n"


def test_another_branch_under_a_session_is_reported_to_both(ready: Claude, api: Api) -> None:
    """To the one that switched with its next edit, and to the one at work with its own; each edit is made."""
    _commit(ready.project)
    sessions, holds = {FIRST: new(), SECOND: new()}, {FIRST: Hold(), SECOND: Hold()}
    switch = tool("Bash", command="git switch -q -c fix/tax", description="Switch")
    api.script([write(ready, "src/a.py")], [holds[FIRST], write(ready, "src/b.py")], [text("Parsed.")], marker=FIRST)
    api.script([switch], [write(ready, "src/c.py")], [holds[SECOND], text("Summed up.")], marker=SECOND)
    running = []
    try:
        for prompt, session in sessions.items():
            running.append(ready.start(prompt, session_id=session))
            assert holds[prompt].reached.wait(60)
        holds[FIRST].release.set()
        running[0].communicate(timeout=60)
    finally:
        for hold in holds.values():
            hold.release.set()
        for process in running:
            process.communicate(timeout=60)
    for prompt, other in ((FIRST, sessions[SECOND]), (SECOND, sessions[FIRST])):
        *_, before, after = (text_of(request) for request in api.main_requests(prompt))
        warned = "this working tree is on branch fix/tax now, and was on main. Also at work in it: "
        assert warned not in before
        assert f"({other[:8]})" in after.partition(warned)[2].partition("\n")[0]
    assert (ready.project / "src/b.py").exists()
