"""The reference of clients is what the table of clients says."""

from __future__ import annotations

from tests.documents import clients_page


def test_the_page_is_made_from_the_table() -> None:
    """`python -m tests.documents.clients_page` writes it."""
    assert clients_page.PAGE.read_text() == clients_page.text()
