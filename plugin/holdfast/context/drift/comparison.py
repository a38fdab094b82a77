"""A state file next to its evidence, and the commands that would bring it up to date."""

import json
import shlex
from functools import cached_property

from holdfast.context.drift.evidence import Evidence
from holdfast.context.drift.mentions import Prose
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import log_entries, own_words
from holdfast.editing.edit import Editor, Outcome
from holdfast.formats import names
from holdfast.formats.record import Spot
from holdfast.formats.state_file import StateFile
from holdfast.formats.template import Work
from holdfast.memory import refresh, sections
from holdfast.memory.view import SECTIONS, of
from holdfast.sessions.session import Session
from holdfast.trust import safe

OPEN = "…"  # placeholder in a command for a text that only the model or a person can write
MEMORY = "holdfast memory"
_MARKS = ("tasks", "files", *own_words.BLOCKS.values())

TYPE_CHECKING = False
if TYPE_CHECKING:
    Request = dict[str, object]
    Attempt = tuple["Comparison", str]  # the file after a command was tried, and why a part of it failed, "" if none


class Comparison:
    """One state file and all that was measured for it; `prose` is the text without holdfast's own blocks."""

    def __init__(self, session: Session, state: StateFile, evidence: Evidence) -> None:
        self.session = session
        self.state = state
        self.record = state.record
        self.evidence = evidence
        self.since = evidence.since
        self.view = of(state, evidence.formats)
        self.prose = Prose(_written(state, session))
        self.whole = Prose(state.document.text(0, len(state.document.data)))

    def sync(self, *requests: "Request") -> str:
        """Return the `holdfast sync` command that carries out all these requests."""
        merged: Request = {}
        for one in requests:
            _merge(merged, one)
        which = f" {safe.shell(self.evidence.ident)}" if self.evidence.ident else ""
        return f"holdfast sync{which} --json {safe.shell(json.dumps(merged, ensure_ascii=False))}"

    def memory(self) -> str:
        """Return the command that updates the six sections of working memory."""
        return f"{MEMORY} {safe.shell(self.evidence.ident)}" if self.evidence.ident else MEMORY

    @cached_property
    def refreshed(self) -> "Attempt":
        """The comparison after `holdfast memory`, which is tried on a copy in memory; the file is not written."""
        path, formats = self.state.path, self.evidence.formats
        work = Work(self.session.title, self.evidence.now)
        try:
            data = sections.with_sections(self.state.document.data, path, formats, frozenset(SECTIONS), work)
            editor = refresh.editor_of(path, formats, self.evidence.now)
            after, why = self._after(refresh.refreshed(editor, data, self.evidence.memory))
        except HoldfastError as error:
            return self, str(error)
        after.refreshed = (after, why)
        return after, why

    def synced(self, call: str) -> "Attempt":
        """Return the comparison after a `holdfast sync` command, tried on a copy in memory."""
        editor = Editor(self.state.path, self.evidence.formats, self._minute)
        try:
            return self._after(editor.apply(self.state.document.data, json.loads(shlex.split(call)[-1])))
        except HoldfastError as error:
            return self, str(error)

    @property
    def _minute(self) -> str:
        return clock.write(self.evidence.now, clock.MINUTE)

    def _after(self, outcome: Outcome) -> "Attempt":
        why = "; ".join(f"{where}: {problem}" for where, problem in outcome.unplaced[:2])
        return Comparison(self.session, outcome.state, self.evidence), why

    def place(self, word: str) -> str:
        """Return the place for a word of the model: the first that the file has, else the first that can be created."""
        known = [place for place in self.record.file_format.model.get(word, []) if not place.startswith("title:")]
        able = [place for place in known if self._can_begin(place)]
        return next((place for place in known if self.record.find(place)), next(iter(able), ""))

    def _can_begin(self, place: str) -> bool:
        """Return whether an edit may create this place: frontmatter, or a section that is not optional."""
        kind, _, rest = place.partition(":")
        part = self.record.file_format.part(rest.partition("/")[0])
        return kind == "front" or (part is not None and part.need != "optional")

    def value(self, word: str) -> tuple[str, Spot | None]:
        """Return the first filled-in text for a word of the model and its place, ("", None) if there is none."""
        for spot in self.record.spots(word):
            text = self.record.text(spot)
            if text and not self.record.unfilled(text):
                return text, spot
        return "", None

    def open_request(self, place: str) -> "Request":
        """Return a request whose text for this place is the placeholder `…`."""
        kind, _, rest = place.partition(":")
        part = self.record.file_format.part(rest) if kind == "section" else None
        return request(place, [OPEN] if part and part.holds in {"list", "checks", "log"} else OPEN)

    def progress_call(self) -> str:
        """Return the command that records the current state and what is next, with placeholders."""
        current, noted, following = self.place("current"), self._log_section(), self.place("next")
        there = [place for place in (current, noted) if place.startswith("section:") and self.record.find(place)]
        first = next(iter(there), "") or noted or current or self.place("focus")
        places = [place for place in dict.fromkeys((first, following)) if place]
        return self.sync(*map(self.open_request, places)) if places else ""

    def log_call(self, lines: list[str]) -> str:
        """Return the command that adds these lines to the file's log, or to its list of work done."""
        place = self._log_section()
        return self.sync(request(place, lines)) if place else self.progress_call()

    def _log_section(self) -> str:
        """Return the place of the section for work done: the log, else the first required list, else ""."""
        following = {names.plain(place.partition(":")[2]) for place in self.record.file_format.model.get("next", [])}
        parts = [part for part in self.record.file_format.parts if part.level < 7 and not part.names & following]
        logs = [part for part in parts if part.holds == "log"]
        lists = [part for part in parts if part.holds == "list" and part.need == "required"]
        found = next(iter(logs + lists), None)
        return f"section:{found.title}" if found else ""


def request(place: str, text: str | list[str]) -> "Request":
    """Return the request, as `holdfast sync` takes it, that sets one place of a format to a text or a list."""
    value: object = safe.line(text, 300) if isinstance(text, str) else [safe.line(line, 300) for line in text]
    kind, _, rest = place.partition(":")
    keys = rest.split(".") if kind == "front" else rest.split("/", 1) if kind == "label" else [rest]
    for key in reversed(keys):
        value = {key: value}
    return value if isinstance(value, dict) else {}


def _merge(into: "Request", other: "Request") -> None:
    """Add the keys of `other` to `into`; objects under the same key are merged, other values are replaced."""
    for key, value in other.items():
        known = into.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        else:
            into[key] = value


def _written(state: StateFile, session: Session) -> str:
    """Return the text of a file without what holdfast writes: the lines below its marks, and its entries of the log."""
    document = state.document
    blocks = [span for span in map(document.block, _MARKS) if span]
    spans = sorted([*blocks, *log_entries.own(state.record, session.logged.values())])
    kept, at = [], 0
    for start, end in spans:
        kept.append(document.text(at, start))
        at = end
    return "\n".join([*kept, document.text(at, len(document.data))])
