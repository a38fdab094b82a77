"""Files as people have them: what is read from each, and what exactly an edit changes in it."""

from __future__ import annotations

from collections import Counter

import pytest

from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import parse, summary
from holdfast.project import discovery
from tests.corpus import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

FORMATS = known("", Cache(""))
FILES = list(shapes.files())
WORDS = {"status": "Status", "next": "Next Steps", "decisions": "Decisions", "blockers": "Blockers"}
ADDED = {
    "status": "active",
    "next": ["Show it to Ana"],
    "decisions": ["Tuesday is enough"],
    "blockers": ["The key is lost"],
}


def read(file: shapes.File) -> dict[str, object]:
    """Return what holdfast reads from a file."""
    return {**summary(parse(file.data, file.path, FORMATS))}


def wrong(file: shapes.File) -> list[str]:
    """Return the values that holdfast does not read as a person does."""
    reported, faults = read(file), []
    for word in shapes.ALL:
        expected = getattr(file.story, word) if word in file.shape.has else None
        if expected is not None and reported[word] != expected:
            faults.append(f"{file.name} ({reported['format']}) {word}: {reported[word]!r} for {expected!r}")
    category = file.shape.category or (file.story.status if "status" in file.shape.has else "")
    if category and reported["category"] != category:
        faults.append(f"{file.name} ({reported['format']}) category: {reported['category']!r} for {category!r}")
    if file.shape.name == "nothing in the way" and reported["blockers"]:
        faults.append(f"{file.name} blockers: {reported['blockers']!r}")
    if file.shape.name == "the status of an issue only" and reported["status"]:
        faults.append(f"{file.name} status: {reported['status']!r}")
    return faults


def test_the_corpus_is_large_and_varied() -> None:
    """There are more than a hundred files, and no two are equal."""
    assert len(FILES) >= 100
    assert len({file.data for file in FILES}) == len(FILES)


def test_values_are_read_as_a_person_reads_them() -> None:
    """At least 95 of 100 values are right."""
    faults = [fault for file in FILES for fault in wrong(file)]
    count = sum(len(file.shape.has) + 1 for file in FILES)
    assert len(faults) * 20 <= count, "\n".join(faults)


@pytest.mark.parametrize("word", WORDS)
def test_an_edit_changes_only_the_bytes_that_are_meant(word: str) -> None:
    """Each edit gives exactly the file that a person would have written; at most one of ten is refused."""
    refused, count = [], 0
    for file in FILES:
        if word not in file.shape.edits:
            continue
        count += 1
        value = ADDED[word]
        if word == "status":
            expected = file.reported(status=value)
        else:
            expected = file.reported(**{word: [*getattr(file.story, word), *value]})
        outcome = Editor(file.path, FORMATS, "2026-03-02 10:00").apply(file.data, {WORDS[word]: value})
        if outcome.unplaced:
            refused.append(f"{file.name}: {outcome.unplaced}")
            assert outcome.data == file.data, file.name
        else:
            assert outcome.data.decode() == expected.decode(), file.name
    assert len(refused) * 10 <= count, "\n".join(refused)


def test_each_file_is_found_where_it_is(tmp_path: Path) -> None:
    """Every place of the corpus is listed, and other Markdown is not."""
    paths = {file.path for file in FILES}
    others = (
        "README.md",
        "docs/guide.md",
        "CHANGELOG.md",
        "docs/state.md",
        "src/session.md",
        "notes/today.md",
        ".claude/CLAUDE.md",
        ".agents/sessions/README.md",
        "docs/design/progress.md",
        ".planning/milestones/v1-ROADMAP.md",
        "CONTRIBUTING.md",
    )
    for path in (*paths, *others):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# A\n")
    found = {path.removeprefix(f"{tmp_path}/") for path in discovery.state_files(str(tmp_path), FORMATS.patterns).paths}
    assert {path.casefold() for path in paths} <= {path.casefold() for path in found}
    assert not found & set(others)


def test_no_kind_of_file_is_unknown() -> None:
    """Each file of the corpus has a format."""
    assert not Counter(str(read(file)["reason"]) for file in FILES if read(file)["format"] == "unknown")
