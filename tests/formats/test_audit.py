"""What is wrong with state files, each with its line: files and findings, and the command that tells them."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.formats.audit import audit, contradictions
from holdfast.formats.catalogue import known
from holdfast.formats.listing import tables
from holdfast.formats.state_file import StateFile
from holdfast.project.discovery import LARGEST
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
FORMATS = known("", Cache(""))
NOW = clock.read("2026-03-02T12:00:00Z")
AGENTS = shapes.AGENTS[1].replace("2026-02-11", "2026-03-02")
N5 = swap(
    shapes.N5[1],
    ("- **Focus:** Import the invoices of 2025\n", "- **Focus:** Import\n- **Objective:** One table\n"),
)
LITE = shapes.GSD_LITE[1]
HUB = shapes.GENIE[1].replace("2026-01-17", "2026-03-02")
OPEN = "- [ ] Old links still work"
DONE = swap(AGENTS, ("status: in_progress", "status: completed"))


def finding(kind: str, name: str, text: str, *pairs: tuple[str, str], at: list[tuple[int, str]] | None = None) -> Any:
    """Return a case: a file after each pair's first was replaced by the second, and where findings of a kind are."""
    return pytest.param(swap(text, *pairs), kind, at or [], id=f"{kind}: {name}")


# All findings of the kind, as (line, what) in the order of lines.
FINDINGS = [
    finding("missing", "nothing is missing", AGENTS),
    finding(
        "missing",
        "a section",
        AGENTS,
        ("## Context\nThe disk of the old host fills up every month.\n\n", ""),
        at=[(1, "Context")],
    ),
    finding(
        "missing",
        "what is in a section",
        AGENTS,
        ("The disk of the old host fills up every month.\n", ""),
        at=[(15, "Context")],
    ),
    finding(
        "missing",
        "a section of a comment and a rule",
        AGENTS,
        ("The disk of the old host fills up every month.\n", "<!-- why -->\n\n---\n"),
        at=[(15, "Context")],
    ),
    finding(
        "missing", "the words of a list", AGENTS, ("- Try a file of 5 GB\n", "- \n- [ ]\n"), at=[(21, "Next Steps")]
    ),
    finding(
        "missing",
        "what is under headings alone",
        AGENTS,
        ("- Try a file of 5 GB\n", "### Now\n\n### Later\n"),
        at=[(21, "Next Steps")],
    ),
    finding(
        "missing",
        "nothing where N/A is the answer",
        AGENTS,
        ("The disk of the old host fills up every month.\n", "N/A\n"),
    ),
    finding(
        "missing", "the value of a key", AGENTS, ("  status: in_progress\n", "  status:\n"), at=[(1, "session.status")]
    ),
    finding("missing", "a key", AGENTS, ("  status: in_progress\n", ""), at=[(1, "session.status")]),
    finding("missing", "a field", N5, ("- **Objective:** One table\n", ""), at=[(12, "Metadata.Objective")]),
    finding(
        "missing",
        "the value of a field",
        N5,
        ("- **Objective:** One table\n", "- **Objective:**\n"),
        at=[(16, "Metadata.Objective")],
    ),
    finding("missing", "nothing under another name", N5, ("- **Objective:** One table\n", "- **Goal:** One table\n")),
    finding(
        "missing",
        "nothing that has a heading of its own",
        N5,
        ("- **Objective:** One table\n", ""),
        ("## Progress", "### Objective\nOne table\n\n## Progress"),
    ),
    finding("missing", "covered", N5, ("## Covered\n- Looked at the sample files\n\n", ""), at=[(1, "Covered")]),
    finding(
        "missing",
        "the field of an entry",
        HUB,
        ("**Purpose:** Cover the importer\n", ""),
        at=[(13, "Purpose"), (20, "Started"), (20, "Purpose")],
    ),
    finding("placeholder", "everything is filled in", AGENTS),
    finding("placeholder", "an item", AGENTS, ("- Try a file of 5 GB", "- TBD"), at=[(22, "Next Steps")]),
    finding(
        "placeholder",
        "lines of a paragraph",
        AGENTS,
        ("The upload step works against the test bucket.", "[Where it is]\nIt works.\n*Why?*"),
        at=[(19, "Current State"), (21, "Current State")],
    ),
    finding(
        "placeholder",
        "a paragraph of two lines",
        AGENTS,
        ("The upload step works against the test bucket.", "[Where\nit stands]"),
        at=[(19, "Current State")],
    ),
    finding(
        "placeholder",
        "a key",
        AGENTS,
        ('current_task: "Write the upload step"', 'current_task: "[task]"'),
        at=[(9, "orchestration.current_task")],
    ),
    finding(
        "placeholder",
        "a key in a list",
        AGENTS,
        ("spawned_agents: []", "spawned_agents:\n    - agent: lint\n      task: TBD"),
        at=[(12, "orchestration.spawned_agents.task")],
    ),
    finding(
        "placeholder",
        "a heading that is a label",
        N5,
        ("#build", "## Later: [Name]\n"),
        at=[(30, "Later: [Name]")],
    ),
    finding(
        "placeholder", "a field", N5, ("- **Overall:** 40%", "- **Overall:** {{share}}"), at=[(20, "Progress.Overall")]
    ),
    finding(
        "placeholder",
        "the title",
        AGENTS,
        ("# Session: Move the exporter to object storage", "# Session: [Title]"),
        at=[(13, "title")],
    ),
    finding(
        "placeholder",
        "a heading",
        AGENTS,
        ("### 2026-03-02 08:00 - Started", "### YYYY-MM-DD HH:MM - Started"),
        at=[(31, "YYYY-MM-DD HH:MM - Started")],
    ),
    finding(
        "placeholder",
        "cells",
        LITE,
        (
            "| LOOP-004 | Which rate counts at month's end | open | 2026-01-21 |",
            "| LOOP-001 | [Title] | open | YYYY-MM-DD |",
        ),
        at=[(20, "Active Loops"), (20, "Active Loops")],
    ),
    finding(
        "placeholder",
        "the field of an entry that is open",
        HUB,
        ("**Next:** Collect the merged requests", "**Next:** [to be filled]"),
        at=[(11, "Git - Release notes.Next")],
    ),
    finding(
        "placeholder",
        "comments, code and quotes",
        AGENTS,
        ("- Try a file of 5 GB", "<!-- [what] TBD -->\n\n```\n[name]\nTBD\n```\n\n> [quoted]\n\n- Go on"),
    ),
    finding(
        "placeholder",
        "what only looks open",
        AGENTS,
        (
            "- Try a file of 5 GB",
            "## Todo\n\n| Task | State |\n|---|---|\n| Step 1 | todo |\n\n- [Phase 01]: x\n- `{x}`",
        ),
    ),
    finding("contradictory", "all agrees", AGENTS),
    finding(
        "contradictory",
        "done in the frontmatter, active in the body",
        N5,
        ("status: active\ncreated", "status: complete\ncreated"),
        at=[(5, "status")],
    ),
    finding(
        "contradictory",
        "active in the frontmatter, done in the body",
        N5,
        ("- **Status:** active", "- **Status:** Complete (but for the docs)"),
        at=[(5, "status"), (20, "progress")],
    ),
    finding(
        "contradictory",
        "active in the frontmatter, blocked in the body",
        N5,
        ("- **Status:** active", "- **Status:** blocked by the host"),
        at=[(5, "status")],
    ),
    finding(
        "contradictory",
        "done under 100 %",
        N5,
        ("status: active\ncreated", "status: complete\ncreated"),
        ("- **Status:** active", "- **Status:** done"),
        ("40%", "99%"),
        at=[(20, "progress")],
    ),
    finding(
        "contradictory",
        "done at 100 %",
        N5,
        ("status: active\ncreated", "status: complete\ncreated"),
        ("- **Status:** active", "- **Status:** done"),
        ("40%", "100%"),
    ),
    finding(
        "contradictory", "done with an open box", DONE, ("- [x] Old links still work", OPEN), at=[(25, "progress")]
    ),
    finding(
        "contradictory",
        "done with a box under way",
        DONE,
        ("- [x] Old links still work", "- [→] Old links still work"),
        at=[(25, "progress")],
    ),
    finding(
        "contradictory",
        "done with open boxes in what is next",
        DONE,
        ("- Try a file of 5 GB", "- [ ] Try a file of 5 GB"),
    ),
    finding("contradictory", "open boxes of what is active", AGENTS, ("- [x] Old links still work", OPEN)),
    finding(
        "contradictory",
        "a total",
        LITE,
        ("**Total active:** 1 loop", "**Total active:** 2 loops"),
        at=[(22, "Total active")],
    ),
    finding(
        "contradictory",
        "a total of those that are not closed",
        LITE,
        ("| 2026-01-21 |\n", "| 2026-01-21 |\n| LOOP-005 | Who pays | closed | 2026-01-21 |\n"),
    ),
    finding(
        "contradictory",
        "a section that appears twice",
        AGENTS,
        ("## Acceptance", "## Next Steps\n- Another\n\n## Acceptance"),
        at=[(24, "Next Steps")],
    ),
    finding(
        "contradictory",
        "sections that a remark tells apart",
        AGENTS,
        ("## Acceptance", "## Next Steps (later)\n- Another\n\n## Acceptance"),
    ),
    finding(
        "contradictory",
        "a section that another one has below it, too",
        AGENTS,
        ("## Acceptance", "## Plan\n### Next Steps\n- Another\n\n## Acceptance"),
    ),
    finding("contradictory", "an id", HUB, ("`tests-91c0`", "`git-4be2`"), at=[(13, "git-4be2")]),
    finding("contradictory", "no id at all", HUB, ("`tests-91c0`", "N/A"), ("`git-4be2`", "N/A")),
    finding(
        "contradictory",
        "changed before it was created",
        AGENTS,
        ('last_updated: "2026-03-02T09:30:00Z"', 'last_updated: "2026-03-02T07:59:00Z"'),
        at=[(6, "updated")],
    ),
    finding(
        "contradictory",
        "changed on the day it was created",
        AGENTS,
        ('last_updated: "2026-03-02T09:30:00Z"', 'last_updated: "2026-03-02"'),
    ),
    finding(
        "contradictory",
        "changed on a day before",
        AGENTS,
        ('last_updated: "2026-03-02T09:30:00Z"', 'last_updated: "2026-03-01"'),
        at=[(6, "updated")],
    ),
    finding("stale", "changed today", AGENTS),
    finding("stale", "active and changed weeks ago", shapes.AGENTS[1], at=[(6, "updated")]),
    finding("stale", "paused weeks ago", shapes.AGENTS[1].replace("in_progress", "paused")),
    finding("stale", "completed weeks ago", shapes.AGENTS[1].replace("in_progress", "completed")),
    finding(
        "stale",
        "a minute over a day",
        AGENTS,
        ('last_updated: "2026-03-02T09:30:00Z"', 'last_updated: "2026-03-01T11:59:00Z"'),
        ('created: "2026-03-02', 'created: "2026-03-01'),
        at=[(6, "updated")],
    ),
    finding(
        "stale",
        "an entry",
        HUB,
        ("**Started:** 2026-03-02 16:00", "**Started:** 2026-02-02 16:00"),
        at=[(8, "updated")],
    ),
    finding("broken", "sound", AGENTS),
    finding(
        "broken",
        "YAML that is none",
        AGENTS,
        ('current_task: "Write the upload step"', "current_task: Upload: part 1: read"),
        at=[(9, "frontmatter")],
    ),
    finding(
        "broken",
        "frontmatter that never closes",
        AGENTS,
        ("spawned_agents: []\n---\n", "spawned_agents: []\n"),
        at=[(1, "text")],
    ),
    finding("broken", "a fence that never closes", AGENTS + "\n```\ncode\n", at=[(34, "text")]),
    finding("broken", "a comment that never closes", AGENTS + "\n<!-- remark\n", at=[(34, "text")]),
    finding(
        "broken",
        "what a merge left",
        AGENTS,
        ("- Try a file of 5 GB\n", "<<<<<<< ours\n- Try it\n=======\n- Leave it\n>>>>>>> theirs\n"),
        at=[(22, "text")],
    ),
    finding("broken", "bytes that are not UTF-8", AGENTS, ("The disk", "The \udcff disk"), at=[(16, "text")]),
]
RESEARCH = "## Research-Specific\n\n### Research Questions\n- Which host\n\n"
# A type of work as people write it, the one that it is, and what the audit misses for it.
TYPES = [
    ("build", "build", {"Tests"}),
    ("code", "build", {"Architectural Decisions", "Quality Checks"}),
    ("Code", "build", {"Files Modified"}),
    ("research", "research", {"Sources Consulted", "Findings", "Knowledge Gaps"}),
    ("discussion", "discussion", {"Perspectives", "Conclusions"}),
    ("chat", "discussion", {"Perspectives"}),
    ("planning", "planning", {"Options Considered", "Success Criteria"}),
    ("strategy", "planning", {"Success Criteria"}),
    ("debug", "debug", {"Reproduction", "Hypotheses"}),
    ("gardening", "gardening", set()),
]
TYPED = {"Tests", "Sources Consulted", "Perspectives", "Options Considered", "Reproduction"}
EMPTY = {
    "no byte": "",
    "blank lines": "\n\n",
    "empty frontmatter": "---\n---\n",
    "headings of agents": "# Session: x\n\n## Context\n\n## Current State\n\n## Next Steps\n",
    "headings of n5": "# SESSION STATE\n\n## Metadata\n\n## Progress\n\n## Covered\n",
    "labels of n5": """\
# SESSION STATE

## Metadata
- **Focus:**
- **Objective:**

## Progress
- **Overall:**
- **Current Phase:**

## Covered
-
""",
    "labels of gsd-lite": """\
## Current Context

**Phase:**
**Focus:**
**Status:**

## Active Loops

**Total active:** 0
""",
    "labels of genie": "## Active Sessions\n\n### x\n**Session ID:**\n**Purpose:**\n",
    "tags": """\
<current_state>
</current_state>
<remaining_work>
</remaining_work>
<next_action>
</next_action>
""",
    "hints": "# Active Context\n\n## Current Focus\n\n*What is worked on?*\n\n## Next Steps\n\n- [step]\n",
    "samples": """\
# Session State

**Conversation ID:** con_XXX
**Status:** active

**Focus:** What is this conversation specifically about?
**Goal:** [goal]
""",
}
TEMPLATES = [file_format.name for file_format in FORMATS if file_format.template]


def _report(folder: Path, text: str, hours: float = 24) -> audit.Report:
    path = folder / "x.md"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return audit.audit(str(path), FORMATS, NOW, hours)


@pytest.mark.parametrize(("text", "kind", "expected"), FINDINGS)
def test_a_finding_has_its_line(tmp_path: Path, text: str, kind: str, expected: list[tuple[int, str]]) -> None:
    """Each list has what is wrong, where it is and what about, and nothing else."""
    report = _report(tmp_path, text)
    assert [(found.line, found.what) for found in report.of(kind)] == expected, [
        (found.kind, found.line, found.what, found.why) for found in report.findings
    ]
    assert all(found.why and "\n" not in found.why for found in report.findings)
    lines = len(text.splitlines())
    assert all(1 <= found.line <= lines for found in report.findings)


@pytest.mark.parametrize(("kind", "complete", "broken"), [("stale", True, False), ("broken", False, True)])
def test_what_a_finding_means(tmp_path: Path, kind: str, complete: bool, broken: bool) -> None:  # noqa: FBT001 - columns
    """A stale file is complete; a broken one is not, and is distinguished."""
    texts = {"stale": shapes.AGENTS[1], "broken": AGENTS + "\n```\n"}
    report = _report(tmp_path, texts[kind])
    assert {found.kind for found in report.findings} == {kind}
    assert (report.complete, report.broken) == (complete, broken)


def test_stale_is_what_was_chosen(tmp_path: Path) -> None:
    """The setting decides after how many hours an active file is stale."""
    assert [bool(_report(tmp_path, AGENTS, hours).of("stale")) for hours in (2, 3)] == [True, False]


@pytest.mark.parametrize(("written", "kind", "recommended"), TYPES)
def test_what_is_recommended_depends_on_the_type(
    tmp_path: Path, written: str, kind: str, recommended: set[str]
) -> None:
    """Each type of work has parts of its own; an unknown type has none, and none has those of another."""
    report = _report(
        tmp_path, swap(N5, ("type: build", f"type: {written}"), ("**Type:** Build", f"**Type:** {written}"))
    )
    assert report.type == kind
    assert recommended <= set(report.recommended)
    assert len(TYPED & set(report.recommended)) == (kind != "gardening")


def test_what_a_type_requires(tmp_path: Path) -> None:
    """Nothing: the document names the required sections, and those of a type are none of them."""
    text = swap(N5, ("**Type:** Build", "**Type:** research"))
    assert _report(tmp_path, text).of("missing") == []
    assert "Research Questions" in _report(tmp_path, text).recommended
    assert _report(tmp_path, swap(text, ("## Tags", RESEARCH + "## Tags"))).of("missing") == []


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY)
def test_nothing_is_never_complete(tmp_path: Path, text: str) -> None:
    """An empty file and the untouched template of any format lack what they are for, without the word TBD in them."""
    assert not _report(tmp_path, text).complete


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_new_file_is_not_complete_yet(prepared: Project, name: str) -> None:
    """What `start` makes is sound, says nothing twice, and has the parts open that need meaning."""
    reply = prepared.cli("start", "Parse", "--format", name, "--type", "build")
    report = audit.audit(str(prepared.root / reply.out.strip()), FORMATS, time.time(), 24)
    assert (report.file_format, report.complete) == (name, False)
    assert {found.kind for found in report.findings} <= {"placeholder", "missing"}


def test_audit_of_one_by_its_id(prepared: Project) -> None:
    """With --convo-id the file is found by its id; whether it is complete is the exit code."""
    path = prepared.root / "SESSION_STATE.md"
    path.write_text(N5)
    reply = prepared.cli("audit", "--convo-id", "con_7Qm2XvLt9RkAe4Wd")
    assert (reply.code, reply.err) == (0, "")
    assert reply.out.startswith("SESSION_STATE.md (n5, build)\n✓ SESSION_STATE is complete (no TBD placeholders)\n")
    assert "stale: line 7: updated: " in reply.out
    path.write_text(swap(N5, ("- **Overall:** 40%", "- **Overall:** TBD")))
    assert prepared.cli("audit", "--convo-id", "con_7Qm2").code == 1  # a part may be another conversation's
    reply = prepared.cli("audit", "--convo-id", "con_7Qm2XvLt9RkAe4Wd")
    assert (reply.code, "✓" in reply.out) == (1, False)
    assert "  placeholder: line 20: Progress.Overall: TBD\n" in reply.out
    assert prepared.cli("audit", "--convo-id", "con_other").code == 1


@pytest.fixture
def many(prepared: Project) -> Project:
    """Give a project with files of every sort, and things that are no files."""
    fresh = clock.write(time.time())
    for name, text in {
        "good.md": swap(AGENTS, ("2026-03-02T09:30:00Z", fresh)),
        "open.md": swap(AGENTS, ("2026-03-02T09:30:00Z", fresh), ("- Try a file of 5 GB", "- TBD")),
        "broken.md": AGENTS + "\n```\n",
        "notes.md": "# Notes\n\nTBD\n",
        "empty.md": "",
    }.items():
        (prepared.root / name).write_text(text)
    (prepared.root / "folder.md").mkdir()
    os.mkfifo(prepared.root / "pipe.md")
    with (prepared.root / "large.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    return prepared


# Paths, the exit code, and for each path its format, whether it is complete, and which lists have findings.
MANY = [
    (["good.md"], 0, [("agents", True, set())]),
    (["good.md", "open.md"], 1, [("agents", True, set()), ("agents", False, {"placeholder"})]),
    (["notes.md"], 1, [("unknown", False, set())]),
    (["empty.md"], 1, [("unknown", False, set())]),
    (["broken.md", "good.md"], 2, [("agents", False, {"broken", "stale"}), ("agents", True, set())]),
    (["good.md", "missing.md"], 2, [("agents", True, set()), ("unknown", False, {"broken"})]),
    (["folder.md"], 2, [("unknown", False, {"broken"})]),
    (["pipe.md"], 2, [("unknown", False, {"broken"})]),
    (["large.md"], 2, [("unknown", False, {"broken"})]),
]


@pytest.mark.parametrize(("paths", "code", "expected"), MANY, ids=[" ".join(paths) for paths, _, _ in MANY])
def test_audit_of_many(many: Project, paths: list[str], code: int, expected: list[tuple[str, bool, set[str]]]) -> None:
    """Any path is answered, the worst of them is the exit code; as JSON it is one array with an object for each."""
    reply = many.cli("audit", "--json", *paths)
    assert (reply.code, reply.err) == (code, "")
    rows = json.loads(reply.out)
    assert [row["path"] for row in rows] == paths
    keys = {"path", "format", "reason", "type", "complete", "recommended", "findings"}
    assert all(set(row) == keys and row["reason"] for row in rows)
    found = [(row["format"], row["complete"], {found["kind"] for found in row["findings"]}) for row in rows]
    assert found == expected
    text = many.cli("audit", *paths)
    assert (text.code, text.err) == (code, "")
    assert [line.partition(" (")[0] for line in text.out.splitlines() if not line.startswith((" ", "✓"))] == paths


def test_audit_says_why_a_file_cannot_be_read(many: Project) -> None:
    """What is no file, not there or too large is named with its reason, on a line of its own."""
    reply = many.cli("audit", "missing.md", "folder.md", "pipe.md", "large.md", "notes.md")
    reasons = ["No such file or directory", "not a plain file", "not a plain file", "larger than 4 MB", "unknown shape"]
    reported = [line for line in reply.out.splitlines() if line.startswith("  ")]
    assert [reason in line for reason, line in zip(reasons, reported, strict=True)] == [True] * 5


def test_a_finding_has_line_what_and_why(many: Project) -> None:
    """Each finding of the JSON says where it is, what it is about, and what is wrong."""
    (row,) = json.loads(many.cli("audit", "--json", "open.md").out)
    (finding,) = [found for found in row["findings"] if found["kind"] == "placeholder"]
    assert {key: finding[key] for key in ("line", "what", "why", "path")} == {
        "line": 22,
        "what": "Next Steps",
        "why": "TBD",
        "path": row["path"],
    }


def test_audit_writes_nothing(many: Project) -> None:
    """Looking at files changes none, and stages none."""
    before = many.git("status", "--porcelain")
    many.cli("audit", "good.md", "open.md", "broken.md")
    assert many.git("status", "--porcelain") == before


@pytest.mark.parametrize("head", ["| Status | ID | Title |", "| ID | Title | Status |", "| ID | Title | State |"])
def test_a_closed_row_is_one_by_its_status(head: str) -> None:
    """Wherever that column is; without one, a column after the second says it."""
    cells = {"ID": "1", "Title": "Read the rates", "Status": "completed", "State": "completed"}
    row = "| " + " | ".join(cells[name.strip()] for name in head.strip("| ").split("|")) + " |"
    record = StateFile(f"# Session\n\n{head}\n|---|---|---|\n{row}\n".encode(), "x.md", FORMATS).record
    (table,) = tables(record.document, 0, len(record.document.data))
    assert [contradictions._closed(record, table, each) for each in table.rows] == [True]  # noqa: SLF001 - the audit says more of each row


@pytest.mark.parametrize(
    ("heading", "fits"),
    [
        ("2025-12-04 14:30 - Started", True),
        ("2025-12-04 14:30 - Retry with - and: more", True),
        ("Something without a time", False),
        ("2025-12-04 25:99 - No such time", False),
        ("2025-12-04T14:30:00Z - Of another form", False),
        ("2025-12-04 14:30", False),
        ("2025-12-04 - Without a time of day", False),
    ],
)
def test_a_log_has_headings_of_the_documents_form(prepared: Project, heading: str, fits: bool) -> None:  # noqa: FBT001 - a column of the table
    """The first finding names the line and the form; what is deeper in an entry is free."""
    path = prepared.write_state()
    path.write_text(f"{path.read_text()}\n---\n\n## Session Log\n\n### {heading}\n\nText.\n\n#### Deeper\n\nText.\n")
    found = audit.audit(str(path), FORMATS, NOW, 24.0).of("invalid")
    assert [(one.what, one.why.partition(" is not")[0]) for one in found] == (
        [] if fits else [("Session Log", f'"{heading}"')]
    )
