"""`holdfast.api`: what programs read and write, and the same as a stream of facts."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from holdfast import api
from holdfast.project import packages
from tests.cli.test_json import SCHEMA, flaws
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
PAGE = (ROOT / "docs/reference/api.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
SECRET = "password=hunter2hunter2"  # noqa: S105 - one that has to be masked


@pytest.fixture
def invoices(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Give a project with a live session that has a state file."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="parse the invoices")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    monkeypatch.chdir(prepared.root)
    for name, value in prepared.environment().items():
        monkeypatch.setenv(name, value)
    return prepared


@pytest.mark.parametrize("number", range(5))
def test_the_examples_run(invoices: Project, number: int) -> None:
    """Each example of the page, as it is there, in a project with a session about invoices."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(EXAMPLES[number], "api.md", "exec"), {})  # noqa: S102 - our own document
    expected = ["parse the invoices", "active .agents", "('a.py', 1)", " one parse the invoices", "written: True"]
    assert expected[number] in shown.getvalue()
    assert len(EXAMPLES) == 5
    if number == 4:
        assert "Sum the totals" in invoices.cli("show").out
        assert "nightly-7" in invoices.cli("hub").out


def test_the_page_lists_what_a_project_has() -> None:
    """And no other name."""
    names = {name for name in vars(api.Project) if not name.startswith("_")}
    assert names == set(re.findall(r"^\| `\.(\w+)\(", PAGE, re.MULTILINE))
    assert (ROOT / "plugin/holdfast/py.typed").is_file()


def test_records_are_what_the_commands_print(invoices: Project) -> None:
    """One truth: the sessions of the API are the rows of `list --json`, the facts those of `events --json`."""
    project = api.Project()
    assert [api.row(one) for one in project.sessions()] == json.loads(invoices.cli("list", "--json").out)
    assert api.row(project.sessions()[0])["files_touched"] == ["a.py"]
    assert api.row(project.session("one"))["id"] == "one"
    status = json.loads(invoices.cli("status", "--json").out)
    state = api.row(project.state("one"))
    shared = state.keys() & status.keys()
    assert {key: state[key] for key in shared} == {key: status[key] for key in shared}
    facts = [json.loads(line) for line in invoices.cli("events", "--json").out.splitlines()]
    assert facts == [api.row(fact) for fact in project.facts()]
    assert [flaws(fact, SCHEMA["events"]) for fact in facts] == [[]] * len(facts)
    (edit,) = project.facts("one", kinds=["edit"])
    assert edit.data["path"] == "a.py"
    assert list(project.facts(since=edit.at.timestamp() + 3600)) == []
    assert [*project.facts("invoices", kinds="edit")] == [edit]


def test_refusals_are_errors_that_say_what_to_do(invoices: Project) -> None:
    """Nothing was written then."""
    project = api.Project()
    wrong: Any = object()
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: project.state("nothing of the kind"), "no session here has"),
        (lambda: project.update(action=wrong, session_id="x"), "action"),
        (lambda: project.facts("nothing of the kind"), "no session here has"),
        (lambda: project.facts(kinds=["nope"]), "no kind is called 'nope'"),
        (lambda: project.search("invoices", kinds="nope"), "no kind is called 'nope'"),
        (lambda: project.search(""), "no word to search for"),
        (lambda: project.sync({"Next Steps": wrong}), "what JSON can say"),
        (lambda: project.sync(wrong), "what JSON can say"),
        (lambda: project.sync({"Next Steps": ["a\0b"]}), r"U\+0000"),
        (lambda: project.sync({"Focus": "a\ud800"}), r"U\+D800"),
        (lambda: project.sync({"Lists": {"a\ud800": 1}}), r"U\+D800"),
        *(
            (functools.partial(project.update, action="started", session_id="x", agent="tests", **{key: text}), reason)
            for key in ("purpose", "context", "branch", "parent_session")
            for text, reason in (("a\0b", r"U\+0000"), ("a\ud800", r"U\+D800"))
        ),
        (lambda: api.Project("/nothing/of/the/kind"), "is not a folder"),
        (lambda: api.Project(".\0"), "is not a folder"),
        (lambda: api.Project(wrong), "is not a folder"),
        (lambda: project.state(wrong), "ident is"),
        (lambda: [*project.facts(wrong)], "ident is"),
        (lambda: [*project.facts(since=wrong)], "since is"),
        (lambda: project.search(wrong), "words is"),
        (lambda: project.search("x", kinds=wrong), "kinds is"),
        (lambda: project.search("x", kinds=[wrong]), "kinds is"),
        (lambda: api.row(wrong), "record is"),
    ]
    for ask, reason in refusals:
        with pytest.raises(api.HoldfastError, match=reason):
            ask()
    done = project.sync({"No such section": "x"})
    assert (done.written, [*done.unplaced]) == (False, ["No such section"])
    assert "jumped" not in invoices.cli("hub").out


@pytest.mark.usefixtures("invoices")
def test_a_write_needs_the_packages_and_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a clone, in a Python without packages: those of the command are used, or it says what to type."""
    program = "from holdfast import api\nprint(api.Project().sync({'Next Steps': ['Sum']}, 'invoices').written)"
    command = [sys.executable, "-S", "-c", program]
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "plugin")}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
    monkeypatch.setattr(packages, "activate", lambda: False)
    for ask in (lambda: api.Project().sync({"Focus": "x"}), lambda: api.Project().update(action="paused")):
        with pytest.raises(api.HoldfastError, match="pip install -r"):
            ask()


@pytest.mark.usefixtures("invoices")
def test_a_model_gets_nothing_of_a_clone_that_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a client's shell the API refuses what the commands refuse."""
    subprocess.run(["git", "add", "--all"], check=True)
    subprocess.run(["git", "commit", "-qm", "x"], check=True)
    subprocess.run(["git", "clone", "-q", ".", tmp_path / "copy"], check=True)
    monkeypatch.setenv("CLAUDECODE", "1")
    copy = api.Project(tmp_path / "copy")
    (file,) = (tmp_path / "copy/.agents/sessions").iterdir()
    monkeypatch.chdir(tmp_path / "copy")
    before = file.read_bytes()
    for ask in (
        lambda: copy.state(str(file)),
        lambda: copy.state("invoices"),
        lambda: [*copy.facts()],
        lambda: copy.sync({"Next Steps": ["x"]}, str(file)),
    ):
        with pytest.raises(api.HoldfastError, match=r"not trusted here|no session here has"):
            ask()
    assert copy.sessions() == []
    assert file.read_bytes() == before


def test_a_typed_program_passes_mypy(tmp_path: Path) -> None:
    """The package says that it is typed."""
    (tmp_path / "program.py").write_text("\n".join(EXAMPLES))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "program.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "plugin")}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(60)
def test_events_streams_what_comes(here: Project) -> None:
    """In a process of its own, masked, until Ctrl-C, which is no error; what was before is not printed."""
    here.remember("one", {"kind": "prompt", "text": "Earlier"})
    command = [str(here.plugin / "bin/holdfast"), "events", "-f", "--json"]
    with subprocess.Popen(command, cwd=here.root, env=here.environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        ready = select.poll()
        ready.register(process.stdout, select.POLLIN)
        try:
            while not ready.poll(1000):  # until it has looked at the journals
                here.remember("two", {"kind": "prompt", "text": f"Use {SECRET}"})
            fact = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert (fact["session"], fact["kind"]) == ("two", "prompt")
    assert "hunter2" not in fact["data"]["text"]


def test_events_in_a_pipe_are_rows(here: Project) -> None:
    """A row for each fact, the columns' names on request; a reader that leaves is no error message."""
    here.remember("one", {"kind": "prompt", "text": "Earlier\x1b[31m"}, {"kind": "end", "reason": "other"})
    reply = here.cli("events", "--header")
    rows = [line.split("\t") for line in reply.out.splitlines()]
    assert rows[0] == ["AT", "KIND", "SESSION", "DATA"]
    assert [(row[1], row[2]) for row in rows[1:]] == [("prompt", "one"), ("end", "one")]
    assert "\x1b" not in reply.out
    shown = here.cli("events", HOLDFAST_SCREEN="40x24").out.splitlines()
    assert [len(line) for line in shown] == [40, 40]
    command = f"{here.plugin}/bin/holdfast events | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=here.root, env=here.environment(), capture_output=True, check=True)
    assert done.stderr == b""
