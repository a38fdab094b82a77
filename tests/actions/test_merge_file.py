"""Real git merges, rebases, picks and stashes with `holdfast merge-file`, and what `init` sets up for it."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from holdfast.actions import merge_file
from holdfast.git import merge
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks, hubs, work
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.hooks import Project, Reply

here = hooks.here
LOOPS = ".agents/LOOPS.md"
STATE = ".agents/sessions/20251204-143000-parser.md"


def _git(project: Project, *arguments: str) -> Reply:
    """Run git and return its result, also a failure; the driver finds its packages as a person's shell does."""
    done = subprocess.run(
        ["git", *arguments], cwd=project.root, env=project.environment(), capture_output=True, check=False, text=True
    )
    return hooks.Reply(done.returncode, done.stdout, done.stderr)


def _commit(project: Project, message: str) -> None:
    project.git("add", "-A")
    project.git("commit", "-q", "-m", message)


def _worked(project: Project, session: str) -> None:
    """Let a session begin a piece of work, edit a file and stop, and commit all that."""
    project.fire("SessionStart", session)
    reply = project.cli("start", f"Work of {session}", "--session", session)
    assert reply.code == 0, reply.err
    (project.root / f"{session}.txt").write_text(f"{session}\n")
    project.edit(str(project.root / f"{session}.txt"), session)
    project.cli("loop", "add", f"Question of {session}?")
    project.fire("Stop", session)
    project.settled(session)
    _commit(project, f"work of {session}")


@pytest.fixture
def branches(here: Project) -> Project:
    """Give a prepared project with a session's work on main, and another's on a branch that began before it."""
    assert here.cli("init").code == 0
    _commit(here, "prepare")
    here.git("switch", "-q", "-c", "side")
    _worked(here, "theirs-1")
    here.git("switch", "-q", "main")
    _worked(here, "ours-1")
    return here


def _pick(project: Project) -> None:
    assert _git(project, "cherry-pick", "side").code == 0


def _merge(project: Project) -> None:
    assert _git(project, "merge", "-q", "--no-edit", "side").code == 0


def _rebase(project: Project) -> None:
    project.git("switch", "-q", "side")
    assert _git(project, "rebase", "-q", "main").code == 0


def _stash(project: Project) -> None:
    project.git("switch", "-q", "side")
    project.git("reset", "-q", "--soft", "HEAD^")
    project.git("stash", "-q")
    project.git("switch", "-q", "main")
    done = _git(project, "stash", "pop", "-q")
    assert done.code == 0, done


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("act", [_merge, _rebase, _pick, _stash])
def test_a_session_on_each_branch(branches: Project, act: Callable[[Project], None]) -> None:
    """Merge, rebase, cherry-pick and stash bring both sessions together without a conflict."""
    act(branches)
    assert _git(branches, "ls-files", "--unmerged").out == ""
    stated = {session: hubs.stated(branches, session)["title"] for session in ("ours-1", "theirs-1")}
    assert len(set(stated.values())) == 2
    assert len(branches.state_files()) == 2
    loops = (branches.root / LOOPS).read_text()
    assert all(f"Question of {session}?" in loops for session in stated)
    assert branches.cli("validate").code == 0
    for text in (loops, hubs.path(branches).read_text()):
        assert "<<<<<<<" not in text


def _changed(project: Project, name: str, old: str, new: str) -> None:
    path = project.root / name
    text = path.read_text()
    assert text.count(old) == 1, text
    path.write_text(text.replace(old, new))


def _forked(project: Project, ours: list[tuple[str, str]], theirs: list[tuple[str, str]], name: str = STATE) -> None:
    """Commit a state file, and on two branches what each replaces in it."""
    assert project.cli("init").code == 0
    if name == STATE:
        project.write_state()
    _commit(project, "base")
    project.git("branch", "side")
    for branch, swaps in (("side", theirs), ("main", ours)):
        project.git("switch", "-q", branch)
        for old, new in swaps:
            _changed(project, name, old, new)
        _commit(project, branch)


@pytest.mark.processes
def test_a_real_conflict_stands_around_its_part(here: Project) -> None:
    """Where both sides changed one line, git reports a conflict, markers enclose that line, and doctor reports it."""
    _forked(
        here,
        [("Lexer done.", "Parser done."), ("- Parse.\n", "- Parse.\n- Ours.\n")],
        [("Lexer done.", "Nothing done."), ("- Parse.\n", "- Parse.\n- Theirs.\n")],
    )
    done = _git(here, "merge", "side")
    assert done.code == 1
    assert f"Merge conflict in {STATE}" in done.out
    text = (here.root / STATE).read_text()
    assert "<<<<<<< ours\nParser done.\n=======\nNothing done.\n>>>>>>> theirs\n" in text
    assert "- Parse.\n- Ours.\n- Theirs.\n" in text
    reply = here.cli("doctor")
    assert f"✗ merges: conflict markers in {STATE}\n" in reply.out
    (here.root / STATE).write_text(
        text.replace("<<<<<<< ours\n", "").replace("=======\nNothing done.\n>>>>>>> theirs\n", "")
    )
    _commit(here, "merged")
    assert "✓ merges: git merges state files with /" in here.cli("doctor").out


@pytest.mark.processes
def test_where_the_program_is_gone_git_merges_lines(here: Project) -> None:
    """A driver that is not there is no worse than none: git's own merge counts, with its markers; doctor tells."""
    _forked(here, [("Lexer done.", "Ours done.")], [("Lexer done.", "Theirs done."), ("- Parse.", "- Parse all.")])
    driver = here.git("config", "merge.holdfast.driver").rstrip("\n")
    here.git("config", "merge.holdfast.driver", driver.replace("/bin/holdfast", "/bin/gone"))
    reply = here.cli("doctor")
    assert "✗ merges: git merges with " in reply.out
    assert "→ Type: holdfast init" in reply.out
    assert _git(here, "merge", "side").code == 1
    text = (here.root / STATE).read_text()
    assert "<<<<<<< ours\nOurs done.\n=======\nTheirs done.\n>>>>>>> theirs\n" in text
    assert "- Parse all." in text
    here.git("merge", "--abort")
    here.cli("init")
    assert here.git("config", "merge.holdfast.driver").rstrip("\n") == driver


@pytest.mark.processes
def test_a_clone_without_the_driver_merges_lines(here: Project) -> None:
    """The lines in the attributes alone change nothing: git merges as ever."""
    _forked(here, [("Lexer done.", "Ours done.")], [("- Parse.", "- Parse all.")])
    here.git("config", "--remove-section", "merge.holdfast")
    assert _git(here, "merge", "-q", "--no-edit", "side").code == 0
    text = (here.root / STATE).read_text()
    assert "Ours done." in text
    assert "- Parse all." in text


def _loop(side: str, captured: str) -> str:
    return (
        f'<loop id="LOOP-001" status="open">\n  <title>Question of {side}?</title>\n'
        f"  <captured>{captured}</captured>\n</loop>\n"
    )


def _asked(project: Project) -> None:
    """Commit a question on each of two branches, as two clones would number them, and a mention of it."""
    assert project.cli("init").code == 0
    project.write_state()
    (project.root / LOOPS).write_text("# Loops\n")
    _commit(project, "base")
    project.git("branch", "side")
    for branch, captured in (("side", "2026-01-20T10:00:00Z"), ("main", "2026-01-21T10:00:00Z")):
        project.git("switch", "-q", branch)
        (project.root / LOOPS).write_text("# Loops\n\n" + _loop(branch, captured))
        if branch == "main":
            _changed(project, STATE, "- Parse.\n", f"- Parse.\n- Answer LOOP-001 of {branch}.\n")
        (project.root / f"{branch}.md").write_text("See LOOP-001.\n")
        _commit(project, branch)


@pytest.mark.processes
@pytest.mark.parametrize("act", ["merge", "rebase", "cherry-pick"])
def test_one_id_for_two_questions(here: Project, act: str) -> None:
    """The later question gets the next id in LOOPS.md; mentions elsewhere stay, and git prints what to change."""
    _asked(here)
    done = _git(here, act, "side")
    assert done.code == 0, done
    loops = (here.root / LOOPS).read_text()
    assert '<loop id="LOOP-001" status="open">\n  <title>Question of side?</title>' in loops
    assert '<loop id="LOOP-002" status="open" alias="LOOP-001">\n  <title>Question of main?</title>' in loops
    side = "theirs" if act == "rebase" else "ours"
    assert f"holdfast: LOOP-001 of {side} is LOOP-002 now, because both sides gave that id to a question" in done.err
    assert "- Answer LOOP-001 of main." in (here.root / STATE).read_text()
    assert (here.root / "main.md").read_text() == "See LOOP-001.\n"


def test_init_sets_git_up_once(here: Project) -> None:
    """`init` adds a line for each file to this clone and names the program; what a tree says stays; twice is once."""
    attributes = here.root / ".git/info/attributes"
    (here.root / ".gitattributes").write_bytes(b".agents/LOOPS.md merge=union\n")
    own = b"*.txt text\n*.md diff=markdown"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_bytes(own)
    first = here.cli("init")
    assert (first.code, first.err) == (0, "")
    data = attributes.read_bytes()
    names = (".gsd-lite/LOOPS.md", "gsd-lite/LOOPS.md", ".project/sessions/*/LOOPS.md", ".agents/sessions/*.md")
    assert data == own + b"".join(f"\n{name} merge=holdfast".encode() for name in names) + b"\n"  # no hub in the tree
    assert (here.root / ".gitattributes").read_bytes() == b".agents/LOOPS.md merge=union\n"
    driver = here.git("config", "--local", "merge.holdfast.driver")
    assert driver == merge.command(f"{paths.PLUGIN_ROOT}/bin/holdfast") + "\n"
    config = (here.root / ".git/config").read_bytes()
    second = here.cli("init")
    assert (second.code, second.out) == (0, ".agents/holdfast.toml is there already; nothing changed.\n")
    assert (attributes.read_bytes(), (here.root / ".git/config").read_bytes()) == (data, config)
    here.variables["HOLDFAST_HUB"] = "tracked"
    assert here.cli("init").code == 0
    assert attributes.read_text().splitlines()[6:] == [
        ".agents/SESSION-STATE.md merge=holdfast",
        ".agents/SESSION-HISTORY.md merge=holdfast",
    ]


def test_init_goes_on_where_git_cannot_be_set_up(here: Project) -> None:
    """A file of attributes that is a link stays; the project is prepared all the same, and the reason is reported."""
    attributes = here.root / ".git/info/attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.symlink_to(here.folder / "elsewhere")
    reply = here.cli("init")
    assert reply.code == 0
    assert f"git merges state files line by line: {attributes} is not a plain file" in reply.err
    assert not (here.folder / "elsewhere").exists()


@pytest.mark.parametrize("folder", ["plain", "a b", "it's", 'say "x"', "$HOME", "100%", "a;b&c", "ä"])
def test_the_program_is_quoted_for_the_shell(here: Project, folder: str) -> None:
    """Whatever its folder is called, git runs the program, and it is found again in the configuration."""
    place = here.folder / folder
    place.mkdir()
    program = place / "holdfast"
    program.write_text('#!/bin/sh\necho "$@" > "$0.called"\ncp "$6" "$5"\n')
    program.chmod(0o755)
    assert merge.configure(str(here.root), str(program))
    assert merge.program(str(here.root)) == str(program)
    (here.root / ".gitattributes").write_text("a.txt merge=holdfast\n")
    (here.root / "a.txt").write_text("base\n")
    _commit(here, "base")
    here.git("branch", "side")
    for branch in ("side", "main"):
        here.git("switch", "-q", branch)
        (here.root / "a.txt").write_text(f"{branch}\n")
        _commit(here, branch)
    _merge(here)
    called = (place / "holdfast.called").read_text().split()
    assert (called[0], called[1:3], called[-2:]) == ("merge-file", ["--conflict", "99"], ["7", "a.txt"])
    assert os.path.exists(program)


def test_by_hand(here: Project) -> None:
    """A person may call it with three files; it exits 1 where it left markers, and leaves bytes that are no text."""
    for name, data in (("base", b"a\n"), ("ours", b"b\n"), ("theirs", b"c\n")):
        (here.root / name).write_bytes(data)
    assert here.cli("merge-file", "base", "ours", "theirs").code == 1
    assert (here.root / "ours").read_bytes() == b"<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"
    (here.root / "ours").write_bytes(b"\0b")
    reply = here.cli("merge-file", "base", "ours", "theirs", "7", "x.md")
    assert (reply.code, (here.root / "ours").read_bytes()) == (1, b"\0b")
    assert "x.md stays as ours has it" in reply.err


SHAPES = {
    "a state file": (".agents/sessions/x.md", b"| {} | x |\n"),
    "a hub": (".genie/SESSION-STATE.md", b"### Git - Work {}\n**Session ID:** `id-{}`\n**Status:** active\n\n"),
    "loops": (".agents/LOOPS.md", b'<loop id="LOOP-{}" status="open">\n<title>T</title>\n</loop>\n\n'),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_twice_as_much_is_merged_with_twice_the_work(tmp_path: Path, kind: str) -> None:
    """Both sides changed all: the steps grow as the file does."""
    path, one = SHAPES[kind]
    workspace = Workspace(paths.locate(str(Repository.create(tmp_path / "x").folder)))
    counts = []
    for count in (100, 200, 400):
        text = b"# Title\n\n## Active Sessions\n\n" + b"".join(one.replace(b"{}", b"%d" % at) for at in range(count))
        texts = text, text.replace(b"T<", b"O<") + b"ours\n", text.replace(b"T<", b"S<") + b"theirs\n"
        counts.append(work.lines(partial(merge_file.merged, workspace, texts, 7, path)))
    assert counts[2] < 2.5 * counts[1]
