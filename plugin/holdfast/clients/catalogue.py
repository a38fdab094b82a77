"""All coding clients that holdfast works with, by name; journals without a name are Claude Code's."""

import os

from holdfast.core.client import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.core.client import Client

# The names of all clients, and the variables with the session's id in their shells and with which these are known.
# They stand here, too, and the ids in `core.client`: a session's start needs them all, and no module but its client's.
NAMES = ("claude-code", "codex", "gemini", "qwen", "copilot", "opencode", "droid")
MARKS = (
    *("CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"),
    *("CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "GEMINI_CLI", "GEMINI_SESSION_ID"),
    *("QWEN_CODE", "QWEN_CODE_SESSION_ID", "COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"),
    *("OPENCODE", "OPENCODE_SESSION_ID", "DROID_SESSION_ID", "DROID_PROJECT_DIR"),
)
MCP = "HOLDFAST_MCP"  # set where a tool of `holdfast mcp` runs a command, also for clients that have no hooks
_DEEPEST = 32  # processes between a command and the client that runs it


def of(name: str) -> "Client":
    """Return a client by its name; Claude Code for "", and for a client of a later version of holdfast.

    Only that client's module is loaded.
    """
    module = f"clients.{name}" if name in NAMES[1:] else "core.client"
    imported = __import__(f"holdfast.{module}", fromlist=(name,))  # not with importlib, which is a module more
    client: Client = getattr(imported, name if name in NAMES[1:] else "claude_code")
    return client


def every() -> "list[Client]":
    """Return all clients."""
    return [of(name) for name in NAMES]


def label(ident: str, name: str, reader: str = "") -> str:
    """Return the id of a session, after its client's name if that or the client of the `reader` is not Claude Code."""
    return f"{of(name).SHORT} session {ident}" if name or reader else ident


def own_session(environ: "Mapping[str, str]") -> str:
    """Return the id of the session in whose shell this process runs, "" in any other shell.

    A client that another client's shell started hands on the other's variable. The innermost one counts: it is the
    first that is missing on the way up from process to process.
    """
    named = {name: environ[name] for name in SESSIONS if environ.get(name)}
    if len(named) < 2:
        return next(iter(named.values()), "")
    from holdfast.core import process

    pid = os.getppid()
    for _ in range(_DEEPEST):
        outer = process.environment(pid)
        inner = [value for name, value in named.items() if outer.get(name) != value]
        if inner or pid <= 1:
            return next(iter(inner or named.values()))
        pid = process.parent(pid)
    return next(iter(named.values()), "")


def output_reaches_model(environ: "Mapping[str, str]") -> bool:
    """Whether what is printed now enters a model's context: in a hook, in a shell that a client runs, and in a tool."""
    return any(environ.get(name) for name in (*MARKS, MCP))
