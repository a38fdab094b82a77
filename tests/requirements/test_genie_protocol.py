"""The Session State Protocol (formats/genie-session-state-protocol.md): one case for each of its sentences."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.requirements import support_genie
from tests.requirements.support_genie import (
    ACTIVE,
    EMPTY,
    HISTORY,
    HUB,
    MINUTE,
    PROTOCOL,
    UUID,
    entries,
    entry,
    findings,
    hub,
    neuron,
    read,
    started,
    this_minute,
    update,
    write,
)
from tests.support import faulting, hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.faulting import Faulty
    from tests.support.hooks import Project

here, prepared, genie, faulty = hooks.here, hooks.prepared, support_genie.genie, faulting.faulty
PARENT, CHILD = "git-xyz-abc123", "pr-xyz-ghi789"


def work(project: Project, session: str = "one", path: str = "src/a.py") -> None:
    """Let a session start, be asked something and edit a file, and bring the hub up to date."""
    project.fire("SessionStart", session)
    project.fire("UserPromptSubmit", session)
    project.edit(str(project.root / path), session)
    settle(project)


def settle(project: Project) -> None:
    """Bring the hub up to date."""
    reply = project.cli("settle")
    assert reply.code == 0, reply


def listed(project: Project, command: str = "list", *arguments: str) -> dict[str, dict[str, Any]]:
    """Return the rows of a command by their id."""
    reply = project.cli(command, *arguments, "--json")
    assert reply.code == 0, reply
    return {row["id"]: row for row in json.loads(reply.out)}


# --- the head of the document ---


def test_last_updated_may_be_a_live_directive(genie: Project) -> None:
    """**Last Updated:** !`date -u …` stays as it is, whoever writes the hub."""
    write(genie, PROTOCOL.replace("2025-10-17 16:10 UTC", "2025-10-17T16:10Z"))
    started(genie, "new-1")
    assert genie.cli("validate", "--fix").code == 0
    assert read(genie).startswith('# Session State\n**Last Updated:** !`date -u +"%Y-%m-%d %H:%M:%S UTC"`\n')


# --- Architecture ---


@pytest.mark.parametrize(
    "there",
    [
        "a hub",
        "an empty folder",
    ],
)
def test_location_is_genie_session_state_md(prepared: Project, there: str) -> None:
    """Location: `.genie/SESSION-STATE.md`; an empty `.genie/` receives the hub as well."""
    (prepared.root / ".genie").mkdir()
    if there == "a hub":
        write(prepared, EMPTY)
    started(prepared, "new-1")
    assert (prepared.root / HUB).is_file()
    assert not (prepared.root / ".agents/SESSION-STATE.md").exists()
    assert not entry(prepared, "new-1").past


def test_the_empty_folder_receives_the_hub_of_a_session_too(prepared: Project) -> None:
    """An empty `.genie/` directory receives the hub, by whatever it is begun."""
    (prepared.root / ".genie").mkdir()
    work(prepared)
    assert "one" in entries(prepared)


def test_committed_yes(genie: Project) -> None:
    """Committed: yes. The hub is staged with each change and never ignored."""
    started(genie, "new-1")
    assert HUB in genie.staged()
    genie.git("commit", "-q", "-m", "hub")
    assert HUB in genie.git("ls-files").splitlines()


def test_purpose_track_all_active_neuron_sessions(genie: Project) -> None:
    """Purpose: track all active neuron sessions, those that an update names and those that hooks see."""
    work(genie)
    started(genie, "new-1")
    assert [(ident, reported.past) for ident, reported in entries(genie).items()] == [("one", False), ("new-1", False)]


def test_enable_resume_after_restart(genie: Project) -> None:
    """Purpose: enable resume after restart: each open entry has a line that resumes it."""
    write(genie, PROTOCOL)
    assert set(listed(genie, "resume")) == {PARENT, CHILD}


def test_authority_source_of_truth(genie: Project) -> None:
    """Authority: source of truth. What a person sets there counts for the tree, and no settle takes it back."""
    work(genie)
    path = genie.root / HUB
    path.write_text(read(genie).replace("**Status:** active", "**Status:** paused"))
    settle(genie)
    genie.edit(str(genie.root / "src/b.py"), "one")
    settle(genie)
    assert entry(genie, "one").fields["Status"] == "paused"
    assert "src/b.py" in read(genie)
    assert listed(genie, "tree", "--all")["one"]["status"] == "paused"


@pytest.mark.parametrize("live", [True, False])
def test_the_state_file_says_what_a_person_set_in_the_hub(genie: Project, *, live: bool) -> None:
    """Authority: source of truth. The session's file, the list and the history follow; what git does is no person."""
    work(genie)
    if not live:
        genie.fire("SessionEnd", "one")
        settle(genie)
    (path,) = genie.state_files()
    words = {"paused": "paused", "active": "in_progress", "completed": "completed"}
    for word, written in [*words.items(), ("active", "in_progress"), ("dropped", "completed")]:
        (genie.root / HUB).write_text(re.sub(r"(?m)^(\*\*Status:\*\*) .*", rf"\1 {word}", read(genie)))
        settle(genie)
        assert f"  status: {written}\n" in path.read_text()
        assert (entry(genie, "one").fields["Status"], listed(genie)["one"]["status"]) == (word, word)
        assert entry(genie, "one").past == (word in {"completed", "dropped"})
        assert findings(genie) == []
    genie.git("commit", "-q", "-a", "-m", "dropped")
    (genie.root / HUB).write_text(read(genie).replace("**Status:** dropped", "**Status:** active"))
    settle(genie)
    genie.git("checkout", "HEAD", "--", HUB)
    settle(genie)
    assert "  status: in_progress\n" in path.read_text()


def test_list_says_what_the_source_of_truth_says(genie: Project) -> None:
    """Authority: source of truth. `list` has the status that a person set in the hub."""
    work(genie)
    (genie.root / HUB).write_text(read(genie).replace("**Status:** active", "**Status:** paused"))
    settle(genie)
    assert listed(genie, "list", "--all")["one"]["status"] == "paused"


@pytest.mark.parametrize("action", ["waiting", "paused"])
def test_list_says_what_an_update_changed(genie: Project, action: str) -> None:
    """Authority: source of truth. `list` has the status that an update by Claude gave its own session."""
    work(genie)
    update(genie, f"action={action}", "context=reason:for-Mara", CLAUDE_CODE_SESSION_ID="one")
    settle(genie)
    assert listed(genie, "list", "--all")["one"]["status"] == action


# --- 1. Track All Active Neurons ---


def test_each_active_neuron_session_must_have_an_entry(genie: Project) -> None:
    """Each active neuron session must have an entry; `validate` names a live session without one."""
    work(genie)
    assert findings(genie) == []
    write(genie, EMPTY)
    assert any("one has no entry" in words for _, words in findings(genie))


def test_an_entry_has_the_fields_of_the_example(genie: Project) -> None:
    """Session ID, Started, Status, Children, Purpose, Context and Next, in this order, under `### Name - Purpose`."""
    started(genie, "up-1", "git", "Feature XYZ", "context=branch:feat/xyz files_modified:[src/x.ts]")
    started(genie, "down-1", "tests", "Issue", "parent_session=up-1")
    reported = entry(genie, "up-1")
    wanted = ["Session ID", "Started", "Status", "Children", "Purpose", "Context", "Next"]
    assert [name for name in reported.fields if name in wanted] == wanted
    assert reported.title == "Git - Feature XYZ"
    assert re.search(
        r"(?m)^### Git - Feature XYZ\n\n\*\*Session ID:\*\* `up-1`\n\*\*Started:\*\* " + MINUTE, read(genie)
    )


def test_children_in_one_line_and_ids_that_are_cut_are_read(genie: Project) -> None:
    """The example writes `abc123...`, and its children in one line with their ids in brackets."""
    write(
        genie,
        hub(
            neuron("abc123...", Children="issue workflow (def456), pr workflow (ghi789)")
            + neuron("def456", "Issue Workflow (child of Git Neuron)", Parent="Git Neuron (abc123)")
            + neuron("ghi789", "PR Workflow (child of Git Neuron)", Parent="Git Neuron (abc123)")
        ),
    )
    assert findings(genie) == []
    known = listed(genie, "tree")
    assert [known[ident]["depth"] for ident in ("abc123...", "def456", "ghi789")] == [0, 1, 1]


def test_the_context_names_branch_and_files_modified(genie: Project) -> None:
    """Context: branch and files modified, as they are measured of a session."""
    work(genie)
    reported = entry(genie, "one")
    assert "main" in reported.fields["Branch"] + reported.fields["Context"]
    assert "Files changed: src/a.py" in reported.context


def test_next_names_the_next_action(genie: Project) -> None:
    """Next: the next action when resumed, from the session's own state file."""
    genie.fire("SessionStart", "one")
    genie.edit(str(genie.write_state(following="Parse the totals.")), "one", tool="Write")
    settle(genie)
    assert "Parse the totals." in entry(genie, "one").fields["Next"]


# --- 2. Parent-Child Relationships ---


def test_a_neuron_entry_lists_its_child_workflow_sessions(genie: Project) -> None:
    """Neuron entry lists child workflow sessions: those of hooks and those of updates, each once."""
    work(genie)
    genie.fire("SubagentStart", "one", agent_id="a1", agent_type="Explore")
    genie.fire("SubagentStop", "one", agent_id="a1", agent_type="Explore")
    settle(genie)
    for _ in range(2):
        started(genie, "kid-1", "tests", "Tests", "parent_session=one")
    children = entry(genie, "one").fields["Children"]
    assert [children.count(ident) for ident in ("(a1)", "(kid-1)")] == [1, 1]


@pytest.mark.parametrize(
    "named",
    ["in a field", "in the heading"],
)
def test_it_is_clear_which_workflows_belong_to_which_neuron(genie: Project, named: str) -> None:
    """Clear which workflows belong to which neuron; a parent named in a heading is a parent."""
    fields = {"Parent": "Git Neuron (up-1)"} if named == "in a field" else {}
    child = neuron("down-1", "PR Workflow (child of Git Neuron)", **fields)
    write(genie, hub(neuron("up-1") + neuron("other-1", "Tests Neuron - Y") + child))
    row = listed(genie, "tree")["down-1"]
    assert (row["parent"], row["depth"]) == ("up-1", 1)


def test_fix_writes_the_parent_that_a_heading_names(genie: Project) -> None:
    """A parent named in a heading is a parent: `--fix` writes both ends of the link."""
    write(genie, hub(neuron("up-1") + neuron("down-1", "PR Workflow (child of Git Neuron)")))
    assert findings(genie)
    assert genie.cli("validate", "--fix").code == 0
    assert entry(genie, "down-1").fields["Parent"] == "Git Neuron (up-1)"
    assert "(down-1)" in entry(genie, "up-1").fields["Children"]


def test_orphaned_children_are_named_after_a_context_reset(genie: Project) -> None:
    """Prevents "orphaned children" after context reset: a restart without their parent names them."""
    child = neuron("down-1", "PR Workflow (child of Git Neuron)", Parent="Git Neuron (gone-1)")
    write(genie, hub(child))
    reply = genie.fire("SessionStart", "two", source="clear")
    assert "PR Workflow" in reply.context
    assert listed(genie, "tree")["down-1"]["orphaned"]


CYCLE = neuron("ca-1", "CycA", Parent="CycB (cb-1)") + neuron("cb-1", "CycB", Parent="CycA (ca-1)")
SAME_NAME = neuron("g-1") + neuron("g-1", Purpose="Other") + neuron("w-1", "Wf (child of Git Neuron)")


@pytest.mark.parametrize("text", [CYCLE, SAME_NAME], ids=["a cycle", "a name that two entries have"])
def test_fix_promises_only_what_it_fixes(genie: Project, text: str) -> None:
    """What a person must decide is not counted among what `--fix` fixes."""
    write(genie, hub(text))
    before = read(genie)
    assert " fixes " not in genie.cli("validate").out
    genie.cli("validate", "--fix")
    assert read(genie) == before


@pytest.mark.parametrize("ident", ["pending", "TBD", "abc123..."])
def test_an_entry_may_be_without_an_id_while_it_is_starting(genie: Project, ident: str) -> None:
    """Create session entry with "starting" status, launch neuron, capture session ID."""
    write(genie, hub(neuron(ident, Status="starting")))
    assert findings(genie) == []


def test_a_field_that_is_added_to_an_entry_is_no_item_of_its_context(genie: Project) -> None:
    """**Last Updated:** and **Next:** are fields of an entry whose last field is a list."""
    write(genie, hub(neuron("up-1", Context="\n- outcome: x\n- Files: a.py")))
    assert genie.cli("sync", "up-1", "--json", json.dumps({"Next": "Ask Ana"})).code == 0
    known = entry(genie, "up-1")
    assert (known.fields["Next"], "Last Updated" in known.fields) == ("Ask Ana", True)
    assert "- outcome: x\n- Files: a.py\n\n##" in read(genie)


SYNCED = {
    "a word that is none": ({"Status": "banana"}, 1, "active"),
    "a time that is none": ({"Started": "yesterday"}, 1, "active"),
    "a day in another form": ({"Last Updated": "17.10.2025"}, 1, "active"),
    "a parent": ({"Parent": "Git Neuron (up-1)"}, 1, "active"),
    "a child": ({"Children": ["other (other-1)"]}, 1, "active"),
    "another id": ({"Session ID": "up-2"}, 1, "active"),
    "a context in keys": ({"Context": {"files_modified": ["a.ts"]}}, 0, "active"),
    "a time in another form": ({"Started": "2026-02-11T09:00:00+09:00"}, 0, "active"),
    "a time with seconds": ({"Started": "2026-02-11 00:00:30 UTC"}, 0, "active"),
    "completed at a time": (
        {"Status": "completed", "Started": "2026-02-11 00:00", "Completed": "2026-02-11 08:00"},
        0,
        "completed",
    ),
    "completed, it is open": ({"Completed": "2026-02-11 08:00 UTC", "Next": "x"}, 1, "active"),
    "a word of the first step": ({"Status": "starting"}, 0, "starting"),
    "a field": ({"Next": "Ana: do x"}, 0, "active"),
    "completed": ({"Status": "done", "Purpose": "Issue #90"}, 0, "completed"),
    "paused": ({"Status": "paused"}, 0, "paused"),
}


@pytest.mark.parametrize(("requested", "code", "status"), SYNCED.values(), ids=SYNCED)
def test_sync_of_an_entry_keeps_to_the_protocol(
    genie: Project, requested: dict[str, str], code: int, status: str
) -> None:
    """Status takes history, time and children along; a value that the protocol does not have is refused."""
    written = hub(neuron("up-1", Children="kid (down-1)") + neuron("down-1", "Kid", Parent="Git Neuron (up-1)"))
    write(genie, written.replace("State\n", "State\n**Last Updated:** !`date -u`\n", 1))
    before = read(genie)
    reply = genie.cli("sync", "up-1", "--json", json.dumps(requested))
    assert (reply.code, "time zone" in reply.err) == (code, False)
    assert ("Last Updated" in entry(genie, "up-1").fields) == (not code)
    assert entry(genie, "up-1").fields["Started"] == (
        "2026-02-11 00:00 UTC" if requested.get("Started", "yesterday") != "yesterday" else "2025-10-17 16:00 UTC"
    )
    assert (read(genie) == before) == bool(code)
    shown = {ident: one.fields["Status"] for ident, one in entries(genie).items()}
    assert shown == {"up-1": status, "down-1": "completed" if status == "completed" else "active"}
    assert (entry(genie, "up-1").past, findings(genie)) == (status == "completed", [])


# --- 3. Resume Protocol ---


def now(text: str) -> str:
    """Return a hub whose entries were started this minute."""
    return re.sub(MINUTE, this_minute(), text)


def test_base_genie_reads_session_state_on_restart(genie: Project) -> None:
    """Base Genie reads SESSION-STATE.md on restart: Claude gets the active neurons, and not the completed one."""
    write(genie, now(PROTOCOL))
    context = genie.fire("SessionStart", "one").context
    assert "Git Neuron - Feature XYZ Implementation" in context
    assert "PR Workflow" in context
    assert "Issue Workflow" not in context


def test_it_identifies_active_neurons_and_presents_status_to_user(genie: Project) -> None:
    """Identifies active neurons, presents status to user: by name, with their status."""
    write(
        genie,
        now(PROTOCOL).replace(
            "**Status:** active\n**Purpose:** Create PR", "**Status:** paused\n**Purpose:** Create PR"
        ),
    )
    message = genie.fire("SessionStart", "one").message
    assert re.search(r"Git Neuron - Feat.*active", message)
    assert re.search(r"PR Workflow.*paused", message)
    assert "Issue Workflow" not in message


def test_the_user_is_asked_which_to_resume_or_to_start_fresh(genie: Project) -> None:
    """PM Start Protocol: if active ones are found, ask which to resume or start fresh, without a conversation too."""
    write(genie, now(PROTOCOL))
    message = genie.fire("SessionStart", "one").message
    assert "start fresh?" in message
    assert f"/holdfast:resume {PARENT[:8]}" in message or f"/holdfast:resume {CHILD[:8]}" in message


def test_an_unanswered_question_is_repeated(genie: Project) -> None:
    """An unanswered question is repeated at the next start; one about completed work is not asked."""
    work(genie)
    genie.fire("SessionEnd", "one")
    settle(genie)
    for session in ("two", "three"):
        assert "start fresh?" in genie.fire("SessionStart", session).message, session
        genie.fire("SessionEnd", session)
    update(genie, "action=completed", "session_id=one", "context=done_report:r.md")
    assert "start fresh?" not in genie.fire("SessionStart", "four").message


def test_a_question_about_neurons_is_one_line_and_repeated_until_it_was_ignored(genie: Project) -> None:
    """An unanswered question is repeated, about neurons without a conversation too, until it was ignored."""
    write(genie, now(PROTOCOL))
    for session in ("one", "two"):
        asked = [line for line in genie.fire("SessionStart", session).message.splitlines() if "start fresh?" in line]
        assert len(asked) == 1, asked
        genie.fire("SessionEnd", session)
    for session in ("three", "four", "five"):
        assert "start fresh?" in genie.fire("SessionStart", session).message
        genie.fire("UserPromptSubmit", session)
        genie.fire("SessionEnd", session)
    assert "start fresh?" not in genie.fire("SessionStart", "six").message


def test_all_active_neurons_are_presented_by_name(genie: Project) -> None:
    """Identifies active neurons: Claude gets each by name, also sessions of other work; the user how many more."""
    names = ["Git Neuron - A", "Tests Neuron - B", "Learn Neuron - C", "Release Neuron - D", "Roadmap Neuron - E"]
    for number in range(6):
        genie.git("switch", "-q", "-c", f"side-{number}")
        work(genie, f"old-{number}", f"src/{number}.py")
        genie.fire("SessionEnd", f"old-{number}")
    settle(genie)
    genie.git("switch", "-q", "main")
    more = "".join(neuron(f"n-{at}-abc", name, Started=this_minute()) for at, name in enumerate(names))
    write(genie, read(genie).replace(HISTORY, f"{more}\n{HISTORY}"))
    reply = genie.fire("SessionStart", "two")
    assert [name for name in names if name not in reply.context] == []
    assert [number for number in range(6) if f"(old-{number}, " not in reply.context] == [], reply.context
    assert "Also open here" not in reply.context
    (line,) = [line for line in reply.message.splitlines() if "Git Neuron" in line]
    named = line.count('" active')
    assert line.endswith(f" and {len(names) - named} more")


@pytest.mark.parametrize("count", [3, 7, 12])
def test_neurons_that_have_one_agent_are_told_apart(genie: Project, count: int) -> None:
    """Presents status to user: by purpose where agent names do not tell them apart, with a true count of the rest."""
    known = [
        neuron(f"n-{at}-abc", f"Git Neuron - Feature {at} of the release", Purpose=f"{at}: invoices", Status="active")
        for at in range(count)
    ]
    write(genie, now(hub("".join(known))))
    first, _ = [line for line in genie.fire("SessionStart", "one").message.splitlines() if line]
    shown = re.findall(r'"([^"]*)" active', first)
    assert len(set(shown)) == len(shown) >= 1, first
    rest = re.search(r" and (\d+) more$", first)
    assert len(shown) + int(rest[1] if rest else 0) == count, first
    assert all(re.search(r"\d", name) for name in shown), first


ORPHANS = {
    "a parent that is gone": (neuron("kid-1", "A (child of Git Neuron)", Parent="Git Neuron (gone-1)"), True),
    "a parent that only the heading names": (neuron("kid-1", "A (child of Lost Neuron)"), True),
    "a parent that is completed": (
        neuron("up-1", Status="completed", Children="A (kid-1)") + neuron("kid-1", "A", Parent="Git Neuron (up-1)"),
        True,
    ),
    "a parent that is paused": (
        neuron("up-1", Status="paused", Children="A (kid-1)") + neuron("kid-1", "A", Parent="Git Neuron (up-1)"),
        False,
    ),
    "a child that is completed": (neuron("kid-1", "A", Status="completed", Parent="Git Neuron (gone-1)"), False),
    "a live session without an entry": (neuron("kid-1", "A", Parent="Claude (one)"), False),
    "a session that ended": (neuron("kid-1", "A", Parent="Claude (two)"), True),
    "work that its client left open": (neuron("kid-1", "A", Parent="Claude (three)"), False),
    "work that is paused": (neuron("kid-1", "A", Parent="Claude (four)"), False),
    "work that is completed": (neuron("kid-1", "A", Parent="Claude (five)"), True),
}


@pytest.mark.parametrize(("active", "orphaned"), ORPHANS.values(), ids=ORPHANS)
def test_orphans_are_judged_the_same_everywhere(genie: Project, active: str, *, orphaned: bool) -> None:
    """Verify no orphans (workflows without active parents): `validate`, `tree` and `sweep` agree."""
    for session in ("one", "two"):
        genie.fire("SessionStart", session)
        genie.fire("UserPromptSubmit", session)
    genie.fire("SessionEnd", "two")
    for ident, status in (("three", ""), ("four", "later"), ("five", "done")):
        genie.edit(str(genie.root / f"{ident}.py"), ident)
        genie.fire("SessionEnd", ident)
        assert not status or genie.cli("finish", ident, status).code == 0
    write(genie, now(hub(active)))
    named = [words for _, words in findings(genie) if "orphaned" in words or "no entry, or several" in words]
    assert bool(named) == orphaned, findings(genie)
    assert listed(genie, "tree", "--all")["kid-1"]["orphaned"] == orphaned
    assert ("kid-1" in genie.cli("sweep").out) == orphaned
    (status,) = [row.split("\t")[2] for row in genie.cli("list").out.splitlines() if row.startswith("kid-1\t")]
    assert (status == "active, orphaned") == orphaned
    assert f"Status: {status}" in genie.cli("status", "kid-1").out.splitlines()
    assert listed(genie, "list")["kid-1"]["orphaned"] == orphaned


def test_a_checklist_of_a_neuron_has_its_children(genie: Project) -> None:
    """Children marked completed when parent completes: open ones are open in its checklist, and no hub is deleted."""
    write(genie, now(PROTOCOL))
    lines = genie.cli("checklist", PARENT).out.splitlines()
    assert [line for line in lines if line.startswith("- [ ] Children finished; 1 open: PR Workflow")]
    assert [line for line in lines if "Delete" in line] == []
    assert lines[-1] == "Sessions still active: 2"


def test_a_checklist_counts_children_that_only_the_hub_has(genie: Project) -> None:
    """Of a session with a journal, too: a person may have written the child, or its state file may not list it."""
    genie.fire("SessionStart", "one")
    genie.edit("src/a.py", "one")
    genie.settled()
    child = neuron("pr-1", "PR Workflow", Parent="Claude (one)")
    write(genie, now(read(genie).replace("## Session History", f"{child}\n## Session History")))
    lines = genie.cli("checklist", "one").out.splitlines()
    assert [line for line in lines if line.startswith("- [ ] Children finished; 1 open: PR Workflow")], lines
    assert lines[-1] == "Sessions still active: 2"


def test_a_child_of_the_hub_that_the_state_file_lists_counts_once(genie: Project) -> None:
    """An update lists it in both."""
    genie.fire("SessionStart", "one")
    genie.edit("src/a.py", "one")
    genie.settled()
    update(genie, "action=started", "agent=git", "session_id=pr-1", "parent_session=one", "purpose=Review it")
    lines = genie.cli("checklist", "one").out.splitlines()
    assert [line for line in lines if line.startswith("- [ ] Children finished; 1 open: git")], lines


@pytest.mark.parametrize("where", ["a terminal", "Claude's shell"])
@pytest.mark.parametrize("command", ["status", "checklist"])
def test_status_and_checklist_need_no_id_in_a_genie_project(genie: Project, command: str, where: str) -> None:
    """Presents status to user: without an ID it is the own entry, else the one that was changed last."""
    write(genie, now(PROTOCOL))
    session = None if where == "a terminal" else "two"
    genie.fire("SessionStart", "two")
    reply = genie.cli(command, CLAUDE_CODE_SESSION_ID=session)
    assert (reply.code, "Feature XYZ" in reply.out or "PR Workflow" in reply.out) == (0, True), reply
    assert "2 entries" in reply.err
    update(genie, "action=started", "agent=tests", "session_id=two", "purpose=Write the totals")
    assert not session or "Write the totals" in genie.cli(command, CLAUDE_CODE_SESSION_ID=session).out


def test_resume_inside_a_session_takes_the_work_up_here(genie: Project) -> None:
    """User can resume any neuron with `/holdfast:resume`: inside a session it goes on there, not in a new one."""
    write(genie, hub(neuron("up-1", Status="paused", Next="Write the totals")))
    genie.fire("SessionStart", "two")
    fields = {"command_name": "holdfast:resume", "command_args": "up-1", "command_source": "plugin"}
    reply = genie.fire("UserPromptExpansion", "two", **fields)
    assert "Write the totals" in reply.context
    assert "Taken up in this session" in reply.context
    assert "new session" not in reply.context
    assert entry(genie, "up-1").fields["Status"] == "active"


def test_work_that_was_taken_up_here_is_no_conflict_with_itself(genie: Project) -> None:
    """Check SESSION-STATE.md for conflicts (same files, different neurons): who goes on with it is none."""
    write(genie, hub(neuron("up-1", Context="Files: src/a.py", Started=this_minute())))
    genie.fire("SessionStart", "two")
    fields = {"tool_name": "Edit", "tool_input": {"file_path": str(genie.root / "src/a.py")}}
    assert "also edits" in genie.fire("PreToolUse", "two", **fields).message
    assert "Taken up" in genie.cli("resume", "up-1", CLAUDE_CODE_SESSION_ID="two").out
    assert genie.fire("PreToolUse", "two", **fields).out == ""
    work(genie, "two")
    assert "Forked from: up-1" in entry(genie, "two").context


@pytest.mark.parametrize("asking", [True, False])
@pytest.mark.parametrize("command", ["resume", "pause", "finish"])
def test_words_mean_work_and_not_who_asks_for_it_nor_its_subagents(
    genie: Project, command: str, *, asking: bool
) -> None:
    """User can resume any neuron: a subagent has the title of its session, and who asks has the words in its prompt."""
    genie.fire("SessionStart", "one")
    genie.fire("UserPromptSubmit", "one", prompt="Write the manual of the lathe")
    genie.edit("docs/lathe.md", "one")
    genie.fire("SubagentStart", "one", agent_id="k1", agent_type="tests")
    settle(genie)
    genie.fire("SessionEnd", "one")
    if asking:
        genie.fire("SessionStart", "two")
        genie.fire("UserPromptSubmit", "two", prompt=f"{command} the manual")
    words = [command, "manual", *(["done"] if command == "finish" else [])]
    reply = genie.cli(*words, CLAUDE_CODE_SESSION_ID="two" if asking else None)
    assert (reply.code, "may mean" in reply.err) == (0, False), reply


TAKEN_UP: dict[str, Callable[[Project, str], object]] = {
    "resume": lambda project, ident: project.cli("resume", ident, CLAUDE_CODE_SESSION_ID="two"),
    "an update": lambda project, ident: update(project, "action=in_progress", f"session_id={ident}"),
    "sync": lambda project, ident: project.cli("sync", ident, "--json", '{"status": "active"}'),
    "finish": lambda project, ident: project.cli("finish", ident, "done"),
    "an editor": lambda project, _: [
        path.write_text(path.read_text().replace("status: paused", "status: in_progress"))
        for path in project.state_files()
    ],
}


@pytest.mark.parametrize("ident", ["one", "up-1"])
@pytest.mark.parametrize("way", TAKEN_UP)
def test_work_that_goes_on_or_is_over_has_no_hand_over(genie: Project, way: str, ident: str) -> None:
    """Identifies active neurons, presents status to user: what is active is not presented as paused, nor twice."""
    write(genie, hub(neuron("up-1", Started=this_minute())))
    work(genie)
    genie.fire("SessionEnd", "one")
    settle(genie)
    assert genie.cli("pause", ident).code == 0
    genie.fire("SessionStart", "two")
    assert "Paused, to be continued" in genie.cli("brief").out
    if (way, ident) != ("an editor", "up-1"):
        TAKEN_UP[way](genie, ident)
        settle(genie)
        assert "Paused, to be continued" not in genie.cli("brief").out


def test_the_next_step_of_a_pause_is_the_entrys_next(genie: Project) -> None:
    """Next: [Next action when resumed]: `pause --next` writes it into an entry of the hub."""
    write(genie, hub(neuron("up-1", Next="Create PR")))
    reply = genie.cli("pause", "up-1", "--next", "n: x")
    assert (reply.code, entry(genie, "up-1").fields["Next"]) == (0, "n: x"), reply
    assert "Next in .genie/SESSION-STATE.md: n: x" in reply.out


def test_a_start_says_what_is_orphaned_and_proposes_the_parent(genie: Project) -> None:
    """Prevents "orphaned children" after context reset: both are told; a child goes on with its parent."""
    links = {"Parent": "Git Neuron (up-1)", "Started": this_minute()}
    lost = neuron("kid-2", "PR Workflow", **{**links, "Parent": "X (gone-1)"})
    write(genie, hub(neuron("kid-1", "Docs Workflow", **links) + neuron("up-1", Started=this_minute()) + lost))
    reply = genie.fire("SessionStart", "one")
    assert '"PR Workflow" orphaned' in reply.message
    assert "/holdfast:resume up-1" in reply.message or "/holdfast:resume kid-2" in reply.message
    assert "(kid-2, active, orphaned" in reply.context
    assert "(kid-1, active, orphaned" not in reply.context


def test_a_subagent_is_not_told_of_a_live_session_that_is_an_entry(genie: Project) -> None:
    """Conflicts: an entry of long ago is named as what it is, and not as a change of the last hour."""
    write(genie, hub(neuron("up-1", Context="Files: src/a.py")))
    genie.fire("SessionStart", "one")
    genie.edit("src/b.py", "one")
    settle(genie)
    told = genie.fire("SubagentStart", "one", agent_id="k1", agent_type="tests").context
    assert "src/a.py: named in the hub by an active entry" in told
    assert "live session" not in told


def test_resume_inside_a_session_takes_a_state_file_up_here(prepared: Project) -> None:
    """The same of another session's work: its state file is this session's, and nobody is told to start another."""
    prepared.fire("SessionStart", "one")
    prepared.edit(str(prepared.write_state(following="Parse the totals.")), "one", tool="Write")
    prepared.fire("SessionEnd", "one")
    settle(prepared)
    prepared.fire("SessionStart", "two")
    reply = prepared.cli("resume", "one", CLAUDE_CODE_SESSION_ID="two")
    assert "Taken up in this session" in reply.out, reply
    assert "It is the state file of this session now." in reply.out


@pytest.mark.parametrize("own", ["one", "two"])
def test_a_completed_state_file_that_is_taken_up_is_in_progress(prepared: Project, own: str) -> None:
    """The same of completed work, of another session as of the own one."""
    prepared.fire("SessionStart", "one")
    path = prepared.write_state(status="completed")
    prepared.edit(str(path), "one", tool="Write")
    prepared.fire("SessionEnd", "one")
    settle(prepared)
    prepared.fire("SessionStart", "two")
    reply = prepared.cli("resume", "one", CLAUDE_CODE_SESSION_ID=own)
    assert ("Taken up in this session" in reply.out) == (own == "two"), reply
    assert "  status: in_progress\n" in path.read_text()
    assert listed(prepared)[own]["status"] == "active"


def test_entries_of_a_hub_outside_the_sparse_checkout_are_kept(genie: Project) -> None:
    """Authority: while git leaves the hub out of the tree, its entries are read from git and nothing is lost."""
    write(genie, hub(neuron("old-1")))
    genie.git("sparse-checkout", "set", "--cone", "src")
    assert not (genie.root / ".genie").exists()
    started(genie, "new-1")
    assert set(entries(genie)) == {"old-1", "new-1"}


@pytest.mark.parametrize("place", [".agents/SESSION-STATE.md", "in git's folder"])
def test_neurons_of_any_hub_are_named_and_asked_about(prepared: Project, place: str) -> None:
    """Presents status to user, wherever the hub is: by name at the start, with the question, and in `list`."""
    if place.startswith("."):
        write(prepared, now(PROTOCOL), place)
    else:
        started(prepared, PARENT, "git", "Feature XYZ Implementation")
        started(prepared, CHILD, "git", "PR", f"parent_session={PARENT}")
        started(prepared, "issue-xyz-def456", "git", "Issue")
        update(prepared, "action=completed", "session_id=issue-xyz-def456", "context=outcome:merged")
    reply = prepared.fire("SessionStart", "one")
    first, second = [line for line in reply.message.splitlines() if line]
    assert re.search(r'"Git .*active, "(PR|Git) .*active', first)
    assert re.fullmatch(r"resume one of these or start fresh\? /holdfast:resume \S+", second)
    assert PARENT in reply.context
    assert CHILD in reply.context
    assert "issue-xyz" not in reply.context
    assert {PARENT, CHILD} <= set(listed(prepared))


@pytest.mark.parametrize("children", ["", "Docs (down-1)"])
def test_a_completed_neuron_that_is_taken_up_is_active_again(genie: Project, children: str) -> None:
    """Who goes on with completed work in a session has it among the active ones; what its children did stays done."""
    below = neuron("down-1", "Docs", Parent="Git Neuron (up-1)", Status="completed") if children else ""
    write(genie, hub("", neuron("up-1", Status="completed", Children=children) + below))
    genie.fire("SessionStart", "two")
    reply = genie.cli("resume", "up-1", CLAUDE_CODE_SESSION_ID="two")
    assert "Taken up in this session" in reply.out
    active = read(genie).partition(HISTORY)[0]
    assert ("up-1" in active, "`down-1`" in active) == (True, False)
    assert entry(genie, "up-1").fields["Status"] == "active"
    assert genie.cli("status", "up-1").out.count("completed") == 0


@pytest.mark.parametrize(
    "status",
    ["active", "paused", "starting"],
)
def test_the_user_can_resume_any_neuron(genie: Project, status: str) -> None:
    """User can resume any neuron: it is handed over, and is active again."""
    write(genie, hub(neuron("up-1", Status=status, Next="Write the totals")))
    reply = genie.cli("resume", "up-1")
    assert reply.code == 0, reply
    assert "Write the totals" in reply.out
    assert entry(genie, "up-1").fields["Status"] == "active"


@pytest.mark.parametrize("way", [("resume", "up-1"), ("update", "action=in_progress", "session_id=up-1")])
def test_children_resume_automatically_when_parent_resumes(genie: Project, way: tuple[str, ...]) -> None:
    """Children resume automatically when parent resumes; those that are completed stay so."""
    links = {"Status": "paused", "Parent": "Git Neuron (up-1)"}
    write(
        genie,
        hub(
            neuron("up-1", Status="paused", Children="a (kid-1), b (kid-2)")
            + neuron("kid-1", "A (child of Git Neuron)", **links)
            + neuron("kid-2", "B (child of Git Neuron)", **{**links, "Status": "completed"})
        ),
    )
    assert genie.cli(*way).code == 0
    statuses = {ident: reported.fields["Status"] for ident, reported in entries(genie).items()}
    assert statuses == {"up-1": "active", "kid-1": "active", "kid-2": "completed"}


def with_workflow(genie: Project) -> None:
    """Let a session edit a file and start a workflow."""
    genie.fire("SessionStart")
    genie.edit("a.txt")
    genie.settled("one")
    started(genie, "wf-7", "git", "Flow", "parent_session=one")


GOES_ON: dict[str, Callable[[Project], object]] = {
    "the client resumes it": lambda project: (
        project.fire("SessionEnd"),
        project.fire("SessionStart", source="resume"),
        project.fire("UserPromptSubmit"),
    ),
    "sync": lambda project: project.cli("sync", "one", "--json", '{"status": "in_progress"}'),
    "finish, continue": lambda project: (project.cli("finish", "one", "later"), project.cli("continue", "one")),
}


@pytest.mark.parametrize("way", GOES_ON.values(), ids=GOES_ON)
def test_children_resume_with_their_session_however_it_goes_on(
    genie: Project, way: Callable[[Project], object]
) -> None:
    """Children resume automatically when parent resumes: also those that an update started; the file says so, too."""
    with_workflow(genie)
    for ident in ("one", "wf-7"):
        update(genie, "action=paused", f"session_id={ident}", "context=reason:lunch")
    (path,) = genie.state_files()
    assert "      status: pending\n" in path.read_text()
    way(genie)
    genie.edit("b.txt")
    genie.fire("Stop")
    genie.settled("one")
    assert {ident: one.fields["Status"] for ident, one in entries(genie).items()} == {"one": "active", "wf-7": "active"}
    (path,) = genie.state_files()
    assert "      status: in_progress\n" in path.read_text()
    rows = listed(genie, "tree")
    assert [ident for ident, row in rows.items() if row["parent"] == "one"] == ["wf-7"]


# --- 4. Completion Tracking ---


def test_neurons_mark_completed_when_work_is_done(genie: Project) -> None:
    """Neurons mark "completed" when work done: by an update, and by the state file of a session."""
    started(genie, "new-1")
    update(genie, "action=completed", "session_id=new-1", "context=done_report:r.md")
    work(genie)
    assert genie.cli("close", "one").code == 0
    assert {ident: reported.fields["Status"] for ident, reported in entries(genie).items()} == {
        "new-1": "completed",
        "one": "completed",
    }


def test_children_are_marked_completed_when_parent_completes(genie: Project) -> None:
    """Children marked completed when parent completes, whichever end of the link says so."""
    write(
        genie,
        hub(
            neuron("up-1", Children="a (kid-1)")
            + neuron("kid-1", "A (child of Git Neuron)")
            + neuron("kid-2", "B", Parent="Git Neuron (up-1)")
        ),
    )
    update(genie, "action=completed", "session_id=up-1", "context=done_report:r.md")
    assert {(reported.fields["Status"], reported.past) for reported in entries(genie).values()} == {("completed", True)}


def test_a_session_that_is_a_child_completes_with_its_state_file_and_goes_on_with_it(genie: Project) -> None:
    """The same of a child that has a state file: file, list and hub say one status, also when it works again."""
    for session in ("one", "two"):
        work(genie, session, f"src/{session}.py")
    update(genie, "action=in_progress", "session_id=two", "parent_session=one")
    update(genie, "action=completed", "session_id=one", "context=outcome:x")
    for status, word in (("completed", "completed"), ("active", "in_progress")):
        assert any(f"\n  status: {word}\n" in path.read_text() for path in genie.state_files())
        assert (entry(genie, "two").fields["Status"], listed(genie)["two"]["status"]) == (status, status)
        work(genie, "two", "src/more.py")


def test_closing_an_entry_by_command_completes_it_with_its_children(genie: Project) -> None:
    """Neurons mark "completed", move to history, children auto-complete: `holdfast close` does it, and says so."""
    write(genie, PROTOCOL)
    reply = genie.cli("close", PARENT)
    assert reply.code == 0, reply
    assert {(reported.fields["Status"], reported.past) for reported in entries(genie).values()} == {("completed", True)}
    assert "Status of PR Workflow (child of Git Neuron), line" in reply.out
    assert "outcome" in reply.err


@pytest.mark.parametrize("way", ["pause", "resume"])
def test_a_paused_neuron_takes_its_children_along(genie: Project, way: str) -> None:
    """User can resume any neuron, children resume automatically: by the commands, and each answer is read back."""
    write(genie, hub(neuron("up-1", Children="a (kid-1)") + neuron("kid-1", "A", Parent="Git Neuron (up-1)")))
    assert genie.cli("pause", "up-1").code == 0
    if way == "resume":
        update(genie, "action=paused", "session_id=kid-1", "context=reason:late")
        assert "Status of A, line" in genie.cli("resume", "up-1").out
    statuses = {ident: reported.fields["Status"] for ident, reported in entries(genie).items()}
    assert statuses == {"up-1": "paused" if way == "pause" else "active", "kid-1": "active"}


WRONG_FILES = {
    "completed": neuron("up-1", Status="completed", Context="Files: src/x.ts"),
    "paused": neuron("up-1", Status="paused", Context="Files: src/x.ts"),
    "other file": neuron("up-1", Context="Files: src/xx.ts, lib/src/x.ts"),
    "a file that is only read": neuron("up-1", Context="See src/x.ts for the totals"),
}


@pytest.mark.parametrize("other", WRONG_FILES.values(), ids=WRONG_FILES)
def test_an_entry_that_does_not_work_on_the_file_is_no_conflict(genie: Project, other: str) -> None:
    """Check for conflicts (same files, different neurons): only active entries that name this very file count."""
    write(genie, hub(other))
    genie.fire("SessionStart", "one")
    assert genie.fire("PreToolUse", "one", tool_input={"file_path": str(genie.root / "src/x.ts")}).out == ""
    assert "src/x.ts" not in genie.cli("conflicts").out.replace("lib/src/x.ts", "")


OVER = {
    "close": lambda project: project.cli("close", CLAUDE_CODE_SESSION_ID="one"),
    "finish": lambda project: (project.fire("SessionEnd"), project.cli("finish", "one", "done")),
    "the file's own status": lambda project: (
        project.cli("sync", "one", "--json", '{"status": "completed"}'),
        project.fire("Stop"),
    ),
    "a person in the hub": lambda project: (
        write(project, read(project).replace("**Status:** active", "**Status:** completed", 1)),
        project.edit("b.txt"),
        project.fire("Stop"),
    ),
}


@pytest.mark.parametrize("way", OVER.values(), ids=OVER)
def test_workflows_complete_with_their_session_however_it_is_completed(
    genie: Project, way: Callable[[Project], object]
) -> None:
    """Children auto-complete when parent completes: also those that an update started."""
    with_workflow(genie)
    (path,) = genie.state_files()
    way(genie)
    genie.settled("one")
    assert "      status: in_progress" not in path.read_text()
    assert {ident: (one.fields["Status"], one.past) for ident, one in entries(genie).items()} == dict.fromkeys(
        ("one", "wf-7"), ("completed", True)
    )


@pytest.mark.parametrize("way", ["validate --fix", "settle", "the turn in which Claude wrote it"])
def test_what_somebody_completed_in_the_hub_takes_its_children_along(genie: Project, way: str) -> None:
    """Mark session "completed" … Move to history section … Children auto-complete when parent completes."""
    child = neuron("down-1", "Kid", Parent="Git Neuron (up-1)")
    write(genie, hub(neuron("up-1", Children="kid (down-1)") + child))
    started(genie, "other-1")
    update(genie, "action=completed", "session_id=other-1", "context=outcome:x")
    path = genie.root / HUB
    genie.fire("SessionStart")
    path.write_text(read(genie).replace("**Status:** active", "**Status:** completed", 1))
    if way.startswith("the turn"):
        genie.edit(str(path))
        genie.fire("Stop")
        genie.settled("one")
    else:
        genie.cli(*way.split())
    known = {ident: one for ident, one in entries(genie).items() if ident in {"up-1", "down-1"}}
    assert [(one.fields["Status"], one.past) for one in known.values()] == [("completed", True)] * 2


def test_children_named_by_heading_complete_with_their_parent(genie: Project) -> None:
    """A child whose parent only its heading names is completed with it, too."""
    write(genie, hub(neuron("up-1") + neuron("kid-1", "A (child of Git Neuron)")))
    update(genie, "action=completed", "session_id=up-1", "context=done_report:r.md")
    assert entry(genie, "kid-1").fields["Status"] == "completed"


def test_completed_sessions_move_to_the_history_section(genie: Project) -> None:
    """Completed sessions move to history section, and what stays active stays where it is."""
    write(genie, hub(neuron("a-1") + neuron("b-1")))
    update(genie, "action=completed", "session_id=a-1", "context=done_report:r.md")
    assert {ident: reported.past for ident, reported in entries(genie).items()} == {"b-1": False, "a-1": True}


@pytest.mark.parametrize("rest", ["", neuron("old-1", Status="completed", Completed="2025-10-18 09:00 UTC")])
@pytest.mark.parametrize("words", ["We keep thirty days. 🚀", "- Ask Mara\n- Ask Ana", "> Only what is done"])
def test_what_a_person_wrote_under_the_heading_of_the_history_stays_there(
    genie: Project, words: str, rest: str
) -> None:
    """Move to history section: an entry takes no words along that are not its own, nor does the archive get them."""
    write(genie, hub(neuron("new-1"), f"{words}\n{rest}"))
    update(genie, "action=completed", "session_id=new-1", "context=outcome:sent")
    assert read(genie).index(words) < read(genie).index("### ")
    assert entry(genie, "new-1").past
    write(genie, re.sub(r"\*\*Completed:\*\* .*", "**Completed:** 2020-01-01 09:00 UTC", read(genie)))
    genie.cli("sweep")
    started(genie, "new-2")
    assert read(genie).count(words) == 1
    archive = genie.root / ".genie/SESSION-HISTORY.md"
    assert not archive.exists() or words not in archive.read_text()


def test_evidence_is_preserved_with_its_done_report(genie: Project) -> None:
    """Evidence preserved (Done Reports linked): in the history and, later, in the archive."""
    started(genie, "new-1", "git", "X", "context=files_modified:[a.py]")
    update(genie, "action=completed", "session_id=new-1", "context=done_report:.genie/reports/done.md")
    context = entry(genie, "new-1").context
    assert [line in context for line in ("files_modified: a.py", "done_report: .genie/reports/done.md")] == [True] * 2
    assert genie.cli("archive", "--keep", "0").code == 0
    archived = (genie.root / ".genie/SESSION-HISTORY.md").read_text()
    assert "done_report: .genie/reports/done.md" in archived
    assert "`new-1`" not in read(genie)


# --- Session Entry Templates ---


@pytest.mark.parametrize(
    ("action", "status"),
    [("started", "active"), ("in_progress", "active"), ("paused", "paused"), ("completed", "completed")],
)
def test_a_neuron_status_is_active_paused_or_completed(genie: Project, action: str, status: str) -> None:
    """**Status:** active | paused | completed."""
    started(genie, "new-1")
    update(genie, f"action={action}", "session_id=new-1", "context=done_report:r.md")
    assert entry(genie, "new-1").fields["Status"] == status


@pytest.mark.parametrize("by", ["hook", "update", "later"])
def test_a_workflow_entry_has_the_form_of_its_template(genie: Project, by: str) -> None:
    """A child has the heading `Name (child of Parent)`, and Session ID, Parent, Started, Status, Purpose, Context."""
    work(genie)
    if by == "hook":
        genie.fire("SubagentStart", "one", agent_id="kid-1", agent_type="tests")
        genie.edit(str(genie.root / "src/b.py"), "one", agent_id="kid-1", agent_type="tests")
        settle(genie)
    else:
        parent = ["parent_session=one"]
        begin = parent if by == "update" else []
        started(genie, "kid-1", "tests", "Feature X", *begin, "context=files_modified:[src/b.py]")
        if by == "later":
            update(genie, "action=in_progress", "session_id=kid-1", *parent)
    reported = entry(genie, "kid-1")
    wanted = ["Session ID", "Parent", "Started", "Status", "Purpose", "Context"]
    assert [name for name in reported.fields if name in wanted] == wanted
    assert reported.fields["Parent"] == "Claude (one)"
    assert re.fullmatch(r"Tests .*\(child of Claude\)", reported.title)


# --- Coordination Rules: Before Starting Neuron ---

FILES = {
    "a list as in the example": "\n- Branch: feat/xyz\n- Files: src/feature.ts, tests/feature.test.ts",
    "in a sentence": "Branch feat/xyz, files modified: [src/feature.ts, tests/feature.test.ts]",
    "as an update writes it": "\n- files_modified: tests/feature.test.ts, src/feature.ts",
}


@pytest.mark.parametrize("context", FILES.values(), ids=FILES)
def test_check_session_state_for_conflicts(genie: Project, context: str) -> None:
    """Check SESSION-STATE.md for conflicts (same files, different neurons): who edits one is warned."""
    write(genie, hub(neuron("up-1", "Git Neuron - Feature X", Context=context, Started=this_minute())))
    genie.fire("SessionStart", "one")

    def before_edit(path: str) -> str:
        return genie.fire("PreToolUse", "one", tool_input={"file_path": str(genie.root / path)}).out

    assert "Git Neuron - Feature X" in before_edit("src/feature.ts")
    assert before_edit("src/other.ts") == ""
    assert "src/feature.ts" in genie.cli("conflicts").out
    update(genie, "action=completed", "session_id=up-1", "context=done_report:r.md")
    assert before_edit("tests/feature.test.ts") == ""


def test_a_start_names_the_neuron_that_has_the_same_files(genie: Project) -> None:
    """Before starting a neuron: the answer to the update names an active one that works on the same file."""
    started(genie, "one-1", "git", "Feature X", "context=files_modified:[src/x.ts]")
    answer = started(genie, "two-1", "tests", "Tests", "context=files_modified:[src/x.ts,src/y.ts]")
    assert "one-1" in answer["message"]
    assert "src/x.ts" in answer["message"]
    answer = started(genie, "three-1", "tests", "Tests", "context=files_modified:[src/z.ts]")
    assert "src/" not in answer["message"]


SPELLED = {
    "from here": ("src/x.ts", "./src/x.ts"),
    "in full": ("src/x.ts", "{root}/src/x.ts"),
    "with a blank": ("docs/my notes.md", "docs/my notes.md"),
}


@pytest.mark.parametrize(("one", "other"), SPELLED.values(), ids=SPELLED)
def test_a_file_is_the_same_however_it_is_spelled(genie: Project, one: str, other: str) -> None:
    """Same files, different neurons: paths of the project, wherever they begin, also with blanks."""
    started(genie, "one-1", "git", "Feature X", f"context=files_modified:[{one}]")
    path = other.format(root=genie.root)
    answer = started(genie, "two-1", "tests", "Tests", f"context=files_modified:[{path}]")
    assert "one-1" in answer["message"]
    assert one in genie.cli("conflicts").out


def test_an_entry_does_not_conflict_with_the_placeholder_that_it_was(genie: Project) -> None:
    """Update entry with actual session ID: what was "pending" is no other neuron."""
    write(
        genie, hub(neuron("pending", "Release Neuron - Cut", Status="starting", Context="files modified: [src/z.ts]"))
    )
    answer = update(genie, "action=started agent=release session_id=rel-1 purpose=Cut")
    assert "src/z.ts" not in answer["message"]


@pytest.mark.parametrize(
    ("purpose", "taken"),
    [("Cut 4.0 for the customers", True), ("cut the customers' release", True), ("Publish the nightly build", False)],
)
def test_the_planned_work_of_another_purpose_is_not_taken_over(genie: Project, purpose: str, *, taken: bool) -> None:
    """Never delete entries without documenting outcomes: what somebody planned stays."""
    planned = neuron("TBD", "Release Neuron - Cut", Status="starting", Purpose="Cut 4.0 for the customers, ticket 88")
    write(genie, hub(planned))
    update(genie, "action=started", "agent=release", "session_id=rel-1", f"purpose={purpose}")
    assert (read(genie).count("### ") == 1) == taken
    assert ("ticket 88" in read(genie)) or taken


@pytest.mark.parametrize("action", ["started", "in_progress"])
def test_an_entry_is_created_with_starting_status_and_becomes_active(genie: Project, action: str) -> None:
    """Create session entry with "starting" status … update entry with "active" status."""
    write(genie, hub(neuron("new-1", Status="starting")))
    assert findings(genie) == []
    update(genie, f"action={action}", "agent=git", "session_id=new-1")
    assert entry(genie, "new-1").fields["Status"] == "active"


TEMPLATE = """
### [Neuron Name] - [Context Description]
**Session ID:** `one`
**Started:** YYYY-MM-DD HH:MM UTC
**Status:** active | paused | completed
**Children:**CHILDREN
**Purpose:** [What this neuron is working on]
**Context:** [Key files, decisions, state]
**Next:** [Next action when resumed]
"""
CHILDREN = {
    "on a line": " [workflow-name] (session-id), [workflow-name] (session-id)",
    "as a list": "\n- [workflow-name] (session-id)\n- [workflow-name] (session-id)",
}


@pytest.mark.parametrize("children", CHILDREN.values(), ids=CHILDREN)
@pytest.mark.parametrize("by", ["started", "in_progress", "waiting", "paused", "hooks", "sync"])
def test_a_templates_words_are_over_with_the_first_update(genie: Project, by: str, children: str) -> None:
    """Entry matches requested action; actual values take the places that the template keeps for them."""
    write(genie, hub(TEMPLATE.replace("CHILDREN", children)))
    assert any("active | paused | completed" in words for _, words in findings(genie))
    if by == "hooks":
        work(genie)
    elif by == "sync":
        assert genie.cli("sync", "one", "--json", '{"Status": "active", "Purpose": "Feature X"}').code == 0
    else:
        given = [f"action={by}", "agent=git", "session_id=one", "purpose=Feature X", "context=reason:review"]
        update(genie, *given)
        update(genie, "action=started", "agent=tests", "session_id=two", "purpose=Try it", "parent_session=one")
    reported = entry(genie, "one")
    words = {"started": "active", "in_progress": "active", "hooks": "active", "sync": "active"}
    assert reported.fields["Status"] == words.get(by, by)
    assert "[" not in reported.title + reported.fields["Purpose"]
    assert re.fullmatch(MINUTE, reported.fields["Started"])
    assert "session-id" not in read(genie)
    assert findings(genie) == []


@pytest.mark.parametrize("children", [" [workflow-name] (wf-77)", "\n- [workflow-name] (wf-77)"], ids=["line", "list"])
def test_what_is_filled_in_of_a_template_stays(genie: Project, children: str) -> None:
    """Add this session to parent's "Children:" list: a template's name with an id is a child."""
    write(
        genie,
        hub(
            TEMPLATE.replace("CHILDREN", children)
            + neuron("wf-77", "Issue Workflow (child of [Name])", Parent="[Name] (one)")
        ),
    )
    for _ in range(2):
        update(genie, "action=started", "agent=tests", "session_id=two", "purpose=Try it", "parent_session=one")
        update(genie, "action=in_progress", "agent=git", "session_id=one", "purpose=Feature X")
    assert "[workflow-name] (wf-77)" in read(genie)
    assert read(genie).count("Tests (two)") == 1
    update(genie, "action=completed", "session_id=one", "context=outcome:sent")
    assert {ident: shown.past for ident, shown in entries(genie).items()} == {"one": True, "two": True, "wf-77": True}


def test_a_session_that_works_makes_its_starting_entry_active(genie: Project) -> None:
    """`starting` becomes `active` when the launched session has its first fact."""
    write(genie, hub(neuron("one", Status="starting", Purpose="Feature X")))
    work(genie)
    reported = entry(genie, "one")
    assert (reported.fields["Status"], reported.fields["Purpose"]) == ("active", "Feature X")


@pytest.mark.parametrize(
    "held", ["`pending`", "[session-id]", "TBD", "", "`[to be filled]`", "[to be filled]", "`abc123...`", "`starting`"]
)
def test_the_entry_is_updated_with_the_actual_session_id(genie: Project, held: str) -> None:
    """Update entry with actual session ID and "active" status: a placeholder is replaced, the rest stays."""
    begun = neuron("x", Status="starting", Purpose="Feature X").replace("`x`", held)
    other = neuron("y", "Git Neuron - Feature Y", Status="starting", Purpose="Feature Y").replace("`y`", held)
    write(genie, hub(other + begun))
    update(genie, "action=started", "agent=git", "session_id=real-1", "purpose=Feature X")
    reported = entry(genie, "real-1")
    assert (reported.title, reported.fields["Session ID"], reported.fields["Status"]) == (
        "Git Neuron - Feature X",
        "`real-1`",
        "active",
    )
    assert reported.fields["Started"] == "2025-10-17 16:00 UTC"
    assert read(genie).count("### ") == 2


@pytest.mark.parametrize("held", ["`[to be filled]`", "`abc123...`", "`starting`"])
def test_a_launched_session_takes_the_entry_made_for_it(genie: Project, held: str) -> None:
    """Launch neuron, capture session ID, update entry with actual session ID: hooks do it; one entry, one session."""
    begun = neuron("x", "Claude - Feature X", Status="starting", Agent="claude").replace("`x`", held)
    write(genie, hub(begun))
    work(genie, UUID)
    reported = entries(genie)
    assert (set(reported), reported[UUID].title, read(genie).count("### ")) == ({UUID}, "Claude - Feature X", 1)
    assert reported[UUID].fields["Status"] == "active"


@pytest.mark.parametrize("cut", ["...", "…"])
def test_a_shortened_id_becomes_the_actual_one(genie: Project, cut: str) -> None:
    """Update entry with actual session ID: the beginning of it, in an entry that is starting, becomes the whole id."""
    write(genie, hub(neuron(f"{UUID[:8]}{cut}", Status="starting")))
    update(genie, "action=started", "agent=git", f"session_id={UUID}")
    assert set(entries(genie)) == {UUID}


# --- Coordination Rules: When Neuron Delegates to Workflow ---


def test_a_delegated_workflow_is_added_with_its_parent(genie: Project) -> None:
    """Launch workflow, add workflow entry with parent reference, update parent neuron entry with child list."""
    work(genie)
    genie.fire("SubagentStart", "one", agent_id="a1", agent_type="Explore")
    settle(genie)
    assert entry(genie, "a1").fields["Parent"] == "Claude (one)"
    assert "(a1)" in entry(genie, "one").fields["Children"]


# --- Coordination Rules: When Work Completes ---


def test_completed_without_an_outcome_asks_for_one(genie: Project) -> None:
    """Document outcomes, Done Report location: `completed` without any asks for it in its answer, with it does not."""
    started(genie, "a-1")
    started(genie, "b-1")
    assert "outcome" in update(genie, "action=completed", "session_id=a-1")["message"]
    reported = update(genie, "action=completed", "session_id=b-1", "context=done_report:.genie/reports/b.md")
    assert "outcome" not in reported["message"]
    assert "outcome" not in update(genie, "action=completed", "session_id=a-1", "context=outcome:merged")["message"]


# --- No Lost Children Rule ---


def test_every_workflow_session_must_have_a_parent_reference(genie: Project) -> None:
    """Every workflow session MUST have parent reference: a heading that names a parent without an entry is found."""
    write(genie, hub(neuron("up-1") + neuron("kid-1", "PR Workflow (child of Lost Neuron)")))
    found = findings(genie)
    assert any("Lost Neuron" in words for _, words in found), found


@pytest.mark.parametrize("children", ["A (kid-1)", "\n- A (kid-1)\n- B (kid-2)"])
def test_a_workflow_that_its_neuron_lists_has_it_as_parent(genie: Project, children: str) -> None:
    """Every workflow session MUST have parent reference: also one that comes after its neuron listed it."""
    write(genie, hub(neuron("up-1", Children=children)))
    started(genie, "kid-1", "learn", "Docs")
    assert entry(genie, "kid-1").fields["Parent"] == "Git Neuron (up-1)"


def test_a_subagent_has_a_parent_whose_entry_somebody_deleted(genie: Project) -> None:
    """Every workflow session MUST have parent reference; what a person deleted stays deleted."""
    work(genie)
    settle(genie)
    write(genie, EMPTY)
    genie.fire("SubagentStart", agent_id="k1", agent_type="tests")
    settle(genie)
    assert [*entries(genie)] == ["k1"]
    assert "one" in entry(genie, "k1").fields["Parent"]


def test_validate_names_what_git_set_back(genie: Project) -> None:
    """Completed sessions move to history: a hub of before that is no statement of a person is none that holds."""
    work(genie)
    genie.fire("SubagentStart", agent_id="k1", agent_type="tests")
    settle(genie)
    write(genie, read(genie))
    genie.fire("SubagentStop", agent_id="k1", agent_type="tests", last_assistant_message="Two coats.")
    settle(genie)
    assert entry(genie, "k1").past
    write(genie, read(genie))
    genie.git("checkout", "-q", "HEAD~1", "--", ".genie")
    assert any("git set it back to 'active', the journal says 'completed'" in words for _, words in findings(genie))


def test_session_state_is_cleaned_regularly(genie: Project) -> None:
    """Cleaned regularly (move completed to history): a completed entry among the active is found and moved by --fix."""
    done = neuron("b-1", "Tests Neuron - Y", Status="completed", Last_Updated="2025-10-17 17:00 UTC")
    write(genie, hub(neuron("a-1") + done))
    (line, words), *more = findings(genie)
    assert (line, more) == (read(genie)[: read(genie).index("### Tests Neuron")].count("\n") + 1, [])
    assert "completed" in words
    assert genie.cli("validate", "--fix").code == 0
    assert {ident: reported.past for ident, reported in entries(genie).items()} == {"a-1": False, "b-1": True}


FIXES = {
    "a completed entry among the active": neuron("b-1", Status="completed", Last_Updated="2025-10-17 17:00 UTC"),
    "half a link": neuron("b-1", Last_Updated="2025-10-17 17:00 UTC", Parent="Git Neuron (a-1)"),
    "a time with seconds": neuron("b-1", Last_Updated="2025-10-17 17:00 UTC", Started="2025-10-17T16:00:59Z"),
}


@pytest.mark.parametrize("damaged", FIXES.values(), ids=FIXES)
def test_fix_never_touches_last_updated(genie: Project, damaged: str) -> None:
    """`--fix` never touches Last Updated: it says when the work went on, not when the file was put right."""
    write(genie, hub(neuron("a-1", Last_Updated="2025-10-17 18:00 UTC") + damaged))
    genie.cli("validate", "--fix")
    assert findings(genie) == []
    reported = {ident: found.fields["Last Updated"] for ident, found in entries(genie).items()}
    assert reported == {"a-1": "2025-10-17 18:00 UTC", "b-1": "2025-10-17 17:00 UTC"}
    assert genie.git("diff", "HEAD", "--", HUB) != ""


def test_entries_are_never_deleted_without_documenting_outcomes(genie: Project) -> None:
    """Never delete entries without documenting outcomes: every entry is in the hub or, whole, in the archive."""
    for number in range(3):
        started(genie, f"n-{number}")
        update(genie, "action=completed", f"session_id=n-{number}", f"context=outcome:merged-{number}")
    assert genie.cli("archive", "--keep", "1").code == 0
    everything = read(genie) + (genie.root / ".genie/SESSION-HISTORY.md").read_text()
    for number in range(3):
        assert everything.count(f"**Session ID:** `n-{number}`") == 1
        assert everything.count(f"outcome: merged-{number}") == 1


# --- Example ---


def test_the_example_is_valid_and_stays_what_it_is(genie: Project) -> None:
    """The document's example is valid, and each of its lines stays in its order when another neuron joins."""
    write(genie, PROTOCOL)
    assert findings(genie) == []
    started(genie, "new-1")
    rest = iter(read(genie).splitlines())
    assert [line for line in PROTOCOL.splitlines() if line not in rest] == []
    assert findings(genie) == []


def test_the_example_shows_which_workflow_is_whose(genie: Project) -> None:
    """The example's two workflows are children of its neuron, one of them completed."""
    write(genie, PROTOCOL)
    assert "3 entries, 2 of them open" in genie.cli("validate").out
    known = listed(genie, "tree", "--all")
    assert {ident: (row["parent"], row["status"]) for ident, row in known.items()} == {
        PARENT: ("", "active"),
        "issue-xyz-def456": (PARENT, "completed"),
        CHILD: (PARENT, "active"),
    }


# --- Validation ---


def test_the_documented_grep_shows_the_structure(genie: Project) -> None:
    """The grep of the document shows heading, Session ID and Parent of each entry that holdfast writes."""
    started(genie, "up-1")
    started(genie, "kid-1", "tests", "Tests", "parent_session=up-1")
    pattern = r"^### |^\*\*Session ID:|^\*\*Parent:"
    done = subprocess.run(["grep", "-E", pattern, HUB], cwd=genie.root, capture_output=True, text=True, check=True)
    assert [line.partition(" -")[0] for line in done.stdout.splitlines()] == [
        "### Git",
        "**Session ID:** `up-1`",
        "### Tests",
        "**Session ID:** `kid-1`",
        "**Parent:** Git (up-1)",
    ]


PAIR = neuron("up-1", Children="PR Workflow (kid-1)") + neuron(
    "kid-1", "PR Workflow (child of Git Neuron)", Parent="Git Neuron (up-1)", Last_Updated="2025-10-17 17:00 UTC"
)
PAST = neuron("past-0001", "Tests Neuron - Z", Status="completed", Completed="2025-10-17 18:00 UTC")
GOOD = hub(PAIR + neuron("solo-1", "Learn Neuron - W"), PAST)
# What is damaged, what it becomes, the entry or line in which that is, and a word of the finding.
DAMAGE: dict[str, Any] = {
    "no Session ID": ("**Session ID:** `solo-1`\n", "", "Learn Neuron - W", "session id"),
    "an empty Session ID": ("`solo-1`", "", "Learn Neuron - W", "session id"),
    "a placeholder for an id": ("`solo-1`", "[session-id]", "Learn Neuron - W", "session id"),
    "a duplicate id": ("`solo-1`", "`up-1`", "Learn Neuron - W", "up-1"),
    "an id cut from another": ("`solo-1`", "`past-00...`", "Learn Neuron - W", "past-00"),
    "a self-parent": (
        "`solo-1`\n",
        "`solo-1`\n**Parent:** Learn Neuron (solo-1)\n",
        "Learn Neuron - W",
        "its own parent",
    ),
    "a cycle of parents": (
        "`up-1`\n",
        "`up-1`\n**Parent:** PR Workflow (kid-1)\n",
        "Git Neuron - Feature X",
        "cycle",
    ),
    "a child without Parent": ("**Parent:** Git Neuron (up-1)\n", "", "PR Workflow", "arent"),
    "a parent without the child": ("**Children:** PR Workflow (kid-1)\n", "", "PR Workflow", "Children"),
    "a parent without entry": ("Git Neuron (up-1)", "Git Neuron (gone-1)", "PR Workflow", "gone-1"),
    "a child without entry": (
        "PR Workflow (kid-1)",
        "PR Workflow (kid-1), X (gone-2)",
        "Git Neuron - Feature X",
        "gone-2",
    ),
    "a parent that is completed": (
        "`up-1`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** active",
        "`up-1`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** completed",
        "PR Workflow",
        "orphan",
    ),
    "a completed entry among the active": (
        "`solo-1`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** active",
        "`solo-1`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** completed",
        "Learn Neuron - W",
        "completed",
    ),
    "an active entry in the history": ("**Status:** completed", "**Status:** active", "Tests Neuron - Z", "history"),
    "no Status": (
        "`solo-1`\n**Started:** 2025-10-17 16:00 UTC\n**Status:** active\n",
        "`solo-1`\n**Started:** 2025-10-17 16:00 UTC\n",
        "Learn Neuron - W",
        "Status",
    ),
    "an unknown Status": ("**Status:** completed", "**Status:** banana", "Tests Neuron - Z", "banana"),
    "two Status": ("**Status:** completed", "**Status:** completed\n**Status:** active", "Tests Neuron - Z", "Status"),
    "no Started": ("`past-0001`\n**Started:** 2025-10-17 16:00 UTC\n", "`past-0001`\n", "Tests Neuron - Z", "Started"),
    "no Purpose": ("**Purpose:** By hand\n**Completed", "**Completed", "Tests Neuron - Z", "Purpose"),
    "a time in words": (
        "**Last Updated:** 2025-10-17 17:00 UTC",
        "**Last Updated:** yesterday",
        "PR Workflow",
        "yesterday",
    ),
    "a date that does not exist": ("2025-10-17 18:00 UTC", "2025-13-45 18:00 UTC", "Tests Neuron - Z", "2025-13-45"),
    "a time without zone": ("2025-10-17 18:00 UTC", "2025-10-17 18:00", "Tests Neuron - Z", "2025-10-17 18:00"),
    "conflict markers": (
        "### Learn Neuron - W\n",
        "<<<<<<< HEAD\n### Learn Neuron - W\n=======\n>>>>>>> b\n",
        "Learn Neuron - W",
        "conflict",
    ),
    "a fence that never closes": ("### Learn Neuron - W\n", "### Learn Neuron - W\n```\n", "Learn Neuron - W", "fence"),
    "two sections": ("### Learn Neuron - W\n", f"{ACTIVE}\n\n### Learn Neuron - W\n", "Learn Neuron - W", "2 sections"),
}


def test_a_good_hub_has_no_findings(genie: Project) -> None:
    """The hub that the damages are done to is valid as it is."""
    write(genie, GOOD)
    assert findings(genie) == []


@pytest.mark.parametrize(("old", "new", "where", "word"), DAMAGE.values(), ids=DAMAGE)
def test_each_damage_is_named_with_its_line(genie: Project, old: str, new: str, where: str, word: str) -> None:
    """Structure, parents and orphans are verified: each damage is named, with a line of the entry that it is in."""
    assert old in GOOD
    text = GOOD.replace(old, new, 1) if word != "history" else GOOD.replace(old, new)
    write(genie, text)
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines, 1) if where in line and line.startswith("###"))
    after = next(
        (number for number, line in enumerate(lines[first:], first + 1) if line.startswith("#")), len(lines) + 1
    )
    named = [words for line, words in findings(genie) if first - 2 <= line < after and word in words]
    assert named, findings(genie)


def test_one_duplicate_does_not_stop_sweep_for_the_rest(genie: Project) -> None:
    """One duplicate does not stop `sweep` for the rest: the others are paused, the duplicates named and left."""
    write(genie, hub(neuron("a-1") + neuron("a-1", "Tests Neuron - Y") + neuron("c-1", "Learn Neuron - Z")))
    reply = genie.cli("sweep", "later", "all")
    assert "paused c-1" in reply.out
    assert "a-1" in reply.out + reply.err
    blocks = read(genie).split("### ")
    assert [("**Status:** paused" in block) for block in blocks if "Neuron" in block] == [False, False, True]


# --- the issue: the hub in lists, a person's words, git's word ---


def test_in_a_genie_project_list_shows_the_neurons(genie: Project) -> None:
    """In a genie project `holdfast list` shows the neurons. The hub is not a session."""
    write(genie, now(PROTOCOL))
    known = {ident: row["status"] for ident, row in listed(genie).items()}
    assert known == {PARENT: "active", CHILD: "active", "issue-xyz-def456": "completed"}
    everyone = listed(genie, "list", "--all")
    assert set(everyone) == {PARENT, CHILD, "issue-xyz-def456"}


WORDS = {
    "Status": ("**Status:** active", "**Status:** waiting for Mara"),
    "Purpose": ("**Purpose:** parse the invoices", "**Purpose:** Parse them by Friday"),
    "Next": ("**Next:** [to be filled]", "**Next:** Ask Mara about totals"),
    "Branch": ("**Branch:** main", "**Branch:** main (and release/2)"),
    "heading": ("### Claude - parse the invoices", "### Mara's invoices"),
    "a note": ("**Purpose:**", "**Reviewer:** Mara\n**Purpose:**"),
    "a note in the context": ("- Files changed: src/a.py", "- Files changed: src/a.py\n- Ask Mara first"),
}


@pytest.mark.parametrize(("old", "new"), WORDS.values(), ids=WORDS)
def test_a_persons_words_win(genie: Project, old: str, new: str) -> None:
    """A person's words win: what somebody wrote into an entry stays while the session works on and ends."""
    work(genie)
    assert old in read(genie), read(genie)
    (genie.root / HUB).write_text(read(genie).replace(old, new, 1))
    genie.edit(str(genie.root / "src/b.py"), "one")
    settle(genie)
    genie.fire("SessionEnd", "one")
    settle(genie)
    assert new.partition("\n")[0].replace("src/a.py", "src/b.py, src/a.py") in read(genie)
    assert new.rpartition("\n")[2] in read(genie)
    assert "src/b.py" in read(genie)


@pytest.mark.parametrize("action", ["waiting", "paused"])
def test_an_update_by_claude_does_not_freeze_the_status(genie: Project, action: str) -> None:
    """What Claude said of its own session holds until the work goes on: then the entry says active again."""
    work(genie)
    update(genie, f"action={action}", "context=reason:for-Mara", CLAUDE_CODE_SESSION_ID="one")
    settle(genie)
    assert entry(genie, "one").fields["Status"] == action
    genie.fire("UserPromptSubmit", "one", prompt="Mara agreed, write the totals")
    genie.edit(str(genie.root / "src/b.py"), "one")
    settle(genie)
    assert entry(genie, "one").fields["Status"] == "active"


def test_the_end_of_a_session_shows_after_an_update_by_claude(genie: Project) -> None:
    """After `action=in_progress` by Claude the entry follows the session to its end."""
    work(genie)
    update(genie, "action=in_progress", "context=tests_pass:true", CLAUDE_CODE_SESSION_ID="one")
    (path,) = genie.state_files()
    path.write_text(path.read_text().replace("status: in_progress", "status: completed"))
    genie.edit(str(path), "one")
    genie.fire("SessionEnd", "one")
    settle(genie)
    assert entry(genie, "one").fields["Status"] == "completed"


@pytest.mark.parametrize("after", ["an end", "a start"])
def test_a_committed_hub_has_the_words_of_the_template_alone(genie: Project, after: str) -> None:
    """**Status:** active | paused | completed: nothing of processes, so that no end and no start changes the file."""
    work(genie)
    genie.git("add", "--all")
    genie.git("commit", "-q", "-m", "all")
    genie.fire("SessionEnd", "one")
    settle(genie)
    if after == "a start":
        genie.fire("SessionStart", "two")
        settle(genie)
    assert entry(genie, "one").fields["Status"] == "active"
    assert genie.git("status", "--porcelain") == ""
    assert listed(genie, "list", "--all")["one"]["ended"]


GIT = {
    "checkout": ("checkout", "-q", "HEAD", "--", HUB),
    "restore": ("restore", "--staged", "--worktree", HUB),
    "reset": ("reset", "-q", "--hard"),
    "switch": ("switch", "-q", "--discard-changes", "other"),
}


@pytest.mark.parametrize("command", GIT.values(), ids=GIT.keys())
def test_git_wins(genie: Project, command: tuple[str, ...]) -> None:
    """Git wins: what checkout, restore, reset, stash or switch took away or brought back stays so."""
    started(genie, "kept-1")
    genie.git("commit", "-q", "-m", "kept")
    genie.git("branch", "other")
    update(genie, "action=paused", "session_id=kept-1", "context=reason:late")
    started(genie, "gone-1")
    genie.git(*command)
    before = entry(genie, "kept-1")
    settle(genie)
    started(genie, "new-1")
    assert set(entries(genie)) == {"kept-1", "new-1"}
    assert entry(genie, "kept-1") == before


def test_an_older_copy_that_is_saved_and_committed_takes_no_update_back(genie: Project) -> None:
    """Authority: what an update wrote is written again though somebody saved an older copy and committed that."""
    older = read(genie).replace("# Session State", "# Session State of the team")
    started(genie, "kept-1")
    path = genie.root / HUB
    path.write_text(older)
    os.utime(path, (time.time() - 2,) * 2)
    genie.git("commit", "-q", "--all", "-m", "An older copy")
    started(genie, "new-1")
    assert set(entries(genie)) == {"kept-1", "new-1"}
    assert "# Session State of the team" in read(genie)


def test_an_update_waits_for_the_stash(genie: Project) -> None:
    """Git wins: while the hub is in the stash an update is recorded, and it is written after `git stash pop`."""
    started(genie, "kept-1")
    genie.git("commit", "-q", "-m", "kept")
    update(genie, "action=paused", "session_id=kept-1", "context=reason:late")
    genie.git("stash", "-q")
    reply = genie.cli("update", "action=started", "session_id=new-1", "agent=tests", "purpose=Test")
    assert (reply.code, "its text is in the stash" in reply.out) == (1, True)
    assert set(entries(genie)) == {"kept-1"}
    genie.git("stash", "pop", "-q")
    settle(genie)
    assert set(entries(genie)) == {"kept-1", "new-1"}
    assert entry(genie, "kept-1").fields["Status"] == "paused"


@pytest.mark.parametrize("by", ["git", "hand"])
def test_a_deleted_entry_stays_deleted(genie: Project, by: str) -> None:
    """A deleted entry stays deleted while its session works on, until an update asks for it by name."""
    work(genie)
    if by == "git":
        genie.git("restore", "--staged", "--worktree", HUB)
    else:
        (genie.root / HUB).write_text(EMPTY)
    genie.edit(str(genie.root / "src/b.py"), "one")
    settle(genie)
    started(genie, "new-1")
    assert set(entries(genie)) == {"new-1"}
    update(genie, "action=in_progress", "session_id=one")
    assert set(entries(genie)) == {"new-1", "one"}


# What else a person changes in the edit that removes an entry.
BESIDES = {
    "nothing": lambda text: text,
    "the title": lambda text: text.replace("# Session State", "# Session State of the team"),
    "a status": lambda text: text.replace("**Status:** active", "**Status:** paused"),
    "a purpose": lambda text: text.replace("**Purpose:** ", "**Purpose:** By Friday: "),
    "a heading": lambda text: text.replace("### ", "### Ours: "),
    "a note at the end": lambda text: f"{text}\nAsk Mara.\n",
    "a note above": lambda text: text.replace(ACTIVE, f"Ask Mara.\n\n{ACTIVE}"),
    "an entry of his own": lambda text: text.replace(HISTORY, neuron("mara-1", "Mara") + f"\n{HISTORY}"),
    "the line ends": lambda text: text.replace("\n", "\r\n"),
    "blank lines": lambda text: text.replace("\n### ", "\n\n\n### "),
    "a mention in its parent": lambda text: text.replace("**Children:** Git (gone-1)\n", ""),
}


@pytest.mark.parametrize("of", ["a session", "an update", "a child"])
@pytest.mark.parametrize("change", BESIDES.values(), ids=BESIDES)
def test_what_a_person_removes_stays_removed(genie: Project, change: Callable[[str], str], of: str) -> None:
    """What a person removes stays removed whatever else the same edit changed, though it was just written."""
    work(genie, "gone-1" if of == "a session" else "one")
    if of != "a session":
        started(genie, "gone-1", "git", "K", *(["parent_session=one"] if of == "a child" else []))
    text = read(genie)
    left = re.sub(r"(?ms)^### [^\n]*\n\n\*\*Session ID:\*\* `gone-1`\n.*?(?=^##)", "", text)
    assert left != text
    (genie.root / HUB).write_text(change(left))
    settle(genie)
    genie.edit(str(genie.root / "src/b.py"), "gone-1" if of == "a session" else "one")
    settle(genie)
    started(genie, "later-1")
    assert "`gone-1`" not in read(genie)
    assert "later-1" in read(genie)


def test_the_hub_is_a_projection_of_the_journals(genie: Project) -> None:
    """Whatever holdfast keeps beside its journals may go: the same facts give the same hub."""
    work(genie)
    genie.fire("SubagentStart", "one", agent_id="a1", agent_type="Explore")
    started(genie, "new-1", "git", "X", "context=files_modified:[a.py]")
    settle(genie)
    before = read(genie)
    for path in genie.store.rglob("*"):
        if path.is_file() and "journal" not in path.parts:
            path.unlink()
    settle(genie)
    assert read(genie) == before
    (path,) = genie.state_files()
    path.write_text(path.read_text().replace("status: in_progress", "status: paused"))
    genie.edit(str(path), "one")
    settle(genie)
    assert entry(genie, "one").fields["Status"] == "paused"


def test_an_update_while_the_hub_has_conflicts_is_written_once_they_are_resolved(genie: Project) -> None:
    """`holdfast update` records a fact: while the hub must not be written it says so, and the next settle writes it."""
    torn = hub("\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n")
    write(genie, torn)
    reply = genie.cli("update", "action=started", "agent=git", "session_id=new-1", "purpose=X")
    assert (reply.code, reply.json["status"]) == (1, "failed")
    assert "line " in reply.out
    assert read(genie) == torn
    write(genie, EMPTY)
    settle(genie)
    assert entry(genie, "new-1").fields["Status"] == "active"


@pytest.mark.slow
def test_a_killed_update_leaves_nothing_half_written(genie: Project, faulty: Faulty) -> None:
    """A killed update is finished by the next settle: hub and MASTER-PLAN.md name it both, or neither does."""
    plan = write(genie, "# Plan\n\n## Sessions\n", ".genie/MASTER-PLAN.md")
    for at in range(1, 100):
        ident = f"k-{at}"
        words = ("action=started", "agent=git", f"session_id={ident}", f"purpose=Killed at {at}")
        done = faulty.run(genie, "update", *words, at=at)
        for lock in (genie.root / ".git").glob("*.lock"):  # git's own, of a git that was killed
            lock.unlink()
        assert faulty.run(genie, "settle").code == 0
        named = [f"`{ident}`" in text for text in (read(genie), plan.read_text())]
        assert named[0] == named[1], (at, done.steps[-1:])
        if done.code == 0:
            break
    assert at > 5
    assert named == [True, True]
