"""The command `board`: all sessions in a full-screen application, as plain text, or as JSON."""

import os

import click

from holdfast.cli import empty, screen
from holdfast.cli.app import HEADER, cli, print_json, say, say_nothing, warn
from holdfast.cli.board import lines, panes, running
from holdfast.cli.output import is_json, reports
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.overview.board import Board
from holdfast.project import known_projects
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.cli.board.panes import Line
    from holdfast.overview.watched import Row


_HEADINGS = ("ID", "TITLE", "GROUP", "STATUS", "PROCESS", "LAST ACTIVE", "TASKS", "FILES", "BRANCH", "PROJECT")


@cli.command()
@click.option("--everywhere", is_flag=True, help="The sessions of all projects of this machine.")
@click.option("--plain", is_flag=True, help="Numbered lists and questions, line by line, as for a screen reader.")
@HEADER
@reports
@click.pass_obj
def board(workspace: Workspace, *, everywhere: bool, plain: bool, header: bool) -> None:
    """Show all sessions on one screen: read, resume, pause, close and search them.

    In a pipe it prints the sessions as a list. `holdfast` alone opens it in a terminal if there are several sessions.
    """
    found = Board(_projects(workspace.project, everywhere=everywhere))
    if is_json() or not (plain or screen.can_ask()):
        _print(found, workspace.project, header=header)
    elif plain or os.environ.get("TERM", "") == "dumb":
        Plain(found, projects=everywhere).run()
    else:
        rows = found.begin()
        from holdfast.cli.board import first

        with first.shown(rows, projects=everywhere):
            from holdfast.cli.board.app import BoardApp

        app = BoardApp(found, rows, projects=everywhere)
        app.run()
        if app.failure:
            raise app.failure


def _projects(project: Project, *, everywhere: bool) -> list[Project]:
    """Return the projects whose sessions are shown, this one first."""
    projects = known_projects.projects(os.environ) if everywhere else []
    others = [one for one in projects if one.store != project.store]
    if not project.store and not others:
        raise HoldfastError(f"{project.root} is not in git and not prepared. Type: holdfast init")
    return [*([project] if project.store else []), *others]


def _print(found: Board, project: Project, *, header: bool) -> None:
    """Print the sessions for a program."""
    rows = found.read()
    for line in found.notes():
        warn(line)
    if is_json():
        print_json([_row(row) for row in rows])
    elif rows:
        say(*screen.tabbed(_HEADINGS, [_cells(row) for row in rows], header=header))
    else:
        say_nothing(empty.nothing_known(project))


def _row(row: "Row") -> dict[str, object]:
    """Return the JSON object of a session."""
    last_active = clock.write(row.last_active) if row.last_active else ""
    shown = {name: value for name, value in row._asdict().items() if name not in {"key", "ident", "last_active"}}
    return {"id": row.ident, **shown, "last_heard": last_active}


def _cells(row: "Row") -> tuple[str, ...]:
    """Return the cells of a session for a pipe."""
    last_active = clock.write(row.last_active) if row.last_active else ""
    own = (row.ident, row.title, row.group, row.status, row.process, last_active, row.tasks, str(row.files), row.branch)
    return (*own, row.root)


_PAGE = 20  # sessions listed at once
_HELP = (
    "A number shows that session. A letter with a number acts on it:",
    "  r 2  resume session 2; the board returns when the client ends",
    "  p 2  pause it, with a hand-over for the next session",
    "  c 2  close it, and list what is left to do",
    "  d 2  list what happened that its state file does not say",
    "Alone:",
    "  s       sweep: show silent open work",
    "  / word  search titles, prompts, files and decisions; / alone ends the search",
    "  l       list the sessions again; m lists more",
    "  q       quit",
)
_COMMANDS = {"p": "pause", "c": "close", "s": "sweep", "d": "drift"}


class Plain:
    """The board in a terminal, line by line. `projects` says whether a line names its project."""

    def __init__(self, board: "Board", *, projects: bool) -> None:
        self._board, self._projects = board, projects
        self._rows: list[Row] = []
        self._shown = 0  # how many of the rows were listed
        self._sought = ""

    def run(self) -> None:
        """List the sessions, and do what the user asks for until the end of the input."""
        self._list(self._board.read())
        for line in self._board.notes():
            say(line)
        say("Type a number, or ? for help.")
        while True:
            try:
                words = click.prompt("holdfast", default="", show_default=False, prompt_suffix="> ").split(None, 1)
            except click.Abort:
                return
            if words in (["q"], ["quit"]):
                return
            try:
                self._do(words[0] if words else "l", words[1] if words[1:] else "")
            except HoldfastError as error:
                say(str(error))

    def _do(self, key: str, rest: str) -> None:
        """Do what one line asks for."""
        if key.startswith("/"):
            self._search((key[1:] + " " + rest).strip())
        elif key in {"?", "h", "help"}:
            say(*_HELP)
        elif key == "l":
            self._list(self._board.look() or self._board.rows)
        elif key == "m":
            self._more()
        elif key.isdecimal():
            self._show(self._row(key))
        elif key == "r":
            self._resume(self._row(rest))
        elif key in _COMMANDS:
            self._run(_COMMANDS[key], self._row(rest) if key != "s" else None)
        else:
            say(f"There is no {key!r} here. Type ? for help.")

    def _row(self, number: str) -> "Row":
        """Return the session with a number; HoldfastError if there is none."""
        at = int(number) if number.isdecimal() and len(number) < len(str(len(self._rows))) + 1 else 0
        if not 0 < at <= len(self._rows):
            raise HoldfastError(f"Give the number of a session, from 1 to {len(self._rows)}.")
        return self._rows[at - 1]

    def _list(self, rows: "Sequence[Row]") -> None:
        """List the first sessions, or those that were found."""
        if self._sought:
            keys = self._board.find(self._sought) | self._board.find_in_journals(self._sought)
            rows = [row for row in rows if row.key in keys]
        self._rows, self._shown = [*rows], 0
        say(f"{lines.summary(rows, self._sought)}.".capitalize())
        self._more()

    def _more(self) -> None:
        """List the next sessions, with the name of a group where it begins."""
        begin = self._shown
        for number, row in enumerate(self._rows[begin : begin + _PAGE], begin + 1):
            if number == begin + 1 or row.group != self._rows[number - 2].group:
                say(f"{row.group.capitalize()}:")
            say(f"{number}. {self._line(row)}")
            self._shown = number
        left = len(self._rows) - self._shown
        if left:
            say(f"{left} more: m")

    def _line(self, row: "Row") -> str:
        """Return a session as one line of words."""
        parts = [f"{row.project}: {row.title}" if self._projects else row.title, row.status]
        parts += [row.process] if row.process != "not running" else []
        parts += [f"tasks {row.tasks}"] if row.tasks else []
        return ", ".join([*parts, *filter(None, [lines.last_active(row)])])

    def _search(self, words: str) -> None:
        """List what has a text."""
        self._sought = words
        self._list(self._board.rows)

    def _show(self, row: "Row") -> None:
        """Show one session."""
        details = self._board.details(row.key)
        if details is None:
            raise HoldfastError("it is not there any more")
        say(details.title, *(f"{label}: {text}" for label, text in details.facts))
        self._print(panes.unfinished(details))
        say("State file:", details.notice or details.state.strip())
        self._print(panes.recorded(details))

    @staticmethod
    def _print(known: "dict[str, list[Line]]") -> None:
        for name, items in known.items():
            say(f"{name}:", *(f"- {text}{f', {note}' if note else ''}" for text, note in items))

    def _resume(self, row: "Row") -> None:
        """Resume a session, after a question if it is live."""
        resumption = self._board.resumption(row.key)
        if resumption.problem:
            raise HoldfastError(resumption.problem)
        if not resumption.live or click.confirm("It is live: this opens it a second time. Resume it?"):
            environment = dict(os.environ)
            running.resume(resumption, running.client(resumption, environment), row.root, row.ident, environment)
            self._list(self._board.read())

    def _run(self, name: str, row: "Row | None") -> None:
        """Run a command, after a question if it changes something, and print what it reports."""
        root = row.root if row else self._board.roots[0]
        if name in lines.QUESTIONS and not click.confirm(lines.question(name, row.title if row else root)):
            return
        words = [name, *([row.ident] if row else [])]
        _, text = running.report(root, words, screen.size() or (80, 1000), dict(os.environ))
        say(text)
        self._list(self._board.read())
