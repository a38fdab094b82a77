"""The index of a store as a test reads and damages it."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

from holdfast.core.cache import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def opened(store: str | Path) -> Iterator[sqlite3.Connection]:
    """Give a connection whose changes are committed."""
    with contextlib.closing(sqlite3.connect(f"{store}/{NAME}")) as base, base:
        yield base


def rows(store: str | Path, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with opened(store) as base:
        return base.execute(query, parameters).fetchall()


def change(store: str | Path, statement: str, *parameters: Any) -> int:
    """Run a statement and return how many rows it changed."""
    with opened(store) as base:
        return base.execute(statement, parameters).rowcount
