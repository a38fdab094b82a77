"""All coding clients that holdfast works with, by name; journals without a name are Claude Code's."""

import os

from holdfast.clients import claude_code, codex, copilot, gemini, qwen
from holdfast.core import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.clients.client import Client

CLIENTS: "dict[str, Client]" = {client.NAME: client for client in (claude_code, codex, gemini, qwen, copilot)}
_DEEPEST = 32  # processes between a command and the client that runs it


def of(name: str) -> "Client":
    """Return a client by its name; Claude Code for "", and for a client of a later version of holdfast."""
    return CLIENTS.get(name, claude_code)


def label(ident: str, name: str, reader: str = "") -> str:
    """Return the id of a session, after its client's name if that or the client of the `reader` is not Claude Code."""
    return f"{of(name).SHORT} session {ident}" if name or reader else ident


def own_session(environ: "Mapping[str, str]") -> str:
    """Return the id of the session in whose shell this process runs, "" in any other shell.

    A client that another client's shell started hands on the other's variable. The innermost one counts: it is the
    first that is missing on the way up from process to process.
    """
    found = {client.SESSION: environ.get(client.SESSION, "") for client in CLIENTS.values()}
    found = {name: value for name, value in found.items() if name and value}
    pid = os.getppid()
    for _ in range(_DEEPEST if len(found) > 1 else 0):
        inner = [value for name, value in found.items() if process.variable(pid, name) != value]
        if inner or pid <= 1:
            return next(iter(inner or found.values()))
        pid = process.parent(pid)
    return next(iter(found.values()), "")


def outer_sessions(pid: int) -> "list[str]":
    """Return the ids of the sessions in whose shells a process was started."""
    found = (process.variable(pid, client.SESSION) for client in CLIENTS.values() if client.SESSION)
    return [ident for ident in found if ident]


def output_reaches_model(environ: "Mapping[str, str]") -> bool:
    """Whether what is printed now enters a model's context: in a hook, and in a shell that a client runs."""
    return any(environ.get(name) for client in CLIENTS.values() for name in client.MARKS)
