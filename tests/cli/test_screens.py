"""What a terminal shows: each screen fits it, in its width and height; and what a pipe gets instead."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wcwidth import wcswidth

from holdfast.cli import screen, tables
from holdfast.context import short_lists
from holdfast.core import words
from tests.support import hooks, screens

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
DAY = 86_400
LONG = "Read the invoices of the north branch, with their credit notes and dates"
WIDE = "読み込みの速度を上げるために、索引を作り直して測定する"
EDIT = {"kind": "edit", "path": "src/a.py"}
END = {"kind": "end", "reason": "other"}
SESSIONS = {  # id: (title, branch, age in seconds, more facts)
    "aaaaaaaa-live": (
        "Fix the login",
        "main",
        60,
        [{"kind": "task", "id": "1", "subject": "x", "status": "completed"}],
    ),
    "bbbbbbbb-wide": (WIDE, "feat/speed", 120, [EDIT]),
    "cccccccc-open": (LONG, "feat/a-very-long-name-of-a-branch", 7200, [EDIT, {"kind": "due"}, END]),
    "dddddddd-gone": ("Move the dates", "main", 3 * DAY, [EDIT, {"kind": "due"}]),
    "eeeeeeee-rest": ("Wait for Mara", "main", DAY, [EDIT, {"kind": "due"}, END]),
}


@pytest.fixture
def busy(prepared: Project) -> Project:
    """Give a project with a session of each group."""
    now = time.time()
    for ident, (title, branch, age, facts) in SESSIONS.items():
        start = {"kind": "start", "root": str(prepared.root), "branch": branch, "host": "elsewhere", "pid": 1}
        prepared.remember(ident, start, {"kind": "prompt", "text": title}, *facts, at=now - age)
    assert prepared.cli("settle").code == 0
    assert prepared.cli("pause", "eeeeeeee").code == 0
    return prepared


@pytest.mark.parametrize(
    ("columns", "headings"),
    [
        (40, "ID TITLE STATUS"),
        (80, "ID TITLE STATUS AGE BRANCH TASKS"),
        (100, "ID TITLE STATUS AGE BRANCH TASKS FILES"),
        (160, "ID TITLE STATUS AGE BRANCH TASKS FILES"),
    ],
)
def test_the_list_fits_its_terminal(busy: Project, columns: int, headings: str) -> None:
    """The first eight characters of each id are there, and what the width allows; no line is too wide."""
    lines = busy.cli("list", HOLDFAST_SCREEN=f"{columns}x24").out.splitlines()
    assert lines[0].split() == headings.split()
    assert [line for line in lines if " " not in line] == ["Live", "Open", "Paused"]
    assert [line[:8] for line in lines[1:] if " " in line] == [ident[:8] for ident in SESSIONS]
    assert max(map(wcswidth, lines)) <= columns
    assert all(title[:8] in "\n".join(lines) for title, *_ in SESSIONS.values())
    assert [line.split()[4] for line in lines if line.startswith("dddddddd")] == ["stale"]
    status = busy.cli("status", "invoices", HOLDFAST_SCREEN=f"{columns}x24").out.splitlines()
    assert (max(map(wcswidth, status)) <= columns, "Status: active" in status) == (True, True)
    for command in ("tree", "resume"):
        shown = busy.cli(command, HOLDFAST_SCREEN=f"{columns}x24").out.splitlines()
        assert max(map(wcswidth, shown)) <= columns
        assert "cccccccc" in [line[:8] for line in shown]


def test_a_pipe_gets_rows_with_tabs(busy: Project) -> None:
    """Whole ids, no padding, and headings only on request."""
    rows = [line.split("\t") for line in busy.cli("list").out.splitlines()]
    assert [row[0] for row in rows] == [*SESSIONS]
    assert [row[1:4] for row in rows[1:4]] == [
        [WIDE, "active", "live"],
        [LONG, "active", "not running"],
        ["Move the dates", "active", "not running, stale"],
    ]
    assert rows[0][5:] == ["1/1", "0", "main", ""]
    for command in (("list",), ("tree",), ("resume",)):
        plain, headed = (busy.cli(*command, *more).out.splitlines() for more in ((), ("--header",)))
        assert headed[1:] == plain
        assert (headed[0].split("\t")[:2], len(headed[0].split("\t"))) == (["ID", "TITLE"], len(plain[0].split("\t")))


def test_a_long_list_keeps_to_one_screen(busy: Project) -> None:
    """Every group keeps its first rows, and a command is named for the rest."""
    for number in range(60):
        busy.write_state(f"20251204-1430{number:02}-p{number}.md", title=f"Piece {number}", status="paused")
    lines = busy.cli("list", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert len(lines) == 23
    assert lines[-1].endswith(" more: holdfast list --all")
    assert {"Live", "Open", "Paused"} <= {*lines}
    whole = busy.cli("list", "--all", HOLDFAST_SCREEN="80x24").out
    assert whole.count("Piece ") == 60


def test_a_long_list_of_loops_keeps_to_one_screen(prepared: Project) -> None:
    """A terminal shows ages and how many are left out; a pipe has them all, with the time when each was captured."""
    times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86400 * days)) for days in range(40)]
    loops = [
        f'<loop id="LOOP-{number:03}" status="open">\n  <title>Question</title>\n  <captured>{at}</captured>\n</loop>\n'
        for number, at in enumerate(times, 1)
    ]
    (prepared.root / ".agents/LOOPS.md").write_text("# Loops\n\n" + "\n".join(loops))
    lines = prepared.cli("loop", "list", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert (len(lines), lines[-1]) == (23, "19 more: holdfast loop list | cat")
    assert lines[0].split() == ["ID", "TITLE", "STATUS", "AGE"]
    assert [line.split("  ")[-1] for line in lines[1:4]] == ["now", "1 d", "2 d"]
    rows = [line.split("\t") for line in prepared.cli("loop", "list").out.splitlines()]
    assert [(row[0], row[3]) for row in rows] == [(f"LOOP-{number:03}", at) for number, at in enumerate(times, 1)]


def test_after_a_clear_all_lists_agree(prepared: Project) -> None:
    """The session that `/clear` ended is in none of them; the one that goes on is."""
    prepared.fire("SessionStart", "first")
    prepared.edit("a.py", "first")
    prepared.fire("SessionEnd", "first", reason="clear")
    prepared.fire("SessionStart", "second", source="clear")
    prepared.fire("UserPromptSubmit", "second")
    prepared.settled("first")
    known = {name: prepared.cli(name).out for name in ("list", "tree", "resume")}
    assert {name: [line.split("\t")[0] for line in text.splitlines()] for name, text in known.items()} == {
        "list": ["second"],
        "tree": ["second"],
        "resume": [],
    }


@pytest.mark.processes
def test_a_terminal_shows_colours_unless_they_are_unwanted(busy: Project) -> None:
    """Live, stale and paused have colours; with NO_COLOR and in a pipe there are none."""
    command, environment = [str(busy.plugin / "bin/holdfast"), "list"], busy.environment()
    small = screens.run(command, busy.root, environment, (80, 24))
    assert (small.code, small.gone, small.colours) == (0, 0, {"green", "brown", "cyan"})
    assert small.lines == [line.rstrip() for line in busy.cli("list", HOLDFAST_SCREEN="80x24").out.splitlines()]
    assert screens.run(command, busy.root, {**environment, "NO_COLOR": "1"}, (160, 45)).colours == set()
    assert "\x1b" not in busy.cli("list").out


def _piped(project: Project, line: str) -> screens.Shown:
    """Run a line of a shell, in which `{0}` is the command, in a terminal."""
    script = line.format(project.plugin / "bin/holdfast")
    return screens.run(["sh", "-c", script], project.root, project.environment(), (160, 24))


@pytest.mark.processes
def test_a_closed_pipe_is_no_error(busy: Project) -> None:
    """`holdfast list | head -1` prints one line and nothing else."""
    shown = _piped(busy, "{0} list | head -1; {0} tree | true")
    assert [line.split()[0] for line in shown.lines] == ["aaaaaaaa-live"]


@pytest.mark.processes
def test_long_work_shows_its_progress_in_a_terminal(prepared: Project) -> None:
    """On standard error, and gone at the end; nothing of it is in a pipe."""
    names = [f"20251204-1430{number:02}-p{number}.md" for number in range(30)]
    paths = [str(prepared.write_state(name)) for name in names]
    command = [str(prepared.plugin / "bin/holdfast"), "audit", *paths]
    shown = screens.run(command, prepared.root, prepared.environment(), (80, 200))
    assert b"Auditing" in shown.printed
    assert "Auditing" not in shown.text
    assert prepared.cli("audit", *paths).err == ""


def test_a_settle_of_many_sessions_shows_its_progress(prepared: Project) -> None:
    """On standard error, where that is a terminal."""
    for number in range(25):
        prepared.remember(f"{number:08}-old", {"kind": "prompt", "text": f"Work {number}"}, EDIT, {"kind": "due"}, END)
    command = [str(prepared.plugin / "bin/holdfast"), "settle"]
    shown = screens.run(command, prepared.root, prepared.environment(), (80, 40))
    assert b"Settling" in shown.printed
    assert "Settling" not in shown.text
    assert "Settled 25 sessions" in shown.text


@pytest.mark.processes
def test_a_reader_that_goes_away_in_the_middle_is_no_error(busy: Project) -> None:
    """Commands that print much and change something are silent about it, too."""
    shown = _piped(busy, "{0} continue eeeeeeee | head -1")
    assert len(shown.lines) == 1


LONG_NAME = "20251204-143000-parse-the-invoices-of-the-north-branch-and-their-credit-notes.md"


def test_a_state_file_without_a_session_is_in_all_lists(prepared: Project) -> None:
    """Under an id that is not its date, that tells it from others of that day, and that commands accept."""
    prepared.write_state(LONG_NAME, title="Parse the invoices")
    prepared.write_state("20251204-150000-dates.md", title="Move the dates")
    for command in ("list", "tree", "resume"):
        lines = prepared.cli(command, HOLDFAST_SCREEN="80x24").out.splitlines()
        idents = {line.split()[0]: line for line in lines if "Parse" in line or "dates" in line}
        assert [*idents] == ["143000", "150000"], command
        assert "Parse the invoices" in idents["143000"]
    for ident, title in (("143000", "Parse the invoices"), ("150000", "Move the dates")):
        assert prepared.cli("status", ident).out.startswith(f"{title}\n")
    rows = [line.split("\t") for line in prepared.cli("resume").out.splitlines()]
    assert rows[0][-1] == f"holdfast continue {LONG_NAME.removesuffix('.md')}"
    assert (
        prepared.cli("checklist", "143000", HOLDFAST_SCREEN="80x24").out.splitlines()[-1] == "Sessions still active: 2"
    )
    kinds = {row["title"]: row["kind"] for row in json.loads(prepared.cli("tree", "--json").out)}
    assert kinds == {"Parse the invoices": "file", "Move the dates": "file"}


@pytest.mark.parametrize(
    "line",
    [
        "init",
        "hub",
        "status",
        "drift",
        "recover",
        "checklist",
        "handoff",
        "audit",
        "doctor",
        "brief",
        "memory",
        "close --check",
        "pause --note Mara",
        "continue",
        "sync --json {}",
        "finish parse later",
        "task list",
        "budget",
        "show --section Context",
    ],
)
def test_every_line_fits_eighty_columns(prepared: Project, line: str) -> None:
    """However long a state file's name is; a command that can be copied is one line."""
    prepared.write_state(LONG_NAME, title="Parse the invoices")
    if line == "continue":
        prepared.cli("pause", "--note", "Mara answers on Monday")
    reply = prepared.cli(*line.split(), HOLDFAST_SCREEN="80x24")
    lines = (reply.out + reply.err).splitlines()
    wide = [one for one in lines if wcswidth(one) > 80 and " " in one.strip()]  # a long path stays whole
    assert [one for one in wide if not one.strip().startswith(("holdfast ", "git "))] == []
    if line in {"continue", "close --check", "checklist"}:
        assert len(lines) < 24


def test_continue_prints_everything_in_a_pipe_and_on_request(prepared: Project) -> None:
    """A terminal shows what is needed, and names the command for the rest."""
    prepared.write_state(LONG_NAME, title="Parse the invoices", status="paused")
    short = prepared.cli("continue", "143000", HOLDFAST_SCREEN="80x24").out
    assert short.endswith("All of it: holdfast show 143000\n")
    assert "## Context" not in short
    for arguments, screen_size in (((), ""), (("--all",), "80x24")):
        prepared.cli("pause", "143000")
        whole = prepared.cli("continue", "143000", *arguments, HOLDFAST_SCREEN=screen_size or None).out
        assert "> ## Context" in whole


def test_words_of_a_title_mean_the_state_file_and_not_its_hand_over(prepared: Project) -> None:
    """Both have the title; the hand-over is still found by its own name."""
    prepared.write_state(LONG_NAME, title="Parse the invoices")
    assert prepared.cli("pause", "143000").code == 0
    assert prepared.cli("show", str(prepared.store / "private/.continue-here.md")).code == 0
    assert prepared.cli("finish", "parse", "done").out.startswith('"Parse the invoices" is completed.')


def test_an_empty_request_is_misuse(prepared: Project) -> None:
    """It names nothing, so nothing "says all of this already"."""
    prepared.write_state()
    reply = prepared.cli("sync", "--json", "{}")
    assert (reply.code, reply.out) == (2, "")
    assert reply.err.startswith("holdfast: The request names nothing to write. Give, for example: --json '{")


def test_without_a_hub_the_way_to_one_is_reported(prepared: Project) -> None:
    """No path of a file that is not there."""
    reply = prepared.cli("hub")
    assert reply.code == 1
    assert reply.err.startswith("holdfast: there is no hub yet.")
    assert "holdfast update action=started" in reply.err
    assert ".git/" not in reply.err


_TEXT = st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from(" 木é\u0301"), max_size=50)


@given(st.lists(st.tuples(_TEXT, _TEXT, _TEXT, _TEXT), min_size=1, max_size=4), st.integers(20, 160))
@example([("0000", "", "0", "0000")], 20)  # a table without titles
def test_no_row_is_wider_than_its_terminal(rows: list[tuple[str, str, str, str]], columns: int) -> None:
    """Whatever the cells say; of a cell that is too long the beginning stays."""
    short = [(ident[:4], *rest) for ident, *rest in rows]
    found = screen.widths([("ID", "TITLE", "STATUS", "AGE"), *short], columns)
    for cells in short:
        assert words.width(screen.row(cells, found)) <= columns
    for cell in rows[0]:
        cut = short_lists.cut(cell, columns)
        assert words.width(cut) <= columns
        assert cut == cell or (cut.endswith("…") and cell.startswith(cut[:-1]))
        assert "".join(screen.fold(cell, columns)).replace(" ", "") == cell.replace(" ", "")


def test_the_doctor_names_paths_below_home_in_short(prepared: Project) -> None:
    """A long path would break in the middle of a line; a pipe gets it whole."""
    command = [str(prepared.plugin / "bin/holdfast"), "doctor"]
    shown = screens.run(command, prepared.root, prepared.environment(), (80, 40))
    assert "packages: ~/.claude/plugins/data/" in shown.text
    assert f"packages: {prepared.home}/.claude/plugins/data/" in prepared.cli("doctor").out


def test_a_command_that_is_printed_is_not_shortened(prepared: Project) -> None:
    """Names of state files are shown without their folder, but where a command is to be typed."""
    path = prepared.write_state(LONG_NAME, title="Parse the invoices")
    prepared.git("add", "--all")
    prepared.git("commit", "-q", "-m", "State")
    was = path.read_bytes()
    assert prepared.cli("sync", "143000", "--json", '{"Status": "completed"}').code == 0
    prepared.git("commit", "-q", "-a", "-m", "Completed")
    was = path.read_bytes()
    reply = prepared.cli("close", "143000", "--delete", "--force", HOLDFAST_SCREEN="80x24")
    assert not path.exists(), reply
    (command,) = [line.strip() for line in reply.out.splitlines() if line.strip().startswith("git cat-file")]
    subprocess.run(["sh", "-c", command], cwd=prepared.root, check=True)
    assert path.read_bytes() == was


@pytest.mark.parametrize(("room", "kept"), [(0, [5, 3]), (10, [5, 3]), (9, [5, 1]), (5, [1, 1]), (2, [1, 1])])
def test_rows_of_groups_that_fit(room: int, kept: list[int]) -> None:
    """A group takes a line for its name, and one for the count of those left out; each keeps its first row."""
    groups: dict[str, list[tuple[str, ...]]] = {
        "open": [(str(number),) for number in range(5)],
        "paused": [(str(number),) for number in range(3)],
    }
    found = tables._fitted(groups, room)  # noqa: SLF001 - a list has more lines around them
    assert [len(rows) for rows in found.values()] == kept
