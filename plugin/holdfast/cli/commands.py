"""The table of commands: the module of each one, and its line in the help.

This module imports neither click nor a command: click takes four times as long to import as Python takes to start.
"""

import os

# module: {command: the first sentence of its help text}
COMMANDS = {
    "holdfast.cli.show": {
        "list": "Show every session known here: what it is about, where it runs, whether it lives.",
        "status": "Show what a state file says: status, focus, progress, what is next, what is open, and its working "
        "memory.",
        "show": "Print a state file, or one section of it, as it stands.",
        "brief": "Print what a session that starts now would be told.",
        "checklist": "Show what is open of a session: measured items first, then what only people can answer.",
    },
    "holdfast.cli.preparing": {
        "init": "Prepare this project: from here on its sessions have state files.",
    },
    "holdfast.cli.work": {
        "start": "Begin a piece of work: create its state file, titled TITLE.",
        "sync": "Set fields and add list items of a state file; everything else in it stays as it is.",
        "audit": "Say what is missing, unfilled, invalid, contradictory, stale or broken in state files, with lines.",
        "handoff": "Print the hand-over of a state file, after checking that it is ready for it; nothing is written.",
    },
    "holdfast.cli.finishing": {
        "finish": "Answer what becomes of a session: done completes it, later pauses it, drop gives it up.",
    },
    "holdfast.cli.closing": {
        "close": "Set a state file to completed and print what is to be done before it goes; with --delete it goes.",
    },
    "holdfast.cli.continuing": {
        "pause": "Set a state file to paused and write the hand-over that `holdfast continue` takes up.",
        "continue": "Take up what was paused, from its hand-over; else come back from a discussion, or say where the "
        "work stands.",
    },
    "holdfast.cli.steps": {
        "memory": "Give a state file the six sections of working memory that it lacks, and bring all of them up to "
        "date.",
        "discuss": "Fork into a discussion of TOPIC; the state file knows where to come back to.",
        "return": "Come back from a discussion to what was done before.",
        "plan": "Keep the plans that wait for the user's word.",
        "task": "Keep the task at hand, and those that wait for their turn.",
        "phase": "Keep the phase of the project that the work is in.",
    },
    "holdfast.cli.loops": {
        "loop": "Keep the open questions in LOOPS.md: capture, explore, close, list them.",
    },
    "holdfast.cli.hub": {
        "hub": "Print the hub as it stands: the register of all sessions, wherever it is kept.",
        "update": "Tell the hub what a session does, as KEY=VALUE each, or all in one string; answers one JSON object.",
        "validate": "Check the hub: Markdown, ids, links, orphans, times, and whether it says what the journals tell.",
        "tree": "Show who started whom: sessions, subagents and entries of the hub, with status, age and last line.",
        "sweep": "Close or pause what says active, is gone, and was silent for longer than `stale_hours`; close "
        "orphans.",
        "archive": "Move the oldest entries of the hub's history to SESSION-HISTORY.md beside it.",
        "resume": "List the sessions that can be resumed, or show one: its hand-over, and the line that resumes it.",
    },
    "holdfast.cli.recovery": {
        "drift": "Say how much has happened that a state file does not say, item by item with its evidence.",
        "recover": "Say what a state file leaves out or has wrong, item by item, each with the line that settles it.",
    },
    "holdfast.cli.snapshots": {
        "snapshots": "List the snapshots that compactions left, those of the session NAME, or show the one that is "
        "called so.",
        "restore": "Set a state file back to what SNAPSHOT has of it; what stands there now becomes a snapshot itself.",
    },
    "holdfast.cli.conflicts": {
        "conflicts": "List the files that several are at work on, or another live session: who changed them lately, "
        "and where.",
    },
    "holdfast.cli.budget": {
        "budget": "Show how full the context of a session is: its zone, what that asks for, and what the tokens are.",
    },
    "holdfast.cli.trusting": {
        "trust": "List the files that came with the repository and are not accepted, or show those at PATH and accept "
        "them.",
    },
    "holdfast.cli.merging": {
        "merge-file": "Merge the files BASE, OURS and THEIRS into OURS, as git asks for it; `holdfast init` sets that "
        "up.",
    },
    "holdfast.cli.upkeep": {
        "settle": "Bring state files and hub up to date with the journals.",
        "doctor": "Check Python, packages, plugin, hooks, git and folders; say what to do about what is wrong.",
        "deps": "Build the dependency folder, if it is not there yet.",
    },
}
MODULES = {name: module for module, lines in COMMANDS.items() for name in lines}
_HIDDEN = ("merge-file",)  # git calls it
_COLUMNS = 80  # click's help is never wider
_WIDTH = _COLUMNS - 2
_HEAD = """\
Usage: holdfast [OPTIONS] COMMAND [ARGS]...

  Keep the state of Claude Code's working sessions in plain Markdown beside
  the code.

Options:
  --version   Show the version and exit.
  -C DIR      Work as if started in DIR.
  -h, --help  Show this message and exit.

Commands:
"""


def rows(width: int = _WIDTH) -> list[tuple[str, str]]:
    """Return each command, in alphabetical order, with its line in a help text of `width` columns."""
    lines = {name: line for each in COMMANDS.values() for name, line in each.items() if name not in _HIDDEN}
    limit = width - 6 - max(map(len, lines))
    return [(name, _cut(lines[name], limit)) for name in sorted(lines)]


def _cut(line: str, limit: int) -> str:
    """Return as many whole words of a line as fit into `limit` characters, as click does."""
    if len(line) <= limit:
        return line
    while len(line) + 3 > limit:
        line = line.rpartition(" ")[0]
    return line + "..."


def help_text() -> str:
    """Return the help text of `holdfast` as click prints it, "" in a terminal of fewer than 80 columns."""
    if _columns() < _COLUMNS:
        return ""
    known = rows()
    first = max(len(name) for name, _ in known) + 2
    return _HEAD + "".join(f"  {name:<{first}}{line}\n" for name, line in known)


def _columns() -> int:
    """Return the width of the terminal as click finds it, 0 when only click itself can tell."""
    columns = os.environ.get("COLUMNS", "")
    if columns:
        return int(columns) if columns.isascii() and columns.isdigit() else 0
    try:
        return os.get_terminal_size(1).columns or _COLUMNS
    except OSError:
        return _COLUMNS
