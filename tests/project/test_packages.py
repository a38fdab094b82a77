"""The dependency folder: complete or absent, whatever happens during a build."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
import signal
import sys
import time
import tomllib
import venv
from typing import TYPE_CHECKING

import pytest

from holdfast.project import packages
from tests.support.machine import PYTHON, ROOT, Machine, snapshot
from tests.support.packages import offline

if TYPE_CHECKING:
    from pathlib import Path

MAIN = ROOT / "plugin/holdfast/__main__.py"
LOCK = ROOT / "plugin/requirements.txt"
SITE = f"site-{sys.version_info[0]}.{sys.version_info[1]}"
STAMP = "holdfast-requirements.txt"
IMPORT_ALL = (
    "import json, sys; sys.path.insert(0, sys.argv[1])\n"
    "from holdfast.project import packages\n"
    "assert packages.activate() and packages.activate()\n"
    "import click, filelock, frontmatter, git, jinja2, pyromark, rich\n"
    "print(json.dumps([sys.path.count(packages.folder()), sys.path[-1], 'site' in sys.modules]))\n"
)
# Stands in for an installer: quick, and able to fail in every way.
UV = """#!/bin/sh
while [ "$1" != --target ]; do shift; done
echo run >>"$HOME/runs"
mkdir -p "$2/click" && echo "x = 1" >"$2/click/__init__.py" || exit 9
[ -f "$HOME/last-words" ] || { sleep "${SLOW:-0}"; exit 0; }
cat "$HOME/last-words" >&2
exit 2
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a machine whose data folder is for packages only."""
    return Machine(tmp_path / "a machine", {"HOLDFAST_DATA": str(tmp_path / "a machine/data")})


@pytest.fixture
def bare(machine: Machine) -> Path:
    """Give a Python without pip; the only installer is a fake uv."""
    folder = machine.folder / "bare"
    venv.create(folder, symlinks=True, with_pip=False)
    machine.add_program("uv", UV)
    return folder / "bin/python"


def data(machine: Machine) -> Path:
    """Return the dependency folder."""
    return machine.folder / "data"


def build(machine: Machine, python: Path = PYTHON) -> tuple[int, str, str]:
    """Run `holdfast deps` and return its exit code and its output."""
    done = machine.run(python, "-I", "-S", MAIN, "deps")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_pip_builds_all_that_is_imported(machine: Machine, wheels: Path) -> None:
    """The lock is complete: each package imports from the folder alone and is compiled for its path."""
    hindered = {"PIP_USER": "1", "PIP_REQUIRE_VIRTUALENV": "1"}
    machine.extra |= {**offline(wheels), **hindered}
    site = data(machine) / SITE
    assert build(machine) == (0, f"packages: built in {site}\n", "")
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", SITE]
    before = snapshot(data(machine))
    assert build(machine) == (0, f"packages: already in {site}\n", "")
    assert snapshot(data(machine)) == before
    done = machine.run(PYTHON, "-I", "-S", "-c", IMPORT_ALL, ROOT / "plugin")
    assert done.stderr == ""
    assert json.loads(done.stdout) == [1, str(site), False]
    assert list(site.glob("git/__pycache__/__init__.*.pyc"))


@pytest.mark.slow
def test_without_pip_and_uv_a_virtual_environment_is_used(machine: Machine, bare: Path, wheels: Path) -> None:
    """A Python without pip creates one for the build and removes it afterwards."""
    (machine.tools / "uv").unlink()
    machine.extra |= offline(wheels)
    assert build(machine, bare)[0] == 0
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", SITE]
    assert (data(machine) / SITE / "click").is_dir()


def test_without_any_installer_it_says_what_to_install(machine: Machine) -> None:
    """A Python without any installer gets a message with the remedy."""
    stub = machine.add_program("no-python", "#!/bin/sh\nexit 1\n")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'plugin')!r}); sys.executable = {str(stub)!r}\n"
        "from holdfast import __main__; sys.argv = ['holdfast', 'deps']; sys.exit(__main__.main())"
    )
    done = machine.run(PYTHON, "-I", "-S", "-c", code)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert all(word in done.stderr for word in (str(stub), "pip", "uv", "python3-pip", "holdfast deps"))
    assert [path.name for path in data(machine).iterdir()] == [".site-lock"]


@pytest.mark.parametrize(
    ("last_words", "expected"),
    [
        ("noise\nERROR: [Errno 28] No space left on device\n", "the disk is full"),
        (
            "ERROR: Exception:\nTraceback:\nOSError: [Errno 28] No space left on device\n",
            "left on device): the disk is",
        ),
        ("ERROR: Exception:\nTraceback:\nValueError: something odd\n", "(ValueError: something odd)"),
        ("error: failed to write: No space left on device (os error 28)\n", "the disk is full"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n", "another index"),
        ("ERROR: Could not find a version that satisfies click (from versions: none)\n", "no package index answers"),
        ("error: error sending request for url (http://index)\n", "no package index answers"),
        ("ERROR: something new\n", "something new"),
        ("\n", "no output"),
        ("x" * 4000, "xxx"),
    ],
)
@pytest.mark.parametrize("older", [False, True])
def test_a_failed_build_changes_nothing(
    machine: Machine, bare: Path, last_words: str, expected: str, *, older: bool
) -> None:
    """One line names the folder, the cause and the remedy; an older folder stays, an incomplete one never appears."""
    (machine.home / "last-words").write_text(last_words)
    if older:
        (data(machine) / SITE).mkdir(parents=True)
        (data(machine) / SITE / STAMP).write_text("click==1\n")
    code, out, err = build(machine, bare)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert all(word in err for word in (str(data(machine)), expected, "Then type: holdfast deps"))
    assert len(err) < 800
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", *[SITE] * older]


def test_no_network_is_reported(machine: Machine, tmp_path: Path) -> None:
    """A failure of the real pip without an index gives one line."""
    machine.extra |= offline(tmp_path)
    code, out, err = build(machine)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "no package index answers" in err


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"HOLDFAST_DATA": "/dev/null/data"}, "cannot write to /dev/null/data (Not a directory)"),
        ({"HOLDFAST_DATA": "/proc/data"}, "cannot write to /proc/data"),
        ({"HOLDFAST_DATA": "", "HOME": ""}, "set HOME or HOLDFAST_DATA"),
    ],
)
def test_a_missing_data_folder_is_reported(machine: Machine, extra: dict[str, str], expected: str) -> None:
    """A data folder that is missing or not writable gives one line with the remedy."""
    machine.extra |= extra
    code, out, err = build(machine)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert expected in err
    assert "Then type: holdfast deps" in err


def test_other_requirements_are_replaced(machine: Machine, bare: Path) -> None:
    """Outdated folders and the rest of killed builds are removed; the folders of other Python versions stay."""
    for name, stamp in ((SITE, "old"), ("site-3.9", "old"), ("site-3.99", LOCK.read_text()), (".site-tmp-dead", "")):
        (data(machine) / name).mkdir(parents=True)
        (data(machine) / name / STAMP).write_text(stamp)
    (data(machine) / "python").write_text("not ours to touch\n")
    assert build(machine, bare)[0] == 0
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", "python", SITE, "site-3.99"]
    assert (data(machine) / SITE / STAMP).read_bytes() == LOCK.read_bytes()
    assert (data(machine) / SITE / "click").is_dir()


def test_concurrent_builds_build_once(machine: Machine, bare: Path) -> None:
    """Builds that start at the same time build one folder once."""
    machine.extra["SLOW"] = "1"
    started = [machine.start(bare, "-I", "-S", MAIN, "deps") for _ in range(6)]
    for process in started:
        process.communicate(timeout=60)
    assert [process.returncode for process in started] == [0] * 6
    assert (machine.home / "runs").read_text() == "run\n"
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", SITE]


@pytest.mark.parametrize("moment", [".site-lock", ".site-tmp-*", ".site-tmp-*/new/click", f"{SITE}/click"])
def test_the_next_build_recovers_from_a_killed_one(machine: Machine, bare: Path, moment: str) -> None:
    """A build that is killed at any moment leaves a complete folder or none, and no lock."""
    machine.extra["SLOW"] = "1"
    process = machine.start(bare, "-I", "-S", MAIN, "deps", own_group=True)
    while not any(data(machine).glob(moment)) and process.poll() is None:
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    site = data(machine) / SITE
    assert not site.exists() or (site / STAMP).read_bytes() == LOCK.read_bytes()
    machine.extra["SLOW"] = "0"
    assert build(machine, bare)[0] == 0
    assert sorted(path.name for path in data(machine).iterdir()) == [".site-lock", SITE]
    assert (site / STAMP).read_bytes() == LOCK.read_bytes()


def test_remove_leaves_nothing_of_ours(machine: Machine, bare: Path) -> None:
    """`remove` leaves only files of others; a second call changes nothing."""
    assert build(machine, bare)[0] == 0
    (data(machine) / "site-3.9").mkdir()
    (data(machine) / "python").write_text("kept\n")
    for _ in ("first", "second"):
        code = "import sys; sys.path.insert(0, sys.argv[1]); from holdfast.project import packages; packages.remove()"
        done = machine.run(bare, "-I", "-S", "-c", code, ROOT / "plugin")
        assert (done.returncode, done.stderr) == (0, "")
        assert [path.name for path in data(machine).iterdir()] == ["python"]


@pytest.mark.parametrize("args", [["list"], ["list", "--help"], []])
def test_packages_that_cannot_be_fetched_are_named_with_the_remedy(
    machine: Machine, tmp_path: Path, args: list[str]
) -> None:
    """A command without its packages tries to install them, says so, and gives one line more and no traceback."""
    machine.extra |= offline(tmp_path)
    done = machine.run(PYTHON, "-I", "-S", MAIN, *args)
    assert (done.returncode, done.stdout) == (1, "")
    assert "being installed" in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith("Then type: holdfast deps\n")


@pytest.mark.slow
def test_a_command_installs_the_packages_that_it_lacks(machine: Machine, wheels: Path) -> None:
    """The first command on a bare home says what takes long, and works."""
    machine.extra |= offline(wheels)
    done = machine.run(PYTHON, "-I", "-S", MAIN, "list", "--json")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert "being installed" in done.stderr
    assert done.stdout.startswith(("[", "{"))


@pytest.mark.parametrize("args", [["--help"], ["-h"], ["help"], ["help", "--all"], ["--version"]])
def test_without_packages_the_help_is_there(machine: Machine, args: list[str]) -> None:
    """The help and the version need no package."""
    done = machine.run(PYTHON, "-I", "-S", MAIN, *args)
    assert (done.returncode, done.stderr) == (0, "")
    assert "holdfast" in done.stdout


def test_an_old_python_gets_a_message(machine: Machine) -> None:
    """With Python 3.9, which macOS has, the command names the version that it needs."""
    ast.parse(MAIN.read_text(), feature_version=(3, 9))
    code = f"import runpy, sys; sys.version_info = (3, 9, 6); runpy.run_path({str(MAIN)!r}, run_name='__main__')"
    done = machine.run(PYTHON, "-I", "-S", "-c", code)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "holdfast: Python 3.11 or newer is needed, this is 3.9\n"


def test_the_lock_and_the_project_agree() -> None:
    """Each dependency of the project is in the lock with version and hashes, and the lock has no others."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split(r"[^\w.-]", name)[0] for name in project["dependencies"]}
    blocks = re.findall(r"^(\S+)==(\S+) \\\n((?:    .*\n?)+)", LOCK.read_text(), re.MULTILINE)
    locked = {name: rest for name, _, rest in blocks}
    assert {name for name, rest in locked.items() if re.search(r"# (via| ) holdfast$", rest, re.MULTILINE)} == wanted
    assert all("--hash=sha256:" in rest for rest in locked.values())
    assert len(locked) == LOCK.read_text().count("==")
    assert "://" not in LOCK.read_text()


def test_a_background_failure_is_logged(machine: Machine) -> None:
    """When a build in the background fails, the failure is in the error log, and `holdfast doctor` shows it."""
    machine.add_python()
    machine.extra.update(PIP_NO_INDEX="1", PIP_CONFIG_FILE="/dev/null")
    done = machine.run(ROOT / "bin/holdfast", "deps", "--unseen")
    assert done.returncode == 1
    logged = (machine.folder / "data/errors.log").read_text()
    assert "holdfast deps: HoldfastError: " in logged
    assert logged.count("\n") == 1


def test_the_lock_is_free_once_it_is_left(tmp_path: Path) -> None:
    """Another build of the same process may begin."""
    with packages._Lock(str(tmp_path)) as path:  # noqa: SLF001 - a process builds once
        pass
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_without_a_data_folder_there_is_nothing_to_remove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No lock is made for it."""
    monkeypatch.setenv("HOLDFAST_DATA", str(tmp_path / "data"))
    packages.remove()
    assert not (tmp_path / "data").exists()
