"""Hand-overs: written when work is paused, found, and removed once they were taken up. No text of anybody's is lost."""

import hashlib
import os
import re
from collections.abc import Iterable

from holdfast import clock, codec, discovery, files, git, lifecycle, paths, settle, store, text
from holdfast.dialects.catalog import Dialects
from holdfast.errors import HoldfastError
from holdfast.handover import handed
from holdfast.handover import matter as matters
from holdfast.handover.handed import NAME, PATTERN, Handed
from holdfast.handover.matter import Matter, Said
from holdfast.handover.paused import DIALECT
from holdfast.hub import place as hub
from holdfast.lookup import Hit
from holdfast.loops import book
from holdfast.memory.view import View, seen
from holdfast.paths import Place
from holdfast.sessions import Survey
from holdfast.settings import Settings
from holdfast.states.statefile import StateFile

_WRITTEN = "/handed/"  # a file for each hand-over as holdfast wrote it, named by its digest
_KEPT = "/continued"  # where those go that git does not keep


class Written:
    """A hand-over that was written: its path, "" for none, why it was not staged, "" when it was, and what it lacks."""

    __slots__ = ("lacking", "path", "unstaged")

    def __init__(self, path: str = "", unstaged: str = "", lacking: Iterable[str] = ()) -> None:
        self.path = path
        self.unstaged = unstaged
        self.lacking = list(lacking)


def standing(place: Place, dialects: Dialects) -> list[Handed]:
    """Return the hand-overs that stand in this working tree, and at the root of the one that the hub lies in."""
    dialect = dialects.get(DIALECT)
    patterns = (NAME, PATTERN, *(dialect.places if dialect else []))
    there = [(path, place.root) for path in discovery.state_files(place.root, patterns).paths]
    home = hub.home(place).root
    there += [(path, home) for path in discovery.state_files(home, (NAME, PATTERN)).paths if home != place.root]
    read = [handed.read(path, root, dialects) for path, root in there]
    return [one for one in read if one is not None]


def write(place: Place, hit: Hit, survey: Survey, said: Said, now: float) -> Written:
    """Write the hand-over of a state file at the root of its working tree, and stage it.

    One of the same state file is written anew while it is as holdfast wrote it; nothing else is ever overwritten.
    A state file that is a hand-over itself gets none.
    """
    told = lifecycle.hand_over(hit, survey.dialects).model
    if told.get("dialect") == DIALECT:
        return Written()
    home = paths.locate(os.path.dirname(hit.path))
    matter = _matter(home, hit, told, survey.dialects)
    matter.said = said
    with store.writing(place):
        path = _rewritten(place, home, matter, survey.dialects, now)
        path = path or _new(place, home, matter, survey.dialects, now)
        return Written(path, settle.stage(place, "", path, survey.settings), handed.lacking(matter))


def _matter(home: Place, hit: Hit, told: dict[str, object], dialects: Dialects) -> Matter:
    """Return all that is known of the work in a state file."""
    state = StateFile(files.read(hit.path), hit.path, dialects)
    whole = matters.whole(told, state.scope(hit.entry))
    matter = Matter(whole, hit.session, home.relative(hit.path), hit.entry)
    matter.view = None if hit.entry else View(seen(state, dialects))
    matter.branch = matter.branch or paths.branch(home)
    found = book.readable(home.root)
    if found:
        matter.book = home.relative(found.path)
        matter.loops = [f"{loop.ident}: {text.line(loop.title, matters.LONGEST)}" for loop in found.open]
    return matter


def _rewritten(place: Place, home: Place, matter: Matter, dialects: Dialects, now: float) -> str:
    """Bring the hand-over of the same state file up to date that nobody has edited; return its path, "" for none."""
    state = f"{home.root.rstrip('/')}/{matter.path}"
    for one in standing(home, dialects):
        if not one.is_of(state, matter.entry) or not _as_written(place, one.data):
            continue
        matter.said = _said(place, one.data, matter.said)
        if handed.compose(matter, one.at, dialects) == one.data:
            return one.path
        data = handed.compose(matter, clock.write(now), dialects)
        _note(place, data, matter.said)
        if _replaced(one, data):
            _forget(place, one.data)
            return one.path
    return ""


def _replaced(one: Handed, data: bytes) -> bool:
    """Replace a hand-over unless somebody changed it since it was read; whether it was."""
    return store.update(one.path, lambda there: data if there == one.data else there)


def _new(place: Place, home: Place, matter: Matter, dialects: Dialects, now: float) -> str:
    """Write a new hand-over, under a name of its own where another file has the usual one; return its path."""
    data = handed.compose(matter, clock.write(now), dialects)
    _note(place, data, matter.said)
    taken = os.path.lexists(f"{home.root}/{NAME}")
    name = PATTERN.replace("*", _called(matter)) if taken else NAME
    return store.create(home.root, name, data, f"{home.root}/{matter.path}")


def _called(matter: Matter) -> str:
    """Return what tells a hand-over from others by its name: the beginning of the session's id, or the state file's."""
    ident = matter.entry or (matter.session.id if matter.session.journaled else "")
    whose = ident[:8] or os.path.splitext(os.path.basename(matter.path))[0]
    return "-".join(re.findall("[A-Za-z0-9]+", whose))[:48] or "session"


def used(place: Place, one: Handed, settings: Settings) -> list[str]:
    """Remove a hand-over that was taken up, once its bytes are kept; return how to have it back."""
    home = paths.locate(os.path.dirname(one.path))
    with store.writing(place):
        if not os.path.lexists(one.path):
            return [f"{one.name} is gone already."]
        if os.path.islink(one.path) or files.read(one.path) != one.data:
            raise HoldfastError(f"{one.path} was changed meanwhile, and stays. Type: holdfast continue")
        back = _kept_by_git(home, one) if home.git else _kept_aside(place, one)
        store.remove(one.path)
        _forget(place, one.data)
        known = home.git and one.name in (git.uncommitted(home.root) or [])  # else git never had it
        problem = settle.stage(place, "", one.path, settings) if known else ""
    return [f"{one.name} is used and removed. To have it back: {back}", *([problem] if problem else [])]


def _kept_by_git(home: Place, one: Handed) -> str:
    """Keep a hand-over as an object of git; return the line that brings it back."""
    kept = git.keep(home.root, one.name)
    if not kept:
        raise HoldfastError(f"git could not keep {one.name}; it is not removed. Type: git status")
    return f"git cat-file -p {kept} > {text.shell(one.name)}"


def _kept_aside(place: Place, one: Handed) -> str:
    """Keep a hand-over beside the journals, where nothing else does; return the line that brings it back."""
    kept = store.create(place.store + _KEPT, one.name, one.data)
    return f"cp {text.shell(kept)} {text.shell(one.path)}"


def _note(place: Place, data: bytes, said: Said) -> None:
    """Remember that holdfast wrote these bytes, and what a person had added to them."""
    path = _path(place, data)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, codec.dumps({"note": said.note, "next": said.following}).encode())


def _as_written(place: Place, data: bytes) -> bool:
    """Whether a hand-over is as holdfast wrote it."""
    return os.path.isfile(_path(place, data))


def _said(place: Place, data: bytes, said: Said) -> Said:
    """Return what is added to a hand-over: what is given now, beside what was given when it was written."""
    try:
        known = codec.loads(files.read(_path(place, data)))
    except (OSError, ValueError):
        known = None
    before = known if isinstance(known, dict) else {}
    return said.after(Said(str(before.get("note", "")), str(before.get("next", ""))))


def _forget(place: Place, data: bytes) -> None:
    """Forget a hand-over that is no more."""
    if _as_written(place, data):
        os.unlink(_path(place, data))


def _path(place: Place, data: bytes) -> str:
    """Return where it is remembered that holdfast wrote these bytes."""
    return place.store + _WRITTEN + hashlib.sha256(data).hexdigest()
