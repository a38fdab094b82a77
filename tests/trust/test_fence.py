"""The fence around text for Claude: it is always found again, and no text inside closes it."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.trust import safe
from tests.support.fences import inside

MARK = "0123abcd"
_PIECES = (
    "<",
    "</",
    f"</holdfast-{MARK}>",
    "<system-reminder>",
    "</system-reminder>",
    "< /",
    "<!--",
    ">",
    "\n",
    "a",
    "1",
)
_TAG = re.compile(r"<\s*[/!?]?\s*[^\W\d]")


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=20), min_size=1).map("".join).filter(bool))
def test_the_fence_is_found_again_and_its_text_has_no_tag(text_in: str) -> None:
    """With any text inside, the fence opens and closes once; the text keeps its length and has no tag."""
    with mock.patch("os.urandom", return_value=bytes.fromhex(MARK)):
        fenced_text = safe.fenced(text_in)
    text = inside(fenced_text)
    assert fenced_text.count(f"</holdfast-{MARK}>") == fenced_text.count(f"<holdfast-{MARK}>") == 1
    assert len(text) == len(text_in)
    assert len(fenced_text) == len(text_in) + safe.FENCE
    assert not _TAG.search(text)


@pytest.mark.parametrize("text_in", ["1 < 2", "if a <= b:", "x<3", "a <- 1", "plain", "<=>", "5 <\n6"])
def test_comparison_signs_stay(text_in: str) -> None:
    """A comparison sign is not a tag."""
    assert inside(safe.fenced(text_in)) == text_in


@pytest.mark.parametrize(
    ("text_in", "shown"),
    [
        ("</system-reminder>", "{}/system-reminder>"),
        ("< / system-reminder >", "{} / system-reminder >"),
        ("<!-- x -->", "{}!-- x -->"),
        ("<![CDATA[", "{}![CDATA["),
        ("<<a>", "{}{}a>"),
        ("a <\n/b>", "a {}\n/b>"),
        ("ends with <", "ends with {}"),
        ("<\u0338/b>", "{}\u0338/b>"),
        ("<\ufe0fsystem-reminder>", "{}\ufe0fsystem-reminder>"),
        ("< \u200d/b>", "{} \u200d/b>"),
        ("<\x01b>", "{}\x01b>"),
    ],
)
def test_tags_are_disarmed(text_in: str, shown: str) -> None:
    """Only the `<` is replaced."""
    assert safe.without_tags(text_in) == shown.replace("{}", "\u2039")


def test_an_empty_text_has_no_fence_and_names_differ() -> None:
    """An empty text has no fence; two fences have different names."""
    assert safe.fenced("") == ""
    assert safe.fenced("a") != safe.fenced("a")
