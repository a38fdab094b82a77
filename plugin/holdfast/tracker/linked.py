"""Which issue a session has: as `holdfast link` said, else its state file's frontmatter, its branch, or its title."""

import re

from holdfast.formats import issue
from holdfast.git import remotes
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_FIELDS = ("github_issue", "gitlab_issue", "issue", "linear_issue")
_NUMBER = re.compile(r"(?:https?://\S+/issues/|(?<![\w&/])#|\bGH-)((?!0)\d{1,7})(?!\w)")
_ADDRESS = re.compile(r"https?://(?:www\.)?(\S+)/issues/\d")
_ALONE = re.compile(r"#?(?!0)\d{1,7}")
# A part of a branch such as 12-fix-totals, issue-12 or gh-12; dates and versions are none.
_BRANCH = re.compile(r"(?:^|/)(?:(?:issues?|gh)[-_/]?((?!0)\d{1,7})(?![\d.])|((?!0)\d{1,7})-(?=[A-Za-z]))")


def key(text: str, root: str) -> str:
    """Return the issue that a text names, such as "#12" or "PLT-123", "" for none.

    The address of an issue names one only if a remote of the working tree `root` leads to its repository.
    """
    address = _ADDRESS.search(text)
    if address and not _is_here(address[1].removesuffix("/-"), root):
        return ""
    if _ALONE.fullmatch(text.strip()):
        return f"#{text.strip().removeprefix('#')}"
    match = _NUMBER.search(text)
    return f"#{match[1]}" if match else issue.key(text)


def _is_here(repository: str, root: str) -> bool:
    """Whether a remote leads to a repository, such as "github.com/o/r"."""
    return any(remotes.place(root, name).casefold() == repository.casefold() for name in remotes.names(root))


def of(workspace: "Workspace", session: "Session") -> str:
    """Return the issue of a session, "" for none."""
    said = log.last(workspace.project.store, session.id, "linked")
    if said:
        return str(said.get("text", ""))
    name = field(workspace, session)
    written = workspace.state_file(session.state).metadata.text(name) if name else ""
    root = workspace.project.root
    return key(written, root) or _in_branch(session.branch) or key(session.title, root)


def number(digits: str) -> int:
    """Return the number of an issue of GitHub or GitLab, 0 for the key of another tracker."""
    return int(digits[1:]) if _ALONE.fullmatch(digits) else 0


def field(workspace: "Workspace", session: "Session") -> str:
    """Return the key of a state file's frontmatter that names its issue, such as "session.issue", "" for none."""
    if not session.state:
        return ""
    metadata = workspace.state_file(session.state).metadata
    places = [place for name in _FIELDS for place in (f"session.{name}", name)]
    return next((one for one in places if key(metadata.text(one) or "", workspace.project.root)), "")


def _in_branch(branch: str) -> str:
    match = _BRANCH.search(branch)
    return f"#{match[1] or match[2]}" if match else issue.key(branch.upper())
