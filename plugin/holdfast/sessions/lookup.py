"""Which session and state file a person means by part of an id, a file name, words of a title, or nothing."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, texts_of
from holdfast.core.statuses import OVER
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions import hub_entries, listed, paused_work
from holdfast.sessions.candidates import Hit, UnclearError, WholeId, short_name, title
from holdfast.sessions.session import Session
from holdfast.sessions.status import has_work
from holdfast.trust import clone, safe


def find(  # noqa: PLR0913 - each argument narrows the choice
    project: "Project",
    everyone: list[Session],
    requested: str,
    own: str = "",
    category: str = "active",
    *,
    recent: bool = False,
) -> Hit:
    """Return the match of `named`; HoldfastError if its text is untrusted and Claude reads the output."""
    hit = named(project, everyone, requested, own, category, recent=recent)
    clone.require_trusted([hit.path] if hit.path else [])
    return hit


_PREPARE = "Type: holdfast init"


def named(  # noqa: PLR0913 - the same
    project: "Project",
    everyone: list[Session],
    requested: str,
    own: str = "",
    category: str = "active",
    *,
    recent: bool = False,
    left: int = 0,
) -> Hit:
    """Return the session or state file with this id or file name, a unique part of one, or words of its title.

    Without a request: the session `own` if it has a state file, else the only state file of this category; of several
    the only live one, or, if `recent` is set and `own` is "", the last active one. If `own` is set, state files of
    other sessions are not candidates, only those without a session. Words do not mean `own` where they fit another.
    UnclearError has the candidates. `left` others, which are older, are only counted.
    """
    if not requested:
        if not project.initialised and not any(session.state for session in everyone):
            raise HoldfastError(f"there are no state files in {project.root}, which is not prepared. {_PREPARE}")
        return _obvious(everyone, own, category, left, recent=recent)
    known = {session.id for session in everyone if session.journaled}
    hits = [(name, hit) for session in everyone for name, hit in _names(session) if hit.entry not in known]
    exact = [hit for name, hit in hits if name == requested]
    whole = [hit for hit in exact if requested in {hit.session.id, hit.session.state_name} and not hit.entry]
    found = _distinct(whole or exact)
    if isinstance(requested, WholeId):
        same = [hit for name, hit in hits if _is_whole(name, requested.casefold())]
        found = found or _by_path(project, everyone, requested) or _distinct(same)
    else:
        found = (
            found
            or _distinct([hit for name, hit in hits if name.startswith(requested)])
            or _by_path(project, everyone, requested)
            or _apart(everyone, own, _distinct([hit for name, hit in hits if _contains(name, hit, requested)]))
        )
    found = _without_handovers(found)
    found = [hit for hit in found if not (hit.session.summary.get("entries") and not hit.entry)] or found
    if not isinstance(requested, WholeId):
        found = [hit for hit in found if hit.entry or hit.session.open or hit.session.live] or found
    if len(found) == 1:
        return found[0]
    if found:
        raise UnclearError(f"{requested!r} may mean {len(found)} sessions:", found)
    problem = f"no session here has {requested!r} in its id or title."
    from holdfast.git import refs  # only where nothing fits

    for branch, name in refs.on_remotes(project, requested) if project.git else ():
        switch = f"git switch {safe.shell(branch.partition('/')[2])}"
        problem += f" {safe.line(branch, 80)} has {safe.line(name, 200)}. Type: {switch}."
    raise UnclearError(problem, [])


def _apart(everyone: list[Session], own: str, hits: list[Hit]) -> list[Hit]:
    """Return hits by words without the session that asks, and without subagents, whose titles have their session's.

    Its hand-over, which has its title too, does not stand for it.
    """
    hits = _without_handovers(hits)
    children = {ident for session in everyone for ident in session.children}
    return [hit for hit in hits if hit.ident != own and hit.ident not in children] or hits


def _without_handovers(hits: list[Hit]) -> list[Hit]:
    """Return hits without the hand-overs whose state file is among them."""
    shown = paused_work.without_handovers(hit.session for hit in hits)
    return [hit for hit in hits if hit.session in shown]


def _is_whole(name: str, ident: str) -> bool:
    """Whether a name, or a folder in it, is an id in small letters: what is written must not go into another file."""
    words = name.casefold()
    return ident == words or ident in words.split("/")[:-1]


def _contains(name: str, hit: Hit, requested: str) -> bool:
    """Whether a text is part of a name, or all of its words are in the title."""
    words = f" {title(hit)} ".casefold()
    own = name.rpartition(f"{paths.PRIVATE}/")[2]
    for folder in (paths.STATE_FOLDER, os.path.dirname(paths.STATE_FOLDER)):  # our folders mean nothing
        own = own.removeprefix(f"{folder}/")
    return requested.casefold() in own.casefold() or all(word in words for word in requested.casefold().split())


def _names(session: Session) -> list[tuple[str, Hit]]:
    """Return every name of a session, of its state file, and of the entries in that file."""
    whole = Hit(session)
    base = os.path.basename(session.state)
    stem, told = base.removesuffix(".md"), listed.telling(session.state.removesuffix(".md"))
    files = [session.state_name, base, stem, told, listed.undated(told)]
    known = dict.fromkeys([session.id, *files, *texts_of(session.summary, "ids")])
    inner = [str(entry["id"]) for entry in rows_of(session.summary, "entries") if entry.get("id")]
    return [(name, whole) for name in known if name] + [(ident, Hit(session, ident)) for ident in inner]


def _distinct(hits: list[Hit]) -> list[Hit]:
    """Return the hits without those that have the same file and entry, or the same session, as another.

    Of several sessions with one state file, as `/clear` leaves them, it is the one that was active last.
    """
    distinct: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        key = (hit.path or hit.session.id, hit.entry)
        if key not in distinct or hit.session.last_active > distinct[key].session.last_active:
            distinct[key] = hit
    return list(distinct.values())


def _by_path(project: "Project", everyone: list[Session], requested: str) -> list[Hit]:
    """Return the file at a path, wherever it is in the project."""
    path = os.path.abspath(requested)
    roots = (project.root, project.private_project.root)
    if not os.path.isfile(path) or not any(paths.within(path, root) for root in roots if root):
        return []
    hits = [Hit(session) for session in everyone if session.state and os.path.samefile(session.state, path)]
    if hits:
        return hits[:1]
    name = project.relative(path) or path
    return [Hit(Session(name).replace(state=path, state_name=name))]


def _obvious(everyone: list[Session], own: str, category: str, left: int, *, recent: bool) -> Hit:
    """Return the state file to use when the request names none; HoldfastError if that is not clear."""
    hit = at_hand(everyone, own, category)
    if hit:
        return hit
    held, hits = _held(everyone, own), _fitting(everyone, own, category)
    if own and not hits:
        raise HoldfastError(
            "this session has no state file here, and other sessions are not meant without an ID. "
            "Its first file edit makes one, and so does: holdfast start TITLE. Other sessions: holdfast list"
        )
    if not held:
        resumable = ". Work that was left: holdfast resume" if any(map(has_work, everyone)) else ""
        raise HoldfastError(f"there is no state file here yet. Make one: holdfast start TITLE{resumable}")
    if hits and recent and not own:
        return most_recent(hits, left)
    if hits:
        raise UnclearError(f"{len(hits) + left} state files are {category}:", hits)
    down = [Hit(session) for session in held if session.status == "paused"]
    more = f" To continue what is paused: holdfast continue {short_name(down[0])}" if down else ""
    raise UnclearError(f"no state file is {category}.{more}", _distinct([Hit(session) for session in held]))


def at_hand(everyone: list[Session], own: str, category: str = "active") -> Hit | None:
    """Return the one state file that can be meant: in this folder, of the session `own`, else of this category."""
    here = _in_folder(everyone, own)
    found = _fitting(everyone, own, category)
    live = [hit for hit in found if hit.session.live]
    return here or next((hits[0] for hits in (live, found) if len(hits) == 1), None)


def _fitting(everyone: list[Session], own: str, category: str) -> list[Hit]:
    """Return the state file of the session `own`, else those of a category."""
    mine = [Hit(session) for session in everyone if session.id == own and (session.state or session.away)]
    fits = [one for one in _held(everyone, own) if (one.active if category == "active" else one.status == category)]
    return mine or _distinct(list(map(Hit, fits)))


def _held(everyone: list[Session], own: str) -> list[Session]:
    """Return the sessions with a state file that may be meant; a hand-over only if there is nothing else."""
    everything = [one for one in everyone if one.state and not one.shared and not (own and one.journaled)]
    return [one for one in everything if one.summary.get("format") != paused_work.FORMAT] or everything


def entry(everyone: list[Session], own: str) -> Hit | None:
    """Return the entry of the hub that is meant without an ID where there is no state file, None for none.

    It is that of the session `own`, else the open one that was changed last.
    """
    mine = [one for one in everyone if not own or one.id == own or not one.journaled]
    if any((one.state or one.away) and not one.shared for one in mine):
        return None
    found = [
        (row, one) for one in everyone if one.shared for row in hub_entries.rows(one) if row["category"] not in OVER
    ]
    found = [pair for pair in found if pair[0]["id"] == own] or found
    if not found:
        return None
    row, hub = max(found, key=lambda pair: hub_entries.dated(pair[0]))
    hit = Hit(hub, str(row["id"]))
    if len(found) > 1:
        hit.note = (
            f'using the latest of {len(found)} entries of the hub: {short_name(hit)} "{safe.line(title(hit), 60)}"'
        )
    return hit


def _in_folder(everyone: list[Session], own: str) -> Hit | None:
    """Return the only state file in the current folder, None for none or several.

    In the root of the project a session's own file comes first. A file of another live session is not meant.
    """
    folder = os.getcwd()
    sessions = [one for one in everyone if one.state and os.path.dirname(one.state) == folder and not one.shared]
    sessions = [one for one in sessions if one.summary.get("format") != paused_work.FORMAT]
    sessions = [one for one in sessions if one.id == own or not (own and one.journaled and one.live)]
    hits = _distinct(list(map(Hit, sessions)))
    mine = any(one.id == own and one.state for one in everyone)
    in_root = paths.locate(folder).root == folder
    return hits[0] if len(hits) == 1 and not (in_root and mine) else None


def most_recent(hits: list[Hit], left: int = 0) -> Hit:
    """Return the nearest candidate that was active last, with a note that names it; `left` older ones are counted."""
    hit = max(hits, key=lambda one: (one.session.near, one.session.last_active))
    name = f"{hit.name[:8]} " if hit.session.journaled else ""
    if len(hits) > 1:
        hit.note = f'using the most recent of {len(hits) + left} sessions: {name}"{safe.line(hit.session.title, 60)}"'
    return hit


def require_file(hit: Hit) -> None:
    """Raise HoldfastError, which names what to type, for a session without a state file."""
    if not hit.path:
        name = hit.session.id
        if hit.session.away:
            raise HoldfastError(f"{hit.session.state_name} is not here: it is {hit.session.away}. {_back(hit.session)}")
        why = f"session {name} has no state file here; an edit or a task makes one"
        if hit.session.claimed_name:
            why = f"{hit.session.claimed_name}, the state file of session {name}, is not in this working tree"
        raise HoldfastError(f"{why}. What was said: holdfast resume {name}. Complete it: holdfast finish {name} done")


def _back(session: Session) -> str:
    """Return what to type so that a state file is here again, or is not missed."""
    if session.holder:
        return f"Type: git switch {safe.shell(session.holder)}"
    return f"To have it again: holdfast resume {session.id}. To end its work: holdfast finish {session.id} done"
