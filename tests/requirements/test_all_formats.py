"""What the issue found in one format, in each of them: boxes, lines of a person, columns, zones, damage.

The files are made from the data of the formats, so that a new format is tested by itself.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.requirements.support_states import put
from tests.support import good_files, hooks
from tests.support.good_files import FORMATS, good, sheet

if TYPE_CHECKING:
    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here

DATA = Path(__file__).parents[2] / "plugin/holdfast/formats/data"
REGISTERS = [name for name, file_format in FORMATS.items() if file_format.entry]
FILES = [name for name in FORMATS if name not in REGISTERS]
STAMP = re.compile(r"^.*(?:updated|last_entry|last activity).*$", re.MULTILINE | re.IGNORECASE)
LOGGED = re.compile(r"(?:#+ )?\d{4}-\d\d-\d\d \d\d:\d\d - ")  # the heading of an entry of a log
CHECKS = "\n## Checks of Mara\n\n* [ ] Check\n* [ ] Check twice\n* [x] Begin\n"


def sync(project: Project, name: str, requested: dict[str, Any]) -> Reply:
    """Run `holdfast sync` for one file."""
    return project.cli("sync", "--convo-id", name, "--json", json.dumps(requested))


def unstamped(text: str) -> list[str]:
    """Return the lines of a file but for the times of its last change."""
    return STAMP.sub("", text).splitlines()


def lost(before: str, after: str) -> list[str]:
    """Return the lines that a file had and has no longer, but for the times of its last change."""
    return [line for line in (Counter(unstamped(before)) - Counter(unstamped(after))) if line.strip()]


# A command writes into the sections that the format has, and says so where it has none
MEMORY = {
    "a task": (("task", "start", "Weigh the parcels"), "Weigh the parcels"),
    "a task that waits": (("task", "add", "Weigh the parcels"), "Weigh the parcels"),
    "a task that is put off": (
        ("task", "later", "Weigh the parcels", "2099-12-01"),
        "Weigh the parcels (not before 2099-12-01)",
    ),
    "a plan": (("plan", "propose", "Weigh the parcels"), "Weigh the parcels"),
    "a phase": (("phase", "skip-to", "9", "Weigh the parcels"), "Weigh the parcels"),
    "a discussion": (("discuss", "Weigh the parcels"), "Weigh the parcels"),
}


@pytest.mark.parametrize(("command", "words"), MEMORY.values(), ids=MEMORY)
@pytest.mark.parametrize("name", FILES)
def test_a_command_says_where_its_words_are(prepared: Project, name: str, command: tuple[str, ...], words: str) -> None:
    """The words are in the file, in a section of its format, or the answer says that it has no place for them."""
    file = good(name)
    path = put(prepared, file.name, file.text)
    reply = prepared.cli(*command, "--session", file.name)
    text = path.read_text()
    assert (reply.code == 0) == (not reply.err) or "staged" in reply.err, reply
    if reply.code:
        assert text == file.text
        return
    assert (words in text) == ("has no place for it" not in reply.out), (reply, text)
    assert lost(file.text, text) == [] or words in text
    added = set(re.findall(r"(?m)^#+ (.+)$", text)) - set(re.findall(r"(?m)^#+ (.+)$", file.text))
    titles = {title for part in FORMATS[name].parts for title in (part.title, *part.names)}
    others = {title for title in added if not LOGGED.match(title) and words not in title}
    assert others <= titles


def test_one_text_for_a_list_is_added_to_it(prepared: Project) -> None:
    """Tags, too: what is there stays."""
    path = put(prepared, "SESSION_STATE.md", good("n5").text)
    before = path.read_text()
    lists = [
        part.title for part in FORMATS["n5"].parts if part.holds in {"list", "tags"} and f"## {part.title}\n" in before
    ]
    assert "Tags" in lists
    for title in lists:
        assert sync(prepared, "SESSION_STATE.md", {title: "weighing"}).code == 0
    after = path.read_text()
    assert {word for line in unstamped(before) for word in line.split()} - set(after.split()) == set()
    assert after.count("weighing") == len(lists)


def dated(name: str) -> list[str]:
    """Return the sections of a good file in which texts are entries and not items: logs and decisions."""
    held = [part.title for part in FORMATS[name].parts if part.holds in {"log", "decisions"}]
    return [title for title in held if f"# {title}\n" in good(name).text]


@pytest.mark.parametrize(("name", "title"), [(name, title) for name in FILES for title in dated(name)])
def test_an_entry_is_there_only_if_all_of_it_is(prepared: Project, name: str, title: str) -> None:
    """One whose words are within another one is added; the same one is not added again."""
    file = good(name)
    path = put(prepared, file.name, file.text)
    for text in ("Weighed the parcels of Ana", "the parcels", "Weighed the parcels"):
        reply = sync(prepared, file.name, {title: [text]})
        assert (reply.code, "already" in reply.out) == (0, False), reply
        written = path.read_text()
        assert re.search(rf"(?m)(?:^|[ :]){text}$", written)
        assert "already" in sync(prepared, file.name, {title: [text]}).out
        assert path.read_text() == written


STAMPED = {"n5": "last_updated", "gsd-lite": "updated", "agents": "session.last_updated"}


@pytest.mark.parametrize("text", ["2020-01-01", "2025-12-27T09:00:00+00:00"])
@pytest.mark.parametrize(("name", "key"), STAMPED.items())
def test_the_time_of_the_last_change_is_holdfasts(prepared: Project, name: str, key: str, text: str) -> None:
    """A request to set it is refused: the next write would set it again, and the answer would be false."""
    file = good(name)
    path = put(prepared, file.name, file.text)
    reply = sync(prepared, file.name, {key: text})
    assert (reply.code, path.read_text()) == (1, file.text), reply
    assert "itself" in reply.err


# Every format is here


def test_each_format_of_the_data_is_tested() -> None:
    """Each file in the folder of formats is a format of these tests."""
    assert {path.stem for path in DATA.glob("*.toml")} - {"shared"} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_good_file_of_each_format_is_recognised(prepared: Project, name: str) -> None:
    """A file with all parts of a format is read as that format, and nothing is wrong with it."""
    file = good(name)
    put(prepared, file.name, file.text)
    (row,) = json.loads(prepared.cli("audit", "--json", file.name).out)
    assert (row["format"], row["complete"]) == (name, True), row


LAB_BOOK = """\
[formats.lab-book]
places = ["lab/*.md"]
recognised = [["title:Lab Book", "label:Status"]]
stamp = ["front:last_updated"]
status = { active = ["running"], completed = ["written up"] }
model = { title = ["title:Lab Book:"], status = ["label:Status"], next = ["section:Next"] }
part = [
    { title = "Next", holds = "list" },
    { title = "Samples", holds = "checks" },
    { title = "Decisions", holds = "table" },
    { title = "Days", holds = "log", entry = "### {minute} - {text}", newest = "last" },
]
"""


@pytest.mark.slow
def test_a_format_of_a_project_passes_the_same_tests(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that nobody wrote a test for has a good file and goes through all the tests of this module."""
    (prepared.root / ".agents/holdfast.toml").write_text(LAB_BOOK)
    monkeypatch.setitem(FORMATS, "lab-book", good_files.formats(str(prepared.root))["lab-book"])
    test_a_good_file_of_each_format_is_recognised(prepared, "lab-book")
    test_a_tick_is_set_in_the_box_that_is_named(prepared, "lab-book")
    test_a_box_of_another_section_is_not_ticked(prepared, "lab-book")
    test_no_line_goes_when_items_and_entries_are_added(prepared, "lab-book")
    test_a_row_is_written_by_the_headings_of_its_columns(prepared, "lab-book", ORDERS["the decision last"])
    test_times_are_written_in_the_zone_of_the_file(prepared, "lab-book", "+09:00")
    test_a_time_without_zone_that_is_ahead_of_utc_does_not_go_back(prepared, "lab-book")
    for damage in DAMAGE.values():
        test_damage_is_named_with_its_line(prepared, "lab-book", damage)
    test_no_line_of_a_person_goes_in_the_life_of_a_session(prepared, "lab-book")


# Ticks


@pytest.mark.parametrize("name", FILES)
def test_a_tick_is_set_in_the_box_that_is_named(prepared: Project, name: str) -> None:
    """`[x]` ticks the box of that text in that section, no other one, in sections of the format and of a person."""
    file = good(name)
    path = put(prepared, file.name, file.text + CHECKS)
    known = [part.title for part in file.parts if part.holds == "checks"]
    for title in (*known, "Checks of Mara"):
        before = path.read_text()
        mark, words = ("*", "Check") if title == "Checks of Mara" else ("-", f"Check {title}")
        reply = sync(prepared, file.name, {title: [f"[x] {words}"]})
        at = before.index(f"{mark} [ ] {words}\n", before.index(f" {title}\n"))
        expected = f"{before[:at]}{mark} [x]{before[at + 5 :]}"
        assert (reply.code, unstamped(path.read_text())) == (0, unstamped(expected)), reply


@pytest.mark.parametrize("name", FILES)
def test_a_box_is_the_same_in_another_case(prepared: Project, name: str) -> None:
    """`[x] CHECK TWICE` ticks "Check twice" and adds no second box."""
    file = good(name)
    path = put(prepared, file.name, file.text + CHECKS)
    assert sync(prepared, file.name, {"Checks of Mara": ["[x] CHECK TWICE"]}).code == 0
    assert CHECKS.replace("[ ] Check twice", "[x] Check twice") in path.read_text()
    assert "CHECK TWICE" not in path.read_text()


@pytest.mark.parametrize("name", FILES)
def test_a_box_of_another_section_is_not_ticked(prepared: Project, name: str) -> None:
    """A box of the same text in another section stays open, and so do the boxes in code and comments."""
    file = good(name)
    others = "\n## Rest\n\n- [ ] Check\n\n```\n- [ ] Check\n```\n"
    path = put(prepared, file.name, file.text + others + CHECKS)
    assert sync(prepared, file.name, {"Checks of Mara": ["[x] Check"]}).code == 0
    assert path.read_text().count("- [ ] Check\n") == 2
    assert path.read_text().count("* [x] Check\n") == 1


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_box_counts_as_work(prepared: Project, name: str) -> None:
    """An open box of any section is open in the checklist and left in the hand-over, a ticked one is done there."""
    file = good(name)
    put(prepared, file.name, file.text + CHECKS)
    kinds = [f"Check {part.title}" for part in file.parts if part.holds == "checks"]
    rows = json.loads(prepared.cli("close", "--check", "--json", file.name).out)["findings"]
    listed = [text for row in rows if row["kind"] in {"tasks", "steps"} for text in row["evidence"]]
    assert FORMATS[name].shared or [text for text in [*kinds, "Check twice"] if text not in listed] == []
    assert "Begin" not in listed
    if name == "continue-here" or prepared.cli("pause", file.name).code:
        return  # the file is a hand-over, or its format has no word for work that stops
    (path,) = [*prepared.root.glob(".continue-here*.md"), *prepared.root.glob(".git/holdfast/private/.continue-here*")]
    done, left = (
        re.findall(rf"(?s)<{tag}>(.*)</{tag}>", path.read_text())[0] for tag in ("completed_work", "remaining_work")
    )
    assert [text for text in [*kinds, "Check twice"] if f"{text}\n" not in left] == []
    assert "- Begin\n" in done


# Lines of a person


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_no_line_goes_when_items_and_entries_are_added(prepared: Project, name: str) -> None:
    """Twelve items or entries in each list and log: each line that was there is there."""
    file = good(name)
    path = put(prepared, file.name, file.text)
    titles = [part.title for part in file.parts if part.holds in {"list", "checks", "log"} and part.title]
    for title in titles:
        before = path.read_text()
        for number in range(12):
            reply = sync(prepared, file.name, {title: [f"Thing {number} of {title}"]})
            assert reply.code == 0, (title, reply)
        after = path.read_text()
        assert lost(before, after) == [], title
        assert after.count(f" of {title}\n") >= 12


OWN = re.compile(r"\bstatus\b|current_task", re.IGNORECASE)  # the lines whose value a session changes


@pytest.mark.parametrize("name", [name for name in FILES if not FORMATS[name].shared])
def test_no_line_of_a_person_goes_in_the_life_of_a_session(prepared: Project, name: str) -> None:
    """Edits, tasks, turns, a pause, a resume and the end of a session take no line of its file away."""
    file = good(name)
    path = put(prepared, file.name, file.text)
    prepared.fire("SessionStart")
    prepared.edit(file.name)
    for number in range(8):
        prepared.edit(f"src/{number}.py")
        prepared.fire("TaskCreated", task_id=str(number), task_subject=f"Step {number}")
        prepared.fire("TaskCompleted", task_id=str(number), task_subject=f"Step {number}")
        prepared.fire("Stop")
        prepared.settled("one")
    for command in ("pause", "resume", "close"):
        prepared.cli(command, file.name)
    prepared.fire("SessionEnd")
    prepared.settled("one")
    assert [line for line in lost(file.text, path.read_text()) if not OWN.search(line)] == []


# Columns


class Order(NamedTuple):
    """An order of the columns of a table, and how the new row is written in it."""

    columns: tuple[int, ...]
    row: str


ORDERS = {
    "as people begin": Order((2, 1, 0), "| 3 | Ask Mara first |  |"),
    "the reason first": Order((0, 1, 2), "|  | Ask Mara first | 3 |"),
    "the decision first": Order((1, 2, 0), "| Ask Mara first | 3 |  |"),
    "the decision last": Order((0, 2, 1), "|  | 3 | Ask Mara first |"),
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("name", FILES)
def test_a_row_is_written_by_the_headings_of_its_columns(prepared: Project, name: str, order: Order) -> None:
    """A decision goes into the column of that name, its number into the other one, wherever they are."""
    file = good(name)
    table = sheet(None, order.columns)
    known = {title: body for title, body in file.bodies.items() if "decisions" in title.casefold() and body}
    title, body = next(iter(known.items()), ("Decisions", ""))
    text = file.text.replace(body, table, 1) if body else f"{file.text}\n## {title}\n\n{table}\n"
    path = put(prepared, file.name, text)
    reply = sync(prepared, file.name, {title: ["Ask Mara first"]})
    assert reply.code == 0, reply
    added = [line for line in path.read_text().splitlines() if line not in text.splitlines()]
    logged = {line for line in added if LOGGED.match(line)} | {"Ask Mara first"}
    assert [line for line in added if not STAMP.search(line) and line not in logged] == [order.row]
    assert lost(text, path.read_text()) == []


# Zones


ZONES = ("+09:00", "-08:00", "+05:30")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", FILES)
def test_times_are_written_in_the_zone_of_the_file(prepared: Project, name: str, zone: str) -> None:
    """The time of the last change keeps its offset, and a new entry of a log has the minute in that zone."""
    file = good(name, zone)
    path = put(prepared, file.name, file.text)
    logs = [part for part in file.parts if part.holds == "log" and "{minute}" in part.entry]
    title = logs[0].title if logs else next(part.title for part in file.parts if part.holds in {"list", "text"})
    now = datetime.now().astimezone()
    assert sync(prepared, file.name, {title: ["Asked Mara"]}).code == 0
    added = [line for line in path.read_text().splitlines() if line not in file.text.splitlines()]
    for line in added:
        for stamp in re.findall(r"\d{4}-\d\d-\d\dT[\d:]+[+-]\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:]+Z?", line):
            assert stamp.endswith(zone), line
            assert abs(datetime.fromisoformat(stamp) - now) < timedelta(minutes=15)
        for at in re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", line):
            assert abs(datetime.fromisoformat(f"{at}{zone}") - now) < timedelta(minutes=15), line
    assert not FORMATS[name].stamp or [line for line in added if STAMP.search(line)], added
    assert not logs or [line for line in added if re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", line)], added


@pytest.mark.parametrize("name", FILES)
def test_a_time_without_zone_that_is_ahead_of_utc_does_not_go_back(prepared: Project, name: str) -> None:
    """A person east of UTC writes the local time without a zone: what is added has no earlier time."""
    file = good(name, "+09:00")
    text = re.sub(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\+09:00", r"\1 \2", file.text)
    path = put(prepared, file.name, text)
    logs = [part for part in file.parts if part.holds == "log" and "{minute}" in part.entry]
    title = logs[0].title if logs else next(part.title for part in file.parts if part.holds in {"list", "text"})
    assert sync(prepared, file.name, {title: ["Asked Mara"]}).code == 0
    after = path.read_text()
    stamps = [re.findall(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", " ".join(STAMP.findall(one))) for one in (text, after)]
    assert max(stamps[1], default="").replace("T", " ") >= max(stamps[0], default="").replace("T", " ")
    if logs:
        minutes = re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", after[after.index(f" {title}\n") :])
        assert minutes == sorted(minutes, reverse=logs[0].newest == "first")
        assert after.index("Asked Mara") < after.index("Went on") or logs[0].newest == "last"


# Damage


class Damage(NamedTuple):
    """Damage that any file can have: what is put before the last line, its line from there, and words for it."""

    put: str
    line: int
    words: str


DAMAGE = {
    "a conflict marker": Damage("<<<<<<< HEAD\nOne\n=======\nTwo\n>>>>>>> other\n", 0, "conflict"),
    "a fence that does not close": Damage("\n```\nOne\n", 1, "fence"),
    "a comment that does not close": Damage("\n<!-- One\n", 1, "comment"),
    "a null character": Damage("One\0two\n", 0, "null"),
    "a byte that is not UTF-8": Damage("One\udcfc\n", 0, "UTF-8"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("name", FORMATS)
def test_damage_is_named_with_its_line(prepared: Project, name: str, damage: Damage) -> None:
    """`audit`, or `validate` for a register, names damage with its line, in a file of any format."""
    file = good(name)
    text = file.text + damage.put
    put(prepared, file.name, text.encode("utf-8", "surrogateescape"))
    reply = prepared.cli("validate") if name in REGISTERS else prepared.cli("audit", file.name)
    line = file.text.count("\n") + 1 + damage.line
    assert reply.code == (1 if name in REGISTERS else 2)
    found = [reported for reported in reply.out.splitlines() if re.search(rf"(?:line |:){line}\b", reported)]
    assert [reported for reported in found if damage.words in reported], reply.out
