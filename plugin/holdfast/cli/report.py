"""The command `report`: all sessions as one HTML page, or as JSON."""

import os

import click

from holdfast.cli import output
from holdfast.cli.app import cli, print_json, say
from holdfast.context.short_lists import counted, kilobytes
from holdfast.core import files, process
from holdfast.core.errors import HoldfastError
from holdfast.overview import page
from holdfast.overview import report as reports
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe


@cli.command("report")
@click.option("--html", "path", default="", metavar="FILE", type=click.Path(), help="Write the page to this file.")
@click.option("--force", is_flag=True, help="Replace a file that is not a report of holdfast.")
@click.option("--all", "everything", is_flag=True, help=f"All sessions, not the latest {reports.MOST} only.")
@output.reports
@click.pass_obj
def make_report(workspace: Workspace, *, path: str, force: bool, everything: bool) -> None:
    """Write the sessions, what happened and the figures into one page, which opens from disk.

    With --json and without --html: print what the page would show.
    """
    if not path and not output.is_json():
        raise click.UsageError("No file is given. Give --html FILE, or --json.")
    if path:
        _require_writable(path, force=force)
    process.disable_gc()
    report = reports.read(workspace, 0 if everything else reports.MOST)
    if not path:
        print_json(report)
        return
    files.write_atomic(path, page.compose(report))
    earlier = report.pop("earlier")
    report.clear()  # what is read back needs as much memory
    size, sessions = page.measured(path)
    if output.is_json():
        print_json({"path": os.path.abspath(path), "bytes": size, "sessions": sessions})
    else:
        rest = f" {earlier} earlier ones: --all." if earlier else ""
        say(f"{safe.mask(path)}: {counted(sessions, 'session')}, {kilobytes(size)}. Open it in a browser.{rest}")


def _require_writable(path: str, *, force: bool) -> None:
    """Raise HoldfastError when the page cannot be written there, or, without `force`, would replace another file."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise HoldfastError(f"{folder} is not a folder. Give --html a file in a folder that exists.")
    if not os.path.lexists(path) or os.path.islink(path):  # a link is refused when it would be written
        return
    if not os.path.isfile(path):
        raise HoldfastError(f"{path} is not a plain file. Give --html the name of one.")
    if not force and os.path.getsize(path) and not page.is_report(path):
        raise HoldfastError(f"{path} is there and is not a report of holdfast. Give another name, or --force.")
