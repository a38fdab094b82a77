"""The tree of a project's sessions: the parent of each, and which are orphaned."""

from dataclasses import dataclass

from holdfast.clients import catalogue
from holdfast.core import clock, files
from holdfast.core.statuses import ACTIVE, OVER
from holdfast.formats import agents
from holdfast.journal.session import Child
from holdfast.sessions import resume, status
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.hub.document import Hub, PlacedEntry
    from holdfast.hub.entry_values import Known
    from holdfast.sessions.survey import Survey

    Agent = tuple[str, str, str, bool]

_DEEPEST = 40  # generations that are drawn each further in than the one above


@dataclass(slots=True)
class Member:
    """One session, subagent or entry of the hub; `parent` is the id of the one above, "" for none.

    `origin` is the session whose conversation a fork continues, `line` the last answer, `status` a word of
    `core.statuses`, and `shown` the same with what lists add. `last_active` is the time of its last fact.
    """

    ident: str
    title: str
    status: str
    kind: str  # session, file, child, listed or entry
    shown: str = ""
    last_active: float = 0.0
    line: str = ""
    parent: str = ""
    origin: str = ""
    open: bool = False
    lost: bool = False  # its heading names a parent that no entry has
    orphaned: bool = False


def members(sessions: "Iterable[Session]", hub: "Hub | None", states: "Iterable[Session]" = ()) -> list[Member]:
    """Return all sessions, their children, and the entries of the hub without a journal here, latest first.

    `states` are the state files without a session, which become members, too.

    The hub decides which session is the parent, and a status that a person set in the hub counts. Sessions that did
    nothing and are not running are left out, unless another member is below them.
    """
    found: dict[str, Member] = {}
    idle: set[str] = set()
    entered = _agents_of(hub) if hub else set()
    for session in sessions:
        if session.journaled:
            found[session.id] = _session(session)
            found |= {child.id: _child(session, child) for child in session.children.values()}
            found |= {f"\0{session.id}{number}": row for number, row in enumerate(_listed(session, entered))}
            idle |= set() if session.live or session.listed or session.talk.prompt else {session.id}
    found |= {session.id: _state_file(session) for session in states}
    if hub:
        for entry in hub.entries():
            _entered(found, entry, hub)
            idle.discard(entry.entry.ident)
    from holdfast.hub.entry_values import Known  # most lists need no tree

    known = Known(found)
    for member in found.values():
        above = found.get(known.first(member.parent))
        member.orphaned = member.open and (member.lost or (bool(member.parent) and not (above and above.open)))
    idle -= {ident for member in found.values() for ident in (member.parent, member.origin)}
    left = [member for member in found.values() if member.ident not in idle]
    return sorted(left, key=lambda member: (-member.last_active, member.ident))


def orphans(sessions: "Iterable[Session]", hub: "Hub") -> set[str]:
    """Return the ids of the entries and children whose parent is over or not there."""
    return {member.ident for member in members(sessions, hub) if member.orphaned}


def listed(survey: "Survey") -> list[Session]:
    """Return the sessions that a list shows, with a mark at the orphans among the entries of the hub."""
    sessions = resume.listed(survey)
    entered = [one for one in sessions if one.is_neuron and one.open]
    known = orphans_of(survey) if entered else set()
    lost = {id(one) for one in entered if one.id in known}
    return [one.replace(orphaned=id(one) in lost) for one in sessions]


def asked(survey: "Survey", entered: "Iterable[Session]") -> tuple[list[Session], set[str]]:
    """Return open entries of the hub, with a mark at the orphans; and the ids of all orphans.

    Entries that go on with another one of them come last.
    """
    hub, idents = _hub_of(survey), {one.id for one in entered}
    if hub is None:
        return [*entered], set()
    lost = orphans(survey.sessions, hub)
    below = {one.entry.ident for one in hub.entries() if any(link.ident in idents for link in hub.parents(one.entry))}
    return sorted((one.replace(orphaned=one.id in lost) for one in entered), key=lambda one: one.id in below), lost


def orphans_of(survey: "Survey") -> set[str]:
    """Return the ids of the orphans of a project."""
    hub = _hub_of(survey)
    return orphans(survey.sessions, hub) if hub else set()


def _hub_of(survey: "Survey") -> "Hub | None":
    """Return the hub of a project, None without one and for one whose text was not accepted here."""
    from holdfast.hub.document import Hub  # most lists have no open entry of another machine

    data = files.read_or_none(survey.hub) if survey.hub_session else None
    return Hub(data, survey.workspace.hub_format) if data else None


def _session(session: Session) -> Member:
    member = Member(session.id, f"{catalogue.of(session.client).SHORT} - {session.title}", session.status, "session")
    member.last_active, member.line = session.last_active, session.talk.answer
    member.parent, member.origin, member.open = session.parent, session.origin, session.status not in OVER
    member.shown = status.shown(session)
    return member


def _state_file(session: Session) -> Member:
    """Return a state file that belongs to no session."""
    member = Member(session.id, session.title, session.status, "file")
    member.last_active, member.open, member.shown = session.last_active, session.open, status.shown(session)
    return member


def _child(session: Session, child: Child) -> Member:
    member = Member(child.id, f"{child.type.capitalize()} subagent", status.child_status(session, child), "child")
    member.last_active, member.line = child.last_active, child.answer
    member.parent, member.open = session.id, member.status not in OVER
    return member


def _agents_of(hub: "Hub") -> "set[Agent]":
    """Return parent, agent and purpose of each entry of the hub that has a parent, and whether it is over."""
    entries = [(placed.entry, hub.parents(placed.entry)) for placed in hub.entries()]
    return {
        (link.ident, entry.text("Agent"), safe.line(entry.text("Purpose"), 200), entry.category in OVER)
        for entry, up in entries
        for link in up
    }


def _listed(session: Session, entered: "set[Agent]") -> "Iterator[Member]":
    """Yield the agents that only the session's state file lists; they have no id."""
    from holdfast.formats import names  # few files list agents

    for row in agents.others(session.summary.get("agents"), session):
        category = names.category(row["status"], {}) or ACTIVE
        if (session.id, row["agent"], row["task"], category in OVER) in entered:
            continue
        title = ": ".join(filter(None, (f"{row['agent'].capitalize()} agent", row["task"])))
        member = Member("", title, category, "listed")
        member.last_active, member.line, member.parent = session.last_active, row["summary"], session.id
        yield member


def _entered(found: dict[str, Member], at: "PlacedEntry", hub: "Hub") -> None:
    """Add an entry of the hub to its member, or as a member."""
    entry, above = at.entry, hub.parents(at.entry)
    key = f"\0{at.start}" if resume.nameless(entry.ident) else entry.ident  # several may have none
    known = found.get(key)
    if known:
        known.title = entry.title
        known.parent = above[0].ident if above else known.parent
        if known.kind == "child" and at.category in OVER:
            known.status, known.open = at.category, False
        return
    member = Member(entry.ident, entry.title, at.category or ACTIVE, "entry")
    member.last_active, member.parent = entry.updated, above[0].ident if above else ""
    member.lost = bool(entry.parent_name) and not above and not hub.by_name.called(entry.parent_name)
    member.open = not at.history and at.category not in OVER
    found[key] = member


def tree(everyone: list[Member], *, everything: bool) -> "list[tuple[int, Member]]":
    """Return members with their depth, each under its parent or its origin; completed ones only with `everything`."""
    from holdfast.hub.entry_values import Known

    ids = Known(member.ident for member in everyone)
    below: dict[str, list[Member]] = {}
    for member in everyone:
        above = _above(member, ids)
        below.setdefault(above, []).append(member)
    pairs = _descended(below)
    reached = {id(member) for _, member in pairs}
    pairs += [(0, member) for member in everyone if id(member) not in reached]  # a cycle, which `validate` reports
    return pairs if everything else _going(pairs)


def _above(member: Member, ids: "Known") -> str:
    """Return the id of the member that another is shown under, "" for none."""
    for ident in (member.parent, member.origin):
        known = ids.first(ident)
        if known and known != member.ident:
            return known
    return ""


def _descended(below: dict[str, list[Member]]) -> "list[tuple[int, Member]]":
    """Return the members with their depth, each with those below it."""
    pairs: list[tuple[int, Member]] = []
    ahead = [(0, member) for member in reversed(below.get("", []))]
    while ahead:
        depth, member = ahead.pop()
        pairs.append((depth, member))
        ahead += [(depth + 1, one) for one in reversed(below.get(member.ident, []) if member.ident else [])]
    return pairs


def _going(pairs: "list[tuple[int, Member]]") -> "list[tuple[int, Member]]":
    """Return the members that are not completed, and those above them."""
    kept: list[tuple[int, Member]] = []
    depth = 0  # of the members that the rest may be above
    for level, member in reversed(pairs):
        if member.status not in OVER or level < depth:
            kept.append((level, member))
            depth = level
        elif level == 0:
            depth = 0
    return kept[::-1]


def drawn(pairs: "list[tuple[int, Member]]") -> "list[tuple[str, int, Member]]":
    """Return each member with the branches that are before it, and its depth."""
    marks = _branches([depth for depth, _ in pairs])
    return [(mark, depth, member) for mark, (depth, member) in zip(marks, pairs, strict=True)]


def _branches(depths: list[int]) -> list[str]:
    """Return what is before each line of a tree."""
    depths = [min(depth, _DEEPEST) for depth in depths]
    prefixes: list[str] = []
    going: set[int] = set()  # the depths at which another one of the same parent follows
    for depth in reversed(depths):
        going = {level for level in going if level <= depth}
        bars = "".join("│  " if level in going else "   " for level in range(1, depth))
        prefixes.append(bars + ("├─ " if depth in going else "└─ ") if depth else "")
        going.add(depth)
    return prefixes[::-1]


def rows(pairs: "list[tuple[int, Member]]") -> list[dict[str, object]]:
    """Return the tree as values, in its order; times in UTC, "" for none."""
    return [
        {
            "id": member.ident,
            "title": member.title,
            "kind": member.kind,
            "status": member.status,
            "parent": member.parent,
            "forked_from": member.origin,
            "orphaned": member.orphaned,
            "depth": depth,
            "last_heard": clock.write(member.last_active) if member.last_active else "",
            "last_line": member.line,
        }
        for depth, member in pairs
    ]
