"""Secrets of many kinds are masked through each way that a text can take; ordinary lines are not."""

from __future__ import annotations

import pytest

from holdfast.trust import safe, secrets
from tests.support import ordinary, secret_kinds

KINDS = secret_kinds.table()
AROUND = ("{}", "use {} for it", "a\n{}\nb", "`{}`", "- {}", "Note ({}).", "Is it {}?", "<b>{}</b>")


def test_there_are_enough_kinds() -> None:
    """The table has at least ninety kinds beside the prefixes of issuers."""
    assert len(KINDS) >= 90


@pytest.mark.parametrize(("text", "secret"), KINDS.values(), ids=KINDS.keys())
def test_a_secret_is_masked_in_any_text(text: str, secret: str) -> None:
    """Each kind is masked, and the quick check in `safe.mask` recognises it."""
    for around in AROUND:
        whole = around.format(text)
        masked = safe.mask(whole)
        assert secret not in masked, around
        assert safe.MASK in masked
        assert masked == secrets.masked(whole, safe.MASK)


def test_a_secret_is_masked_before_a_text_is_cut() -> None:
    """A secret that reaches over the limit of a line leaves no part of it."""
    for kind, (text, secret) in KINDS.items():
        for lead in range(250, 300, 7):
            assert secret[:8] not in safe.line("x" * (lead - 60) + " " + " word" * 12 + " " + text, 300), kind


def test_ordinary_lines_stay_as_they_are() -> None:
    """At most one of a thousand lines of code, licences, logs and prompts is changed."""
    lines = ordinary.lines()
    assert len(lines) >= 10_000
    changed = [line for line in lines if safe.mask(line) != line]
    assert len(changed) * 1000 <= len(lines), "\n".join(changed[:40])
