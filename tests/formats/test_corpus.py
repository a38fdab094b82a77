"""Files as people have them: what is read from each, and what exactly an edit changes in it.

There are two corpora: `shapes`, in which each layout has the same four stories, and `files`, each of which is a piece
of work of its own, with what a person reads from it in `reads.toml`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import parse, summary
from holdfast.project import discovery
from tests.corpus import shapes

FORMATS = known("", Cache(""))
FILES = list(shapes.files())
OWN = Path(__file__).parents[1] / "corpus"
READS = tomllib.loads((OWN / "reads.toml").read_text())
WORDS = {"status": "Status", "next": "Next Steps", "decisions": "Decisions", "blockers": "Blockers"}
MISREAD = {  # what is not read as a person reads it, and why
    ("013-import-from-shopify.md", "decisions"): "the reason in the next column is read with each decision",
    ("043-refactor-auth.md", "next"): "goals are no next steps, also where nothing else is open",
    ("044-2026-03-04-1400-md.md", "next"): "as in 043",
    ("045-emails.md", "category"): "a mark of the session's end is no status",
}
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
    paths = (
        {file.path for file in FILES}
        | {row["path"] for row in READS.values()}
        | {".agents/archive/20260301-old.md", "archive/20250914-session.md"}
    )
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
        "archive/2019-05-01-trip.md",
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


@cache
def data_of(name: str) -> bytes:
    """Return the bytes of a file."""
    return (OWN / "files" / name).read_bytes()


def found_in(name: str, data: bytes) -> dict[str, Any]:
    """Return what holdfast reads from a file with these bytes."""
    return {**summary(parse(data, READS[name]["path"], FORMATS))}


def plain(value: object) -> object:
    """Return a text, or a list of them, without emphasis and the full stop at its end."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    return re.sub("[*_`]", "", str(value)).strip().rstrip(".")


def test_independent_files_are_read_as_a_person_reads_them() -> None:
    """Every value of more than a hundred files is right but those in MISREAD, at most 5 of 100; all have a format."""
    assert len(READS) >= 100
    assert {path.name for path in (OWN / "files").iterdir()} == READS.keys()
    values = [(name, word) for name, row in READS.items() for word in row if word != "path"]
    read_ = {name: found_in(name, data_of(name)) for name in READS}
    faults = {
        (name, word): f"{name} {word}: {read_[name][word]!r} for {READS[name][word]!r}"
        for name, word in values
        if plain(read_[name][word]) != plain(READS[name][word])
    }
    assert faults.keys() == MISREAD.keys(), "\n".join(faults.values())
    assert len(faults) * 20 <= len(values)
    assert [name for name in READS if read_[name]["format"] == "unknown"] == []


@pytest.mark.parametrize("word", WORDS)
def test_an_edit_of_an_independent_file_changes_what_is_meant(word: str) -> None:
    """A status replaces its line, an item is a line more, what was read is read again, and all else keeps its bytes."""
    edited = [name for name in READS if word in READS[name]]
    assert len(edited) > 30
    for name in edited:
        data, path = data_of(name), READS[name]["path"]
        status = "active" if READS[name].get("status") == "paused" else "paused"
        value = status if word == "status" else ADDED[word]
        outcome = Editor(path, FORMATS, "2026-07-01 10:00").apply(data, {WORDS[word]: value})
        assert not outcome.unplaced, f"{name}: {outcome.unplaced}"
        gone, new = changed(data, outcome.data)
        before, after = found_in(name, data)[word], found_in(name, outcome.data)[word]
        if word == "status":
            assert outcome.state.record.file_format.category(after) == value, name
            assert len(gone) <= len(new) == 1, name
        else:
            longer = all(any(line.startswith(one.rstrip()) for line in new) for one in gone)  # a label's value
            assert longer or len(gone) <= (not before), (name, gone)
            assert all(any(text in one for one in after) for text in [*before, *ADDED[word]]), (name, after)
            assert len(new) <= 1 + (new[0].startswith(b"#")), (name, new)


@pytest.mark.parametrize(
    ("name", "where", "word", "value"),
    [
        ("122-gsd-lite-state.md", "Next Steps", "next", ["Show it to Ana"]),
        ("123-gsd-lite-work-log.md", "Open Questions", "questions", ["Who pays?"]),
    ],
)
def test_what_a_file_lacks_is_added_and_read_again(name: str, where: str, word: str, value: object) -> None:
    """A list that the file does not have yet gets its place, and no line goes."""
    outcome = Editor(READS[name]["path"], FORMATS, "2026-07-01 10:00").apply(data_of(name), {where: value})
    assert not outcome.unplaced
    assert changed(data_of(name), outcome.data)[0] == []
    assert found_in(name, outcome.data)[word] == value


def changed(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the lines that went and those that came, without blank ones and the stamp of the time."""
    one, other = before.split(b"\n"), after.split(b"\n")
    gone, new = [], []
    for kind, *spans in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            gone += one[spans[0] : spans[1]]
            new += other[spans[2] : spans[3]]
    stamp = re.compile(rb"(?i)\W*(last[ _]updated|updated|date)\b")
    found = ([line for line in lines if line.strip() and not stamp.match(line)] for lines in (gone, new))
    return (*found,)  # type: ignore[return-value]
