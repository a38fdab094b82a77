"""The hub kept from the journals: who gets an entry, what is in it, and what is left to people."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.hub import refresh, writing
from holdfast.journal import log as journal
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks, hubs
from tests.support.hooks import Claude

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
HERE = os.uname().nodename


def start(**more: Any) -> dict[str, Any]:
    """Return the fact that a session of another host started."""
    return {"kind": "start", "host": "elsewhere", "branch": "main", **more}


def settle(project: Project, *arguments: str) -> None:
    """Settle by hand."""
    done = project.cli("settle", *arguments)
    assert done.code == 0, done.err


NOTHING = {"kind": "prompt", "text": "what is this?"}
EDIT = {"kind": "edit", "path": "src/a.py"}
TASK = {"kind": "task", "id": "1", "subject": "Parse", "status": "pending"}
CHILD = {"kind": "child", "agent": "a1", "status": "running", "type": "Explore"}


@pytest.mark.parametrize(
    ("facts", "entries"),
    [
        ([], set()),
        ([NOTHING], set()),
        ([{"kind": "edit", "path": "/etc/hosts"}], set()),
        ([EDIT], {"one"}),
        ([TASK], {"one"}),
        ([CHILD], {"one", "a1"}),
    ],
    ids=["nothing", "a prompt", "a file outside", "a file", "a task", "a child"],
)
def test_who_did_something_worth_a_line_has_an_entry(
    prepared: Project, facts: list[dict[str, Any]], entries: set[str]
) -> None:
    """A session that changed a file, has a task or a child is in the hub; no hub is made for any other."""
    prepared.remember("one", start(), *facts)
    settle(prepared)
    assert hubs.path(prepared).exists() == bool(entries)
    if entries:
        assert {found.entry.ident for found in hubs.read(prepared).entries()} == entries
        assert ".agents/SESSION-STATE.md" in prepared.staged()


def test_an_end_before_the_state_file_is_made_completes_nothing(prepared: Project) -> None:
    """The hub may hear of the end first: the work goes on in the state file that the next settle makes."""
    ended = {"kind": "end", "reason": "other"}
    prepared.remember("one", start(root=str(prepared.root)), {"kind": "due"}, EDIT, ended)
    settle(prepared, "--hub", "--session", "one")
    assert hubs.stated(prepared, "one")["Status"] == "active"
    settle(prepared)
    found = hubs.stated(prepared, "one")
    assert (found["Status"], found["history"]) == ("active", False)
    assert prepared.state_files()
    prepared.state_files()[0].unlink()
    prepared.remember("one", ended)
    settle(prepared)
    assert hubs.stated(prepared, "one")["Status"] == "active"  # nobody completed it


def test_nothing_is_kept_before_init(here: Project) -> None:
    """A project that was not prepared gets no hub, and another tool's hub stays as it is."""
    (here.root / ".genie").mkdir()
    theirs = here.root / ".genie/SESSION-STATE.md"
    theirs.write_text(hubs.HEAD + hubs.person("abc123"))
    before = theirs.read_bytes()
    here.remember("one", start(), EDIT)
    settle(here)
    assert theirs.read_bytes() == before
    assert not (here.root / ".agents").exists()


def test_an_existing_hub_of_genie_is_the_one_that_is_kept(prepared: Project) -> None:
    """Where `.genie/SESSION-STATE.md` is, entries go there, and no second hub appears."""
    theirs = prepared.root / ".genie/SESSION-STATE.md"
    theirs.parent.mkdir()
    theirs.write_text(hubs.HEAD + hubs.person("abc123"))
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    assert "`one`" in theirs.read_text()
    assert hubs.person("abc123") in theirs.read_text()
    assert not hubs.path(prepared).exists()


STATUS = [
    ("live on another host", [], "", "active"),
    ("ended", [{"kind": "end", "reason": "other"}], "", "active"),
    ("ended by /clear", [{"kind": "end", "reason": "clear"}], "", "active"),
    ("the state file paused", [], "paused", "paused"),
    ("the state file paused, ended", [{"kind": "end", "reason": "other"}], "paused", "paused"),
    ("the state file completed", [], "completed", "completed"),
]


@pytest.mark.parametrize("where", ["in the store", "in the tree"])
@pytest.mark.parametrize("case", [case[1:] for case in STATUS], ids=[case[0] for case in STATUS])
def test_the_status_tells_where_the_work_stands_and_whether_anyone_is_there(
    prepared: Project, monkeypatch: pytest.MonkeyPatch, case: tuple[list[dict[str, Any]], str, str], where: str
) -> None:
    """The state file's status is the status, wherever the hub is; an end completes nothing."""
    facts, word, status = case
    if where == "in the store":
        hubs.not_in_tree(prepared, monkeypatch)
    prepared.remember("one", start(), EDIT, {"kind": "due"})
    settle(prepared)
    (state,) = prepared.state_files()
    if word:
        state.write_text(state.read_text().replace("status: in_progress", f"status: {word}"))
    prepared.remember("one", EDIT, *facts)
    settle(prepared)
    assert hubs.stated(prepared, "one")["Status"] == status
    assert hubs.stated(prepared, "one")["history"] == (status == "completed")


def test_an_entry_follows_what_happens_and_keeps_when_it_started(prepared: Project) -> None:
    """Files, tasks, title, purpose and next steps follow journal and state file; Started stays, time moves."""
    prepared.remember("one", start(), {"kind": "prompt", "text": "parse the invoices"}, EDIT, {"kind": "due"}, at=1e9)
    settle(prepared)
    first = hubs.stated(prepared, "one")
    assert first["title"] == "Claude - parse the invoices"
    assert first["Next"] == "[to be filled]"
    (state,) = prepared.state_files()
    text = state.read_text().replace("## Next Steps\n", "## Next Steps\n- Sum the totals\n- Ask Mara\n")
    state.write_text(text.replace('title: "parse the invoices"', 'title: "Invoices"'))
    prepared.remember("one", {**EDIT, "path": "src/b.py"}, TASK, {**TASK, "id": "2", "status": "completed"})
    settle(prepared)
    then = hubs.stated(prepared, "one")
    assert then["title"] == "Claude - Invoices"
    assert then["Next"] == "Sum the totals; Ask Mara; Parse"  # the open task stays beside what a person wrote
    assert then["Started"] == first["Started"] == "2001-09-09 01:46 UTC"
    assert "Files changed: src/b.py, src/a.py" in then["Context"]
    assert "Tasks: 1 of 2 done" in then["Context"]
    assert then["Context"].count("Files changed") == 1


def test_a_second_settle_changes_nothing(prepared: Project) -> None:
    """Twice is the same as once, to the byte, with children and all."""
    prepared.remember("one", start(), EDIT, CHILD)
    settle(prepared)
    before = hubs.path(prepared).read_bytes()
    prepared.remember("one", {"kind": "compact", "trigger": "manual"})
    settle(prepared)
    assert hubs.path(prepared).read_bytes() == before


WRITTEN = [
    ("Purpose", "What Mara asked for"),
    ("Next", "Call Mara first"),
    ("Status", "active, but waiting for Mara"),
]


@pytest.mark.parametrize(("field", "words"), WRITTEN, ids=[field for field, _ in WRITTEN])
def test_what_a_person_writes_into_a_kept_entry_stays(prepared: Project, field: str, words: str) -> None:
    """A field that somebody else set is theirs, over further settles; all other lines of theirs stay as well."""
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    old = hubs.stated(prepared, "one")[field]
    note = "\nMara says: not before Friday.\n"
    text = hubs.path(prepared).read_text().replace(f"**{field}:** {old}\n", f"**{field}:** {words}\n")
    hubs.write(prepared, text.replace("\n## Session History", note + "\n## Session History"))
    for name in "bcd":
        prepared.remember("one", {**EDIT, "path": f"src/{name}.py"}, {"kind": "prompt", "text": "and now?"})
        settle(prepared)
        assert hubs.stated(prepared, "one")[field] == words
    assert "src/b.py" in hubs.stated(prepared, "one")["Context"]
    assert note in hubs.path(prepared).read_text()


def test_a_status_that_somebody_sets_back_stays(prepared: Project) -> None:
    """Whoever gives an entry the words that it had before means it: a settle leaves them."""
    prepared.remember("one", start(), EDIT, {"kind": "due"})
    settle(prepared)
    old = hubs.path(prepared).read_text()
    (state,) = prepared.state_files()
    state.write_text(state.read_text().replace("status: in_progress", "status: paused"))
    prepared.remember("one", EDIT)
    settle(prepared)
    assert hubs.stated(prepared, "one")["Status"] == "paused"
    hubs.write(prepared, old)
    prepared.remember("one", EDIT)
    settle(prepared)
    assert hubs.stated(prepared, "one")["Status"] == "active"


def test_entries_that_somebody_takes_out_stay_out(prepared: Project) -> None:
    """A hub that is emptied by hand has only the entries of sessions that it never had."""
    prepared.remember("old", start(), EDIT)
    settle(prepared)
    head, _, rest = hubs.path(prepared).read_text().partition("### ")
    hubs.write(prepared, head + rest[rest.index("## Session History") :])
    prepared.remember("old", {**EDIT, "path": "src/b.py"})
    prepared.remember("new", start(), EDIT)
    settle(prepared)
    assert {found.entry.ident for found in hubs.read(prepared).entries()} == {"new"}


# What somebody changes in the same edit in which he removes an entry.
BESIDE = {
    "nothing else": ("", ""),
    "a note": ("## Active Sessions\n", "## Active Sessions\n\nA note of mine.\n"),
    "a word in another entry": ("**Purpose:** ", "**Purpose:** By Friday: "),
    "a field in another entry": ("**Purpose:** ", "**Reviewer:** Mara\n**Purpose:** "),
    "the title of the hub": ("# Session State\n", "# Session State of the team\n"),
}


@pytest.mark.parametrize("edit", BESIDE.values(), ids=BESIDE)
def test_a_removed_entry_stays_out_whatever_else_changes(prepared: Project, edit: tuple[str, str]) -> None:
    """What is missing once a person has read the hub was removed: it stays so, and the journal notes it once."""
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    prepared.remember("two", start(), EDIT)
    settle(prepared)
    left = re.sub(r"(?s)### (?:(?!### ).)*?`two`.*?(?=\n##)", "", hubs.path(prepared).read_text())
    path = hubs.write(prepared, left.replace(*edit, 1))
    os.utime(path, (time.time() + 5,) * 2)
    for name in "bc":
        prepared.remember("two", {**EDIT, "path": f"src/{name}.py"})
        settle(prepared)
    assert {found.entry.ident for found in hubs.read(prepared).entries()} == {"one"}
    assert edit[1] in path.read_text()
    assert [fact.get("removed") for fact in prepared.facts("two", "hub")] == [None, "hand"]
    assert prepared.cli("update", "action=in_progress", "session_id=two").code == 0
    settle(prepared)
    assert "removed" not in prepared.facts("two", "hub")[-1]


def test_the_journal_notes_what_git_removed(prepared: Project) -> None:
    """An entry that a checkout took away is no person's removal."""
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    prepared.git("add", "--all")
    prepared.git("commit", "--quiet", "--message", "one")
    prepared.remember("two", start(), EDIT)
    settle(prepared)
    prepared.git("restore", "--staged", "--worktree", str(hubs.path(prepared)))
    prepared.remember("two", {**EDIT, "path": "src/b.py"})
    settle(prepared)
    assert {found.entry.ident for found in hubs.read(prepared).entries()} == {"one"}
    assert prepared.facts("two", "hub")[-1]["removed"] == "git"


@pytest.mark.parametrize("when", ["before a write, and renamed after it", "amid a write"])
def test_what_an_overtaken_save_took_back_is_written_again(
    prepared: Project, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Who saves a note at the very moment of a write, from the copy before it, takes no entry away."""
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    old = hubs.path(prepared).read_text()
    trim = writing.trim

    def save() -> None:
        hubs.write(prepared, old.replace("## Active", "A note of mine.\n\n## Active"))

    def saved_and_trimmed(*given: Any, **options: Any) -> Any:
        save()
        return trim(*given, **options)

    prepared.remember("two", start(), EDIT)
    with monkeypatch.context() as patch:
        if when == "amid a write":
            patch.setattr(writing, "trim", saved_and_trimmed)
        settle(prepared)
    if when != "amid a write":
        save()
        os.utime(hubs.path(prepared), (time.time() - 5,) * 2)
    settle(prepared)
    assert {found.entry.ident for found in hubs.read(prepared).entries()} == {"one", "two"}
    assert "A note of mine.\n" in hubs.path(prepared).read_text()


def test_a_child_has_an_entry_linked_both_ways_with_what_it_was_called_to_do(prepared: Project, tmp_path: Path) -> None:
    """Purpose is the description that Claude Code notes beside the transcript, evidence the files and the answer."""
    inside = tmp_path / "t/subagents"
    inside.mkdir(parents=True)
    (inside / "agent-a1.meta.json").write_text('{"agentType": "Explore", "description": "Look for totals"}')
    prepared.remember("one", start(transcript=f"{tmp_path}/t.jsonl"), CHILD, {**EDIT, "agent": "a1"})
    settle(prepared)
    child = hubs.stated(prepared, "a1")
    assert (child["title"], child["Status"]) == ("Explore - Look for totals (child of Claude)", "active")
    assert child["Parent"] == "Claude (one)"
    assert hubs.stated(prepared, "one")["Children"] == "Explore (a1)"
    prepared.remember("one", {**CHILD, "status": "completed", "text": "They are in b.py"})
    settle(prepared)
    child = hubs.stated(prepared, "a1")
    assert (child["Status"], child["history"]) == ("completed", True)
    assert "Files changed: src/a.py" in child["Context"]
    assert "Result: They are in b.py" in child["Context"]
    assert child["Completed"]
    assert "is valid" in prepared.cli("validate").out


def test_children_are_completed_with_their_parent(prepared: Project) -> None:
    """When the parent's work is completed so are the children that were still open, in the history."""
    prepared.remember("one", start(), EDIT, CHILD, {"kind": "due"})
    settle(prepared)
    (state,) = prepared.state_files()
    state.write_text(state.read_text().replace("status: in_progress", "status: completed"))
    prepared.remember("one", EDIT)
    settle(prepared)
    for ident in ("one", "a1"):
        assert (hubs.stated(prepared, ident)["Status"], hubs.stated(prepared, ident)["history"]) == ("completed", True)


def test_a_childs_hooks_change_the_hub_and_leave_its_parents_state_file(prepared: Project) -> None:
    """SubagentStart and SubagentStop bring the child's entry up to date; the parent's file and standing stay."""
    claude = Claude(prepared)
    claude.fire("SessionStart", "one")
    claude.fire("PostToolUse", "one")
    prepared.settled()
    (state,) = prepared.state_files()
    before, own = state.read_bytes(), hubs.stated(prepared, "one")
    claude.fire("SubagentStart", "one")
    claude.fire("PostToolUse", "one", tool_input={"file_path": "b.py"}, agent_id="a877", agent_type="Explore")
    claude.fire("SubagentStop", "one")
    end = time.monotonic() + hooks.LIMIT
    while "completed" not in hubs.path(prepared).read_text() and time.monotonic() < end:
        time.sleep(0.05)
    after = hubs.stated(prepared, "one")
    assert hubs.stated(prepared, "a877")["Status"] == "completed"
    assert state.read_bytes() == before
    assert {key: after[key] for key in ("Status", "Purpose", "Next", "history")} == {
        key: own[key] for key in ("Status", "Purpose", "Next", "history")
    }
    claude.kill()


def test_a_session_from_anothers_shell_is_its_child(prepared: Project) -> None:
    """A session that names a parent is linked with it, and the parent gets an entry though it did nothing else."""
    prepared.remember("outer", start(), NOTHING)
    prepared.remember("inner", start(parent="outer"), EDIT)
    settle(prepared)
    assert hubs.stated(prepared, "inner")["Parent"] == "Claude (outer)"
    assert hubs.stated(prepared, "outer")["Children"] == "Claude (inner)"


def test_who_was_adopted_keeps_its_new_parent(prepared: Project) -> None:
    """A settle does not link a child back to a parent when another session took the child over."""
    prepared.remember("one", start(), EDIT, CHILD)
    settle(prepared)
    adopt = ("update", "action=started", "agent=git", "session_id=two", "purpose=Take over")
    assert prepared.cli(*adopt).code == 0
    assert prepared.cli("update", "action=in_progress", "session_id=a1", "parent_session=two").code == 0
    prepared.remember("one", {**EDIT, "path": "src/c.py"})
    settle(prepared)
    assert hubs.stated(prepared, "a1")["Parent"] == "Git (two)"
    assert hubs.stated(prepared, "a1")["title"].endswith("(child of Git)")
    assert "a1" not in hubs.stated(prepared, "one").get("Children", "")


def test_who_completed_a_session_by_hand_meant_it_until_it_goes_on(prepared: Project) -> None:
    """`update action=completed` holds while the session says no more; after a new start and new work it is active."""
    prepared.remember("one", start(), EDIT, at=time.time() - 600)
    settle(prepared)
    assert prepared.cli("update", "action=completed", "session_id=one").code == 0
    prepared.remember("one", {**EDIT, "path": "src/d.py"})
    settle(prepared)
    assert hubs.stated(prepared, "one")["history"] is True
    reported = len(prepared.facts("one", "hub"))
    settle(prepared)
    assert len(prepared.facts("one", "hub")) == reported  # no more requests
    prepared.remember("one", start(source="resume"), at=time.time() + 120)
    prepared.remember("one", {**EDIT, "path": "src/e.py"}, at=time.time() + 180)
    settle(prepared)
    assert (hubs.stated(prepared, "one")["history"], hubs.stated(prepared, "one")["Status"]) == (False, "active")
    assert "Completed" not in hubs.stated(prepared, "one")


BROKEN = [
    ("conflict markers", "<<<<<<< ours\n" + hubs.HEAD + "=======\n>>>>>>> theirs\n", "conflict"),
    ("a fence that never closes", hubs.HEAD + "\n```\n", "fence"),
    ("no known section", "# Notes\n", "no section Active Sessions"),
    ("two sections", hubs.HEAD + "\n## Active Sessions\n", "appears 2 times"),
]


@pytest.mark.parametrize(("text", "why"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_hub_that_cannot_be_understood_is_left_alone_and_reported_once(
    prepared: Project, text: str, why: str
) -> None:
    """State files are settled all the same; the reason is logged with the hub's path, once."""
    path = hubs.write(prepared, text)
    prepared.remember("one", start(), EDIT, {"kind": "due"})
    done = prepared.cli("settle")
    assert (done.code, str(path.relative_to(prepared.root)) in done.err, why in done.err) == (1, True, True)
    prepared.remember("one", EDIT)
    prepared.cli("settle")
    assert path.read_text() == text
    assert len(prepared.state_files()) == 1
    assert len(prepared.log) == 1
    assert prepared.fire("SessionStart", "two").code == 0
    prepared.settled("one")


def test_a_hub_behind_a_link_is_left_alone(prepared: Project, tmp_path: Path) -> None:
    """A hub that is a link to somewhere else is not written through."""
    outside = tmp_path / "outside.md"
    outside.write_text(hubs.HEAD)
    hubs.path(prepared).symlink_to(outside)
    prepared.remember("one", start(), EDIT)
    assert prepared.cli("settle").code == 1
    assert outside.read_text() == hubs.HEAD


def test_the_hub_is_not_staged_where_nothing_is(prepared: Project) -> None:
    """With `stage = false` the hub is written and left to the person."""
    (prepared.root / ".agents/holdfast.toml").write_text("stage = false\n")
    prepared.remember("one", start(), EDIT)
    settle(prepared)
    assert prepared.staged() == []
    assert hubs.stated(prepared, "one")["Status"] == "active"


@pytest.mark.slow
def test_the_history_is_bounded_and_nothing_is_dropped(prepared: Project) -> None:
    """The oldest entries move to SESSION-HISTORY.md; both files together hold everyone."""
    (prepared.root / ".agents/holdfast.toml").write_text("history_entries = 5\n")
    for number in range(12):
        prepared.remember(
            f"s{number:02}", start(), EDIT, {"kind": "status", "status": "completed"}, at=1.7e9 + number * 3600
        )
        settle(prepared)
    archived = (hubs.path(prepared).parent / "SESSION-HISTORY.md").read_text()
    kept = {found.entry.ident for found in hubs.read(prepared).entries()}
    assert len(kept) <= 6
    assert kept | {f"s{number:02}" for number in range(12) if f"`s{number:02}`" in archived} == {
        f"s{number:02}" for number in range(12)
    }
    assert not any(f"`{ident}`" in archived for ident in kept)
    assert (
        prepared.cli("archive", "--keep", "1").out == f"Moved {len(kept) - 1} entries to .agents/SESSION-HISTORY.md.\n"
    )
    assert "Nothing was moved" in prepared.cli("archive", "--keep", "1").out
    assert {".agents/SESSION-HISTORY.md", ".agents/SESSION-STATE.md"} <= set(prepared.staged())
    assert "SESSION-" not in prepared.git("diff", "--name-only")  # staged as they are now
    assert "is valid: 1 entry, 0 of them open" in prepared.cli("validate").out


def test_a_session_that_a_sweep_paused_is_active_again_when_it_is_resumed(prepared: Project) -> None:
    """The sweep's word holds until the session is started again; what a person says later holds."""
    task = {"kind": "task", "id": "1", "subject": "Parse", "status": "pending"}
    prepared.remember("one", start(), EDIT, task, {"kind": "due"}, at=time.time() - 3 * 86400)
    settle(prepared)
    (state,) = prepared.state_files()
    state.write_text(state.read_text().replace('last_updated: "20', 'last_updated: "19'))
    assert prepared.cli("sweep", "later", "one").out.startswith("paused one (")
    prepared.remember("one", start(source="resume"), {**EDIT, "path": "src/b.py"})
    settle(prepared)
    assert "status: in_progress" in state.read_text()
    assert hubs.stated(prepared, "one")["Status"] == "active"
    assert prepared.cli("pause", "one").code == 0
    prepared.remember("one", {**EDIT, "path": "src/c.py"})
    settle(prepared)
    assert "status: paused" in state.read_text()


def test_work_in_a_removed_worktree_is_not_done(prepared: Project) -> None:
    """A state file that went with its working tree, or was deleted, leaves the session open."""
    tree = prepared.folder / "tree"
    prepared.git("add", "-A")
    prepared.git("commit", "-qm", "prepared")
    prepared.git("worktree", "add", "-q", "-b", "side", str(tree))
    prepared.remember("one", start(root=str(tree), worktree=str(tree)), EDIT, {"kind": "due"})
    prepared.remember("two", start(), EDIT, {"kind": "due"})
    settle(prepared)
    prepared.git("worktree", "remove", "--force", str(tree))
    for state in prepared.state_files():
        state.unlink()
    for ident in ("one", "two"):
        prepared.remember(ident, {"kind": "end", "reason": "other"})
    settle(prepared)
    assert (hubs.stated(prepared, "one")["Status"], hubs.stated(prepared, "two")["Status"]) == (
        "active",
        "active",
    )


def test_a_worktree_that_a_session_left_is_not_reported_any_more(prepared: Project) -> None:
    """Of going back no hook tells, only where the next answer is given; a worktree that was never measured stays."""
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", "-b", "side", str(tree))
    back = {"kind": "answer", "text": "done", "worktree": str(prepared.root), "branch": "main"}
    prepared.remember("one", start(branch="main"), EDIT, {"kind": "worktree", "path": str(tree), "branch": "side"})
    prepared.remember("two", start(branch="main"), EDIT)
    settle(prepared)
    prepared.cli("update", "action=in_progress", "session_id=two", "context=worktree:mine")
    assert "Worktree: tree" in hubs.stated(prepared, "one")["Context"]
    for ident in ("one", "two"):
        prepared.remember(ident, back)
    settle(prepared)
    assert "Worktree: none" in hubs.stated(prepared, "one")["Context"]
    assert "Worktree: tree" not in hubs.stated(prepared, "one")["Context"]
    assert "orktree: mine" in hubs.stated(prepared, "two")["Context"]


@pytest.mark.parametrize(
    "again", [(), ("update", "action=started", "agent=git", "session_id=git-12ab", "purpose=Other"), ("archive",)]
)
def test_what_a_killed_settle_wrote_is_no_stranger_s(
    prepared: Project, monkeypatch: pytest.MonkeyPatch, again: tuple[str, ...]
) -> None:
    """A settle that was killed between the hub and the journal wrote it all the same: it goes on to be kept."""
    prepared.remember("one", start(), CHILD, EDIT)
    append = journal.append

    def killed(store: str, session: str, fact: dict[str, object]) -> None:
        if fact["kind"] == "hub":
            raise KeyboardInterrupt
        append(store, session, fact)

    with monkeypatch.context() as patch:
        patch.setattr(journal, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            refresh.keep(Workspace(paths.locate(str(prepared.root))), ["one"], [])
    assert hubs.stated(prepared, "one")["Status"] == "active"
    assert prepared.facts(kind="hub") == []
    if again:
        assert prepared.cli(*again).code == 0
    prepared.remember("one", {"kind": "status", "status": "paused"})
    settle(prepared)
    assert hubs.stated(prepared, "one")["Status"] == "paused"


def test_a_session_whose_start_is_not_known_began_with_its_first_work(prepared: Project) -> None:
    """The plugin was installed in the middle of it: the entry has the time of the first edit."""
    prepared.edit("a.txt")
    prepared.fire("Stop")
    prepared.settled()
    assert hubs.stated(prepared, "one")["Started"][:4] not in {"", "1970"}


def test_a_hub_that_could_not_be_staged_is_staged_later(prepared: Project) -> None:
    """The next settle does it, also that of a session which did nothing."""
    prepared.git("add", "--all")
    prepared.git("commit", "--quiet", "--message", "so far")
    prepared.remember("one", start(), EDIT)
    lock = prepared.root / ".git/index.lock"
    lock.touch()
    settled = prepared.cli("settle")
    lock.unlink()
    name = str(hubs.path(prepared).relative_to(prepared.root))
    assert hubs.path(prepared).is_file(), settled
    assert name not in prepared.staged()
    prepared.remember("two", start(), NOTHING)
    refresh.keep(Workspace(paths.locate(str(prepared.root))), ["two"], [])
    assert name in prepared.staged()


def test_only_finished_entries_of_the_history_are_archived(prepared: Project) -> None:
    """Unfinished ones stay there, and so do completed ones that a person left among the active ones."""
    done = hubs.person("2222", Status="completed")
    hubs.write(
        prepared,
        hubs.HEAD
        + hubs.person("1111", Status="completed")
        + hubs.HISTORY
        + done
        + hubs.person("3333", Status="paused")
        + hubs.person("4444", Status=""),
    )
    assert prepared.cli("archive", "--keep", "0").out == "Moved 2 entries to .agents/SESSION-HISTORY.md.\n"
    assert [found.entry.ident for found in hubs.read(prepared).entries()] == ["1111", "3333"]
