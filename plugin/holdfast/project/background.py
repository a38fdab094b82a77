"""Starts detached processes that run holdfast's own commands."""

import os

from holdfast.core import process
from holdfast.project import paths, settle_requests, user_settings
from holdfast.project.settle_requests import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from holdfast.project.paths import Project

TRACKER_PROBLEM = "/tracker-problem"  # in the store: why the background could not read or write issues the last time


def settle(project: "Project", session: str = "", snapshot: str = "") -> None:
    """Settle one session, or all with unsettled facts; then complete the snapshot of this name, if one is given."""
    _ask(project, Request(session, snapshot))


def update_hub(project: "Project", session: str) -> None:
    """Update one session in the hub, and leave its state file as it is."""
    _ask(project, Request(session, only_hub=True))


def _ask(project: "Project", request: Request) -> None:
    """Leave a request to the process that settles this project, and start one if none does."""
    if settle_requests.add(project.store, request):
        _start_settle(project, settle_requests.lock(project.store))


def go_on(project: "Project", held: int, done: "AbstractSet[str]") -> None:
    """Let go of the lock that is `held`, or hand it on to a process that settles what was asked for since.

    `done` are the names of the requests that this process has seen.
    """
    if settle_requests.waiting(project.store) <= done:
        settle_requests.release(held)
        if settle_requests.waiting(project.store) <= done:  # one may have come just before the release
            return
        _start_settle(project, settle_requests.lock(project.store))
    else:
        _start_settle(project, held)


def _start_settle(project: "Project", lock: int | None) -> None:
    """Start the process that settles what waits; None for the `lock` means that another one is at work."""
    if lock is None:
        return
    if lock != settle_requests.NO_LOCK:
        os.set_inheritable(lock, True)
    _run("-C", project.root or project.common, "settle", "--lock", str(lock))


def keep_sharing(project: "Project") -> None:
    """Exchange sessions with the remote as long as some are live; a second such process ends at once."""
    _run("-C", project.root or project.common, "share", "keep")


def post(project: "Project") -> None:
    """Tell the user's webhooks and terminal what happened, where the user wants that."""
    if project.store and user_settings.tells(os.environ):
        _run("-C", project.root or project.common, "webhook", "send")


def track(project: "Project") -> None:
    """Read and write the issues of sessions, where the user wants that."""
    if project.store and user_settings.tracks(os.environ):
        _run("-C", project.root or project.common, "link", "--background")


def build_dependencies() -> None:
    """Build the dependency folder."""
    _run("deps", "--unseen")


def _run(*arguments: str) -> None:
    process.spawn([*process.interpreter(), paths.CLI, *arguments])
