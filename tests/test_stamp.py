"""The time of the last update: one value replaced in its own form, and nothing beside it."""

from __future__ import annotations

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import clock, statefile

NOW = clock.read("2026-02-03T04:05:06Z")
BODIES = st.text("#-`<!> \n", max_size=60).map(str.encode)
# What may stand in frontmatter, in pieces that end at the bars.
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
UNKNOWN = ["", "yesterday", "2025-12-04T14:30:00", "2025-12-04T14:30:00+02:00", "YYYY-MM-DD", "[2025-12-04]", '"2025']
UNKNOWN += ["|\n    2025-12-04", "&a 2025-12-04", "!!str 2025-12-04", "2027-01-01", '"2025-12-04 and some"']


def front(value: str, before: str = "title: x", after: str = "status: y") -> bytes:
    """Return a file whose session has this line for its last update."""
    return f"---\nsession:\n  {before}\n  last_updated: {value}\n  {after}\n---\n# T\n".encode()


@pytest.mark.parametrize(
    ("value", "stamped"),
    [
        pytest.param('"2025-12-04T14:30:00Z"', '"2026-02-03T04:05:06Z"', id="as documented"),
        pytest.param("2025-12-04T14:30:00Z", "2026-02-03T04:05:06Z", id="unquoted"),
        pytest.param("'2025-12-04T14:30Z'", "'2026-02-03T04:05Z'", id="single quotes, to the minute"),
        pytest.param("2025-12-04T14:30:00+00:00", "2026-02-03T04:05:06+00:00", id="an offset of nothing"),
        pytest.param("2025-12-04 14:30:00 UTC", "2026-02-03 04:05:06 UTC", id="UTC in words"),
        pytest.param("2025-12-04 14:30 UTC", "2026-02-03 04:05 UTC", id="UTC in words, to the minute"),
        pytest.param("2025-12-04", "2026-02-03", id="a date"),
        pytest.param("   2025-12-04   # by hand", "   2026-02-03   # by hand", id="blanks and a comment"),
        pytest.param('"2025-12-04" # "2025-12-04"', '"2026-02-03" # "2025-12-04"', id="a comment like it"),
        pytest.param("\n    2025-12-04", "\n    2026-02-03", id="on the next line"),
        *(pytest.param(value, value, id=f"left alone: {value or 'nothing'}") for value in UNKNOWN),
    ],
)
def test_stamps_the_value_in_its_own_form(value: str, stamped: str) -> None:
    """Only a known time that has passed is replaced, by now in the same form; a second time changes nothing."""
    assert statefile.stamp(front(value), NOW) == front(stamped)
    assert statefile.stamp(front(stamped), NOW) == front(stamped)


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "byte order mark"])
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
def test_stamps_nothing_else(spared: str, mark: str, newline: str) -> None:
    """Another key of that name, a comment and the body stay, whatever the line ends."""
    session = "session:\n  title: 'é'\n  log: |\n    last_updated: 2025-12-04\n  last_updated: {}\n"
    session = session.replace("  log: |\n    last_updated: 2025-12-04\n", "") if "log:" in spared else session
    before, after = (
        (mark + "---\n" + spared.format(session.format(day))).replace("\n", newline).encode()
        for day in ("2025-12-04", "2026-02-03")
    )
    assert before != after
    assert statefile.stamp(before, NOW) == after


@given(FRONTS, BODIES)
def test_a_stamp_is_one_value_to_every_reader(given_front: str, body: bytes) -> None:
    """python-frontmatter reads the same after a stamp but for that value, and what is no YAML is not stamped."""
    data = f"---\n{given_front}---\n".encode() + body
    stamped = statefile.stamp(data, NOW)
    assert statefile.stamp(stamped, NOW) == stamped
    if stamped == data:
        return
    before, after = (frontmatter.loads(given.decode()) for given in (data, stamped))
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
        assert statefile.stamp(data, NOW) == data
