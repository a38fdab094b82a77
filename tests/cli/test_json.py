"""The JSON of each command has the keys and types of the schema, and the reference lists them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli import commands
from holdfast.cli.app import cli
from tests.support import hooks
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
SCHEMA = json.loads((ROOT / "docs/reference/output.schema.json").read_text())["$defs"]
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def flaws(value: Any, schema: dict[str, Any], place: str = "") -> list[str]:
    """Return where a value is not as the schema says, with the keywords that the schema uses."""
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    exact = isinstance(value, tuple(TYPES[kind] for kind in kinds))
    if not exact or (isinstance(value, bool) and "boolean" not in kinds):
        return [f"{place}: {type(value).__name__} is not {kinds}"]
    found = []
    if isinstance(value, dict):
        found = [f"{place}.{key} is missing" for key in schema.get("required", []) if key not in value]
        known = schema.get("properties", {})
        found += [flaw for key in value.keys() & known for flaw in flaws(value[key], known[key], f"{place}.{key}")]
    if isinstance(value, list) and "items" in schema:
        found += [
            flaw for number, one in enumerate(value) for flaw in flaws(one, schema["items"], f"{place}[{number}]")
        ]
    return found


# What changes something, in an order in which each command has something to do.
CHANGING = (
    *(
        "task add|Sum the totals",
        "task start|Sum",
        "task complete|--next|Test",
        "task skip|not needed|--next|Ship it",
    ),
    "task later|Ship it|2099-12-01",
    *("plan propose|Two passes", "plan edit|one pass", "plan reject|too slow", "plan propose|One pass", "plan approve"),
    *("memory", "phase skip-to|2|Reports", "phase complete|--next|Release"),
    *("discuss|the dates", "return|--summary|ISO"),
    *("loop add|Which zone?", "loop explore|1|--approach|Read", "loop close|1|--outcome|UTC", "sweep"),
    *("archive|--keep|9", "pause|--note|Mara answers", "continue", "settle", "rename|one|Sums"),
    *("start|Another piece", "finish|one|later"),
    *("loop draft|Which currency?", "update|action=completed|session_id=one", "init", "deps", "gc"),
    *("webhook add|https://hooks.example/x|--name|ci", "webhook retry", "webhook remove|ci"),
)
BY_ITSELF = {
    *["loop", "sweep", "archive", "settle", "rename", "start", "finish", "update", "init", "deps", "gc", "webhook"]
}
# These need a transcript, a compaction, a client, a receiver.
ELSEWHERE = {"budget", "restore", "install", "webhook test", "mcp"}


def test_each_command_that_changes_something_prints_what_the_schema_says(prepared: Project) -> None:
    """One after the other in one session; each line of output is the JSON."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    for line in CHANGING:
        name, *rest = line.split("|")
        ident = [] if name.split()[0] in BY_ITSELF else ["--session", "one"]
        if name == "finish":  # a live session is not finished from elsewhere
            prepared.fire("SessionEnd")
        reply = prepared.cli(*name.split(), *rest, *ident, "--json")
        assert reply.code == 0, (line, reply)
        assert flaws(json.loads(reply.out), SCHEMA[name]) == [], line


def test_each_command_prints_what_the_schema_says(prepared: Project) -> None:
    """In a project with a live session, a state file, a task, an open question and a hub."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("a.py")
    prepared.fire("TaskCreated")
    prepared.fire("Stop")
    prepared.settled("one")
    assert prepared.cli("loop", "add", "Which dates?").code == 0
    named = {
        "loop show": ["1"],
        "close": ["--check"],
        "search": ["invoices"],
        "forget": ["no such words", "--yes"],
        "sync": ["--json", '{"Next Steps": ["Go on"]}', "--format", "json"],
    }
    for command, schema in SCHEMA.items():
        # What changes something comes in its own order; `log` and `events` print an object per line.
        if command in {*ELSEWHERE, "log", "events", *(line.partition("|")[0] for line in CHANGING)}:
            continue
        reply = prepared.cli(*command.split(), *named.get(command, []), *["--json"] * (command != "sync"))
        value = json.loads(reply.out)
        assert flaws(value, schema) == [], command
    assert flaws({"text": 1}, SCHEMA["brief"]) == [".text: int is not ['string']"]
    assert flaws({}, SCHEMA["brief"]) == [".text is missing"]


def test_each_command_that_reports_something_has_json() -> None:
    """All that the help shows but the board, and the ones that print a script and the status line."""
    context = click.Context(cli)

    def lacking(command: click.Command, name: str) -> list[str]:
        if isinstance(command, click.Group):
            found = {one: command.get_command(context, one) for one in command.list_commands(context)}
            return [
                line
                for one, inner in found.items()
                if inner and not inner.hidden
                for line in lacking(inner, f"{name} {one}")
            ]
        return [] if any("--json" in option.opts for option in command.params) else [name.strip()]

    assert sorted(lacking(cli, "")) == ["board", "completion", "statusline"]


def test_the_reference_lists_each_key() -> None:
    """Each command of the schema is a command, and has a row with its keys."""
    rows = {
        line.split("`")[1]: line for line in (ROOT / "docs/reference/json.md").read_text().splitlines() if "| `" in line
    }
    assert sorted(rows) == sorted(SCHEMA)
    assert {name.split()[0] for name in rows} <= {*commands.MODULES}
    for name, schema in SCHEMA.items():
        keys = schema.get("items", schema).get("properties", {})
        assert [key for key in keys if f"`{key}`" not in rows[name]] == [], name
