"""A crash at every step: wherever a process died, files are old or new, and the next one completes."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.hub.changes import Record
from holdfast.journal import log
from tests.support import faulting, hooks, hubs
from tests.support.fault_layer import blob
from tests.support.faulting import Copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.faulting import Done, Faulty
    from tests.support.hooks import Project

here, prepared, faulty = hooks.here, hooks.prepared, faulting.faulty
# What these lack is found out again.
SHORTCUTS = (
    "index.db",
    "live/",
    "patterns",
    "touched/",
    "errors.log",
    "lock",
)
RECORD = "journal/hub/record.json"  # has times; what counts is which updates it says are waiting
STORE, ASIDE = ".git/holdfast/", ".holdfast."
LATER = 4000.0  # seconds after which nobody can still be writing what a crash left
PLAN = "# Plan\n\n## Sessions\n- [ ] The parser (`one`)\n"
USER = "# User\n\n**Last Activity:** long ago\n"


def _worked(project: Project) -> None:
    """Fire what a session with edits, tasks and a child fires; nothing is settled yet, as the packages are missing."""
    bare = project.folder / "bare"
    bare.mkdir(exist_ok=True)
    edits = [{"tool_input": {"file_path": f"src/{name}.py"}} for name in ("lexer", "parser")]
    events: list[tuple[str, dict[str, Any]]] = [
        ("UserPromptSubmit", {"prompt": "Parse the invoices"}),
        *(("PostToolUse", fields) for fields in edits),
        ("TaskCreated", {}),
        ("SubagentStart", {}),
        ("SubagentStop", {}),
        ("TaskCompleted", {}),
    ]
    for event, fields in events:
        data = json.dumps(project.payload(event, "one", **fields)).encode()
        assert project.send(event, data, "one", CLAUDE_PLUGIN_DATA=str(bare)) == (0, "", "")


def _wait(project: Project) -> None:
    """Wait for background work that finds no packages and does nothing."""
    while project.settling():
        time.sleep(0.02)


def _first_work(project: Project) -> None:
    """Let a session have worked, which has no state file yet; there is no hub either."""
    _worked(project)
    _wait(project)


def _further_work(project: Project) -> None:
    """Let a session that has a state file and an entry in the hub have worked on, and ended."""
    _first_work(project)
    assert project.cli("settle").code == 0
    (project.root / ".agents/notes.md").write_text("a person's own\n")
    log.append(str(project.store), "one", {"kind": "edit", "path": "src/tree.py"})
    log.append(str(project.store), "one", {"kind": "end", "reason": "other"})


def _documents(project: Project) -> None:
    """Put the documents beside the hub there."""
    (project.root / ".agents/MASTER-PLAN.md").write_text(PLAN)
    (project.root / ".agents/USERCONTEXT.md").write_text(USER)


def _family(project: Project) -> None:
    """Give the project a hub with a parent, its child and a history that is full."""
    _documents(project)
    (project.root / ".agents/holdfast.toml").write_text("history_entries = 1\n")
    past = [hubs.person(f"old-{number}", Status="completed") for number in range(2)]
    hubs.write(project, hubs.HEAD + hubs.person("one") + hubs.HISTORY + "".join(past))
    assert project.cli("update", "action=started", "agent=tests", "session_id=two", "parent_session=one").code == 0


def _state_file(project: Project) -> None:
    """Let a session have a state file."""
    _first_work(project)
    assert project.cli("settle").code == 0
    project.git("commit", "-q", "-a", "-m", "state")


class Operation(NamedTuple):
    """A command, what it finds, and the files that it changes."""

    prepare: Callable[[Project], None]
    arguments: tuple[str, ...]
    changed: tuple[str, ...]
    once: bool = True  # whether the same command a second time changes nothing


WISHES = json.dumps({"Status": "paused", "Current State": "Half of it.", "Next Steps": ["Parse the rest"]})
STARTED = "action=started agent=implementor session_id=one purpose=Rates branch=feat/x"
OPERATIONS = {
    "settle makes a state file": Operation(_first_work, ("settle",), ("SESSION-STATE.md", "parse-the-invoices.md")),
    "settle follows": Operation(_further_work, ("settle",), ("SESSION-STATE.md", "parse-the-invoices.md")),
    "update starts": Operation(
        _documents, ("update", *STARTED.split()), ("MASTER-PLAN.md", "SESSION-STATE.md", "USERCONTEXT.md")
    ),
    "update completes": Operation(
        _family,
        ("update", "action=completed", "session_id=one"),
        ("MASTER-PLAN.md", "SESSION-HISTORY.md", "SESSION-STATE.md", "USERCONTEXT.md"),
    ),
    "sync": Operation(_state_file, ("sync", "--json", WISHES), ("SESSION-STATE.md", "parse-the-invoices.md")),
    "pause": Operation(
        _state_file,
        ("pause", "one", "--note", "Ask Mara"),
        ("SESSION-STATE.md", "parse-the-invoices.md"),
        once=False,
    ),
    "close": Operation(_state_file, ("close", "one", "--force"), ("SESSION-STATE.md", "parse-the-invoices.md")),
    "loop add": Operation(_documents, ("loop", "add", "Which rates?"), ("LOOPS.md",), once=False),
}


class Standing(NamedTuple):
    """All that a crash may not leave in between, each file by the name that git gives to its bytes."""

    files: dict[str, str]
    staged: dict[str, str]
    kept: dict[str, str]
    journals: dict[str, bytes]
    aside: list[str]
    shortcuts: dict[str, str]
    unfinished: int  # how many writes of the hub are noted as begun, or as waiting, and not as finished


def _standing(project: Project) -> Standing:
    found = {str(path.relative_to(project.root)): path for path in project.root.rglob("*") if path.is_file()}
    aside = [name for name in found if _name(name).startswith(ASIDE)]
    named = {name: blob(str(path)) for name, path in found.items() if name not in aside}
    own = {name.removeprefix(STORE): name for name in named if name.startswith(STORE)}
    shortcuts = {name for name in own if name.startswith((*SHORTCUTS, RECORD))}
    journals = {name for name in own if name.endswith(".jsonl")}
    return Standing(
        {name: made for name, made in named.items() if not name.startswith(".git/")},
        _index(project),
        {name: named[own[name]] for name in own.keys() - shortcuts - journals},
        {name: found[own[name]].read_bytes() for name in journals},
        sorted(aside),
        {name: named[own[name]] for name in shortcuts},
        len(Record(str(project.store)).waiting),
    )


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _index(project: Project) -> dict[str, str]:
    entries = [entry.partition("\t") for entry in project.git("ls-files", "--stage", "-z").split("\0") if entry]
    assert {head.split()[2] for head, _, _ in entries} <= {"0"}
    return {name: head.split()[1] for head, _, name in entries}


class Clean(NamedTuple):
    """What there was, and what a process that nothing happened to makes of it."""

    old: Standing
    new: Standing
    done: Done

    def points(self) -> Iterator[tuple[int, str]]:
        """Yield each step that can be the last: before it, and for a write also in its middle."""
        for number, step in enumerate(self.done.steps, 1):
            yield number, "kill"
            if step.startswith("write "):
                yield number, "half"

    def wrong(self, found: Standing) -> list[str]:
        """Return what a crash left that is neither old nor new, nor whole as the clean run had it on its way."""
        wrong = [name for name, lines in self.old.journals.items() if not found.journals[name].startswith(lines)]
        for here, before, after in zip(found[:3], self.old[:3], self.new[:3], strict=True):
            for name in here.keys() | before.keys() | after.keys():
                made = [known for known, path in self.done.written if path == _name(name)]
                if here.get(name) not in (before.get(name), after.get(name), *made):
                    wrong.append(name)
        return wrong

    def unlike(self, found: Standing) -> list[str]:
        """Return what is not as the clean run left it, or should not be there."""
        wrong = ["a write of the hub that is not finished"] * found.unfinished
        for here, after in zip(found[:2], self.new[:2], strict=True):
            wrong += [name for name in here.keys() | after.keys() if here.get(name) != after.get(name)]
        return wrong + [name for name in found.aside if not name.startswith(STORE)]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_crash_at_every_step(prepared: Project, faulty: Faulty, name: str, tmp_path: Path) -> None:
    """Killed before any step, or within a write, a process leaves all old or new, and once more completes it."""
    operation = OPERATIONS[name]
    prepared.variables["HOLDFAST_HUB"] = "tracked"
    operation.prepare(prepared)
    copy = Copy(prepared.root, tmp_path / "kept")
    given: dict[str, Any] = {"now": time.time(), "environment": prepared.environment("one")}
    old = _standing(prepared)
    done = faulty.run(prepared, *operation.arguments, **given)
    clean = Clean(old, _standing(prepared), done)
    assert done.code == 0, done
    assert done.kinds >= {"open", "write", "fsync", "lock", "start"}
    changed = {path for path, made in clean.new.files.items() if made != old.files.get(path)}
    assert {_name(path)[16:] if _name(path)[0] == "2" else _name(path) for path in changed} == set(operation.changed)
    last, problems = old, []
    for at, how in clean.points():
        copy.restore()
        where = f"{how} at {at}: {done.steps[at - 1]}"
        died = faulty.run(prepared, *operation.arguments, at=at, how=how, **given)
        if died.code == 0 and len(died.steps) < at:
            continue  # git compares times of files, which were restored: that takes one step more or less
        assert (died.code, len(died.steps)) == (-9, at), (where, died)
        found = _standing(prepared)
        problems += [f"{where}: {what}" for what in clean.wrong(found)]
        if found != last:  # else what follows would be what followed the step before
            last = found
            again = faulty.run(prepared, *operation.arguments, **given)
            refused = again.code and "asks that already" not in again.err  # the loop of before is there
            problems += [f"{where}: then {again.code} {again.out}{again.err}"] if refused else []
            problems += [f"{where}: then {what}" for what in clean.unlike(_standing(prepared)) if operation.once]
    assert problems == [], "\n".join(problems)
    swept = faulty.run(prepared, "settle", **{**given, "now": given["now"] + LATER})
    assert (swept.code, _standing(prepared).aside) == (0, [])


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_crash_while_journals_are_pruned(prepared: Project, faulty: Faulty, tmp_path: Path) -> None:
    """A journal has all its lines or those that stay, lists show the same, and the next `gc` does the rest."""
    then = time.time() - 100 * 86_400
    turn = [
        {"kind": "prompt", "text": "Do the next part"},
        {"kind": "edit", "path": "a.py"},
        {"kind": "answer", "text": "Done."},
    ]
    for session, at in (("one", then), ("two", then - 60)):
        start: dict[str, Any] = {
            "kind": "start",
            "process": "gone",
            "pid": 1,
            "host": os.uname().nodename,
            "root": str(prepared.root),
        }
        facts = [start, *turn * 50, {"kind": "end", "reason": "other"}, {"kind": "status", "status": "completed"}]
        prepared.remember(session, *facts, {"kind": "settled", "facts": len(facts)}, at=at)
        os.utime(prepared.store / f"journal/{session}.jsonl", (at, at))
    copy = Copy(prepared.root, tmp_path / "kept")
    given: dict[str, Any] = {"now": time.time(), "environment": prepared.environment("one")}
    old, shown = _standing(prepared).journals, prepared.cli("list", "--all").out
    done = faulty.run(prepared, "gc", **given)
    new = _standing(prepared).journals
    assert done.code == 0
    assert all(len(new[name]) < len(old[name]) for name in old)
    for number, how in Clean(_standing(prepared), _standing(prepared), done).points():
        copy.restore()
        died = faulty.run(prepared, "gc", at=number, how=how, **given)
        assert died.code in {-9, 0}
        found = _standing(prepared).journals
        assert all(found[name] in (old[name], new[name]) for name in old), done.steps[number - 1]
        assert prepared.cli("list", "--all").out == shown
        assert faulty.run(prepared, "gc", **given).code == 0
        assert _standing(prepared).journals == new, done.steps[number - 1]
