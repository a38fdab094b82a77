"""The issue of a session, from its state file to GitHub and GitLab and back, by the programs that people have."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.project import paths
from holdfast.tracker import tools, work
from holdfast.trust import clone
from tests.cli import test_import_costs as import_costs
from tests.support import hooks, screens, trackers
from tests.support.hooks import at_home
from tests.support.trackers import BROKEN, DENIED, LOST, NOISE, RATE, TOKEN, Tracker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
pytestmark = pytest.mark.skipif(not shutil.which("gh"), reason="gh is not installed: apt install gh")
SWITCHES = ("start", "comment", "remaining", "pull_request")


def switch(project: Project, *names: str) -> None:
    """Write the user's settings."""
    place = project.home / ".config/holdfast/settings.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("[tracker]\n" + "".join(f"{name} = true\n" for name in names))


@pytest.fixture(params=["github", "gitlab"])
def known(request: pytest.FixtureRequest, prepared: Project) -> Iterator[Tracker]:
    """Give a tracker, and lead the project there."""
    with trackers.tracker(request.param) as running:
        prepared.variables = running.environment(prepared.folder / "programs")
        prepared.variables["PATH"] = f"{prepared.folder}/programs{os.pathsep}{os.environ['PATH']}"
        prepared.git("remote", "add", "origin", running.remote)
        prepared.git("checkout", "-q", "-b", "12-totals")
        yield running


def agree(project: Project, known: Tracker) -> None:
    """Say yes to writing, as a person does in a terminal."""
    program = "gh" if known.kind == "github" else "glab"
    where = tools.Repository(program, f"{known.kind}.localhost", "our/invoices", "")
    with at_home(str(project.home)):
        clone.approve(paths.locate(str(project.root)), tools.consent(where))


def worked(project: Project) -> None:
    """Have a session on the branch of an issue that leaves one task."""
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt="correct the totals, ping @mara about #7")
    project.edit("a.py")
    project.fire("TaskCreated", task_id="1", task_subject="Sum the totals")
    project.fire("TaskCompleted", task_id="1", task_subject="Sum the totals")
    project.fire("TaskCreated", task_id="2", task_subject="Test the totals with password=hunter2hunter2")
    project.fire("Stop")
    project.settled("one")


def ticked(project: Project) -> list[str]:
    """Return which of the two questions about the tracker are ticked."""
    rows = json.loads(project.cli("checklist", "one", "--all", "--json").out)["findings"]
    return [row["kind"] for row in rows if row["kind"] in {"issue", "backlog"} and row["level"] == "ok"]


def test_the_issue_reaches_the_state_file_once(known: Tracker, prepared: Project) -> None:
    """In the background, with title and acceptance criteria; not before it is switched on."""
    worked(prepared)
    assert known.calls == []
    switch(prepared, "start")
    prepared.cli("settle")
    prepared.cli("settle")
    text = prepared.cli("show", "one").out
    assert text.count("Issue #12: Totals are wrong") == 1
    assert text.count("Acceptance: Totals are right") == text.count("Acceptance: It is quick") == 1
    assert (len(known.calls), known.posts) == (1, [])
    assert "Issue #12" in prepared.cli("link", "--session", "one").out


def test_a_file_without_a_place_for_an_issue_stays_and_link_shows_the_text(known: Tracker, prepared: Project) -> None:
    """gsd-lite has six sections, none of which is about where a task comes from."""
    prepared.fire("SessionStart")
    prepared.cli("start", "Correct the totals", "--format", "gsd-lite", CLAUDE_CODE_SESSION_ID="one")
    prepared.cli("link", "12", CLAUDE_CODE_SESSION_ID="one")
    before = prepared.cli("show", "one").out
    switch(prepared, "start")
    prepared.cli("settle")
    assert prepared.cli("show", "one").out == before
    assert (len(known.calls), known.posts) == (1, [])
    assert "Issue #12: Totals are wrong (not in" in prepared.cli("link", "--session", "one").out


def test_a_person_sees_the_exact_text_before_the_first_write(known: Tracker, prepared: Project) -> None:
    """Then what is left becomes an issue, the issue gets a comment, and both boxes are ticked; each once."""
    worked(prepared)
    switch(prepared, "comment", "remaining")
    closed = prepared.cli("close", "one")
    assert "a person says yes" in closed.err
    assert "--send" in prepared.cli("link", "--send", "--session", "one", CLAUDECODE="1").err
    assert known.posts == []
    assert ticked(prepared) == []

    command = [str(prepared.plugin / "bin/holdfast"), "link", "--send", "--session", "one"]
    no = screens.run(command, prepared.root, prepared.environment(), (140, 60), typed="n\r")
    assert "nothing was written" in no.text
    assert known.posts == []
    yes = screens.run(command, prepared.root, prepared.environment(), (140, 60), typed="y\r")
    assert "a comment on #12" in yes.text
    assert "a new issue: Test the totals with password=[masked]" in yes.text
    assert [row.get("title") for row in known.issues[1:]] == ["Test the totals with password=[masked]"]
    (comment,) = known.comments
    shown = " ".join(yes.text.replace("\u200b", "").split())
    for row in (known.issues[-1], comment):
        text = str(row.get("body") or row.get("description")).partition("- remaining:")[0]
        assert " ".join(text.replace("\u200b", "").split()) in shown
    assert "(the address of: Test the totals" in shown
    assert "[x] Changes committed" in comment["body"] or "[ ] Changes committed" in comment["body"]
    assert "remaining: https://tracker/issues/" in comment["body"]
    assert "@mara" not in comment["body"]
    assert "#7" not in comment["body"]
    assert ticked(prepared) == ["issue", "backlog"]

    count = len(known.posts)
    prepared.cli("link", "--send", "--session", "one")
    prepared.cli("settle")
    assert len(known.posts) == count
    assert len(json.loads(prepared.cli("link", "--session", "one", "--json").out)["written"]) == 2


def test_after_a_yes_the_background_writes_too(known: Tracker, prepared: Project) -> None:
    """Also when Claude completes the work; a reopened session that worked on gets a second comment."""
    agree(prepared, known)
    switch(prepared, *SWITCHES)
    worked(prepared)
    prepared.cli("close", "one", CLAUDE_CODE_SESSION_ID="one")
    prepared.cli("settle")
    assert (len(known.comments), len(known.issues)) == (1, 2)
    prepared.fire("UserPromptSubmit", prompt="go on")
    prepared.edit("b.py")
    prepared.fire("Stop")
    prepared.settled("one")
    assert ticked(prepared) == ["backlog"]
    prepared.cli("close", "one")
    assert (len(known.comments), len(known.issues)) == (2, 2)


def test_what_was_completed_before_is_not_written_in_the_background(known: Tracker, prepared: Project) -> None:
    """Nor is the network asked again for what is done."""
    agree(prepared, known)
    worked(prepared)
    prepared.cli("close", "one")
    switch(prepared, "comment", "remaining")
    os.utime(prepared.home / ".config/holdfast/settings.toml", (time.time() + 5, time.time() + 5))
    prepared.cli("settle")
    assert known.calls == []
    prepared.cli("link", "--send", "--session", "one")
    count = len(known.calls)
    prepared.cli("settle")
    assert (len(known.posts), len(known.calls)) == (2, count)


@pytest.mark.parametrize("step", [LOST, "killed"])
def test_a_kill_between_call_and_journal_writes_nothing_twice(known: Tracker, prepared: Project, step: str) -> None:
    """The next one looks for it first."""
    agree(prepared, known)
    switch(prepared, "comment", "remaining")
    worked(prepared)
    known.plan = ["", LOST] if step == LOST else []  # a look, then the write
    if step == LOST:
        assert "nothing was written to the issue tracker" in prepared.cli("close", "one").err
    else:
        journal = prepared.store / "journal/one.jsonl"
        prepared.cli("close", "one")
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(line for line in lines if '"tracked"' not in line))
        assert ticked(prepared) == []
    (prepared.store / "tracker-problem").unlink(missing_ok=True)
    prepared.cli("link", "--send", "--session", "one")
    assert (len(known.comments), len(known.issues)) == (1, 2)
    assert ticked(prepared) == ["issue", "backlog"]


@pytest.mark.slow  # forty processes
@pytest.mark.timeout(300)
def test_no_kill_writes_twice(known: Tracker, prepared: Project) -> None:
    """However often the process that writes is killed: one comment, one issue, once it gets to its end."""
    agree(prepared, known)
    worked(prepared)
    prepared.cli("close", "one")
    switch(prepared, "comment", "remaining")
    command = [str(prepared.plugin / "bin/holdfast"), "link", "--send", "--session", "one"]
    for kill in range(40):
        process = subprocess.Popen(
            command, cwd=prepared.root, env=prepared.environment(), stdout=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(0.3 + (kill % 20) / 20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert prepared.cli("link", "--send", "--session", "one").code == 0
    assert (len(known.comments), len(known.issues)) == (1, 2)


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ([DENIED], "is not logged in to"),
        ([RATE], "(rate limit)"),
        ([BROKEN], "502"),
        ([NOISE], "did not answer JSON"),
        (["", BROKEN], "502"),
        (["", DENIED], "auth login --hostname"),
    ],
)
def test_an_error_is_told_and_nothing_is_ticked(
    known: Tracker, prepared: Project, plan: list[str], problem: str
) -> None:
    """Nor journaled; the background waits before it asks again, and then does it."""
    agree(prepared, known)
    switch(prepared, "comment")
    worked(prepared)
    known.plan = list(plan)
    assert problem in prepared.cli("close", "one").err
    assert ticked(prepared) == []
    assert not prepared.facts(kind="tracked")
    kept, count = prepared.store / "tracker-problem", len(known.calls)
    for _ in range(2):  # of the command, and of the background
        assert problem in prepared.cli("link", "--session", "one").out
        assert problem in prepared.cli("doctor").out
        prepared.cli("settle")
        assert len(known.calls) == count
        known.plan = list(plan)
        os.utime(kept, (0, 0))
        prepared.cli("settle")
        count = len(known.calls)
    os.utime(kept, (0, 0))
    prepared.cli("settle")
    assert ticked(prepared) == ["issue"]
    assert not kept.exists()


def test_a_missing_program_is_named(known: Tracker, prepared: Project) -> None:
    """With what to do."""
    agree(prepared, known)
    worked(prepared)
    switch(prepared, "comment")
    folder = prepared.folder / "few"
    folder.mkdir()
    for name in ("git", "sh", "python3"):
        (folder / name).symlink_to(str(shutil.which(name)))
    assert "is not on PATH. Install it" in prepared.cli("close", "one", PATH=str(folder)).err


def test_no_token_is_kept_or_logged(known: Tracker, prepared: Project) -> None:
    """Not even where the program is told to print what it sends."""
    prepared.variables |= {"GH_DEBUG": "api", "GLAB_DEBUG": "1"}
    test_after_a_yes_the_background_writes_too(known, prepared)
    found = subprocess.run(
        ["grep", "-rl", TOKEN, prepared.root, prepared.data, prepared.home / ".config", prepared.home / ".local"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout == ""


def test_a_pull_request_is_printed_and_created(known: Tracker, prepared: Project) -> None:
    """From decisions and tests of the session; created once, on its own switch."""
    worked(prepared)
    prepared.cli("sync", "one", "--json", '{"Next Steps": ["Ship"]}')
    prepared.remember("one", {"kind": "ran", "id": "t", "text": "make test", "note": "12 passed", "made": 1.0})
    printed = json.loads(prepared.cli("pr", "--session", "one", "--json").out)
    assert printed["title"].startswith("correct the totals")
    assert "## Tests\n\n- " in printed["body"]
    assert "make test" in printed["body"]
    assert printed["body"].rstrip().endswith("Closes #12")
    assert known.calls == []
    assert "pull_request = true" in prepared.cli("pr", "--session", "one", "--create").err
    switch(prepared, "pull_request")
    assert "in a terminal: holdfast pr --create" in prepared.cli("pr", "--session", "one", "--create").err
    agree(prepared, known)
    for _ in range(2):
        reply = prepared.cli("pr", "--session", "one", "--create")
        assert "https://tracker/" in reply.out
    (made,) = known.requests
    assert {made.get("head"), made.get("source_branch")} == {"12-totals", None}
    assert trackers.marks([made])


# What closes an issue: GitHub's keywords, GitLab's default pattern, and its quick actions, as they document them.
CLOSES = {
    "github": r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:(?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+|https?://\S+/\d+)",
    "gitlab": (
        r"\b((?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?)(:?) +"
        r"(?:(?:issues? +)?(?:[\w./-]*#\d+|https?://\S+/\d+)(?:(?: *,? +and +| *,? *)?)|([A-Z][A-Z0-9_]+-\d+))+)"
    ),
    "quick": r"(?m)^/[a-z]+",
    "called": r"@\w",
}
TEXTS = (
    *(
        "Closes GH-97",
        "fix gh-3",
        "This fixes https://github.com/o/r/issues/5 and resolves: o/r#6",
        "Implements PLT-12",
    ),
    *("closing issues #1, #2 and https://gitlab.com/o/r/-/issues/3", "Fixed  GH-4", "resolves issue PLT_X-7 for @ana"),
)


def test_no_text_closes_an_issue_but_the_last_line(here: Project) -> None:
    """Whatever was decided, and whatever the work is called."""
    here.git("switch", "-qc", "12-totals")
    here.cli("start", "Fix GH-12: totals")
    here.cli(
        "sync", "--json", json.dumps({"Decisions": TEXTS, "Current Task": "/close GH-9", "Objective": "/close it"})
    )
    made = json.loads(here.cli("pr", "--json").out)
    body, _, last = made["body"].rstrip().rpartition("\n")
    assert last == "Closes #12"
    assert [re.search(pattern, text) for pattern in CLOSES.values() for text in (body, made["title"])] == [None] * 8
    shown = body.replace("\u200b", "")
    assert [text for text in TEXTS if " ".join(text.split()) not in shown] == []


def test_a_link_counts_before_the_branch(known: Tracker, prepared: Project) -> None:
    """The key of another tracker is kept, and nothing is asked for it."""
    switch(prepared, "start")
    prepared.fire("SessionStart")
    assert prepared.cli("link", "PLT-7", CLAUDE_CODE_SESSION_ID="one").out == "Issue PLT-7\n"
    worked(prepared)
    prepared.cli("settle")
    assert known.calls == []
    assert json.loads(prepared.cli("link", "#99", "--session", "one", "--json").out)["issue"] == "#99"
    assert "names no issue" in prepared.cli("link", "nothing").err
    prepared.cli("settle")
    assert "404" in prepared.cli("link", "--session", "one").out


def test_work_that_no_client_began_is_linked_in_its_file(here: Project) -> None:
    """Where its frontmatter names the issue, else under `issue`; what is written to a tracker needs a journal."""
    here.cli("start", "Correct the totals")
    for key in ("12", "#13"):
        assert here.cli("link", key).out == f"Issue #{key[-2:]}\n"
    (place,) = (here.root / ".agents/sessions").glob("*correct*")
    assert place.read_text().count("issue:") == 1
    place.write_text(place.read_text().replace("issue:", "github_issue:"))
    assert here.cli("link", "14").out == "Issue #14\n"
    assert 'github_issue: "#14"' in place.read_text()
    assert "Closes #14" in here.cli("pr").out
    switch(here, "comment", "pull_request")
    for words in (["pr", "--create"], ["link", "--send"]):
        assert "no client has worked on" in here.cli(*words).err


def test_a_page_that_never_ends_is_an_error(known: Tracker, prepared: Project) -> None:
    """What was written before may be in the rest, so nothing is written."""
    agree(prepared, known)
    switch(prepared, "comment")
    worked(prepared)
    known.comments += [{"id": number, "body": "x"} for number in range(2000)]
    assert "has no end of" in prepared.cli("close", "one").err
    assert known.posts == []


def test_a_project_cannot_switch_it_on(known: Tracker, prepared: Project) -> None:
    """Neither by its settings nor by its state file."""
    (prepared.root / ".agents/holdfast.toml").write_text("[tracker]\nstart = true\ncomment = true\n")
    agree(prepared, known)
    worked(prepared)
    prepared.cli("close", "one")
    assert known.calls == []


def test_with_nothing_configured_nothing_is_loaded_spawned_or_written(prepared: Project) -> None:
    """A settle and a close of a session load no module of ours for it, and leave no file."""
    prepared.git("remote", "add", "origin", "https://github.com/our/invoices.git")
    worked(prepared)
    for command in (["settle"], ["close", "one"]):
        loaded = import_costs.loaded(prepared, *command)
        assert "holdfast.cli.app" in loaded
        assert {name for name in loaded if name.startswith(("holdfast.tracker", "holdfast.webhooks"))} == set()
    with prepared.busy():
        prepared.cli("settle")
        prepared.edit("b.py")
        waiting = [" ".join(call.arguments) for call in prepared._waiting]  # noqa: SLF001 - what was started
    assert not [line for line in waiting if "link" in line or "webhook" in line]
    assert not [path for path in prepared.store.rglob("*") if "tracker" in path.name or "outbox" in path.name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", "#12"),
        ("#12", "#12"),
        ("#0", ""),
        ("#007", ""),
        ("https://github.com/a/b/issues/12", "#12"),
        ("https://gitlab.com/a/b/-/issues/12#note_1", "#12"),
        ("https://github.com/other/b/issues/12", ""),
        ("See https://github.com.evil.example/a/b/issues/12", ""),
        ("Fix #12: totals", "#12"),
        ("GH-12 totals", "#12"),
        ("PLT-123 totals", "PLT-123"),
        ("https://linear.app/x/issue/PLT-123/totals", "PLT-123"),
        ("UTF-8 names", ""),
        ("\uff11\uff12", ""),
        ("a&#39;b", ""),
        ("nothing", ""),
    ],
)
def test_which_issue_a_text_names(here: Project, text: str, expected: str) -> None:
    """Numbers, keys, and addresses to which a remote leads: the number of an issue elsewhere is another one here."""
    here.git("remote", "add", "one", "git@github.com:A/b.git")
    here.git("remote", "add", "two", "https://gitlab.com/a/b.git")
    assert work.issue_key(text, str(here.root)) == expected


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("12-fix-totals", "#12"),
        ("feature/12-fix", "#12"),
        ("issue-12", "#12"),
        ("fix/gh-12", "#12"),
        ("mara/plt-123-totals", "PLT-123"),
        ("release/2.0", ""),
        ("issue-0", ""),
        ("2026-11-27-notes", ""),
        ("main", ""),
    ],
)
def test_which_issue_a_branch_names(branch: str, expected: str) -> None:
    """Dates and versions are none."""
    assert work._in_branch(branch) == expected  # noqa: SLF001 - the rule alone


def test_criteria_without_a_heading_are_the_boxes() -> None:
    """At most twelve, each on one safe line."""
    body = "\n".join(f"- [ ] do {number} \x1b[31m" for number in range(20))
    assert work.criteria(body)[:2] == ["do 0", "do 1"]
    assert len(work.criteria(body)) == 12
    assert work.criteria("- no box\n") == []


WRONG: list[tuple[str, str]] = [
    ("[tracker]\nbegin = true\n", "unknown key 'begin'"),
    ('[tracker]\nstart = "yes"\n', "start = 'yes' does not fit; give true or false"),
    ('[tracker]\ntool = "hub"\n', "tool = 'hub' does not fit; give one of gh, glab"),
    ("tracker = true\n", "write it as a table"),
]


@pytest.mark.parametrize(("settings", "problem"), WRONG)
def test_wrong_settings_are_named(prepared: Project, settings: str, problem: str) -> None:
    """With the file."""
    switch(prepared)
    (prepared.home / ".config/holdfast/settings.toml").write_text(settings)
    worked(prepared)
    reply = prepared.cli("link", "--send", "--session", "one")
    assert problem in reply.err
    assert "settings.toml" in reply.err
