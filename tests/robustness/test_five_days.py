"""Five days of work: what is open is listed as open and found in one command, and nobody's silence ends anything."""

from __future__ import annotations

import calendar
import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks
from tests.support.days import Days

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project

here = hooks.here
THURSDAY = float(calendar.timegm((2025, 3, 6, 8, 0, 0)))
IDS = {
    name: f"{number}{number}{number}{number}0000-0000-4000-8000-00000000000{number}"
    for number, name in enumerate(("invoices", "dates", "export", "rates", "queue", "chat", "monday", "wednesday"), 1)
}
INVOICES, DATES, EXPORT, RATES, QUEUE, CHAT, MONDAY, WEDNESDAY = IDS.values()


@pytest.fixture(params=["shared", "private"])
def days(here: Project, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Days]:
    """Give a project on a Thursday morning, in which state files are committed or private."""
    here.variables["TZ"] = "Europe/Berlin"
    shutil.rmtree(here.root / ".git/logs")  # the first commit was made today
    found = Days(here, monkeypatch, THURSDAY, private=request.param == "private")
    found.cli("init", "--yes", *(["--private"] if found.private else []))
    found.git("add", "--all")
    found.git("commit", "-q", "--allow-empty", "-m", "Keep sessions")
    yield found
    found.close()


def _thursday(days: Days) -> None:
    """Two terminals on one branch: one piece of work is left open, the user closes the other."""
    days.start(INVOICES)
    days.start(DATES)
    days.turn(INVOICES, "Parse the invoices of 2024 with Decimal", "The parser reads them.", "src/invoice.py")
    days.turn(DATES, "Fix the parser of dates, 29 February is refused", "It accepts them now.", "src/dates.py")
    days.later(1)
    days.turn(INVOICES, "now the rounding", "Half up is in place. Should the totals be rounded too?", "src/rounding.py")
    days.commit("src", subject="Invoices and dates")
    days.cli("finish", "done", session=DATES)
    days.end(DATES)
    days.end(INVOICES)


def _friday(days: Days) -> None:
    """Three branches: an export with open tasks, rates whose terminal crashes, and research that edits nothing."""
    days.later(20)
    days.git("switch", "-q", "-c", "export")
    days.start(EXPORT)
    days.fire("UserPromptSubmit", EXPORT, prompt="Write the CSV export")
    for number, subject in enumerate(("Write the header", "Stream the rows"), 1):
        days.fire("TaskCreated", EXPORT, task_id=str(number), task_subject=subject, task_description="")
    days.turn(EXPORT, "start with the header", "The header is written.", "src/export.py")
    days.fire("TaskCompleted", EXPORT, task_id="1", task_subject="Write the header", task_description="")
    days.fire("Stop", EXPORT, last_assistant_message="The header is written. The rows are next.")
    days.commit("src", subject="The header of the export")
    days.end(EXPORT)
    days.git("switch", "-q", "main")
    days.git("switch", "-q", "-c", "rates")
    days.start(RATES)
    days.turn(RATES, "Look up exchange rates at the central bank", "The client is written.", "src/rates.py")
    days.commit("src", subject="Exchange rates")
    days.crash(RATES)
    days.git("switch", "-q", "main")
    days.start(QUEUE)
    days.turn(QUEUE, "Which queue should we take for the imports?", "Redis streams or RabbitMQ: which one do you run?")
    days.start(CHAT)
    days.turn(CHAT, "thanks!", "You are welcome.")
    days.end(CHAT)
    days.end(QUEUE)


def _monday(days: Days) -> None:
    """Merge the export; a new start asks about what was left, and the invoices go on."""
    days.later(64)
    days.git("merge", "-q", "--no-edit", "export")
    days.start(MONDAY)
    days.end(MONDAY)
    days.start(INVOICES, source="resume")
    days.turn(INVOICES, "yes, the totals too", "Totals are rounded.", "src/totals.py")
    days.commit("src", subject="Totals")
    days.end(INVOICES)


def _tuesday(days: Days) -> None:
    """Resume the crashed session while its branch is not checked out, and again where it is."""
    days.later(22)
    days.start(RATES, source="resume")
    days.turn(RATES, "keep the rates of a day in a file", "They are kept in rates.json.", "src/kept.py")
    days.git("stash", "-q", "--include-untracked", "--", "src")
    days.git("switch", "-q", "rates")
    days.git("stash", "pop", "-q")
    days.fire("Stop", RATES, last_assistant_message="They are kept in rates.json.")
    days.commit("src", subject="Rates are kept")
    days.end(RATES)
    days.git("switch", "-q", "main")


def _wednesday(days: Days) -> None:
    """Start once more: the user only looks."""
    days.later(24)
    days.start(WEDNESDAY)
    days.end(WEDNESDAY)


OPEN = {
    INVOICES: "Parse the invoices of 2024 with Decimal",
    EXPORT: "Write the CSV export",
    RATES: "Look up exchange rates at the central bank",
    QUEUE: "Which queue should we take for the imports?",
}
COMMITS = {
    INVOICES: ["Invoices and dates", "Totals"],
    EXPORT: ["The header of the export"],
    RATES: ["Exchange rates", "Rates are kept"],
    QUEUE: [],
}


def test_what_is_open_after_five_days_is_open_everywhere(days: Days) -> None:
    """Every open piece of work is listed as open and found in one command; what nobody closed is not called done."""
    for day in (_thursday, _friday, _monday, _tuesday, _wednesday):
        day(days)
        for command in ("list", "resume", "brief", "sweep"):
            days.cli(command)
    rows = days.rows()
    assert {ident: row["title"] for ident, row in rows.items() if row["status"] == "active"} == OPEN
    assert {ident: row["status"] for ident, row in rows.items() if ident not in OPEN} == {
        DATES: "completed",
        **dict.fromkeys((CHAT, MONDAY, WEDNESDAY), "ended"),
    }
    assert " CET (" in days.cli("status", INVOICES)  # the user's clock
    assert 'Claude said last: "Totals are rounded."' in days.cli("sweep")
    late = days.cli("log", "--since", "2025-03-09T22:00", "--until", "2025-03-09T23:00")
    assert "src/totals.py" in late
    assert "src/rounding.py" not in late
    assert rows[RATES]["where"] == ("" if days.private else "on branch rates")
    found = days.cli("resume")
    assert all(ident in found for ident in OPEN)
    for ident in OPEN:
        subjects = [fact["subject"] for fact in days.project.facts(ident, "commit")]
        assert subjects == COMMITS[ident]
        assert days.cli("show" if ident != QUEUE else "resume", ident)
    statuses = [line for path in days.files() for line in path.read_text().splitlines() if line.startswith("  status:")]
    assert sorted(statuses) == ["  status: completed", *["  status: in_progress"] * (4 if days.private else 2)]


def test_what_a_start_shows_is_true(days: Days) -> None:
    """The start after the weekend offers to close what was merged; all fit the terminal and count all that is open."""
    for day in (_thursday, _friday, _monday, _tuesday, _wednesday):
        day(days)
    shown = {
        where: text.strip().split("\n") for where, text in days.printed if where.endswith(" SessionStart") and text
    }
    assert all(len(lines) <= 3 and max(map(len, lines)) <= 75 for lines in shown.values()), shown
    assert shown[f"{EXPORT} SessionStart"][0].startswith('"Parse the invoices')
    monday = shown[f"{MONDAY} SessionStart"]
    assert monday[0] == '"Write the CSV export" (merged, 2 d): /holdfast:finish 33330000 done'
    assert re.fullmatch(r'"Which queue should.*" \(2 d\): /holdfast:resume 55550000', monday[1])
    assert monday[2] == "resume one or start fresh? 2 more: /holdfast:resume"
    assert shown[f"{WEDNESDAY} SessionStart"][-1].endswith(" 2 more: /holdfast:resume")


def test_what_is_put_off_comes_back_on_its_day(days: Days) -> None:
    """A task and a whole piece of work show their day until it comes; then the start, the list and the brief name them.

    What Claude named as next is put off by its words, and stays put off when later turns are settled.
    """
    days.start(INVOICES)
    answer = "The header is read.\n\nStill open:\n- Round the totals\n- Stream the rows"
    days.turn(INVOICES, "Parse the invoices of 2024 with Decimal", answer, "src/invoice.py")
    days.cli("task", "later", "Round the totals", "monday", session=INVOICES)
    days.fire("Stop", INVOICES, last_assistant_message=answer)
    days.end(INVOICES)
    days.start(DATES)
    days.turn(DATES, "Fix the parser of dates, 29 February is refused", "It is half done.", "src/dates.py")
    days.end(DATES)
    assert "It comes back on 2025-03-11." in days.cli("pause", DATES, "--until", "2025-03-11")
    text = days.files()[0].read_text()
    assert "Round the totals (not before 2025-03-10)" in text
    assert "- Round the totals\n" not in text
    assert [row["day"] for row in json.loads(days.cli("task", "list", INVOICES, "--json"))["put_off"]] == ["2025-03-10"]
    assert days.rows()[DATES]["put_off"] == ["Fix the parser of dates, 29 February is refused (not before 2025-03-11)"]
    assert "\tpaused until 2025-03-11\t" in days.cli("list")
    assert "Put off to 2025-03-11" in days.cli("status", DATES)
    shown = {}
    for day in (7, 10, 11, 12):
        days.now = float(calendar.timegm((2025, 3, day, 8, 0, 0)))
        ident = f"{day:08}-0000-4000-8000-000000000000"
        start = days.start(ident)
        shown[day] = start.message, start.context
        days.turn(ident, "hello", "Hello.")
        days.end(ident)
    due = {
        day: next((line for line in message.splitlines() if "due:" in line), "") for day, (message, _) in shown.items()
    }
    assert not due[7]
    assert "Fix the parser" not in shown[7][0]
    assert due[10].startswith('due: "TASK-001 - Round the totals": /holdfast:resume 1111'), shown[10]
    assert due[11] == 'due: "Fix the parser of dates, 29 F…" and 1 more: /holdfast:resume 22220000', shown[11]
    assert ["## Put off to today" in context for _, context in shown.values()] == [False, True, True, True]
    days.cli("resume", DATES)  # a look
    assert days.rows()[DATES]["put_off"]
    days.cli("continue", DATES)
    assert days.rows()[DATES]["put_off"] == []
    assert "Started TASK-001: Round the totals." in days.cli("task", "start", "TASK-001", "--session", INVOICES)
    assert days.rows()[INVOICES]["put_off"] == []


def test_a_crash_is_told_everywhere(days: Days) -> None:
    """File, hand-over, status and list say when a process was gone, at what, and what it changed; the log keeps it.

    What a person asked is in no committed file, and no file says what is in no commit yet.
    """
    days.start(RATES)
    days.turn(RATES, "Look up exchange rates at the central bank", "", "src/rates.py", "src/rates_cache.py")
    days.crash(RATES)
    shown = days.cli("resume", RATES)
    assert "Crashed: " in shown
    assert "is not over" not in shown
    days.start(MONDAY)
    days.turn(MONDAY, "Fix the dates", "They are fixed.", "src/dates.py")
    days.end(MONDAY)
    (path,) = [one for one in days.files() if "look-up" in one.name]
    screens = [days.project.cli(command, RATES).out for command in ("status", "resume", "handoff")]
    for text in screens:
        assert text.count("Crashed") == 1
        assert 'before this was answered: "Look up exchange rates at the central bank"; changed' in text
        assert "; not committed: src/rates.py, src/rates_cache.py\n" in text
    assert ('this was answered: "Look up' in path.read_text()) is days.private
    assert "not committed" not in path.read_text()
    assert "\n- The last request got no answer" in path.read_text()
    for text in (path.read_text(), *screens):
        assert "changed in that turn: src/rates.py, src/rates_cache.py" in text
    days.later(20)
    days.start(RATES, source="resume")
    days.turn(RATES, "go on", "The rates of a day are kept.", "src/rates_day.py")
    text = path.read_text()
    assert "Crashed on" not in text
    assert "got no answer" not in text
    assert "changed in its last turn: src/rates.py, src/rates_cache.py" in text
    days.end(RATES)
    days.start(RATES, source="resume")
    days.turn(RATES, "and the tests", "They are written.", "src/test_rates.py")
    assert path.read_text().count("Session crashed") == 1


def test_resume_says_what_is_needed_to_go_on(days: Days) -> None:
    """The note of the pause, the status as it is now, the branch of the work; and what was said without an edit."""
    days.git("switch", "-q", "-c", "rates")
    days.start(RATES)
    days.turn(RATES, "Look up the rates", "They are read. Next: keep them.", "src/rates.py")
    days.end(RATES)
    days.cli("pause", RATES, "--note", "Mara says on Wednesday which source counts")
    assert "- [x] State file says what was done" in days.cli(
        "checklist", RATES, "--all"
    )  # holdfast's own words quote each turn
    shown = days.cli("resume", "rates")
    assert "Status: paused" in shown
    assert "  Mara says on Wednesday which source counts" in shown
    assert "git switch" not in shown
    days.commit("src", subject="Rates")
    days.git("switch", "-q", "main")
    assert "This work is on branch rates, main is checked out: git switch rates" in days.cli("resume", "rates")
    days.start(QUEUE)
    days.turn(QUEUE, "Which queue do we take for the imports?", "Redis. Ops has to say when.")
    days.end(QUEUE)
    assert days.private or f"What was said: holdfast resume {QUEUE}" in days.project.cli("status", QUEUE).err
    assert "Ops has to say when" in days.cli("resume", QUEUE)
