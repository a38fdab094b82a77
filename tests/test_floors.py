"""The house rules that no reader has to check: floors, importers, boundaries, the hot path, and old interpreters."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from holdfast import touched
from tests.support import hooks
from tests.support.machine import PYTHON, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.hooks import Project

here = hooks.here
PACKAGE = ROOT / "plugin/holdfast"
ENTRIES = sorted((ROOT / "hooks").glob("*.py"))
# Each module imports only from lower floors, and on its own floor without cycles.
FLOORS = {
    0: [
        *("__init__", "errors", "codec", "clock", "issuers", "masks", "text", "process", "frame", "withheld"),
        *(
            "markdown.__init__",
            "dialects.__init__",
            "states.__init__",
            "edits.__init__",
            "audits.__init__",
            "cli.__init__",
            "hub.__init__",
            "drifts.__init__",
            "memory.__init__",
            "loops.__init__",
            "handover.__init__",
            "compaction.__init__",
        ),
        *("dialects.names", "dialects.placeholders"),
    ],
    1: ["paths", "files", "payload", "belief"],
    2: [
        *(
            "journal",
            "touched",
            "facts",
            "cache",
            "discovery",
            "faults",
            "git",
            "gitrun",
            "harmless",
            "lock",
            "deps",
            "later",
            "wiring",
        ),
        "history",
        *("markdown.document", "markdown.commonmark", "markdown.blocks", "markdown.labels", "markdown.lazy"),
        *("markdown.lines", "markdown.tags", "markdown.metadata", "markdown.yamltree"),
    ],
    3: [
        *("hub.links", "hub.context", "hub.request", "hub.place", "hub.standing", "hub.lineage"),
        "loops.place",
        "session",
        "settings",
        *("origins", "provenance"),
        "transcript",
        "dialects.dialect",
        "dialects.catalog",
        "dialects.schema",
    ],
    4: [
        *("folded", "glance", "past", "sessions", "store", "pickup", "budget"),
        *(
            "hub.entry",
            "hub.register",
            "hub.changes",
            "hub.siblings",
            "hub.draft",
            "hub.memory",
            "hub.project",
            "hub.update",
        ),
        *("hub.keeping", "hub.history", "hub.family"),
        *("handover.paused", "handover.matter", "handover.handed"),
        *(
            "memory.view",
            "memory.actions",
            "memory.step",
            "memory.detours",
            "memory.plans",
            "memory.tasks",
            "memory.phases",
        ),
        *("memory.sections", "memory.wanted", "memory.keeping", "memory.report"),
        *("ids", "loops.elements", "loops.loop", "loops.book", "loops.composing", "loops.lifecycle"),
        *("states.record", "states.recognition", "states.statefile", "states.measured", "states.template"),
        *(
            "edits.layout",
            "edits.order",
            "edits.placing",
            "edits.pieces",
            "edits.wishes",
            "edits.menus",
            "edits.rows",
            "edits.logs",
            "edits.seen",
            "edits.values",
            "edits.lists",
            "edits.texts",
            "edits.beginning",
            "edits.splicing",
            "edits.edit",
        ),
        *("audits.finding", "audits.unfilled", "audits.contradictions"),
        "todos",
    ],
    5: [
        *("settle", "brief", "checklist", "start", "doctor", "table", "events", "conflicts"),
        *("nudge", "heard", "behind", "trust"),
        *("lookup", "sync", "lifecycle", "views", "audits.audit"),
        *("handover.handing", "handover.choosing", "memory.acting", "memory.following"),
        *("drifts.item", "drifts.mentions", "drifts.known", "drifts.sight", "drifts.drift", "recovery"),
        *("drifts.progress", "drifts.changes", "drifts.memory", "drifts.records", "drifts.settling", "leftovers"),
        *("drifts.conversation", "drifts.severity"),
        *("compaction.given", "compaction.left_out", "compaction.snapshots", "compaction.restoring"),
        *("compaction.before", "compaction.after"),
        *("hub.writing", "hub.updater", "hub.settling", "hub.sweeping", "hub.validation", "hub.mending"),
    ],
    6: [
        *("hook", "cli.app", "cli.work", "cli.upkeep", "cli.conflicts", "cli.hub", "cli.main", "install", "__main__"),
        "cli.budget",
        "cli.continuing",
        "cli.loops",
        "cli.trusting",
        *("cli.closing", "cli.recovery", "cli.snapshots", "cli.steps", "cli.slash"),
    ],
}
# What is dear, and the modules that may import it.
IMPORTERS = {
    "click": [
        "cli.app",
        "cli.budget",
        "cli.closing",
        "cli.conflicts",
        "cli.continuing",
        "cli.hub",
        "cli.loops",
        "cli.main",
        "cli.recovery",
        "cli.snapshots",
        "cli.steps",
        "cli.trusting",
        "cli.upkeep",
        "cli.work",
    ],  # one room, a module for each kind of command
    "rich": ["table"],
    "filelock": ["lock"],
    "git": ["gitrun"],
    "pyromark": ["markdown.commonmark"],
    "frontmatter": ["markdown.yamltree"],
    "yaml": ["markdown.yamltree"],
    "subprocess": ["deps", "gitrun", "install", "wiring"],
}
BROAD = {"hook": 1, "cli.main": 1}
# Which modules may end the process or write to its streams; a forked child must end without a farewell.
BOUNDARIES = {
    "hook",
    "cli.app",
    "cli.budget",
    "cli.work",
    "cli.upkeep",
    "cli.closing",
    "cli.conflicts",
    "cli.continuing",
    "cli.hub",
    "cli.loops",
    "cli.main",
    "cli.recovery",
    "cli.snapshots",
    "cli.steps",
    "cli.slash",
    "install",
    "__main__",
}
HOT = {"hook", "payload", "codec", "facts", "paths", "events", "journal", "touched", "files", "belief"}
HOT_ALLOWED = {"_json", "holdfast", *(f"holdfast.{name}" for name in HOT)}  # beside what os, sys and time bring


def _tree(name: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{name.replace('.', '/')}.py").read_text())


def _imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of everything that is imported, at the top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "no relative imports"
            whole = node.module in FOLDERS
            yield from (f"{node.module}.{alias.name}" for alias in node.names) if whole else [node.module]


FOLDERS = {"holdfast", *(f"holdfast.{path.parent.name}" for path in PACKAGE.glob("*/__init__.py"))}
MODULES = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))
FLOOR = {name: floor for floor, names in FLOORS.items() for name in names}
OURS = {
    name: {found.removeprefix("holdfast.") for found in _imports(_tree(name)) if found.startswith("holdfast.")}
    for name in MODULES
}


def test_every_module_has_a_floor() -> None:
    """The table of floors names each module once."""
    assert sorted(FLOOR) == MODULES
    assert sum(map(len, FLOORS.values())) == len(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_imports_only_go_down(name: str) -> None:
    """A module imports from its own floor and from lower ones."""
    assert [other for other in sorted(OURS[name]) if FLOOR[other] > FLOOR[name]] == []


def test_there_are_no_cycles() -> None:
    """No module needs itself by way of others."""
    left = dict(OURS)
    while ready := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in ready:
            del left[name]
    assert left == {}


@pytest.mark.parametrize("package", IMPORTERS)
def test_what_is_dear_has_known_importers(package: str) -> None:
    """Each third-party package has one importer, and only what is off the hot path starts processes."""
    found = [name for name in MODULES if package in {found.split(".")[0] for found in _imports(_tree(name))}]
    assert found == IMPORTERS[package]


def test_no_other_package_is_imported() -> None:
    """All that is imported is the standard library, the packages above, and ourselves."""
    known = {*sys.stdlib_module_names, *IMPORTERS, "holdfast"}
    roots = {found.split(".")[0] for name in MODULES for found in _imports(_tree(name))}
    assert roots - known == set()


def test_everything_is_caught_in_two_places() -> None:
    """The two boundaries are the only ones that catch all errors."""
    found: dict[str, int] = {}
    for name in MODULES:
        for node in ast.walk(_tree(name)):
            caught = [node.type] if isinstance(node, ast.ExceptHandler) else []
            bare = [kind for kind in caught if kind is None or ast.unparse(kind) == "Exception"]
            if bare:
                found[name] = found.get(name, 0) + 1
    assert found == BROAD


ENDS = {"print", "sys.exit", "os._exit", "SystemExit", "exit", "quit", "sys.stdout.write", "sys.stderr.write"}


@pytest.mark.parametrize("name", sorted(set(MODULES) - BOUNDARIES))
def test_only_boundaries_print_and_exit(name: str) -> None:
    """No other module writes to the standard streams or ends the process."""
    calls = {ast.unparse(node.func) for node in ast.walk(_tree(name)) if isinstance(node, ast.Call)}
    assert calls & ENDS == ({"os._exit"} if name == "process" else set())


def test_entry_scripts_are_small() -> None:
    """There is one script an event, of at most ten lines, without a function or a branch."""
    assert len(ENTRIES) == len(hooks.EVENTS)
    for path in ENTRIES:
        assert len(path.read_text().splitlines()) <= 10
        kinds = {type(node) for node in ast.parse(path.read_text()).body}
        assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom}, path


@pytest.mark.parametrize("path", [*ENTRIES, *(PACKAGE / f"{name}.py" for name in sorted({*HOT, "__main__"}))], ids=str)
def test_what_an_old_interpreter_may_meet_parses_there(path: Path) -> None:
    """Entry scripts and the hot path hold no syntax that Python 3.9 does not know."""
    ast.parse(path.read_text(), feature_version=(3, 9))


def _loaded(command: list[str], project: Project, data: bytes = b"") -> set[str]:
    """Return the modules that a process loads, as the interpreter itself tells."""
    done = subprocess.run(
        [PYTHON, "-X", "importtime", "-I", "-S", *command],
        env=project.environment("one"),
        input=data,
        capture_output=True,
        check=True,
    )
    rows = [line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines() if "|" in line]
    assert len(rows) > 5
    return set(rows) - {"imported package"}


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse", "TaskCreated"])
def test_the_hot_path_imports_next_to_nothing(here: Project, event: str) -> None:
    """What runs on every tool call loads os, sys and time, the JSON scanner, and itself.

    The session has a state file, and nobody else changed the file that it changed before.
    """
    here.write_state()
    (here.store / "bound").mkdir(parents=True)
    (here.store / "bound/one").touch()
    touched.note(str(here.store), "a.txt", str(here.root), ("one", ""))
    extra = {"holdfast.text", "re"} if event == "TaskCreated" else set()  # a task's words may hold secrets
    data = json.dumps(here.payload(event)).encode()
    loaded = _loaded([here.command(event)[1]], here, data) - _loaded(["-c", "import os, sys, time"], here)
    assert here.facts()
    assert loaded >= {"holdfast.hook", "holdfast.journal"}
    if extra:
        assert not {"click", "subprocess", "pathlib", "dataclasses", "typing", "json", "holdfast.cli.app"} & loaded
    else:
        assert loaded - HOT_ALLOWED == set()


def _old_interpreter() -> str:
    """Return a real interpreter that is too old, from PATH or from beside the one that runs the tests."""
    found = [shutil.which(f"python3.{minor}") for minor in (9, 10, 8)]
    found += [str(path) for path in sorted(PYTHON.parents[2].glob("3.*/bin/python3"))]
    fits = "import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 11))"
    runs = (path for path in found if path and not subprocess.run([path, "-I", "-c", fits], check=False).returncode)
    return next(runs, "")


PRETEND = """
import sys, runpy
sys.version_info = (3, 9, 18, "final", 0)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(params=["pretended", "real"])
def old(request: pytest.FixtureRequest) -> list[str]:
    """Give an interpreter that is too old."""
    if request.param == "pretended":
        return [str(PYTHON), "-I", "-S", "-c", PRETEND]
    found = _old_interpreter()
    if not found:
        pytest.skip("there is no old Python here")
    return [found, "-I", "-S"]


def test_an_old_interpreter_is_told_in_one_line(here: Project, old: list[str]) -> None:
    """Under an old Python a session's start says what is missing, and every other event says nothing."""
    for event in hooks.EVENTS:
        done = subprocess.run(
            [*old, here.command(event)[1]],
            env=here.environment("one"),
            input=json.dumps(here.payload(event)).encode(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b""), event
        if event == "SessionStart":
            assert json.loads(done.stdout).keys() == {"systemMessage"}
            assert b"3.11" in done.stdout
            assert done.stdout.count(b"\n") <= 1
        else:
            assert done.stdout == b""
    assert not here.store.exists()


def test_the_command_tells_an_old_interpreter_in_one_line(here: Project, old: list[str]) -> None:
    """Under an old Python the command fails with one line that says what is needed."""
    command = [*old, str(here.plugin / "plugin/holdfast/__main__.py"), "list"]
    done = subprocess.run(command, env=here.environment(), capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "Python 3.11 or newer is needed" in done.stderr
