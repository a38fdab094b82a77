"""Write the hub's entries from the journals: one for each session that did something, one for each of its children.

A field is set where it has no value yet, or the value that holdfast wrote; values that a person wrote stay.
"""

import os
import time
from collections.abc import Collection

from holdfast.clients import catalogue
from holdfast.core import clock
from holdfast.core.fast_json import table_of, text_of, texts_of
from holdfast.core.statuses import ACTIVE, COMPLETED, DROPPED, OVER, PAUSED, WAITING
from holdfast.hub import changes, entry_values
from holdfast.hub.entry import TIME, Entry, child_heading
from holdfast.hub.entry_values import Segment, same_ident
from holdfast.hub.transaction import Transaction
from holdfast.journal import transcript
from holdfast.journal.session import Child, inside_project
from holdfast.markdown.document import inline
from holdfast.project import paths
from holdfast.sessions import status
from holdfast.sessions.session import Session
from holdfast.trust import safe

_MOST = 12  # files named
_MINUTE = 60.0
_WORKTREE, _STATE = "Worktree", "State file"

Fields = list[tuple[str, str]]
Wrote = dict[str, object]


class HubEntry:
    """An entry as the journal has it: its id, heading, fields, context and parent."""

    __slots__ = ("agent", "context", "fields", "heading", "ident", "parent", "session", "status")

    def __init__(self, session: Session, child: Child | None = None) -> None:
        self.session = session
        self.agent = child.id if child else ""
        self.ident = self.agent or session.id
        self.status = status.child_status(session, child) if child else status.status(session)
        self.heading, self.fields, self.context = _child(session, child) if child else _session(session)
        self.parent = session.id if child else session.parent

    def wrote(self, field: str) -> str:
        """Return what holdfast wrote into a field last, "" for nothing."""
        return status.wrote(self.session, self.agent, field)

    @property
    def last(self) -> "Wrote":
        """All values that were written last, {} for none."""
        return table_of(self.session.settling.wrote.get(self.agent, {}), "wrote")

    @property
    def removed(self) -> str:
        """Who removed the entry, as the journal notes it: "git" or "hand"; "" while it is there."""
        return text_of(self.session.settling.wrote.get(self.agent, {}), "removed")

    @property
    def is_again(self) -> bool:
        """Whether it is a subagent that was started again after it had ended."""
        return bool(self.agent and self.session.children[self.agent].earlier)

    @property
    def is_known(self) -> bool:
        """Whether the entry was written before."""
        return self.agent in self.session.settling.wrote

    def segments(self, entry: Entry) -> "list[Segment]":
        """Return the context of an entry, without a worktree or state file that no longer exists."""
        moved = not self.agent and len(self.session.process.branches) > 1  # no two worktrees are on one branch
        keys = {one.key for one in self.context}
        gone = [_WORKTREE] if moved else []
        gone += [_STATE] if not self.agent and not self.session.state else []
        left = [key for key in gone if key not in keys and entry.tells(key)]
        return [*self.context, *(entry_values.Segment("none", key) for key in left)]


def put(transaction: Transaction, session: Session, anew: "Collection[str]" = ()) -> None:
    """Put the entries of a session and of its children into the hub, and record the written values as facts.

    An entry that holdfast wrote before and that is missing was deleted; it is written again only if its id is in
    `anew`. The entries of `anew` come from an older copy of the hub, so that their fields are overwritten. With one
    that is completed or goes on now, whoever says so, its other children are completed or go on.
    """
    entries = [HubEntry(session), *(HubEntry(session, child) for child in session.children.values())]
    before = [(entry.wrote("Status"), transaction.get(entry.ident)) for entry in entries]
    for entry in entries:
        values = _put(transaction, entry, anew=entry.ident in anew)
        removed = "" if transaction.get(entry.ident) else entry.removed or transaction.removed_by
        if removed != entry.removed or any(entry.wrote(field) != value for field, value in values.items()):
            fact: Wrote = {"at": round(time.time(), 3), "kind": "hub", "wrote": values or entry.last}
            fact |= {"removed": removed} if removed else {}
            transaction.facts.append((session.id, {**fact, "agent": entry.agent} if entry.agent else fact))
    for entry, (wrote, known) in zip(entries, before, strict=True):
        own = transaction.get(entry.ident)
        if own and own.category in {COMPLETED, DROPPED} and wrote not in OVER:
            changes.complete(transaction, entry.ident, status=own.category)
        elif own and own.category == ACTIVE and known and known.category in {PAUSED, WAITING}:
            changes.resume(transaction, entry.ident)


def names_lost(session: Session, hub: bytes) -> bool:
    """Whether the hub names the state file of a session that somebody deleted."""
    gone = session.claimed and not session.state and (session.lost or not session.away)
    return bool(gone) and f"{_STATE}: {session.claimed_name}\n".encode() in hub


def _put(transaction: Transaction, own: HubEntry, *, anew: bool) -> "Wrote":
    """Put one entry into the transaction; return the values of its fields that count as written.

    A value that a person wrote instead stays, and the field still counts as written, so that it is not due again.
    """
    known = transaction.get(own.ident)
    fields = {**dict(own.fields), "Status": own.status}
    if known is None and own.is_known and not (anew or transaction.new):  # a person deleted it
        return _news(own, fields)
    new = known is None
    if known:
        known = changes.whole(known, own.ident)
    else:
        known = changes.placeholder(transaction, own.ident, fields["Agent"], fields["Purpose"], launched=not own.agent)
    if known is None:
        entry = changes.begin(transaction, own.ident, _heading(transaction, own), list(fields.items()))
        ours = set(fields)
    elif transaction.past(own.ident) and not (anew or _again(own, known)):
        chosen = own.status in {COMPLETED, DROPPED} and known.text("Status") == own.wrote("Status")
        since = (changes.turned(known, own.status) if chosen else known).telling(own.segments(known), whole=True)
        if since.data != known.data and not transaction.amend(own.ident, since):
            changes.put(transaction, own.ident, since)
        return _news(own, fields)  # it was completed on purpose
    else:
        ours = set(fields) if anew else _ours(transaction, known, fields, own)
        entry = _filled(known, {field: fields[field] for field in ours}, own, _heading(transaction, own))
    changes.put(transaction, own.ident, entry.telling(own.segments(entry), whole=True))
    if own.agent or (own.parent and transaction.get(own.parent)):
        _linked(transaction, own)
    if new:
        changes.adopt(transaction, own.ident)
    after = transaction.get(own.ident) or entry
    wrote: Wrote = {**fields, **{field: after.text(field) for field in ours if after.text(field)}}
    wrote["title"] = after.title if known is None or known.title == own.wrote("title") else own.wrote("title")
    return wrote


def _news(own: HubEntry, fields: dict[str, str]) -> "Wrote":
    """Return the values that count as written into an unchanged entry: its fields, {} when its status is not new."""
    return {**fields, "title": own.wrote("title")} if own.wrote("Status") != own.status else {}


def _linked(transaction: Transaction, own: HubEntry) -> None:
    """Link an entry with its parent, unless the entry names another one."""
    known = transaction.get(own.ident)
    others = [link for link in known.links("Parent") if not same_ident(link.ident, own.parent)] if known else []
    if not others:
        changes.link(transaction, own.ident, own.parent)


def _ours(transaction: Transaction, entry: Entry, fields: dict[str, str], own: HubEntry) -> set[str]:
    """Return the fields of an entry that holdfast may set: they have no value yet, or the one that it wrote last.

    It may also set a status that says that the session is about to start, and the status of work that goes on after
    it was completed.
    """
    ours = {field for field in fields if entry.open(field) or entry.text(field) == own.wrote(field)}
    again = transaction.past(own.ident) and own.status not in OVER
    return ours | ({"Status"} if again or changes.is_starting(entry) else set())


def _heading(transaction: Transaction, own: HubEntry) -> str:
    """Return the heading of an entry; a subagent's names the session that called it."""
    above = transaction.get(own.parent) if own.agent else None
    return child_heading(own.heading, above.name) if above else own.heading


def _filled(entry: Entry, fields: dict[str, str], own: HubEntry, heading: str) -> Entry:
    """Return an entry with fields set to the journal's values; the heading changes if nobody else wrote it."""
    for field, value in fields.items():
        if field == "Status":
            entry = changes.turned(entry, value)
        elif value:
            entry = entry.setting(field, value)
    return entry if entry.has_title and entry.title != own.wrote("title") else entry.titled(heading)


def _again(own: HubEntry, entry: Entry) -> bool:
    """Whether a completed session continues: somebody said so, or since then it got a prompt and changed a file."""
    if own.status not in OVER and (own.is_again or not own.agent) and entry.text("Status") == own.wrote("Status"):
        return True  # the word in the hub is what the journal said before
    if own.status in OVER or own.agent:
        return False
    session, completed = own.session, clock.find(entry.text("Completed"))
    latest = max(session.process.began, session.talk.prompted)
    resumed = not session.chosen and session.chosen_at > completed
    return resumed or (latest > completed + _MINUTE and bool(session.inside(latest)))


def _session(session: Session) -> "tuple[str, Fields, list[Segment]]":
    """Return heading, fields and context of a session's entry."""
    client = catalogue.of(session.client)
    summary = session.summary
    ahead = "; ".join(texts_of(summary, "next")[:3])
    fields = [
        # The plugin may have been installed in the middle of the session, so that its start is not known.
        ("Started", clock.write(session.started or session.settling.due or session.last_active, TIME)),
        ("Agent", client.SHORT.lower()),
        ("Branch", session.branch),
        ("Purpose", safe.line(text_of(summary, "focus") or session.title)),
        ("Next", safe.line(ahead) or changes.OPEN),
    ]
    done = [subject for subject, state, _ in session.tasks.values() if state == "completed"]
    linked = os.path.isfile(session.worktree + "/.git")
    home = paths.locate(os.path.dirname(session.state)) if session.state else None
    known = [
        (_STATE, home.relative(session.state) if home else ""),
        (_WORKTREE, os.path.basename(session.worktree) if linked else ""),
        ("Forked from", session.origin),
        ("Tasks", f"{len(done)} of {len(session.tasks)} done" if session.tasks else ""),
        ("Files changed", _names(session.inside())),
    ]
    return f"{client.SHORT} - {session.title}", fields, _segments(known)


def _child(session: Session, child: Child) -> "tuple[str, Fields, list[Segment]]":
    """Return heading, fields and context of the entry of a subagent."""
    purpose = safe.line(transcript.description(session, child), 200) or f"Part of {safe.line(session.title, 160)}"
    fields = [
        ("Started", clock.write(child.started, TIME)),
        ("Agent", child.type),
        ("Purpose", purpose),
    ]
    known = [
        ("Files changed", _names(inside_project(child.files))),
        ("Result", safe.line(inline(child.result(200)), 200)),
    ]
    return f"{child.type.capitalize()} - {purpose}", fields, _segments(known)


def _segments(fields: "Fields") -> list[Segment]:
    return [entry_values.Segment(value, key) for key, value in fields if value]


def _names(files: list[str]) -> str:
    """Return the latest files by name, and how many more there are."""
    return safe.listed([safe.line(path, 120) for path in files], _MOST)
