"""install.sh: it installs everything or nothing, changes nothing the second time, and uninstalls completely."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import termios
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.machine import ROOT, Machine, clone, snapshot
from tests.support.packages import offline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

FAKE = ROOT / "tests/support/fake_claude.py"
BUILT_IN = "@builtin"  # how the ids of the plugins end that come with the client, since 2.1.332
MARKET = {"name": "holdfast-tools", "source": "directory"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a fresh clone, in a folder with a blank."""
    return clone(tmp_path / "a clone")


@pytest.fixture
def machine(tmp_path: Path, wheels: Path) -> Machine:
    """Give a machine with Python, packages, and no Claude Code."""
    machine = Machine(tmp_path / "machine", offline(wheels))
    machine.add_python()
    return machine


@pytest.fixture
def client(machine: Machine) -> Path:
    """Put a fake Claude Code on PATH and return its folder."""
    (machine.folder / "client").mkdir()
    shutil.copy(FAKE, machine.folder / "client/fake.py")
    machine.add_program(
        "claude", f'#!/bin/sh\nexec "{machine.tools}/python3" "{machine.folder}/client/fake.py" "$@"\n', "client"
    )
    return machine.folder / "client"


def install(machine: Machine, root: Path, *args: str) -> tuple[int, str, str]:
    """Run install.sh and return its exit code and its output."""
    done = machine.run(root / "install.sh", *args)
    return done.returncode, done.stdout, done.stderr


def calls(client: Path, *, changing: bool = True) -> list[str]:
    """Return the commands that the fake client received since the last call."""
    log = client / "claude-log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.write_text("")
    return [line for line in lines if not (changing and line.endswith("list --json"))]


def test_install_twice_and_uninstall(machine: Machine, client: Path, root: Path) -> None:
    """Installing works, a second run changes nothing, and uninstalling restores the home, also the second time."""
    before = snapshot(machine.home)
    code, out, err = install(machine, root)
    assert (code, err) == (0, "")
    assert calls(client) == [f"marketplace add {root}", "install holdfast@holdfast-tools --scope user"]
    link = machine.home / ".local/bin/holdfast"
    assert link.readlink() == root / "bin/holdfast"
    assert f'export PATH="{link.parent}:$PATH"' in out
    brief = machine.run(link, "brief")
    assert brief.returncode == 0
    assert brief.stdout
    assert out.endswith(f"\n\nNext, in a project of yours: {link} init, or in Claude Code: /holdfast:init\n")
    assert not (machine.home / ".local/share").exists()

    installed = snapshot(machine.home)
    code, out, err = install(machine, root)
    assert (code, err) == (0, "")
    assert out.count(": already ") == 4
    assert calls(client) == []
    assert snapshot(machine.home) == installed

    (link.parent / "mine").write_text("a person's own\n")
    for expected in (
        [
            "get holdfast",  # whether the client knows the server of `holdfast mcp`
            "uninstall holdfast@holdfast-tools --scope user --keep-data",
            "marketplace remove holdfast-tools",
        ],
        [],
    ):
        code, out, err = install(machine, root, "--uninstall")
        assert (code, err) == (0, "")
        assert calls(client) == expected
    assert [*machine.home.rglob("*")] == [link.parent.parent, link.parent, link.parent / "mine"]
    (link.parent / "mine").unlink()
    assert install(machine, root)[0] == 0
    assert install(machine, root, "--uninstall")[0] == 0
    assert snapshot(machine.home).keys() == before.keys() | {".local", ".local/bin"}


def test_uninstall_removes_folders_that_install_made(machine: Machine, root: Path) -> None:
    """In an empty home, uninstalling leaves an empty home; no Claude Code is needed for that."""
    code, out, err = install(machine, root)
    assert (code, err) == (0, "")
    assert f"`claude` is not on PATH. When Claude Code is installed, type: {root}/install.sh" in out
    assert f"Next, in a project of yours: {machine.home}/.local/bin/holdfast init\n" in out
    assert install(machine, root, "--uninstall")[0] == 0
    assert not [*machine.home.iterdir()]


def test_without_a_client_and_path_each_advice_works_as_typed(machine: Machine, root: Path) -> None:
    """In a terminal whose PATH has neither `claude` nor `holdfast`; doctor does not send back to what was just done."""
    out = install(machine, root)[1]
    assert machine.run("git", "init", "-q", ".").returncode == 0
    command = str(machine.home / ".local/bin/holdfast")
    pending, run = (
        [re.findall(r"project of yours: (\S+ init)", out)[0], f"{command} doctor", f"{command} list"],
        set[str](),
    )
    while pending:
        line = pending.pop(0)
        run.add(line)
        code, shown = screen_of(machine, line)
        assert code == 0 or "doctor" in line, shown
        named = re.findall(r"(?:: |[`(])((?:\S*/)?holdfast [a-z]+(?: --[a-z]+)?)", shown)
        assert all(one.startswith(f"{command} ") for one in named), shown
        pending += [one for one in named if one not in run and "start" not in one]
        assert "install.sh" not in shown or "When" in shown or "after that type" in shown, shown
    assert f"{command} init --private" in run


def screen_of(machine: Machine, line: str) -> tuple[int, str]:
    """Return the exit code of a line that is typed in a terminal of 200 columns, and what it shows."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (50, 200))
    shell = subprocess.Popen(
        ["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=machine.env, cwd=machine.work
    )
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):  # the terminal is closed
        while part := os.read(master, 65536):
            shown += part
    os.close(master)
    return shell.wait(), shown.decode().replace("\r\n", "\n")


def test_the_status_line_is_added_on_request(machine: Machine, root: Path) -> None:
    """To the user's settings, which have their own one back after uninstalling; an empty home is empty again."""
    assert install(machine, root, "--statusline")[0] == 0
    settings = machine.home / ".claude/settings.json"
    assert "statusline" in json.loads(settings.read_text())["statusLine"]["command"]
    assert install(machine, root, "--uninstall")[0] == 0
    assert not [*machine.home.iterdir()]
    settings.parent.mkdir()
    settings.write_text('{"statusLine": {"type": "command", "command": "echo mine"}}')
    code, out, _ = install(machine, root, "--statusline")
    assert (code, f"status line: added to {settings}, after the one that was there" in out) == (0, True)
    assert install(machine, root, "--uninstall")[0] == 0
    assert settings.read_text() == '{"statusLine": {"type": "command", "command": "echo mine"}}'


def test_nothing_is_hinted_when_path_is_right(machine: Machine, root: Path) -> None:
    """With ~/.local/bin on PATH there is no hint about PATH."""
    machine.path.append(machine.home / ".local/bin/")
    assert "export PATH" not in install(machine, root)[1]


def test_a_new_version_updates_the_plugin(machine: Machine, client: Path, root: Path) -> None:
    """After a version change the client gets once to update."""
    assert install(machine, root)[0] == 0
    calls(client)
    manifest = root / ".claude-plugin/plugin.json"
    manifest.write_text(manifest.read_text().replace('"version": "', '"version": "1'))
    for expected in (
        ["marketplace update holdfast-tools", "update holdfast@holdfast-tools --scope user"],
        [],
    ):
        assert install(machine, root)[0] == 0
        assert calls(client) == expected


def test_a_scope_belongs_to_its_project(machine: Machine, client: Path, root: Path) -> None:
    """Project scope is installed for the current folder, beside another scope, and removed from any folder."""
    assert install(machine, root)[0] == 0
    for _ in ("first", "second"):
        assert install(machine, root, "--scope", "project")[0] == 0
    assert [line for line in calls(client) if line.startswith("install")] == [
        "install holdfast@holdfast-tools --scope user",
        "install holdfast@holdfast-tools --scope project",
    ]
    process = machine.start(root / "install.sh", "--uninstall", cwd=machine.folder)
    assert process.communicate(timeout=60)[1] == b""
    assert json.loads((client / "claude-state").read_text()) == [[], []]


def _no_home(machine: Machine) -> None:
    machine.extra["HOME"] = ""


def _home_is_a_file(machine: Machine) -> None:
    machine.home.rmdir()
    machine.home.write_text("")


def _home_cannot_be_written_to(machine: Machine) -> None:
    machine.extra["HOME"] = "/proc"


def _bin_cannot_be_made(machine: Machine) -> None:
    (machine.home / ".local").write_text("")


def _data_cannot_be_made(machine: Machine) -> None:
    (machine.home / ".claude").write_text("")


def _a_program_of_that_name(machine: Machine) -> None:
    machine.add_program("holdfast", "another\n", "home/.local/bin")


def _another_clone_is_linked(machine: Machine) -> None:
    machine.add_program("holdfast", "another\n", "other/bin")
    (machine.home / ".local/bin").mkdir(parents=True)
    (machine.home / ".local/bin/holdfast").symlink_to(machine.folder / "other/bin/holdfast")


def _no_network(machine: Machine) -> None:
    machine.extra["PIP_FIND_LINKS"] = str(machine.work)


def _client_is_broken(machine: Machine) -> None:
    (machine.folder / "client/claude-fail").write_text("marketplace list")


def _client_is_no_client(machine: Machine) -> None:
    machine.add_program("claude", "#!/bin/sh\necho hello\n", "client")


def _market_of_another(machine: Machine) -> None:
    markets = [{"name": "holdfast-tools", "source": "github", "repo": "someone/holdfast"}]
    (machine.folder / "client/claude-state").write_text(json.dumps([markets, []]))


def _market_cannot_be_added(machine: Machine) -> None:
    (machine.folder / "client/claude-fail").write_text("marketplace add")


def _plugin_cannot_be_installed(machine: Machine) -> None:
    (machine.folder / "client/claude-fail").write_text("install")


def _brief_fails(machine: Machine) -> None:
    main = machine.folder.parent / "a clone/plugin/holdfast/cli/main.py"
    main.write_text("def main() -> int:\n    return 1\n")


def _no_python(machine: Machine) -> None:
    finder = machine.folder.parent / "a clone/hooks/find-python"
    finder.write_text(finder.read_text().replace("< (3, 11)", "< (99, 0)"))


@pytest.mark.parametrize(
    ("hinder", "expected"),
    [
        (_no_home, "HOME is not a folder (not set)"),
        (_home_is_a_file, "HOME is not a folder"),
        (_home_cannot_be_written_to, "cannot write to /proc/"),
        (_bin_cannot_be_made, "home/.local/bin (File exists: "),
        (_data_cannot_be_made, "data/holdfast-holdfast-tools (File exists: "),
        (_a_program_of_that_name, "home/.local/bin/holdfast already exists and is not from holdfast"),
        (_another_clone_is_linked, "other/bin/holdfast; move it away"),
        (_no_network, "no package index answers"),
        (_client_is_broken, "does not answer (the client's own words)"),
        (_client_is_no_client, "does not answer (hello)"),
        (_market_of_another, "someone/holdfast; type: claude plugin marketplace remove holdfast-tools"),
        (_market_cannot_be_added, "marketplace add"),
        (_plugin_cannot_be_installed, "failed (the client's own words)"),
        (_brief_fails, "brief` failed"),
        (_no_python, "Python 3.11 or newer is missing"),
    ],
)
def test_a_failure_leaves_nothing_behind(
    machine: Machine, client: Path, root: Path, hinder: Callable[[Machine], None], expected: str
) -> None:
    """One line says what failed and what to type; the home and the client are unchanged."""
    hinder(machine)
    state = (client / "claude-state").read_text() if (client / "claude-state").exists() else ""
    before = snapshot(machine.folder / "home")
    code, _, err = install(machine, root)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("install.sh: ")
    assert expected in err
    assert f"Then type: {root}/install.sh" in err or hinder is _no_python
    assert snapshot(machine.folder / "home").keys() == before.keys()
    after = (client / "claude-state").read_text() if (client / "claude-state").exists() else ""
    assert (after or state).replace("[[], []]", "") == state


def test_a_stopped_install_undoes_everything(machine: Machine, client: Path, root: Path) -> None:
    """A run that is stopped in its last step changes nothing."""
    (client / "claude-hang").write_text("install")
    process = machine.start(root / "install.sh")
    while "install" not in ((client / "claude-log").read_text() if (client / "claude-log").exists() else ""):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count(b"\n")) == (130, 1)
    assert not [*machine.home.iterdir()]
    assert json.loads((client / "claude-state").read_text()) == [[], []]


def test_a_clone_that_has_gone_is_replaced(machine: Machine, client: Path, root: Path) -> None:
    """After the clone was moved, installing from the new path replaces link and marketplace."""
    link = machine.home / ".local/bin/holdfast"
    link.parent.mkdir(parents=True)
    link.symlink_to("/nowhere/old clone/bin/holdfast")
    markets = [{**MARKET, "path": "/nowhere/old clone"}]
    (client / "claude-state").write_text(json.dumps([markets, []]))
    assert install(machine, root)[0] == 0
    assert link.readlink() == root / "bin/holdfast"
    assert json.loads((client / "claude-state").read_text())[0] == [{**MARKET, "path": str(root)}]


def test_uninstall_leaves_what_is_not_ours(machine: Machine, client: Path, root: Path) -> None:
    """Another clone's command, marketplace and plugin stay, and the output names each."""
    _another_clone_is_linked(machine)
    _market_of_another(machine)
    before = snapshot(machine.home)
    code, out, err = install(machine, root, "--uninstall")
    assert (code, err) == (0, "")
    assert "plugin: left alone" in out
    assert "is not from this clone; it stays" in out
    assert snapshot(machine.home) == before
    assert calls(client) == []


def test_a_python_that_stopped_working_is_replaced(machine: Machine, root: Path) -> None:
    """A recorded interpreter that no longer starts is replaced."""
    machine.data.mkdir(parents=True)
    broken = machine.add_program("broken", "#!/bin/sh\nexit 127\n", "elsewhere")
    (machine.data / "python").write_text(f"{broken}\n")
    assert install(machine, root)[0] == 0
    assert (machine.data / "python").read_text() != f"{broken}\n"


def test_help_names_the_options(machine: Machine, root: Path) -> None:
    """--help lists the options, and an unknown option is refused; neither changes anything."""
    code, out, _ = install(machine, root, "--help")
    assert code == 0
    assert all(word in out for word in ("--scope", "user", "project", "local", "--uninstall", "--statusline"))
    assert install(machine, root, "--nonsense")[0] == 2
    assert not [*machine.home.iterdir()]


def test_the_real_client_lists_the_plugin(machine: Machine, client_binary: Path, root: Path) -> None:
    """The real client lists the plugin after installing, and neither plugin nor marketplace after uninstalling."""
    (machine.tools / "claude").symlink_to(client_binary)
    machine.extra |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}

    def listed(*what: str) -> list[dict[str, object]]:
        found = json.loads(machine.run("claude", "plugin", *what, "list", "--json").stdout)
        assert isinstance(found, list)
        return [entry for entry in found if not str(entry.get("id")).endswith(BUILT_IN)]

    code, _, err = install(machine, root)
    assert (code, err) == (0, "")
    assert [(entry["id"], entry["enabled"]) for entry in listed()] == [("holdfast@holdfast-tools", True)]
    settings = (machine.home / ".claude/settings.json").stat()
    assert install(machine, root)[1].count(": already ") == 4
    assert (machine.home / ".claude/settings.json").stat().st_mtime_ns == settings.st_mtime_ns
    assert install(machine, root, "--scope", "local")[0] == 0
    assert [entry["scope"] for entry in listed()] == ["user", "local"]
    code, _, err = install(machine, root, "--uninstall")
    assert (code, err) == (0, "")
    assert (listed(), listed("marketplace")) == ([], [])
    assert not machine.data.exists()
    assert not (machine.home / ".local").exists()


def test_uninstalling_tells_what_left_each_client(machine: Machine, root: Path) -> None:
    """The hooks of Droid go from the file that it reads."""
    (machine.tools / "droid").symlink_to("/bin/true")
    assert install(machine, root, "--client", "droid")[0] == 0
    code, out, _ = install(machine, root, "--uninstall")
    removed = f"Droid: hooks: removed from {machine.home}/.factory/hooks.json"
    assert (code, removed in out) == (0, True), out


def test_the_last_client_takes_all_away(machine: Machine, client: Path, root: Path) -> None:
    """Uninstalling one client leaves command and packages as long as another one has the plugin, and nothing then."""
    before = snapshot(machine.home)
    (machine.tools / "droid").symlink_to("/bin/true")
    assert install(machine, root, "--client", "droid")[0] == 0
    assert install(machine, root)[0] == 0
    code, out, _ = install(machine, root, "--client", "claude-code", "--uninstall")
    assert (code, "command, packages: they stay for Droid" in out) == (0, True), out
    assert (machine.home / ".local/bin/holdfast").is_symlink()
    code, out, _ = install(machine, root, "--client", "droid", "--uninstall")
    assert (code, "packages: removed from" in out) == (0, True), out
    assert {name for name in {*snapshot(machine.home)} - {*before} if "claude" not in name} <= {".factory"}
    assert not (machine.home / ".local").exists()
    assert client.is_dir()


def test_uninstalling_says_what_stays_and_what_removes_it(machine: Machine, root: Path) -> None:
    """Of each project that is still there; nothing of ours is left after the command that is named, but state files."""
    assert install(machine, root)[0] == 0
    shared, private, gone = (machine.folder / name for name in ("shared", "private", "gone"))
    for folder in (shared, private, gone):
        machine.run("git", "init", "-q", folder)
        way = "--private" if folder is private else "--shared"
        assert machine.run(root / "bin/holdfast", "-C", folder, "init", way).returncode == 0
        assert machine.run(root / "bin/holdfast", "-C", folder, "start", "Parse").returncode == 0
    shutil.rmtree(gone)
    code, out, _ = install(machine, root, "--uninstall")
    lines = out.splitlines()
    assert code == 0
    assert [line for line in lines if line.startswith("merges: ")] == [
        f"merges: git merges state files by lines again in {shared}."
    ]
    assert "holdfast" not in (shared / ".git/config").read_text()
    stays = [line.removeprefix("stays: ") for line in lines if line.startswith("stays: ")]
    assert stays[:2] == [f"{folder}/.git/holdfast" for folder in (shared, private)]
    removal = f"git -C {shared} rm -rf .agents"
    assert stays[-1] == f"{shared}/.agents, your state files: {removal}"
    assert lines[-1] == f"To remove all but state files: {root}/install.sh --uninstall --all"
    code, out, _ = install(machine, root, "--uninstall", "--all")
    store = f"{private}/.git/holdfast"
    assert (code, f"stays: {store}, your private state files: rm -r {store}" in out) == (0, True), out
    assert os.listdir(store) == ["private"]
    assert machine.run("rm", "-r", store).returncode == 0
    left = [path for path in machine.folder.rglob("*holdfast*") if path != root and root not in path.parents]
    assert left == [shared / ".agents/holdfast.toml"]
    assert machine.run(*removal.split()).returncode == 0
    assert not (shared / ".agents/sessions").exists()


def test_the_demo_leaves_nothing(machine: Machine, root: Path) -> None:
    """Without a client, and without packages that are installed already, it plays to its end; home and clone stay."""
    before = snapshot(machine.folder / "home")
    code, out, err = install(machine, root, "--demo")
    assert (code, err) == (0, "")
    assert f"project is gone.\nInstall it: {os.path.relpath(root / 'install.sh', machine.work)}\nIn a project" in out
    assert snapshot(machine.folder / "home") == before
