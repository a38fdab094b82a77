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
    assert [why.partition(";")[0] for _, why in outcome.unplaced] == ["'soon' is no time"]


@pytest.mark.parametrize("form", ["# {}\n", "{}\n======\n"])
def test_a_title_is_set_in_either_form_of_heading(form: str) -> None:
    """Over a line of signs it begins where its line begins."""
    text = shapes.FLAT[1].replace("# Object storage\n", form.format("Object storage"))
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"title": "Exporter"})
    assert outcome.unplaced == []
    assert outcome.data.decode() == text.replace(form.format("Object storage"), form.format("Exporter"))
