"""The house rules that no reader has to check: floors, importers, boundaries, the hot path, and old interpreters."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from holdfast.journal import file_touches
from holdfast.journal.session import Group, Recorded
from tests.support import hooks, machine
from tests.support.machine import PYTHON, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project

here = hooks.here
PACKAGE = ROOT / "plugin/holdfast"
ENTRIES = sorted((ROOT / "hooks").glob("*.py"))
# Packages from the top down. A package imports only from those below it.
ORDER = (
    "hooks",
    "cli.board",
    "cli",
    "api",
    "tracker",
    "actions",
    "overview",
    "context",
    "context.checklist",
    "context.compaction",
    "context.handover",
    "context.drift",
    "hub",
    "memory",
    "memory.loops",
    "webhooks",
    "sharing.exchange",
    "sharing",
    "sessions",
    "editing",
    "editing.merge",
    "formats.audit",
    "formats",
    "journal",
    "markdown",
    "trust",
    "git",
    "project",
    "clients",
    "core",
)
# What is dear, and the modules that may import it.
IMPORTERS = {
    "click": ["cli", "cli.board"],  # whole packages: one module for each command group
    "rich": ["cli.board", "cli.output"],  # Textual draws with it
    "textual": ["cli.board"],  # the whole package, which is the board
    "filelock": ["core.lock"],
    "git": ["git.objects"],
    "jinja2": ["overview.report"],
    "mcp": ["cli.mcp"],  # not needed but for this one command
    "markupsafe": ["overview.report"],
    "standardwebhooks": ["webhooks.endpoint"],
    "tomlkit": ["cli.webhooks"],
    "pyromark": ["markdown.blocks"],
    "frontmatter": ["markdown.yamltree"],
    "yaml": ["markdown.yamltree"],
    "subprocess": [
        "cli.board.lines",
        "cli.demo",
        "cli.mcp",
        "git.run",
        "project.client_registration",
        "project.extension_registration",
        "project.install",
        "project.packages",
        "tracker.tools",
        "webhooks.endpoint",
    ],
}
BROAD = {"hooks.main": 1, "cli.main": 1, "__main__": 1}
HOT = {
    "core.client",
    "core.fast_json",
    "core.files",
    "hooks.dispatch",
    "hooks.handler",
    "hooks.main",
    "journal.checkouts",
    "journal.facts",
    "journal.file_touches",
    "journal.log",
    "journal.payload",
    "project.git_ownership",
    "project.paths",
}
# An edit in each client but Claude Code: its name, the event, the tool, and what the tool gets.
EDITS = [
    ("codex", "PostToolUse", "apply_patch", {"command": "*** Update File: a.txt\n*** Add File: b.txt\n"}),
    ("gemini", "AfterTool", "write_file", {"file_path": "a.txt"}),
    ("qwen", "PostToolUse", "write_file", {"file_path": "a.txt"}),
    ("copilot", "PostToolUse", "Write", {"path": "a.txt"}),
    ("opencode", "PostToolUse", "write", {"filePath": "a.txt"}),
    ("droid", "PostToolUse", "Create", {"file_path": "a.txt"}),
]
HOT_PACKAGES = {"core", "hooks", "journal", "project"}
# What the hot path loads beside what os, sys and time bring.
HOT_ALLOWED = {"_json", "holdfast", *(f"holdfast.{name}" for name in HOT | HOT_PACKAGES)}


def _is_boundary(name: str) -> bool:
    """Whether a module may end the process or write to its streams."""
    return name in {"hooks.main", "project.install", "__main__"} or _package(name) in {"cli", "cli.board"}


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse((PACKAGE / f"{name.replace('.', '/')}.py").read_text())


@cache
def _imports(name: str) -> frozenset[str]:
    """Return the dotted name of everything that a module imports, at the top or inside a function."""
    return frozenset(_imported(_tree(name)))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "no relative imports"
            whole = node.module in FOLDERS
            yield from (f"{node.module}.{alias.name}" for alias in node.names) if whole else [node.module]


FOLDERS = {
    "holdfast",
    *(".".join(("holdfast", *path.parent.relative_to(PACKAGE).parts)) for path in PACKAGE.rglob("__init__.py")),
} - {"holdfast.."}
MODULES = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py"))


def _ours(name: str) -> set[str]:
    """Return the modules of ours that a module imports."""
    return {found.removeprefix("holdfast.") for found in _imports(name) if found.startswith("holdfast.")}


def _package(name: str) -> str:
    """Return the package that a module lies in, "" for the root; `api`, for programs, is a package of one module."""
    return "api" if name == "api" else name.rpartition(".")[0]


def test_the_root_has_only_the_entry() -> None:
    """Every module lies in a package of the list; the root has `__main__` alone."""
    assert [name for name in MODULES if not _package(name)] == ["__init__", "__main__"]
    assert {_package(name) for name in MODULES} - {"", *ORDER} == set()


def test_imports_go_down() -> None:
    """A package imports only from packages below it."""
    height = {package: len(ORDER) - number for number, package in enumerate(ORDER)}
    upwards = [
        f"{name} imports {other}"
        for name in MODULES
        for other in sorted(_ours(name))
        if _package(name) and _package(name) != _package(other) and height[_package(name)] < height[_package(other)]
    ]
    assert upwards == []


def test_the_packages_have_few_layers() -> None:
    """Seen as closed boxes, the packages of the root are at most 25, in at most 15 layers."""
    needs: dict[str, set[str]] = {}
    for name in MODULES:
        needs.setdefault(name.split(".")[0], set()).update(other.split(".")[0] for other in _ours(name))
    layers: dict[str, int] = {}
    for package in [*dict.fromkeys(package.split(".")[0] for package in reversed(ORDER)), "__main__"]:
        layers[package] = 1 + max((layers[other] for other in needs.get(package, set()) - {package}), default=0)
    assert len(needs) <= 25
    assert max(layers.values()) <= 15


def test_modules_are_short() -> None:
    """No module has more than 400 lines."""
    lengths = {name: len((PACKAGE / f"{name.replace('.', '/')}.py").read_text().splitlines()) for name in MODULES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_a_package_is_a_docstring() -> None:
    """What is in an `__init__` is paid by every tool call, so it is a docstring only."""
    assert [name for name in MODULES if name.endswith("__init__") and len(_tree(name).body) != 1] == []


def test_there_are_no_cycles() -> None:
    """No module needs itself by way of others."""
    left = {name: _ours(name) for name in MODULES}
    while ready := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in ready:
            del left[name]
    assert left == {}


@pytest.mark.parametrize("package", IMPORTERS)
def test_what_is_dear_has_known_importers(package: str) -> None:
    """A third-party package has one importing module or package, and few modules off the hot path start processes."""
    found = [name for name in MODULES if package in {found.split(".")[0] for found in _imports(name)}]
    known = IMPORTERS[package]
    assert sorted({_package(name) if _package(name) in known else name for name in found}) == known


def test_no_other_package_is_imported() -> None:
    """All that is imported is the standard library, the packages above, and ourselves."""
    known = {*sys.stdlib_module_names, *IMPORTERS, "holdfast"}
    roots = {found.split(".")[0] for name in MODULES for found in _imports(name)}
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


def test_only_the_fold_changes_what_a_journal_says() -> None:
    """A session itself refuses to be changed; its groups would not notice it."""
    groups = {name for name, value in vars(Recorded("")).items() if isinstance(value, Group)}
    changes = {"add", "append", "clear", "discard", "pop", "remove", "setdefault", "update"}
    found = [
        f"{name}: {ast.unparse(target)}"
        for name in MODULES
        if name != "journal.folding"
        for node in ast.walk(_tree(name))
        for target in _changed(node, changes)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Attribute)
        if target.value.attr in groups
    ]
    assert found == []


def _changed(node: ast.AST, methods: set[str]) -> list[ast.expr]:
    """Return what a statement assigns to, or a call of one of the methods changes."""
    if isinstance(node, ast.Call):
        called = node.func
        return [called.value] if isinstance(called, ast.Attribute) and called.attr in methods else []
    targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
    return [one.value if isinstance(one, ast.Subscript) else one for one in targets if one is not None]


def test_only_boundaries_print_and_exit() -> None:
    """No other module writes to the standard streams or ends the process."""
    found = {
        (name, ast.unparse(node.func))
        for name in MODULES
        if not _is_boundary(name)
        for node in ast.walk(_tree(name))
        if isinstance(node, ast.Call)
    }
    assert {(name, called) for name, called in found if called in ENDS} == set()


def test_the_tests_of_requirements_call_no_function_of_the_product() -> None:
    """They use the command line, the hooks or the client, as the authors of the formats would."""
    files = sorted((ROOT / "tests/requirements").glob("*.py"))
    assert files
    assert [str(path) for path in files if re.search(r"(?m)^\s*(?:from|import) holdfast\b", path.read_text())] == []


def test_entry_scripts_are_small() -> None:
    """There is one script an event, of at most ten lines, without a function or a branch."""
    assert len(ENTRIES) == len(hooks.EVENTS) + 1  # and one for all events of the other clients
    for path in ENTRIES:
        assert len(path.read_text().splitlines()) <= 10
        kinds = {type(node) for node in ast.parse(path.read_text()).body}
        assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom}, path


def test_what_an_old_interpreter_may_meet_parses_there() -> None:
    """Entry scripts and the hot path hold no syntax that Python 3.9 does not know."""
    for path in (*ENTRIES, *(PACKAGE / f"{name.replace('.', '/')}.py" for name in sorted({*HOT, "__main__"}))):
        ast.parse(path.read_text(), str(path), feature_version=(3, 9))


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse", "TaskCreated"])
def test_the_hot_path_imports_next_to_nothing(here: Project, event: str) -> None:
    """What runs on every tool call loads os, sys and time, the JSON scanner, and itself.

    The session has a state file, and nobody else changed the file that it changed before.
    """
    here.write_state()
    (here.store / "bound").mkdir(parents=True)
    (here.store / "bound/one").touch()
    file_touches.record(str(here.store), "a.txt", str(here.root), ("one", ""))
    extra = {"holdfast.trust.safe", "re"} if event == "TaskCreated" else set()  # a task's words may hold secrets
    data = json.dumps(here.payload(event)).encode()
    loaded = machine.loaded([here.command(event)[-1]], here, data) - machine.loaded(
        ["-c", "import os, sys, time"], here
    )
    assert here.facts()
    assert loaded >= {"holdfast.hooks.main", "holdfast.journal.log"}
    if extra:
        assert not {"click", "subprocess", "pathlib", "dataclasses", "typing", "json", "holdfast.cli.app"} & loaded
    else:
        assert loaded - HOT_ALLOWED == set()


@pytest.mark.parametrize(("name", "event", "tool", "given"), EDITS)
def test_the_hot_path_of_another_client_loads_its_module_alone(
    here: Project, name: str, event: str, tool: str, given: dict[str, str]
) -> None:
    """An edit in another client loads what one in Claude Code loads, with that client's module in the place of its."""
    here.write_state()
    (here.store / "bound").mkdir(parents=True)
    (here.store / "bound/one").touch()
    payload = here.payload("PostToolUse", hook_event_name=event, tool_name=tool, tool_input=given)
    data = json.dumps(payload).encode()
    command = [str(here.plugin / "hooks/event.py"), name, event]
    loaded = machine.loaded(command, here, data) - machine.loaded(["-c", "import os, sys, time"], here)
    assert [fact["path"] for fact in here.facts(kind="edit")] == ["a.txt", "b.txt"][: len(here.facts(kind="edit"))]
    assert here.facts(kind="edit")
    own = f"holdfast.clients.{name}"
    shared = {"holdfast.clients", "holdfast.clients.catalogue"}
    assert loaded - (HOT_ALLOWED | {own} | shared) == set()
    assert own in loaded


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


def test_an_old_interpreter_is_reported_in_one_line(here: Project, old: list[str]) -> None:
    """Under an old Python a session's start says what is missing, and every other event says nothing."""
    for event in hooks.EVENTS:
        done = subprocess.run(
            [*old, here.command(event)[-1]],
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
