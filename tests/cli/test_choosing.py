"""Which session a command means: part of an id, words of a title, or none of these."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.cli.app import unique_id
from holdfast.core.errors import HoldfastError
from tests.support import hooks, screens

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
LOGIN, INVOICES, DATES = "11112222-login", "33334444-north", "33335555-dates"
TITLES = {LOGIN: "Fix the login form", INVOICES: "Parse the invoices", DATES: "Parse the dates"}


@pytest.fixture
def three(prepared: Project) -> Project:
    """Give a project with three sessions that left unfinished work, the first of them the most recent."""
    for hours, (ident, title) in enumerate(TITLES.items(), 1):
        start: dict[str, object] = {"kind": "start", "root": str(prepared.root), "host": "elsewhere", "pid": 1}
        facts: list[dict[str, object]] = [
            start,
            {"kind": "prompt", "text": title},
            {"kind": "edit", "path": f"{hours}.py"},
            {"kind": "due"},
        ]
        prepared.remember(ident, *facts, {"kind": "end", "reason": "other"}, at=time.time() - 3600 * hours)
    assert prepared.cli("settle").code == 0
    return prepared


# What is typed after the command, and the session that is meant.
NAMED = {
    "a beginning": (["1111"], LOGIN),
    "a part of an id": (["4444"], INVOICES),
    "a word of a title": (["login"], LOGIN),
    "words of a title": (["dates", "PARSE"], DATES),
    "words in one argument": (["the invoices"], INVOICES),
    "an older option": (["--convo-id", "1111"], LOGIN),
    "another": (["--session", DATES], DATES),
}


@pytest.mark.parametrize(("typed", "meant"), NAMED.values(), ids=NAMED)
def test_a_session_is_named_by_part_of_its_id_or_words_of_its_title(
    three: Project, typed: list[str], meant: str
) -> None:
    """In every command that takes ID; the older options do the same."""
    for command in ("status", "handoff", "drift"):
        reply = three.cli(command, *typed)
        assert TITLES[meant] in reply.out or "-".join(TITLES[meant].lower().split()) in reply.out, reply
    assert three.cli("resume", *typed).out.endswith(f"claude --resume {meant}\n")


def test_several_are_a_numbered_list(three: Project) -> None:
    """With ids, ages and titles, and never a bare id; nothing is done."""
    reply = three.cli("pause", "parse")
    assert (reply.code, reply.out) == (1, "")
    assert reply.err.splitlines() == [
        "holdfast: 'parse' may mean 2 sessions:",
        "  1  33334444  2 h ago  Parse the invoices",
        "  2  33335555  3 h ago  Parse the dates",
        "Name one by its id or by words of its title.",
    ]
    for word in ("nobody", "agents"):  # all state files are in .agents/sessions
        nobody = three.cli("status", word)
        assert (nobody.code, nobody.err.count("\n")) == (1, 1)
        assert INVOICES not in nobody.err


def test_without_a_name_it_is_the_own_the_only_live_or_the_most_recent(three: Project) -> None:
    """The most recent one is named on standard error; a session that has no work of its own gets none of another."""
    recent = three.cli("status")
    assert recent.out.startswith(TITLES[LOGIN])
    assert recent.err == 'holdfast: using the most recent of 3 sessions: 11112222 "Fix the login form"\n'
    own = three.cli("status", CLAUDE_CODE_SESSION_ID=DATES)
    assert (own.out.startswith(TITLES[DATES]), own.err) == (True, "")
    stranger = three.cli("close", CLAUDE_CODE_SESSION_ID="99990000")
    assert (stranger.code, stranger.err[:46]) == (1, "holdfast: this session has no state file here,")
    assert three.cli("close", "--delete").err.startswith("holdfast: 3 state files are active:")
    three.fire("SessionStart", INVOICES, source="resume")
    live = three.cli("status")
    assert (live.out.startswith(TITLES[INVOICES]), live.err) == (True, "")


# Where each of two sessions worked (branch, package), the later one last; and the folder of the reader, on main.
NEARER = {
    "the branch that is checked out": (("main", ""), ("rates", ""), ""),
    "the package of the folder": (("main", "packages/api"), ("main", "packages/web"), "packages/api"),
    "a folder in the package": (("main", "packages/api"), ("main", "packages/web"), "packages/api/src"),
    "the branch before the package": (("main", "packages/web"), ("rates", "packages/api"), "packages/api"),
    "a branch that was merged": (("rates", ""), ("gone", ""), ""),
}


@pytest.mark.parametrize(("nearer", "later", "folder"), NEARER.values(), ids=NEARER)
def test_the_nearest_work_comes_first(
    prepared: Project, nearer: tuple[str, str], later: tuple[str, str], folder: str
) -> None:
    """What was done on the branch that is checked out, and there what was done in this folder, before later work."""
    prepared.git("branch", "rates")
    cwd = prepared.root / folder
    cwd.mkdir(parents=True, exist_ok=True)
    for hours, (branch, package) in ((3, nearer), (2, later)):
        title = "the nearer" if (branch, package) == nearer else "the later"
        where = {"root": str(prepared.root), "folder": str(prepared.root / package), "branch": branch}
        start: dict[str, object] = {"kind": "start", "host": "elsewhere", "pid": 1, **where}
        work = [
            {"kind": "prompt", "text": title},
            {"kind": "edit", "path": f"{package}/a.py".lstrip("/")},
            {"kind": "due"},
        ]
        end = {"kind": "end", "reason": "other"}
        prepared.remember(title[4:], start, *work, end, at=time.time() - 3600 * hours)
    assert prepared.cli("settle").code == 0
    first = "later" if "gone" in later else "nearer"
    for command in (["list", "--json"], ["resume", "--json"], ["status", "--json"]):
        rows = json.loads(prepared.cli(*command, cwd=cwd).out)
        assert (rows if isinstance(rows, dict) else rows[0])["id"] == first, command
    assert f'## Where the work was left\n- "the {first}"' in prepared.cli("brief", cwd=cwd).out
    logged = prepared.cli("log", ".", cwd=cwd).out
    assert ("a.py" in logged) == (not folder.endswith("src")), logged


@pytest.mark.processes
def test_in_a_terminal_the_user_chooses_a_number(three: Project) -> None:
    """The list is shown, and the number that is typed decides."""
    command = [str(three.plugin / "bin/holdfast"), "status", "parse"]
    shown = screens.run(command, three.root, three.environment(), (80, 24), "2\n")
    assert shown.code == 0
    assert "  2  33335555  3 h ago  Parse the dates" in shown.lines
    assert shown.text.rpartition("Number: ")[2].startswith("Parse the dates\n")


@pytest.mark.processes
def test_the_choice_is_no_part_of_what_is_printed(three: Project) -> None:
    """A file gets what was asked for; the question goes to the terminal."""
    command = ["sh", "-c", '"$0" status parse >answer', str(three.plugin / "bin/holdfast")]
    shown = screens.run(command, three.root, three.environment(), (80, 24), "2\n")
    assert "  2  33335555  3 h ago  Parse the dates" in shown.lines
    assert (three.root / "answer").read_text().startswith("Parse the dates\n")


def test_after_clear_the_present_session_is_meant(prepared: Project) -> None:
    """Both sessions have the same state file; `list` shows the later one, and so do the commands."""
    prepared.remember("11111111-before", {"kind": "prompt", "text": "Parse"}, {"kind": "edit", "path": "a.py"}, at=1e9)
    path = prepared.write_state()
    name = str(path.relative_to(prepared.root))
    for ident, at in (("22222222-after", time.time() - 60), ("11111111-before", time.time() - 3600)):
        prepared.remember(ident, {"kind": "state", "path": name, "root": str(prepared.root), "by": "edit"}, at=at)
    prepared.write_state("20251204-150000-dates.md", title="Move the dates")
    reply = prepared.cli("status", path.name)
    assert json.loads(prepared.cli("status", path.name, "--json").out)["id"] == "22222222-after", reply


def test_in_a_project_without_preparation_init_is_named(here: Project) -> None:
    """No file edit makes a state file there."""
    here.fire("SessionStart", "one")
    reply = here.cli("status")
    assert (reply.code, reply.out) == (1, "")
    assert "is not prepared" in reply.err
    assert "Type: holdfast init" in " ".join(reply.err.split())


def test_the_words_of_a_name_mean_that_file(prepared: Project) -> None:
    """Also where another name has more words: `list` shows these words as the id."""
    for name in ("20251204-143000-try-the-start", "20251204-143000-try-the-start-2"):
        prepared.write_state(f"{name}.md", title="Try the start")
    shown = [row["id"] for row in json.loads(prepared.cli("list", "--json").out)]
    assert len(shown) == 2
    for name in ("try-the-start", "try-the-start-2"):
        assert prepared.cli("finish", name, "drop").code == 0
        assert "status: completed" in (prepared.root / f".agents/sessions/20251204-143000-{name}.md").read_text()


@pytest.mark.parametrize(("part", "meant"), [("a", "a"), ("ab", "abc"), ("c", "cd"), ("x", "1x")])
def test_a_part_of_an_id(part: str, meant: str) -> None:
    """The whole counts before a beginning, and that before any other part."""
    assert unique_id(["a", "abc", "cd", "1x"], part) == meant


@pytest.mark.parametrize("part", ["", "b1", "zz"])
def test_a_part_of_no_id_or_of_several(part: str) -> None:
    """The error says how many there are."""
    with pytest.raises(HoldfastError, match=r"id\. To see them type: holdfast list --all"):
        unique_id(["ab1", "cb1", "d"], part)


@pytest.mark.parametrize("way", ["--genie", "--shared"])
def test_words_of_the_title_never_mean_the_hand_over_of_the_work(here: Project, way: str) -> None:
    """In the session's own shell, too: what is closed after a pause is the work, and it is one."""
    assert here.cli("init", "--shared", "--yes", *([way] if way == "--genie" else [])).code == 0
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="Sum the totals of the invoices")
    here.edit("a.py")
    here.settled()
    assert here.cli("pause", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert here.cli("close", "totals", CLAUDE_CODE_SESSION_ID="one").code == 0
    rows = json.loads(here.cli("list", "--all", "--json").out)
    assert [(row["id"], row["status"]) for row in rows] == [("one", "completed")]
