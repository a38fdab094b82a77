"""The time of the last update: one value replaced in its own form, and nothing beside it."""

from __future__ import annotations

from itertools import product

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.formats import catalogue, managed_block
from holdfast.formats.state_file import StateFile
from tests.hazards import shapes

FORMATS = catalogue.known("", Cache(""))
NOW = clock.read("2026-02-03T04:05:06Z")
BODIES = st.text("#-`<!> \n", max_size=60).map(str.encode)
# What may be in frontmatter, in pieces that end at the bars.
FRONT = """\
session:
|orchestration:
|  title: 'a: b' # c
|  title: >
    last_updated: 2025-01-01
|  last_updated: "2025-12-04T14:30:00Z"
|  last_updated: 2025-12-04 # x
|last_updated: '2025-12-04'
|  inner:
    last_updated: 2025-12-04
|  created: &t 2025-12-04
|  last_updated: *t
|session: {title: x, last_updated: 2025-12-04}
|# last_updated: 2025-12-04
|  é: 1_0
|  note: "a
|  b"
|
"""
FRONTS = st.lists(st.sampled_from(FRONT.split("|")), max_size=8).map("".join)
UNKNOWN = ["", "yesterday", "2025-12-04T14:30:00", "2025-12-04 14:30", "YYYY-MM-DD", "[2025-12-04]", '"2025']
UNKNOWN += ["|\n    2025-12-04", "&a 2025-12-04", "!!str 2025-12-04", "2027-01-01", '"2025-12-04 and some"']
UNKNOWN += ["2025-12-04T14:30:00 ET", "2025-12-04T14:30:00+25:00", "2026-02-03T04:05:07Z", "2026-02-03T06:05:07+02:00"]


def stamped(data: bytes) -> bytes:
    """Return a file with its stamp."""
    return managed_block.stamp(StateFile(data, "x.md", FORMATS), NOW)


def front(value: str, before: str = "title: x", after: str = "status: y") -> bytes:
    """Return a file whose session has this line for its last update."""
    return f"---\nsession:\n  {before}\n  last_updated: {value}\n  {after}\n---\n# T\n".encode()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param('"2025-12-04T14:30:00Z"', '"2026-02-03T04:05:06Z"', id="as documented"),
        pytest.param("2025-12-04T14:30:00Z", "2026-02-03T04:05:06Z", id="unquoted"),
        pytest.param("'2025-12-04T14:30Z'", "'2026-02-03T04:05Z'", id="single quotes, to the minute"),
        pytest.param("2025-12-04T14:30:00+00:00", "2026-02-03T04:05:06+00:00", id="an offset of nothing"),
        pytest.param("2025-12-04T14:30:00+02:00", "2026-02-03T06:05:06+02:00", id="an offset"),
        pytest.param("2025-12-04 14:30-09:30", "2026-02-02 18:35-09:30", id="an offset behind, to the minute"),
        pytest.param("'2025-12-04T14:30:00.250Z'", "'2026-02-03T04:05:06.000Z'", id="parts of a second"),
        pytest.param("2025-12-04 14:30:00 UTC", "2026-02-03 04:05:06 UTC", id="UTC in words"),
        pytest.param("2025-12-04 14:30 UTC", "2026-02-03 04:05 UTC", id="UTC in words, to the minute"),
        pytest.param("2025-12-04", "2026-02-03", id="a date"),
        pytest.param("   2025-12-04   # by hand", "   2026-02-03   # by hand", id="blanks and a comment"),
        pytest.param('"2025-12-04" # "2025-12-04"', '"2026-02-03" # "2025-12-04"', id="a comment like it"),
        pytest.param("\n    2025-12-04", "\n    2026-02-03", id="on the next line"),
        *(pytest.param(value, value, id=f"left alone: {value or 'nothing'}") for value in UNKNOWN),
    ],
)
def test_stamps_the_value_in_its_own_form(value: str, expected: str) -> None:
    """Only a known time that has passed is replaced, by now in the same form; a second time changes nothing."""
    assert stamped(front(value)) == front(expected)
    assert stamped(front(expected)) == front(expected)


@pytest.mark.parametrize(
    "spared",
    [
        pytest.param("{}---\n", id="nothing else"),
        pytest.param("{}orchestration:\n  last_updated: 2025-12-04\nlast_updated: 2025-12-04\n---\n", id="other keys"),
        pytest.param("last_updated: 2025-12-04\nother:\n  last_updated: 2025-12-04\n{}---\n", id="keys before"),
        pytest.param("{}  log:\n    last_updated: 2025-12-04\n---\n", id="deeper keys"),
        pytest.param("{}---\nlast_updated: 2025-12-04\n```\n  last_updated: 2025-12-04\n", id="the body"),
        pytest.param("#  last_updated: 2025-12-04\n{}#\n\n---\nsession:\n  last_updated: 2025-12-04\n", id="comments"),
    ],
)
def test_stamps_nothing_else(spared: str) -> None:
    """Another key of that name, a comment and the body stay, whatever the line ends."""
    session = "session:\n  title: 'é'\n  log: |\n    last_updated: 2025-12-04\n  last_updated: {}\n"
    session = session.replace("  log: |\n    last_updated: 2025-12-04\n", "") if "log:" in spared else session
    for mark, newline in product(("", "\ufeff"), ("\n", "\r\n")):
        before, after = (
            (mark + "---\n" + spared.format(session.format(day))).replace("\n", newline).encode()
            for day in ("2025-12-04", "2026-02-03")
        )
        assert before != after
        assert stamped(before) == after


@given(FRONTS, BODIES)
def test_a_stamp_is_one_value_to_every_reader(given_front: str, body: bytes) -> None:
    """python-frontmatter reads the same after a stamp but for that value, and what is no YAML is not stamped."""
    data = f"---\n{given_front}---\n".encode() + body
    changed = stamped(data)
    assert stamped(changed) == changed
    if changed == data:
        return
    before, after = (frontmatter.loads(given.decode()) for given in (data, changed))
    old, new = (dict(post.metadata.pop("session")) for post in (before, after))  # type: ignore[call-overload]
    assert str(old.pop("last_updated")) < str(new.pop("last_updated"))
    assert (old, before.metadata, before.content) == (new, after.metadata, after.content)


def test_a_stamp_needs_yaml_and_no_conflict() -> None:
    """What is broken, not UTF-8, in conflict, or has the key twice or its value elsewhere is left alone."""
    for data in (
        front("2025-12-04", before="title: a: b"),
        front("2025-12-04").replace(b"title: x", b"title: \xff"),
        front("2025-12-04") + b"<<<<<<< a\n=======\n>>>>>>> b\n",
        front("2025-12-04", after="last_updated: 2025-12-04"),
        front("*a", before="created: &a 2025-12-04"),
        b"---\nother: &a\n  last_updated: 2025-12-04\nsession: *a\n---\n",
    ):
        assert stamped(data) == data


UPDATED = "**Last Updated:** 2026-01-17 16:40 UTC"
LATER = "**Last Updated:** 2026-05-03 04:05 UTC"


def titled(shape: tuple[str, str], line: str) -> tuple[str, str]:
    """Return a shape with a line under its title."""
    return shape[0], shape[1].replace("\n", f"\n\n{line}\n", 1)


@pytest.mark.parametrize(
    ("shape", "before", "after"),
    [
        pytest.param(shapes.AGENTS, '"2026-02-11T09:30:00Z"', '"2026-05-03T04:05:06Z"', id="agents"),
        pytest.param(
            shapes.FLAT, "last_updated: 2026-02-11T09:30:00Z", "last_updated: 2026-05-03T04:05:06Z", id="agents-flat"
        ),
        pytest.param(shapes.N5, "2026-03-02T10:40:00+00:00", "2026-05-03T04:05:06+00:00", id="n5"),
        pytest.param(titled(shapes.V1, UPDATED), UPDATED, LATER, id="n5-v1"),
        pytest.param(shapes.GSD_LITE, "updated: 2026-01-21T15:45:00Z", "updated: 2026-05-03T04:05:06Z", id="gsd-lite"),
        pytest.param(shapes.CONTINUE, "2026-03-02T10:40:00Z", "2026-05-03T04:05:06Z", id="continue-here"),
        pytest.param(shapes.GENIE, UPDATED, LATER, id="genie"),
        pytest.param(titled(shapes.CLAUDE, UPDATED), UPDATED, LATER, id="claude-sessions"),
        pytest.param(titled(shapes.MEMORY, UPDATED), UPDATED, LATER, id="memory-bank"),
        pytest.param(titled(shapes.CONTINUITY, "Updated: 2026-01-17"), "2026-01-17", "2026-05-03", id="continuity"),
        pytest.param(titled(shapes.HANDOFF, "- **Date**: 2026-01-17  "), "2026-01-17", "2026-05-03", id="handoff"),
        pytest.param(shapes.HANDOFF, "", "", id="nowhere"),
        pytest.param(titled(shapes.MEMORY, UPDATED + " by me"), "", "", id="a remark after the time"),
        pytest.param(titled(shapes.MEMORY, UPDATED + "\n\n" + UPDATED), "", "", id="two places"),
        pytest.param(
            ("", shapes.swap(shapes.GENIE[1], (UPDATED + "\n", ""), ("**Status:** starting", UPDATED))),
            "",
            "",
            id="an entry's own",
        ),
        pytest.param(shapes.GSD, "", "", id="gsd writes its frontmatter itself"),
        pytest.param(("", f"# Notes\n\n{UPDATED}\n"), "", "", id="an unknown shape"),
    ],
)
def test_a_stamp_goes_where_the_format_keeps_it(shape: tuple[str, str], before: str, after: str) -> None:
    """Whether a key or a label, only the time of the last change of the whole is replaced; every other one stays."""
    data = shape[1].encode()
    expected = shapes.swap(shape[1], (before, after)).encode() if before else data
    now = clock.read("2026-05-03T04:05:06Z")
    assert managed_block.stamp(StateFile(data, "x.md", FORMATS), now) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (shapes.AGENTS[1], 6),
        (shapes.GENIE[1], 2),
        (titled(shapes.MEMORY, UPDATED + " by me")[1], 3),
        (shapes.HANDOFF[1], 0),
        ("# Notes\n", 0),
    ],
)
def test_tells_the_line_that_is_stamped(text: str, line: int) -> None:
    """The line of the time is known whatever its form, 0 where the format or the file has none."""
    assert managed_block.stamped(StateFile(text.encode(), "x.md", FORMATS))[0] == line


def test_frontmatter_that_is_no_yaml_is_not_stamped() -> None:
    """A file that its sections tell for what it is keeps frontmatter that cannot be read, byte for byte."""
    data = shapes.swap(shapes.AGENTS[1], ('title: "Move', 'title: *"Move')).encode()
    state = StateFile(data, "x.md", FORMATS)
    assert state.file_format
    assert (state.file_format.name, state.metadata.line) == ("agents", 3)
    assert managed_block.stamp(state, clock.read("2026-05-03T04:05:06Z")) == data
    flat = shapes.FLAT[1].replace("branch: feat/", "branch: @feat/").encode()
    state = StateFile(flat, "x.md", FORMATS)
    assert state.file_format
    assert (state.file_format.name, state.metadata.text("last_updated")) == ("agents-flat", "2026-02-11T09:30:00Z")
    assert managed_block.stamp(state, clock.read("2026-05-03T04:05:06Z")) == flat
