"""`holdfast mcp`, driven by the client of the official SDK and by the real Claude Code."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.cli.test_import_costs import loaded
from tests.client.api import flatten, text
from tests.client.api import tool as call
from tests.client.steps import new, write
from tests.support import hooks
from tests.support.fences import inside
from tests.support.packages import MCP_LOCK, lend
from tests.support.plugin import settled, state_files

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.support.hooks import Project

    Use = Callable[[Client], Awaitable[Any]]

prepared, here = hooks.prepared, hooks.here
pytestmark = pytest.mark.processes
TOOLS = {"list", "show", "search", "brief", "start", "sync", "loops", "tasks", "update", "pause", "close"}
SECRET = "password=hunter2hunter2"  # noqa: S105 - one that has to be masked


@pytest.fixture
def served(prepared: Project) -> Project:
    """Give a project with the packages of the server, and with a state file."""
    lend(prepared.data, MCP_LOCK, "mcp")
    prepared.write_state(title="Parse the invoices")
    return prepared


def used(project: Project, use: Use, **changes: str | None) -> Any:
    """Return what a function does with a client whose server runs in the project."""
    return asyncio.run(connected(project, use, **changes))


async def connected(project: Project, use: Use, **changes: str | None) -> Any:
    """Await what a function does with a client whose server runs in the project."""
    command = str(project.plugin / "bin/holdfast")
    environment = project.environment(**changes)
    server = StdioServerParameters(command=command, args=["mcp"], cwd=project.root, env=environment)

    async with Client(server) as client:
        return await use(client)


def called(project: Project, name: str, **arguments: Any) -> tuple[bool, str]:
    """Return whether a tool failed, and what the model reads of it; that is always in a fence."""

    async def use(client: Client) -> Any:
        return await client.call_tool(name, arguments)

    found = used(project, use)
    (content,) = found.content
    assert re.search(r"<(holdfast-[0-9a-f]{8})>\n.*</\1>$", content.text, re.DOTALL), content.text
    return found.is_error, content.text if found.is_error else inside(content.text)


@pytest.mark.parametrize(("name", "argument"), [("close", "sesion"), ("list", "all"), ("tasks", "title")])
def test_an_argument_that_a_tool_does_not_have_is_refused(served: Project, name: str, argument: str) -> None:
    """A wrong name in a call of `close` would complete another session than the one that was meant."""

    async def use(client: Client) -> Any:
        schemas = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        return schemas[name], await client.call_tool(name, {argument: "x"})

    schema, answer = used(served, use)
    assert schema["additionalProperties"] is False
    assert answer.is_error
    assert argument in answer.content[0].text
    assert "in_progress" in served.state_files()[0].read_text()


def test_two_clients_without_hooks_write_into_two_files(served: Project) -> None:
    """Each means the work that it began itself."""

    async def both(one: Client) -> Any:
        async def of(two: Client) -> Any:
            calls = [(one, "A"), (two, "B")]
            for client, name in calls:
                await client.call_tool("start", {"title": f"Work of {name}"})
            for client, name in calls:
                assert not (await client.call_tool("sync", {"changes": {"Next Steps": [f"Next of {name}"]}})).is_error
                assert not (await client.call_tool("tasks", {"action": "start", "text": f"Task of {name}"})).is_error
                assert not (await client.call_tool("loops", {"action": "add", "title": f"Loop of {name}"})).is_error
                (shown,) = (await client.call_tool("show", {})).content
                assert f"Next of {name}" in str(shown)
            return await one.call_tool("pause", {"note": "A goes home"})

        return await connected(served, of)

    assert not used(served, both).is_error
    for name, other in ("AB", "BA"):
        (path,) = [path for path in served.state_files() if f"work-of-{name.lower()}" in path.name]
        assert f"Task of {name}" in path.read_text()
        assert f"of {other}" not in path.read_text()
        assert ("status: paused" in path.read_text()) == (name == "A")


def test_the_tools_and_resources(served: Project) -> None:
    """All of them are listed; the resources are the hub, once it is there, and each state file."""

    async def use(client: Client) -> Any:
        await client.call_tool("update", {"action": "started", "agent": "tests", "session_id": "n7", "purpose": "x"})
        resources = (await client.list_resources()).resources
        texts = [(await client.read_resource(one.uri)).contents[0] for one in resources]
        return (await client.list_tools()).tools, resources, texts

    tools, resources, texts = used(served, use)
    assert {tool.name for tool in tools} == TOOLS
    (required,) = (tool.input_schema["required"] for tool in tools if tool.name == "update")
    assert required == ["action", "session_id"]
    assert all(tool.description for tool in tools)
    assert {tool.name for tool in tools if tool.annotations.read_only_hint} == {"list", "show", "search", "brief"}
    assert [(str(one.uri).rpartition("/")[0], one.name) for one in resources] == [
        ("holdfast:/", "The hub: all sessions"),
        ("holdfast://state", "Parse the invoices"),
    ]
    assert "n7" in inside(texts[0].text)
    assert "# Session: Parse the invoices" in inside(texts[1].text)


# What a tool is given, and what is in its answer, for a client without hooks.
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("list", {}, "Parse the invoices"),
    ("list", {"everything": True}, "Parse the invoices"),
    ("show", {"section": "Next Steps"}, "## Next Steps"),
    ("search", {"words": "zebra"}, "No text"),
    ("brief", {}, "Parse the invoices"),
    ("sync", {"changes": {"Next Steps": [f"Sum, {SECRET}"]}}, "Sum, password=[masked]"),
    ("loops", {"action": "add", "title": "Which zone?"}, "LOOP-001"),
    ("loops", {"action": "close", "loop": "1", "outcome": "UTC"}, "Closed LOOP-001"),
    ("loops", {}, ""),
    ("tasks", {"action": "add", "text": "--all of them"}, "--all of them"),
    ("tasks", {"action": "start", "text": "Sum the totals"}, "Sum the totals"),
    ("tasks", {"action": "skip", "text": "later"}, "Skipped"),
    ("tasks", {}, "STATUS"),
    ("update", {"action": "started", "session_id": "n7", "agent": "tests", "purpose": "a b"}, '"success"'),
    ("start", {"title": "Another piece", "kind": "build"}, "another-piece.md"),
    ("pause", {"session": "Parse", "note": "Mara"}, "paused"),
    ("close", {"session": "Another", "check": True}, "Next steps done"),
    ("close", {"session": "Another"}, "completed"),
]


def test_each_tool_does_what_its_command_does(served: Project) -> None:
    """One after the other, in one connection; the arguments of a tool are never options of its command."""

    async def use(client: Client) -> Any:
        return [await client.call_tool(name, arguments) for name, arguments, _ in CALLS]

    for (name, arguments, expected), answer in zip(CALLS, used(served, use), strict=True):
        assert not answer.is_error, (name, arguments, answer.content)
        assert expected in answer.content[0].text, (name, arguments)
        assert SECRET not in answer.content[0].text
    assert "hunter2" not in "".join(path.read_text() for path in (served.root / ".agents").rglob("*.md"))


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("show", {"session": "--help"}, "no session here has '--help'"),
        ("close", {"session": "--delete"}, "no session here has '--delete'"),
        ("show", {"section": "Nowhere"}, "Nowhere"),
        ("sync", {"changes": {}}, "names nothing to write"),
        ("loops", {"action": "close", "loop": "9", "outcome": "x"}, "9"),
        ("update", {"action": "started", "session_id": ""}, "session_id"),
        ("tasks", {"action": "add"}, "the argument text is missing"),
        ("loops", {"action": "close", "loop": "1"}, "the argument outcome is missing"),
        ("start", {"title": "a\0b"}, "null character"),
        ("start", {"title": ""}, "the argument title is missing"),
        ("search", {"words": "x", "kind": "nope"}, "'question', 'title'"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_says_why(
    served: Project, name: str, arguments: dict[str, Any], problem: str
) -> None:
    """The model reads what a person would."""
    failed, words = called(served, name, **arguments)
    assert failed
    assert problem in words


def test_texts_of_a_clone_that_is_not_trusted_are_not_returned(served: Project, tmp_path: Path) -> None:
    """A tool reads no more of it than Claude's shell, although no client set a variable."""
    subprocess.run(["git", "add", "--all"], cwd=served.root, check=True, env=served.environment())
    subprocess.run(["git", "commit", "-qm", "x"], cwd=served.root, check=True, env=served.environment())
    subprocess.run(["git", "clone", "-q", served.root, tmp_path / "copy"], check=True)
    served.root = tmp_path / "copy"

    async def use(client: Client) -> Any:
        answers = [await client.call_tool(name, {}) for name in ("list", "show", "brief")]
        return answers, (await client.list_resources()).resources

    answers, resources = used(served, use)
    assert "invoices" not in str(answers)
    assert resources == []

    async def read(client: Client) -> Any:
        return await client.read_resource("holdfast://state/invoices")

    with pytest.raises(BaseExceptionGroup) as caught:
        used(served, read)
    assert caught.group_contains(MCPError)
    assert "Parse the" not in str(caught.value)


def test_the_own_session_is_that_of_the_client(served: Project) -> None:
    """The session whose process started the server; after `/clear` that of the new one."""
    for ident in ("one", "two"):
        served.fire("SessionStart", ident)
        served.edit(f"{ident}.py", ident)
        served.settled(ident)
        failed, words = called(served, "show")
        assert not failed
        assert f"{ident}.py" in words
        served.fire("SessionEnd", ident, reason="clear")


def test_without_its_packages_it_says_what_to_type(prepared: Project) -> None:
    """And registering is for people."""
    reply = prepared.cli("mcp")
    assert (reply.code, reply.out) == (1, "")
    assert "Type: holdfast deps --mcp" in reply.err
    for option in ("--register", "--unregister"):
        reply = prepared.cli("mcp", option, CLAUDECODE="1")
        assert (reply.code, "a person registers" in reply.err) == (1, True)


def test_registering_is_read_back(served: Project) -> None:
    """It is done by the client's own command; a client that keeps nothing is no success."""
    program = served.folder / "client/claude"
    program.parent.mkdir()
    log = served.folder / "said"
    program.write_text(f'#!/bin/sh\necho "$*" >>{log}\n[ "$2" != get ] || cat {log}\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    reply = served.cli("mcp", "--register", "--json", PATH=path)
    command = f"{served.plugin}/bin/holdfast"
    assert json.loads(reply.out) == {"registered": True, "command": command}
    assert f"mcp add --scope user holdfast -- {command} mcp" in log.read_text()
    assert json.loads(served.cli("mcp", "--unregister", "--json", PATH=path).out)["registered"] is False
    program.write_text("#!/bin/sh\n")
    assert "`claude mcp add` failed" in served.cli("mcp", "--register", PATH=path).err


@pytest.mark.parametrize("command", ["list", "mcp --register"])
def test_no_other_command_loads_it(served: Project, command: str) -> None:
    """Its packages are loaded by the server alone."""
    names = loaded(served, *command.split())
    assert "holdfast.cli.app" in names
    assert {name for name in names if name.partition(".")[0] in {"mcp", "pydantic", "anyio"}} == set()


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_real_client_uses_the_tools(ready: Claude, api: Api, tmp_path: Path) -> None:
    """A session of Claude Code writes its own state file through the server, and reads it back in a fence."""
    assert ready.plugin_dir
    data = tmp_path / "data"
    shutil.copytree(ready.extra["HOLDFAST_DATA"], data, symlinks=True)
    lend(data, MCP_LOCK, "mcp")
    ready.extra["HOLDFAST_DATA"] = str(data)
    server = {"command": str(ready.plugin_dir / "bin/holdfast"), "args": ["mcp"], "env": dict(ready.env)}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"holdfast": server}}))
    session = new()
    api.script(
        [write(ready, "src/parser.py")],
        [call("mcp__holdfast__sync", changes={"Next Steps": ["Sum the totals of the north branch"]})],
        [call("mcp__holdfast__show")],
        [text("Done.")],
    )
    allowed = ["--mcp-config", str(config), "--allowedTools", "Write,mcp__holdfast"]
    done = ready.run("Parse the invoices", session_id=session, args=allowed)
    assert done.returncode == 0, done.stderr
    (last,) = api.requests("main")[-1:]
    results = flatten(last.body["messages"])
    assert "Sum the totals of the north branch" in inside(
        results[results.rindex("<holdfast-") :].partition("\n\n\n")[0]
    )
    settled(ready.project, session)
    (file,) = state_files(ready.project)
    assert "- Sum the totals of the north branch" in file.read_text()
