"""Edits of any file there can be: what is not named stays, twice is once, back is back, a refusal writes nothing."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.errors import HoldfastError
from holdfast.editing.edit import Editor, Outcome
from holdfast.formats.record import Spot
from holdfast.formats.state_file import StateFile
from holdfast.markdown.document import splices
from holdfast.trust.safe import plain
from tests.hazards import HAZARDS, VALUES, shapes
from tests.robustness.test_hazards import FORMATS, PATHS

SHAPES: list[tuple[str, str]] = [
    *(shapes.AGENTS, shapes.FLAT, shapes.N5, shapes.V1, shapes.GSD_LITE, shapes.GSD, shapes.GENIE, shapes.CONTINUE),
    *(shapes.MEMORY, shapes.CLAUDE, shapes.CONTINUITY, shapes.HANDOFF),
]
# What means something in a state file, in pieces that end at the signs §; a surrogate is a byte that is not UTF-8.
PIECES = """\
§
§ \t
§---
§***
§===
§...
§---
status: done
§---
a: b: c
---
§session:
  status: paused
§status: "in_progress"  # note
§list: [a, b]
§text: |
  one
  ## Covered
§## Covered
§## Covered ##
§### Metadata
§# Two
§## ✅ **Next Steps** (draft) / Weiter
§Heading
-------
§## Status: DONE
§**Status:** active
§**Status:** active  \n§**Focus:**
§**Focus:** two
lines
§**Children:**
- a (b)
- c
§**Task**: x | **Phase:** y
§**Task:** x\\
§- **Focus:** x
§- Now: x
§Phase: 1 of 3
§Plan:
§- [ ] open
§- [x] done
§- [✅] done
§- [Phase 01]: x
§- [a](b)
§- TBD
§* star
§1. one
2. two
§   - nested
§- first

- loose
§  - indented
§-
§| Field | Value |
|-------|-------|
| Focus | a \\| b |
| Status | active |
§| Status | active |
§```
§```markdown
## Covered
- an example
```
§~~~~
~~~
~~~~
§    ## Covered
§> ## Covered
§<!-- one line each -->
§<!--
§-->
§<!-- holdfast:files -->
- `a.py`
<!-- /holdfast:files -->
§<details>
§</details>

§<current_state>
§</current_state>
§<next_action>
Go on.
</next_action>
§[Where the work stands]
§*What has been done?*
§*None yet*
§Text of a person.
§A long text
of two lines.
§*Kept by the librarian.*
§<<<<<<< HEAD
§>>>>>>> other
§Caf\udce9 \udcff
§\x00\x0c\u2028\x85 a
§日本 🎯\uff1a x
§`code` **bold** text
§\\`\\`\\`
§[a]: b
§word"""
ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
# Values that are text, however much they look like something else to a program that puts them in.
TEXTS = [*VALUES, "Credit notes", "paused", "$1", "$&", "${x}", r"\0", r"\g<name>", r"a\\b", "%s {x} {0}", "[x] done"]
WORDS = st.sampled_from(TEXTS) | st.text(max_size=12)
NAMES = st.sampled_from(
    ["", "Metadata", "Status", "session", "status", "frontmatter", "Covered", "Progress", "a.b", "\ud800"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(st.characters(codec=None), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


class Case(NamedTuple):
    """A file, where it lies, and one wish that it may or may not have a place for."""

    path: str
    data: bytes
    wanted: dict[str, Any]


def _keys(text: str) -> list[tuple[str, ...]]:
    """Return all that a file has: sections, fields alone and by their section, keys of the frontmatter."""
    state = StateFile(text.encode(), "x.md", FORMATS)
    document, record = state.document, state.record
    found: list[tuple[str, ...]] = [("frontmatter", path) for path, _ in state.metadata.leaves()]
    found += [tuple(path.split(".")) for path, _ in state.metadata.leaves()]
    found += [(section.title,) for section in document.sections]
    for label in document.labels(0, len(document.data)):
        section = record.around(label.start)
        found += [(label.name,), *([(section.title, label.name), (section.title, "New")] if section else [])]
    return list(dict.fromkeys(found))


KEYS = {file_format: [*_keys(text), ("Status",), ("Focus",), ("Next Steps",), ("New",)] for file_format, text in SHAPES}


def _nested(keys: tuple[str, ...], value: object) -> dict[str, Any]:
    """Return the object that JSON has for keys that lead to a value."""
    for key in reversed(keys[1:]):
        value = {key: value}
    return {keys[0]: value}


def _placed(lines: list[str], inserted: list[tuple[int, str]]) -> str:
    """Return lines with more of them put in, each at its number."""
    for at, piece in inserted:
        lines.insert(at % (len(lines) + 1), piece if piece.endswith("\n") else piece + "\n")
    return "".join(lines)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a format, and a file of it in which anything else may be too."""
    file_format, text = draw(st.sampled_from(SHAPES))
    lines = text.splitlines(keepends=True)
    for at in draw(st.lists(st.integers(0, 60), max_size=2)):
        del lines[at % len(lines)]
    pieces = st.tuples(st.integers(0, 60), st.sampled_from(PIECES.split("§")))
    text = _placed(lines, draw(st.lists(pieces, max_size=5)))
    text = text if draw(st.booleans()) else text.rstrip("\n")
    ends = draw(st.sampled_from(["LF", "LF", "CRLF", "CR", "mixed"]))
    if ends == "mixed":
        turns = draw(st.lists(st.sampled_from(list(ENDS.values())), min_size=3, max_size=7))
        text = "".join(part + turns[at % len(turns)] for at, part in enumerate(text.split("\n")))
    else:
        text = text.replace("\n", ENDS[ends])
    return file_format, (draw(st.sampled_from(["", "", "", "\ufeff"])) + text).encode("utf-8", "surrogateescape")


@st.composite
def cases(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> Case:
    """Draw a file and one wish, mostly for a place that its shape has."""
    file_format, data = draw(files())
    keys = draw(st.sampled_from(KEYS[file_format]))
    value = draw(words | st.lists(words, min_size=1, max_size=2))
    return Case(PATHS.get(file_format, ".agents/sessions/x.md"), data, _nested(keys, value))


@st.composite
def hazards(draw: st.DrawFn) -> Case:
    """Draw a hazard with one of the texts in place of what it wants, for the whole key or for the section alone."""
    hazard = draw(st.sampled_from(HAZARDS))
    keys = _first(hazard.wanted)
    value = draw(st.sampled_from(TEXTS) | st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2))
    keys = draw(st.sampled_from([keys, keys[:1], keys[-1:]]))
    return Case(PATHS.get(hazard.file_format, ".agents/sessions/x.md"), hazard.before, _nested(keys, value))


def _first(wanted: Any) -> tuple[str, ...]:
    """Return the keys that lead to the first value of a wish."""
    for key, value in wanted.items() if isinstance(wanted, dict) else []:
        return (key, *_first(value))
    return () if wanted else ("Status",)


EVERY = cases() | hazards()


def _apply(case: Case, wanted: dict[str, Any] | None = None, data: bytes | None = None) -> Outcome | None:
    """Return what an edit comes to, None when the file is refused; anything but a HoldfastError breaks the test."""
    editor = Editor(case.path, FORMATS, "2026-04-01 12:00")
    try:
        return editor.apply(case.data if data is None else data, case.wanted if wanted is None else wanted)
    except HoldfastError as error:
        assert str(error)  # noqa: PT017 - that there is a reason is all there is to test
        return None


def _value(wanted: Any) -> Any:
    """Return the first value of a wish."""
    return _value(next(iter(wanted.values()), None)) if isinstance(wanted, dict) else wanted


def _letters(data: bytes) -> Counter[str]:
    """Return the letters and digits in some bytes."""
    return Counter(filter(str.isalnum, data.decode("utf-8", "replace")))


def _reported(case: Case, data: bytes) -> str:
    """Return all that a file says as it reads back."""
    state = StateFile(data, case.path, FORMATS)
    document, record = state.document, state.record
    reported = [value for _, value in state.metadata.leaves()]
    reported += [record.text(Spot("label", label=label)) for label in document.labels(0, len(data))]
    reported += [record.item(item) for item in document.items(0, len(data))]
    reported += [record.body(section) for section in document.sections] + [
        section.title for section in document.sections
    ]
    return "\n".join([*reported, *(stated.replace(r"\|", "|") for stated in reported)])


def _cut(before: bytes, after: bytes) -> tuple[int, bytes, bytes]:
    """Return the 1-based line where two files begin to differ, and in lines what is gone and what came."""
    old, new = (re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", data) for data in (before, after))
    first = next(
        (at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), min(len(old), len(new))
    )
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    return first + 1, b"".join(old[first : len(old) - last]), b"".join(new[first : len(new) - last])


@given(files() | st.tuples(st.just("agents"), st.binary()))
def test_what_is_only_read_comes_back(file: tuple[str, bytes]) -> None:
    """A file that is read, or edited in nothing, is the same bytes."""
    case = Case(PATHS.get(file[0], ".agents/sessions/x.md"), file[1], {})
    assert StateFile(case.data, case.path, FORMATS).document.data is case.data
    assert splices(case.data, []) == case.data
    outcome = _apply(case)
    assert outcome is None or (outcome.data, outcome.changes, outcome.unplaced) == (case.data, [], [])


@given(EVERY)
def test_only_what_is_named_goes(case: Case) -> None:
    """In the body one run of lines changes, of which only the old text goes, in the frontmatter only what is given."""
    outcome = _apply(case)
    if outcome is None or not outcome.changes:
        assert outcome is None or outcome.data == case.data
        return
    before, after = (StateFile(data, case.path, FORMATS) for data in (case.data, outcome.data))
    reported = [change.old for change in outcome.changes]
    line, gone, come = _cut(case.data[before.document.body :], outcome.data[after.document.body :])
    assert not gone + come or before.document.line(before.document.body) + line > min(
        change.line for change in outcome.changes
    )
    assert _letters(gone) - _letters(come) <= _letters("".join(reported).encode())
    lost = Counter(before.metadata.leaves()) - Counter(after.metadata.leaves())
    assert [value for _, value in lost if value not in reported] == []


@given(EVERY)
def test_twice_is_once(case: Case) -> None:
    """The same edit once more finds everything as wanted."""
    outcome = _apply(case)
    if outcome:
        again = _apply(case, data=outcome.data)
        assert again is not None
        assert again.changes == []
        assert again.data == outcome.data


@given(cases(st.sampled_from(["Credit notes", "zwei", "$1", r"\1", "x # y"])) | hazards())
def test_back_is_back(case: Case) -> None:
    """A value on one line that is set, and then set to its old text again, is the same bytes."""
    outcome = _apply(case)
    if not outcome or len(outcome.changes) != 1 or not isinstance(_value(case.wanted), str):
        return
    before = StateFile(case.data, case.path, FORMATS)
    (change,) = outcome.changes
    _, gone, come = _cut(case.data, outcome.data)
    in_front = before.document.line(before.document.body) > change.line
    labels = before.document.labels(before.document.body, len(case.data))
    fields = {before.document.line(label.start) for label in labels if not label.items}
    one_line = gone.count(change.old.encode()) == 1 and max(map(len, (gone.splitlines(), come.splitlines()))) == 1
    if not change.old or not one_line or not (in_front or change.line in fields):
        return
    old = change.old.replace(r"\|", "|") if b"|" in gone else change.old
    undone = _apply(case, _nested(_first(case.wanted), old), outcome.data)
    assert undone is not None
    after = StateFile(undone.data, case.path, FORMATS)
    word = re.search(rb":[ \t]+[a-z_]+\s*\Z", gone) and b'"' not in come
    if in_front and not word:  # a value keeps the quotes that another one needed
        assert after.metadata.values == before.metadata.values
        assert undone.data[after.document.body :] == case.data[before.document.body :]
    else:
        assert undone.data == case.data, undone.unplaced


@given(EVERY)
def test_a_value_reads_back(case: Case) -> None:
    """What was set is in the file as it was wanted but for blanks, and for what no file of plain text can hold."""
    outcome, value = _apply(case), _value(case.wanted)
    if outcome is None or not outcome.changes:
        return
    for text in value if isinstance(value, list) else [value]:
        stated = plain(text).strip().removeprefix("- ")  # an item may bring its marker along
        assert " ".join(stated.split()) in " ".join(_reported(case, outcome.data).split())


@given(files(), st.dictionaries(NAMES | st.text(max_size=6), JSON, max_size=4))
def test_nothing_but_an_error_that_is_meant(file: tuple[str, bytes], wanted: dict[str, Any]) -> None:
    """Any wish comes to an outcome or to a HoldfastError; what is not changed stays the same bytes."""
    outcome = _apply(Case(PATHS.get(file[0], ".agents/sessions/x.md"), file[1], wanted))
    assert outcome is None or outcome.changes or outcome.data == file[1]


@given(st.binary(max_size=300), st.sampled_from(list(PATHS.values())))
def test_bytes_that_are_no_state_file(data: bytes, path: str) -> None:
    """Whatever the bytes are, they are refused, or stay when nothing can be placed."""
    outcome = _apply(Case(path, data, {"Status": "done", "Next Steps": ["x"]}))
    assert outcome is None or outcome.changes or outcome.data == data
