"""The decisions in a session's state file: each is journaled once, so that it has a time."""

from holdfast.core.fast_json import texts_of
from holdfast.sessions import summaries
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.log import Fact
    from holdfast.sessions.workspace import Workspace

_MOST = 20  # that one settle records


def new(workspace: "Workspace", ident: str, path: str) -> "list[Fact]":
    """Return facts about the decisions that a trusted state file names for the first time."""
    summary = summaries.summary_of(path, workspace.cache, workspace.formats)
    texts = dict.fromkeys(map(safe.line, texts_of(summary, "decisions")))
    new = [text for text in texts if text and text not in workspace.recorded(ident).decided][:_MOST]
    if not new or summary.get("shared") or clone.TrustCheck().untrusted([path]):
        return []
    return [{"kind": "decided", "text": text} for text in new]
