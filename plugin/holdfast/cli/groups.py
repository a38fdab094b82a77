"""How commands are found, suggested, completed and explained, and whether `holdfast` alone opens the board."""

import os
from importlib import import_module

import click

from holdfast.cli import commands, screen
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from holdfast.project.paths import Project


def examples(name: str) -> list[str]:
    """Return the examples for the help of a command or group, which are those that begin with its name."""
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/examples.txt", encoding="ascii") as file:
        lines = file.read().splitlines()
    return [line for line in lines if f"{line} ".startswith(f"holdfast {name} ")]


class _Command(click.Command):
    """A command whose help ends with examples."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Add the examples to the help."""
        if lines := examples(ctx.command_path.partition(" ")[2]):
            with formatter.section("Examples"):
                formatter.write("".join(f"{' ' * formatter.current_indent}{line}\n" for line in lines))


class _Group(_Command, click.Group):
    """A group that suggests a command for an unknown name."""

    command_class = _Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command and its arguments; UsageError names those with a similar name."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            import difflib

            close = difflib.get_close_matches(args[0], self.list_commands(ctx), 3)
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


class Commands(_Group):
    """The commands of the table; each one is imported when it is needed."""

    group_class = _Group

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own name
        """Return the names of all commands that people type."""
        return [name for title, group in commands.GROUPS.items() if title for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if the name is unknown."""
        if cmd_name in commands.MODULES:
            import_module(commands.MODULES[cmd_name])
        return super().get_command(ctx, cmd_name)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002 - click's own name
        """Return the help of the table."""
        return commands.help_text().rstrip("\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Return the commands that begin so, without importing them, and the options."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        completion_items = [CompletionItem(name, help=commands.LINES[name]) for name in names]
        return [*completion_items, *click.Command.shell_complete(self, ctx, incomplete)]


_FEWEST = 2  # sessions, for which `holdfast` alone opens the board


def opens(project: "Project") -> bool:
    """Whether `holdfast` alone opens the board: in a terminal, in a project with several sessions."""
    usable = screen.can_ask() and os.environ.get("TERM", "") not in {"", "dumb"}
    return usable and len(log.sessions(project.store)) >= _FEWEST
