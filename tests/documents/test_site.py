"""The site: a page's links lead to other pages of it, and a file that is no page is named by its path."""

from __future__ import annotations

import pytest

from tests.documents.site import BESIDE, ROOT, with_links


@pytest.mark.parametrize(
    ("page", "link", "becomes"),
    [
        ("index.md", "[Security](../SECURITY.md)", "[Security](SECURITY.md)"),
        ("how-to/teams.md", "[Security](../../SECURITY.md#limits)", "[Security](../SECURITY.md#limits)"),
        ("how-to/teams.md", "[JSON](../reference/json.md)", "[JSON](../reference/json.md)"),
        ("SECURITY.md", "[Faq](docs/faq.md)", "[Faq](faq.md)"),
        ("BENCHMARKS.md", "![Cost](benchmarks.svg)", "![Cost](benchmarks.svg)"),
        ("faq.md", "[its data](../plugin/holdfast/x.toml)", "its data (`plugin/holdfast/x.toml`)"),
        ("evidence.md", '[✓](../tests/a.py "test_b")', '<abbr title="tests/a.py: test_b">✓</abbr>'),
        ("faq.md", "[out](https://example.org) [here](#below)", "[out](https://example.org) [here](#below)"),
    ],
)
def test_a_link_leads_to_a_page_of_the_site(page: str, link: str, becomes: str) -> None:
    """From a page in docs/ and from one beside it."""
    assert with_links(f"See {link}.", page) == f"See {becomes}."


def test_the_documents_beside_docs_exist() -> None:
    """A renamed one would be missing in the site."""
    assert [name for name in BESIDE if not (ROOT / name).is_file()] == []
