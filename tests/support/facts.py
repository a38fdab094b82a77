"""A session made from facts, as a journal would hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.journal import folding
from holdfast.journal.session import Group, Recorded
from holdfast.project import paths
from holdfast.sessions.session import Session

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def fold(
    ident: str, facts: Iterable[Mapping[str, object]], root: str = "", patterns: Iterable[str] = paths.PATTERNS
) -> Session:
    """Return the session that these facts, oldest first, describe; `root` is its project unless a start names one."""
    recorded = Recorded(ident, root, patterns)
    return Session.of(folding.fold(recorded, facts))  # type: ignore[arg-type] # facts are looked at when they are used


def plain(value: object, apart: Collection[str] = ()) -> object:
    """Return a session, or a part of it, in values that can be compared, without the attributes `apart`."""
    if isinstance(value, Group):
        return {name: plain(each, apart) for name, each in vars(value).items() if name not in apart}
    return {key: plain(each, apart) for key, each in value.items()} if isinstance(value, dict) else value
