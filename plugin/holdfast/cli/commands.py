"""The table of commands: in which group each one is, in which module, and its line in the help.

This module imports neither click nor a command: click takes four times as long to import as Python takes to start.
"""

HIDDEN = ""  # the group of commands that only hooks and git run
# group: {command: (module, its line)}
GROUPS = {
    "Every day": {
        "list": ("show", "Show the sessions of this project"),
        "status": ("show", "Show what a session works on, and what is next"),
        "resume": ("resuming", "Show what can be resumed, or the hand-over of one session"),
        "pause": ("continuing", "Pause the work, with a hand-over for the next session"),
        "close": ("closing", "Complete the work, and show what is left to do"),
        "doctor": ("upkeep", "Check the installation, and say what to type"),
    },
    "Begin and continue": {
        "demo": ("demo", "Play a recorded session in a scratch project"),
        "init": ("preparing", "Prepare this project for state files"),
        "start": ("state_files", "Begin a piece of work with a state file"),
        "continue": ("continuing", "Continue what was paused"),
        "finish": ("closing", "Complete, pause or give up a session: done, later or drop"),
        "rename": ("state_files", "Give a session or state file another title"),
        "handoff": ("state_files", "Print the hand-over, and what it lacks"),
    },
    "Look": {
        "show": ("show", "Print a state file, or one section of it"),
        "checklist": ("show", "List what is open of a session"),
        "brief": ("show", "Print what a new session receives"),
        "conflicts": ("searching", "List the files that several sessions change"),
        "budget": ("stats", "Show how full the context of a session is"),
        "preferences": ("forgetting", "Show what you corrected or prefer; keep it for later sessions"),
    },
    "All sessions": {
        "board": ("board.command", "Show all sessions on one screen, and resume them"),
        "log": ("timeline", "Show what happened in all sessions, newest first"),
        "search": ("searching", "Search all that was asked, answered and decided"),
        "stats": ("stats", "Show figures of all sessions: tasks, tokens, days"),
        "report": ("stats", "Write all sessions into one HTML page"),
        "forget": ("forgetting", "Remove texts from what was kept of sessions"),
        "share": ("sharing", "Share sessions with other machines, through git"),
    },
    "Correct state files": {
        "sync": ("state_files", "Set fields and add items of a state file"),
        "audit": ("state_files", "List what is missing or wrong in state files"),
        "drift": ("snapshots", "Show what happened that a state file does not say"),
        "recover": ("snapshots", "Show drift with the commands that settle it"),
        "snapshots": ("snapshots", "List what was kept before each compaction"),
        "restore": ("snapshots", "Set a state file back to a snapshot"),
    },
    "Working memory": {
        "memory": ("steps", "Add the six sections of working memory"),
        "loop": ("loops", "Record, explore and close open questions"),
        "task": ("steps", "Start, complete and skip tasks"),
        "plan": ("steps", "Propose, approve and reject plans"),
        "phase": ("steps", "Complete a phase, or begin another one"),
        "discuss": ("steps", "Fork into a discussion"),
        "return": ("steps", "Return from a discussion"),
    },
    "The hub": {
        "hub": ("hub", "Print the hub, which lists all sessions"),
        "tree": ("hub", "Show which session started which"),
        "update": ("hub", "Record in the hub what a session does"),
        "validate": ("hub", "Check the hub, and fix it"),
        "sweep": ("hub", "Show silent open work; complete, pause or give it up"),
        "archive": ("hub", "Move old entries to the archive"),
    },
    "Reach out": {
        "events": ("timeline", "Print the facts that journals keep, as they come with -f"),
        "link": ("tracking", "Say which issue a session is about"),
        "pr": ("tracking", "Print or create a pull request of a session"),
        "webhook": ("webhooks", "Tell chat or programs what sessions do"),
        "mcp": ("mcp", "Serve sessions and state files to clients of MCP"),
    },
    "Set up": {
        "trust": ("trusting", "Let Claude read the state files of this clone"),
        "install": ("upkeep", "Install the plugin in a coding client"),
        "statusline": ("upkeep", "Print Claude Code's status line, from its JSON"),
        "gc": ("upkeep", "Shrink the journals of sessions that ended long ago"),
        "deps": ("upkeep", "Install the packages that holdfast needs"),
        "completion": ("upkeep", "Print the completion script of a shell"),
    },
    HIDDEN: {
        "merge-file": ("upkeep", "Merge three versions of a file, as git asks for it"),
        "settle": ("upkeep", "Bring state files and hub up to date with the journals"),
    },
}
MODULES = {name: f"holdfast.cli.{module}" for lines in GROUPS.values() for name, (module, _) in lines.items()}
LINES = {name: line for lines in GROUPS.values() for name, (_, line) in lines.items()}
ABOUT = "holdfast keeps the state of Claude Code's sessions in Markdown beside your code."
OPTIONS = {
    "-C DIR": "Work as if started in DIR",
    "-V, --version": "Print the version",
    "-h, --help": "Print this help",
}
USAGE = "Usage: holdfast [COMMAND] [ID] [OPTIONS]\n"
END = "ID is part of a session's id, or words of its title.\n"
_MORE = "A line for each: holdfast help --all   Options and examples: holdfast help NAME\n"


def help_text() -> str:
    """Return the help of `holdfast`, which fits a screen of 80 columns and 24 lines.

    The everyday commands have a line each, the other groups one for all their commands.
    """
    first, *rest = (title for title in GROUPS if title != HIDDEN)
    daily = {name: line for name, (_, line) in GROUPS[first].items()}
    groups = {title: ", ".join(GROUPS[title]) for title in rest}
    return "\n".join([ABOUT, USAGE, _part(first, daily), _part("More commands", groups), _MORE + END])


def whole_help_text() -> str:
    """Return the help with a line for each command; no line has more than 80 columns."""
    shown = {title: {name: line for name, (_, line) in GROUPS[title].items()} for title in GROUPS if title != HIDDEN}
    column = max(len(name) for lines in (OPTIONS, *shown.values()) for name in lines)
    groups = [_part(title, lines, column) for title, lines in shown.items()]
    return "\n".join([f"{ABOUT}\n", USAGE, *groups, _part("Options", OPTIONS, column), END])


def _part(title: str, lines: "dict[str, str]", column: int = 0) -> str:
    """Return a part of the help: its title, and names of at least so many columns with their texts."""
    column = column or max(map(len, lines))
    return f"{title}:\n" + "".join(f"  {name:<{column}}  {text}\n" for name, text in lines.items())
