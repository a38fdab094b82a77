"""After `/clear` the state file goes on with the new session, unless the first request is about other work."""

from holdfast.core import files
from holdfast.core.fast_json import text_of
from holdfast.journal import asked, log
from holdfast.journal.session import typed_by_user
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.log import Fact
    from holdfast.journal.payload import Payload
    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_BEGINNING = 1 << 16  # bytes of a journal that may still have only its first prompt
_TITLE = 80  # characters
_SHARED = 2  # words of its own that a request shares with the work that it goes on with


def inherit(project: "Project", own: "Session", everyone: "list[Session]") -> "Session":
    """Return a session that `/clear` began with the state file of the session that it ended in the same process.

    Work that is paused or over stays so.
    """
    ended = [
        one
        for one in everyone
        if one.process.reason == "clear"
        and (one.process.pid, one.process.identity) == (own.process.pid, own.process.identity)
    ]
    before = max((one for one in ended if one.state), key=lambda one: one.ended, default=None)
    if before is None or own.state or not own.process.identity or not before.active:
        return own
    log.claim(project.store, own.id, before.state, by="clear")
    return own.replace(**{name: getattr(before, name) for name in ("state", "state_name", "summary", "version")})


def at_prompt(body: "Payload", project: "Project", now: float) -> str:
    """Leave the state file to the work before `/clear` if the first request is about other work.

    Return what Claude reads then, else "". The request has a file of its own from its first edit on.
    """
    path = log.state_file_of(project.store, body.session)
    if not path or body.agent or files.size_of(log.path_of(project.store, body.session)) > _BEGINNING:
        return ""
    request = body.text("prompt")
    if not _is_first(log.read(project.store, body.session)) or not asked.has_substance(request):
        return ""
    from holdfast.sessions.workspace import Workspace

    workspace = Workspace(project, now)
    before = _before(workspace, body.session, path)
    if before is None or _goes_on(workspace, before, request):
        return ""
    log.append(project.store, body.session, {"kind": "released", "path": before.claimed_name})
    log.release(project.store, body.session)
    title = safe.line(before.title, _TITLE)
    return (
        f'This request begins other work: {before.state_name} ("{title}") stays open as it is, and the first edit '
        f"makes a state file for this request. If it does go on with that work: holdfast continue {before.id}"
    )


def _is_first(facts: "Sequence[Fact]") -> bool:
    """Whether a journal has only one prompt so far, no work, and a state file that `/clear` handed on."""
    typed = [fact for fact in facts if fact["kind"] == "prompt" and typed_by_user(text_of(fact, "text"))]
    claims = [text_of(fact, "by") for fact in facts if fact["kind"] == "state"]
    return len(typed) == 1 and claims[-1:] == ["clear"] and not any(fact["kind"] in {"edit", "task"} for fact in facts)


def _before(workspace: "Workspace", ident: str, path: str) -> "Session | None":
    """Return the session that `/clear` ended last of those with a state file, None where one file is for all work."""
    from holdfast.memory import location

    if location.in_use(workspace, workspace.project.target.root, ident) == path:
        return None
    others = [workspace.session(one) for one in log.sessions_of_file(workspace.project.store, path) if one != ident]
    ended = [one for one in others if one and one.process.reason == "clear"]
    return max(ended, key=lambda one: one.ended, default=None)


def _goes_on(workspace: "Workspace", before: "Session", request: str) -> bool:
    """Whether a request has most words of the title, an open task, a next step or a file of the work before it."""
    texts = [
        before.title,
        before.talk.request,
        *before.unfinished(),
        before.plan[0],
        before.state_name,
        *before.inside(),
    ]
    own = _tokens(request)
    for words in map(_tokens, [*texts, *workspace.said(before.id).following]):
        shared = len(own & words)
        if shared >= _SHARED and 2 * shared >= min(len(own), len(words)):
            return True
    return before.id in request


def _tokens(text: str) -> set[str]:
    from holdfast.sessions import full_text

    return set(full_text.tokens(" ".join(asked.own_words(text))))
