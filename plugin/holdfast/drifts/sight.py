"""A state file as drift looks at it: its text without what holdfast put there, and the lines that put it right."""

import json
import shlex
from functools import cached_property

from holdfast import clock, text
from holdfast.dialects import names
from holdfast.drifts.known import Known
from holdfast.drifts.mentions import Prose
from holdfast.edits.edit import Editor, Outcome
from holdfast.errors import HoldfastError
from holdfast.memory import keeping, sections
from holdfast.memory.view import SECTIONS, View, seen
from holdfast.session import Session
from holdfast.states.record import Spot
from holdfast.states.statefile import StateFile
from holdfast.states.template import Work

OPEN = "…"  # stands in a call where a meaning is to be put
MEMORY = "holdfast memory"
_MARKS = ("tasks", "files")

TYPE_CHECKING = False
if TYPE_CHECKING:
    Wish = dict[str, object]
    Tried = tuple["Sight", str]  # a file after a line was run, and why not all of it could be done


class Sight:
    """One state file beside all that was measured of it; `prose` is what people and the model wrote there."""

    def __init__(self, session: Session, state: StateFile, known: Known) -> None:
        self.session = session
        self.state = state
        self.record = state.record
        self.known = known
        self.since = known.since
        self.view = View(seen(state, known.dialects))
        self.prose = Prose(_written(state))
        self.whole = Prose(state.document.text(0, len(state.document.data)))

    def sync(self, *wishes: "Wish") -> str:
        """Return the line that makes wishes true in this file."""
        merged: Wish = {}
        for wish in wishes:
            _merge(merged, wish)
        which = f" --convo-id {text.shell(self.known.ident)}" if self.known.ident else ""
        return f"holdfast sync{which} --json {text.shell(json.dumps(merged, ensure_ascii=False))}"

    def memory(self) -> str:
        """Return the line that brings the six sections up to date."""
        return f"{MEMORY} {text.shell(self.known.ident)}" if self.known.ident else MEMORY

    @cached_property
    def kept(self) -> "Tried":
        """The file as `holdfast memory` leaves it, which it leaves alone then."""
        path, dialects = self.state.path, self.known.dialects
        work = Work(self.session.title, self.known.now)
        try:
            data = sections.begun(self.state.document.data, path, dialects, frozenset(SECTIONS), work)
            editor = keeping.through(path, dialects, self.known.now)
            after, why = self._after(keeping.refreshed(editor, data, self.known.memory))
        except HoldfastError as error:
            return self, str(error)
        after.kept = (after, why)
        return after, why

    def synced(self, call: str) -> "Tried":
        """Return the file as the line of a sync leaves it."""
        editor = Editor(self.state.path, self.known.dialects, self._minute)
        try:
            return self._after(editor.apply(self.state.document.data, json.loads(shlex.split(call)[-1])))
        except HoldfastError as error:
            return self, str(error)

    @property
    def _minute(self) -> str:
        return clock.write(self.known.now, clock.MINUTE)

    def _after(self, outcome: Outcome) -> "Tried":
        why = "; ".join(f"{where}: {problem}" for where, problem in outcome.unplaced[:2])
        return Sight(self.session, outcome.state, self.known), why

    def place(self, word: str) -> str:
        """Return the place of a word of the model: the first that stands in the file, else the first that can begin."""
        known = [place for place in self.record.dialect.model.get(word, []) if not place.startswith("title:")]
        able = [place for place in known if self._can_begin(place)]
        return next((place for place in known if self.record.find(place)), next(iter(able), ""))

    def _can_begin(self, place: str) -> bool:
        """Whether a place that is not there can be made: the dialect has such a section, and a file would have it."""
        kind, _, rest = place.partition(":")
        part = self.record.dialect.part(rest.partition("/")[0])
        return kind == "front" or (part is not None and part.need != "optional")

    def said(self, word: str) -> tuple[str, Spot | None]:
        """Return what the file says at the first place of a word that says anything, and the place."""
        for spot in self.record.spots(word):
            told = self.record.text(spot)
            if told and not self.record.unfilled(told):
                return told, spot
        return "", None

    def open_wish(self, place: str) -> "Wish":
        """Return the wish that leaves open what is to stand at a place."""
        kind, _, rest = place.partition(":")
        part = self.record.dialect.part(rest) if kind == "section" else None
        return wish(place, [OPEN] if part and part.holds in {"list", "checks", "log"} else OPEN)

    def told(self) -> str:
        """Return the line by which the model says where the work stands and what is next."""
        current, noted, following = self.place("current"), self._noted(), self.place("next")
        there = [place for place in (current, noted) if place.startswith("section:") and self.record.find(place)]
        first = next(iter(there), "") or noted or current or self.place("focus")
        places = [place for place in dict.fromkeys((first, following)) if place]
        return self.sync(*map(self.open_wish, places)) if places else ""

    def noted(self, lines: list[str]) -> str:
        """Return the line that records what was measured: as entries of the file's log, or items of its list."""
        place = self._noted()
        return self.sync(wish(place, lines)) if place else self.told()

    def _noted(self) -> str:
        """Return the section that takes a line about what was done, "" where the dialect has none."""
        following = {names.plain(place.partition(":")[2]) for place in self.record.dialect.model.get("next", [])}
        parts = [part for part in self.record.dialect.parts if part.level < 7 and not part.names & following]
        logs = [part for part in parts if part.holds == "log"]
        lists = [part for part in parts if part.holds == "list" and part.need == "required"]
        found = next(iter(logs + lists), None)
        return f"section:{found.title}" if found else ""


def wish(place: str, said: str | list[str]) -> "Wish":
    """Return the wish that sets a place of a dialect, in the keys that `holdfast sync` takes; each text in one line."""
    value: object = text.line(said, 300) if isinstance(said, str) else [text.line(line, 300) for line in said]
    kind, _, rest = place.partition(":")
    keys = rest.split(".") if kind == "front" else rest.split("/", 1) if kind == "label" else [rest]
    for key in reversed(keys):
        value = {key: value}
    return value if isinstance(value, dict) else {}


def _merge(into: "Wish", other: "Wish") -> None:
    """Add a wish to others; keys within one key stay beside each other."""
    for key, value in other.items():
        known = into.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        else:
            into[key] = value


def _written(state: StateFile) -> str:
    """Return the text of a file without the lines between holdfast's marks."""
    document = state.document
    spans = sorted(span for span in map(document.block, _MARKS) if span)
    kept, at = [], 0
    for start, end in spans:
        kept.append(document.text(at, start))
        at = end
    return "\n".join([*kept, document.text(at, len(document.data))])
