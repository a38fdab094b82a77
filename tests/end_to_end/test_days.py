"""Five days through the real client: what is open is listed as open and found in one command, whoever was silent."""

from __future__ import annotations

import glob
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Hold, text
from tests.client.claude import kill
from tests.client.fixtures import git
from tests.client.steps import command, listed, new, write
from tests.support.plugin import settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(400), pytest.mark.slow]

FAKE = next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketime.so.1"))), "")
OPEN = ("invoices", "export", "rates", "queue")
IDS = {name: new() for name in (*OPEN, "dates", "chat", "look", "letter")}


def _at(client: Claude, day: float) -> Claude:
    """Return the client with its clock so many days later, and everything that it starts with it."""
    later = {"LD_PRELOAD": FAKE, "FAKETIME": f"+{day * 86_400:.0f}s", "NO_FAKE_STAT": "1", "FAKETIME_DONT_RESET": "1"}
    return replace(client, extra={**client.extra, **later})


def _turn(  # noqa: PLR0913 - a turn has these parts
    client: Claude, api: Api, name: str, prompt: str, answer: str, *files: str, resumed: bool = False
) -> None:
    for file in files:
        api.script([write(client, file, f"# {prompt}\n")])
    api.script([text(answer)])
    ident = IDS[name]
    done = client.run(prompt, session_id=None if resumed else ident, resume=ident if resumed else None)
    assert done.returncode == 0, done.stderr
    settled(client.project, ident)


def _day(time: str) -> int:
    return date.fromisoformat(time[:10]).toordinal()


def _commit(client: Claude, subject: str) -> None:
    git(client.project, "add", "-A")
    git(client.project, "commit", "-q", "-m", subject)


def _thursday(client: Claude, api: Api) -> None:
    """One piece of work is left with a question, a person closes the other."""
    _turn(client, api, "invoices", "Parse the invoices of 2024", "Rounded half up. The totals, too?", "src/invoice.py")
    _turn(client, api, "dates", "Fix the parser of dates, 29 February is refused", "It is accepted.", "src/dates.py")
    _commit(client, "Invoices and dates")
    command(client, "finish", IDS["dates"], "done")


def _friday(client: Claude, api: Api) -> None:
    """Work on a branch, kill a client on another one, do research without an edit, and say thanks."""
    git(client.project, "switch", "-q", "-c", "export")
    _turn(client, api, "export", "Write the CSV export", "The header is written. Next: the rows.", "src/export.py")
    _commit(client, "The header of the export")
    git(client.project, "switch", "-q", "main")
    git(client.project, "switch", "-q", "-c", "rates")
    hold = Hold()
    api.script([write(client, "src/rates.py")], [hold, text("never")])
    process = client.start("Look up exchange rates at the central bank", session_id=IDS["rates"])
    try:
        assert hold.reached.wait(60)
    finally:
        kill(process)
        hold.release.set()
    settled(client.project, IDS["rates"])
    _commit(client, "Exchange rates")
    git(client.project, "switch", "-q", "main")
    research = "Postgres then. The next step is to set up a trial; ops has to say when."
    _turn(client, api, "queue", "Which queue do we take for the imports? no code today", research)
    _turn(client, api, "chat", "thanks!", "You are welcome.")


def _monday(client: Claude, api: Api) -> None:
    """After the weekend the invoices go on, and somebody only looks."""
    _turn(client, api, "invoices", "yes, the totals too", "Totals are rounded.", "src/totals.py", resumed=True)
    _turn(client, api, "look", "hello", "Hello.")


def _tuesday(client: Claude, api: Api) -> None:
    """Go on with the work that crashed where its branch is."""
    git(client.project, "stash", "-q", "--include-untracked")
    git(client.project, "switch", "-q", "rates")
    _turn(client, api, "rates", "keep the rates of a day", "They are kept.", "src/kept.py", resumed=True)
    _commit(client, "Rates are kept")
    git(client.project, "switch", "-q", "main")
    git(client.project, "stash", "pop", "-q")


@pytest.fixture
def letters(ready: Claude, tmp_path: Path) -> Claude:
    """Give the client in another project, which is private."""
    folder = tmp_path / "letters"
    folder.mkdir()
    git(folder, "init", "-q", "--initial-branch=main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    client = replace(ready, project=folder, home=tmp_path / "home2")
    command(client, "init", "--private")
    return client


@pytest.mark.skipif(not FAKE, reason="there is no libfaketime here, which gives a process another time")
def test_after_five_days_what_nobody_closed_is_open(ready: Claude, letters: Claude, api: Api) -> None:
    """A weekend, branches, a crash, research, a private project; completed is only what a person completed."""
    days: tuple[tuple[float, Callable[[Claude, Api], None]], ...] = (
        *((0.0, _thursday), (1.0, _friday)),
        *((4.0, _monday), (5.0, _tuesday)),
    )
    for day, work in days:
        work(_at(ready, day), api)
    _turn(_at(letters, 4.0), api, "letter", "Write the letter to the tax office", "The draft is there.", "letter.md")
    client = _at(ready, 6.0)
    rows = listed(client)
    assert {name for name, ident in IDS.items() if ident in rows and rows[ident]["status"] == "active"} == {*OPEN}
    assert rows[IDS["dates"]]["status"] == "completed"
    assert {rows[IDS[name]]["status"] for name in ("chat", "look")} == {"ended"}
    assert not any(row["live"] for row in rows.values())
    days_between = {name: _day(rows[IDS[name]]["last_heard"]) for name in OPEN}
    assert days_between["rates"] - days_between["export"] == 4  # what the clients took for the time
    assert (rows[IDS["export"]]["where"], rows[IDS["rates"]]["where"]) == ("on branch export", "on branch rates")
    shown = command(client, "resume")
    assert all(IDS[name] in shown for name in OPEN)
    assert IDS["dates"] not in shown
    (mine,) = listed(_at(letters, 6.0)).values()
    assert (mine["status"], mine["title"]) == ("active", "Write the letter to the tax office")
    assert IDS["letter"] in command(_at(letters, 6.0), "resume")
    assert git(letters.project, "status", "--porcelain") == "?? letter.md\n"
