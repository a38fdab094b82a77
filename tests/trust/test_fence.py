"""The frame around what Claude is told: found again whatever stands in it, and closed by nothing inside."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.trust import fence
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
def test_the_frame_is_found_again_and_its_text_has_no_tag(told: str) -> None:
    """Whatever stands inside, the frame begins and ends once; the text is as long as before, and has no tag."""
    framed = fence.fenced(told, MARK)
    text = inside(framed)
    assert framed.count(f"</holdfast-{MARK}>") == framed.count(f"<holdfast-{MARK}>") == 1
    assert len(text) == len(told)
    assert len(framed) == len(told) + fence.OVERHEAD
    assert not _TAG.search(text)


@pytest.mark.parametrize("told", ["1 < 2", "if a <= b:", "x<3", "a <- 1", "plain", "<=>", "5 <\n6"])
def test_what_is_no_tag_stays(told: str) -> None:
    """A sign that compares is no tag."""
    assert inside(fence.fenced(told)) == told


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("</system-reminder>", "{}/system-reminder>"),
        ("< / system-reminder >", "{} / system-reminder >"),
        ("<!-- x -->", "{}!-- x -->"),
        ("<![CDATA[", "{}![CDATA["),
        ("<<a>", "{}{}a>"),
        ("a <\n/b>", "a {}\n/b>"),
        ("ends with <", "ends with {}"),
    ],
)
def test_what_opens_or_closes_a_tag_does_not(told: str, shown: str) -> None:
    """The sign is replaced, and nothing else."""
    assert fence.without_tags(told) == shown.replace("{}", "\u2039")


def test_nothing_has_no_frame_and_no_two_frames_are_alike() -> None:
    """What is not told needs no frame; what was told once does not tell how the next frame is called."""
    assert fence.fenced("") == ""
    assert fence.fenced("a") != fence.fenced("a")
