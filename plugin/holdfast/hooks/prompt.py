"""What Claude reads with a prompt: other work after `/clear`, a worse zone, drift that is due, and a reminder."""

import os
import time

from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.client import Answer, Client
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings


def compose(body: "Payload", project: "Project", settings: "Callable[[], Settings]") -> str:
    """Return the text, "" with most prompts."""
    from holdfast.context import reminder
    from holdfast.hooks import cleared
    from holdfast.memory import budget

    now = time.time()
    parts = [
        cleared.at_prompt(body, project, now),
        budget.at_prompt(body, project, settings),
        reminder.report_at_prompt(body, project, now),
    ]
    parts.append(reminder.at_prompt(body, project, now))
    return "\n\n".join(filter(None, parts)) or _librarian(body, project, now)


def _librarian(body: "Payload", project: "Project", now: float) -> str:
    """Return what Claude is asked to write down at a breakpoint."""
    from holdfast.journal.session import typed_by_user

    path = f"{project.store}/librarian/{body.session}"
    if not project.store or body.agent or not os.path.exists(path) or not typed_by_user(body.text("prompt")):
        return ""
    from holdfast.context import librarian

    return librarian.at_prompt(project, body.session, now)


def is_first_after_compaction(body: "Payload", project: "Project") -> bool:
    """Return whether this is the first prompt after a compaction that no start has followed."""
    kinds = [fact["kind"] for fact in log.read(project.store, body.session)[:-1]]
    last = {kind: number for number, kind in enumerate(kinds, 1)}
    return last.get("compact", 0) > max(last.get("start", 0), last.get("prompt", 0))


def restarted(body: "Payload", project: "Project", client: "Client") -> "Answer":
    """Return what a start after a compaction would say."""
    from holdfast.hooks import session_start
    from holdfast.journal.payload import Payload

    return session_start.reply(Payload({**body.data, "source": "compact"}), project, client, time.time())
