"""Writes docs/reference/clients.md from the modules of the clients: `python -m tests.documents.clients_page`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.clients import catalogue
from holdfast.core.client import Answer
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.client import Client

PAGE = ROOT / "docs/reference/clients.md"
HEAD = """\
# Clients

holdfast works in these coding clients. All of them write the same journals, so that a session of one is known in the
others: the brief, the tree and the hub name the client, and `holdfast resume` prints its own command.

`holdfast install --client NAME` installs the plugin in a client, and `--uninstall` removes it. In a client without
slash commands, type the command in a shell: `holdfast continue` for `/holdfast:continue`. `holdfast doctor` tells
whether the hooks of each client are trusted, and when their last event was.

opencode fetches the package `@opencode-ai/plugin` from npm when it first loads a plugin, whatever that needs. Without a
network it tries so at each start, for a minute; with `npm_config_fetch_retries=0` in its environment, for a second.

Droid resumes a session with its server alone, and `droid exec` sends no event for its prompt. What this page says of
prompts, resumed sessions and compactions of Droid is known from its documentation.

This page is made from the table of clients in `plugin/holdfast/clients`.
"""


def _if(meaning: str) -> Callable[[Client], str]:
    """Return what tells whether a client has a hook with this meaning."""
    return lambda client: "yes" if meaning in client.EVENTS.values() else "no"


def _brief(client: Client) -> str:
    return "yes" if _answers(client, "start") else "no"


def _edits(client: Client) -> str:
    names = ", ".join(f"`{name}`" for name, use in client.TOOLS.items() if use == "edit")
    return f"yes: {names}"


def _tasks(client: Client) -> str:
    return "yes" if "task_created" in client.EVENTS.values() or "task" in client.TOOLS.values() else "no"


def _conflicts(client: Client) -> str:
    if "before_tool" not in client.EVENTS.values():
        return "no"
    if not client.TELLS_BEFORE and not _answers(client, "after_tool"):
        return "refuses"
    if not client.TELLS_BEFORE:
        first = "asks, refuses; warns" if client.ASKS else "refuses; warns and `ask`"
        return f"{first} with the result of the edit"
    return "warns, asks, refuses" if client.ASKS else "warns, refuses; `ask` warns"


def _answers(client: Client, meaning: str) -> bool:
    """Whether an answer to an event with this meaning can have a text for the model."""
    return any(client.encode(event, Answer(context="text")) for event, of in client.EVENTS.items() if of == meaning)


def _live(client: Client) -> str:
    return "by its process; with a daemon by its last sign of life" if client.SHARED_PROCESS else "by its process"


def _returned(client: Client) -> str:
    if "before_compaction" not in client.EVENTS.values():
        return "no"
    return "yes" if client.SUMMARISES else "all that was to be kept returns"


ROWS: tuple[tuple[str, Callable[[Client], str]], ...] = (
    ("name for `--client`", lambda client: f"`{client.NAME}`"),
    ("resumed with", lambda client: f"`{client.RESUME.format(id='ID')}`"),
    ("hooks", lambda client: f"`{client.HOOKS}`"),
    ("so that hooks run", lambda client: client.TRUST),
    ("brief at start and resume", _brief),
    ("own state after a compaction", _if("before_compaction")),
    ("prompts recorded", _if("prompt")),
    ("edits recorded", _edits),
    ("tasks recorded", _tasks),
    ("subagents recorded", _if("child_start")),
    ("conflict reported before the edit", _conflicts),
    ("settle when the model stops", _if("turn_end")),
    (
        "checklist and other lines for the user",
        lambda client: (
            "yes, but no line at a start" if client.SHOWS and not client.SHOWS_START else _word(client.SHOWS)
        ),
    ),
    ("snapshot before a compaction", _if("before_compaction")),
    ("summary of a compaction steered", lambda client: _word(client.STEERS)),
    ("what a summary left out returns", _returned),
    ("commands", lambda client: f"`{client.COMMAND}NAME`"),
    ("model edits its state file", lambda client: "with `holdfast sync`" if client.PROTECTS_STATE else "directly"),
    ("session live", _live),
)


def _word(value: bool) -> str:  # noqa: FBT001 - a cell of the table
    return "yes" if value else "no"


def text() -> str:
    """Return the page."""
    clients = catalogue.every()
    head = ["| | " + " | ".join(client.TITLE for client in clients) + " |", "|---" * (len(clients) + 1) + "|"]
    rows = [f"| {name} | " + " | ".join(cell(client) for client in clients) + " |" for name, cell in ROWS]
    return HEAD + "\n" + "\n".join([*head, *rows]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
