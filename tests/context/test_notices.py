"""Which questions a start repeats: what is remembered of each, and for how long."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.start_brief import Notices
from holdfast.project import paths
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from tests.support.facts import fold

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.sessions.session import Session

NOW = 1_800_000_000.0
ASKED = NOW - 100


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Give the folder that a project keeps its notices in."""
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "p/.git/HEAD").write_text("ref: refs/heads/main\n")
    found = paths.locate(str(tmp_path / "p")).store
    assert found
    return tmp_path / "p/.git/holdfast"


def _notices(store: Path, *known: Session, now: float = NOW) -> Notices:
    """Return the notices at a start of a project with these sessions."""
    return Notices(Survey(list(known), Workspace(paths.locate(str(store.parent.parent)), now)))


def _put(store: Path, rows: dict[str, Any]) -> None:
    store.mkdir(exist_ok=True)
    (store / "notices").write_text(json.dumps(rows))


def _asking(*prompted: float, live: bool = False) -> Session:
    """Return the session that asks, with the times of its prompts."""
    return fold("asking", [{"kind": "prompt", "at": at, "text": "Sum"} for at in prompted]).replace(live=live)


@pytest.mark.parametrize(
    ("ignored", "asking", "changed", "is_open"),
    [
        (0, None, 0.0, True),
        (0, _asking(), 0.0, True),
        (0, _asking(live=True), 0.0, True),
        (2, None, 0.0, True),
        (2, _asking(), 0.0, True),
        (2, _asking(ASKED - 1), 0.0, True),
        (2, _asking(ASKED + 1), 0.0, False),
        (3, None, 0.0, False),
        (3, None, ASKED + 1, True),
    ],
)
def test_a_question_is_repeated_until_it_was_ignored_three_times(
    store: Path, ignored: int, asking: Session | None, changed: float, *, is_open: bool
) -> None:
    """Also while it is on another screen; a change begins anew."""
    _put(store, {"key": {"at": ASKED, "by": "asking", "ignored": ignored}})
    known = [asking] if asking else []
    assert _notices(store, *known).is_open("key", changed) is is_open


@pytest.mark.parametrize("rows", [{}, {"key": "damaged"}, {"other": {"at": ASKED, "by": "asking", "ignored": 3}}])
def test_what_was_not_asked_is_asked(store: Path, rows: dict[str, Any]) -> None:
    """A question of which nothing is known is open."""
    _put(store, rows)
    assert _notices(store).is_open("key", 0.0)


@pytest.mark.parametrize(("prompted", "ignored"), [(ASKED - 1, 1), (ASKED, 2), (ASKED + 1, 2)])
def test_each_prompt_after_a_question_counts_once(store: Path, prompted: float, ignored: int) -> None:
    """What is saved has the time, the asking session and how often the question was ignored."""
    _put(store, {"key": {"at": ASKED, "by": "asking", "ignored": 1}})
    found = _notices(store, _asking(prompted, prompted))
    found.asked("key", "two")
    found.save()
    assert json.loads((store / "notices").read_text()) == {"key": {"at": NOW, "by": "two", "ignored": ignored}}


def test_the_oldest_questions_are_forgotten(store: Path) -> None:
    """Four hundred are kept."""
    rows: dict[str, Any] = {f"key{number}": {"at": NOW - number, "by": "", "ignored": 0} for number in range(401)}
    _put(store, rows)
    _notices(store).save()
    kept = json.loads((store / "notices").read_text())
    assert rows.keys() - kept.keys() == {"key400"}


def test_notices_that_cannot_be_written_are_no_failure(store: Path) -> None:
    """The user sees the same again then."""
    (store / "notices").mkdir(parents=True)
    found = _notices(store)
    found.asked("key", "one")
    found.save()
    assert _notices(store).is_open("key", 0.0)
