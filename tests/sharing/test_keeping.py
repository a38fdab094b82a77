"""The process that exchanges while sessions are live: when it sends, when it fetches, and when it ends."""

from __future__ import annotations

import itertools
import os
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from holdfast.journal import live, log
from holdfast.project import paths
from holdfast.sharing import status
from holdfast.sharing.exchange import exchange
from tests.support.machines import listed, now, worked

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project
    from tests.support.machines import Machines


class Day:
    """The process at work in a project, with a clock of its own: `sent` and `fetched` are seconds since it began.

    `acts` are what happens at a second; after the last of them and `rest` more seconds its session ends.
    """

    def __init__(self, one: Project, monkeypatch: pytest.MonkeyPatch, acts: dict[int, Callable[[str], None]]) -> None:
        self._project, self._began, self._second = paths.locate(str(one.root)), time.time(), 0
        self._acts, self.sent, self.fetched = acts, list[int](), list[int]()
        monkeypatch.setattr(exchange, "time", SimpleNamespace(time=lambda: self._began + self._second))
        monkeypatch.setattr(exchange, "pause", self._pause)
        monkeypatch.setattr(exchange, "run", self._run)
        monkeypatch.setattr(live, "running", lambda *_: ["one"] if self._second < max(self._acts) else [])

    def play(self) -> Day:
        """Let the process work to its end."""
        exchange.keep_exchanging(self._project)
        return self

    def _pause(self, seconds: float) -> None:
        self._second += round(seconds)
        act = self._acts.get(self._second)
        if act:
            act(self._project.store)

    def _run(self, _workspace: object, *, send: bool, fetch: bool, timeout: float) -> None:
        assert timeout < 2
        sharing, at = status.load(self._project.store), self._began + self._second
        assert sharing
        self.sent += [self._second] * send
        self.fetched += [self._second] * fetch
        sharing.sent, sharing.fetched = at if send else sharing.sent, at if fetch else sharing.fetched
        sharing.save()
        sharing.save_received("", away=False)


def edit(store: str) -> None:
    """Note an edit in the journal, in the middle of a turn."""
    log.append(store, "one", {"kind": "edit", "tool": "Edit", "path": "a.py"})


def ask(store: str) -> None:
    """Ask for an exchange, as a settle does."""
    status.ask(paths.locate(store.removesuffix("/.git/holdfast")))


def hurry(store: str) -> None:
    """Ask for one at once, as the end of a session does."""
    status.ask(paths.locate(store.removesuffix("/.git/holdfast")), at_once=True)


def end(_store: str) -> None:
    """Let the session end."""


@pytest.mark.parametrize(
    ("acts", "sent"),
    [
        ({100: end}, [0]),
        ({5: ask, 100: end}, [0, 30]),  # skipped, and made up
        ({40: ask, 100: end}, [0, 40]),
        ({5: edit, 7: edit, 100: end}, [0, 30]),  # in a long turn
        ({5: hurry, 100: end}, [0, 5]),
        ({5: end, 4: ask}, [0, 30]),  # the session ends before it is due
        ({600: end}, [0, 240, 480]),  # signs of life
    ],
)
def test_when_it_sends(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, acts: dict[int, Callable[[str], None]], sent: list[int]
) -> None:
    """At most every 30 seconds, and what was skipped then is made up; nothing is sent while nothing happens."""
    ann = machines.add("ann")
    edit(str(ann.store))
    monkeypatch.setattr(status, "SEND_EVERY", 30.0)
    path = ann.store / "sharing"
    for name in ("on", "received"):
        (path / name).write_text((path / name).read_text().replace('"sent"', '"sent_"').replace('"tried"', '"t"'))
    assert Day(ann, monkeypatch, acts).play().sent == sent


def test_it_fetches_seldom_where_nobody_works(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every 20 seconds until half an hour after the last event; at once with the next one."""
    ann = machines.add("ann")
    edit(str(ann.store))
    found = Day(ann, monkeypatch, {3501: edit, 3600: end}).play().fetched
    between = [after - before for before, after in itertools.pairwise(found) if before > 20]
    assert {*between[:80]} == {20}
    assert max(between) == 300
    assert 3501 in found


def test_one_process_is_enough(machines: Machines) -> None:
    """A second one ends at once."""
    ann = machines.add("ann")
    store = str(ann.store)
    held = status.keeping(store)
    assert held is not None
    status.ask(paths.locate(str(ann.root)), at_once=True)
    exchange.keep_exchanging(paths.locate(str(ann.root)))
    assert status.requested(store) == status.AT_ONCE
    os.close(held)


@pytest.mark.parametrize("record", ["{}", "", '{"remote": "origin"', '{"remote": "origin", "machine": ""}'])
def test_it_ends_where_the_record_is_damaged(machines: Machines, monkeypatch: pytest.MonkeyPatch, record: str) -> None:
    """Whether a session is live or something was asked for: it would try again and again without a pause."""
    ann = machines.add("ann")
    project = paths.locate(str(ann.root))
    status.ask(project)
    (ann.store / "sharing/on").write_text(record)
    tries = iter(range(5))
    monkeypatch.setattr(exchange, "_go_on", lambda _: next(tries))
    monkeypatch.setattr(live, "running", lambda *_: ["one"])
    exchange.keep_exchanging(project)
    assert list(tries) == [0, 1, 2, 3, 4]


def test_the_first_edit_of_a_session_is_sent_at_once(machines: Machines) -> None:
    """However short ago the last exchange was; before it works, a session is not sent at all."""
    ann, bob = machines.add("ann"), machines.add("bob")
    now(ann)
    ann.fire("SessionStart", "one")
    ann.fire("UserPromptSubmit", "one", prompt="Fix the tax")
    now(ann)
    now(bob)
    assert listed(bob) == {}
    ann.edit("src/cart.py", "one")
    ann.settled("one")
    now(bob)
    assert bob.cli("trust", "--person", "ann", "--yes").code == 0
    row = listed(bob)["one"]
    assert (row["title"], row["files_touched"]) == ("Fix the tax", ["src/cart.py"])


def test_no_session_is_untitled(machines: Machines) -> None:
    """Without a state file its title is what it changed; the user's words stay here."""
    ann, bob = machines.add("ann", init=False), machines.add("bob")
    worked(ann, "one", "Fix the walrus")
    now(ann)
    now(bob)
    assert listed(bob)["one"]["title"] == "Work on cart.py"
