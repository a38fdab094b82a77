"""Files that several sessions change at once: who changed a file lately, and the warnings for Claude and the user."""

import os

from holdfast.clients import catalogue
from holdfast.core import clock
from holdfast.journal import file_touches
from holdfast.journal.file_touches import Touch
from holdfast.project import paths
from holdfast.sessions import hub_entries, hub_location, resume
from holdfast.sessions.session import Session, judged
from holdfast.sessions.workspace import remembered_summary, trusted_summary
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.cache import Cache
    from holdfast.formats.catalogue import Formats
    from holdfast.sessions.survey import Survey
    from holdfast.sessions.workspace import Workspace

    Actor = tuple[str, str]

TELL, ASK, DENY = "tell", "ask", "deny"  # verdicts on an edit: warn Claude, ask the user, refuse it
_HELD = (
    'holdfast holds this edit back while that stands (`conflicts = "deny"`): until the other one is done, or for '
    'another {left} min if the file is not changed again. `conflicts = "warn"` in .agents/holdfast.toml lets it pass.'
)


class Change:
    """One change of a file: when, by which session or subagent, and where ("" in the working tree of the asker)."""

    def __init__(self, touch: "Touch", session: Session, root: str, reader: str = "") -> None:
        child = session.children.get(touch.agent)
        self.path, self.at, self.session, self.agent = touch.path, touch.at, session, touch.agent
        self._reader = reader  # the client of the session that is warned
        self.declared = touch.declared  # the session's entry in the hub names the file
        self.type = safe.line(child.type if child else "", 60)
        self.branch, self.worktree = _where("" if touch.path.startswith("/") else touch.root, root)

    @property
    def label(self) -> str:
        """Who made the change: the session's title, the beginning of its id, and the working tree if it is another."""
        child = f"subagent {self.type}".strip() + " of " if self.agent else ""
        branch = [f"branch {self.branch}"] if self.branch else []
        ident = self.session.id[:8] if self.session.journaled else safe.line(self.session.id, 80)
        ident = catalogue.label(ident, self.session.client, self._reader)
        known = ", ".join([ident, *branch, *([self.worktree] if self.worktree else [])])
        return f'{child}"{safe.line(self.session.title, 80)}" ({known})'

    def row(self) -> "dict[str, object]":
        """Return it as JSON gives it; the time in UTC."""
        return {
            "at": clock.write(self.at),
            "session": self.session.id,
            "title": safe.line(self.session.title, 200),
            "agent": self.agent,
            "agent_type": self.type,
            "branch": self.branch,
            "worktree": self.worktree,
            "named_in_hub": self.declared,
        }

    def when(self, now: float) -> str:
        """Return when the file was changed, or that the hub names it."""
        return "named in the hub" if self.declared else clock.ago(now - self.at)


class View:
    """The changes that concern one actor in the working tree `root`; `survey` has the sessions already read."""

    def __init__(self, workspace: "Workspace", actor: "Actor", root: str, survey: "Survey | None" = None) -> None:
        self._workspace, self._actor, self._root, self._survey = workspace, actor, root, survey
        self._store, self.now, self.chosen = workspace.project.store, workspace.now, workspace.settings
        self._sessions = {session.id: session for session in survey.sessions} if survey else {}
        self._hub = survey.hub_session if survey else self._read_hub()
        self._entries = hub_entries.active_files(self._hub)

    def session(self, ident: str) -> Session:
        """Return a session by its id; one that was not read before is read from its own journal alone."""
        if ident not in self._sessions:
            session = self._workspace.recorded(ident)
            session = session.replace(summary=remembered_summary(session.state, *self._reading))
            session = judged(session, self.chosen, self.now)
            if not session.journaled and self._hub and ident in self._entries:
                session = resume.neuron(self._entries[ident][0], self._hub, self.chosen, self.now)
            self._sessions[ident] = session
        return self._sessions[ident]

    def _read_hub(self) -> Session | None:
        """Return the hub with its entries, None where there is none or its text was not accepted here."""
        path = hub_location.known(self._workspace.hub_home.root)
        hub = Session("").replace(state=path, summary=trusted_summary(path, *self._reading))
        return hub_entries.hub_of([hub], path)

    def _is_declared(self, touch: "Touch") -> bool:
        """Whether the hub still names the file for a session that is live, or that has no journal here."""
        _, names = self._entries.get(touch.session, ({}, []))
        session = self.session(touch.session)
        return touch.declared and touch.path in names and (session.live or not session.journaled)

    def others(self, touches: "Iterable[Touch]") -> list[Change]:
        """Return the last change of each other session or subagent that is still at work, latest first."""
        return self._changes(touch for touch in self._recent(touches) if self._concerns(touch))

    def everyone(self, touches: "Iterable[Touch]") -> list[Change]:
        """Return the last change of each session or subagent that is at work, the asker included, latest first."""
        known = (touch for touch in self._recent(touches) if not touch.declared)
        return self._changes(
            [*(touch for touch in known if self.session(touch.session).live), *filter(self._is_declared, touches)]
        )

    def lately(self, touches: "dict[str, list[Touch]] | None" = None) -> "dict[str, list[Touch]]":
        """Return the last changes of each file that was touched within the window, by its path.

        `touches` are those here, if they were read before.
        """
        found = file_touches.since(self._store, self._earliest) if touches is None else touches
        for ident, (row, names) in self._entries.items():
            for name in names:
                found.setdefault(name, []).append(Touch.of_hub(name, ident, hub_entries.dated(row)))
        return found

    @property
    def _earliest(self) -> float:
        """When the window began."""
        return self.now - self.chosen.overlap_minutes * 60

    def _recent(self, touches: "Iterable[Touch]") -> "Iterable[Touch]":
        """Yield the changes here within the window; sessions of older changes are not read."""
        return (touch for touch in touches if not touch.there and (touch.declared or touch.at >= self._earliest))

    def _changes(self, touches: "Iterable[Touch]") -> list[Change]:
        """Return the last change of each session or subagent, latest first."""
        last = {self._worker(touch): touch for touch in touches}
        reader = self.session(self._actor[0]).client if last and self._actor[0] else ""
        changes = [Change(touch, self.session(touch.session), self._root, reader) for touch in last.values()]
        return sorted(changes, key=lambda change: -change.at)

    def _worker(self, touch: "Touch") -> "Actor":
        """Return who made a change: a subagent while it runs, afterwards its session."""
        return touch.session, touch.agent if self._runs(touch) else ""

    def _runs(self, touch: "Touch") -> bool:
        """Whether a change was made by a subagent that still runs."""
        child = self.session(touch.session).children.get(touch.agent)
        return child is not None and child.status == "running"

    def _concerns(self, touch: "Touch") -> bool:
        """Whether a change was made by another actor that is still at work.

        A change by a subagent's own session concerns the subagent only if it had started by then: earlier changes
        were its starting point.
        """
        ident, agent = self._actor
        if touch.declared:
            actor = self.session(ident)
            return touch.session not in {ident, actor.origin, *actor.children} and self._is_declared(touch)
        if touch.session != ident:
            return self.session(touch.session).live
        if touch.agent:
            return touch.agent != agent and self._runs(touch)
        own = self.session(ident).children.get(agent)
        return own is not None and touch.at > own.started

    @property
    def _reading(self) -> "tuple[Cache, Formats]":
        """With what a summary is read."""
        return self._workspace.cache, self._workspace.formats

    def parent(self) -> Session:
        """Return the asker's session, or that of the asking subagent; its state file is parsed if not cached."""
        session = self.session(self._actor[0])
        if session.state and not session.summary:
            return session.replace(summary=trusted_summary(session.state, *self._reading))
        return session


def verdict(workspace: "Workspace", actor: "Actor", path: str, root: str) -> "tuple[str, str, str]":
    """Return the verdict on an actor's next edit of a file, its reason, and a line for the user.

    All three are "" if no other session works on the file. The line is "" too if only subagents of the session do.
    Each change by others is reported once to each actor. With the setting "deny" the file belongs to whoever changed
    it last, until that session or subagent is done.
    """
    now, store, chosen = workspace.now, workspace.project.store, workspace.settings
    view, touches = View(workspace, actor, root), file_touches.lines(store, path)
    held = view.others(file_touches.others(touches, actor, warned=False)) if chosen.conflicts == "deny" else []
    held = [one for one in held if not one.declared]  # an entry may be forgotten, and would hold the file for ever
    if held:
        left = chosen.overlap_minutes - int((now - held[0].at) // 60)
        return DENY, f"{_report(held, actor, now)} {_HELD.format(left=left)}", _for_user(held, actor)
    unknown = view.others(file_touches.others(touches, actor, warned=True)) if chosen.conflicts != "off" else []
    file_touches.record(store, path, root, actor, warned=True)
    if not unknown:
        return "", "", ""
    return ASK if chosen.conflicts == "ask" else TELL, _report(unknown, actor, now), _for_user(unknown, actor)


def in_use(survey: "Survey", ident: str, cwd: str, touches: "dict[str, list[Touch]]") -> list[str]:
    """Return a line for each file that other live sessions changed lately, by the `touches` here, the latest first."""
    view = View(survey.workspace, (ident, ""), paths.locate(cwd or survey.root).root, survey)
    changes = [one for one in taken(view, touches) if one.session.id != ident]
    return [f"- {safe.line(one.path, 120)}: {one.label}, {one.when(view.now)}" for one in changes]


def listed(survey: "Survey", ident: str) -> list[list[Change]]:
    """Return the changes of each file that several are at work on, then of each that another live session changed."""
    view = View(survey.workspace, (ident, ""), survey.root, survey)
    changes = [view.everyone(touches) for touches in view.lately().values()]
    files = [one for one in changes if len(one) > 1 or any(change.session.id != ident for change in one)]
    return sorted(files, key=lambda one: (len(one) == 1, -one[0].at))


def taken(view: View, touches: "dict[str, list[Touch]] | None" = None) -> list[Change]:
    """Return the last change of each file that others are at work on, the latest first; none under "off"."""
    lately = view.lately(touches).values() if view.chosen.conflicts != "off" else ()
    changes = [change for touches in lately for change in view.others(touches)[:1]]
    return sorted(changes, key=lambda change: -change.at)


def _report(changes: list[Change], actor: "Actor", now: float) -> str:
    """Return the line about a file that others changed; beyond three it counts them."""
    name = safe.line(changes[0].path, 200)
    parts = [_sentence(name, one, actor, now) for one in changes[:3]]
    more = [f"{len(changes) - 3} more changed it before."] if len(changes) > 3 else []
    return " ".join(["holdfast:", *parts, *more])


def _sentence(name: str, change: Change, actor: "Actor", now: float) -> str:
    """Return the sentence about one change."""
    if change.declared:
        return f"{name} is named in the hub by an active entry, {change.label}; `holdfast list` has its status."
    return f"{name} was changed {clock.ago(now - change.at)} by {who(change, actor)}{_visibility(change)}."


def _for_user(changes: list[Change], actor: "Actor") -> str:
    """Return the line for the user about a file that other live sessions changed, "" if only subagents here did."""
    others = [one for one in changes if one.session.id != actor[0]]
    if not others:
        return ""
    name = safe.line(os.path.basename(others[0].path), 16)
    title = safe.line(others[0].session.title, safe.USER_MOST - len(name) - len('"" also edits '))
    return f'"{title}" also edits {name}'


def who(change: Change, actor: "Actor") -> str:
    """Return who made a change, described for the actor who is warned."""
    if change.declared:
        return f"named in the hub by an active entry, {change.label}"
    if change.session.id != actor[0]:
        return f"another live session, {change.label}"
    if not change.agent:
        return "the session that this subagent belongs to"
    return f"a subagent of this session that still runs ({change.type or 'of no known type'})"


def _visibility(change: Change) -> str:
    """Return how the warned actor can see the change."""
    if change.worktree:
        return "; the change was made there, not in this working tree"
    place = "" if change.path.startswith("/") else ", in this same working tree"
    return f"{place}; reading it again shows what changed"


def _where(root: str, own: str) -> tuple[str, str]:
    """Return the branch and the name of another working tree, "" and "" for the own one and for none."""
    if root in {"", own} or os.path.realpath(root) == os.path.realpath(own):
        return "", ""
    home = paths.locate(root)
    branch = safe.line(paths.branch(home), 60) if home.root == root else ""  # it may be gone by now
    main = os.path.isdir(root + "/.git")  # the others have a file there
    return branch, "main working tree" if main else f"worktree {safe.line(os.path.basename(root), 60)}"
