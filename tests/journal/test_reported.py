"""What an answer states as decided, below a heading of its own."""

from __future__ import annotations

import pytest

from holdfast.journal import decided


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            "## Decisions\n\n- LRU in the process\n- no Redis, the cluster forbids it\n\nMay I commit?",
            ["LRU in the process", "no Redis, the cluster forbids it"],
        ),
        (
            "All done.\n\n**Decisions made:**\n1. **Dates** are UTC\n   in every file\n2. Totals are rounded once",
            ["Dates are UTC in every file", "Totals are rounded once"],
        ),
        ("Decisions or interpretations:\n- Zero is kept\n\nNext steps:\n- test it", ["Zero is kept"]),
        (
            "| Point | Decision |\n|---|---|\n| Charts | `plotly` |\n| Window | one |\n\nShall I write the plan?",
            ["Charts: plotly", "Window: one"],
        ),
        (
            "### Entscheidungen\n| Frage | Antwort | Grund |\n| --- | --- | --- |\n| Lager | sqlite | ein Rechner |",
            ["Lager: sqlite"],
        ),
        ("반영된 의사결정:\n- 화면은 하나", ["화면은 하나"]),
        ("## 決定事項\n- 日付はUTC", ["日付はUTC"]),
        ("## Decisions needed\n- which port?\n- which user", []),
        ("Open decisions:\n- the port", []),
        ("## Decisions\n- Which port?", []),
        ("I decided to wait: the lock was busy.\n- a\n- b", []),
        ("The decision table is in docs/a.md:\n\nSee there.", []),
        ("```\n## Decisions\n- no\n```\n", []),
        ("| File | Size |\n|---|---|\n| a.py | 3 |", []),
    ],
)
def test_what_is_below_a_heading_about_decisions_is_decided(answer: str, found: list[str]) -> None:
    """Not what is still to be decided, and no prose about a decision."""
    assert decided.of_answer(answer) == found
