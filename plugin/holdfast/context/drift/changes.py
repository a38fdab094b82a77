"""Compare a state file with files, commits, branch and conversation, and find required parts that are not filled in."""

import os

from holdfast.context.drift.comparison import Comparison, request
from holdfast.context.drift.item import COMMITTED, PROMPTS, Item, listed
from holdfast.core import clock
from holdfast.formats import names
from holdfast.formats.audit.unfilled import unfilled as placeholders
from holdfast.formats.record import Record
from holdfast.git import queries
from holdfast.memory.budget import ZONES
from holdfast.memory.view import BUDGET, FORMAT
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    known = [(at, name) for at, name in comparison.session.branches if _is_branch(name)]
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
    open_ = {names.plain(found.what): found.line for found in placeholders(record)}
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
    count = sum(at > comparison.since for at in comparison.session.asked)
    if count >= PROMPTS:
        last = f'the last one: "{safe.line(comparison.session.asked_last, _WORDS)}"'
        yield Item("prompts", "", str(count), last, comparison.progress_call(), count=count)


def zone(comparison: Comparison) -> "Iterator[Item]":
    """Yield the worst zone of the token budget since the last update, if it is worse than the zone before.

    A file with a budget section is compared by `memory.budget` instead.
    """
    if BUDGET in comparison.view.there and comparison.evidence.memory.budget:
        return
    known = [(at, found) for at, found in comparison.session.zones if 0 <= found < len(ZONES)]
    before = [0, *(found for at, found in known if at <= comparison.since)][-1]
    worst = max((found for at, found in known if at > comparison.since), default=0)
    if worst > before:
        crossed = next(at for at, found in known if at > comparison.since and found == worst)
        evidence = f"crossed {clock.ago(comparison.evidence.now - crossed)}"
        yield Item("zone", ZONES[before].name, ZONES[worst].name, evidence, comparison.progress_call())


def age(comparison: Comparison) -> "Iterator[Item]":
    """Yield the time since the last update by the model or a person, if it is an hour or more.

    Time alone is no drift, so this item only accompanies others.
    """
    passed = comparison.evidence.now - comparison.evidence.began
    if comparison.since and passed >= _HOUR:
        yield Item("age", "", clock.ago(passed), f"by {comparison.evidence.writer}")
    elif comparison.evidence.began and passed >= _HOUR:
        yield Item("age", "", "only by holdfast", f"the session began {clock.ago(passed)}")
