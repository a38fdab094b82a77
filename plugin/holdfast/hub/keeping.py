"""The entries of the hub kept from the journals: one for each session that did something, one for each of its children.

Fields are set where they say nothing yet, or what holdfast wrote there itself; what anybody else wrote stays.
"""

import os

from holdfast import clock, codec, files, paths, text
from holdfast.hub import changes, context, links, standing
from holdfast.hub.context import Segment
from holdfast.hub.draft import Draft
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.request import OWN
from holdfast.session import Child, Session, number_of, text_of, within

_MOST = 12  # files named
_MINUTE = 60.0
_WORKTREE = "Worktree"

TYPE_CHECKING = False
if TYPE_CHECKING:
    Fields = list[tuple[str, str]]
    Wrote = dict[str, object]


class Kept:
    """An entry as the journals have it: its id, heading, fields, context and parent."""

    __slots__ = ("agent", "context", "fields", "heading", "ident", "parent", "session", "status")

    def __init__(self, session: Session, child: Child | None = None) -> None:
        self.session = session
        self.agent = child.id if child else ""
        self.ident = self.agent or session.id
        self.status = standing.child_status(session, child) if child else standing.status(session)
        self.heading, self.fields, self.context = _child(session, child) if child else _session(session)
        self.parent = session.id if child else session.parent

    def given(self, field: str) -> str:
        """Return what a field was given last."""
        return standing.given(self.session, self.agent, field)

    def told(self, known: Entry) -> "list[Segment]":
        """Return what the context is told; where it names a worktree that the session has left, also that."""
        moved = not self.agent and len(self.session.branches) > 1  # no two worktrees are on one branch
        left = moved and all(one.key != _WORKTREE for one in self.context) and known.tells(_WORKTREE)
        return [*self.context, *([context.Segment("none", _WORKTREE)] if left else [])]


def put(draft: Draft, session: Session) -> "list[tuple[Kept, Wrote]]":
    """Put a session and its children into the draft; return what each entry was given, where that is news."""
    kept = [Kept(session), *(Kept(session, child) for child in session.children.values())]
    return [(one, wrote) for one in kept if (wrote := _put(draft, one)) is not None]


def facts(news: "list[tuple[Kept, Wrote]]", now: float) -> "list[tuple[str, Wrote]]":
    """Return what entries were given as facts, each with the session to whose journal it belongs."""
    given: list[tuple[str, Wrote]] = []
    for kept, wrote in news:
        fact: Wrote = {"at": round(now, 3), "kind": "hub", "wrote": wrote}
        given.append((kept.session.id, {**fact, "agent": kept.agent} if kept.agent else fact))
    return given


def _put(draft: Draft, kept: Kept) -> "Wrote | None":
    """Put one entry into the draft; return what it was told, None when that was so already.

    What somebody else wrote instead is theirs, and was told all the same: nobody asks for it again.
    """
    known = draft.get(kept.ident)
    fields = {**dict(kept.fields), "Status": kept.status}
    told: Wrote = dict(fields)
    if known is None:
        entry, own = changes.begin(draft, kept.ident, kept.heading, list(fields.items())), set(fields)
    elif draft.past(kept.ident) and not _again(kept, known):
        since = known.telling(kept.told(known), whole=True)
        if since.data != known.data:
            changes.put(draft, kept.ident, since)
        return told if kept.given("Status") != kept.status else None  # whoever completed it meant that
    else:
        own = _own(known, fields, kept)
        entry = _filled(known, {field: fields[field] for field in own}, kept)
    changes.put(draft, kept.ident, entry.telling(kept.told(entry), whole=True))
    if kept.parent and draft.get(kept.parent):
        _linked(draft, kept)
    after = draft.get(kept.ident) or entry
    told |= {field: after.text(field) for field in own if after.text(field)}
    told["title"] = after.title if known is None or known.title == kept.given("title") else kept.given("title")
    return told if any(kept.given(field) != value for field, value in told.items()) else None


def _linked(draft: Draft, kept: Kept) -> None:
    """Link an entry with its parent, unless somebody gave it another one."""
    known = draft.get(kept.ident)
    others = [link for link in known.links("Parent") if not links.same(link.ident, kept.parent)] if known else []
    if not others:
        changes.link(draft, kept.ident, kept.parent)


def _own(known: Entry, fields: dict[str, str], kept: Kept) -> set[str]:
    """Return the fields of an entry that are holdfast's to set: they say nothing, or what they were last given.

    All are where the entry was saved over from an older version, and the status where the work goes on again.
    """
    at = number_of(kept.session.wrote.get(kept.agent, {}), "at")
    older = clock.find(known.text("Last Updated")) < at - at % _MINUTE
    again = {"Status"} if known.standing == "completed" and kept.status != "completed" else set()
    return {field for field in fields if older or known.open(field) or known.text(field) == kept.given(field)} | again


def _filled(known: Entry, fields: dict[str, str], kept: Kept) -> Entry:
    """Return an entry with fields set to what the journal tells, and its heading where that is holdfast's too."""
    for field, value in fields.items():
        if field == "Status":
            known = changes.turned(known, value)
        elif value:
            known = known.setting(field, value)
    return known.titled(kept.heading) if known.title == kept.given("title") else known


def _again(kept: Kept, known: Entry) -> bool:
    """Whether a session goes on that was completed: it was started or asked again since, and has worked."""
    completed, latest = clock.find(known.text("Completed")), max(kept.session.began, kept.session.prompted)
    return (
        kept.status != "completed"
        and not kept.agent
        and latest > completed + _MINUTE
        and bool(kept.session.inside(latest))
    )


def _session(session: Session) -> "tuple[str, Fields, list[Segment]]":
    """Return heading, fields and context of a session's entry."""
    told = session.digest
    following = told.get("next")
    ahead = "; ".join(map(str, following[:3])) if isinstance(following, list) else ""
    fields = [
        ("Started", clock.write(session.started, TIME)),
        ("Agent", OWN),
        ("Branch", session.branch),
        ("Purpose", text.line(text_of(told, "focus") or session.title)),
        ("Next", text.line(ahead) or changes.OPEN),
    ]
    done = [subject for subject, state, _ in session.tasks.values() if state == "completed"]
    linked = os.path.isfile(session.worktree + "/.git")
    home = paths.locate(os.path.dirname(session.state)) if session.state else None
    known = [
        ("State file", home.relative(session.state) if home else ""),
        (_WORKTREE, os.path.basename(session.worktree) if linked else ""),
        ("Forked from", session.origin),
        ("Tasks", f"{len(done)} of {len(session.tasks)} done" if session.tasks else ""),
        ("Files changed", _names(session.inside())),
    ]
    return f"Claude - {session.title}", fields, _segments(known)


def _child(session: Session, child: Child) -> "tuple[str, Fields, list[Segment]]":
    """Return heading, fields and context of the entry of a subagent."""
    purpose = text.line(_description(session, child), 200) or f"Part of {text.line(session.title, 160)}"
    fields = [
        ("Started", clock.write(child.started, TIME)),
        ("Agent", child.type),
        ("Purpose", purpose),
    ]
    known = [("Files changed", _names(within(child.files))), ("Result", text.line(child.answer, 200))]
    return f"{child.type.capitalize()} - {purpose}", fields, _segments(known)


def _description(session: Session, child: Child) -> str:
    """Return what a subagent was called to do, as Claude Code notes it beside the subagent's transcript."""
    inside = f"{session.transcript.removesuffix('.jsonl')}/subagents/agent-{child.id}.jsonl"
    for spoken in (child.transcript, inside):
        try:
            told = codec.loads(files.read(spoken.removesuffix(".jsonl") + ".meta.json"))
        except (OSError, ValueError):
            continue
        return text_of(told, "description") if isinstance(told, dict) else ""
    return ""


def _segments(known: "Fields") -> list[Segment]:
    return [context.Segment(value, key) for key, value in known if value]


def _names(files: list[str]) -> str:
    """Return the latest files by name, and how many more there are."""
    shown = ", ".join(text.line(path, 120) for path in files[:_MOST])
    return f"{shown} and {len(files) - _MOST} more" if len(files) > _MOST else shown
