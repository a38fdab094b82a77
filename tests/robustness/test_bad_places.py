"""Bad places: a disk that says no, a lock that is not to be had, a clock that goes back, odd paths, a slow git."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.hooks.test_bad_input import check
from tests.support import children, faulting, hooks
from tests.support.hooks import EVENTS, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.faulting import Done, Faulty

here, prepared, faulty = hooks.here, hooks.prepared, faulting.faulty
NO = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO)
CHANGES = ["open", "mkdir", "write", "fsync", "rename", "link", "unlink", "chmod", "utime"]
WISHES = json.dumps({"Current State": "Half of it."})
COMMANDS = {
    "settle": ("settle",),
    "update": ("update", "action=started", "agent=tests", "session_id=one", "purpose=Rates"),
    "sync": ("sync", "--json", WISHES),
    "loop add": ("loop", "add", "Which rates?"),
    "start": ("start", "Parse it"),
}
HOLDER = """if True:
    import sys
    from holdfast.core import lock
    with lock.hold(sys.argv[1]):
        print("held", flush=True)
        sys.stdin.readline()
"""


def _tree(project: Project) -> dict[str, bytes]:
    """Return every file of the project's that is not git's or holdfast's own."""
    found = {str(path.relative_to(project.root)): path for path in project.root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(".git/")}


def _worked(project: Project) -> Path:
    """Let a session with a state file have worked on; it is not settled yet."""
    path = project.write_state()
    facts = [
        {"kind": "start", "root": str(project.root), "source": "startup"},
        {"kind": "state", "path": str(path.relative_to(project.root)), "root": str(project.root), "by": "edit"},
        {"kind": "edit", "path": "src/lexer.py"},
    ]
    project.remember("one", *facts)
    (project.store / "bound").mkdir()
    (project.store / "bound/one").write_text(str(path))
    return path


def _reported(done: Done) -> str:
    """Return the one line with which a command says what it could not do."""
    assert done.code == 1, done
    text = done.out if done.out.startswith('{"status"') else done.err
    assert text.count("\n") == 1, done
    return text


@pytest.mark.parametrize(("name", "error"), [*zip(COMMANDS, NO, strict=True)])
def test_a_command_says_what_the_disk_refused(prepared: Project, faulty: Faulty, name: str, error: int) -> None:
    """Where nothing can be written, a command names the path, the cause and what to type; no byte has changed."""
    _worked(prepared)
    before = _tree(prepared)
    done = faulty.run(prepared, *COMMANDS[name], at=1, how="onward", errno=error, kinds=CHANGES)
    line = _reported(done)
    assert ".git/holdfast/" in line, line
    assert os.strerror(error) in line, line
    assert "Type: holdfast doctor" in line, line
    assert _tree(prepared) == before
    assert faulty.run(prepared, *COMMANDS[name]).code == 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_survives_one_refusal_at_any_step(
    prepared: Project, faulty: Faulty, name: str, tmp_path: Path
) -> None:
    """Whichever step is refused, each file is as it was or whole, nothing is left beside it, and once more does it."""
    prepared.variables["HOLDFAST_HUB"] = "tracked"
    _worked(prepared)
    copy = faulting.Copy(prepared.root, tmp_path / "kept")
    before = _tree(prepared)
    given: dict[str, Any] = {"now": time.time(), "kinds": CHANGES}
    clean = faulty.run(prepared, *COMMANDS[name], **given)
    after = _tree(prepared)
    assert (clean.code, after != before) == (0, True)
    for at, step in enumerate(clean.steps, 1):
        copy.restore()
        done = faulty.run(prepared, *COMMANDS[name], at=at, how="fail", errno=NO[at % len(NO)], **given)
        found = _tree(prepared)
        assert done.code in (0, 1), (step, done)
        assert done.code == 0 or _reported(done), step
        beside = {path for path in found if "/.holdfast." in path}
        assert not beside or step.startswith("unlink "), (step, beside)
        for path in (found.keys() | before.keys() | after.keys()) - beside:
            whole = [made for made, written in clean.written if path.endswith(written)]
            assert found.get(path) in (before.get(path), after.get(path)) or whole, (step, path)
        again = faulty.run(prepared, *COMMANDS[name], **given)
        assert again.code == 0 or "asks that already" in again.err, (step, again)  # the loop of before is there
        assert name in {"loop add", "start"} or _tree(prepared) == after, step


@pytest.mark.parametrize("error", [NO[0], *(pytest.param(error, marks=pytest.mark.slow) for error in NO[1:])])
def test_no_hook_minds_what_the_disk_refuses(prepared: Project, faulty: Faulty, error: int) -> None:
    """Where nothing can be written, every hook exits 0, and the start says so; with room again all goes on."""
    path = _worked(prepared)
    before, known = _tree(prepared), len(prepared.facts())
    edited = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}}
    for event in EVENTS:
        fields = edited if event == "PostToolUse" else {}
        done = faulty.fire(prepared, event, at=1, how="onward", errno=error, kinds=CHANGES, fields=fields)
        check(hooks.Reply(*done[:3]), event)
        warned = f"is recorded in .git/holdfast: {os.strerror(error)}. Type: df -h ." in done.out
        assert warned is (event == "SessionStart")
        assert prepared.facts()[:known]
    found = _tree(prepared)
    assert {name for name in before if found[name] != before[name]} <= {str(path.relative_to(prepared.root))}
    prepared.rested()
    prepared.edit("src/parser.py")
    assert prepared.cli("settle").code == 0
    assert "src/parser.py" in path.read_text()
    assert "src/lexer.py" in path.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("most", range(1, 6))  # with none no interpreter starts
def test_too_few_open_files(prepared: Project, faulty: Faulty, most: int) -> None:
    """Where hardly a file can be opened, hooks exit 0, a command says so in one line, and no file is harmed."""
    path = _worked(prepared)
    before = path.read_bytes()
    edited = {"tool_name": "Edit", "tool_input": {"file_path": str(path)}}
    for event in ("SessionStart", "PostToolUse", "PreCompact", "Stop", "SessionEnd"):
        done = faulty.fire(prepared, event, files=most, fields=edited if event == "PostToolUse" else {})
        check(hooks.Reply(*done[:3]), event)
    done = faulty.run(prepared, "settle", files=most)
    assert done.code == 0 or "Traceback" not in _reported(done), done
    assert path.read_bytes().startswith(before[:20])
    assert [left for left in os.listdir(path.parent) if left.startswith(".holdfast.")] == []
    assert prepared.cli("settle").code == 0
    assert "src/lexer.py" in path.read_text()


@pytest.mark.parametrize("most", range(4, 7))  # with fewer, no interpreter starts
def test_a_command_with_too_few_open_files(prepared: Project, most: int) -> None:
    """A process of its own, which reads its modules with what is left, ends in its answer or in one line."""
    line = f'ulimit -n {most}; exec "$0" -I -S "$1" list --nonsense'
    command = ["sh", "-c", line, sys.executable, str(prepared.plugin / "plugin/holdfast/__main__.py")]
    done = subprocess.run(
        command, cwd=prepared.root, env=prepared.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode in {1, 2}, done
    assert done.stderr.startswith("holdfast: "), done
    assert done.stderr.count("\n") == 1, done


def test_a_clock_that_goes_back(prepared: Project) -> None:
    """What was journaled later counts, whatever the times say; nobody is live for ever, nothing is older than now."""
    path = _worked(prepared)
    now = time.time()
    task = {"kind": "task", "id": "1", "subject": "Write tests"}
    prepared.remember("one", {**task, "status": "pending"}, at=now + 9e6)
    prepared.remember("one", {**task, "status": "completed"}, {"kind": "edit", "path": "src/late.py"}, at=now - 9e6)
    prepared.remember("far", {"kind": "start", "host": "elsewhere", "root": str(prepared.root)}, at=now + 9e6)
    prepared.remember("far", {"kind": "edit", "path": "src/far.py"}, at=now + 9e6)
    ahead = prepared.write_state("20990101-000000-ahead.md", title="Ahead", updated="2099-01-01T00:00:00Z")
    assert prepared.cli("settle").code == 0
    assert "- [x] Write tests" in path.read_text()
    assert "src/late.py" in path.read_text()
    listed = {row["id"]: row for row in json.loads(prepared.cli("list", "--all", "--json").out)}
    assert not listed["far"]["live"]
    assert listed["far"]["stale"]
    shown = prepared.cli("list", "--all")
    assert (shown.code, "-" in shown.out.partition(" ago")[0][-4:]) == (0, False)
    assert "Ahead" in prepared.fire("SessionStart", "two").context
    assert ahead.exists()


@pytest.mark.slow
@pytest.mark.parametrize("dead", [False, True], ids=["a living process", "a dead one"])
def test_a_lock_that_is_held(prepared: Project, *, dead: bool) -> None:
    """Hooks wait two seconds for a lock that is held and then let go, which is logged; what a dead one held is free."""
    path = _worked(prepared)
    before = path.read_bytes()
    holder = children.start(HOLDER, str(prepared.store))
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    if dead:
        holder.kill()
        holder.communicate()
    assert prepared.edit(str(path)) == (0, "", "")
    logged = [line for line in prepared.log if "lock has been held by another process for 2 seconds" in line]
    assert (len(logged), path.read_bytes() == before) == ((0, False) if dead else (1, True))
    if not dead:
        with prepared.busy():
            check(prepared.fire("PreCompact"), "PreCompact")
            assert prepared.facts()[-1]["kind"] in {"compact", "note"}
            holder.communicate("\n")
        prepared.settled()  # by what the compaction started, which was more patient
    assert prepared.cli("settle").code == 0
    assert "src/lexer.py" in path.read_text()


@pytest.mark.slow
def test_an_index_that_is_locked(prepared: Project) -> None:
    """While git's index is locked the file is written and its session is informed; later the next settle stages it."""
    path = _worked(prepared)
    (prepared.root / ".git/index.lock").touch()
    assert prepared.cli("settle").code == 0
    assert "src/lexer.py" in path.read_text()
    assert "index.lock': File exists" in prepared.facts(kind="note")[0]["text"]
    assert prepared.staged() == []
    (prepared.root / ".git/index.lock").unlink()
    assert prepared.cli("settle").code == 0
    assert str(path.relative_to(prepared.root)) in prepared.staged()


ODD = {"a newline": b"odd\nplace", "not UTF-8": b"odd\xff\xfeplace", "quotes": b"o'd\"d $(x) `y`\\"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ODD)
def test_a_whole_life_in_an_odd_place(tmp_path: Path, plugin_copy: Path, packages: Path, kind: str) -> None:
    """Whatever bytes a path has, everything works there, and nothing is written elsewhere."""
    folder = tmp_path / os.fsdecode(ODD[kind])
    folder.mkdir()
    project = Project(folder, plugin_copy, packages, processes=True)
    assert project.cli("init").code == 0
    check(project.fire("SessionStart"), "SessionStart")
    for event in ("UserPromptSubmit", "PostToolUse", "TaskCreated", "TaskCompleted", "Stop"):
        assert project.fire(event)[:1] == (0,)
    project.settled()
    (path,) = project.state_files()
    assert "`a.txt`" in path.read_text()
    assert project.edit(str(path)) == (0, "", "")
    for name, command in {**COMMANDS, "list": ("list", "--all"), "brief": ("brief",), "doctor": ("doctor",)}.items():
        done = project.cli(*command, CLAUDE_CODE_SESSION_ID="one" if name == "sync" else None)
        assert done.code == 0 or name == "doctor", (name, done)
        assert "Traceback" not in done.err
    names = {str(path.relative_to(project.root)), ".agents/LOOPS.md"}
    assert names <= set(project.staged())
    check(project.fire("SessionEnd"), "SessionEnd")
    project.settled()
    assert "one" in project.cli("brief").out or path.name in project.cli("brief").out
    assert project.log == []
    assert sorted(os.listdir(tmp_path)) == [folder.name]
    assert sorted(os.listdir(folder)) == ["home", "project"]


@pytest.mark.slow
def test_a_git_that_hangs(prepared: Project) -> None:
    """Hooks end all the same, well within their time, and a command does its work and says what git did not do."""
    path = _worked(prepared)
    program = prepared.folder / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nsleep 1000\n")
    program.chmod(0o755)
    slow = f"{program.parent}:{os.environ['PATH']}"
    for event in ("SessionStart", "PostToolUse", "PreCompact", "Stop"):
        data = json.dumps(prepared.payload(event, tool_name="Edit", tool_input={"file_path": str(path)})).encode()
        check(prepared.send(event, data, PATH=slow), event)
    prepared.settled()
    assert "src/lexer.py" in path.read_text()
    done = prepared.cli("sync", "--json", WISHES, CLAUDE_CODE_SESSION_ID="one", PATH=slow)
    assert "is not staged: git gave no answer within" in done.err
    assert "Half of it." in path.read_text()
