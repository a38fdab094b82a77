"""What a long journal came to is kept, and is never believed over the journal."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.cache import Cache, sealed, unsealed
from holdfast.journal import log
from holdfast.journal.session import Group
from holdfast.project import paths
from holdfast.sessions import session_cache
from tests.support import index
from tests.support.examples import times
from tests.support.facts import fold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.sessions.session import Session

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12)
NAMES = st.sampled_from(["a.py", "src/b.py", ".agents/sessions/x.md", "/etc/c", "\udcff.py", ""])
VALUES = st.one_of(
    WORDS, NAMES, st.integers(0, 9), st.floats(0, 1e9), st.booleans(), st.none(), st.lists(WORDS, max_size=2)
)
KEYS = (
    *(
        "path",
        "root",
        "text",
        "id",
        "subject",
        "status",
        "agent",
        "type",
        "transcript",
        "branch",
        "worktree",
        "by",
        "pid",
    ),
    *(
        "process",
        "host",
        "reason",
        "facts",
        "session",
        "parent",
        "origin",
        "since",
        "zone",
        "title",
        "folder",
    ),
)
KINDS = (
    *(
        "start",
        "prompt",
        "edit",
        "worktree",
        "task",
        "loop",
        "zone",
        "child",
        "answer",
        "end",
        "due",
        "state",
        "settled",
    ),
    *(
        "blocks",
        "completed",
        "decided",
        "summary",
        "restored",
        "hub",
        "origin",
        "status",
        "measured",
    ),
    *("note", "attempt", "compact", "unheard of"),
)
FACTS = st.builds(
    lambda kind, at, rest: {"at": at, "kind": kind, **rest},
    st.sampled_from(KINDS),
    st.floats(0, 2e9),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5),
)
JOURNALS = st.lists(FACTS, max_size=25)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give a store in which every journal is worth to be kept."""
    monkeypatch.setattr(session_cache, "WORTH", 1)
    (tmp_path / "journal").mkdir()
    return str(tmp_path)


def write(store: str, facts: list[dict[str, Any]], mode: str = "a") -> None:
    """Write facts as hooks do."""
    with open(log.path_of(store, "one"), mode) as file:
        file.writelines(json.dumps(fact) + "\n" for fact in facts)


def reported(session: Session) -> dict[str, Any]:
    """Return all that a session is, in values that can be compared."""
    return {name: _plain(value) for name, value in vars(session).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Group):
        return [*map(_plain, vars(value).items())]
    if isinstance(value, dict):
        return [type(value), [(key, _plain(each)) for key, each in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value), *map(_plain, value)]
    return [type(value), value]


def read(store: str, root: str = "/srv/x", patterns: tuple[str, ...] = paths.PATTERNS) -> dict[str, Any]:
    """Return the session as its journal has it, by what was kept."""
    return reported(session_cache.session(store, "one", root, patterns))


def whole(store: str, root: str = "/srv/x", patterns: tuple[str, ...] = paths.PATTERNS) -> dict[str, Any]:
    """Return the session as all of its journal has it."""
    return reported(fold("one", log.read(store, "one"), root, patterns))


def kept(store: str) -> list[tuple[Any, Any]]:
    """Return the signature and the value of each session that was kept."""
    known = index.rows(store, "select signature, value from kept where kind like 'session %'")
    return [(json.loads(signature), unsealed(value)) for signature, value in known]


def put(store: str, signature: Any, value: Any) -> None:
    """Replace the only session that was kept."""
    changed = index.change(store, "update kept set signature = ?, value = ?", json.dumps(signature), sealed(value))
    assert changed == 1


@given(st.lists(JOURNALS, min_size=1, max_size=4))
@settings(max_examples=times(2))
def test_what_was_kept_comes_to_the_same(parts: list[list[dict[str, Any]]]) -> None:
    """However a journal grew, and whenever it was read, it comes to what all of it comes to."""
    import tempfile

    before, session_cache.WORTH = session_cache.WORTH, 1
    try:
        with tempfile.TemporaryDirectory() as store:
            os.mkdir(store + "/journal")
            for facts in parts:
                write(store, facts)
                assert read(store) == whole(store)
                assert read(store) == whole(store)
    finally:
        session_cache.WORTH = before


def test_what_was_kept_is_used(store: str) -> None:
    """The beginning of a journal is not folded again."""
    write(store, [{"at": 1.0, "kind": "edit", "path": "a.py"}])
    read(store)
    ((signature, value),) = kept(store)
    put(store, signature, json.loads(json.dumps(value).replace("a.py", "kept.py")))
    write(store, [{"at": 2.0, "kind": "edit", "path": "b.py"}])
    assert list(session_cache.session(store, "one", "/srv/x").files) == ["kept.py", "b.py"]


PLACED = ".agents/sessions/x.md"
FACT = {"at": 1.0, "kind": "edit", "path": "a.py"}


DAMAGE: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "empty": lambda signature, _: (signature, ""),
    "another value": lambda signature, _: (signature, {}),
    "a key is missing": lambda signature, value: (signature, {name: value[name] for name in value if name != "root"}),
    "a key too many": lambda signature, value: (signature, {**value, "more": 1}),
    "an unknown mark": lambda signature, _: (signature, {"frozen": []}),
    "a child that is none": lambda signature, _: (signature, {"child": [1]}),
    "not of this journal": lambda signature, value: ([signature[0], signature[1] ^ 1], value),
    "longer than it": lambda signature, value: ([signature[0] + 9000, signature[1]], value),
    "no number": lambda signature, value: (["x", signature[1]], value),
    "no signature": lambda _, value: ([], value),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_was_damaged_is_not_believed(store: str, name: str) -> None:
    """Whatever became of what was kept, the journal decides."""
    write(store, [FACT])
    read(store)
    ((signature, value),) = kept(store)
    put(store, *DAMAGE[name](signature, value))
    write(store, [{**FACT, "path": "b.py"}])
    assert read(store) == whole(store)


def test_what_is_not_as_it_was_written_is_not_believed(store: str) -> None:
    """A value is kept with its hash; one that was changed since does not count."""
    write(store, [FACT])
    read(store)
    assert index.change(store, "update kept set value = replace(value, 'a.py', 'z.py')") == 1
    assert read(store) == whole(store)


def test_a_journal_that_was_changed_is_read_anew(store: str) -> None:
    """A line that somebody changed counts, be it of the same length; so does a journal that was cut."""
    write(store, [FACT, FACT])
    read(store)
    write(store, [{**FACT, "path": "z.py"}, FACT], "w")
    assert read(store) == whole(store)
    write(store, [FACT], "w")
    assert read(store) == whole(store)


def test_each_reader_has_its_own(store: str) -> None:
    """Root and patterns decide what a fact comes to, so that what was kept under others does not count."""
    write(store, [{**FACT, "path": "notes/x.md"}])
    for patterns in (paths.PATTERNS, ("notes/*.md",), paths.PATTERNS):
        for root in ("/srv/x", "/srv/y"):
            assert read(store, root, patterns) == whole(store, root, patterns)


STARTS = {
    "another working tree": [{"at": 1.0, "kind": "start", "root": "/srv/y"}, FACT],
    "another one, later": [{**FACT, "path": PLACED}, {"at": 2.0, "kind": "start", "root": "/srv/y"}],
    "half a character": [{"at": 1.0, "kind": "start", "root": "\ud800"}, FACT],
}


@pytest.mark.parametrize("facts", STARTS.values(), ids=STARTS)
def test_it_is_kept_for_its_reader_whatever_root_a_start_names(store: str, facts: list[dict[str, Any]]) -> None:
    """What a session that began in another working tree came to is found by the one that read it, and by no other."""
    write(store, facts)
    for count, root in enumerate(("/srv/x", "/srv/y"), 1):
        assert [read(store, root), read(store, root)] == [whole(store, root)] * 2
        assert len(kept(store)) == count


WHOLE = '{"at": 1.0, "kind": "edit", "path": "a.py"}'
LINES = {
    "two facts on one": ([f"{WHOLE}, {WHOLE}"], 0),
    "two facts on one, and two lines that are one": (
        [f"{WHOLE}, {WHOLE}", '{"at": 1.0, "kind": "due", "a": [{}', "{}]}"],
        0,
    ),
    "a text that goes on": (['{"at": 1.0, "kind": "prompt", "text": "a', 'b"}'], 0),
    "a list that goes on": (['{"at": 1.0, "kind": "due", "a": [1', "2]}", WHOLE], 1),
    "a list of facts": (["[" + WHOLE, WHOLE + "]"], 0),
    "a torn one": ([WHOLE, WHOLE[:20], WHOLE], 2),
    "values": ([WHOLE, "1", "null", '"x"', "[]", "{}", "", WHOLE], 2),
}


@pytest.mark.parametrize(("lines", "count"), LINES.values(), ids=LINES)
def test_each_line_is_one_fact_or_none(lines: list[str], count: int) -> None:
    """A line counts by itself, whatever lines are around it; so it comes to the same in one reading and in two."""
    written = [f"{line}\n".encode() for line in lines]
    facts = log.facts_in(b"".join(written))
    assert len(facts) == count
    assert facts == [fact for line in written for fact in log.facts_in(line)]
    assert facts == log.facts_in(b"".join([*written, b"{\n"]))


def test_a_line_that_is_being_written_is_not_kept(store: str) -> None:
    """What is without an end may yet become a fact."""
    write(store, [FACT])
    with open(log.path_of(store, "one"), "a") as file:
        file.write('{"at": 2.0, "kind": "edit", ')
    read(store)
    assert not os.path.exists(store + "/index.db")
    with open(log.path_of(store, "one"), "a") as file:
        file.write('"path": "b.py"}\n')
    assert read(store) == whole(store)
    assert list(session_cache.session(store, "one").files) == ["a.py", "b.py"]


def test_where_nothing_can_be_kept_all_is_read(store: str) -> None:
    """A store that takes no more files, or no journal at all, is no reason to fail."""
    os.mkdir(store + "/index.db")
    assert not session_cache.session(store, "one").journaled
    write(store, [FACT])
    assert read(store) == whole(store)


def test_a_short_journal_is_not_worth_it(tmp_path: Path) -> None:
    """A few lines are read faster than what was kept of them."""
    (tmp_path / "journal").mkdir()
    write(str(tmp_path), [FACT])
    assert read(str(tmp_path)) == whole(str(tmp_path))
    assert os.listdir(tmp_path) == ["journal"]


def test_a_session_is_as_its_journal_was_when_it_was_read(store: str) -> None:
    """It does not grow with the journal, and nothing can be set; the next reading makes another one."""
    write(store, [])
    journals = session_cache.Journals(paths.Project("/srv/x", "", "", store), Cache(store))
    before = journals.session("one", paths.PATTERNS)
    write(store, [FACT])
    after = journals.session("one", paths.PATTERNS)
    write(store, [FACT, {**FACT, "path": "b.py"}])
    last = journals.session("one", paths.PATTERNS)
    assert [[*each.files] for each in (before, after, last)] == [[], ["a.py"], ["a.py", "b.py"]]
    with pytest.raises(AttributeError, match="does not change"):
        last.state = "other.md"
    with pytest.raises(AttributeError):
        last.replace(stat="other.md")
