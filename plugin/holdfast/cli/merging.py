"""What git calls: the merge of one file."""

import click

from holdfast.actions import merge_file
from holdfast.cli.app import cli, warn
from holdfast.git.merge import MARKER
from holdfast.sessions.workspace import Workspace


@cli.command("merge-file", hidden=True)
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("marker", type=click.IntRange(1, 1000), default=MARKER)
@click.argument("path", default="")
@click.option("--conflict", default=1, metavar="CODE", help="The exit code where parts are in conflict; 1 by default.")
@click.pass_obj
def merge_one(  # noqa: PLR0913, PLR0917 - git's own five and one more
    workspace: Workspace, base: str, ours: str, theirs: str, marker: int, path: str, conflict: int
) -> int:
    """Merge the files BASE, OURS and THEIRS into OURS, as git asks for it; `holdfast init` sets that up."""
    done = merge_file.merge_file(workspace, (base, ours, theirs), marker, path or ours)
    for note in done.notes:
        warn(note)
    return 0 if done.clean else conflict
