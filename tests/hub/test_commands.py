"""The hub by hand: what validate finds and mends, the tree, the sweep, and what can be picked up again."""

from __future__ import annotations

import json
import re
import shlex
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.actions import update_hub
from tests.support import hooks, hubs

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
DAY = 86400.0
START = {"kind": "start", "host": "elsewhere", "branch": "main"}
EDIT = {"kind": "edit", "path": "src/a.py"}
END = {"kind": "end", "reason": "other"}
CHILD = {"kind": "child", "agent": "a1", "status": "running", "type": "Explore"}
PAIR = hubs.person("up-1", "Git - Up", Children="Tests (down-1)") + hubs.person(
    "down-1", "Tests - Down", Parent="Git (up-1)"
)


def validate(project: Project, *arguments: str) -> dict[str, Any]:
    """Return what `holdfast validate` says as values."""
    done = project.cli("validate", "--json", *arguments)
    found: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    assert done.code == (0 if found["valid"] else 1)
    return found


FLAWS: dict[str, tuple[str, list[str], bool]] = {
    "all is well": (hubs.HEAD + PAIR + hubs.HISTORY, [], False),
    "no entries": (hubs.HEAD, [], False),
    "a live directive for a time": (hubs.HEAD + hubs.person("a-1", Last_Updated='!`date -u +"%Y"`'), [], False),
    "a cut id": (hubs.HEAD + PAIR.replace("(down-1)", "(down-1...)").replace("down-1...", "down-1"), [], False),
    "the same entry twice": (
        hubs.HEAD + hubs.person("a-1") * 2 + hubs.HISTORY + hubs.person("a-1") + "\n\n",
        ["its id a-1 is that of the entry on line 5; both are the same"] * 2,
        True,
    ),
    "two entries of one id": (
        hubs.HEAD + hubs.person("a-1", Started="2025-10-17T16:00Z") + hubs.person("a-1", Purpose="Other"),
        ["Started '2025-10-17T16:00Z' is not", "its id a-1 is that of the entry on line 5; keep one of them"],
        False,
    ),
    "an id that was cut from another": (
        hubs.HEAD + hubs.person("abc123-def") + hubs.person("abc123..."),
        ["its id abc123... is that of the entry on line 5; keep one of them"],
        False,
    ),
    "ids that are none": (
        hubs.HEAD
        + hubs.person("N/A")
        + hubs.person("none")
        + hubs.person("N/A", Purpose="Other")
        + hubs.person("[ID]"),
        ["Git - By hand: it has no session id"] * 4,
        False,
    ),
    "no id at all": (
        hubs.HEAD + hubs.person("a-1").replace("`a-1`", "", 1) + hubs.person("b-1").replace("`b-1`", "", 1),
        ["it has no session id"] * 2,
        False,
    ),
    "an active one in the history": (
        hubs.HEAD + hubs.HISTORY + hubs.person("a-1", Status="waiting (for Mara)"),
        ["it says 'waiting (for Mara)', and is in the history"],
        True,
    ),
    "a time with seconds": (
        hubs.HEAD + hubs.person("a-1", Started="2025-10-17T16:00:59Z"),
        ["Started '2025-10-17T16:00:59Z' is not YYYY-MM-DD HH:MM UTC"],
        True,
    ),
    "a time with an offset": (
        hubs.HEAD + hubs.person("a-1", Started="2025-10-17 18:00+02:00"),
        ["Started '2025-10-17 18:00+02:00' is not YYYY-MM-DD HH:MM UTC"],
        True,
    ),
    "a time without a zone": (
        hubs.HEAD + hubs.person("a-1", Started="2025-10-17 16:00"),
        ["Started '2025-10-17 16:00' is not YYYY-MM-DD HH:MM UTC"],
        False,
    ),
    "a time left open": (
        hubs.HEAD + hubs.person("a-1", Started="YYYY-MM-DD HH:MM UTC"),
        ["Started 'YYYY-MM-DD HH:MM UTC' is not YYYY-MM-DD HH:MM UTC"],
        False,
    ),
    "no purpose": (hubs.HEAD + hubs.person("a-1", Purpose=""), ["it has no Purpose"], False),
    "a status in other words": (
        hubs.HEAD + hubs.person("a-1", Status="fine"),
        ["its status 'fine' is none of active, waiting, paused, completed"],
        False,
    ),
    "a field twice": (
        hubs.HEAD + hubs.person("a-1") + "**Status:** paused\n",
        ["it has 2 fields Status; keep one of them"],
        False,
    ),
    "a child that names no parent": (
        hubs.HEAD + PAIR.replace("**Parent:** Git (up-1)\n", ""),
        ["up-1 names it as a child, and it does not name that as Parent"],
        True,
    ),
    "a parent that does not name its child": (
        hubs.HEAD + PAIR.replace("**Children:** Tests (down-1)\n", ""),
        ["its parent up-1 does not name it among its Children"],
        True,
    ),
    "a heading that names the parent": (
        hubs.HEAD + hubs.person("up-1", "Git - Up") + hubs.person("down-1", "Tests - Down (child of Git)"),
        ["its heading names the parent Git (up-1), and it has no Parent"],
        True,
    ),
    "a child without an entry": (
        hubs.HEAD + hubs.person("up-1", Children="Tests (down-1)"),
        ["its child down-1 has no entry"],
        False,
    ),
    "a parent without an entry": (
        hubs.HEAD + hubs.person("down-1", Parent="Git (up-1)"),
        ["orphaned: its parent up-1 is not there; adopt it with"],
        False,
    ),
    "a parent that is over": (
        hubs.HEAD
        + hubs.person("down-1", "Tests - Down", Parent="Git (up-1)")
        + hubs.HISTORY
        + hubs.person("up-1", "Git - Up", Status="completed", Children="Tests (down-1)"),
        ["orphaned: its parent up-1 is over; adopt it with"],
        False,
    ),
    "a fence that never closes": (
        hubs.HEAD + hubs.person("a-1") + "\n```\n",
        ["a code fence that never closes"],
        False,
    ),
    "two sections": (
        hubs.HEAD + "\n## 🎯 Active Sessions\n",
        ["it has 2 sections Active Sessions, on lines 3, 5; merge them into one"],
        False,
    ),
    "no section": ("# Notes\n", ["it has no section Active Sessions; it needs one"], False),
}


@pytest.mark.parametrize(("text", "reported", "mends"), FLAWS.values(), ids=FLAWS)
def test_validate_finds_it_and_fix_mends_what_is_mechanical(
    prepared: Project,
    text: str,
    reported: list[str],
    mends: bool,  # noqa: FBT001 - a column of the table
) -> None:
    """Each flaw is reported with its line; `--fix` shows and writes what needs no decision, and leaves the rest."""
    path = hubs.write(prepared, text)
    found = validate(prepared)
    assert len(found["findings"]) == len(reported), found
    for flaw, words in zip(found["findings"], reported, strict=True):
        assert words in f"{flaw['what']}: {flaw['why']}"
        assert bool(flaw["remedy"]) is mends
        assert 1 <= flaw["line"] <= len(text.splitlines())
    assert path.read_text() == text
    if mends:
        shown = prepared.cli("validate", "--fix", "--dry-run")
        assert (shown.out.startswith("--- a/.agents/SESSION-STATE.md\n"), path.read_text()) == (True, text)
        done = prepared.cli("validate", "--fix")
        assert done.out.partition("✓")[0] == shown.out.partition("✓")[0]
        assert (done.code, validate(prepared)["valid"]) == (0, True)
        assert [found.history for found in hubs.read(prepared).entries()].count(True) == 0
        assert ".agents/SESSION-STATE.md" in prepared.staged()
        assert prepared.cli("validate", "--fix").out.startswith("✓")
    elif not reported:
        assert prepared.cli("validate").out.startswith("✓ .agents/SESSION-STATE.md is valid: ")


def test_validate_and_fix_hold_the_hub_against_the_journals(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A live session without an entry, and an entry that is no longer so, are reported and mended."""
    hubs.not_in_tree(prepared, monkeypatch)
    prepared.fire("SessionStart", "one")
    prepared.fire("PostToolUse", "one")
    prepared.settled()
    prepared.remember("one", {"kind": "status", "status": "paused"})
    (flaw,) = validate(prepared)["findings"]
    assert "it says 'active', the journal says 'paused'" in flaw["why"]
    assert prepared.cli("validate", "--fix").code == 0
    assert hubs.stated(prepared, "one")["Status"] == "paused"
    prepared.remember("two", START, EDIT)
    (flaw,) = validate(prepared)["findings"]
    assert flaw["why"] == "the live session two has no entry"
    assert prepared.cli("validate", "--fix").code == 0
    assert hubs.stated(prepared, "two")["Status"] == "active"


def test_a_status_that_somebody_meant_is_no_flaw(prepared: Project) -> None:
    """What `update` or a person wrote over the journal's word is theirs."""
    prepared.remember("one", START, EDIT)
    prepared.cli("settle")
    assert prepared.cli("update", "action=waiting", "session_id=one", "context=for Mara").code == 0
    assert validate(prepared)["valid"]


def test_validate_without_a_hub_says_how_one_begins(prepared: Project) -> None:
    """Where no session did anything there is nothing to check."""
    done = prepared.cli("validate")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "holdfast: there is no hub yet. The first file edit or task of a session makes it, and so does: "
        'holdfast update action=started agent=NAME session_id=ID purpose="…"\n'
    )


def test_fix_mends_what_stands_beside_two_entries_of_one_id(prepared: Project) -> None:
    """Which of the two counts is a person's to say; what else is wrong is mended, and the count of it is reported."""
    twins = hubs.person("a-1", Children="X (down-1)") + hubs.person("a-1", Purpose="Other")
    late = hubs.person("b-1", Started="2025-10-17T16:00Z") * 2
    path = hubs.write(prepared, hubs.HEAD + twins + late + hubs.person("down-1"))
    assert "; `holdfast validate --fix` fixes 2 of them" in prepared.cli("validate").out
    done = prepared.cli("validate", "--fix")
    assert (done.code, done.out.count("its id a-1 is that of the entry on line 5; keep one of them")) == (1, 1), done
    text = path.read_text()
    assert (text.count("`a-1`"), text.count("`b-1`"), text.count("2025-10-17T16:00Z")) == (2, 1, 0)
    assert "fixes" not in prepared.cli("validate").out


def test_a_second_hub_is_reported(prepared: Project) -> None:
    """`validate` and `doctor` report a second hub at another known path, on line 1."""
    hubs.write(prepared, hubs.HEAD + PAIR)
    (prepared.root / ".genie").mkdir()
    (prepared.root / ".genie/SESSION-STATE.md").write_text(hubs.HEAD)
    reported = (
        "there is a second hub at .agents/SESSION-STATE.md, which is not kept up to date; "
        "move its entries here and delete it"
    )
    (flaw,) = validate(prepared)["findings"]
    assert (flaw["line"], flaw["why"], flaw["remedy"]) == (1, reported, "")
    assert f"✗ hub: {prepared.root}/.genie/SESSION-STATE.md; {reported}\n" in prepared.cli("doctor").out
    hubs.path(prepared).unlink()
    assert validate(prepared)["valid"]
    hubs.path(prepared).symlink_to(prepared.root / ".genie/SESSION-STATE.md")
    assert validate(prepared)["valid"]  # the same one
    assert f"✓ hub: {prepared.root}/.genie/SESSION-STATE.md\n" in prepared.cli("doctor").out


TORN = hubs.HEAD + "<<<<<<< HEAD\n" + PAIR + "\n=======\n>>>>>>> theirs\n" + hubs.HISTORY
BROKEN = {
    "conflict markers": (TORN, "line 4: "),
    "an open fence": (hubs.HEAD + PAIR + hubs.HISTORY + "\n```\n", "a code fence that never closes"),
}


@pytest.mark.parametrize(("text", "why"), BROKEN.values(), ids=BROKEN)
def test_a_hub_with_a_problem_is_reported_and_read_all_the_same(prepared: Project, text: str, why: str) -> None:
    """`tree`, `sweep`, `archive` and `validate --fix` name file and reason, and do what can be done without it."""
    old(prepared, "one", EDIT, *TASKS)
    lost = hubs.person("lost-1", Parent="X (gone-1)", Started="2025-10-17T16:00Z")
    path = hubs.write(prepared, text.replace("## Session History", f"{lost}\n## Session History"))
    before = path.read_bytes()
    known = {name: prepared.cli(name) for name in ("tree", "archive")}
    known["sweep"] = prepared.cli("sweep", "done", "all")
    for done in known.values():
        assert done.err.startswith("holdfast: .agents/SESSION-STATE.md: line "), done
        assert why in done.err
        assert done.err.count("\n") == 1
    assert "down-1\t" in known["tree"].out
    assert (known["archive"].code, known["archive"].out) == (1, "Nothing moved.\n")
    assert "closed one (" in known["sweep"].out
    assert "left lost-1 as it is: the hub is not written: line " in known["sweep"].out
    done = prepared.cli("validate", "--fix")
    assert (done.code, done.err.startswith("holdfast: .agents/SESSION-STATE.md: line ")) == (1, True), done
    assert "Started '2025-10-17T16:00Z' is not YYYY-MM-DD HH:MM UTC" in done.out
    assert path.read_bytes() == before


def test_a_start_tells_of_conflict_markers_in_the_hub(prepared: Project) -> None:
    """The user and Claude get one line; a hub without any open entry is no news, unless it has a problem."""
    hubs.write(prepared, hubs.HEAD + hubs.HISTORY)
    reply = prepared.fire("SessionStart", "one")
    assert "SESSION-STATE" not in reply.message + reply.context
    hubs.write(prepared, hubs.HEAD + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n" + hubs.HISTORY)
    line = "holdfast: .agents/SESSION-STATE.md: line 4: a merge left conflict markers; resolve them first"
    reply = prepared.fire("SessionStart", "two")
    assert line[:60] in reply.message
    assert reply.context.splitlines().count(line) == 1
    assert prepared.cli("brief").out.splitlines().count(line) == 1


def rows(project: Project, *arguments: str) -> dict[str, dict[str, Any]]:
    """Return `holdfast tree` by id."""
    return {row["id"]: row for row in json.loads(project.cli("tree", "--json", *arguments).out)}


def test_the_tree_shows_who_started_whom(prepared: Project) -> None:
    """Children are under their parent, forks under their origin, other entries among them; what is over is hidden."""
    hubs.write(prepared, hubs.HEAD + PAIR + hubs.person("done-1", Status="completed"))
    prepared.remember("one", START, EDIT, CHILD, {**CHILD, "agent": "a2", "status": "completed", "text": "found it"})
    prepared.remember("inner", {**START, "parent": "one"}, EDIT)
    prepared.remember("fork", {**START, "source": "fork", "origin": "one"}, EDIT)
    assert prepared.cli("settle").code == 0
    known = rows(prepared, "--all")
    depths = {ident: row["depth"] for ident, row in known.items()}
    assert depths == {"one": 0, "a1": 1, "a2": 1, "inner": 1, "fork": 1, "up-1": 0, "down-1": 1, "done-1": 0}
    assert (known["a2"]["last_line"], known["a2"]["status"]) == ("found it", "completed")
    assert (known["fork"]["forked_from"], known["inner"]["parent"]) == ("one", "one")
    assert set(rows(prepared)) == set(known) - {"a2", "done-1"}
    shown = prepared.cli("tree", HOLDFAST_SCREEN="80x24").out
    assert re.search(r"\ndown-1 +└─ Tests - Down +active +\d+ d\n", shown)
    assert "orphan" not in shown


def test_the_tree_is_drawn_and_leaves_out_who_did_nothing(prepared: Project) -> None:
    """Branches run on where another one follows; a session that only was there is left out, unless it lives."""
    hubs.write(prepared, hubs.HEAD)
    prepared.remember("one", START, EDIT, at=time.time() - 60)
    for number, (ident, parent) in enumerate((("in1", "one"), ("in2", "in1"), ("in3", "in1"), ("in4", "one"))):
        prepared.remember(ident, {**START, "parent": parent}, EDIT, at=time.time() - 70 - number)
    prepared.remember("idle", START, END)
    prepared.remember("above", START, END)
    prepared.remember("below", {**START, "parent": "above"}, EDIT, at=time.time() - 80)
    prepared.remember("asked", START, {"kind": "prompt", "text": "why"}, END, at=time.time() - 90)
    prepared.remember("alive", START, at=time.time() - 100)
    shown = prepared.cli("tree", "--all", HOLDFAST_SCREEN="80x24").out.splitlines()
    assert [re.split(" +(?:active|orphaned|ended|completed)\\b", line)[0] for line in shown[1:10]] == [
        "above  untitled",
        "below  └─ untitled",
        "one    untitled",
        "in1    ├─ untitled",
        "in2    │  ├─ untitled",
        "in3    │  └─ untitled",
        "in4    └─ untitled",
        "asked  why",
        "alive  untitled",
    ]


def test_entries_without_an_id_are_each_shown(prepared: Project) -> None:
    """Several that name no session are several, and none of them is swept or picked up."""
    nobody = hubs.person("a-1", "Git - One").replace("`a-1`", "", 1) + hubs.person("N/A", "Git - Two")
    hubs.write(prepared, hubs.HEAD + nobody + hubs.person("N/A", "Git - Three"))
    reported = prepared.cli("tree", HOLDFAST_SCREEN="80x24").out
    assert [
        " ".join(name.split()) in " ".join(reported.split())
        for name in ("no id Git - One", "N/A Git - Two", "N/A Git - Three")
    ] == [True] * 3
    assert prepared.cli("sweep").out == "Nothing is stale, and nothing is orphaned.\n"
    assert prepared.cli("resume", "--json").out == "[]\n"


def test_the_tree_shows_what_the_hub_says(prepared: Project) -> None:
    """A status that was given by hand is shown, over what the journal alone would tell."""
    prepared.remember("one", START, EDIT)
    prepared.cli("settle")
    assert rows(prepared)["one"]["status"] == "active"
    prepared.cli("update", "action=waiting", "session_id=one", "context=for Mara")
    assert rows(prepared)["one"]["status"] == "waiting"


def test_the_tree_shows_what_the_journal_says_since(prepared: Project) -> None:
    """A status that holdfast itself wrote into the hub gives way to what it would write now."""
    prepared.remember("one", START, EDIT)
    prepared.cli("settle")
    assert rows(prepared)["one"]["status"] == "active"
    prepared.remember("one", {"kind": "status", "status": "completed"})
    assert rows(prepared, "--all")["one"]["status"] == "completed"


def test_an_entry_without_an_open_parent_is_orphaned_with_the_way_to_adopt_or_close_it(prepared: Project) -> None:
    """A subagent that was cut off by the end of its session is none while that is open; a start names it."""
    lost = hubs.person("lost-1", Parent="X (gone-1)") + hubs.person("lost-2", Parent="X (gone-1)")
    hubs.write(prepared, hubs.HEAD + lost)
    prepared.remember("one", START, EDIT, CHILD, END)
    prepared.cli("settle")
    known = rows(prepared)
    assert {ident for ident, row in known.items() if row["orphaned"]} == {"lost-1", "lost-2"}
    reported = prepared.cli("tree", HOLDFAST_SCREEN="80x24").out
    assert reported.count(" active, orphaned ") == 2
    assert "Adopt it:    holdfast update action=in_progress session_id=ID parent_session=ID\n" in reported
    assert reported.endswith("holdfast update action=completed session_id=ID\n")
    assert [line.split("\t")[2] for line in prepared.cli("tree").out.splitlines()].count("active, orphaned") == 2
    assert "1 unfinished subagent" in prepared.fire("SessionStart", "two").context
    assert "Closed by `holdfast update action=completed session_id=a1`" in prepared.cli("brief", "--all").out
    prepared.cli("update", "action=completed", "session_id=a1")
    assert "unfinished subagent" not in prepared.fire("SessionStart", "three").context


def old(project: Project, ident: str, *facts: dict[str, Any], days: float = 3) -> None:
    """Write the journal of a session whose last fact is days old."""
    project.remember(ident, START, *facts, at=time.time() - days * DAY)


TASKS = [{"kind": "task", "id": "1", "subject": "Parse", "status": "completed"}]
OPEN = {"kind": "task", "id": "2", "subject": "Sum", "status": "pending"}
SWEPT = {
    "no state file": ([EDIT], "later", "silent for 3 d"),
    "a state file": ([EDIT, {"kind": "due"}], "done", "silent for 3 d"),
    "all tasks done": ([EDIT, {"kind": "due"}, *TASKS], "done", "1 task done"),
    "a task open": ([EDIT, {"kind": "due"}, *TASKS, OPEN], "later", "1 of 2 tasks open: Sum"),
    "given up": ([EDIT, {"kind": "due"}, *TASKS, OPEN], "drop", "1 of 2 tasks open: Sum"),
}


@pytest.mark.parametrize(("facts", "answer", "evidence"), SWEPT.values(), ids=SWEPT)
def test_a_sweep_shows_the_evidence_and_changes_what_is_named(
    prepared: Project, facts: list[dict[str, Any]], answer: str, evidence: str
) -> None:
    """Without an answer nothing changes; with one it is done in the state file and in the hub, and never twice."""
    old(prepared, "one", *facts)
    old(prepared, "two", EDIT)
    assert prepared.cli("settle").code == 0
    for state in prepared.state_files():
        state.write_text(state.read_text().replace('last_updated: "20', 'last_updated: "19'))
    before = hubs.path(prepared).read_bytes()
    shown = prepared.cli("sweep").out.splitlines()
    assert {line.split()[0] for line in shown[:2]} == {"one", "two"}
    assert evidence in next(line for line in shown if line.startswith("one "))
    assert hubs.path(prepared).read_bytes() == before
    word, status = {"done": ("closed", "completed"), "later": ("paused", "paused"), "drop": ("given up", "dropped")}[
        answer
    ]
    done = prepared.cli("sweep", answer, "one")
    assert (done.code, done.out.startswith(f"{word} one (")) == (0, True), done
    entry = hubs.stated(prepared, "one")
    assert entry["Status"].startswith(status)
    assert f"{word} by a sweep on " in entry["Context"]
    assert evidence in entry["Context"]
    assert entry["history"] == (status != "paused")
    for state in prepared.state_files():
        assert f"status: {status.replace('dropped', 'completed')}" in state.read_text()
    assert [line.split()[0] for line in prepared.cli("sweep").out.splitlines()[:1]] == ["two"]
    assert prepared.cli("validate").code == 0


@pytest.mark.parametrize("words", [("done",), ("maybe", "one"), ("later", "nobody"), ("--", "one")])
def test_a_sweep_that_names_nothing_changes_nothing(prepared: Project, words: tuple[str, ...]) -> None:
    """An answer needs a session, a session an answer that exists, and an id belongs to silent work."""
    old(prepared, "one", EDIT, {"kind": "due"})
    assert prepared.cli("settle").code == 0
    before = hubs.path(prepared).read_bytes()
    reply = prepared.cli("sweep", *words)
    assert (reply.code != 0, "holdfast sweep" in reply.err) == (True, True), reply
    assert hubs.path(prepared).read_bytes() == before
    assert prepared.facts("one", "status") == []


def test_a_sweep_leaves_what_the_client_lists_as_running(prepared: Project) -> None:
    """Its own list is a second opinion; a client that does not answer has none."""
    old(prepared, "one", EDIT)
    assert prepared.cli("settle", "--session", "one").code == 0
    path = prepared.client_lists([{"sessionId": "one", "cwd": str(prepared.root), "status": "idle"}])
    done = prepared.cli("sweep", "done", "all", PATH=path)
    assert done.out == "left one (untitled) as it is: `claude agents` lists it as running\n"
    prepared.client_lists(None)
    assert prepared.cli("sweep", "done", "all", PATH=path).out.startswith("closed one (")


def test_what_a_sweep_closes_stands_once(prepared: Project) -> None:
    """What goes from the history to the archive while it is swept is not put back beside it."""
    (prepared.root / ".agents/holdfast.toml").write_text("history_entries = 1\n")
    closed = [f"old-{number}" for number in range(4)]
    for ident in closed:
        old(prepared, ident, {"kind": "task", "id": "1", "subject": "Parse", "status": "completed"})
        assert prepared.cli("settle", "--session", ident).code == 0
    assert prepared.cli("sweep", "done", "all").code == 0
    reported = hubs.path(prepared).read_text() + (prepared.root / ".agents/SESSION-HISTORY.md").read_text()
    assert [reported.count(f"**Session ID:** `{ident}`") for ident in closed] == [1] * len(closed)
    assert reported.count("## Session History") >= 1


def test_a_sweep_leaves_what_lives_and_what_is_young(prepared: Project) -> None:
    """Live sessions, young ones, paused ones, and files of the whole project are nobody's to sweep."""
    prepared.remember("live", START, EDIT)
    old(prepared, "young", EDIT, days=0.5)
    hubs.write(prepared, hubs.HEAD + hubs.person("p-1", Status="paused") + hubs.person("new-1", Started=hubs.now()))
    prepared.cli("settle")
    assert prepared.cli("sweep").out == "Nothing is stale, and nothing is orphaned.\n"


def test_a_sweep_pauses_silent_entries_and_closes_orphans(prepared: Project) -> None:
    """An abandoned entry of another tool is paused; a child without a parent is closed."""
    hubs.write(prepared, hubs.HEAD + hubs.person("quiet-1") + hubs.person("lost-1", Parent="X (gone-1)"))
    assert prepared.cli("sweep", "later", "quiet-1").out.startswith("paused quiet-1 (Git - By hand): silent for ")
    closed = prepared.cli("sweep", "done", "lost-1").out
    assert closed.startswith("closed lost-1 (Git - By hand): its parent gone-1 is not there")
    assert (hubs.stated(prepared, "quiet-1")["Status"], hubs.stated(prepared, "lost-1")["history"]) == ("paused", True)


def test_resume_lists_what_can_be_picked_up_and_how(prepared: Project) -> None:
    """Ended, crashed and worktree sessions are listed with their exact line; what lives or is done is not."""
    tree = prepared.folder / "a tree"
    prepared.git("worktree", "add", "-q", "-b", "side", str(tree))
    for ident, folder, more in (
        ("ended", prepared.root, [END]),
        ("crashed", prepared.root / "src", []),
        ("side", tree, [END]),
        ("closed", prepared.root, [END, {"kind": "status", "status": "completed"}]),
        ("gone", prepared.folder / "no more", [END]),
        ("both", prepared.folder / "no more", [END]),
    ):
        old(prepared, ident, {"kind": "prompt", "text": f"do {ident}"}, {**EDIT, "path": f"{ident}.py"}, *more)
        facts = prepared.facts(ident)
        facts[0].update(folder=str(folder), root=str(folder if ident == "both" else prepared.root))
        (prepared.store / f"journal/{ident}.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
    (prepared.root / "src").mkdir()
    prepared.remember("live", START, EDIT)
    reported = {row["id"]: row["command"] for row in json.loads(prepared.cli("resume", "--json").out)}
    root = shlex.quote(str(prepared.root))
    assert reported == {
        "ended": f"cd {root} && claude --resume ended",
        "crashed": f"cd {root}/src && claude --resume crashed",
        "side": f"cd {shlex.quote(str(tree))} && claude --resume side",
        "gone": f"cd {root} && claude --resume gone",
        "both": f"cd {root} && claude --resume both",
    }
    assert {line.rpartition("\t")[2] for line in prepared.cli("resume").out.splitlines()} == {*reported.values()}
    shown = prepared.cli("resume", HOLDFAST_SCREEN="80x24").out
    headless = [line.partition(" ")[0] for line in shown.splitlines() if line.endswith(" its folder is gone")]
    assert sorted(headless) == ["both", "gone"]
    assert re.search(r"\nended +do ended +stale +3 d +main +-\n", shown)
    assert shown.endswith("\nResume one: holdfast resume ID\n")
    one = prepared.cli("resume", "crashed").out
    assert one.startswith("# Hand-over: do crashed\n")
    assert "State file:" not in one
    assert prepared.cli("resume", "both").out.endswith(f"Resume it: {reported['both']}\n")
    assert "crashed.py" in one
    assert one.endswith(f"Resume it: {reported['crashed']}\n")


def test_resume_lists_what_only_the_hub_knows(prepared: Project) -> None:
    """Open entries of sessions that are not known here follow, the newest first; what is done or known does not."""
    prepared.remember("one", START, EDIT, CHILD, END, at=time.time() - 7200)
    prepared.cli("settle")
    known = {
        "far-1": hubs.person("far-1", "Git - Older", Status="paused"),
        "far-2": hubs.person("far-2", "Git - Newer", Last_Updated=hubs.now()),
        "done-1": hubs.person("done-1", Status="completed"),
    }
    path = hubs.path(prepared)
    path.write_text(path.read_text().replace("\n## Session History", f"{''.join(known.values())}\n## Session History"))
    assert all(ident in path.read_text() for ident in known)
    found = json.loads(prepared.cli("resume", "--json").out)
    reported = [(row["id"], row["command"]) for row in found]
    assert [ident for ident, _ in reported] == ["one", "far-2", "far-1"]
    assert reported[1:] == [(ident, f"holdfast resume {ident}") for ident in ("far-2", "far-1")]
    assert len({tuple(row) for row in found}) == 1
    assert [line.split("\t")[-1] for line in prepared.cli("resume").out.splitlines()] == [
        row["command"] for row in found
    ]
    shown = prepared.cli("resume", HOLDFAST_SCREEN="80x24").out
    assert re.search(
        r"\nfar-2 +Git - Newer +active +now +- +in the hub\nfar-1 +Git - Older +paused +\d+ d +- +in the hub\n", shown
    )
    assert prepared.cli("resume", "far-2").out.startswith("# Hand-over: Git - Newer\n")
    asked = prepared.fire("SessionStart", "two", source="startup").message
    assert '"Git - Newer" active, "Git - Older" paused\nresume one of these or start fresh? ' in asked
    assert "2 more in the hub: /holdfast:resume" in prepared.fire("SessionStart", "two", source="resume").message


def test_a_start_counts_no_entry_that_it_asks_about(prepared: Project) -> None:
    """An entry that the question names is not one of those that there are more of."""
    path = hubs.path(prepared)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(hubs.HEAD + hubs.person("far-1", "Git - Older", Status="paused"))
    asked = prepared.fire("SessionStart", "two", source="startup").message
    assert "resume one of these or start fresh?" in asked
    assert "more in the hub" not in asked


def test_only_continue_goes_on_with_a_paused_state_file(prepared: Project) -> None:
    """A look changes nothing; `continue` sets it to in progress. Both print the line that resumes the conversation."""
    old(prepared, "one", EDIT, {"kind": "due"}, END)
    prepared.cli("settle")
    prepared.cli("pause", "one")
    (state,) = prepared.state_files()
    assert "status: paused" in state.read_text()
    for command, status in (("resume", "paused"), ("continue", "in_progress")):
        done = prepared.cli(command, "one")
        assert (done.code, f"status: {status}" in state.read_text()) == (0, True)
        assert "claude --resume one" in done.out


COMMANDS: list[tuple[list[str], str, str]] = [
    (["pause", "one"], "Status", "paused"),
    (["continue", "one"], "Status", "active"),
    (["sync", "--convo-id", "one", "--json", '{"orchestration": {"current_task": "Sums"}}'], "Purpose", "Sums"),
    (["close", "one"], "Status", "completed"),
]


def test_the_hub_follows_what_is_done_to_a_state_file_by_hand(prepared: Project) -> None:
    """After each command the session's entry says the same; a hub that cannot be written is a note, and no failure."""
    old(prepared, "one", EDIT, {"kind": "due"}, END, days=0.1)
    prepared.cli("settle")
    for command, field, value in COMMANDS:
        done = prepared.cli(*command)
        assert (done.code, done.err) == (0, "")
        assert hubs.stated(prepared, "one")[field] == value, command
    hub = hubs.path(prepared)
    hub.write_text(hub.read_text() + "\n```\n")
    before = hub.read_bytes()
    for command, _, _ in [
        (["sync", "--convo-id", "one", "--json", '{"Metadata": {"status": "paused"}}'], "", ""),
        *COMMANDS[1:],
    ]:
        done = prepared.cli(*command)
        assert done.code == 0, done
        assert done.err.startswith(f"holdfast: the hub was not updated: {hub}: line ")
        assert done.err.count("\n") == 1
    assert hub.read_bytes() == before


def test_a_start_asks_once_about_what_can_be_picked_up(prepared: Project) -> None:
    """The user is asked at each start of a person, also in a second terminal, and not when a session goes on."""
    old(prepared, "one", {"kind": "prompt", "text": "parse the invoices"}, EDIT, END, days=0.1)
    prepared.cli("settle")
    first = prepared.fire("SessionStart", "two")
    assert re.fullmatch(r'\n?"parse the invoices" \(2 h\): /holdfast:resume one or start fresh\?', first.message)
    assert 'Whether to resume "parse the invoices" (`holdfast resume one`) or to start fresh' in first.context
    for source in ("startup", "resume", "compact", "clear"):
        asked = "start fresh" in prepared.fire("SessionStart", "three", source=source).message
        assert asked == (source == "startup")
    assert "open" not in prepared.fire("SessionStart", "three", source="resume").message


def test_a_start_asks_about_two_sessions_and_about_the_same_stale_one_once_a_week(prepared: Project) -> None:
    """What was left lately is asked about until three prompts ignored it; after that all are counted."""
    task = {"kind": "task", "id": "1", "subject": "s", "status": "pending"}
    for ident, days in (("crashed", 0.1), ("silent", 3)):
        old(prepared, ident, {"kind": "prompt", "text": f"do {ident}"}, EDIT, task, days=days)
    asked = []
    for number in range(7):
        asked.append(f"{prepared.fire('SessionStart', f's{number}').message}\n".strip().split("\n")[0])
        prepared.fire("UserPromptSubmit", f"s{number}")
        prepared.fire("SessionEnd", f"s{number}")
    assert asked[0] == '"do crashed" (2 h): /holdfast:resume crashed'
    assert asked[1:3] == ['"do crashed" (2 h): /holdfast:resume crashed or start fresh?'] * 2
    assert asked[3:] == ["2 open: /holdfast:resume"] * 4


@pytest.mark.parametrize(
    ("name", "value"), [("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"), ("CLAUDE_CODE_SESSION_ATTENDED", "0")]
)
def test_no_question_where_no_person_answers(prepared: Project, name: str, value: str) -> None:
    """A program that runs Claude Code gets what there is, without a question; a person is asked at the next start."""
    old(prepared, "one", {"kind": "prompt", "text": "parse the invoices"}, EDIT, END, days=0.1)
    prepared.cli("settle")
    data = json.dumps(prepared.payload("SessionStart", "two")).encode()
    assert (
        "start fresh" not in prepared.send("SessionStart", data, "two", cwd=None, around=("env", f"{name}={value}")).out
    )
    assert "start fresh" in prepared.fire("SessionStart", "three").message


def test_the_help_of_update_has_a_line_for_each_key(here: Project) -> None:
    """What each key takes is read at a glance."""
    reported = here.cli("update", "--help").out.splitlines()
    keys = ("action", "agent", "session_id", "purpose", "context", "parent_session", "branch")
    assert [key for key in keys if not any(line.startswith(f"  {key} ") for line in reported)] == []


@pytest.mark.parametrize(("filename", "named"), [("/p/SESSION-STATE.md", "/p/SESSION-STATE.md"), (None, "the system")])
def test_an_error_of_the_disk_is_an_answer(
    prepared: Project, monkeypatch: pytest.MonkeyPatch, filename: str | None, named: str
) -> None:
    """It says where, and what to type."""

    def failing(*_: object) -> None:
        raise OSError(28, "No space left on device", filename)

    monkeypatch.setattr(update_hub, "run", failing)
    reply = prepared.cli("update", "action=started", "agent=git", "session_id=one", "purpose=Begin")
    assert (reply.code, json.loads(reply.out)["error"]) == (1, f"{named}: No space left on device")
