"""What a person changes or takes out where holdfast writes: their word counts, in each format (issue 35)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.requirements import support_gsd as gsd
from tests.requirements import support_states as states
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
BOOK = ".gsd-lite/LOOPS.md"
ASKED = "| LOOP-020 | Which dates? | open |"


def three(prepared: Project) -> Path:
    """Return the path of the example with three loops more in table and LOOPS.md, all committed."""
    path = gsd.put(prepared)
    for title in ("Which sources?", "Which dates?", "Which owner?"):
        assert prepared.cli("loop", "add", title).code == 0
    prepared.git("add", "-A")
    prepared.git("commit", "-qm", "loops")
    return path


def edited(path: Path, *pairs: tuple[str, str]) -> None:
    """Change a file as a person does in an editor."""
    path.write_text(gsd.swap(path.read_text(), *pairs))


ROWS = {
    "status": ((ASKED, ASKED.replace("open", "clarifying")), "clarifying", "Which dates?", "Which dates?"),
    "title": ((ASKED, ASKED.replace("dates", "days")), "open", "Which days?", "Which days?"),
    "closed": ((ASKED, ASKED.replace("open", "closed")), "closed", None, "Which dates?"),
    "done": ((ASKED, ASKED.replace("open", "done")), "done", None, "Which dates?"),
    "row gone": ((ASKED, "| LOOP-018 | Again | open |"), "open", None, "Which dates?"),
}


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("case", ROWS)
def test_a_row_that_a_person_edits_counts(prepared: Project, case: str, *, committed: bool) -> None:
    """STATE.md is "the single source of truth": LOOPS.md follows the row, and a row that is taken out stays out."""
    change, status, row, title = ROWS[case]
    path = three(prepared)
    if case == "row gone":
        line = next(line for line in path.read_text().splitlines(keepends=True) if line.startswith(ASKED))
        change = (line, "")
    edited(path, change)
    if committed:
        prepared.git("commit", "-qam", "by hand")
    assert prepared.cli("task", "add", "Other").code == 0
    assert prepared.cli("loop", "add", "Fourth?").code == 0
    found = gsd.rows(path.read_text())
    assert (found["LOOP-020"][1] if "LOOP-020" in found else None) == row
    assert {"LOOP-019", "LOOP-021", "LOOP-022"} < found.keys()
    book = (prepared.root / BOOK).read_text()
    assert f'<loop id="LOOP-020" status="{status}">' in book
    assert f"<title>{title}</title>" in book
    count = len(found)
    assert gsd.stated(path.read_text(), "Active Loops", "Total active").startswith(f"{count} loops")
    assert "- Loops:" not in prepared.cli("recover").out


def test_a_row_that_a_command_takes_up_again_is_back(prepared: Project) -> None:
    """A loop whose row a person took out is in the table again once it is explored."""
    path = three(prepared)
    line = next(line for line in path.read_text().splitlines(keepends=True) if line.startswith(ASKED))
    edited(path, (line, ""))
    assert prepared.cli("task", "add", "Other").code == 0
    assert "LOOP-020" not in gsd.rows(path.read_text())
    assert prepared.cli("loop", "explore", "20").code == 0
    assert gsd.rows(path.read_text())["LOOP-020"][2] == "clarifying"


def test_a_title_that_a_person_changes_in_loops_is_in_the_table(prepared: Project) -> None:
    """LOOPS.md has "full loop details": the row follows its title and its status."""
    path = three(prepared)
    edited(prepared.root / BOOK, ("<title>Which dates?", "<title>Which days?"))
    prepared.git("commit", "-qam", "by hand")
    assert prepared.cli("loop", "add", "Fourth?").code == 0
    assert gsd.rows(path.read_text())["LOOP-020"][1] == "Which days?"


def test_an_older_state_file_is_no_edit_of_a_person(prepared: Project) -> None:
    """The document's recovery: after git put an older text back, the rows that it lacks are added."""
    path = gsd.put(prepared)
    prepared.git("add", "-A")
    prepared.git("commit", "-qm", "state")
    assert prepared.cli("loop", "add", "Which sources?").code == 0
    assert prepared.cli("loop", "add", "Which dates?").code == 0
    path.write_bytes(prepared.git("show", f"HEAD:{gsd.GLOBAL}").encode())
    assert prepared.cli("sync", "--json", '{"Focus": "Other"}').code == 0
    assert prepared.cli("task", "add", "Other").code == 0
    assert {"LOOP-019", "LOOP-020"} < gsd.rows(path.read_text()).keys()


def test_a_session_takes_a_row_that_claude_edits(prepared: Project) -> None:
    """The same by hooks: after the turn LOOPS.md says what Claude wrote into the table."""
    path = three(prepared)
    prepared.fire("SessionStart")
    edited(path, (ASKED, ASKED.replace("open", "clarifying")))
    prepared.edit(str(path))
    gsd.stopped(prepared, path)
    assert gsd.rows(path.read_text())["LOOP-020"][2] == "clarifying"
    assert '<loop id="LOOP-020" status="clarifying">' in (prepared.root / BOOK).read_text()


def test_words_beside_a_count_and_in_a_status_are_kept(prepared: Project) -> None:
    """A count by hand is corrected and its remark stays; the status that a command ends is in Recent Updates."""
    total, says = "3 loops (1 clarifying, 2 open)", "On hold, Mara decides"
    text = gsd.swap(gsd.ONE, (f"active:** {total}", "active:** 4 (see Mara)"), ("s:** Working", f"s:** {says}"))
    path = gsd.put(prepared, text)
    for step in (("loop", "add", "Which zone?"), ("continue", gsd.GLOBAL)):
        assert prepared.cli(*step).code == 0
    after = path.read_text()
    assert gsd.stated(after, "Active Loops", "Total active") == "4 loops (1 clarifying, 3 open) (see Mara)"
    assert gsd.news(after)[0] == f"Continued the session (Status said: {says})"


OWN = "TASK-004 - Guess the dates, in UTC"


def test_a_title_of_a_task_that_a_person_changes_stays(prepared: Project) -> None:
    """The task goes and comes back in the person's words, also once it is over."""
    path = gsd.put(prepared)
    assert prepared.cli("task", "start", "Guess the dates").code == 0
    edited(path, ("**Task:** TASK-004 - Guess the dates", f"**Task:** {OWN}"))
    for step in ("TASK-003", "TASK-004"):
        assert prepared.cli("task", "start", step).code == 0
    assert gsd.stated(path.read_text(), "Current Context", "Task") == OWN
    assert prepared.cli("task", "list").out.count("TASK-004") == 1
    assert prepared.cli("task", "complete").code == 0
    assert OWN.replace(" - ", ": ") in path.read_text()


def test_a_task_of_claudes_is_the_same_after_its_title_was_changed_by_hand(prepared: Project) -> None:
    """It is listed once, and is over when Claude's list says so."""
    path = gsd.worked(prepared)
    gsd.own(prepared, "task", "complete")
    gsd.task(prepared, "1", "Guess the dates", "in_progress")
    gsd.stopped(prepared, path)
    edited(path, ("**Task:** TASK-004 - Guess the dates", f"**Task:** {OWN}"))
    assert "1 open: TASK-004" in prepared.cli("checklist").out
    gsd.task(prepared, "1", status="completed")
    gsd.task(prepared, "2", "Ship", "in_progress")
    assert "**Task:** TASK-005 - Ship\n" in gsd.stopped(prepared, path)
    assert prepared.cli("task", "list").out == "current\tTASK-005 - Ship\n"


LISTS = {"n5": ("SESSION_STATE.md", states.n5), "agents": (states.SESSION_FILE, states.agents)}


@pytest.mark.parametrize("form", LISTS)
def test_a_file_that_a_person_takes_out_of_a_list_stays_out(prepared: Project, form: str) -> None:
    """A line of Files Modified, Artifacts or Execution Progress that was taken out does not come back."""
    name, text = LISTS[form]
    path = gsd.worked(prepared, text(), name)
    gsd.task(prepared, "1", "Guess the rest", "in_progress")
    prepared.edit("src/secret.py", tool="Write")
    prepared.edit("README.md")
    assert "secret.py" in gsd.stopped(prepared, path)
    without = [line for line in path.read_text().splitlines(keepends=True) if "secret.py" not in line]
    path.write_text("".join(line for line in without if "Guess the rest" not in line or "current_task" in line))
    prepared.fire("UserPromptSubmit")
    prepared.edit("README.md")
    prepared.edit("src/new.py", tool="Write")
    after = gsd.stopped(prepared, path)
    assert "secret.py" not in after
    assert "] Guess the rest" not in after
    assert "src/new.py" in after
