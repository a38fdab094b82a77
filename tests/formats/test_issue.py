"""The keys of issues in titles and requests."""

from __future__ import annotations

import pytest

from holdfast.formats import issue

LINEAR = "https://linear.app/acme/issue/PLT-12/round"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Fix the sum", {}),
        ("Fix PLT-12", {"linear_issue": "PLT-12"}),
        (f"Fix {LINEAR}", {"linear_issue": "PLT-12", "linear_url": LINEAR}),
        (f"PLT-13, not {LINEAR}", {"linear_issue": "PLT-13"}),
        ("https://tracker.example/browse/PLT-12", {"issue": "PLT-12"}),
        ("Read UTF-8 and SHA-256", {}),
        ("see xPLT-12 or PLT-12a", {}),
    ],
)
def test_fields_of_the_first_issue(text: str, fields: dict[str, str]) -> None:
    """The address counts only for the issue that is named first; another tracker's issue is no Linear issue."""
    assert issue.fields(text) == fields


def test_a_title_without_its_issue() -> None:
    """An address without a key stays."""
    assert issue.without_keys(f"Fix {LINEAR} as PLT-13 says in https://a.example/x").split() == [
        *("Fix", "as", "says", "in", "https://a.example/x"),
    ]
