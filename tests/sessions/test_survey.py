"""Sessions as the facts of their journals come to them: folded, live or not, stale or not."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import process
from holdfast.journal import file_touches, log
from holdfast.project import discovery, paths
from holdfast.sessions import survey
from holdfast.sessions.session import Session, with_state
from holdfast.sessions.workspace import Workspace
from tests.support import hooks, hubs, places
from tests.support.facts import fold, plain
from tests.support.hooks import Claude

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
NOW = 1_800_000_000.0
HOUR = 3600.0
KINDS = (
    *("start", "prompt", "edit", "attempt", "worktree", "task", "child", "answer", "compact", "summary", "end"),
    *("state", "settled", "measured", "blocks", "note", "frobnicate"),
)
KEYS = (
    *("source", "pid", "process", "host", "branch", "root", "cwd", "text", "path", "tool", "id", "subject", "status"),
    *("type", "agent", "background", "trigger", "reason", "by", "facts", "uncommitted", "examples", "mentions"),
)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.lists(st.text(max_size=3), max_size=2)
)
FACTS = st.lists(
    st.builds(
        lambda kind, at, rest: {**rest, "kind": kind, "at": at},
        st.sampled_from(KINDS),
        st.one_of(st.integers(), st.floats(), st.floats(0, 2e9)),
        st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6),
    ),
    max_size=12,
)


def _survey(project: Project, now: float) -> dict[str, Session]:
    project.accept()
    found = survey.survey(Workspace(paths.locate(str(project.root)), now))
    return {session.id: session for session in found.sessions}


@given(FACTS)
def test_any_facts_fold(facts: list[dict[str, Any]]) -> None:
    """Any beginning of any journal comes to a session that can be asked everything."""
    for end in range(len(facts) + 1):
        session = fold("one", facts[:end])
        for ask in (session.inside, session.unfinished, session.running):
            assert isinstance(ask(), list)
        assert isinstance(session.title, str)
        assert session.settling.unsettled in (True, False)


@given(FACTS)
def test_unknown_kinds_are_ignored(facts: list[dict[str, Any]]) -> None:
    """Facts of kinds that this version does not know change nothing but the time of the session's last fact."""
    known = fold("one", [fact for fact in facts if fact["kind"] != "frobnicate"])
    whole = fold("one", facts)
    assert _values(known) == _values(whole)


def _values(session: Session) -> dict[str, str]:
    """Return in words all that is known of a session, except the time of its last fact and its number of facts."""
    later = {"last_active", "unsettled", "journaled", "count", "last", "changed", "pending", "news"}
    return {key: repr(plain(value, later)) for key, value in vars(session).items() if key not in later}


def test_a_session_is_what_its_journal_says(here: Project) -> None:
    """Prompt, files, tasks, children, worktree and answer of a session come from its journal."""
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="/holdfast:list")
    here.fire("UserPromptSubmit", prompt="<task-notification>done</task-notification>")
    here.fire("UserPromptSubmit", prompt="parse the invoices")
    here.fire("UserPromptSubmit", prompt="and the receipts")
    here.edit("a.py")
    here.edit("b.py")
    here.edit("a.py")
    here.edit("/elsewhere/c.py")
    here.fire("TaskCreated", task_id="1", task_subject="lex")
    here.fire("TaskCreated", task_id="2", task_subject="parse")
    here.fire("TaskCompleted", task_id="1", task_subject="lex")
    here.fire("SubagentStart")
    here.fire("Stop")
    one = _survey(here, time.time())["one"]
    assert (one.title, one.talk.answer, one.branch) == ("parse the invoices", "half of it is done", "main")
    assert one.inside() == ["a.py", "b.py"]
    assert list(one.files) == ["b.py", "a.py", "/elsewhere/c.py"]
    assert (one.unfinished(), one.running()) == (["parse"], ["general-purpose"])
    assert (one.live, one.stale, one.active, one.ended) == (True, False, True, 0.0)


def test_a_killed_client_is_not_live(here: Project) -> None:
    """A session lives as long as its very process does; after kill -9 it is shown as not live."""
    claude = Claude(here)
    claude.fire("SessionStart", "one")
    claude.fire("PostToolUse", "one")
    (fact,) = here.facts(kind="start")
    assert (fact["pid"], fact["process"]) == (claude.pid, process.identity(claude.pid))
    assert _survey(here, time.time())["one"].live
    claude.kill()
    one = _survey(here, time.time())["one"]
    assert (one.live, one.active, one.crashed) == (False, True, True)


def test_a_process_with_the_same_number_is_not_the_session(here: Project) -> None:
    """A number that another process got later does not make a dead session live."""
    start = {"kind": "start", "pid": os.getpid(), "host": os.uname().nodename, "process": "another-1"}
    here.remember("one", start)
    here.remember("two", {**start, "process": process.identity(os.getpid())})
    assert {ident: session.live for ident, session in _survey(here, time.time()).items()} == {"one": False, "two": True}


@pytest.mark.parametrize(
    ("minutes", "live_and_stale"),
    [(0, (True, False)), (9, (True, False)), (11, (False, False)), (25 * 60, (False, True))],
)
def test_a_session_of_another_host_lives_by_when_it_was_heard(
    here: Project, minutes: int, live_and_stale: tuple[bool, bool]
) -> None:
    """The processes of another host cannot be seen, so its sessions live for ten minutes after their last fact."""
    edit = {"kind": "edit", "path": "a"}
    here.remember("one", {"kind": "start", "pid": os.getpid(), "process": "x", "host": "elsewhere"}, edit, at=NOW)
    one = _survey(here, NOW + minutes * 60)["one"]
    assert (one.live, one.stale) == live_and_stale


@pytest.mark.parametrize(
    ("facts", "hours", "expected"),
    [
        ([{"kind": "edit", "path": "a"}], 23, "silent"),
        ([{"kind": "edit", "path": "a"}], 25, "stale"),
        ([{"kind": "edit", "path": "a"}, {"kind": "end", "reason": "other"}], 25, "stale"),
        ([{"kind": "prompt", "text": "why?"}], 25, "ended"),
    ],
)
def test_stale_says_active_and_is_silent(here: Project, facts: list[dict[str, Any]], hours: int, expected: str) -> None:
    """A session that says active, is dead, and was silent for longer than the window is stale."""
    here.remember("one", {"kind": "start", "pid": 1, "process": "x", "host": os.uname().nodename}, *facts, at=NOW)
    one = _survey(here, NOW + hours * HOUR)["one"]
    assert (one.live, one.stale) == (False, expected == "stale")


def test_the_windows_are_settings(prepared: Project) -> None:
    """Projects choose how long silence may last."""
    (prepared.root / ".agents/holdfast.toml").write_text("live_minutes = 60\nstale_hours = 1\n")
    prepared.remember("far", {"kind": "start", "host": "elsewhere"}, at=NOW)
    edit = {"kind": "edit", "path": "a"}
    prepared.remember("near", {"kind": "start", "host": os.uname().nodename, "process": "x"}, edit, at=NOW)
    found = _survey(prepared, NOW + 59 * 60)
    assert (found["far"].live, found["near"].stale) == (True, False)
    found = _survey(prepared, NOW + 61 * 60)
    assert (found["far"].live, found["near"].stale) == (False, True)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("in_progress", "active"),
        ("paused", "paused"),
        ("Completed", "completed"),
        ("done ✅", "completed"),
        ("abandoned", "dropped"),
    ],
)
def test_a_state_files_own_word_decides(prepared: Project, word: str, status: str) -> None:
    """What a person wrote as the status counts for more than what was journaled."""
    path = prepared.write_state(status=word)
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.fire("SessionEnd", reason="other")
    one = _survey(prepared, time.time())["one"]
    assert (one.status, one.title) == (status, "The parser")


def test_a_resumed_session_is_no_longer_ended(here: Project) -> None:
    """A session that starts again is active again, with all that it did before."""
    here.fire("SessionStart")
    here.edit("a.py")
    here.fire("SessionEnd")
    assert _survey(here, time.time())["one"].ended
    here.fire("SessionStart", source="resume")
    one = _survey(here, time.time())["one"]
    assert (one.ended, one.live, one.inside()) == (0.0, True, ["a.py"])


def test_torn_lines_are_passed_over(here: Project) -> None:
    """A journal that was cut in the middle of a line, or damaged, still tells the rest; the next fact starts anew."""
    here.remember("one", {"kind": "start", "host": "elsewhere"}, {"kind": "edit", "path": "a"}, at=NOW)
    file = here.store / "journal/one.jsonl"
    file.write_bytes(file.read_bytes() + b'7\n[]\n{"at": "x", "kind": 3}\n\xff\xfe\n\n{"at": 5, "kind": "edit", "pa')
    here.edit("b")
    assert [fact.get("path") for fact in here.facts()] == [None, "a", "b"]


def test_state_files_without_a_journal_are_known(prepared: Project) -> None:
    """A file that came with a clone is a session too, by the time in it, in any format; a link is not."""
    prepared.write_state("20251204-143000-parser.md")
    prepared.write_state("20251204-143001-no-time.md", updated="yesterday")
    (prepared.root / ".agents/sessions/notes.md").write_text("# Notes\n")
    (prepared.root / ".agents/sessions/link.md").symlink_to("/etc/hostname")
    found = _survey(prepared, NOW)
    assert {ident: session.summary["format"] for ident, session in found.items()} == {
        "20251204-143000-parser": "agents",
        "20251204-143001-no-time": "agents",
        "notes": "unknown",
    }
    assert found["20251204-143000-parser"].last_active == 1764858600.0
    assert found["20251204-143000-parser"].stale


def test_files_of_one_name_in_two_places_are_two(here: Project) -> None:
    """State files with one name are distinguished by where they are, also in a project that was not prepared."""
    for name in ("a", "b"):
        places.put(here, f".project/sessions/{name}/STATE.md", title=f"Work {name}")
    places.put(here, ".agents/sessions/20251204-143000-parser.md")
    here.git("add", ".")
    found = _survey(here, NOW)
    assert {ident: (session.title, session.state_name) for ident, session in found.items()} == {
        ".project/sessions/a/STATE": ("Work a", ".project/sessions/a/STATE.md"),
        ".project/sessions/b/STATE": ("Work b", ".project/sessions/b/STATE.md"),
        "20251204-143000-parser": ("The parser", ".agents/sessions/20251204-143000-parser.md"),
    }
    here.edit(".project/sessions/a/STATE.md")
    found = _survey(here, NOW)
    assert set(found) == {"one", ".project/sessions/b/STATE", "20251204-143000-parser"}
    assert (found["one"].title, found["one"].inside()) == ("Work a", [])


def test_who_holds_one_may_take_up_another_of_that_name(here: Project) -> None:
    """A file is not taken because another session has a file with the same name."""
    for name in ("a", "b"):
        places.put(here, f".project/sessions/{name}/STATE.md")
    here.edit(".project/sessions/a/STATE.md", "one")
    here.edit(str(here.write_state()), "two")
    here.edit(".project/sessions/a/STATE.md", "two")
    here.edit(".project/sessions/b/STATE.md", "two")
    assert [fact["path"] for fact in here.facts("two", "state")] == [
        ".agents/sessions/20251204-143000-parser.md",
        ".project/sessions/b/STATE.md",
    ]


def test_a_place_that_a_hook_did_not_know_is_known_by_the_next_settle(here: Project) -> None:
    """What hooks know of the places is a shortcut: without it an edited state file becomes the session's own later."""
    path = places.put(here, ".project/sessions/a/STATE.md")
    (here.store / "patterns").unlink()
    here.edit(str(path))
    assert here.facts(kind="state") == []
    here.edit("a.py")
    places.put(here, ".project/sessions/b/STATE.md")
    assert here.cli("init").code == 0
    assert here.cli("settle", "--session", "one").code == 0
    assert [fact["path"] for fact in here.facts(kind="state")] == [".project/sessions/a/STATE.md"]
    assert _survey(here, time.time())["one"].inside() == ["a.py"]


def test_a_session_with_state_files_of_its_own_places_folds(here: Project) -> None:
    """What is a state file, and no file that the work changed, depends on the places of the project."""
    here.edit("notes/now.md")
    facts = here.facts()
    assert (fold("one", facts).inside(), fold("one", facts).file.unclaimed) == (["notes/now.md"], "")
    session = fold("one", facts, str(here.root), ("notes/*.md",))
    assert (session.inside(), session.file.unclaimed) == ([], str(here.root / "notes/now.md"))


def test_too_many_state_files_are_reported(here: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with more files than are looked at is no reason to say nothing of it."""
    monkeypatch.setattr(discovery, "MAX_NAMES", 20)
    folder = here.root / ".agents/sessions"
    folder.mkdir(parents=True)
    for number in range(discovery.MAX_NAMES + 2):
        (folder / f"{number}.md").touch()
    assert survey.survey(Workspace(paths.locate(str(here.root)), NOW)).left_out == 2


def test_journals_of_nowhere_are_none() -> None:
    """Where nothing is kept there are no sessions, and the file system's root is not asked for them."""
    assert log.sessions("") == []
    assert survey.survey(Workspace(paths.Project("", "", "", ""), NOW)).sessions == []


def test_a_state_file_that_comes_back_is_the_sessions_own_again(tmp_path: Path) -> None:
    """While it is gone the session has none; a process that looks again later finds it."""
    state = tmp_path / "state.md"
    session = Session("one").replace(claimed=str(state), state_root=str(tmp_path))
    session = with_state(session, paths.locate(str(tmp_path)))
    assert session.state == ""
    state.touch()
    assert with_state(session, paths.locate(str(tmp_path))).state == str(state)


def test_files_that_an_accepted_hub_names_are_noted(prepared: Project, tmp_path: Path) -> None:
    """An active entry by hand counts as being at work on them, unless a clone brought the hub."""
    hubs.write(prepared, hubs.HEAD + hubs.person("1111", Context="Files: src/tax.py"))
    prepared.git("add", "--all")
    prepared.git("commit", "--quiet", "--message", "A hub")
    cloned = tmp_path / "cloned"
    prepared.git("clone", "-q", ".", str(cloned))
    for root, named in ((prepared.root, {"1111"}), (cloned, set())):
        project = paths.locate(str(root))
        assert survey.survey(Workspace(project)).note_files() == named, root
        assert [touch.session for touch in file_touches.lines(project.store, "src/tax.py")] == [*named]


@pytest.mark.parametrize(("ident", "counts"), [("live", True), ("over", False), ("by-hand", True)])
def test_an_entry_of_the_hub_declares_its_files(prepared: Project, ident: str, *, counts: bool) -> None:
    """Not once its session is over."""
    prepared.fire("SessionStart", "live")
    prepared.fire("SessionStart", "over")
    prepared.fire("SessionEnd", "over")
    hubs.write(prepared, hubs.HEAD + hubs.person(ident, Context="\n- Files: src/a.py"))
    prepared.accept()
    found = survey.survey(Workspace(paths.locate(str(prepared.root)))).note_files()
    assert found == ({ident} if counts else set())


@pytest.mark.parametrize("pack", ["", "pack-refs --all"])
@pytest.mark.parametrize(("then", "near"), [("", 0), ("branch -q -d feat", 2)])
def test_work_is_near_where_its_branch_is_gone(prepared: Project, pack: str, then: str, near: int) -> None:
    """A branch whose ref git has packed exists; work of one that was deleted is where its file is."""
    prepared.git("switch", "-q", "-c", "feat")
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.settled()
    prepared.git("add", "--all")
    prepared.git("commit", "-q", "-m", "half of it")
    prepared.git("switch", "-q", "main")
    prepared.git("merge", "-q", "feat")
    for line in filter(None, [pack, then]):
        prepared.git(*line.split())
    assert _survey(prepared, time.time())["one"].near == near
