"""n5-session-state.md and the issue's section on it, one case per requirement, through the command line and hooks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.requirements.support_states import (
    N5_ID,
    SESSION_FILE,
    SESSION_STATE,
    agents,
    audited,
    changed_lines,
    findings,
    headings,
    line_of,
    memory,
    n5,
    of_kind,
    put,
    section,
    swap,
    synced,
)
from tests.support import hooks

if TYPE_CHECKING:
    from tests.requirements.support_states import Row
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

SUMMARY = "✓ SESSION_STATE is complete (no TBD placeholders)"
REQUIRED = {
    "Metadata.Focus": "- **Focus:** Move the exporter from the local disk to object storage\n",
    "Metadata.Objective": "- **Objective:** Stop the monthly outage by writing exports to a bucket\n",
    "Progress.Overall": "- **Overall:** 60%\n",
    "Progress.Current Phase": "- **Current Phase:** Upload done, download begun\n",
}
COVERED = "- Found why the disk fills up\n- Wrote the upload step\n"
RECOMMENDED = ("Topics", "Key Insights", "Decisions Made", "Open Questions", "Artifacts")
BUILD = ("Architectural Decisions", "Files Modified", "Tests", "Quality Checks")
ORDER = ("Metadata", "Progress", "Covered", *RECOMMENDED)


def started(prepared: Project, *options: str) -> str:
    """Return the path of a file that `holdfast start --format n5` makes."""
    reply = prepared.cli("start", "--format", "n5", *options, "Move the exporter")
    assert reply.code == 0, reply.err
    return reply.out.strip()


# The example


def test_the_gold_standard_is_complete(prepared: Project) -> None:
    """The document: "a properly maintained SESSION_STATE.md file": the audit finds nothing in one."""
    row = audited(prepared, SESSION_STATE, n5())
    assert (row["code"], row["complete"], findings(row), row["recommended"]) == (0, True, [], [])
    assert (row["format"], row["type"]) == ("n5", "build")


def test_a_new_file_has_the_frontmatter_of_the_example(prepared: Project) -> None:
    """The frontmatter has conversation_id, type, mode, status, created and last_updated, in this order."""
    text = (prepared.root / started(prepared, "--type", "build")).read_text()
    front = text.split("---\n")[1]
    known = re.findall(r"^(\w+): ", front, re.MULTILINE)
    assert known == ["conversation_id", "type", "mode", "status", "created", "last_updated"]
    assert re.search(r"^conversation_id: con_\w{8,}$", front, re.MULTILINE)
    assert re.search(r"^created: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$", front, re.MULTILINE)


def test_a_new_file_has_the_title_and_fields_of_the_example(prepared: Project) -> None:
    """Under "# SESSION STATE" Metadata has five labels and Progress three, in this order."""
    text = (prepared.root / started(prepared, "--type", "build")).read_text()
    assert headings(text, 1) == ["SESSION STATE"]
    labels = {title: re.findall(r"^- \*\*(.+?):\*\*", section(text, title), re.MULTILINE) for title in ORDER[:2]}
    assert labels["Metadata"] == ["Type", "Mode", "Focus", "Objective", "Status"]
    assert labels["Progress"] == ["Overall", "Current Phase", "Next Actions"]


@pytest.mark.parametrize("mode", ["general", "worker"])
def test_a_new_file_always_has_type_and_mode_as_given(prepared: Project, mode: str) -> None:
    """Without --type the work is a build; --mode is what the file says, in frontmatter and Metadata."""
    text = (prepared.root / started(prepared, *(["--mode", mode] if mode != "general" else []))).read_text()
    assert f"type: build\nmode: {mode}\n" in text
    assert f"- **Type:** Build\n- **Mode:** {mode}\n" in text


def test_artifacts_have_the_caption_and_the_file_itself(prepared: Project) -> None:
    """The document: "*Files created during this conversation*", and SESSION_STATE.md with its classification."""
    text = (prepared.root / started(prepared)).read_text()
    assert section(text, "Artifacts").strip() == (
        "*Files created during this conversation*\n\n- SESSION_STATE.md (permanent, conversation workspace)"
    )


def test_artifacts_that_a_sync_begins_have_the_caption(prepared: Project) -> None:
    """The document: "*Files created during this conversation*" above the list."""
    whole = swap(n5(), (N5_ID, "con_A1"))
    path = put(prepared, "con_A1/SESSION_STATE.md", whole.replace(f"## Artifacts\n{section(whole, 'Artifacts')}", ""))
    synced(prepared, path, {"Artifacts": ["probe.py (temporary, scratch/)"]})
    assert section(path.read_text(), "Artifacts").split("\n\n")[0].strip() == "*Files created during this conversation*"
    assert "- probe.py (temporary, scratch/)" in section(path.read_text(), "Artifacts")


@pytest.mark.parametrize("title", ["Covered", "Decisions Made", "Artifacts", "Key Insights"])
def test_none_empties_no_list_of_what_was_done(prepared: Project, title: str) -> None:
    """A list gets items; only a list of what is open is empty by a word."""
    path = put(prepared, "con_A1/SESSION_STATE.md", swap(n5(), (N5_ID, "con_A1")))
    before = path.read_text()
    reply, text = synced(prepared, path, {title: ["None yet"]})
    assert (reply.code, "does not delete" in f"{reply.out}{reply.err}", text) == (1, True, before)


PLACES = {
    "a setting": ({".agents/holdfast.toml": 'format = "n5"\n'}, "", r"con_\w+/SESSION_STATE\.md"),
    "folders of conversations": ({"con_A1/SESSION_STATE.md": "n5"}, "", r"con_\w+/SESSION_STATE\.md"),
    "folders in workspaces": (
        {"workspaces/con_A1/SESSION_STATE.md": "n5"},
        "",
        r"workspaces/con_\w+/SESSION_STATE\.md",
    ),
    "one file in the root": ({"SESSION_STATE.md": "n5"}, "", r"con_\w+/SESSION_STATE\.md"),
    "the current folder": (
        {"con_A1/SESSION_STATE.md": "n5", "con_B2/notes.txt": "x"},
        "con_B2",
        r"con_B2/SESSION_STATE\.md",
    ),
}


@pytest.mark.parametrize(("there", "folder", "place"), PLACES.values(), ids=PLACES)
def test_start_makes_session_state_md_in_the_folder_of_the_conversation(
    prepared: Project, there: dict[str, str], folder: str, place: str
) -> None:
    """Project and setting say which format; the conversation is called like its folder."""
    for name, text in there.items():
        put(prepared, name, n5() if text == "n5" else text)
    reply = prepared.cli(*(["-C", folder] if folder else []), "start", "Move the exporter")
    assert reply.code == 0, reply.err
    (path,) = [path for path in prepared.root.glob("**/SESSION_STATE.md") if "Move the exporter\n" in path.read_text()]
    assert re.fullmatch(place, str(path.relative_to(prepared.root)))
    assert f"conversation_id: {path.parent.name}\n" in path.read_text()


def test_a_setting_wins_over_the_files_that_are_there(prepared: Project) -> None:
    """`format = "agents"` in a project that has conversations."""
    put(prepared, "con_A1/SESSION_STATE.md", n5())
    put(prepared, ".agents/holdfast.toml", 'format = "agents"\n')
    assert prepared.cli("start", "Move the exporter").out.startswith(".agents/sessions/")


@pytest.mark.parametrize("shell", ["", "one"], ids=["in a terminal", "in Claude's shell"])
def test_the_file_of_the_current_folder_is_meant(prepared: Project, shell: str) -> None:
    """Without an id it is the one in this folder, never that of another conversation; an id means its own anywhere."""
    own: dict[str, Any] = {"CLAUDE_CODE_SESSION_ID": shell} if shell else {}
    for name in ("con_A1", "con_B2"):
        put(prepared, f"{name}/SESSION_STATE.md", swap(n5(), (N5_ID, name)))
    prepared.fire("SessionStart", "one")
    prepared.edit("a.txt")
    prepared.settled("one")
    assert prepared.cli("-C", "con_A1", "sync", "--json", '{"Topics": ["Of A"]}', **own).code == 0
    assert prepared.cli("-C", "con_B2", "sync", "--json", '{"Topics": ["Of B"]}', **own).code == 0
    assert prepared.cli("sync", "--convo-id", "con_A1", "--json", '{"Topics": ["By id"]}', **own).code == 0
    texts = {name: (prepared.root / name / "SESSION_STATE.md").read_text() for name in ("con_A1", "con_B2")}
    assert re.findall("Of A|Of B|By id", texts["con_A1"]) == ["Of A", "By id"]
    assert re.findall("Of A|Of B|By id", texts["con_B2"]) == ["Of B"]


@pytest.mark.parametrize(("ident", "means"), [("con_A1", "con_A1"), ("CON_a1", "con_A1"), ("con_A", ""), ("con_", "")])
def test_a_part_of_an_id_is_not_another_conversation(prepared: Project, ident: str, means: str) -> None:
    """`--convo-id` is the whole id, in any case; nothing is written into the file of an id that only begins so."""
    for name in ("con_A1", "con_B2"):
        put(prepared, f"{name}/SESSION_STATE.md", swap(n5(), (N5_ID, name)))
    reply = prepared.cli("sync", "--convo-id", ident, "--json", '{"Topics": ["By id"]}')
    texts = {path.parent.name for path in prepared.root.glob("con_*/*.md") if "By id" in path.read_text()}
    assert (reply.code, texts) == ((0, {means}) if means else (1, set())), reply


@pytest.mark.parametrize("heading", ["### Next Actions", "## Next Actions", "## Next Steps"])
@pytest.mark.parametrize("step", [("task", "add", "T"), ("plan", "propose", "T"), ("task", "start", "T")], ids=" ".join)
def test_next_actions_of_a_person_stay(prepared: Project, heading: str, step: tuple[str, ...]) -> None:
    """Below a heading, too: a command adds to them."""
    line = next(line for line in n5().splitlines() if "**Next Actions:**" in line)
    path = put(prepared, "SESSION_STATE.md", swap(n5(), (line, f"\n{heading}\n- Run the tests\n- Ask Ana\n")))
    assert prepared.cli(*step).code == 0
    assert [words for words in ("- Run the tests", "- Ask Ana", "001 - T") if words not in path.read_text()] == []


def test_pause_keeps_what_the_work_waits_for(prepared: Project) -> None:
    """`continue` brings back the whole status, in both of its places."""
    waits = (("status: active", "status: blocked (Ana)"), ("**Status:** active", "**Status:** blocked (Ana)"))
    path = put(prepared, "SESSION_STATE.md", swap(n5(), *waits))
    assert prepared.cli("pause").code == 0
    assert re.findall("(?i)status:\\**(.*)", path.read_text()) == [" paused (blocked (Ana))"] * 2
    assert prepared.cli("continue").code == 0
    assert re.findall("(?i)status:\\**(.*)", path.read_text()) == [" blocked (Ana)"] * 2


UNCLEAR = {
    "an empty option": ("--convo-id", ""),
    "the other option": ("--session", " "),
    "an empty argument": ("",),
    "two ids": ("--convo-id", "con_A1", "con_B2"),
}


@pytest.mark.parametrize("command", [("sync", "--json", '{"Topics": ["By id"]}'), ("pause",), ("close",)], ids=str)
@pytest.mark.parametrize("given", UNCLEAR.values(), ids=UNCLEAR)
def test_an_empty_id_is_no_conversation(prepared: Project, given: tuple[str, ...], command: tuple[str, ...]) -> None:
    """A variable that is not set, or a second id, changes no file."""
    before = {
        name: put(prepared, f"{name}/SESSION_STATE.md", swap(n5(), (N5_ID, name))) for name in ("con_A1", "con_B2")
    }
    texts = [path.read_text() for path in before.values()]
    reply = prepared.cli(*command, *given)
    assert (reply.code, [path.read_text() for path in before.values()]) == (2, texts), reply


@pytest.mark.parametrize("kind", ["build", "research", "discussion", "planning"])
def test_start_creates_every_recommended_section_in_the_documents_order(prepared: Project, kind: str) -> None:
    """Issue: `start --format n5` creates every recommended section, in the document's order."""
    text = (prepared.root / started(prepared, "--type", kind)).read_text()
    assert [title for title in headings(text) if title in ORDER] == list(ORDER)


def test_start_creates_the_build_sections_in_the_documents_order(prepared: Project) -> None:
    """Build-Specific follows what is recommended and holds its four lists as sections of its own."""
    text = (prepared.root / started(prepared, "--type", "build")).read_text()
    assert headings(text).index("Build-Specific") > headings(text).index("Covered")
    assert headings(section(text, "Build-Specific"), 3) == list(BUILD)
    assert "Files Modified" not in headings(text)


# Required sections


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("damage", ["gone", "empty", "TBD"])
def test_every_session_state_must_have_these_populated(prepared: Project, name: str, damage: str) -> None:
    """The document: "every SESSION_STATE must have these populated": the audit gives each loss its line."""
    line, label = REQUIRED[name], REQUIRED[name].split(":**")[0] + ":**"
    text = swap(n5(), (line, {"gone": "", "empty": f"{label}\n", "TBD": f"{label} TBD\n"}[damage]))
    row = audited(prepared, SESSION_STATE, text)
    assert (row["code"], row["complete"]) == (1, False)
    at = line_of(text, f"## {name.partition('.')[0]}") if damage == "gone" else line_of(text, label)
    assert [(found[0], found[1]) for found in findings(row)] == [("placeholder" if damage == "TBD" else "missing", at)]
    assert name in findings(row)[0][2]


@pytest.mark.parametrize("left", ["", "- TBD\n", "-\n"], ids=["nothing", "TBD", "an empty item"])
def test_covered_must_be_populated(prepared: Project, left: str) -> None:
    """The document: "Covered - List of topics/tasks completed (no TBD)"."""
    text = swap(n5(), (COVERED, left))
    row = audited(prepared, SESSION_STATE, text)
    (found,) = findings(row)
    assert (row["code"], found[0]) == (1, "placeholder" if "TBD" in left else "missing")
    assert found[1] in {line_of(text, "## Covered"), line_of(text, "## Covered") + 1}
    assert "Covered" in found[2]


def test_one_tbd_among_what_was_covered_is_named(prepared: Project) -> None:
    """The document: "no TBD": one item of several is enough."""
    text = swap(n5(), ("- Wrote the upload step", "- TBD"))
    (found,) = findings(audited(prepared, SESSION_STATE, text))
    assert found[:2] == ("placeholder", line_of(text, "- TBD"))


@pytest.mark.parametrize(
    ("where", "given", "line"),
    [
        ("Metadata", {"Focus": ["Move it"]}, "- **Focus:** Move it\n"),
        ("Metadata", {"Objective": ["Stop it", "Ship it"]}, "- **Objective:** Stop it; Ship it\n"),
        ("Metadata", {"Mode": ["careful"]}, "- **Mode:** careful\n"),
        ("Metadata", {"Status": ["paused"]}, "- **Status:** paused\n"),
        ("Progress", {"Current Phase": ["Download"]}, "- **Current Phase:** Download\n"),
    ],
)
def test_a_list_replaces_what_is_one_sentence(prepared: Project, where: str, given: Row, line: str) -> None:
    """Only lists are added to: a sentence is set, in frontmatter and body."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {where: given})
    assert reply.code == 0, reply.err
    assert line in text
    assert audited(prepared, SESSION_STATE)["complete"]


@pytest.mark.parametrize("field", ["Focus", "Objective"])
def test_focus_and_objective_are_one_sentence(prepared: Project, field: str) -> None:
    """The document: "What is this conversation about? (1 sentence)": what is given on several lines is on one."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Metadata": {field: "Move the exporter\nto the new bucket"}})
    assert reply.code == 0
    assert f"- **{field}:** Move the exporter to the new bucket\n" in text


@pytest.mark.parametrize("stated", ["0%", "7%", "100%"])
def test_progress_is_a_percentage_from_0_to_100(prepared: Project, stated: str) -> None:
    """The document: "Percentage complete (0-100%)": both ends are allowed."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Progress": {"Overall": stated}})
    assert reply.code == 0
    assert f"- **Overall:** {stated}\n" in text
    assert audited(prepared, SESSION_STATE)["complete"]


@pytest.mark.parametrize(("given", "shown"), [(80, "80%"), (0, "0%"), (62.5, "62.5%"), ("7", "7%"), (["8%"], "8%")])
def test_a_number_is_a_percentage(prepared: Project, given: object, shown: str) -> None:
    """`{"Overall": 80}` is what a program writes."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Progress": {"Overall": given}})
    assert reply.code == 0
    assert f"- **Overall:** {shown}\n" in text


@pytest.mark.parametrize("stated", [130, -5, 0.8, "130%", "101%", "-5%", "soon", "nearly done", ["30%", "40%"]])
def test_sync_refuses_progress_that_is_no_percentage(prepared: Project, stated: object) -> None:
    """Issue: progress must be 0 to 100 %. What is none is not placed, and the answer says so."""
    path = put(prepared, SESSION_STATE, n5())
    before = path.read_text()
    reply, text = synced(prepared, path, {"Progress": {"Overall": stated}})
    assert reply.code != 0
    assert "Overall" in reply.err
    assert text == before


@pytest.mark.parametrize("stated", ["130%", "-5%", "soon"])
def test_audit_names_progress_that_is_no_percentage(prepared: Project, stated: str) -> None:
    """Issue: progress must be 0 to 100 %. The audit names another value with its line."""
    text = swap(n5(), ("60%", stated))
    row = audited(prepared, SESSION_STATE, text)
    assert [(found[1], "Overall" in found[2] or "progress" in found[2]) for found in findings(row)] == [
        (line_of(text, "**Overall:**"), True)
    ]
    assert row["code"] == 1


# Recommended and build-specific sections


@pytest.mark.parametrize("title", RECOMMENDED)
def test_recommended_sections_may_be_left_out(prepared: Project, title: str) -> None:
    """The document: "Recommended Sections (populate if relevant)": one that is left out is mentioned."""
    text = n5()
    text = swap(text, (f"## {title}\n{section(text, title)}", ""))
    row = audited(prepared, SESSION_STATE, text)
    assert (row["code"], row["complete"], row["recommended"]) == (0, True, [title])


@pytest.mark.parametrize("title", BUILD)
def test_build_sections_are_recommended_for_build_conversations(prepared: Project, title: str) -> None:
    """The document: "Build-Specific": each of the four lists is recommended in a file of this type."""
    text = n5()
    text = swap(text, (f"### {title}\n{section(text, title)}", ""))
    row = audited(prepared, SESSION_STATE, text)
    assert (row["complete"], row["recommended"]) == (True, [title])


def test_build_sections_are_only_for_build_conversations(prepared: Project) -> None:
    """The document: "(only for build conversations)": a discussion has none, and the audit asks for none."""
    text = n5()
    text = swap(text, ("type: build", "type: discussion"), ("**Type:** Build", "**Type:** Discussion"))
    row = audited(prepared, SESSION_STATE, text[: text.index("## Build-Specific")])
    assert row["complete"]
    assert not set(row["recommended"]) & {*BUILD, "Build-Specific"}
    assert "Build-Specific" not in headings((prepared.root / started(prepared, "--type", "research")).read_text())


def test_created_files_are_artifacts(prepared: Project) -> None:
    """Files that the conversation created, with a place; not what it edited, what is in a commit, or is listed."""
    put(prepared, "src/old.py", "one\n")
    prepared.git("add", "src/old.py")
    prepared.git("commit", "-qm", "Before")
    path = put(prepared, "con_A1/SESSION_STATE.md", swap(n5(), (N5_ID, "con_A1")))
    before = path.read_text()
    prepared.fire("SessionStart", "con_A1")
    prepared.edit(str(path), "con_A1", tool="Write")
    for name, tool in {"src/new.py": "Write", "src/old.py": "Write", "by_hand.py": "Edit", "notes.md": "Write"}.items():
        put(prepared, name, "two\n")
        prepared.edit(name, "con_A1", tool=tool)
    for _ in range(2):
        prepared.fire("Stop", "con_A1")
        prepared.settled("con_A1")
    listed = path.read_text().partition("## Artifacts\n")[2].partition("\n\n")[0].splitlines()
    was = before.partition("## Artifacts\n")[2].partition("\n\n")[0].splitlines()
    assert listed == [*was, "- new.py (permanent, src/)"]  # notes.md is listed by its name


def test_a_turn_without_a_changed_file_leaves_the_list_of_files(prepared: Project) -> None:
    """Its placeholder stays until there is a file, which then has its place."""
    prepared.fire("SessionStart", "con_A1")
    prepared.cli("start", "Import", "--type", "build", "--format", "n5", CLAUDE_CODE_SESSION_ID="con_A1")
    (path,) = prepared.root.rglob("SESSION_STATE.md")
    for number in range(2):
        prepared.fire("UserPromptSubmit", "con_A1", prompt=f"Explain part {number}")
        prepared.fire("Stop", "con_A1", last_assistant_message="It reads the export.")
        prepared.fire("SessionEnd", "con_A1", reason="other")
        prepared.rested()
        assert "### Files Modified\n\n- TBD\n\n### Tests" in path.read_text()
        prepared.fire("SessionStart", "con_A1", source="resume")
    prepared.edit("src/a.py", "con_A1")
    prepared.fire("Stop", "con_A1")
    prepared.settled("con_A1")
    assert "### Files Modified\n\n- src/a.py\n\n### Tests" in path.read_text()


@pytest.mark.parametrize(
    ("item", "path", "added"),
    [
        ("src/new.py (permanent, src/)", "src/new.py", ""),
        ("`./src/new.py` - the parser", "src/new.py", ""),
        ("new.py", "src/new.py", ""),
        ("new.py v2.0 (temporary, src/)", "src/new.py", ""),
        ("index.ts (permanent, a/)", "b/index.ts", "- index.ts (permanent, b/)"),
        ("index.ts (permanent, a/)", "b/a/index.ts", ""),  # the folder as seen from b
        ("renew.py (permanent, src/)", "src/new.py", "- new.py (permanent, src/)"),
    ],
)
def test_an_artifact_is_listed_once(prepared: Project, item: str, path: str, added: str) -> None:
    """However a person names it; files of one name in two folders are two."""
    state = put(prepared, "con_A1/SESSION_STATE.md", swap(n5(), (N5_ID, "con_A1")))
    prepared.fire("SessionStart", "con_A1")
    prepared.edit(str(state), "con_A1")
    assert synced(prepared, state, {"Artifacts": [item]})[0].code == 0
    before = section(state.read_text(), "Artifacts")
    put(prepared, path, "two\n")
    prepared.edit(path, "con_A1", tool="Write")
    prepared.fire("Stop", "con_A1")
    prepared.settled("con_A1")
    new = section(state.read_text(), "Artifacts").splitlines()
    assert [line for line in new if line not in before.splitlines()] == [added] * bool(added)


def test_artifacts_keep_their_classification(prepared: Project) -> None:
    """The document: "Artifacts - Files created with classification": an item is kept and shown with its brackets."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Artifacts": ["probe.py (temporary, scratch/)"]})
    assert reply.code == 0
    assert section(text, "Artifacts").endswith("- notes.md (temporary, scratch/)\n- probe.py (temporary, scratch/)\n\n")
    assert "probe.py (temporary, scratch/)" in prepared.cli("status", N5_ID).out


# Sync


def test_the_sync_command_of_the_example(prepared: Project) -> None:
    """`sync --convo-id ID --json '{…}'` over several lines sets the fields and adds the items."""
    path = put(prepared, SESSION_STATE, n5())
    given = """{
  "Metadata": {"Focus": "Refactor the exporter", "Objective": "One way to write"},
  "Progress": {"Overall": "75%", "Current Phase": "Phase 2 complete"},
  "Covered": ["Measured the upload", "Wrote the upload step"],
  "Key Insights": ["Buckets are slow to list"],
  "Decisions Made": ["No local cache"]
}"""
    reply = prepared.cli("sync", "--convo-id", N5_ID, "--json", given)
    text = path.read_text()
    assert reply.code == 0
    for line in (
        "- **Focus:** Refactor the exporter\n- **Objective:** One way to write\n",
        "- **Overall:** 75%\n- **Current Phase:** Phase 2 complete\n",
        f"## Covered\n{COVERED}- Measured the upload\n\n",
        "- Exports are written once and read rarely\n- Buckets are slow to list\n",
        "- One bucket for each customer\n- No local cache\n",
    ):
        assert line in text
    again = prepared.cli("sync", "--convo-id", N5_ID, "--json", given)
    assert "nothing was written" in again.out
    assert path.read_text() == text


def test_sync_replaces_placeholders(prepared: Project) -> None:
    """What a new file leaves open is filled in by one sync, and the audit calls the file complete."""
    name = started(prepared, "--type", "discussion")
    wanted = {
        "Metadata": {"Objective": "One table"},
        "Progress": {"Current Phase": "Reading", "Next Actions": ["Parse"]},
        "Covered": ["Looked at the samples"],
        "Perspectives": ["Theirs"],
        "Conclusions": ["Ours"],
        **{title: [f"Something for {title}"] for title in RECOMMENDED},
    }
    reply = prepared.cli("sync", "--convo-id", name, "--json", json.dumps(wanted))
    assert reply.code == 0, reply.err
    row = audited(prepared, name)
    assert (row["complete"], findings(row), row["recommended"]) == (True, [], [])


def test_sync_sets_the_time_of_the_last_change(prepared: Project) -> None:
    """`last_updated` is the time of the sync, in the form that the file has."""
    before = n5()
    _, text = synced(prepared, put(prepared, SESSION_STATE, before), {"Covered": ["Measured the upload"]})
    stamps = [re.findall(r"^last_updated: (.+)$", one, re.MULTILINE)[0] for one in (before, text)]
    assert stamps[1] > stamps[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", stamps[1])


class Box(NamedTuple):
    """A box to tick: its file, the keys and the item to sync, and its line before and after."""

    name: str
    text: str
    keys: tuple[str, ...]
    item: str
    line: str
    after: str


FLAT = """\
---
branch: main
status: in_progress
created: 2026-02-11T08:00:00Z
last_updated: 2026-02-11T09:30:00Z
---

# Object storage

## Checks
* [ ] Old links still work
* [ ] Nothing is lost

## Journal
- [2026-02-11 08:00] feat(export): upload step
"""
BOXES = {
    "n5": Box(SESSION_STATE, n5(), ("Tests",), "[x] Tests passing", "- [ ] Tests passing", "- [x] Tests passing"),
    "n5 below another key": Box(
        SESSION_STATE,
        n5(),
        ("Build-Specific", "Quality Checks"),
        "[x] Tests passing",
        "- [ ] Tests passing",
        "- [x] Tests passing",
    ),
    "n5 unticked": Box(
        SESSION_STATE,
        n5(),
        ("Tests",),
        "[ ] Unit tests written",
        "- [x] Unit tests written",
        "- [ ] Unit tests written",
    ),
    "n5 with a bullet": Box(
        SESSION_STATE,
        n5(),
        ("Tests",),
        "- [x] Edge cases covered",
        "- [ ] Edge cases covered",
        "- [x] Edge cases covered",
    ),
    "agents": Box(
        SESSION_FILE,
        agents(),
        ("Acceptance Criteria",),
        "[x] Old links still work",
        "- [ ] Old links still work",
        "- [x] Old links still work",
    ),
    "agents in a wave": Box(
        SESSION_FILE,
        agents(),
        ("Execution Progress",),
        "[x] BACK-126 - Stream to disk",
        "- [ ] BACK-126 - Stream to disk",
        "- [x] BACK-126 - Stream to disk",
    ),
    "agents-flat with stars": Box(
        SESSION_FILE, FLAT, ("Checks",), "[x] Nothing is lost", "* [ ] Nothing is lost", "* [x] Nothing is lost"
    ),
    "working memory with numbers": Box(
        ".agents/sessions/20260211-080000-memory.md",
        memory() + "\n## Checks\n1. [ ] Upload works\n",
        ("Checks",),
        "[x] Upload works",
        "1. [ ] Upload works",
        "1. [x] Upload works",
    ),
}


@pytest.mark.parametrize("box", BOXES.values(), ids=list(BOXES))
def test_sync_ticks_a_checklist_box_and_nothing_else(prepared: Project, box: Box) -> None:
    """Issue: `sync` ticks a checklist box (`"[x] Tests passing"` ticks that box and nothing else), in every format."""
    path = put(prepared, box.name, box.text)
    wanted = {box.keys[-1]: [box.item]}
    reply, after = synced(prepared, path, {box.keys[0]: wanted} if box.keys[1:] else wanted)
    at = box.text.index(box.line, box.text.index(f" {box.keys[-1]}\n"))
    expected = box.text[:at] + box.after + box.text[at + len(box.line) :]
    stamp = re.compile(r"^(\s*(?:last_updated|updated): ).*$", re.MULTILINE)
    assert reply.code == 0
    assert stamp.sub(r"\1", after) == stamp.sub(r"\1", expected)
    assert "says all of this already" not in reply.out


def test_an_open_box_is_not_reported_as_checked_already(prepared: Project) -> None:
    """Issue: "says all of this already" over an unticked box is not true."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Tests": ["[x] Tests passing", "[x] Edge cases covered"]})
    assert "already" not in reply.out
    assert "- [ ]" not in section(text, "Tests")


def test_a_ticked_box_that_is_ticked_already_is_no_change(prepared: Project) -> None:
    """The same sync a second time changes no byte and says so."""
    path = put(prepared, SESSION_STATE, n5())
    before = path.read_text()
    reply, text = synced(prepared, path, {"Tests": ["[x] Unit tests written"]})
    assert (reply.code, text) == (0, before)
    assert "nothing was written" in reply.out


def test_a_new_item_of_a_checklist_keeps_its_tick(prepared: Project) -> None:
    """A ticked item that is not there yet is added as one box, ticked."""
    path = put(prepared, SESSION_STATE, n5())
    _, text = synced(prepared, path, {"Tests": ["[x] Load test", "Soak test"]})
    assert section(text, "Tests").endswith("- [ ] Edge cases covered\n- [x] Load test\n- [ ] Soak test\n\n")


def test_a_box_that_stands_twice_is_not_guessed(prepared: Project) -> None:
    """Two boxes of one text in a section: neither is ticked, and the answer says why."""
    path = put(prepared, SESSION_STATE, swap(n5(), ("- [ ] Edge cases covered", "- [ ] Tests passing")))
    before = path.read_text()
    reply, text = synced(prepared, path, {"Tests": ["[x] Tests passing"]})
    assert (reply.code, text) == (1, before)
    assert "Tests" in reply.err


@pytest.mark.parametrize("remark", ["\n*Set by the Librarian*\n", "Add more with care\n", "\nSee #4 of the list.\n"])
def test_a_new_tag_is_among_the_tags(prepared: Project, remark: str) -> None:
    """What a person wrote below the tags is no tag, and gets none."""
    tags = "#build #exporter #storage\n"
    path = put(prepared, SESSION_STATE, swap(n5(), (tags, tags + remark)))
    _, text = synced(prepared, path, {"Tags": ["bucket"]})
    assert f"{tags.strip()} #bucket\n{remark}" in text


@pytest.mark.parametrize(
    "given",
    [
        ["#bucket"],
        ["bucket", "#build"],
        "#build #exporter #storage #bucket",
    ],
)
def test_tags_stay_inline(prepared: Project, given: object) -> None:
    """Issue: tags stay inline, each once, on their one line."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Tags": given})
    assert reply.code == 0
    assert section(text, "Tags") == "#build #exporter #storage #bucket\n\n"


@pytest.mark.parametrize(
    "wanted",
    [
        {"Metadata": {"Type": "research"}},
        {"type": "research"},
        {"Type": "research"},
    ],
)
def test_type_changes_in_frontmatter_and_body_together(prepared: Project, wanted: dict[str, object]) -> None:
    """Issue: type changes in frontmatter and body together, whichever of them was named."""
    reply, text = synced(prepared, put(prepared, SESSION_STATE, n5()), wanted)
    assert reply.code == 0
    assert re.search(r"^type: research$", text, re.MULTILINE)
    assert re.search(r"^- \*\*Type:\*\* [Rr]esearch$", text, re.MULTILINE)


@pytest.mark.parametrize("wanted", [{"Metadata": {"Status": "complete"}}, {"status": "complete"}])
def test_status_changes_in_frontmatter_and_body_together(prepared: Project, wanted: dict[str, object]) -> None:
    """The example has its status in both places; one sync sets both."""
    _, text = synced(prepared, put(prepared, SESSION_STATE, n5()), wanted)
    assert re.findall(r"^(?:status:|- \*\*Status:\*\*) (.+)$", text, re.MULTILINE) == ["complete", "complete"]


def test_mode_changes_in_frontmatter_and_body_together(prepared: Project) -> None:
    """The example has its mode in both places, too."""
    _, text = synced(prepared, put(prepared, SESSION_STATE, n5()), {"Metadata": {"Mode": "worker"}})
    assert re.findall(r"^(?:mode:|- \*\*Mode:\*\*) (.+)$", text, re.MULTILINE) == ["worker", "worker"]


def test_audit_compares_the_types(prepared: Project) -> None:
    """Issue: audit compares the type of the frontmatter with that of the body."""
    text = swap(n5(), ("type: build", "type: research"))
    row = audited(prepared, SESSION_STATE, text)
    found = [(one[0], one[1]) for one in findings(row) if "type" in one[2].casefold()]
    assert (row["code"], found) in [
        (1, [("contradictory", line_of(text, "type: research"))]),
        (1, [("contradictory", line_of(text, "**Type:**"))]),
    ]


@pytest.mark.parametrize("stated", ["Build", "code", "BUILD"])
def test_audit_takes_two_names_of_one_type_as_the_same(prepared: Project, stated: str) -> None:
    """The format's own program knows "code" as "build"; neither that nor capitals are a contradiction."""
    assert findings(audited(prepared, SESSION_STATE, swap(n5(), ("**Type:** Build", f"**Type:** {stated}")))) == []


NEXT = "- **Next Actions:** Measure a large file, write the manual\n"


@pytest.mark.parametrize(
    ("there", "after"),
    [
        pytest.param(NEXT, "- **Next Actions:** Run it; Ship it\n", id="on the label's line"),
        pytest.param(
            "- **Next Actions:**\n  - Measure a large file\n  - Write the manual\n",
            "- **Next Actions:**\n  - Run it\n  - Ship it\n",
            id="below the label",
        ),
        pytest.param(
            "\n### Next Actions\n- Measure a large file\n- Write the manual\n- Rest\n",
            "\n### Next Actions\n- Run it\n- Ship it\n",
            id="in a section",
        ),
    ],
)
def test_a_list_given_for_next_actions_replaces_it(prepared: Project, there: str, after: str) -> None:
    """Issue: a list given for Next Actions replaces it."""
    path = put(prepared, SESSION_STATE, swap(n5(), (NEXT, there)))
    wanted = {"Progress": {"Next Actions": ["Run it", "Ship it"]}}
    reply, text = synced(prepared, path, wanted)
    assert reply.code == 0
    assert after + "\n## Covered" in text
    assert synced(prepared, path, wanted)[1] == text


def test_files_modified_is_kept_in_a_hand_written_list(prepared: Project) -> None:
    """Issue: Files Modified is kept in a hand-written list: what is edited is added to it, each file once."""
    path = put(prepared, SESSION_STATE, n5())
    prepared.fire("SessionStart")
    prepared.edit(SESSION_STATE)
    for name in ("src/exporter.py", "src/bucket.py"):
        prepared.edit(name)
    prepared.fire("Stop")
    prepared.settled()
    text = path.read_text()
    listed = section(text, "Files Modified")
    assert listed.startswith("- src/exporter.py (rewritten)\n- docs/manual.md (updated)\n")
    assert listed.count("src/bucket.py") == 1
    assert listed.count("src/exporter.py") == 1
    assert (headings(text) + headings(text, 3)).count("Files Modified") == 1
    assert set(changed_lines(n5(), text)) <= set(listed.splitlines())


@pytest.mark.parametrize("command", [("memory",), ("task", "start", "Measure a large file")])
def test_adding_working_memory_leaves_the_gold_standard_complete(prepared: Project, command: tuple[str, ...]) -> None:
    """Issue: adding working memory to the gold standard leaves it complete."""
    put(prepared, SESSION_STATE, n5())
    assert prepared.cli(*command).code == 0
    row = audited(prepared, SESSION_STATE)
    assert (row["complete"], findings(row)) == (True, [])


COMMANDS: dict[str, tuple[list[tuple[str, ...]], set[str]]] = {
    "a task": (
        [("task", "add", "Measure it")],
        {"- **Next Actions:** Measure a large file, write the manual; TASK-001 - Measure it"},
    ),
    "a completed task": ([("task", "start", "Measure it"), ("task", "complete")], {"- TASK-001 - Measure it"}),
    "a question": ([("loop", "add", "Who pays?")], {"- LOOP-001 - Who pays?"}),
    "a closed question": ([("loop", "add", "Who pays?"), ("loop", "close", "1", "--outcome", "We")], set()),
    "a decision": (
        [("loop", "add", "Who pays?"), ("loop", "close", "1", "--outcome", "We", "--decision", "We pay")],
        {"- DECISION-001: We pay (LOOP-001)"},
    ),
    "a plan": (
        [("plan", "propose", "Split")],
        {"- **Next Actions:** Measure a large file, write the manual; PLAN-001 - Split (awaiting approval)"},
    ),
    "a rejected plan": (
        [("plan", "propose", "Split"), ("plan", "reject", "too large")],
        {"- Rejected PLAN-001: too large"},
    ),
    "a discussion": ([("discuss", "dates"), ("return",)], {"- dates"}),
    "a phase": ([("phase", "complete", "--next", "Phase 2")], {"- **Current Phase:** 2"}),
}


@pytest.mark.parametrize(("steps", "wanted"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_adds_only_what_was_asked_for(
    prepared: Project, steps: list[tuple[str, ...]], wanted: set[str]
) -> None:
    """It goes into a section that the file has: no heading is added, and no other line changes."""
    path = put(prepared, SESSION_STATE, n5())
    for step in steps:
        reply = prepared.cli(*step)
        assert (reply.code, reply.err) == (0, ""), reply
    after = path.read_text()
    assert headings(after) == headings(n5())
    new = {line for line in after.splitlines() if line not in n5().splitlines() and "last_updated" not in line}
    assert new == wanted
    assert audited(prepared, SESSION_STATE)["complete"]


# Audit


def test_the_audit_command_of_the_example(prepared: Project) -> None:
    """`audit --convo-id ID` prints the document's line, on a line of its own, and exits with 0."""
    put(prepared, SESSION_STATE, n5())
    reply = prepared.cli("audit", "--convo-id", N5_ID)
    assert reply.code == 0
    assert reply.out.splitlines().count(SUMMARY) == 1


def test_an_incomplete_file_has_no_such_line(prepared: Project) -> None:
    """The summary is printed for a complete file only; another one exits with 1."""
    put(prepared, SESSION_STATE, swap(n5(), ("60%", "TBD")))
    reply = prepared.cli("audit", "--convo-id", N5_ID)
    assert reply.code == 1
    assert "✓" not in reply.out
    assert "is complete" not in reply.out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(SESSION_FILE, agents(), id="agents"),
        pytest.param(".gsd-lite/STATE.md", memory(), id="working memory"),
    ],
)
def test_the_summary_says_session_state_only_for_such_files(prepared: Project, name: str, text: str) -> None:
    """Issue: the audit's summary says "SESSION_STATE" only for such files; another one is called by its name."""
    put(prepared, name, text)
    reply = prepared.cli("audit", name)
    assert reply.code == 0
    assert "SESSION_STATE" not in reply.out
    assert any(line.startswith("✓") and "is complete" in line for line in reply.out.splitlines())


def test_an_untouched_new_file_is_not_complete(prepared: Project) -> None:
    """A new file says TBD where meaning is needed, so its audit names each of these and no ✓."""
    name = started(prepared, "--type", "build")
    row = audited(prepared, name)
    assert (row["code"], row["complete"]) == (1, False)
    assert {"Metadata.Objective", "Progress.Current Phase", "Covered"} <= {
        one["what"] for one in of_kind(row, "placeholder")
    }


# What an outside reader of the document tried

OBJECTS = {
    "why": ({"decision": "Use sqlite", "why": "no server"}, ["Use sqlite", "no server"]),
    "a title": ({"title": "Store", "decision": "Use sqlite", "rationale": "no server"}, ["Store", "Use sqlite"]),
    "another key": ({"decision": "Use sqlite", "owner": "Mara"}, ["Use sqlite", "Mara"]),
}


@pytest.mark.parametrize("wanted", [list, dict])
@pytest.mark.parametrize(("decision", "texts"), OBJECTS.values(), ids=OBJECTS)
def test_all_texts_of_a_decision_are_written(
    prepared: Project, decision: dict[str, str], texts: list[str], wanted: type
) -> None:
    """The document: "Decisions Made: Choices made during conversation": a key without a place takes no text with it."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Decisions Made": decision if wanted is dict else [decision]})
    assert reply.code == 0, reply.err
    assert [words for words in texts if words not in section(text, "Decisions Made")] == []


@pytest.mark.parametrize("item", [{"decision": "Use sqlite", "votes": 3}, {"choice": "Use sqlite"}, ["Use sqlite"]])
def test_what_is_neither_a_text_nor_a_decision_is_refused(prepared: Project, item: object) -> None:
    """commands.md: "exit 1 when a key could not be placed"; the message shows what an item may be."""
    path = put(prepared, SESSION_STATE, n5())
    reply, text = synced(prepared, path, {"Decisions Made": [item]})
    assert (reply.code, text) == (1, n5())
    assert "an item is a text, or a decision such as" in reply.err


@pytest.mark.parametrize("empty", ["TBD: fill", "TBD - later", "None", "(none)", "n/a", "N/A", "-"])
def test_covered_that_says_nothing_is_not_covered(prepared: Project, empty: str) -> None:
    """The document: "Covered: List of topics/tasks completed (no TBD)"."""
    row = audited(prepared, SESSION_STATE, swap(n5(), (COVERED, f"- {empty}\n")))
    assert (row["code"], row["complete"]) == (1, False)


@pytest.mark.parametrize("name", REQUIRED)
def test_a_required_field_that_says_nothing_is_missing(prepared: Project, name: str) -> None:
    """The document: "every SESSION_STATE must have these populated"."""
    line = REQUIRED[name]
    row = audited(prepared, SESSION_STATE, swap(n5(), (line, line.partition(":** ")[0] + ":** None\n")))
    assert row["code"] == 1
    assert name in {found["what"] for found in of_kind(row, "missing", "invalid")}


@pytest.mark.parametrize("kind", ["research", "planning", "discussion", "debug"])
def test_no_section_of_a_type_is_required(prepared: Project, kind: str) -> None:
    """Required are Focus, Objective, Overall, Current Phase and Covered, and nothing else."""
    text = swap(
        n5().partition("## Build-Specific")[0], ("type: build", f"type: {kind}"), ("Type:** Build", f"Type:** {kind}")
    )
    row = audited(prepared, SESSION_STATE, text)
    assert (row["code"], findings(row)) == (0, [])


@pytest.mark.parametrize("given", ["Research", "research"])
def test_a_word_in_two_places_keeps_the_capital_of_each(prepared: Project, given: str) -> None:
    """The example: `type: build` beside `**Type:** Build`."""
    _, text = synced(prepared, put(prepared, SESSION_STATE, n5()), {"Metadata": {"Type": given}})
    assert "\ntype: research\n" in text
    assert "- **Type:** Research\n" in text


def test_pausing_keeps_the_next_actions(prepared: Project) -> None:
    """A step given with a pause comes before those that are still to be done; twice is once."""
    path = put(prepared, SESSION_STATE, n5())
    for _ in range(2):
        assert prepared.cli("pause", "--next", "Ask: Mara", N5_ID).code == 0
    assert "- **Next Actions:** Ask: Mara; Measure a large file, write the manual\n" in path.read_text()
