"""The Session State Updater (formats/genie-session-state-updater.md): one case for each of its sentences."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Turn, text, tool
from tests.client.steps import new
from tests.requirements import support_genie
from tests.requirements.support_genie import (
    ACTIVE,
    EMPTY,
    HISTORY,
    HUB,
    MINUTE,
    UUID,
    entries,
    entry,
    findings,
    hub,
    neuron,
    read,
    shell,
    started,
    update,
    write,
)
from tests.support import hooks, receiver, trackers, updates
from tests.support.updates import FAILURE, SUCCESS, answer, refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.support.hooks import Project, Reply

here, prepared, genie = hooks.here, hooks.prepared, support_genie.genie
STATUS = {
    "started": "active",
    "in_progress": "active",
    "waiting": "waiting",
    "paused": "paused",
    "completed": "completed",
}
AGENTS = ("implementor", "tests", "git", "genie", "learn", "release", "roadmap")
# The examples of Input Parameters, and those of the Usage Pattern without their command, as the document prints them.
INPUTS = (
    'action=started agent=implementor session_id=abc123 purpose="Implement feature X" branch=feat/x',
    'action=in_progress agent=implementor session_id=abc123 context="files_modified:[src/x.ts,src/y.ts]"',
    'action=completed agent=implementor session_id=abc123 context="files_modified:[src/x.ts] tests_pass:true"',
)
RUN = "npx automagik-genie run session-state-updater"
HALF = "files_modified:[src/core.ts,src/utils.ts] tests_pass:false"
DONE = (
    "files_modified:[src/core.ts,src/utils.ts,test/core.test.ts] tests_pass:true "
    "done_report:.genie/wishes/feat-x/reports/done-implementor.md"
)
USAGE = (
    r'"action=started agent=implementor session_id=$SESSION_ID purpose=Implement\ Feature\ X branch=feat/x"',
    rf'"action=in_progress agent=implementor session_id=$SESSION_ID context=\"{HALF}\""',
    rf'"action=completed agent=implementor session_id=$SESSION_ID context=\"{DONE}\""',
)
PLAN, USER = ".genie/MASTER-PLAN.md", ".genie/USERCONTEXT.md"
# What npx does with a name that the project has: it runs that program from the nearest node_modules/.bin.
NPX = """#!/bin/sh
name=$1; shift; folder=$PWD
while [ "$folder" != / ]; do
    [ -x "$folder/node_modules/.bin/$name" ] && exec "$folder/node_modules/.bin/$name" "$@"
    folder=$(dirname "$folder")
done
echo "npm error could not determine executable to run" >&2; exit 1
"""


def npx(project: Project) -> Path:
    """Return a folder for PATH in which npx knows the programs of the project only."""
    folder = project.folder / "npm"
    folder.mkdir()
    (folder / "npx").write_text(NPX)
    (folder / "npx").chmod(0o755)
    return folder


def claude_shell(project: Project, session: str) -> dict[str, str]:
    """Start a session, and return what the shell of its Claude finds in its environment."""
    exported = project.folder / "exported.sh"
    data = project.payload("SessionStart", session)
    reply = project.send("SessionStart", json.dumps(data).encode(), session, CLAUDE_ENV_FILE=str(exported))
    assert reply.code == 0, reply
    return {"CLAUDE_CODE_SESSION_ID": session, "EXPORTED": str(exported)}


def run(project: Project, line: str, *folders: Path, **variables: str) -> Reply:
    """Run a line in the shell of a Claude whose session was started, after what that start exported."""
    return shell(project, f'[ ! -e "$EXPORTED" ] || . "$EXPORTED"; {line}', *folders, **variables)


# --- Purpose and mode ---


def test_it_updates_session_state_master_plan_and_usercontext(genie: Project) -> None:
    """Systematically update SESSION-STATE.md, MASTER-PLAN.md, and USERCONTEXT.md; all are staged."""
    write(genie, "# Plan\n\n## Sessions\n", PLAN)
    write(genie, "# User\n\n**Last Activity:** none yet\n", USER)
    reported = started(genie, UUID, "implementor", "Feature X")
    assert reported["updated_files"] == ["SESSION-STATE.md", "MASTER-PLAN.md", "USERCONTEXT.md"]
    for name in (HUB, PLAN, USER):
        assert f"`{UUID}`" in (genie.root / name).read_text()
    assert set(genie.staged()) == {HUB, PLAN, USER}


def test_companions_that_are_not_there_are_not_made(genie: Project) -> None:
    """`updated_files` names what was written: a project without a plan gets none."""
    assert started(genie, "new-1")["updated_files"] == ["SESSION-STATE.md"]
    assert sorted(path.name for path in (genie.root / ".genie").iterdir()) == ["SESSION-STATE.md"]


@pytest.mark.parametrize("agent", AGENTS)
def test_it_is_called_by_any_agent_or_workflow(genie: Project, agent: str) -> None:
    """Called by ANY agent/workflow: each agent of the list is recognised and named in its entry."""
    started(genie, "new-1", agent)
    assert entry(genie, "new-1").fields["Agent"] == agent


def test_the_documented_command_runs_through_a_shim(here: Project) -> None:
    """`npx automagik-genie run session-state-updater "…"` runs through a shim that `holdfast init --genie` offers."""
    reply = here.cli("init", "--genie")
    assert reply.code == 0, reply
    assert "npx automagik-genie" in reply.out
    folder, variables = npx(here), claude_shell(here, UUID)
    for line in USAGE:
        done = run(here, f"{RUN} {line}", folder, **variables)
        assert (done.code, answer(done)["session_id"]) == (0, UUID), done
    assert entry(here, UUID).past


@pytest.mark.parametrize("lost", ["npm ci", "a new worktree"])
@pytest.mark.parametrize("when", ["a start", "the command"])
def test_the_shim_is_there_whatever_npm_and_git_do(here: Project, lost: str, when: str) -> None:
    """`npx automagik-genie …` runs after `npm ci` and in a new worktree, and nothing is staged for that."""
    assert here.cli("init", "--genie").code == 0
    root = here.root
    if lost == "npm ci":
        shutil.rmtree(root / "node_modules")
    else:
        here.git("add", "--all")
        here.git("commit", "--quiet", "-m", "all")
        root = here.folder / "tree"
        here.git("worktree", "add", "--quiet", str(root))
        shutil.rmtree(root / "node_modules", ignore_errors=True)
    fields = {"cwd": str(root), "tool_name": "Bash", "tool_input": {"command": f"{RUN} {USAGE[0]}"}}
    here.fire("SessionStart" if when == "a start" else "PreToolUse", UUID, **fields)
    assert os.access(root / "node_modules/.bin/automagik-genie", os.X_OK)


def test_a_program_that_nobody_made_is_not_made(genie: Project) -> None:
    """A project that was not prepared for it gets no folder of npm."""
    genie.fire("SessionStart", UUID)
    assert not (genie.root / "node_modules").exists()


def test_doctor_says_when_a_usage_line_would_not_work(genie: Project) -> None:
    """Called via `npx automagik-genie run session-state-updater`: doctor names documents in which that would fail."""
    write(genie, f"# Implementor\n\n!`{RUN} {USAGE[0]}`\n", ".genie/agents/implementor.md")
    assert ".genie/agents/implementor.md" in genie.cli("doctor").out
    assert genie.cli("init", "--genie").code == 0
    assert ".genie/agents/implementor.md" not in genie.cli("doctor").out


def test_init_genie_makes_the_place_of_the_hub(here: Project) -> None:
    """`holdfast init --genie` prepares the project for a hub in `.genie/`."""
    assert here.cli("init", "--genie").code == 0
    started(here, "new-1")
    assert not entry(here, "new-1").past


def test_foreground_mode_blocks_execution_until_complete(genie: Project) -> None:
    """Foreground mode: once the command returns, the hub is written and staged."""
    started(genie, "new-1")
    assert "`new-1`" in genie.git("show", f":{HUB}")


# --- Input Parameters ---


def test_the_examples_of_input_parameters_run_verbatim(genie: Project) -> None:
    """The three examples, as one string each: started, in progress, completed."""
    for line, status in zip(INPUTS, ("active", "active", "completed"), strict=True):
        assert answer(genie.cli("update", line))["status"] == "success"
        assert entry(genie, "abc123").fields["Status"] == status
    reported = entry(genie, "abc123")
    assert reported.title == "Implementor - Implement feature X"
    assert reported.fields["Branch"] == "feat/x"
    assert reported.context == ["files_modified: src/x.ts, src/y.ts", "tests_pass: true"]


WHOLE = (
    "started",
    "implementor",
    UUID,
    "Implement feature X",
    "files_modified:[src/x.ts] tests_pass:true",
    "up-1",
    "feat/x",
)
KEYS = ("action", "agent", "session_id", "purpose", "context", "parent_session", "branch")
PAIRS = dict(zip(KEYS, WHOLE, strict=True))
FORMS = {
    "key=value": [f"{key}={value}" for key, value in PAIRS.items()],
    "key=value in one string": [" ".join(f'{key}="{value}"' for key, value in PAIRS.items())],
    "positional": [*WHOLE],
    "positional in one string": [" ".join(f'"{value}"' for value in WHOLE)],
    "positional, then key=value": [*WHOLE[:3], *(f"{key}={PAIRS[key]}" for key in KEYS[3:])],
    "--key value": [word for key, value in PAIRS.items() for word in (f"--{key}", value)],
    "--key=value": [f"--{key}={value}" for key, value in PAIRS.items()],
    "--key-with-dashes value": [word for key, value in PAIRS.items() for word in (f"--{key.replace('_', '-')}", value)],
}


@pytest.mark.parametrize("words", FORMS.values(), ids=FORMS.keys())
def test_parameters_are_space_separated_or_key_value(genie: Project, words: list[str]) -> None:
    """Accepts a prompt string with the following parameters (space-separated or key=value)."""
    write(genie, hub(neuron("up-1", "Git Neuron - Up")))
    assert answer(genie.cli("update", *words))["status"] == "success"
    reported = entry(genie, UUID)
    assert reported.title.startswith("Implementor - Implement feature X")
    wanted = {"Status": "active", "Agent": "implementor", "Purpose": "Implement feature X", "Branch": "feat/x"}
    assert {name: reported.fields[name] for name in wanted} == wanted
    assert reported.context == ["files_modified: src/x.ts", "tests_pass: true"]
    assert "(up-1)" in reported.fields["Parent"]


# --- Parse & Validate ---

BASE = {"action": "started", "agent": "git", "session_id": "new-1", "purpose": "X"}
REFUSED = {
    "an action that is none": ("action", "begin", "started, in_progress, completed, waiting, paused"),
    "no action": ("action", "", "started, in_progress, completed, waiting, paused"),
    "a placeholder of the document": ("session_id", "abc123...", "abc123..."),
    "a placeholder for the parent": ("parent_session", "none", "placeholder"),
    "a word for an id to come": ("session_id", "starting", "placeholder"),
    "what a program has for no id": ("session_id", "null", "placeholder"),
    "what a program has for no parent": ("parent_session", "undefined", "placeholder"),
    "an id with a blank": ("session_id", '"new 1"', "session_id"),
    "an id that is a path": ("session_id", "../../etc", "session_id"),
    "an agent that is not recognised": ("agent", "wizard", ", ".join(AGENTS)),
}


@pytest.mark.parametrize(("key", "value", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_valid_is_refused(genie: Project, key: str, value: str, words: str) -> None:
    """Validate `action`, `session_id` and `agent`: a wrong value is refused and nothing is written."""
    reported = refused(genie, " ".join(f"{name}={stated}" for name, stated in {**BASE, key: value}.items()))
    assert words in reported
    assert read(genie) == EMPTY


@pytest.mark.parametrize("ident", [UUID, UUID.upper(), "abc123", "git-xyz-abc123"])
def test_a_session_id_is_a_uuid_or_an_id_as_in_the_examples(genie: Project, ident: str) -> None:
    """Validate `session_id` is non-empty UUID format; the documents' own examples use shorter ids as well."""
    started(genie, ident)
    assert ident in entries(genie)


@pytest.mark.parametrize("ident", [UUID, "iss-1"])
def test_an_id_in_another_case_is_the_same_session(genie: Project, ident: str) -> None:
    """No duplicate session IDs: the case of a UUID means nothing, so "completed" is of the entry that is there."""
    started(genie, ident.upper(), "git", "X")
    assert update(genie, f"action=completed session_id={ident} context=outcome:y")["session_id"] == ident.upper()
    assert {one: reported.past for one, reported in entries(genie).items()} == {ident.upper(): True}


def test_an_empty_session_id_is_refused_where_there_is_no_own_session(genie: Project) -> None:
    """Validate `session_id` is non-empty: in a person's shell an empty value names no session."""
    assert "session_id" in refused(genie, "action=started agent=git session_id= purpose=X")
    assert read(genie) == EMPTY


@pytest.mark.parametrize(
    "words",
    [
        "session_id=",
        'session_id=""',
        "",
    ],
)
def test_an_empty_session_id_means_the_own_session(genie: Project, words: str) -> None:
    """In Claude's shell an empty value means the own session, as does none."""
    reported = update(genie, f"action=started agent=git {words} purpose=X", CLAUDE_CODE_SESSION_ID=UUID)
    assert reported["session_id"] == UUID
    assert UUID in entries(genie)


CONTEXTS = {
    "a list": ("files_modified:[src/x.ts,src/y.ts]", ["files_modified: src/x.ts, src/y.ts"]),
    "a value": ("tests_pass:false", ["tests_pass: false"]),
    "a list and values": (
        "files_modified:[src/x.ts] tests_pass:true done_report:.genie/reports/done.md",
        ["files_modified: src/x.ts", "tests_pass: true", "done_report: .genie/reports/done.md"],
    ),
    "JSON": ('{"files_modified": ["src/x.ts"], "tests_pass": true}', ["files_modified: src/x.ts", "tests_pass: true"]),
    "words": ("waiting for Mara's review", ["waiting for Mara's review"]),
    "prose after a key": ("outcome:all tests pass", ["outcome: all tests pass"]),
    "prose after a key and a blank": ("outcome: all tests pass", ["outcome: all tests pass"]),
    "prose after several keys": (
        "outcome:all tests pass reason:waiting for Mara done_report:.genie/reports/done.md",
        ["outcome: all tests pass", "reason: waiting for Mara", "done_report: .genie/reports/done.md"],
    ),
    "prose between data": (
        "tests_pass:true outcome:merged into main, see #4 files_modified:[a.ts,b.ts]",
        ["tests_pass: true", "outcome: merged into main, see #4", "files_modified: a.ts, b.ts"],
    ),
    "prose with colons": (
        "outcome:fixed the bug: a race on localhost:8080, see https://x.y/z decision:use locks",
        ["outcome: fixed the bug: a race on localhost:8080, see https://x.y/z", "decision: use locks"],
    ),
    "a list of JSON": ('["tests pass", {"reason": "docs open"}]', ["tests pass", "reason: docs open"]),
    "a list without quotes": ("[Ana decides,outcome:ok]", ["Ana decides", "outcome: ok"]),
    "a list beside data": (
        "files:[a.ts] [tests pass,docs open] note:x",
        ["files: a.ts", "tests pass", "docs open", "note: x"],
    ),
    "words in brackets": ("[Ana] and [Bob] decide", ["[Ana] and [Bob] decide"]),
    "quoted prose": ('outcome:"all tests pass" reason:x', ["outcome: all tests pass", "reason: x"]),
}


@pytest.mark.parametrize(("context", "items"), CONTEXTS.values(), ids=CONTEXTS)
def test_context_is_parsed_as_structured_data(genie: Project, context: str, items: list[str]) -> None:
    """Parse `context` as structured data if provided; words stay words."""
    started(genie, "new-1", "git", "X", f"context={context}")
    assert entry(genie, "new-1").fields["Context"] == "; ".join(items)


# --- Step 1: Read Current State ---


def test_it_reads_any_existing_entry_for_this_session(genie: Project) -> None:
    """Active sessions, session history, any existing entry for this `session_id`: one in the history is found, too."""
    past = neuron("old-1", "Git - Old", Status="completed", Completed="2025-10-17 18:00 UTC")
    write(genie, hub(neuron("new-1", "Git - New"), past))
    for ident in ("new-1", "old-1"):
        update(genie, "action=in_progress", f"session_id={ident}", "context=note:again")
    assert {ident: (reported.past, reported.context) for ident, reported in entries(genie).items()} == {
        "new-1": (False, ["note: again"]),
        "old-1": (False, ["note: again"]),
    }


# --- Step 2: Update or Create Entry ---


def test_an_existing_session_is_updated(genie: Project) -> None:
    """Update status field, update timestamp (Last Updated), append context data, preserve created timestamp."""
    write(genie, hub(neuron("new-1", "Git - New", Context="Branch feat/x", Last_Updated="2025-10-17 17:00 UTC")))
    update(genie, "action=waiting", "session_id=new-1", "context=reason:review")
    fields = entry(genie, "new-1").fields
    assert fields["Status"] == "waiting"
    assert re.fullmatch(MINUTE, fields["Last Updated"])
    assert fields["Last Updated"] > "2025-10-17 17:00 UTC"
    assert fields["Context"] == "Branch feat/x; reason: review"
    assert fields["Started"] == "2025-10-17 16:00 UTC"


def test_a_new_session_has_the_documented_entry(genie: Project) -> None:
    """Create entry in "Active Sessions" with the fields of the document, in its order."""
    started(genie, "new-1", "implementor", "Implement feature X", "context=Branch feat/x")
    assert re.search(
        rf"(?ms)^{ACTIVE}\n\n### Implementor - Implement feature X\n\n"
        r"\*\*Session ID:\*\* `new-1`\n"
        rf"\*\*Started:\*\* {MINUTE}\n"
        rf"(\*\*Last Updated:\*\* {MINUTE}\n)?"
        r"\*\*Status:\*\* active\n"
        r"\*\*Agent:\*\* implementor\n"
        r"\*\*Purpose:\*\* Implement feature X\n"
        r"\*\*Context:\*\*( |\n\n- )Branch feat/x\n\n?"
        r"\*\*Next:\*\* \[to be filled\]\n",
        read(genie),
    ), read(genie)


def test_a_persons_words_stay_when_an_update_adds_to_the_entry(genie: Project) -> None:
    """A person's words win: a changed purpose, next or heading stays after later updates."""
    started(genie, "new-1")
    changes = {"**Purpose:** Feature X": "**Purpose:** Feature X by Friday", "[to be filled]": "Ask Mara"}
    changed = read(genie)
    for before, after in {**changes, "### Git - Feature X": "### Mara's feature"}.items():
        changed = changed.replace(before, after)
    write(genie, changed)
    update(genie, "action=in_progress", "session_id=new-1", "context=tests_pass:true")
    assert genie.cli("settle").code == 0
    reported = entry(genie, "new-1")
    assert (reported.title, reported.fields["Purpose"], reported.fields["Next"]) == (
        "Mara's feature",
        "Feature X by Friday",
        "Ask Mara",
    )
    assert reported.context == ["tests_pass: true"]


# --- Step 3: Handle State Transitions ---


@pytest.mark.parametrize(("action", "status"), STATUS.items())
@pytest.mark.parametrize("known", [True, False], ids=["known", "new"])
def test_each_action_has_its_status_and_section(
    genie: Project,
    action: str,
    status: str,
    known: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Started, in_progress → active; waiting keeps its word in Active Sessions; completed → history."""
    if known:
        started(genie, "new-1")
    update(genie, f"action={action}", "agent=git", "session_id=new-1", "purpose=Feature X", "context=reason:review")
    reported = entry(genie, "new-1")
    assert (reported.fields["Status"], reported.past) == (status, action == "completed")


def test_started_records_the_start_timestamp(genie: Project) -> None:
    """Started → active: add to "Active Sessions", record start timestamp; a second start keeps it."""
    write(genie, hub(neuron("old-1", "Git - Old")))
    started(genie, "new-1")
    started(genie, "old-1")
    assert re.fullmatch(MINUTE, entry(genie, "new-1").fields["Started"])
    assert entry(genie, "old-1").fields["Started"] == "2025-10-17 16:00 UTC"


def test_a_child_that_another_session_takes_up_is_active_and_completes_with_it(genie: Project) -> None:
    """in_progress → active: a subagent that the end of its session cut off has a status of the list at each step."""
    for session in ("one", "two"):
        genie.fire("SessionStart", session)
        genie.edit(f"{session}.txt", session)
    genie.fire("SubagentStart", "one", agent_id="k1", agent_type="tests")
    genie.fire("SessionEnd", "one")
    assert genie.cli("settle").code == 0
    assert entry(genie, "k1").fields["Status"] == "active"
    update(genie, "action=in_progress", "session_id=k1", "parent_session=two")
    assert genie.cli("settle").code == 0
    assert (entry(genie, "k1").fields["Status"], entry(genie, "k1").fields["Parent"]) == ("active", "Claude (two)")
    assert "Children" not in entry(genie, "one").fields or "k1" not in entry(genie, "one").fields["Children"]
    assert genie.cli("close", "two").code == 0
    assert (entry(genie, "k1").fields["Status"], entry(genie, "k1").past) == ("completed", True)
    assert (entry(genie, "one").fields["Status"], findings(genie)) == ("active", [])


def test_completed_moves_to_the_history_with_all_its_context(genie: Project) -> None:
    """Completed → history: move to "Session History (Recent)", add completion timestamp, preserve all context."""
    write(genie, hub(neuron("new-1", Context="\n- Branch: feat/x\n- Issues created: #90, #91", Next="Create PR")))
    before = entry(genie, "new-1")
    update(genie, "action=completed", "session_id=new-1", "context=tests_pass:true")
    reported = entry(genie, "new-1")
    assert reported.past
    assert read(genie).index(HISTORY) < read(genie).index("### Git Neuron")
    assert re.fullmatch(MINUTE, reported.fields["Completed"])
    assert reported.context == [*before.context, "tests_pass: true"]
    assert {
        **reported.fields,
        **before.fields,
        "Status": "completed",
        "Context": reported.fields["Context"],
    } == reported.fields


def test_waiting_documents_its_reason_in_the_context(genie: Project) -> None:
    """Waiting → paused: keep in "Active Sessions", mark waiting status, document reason in context."""
    started(genie, "new-1")
    update(genie, "action=waiting", "session_id=new-1", "context=review by Mara")
    reported = entry(genie, "new-1")
    assert (reported.past, reported.fields["Status"], reported.context) == (False, "waiting", ["review by Mara"])


def test_waiting_without_a_reason_asks_for_one(genie: Project) -> None:
    """Waiting → paused: document reason in context; an answer to an update without one says how to add it."""
    started(genie, "new-1")
    assert "context=reason:" in update(genie, "action=waiting", "session_id=new-1")["message"]
    assert "context=reason:" not in update(genie, "action=waiting", "session_id=new-1", "context=Mara")["message"]


def test_data_is_no_reason_to_wait(genie: Project) -> None:
    """Waiting → paused: document reason in context; files and tests are none, an earlier reason to wait is one."""
    started(genie, "new-1", "git", "X", "context=files_modified:[a.ts]")
    for context in ("context=", "context=files_modified:[b.ts] tests_pass:false"):
        assert "context=reason:" in update(genie, "action=waiting", "session_id=new-1", context)["message"]
    assert "context=reason:" not in update(genie, "action=waiting", "session_id=new-1", "context=reason:x")["message"]
    assert "context=reason:" not in update(genie, "action=waiting", "session_id=new-1")["message"]


def test_a_child_that_was_completed_keeps_its_times_when_its_parent_completes(genie: Project) -> None:
    """Preserve all context: no time is invented for a child that somebody completed before."""
    child = neuron("kid-1", "PR Workflow", Status="completed", Parent="Git Neuron (up-1)")
    write(genie, hub(neuron("up-1", Children="PR Workflow (kid-1)") + child))
    before = entry(genie, "kid-1")
    update(genie, "action=completed", "session_id=up-1", "context=outcome:merged")
    reported = entry(genie, "kid-1")
    assert (reported.past, reported.fields) == (True, before.fields)


def test_the_history_keeps_each_session_once_and_its_form(genie: Project) -> None:
    """No duplicate session IDs: one that went to the archive, went on and is done again is there once, whole.

    The hub does not grow by what leaves it.
    """
    (genie.root / ".agents/holdfast.toml").write_text("history_entries = 1\n")
    sizes = []
    for number in range(6):
        started(genie, f"n-{number}")
        update(genie, "action=completed", f"session_id=n-{number}", "context=outcome:first")
        sizes.append(len(read(genie)))
    assert len(set(sizes)) == 1
    update(genie, "action=in_progress", "session_id=n-0")
    update(genie, "action=completed", "session_id=n-0", "context=outcome:second")
    started(genie, "n-6")
    update(genie, "action=completed", "session_id=n-6", "context=outcome:first")
    archive = (genie.root / ".genie/SESSION-HISTORY.md").read_text()
    both = archive + read(genie)
    assert [both.count(f"**Session ID:** `n-{number}`") for number in range(7)] == [1] * 7
    assert "- outcome: first\n- outcome: second\n" in archive


# --- Step 4: Update Parent/Child Relationships ---


def test_a_parent_session_is_linked_in_both_entries(genie: Project) -> None:
    """Find parent entry, add this session to its "Children:" list (if not already present), mark with "Parent:"."""
    started(genie, "up-1", "git", "Up")
    for _ in range(2):
        started(genie, "kid-1", "tests", "Kid", "parent_session=up-1")
    assert entry(genie, "up-1").fields["Children"].count("kid-1") == 1
    assert entry(genie, "kid-1").fields["Parent"] == "Git (up-1)"


def test_a_workflow_may_start_before_its_parent_has_an_entry(genie: Project) -> None:
    """Find parent entry: a child that comes first names it, the answer says so, and both are linked once it has one."""
    answered = started(genie, "kid-1", "tests", "Kid", "parent_session=up-1")
    assert "up-1" in answered["message"]
    assert "up-1" in entry(genie, "kid-1").fields["Parent"]
    assert [words for _, words in findings(genie) if "orphaned" in words]
    started(genie, "up-1", "git", "Up")
    assert entry(genie, "kid-1").fields["Parent"] == "Git (up-1)"
    assert "(kid-1)" in entry(genie, "up-1").fields["Children"]
    assert findings(genie) == []


def test_a_heading_that_an_update_made_follows_agent_and_purpose(genie: Project) -> None:
    """### <Agent Name> - <Purpose>, of the updates of a session as of others; a person's heading stays."""
    started(genie, "a-1", "git", "First")
    update(genie, "action=in_progress", "session_id=a-1", "purpose=Second: other")
    assert entry(genie, "a-1").title == "Git - Second: other"
    assert entry(genie, "a-1").context == ["Purpose before: First"]
    write(genie, read(genie).replace("### Git - Second: other", "### Git - Ana's words"))
    update(genie, "action=in_progress", "agent=tests", "session_id=a-1", "purpose=Third")
    assert entry(genie, "a-1").title == "Git - Ana's words"
    genie.fire("SessionStart")
    genie.fire("UserPromptSubmit", prompt="Build the exporter")
    genie.edit("a.txt")
    genie.settled("one")
    update(genie, "action=started", "agent=implementor", "session_id=one", "purpose=Main work")
    assert entry(genie, "one").title == "Implementor - Main work"


def test_the_answer_says_that_the_parent_is_over(genie: Project) -> None:
    """Prevents orphaned children: nobody learns only from validate that a child has no parent any more."""
    update(genie, "action=started", "agent=genie", "session_id=above-1", "purpose=Plan")
    update(genie, "action=completed", "agent=genie", "session_id=above-1", "context=outcome:x")
    begin = ("agent=git", "session_id=kid-1", "purpose=Q", "parent_session=above-1")
    for action, words in (
        ("started", begin),
        ("in_progress", ("session_id=kid-1",)),
        ("paused", ("session_id=kid-1",)),
    ):
        assert "above-1 is over" in update(genie, f"action={action}", *words)["message"], action
    assert "is over" not in update(genie, "action=completed", "session_id=kid-1", "context=outcome:x")["message"]


def test_a_parent_that_has_not_edited_yet_gets_its_entry(genie: Project) -> None:
    """Find parent entry: a live session that has done nothing yet gets one when its first workflow starts."""
    genie.fire("SessionStart", UUID)
    started(genie, "kid-1", "tests", "Kid", f"parent_session={UUID}")
    assert f"({UUID})" in entry(genie, "kid-1").fields["Parent"]
    assert "(kid-1)" in entry(genie, UUID).fields["Children"]
    assert findings(genie) == []


# --- Step 5: Write Back ---


def test_it_writes_back_stages_and_returns_success_and_summary(genie: Project) -> None:
    """Format, write to `.genie/SESSION-STATE.md`, git add the file, return success + summary."""
    reported = started(genie, "new-1")
    assert reported["status"] == "success"
    assert reported["message"]
    assert genie.staged() == [HUB]
    assert genie.git("show", f":{HUB}") == read(genie)


# --- Verification Phase ---


@pytest.mark.parametrize("action", STATUS)
def test_the_checklist_of_the_verification_phase_holds(genie: Project, action: str) -> None:
    """Valid markdown, entry as requested, links both ways, ISO times, no duplicate ids: `validate` finds nothing."""
    started(genie, "up-1", "git", "Up")
    for _ in range(2):
        update(
            genie,
            f"action={action}",
            "agent=tests",
            f"session_id={UUID}",
            "purpose=Kid",
            "parent_session=up-1",
            "context=tests_pass:true",
        )
    assert findings(genie) == []
    assert read(genie).count(f"**Session ID:** `{UUID}`") == 1
    assert entry(genie, UUID).fields["Status"] == STATUS[action]
    times = re.findall(r"(?m)^\*\*(?:Started|Last Updated|Completed):\*\* (.*)$", read(genie))
    assert times
    assert [time for time in times if not re.fullmatch(MINUTE, time)] == []


# --- Output ---


@pytest.mark.parametrize(
    ("action", "word"), [("started", "started"), ("paused", "updated"), ("completed", "completed")]
)
def test_the_answer_has_the_documented_form(genie: Project, action: str, word: str) -> None:
    """Return JSON response with the seven keys; action is started, updated or completed."""
    reply = genie.cli("update", f"action={action} agent=git session_id={UUID} purpose=X context=tests_pass:true")
    reported = answer(reply)
    assert list(reported) == SUCCESS
    assert re.fullmatch(MINUTE, reported.pop("timestamp"))
    assert reported == {
        "status": "success",
        "action": word,
        "session_id": UUID,
        "agent": "git",
        "updated_files": ["SESSION-STATE.md"],
        "message": "Session state updated successfully",
    }


def test_a_failure_has_the_documented_form(genie: Project) -> None:
    """On failure: status failed, error, details; the exit code says so as well."""
    reply = genie.cli("update", "action=begin agent=git session_id=new-1")
    reported = answer(reply)
    assert (reply.code, list(reported), reported["status"]) == (1, FAILURE, "failed")
    assert reported["error"]
    assert reported["details"]


def test_an_answer_names_only_what_was_written(genie: Project) -> None:
    """`updated_files` and the message say what the files say: an update that changes nothing reports none."""
    started(genie, "new-1")
    before = read(genie)
    reported = started(genie, "new-1")
    assert (reported["updated_files"], read(genie)) == ([], before)
    assert "updated" not in reported["message"]


# --- Usage Pattern in Agents ---


@pytest.mark.parametrize("exported", [True, False], ids=["SESSION_ID of the start", "SESSION_ID empty"])
def test_usage_lines_run_verbatim_in_claudes_shell(
    genie: Project,
    exported: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """The three usage lines with `session_id=$SESSION_ID` run as printed in Claude's shell, about its own session."""
    variables = claude_shell(genie, UUID)
    if not exported:
        variables["EXPORTED"] = "/dev/null"
    for line, status in zip(USAGE, ("active", "active", "completed"), strict=True):
        done = run(genie, f"holdfast update {line}", **variables)
        assert (done.code, answer(done)["session_id"]) == (0, UUID), done
        assert entry(genie, UUID).fields["Status"] == status
    reported = entry(genie, UUID)
    assert reported.title == "Implementor - Implement Feature X"
    assert "done_report: .genie/wishes/feat-x/reports/done-implementor.md" in reported.context


def test_session_start_exports_the_session_id(genie: Project) -> None:
    """`session_id=$SESSION_ID` in Claude's shell: SessionStart exports it."""
    done = run(genie, 'echo "$SESSION_ID"', **claude_shell(genie, UUID))
    assert done.out == f"{UUID}\n"


SCRIPT = "sh say.sh"  # with an update in it, which no hook sees
DIRECT = "holdfast update action=waiting agent=tests session_id=$SESSION_ID context=reason:direct"
# Who runs what, one after another ("": the session itself, None: no hook saw it), and whom each answer is about; "?"
# where it is refused, because that is not clear.
CALLERS: dict[str, list[tuple[str | None, str, str]]] = {
    "a script of a subagent": [("q1", SCRIPT, "q1"), ("q2", SCRIPT, "q2")],
    "a script after an update of another": [("q1", DIRECT, "q1"), ("q2", SCRIPT, "q2"), ("", SCRIPT, UUID)],
    "a script of the session": [("q1", DIRECT, "q1"), ("", SCRIPT, UUID), ("q1", f"bash -c {SCRIPT!r}", "q1")],
    "the same command of each": [("q1", DIRECT, "q1"), ("q2", DIRECT, "q2"), ("", DIRECT, UUID)],
    "a command that runs two": [("q1", f"{SCRIPT}; {DIRECT} && :", "q1"), ("q2", SCRIPT, "q2")],
    "no hook saw it": [(None, SCRIPT, "?"), ("q1", "ls", ""), (None, DIRECT, "?")],
    "its caller is named": [(None, f"HOLDFAST_CALLER={who} {SCRIPT}", who) for who in ("q1", UUID)],
    "one that was not run yet": [("q1", "", ""), ("q2", SCRIPT, "?")],
    "no id": [("q1", "holdfast update action=waiting agent=tests context=reason:none", "q1")],
    "a caller that is nobody": [(None, f"HOLDFAST_CALLER=nobody {DIRECT}", "?")],
    "a shell without the variable": [
        (who, f"env -u CLAUDE_CODE_SESSION_ID {DIRECT}", who or UUID) for who in ("q1", "")
    ],
    "one that was denied, below another": [("q1", "", ""), ("", f"sh -c '{SCRIPT}; :'", UUID)],
    "a line of a slash command": [
        ("", "/say", ""),
        (None, DIRECT, UUID),
        (None, SCRIPT, UUID),
        ("q1", "ls", ""),
        (None, DIRECT, "?"),
    ],
    "a line of a skill": [("q1", "/say", ""), (None, DIRECT, "q1"), (None, SCRIPT, "q1"), ("q2", SCRIPT, "q2")],
    "another client's shell": [("q1", "holdfast update action=started agent=git session_id=q1 purpose=X", "q1")],
}


def call(project: Project, who: str | None, command: str, **variables: str) -> Reply:
    """Run a command, or expand one with a slash, as the client does for whoever it is; None: no hook saw it."""
    fields = {"agent_id": who, "agent_type": "tests"} if who else {}
    if command == "/say":
        event = ("PreToolUse", {"tool_name": "Skill", "tool_input": {"skill": "say"}})
        event = event if who else ("UserPromptExpansion", {"command_name": "say", "command_args": ""})
        return project.fire(event[0], UUID, **event[1], **fields)
    if who is not None:
        project.fire("PreToolUse", UUID, tool_name="Bash", tool_input={"command": command or SCRIPT}, **fields)
    return run(project, f"eval {shlex.quote(command)} && pwd >/dev/null", **variables)


@pytest.fixture
def team(genie: Project) -> tuple[Project, dict[str, str]]:
    """Return a project in which a session works with two subagents, and the environment of their shells."""
    variables = claude_shell(genie, UUID)
    genie.edit(str(genie.root / "src/a.py"), UUID)
    for ident in ("q1", "q2"):
        genie.fire("SubagentStart", UUID, agent_id=ident, agent_type="tests")
    (genie.root / "say.sh").write_text(DIRECT.replace("direct", "script") + "\n:\n")
    assert genie.cli("settle").code == 0
    return genie, variables


@pytest.mark.parametrize("case", CALLERS)
def test_an_update_is_about_whoever_runs_it(team: tuple[Project, dict[str, str]], case: str) -> None:
    """Called by ANY agent: `$SESSION_ID` is the parent's in a subagent's shell; what is not clear is refused."""
    genie, variables = team
    waiting = set()
    for who, command, meant in CALLERS[case]:
        done = call(genie, who, command, **variables)
        if not meant:
            continue
        for line in done.out.splitlines():
            reported = json.loads(line)
            assert reported.get("session_id", "?") == meant
            assert meant != "?" or all(word in reported["details"] for word in ("q1", "q2", UUID, "HOLDFAST_CALLER"))
        waiting |= {meant} - {"?"}
    assert genie.cli("settle").code == 0
    assert {ident for ident in ("q1", "q2", UUID) if entry(genie, ident).fields["Status"] == "waiting"} == waiting - (
        {"q1"} if "another" in case and "client" in case else set()
    )
    assert f"({UUID})" in entry(genie, "q1").fields["Parent"]
    assert findings(genie) == []


BARE = 'env -i PATH="$PATH" HOME="$HOME" HOLDFAST_DATA="$HOLDFAST_DATA" SESSION_ID=$SESSION_ID'
SAYS = "read _ < go; sh say.sh > answer"
LEFT = f"sh -c {SAYS!r} > /dev/null 2>&1 &"
# Who is about to run what and does not, or "stop" for one that stops; and who runs a script that leaves its shell, how.
DETACHED: dict[str, tuple[list[tuple[str, str]], str, str]] = {
    "a subagent that has stopped": ([("q1", "stop"), ("q2", "stop")], "q1", f"nohup setsid {LEFT}"),
    "a subagent whose session has ended": ([("q1", "stop"), ("q2", "stop"), ("", "end")], "q1", f"nohup setsid {LEFT}"),
    "a subagent, the session was denied it": ([("", DIRECT.replace("direct", "script"))], "q1", f"nohup setsid {LEFT}"),
    "the session, a subagent was denied it": ([("q1", SCRIPT)], "", f"nohup setsid {LEFT}"),
    "a subagent, the session was denied a part": ([("", SCRIPT)], "q2", f"nohup setsid {LEFT}"),
    "a subagent, without the client's variables": ([], "q1", f"{BARE} setsid {LEFT}"),
    "a stopped one, without the client's variables": ([("q1", "stop"), ("q2", "stop")], "q1", f"{BARE} setsid {LEFT}"),
    "one without the client's variables, in its terminal session": ([], "q1", f"{BARE} {LEFT}"),
    "a terminal of its own": ([], "q1", f"{BARE} script -qc {SAYS!r} /dev/null > /dev/null 2>&1 &"),
    "a subagent that stopped, and the session is denied the same": (
        [("q1", "stop"), ("", "same")],
        "q1",
        f"sh -c {SAYS!r}",
    ),
}


@pytest.mark.processes
@pytest.mark.parametrize("case", DETACHED)
def test_an_update_that_left_its_shell_is_nobodys(team: tuple[Project, dict[str, str]], case: str) -> None:
    """Entry matches requested action: a process that outlives its shell shows no more whose it is, so it is refused."""
    genie, variables = team
    before, who, how = DETACHED[case]
    for name in ("go", "answer"):
        os.mkfifo(genie.root / name)
    runs = threading.Thread(target=call, args=(genie, who, how), kwargs=variables)
    runs.start()
    with (genie.root / "go").open("w") as go:  # opens as soon as the script reads from it
        for actor, command in before:
            fields = {"agent_id": actor, "agent_type": "tests"} if actor else {}
            if command == "stop":
                genie.fire("SubagentStop", UUID, **fields)
            elif command == "end":
                genie.fire("SessionEnd", UUID)
            else:
                words = how if command == "same" else command
                genie.fire("PreToolUse", UUID, tool_name="Bash", tool_input={"command": words}, **fields)
        go.write("\n")
    done = json.loads((genie.root / "answer").read_text())
    assert (done["status"], "HOLDFAST_CALLER" in done["details"], "q1" in done["details"]) == ("failed", True, True)
    assert {entry(genie, ident).fields["Status"] for ident in ("q1", "q2", UUID)} <= {"active", "completed"}
    runs.join()


def test_a_person_in_a_terminal_means_the_session(team: tuple[Project, dict[str, str]]) -> None:
    """Called by ANY agent: a person, who has a terminal and none of the client's variables, may name a session."""
    genie, _ = team
    line = f"holdfast update action=waiting agent=tests session_id={UUID}; holdfast pause {UUID} > /dev/null; :"
    inner = f"bash --norc -ic {shlex.quote(line)} > answer"
    os.mkfifo(genie.root / "done")
    shell(genie, f"(script -qec {shlex.quote(inner)} /dev/null > done &) > /dev/null 2>&1 < /dev/null")
    (genie.root / "done").read_text()
    assert json.loads((genie.root / "answer").read_text())["session_id"] == UUID
    assert entry(genie, UUID).fields["Status"] == "paused"


@pytest.mark.parametrize("line", USAGE, ids=("start", "mid-work", "completion"))
def test_usage_lines_in_a_subagent_are_the_subagents(team: tuple[Project, dict[str, str]], line: str) -> None:
    """The usage lines as they are printed, in the shell of a subagent, and a workflow that it starts."""
    genie, variables = team
    assert answer(call(genie, "q1", f"holdfast update {line}", **variables))["session_id"] == "q1"
    assert (entry(genie, "q1").past, entry(genie, UUID).past) == ("action=completed" in line, False)
    flow = "holdfast update action=started agent=git session_id=wf-8 purpose=Flow parent_session=$SESSION_ID"
    assert answer(call(genie, "q2", flow, **variables))["status"] == "success"
    assert entry(genie, "wf-8").fields["Parent"].endswith("(q2)")
    assert "wf-8" not in entry(genie, UUID).fields["Children"]
    genie.fire("SubagentStop", UUID, agent_id="q2", agent_type="tests")
    assert genie.cli("settle").code == 0
    assert [entry(genie, ident).past for ident in ("q2", "wf-8")] == [True, True]
    assert findings(genie) == []


@pytest.mark.parametrize(
    "command",
    [
        *(
            "pause",
            "close",
            "finish $SESSION_ID done",
            'sync --json \'{"Current State": "x"}\'',
            "task add x",
            "discuss x",
        ),
        *("plan propose x", "phase complete x", "pause $SESSION_ID", "memory", "return x", "close --delete --force"),
        *("resume other", "continue other"),
    ],
)
def test_only_the_session_itself_changes_its_work(team: tuple[Project, dict[str, str]], command: str) -> None:
    """Called by ANY agent: in a subagent's shell no command acts on the parent, nor where that is not clear."""
    genie, variables = team
    (state,) = genie.state_files()
    if "other" in command:
        genie.write_state("20251204-143000-other.md", status="paused")
    for who, told in (("q1", "session_id=q1"), (None, "q2 (tests)")):
        before = state.read_text(), read(genie)
        done = call(genie, who, f"holdfast {command}", **variables)
        assert (done.code, told in done.err) == (1, True), done
        assert (state.read_text(), read(genie)) == before


@pytest.mark.parametrize("stopped", [True, False])
def test_without_subagents_it_is_the_session(team: tuple[Project, dict[str, str]], *, stopped: bool) -> None:
    """A subagent that has stopped runs no command; the session itself pauses although one runs."""
    genie, variables = team
    for ident in ("q1", "q2") if stopped else ():
        genie.fire("SubagentStop", UUID, agent_id=ident, agent_type="tests")
    done = call(genie, None if stopped else "", "holdfast pause", **variables)
    assert (done.code, entry(genie, UUID).fields["Status"]) == (0, "paused"), done


@pytest.mark.parametrize("line", [f"holdfast update {USAGE[2]}", f"{RUN} {USAGE[2]}", "git commit -m x"])
def test_the_hook_of_shell_commands_begins_for_updates_and_commits(genie: Project, line: str) -> None:
    """Called by ANY agent: the hook that notes who runs an update is started for it, before the command runs."""
    registered = json.loads((genie.plugin / "hooks/hooks.json").read_text())["hooks"]["PreToolUse"]
    (group,) = [group for group in registered if "Bash" in group["matcher"]]
    script = group["hooks"][0]["args"][1]
    for command, more, begins in ((line, {}, True), ("ls -l", {}, False), ("ls -l", {"agent_id": "q1"}, True)):
        data = json.dumps({"tool_input": {"command": command}, **more})
        done = subprocess.run(
            ["/bin/sh", "-c", script, "cat"], input=data, capture_output=True, text=True, timeout=60, check=False
        )
        assert (done.returncode, done.stdout) == (0, f"{data}\n" if begins else "")


@pytest.mark.timeout(240)
def test_usage_lines_run_verbatim_in_the_real_client(ready: Claude, api: Api) -> None:
    """Called from any agent: the usage lines in the Bash tool of a real session are about that session."""
    session = new()
    (ready.project / ".genie").mkdir()
    (ready.project / HUB).write_text(EMPTY)
    calls: list[Turn] = [[tool("Bash", command=f"holdfast update {line}", description="Say so")] for line in USAGE]
    api.script(*calls, [text("Done.")])
    ready.run("Implement feature X", session_id=session)
    reported = updates.entries((ready.project / HUB).read_text())[session]
    assert (reported.past, reported.fields["Status"]) == (True, "completed")
    assert "done_report: .genie/wishes/feat-x/reports/done-implementor.md" in reported.context


@pytest.mark.timeout(240)
def test_a_script_of_a_subagent_is_about_the_subagent_in_the_real_client(ready: Claude, api: Api) -> None:
    """Called by ANY agent via `!`: the real shell of a subagent, whose hooks name it, and a line of its skill.

    Its pause of the session is refused.
    """
    session = new()
    (ready.project / ".genie").mkdir()
    (ready.project / HUB).write_text(EMPTY)
    (ready.project / "say.sh").write_text(DIRECT.replace("direct", "script"))
    look = tool("Agent", description="Look", prompt="LOOKOUT: go up", subagent_type="general-purpose")
    edit = tool("Write", file_path=str(ready.project / "a.txt"), content="one\n")
    wait = "until [ -e sent ]; do sleep 0.1; done"
    own: list[Turn] = [[tool("Bash", command=command, description="Say")] for command in (wait, SCRIPT, "touch done")]
    api.script([edit, look], *own, [text("Done.")])
    lines = (f"{SCRIPT} && touch sent", "holdfast pause > refused.txt 2>&1", wait.replace("sent", "done"))
    calls: list[Turn] = [[tool("Bash", command=command, description="Say")] for command in lines]
    skill = ready.project / ".claude/skills/look/SKILL.md"
    skill.parent.mkdir(parents=True)
    begin = "---\nname: look\ndescription: look\nallowed-tools: Bash(holdfast:*)\n---\n"
    skill.write_text(f"{begin}!`{DIRECT.replace('direct', 'skill')}`\n")
    api.script([tool("Skill", skill="look")], *calls, [text("Seen.")], marker="LOOKOUT")
    ready.run("Implement feature X", session_id=session, args=("--allowedTools", "Bash,Write,Agent,Skill"))
    known = updates.entries((ready.project / HUB).read_text())
    (child,) = [ident for ident in known if ident != session]
    assert all(f"reason: {how}" in "\n".join(known[child].context) for how in ("script", "skill"))
    assert "reason: script" in known[session].context
    assert f"the shell of the subagent {child}" in " ".join((ready.project / "refused.txt").read_text().split())


# --- Benefits and Technical Notes ---


def test_rich_context_is_captured_at_runtime(genie: Project) -> None:
    """Rich context capture at runtime: what several updates tell of one key is kept, each thing once."""
    started(genie, "new-1", "git", "X", "context=files_modified:[a.ts]")
    for files in ("a.ts,b.ts", "b.ts,c.ts"):
        update(genie, "action=in_progress", "session_id=new-1", f"context=files_modified:[{files}] tests_pass:false")
    assert entry(genie, "new-1").context == ["files_modified: a.ts, b.ts, c.ts", "tests_pass: false"]


@pytest.mark.parametrize("action", STATUS)
def test_idempotent(genie: Project, action: str) -> None:
    """Idempotent: safe to call multiple times (updates same entry)."""
    words = (f"action={action}", "agent=git", "session_id=new-1", "purpose=X", "context=files_modified:[a.ts] note")
    update(genie, *words)
    before = re.sub(MINUTE, "", read(genie))
    for _ in range(2):
        update(genie, *words)
    assert re.sub(MINUTE, "", read(genie)) == before


def test_transactional(genie: Project) -> None:
    """Transactional: an update that cannot be written as a whole changes no byte of any file."""
    known = {
        HUB: hub(neuron("up-1") + neuron("up-1", "Tests Neuron - Y")),
        PLAN: "# Plan\n\n## Sessions\n",
        USER: "# User\n\n**Last Activity:** none yet\n",
    }
    for name, words in known.items():
        write(genie, words, name)
    refused(genie, "action=started agent=git session_id=new-1 purpose=X parent_session=up-1")
    assert {name: (genie.root / name).read_text() for name in known} == known


# What the hub is, one after the other, while updates are asked for that it cannot take.
HINDRANCES = {
    "a conflict": ["<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n"],
    "a conflict, then read-only": ["<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n", "read-only"],
    "a second section, then a conflict": [f"\n{ACTIVE}\n", "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> b\n"],
    "read-only, then a second entry": ["read-only", neuron("up-1", "Tests Neuron - Y")],
    "another entry twice": [neuron("two-1") + neuron("two-1", "Tests Neuron - Y")],
}


@pytest.mark.parametrize("case", HINDRANCES)
def test_a_recorded_update_is_carried_out_whatever_fails_in_between(genie: Project, case: str) -> None:
    """Idempotent, transactional: an update that the hub cannot take now is recorded, and none is forgotten."""
    path, present = write(genie, hub(neuron("up-1"))), hub(neuron("up-1"))
    for number, what in enumerate(HINDRANCES[case]):
        path.write_text(present + what * (what != "read-only"))
        path.chmod(0o444 if what == "read-only" else 0o644)
        ident = "two-1" if "two-1" in what else "up-1"
        reply = genie.cli("update", "action=in_progress", f"session_id={ident}", f"context=note{number}:kept")
        assert (reply.code, "is recorded" in answer(reply)["details"]) == (1, True)
        path.chmod(0o644)
    path.write_text(present + neuron("two-1") * ("two-1" in "".join(HINDRANCES[case])))
    reply = genie.cli("settle")
    assert (reply.code, reply.out) == (0, "The hub is up to date now.\n")
    kept = [*entry(genie, "up-1").context, *(entries(genie)["two-1"].context if "two-1" in entries(genie) else [])]
    assert kept == [f"note{number}: kept" for number in range(len(HINDRANCES[case]))]


def test_git_aware(genie: Project) -> None:
    """Git-aware: auto-stages updated file, and nothing else that has changed."""
    (genie.root / "other.txt").write_text("mine\n")
    started(genie, "new-1")
    assert genie.staged() == [HUB]


def test_an_answer_says_where_the_hub_is(genie: Project) -> None:
    """Write to `.genie/SESSION-STATE.md`, git add the file: what differs from that is in the answer."""
    genie.git("worktree", "add", "--quiet", str(genie.folder / "tree"))
    reply = genie.cli("update", "action=started agent=git session_id=a-1 purpose=X", cwd=genie.folder / "tree")
    assert "the hub of all working trees is ../project/.genie/SESSION-STATE.md" in answer(reply)["message"]
    assert "../project/.genie" in genie.cli("validate", cwd=genie.folder / "tree").out


def test_an_answer_says_that_git_ignores_the_hub(prepared: Project) -> None:
    """Git add the file: where that is not possible, no answer is silent about it."""
    write(prepared, ".genie/\n", ".gitignore")
    (prepared.root / ".genie").mkdir()
    assert "not staged: git ignores it" in started(prepared, "a-1")["message"]


def test_stats_counts_sessions_of_the_updater(genie: Project) -> None:
    """Future: analytics on session duration and completion rates: sessions that only updates name count, too."""
    for ident in ("a-1", "b-1"):
        started(genie, ident, "tests", f"Test {ident}", "branch=feat/x", "context=files_modified:[src/a.ts]")
    update(genie, "action=completed", "session_id=b-1", "context=outcome:merged")
    reported = genie.cli("stats", "--json").json
    rows = {row["id"]: (row["title"], row["branch"], row["files"]) for row in reported["sessions"]}
    assert rows == {ident: (f"Test {ident}", "feat/x", 1) for ident in ("a-1", "b-1")}
    assert reported["totals"]["sessions"] == 2
    genie.fire("SessionStart", "c-1")
    types = genie.cli("stats", "--json").json["types"]
    assert {row["type"]: (row["count"], row["completed"]) for row in types} == {"tests": (2, 1), "claude-code": (1, 0)}


def test_webhook_notifications_on_state_changes(genie: Project) -> None:
    """Future: webhook notifications on state changes: an update posts, with its text, and the same one only once."""
    with receiver.receiver() as known:
        settings = genie.home / ".config/holdfast/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[[webhook]]\nname = "ci"\nurl = "{known.url}"\nallow = ["127.0.0.1"]\n')
        started(genie, "new-1")
        for _ in range(2):
            update(genie, "action=waiting", "session_id=new-1", "context=reason:approval")
        update(genie, "action=completed", "session_id=new-1", "context=outcome:merged")
        genie.rested()
        names = [json.loads(body)["type"] for _, body in known.got]
        assert [*dict.fromkeys(names)] == ["session.waiting", "session.completed"]
        assert "approval" in known.got[0][1]


@pytest.mark.skipif(not shutil.which("gh"), reason="gh is not installed: apt install gh")
def test_integration_with_github(genie: Project) -> None:
    """Future: integration with GitHub via issues/PRs: a session knows its issue, and what becomes a pull request."""
    with trackers.tracker("github") as known:
        genie.variables = known.environment(genie.folder / "programs")
        genie.git("remote", "add", "origin", known.remote)
        settings = genie.home / ".config/holdfast/settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("[tracker]\nstart = true\n")
        genie.fire("SessionStart")
        assert genie.cli("link", "12", CLAUDE_CODE_SESSION_ID="one").out == "Issue #12\n"
        genie.edit("a.py")
        genie.settled("one")
        assert "Issue #12: Totals are wrong" in genie.cli("show", "one").out
        assert genie.cli("pr", "--session", "one").out.rstrip().endswith("Closes #12")
        assert known.posts == []


def test_complete_session_history(genie: Project) -> None:
    """Complete session history: completed sessions stay, the latest first."""
    for ident in ("a-1", "b-1"):
        started(genie, ident)
        update(genie, "action=completed", f"session_id={ident}", "context=outcome:merged")
    history = read(genie).partition(HISTORY)[2]
    assert history.index("`b-1`") < history.index("`a-1`")


def test_a_completed_update_reports_the_children_it_completed(genie: Project) -> None:
    """Parent-child workflow tracking: children complete with their parent, and the plan ticks each of them."""
    write(genie, "# Plan\n\n## Sessions\n", PLAN)
    started(genie, "up-1", "git", "Up")
    started(genie, "kid-1", "tests", "Kid", "parent_session=up-1")
    update(genie, "action=completed", "session_id=up-1", "context=outcome:merged")
    assert {reported.fields["Status"] for reported in entries(genie).values()} == {"completed"}
    lines = [line for line in (genie.root / PLAN).read_text().splitlines() if line.startswith("- [")]
    assert [line[:5] for line in lines] == ["- [x]", "- [x]"]
