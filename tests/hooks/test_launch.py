"""The launcher: which Python it becomes, what it remembers, and that nothing of it shows."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import venv
from typing import TYPE_CHECKING

import pytest

from holdfast.project import paths
from tests.support.machine import PYTHON, ROOT, Machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LAUNCH = ROOT / "hooks/launch"
WHO = "import os, sys; print(os.path.realpath(sys.executable), sys.flags.isolated, sys.flags.no_site)"
THIS = f"{PYTHON} 1 1\n"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Give a machine without a Python on PATH, in a folder with blanks."""
    return Machine(tmp_path / "a machine")


@pytest.fixture
def barren(tmp_path: Path) -> Path:
    """Give the hooks of a holdfast that no Python is new enough for, however many this machine has."""
    hooks = tmp_path / "a plugin" / "hooks"
    shutil.copytree(ROOT / "hooks", hooks, ignore=shutil.ignore_patterns("__pycache__"))
    finder = hooks / "find-python"
    wanting = finder.read_text().replace("< (3, 11)", "< (99, 0)")
    assert wanting != finder.read_text()
    finder.write_text(wanting)
    return hooks


def _link(machine: Machine) -> None:
    machine.add_python()


def _shim(machine: Machine) -> None:
    machine.add_program("python3", f'#!/bin/sh\nexec "{PYTHON}" "$@"\n', "shims")


def _virtual_environment(machine: Machine) -> None:
    folder = machine.folder / "venv"
    venv.create(folder, symlinks=True)
    machine.path.insert(0, folder / "bin")


def _too_old(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", "#!/bin/sh\nexit 1\n", "old")


def _only_a_later_name(machine: Machine) -> None:
    machine.add_program("python3", "#!/bin/sh\nexit 1\n", "mixed")
    (machine.folder / "mixed/python3.11").symlink_to(PYTHON)


def _store_stub(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", '#!/bin/sh\ntouch "$HOME/touched"\n', "Microsoft/WindowsApps")


def _hangs(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", "#!/bin/sh\nexec sleep 1000\n", "hangs")


def _hangs_in_a_child(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", "#!/bin/sh\nsleep 30\nexit 0\n", "hangs")


def _no_program(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", "\x00\x01 not a program", "junk")


def _a_folder(machine: Machine) -> None:
    machine.add_python()
    (machine.folder / "odd/python3").mkdir(parents=True)
    machine.path.insert(0, machine.folder / "odd")


def _from_where_it_stands(machine: Machine) -> None:
    machine.add_python()
    machine.add_program("python3", '#!/bin/sh\ntouch "$HOME/touched"\n', "work/bin")
    machine.extra["PATH"] = f"bin::.:{machine.tools}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "prepare",
    [
        _link,
        _shim,
        _virtual_environment,
        _too_old,
        _only_a_later_name,
        _store_stub,
        _hangs,
        _hangs_in_a_child,
        _no_program,
        _a_folder,
        _from_where_it_stands,
    ],
)
def test_it_becomes_the_real_python_and_remembers_it(machine: Machine, prepare: Callable[[Machine], None]) -> None:
    """Whatever is on PATH, the executable behind it is started, without a word, and is all that is remembered."""
    prepare(machine)
    for _ in ("cold", "warm"):
        done = machine.run(LAUNCH, "-c", WHO)
        assert (done.returncode, done.stdout, done.stderr) == (0, THIS, "")
    assert (machine.data / "python").read_text() == f"{PYTHON}\n"
    assert [path.name for path in machine.data.iterdir()] == ["python"]
    assert not (machine.home / "touched").exists()


@pytest.mark.slow
@pytest.mark.parametrize("shell", [name for name in ("dash", "bash", "busybox", "zsh") if shutil.which(name)])
def test_every_shell_can_run_it(machine: Machine, shell: str) -> None:
    """The scripts ask no more of `sh` than what every shell gives."""
    found = str(shutil.which(shell))
    (machine.tools / "sh").unlink()
    words = [found, "sh"] if shell == "busybox" else [found]
    _hangs(machine)
    done = machine.run(*words, ROOT / "hooks/find-python")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{PYTHON}\n", "")
    machine.path.pop(0)
    for _ in ("cold", "warm"):
        done = machine.run(*words, LAUNCH, "-c", WHO)
        assert (done.returncode, done.stdout, done.stderr) == (0, THIS, "")


def test_what_is_remembered_is_not_looked_for(machine: Machine) -> None:
    """A remembered Python is started with nothing at all on PATH."""
    machine.data.mkdir(parents=True)
    mine = machine.folder / "my python"
    mine.symlink_to(PYTHON)
    (machine.data / "python").write_text(f"{mine}\n")
    machine.extra["PATH"] = ""
    assert machine.run(LAUNCH, "-c", "import sys; print(sys.executable)").stdout == f"{mine}\n"


@pytest.mark.parametrize("memory", ["/nowhere/python3.11\n", "", "\n", "none\n", "/etc/passwd\n"])
def test_a_memory_that_leads_nowhere_is_made_anew(machine: Machine, memory: str) -> None:
    """A Python that has gone is replaced by one that is there."""
    machine.add_python()
    machine.data.mkdir(parents=True)
    (machine.data / "python").write_text(memory)
    assert machine.run(LAUNCH, "-c", WHO).stdout == THIS
    assert (machine.data / "python").read_text() == f"{PYTHON}\n"


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"CLAUDE_CONFIG_DIR": "{}/config"},
        {"CLAUDE_PLUGIN_DATA": "{}/plugin data"},
        {"HOLDFAST_DATA": "{}/mine", "CLAUDE_PLUGIN_DATA": "{}/plugin data"},
        {"HOLDFAST_DATA": "", "CLAUDE_PLUGIN_DATA": "", "CLAUDE_CONFIG_DIR": ""},
        {"HOME": "(unset)", "CLAUDE_CONFIG_DIR": "{}/config"},
    ],
)
def test_launcher_and_library_agree_on_the_data_folder(machine: Machine, extra: dict[str, str]) -> None:
    """The shell and Python tell the data folder by one rule."""
    machine.add_python()
    machine.extra = {key: value.format(machine.folder) for key, value in extra.items()}
    given = {key: value for key, value in machine.env.items() if value != "(unset)"}
    assert machine.run(LAUNCH, "-c", "pass").returncode == 0
    assert [str(path.parent) for path in machine.folder.rglob("python")] == [paths.data_dir(given)]


@pytest.mark.parametrize(
    "extra",
    [
        {"HOME": "(unset)"},
        {"HOME": ""},
        {"HOLDFAST_DATA": "/dev/null/data"},
        {"CLAUDE_PLUGIN_DATA": "/proc/holdfast"},
    ],
)
def test_without_a_place_to_remember_it_still_starts(machine: Machine, extra: dict[str, str]) -> None:
    """No home and a folder that cannot be made cost time, never the hook."""
    machine.add_python()
    machine.extra = extra
    for _ in ("first", "second"):
        done = machine.run(LAUNCH, "-c", WHO)
        assert (done.returncode, done.stdout, done.stderr) == (0, THIS, "")
    assert not [*machine.home.iterdir()]


@pytest.mark.parametrize("variable", ["HOLDFAST_DATA", "CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR", "HOME"])
def test_a_relative_folder_is_none(machine: Machine, variable: str) -> None:
    """It would be one of the project, which could name a program there."""
    machine.add_python()
    evil = machine.work / "evil"
    evil.write_text("#!/bin/sh\necho evil\n")
    evil.chmod(0o755)
    machine.extra = {variable: "data"}
    tail = {"CLAUDE_CONFIG_DIR": "plugins/data/holdfast-holdfast-tools"}
    tail["HOME"] = f".claude/{tail['CLAUDE_CONFIG_DIR']}"
    folder = machine.work / "data" / tail.get(variable, "")
    folder.mkdir(parents=True)
    (folder / "python").write_text(f"{evil}\n")
    assert machine.run(LAUNCH, "-c", WHO).stdout == THIS
    assert paths.data_dir(machine.env) == ""


@pytest.mark.parametrize("entry", [".", "", "tools"])
def test_no_program_comes_from_the_project(machine: Machine, entry: str) -> None:
    """What the scripts need besides Python comes from an absolute entry of PATH, also through a link to the command."""
    machine.add_python()
    for folder in (machine.work, machine.work / "tools"):
        folder.mkdir(exist_ok=True)
        for name in ("dirname", "mkdir", "mv", "python3", "readlink", "rm", "sleep", "uname"):
            (folder / name).write_text(f"#!/bin/sh\ntouch '{machine.folder}/evil'\n")
            (folder / name).chmod(0o755)
    link = machine.work / "command"
    link.symlink_to(ROOT / "bin/holdfast")
    machine.extra = {"PATH": f"{entry}:{machine.env['PATH']}"}
    for command in ((LAUNCH, "-c", WHO), (link, "--version"), (ROOT / "install.sh", "--help")):
        done = machine.run(*command)
        assert (done.returncode, done.stdout != "") == (0, True), done
    assert not (machine.folder / "evil").exists()


def test_input_arguments_and_parent_reach_the_script(machine: Machine) -> None:
    """The script gets stdin and arguments byte for byte, and its parent is who called the launcher."""
    machine.add_python()
    script = machine.work / "a script.py"
    script.write_text(
        "import hashlib, json, os, sys\n"
        "print(json.dumps([sys.argv[1:], hashlib.sha256(sys.stdin.buffer.read()).hexdigest(), os.getppid()]))\n"
    )
    blob = bytes(range(256)) * 8192
    expected = [["a b", "", "'\"$(x)\\", "*"], hashlib.sha256(blob).hexdigest(), os.getpid()]
    for _ in ("cold", "warm"):
        done = machine.run(LAUNCH, script, "a b", "", "'\"$(x)\\", "*", stdin=blob)
        assert json.loads(done.stdout) == expected


@pytest.mark.skipif(not shutil.which("dash"), reason="there is no dash")
@pytest.mark.parametrize("limit", [11, 12, 16])
def test_it_blocks_nothing_with_few_file_descriptors(machine: Machine, limit: int) -> None:
    """With 10 or fewer dash cannot open any script."""
    machine.add_python()
    limited = f'ulimit -n {limit}; exec {shutil.which("dash")} "$@"'
    done = machine.run("sh", "-c", limited, "sh", LAUNCH, ROOT / "hooks/pre_tool_use.py", stdin=b"{}")
    assert (done.returncode, done.stdout) == (0, "")


def test_many_first_runs_at_once(machine: Machine) -> None:
    """Hooks that start together all find a Python, and leave one whole memory."""
    machine.add_python()
    started = [machine.start(LAUNCH, "-c", WHO) for _ in range(12)]
    assert {process.communicate(timeout=60) for process in started} == {(THIS.encode(), b"")}
    assert [path.name for path in machine.data.iterdir()] == ["python"]
    assert (machine.data / "python").read_text() == f"{PYTHON}\n"


@pytest.mark.parametrize(
    ("script", "code", "where"),
    [
        ("{}/hooks/session_start.py", 0, "stdout"),
        ("{}//hooks/session_start.py", 0, "stdout"),
        ("{}/hooks/post_tool_use.py", 0, ""),
        ("{}//hooks/session_end.py", 0, ""),
        ("{}/plugin/holdfast/__main__.py", 1, "stderr"),
        ("{}/hooks/holdfast/plugin/holdfast/__main__.py", 1, "stderr"),
    ],
)
def test_no_python_is_reported_once_and_in_the_right_place(
    machine: Machine, barren: Path, script: str, code: int, where: str
) -> None:
    """Hooks stay silent but for the session's start; the command line says it on stderr."""
    machine.add_program("python3", "#!/bin/sh\nexit 1\n", "old")
    done = machine.run(barren / "launch", script.format(barren.parent), stdin=b"{}")
    assert done.returncode == code
    stated = {"stdout": done.stdout, "stderr": done.stderr}
    for name, text in stated.items():
        assert ("Python 3.11 or newer is missing" in text and text.count("\n") == 1) if name == where else not text
    if where == "stdout":
        assert json.loads(done.stdout).keys() == {"systemMessage"}


def test_that_none_fits_is_remembered_until_the_next_session(machine: Machine, barren: Path) -> None:
    """Tool calls do not search again and again; the next session's start does, and finds what was installed."""
    count = machine.home / "asked"
    machine.add_program("python3", f'#!/bin/sh\necho asked >>"{count}"\nexit 1\n', "counting")

    def asked(script: str) -> int:
        count.write_text("")
        machine.run(barren / "launch", barren / script, stdin=b"{}")
        return len(count.read_text().split())

    first, second, again = asked("stop.py"), asked("stop.py"), asked("session_start.py")
    assert (first > 0, second, again > 0) == (True, 0, True)

    machine.path.pop(0)
    machine.add_python()
    shutil.copy(ROOT / "hooks/find-python", barren)
    (barren / "session_start.py").write_text("print('found')\n")
    assert machine.run(barren / "launch", barren / "session_start.py").stdout == "found\n"
    assert (machine.data / "python").read_text() == f"{PYTHON}\n"


def test_the_command_follows_links_to_itself(machine: Machine) -> None:
    """`holdfast` works through links, relative and absolute, and from any folder."""
    machine.add_python()
    root = machine.folder / "a clone"
    shutil.copytree(ROOT / "bin", root / "bin")
    shutil.copytree(ROOT / "hooks", root / "hooks")
    (root / "plugin/holdfast").mkdir(parents=True)
    (root / "plugin/holdfast/__main__.py").write_text("import sys; print(sys.argv)\n")
    absolute, relative = machine.tools / "holdfast", machine.folder / "rel"
    absolute.symlink_to(root / "bin/holdfast")
    relative.symlink_to("tools/holdfast")
    for command in (absolute, relative, "../rel", "holdfast"):
        done = machine.run(machine.tools / "env", command, "a b")
        assert (done.stdout, done.stderr) == (f"{[str(root / 'plugin/holdfast/__main__.py'), 'a b']}\n", "")


@pytest.mark.parametrize("script", ["hooks/launch", "hooks/find-python", "bin/holdfast", "install.sh", ".ci/venv"])
def test_scripts_are_executable_and_plain_sh(script: str) -> None:
    """What is started by its path is executable, and a shell can read all of it."""
    assert os.access(ROOT / script, os.X_OK)
    assert (ROOT / script).read_text().startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", ROOT / script], check=True)
