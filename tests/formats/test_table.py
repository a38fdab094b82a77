"""Tables as lists of texts: by the columns of their format, or by the first two that say something."""

from __future__ import annotations

import pytest

from holdfast.formats.listing import row_texts, tables
from holdfast.markdown.document import Document

BEGIN = "|---|---|---|\n"


@pytest.mark.parametrize(
    ("head", "columns", "expected"),
    [
        ("| # | Why | What |", ["What", "Why"], "c - b"),
        ("| # | Why | What |", ["What", "Who"], "b - c"),
        ("| # | Why | What |", [], "b - c"),
        ("| Why | # | What |", ["What"], "c"),
        ("| Date | Who | # |", [], "a - b"),
    ],
)
def test_a_row_as_a_text(head: str, columns: list[str], expected: str) -> None:
    """Without all columns of the format, those that number the rows or say when are left out."""
    data = f"{head}\n{BEGIN}| a | b | c |\n".encode()
    assert row_texts(tables(Document(data), 0, len(data)), columns) == [expected]
