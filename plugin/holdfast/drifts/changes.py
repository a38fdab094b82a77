"""What was changed: files and commits that the file does not mention, the branch, parts that nobody filled in."""

import os

from holdfast import clock, git
from holdfast.audits.unfilled import unfilled as placeholders
from holdfast.dialects import names
from holdfast.drifts.item import COMMITTED, Item, listed
from holdfast.drifts.sight import Sight, wish
from holdfast.memory.view import DIALECT
from holdfast.states.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DETACHED = frozenset("0123456789abcdef")


def files(sight: Sight) -> "Iterator[Item]":
    """Yield the files that were changed since, and that nobody wrote of under any name."""
    new = _left(sight)
    if new:
        yield Item("files", "", listed(new.values()), call=sight.told(), names=new)


def unmentioned(sight: Sight) -> list[str]:
    """Return how the files are named that were changed since, and that nobody wrote of under any name."""
    return list(_left(sight).values())


def _left(sight: Sight) -> dict[str, str]:
    """Return the files that were changed since and that nobody wrote of, by their path now, as they are named.

    One in which nothing but white space was changed is none: a formatter touched it, or it was set back.
    """
    left = [path for path in sight.known.changed if not sight.prose.has_path(path)]
    by_name = [path for path in left if sight.prose.has_path(path, unique=True)]
    alone = _unique(sight, by_name) if by_name else set()
    new = [path for path in left if path not in alone]
    same = sight.known.same if new else set()
    named = [_named(sight, path) for path in new if path not in same]
    return {path: shown for path, shown in named if path}


def _unique(sight: Sight, known: list[str]) -> set[str]:
    """Return those of these files whose name no other one of the working tree or of this session has."""
    names = {os.path.basename(path) for path in known}
    there = {*sight.session.inside(), *(git.called(sight.known.root, names) if sight.known.tracked else [])}
    count: dict[str, int] = {}
    for path in there:
        count[os.path.basename(path)] = count.get(os.path.basename(path), 0) + 1
    return {path for path in known if count.get(os.path.basename(path), 0) == 1}


def _named(sight: Sight, path: str) -> tuple[str, str]:
    """Return where a file is that was not mentioned, and how it is named; "" where its new name was, or it is gone."""
    if not sight.known.root or os.path.lexists(f"{sight.known.root}/{path}"):
        return path, path
    new = sight.known.moved.get(path)
    if new is None or (not new and path in sight.known.passing):
        return "", ""  # made and taken away again
    if not new:
        return path, f"{path} (deleted)"
    return ("", "") if sight.prose.has_path(new) else (new, f"{new} (was {path})")


def commits(sight: Sight) -> "Iterator[Item]":
    """Yield the commits that were made since, and that nobody wrote of."""
    new = [(name, said) for name, said in sight.known.commits if not sight.prose.has_commit(name, said)]
    if new:
        told = [f"{name[:7]} {said}" for name, said in new]
        yield Item("commits", "", listed(told), call=sight.noted([COMMITTED + one for one in told]), names=told)


def branch(sight: Sight) -> "Iterator[Item]":
    """Yield that the session works on another branch than the file names, or where it names none than at that time."""
    found = sight.session.branch
    if not _is_branch(found):
        return
    for place in ("front:branch", "front:session.branch", "label:Branch"):
        said = [sight.record.text(spot) for spot in sight.record.find(place)]
        if len(said) == 1 and said[0] and not sight.record.unfilled(said[0]):
            if said[0].strip("`") != found:
                yield Item("branch", said[0], found, "where the session works", sight.sync(wish(place, found)))
            return
    known = [(at, name) for at, name in sight.session.branches if _is_branch(name)]
    before = [name for at, name in known if at <= sight.known.began]
    if before and before[-1] != found and not sight.prose.has(found):
        evidence = f"checked out {clock.ago(sight.known.now - known[-1][0])}"
        yield Item("branch", before[-1], found, evidence, sight.told())


def _is_branch(name: str) -> bool:
    """Whether a session works on a branch of this name; a detached commit goes by its first digits."""
    return bool(name) and not (len(name) == 12 and set(name) <= _DETACHED)


def unfilled(sight: Sight) -> "Iterator[Item]":
    """Yield the parts that the dialect requires and where a placeholder stands; so for those of the six sections."""
    places = _unfilled(sight.record)
    if sight.record.dialect.name != DIALECT:
        places = {**_unfilled(sight.view.record, sight.view.there), **places}
    if places:
        told = [f"{name} (line {line})" for name, (line, _) in places.items()]
        call = sight.sync(*(sight.open_wish(place) for _, place in places.values()))
        yield Item("unfilled", "", listed(told), call=call, names=places)


def _unfilled(record: Record, titles: "frozenset[str] | None" = None) -> dict[str, tuple[int, str]]:
    """Return by its name where each part stands that is required and not filled in; only of sections of these titles.

    A place is its line and how the dialect calls it.
    """
    open_ = {names.plain(found.what): found.line for found in placeholders(record)}
    places: dict[str, tuple[int, str]] = {}
    for part in record.dialect.parts if open_ else []:
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
