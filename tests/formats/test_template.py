"""A new state file: named by time and title, complete but for what needs meaning, and understood as it is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import frontmatter
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.formats import catalogue, names, state_file, template
from holdfast.formats.audit import audit
from holdfast.formats.schema import TYPES
from holdfast.formats.state_file import StateFile
from holdfast.formats.template import Work
from holdfast.markdown.document import Document
from holdfast.trust import safe

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = catalogue.known("", Cache(""))
THEN = clock.read("2025-12-04T14:30:00Z")
LINES = st.text(st.characters() | st.sampled_from('"\\#*-`>:<&{[|%~=_')).map(lambda given: safe.line(given, 100))
ABLE = [file_format.name for file_format in FORMATS if file_format.template.get("text")]

# What is left open in a new file of each format, and what more for each type of work.
OPEN = {
    "agents": ["Current State", "Next Steps"],
    "n5": [
        *("Covered", "Decisions Made", "Key Insights", "Metadata.Objective", "Open Questions"),
        *("Progress.Current Phase", "Progress.Next Actions", "Topics"),
    ],
    "gsd-lite": ["Current Context.Focus", "Current Context.Phase"],
}
OF_TYPE = {
    "agents": {
        "build": ["Acceptance Criteria"],
        "research": ["Findings", "Research Questions"],
        "discussion": ["Decisions", "Open Questions"],
        "planning": ["Acceptance Criteria", "Decisions", "Open Questions"],
        "debug": ["Findings", "Hypotheses", "Reproduction"],
    },
    "n5": {
        "build": ["Architectural Decisions", "Files Modified", "Quality Checks", "Tests"],
        "research": ["Findings", "Knowledge Gaps", "Research Questions", "Sources Consulted"],
        "discussion": ["Conclusions", "Perspectives"],
        "planning": ["Options Considered", "Success Criteria"],
        "debug": ["Hypotheses", "Reproduction"],
    },
    "gsd-lite": {},
}


def composed(name: str = "agents", title: str = "Fix it", **given: str) -> bytes:
    """Return a new state file of a format."""
    work = Work(title, THEN)
    for word, value in {"branch": "main", "request": "Please fix it", "session": "s-1", **given}.items():
        setattr(work, word, value)
    work.background = f"> {work.request}" if work.request else ""
    return template.compose(FORMATS.named(name), work)


def reported(data: bytes) -> dict[str, object]:
    """Return what a file says."""
    return {**state_file.summary(StateFile(data, "x.md", FORMATS))}


def test_what_new_files_can_be_made_of() -> None:
    """Every format with a template is in the tables below."""
    assert sorted(ABLE) == sorted(OPEN) == sorted(OF_TYPE)


@pytest.mark.parametrize("kind", ["", *TYPES])
@pytest.mark.parametrize("name", ABLE)
def test_only_meaning_is_left_open(tmp_path: Path, name: str, kind: str) -> None:
    """A new file is of its format and type; nothing is wrong with it but the placeholders where meaning belongs."""
    path = tmp_path / "x.md"
    path.write_bytes(composed(name, kind=kind))
    report, usual = audit.audit(str(path), FORMATS, THEN, 24), "build" if name == "n5" else ""
    assert report.file_format == name
    assert {found.kind for found in report.findings} == {"placeholder"}
    assert sorted(found.what for found in report.findings) == sorted(OPEN[name] + OF_TYPE[name].get(kind or usual, []))
    assert not report.complete
    assert not report.broken
    assert reported(path.read_bytes())["type"] == ((kind or usual) if OF_TYPE[name] else "")


@pytest.mark.parametrize("name", ABLE)
def test_a_file_that_is_filled_in_is_complete(tmp_path: Path, name: str) -> None:
    """Once each placeholder is an answer, its audit finds nothing."""
    path = tmp_path / "x.md"
    path.write_bytes(composed(name, kind="build"))
    for found in audit.audit(str(path), FORMATS, THEN, 24).findings:
        path.write_text(path.read_text().replace(found.why, "An answer"))
    report = audit.audit(str(path), FORMATS, THEN, 24)
    assert [(found.what, found.why) for found in report.findings] == []
    assert report.complete


def test_without_a_request_the_reason_is_left_open(tmp_path: Path) -> None:
    """What somebody asked for is a context; where nobody did, the context is a part that needs meaning too."""
    path = tmp_path / "x.md"
    path.write_bytes(composed(request=""))
    found = audit.audit(str(path), FORMATS, THEN, 24).findings
    assert sorted((one.what, one.kind) for one in found) == [
        (what, "placeholder") for what in ("Context", *OPEN["agents"])
    ]
    assert str(reported(composed())["objective"]) == "Please fix it"
    assert "[" not in str(reported(composed(request=""))["objective"])


@example('- `# a: *b* \\ " {c} <!-- --> #', "```", "x")
@example("<!-- holdfast:files -->", "<!-- /holdfast:files -->", "`")
@given(LINES, LINES, LINES.map(lambda line: line.replace(" ", "-")))
def test_a_new_file_has_all_that_the_format_requires(title: str, request_text: str, branch: str) -> None:
    """Whatever title and request, the file is complete, and its YAML gives the very title back."""
    data = composed(title=title, request=request_text, branch=branch)
    post = frontmatter.loads(data.decode())
    time = "2025-12-04T14:30:00Z"
    assert post["session"] == {"title": title, "status": "in_progress", "created": time, "last_updated": time}
    assert post["orchestration"] == {"current_task": title, "spawned_agents": []}
    document = Document(data)
    wanted = ["Context", "Current State", "Next Steps", "Session Log"]
    assert [heading.title for heading in document.headings if heading.level == 2] == wanted
    assert all(document.section(title) for title in wanted)


@pytest.mark.parametrize("name", ABLE)
@given(title=LINES)
@example(title="Keep **Status:** done")
@example(title="{title} {iso} {sections} \\1 $1")
@example(title="Session: [x](y) - `a` # b")
@example(title="Learn C#")
@example(title="#12: a crash")
@example(title="-x is ignored")
def test_a_title_is_read_back(name: str, title: str) -> None:
    """Whatever a piece of work is called, listing calls it so, and nothing else in its file is read from that name."""
    assume(title and not names.is_placeholder(title, FORMATS.named(name).samples))
    found, plain = reported(composed(name, title)), reported(composed(name))
    assert found["title"] == title
    same = ["format", "status", "category", "next", "created", "updated", "type"]
    same += ["ids"] if name != "gsd-lite" else []  # in which the title is part of the id
    assert {key: found[key] for key in same} == {key: plain[key] for key in same}


def test_a_new_file_tells_what_it_was_given() -> None:
    """Branch, request and session are in the file for whoever takes over."""
    data = composed(branch="feat/`x`").decode()
    assert "## Context\n\n> Please fix it\n" in data
    assert "Claude Code session `s-1` started this work on branch `` feat/`x` ``." in data
    bare = composed(branch="", session="", request="").decode()
    assert "## Context\n\n[Why" in bare
    assert "Work started by hand." in bare


def test_a_file_without_a_session_gets_an_id_of_its_own() -> None:
    """Work that was started by hand has an id that no other file has; that of a session has the session's."""
    idents = [reported(composed("n5", session=session))["ids"] for session in ("", "", "s-1")]
    assert idents[0] != idents[1]
    assert re.fullmatch(r"\['con_[0-9a-f]{16}'\]", str(idents[0]))
    assert idents[2] == ["s-1"]


def test_digests_what_was_composed() -> None:
    """A new file is read back with its title, status, times and task; what is open is empty."""
    found = reported(composed(title='A "b": c # d'))
    assert found["title"] == found["focus"] == 'A "b": c # d'
    assert (found["status"], found["category"]) == ("in_progress", "active")
    assert found["created"] == found["updated"] == THEN
    assert (found["current"], found["next"], found["problem"]) == ("", [], "")
    lite = reported(composed("gsd-lite"))
    assert (lite["focus"], lite["objective"], lite["phase"], lite["questions"]) == ("", "", "", [])


@given(LINES)
def test_a_name_is_sortable_and_plain(title: str) -> None:
    """Every title gives a name of the documented pattern, without blanks, slashes and capitals of Latin."""
    assert re.fullmatch(r"20251204-143000-[^\W_A-Z]+(?:-?[^\s/A-Z])*\.md", template.name(title, THEN))


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Add weather fallback!", "add-weather-fallback"),
        ("Café Ünïté", "café-ünïté"),
        ("日本", "日本"),
        ("👍", "session"),
        ("", "session"),
    ],
)
def test_a_name_tells_the_title(title: str, slug: str) -> None:
    """The slug is the title's words; a title without any of them is a session."""
    assert template.name(title, THEN) == f"20251204-143000-{slug}.md"
