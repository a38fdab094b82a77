"""The help, its suggestions and examples, and the completion of shells."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

import click
import pytest

from holdfast.cli import commands
from holdfast.cli.app import cli
from holdfast.cli.groups import examples
from tests.support import hooks, screens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
EVERY_DAY = ["list", "status", "resume", "pause", "close", "doctor"]
ACTS = {"merge-file", "settle", "webhook send", "share keep"}  # people do not type these


def everything() -> Iterator[tuple[str, click.Command]]:
    """Give each command and each command of a group, with what is typed for it."""
    top = click.Context(cli, info_name="holdfast")
    for name in commands.MODULES:
        command = cli.get_command(top, name)
        assert command, name
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", command.commands[inner]) for inner in command.commands)


def test_the_help_fits_one_screen(here: Project) -> None:
    """Six everyday commands come first, then a line for each group, with all that people type; no line is cut."""
    text = here.cli("--help").out
    lines = text.splitlines()
    assert (max(map(len, lines)) <= 80, len(lines) < 24, "..." in text) == (True, True, False)
    assert [line.split()[0] for line in lines[lines.index("Every day:") + 1 :][:6]] == EVERY_DAY
    typed = [name for name in commands.MODULES if name not in ACTS]
    assert [name for name in typed if name not in text.replace(",", " ").split()] == []
    assert text == here.cli("help").out == here.cli("-h").out == here.cli("-C", str(here.root), "--help").out
    assert "holdfast help --all" in text


def test_the_whole_help_has_a_line_for_each_command(here: Project) -> None:
    """In the same order; no line is cut or wider than 80 columns; what people do not type is not there."""
    text = here.cli("help", "--all").out
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "..." not in text
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2].islower()]
    assert listed == [name for name in commands.MODULES if name not in ACTS]
    assert text == here.cli("--help", "--all").out
    shown = screens.run([str(here.plugin / "bin/holdfast"), "help"], here.root, here.environment(), (80, 24))
    lines = (text := here.cli("help").out).splitlines()
    assert shown.text.split() == text.split()
    assert (shown.gone, len(shown.lines)) == (0, len(lines))


@pytest.mark.parametrize("group", ["loop", "task", "plan", "phase", "share"])
def test_the_help_of_a_group_cuts_no_line(here: Project, group: str) -> None:
    """The first sentence about each of its commands fits beside its name."""
    lines = here.cli(group, "--help").out.splitlines()
    commands_of = lines[lines.index("Commands:") + 1 : lines.index("Examples:")]
    assert [line for line in commands_of if line.endswith("...") or len(line) > 80] == []


def test_the_table_has_each_command_with_its_module() -> None:
    """Each command is in a table, or people would not find it."""
    top = {name: command for name, command in everything() if " " not in name}
    assert sorted(cli.commands) == sorted(commands.MODULES)
    for name, command in top.items():
        assert command.callback, name
        assert command.callback.__module__ == commands.MODULES[name], name


def test_the_help_of_each_command_ends_with_examples_that_can_be_typed(here: Project) -> None:
    """Each one is parsed as typed; `holdfast help COMMAND` prints the same as `--help`."""
    for name, command in everything():
        if name in ACTS:
            continue
        assert examples(name), name
        for example in examples(name):
            program, *arguments = shlex.split(example.partition(" >")[0])
            assert program == "holdfast"
            assert " ".join(arguments).startswith(name)
            if not isinstance(command, click.Group):
                command.make_context(name, arguments[len(name.split()) :], obj=None)
    text = here.cli("help", "close").out
    assert text == here.cli("close", "--help").out
    assert "\nExamples:\n  holdfast close --check\n" in text


@pytest.mark.parametrize(
    ("typed", "reported"),
    [
        ("sttus", "There is no command 'sttus'. Did you mean status"),
        ("loop lst", "There is no command 'lst'. Did you mean list? Type: holdfast loop --help"),
        ("xyzzy", "There is no command 'xyzzy'. Type: holdfast --help"),
        ("list --al", "No such option '--al'."),
        ("start", "Missing argument 'TITLE...'. Type: holdfast start --help"),
    ],
)
def test_a_typo_gets_a_suggestion(here: Project, typed: str, reported: str) -> None:
    """In one line that says what to type."""
    reply = here.cli(*typed.split())
    assert (reply.code, reply.out, reply.err.count("\n")) == (2, "", 1)
    assert reply.err.startswith(f"holdfast: {reported}")


def test_the_version(here: Project) -> None:
    """`-V` is `--version`."""
    assert here.cli("-V") == here.cli("--version")
    assert here.cli("-V").out.startswith("holdfast ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_a_shell(here: Project, shell: str) -> None:
    """It is printed, and asks holdfast for what can follow."""
    text = here.cli("completion", shell).out
    assert "_HOLDFAST_COMPLETE" in text
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0


def test_commands_options_and_ids_complete(prepared: Project) -> None:
    """Ids come with their titles."""
    start = {"kind": "start", "root": str(prepared.root)}
    prepared.remember("abcdef-1", start, {"kind": "prompt", "text": "Parse the invoices"})
    for words, position, expected in (
        ("holdfast sta", 1, ["plain,status,", "plain,start,"]),
        ("holdfast list --a", 2, ["plain,--all,"]),
        ("holdfast status abc", 2, ["plain,abcdef-1,Parse the invoices"]),
    ):
        reported = prepared.cli(
            _HOLDFAST_COMPLETE="fish_complete", COMP_WORDS=words, COMP_CWORD=words.split()[position]
        )
        found = reported.out.replace("\t", ",").splitlines()
        assert [one for one in expected if not any(one.removeprefix("plain,") in line for line in found)] == [], (
            reported
        )
