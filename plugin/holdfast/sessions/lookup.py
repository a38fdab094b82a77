"""Which session and state file a person means by an id, a file name, or the beginning of one."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.sessions import paused_work
from holdfast.sessions.session import Session
from holdfast.trust import ledger, safe

_SHOWN = 8  # candidates named when nobody can tell which is meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project


class Hit:
    """What was meant: a session, its state file's path ("" without one), and of a register the id of one entry."""

    __slots__ = ("entry", "path", "session")

    def __init__(self, session: Session, entry: str = "") -> None:
        self.session = session
        self.path = session.state
        self.entry = entry

    @property
    def name(self) -> str:
        """How the one that was meant is told from others."""
        return self.entry or (self.session.id if self.session.journaled else self.session.state_name)


def find(project: "Project", everyone: list[Session], wanted: str, own: str = "", standing: str = "active") -> Hit:
    """Return what is meant, as `named` does; HoldfastError where Claude is not to be told of its text yet."""
    hit = named(project, everyone, wanted, own, standing)
    ledger.require_trusted(project, [hit.path] if hit.path else [])
    return hit


def named(project: "Project", everyone: list[Session], wanted: str, own: str = "", standing: str = "active") -> Hit:
    """Return what is meant by an id, a file name or a beginning; HoldfastError names the candidates.

    Without any: the session `own` when it has a state file, else the only one of this standing that has. In the shell
    of `own` the state files of other sessions are not meant, only those that belong to no session.
    """
    if not wanted:
        return _obvious(everyone, own, standing)
    known = {session.id for session in everyone if session.journaled}
    hits = [(name, hit) for session in everyone for name, hit in _names(session) if hit.entry not in known]
    exact = _distinct([hit for name, hit in hits if name == wanted])
    found = (
        exact
        or _distinct([hit for name, hit in hits if name.startswith(wanted)])
        or _by_path(project, everyone, wanted)
    )
    if len(found) == 1:
        return found[0]
    problem = f"several begin with {wanted!r}" if found else f"nothing known here begins with {wanted!r}"
    raise HoldfastError(f"{problem}. {_candidates(found or [hit for _, hit in hits])}")


def _names(session: Session) -> list[tuple[str, Hit]]:
    """Return every name that a session, its state file or an entry of that goes by."""
    whole = Hit(session)
    base = os.path.basename(session.state)
    idents = session.summary.get("ids")
    known = [
        session.id,
        session.state_name,
        base,
        base.removesuffix(".md"),
        *(idents if isinstance(idents, list) else []),
    ]
    entries = session.summary.get("entries")
    inner = [str(entry["id"]) for entry in entries if entry.get("id")] if isinstance(entries, list) else []
    return [(str(name), whole) for name in known if name] + [(ident, Hit(session, ident)) for ident in inner]


def _distinct(hits: list[Hit]) -> list[Hit]:
    """Return hits of which no two mean the same file and entry, or the same session without one."""
    return list({(hit.path or hit.session.id, hit.entry): hit for hit in hits}.values())


def _by_path(project: "Project", everyone: list[Session], wanted: str) -> list[Hit]:
    """Return the file at a path, wherever it stands in the project."""
    path = os.path.abspath(wanted)
    roots = (project.root, project.beside.root)
    if not os.path.isfile(path) or not any(paths.within(path, root) for root in roots if root):
        return []
    known = [Hit(session) for session in everyone if session.state and os.path.samefile(session.state, path)]
    if known:
        return known[:1]
    session = Session(project.relative(path) or path)
    session.state, session.state_name = path, project.relative(path) or path
    return [Hit(session)]


def _obvious(everyone: list[Session], own: str, standing: str) -> Hit:
    """Return the state file that is meant when none is named."""
    mine = [Hit(session) for session in everyone if session.id == own and session.state]
    everyone = [one for one in everyone if not (own and one.journaled)]
    fits = {
        session for session in everyone if (session.active if standing == "active" else session.category == standing)
    }
    everything = [session for session in everyone if session.state and not session.shared]
    # A hand-over is meant where there is nothing else.
    held = [session for session in everything if session.summary.get("format") != paused_work.FORMAT] or everything
    found = mine or _distinct([Hit(session) for session in held if session in fits])
    if len(found) == 1:
        return found[0]
    if own and not found:
        raise HoldfastError(
            f"this session has no state file that is {standing}, and other sessions are not meant without an ID. "
            "Its first file edit makes one, and so does: holdfast start TITLE. Other sessions: holdfast list"
        )
    if not held:
        raise HoldfastError(f"no state file is {standing}; there is none yet. Make one: holdfast start TITLE")
    problem = f"several state files are {standing}" if found else f"no state file is {standing}"
    down = [Hit(session) for session in held if session.category == "paused" and not found]
    more = f" To take up what is paused: holdfast continue {safe.line(down[0].name, 100)}." if down else ""
    known = _candidates(found or [Hit(session) for session in held])
    raise HoldfastError(f"{problem}; name one by its id (ID, or --convo-id ID).{more} {known}")


def _candidates(hits: list[Hit]) -> str:
    """Return the first candidates as a person can type them."""
    names = list(dict.fromkeys(safe.line(hit.name, 100) for hit in hits))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"Known: {', '.join(names[:_SHOWN]) or 'none'}{more}. Type: holdfast list --all"
