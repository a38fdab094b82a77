"""Values of fields: what a field may not have is refused, also where the file has no such field yet."""

from __future__ import annotations

import pytest

from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from tests.hazards import shapes

FORMATS = known("", Cache(""))


@pytest.mark.parametrize(
    "requested", [{"session": {"created": "soon"}}, {"frontmatter": {"session": {"created": "soon"}}}]
)
def test_a_new_key_of_the_frontmatter_is_checked(requested: dict[str, object]) -> None:
    """A key that the format describes as a time gets only a time."""
    created = shapes.AGENTS[1].partition("created:")[2].partition("\n")[0]
    text = shapes.AGENTS[1].replace(f"  created:{created}\n", "").encode()
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text, requested)
    assert outcome.data == text
    assert [why.partition(";")[0] for _, why in outcome.unplaced] == ["'soon' is not a time"]


@pytest.mark.parametrize("form", ["# {}\n", "{}\n======\n"])
def test_a_title_is_set_in_either_form_of_heading(form: str) -> None:
    """Over a line of signs it begins where its line begins."""
    text = shapes.FLAT[1].replace("# Object storage\n", form.format("Object storage"))
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"title": "Exporter"})
    assert outcome.unplaced == []
    assert outcome.data.decode() == text.replace(form.format("Object storage"), form.format("Exporter"))


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Session: Parser", "Session: Exporter"),
        ("Session: 2026-01-17 - Parser", "Session: 2026-01-17 - Exporter"),
        ("SESSION - Parser", "SESSION - Exporter"),
        ("Sessions of the parser", "Exporter"),
        ("Parser", "Exporter"),
    ],
)
def test_the_words_that_begin_a_title_stay(heading: str, expected: str) -> None:
    """What is read as the title is what is replaced: the format's own words and a date before it stay."""
    text = f"# {heading}\n\n## Goal\nAll prices.\n\n## State\n- Done: a\n- Now: b\n"
    outcome = Editor("CONTINUITY.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"title": "Exporter"})
    assert outcome.unplaced == []
    assert outcome.data.decode() == text.replace(heading, expected)


def test_a_label_that_is_there_twice_is_refused() -> None:
    """Neither is changed, and the lines are named."""
    text = shapes.AGENTS[1] + "\n## Numbers\n\n**Owner:** a\n\n**Owner:** b\n"
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"Numbers": {"Owner": "c"}})
    assert outcome.data.decode() == text
    ((_, why),) = outcome.unplaced
    assert "appears 2 times, on lines 36, 38" in why


@pytest.mark.parametrize("key", ["status", "last_updated"])
def test_a_key_that_makes_a_file_one_of_another_format_is_refused(key: str) -> None:
    """A format that is recognised by the absence of a key does not get it."""
    sections = "## Context\nWhy.\n\n## Current State\nHalf of it.\n\n## Next Steps\n- one\n"
    text = f"---\nowner: me\n---\n# Session: Parser\n\n{sections}"
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"frontmatter": {key: "active"}})
    assert outcome.data.decode() == text
    ((_, why),) = outcome.unplaced
    assert "recognised" in why


def test_a_subsection_that_the_format_knows_is_begun_in_its_section() -> None:
    """One that it does not know is refused."""
    text = shapes.GSD[1].replace("### Decisions\n\n- One table for each currency\n\n", "")
    editor = Editor("STATE.md", FORMATS, "2026-03-02 11:00")
    outcome = editor.apply(text.encode(), {"Accumulated Context": {"Decisions": ["Use CSV"], "Weather": ["Rain"]}})
    assert "\n### Decisions\n" in outcome.data.decode()
    assert [where for where, _ in outcome.unplaced] == ["Accumulated Context.Weather"]


def test_a_new_section_is_of_the_level_of_its_neighbours_or_of_its_format() -> None:
    """Those below another section are no neighbours."""
    text = "---\ngsd_state_version: 1.0\nstatus: executing\n---\n\n# Project State\n\n### Decisions\n\n- One\n"
    outcome = Editor("STATE.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"Session Continuity": "Go on"})
    assert "\n## Session Continuity\n" in outcome.data.decode(), outcome.unplaced
