"""Starts detached processes that run holdfast's own commands."""

from holdfast.core import process
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project


def settle(project: "Project", session: str = "", snapshot: str = "") -> None:
    """Settle one session, or all with unsettled facts; then complete the snapshot of this name, if one is given."""
    only = ["--session", session] if session else []
    _run("-C", project.root or project.common, "settle", *only, *(["--snapshot", snapshot] if snapshot else []))


def update_hub(project: "Project", session: str) -> None:
    """Update one session in the hub, and leave its state file as it is."""
    _run("-C", project.root or project.common, "settle", "--hub", "--session", session)


def share(project: "Project", *, ended: bool = False) -> None:
    """Send sessions to the remote and fetch those of others, as far as that is due."""
    _run("-C", project.root or project.common, "share", "now", "--unseen", *(["--ended"] if ended else []))


def build_dependencies() -> None:
    """Build the dependency folder."""
    _run("deps", "--unseen")


def _run(*arguments: str) -> None:
    process.spawn([*process.interpreter(), paths.CLI, *arguments])
