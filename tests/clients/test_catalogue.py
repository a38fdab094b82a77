"""The list of clients: whose session a command belongs to, and how sessions are named."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from holdfast.clients import catalogue
from holdfast.core.client import SESSIONS
from holdfast.project import install
from tests.support.machine import ROOT

ASK = "import os; from holdfast.clients import catalogue; print(catalogue.own_session(os.environ))"


def test_names_are_unique_and_each_client_resumes_with_an_id() -> None:
    """Nobody mistakes one client for another, in options, headings or variables."""
    clients = catalogue.every()
    for values in (
        [client.NAME for client in clients],
        [client.SHORT for client in clients],
        [client.RESUME for client in clients],
        [client.SESSION for client in clients if client.SESSION],
    ):
        assert len(set(values)) == len(values)
    assert all("{id}" in client.RESUME for client in clients)


def test_the_catalogue_has_what_the_modules_say() -> None:
    """A start needs the names of all clients' variables, and should load no other client's module."""
    clients = catalogue.every()
    assert tuple(client.NAME for client in clients) == catalogue.NAMES
    assert tuple(client.SESSION for client in clients if client.SESSION) == SESSIONS
    assert tuple(mark for client in clients for mark in client.MARKS) == catalogue.MARKS
    assert {*install.CLIENTS} == {*catalogue.NAMES}


@pytest.mark.parametrize("name", ["", "claude-code", "a client of tomorrow"])
def test_a_journal_without_a_known_name_is_claude_codes(name: str) -> None:
    """Earlier journals have no name, and a later version may know more clients."""
    assert catalogue.of(name).TITLE == "Claude Code"


@pytest.mark.parametrize(
    ("name", "reader", "expected"),
    [("", "", "one"), ("codex", "", "Codex session one"), ("", "codex", "Claude session one")],
)
def test_a_client_is_named_where_it_is_not_evident(name: str, reader: str, expected: str) -> None:
    """Among sessions of Claude Code alone an id says enough."""
    assert catalogue.label("one", name, reader) == expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, ""),
        ({"CODEX_SESSION_ID": "one"}, "one"),
        ({"CLAUDE_CODE_SESSION_ID": "two", "CODEX_SESSION_ID": ""}, "two"),
    ],
)
def test_a_variable_names_the_own_session(environ: dict[str, str], expected: str) -> None:
    """Each client sets its own one in its shell."""
    assert catalogue.own_session(environ) == expected


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="the environment of a parent is not known here")
@pytest.mark.parametrize(
    ("outer", "inner"), [("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID"), ("CODEX_SESSION_ID", "CLAUDE_CODE_SESSION_ID")]
)
def test_the_innermost_of_two_clients_counts(outer: str, inner: str) -> None:
    """A client that another one's shell started hands on the other's variable."""
    command = f'{inner}=inner "{sys.executable}" -c "{ASK}"; true'
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "plugin"), outer: "outer"}
    done = subprocess.run(["sh", "-c", command], env=environ, capture_output=True, text=True, check=True)
    assert done.stdout == "inner\n"


@pytest.mark.parametrize(
    ("environ", "expected"), [({}, False), ({"GEMINI_CLI": "1"}, True), ({"CODEX_SESSION_ID": "one"}, True)]
)
def test_output_reaches_a_model_in_each_clients_shell(environ: dict[str, str], *, expected: bool) -> None:
    """So texts that were not accepted stay out of it."""
    assert catalogue.output_reaches_model(environ) is expected
