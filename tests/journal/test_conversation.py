"""What counts as an answer to a question, what is quoted of it, and what comes next."""

from __future__ import annotations

import pytest

from holdfast.journal import conversation, replies
from holdfast.journal.conversation import Turn
from holdfast.journal.said import Said

WAYS = "Two ways:\n\n1. Put the index back. Quick.\n2. Load all SKUs into a dict. 600 MB.\n\nWhich one do you want?"


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Return turns of prompts and answers."""
    return [Turn(at * 10.0, prompt, at * 10.0 + 5, answer) for at, (prompt, answer) in enumerate(said, 1)]


@pytest.mark.parametrize(
    ("prompt", "reply", "choice"),
    [
        ("yes", "yes", ""),
        ("2", "2", "Load all SKUs into a dict. 600 MB."),
        ("2번으로 해주세요", "2번으로 해주세요", "Load all SKUs into a dict. 600 MB."),
        ("take 1 please", "take 1 please", "Put the index back. Quick."),
        ("the dict. does it need a lock?", "the dict.", ""),
        ("3", "3", ""),
    ],
)
def test_a_reply_is_quoted_with_the_choice_that_it_names(prompt: str, reply: str, choice: str) -> None:
    """By number or letter; what the prompt asks beyond it is no part of the reply."""
    known = replies.decisions(turns(("make it fast", WAYS), (prompt, "Done.")))
    assert [(said, named) for _, _, said, named in known] == [(reply, choice)]


def test_a_letter_names_a_choice() -> None:
    """With the marks that other languages put after it."""
    answer = "対応案\uff1a\nA. polyfill を入れる\nB. 浅いコピーにする\n\nどちらにしますか\uff1f"
    known = replies.decisions(turns(("直して", answer), ("Bで。", "はい。")))
    assert [named for *_, named in known] == ["浅いコピーにする"]


@pytest.mark.parametrize(
    "counter", ["how much memory do we have? I think 1 GB", "why?", "nice. what about rows without one?"]
)
def test_a_question_of_the_person_is_no_answer_and_the_question_waits(counter: str) -> None:
    """The next prompt that asks nothing answers it."""
    said = turns(("make it fast", WAYS), (counter, "1 GB."), ("then the dict", "Done."))
    assert [(at, reply) for at, _, reply, _ in replies.decisions(said)] == [(30.0, "then the dict")]


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        (
            "Done. Shall I also remove the old `match_one()` from the admin?",
            "Shall I also remove the old `match_one()` from the admin?",
        ),
        ("I would make it a job. Shall I do that?", "I would make it a job. Shall I do that?"),
        (
            "Committed. Export old ones again? Who checks the credit notes?",
            "Export old ones again? Who checks the credit notes?",
        ),
        ("확인이 필요합니다. 초성 검색도 지원할까요?", "초성 검색도 지원할까요?"),
    ],
)
def test_an_open_question_is_quoted_with_what_it_points_to(answer: str, asked: str) -> None:
    """And no more."""
    assert replies.open_question(turns(("go", answer))) == asked


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("Every row that is left out is counted.", []),
        ("Next I would write the test, then the docs. Shall I?", ["Next I would write the test, then the docs."]),
        ("Fertig.\n\nNächste Schritte:\n- Test\n- Changelog", ["Test", "Changelog"]),
        ("次は実機で確認することです。色も変えますか\uff1f", ["次は実機で確認することです。"]),
    ],
)
def test_what_is_named_as_next_is_no_question(answer: str, steps: list[str]) -> None:
    """Nor what was left out."""
    assert conversation.next_steps(answer) == steps


def test_of_an_answer_that_is_quoted_elsewhere_the_rest_is_telling() -> None:
    """A label without its list is left away with it."""
    answer = "The cron sends nothing.\n\nStill open:\n- delete old rows"
    assert conversation.telling(answer, 200, "delete old rows") == "The cron sends nothing."


@pytest.mark.parametrize(
    ("later", "decided"),
    [
        ("wait, make it 1", ("wait, make it 1", "Put the index back. Quick.")),
        ("add 3 tests", ("2", "Load all SKUs into a dict. 600 MB.")),
        ("on second thought, neither of them", None),
        ("dann doch lieber keines von beiden", None),
        ("Dana writes: scratch that", ("2", "Load all SKUs into a dict. 600 MB.")),
    ],
)
def test_of_two_choices_the_later_one_counts(later: str, decided: tuple[str, str] | None) -> None:
    """And a reply that the next prompt takes back does not."""
    known = replies.decisions(turns(("make it fast", WAYS), ("2", "Done."), (later, "Done.")))
    assert [(reply, named) for _, _, reply, named in known] == ([decided] if decided else [])


def test_a_list_of_replies_names_no_choice() -> None:
    """Each of them answers a question with its number."""
    asked = "Three points:\n\n1. At once?\n2. For whom?\n\nWhat do you say?"
    known = replies.decisions(turns(("plan it", asked), ("1. at once 2. for all", "Done.")))
    assert [named for *_, named in known] == [""]


@pytest.mark.parametrize(
    "reply",
    ["let me ask Tom on Monday", "das muss ich fragen", "聞いてみます", "業務に聞くので保留で", "vou ver com o time"],
)
def test_a_reply_that_puts_off_leaves_the_question_open(reply: str) -> None:
    """It is no decision; a later answer is one."""
    said = turns(("host it", "We have three machines. Shall we host the service ourselves?"), (reply, "All right."))
    assert (replies.decisions(said), replies.open_question(said)) == (
        [],
        "Shall we host the service ourselves?",
    )
    said = [*said, Turn(90.0, "ourselves", 95.0, "Good.")]
    assert [one[2] for one in replies.decisions(said)] == ["ourselves"]
    assert replies.open_question(said) == ""


@pytest.mark.parametrize(
    ("asked", "reply", "count"),
    [
        ("How many users do you have?", "two hundred", 0),
        ("Você tem conta de afiliado?", "não tenho", 0),
        ("Você tem conta de afiliado?", "não tenho. não usa a API deles", 1),
        ("Shall I ask how many they have?", "yes", 0),
        ("Array or lines?", "lines", 1),
    ],
)
def test_what_only_informs_decides_nothing(asked: str, reply: str, count: int) -> None:
    """Unless the reply orders something."""
    assert len(Said(turns(("go", asked), (reply, "Done.")), {}).decisions) == count


@pytest.mark.parametrize(
    ("said", "worked", "steps"),
    [
        ([("go", "Next: write the tests.")], 0.0, ["write the tests."]),
        ([("go", "Next: write the tests."), ("what is a fixture", "A value.")], 0.0, ["write the tests."]),
        ([("go", "Next: write the tests."), ("write the tests", "Both pass.")], 0.0, []),
        ([("go", "Next: write the tests."), ("tests please", "Both pass.")], 22.0, []),
        ([("go", "Next: write the tests."), ("what is a fixture", "A value.")], 22.0, ["write the tests."]),
        ([("go", "다음: 테스트를 작성합니다."), ("응", "했습니다.")], 22.0, []),
        ([("go", "Two ways to do it:\n\n1. Fast\n2. Slow\n\nWhich one?"), ("1", "Done.")], 22.0, []),
        ([("go", "Next I suspected the cache, and it was the cache.")], 0.0, []),
    ],
)
def test_what_was_done_since_is_not_next(said: list[tuple[str, str]], worked: float, steps: list[str]) -> None:
    """Of a step that an earlier turn named nothing may have been said since, as far as words tell."""
    known = Said(turns(*said), {})
    known.worked = worked
    assert known.following == steps
