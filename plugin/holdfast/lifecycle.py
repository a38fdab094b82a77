"""The life of a state file by hand: paused, resumed, handed over, closed (formats/agents-sessions.md)."""

import os

from holdfast import checklist, files, git, paths, settle, store, text
from holdfast.dialects import Dialects
from holdfast.errors import HoldfastError
from holdfast.lookup import Hit
from holdfast.paths import Place
from holdfast.record import Record
from holdfast.settings import Settings
from holdfast.statefile import StateFile, model
from holdfast.sync import Synced, sync

# Where each kind of knowledge belongs before a state file goes (formats/agents-sessions.md).
KNOWLEDGE = (
    ("Work tracking", "external issue (Linear, GitHub)"),
    ("Implementation details", "git commits, pull requests"),
    ("Architectural decisions", "ADRs (docs/decisions/)"),
    ("API contracts", "API documentation"),
    ("Remaining work", "external issue backlog"),
)
_HANDED = (("current", "Current State"), ("next", "Next Steps"))


class HandOver:
    """What the next one needs: the words of the model, and what is not ready to be handed over, "" for nothing."""

    __slots__ = ("gaps", "model")

    def __init__(self, told: dict[str, object], gaps: list[str]) -> None:
        self.model = told
        self.gaps = gaps


def turn(place: Place, hit: Hit, standing: str, dialects: Dialects, settings: Settings) -> Synced:
    """Give a state file the word that its dialect has for active, paused or completed."""
    return sync(place, hit, {"Status": word(hit, standing, dialects)}, dialects, settings)


def word(hit: Hit, standing: str, dialects: Dialects) -> str:
    """Return the dialect's word for a standing; the file's own where it says so already."""
    state = StateFile(files.read(hit.path), hit.path, dialects)
    record = _scope(state, hit)
    if state.problem:
        raise HoldfastError(f"{hit.path} is not written: {state.problem}.")
    said = [record.text(spot) for place in record.dialect.model.get("status", []) for spot in record.find(place)]
    if said and all(record.dialect.standing(text) == standing for text in said):
        return said[0]
    known = record.dialect.status.get(standing, [])
    if not known:
        raise HoldfastError(
            f"the dialect {record.dialect.name} has no word for {standing}. Set one with: holdfast sync"
        )
    return known[0]


def _scope(state: StateFile, hit: Hit) -> Record:
    """Return the file, or the entry that is meant."""
    return next(
        (record for record in state.record.register() if hit.entry and record.ident() == hit.entry), state.record
    )


def hand_over(hit: Hit, dialects: Dialects) -> HandOver:
    """Return the hand-over of a state file, with what is missing of Current State and Next Steps."""
    state = StateFile(files.read(hit.path), hit.path, dialects)
    told = model(state)
    entries = told["entries"]
    if hit.entry and isinstance(entries, list):
        told = next((entry for entry in entries if entry["id"] == hit.entry), told)
    gaps = [_gap(state, word, name) for word, name in _HANDED if not told[word]]
    return HandOver(told, gaps)


def _gap(state: StateFile, word: str, name: str) -> str:
    """Return what is missing of a part that a hand-over needs."""
    places = state.record.dialect.model.get(word, [])
    spots = [spot for place in places for spot in state.record.find(place)]
    if not spots:
        where = places[0].partition(":")[2] if places else name
        return f"{name}: there is no {where}"
    at = spots[0].label or spots[0].section
    line = f"line {state.document.line(at.start)}: " if at else ""
    return f"{line}{name} is not filled in"


def close(place: Place, hit: Hit, dialects: Dialects, settings: Settings) -> list[str]:
    """Set a state file to completed and return the checklists, answered where that can be measured."""
    turn(place, hit, "completed", dialects, settings)
    return checklists(place, hit)


def checklists(place: Place, hit: Hit) -> list[str]:
    """Return where the knowledge belongs and what is to be done before the file goes."""
    session = hit.session
    session.state, session.state_name = hit.path, session.state_name or hit.path
    session.measured = session.measured or settle.measure(place, session)
    knowledge = [f"- [ ] {what} → {where}" for what, where in KNOWLEDGE]
    return ["Before it goes, what is known moves to where it belongs:", *knowledge, *checklist.items(session)]


def delete(place: Place, hit: Hit, settings: Settings, *, force: bool) -> list[str]:
    """Delete a state file that git keeps; HoldfastError unless the tree is clean, or `force` is given.

    What git does not have yet is kept as an object of its own first. Returns how to have the file back.
    """
    home = paths.locate(os.path.dirname(hit.path))
    name = home.relative(hit.path)
    if not home.git or not home.root or not name:
        raise HoldfastError(f"{hit.path} is not in git, which is to keep it. Delete it by hand when it may go.")
    if hit.entry:
        raise HoldfastError(
            f"{hit.entry} is an entry of {name}, which other sessions use. Move it to the history there."
        )
    dirty = git.uncommitted(home.root)
    if dirty is None:
        raise HoldfastError(f"git cannot tell whether {home.root} is clean. Type: git status")
    if dirty and not force:
        named = ", ".join(text.line(one, 80) for one in dirty[:4])
        more = f" and {len(dirty) - 4} more" if len(dirty) > 4 else ""
        raise HoldfastError(f"{len(dirty)} changes are not committed: {named}{more}. Commit them, or add --force.")
    with settle.writing(place):
        kept = git.keep(home.root, name)
        if not kept:
            raise HoldfastError(f"git could not keep {name}; it is not deleted. Type: git status")
        store.remove(hit.path)
        problem = store.stage(hit.path) if settings.stage else ""
    return [f"Deleted {name}. To have it back: git cat-file -p {kept} > {name}", *([problem] if problem else [])]
