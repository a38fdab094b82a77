"""gsd-lite-state.md, Active Loops: the table, the ids in it, and what follows LOOPS.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import (
    DATED,
    GLOBAL,
    ONE,
    TWO,
    actions,
    asked,
    loops,
    news,
    own,
    put,
    rows,
    section,
    stated,
    stopped,
    swap,
    worked,
)
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
BOOK = ".gsd-lite/LOOPS.md"
# The loops of the example as LOOPS.md has them: with titles in full, and days for times.
KNOWN = [
    ("LOOP-007", "clarifying", "Are invoices ever mixed within one month of a customer?"),
    ("LOOP-012", "open", "How much lineage is in scope for the refactor of dim_customers?"),
    ("LOOP-018", "open", "Why does the unique test fail in staging since Monday?"),
]
# The same as the table has them, word for word.
SAME = [
    ("LOOP-007", "clarifying", "Are invoices ever mixed?", "2026-01-21T14:45:00Z"),
    ("LOOP-012", "open", "How much lineage is in scope?", "2026-01-21T15:30:00Z"),
    ("LOOP-018", "open", "Why does the unique test fail?", "2026-01-21T15:35:00Z"),
]
HEADER = "| ID | Title | Status | Captured |\n|----|-------|--------|----------|\n"
TABLE = HEADER + "".join(f"{line}\n" for line in ONE.splitlines() if line.startswith("| LOOP-"))
IDS = {
    "linked": lambda ident: f"[{ident}](LOOPS.md#{ident.lower()})",
    "bold": lambda ident: f"**{ident}**",
    "code": lambda ident: f"`{ident}`",
    "bold and linked": lambda ident: f"**[{ident}](LOOPS.md)**",
}


def arranged(order: str) -> str:
    """Return the example with the columns of its table in another order; `#` is one of a person."""
    columns = {"I": 0, "T": 1, "S": 2, "C": 3}
    found = []
    for number, line in enumerate(TABLE.splitlines()):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        own_cell = {0: "Asked by", 1: "---"}.get(number, "Mara")
        found.append("| " + " | ".join(own_cell if sign == "#" else cells[columns[sign]] for sign in order) + " |\n")
    return swap(ONE, (TABLE, "".join(found)))


def test_active_loops_is_a_table_with_id_title_status_and_captured(prepared: Project) -> None:
    """A loop that is captured is in these columns, and the section names LOOPS.md."""
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    assert prepared.cli("loop", "add", "Which sources are in scope?").code == 0
    path = prepared.state_files()[0]
    body = section(path.read_text(), "Active Loops")
    assert [cell.strip() for cell in body.splitlines()[0].split("|")] == ["", "ID", "Title", "Status", "Captured", ""]
    ident, title, status, captured = rows(path.read_text())["LOOP-001"]
    assert (ident, title, status, len(captured)) == ("LOOP-001", "Which sources are in scope?", "open", 16)
    assert body.endswith("See LOOPS.md for full details.")


OPEN_LOOPS = {
    "the table alone": ([], ["LOOP-007", "LOOP-012", "LOOP-018"]),
    "one closed": ([("loop", "close", "12", "--outcome", "All of it")], ["LOOP-007", "LOOP-018"]),
    "one explored": ([("loop", "explore", "12")], ["LOOP-012", "LOOP-007", "LOOP-018"]),
    "one added": ([("loop", "add", "Which zone?")], ["LOOP-019", "LOOP-007", "LOOP-012", "LOOP-018"]),
}


@pytest.mark.parametrize(("steps", "left"), OPEN_LOOPS.values(), ids=OPEN_LOOPS)
def test_a_checklist_counts_the_loops_of_table_and_book(
    prepared: Project, steps: list[tuple[str, ...]], left: list[str]
) -> None:
    """A loop that only the table has is as open as one of LOOPS.md; each is counted once."""
    put(prepared)
    for step in steps:
        own(prepared, *step)
    found = json.loads(prepared.cli("checklist", "--json").out)["findings"]
    named = {one["kind"]: [text.split()[0] for text in one["evidence"]] for one in found}
    assert named["loops"] == left
    assert not any(text.startswith("LOOP-") for text in named["steps"])


def test_loops_that_a_person_lists_are_loops(prepared: Project) -> None:
    """A list instead of the table: counted, explored and closed where it is; what is below an item stays."""
    items = (
        "- LOOP-007: Are they mixed? (clarifying)\n- **LOOP-012** - Scope (open)\n- [ ] LOOP-018: Why?\n  Mara asks.\n"
    )
    path = put(prepared, swap(ONE, (TABLE, items)))
    assert prepared.cli("audit").code == 0
    assert [line.split("\t")[0] for line in prepared.cli("loop", "list").out.splitlines()] == [one for one, *_ in KNOWN]
    own(prepared, "loop", "explore", "12")
    assert "- **LOOP-012** - Scope (clarifying)\n" in path.read_text()
    assert stated(path.read_text(), "Active Loops", "Total active") == "3 loops (2 clarifying, 1 open)"
    for ident in ("12", "18"):
        own(prepared, "loop", "close", ident, "--outcome", "All of it")
    after = section(path.read_text(), "Active Loops")
    assert after.startswith("- LOOP-007: Are they mixed? (clarifying)\n- [ ] LOOP-018: Why? (closed)\n  Mara asks.\n\n")
    assert stated(path.read_text(), "Active Loops", "Total active") == "1 loop (clarifying)"


def test_total_active_counts_what_is_open_and_clarifying(prepared: Project) -> None:
    """The line says how many there are, and of which kind, also for one."""
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    (path,) = prepared.state_files()
    for step, total in (
        (("add", "Which sources?"), "1 loop (open)"),
        (("explore", "1"), "1 loop (clarifying)"),
        (("add", "Which dates?"), "2 loops (1 clarifying, 1 open)"),
        (("close", "1", "--outcome", "Nine"), "1 loop (open)"),
        (("close", "2", "--outcome", "None"), "0 loops"),
    ):
        assert prepared.cli("loop", *step).code == 0
        assert stated(path.read_text(), "Active Loops", "Total active") == total


@pytest.mark.parametrize("order", ["ITSC", "SICT", "CTSI", "#ITSC", "I#SCT"])
def test_columns_are_read_by_header(prepared: Project, order: str) -> None:
    """Whatever the order of the columns is, menu and count are right, and a closed loop is gone from them."""
    text = arranged(order)
    path = worked(prepared, text)
    menu = actions(stopped(prepared, path))
    assert menu["close-loop"] == "Mark loop 007/012/018 resolved"
    assert menu["explore-loop"] == "Investigate loop 012 or 018"
    put(prepared, loops(*SAME), BOOK)
    own(prepared, "loop", "close", "12", "--outcome", "Customers only")
    after = path.read_text()
    assert "#" in order or list(rows(after)) == ["LOOP-007", "LOOP-018"]  # a row with a person's own cell may stay
    assert rows(after)["LOOP-018"] == rows(text)["LOOP-018"]
    assert "012" not in actions(after)["close-loop"]
    assert stated(after, "Active Loops", "Total active") == "2 loops (1 clarifying, 1 open)"


@pytest.mark.parametrize("form", IDS)
def test_ids_may_be_linked_or_bold(prepared: Project, form: str) -> None:
    """An id is the same in whatever form a person writes it: in the menu, and when its loop is explored and closed."""
    text = ONE
    for ident, _, _ in KNOWN:
        text = swap(text, (f"| {ident} |", f"| {IDS[form](ident)} |"))
    path = worked(prepared, text)
    menu = actions(stopped(prepared, path))
    assert menu["close-loop"] == "Mark loop 007/012/018 resolved"
    assert menu["explore-loop"] == "Investigate loop 012 or 018"
    put(prepared, loops(*SAME), BOOK)
    own(prepared, "loop", "explore", "18")
    own(prepared, "loop", "close", "12", "--outcome", "Customers only")
    after = rows(path.read_text())
    assert {ident: row[2] for ident, row in after.items()} == {"LOOP-007": "clarifying", "LOOP-018": "clarifying"}
    assert after["LOOP-018"][0] == IDS[form]("LOOP-018")


@pytest.mark.parametrize("captured", ["2026-01-21T14:45:00Z", "2026-01-21", "21 January 2026"])
def test_a_closed_loop_leaves_the_table_whatever_its_title_and_date_say(prepared: Project, captured: str) -> None:
    """Title and date in the table are a person's: the id alone tells which row goes."""
    path = worked(prepared)
    put(prepared, loops(*KNOWN, captured=captured), BOOK)
    own(prepared, "loop", "close", "12", "--outcome", "Customers only")
    text = path.read_text()
    assert list(rows(text)) == ["LOOP-007", "LOOP-018"]
    assert stated(text, "Active Loops", "Total active") == "2 loops (1 clarifying, 1 open)"
    assert "012" not in actions(text)["close-loop"]


def test_a_short_title_of_a_person_stays(prepared: Project) -> None:
    """Brief titles in the table are not replaced by the full ones of LOOPS.md; nor are the dates."""
    path = worked(prepared)
    put(prepared, loops(*KNOWN), BOOK)
    prepared.edit(str(prepared.root / BOOK))
    own(prepared, "loop", "explore", "18")
    after, before = rows(stopped(prepared, path)), rows(ONE)
    assert after["LOOP-018"] == [*before["LOOP-018"][:2], "clarifying", before["LOOP-018"][3]]
    assert [after[ident] for ident in ("LOOP-007", "LOOP-012")] == [before["LOOP-007"], before["LOOP-012"]]


def test_loops_can_be_closed_without_loops_md(prepared: Project) -> None:
    """The loops of Example 1 are known from the table: one is closed, its outcome kept in a LOOPS.md that is made."""
    path = worked(prepared)
    own(prepared, "loop", "close", "12", "--outcome", "Customers only")
    text = path.read_text()
    assert list(rows(text)) == ["LOOP-007", "LOOP-018"]
    assert news(text)[0] == "Closed LOOP-012 in LOOPS.md: Customers only"
    (book,) = prepared.root.rglob("LOOPS.md")
    wanted = ['<loop id="LOOP-012" status="closed">', "How much lineage is in scope?", "Customers only"]
    assert [words for words in wanted if words not in book.read_text()] == []


def test_loops_can_be_explored_without_loops_md(prepared: Project) -> None:
    """The table says clarifying, and the other rows stay."""
    path = worked(prepared)
    own(prepared, "loop", "explore", "LOOP-018")
    assert {ident: row[2] for ident, row in rows(path.read_text()).items()} == {
        "LOOP-007": "clarifying",
        "LOOP-012": "open",
        "LOOP-018": "clarifying",
    }


def test_loops_of_the_table_are_listed_without_loops_md(prepared: Project) -> None:
    """`loop list` knows the loops that the table has."""
    put(prepared)
    reported = prepared.cli("loop", "list")
    assert [ident for ident, _, _ in KNOWN if ident not in reported.out] == []


@pytest.mark.parametrize("name", [GLOBAL, DATED])
def test_the_loops_md_beside_state_md_is_the_one_that_it_names(prepared: Project, name: str) -> None:
    """`See LOOPS.md for full details` means the file in the same folder."""
    path = worked(prepared, name=name)
    book = put(prepared, loops(*KNOWN), name.replace("STATE.md", "LOOPS.md"))
    own(prepared, "loop", "explore", "18")
    assert '<loop id="LOOP-018" status="clarifying">' in book.read_text()
    assert rows(path.read_text())["LOOP-018"][2] == "clarifying"
    assert list(prepared.root.rglob("LOOPS.md")) == [book]


def test_a_loop_that_is_added_by_editing_loops_md_is_followed(prepared: Project) -> None:
    """At the end of the turn it is in the table, in the count and in the trail."""
    path = worked(prepared)
    put(prepared, loops(*KNOWN), BOOK)
    stopped(prepared, path)
    put(prepared, loops(*KNOWN, ("LOOP-031", "open", "Which dates are local?")), BOOK)
    prepared.edit(str(prepared.root / BOOK))
    text = stopped(prepared, path)
    assert rows(text)["LOOP-031"][1:3] == ["Which dates are local?", "open"]
    assert stated(text, "Active Loops", "Total active") == "4 loops (1 clarifying, 3 open)"
    assert "Added LOOP-031 to LOOPS.md: Which dates are local?" in news(text)


def test_a_loop_that_is_closed_by_editing_loops_md_is_followed(prepared: Project) -> None:
    """At the end of the turn it has left the table and the count, and the trail says so with its outcome."""
    path = worked(prepared)
    put(prepared, loops(*KNOWN), BOOK)
    stopped(prepared, path)
    outcome = "<outcome>\n<result>Customers only</result>\n</outcome>"
    old = '<loop id="LOOP-012" status="open">\n'
    closed = swap(loops(*KNOWN), (old, f"{old.replace('open', 'closed')}{outcome}\n"))
    put(prepared, closed, BOOK)
    prepared.edit(str(prepared.root / BOOK))
    text = stopped(prepared, path)
    assert list(rows(text)) == ["LOOP-007", "LOOP-018"]
    assert stated(text, "Active Loops", "Total active") == "2 loops (1 clarifying, 1 open)"
    assert "Closed LOOP-012 in LOOPS.md: Customers only" in news(text)


def test_no_id_is_given_twice(prepared: Project) -> None:
    """A new loop is numbered after those of the table, of LOOPS.md and of the trail."""
    path = worked(prepared, swap(ONE, ("Closed LOOP-006", "Closed LOOP-040")))
    own(prepared, "loop", "add", "Which sources are in scope?")
    assert list(rows(path.read_text()))[-1] == "LOOP-041"


def test_a_loop_is_written_only_into_the_file_at_work(prepared: Project) -> None:
    """Capturing, exploring and closing one leaves every other STATE.md of the project as it is, and unstaged."""
    path = worked(prepared)
    others = [put(prepared, TWO, DATED), put(prepared, ONE, ".project/sessions/2026-01-22-importer/STATE.md")]
    before = [other.read_bytes() for other in others]
    own(prepared, "loop", "add", "Which sources are in scope?")
    (ident,) = set(rows(path.read_text())) - {"LOOP-007", "LOOP-012", "LOOP-018"}
    own(prepared, "loop", "explore", ident)
    own(prepared, "loop", "close", ident, "--outcome", "Nine of them")
    stopped(prepared, path)
    assert [other.read_bytes() for other in others] == before
    assert not [name for name in prepared.staged() if name.startswith(".project")]


def test_a_command_names_the_file_that_the_loop_goes_into(prepared: Project) -> None:
    """With --session the row is in the named file, and not in that of the session whose shell it is."""
    path = worked(prepared)
    other = put(prepared, TWO, DATED)
    before = path.read_bytes()
    own(prepared, "loop", "add", "Which sources are in scope?", "--session", "Phase 2 planning")
    assert "Which sources are in scope?" in [row[1] for row in rows(other.read_text()).values()]
    assert path.read_bytes() == before


def test_a_loop_goes_into_the_only_file_also_while_it_is_paused(prepared: Project) -> None:
    """What the answer says of a loop is so in the table, and LOOPS.md is beside it."""
    path = put(prepared, ONE)
    assert prepared.cli("pause").code == 0
    assert prepared.cli("loop", "add", "Which zone?").code == 0
    assert prepared.cli("loop", "close", "7", "--outcome", "Never mixed").code == 0
    assert [*rows(path.read_text())] == ["LOOP-012", "LOOP-018", "LOOP-019"]


@pytest.mark.parametrize("step", [("explore",), ("close", "--outcome", "All of it")], ids=lambda step: step[0])
def test_of_several_files_the_one_whose_table_has_the_loop_is_meant(prepared: Project, step: tuple[str, ...]) -> None:
    """Also without `--session`: what the answer says of the loop is so in its table."""
    path = put(prepared, swap(ONE, ("LOOP-0", "LOOP-1")), DATED)
    other = put(prepared, ONE, DATED.replace("importer", "exporter"))
    before = other.read_text()
    assert prepared.cli("loop", step[0], "112", *step[1:]).code == 0
    shown = rows(path.read_text()).get("LOOP-112", ["", "", "closed"])[2]
    assert (shown, other.read_text()) == ("clarifying" if step[0] == "explore" else "closed", before)


@pytest.mark.parametrize("again", ["Which sources are in scope?", "WHICH sources are in scope?"])
def test_the_same_loop_is_not_captured_twice(prepared: Project, again: str) -> None:
    """The title of an open loop is refused with its id, and nothing is written; once it is closed it may come again."""
    path = worked(prepared)
    own(prepared, "loop", "add", "Which sources are in scope?")
    before = path.read_bytes()
    reply = asked(prepared, "loop", "add", again)
    assert reply.code == 1
    assert "LOOP-019 asks that already" in reply.err
    assert path.read_bytes() == before
    own(prepared, "loop", "close", "19", "--outcome", "Nine")
    own(prepared, "loop", "add", again)


@pytest.mark.parametrize("spelled", ["loop-12", "LOOP-12", "12", "012", "`loop-012`"])
def test_a_row_is_the_same_however_its_id_is_spelled(prepared: Project, spelled: str) -> None:
    """The loop is explored and closed in the row that is there; none is added for it."""
    path = worked(prepared, swap(ONE, ("| LOOP-012 |", f"| {spelled} |")))
    assert own(prepared, "loop", "explore", "12").code == 0
    lines = [line for line in section(path.read_text(), "Active Loops").splitlines() if line.startswith("| ")]
    assert [line.count("12") > 0 and "clarifying" in line for line in lines].count(True) == 1
    assert len(lines) == 4
    assert own(prepared, "loop", "close", "loop-12", "--outcome", "All of it").code == 0
    assert spelled not in section(path.read_text(), "Active Loops")
    assert stated(path.read_text(), "Active Loops", "Total active").startswith("2 loops")


def test_what_a_person_noted_beside_a_loop_is_in_the_log(prepared: Project) -> None:
    """A row leaves with its loop; a column of a person is kept for `holdfast log`."""
    worked(prepared, arranged("ITS#C"))
    assert own(prepared, "loop", "close", "12", "--outcome", "All of it").code == 0
    assert "LOOP-012 left Active Loops: Asked by: Mara" in prepared.cli("log", "--all").out


@pytest.mark.parametrize("step", [("loop", "add", "Which zone?"), ("loop", "close", "12", "--outcome", "All of it")])
def test_a_table_that_is_there_twice_is_named(prepared: Project, step: tuple[str, ...]) -> None:
    """After a merge by hand nobody knows which one is meant; an answer that says nothing of it would be false."""
    path = worked(
        prepared, ONE + "\n## Active Loops\n\n" + HEADER + "| LOOP-060 | Which shelf? | open | 2026-01-21T15:00:00Z |\n"
    )
    reply = asked(prepared, *step)
    assert "Active Loops" in reply.err
    assert "does not show" in reply.err
    assert "LOOP-060" in path.read_text()
