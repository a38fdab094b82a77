"""Compare a state file with files, commits, branch and conversation, and find required parts that are not filled in."""

import json
import os
import shlex
from functools import cached_property

from holdfast.context.drift.evidence import Evidence, Prose
from holdfast.context.drift.item import COMMITTED, PROMPTS, Item, listed
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import log_entries, own_words
from holdfast.formats import names
from holdfast.formats.audit.kinds import left_unfilled
from holdfast.formats.record import Record, Spot
from holdfast.formats.state_file import StateFile
from holdfast.git import queries
from holdfast.memory.budget import ZONES
from holdfast.memory.view import BUDGET, FORMAT, SECTIONS, of
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.editing.edit import Outcome

    Request = dict[str, object]
    Attempt = tuple["Comparison", str]  # the file after a command was tried, and why a part of it failed, "" if none


OPEN = "…"  # placeholder in a command for a text that only the model or a person can write
MEMORY = "holdfast memory"
_MARKS = ("tasks", "files", *own_words.BLOCKS.values())


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
        left = evidence.memory.kept.left  # what made way in Recent Updates is recorded, too
        self.whole = Prose("\n".join([state.document.text(0, len(state.document.data)), *left]))

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
        from holdfast.formats.template import Work  # no settle tries a command
        from holdfast.memory import refresh, sections

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
        from holdfast.editing.edit import Editor

        editor = Editor(self.state.path, self.evidence.formats, self._minute)
        try:
            return self._after(editor.apply(self.state.document.data, json.loads(shlex.split(call)[-1])))
        except HoldfastError as error:
            return self, str(error)

    @property
    def _minute(self) -> str:
        return clock.write(self.evidence.now, clock.MINUTE)

    def _after(self, outcome: "Outcome") -> "Attempt":
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
    spans = sorted([*blocks, *log_entries.own(state.record, session.file.logged.values())])
    kept, at = [], 0
    for start, end in spans:
        kept.append(document.text(at, start))
        at = end
    return "\n".join([*kept, document.text(at, len(document.data))])


_WORDS = 80  # characters of a prompt that are shown
_HOUR = 3600.0
_DETACHED = frozenset("0123456789abcdef")


def files(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the files that changed since the last update and that the text does not mention."""
    new = _unmentioned(comparison)
    if new:
        yield Item("files", "", listed(new.values()), call=comparison.progress_call(), names=new)


def unmentioned(comparison: Comparison) -> list[str]:
    """Return the display names of the files that changed since the last update and that the text does not mention."""
    return list(_unmentioned(comparison).values())


def _unmentioned(comparison: Comparison) -> dict[str, str]:
    """Return the changed files that the text does not mention: current path -> display name.

    A file in which only white space changed is left out: a formatter touched it, or its content was restored.
    """
    left = [path for path in comparison.evidence.changed if not comparison.prose.has_path(path)]
    by_name = [path for path in left if comparison.prose.has_path(path, unique=True)]
    alone = _unique(comparison, by_name) if by_name else set()
    new = [path for path in left if path not in alone]
    same = comparison.evidence.same if new else set()
    named = [_named(comparison, path) for path in new if path not in same]
    return {path: shown for path, shown in named if path}


def _unique(comparison: Comparison, known: list[str]) -> set[str]:
    """Return the files of `known` whose base name no other file of the working tree or of this session has."""
    names = {os.path.basename(path) for path in known}
    there = {
        *comparison.session.inside(),
        *(queries.tracked_with_name(comparison.evidence.root, names) if comparison.evidence.tracked else []),
    }
    count: dict[str, int] = {}
    for path in there:
        count[os.path.basename(path)] = count.get(os.path.basename(path), 0) + 1
    return {path for path in known if count.get(os.path.basename(path), 0) == 1}


def _named(comparison: Comparison, path: str) -> tuple[str, str]:
    """Return the current path and the display name of a file that was not mentioned.

    Both are "" if the file was renamed to a name that is mentioned, or was created and deleted again.
    """
    if not comparison.evidence.root or os.path.lexists(f"{comparison.evidence.root}/{path}"):
        return path, path
    new = comparison.evidence.moved.get(path)
    if new is None or (not new and path in comparison.evidence.passing):
        return "", ""  # made and taken away again
    if not new:
        return path, f"{path} (deleted)"
    return ("", "") if comparison.prose.has_path(new) else (new, f"{new} (was {path})")


def commits(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the commits since the last update that the text does not mention."""
    new = [
        (name, subject)
        for name, subject in comparison.evidence.commits
        if not comparison.prose.has_commit(name, subject)
    ]
    if new:
        shown = [f"{name[:7]} {subject}" for name, subject in new]
        yield Item(
            "commits", "", listed(shown), call=comparison.log_call([COMMITTED + one for one in shown]), names=shown
        )


def branch(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the session works on another branch than the file names.

    A file that names no branch is compared with the branch at the time of its last update.
    """
    found = comparison.session.branch
    if not _is_branch(found):
        return
    for place in ("front:branch", "front:session.branch", "label:Branch"):
        texts = [comparison.record.text(spot) for spot in comparison.record.find(place)]
        if len(texts) == 1 and texts[0] and not comparison.record.unfilled(texts[0]):
            if texts[0].strip("`") != found:
                yield Item("branch", texts[0], found, "where the session works", comparison.sync(request(place, found)))
            return
    known = [(at, name) for at, name in comparison.session.process.branches if _is_branch(name)]
    before = [name for at, name in known if at <= comparison.evidence.began]
    if before and before[-1] != found and not comparison.prose.has(found):
        evidence = f"checked out {clock.ago(comparison.evidence.now - known[-1][0])}"
        yield Item("branch", before[-1], found, evidence, comparison.progress_call())


def _is_branch(name: str) -> bool:
    """Return whether `name` is a branch; the journal records a detached commit as 12 hexadecimal digits."""
    return bool(name) and not (len(name) == 12 and set(name) <= _DETACHED)


def unfilled(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the required parts that hold a placeholder: of the file's format, and of working memory."""
    places = _unfilled(comparison.record)
    if comparison.record.file_format.name != FORMAT:
        added = _unfilled(comparison.view.record, comparison.view.there)
        added.pop("Phase", None)  # only a project with a ROADMAP.md has phases
        places = {**added, **places}
    if places:
        shown = [f"{name} (line {line})" for name, (line, _) in places.items()]
        call = comparison.sync(*(comparison.open_request(place) for _, place in places.values()))
        yield Item("unfilled", "", listed(shown), call=call, names=places)


def _unfilled(record: Record, titles: "frozenset[str] | None" = None) -> dict[str, tuple[int, str]]:
    """Return the required parts that hold a placeholder: name -> (line, place in the format's notation).

    With `titles`, only those of the sections of these titles.
    """
    open_ = {names.plain(finding.what): finding.line for finding in left_unfilled(record)}
    places: dict[str, tuple[int, str]] = {}
    for part in record.file_format.parts if open_ else []:
        if titles is not None and part.title not in titles:
            continue
        if part.need == "required" and part.title:
            line = next((line for name, line in open_.items() if name in part.names), 0)
            places |= {part.title: (line, f"section:{part.title}")} if line else {}
        kind = "front:" if part.holds == "front" else f"label:{part.title}/" if part.title else "label:"
        for field in part.fields:
            name = names.plain(field.name if part.holds == "front" else f"{part.title}.{field.name}".strip("."))
            if field.need == "required" and name in open_:
                places[field.name] = (open_[name], f"{kind}{field.name}")
    return places


def prompts(comparison: Comparison) -> "Iterator[Item]":
    """Yield the number of prompts since the last update, and the beginning of the newest one."""
    count = sum(at > comparison.since for at in comparison.session.talk.times)
    if count >= PROMPTS:
        last = f'the last one: "{safe.line(comparison.session.talk.latest, _WORDS)}"'
        yield Item("prompts", "", str(count), last, comparison.progress_call(), count=count)


def zone(comparison: Comparison) -> "Iterator[Item]":
    """Yield the worst zone of the token budget since the last update, if it is worse than the zone before.

    A file with a budget section is compared by `memory.budget` instead.
    """
    if BUDGET in comparison.view.there and comparison.evidence.memory.budget:
        return
    known = [(at, level) for at, level in comparison.session.process.zones if 0 <= level < len(ZONES)]
    before = [0, *(level for at, level in known if at <= comparison.since)][-1]
    worst = max((level for at, level in known if at > comparison.since), default=0)
    if worst > before:
        crossed = next(at for at, level in known if at > comparison.since and level == worst)
        evidence = f"crossed {clock.ago(comparison.evidence.now - crossed)}"
        yield Item("zone", ZONES[before].name, ZONES[worst].name, evidence, comparison.progress_call())


def age(comparison: Comparison) -> "Iterator[Item]":
    """Yield the time since the last update by the model or a person, if it is an hour or more.

    Time alone is no drift, so this item only accompanies others.
    """
    passed = comparison.evidence.now - comparison.evidence.began
    if comparison.since and passed >= _HOUR:
        writer = comparison.evidence.writer
        yield Item("age", "", clock.ago(passed), f"by {writer}" if writer else "")
    elif comparison.evidence.began and passed >= _HOUR:
        yield Item("age", "", "only by holdfast", f"the session began {clock.ago(passed)}")
