"""What is quoted as a correction or a preference: an order, a prohibition; no report of a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.journal import given_up
from holdfast.journal.conversation import Turn

ORDERS, REPORTS = (
    table.splitlines()[1:] for table in (Path(__file__).parent / "corrections.txt").read_text().split("# ")[1:]
)


def quoted(prompt: str) -> list[str]:
    """Return what is quoted of a second prompt; the first one is the objective."""
    turns = [Turn(1.0, "Make the nightly import faster", 2.0, "Done."), Turn(3.0, prompt, 4.0, "Done.")]
    return [text for _, text in given_up.corrections_of(turns)]


@pytest.mark.parametrize("prompt", ORDERS)
def test_an_order_is_quoted(prompt: str) -> None:
    """In several languages."""
    assert quoted(prompt) == [prompt]


@pytest.mark.parametrize("prompt", REPORTS)
def test_a_report_is_not_quoted(prompt: str) -> None:
    """Although it has words such as "not", "always" and "only"."""
    assert quoted(prompt) == []


def test_sentences_that_do_not_follow_each_other_are_joined_with_an_ellipsis() -> None:
    """So that nobody takes them for one quote."""
    prompt = "Never skip rows. We are paid for each. We have 3 million. And no prints please."
    assert quoted(prompt) == ["Never skip rows. We are paid for each. … And no prints please."]


@pytest.mark.parametrize(
    ("prompt", "quote"),
    [
        ("My boss says never deploy on Fridays. What do you think?", ""),
        ('Kollegin meint: "immer Parquet nehmen, nie mehr CSV nehmen". Was meinst du?', ""),
        ("review:\n\n> Never catch Exception here.\n> Always use the helper.\n\ncan you address it?", ""),
        ("deploy fails:\nnpm ERR! never run npm as root\n[ERROR] do not use --force\n2024-05-01 never retry\n", ""),
        ("deploy fails:\n```\nnever run npm as root\n```\n", ""),
        (
            'rename the button to "Do not save", never to "Cancel"',
            'rename the button to "Do not save", never to "Cancel"',
        ),
        ("a comma is wrong, we need a point. always", "a comma is wrong, we need a point. always"),
        ("leave it, nobody has that many", "leave it, nobody has that many (said after: A job would help.)"),
        ("signup says taken. leave that, product wants it", "signup says taken. leave that, product wants it"),
        ("mejor, pero al volver se recarga todo", ""),
        ("root:~# never\nroot@box:/srv$ always\nreal    0.8s Never cache the rows.", "Never cache the rows."),
        ("the other tool has other rules (nodes that answer, only its own news, no log), right?", ""),
        (
            "add both:\n1. a list, with a\n   name. no back reference\n2. a page\n- one\n- two\n- red\n\nno new tools",
            "add both: no new tools",
        ),
    ],
)
def test_a_quote_is_of_the_person_and_says_what_it_is_about(prompt: str, quote: str) -> None:
    """Words of others, pasted logs and code are left out; a short order comes with what it points to."""
    turns = [Turn(1.0, "Make the import faster", 2.0, "Done. A job would help."), Turn(3.0, prompt, 4.0, "Done.")]
    assert [text for _, text in given_up.corrections_of(turns)] == ([quote] if quote else [])


@pytest.mark.parametrize(
    ("later", "kept"),
    [
        ("ah right, forget what I said. localStorage is fine", ["ah right, forget what I said. localStorage is fine"]),
        ("ach dann doch localStorage", ["ach dann doch localStorage"]),
        ("thanks", ["don't use localStorage"]),
    ],
)
def test_a_correction_that_the_next_prompt_takes_back_is_none(later: str, kept: list[str]) -> None:
    """What takes it back is quoted instead."""
    said = ["Store the theme of each user", "don't use localStorage", later]
    turns = [Turn(at * 9.0, prompt, at * 9.0 + 5, "Done.") for at, prompt in enumerate(said, 1)]
    assert [text for _, text in given_up.corrections_of(turns)] == kept


def test_words_of_claudes_that_are_pasted_back_correct_nothing() -> None:
    """Although the terminal broke and indented them."""
    answer = "I use the console runner. No browser or device tools for checks. I could use the device tool."
    pasted = "did you try this:\n  I use the console runner. No browser\n  or device tools for checks."
    known = [Turn(1.0, "check the page", 2.0, answer), Turn(3.0, pasted, 4.0, "Done.")]
    assert given_up.corrections_of(known) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "did you try this:\n\nThe runner is used.\n\nNo browser tools for checks.",
        "du hast gesagt:\n\nNie im Browser testen.",
        "你刚才说:\n\n不要用浏览器测试。",
        "você disse:\nnunca testa no navegador",
        "the page says:\n  Never close this window.",
    ],
)
def test_what_somebody_else_said_corrects_nothing(prompt: str) -> None:
    """Below a line that says so, or indented below a label."""
    assert quoted(prompt) == []


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        ("yes, but write the changelog first", 1),
        ("ja, aber erst das Changelog schreiben", 1),
        ("sim, mas antes atualiza o changelog", 1),
        ("はい、先にテストを書いてください", 1),
        ("yes", 0),
        ("yes, and thank you very much", 0),
        ("the changelog comes first in the archive", 0),
    ],
)
def test_a_yes_on_a_condition_corrects(reply: str, count: int) -> None:
    """To an offer; the condition is what counts."""
    known = [Turn(1.0, "build it", 2.0, "It is built. May I commit?"), Turn(3.0, reply, 4.0, "Done.")]
    assert len(given_up.corrections_of(known)) == count


def test_what_claude_repeats_afterwards_is_still_the_persons() -> None:
    """Only what Claude said before a prompt can be pasted into it."""
    order = "No browser tools for checks."
    known = [Turn(1.0, "check the page", 2.0, "Done."), Turn(3.0, order, 4.0, f"I keep to that: {order}")]
    assert [text for _, text in given_up.corrections_of(known)] == [order]


def test_the_list_of_a_specification_corrects_nothing() -> None:
    """A short list of orders does."""
    items = ["Do not hardcode ports", "Keep the order", "Use tables", "Name each command", "Add an example"]
    assert quoted("Write a README:\n" + "\n".join(f"- {one}" for one in items)) == []
    assert quoted("\n".join(f"- {one}" for one in items[:2])) != []
