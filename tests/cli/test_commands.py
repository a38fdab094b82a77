"""The command line: each command as a person types it, what it answers, and what it says when it cannot."""

from __future__ import annotations

import json
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks
from tests.support.machine import snapshot

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
ROW = {
    *("id", "title", "status", "format", "branch", "worktree", "live", "stale", "last_heard", "ended", "how"),
    *(
        "files_touched",
        "children",
        "orphaned",
        "state_file",
        "where",
        "put_off",
        "focus",
        "objective",
        "progress",
        "phase",
        "current",
    ),
    *("next", "questions", "decisions", "blockers", "artifacts", "updated"),
}


def test_a_second_piece_of_work_with_one_title_is_mentioned(prepared: Project) -> None:
    """It may be meant, so it is begun; a session that goes on, other titles and completed work are not described."""
    first = prepared.cli("start", "Parse the invoices")
    again = prepared.cli("start", "Parse the invoices", "--json")
    assert (first.code, first.err, again.code) == (0, "", 0)
    path = json.loads(again.out)["path"]
    assert path != first.out.strip()
    known = first.out.strip().rpartition("/")[2].removesuffix(".md")
    assert again.err == f"holdfast: this title is also that of open work: holdfast status {known}\n"
    assert prepared.cli("start", "Parse the orders").err == ""
    for name in first.out.strip(), path:
        assert prepared.cli("close", name, "--force").code == 0
    assert prepared.cli("start", "Parse the invoices").err == ""


def test_init_names_the_root_and_asks_about_an_unusual_place(here: Project) -> None:
    """In a subdirectory it names the root; a home directory is refused without a word of the user; git is missed."""
    inner = here.root / "src/deep"
    inner.mkdir(parents=True)
    assert f"Prepares {here.root}, the root of" in here.cli("init", cwd=inner).out
    refused = here.cli("init", cwd=here.home)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        f"holdfast: {here.home} is your home directory: every session below it that is in no other project would count "
        "as one of this one. If that is meant: holdfast init --yes\n"
    )
    assert not (here.home / ".agents").exists()
    assert here.cli("init", "--yes", cwd=here.home).code == 0
    (here.folder / "bare").mkdir()
    assert "is not in git: nothing is staged" in here.cli("init", cwd=here.folder / "bare").err


def test_init_prepares_a_project_once(here: Project) -> None:
    """The first `init` makes the settings file and sets git up; the second changes nothing and says so."""
    first = here.cli("init")
    assert (first.code, first.err) == (0, "")
    assert ".agents/holdfast.toml" in first.out
    assert "To share this with others, commit .agents/holdfast.toml.\n" in first.out
    assert here.git("status", "--short", "-uall").split()[1::2] == [".agents/holdfast.toml"]
    before = snapshot(here.root)
    second = here.cli("init")
    assert (second.code, second.out) == (0, ".agents/holdfast.toml is there already; nothing changed.\n")
    assert snapshot(here.root) == before


def test_init_outside_git_keeps_journals_out_of_sight(here: Project) -> None:
    """A folder that git does not know is prepared too; what is never committed gets a .gitignore of its own."""
    shutil.rmtree(here.root / ".git")
    assert here.cli("init").code == 0
    assert (here.root / ".agents/.holdfast/.gitignore").read_text() == "*\n"
    here.fire("SessionStart")
    here.edit("a.txt")
    assert (here.root / ".agents/.holdfast/journal/one.jsonl").exists()
    assert here.cli("start", "Work").code == 0
    here.git("init", "-q")
    here.git("add", "-A")
    assert [name for name in here.staged() if "/.holdfast/" in name] == []


def test_init_does_not_follow_a_link_out_of_the_project(here: Project) -> None:
    """Where `.agents` leads somewhere else nothing is written."""
    (here.folder / "elsewhere").mkdir()
    (here.root / ".agents").symlink_to(here.folder / "elsewhere")
    reply = here.cli("init")
    assert reply.code == 1
    assert ".agents" in reply.err
    assert list((here.folder / "elsewhere").iterdir()) == []


def test_start_creates_and_stages_a_state_file(prepared: Project) -> None:
    """`start` makes a handoff-ready file named by time and title, stages it, and prints its path."""
    reply = prepared.cli("start", "Parse the invoices: ä\x1b[31m & more")
    (path,) = prepared.state_files()
    assert (reply.code, reply.out) == (0, f".agents/sessions/{path.name}\n")
    assert path.name[15:] == "-parse-the-invoices-ä-more.md"
    assert time.strptime(path.name[:15], "%Y%m%d-%H%M%S")
    assert prepared.staged() == [f".agents/sessions/{path.name}"]
    text = path.read_text()
    assert all(f"\n## {title}\n" in text for title in ("Context", "Current State", "Next Steps"))
    assert "\x1b" not in text
    assert prepared.cli("start", "Parse the invoices: ä & more").out != reply.out


def test_start_belongs_to_the_session_that_types_it(prepared: Project) -> None:
    """In Claude's shell the new file becomes the session's own; with --session it becomes that one's."""
    prepared.fire("SessionStart")
    prepared.fire("SessionStart", "two")
    assert prepared.cli("start", "Nobody's", "--session", "three").code == 1
    prepared.cli("start", "Mine", CLAUDE_CODE_SESSION_ID="one")
    prepared.cli("start", "Theirs", "--session", "two")
    assert [fact["by"] for fact in prepared.facts("one", "state") + prepared.facts("two", "state")] == ["start"] * 2
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    (mine,) = [path for path in prepared.state_files() if path.name.endswith("-mine.md")]
    assert "- `a.py`" in mine.read_text()


def test_start_refuses_an_id_that_names_no_session(prepared: Project) -> None:
    """What the shell says of its session is no path into other folders."""
    reply = prepared.cli("start", "Work", CLAUDE_CODE_SESSION_ID="../../x")
    assert (reply.code, reply.out, prepared.state_files()) == (1, "", [])
    assert "'../../x' is not a session's id" in reply.err
    assert "holdfast list --all" in reply.err


def test_start_says_when_it_could_not_stage(prepared: Project) -> None:
    """A file that git cannot have now is made all the same; the person learns it, and no journal is made up for it."""
    (prepared.root / ".git/MERGE_HEAD").write_text(prepared.git("rev-parse", "HEAD"))
    reply = prepared.cli("start", "Work")
    assert (reply.code, len(prepared.state_files()), prepared.staged()) == (0, 1, [])
    assert "is not staged: " in reply.err
    assert reply.err.count("\n") == 1
    assert list(prepared.store.glob("journal/*")) == []


# The place, the command, and what the message must tell: the cause, and what to type.
ERRORS = [
    ("bare", ["init"], ["bare repository", "worktree"]),
    ("bare", ["start", "Work"], ["bare repository", "worktree"]),
    ("plain", ["start", "Work"], ["/plain", "holdfast init"]),
    ("plain", ["settle"], ["holdfast init"]),
    ("project", ["start", " \x1b[0m "], ["title is empty", "holdfast start"]),
    ("project", ["start", "Work", "--session", "../../x"], ["'../../x'", "holdfast list --all"]),
    ("project", ["brief", "--session", "nobody"], ["'nobody'", "holdfast list --all"]),
    ("project", ["-C", "/nowhere", "init"], ["/nowhere", "-C"]),
]


@pytest.mark.processes
@pytest.mark.parametrize(("place", "command", "reported"), ERRORS)
def test_errors_tell_the_remedy(here: Project, place: str, command: list[str], reported: list[str]) -> None:
    """What cannot be done exits 1 with one line that says why and what to do; nothing is changed."""
    here.git("clone", "-q", "--bare", str(here.root), str(here.folder / "bare"))
    (here.folder / "plain").mkdir()
    before = snapshot(here.folder)
    reply = here.cli(*command, cwd=here.folder / place)
    assert (reply.code, reply.out) == (1, "")
    assert reply.err.startswith("holdfast: ")
    assert reply.err.count("\n") == 1
    assert [word for word in reported if word not in reply.err] == []
    assert {name: state for name, state in snapshot(here.folder).items() if name in before} == before


@pytest.mark.processes
@pytest.mark.parametrize("command", [["frobnicate"], ["start"], ["list", "--format", "xml"], ["--nonsense"]])
def test_misuse_is_distinguished(here: Project, command: list[str]) -> None:
    """A command that does not exist, or lacks something, exits 2 and shows how it is used."""
    reply = here.cli(*command)
    assert (reply.code, reply.out) == (2, "")
    assert reply.err.startswith("holdfast: ")
    assert " --help" in reply.err


@pytest.mark.parametrize("group", ["loop", "task", "plan", "phase", "share"])
def test_a_group_without_a_command_shows_its_help(here: Project, group: str) -> None:
    """As it is, line by line, with exit code 2."""
    reply = here.cli(group)
    assert (reply.code, reply.out) == (2, "")
    assert reply.err == here.cli(group, "--help").out


@pytest.mark.parametrize("command", [["--help"], ["-h"], ["start", "--help"], ["--version"]])
def test_help_and_version(here: Project, command: list[str]) -> None:
    """Help and version are printed and nothing is touched, wherever that is."""
    reply = here.cli(*command, cwd=here.folder)
    assert (reply.code, reply.err) == (0, "")
    assert reply.out


def test_list_hides_what_is_over_and_shows_all_on_demand(prepared: Project) -> None:
    """`list` shows what lives or is unfinished; `--all` shows what was done before today, too."""
    prepared.fire("SessionStart", "live")
    prepared.edit("a.py", "live")
    work = [{"kind": "start", "host": "elsewhere"}, {"kind": "edit", "path": "b.py"}]
    prepared.remember("cut", *work, at=time.time() - 7200)
    prepared.remember("done", *work, {"kind": "status", "status": "completed"}, at=time.time() - 90_000)
    prepared.settled("live")
    for arguments, expected in (([], {"live", "cut"}), (["--all"], {"live", "cut", "done"})):
        rows = json.loads(prepared.cli("list", "--json", *arguments).out)
        assert {row["id"] for row in rows} == expected
        assert all(set(row) == ROW for row in rows)
        for size in (None, "80x24"):
            lines = prepared.cli("list", *arguments, HOLDFAST_SCREEN=size).out.splitlines()
            assert {line.split()[0] for line in lines} & {"live", "cut", "done"} == expected
    (live,) = [row for row in rows if row["id"] == "live"]
    assert (live["live"], live["files_touched"], live["branch"]) == (True, ["a.py"], "main")
    assert live["worktree"] == str(prepared.root)
    assert live["state_file"].startswith(".agents/sessions/")


def test_list_with_nothing_to_show(here: Project) -> None:
    """Where there is no session, or none that matters, one line says so."""
    nothing = "No session is known here yet. Prepare this project: holdfast init\n"
    assert here.cli("list") == (0, "", nothing)
    assert here.cli("list", HOLDFAST_SCREEN="80x24") == (0, nothing, "")
    assert here.cli("list", "--json").out == "[]\n"
    work = [{"kind": "start"}, {"kind": "edit", "path": "b"}, {"kind": "status", "status": "completed"}]
    here.remember("done", *work, at=time.time() - 90_000)
    assert here.cli("list").err == "No session is active here; 1 done earlier: holdfast list --all\n"


def test_brief_prints_what_a_session_would_get(prepared: Project) -> None:
    """`brief` prints the context of a SessionStart, for a new session or for the one that is named by a beginning."""
    path = prepared.write_state()
    prepared.edit(str(path), "abcdef")
    reported = prepared.fire("SessionStart", "abcdef", source="resume").context
    assert prepared.cli("brief", "--session", "abc").out.rstrip("\n") == reported
    assert "This session's state file" not in prepared.cli("brief").out


def test_settle_catches_up_with_what_was_cut_off(prepared: Project) -> None:
    """`settle` writes what the journals hold and the state files do not, once; another run finds nothing to do."""
    path = prepared.write_state()
    fact = {"kind": "state", "path": f".agents/sessions/{path.name}", "root": str(prepared.root), "by": "edit"}
    prepared.remember("one", {"kind": "start", "root": str(prepared.root)}, fact, {"kind": "edit", "path": "a.py"})
    assert prepared.cli("settle").out == "Settled 1 session: one\n"
    assert "- `a.py`" in path.read_text()
    before = snapshot(prepared.root / ".agents")
    assert prepared.cli("settle").out == "Everything was settled already.\n"
    assert snapshot(prepared.root / ".agents") == before


def test_one_broken_state_file_does_not_stop_the_others(prepared: Project) -> None:
    """A session whose file cannot be written to is reported and logged once; every other one is settled."""
    good = prepared.write_state("20251204-143001-good.md")
    target = prepared.folder / "target.md"
    good.with_name("20251204-143000-bad.md").symlink_to(shutil.copy(good, target))
    for ident, name in (("a", "bad"), ("b", "good")):
        path = f".agents/sessions/20251204-14300{int(name == 'good')}-{name}.md"
        state = {"kind": "state", "path": path, "root": str(prepared.root), "by": "edit"}
        prepared.remember(ident, {"kind": "start", "root": str(prepared.root)}, state, {"kind": "edit", "path": "x.py"})
    before = target.read_bytes()
    for _ in range(2):
        reply = prepared.cli("settle")
        assert (reply.code, "20251204-143000-bad.md" in reply.err) == (1, True)
    assert "- `x.py`" in good.read_text()
    assert target.read_bytes() == before
    assert len(prepared.log) == 1
    assert "bad.md" in prepared.log[0]


def test_another_folder(prepared: Project) -> None:
    """`-C` works as if started there, from any folder inside the project."""
    (prepared.root / "deep/er").mkdir(parents=True)
    assert prepared.cli("-C", str(prepared.root / "deep/er"), "start", "Work", cwd=prepared.folder).code == 0
    assert len(prepared.state_files()) == 1


def test_a_bullet_is_no_part_of_a_title(prepared: Project) -> None:
    """A title that was copied from a list."""
    assert prepared.cli("start", "* Refactor the parser").code == 0
    assert 'title: "Refactor the parser"' in prepared.state_files()[0].read_text()


def test_a_change_of_status_prints_no_stamp(prepared: Project) -> None:
    """The time in the file changes with every edit, and nobody needs the line; nor the number of a task."""
    prepared.cli("start", "--format", "gsd-lite", "Importer")
    prepared.cli("task", "start", "Parse")
    assert "last updated" not in prepared.cli("pause").out
    assert "Progress" not in prepared.cli("continue", HOLDFAST_SCREEN="80x24").out
