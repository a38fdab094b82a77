"""The commands in the documents: each is run, and prints what the document shows."""

from __future__ import annotations

import os
import re
import shutil
import time
from typing import TYPE_CHECKING

import pytest
from click import Context, Group

from holdfast.cli.app import cli
from tests.client.api import text, tool
from tests.client.claude import QUIET
from tests.client.identity import IDENTITY
from tests.documents.console import Shell, blocks, difference, play
from tests.support import hooks
from tests.support.machine import ROOT, Machine, clone
from tests.support.packages import offline
from tests.support.plugin import settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click import Command

    from tests.client.api import Api
    from tests.client.claude import Claude

here = hooks.here
TITLE = "Read the invoices of the north branch"
SCREEN = {"HOLDFAST_SCREEN": "80x24"}
DOCUMENTS = {file.relative_to(ROOT).as_posix(): file for file in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]}
NAMES = sorted(DOCUMENTS)
INSTALLING = ["README.md", "docs/how-to/uninstall.md"]
SENTENCES = [name for name in NAMES if not name.startswith(("docs/reference/", "docs/evidence", "CHANGELOG"))]
_INLINE = re.compile(r"`holdfast ([^`\n]+)`")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


class _Settling(Shell):
    """A shell that waits after each session until everything of it is written down, as a person is slower than that.

    It waits for the next second too, since a state file's time has no parts of a second.
    """

    def run(self, line: str) -> tuple[int, str]:
        """Run a line."""
        done = super().run(line)
        for journal in (self.folder / ".git/holdfast/journal").glob("*.jsonl") if line.startswith("claude") else ():
            settled(self.folder, journal.stem)
            time.sleep(1 - time.time() % 1)
        return done


def of(name: str) -> list[str]:
    """Return the console blocks of a document."""
    return blocks((ROOT / name).read_text())


def path(folder: Path, **programs: Path) -> str:
    """Return a PATH whose first folder has these programs."""
    folder.mkdir()
    for name, program in programs.items():
        (folder / name).symlink_to(program)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def invoices(here: hooks.Project) -> None:
    """Have a session that began to read invoices, and has a state file and an open loop."""
    assert here.cli("init", "--shared").code == 0
    here.fire("SessionStart", "one")
    here.fire("UserPromptSubmit", "one", prompt=TITLE)
    assert here.cli("start", TITLE, CLAUDE_CODE_SESSION_ID="one").code == 0
    assert here.cli("settle").code == 0


def drifting(here: hooks.Project) -> None:
    """Have more done than the state file says."""
    invoices(here)
    (file,) = here.state_files()
    file.write_text(file.read_text().replace("## Next Steps\n", "## Next Steps\n- Sum the totals\n"))
    here.edit(str(file), "one")
    assert here.cli("settle").code == 0
    for number, name in enumerate(("tests/test_totals.py", "src/report.py", "src/totals.py")):
        here.fire("UserPromptSubmit", "one", prompt=("Begin", "Go on", "And on")[number])
        (here.root / name).parent.mkdir(exist_ok=True)
        (here.root / name).write_text("x = 1\n")
        here.edit(str(here.root / name), "one")
        here.fire("Stop", "one")
    assert here.cli("settle").code == 0


def looping(here: hooks.Project) -> None:
    """Have an open loop."""
    invoices(here)
    assert here.cli("loop", "add", "Are the dates of 2019 in UTC?").code == 0


def elsewhere(here: hooks.Project) -> None:
    """Have a state file of another tool."""
    assert here.cli("init", "--shared").code == 0
    assert here.cli("start", "--format", "n5", TITLE).code == 0


def tracked(here: hooks.Project) -> None:
    """Keep the hub in the tree."""
    (here.root / ".genie").mkdir()
    assert here.cli("init", "--shared").code == 0


SCENES: dict[str, Callable[[hooks.Project], None]] = {
    "docs/explanation/compaction.md": drifting,
    "docs/explanation/hub.md": tracked,
    "docs/explanation/working-memory.md": looping,
    "docs/how-to/ci.md": invoices,
    "docs/how-to/other-state-files.md": elsewhere,
}


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("name", SCENES)
def test_what_a_page_shows_is_printed(here: hooks.Project, tmp_path: Path, name: str) -> None:
    """In a project that is as the page assumes."""
    SCENES[name](here)
    programs = path(tmp_path / "bin", holdfast=here.plugin / "bin/holdfast")
    (ident, *_) = [file.stem for file in here.state_files()] or [""]
    shell = Shell(here.root, here.environment(PATH=programs, **SCREEN), {"ID": ident}, {"holdfast audit": 1})
    wrong = play(of(name), shell, str(here.folder))
    assert not wrong, wrong


def test_the_tutorial(claude: Claude, api: Api, plugin_copy: Path, packages: Path, tmp_path: Path) -> None:
    """From an empty folder to a closed piece of work, with the plugin installed as the README says."""
    project = tmp_path / "invoices"
    claude.path = path(tmp_path / "bin", claude=claude.binary, holdfast=plugin_copy / "bin/holdfast")
    claude.extra |= {"HOLDFAST_DATA": str(packages), **SCREEN}
    for words in (["marketplace", "add", str(plugin_copy)], ["install", "holdfast@holdfast-tools"]):
        assert claude.plugin(*words).returncode == 0
    writes = tool("Write", file_path=str(project / "src/parser.py"), content="HEADER = 3\n")
    api.script([writes], [text("The parser reads headers; totals are next.")], [text("The totals are next.")])
    wrong = play(of("docs/tutorial.md"), _Settling(tmp_path, claude.env), str(tmp_path))
    assert not wrong, wrong


@pytest.fixture
def shell(tmp_path: Path, wheels: Path, client_binary: Path) -> Shell:
    """Give a shell in a clone in a new home, on a machine with Python, packages and the client."""
    machine = Machine(tmp_path / "machine", offline(wheels) | QUIET | IDENTITY)
    machine.add_python()
    (machine.tools / "claude").symlink_to(client_binary)
    (machine.tools / "ls").symlink_to(str(shutil.which("ls")))
    machine.path.append(machine.home / ".local/bin")
    root = clone(machine.home / "holdfast")
    return Shell(root, machine.env, {"ADDRESS": str(root)})


@pytest.mark.slow
def test_the_readme_shows_the_demo(shell: Shell) -> None:
    """Its first command needs nothing that is installed, and leaves nothing installed."""
    wrong = play([of("README.md")[0]], shell, shell.environment["HOME"])
    assert not wrong, wrong
    assert "holdfast@holdfast-tools" not in shell.run("claude plugin list")[1]


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_the_readme_installs(shell: Shell, number: int) -> None:
    """From the marketplace, and from a clone."""
    wrong = play([of("README.md")[number]], shell, shell.environment["HOME"])
    assert not wrong, wrong
    assert "holdfast@holdfast-tools" in shell.run("claude plugin list")[1]


@pytest.mark.slow
def test_the_page_uninstalls(shell: Shell) -> None:
    """The plugin and the command, and then what is in a project."""
    of_clone, _, of_project = of("docs/how-to/uninstall.md")
    assert shell.run("./install.sh")[0] == 0
    prepared = "git init -q ../project && cd ../project && holdfast init --shared && git add . && git commit -qm Begin"
    assert shell.run(f"({prepared})")[0] == 0
    wrong = play([of_clone], shell, shell.environment["HOME"])
    assert not wrong, wrong
    assert "holdfast" not in shell.run("claude plugin list")[1]
    shell.run("cd ../project; mkdir -p .git/holdfast")
    wrong = play([of_project], shell, shell.environment["HOME"])
    assert not wrong, wrong
    assert shell.run("ls -A")[1].split() == [".git"]


def test_every_document_with_commands_is_played() -> None:
    """A new one needs a scene."""
    with_commands = {name for name in DOCUMENTS if of(name)}
    assert with_commands == {*SCENES, *INSTALLING, "docs/tutorial.md"}


def _known(words: list[str], group: Group) -> tuple[Command | None, list[str]]:
    """Return the command that these words name, with the words after it."""
    command = group.get_command(Context(group), words[0])
    if isinstance(command, Group) and words[1:] and re.fullmatch(r"[a-z-]+", words[1]):
        return _known(words[1:], command)
    return command, words[1:]


@pytest.mark.parametrize("name", SENTENCES)
def test_a_command_in_a_sentence_exists(name: str) -> None:
    """With all its options."""
    for found in _INLINE.findall(_FENCE.sub("", (ROOT / name).read_text())):
        words = [word for word in found.split() if word != "/"]
        if words[0].startswith("-") or words[0] == "help":  # neither is a command of the group
            continue
        command, rest = _known(words, cli)
        assert command, found
        options = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        assert {word for word in rest if word.startswith("--")} - {"--help"} <= options, found


@pytest.mark.parametrize(
    ("documented", "printed", "same"),
    [
        ("2fce43b0  Parse   now   main", "11111111  Parse   1 min   main", True),
        ("2fce43b0  Parse   now   main", "11111111  Parse   now   master", False),
        ("Made it on 2026-11-22 22:26 UTC", "Made it on 2027-01-01 00:00 UTC", True),
        ("one\n...\nfour", "one\ntwo\nthree\nfour", True),
        ("one\n...\nfour", "one\nfour", True),
        ("one\n...", "one", True),
        ("one\n...\nfour", "one\ntwo", False),
        ("Made a, ... and d", "Made a, b, c and d", True),
        ("Made ~/x", "Made /srv/own/x", True),
        ("one", "one\ntwo", False),
    ],
)
def test_what_differs_from_run_to_run_is_the_same(documented: str, printed: str, *, same: bool) -> None:
    """And nothing else is."""
    assert (difference(documented.split("\n"), printed, "/srv/own") == "") is same
