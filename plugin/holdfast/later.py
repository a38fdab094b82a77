"""Work handed to a process that outlives this one: the same commands that a person types."""

from holdfast import paths, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.paths import Place


def settle(place: "Place", session: str = "") -> None:
    """Settle one session, or every one that has unsettled facts."""
    only = ["--session", session] if session else []
    _run("-C", place.root or place.common, "settle", *only)


def keep(place: "Place", session: str) -> None:
    """Bring the hub up to date with one session, and leave its state file as it is."""
    _run("-C", place.root or place.common, "settle", "--hub", "--session", session)


def build_dependencies() -> None:
    """Build the dependency folder."""
    _run("deps", "--unseen")


def _run(*arguments: str) -> None:
    process.spawn([*process.interpreter(), paths.CLI, *arguments])
