"""What a command must not load: importing takes most of the time of a command that only reads."""

from __future__ import annotations

import json
import subprocess
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tests.support import hooks, machine
from tests.support.machine import PYTHON

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
# What takes long to load: packages, parts of the standard library, and what only commands that write need.
CLICK = ("click", "typing", "inspect", "re", "enum")
GIT = ("git", "subprocess")
SLOW = ("git", "rich.console", "filelock", "dataclasses", "logging", "shutil", "tempfile", "importlib.metadata")
YAML = ("frontmatter", "yaml", "pathlib", "json")
MARKDOWN = ("pyromark", "holdfast.formats.state_file", "holdfast.markdown.document")
WRITES = (
    "holdfast.actions.settle",
    "holdfast.editing.store",
    "holdfast.actions.sync",
    "holdfast.core.lock",
    "holdfast.hub.refresh",
)
# What takes a conversation apart, for a start that quotes one.
QUOTES = (
    "holdfast.context.quotes",
    "holdfast.journal.said",
    "holdfast.journal.phrases",
    "holdfast.journal.conversation",
)
NOT_LOADED = {
    "--version": (*CLICK, *GIT, *SLOW, *YAML, *MARKDOWN, *WRITES, "holdfast.sessions.survey"),
    "--help": (*CLICK, *GIT, *SLOW, *YAML, *MARKDOWN, *WRITES, "holdfast.sessions.survey"),
    "list": (*GIT, *SLOW, *YAML, *MARKDOWN, *WRITES, "holdfast.cli.render"),
    "brief": (*GIT, *SLOW, *YAML, *MARKDOWN, *WRITES),
    "status": (*GIT, *SLOW, *YAML, *MARKDOWN, *WRITES),
    "loop list": (*GIT, *SLOW, *YAML, *MARKDOWN, *WRITES),
    "loop --help": (*GIT, "rich.console", "filelock", *YAML, *WRITES, "holdfast.sessions.survey", "holdfast.cli.show"),
}


def loaded(project: Project, *arguments: str) -> set[str]:
    """Return the modules that a command loads, as the interpreter itself tells."""
    done = subprocess.run(
        [PYTHON, "-X", "importtime", "-I", "-S", project.plugin / "plugin/holdfast/__main__.py", *arguments],
        env=project.environment(),
        cwd=project.root,
        capture_output=True,
        check=False,
        text=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_a_command_loads_only_what_it_runs(here: Project) -> None:
    """In a project with a state file and an open question, each of which was read before."""
    assert here.cli("init").code == 0
    here.write_state()
    assert here.cli("loop", "add", "Which invoices?").code == 0
    assert "The parser" in here.cli("list").out
    assert "Which invoices?" in here.cli("brief", "--all").out
    assert "The parser" in here.cli("status").out
    assert "Which invoices?" in here.cli("loop", "list").out
    for command, modules in NOT_LOADED.items():
        names = loaded(here, *command.split())
        assert "holdfast.cli.main" in names, command
        assert names & {*modules} == set(), command


def test_what_must_not_be_loaded_is_there_to_be_loaded() -> None:
    """A module that was renamed since would be missing everywhere."""
    assert [name for each in (*NOT_LOADED.values(), QUOTES) for name in each if not find_spec(name)] == []


def test_a_start_that_goes_on_with_its_work_loads_no_patterns(prepared: Project) -> None:
    """Its own state file has rows of short words, as all prose has, and none of them opens a wallet."""
    prepared.fire("SessionStart")
    prepared.fire("PostToolUse")
    prepared.cli("settle", "--session", "one")
    prepared.cli("brief")
    data = json.dumps(prepared.payload("SessionStart", source="resume")).encode()
    start = [prepared.command("SessionStart")[-1]]
    machine.loaded(start, prepared, data)  # reads the formats of this copy of the plugin
    modules = machine.loaded(start, prepared, data)
    assert "holdfast.context.brief" in modules
    assert not {"re", "contextlib", "heapq", "holdfast.trust.secrets"} & modules
    assert not {*QUOTES, "holdfast.sharing", "holdfast.clients", "holdfast.git"} & modules
