"""Writes a text to a tracker once: it looks for it first, reads it back, and journals it.

Each text ends with a mark, a comment of HTML that no reader sees. A process that is killed between the call and the
journal leaves the mark there, where the next one reads it.
"""

import hashlib
from dataclasses import dataclass, field

from holdfast.core import clock, lock
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.journal import log
from holdfast.tracker import tools
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.tracker.tools import Repository, Row

COMMENT, ISSUE, REQUEST = "comment", "issue", "request"
_LOCK = "tracker.lock"
_SKEW = 86_400.0  # seconds by which clocks may differ


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be written: a comment on the issue `number`, an issue, or a pull request.

    `subject` says what it is about; together with the session it is written once. `more` has what only this kind needs.
    """

    kind: str
    subject: str
    body: str
    title: str = ""
    number: int = 0
    more: dict[str, str] = field(default_factory=dict)

    def name(self) -> str:
        """Return what it becomes."""
        return f"a comment on #{self.number}" if self.kind == COMMENT else f"a new {self.kind}: {self.title}"


def consent(where: "Repository") -> bytes:
    """Return the text to which a person says yes before the first write to a repository of a tracker."""
    return f"tracker {where.tool} {where.name}".encode()


def may_write(project: "Project", where: "Repository") -> bool:
    """Whether a person said yes, in this clone, to writing to this repository."""
    return clone.is_trusted(project) and clone.is_accepted(project, consent(where))


def written(store: str, session: "Session", draft: Draft) -> str:
    """Return where a text was written earlier, "" if the journal does not say that it was."""
    mark = _mark(session, draft)
    facts = log.of_kinds(store, session.id, ("tracked",))
    return next((text_of(fact, "text") for fact in facts if text_of(fact, "id") == mark), "")


def write(project: "Project", where: "Repository", session: "Session", draft: Draft) -> str:
    """Write a text unless it is there already, and return its address; HoldfastError if it is not there afterwards."""
    if not may_write(project, where):
        raise HoldfastError(f"nobody has said yes to writing to {where.name} yet. A person types: holdfast link --send")
    with lock.sole(f"{project.store}/{_LOCK}") as alone:
        if not alone:
            raise HoldfastError("another process writes to the tracker now; try again when it is done.")
        if known := written(project.store, session, draft):
            return known
        mark = _mark(session, draft)
        row = _existing(where, session, draft, mark)
        row = row or _created(where, draft, whole(session, draft), mark)
        address = tools.url(row) or f"https://{where.name}/-/issues/{draft.number}#note_{row.get('id', '')}"
        fact = {"kind": "tracked", "id": mark, "type": draft.kind, "text": address, "subject": draft.subject}
        log.append(project.store, session.id, fact)
        return address


def _mark(session: "Session", draft: Draft) -> str:
    return hashlib.sha256(f"{session.id} {draft.kind} {draft.subject}".encode()).hexdigest()[:16]


def whole(session: "Session", draft: Draft) -> str:
    """Return the text of a draft as it is written, with its mark."""
    return f"{draft.body.rstrip()}\n\n<!-- holdfast:{_mark(session, draft)} -->\n"


def _created(where: "Repository", draft: Draft, body: str, mark: str) -> "Row":
    """Create what a draft says and return it as it reads back."""
    key = "body" if draft.kind == COMMENT else where.text()
    values = {key: body, **({"title": draft.title} if draft.title else {}), **draft.more}
    made = tools.create(where, _address(where, draft), values)
    if draft.kind == COMMENT:
        back = _with_mark(tools.rows(where, _address(where, draft)), mark)
    else:
        back = _with_mark([tools.read(where, f"{_address(where, draft)}/{tools.number(made)}")], mark)
    if not back:
        raise HoldfastError(
            f"{where.name} does not show the {draft.kind} that was written. Look at it: https://{where.name}"
        )
    return back if tools.url(back) else made


def _existing(where: "Repository", session: "Session", draft: Draft, mark: str) -> "Row | None":
    """Return what an earlier process wrote and could not journal, None for nothing."""
    since = clock.write(max(0.0, session.started - _SKEW), clock.ISO)
    gh = where.tool == tools.GH
    if draft.kind == COMMENT:
        query = {"since": since} if gh else {}
    elif draft.kind == ISSUE:
        query = {"state": "all", "since": since} if gh else {"scope": "all", "created_after": since}
    else:
        query = {"state": "all"}
        query |= {"head": f"{where.path.partition('/')[0]}:{draft.subject}"} if gh else {"source_branch": draft.subject}
    return _with_mark(tools.rows(where, _address(where, draft), **query), mark)


def _with_mark(rows: "Iterable[Row]", mark: str) -> "Row | None":
    texts = ("body", "description")
    return next((row for row in rows if any(f"holdfast:{mark}" in str(row.get(key)) for key in texts)), None)


def _address(where: "Repository", draft: Draft) -> str:
    if draft.kind == COMMENT:
        return where.comments(draft.number)
    return where.issues() if draft.kind == ISSUE else where.requests()
