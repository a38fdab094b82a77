"""What is quoted as tried and given up: ways of saying it in several languages, and what only sounds like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.journal import given_up
from holdfast.journal.conversation import Turn

_TABLES = (Path(__file__).parent / "given_up.txt").read_text().split("# ")[1:]
ATTEMPTS, TAKEN_BACK, DONE, ASKED = (
    [line.replace("\\n", "\n").split(" => ") for line in table.splitlines()[1:]] for table in _TABLES
)


def quoted(prompt: str, answer: str = "") -> str:
    """Return what is quoted of a turn."""
    return " ".join(text for _, text in given_up.of_turns([Turn(1.0, prompt, 2.0, answer)]))


@pytest.mark.parametrize(("answer", "part"), ATTEMPTS)
def test_an_attempt_that_was_given_up_is_quoted_with_what_it_was(answer: str, part: str) -> None:
    """A table of answers."""
    assert part in quoted("do it", answer)


@pytest.mark.parametrize(("prompt", "part"), TAKEN_BACK)
def test_what_a_person_wants_taken_back_is_quoted(prompt: str, part: str) -> None:
    """A table of prompts."""
    assert part in quoted(prompt)


@pytest.mark.parametrize("answer", [text for (text,) in DONE])
def test_what_only_sounds_like_it_is_not_quoted(answer: str) -> None:
    """A failure that was mended, a condition, a button named "back"."""
    assert quoted("do it", answer) == ""


@pytest.mark.parametrize("prompt", [text for (text,) in ASKED])
def test_what_a_person_asks_for_is_no_attempt(prompt: str) -> None:
    """A report of a fault, an order, a question."""
    assert quoted(prompt) == ""


def test_what_is_taken_back_is_named_by_the_answer_before() -> None:
    """The prompt alone only points to it."""
    turns = [
        Turn(1.0, "make the menu a drawer", 2.0, "The menu is a drawer now. Tests pass."),
        Turn(3.0, "revert that"),
    ]
    assert given_up.of_turns(turns) == [(3.0, "revert that (said after: The menu is a drawer now.)")]


def test_items_below_a_heading_that_says_so_are_quoted_and_the_paragraph_after_them_is_not() -> None:
    """Each item with its first sentences."""
    answer = (
        "It works.\n\n## What did not work\n\n- symlinks: Metro skips them\n- a copy step\n\nThe rest is as before."
    )
    assert quoted("go", answer) == "symlinks: Metro skips them a copy step"
