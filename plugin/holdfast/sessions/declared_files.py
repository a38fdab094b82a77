"""Files that active entries of the hub name, noted where a hook looks before an edit."""

from holdfast.journal import file_touches
from holdfast.sessions import hub_entries, hub_location, summaries
from holdfast.sessions.session import Session
from holdfast.trust import ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.workspace import Workspace

_MOST = 200  # files


def note(workspace: "Workspace") -> None:
    """Add a line about each file that an active entry names, so that a hook reads no hub before an edit.

    Nothing is taken from a hub whose text was not accepted on this machine.
    """
    project = workspace.project
    hub = Session("")
    hub.state = hub_location.known(hub_location.home(project).root)
    hub.summary = summaries.summary_of(hub.state, workspace.cache, workspace.formats)
    if not project.store or not hub.summary or ledger.TrustCheck(workspace.cache).untrusted([hub.state]):
        return
    found = [(name, ident) for ident, (_, names) in hub_entries.active_files(hub).items() for name in names]
    for name, ident in found[:_MOST]:
        file_touches.declare(project.store, name, ident)
