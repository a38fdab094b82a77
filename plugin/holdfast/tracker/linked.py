"""Which issue a session has: as `holdfast link` said, else its state file's frontmatter, its branch, or its title."""

import re

from holdfast.formats import issue
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_FIELDS = ("github_issue", "gitlab_issue", "issue", "linear_issue")
_NUMBER = re.compile(r"(?:https?://\S+/issues/|(?<![\w&/])#|\bGH-)(\d{1,7})(?!\w)")
_ALONE = re.compile(r"#?\d{1,7}")
# A part of a branch such as 12-fix-totals, issue-12 or gh-12; dates and versions are none.
_BRANCH = re.compile(r"(?:^|/)(?:(?:issues?|gh)[-_/]?(\d{1,7})(?![\d.])|(\d{1,7})-(?=[A-Za-z]))")


def key(text: str) -> str:
    """Return the issue that a text names, such as "#12" or "PLT-123", "" for none."""
    if _ALONE.fullmatch(text.strip()):
        return f"#{text.strip().removeprefix('#')}"
    found = _NUMBER.search(text)
    return f"#{found[1]}" if found else issue.key(text)


def of(workspace: "Workspace", session: "Session") -> str:
    """Return the issue of a session, "" for none."""
    said = log.last(workspace.project.store, session.id, "linked")
    if said:
        return str(said.get("text", ""))
    fields = _frontmatter(workspace, session)
    return fields or _in_branch(session.branch) or key(session.title)


def number(found: str) -> int:
    """Return the number of an issue of GitHub or GitLab, 0 for the key of another tracker."""
    return int(found[1:]) if _ALONE.fullmatch(found) else 0


def _frontmatter(workspace: "Workspace", session: "Session") -> str:
    if not session.state:
        return ""
    metadata = workspace.state_file(session.state).metadata
    texts = [metadata.text(place) for field in _FIELDS for place in (f"session.{field}", field)]
    return next((found for text in texts if text and (found := key(text))), "")


def _in_branch(branch: str) -> str:
    found = _BRANCH.search(branch)
    return f"#{found[1] or found[2]}" if found else issue.key(branch.upper())
