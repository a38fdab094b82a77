"""The warning that a working tree is on another branch, while several sessions work in it."""

from holdfast.clients import catalogue
from holdfast.journal import checkouts
from holdfast.project import paths
from holdfast.sessions.conflicts import View
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_NAMED = 3  # sessions
_USER_MOST = 18  # columns of a branch in the line for the user


def warning(workspace: "Workspace", ident: str, tree: "Project", was: str) -> tuple[str, str]:
    """Return what Claude should know when a tree is no longer on the branch `was`, and a line for the user.

    Both are "" if no other live session works in the tree: then the session or its user switched.
    """
    if workspace.settings.conflicts == "off":
        return "", ""
    view, now = View(workspace, (ident, ""), tree.root), safe.line(paths.branch(tree), 100)
    reader = view.session(ident).client
    sessions = (
        view.session(other) for other in checkouts.in_tree(workspace.project.store, tree.root) if other != ident
    )
    others = [
        f'"{safe.line(one.title, 80)}" ({catalogue.label(one.id[:8], one.client, reader)})'
        for one in sessions
        if one.live
    ]
    if not others:
        return "", ""
    reason = (
        f"holdfast: this working tree is on branch {now} now, and was on {safe.line(was, 100)}. "
        f"Also at work in it: {safe.listed(others, _NAMED)}. Unless this session switched, ask the user before "
        "the next edit. `git worktree add` gives a session a tree of its own."
    )
    return reason, f"branch {safe.line(now, _USER_MOST)} now, was {safe.line(was, _USER_MOST)}"
