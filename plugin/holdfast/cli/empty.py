"""What a list says when it has nothing to show: why, and what to type. Without a session no list has more."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project


def nothing_known(project: "Project") -> str:
    """Return the message for a project without sessions and state files."""
    what = "Begin one: holdfast start TITLE" if project.initialised else "Prepare this project: holdfast init"
    return f"No session is known here yet. {what}"


def refusal(project: "Project") -> str:
    """Return the same for a command that needs a session, as the message of an error."""
    return f"n{nothing_known(project)[1:]}"
