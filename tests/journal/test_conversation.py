"""What counts as an answer to a question, what is quoted of it, and what comes next."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.journal import conversation, decided, next_steps, replies, telling
from holdfast.journal.conversation import Turn
from holdfast.journal.said import Said, of_facts

HOSTED = "Shall we host the service ourselves?"
WAYS = "Two ways:\n\n1. Put the index back. Quick.\n2. Load all SKUs into a dict. 600 MB.\n\nWhich one do you want?"


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Return turns of prompts and answers."""
    return [Turn(at * 10.0, prompt, at * 10.0 + 5, answer) for at, (prompt, answer) in enumerate(said, 1)]


@pytest.mark.parametrize(
    ("prompt", "reply", "choice"),
    [
        ("2", "2", "Load all SKUs into a dict. 600 MB."),
        ("2번으로 해주세요", "2번으로 해주세요", "Load all SKUs into a dict. 600 MB."),
        ("take 1 please", "take 1 please", "Put the index back. Quick."),
        ("the dict. does it need a lock?", "the dict.", ""),
        ("3", "3", ""),
    ],
)
def test_a_reply_is_quoted_with_the_choice_that_it_names(prompt: str, reply: str, choice: str) -> None:
    """By number or letter; what the prompt asks beyond it is no part of the reply."""
    known = decided.of_replies(turns(("make it fast", WAYS), (prompt, "Done.")))
    assert [(said, named) for _, _, said, named in known] == [(reply, choice)]


@pytest.mark.parametrize(
    ("options", "reply", "choice"),
    [
        (
            "- 案 A 異論なし: 二つとも採用\n- 案 B 異論あり: どちらを変える?\n\nご判断をお聞かせください。",
            "AでOK",
            "異論なし: 二つとも採用",
        ),
        ("- 方案A\uff1a只用一个端口\n- 方案B\uff1a每台一个\n\n选哪个\uff1f", "选A", "只用一个端口"),
        ("(A) im Dialog\n(B) im Menü\n\nWo?", "Variante B, bitte", "im Menü"),
        ("- **Opção 1**: guardar em disco\n- **Opção 2**: só em memória\n\nQual?", "opção 2", "só em memória"),
        ("① 한 화면\n② 두 화면\n\n어느 쪽으로 할까요?", "2", "두 화면"),
        ("A. %HOME%/notes\nB. next to it\n\nWhere?", "A, so that nobody needs rights", "%HOME%/notes"),
        ("A. one page\nB. two pages\n\nWhich?", "a simple page for each", ""),
    ],
)
def test_an_option_is_named_in_many_ways(options: str, reply: str, choice: str) -> None:
    """With a word before its mark, in brackets, in other scripts; an option that asks is no question."""
    ((_, asked, _, named),) = decided.of_replies(turns(("go", options), (reply, "Done.")))
    assert named == choice
    assert "案 B" not in asked


@pytest.mark.parametrize(
    ("answer", "reply", "decided"),
    [
        (
            "F1: Sound?\n- (A) none\n- (B) a beep\n\nF2: Autostart?\n\nF3: Was bei einem Fehler?",
            "F1: A; F2: nein; F3: eine rote Meldung",
            ['Sound? → "A" (none)', 'Autostart? → "nein"', 'Was bei einem Fehler? → "eine rote Meldung"'],
        ),
        (
            "1. Which folder?\n2. Which font?",
            "A1 - /srv/shop A2 - serif",
            ['Which folder? → "/srv/shop"', 'Which font? → "serif"'],
        ),
        (
            "**Q1 \u2014 Place:**\nWhere?\n- `/srv`\n\n**Q2 \u2014 Font:**\n- a) Inter?\n- b) another?",
            "A1 - /srv/shop A2 - yes, serif",
            ['Place → "/srv/shop"', 'Font → "yes, serif"'],
        ),
        (
            "Open points:\n\n1. **Model**\nWhich one?\n2. **Place**\nWhere is it kept?",
            "zu 1. nimm bitte das kleine Netz",
            ['Model → "nimm bitte das kleine Netz"'],
        ),
        (
            "How early may one cancel? I have 24 hours. And a second time?",
            "48h. I have to ask Eva about that",
            [
                'How early may one cancel? And a second time? → "48h."',
            ],
        ),
        (
            "Which colour shall the button have? And where is the log kept?",
            "the button is green",
            ['Which colour shall the button have? → "the button is green"'],
        ),
        ("Is a new column fine?", "I have to ask Eva. leave the red tests red, don't skip them", []),
        ("1. 保存先は?\n2. 言語は?", "1. メモリ\n2. 日本語だけ", ['保存先は? → "メモリ"', '言語は? → "日本語だけ"']),
    ],
)
def test_a_reply_to_numbered_questions_answers_each(answer: str, reply: str, decided: list[str]) -> None:
    """With the choice that each part names."""
    assert [one.told for one in Said(turns(("go", answer), (reply, "Done.")), {}).decisions] == decided


def test_a_letter_names_a_choice() -> None:
    """With the marks that other languages put after it."""
    answer = "対応案\uff1a\nA. polyfill を入れる\nB. 浅いコピーにする\n\nどちらにしますか\uff1f"
    known = decided.of_replies(turns(("直して", answer), ("Bで。", "はい。")))
    assert [named for *_, named in known] == ["浅いコピーにする"]


@pytest.mark.parametrize(
    "counter",
    [
        "how much memory do we have? I think 1 GB",
        "why?",
        "nice. what about rows without one?",
        "今はキーが二つ無いですよね",
        "메모리는 아직 충분히 남아 있는 거죠",
    ],
)
def test_a_question_of_the_person_is_no_answer_and_the_question_waits(counter: str) -> None:
    """The next prompt that asks nothing answers it."""
    said = turns(("make it fast", WAYS), (counter, "1 GB."), ("then the dict", "Done."))
    assert [(at, reply) for at, _, reply, _ in decided.of_replies(said)] == [(30.0, "then the dict")]


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
        ("In.\n\nNext steps:\n- the totals\n- the report\n\nRound each line or all?", "Round each line or all?"),
        ("Drin.\n\n### Offen\n1. Der Text muss noch geprüft werden\n\nNetto oder brutto?", "Netto oder brutto?"),
        ("Next: umlauts sort after z. Shall duplicates be dropped?", "Shall duplicates be dropped?"),
        (
            "Next: tests. I need to know which zone the data has.",
            "I need to know which zone the data has.",
        ),
    ],
)
def test_an_open_question_is_quoted_with_what_it_points_to(answer: str, asked: str) -> None:
    """And no more: steps before it are no part of it."""
    assert replies.question(answer) in answer
    assert replies.open_questions(turns(("go", answer))) == [(asked, 0.0)]


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("Every row that is left out is counted.", []),
        ("Next I would write the test, then the docs. Shall I?", ["Next I would write the test, then the docs."]),
        ("Fertig.\n\nNächste Schritte:\n- Test\n- Changelog", ["Test", "Changelog"]),
        ("次は実機で確認することです。色も変えますか\uff1f", ["次は実機で確認することです。"]),
        ("Drin.\n\n### Offen\n1. Der Text\n2. Die Liste\n\nNetto?", ["Der Text", "Die Liste"]),
        ("In.\n\n**Open:**\n- the totals\n\n**Open source:**\n- MIT", ["the totals"]),
        ("できた。\n\n## 残り\n- 表の行", ["表の行"]),
        ("Remaining:\n- [x] levels\n- [ ] fix the test\n- [ ] the letter", ["fix the test", "the letter"]),
        ("The patient is refused; the test passes. Nothing is left.", []),
        ("All tests pass. That leaves only the letter.", ["That leaves only the letter."]),
    ],
)
def test_what_is_named_as_next_is_no_question(answer: str, steps: list[str]) -> None:
    """Nor what was left out."""
    assert next_steps.of_answer(answer) == steps


def test_of_an_answer_that_is_quoted_elsewhere_the_rest_is_telling() -> None:
    """A label without its list is left away with it."""
    answer = "The cron sends nothing.\n\nStill open:\n- delete old rows"
    assert telling.of_answer(answer, 200, "delete old rows") == "The cron sends nothing."


@pytest.mark.parametrize(
    ("later", "choice"),
    [
        ("wait, make it 1", ("wait, make it 1", "Put the index back. Quick.")),
        ("add 3 tests", ("2", "Load all SKUs into a dict. 600 MB.")),
        ("on second thought, neither of them", None),
        ("dann doch lieber keines von beiden", None),
        ("Dana writes: scratch that", ("2", "Load all SKUs into a dict. 600 MB.")),
    ],
)
def test_of_two_choices_the_later_one_counts(later: str, choice: tuple[str, str] | None) -> None:
    """And a reply that the next prompt takes back does not."""
    known = decided.of_replies(turns(("make it fast", WAYS), ("2", "Done."), (later, "Done.")))
    assert [(reply, named) for _, _, reply, named in known] == ([choice] if choice else [])


def test_a_list_of_replies_names_no_choice() -> None:
    """Each of them answers a question with its number."""
    asked = "Three points:\n\n1. At once?\n2. For whom?\n\nWhat do you say?"
    known = decided.of_replies(turns(("plan it", asked), ("1. at once 2. for all", "Done.")))
    assert [named for *_, named in known] == ["", ""]


@pytest.mark.parametrize(
    "reply",
    ["let me ask Tom on Monday", "das muss ich fragen", "聞いてみます", "業務に聞くので保留で", "vou ver com o time"],
)
def test_a_reply_that_puts_off_leaves_the_question_open(reply: str) -> None:
    """It is no decision; a later answer is one."""
    said = turns(("host it", f"We have three machines. {HOSTED}"), (reply, "All right."))
    assert decided.of_replies(said) == []
    assert replies.open_questions(said) == [(HOSTED, 20.0)]
    said = [*said, Turn(90.0, "ourselves", 95.0, "Good.")]
    assert [one[2] for one in decided.of_replies(said)] == ["ourselves"]
    assert replies.open_questions(said) == []


@pytest.mark.parametrize(
    ("asked", "reply", "count"),
    [
        ("How many users do you have?", "two hundred", 0),
        ("Você tem conta de afiliado?", "não tenho", 0),
        ("Você tem conta de afiliado?", "não tenho. não usa a API deles", 0),
        ("Did you restart the box after that?", "still slow, 7 seconds", 0),
        ("設計はどの程度進んでいますか\uff1f", "手動で動くところまでです。", 0),
        ("Do you have two boxes, or one?", "one, and keep it", 1),
        ("Shall I ask how many they have?", "yes", 0),
        ("Array or lines?", "lines", 1),
    ],
)
def test_what_only_informs_decides_nothing(asked: str, reply: str, count: int) -> None:
    """What the reply orders is quoted as an order."""
    known = Said(turns(("go", asked), (reply, "Done.")), {})
    assert len(known.decisions) == count
    assert [text for _, text in known.corrections] == (["não usa a API deles"] if "deles" in reply else [])


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
    known.worked = [worked]
    assert known.following == steps


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("Fine. Tomorrow: `a.py` first; then the field (if she agrees, else a table).", 2),
        ("Combinado. Amanhã começo pela página e pelo índice.", 1),
        ("Then tomorrow begins with the new key.", 1),
        ("明日は `after` から始めます。", 0),
        ("Three things:\n\n1. A test; this is next, in `t.py`.\n2. The ticket.\n3. Her answer.\n\nIt is in.", 3),
        ("Next time, in this order: commit `a.ts`; call the check; the line in `x`. Missing: the text from Sofia.", 4),
        ("The next step is to set it up; ops has to say when it may be disturbed. Open: the window (ops).", 2),
        ("Tomorrow!", 0),
        ("Até amanhã, bom descanso!", 0),
        ("Guten Morgen! Ich habe den Plan gelesen.", 0),
        ("The job that runs tomorrow has the new key.", 0),
        ("The left column: 20 px wide.", 0),
        ("Is the next thing open: the door, or the window?", 0),
        ("The field is shown only if the user may edit it next to the name.", 0),
    ],
)
def test_what_is_left_is_named_whole(answer: str, steps: int) -> None:
    """By a label, by the day it is for, as items of a list; a list in one line is taken apart."""
    assert len(next_steps.of_answer(answer)) == steps, next_steps.of_answer(answer)


@pytest.mark.parametrize(
    ("reply", "count", "open_too"),
    [
        ("24h for every kind. for the third I have to ask Helena", 1, 1),
        ("ask the buyers first. replace only the create call for now", 1, 1),
        ("frag ich sie morgen.", 0, 1),
        ("tomorrow", 0, 1),
        ("明日", 0, 1),
        ("ask for it each time", 1, 0),
        ("the later one, tomorrow is too late", 1, 0),
    ],
)
def test_a_part_of_an_answer_may_be_put_off(reply: str, count: int, open_too: int) -> None:
    """The rest decides; a question that is put off waits whatever is asked meanwhile."""
    said = turns(("go", "24 or 48 hours? And the third time?"), (reply, "All right. Shall I begin with the page?"))
    said = [*said, Turn(90.0, "yes", 95.0, "The page is there.")]
    assert [asked for asked, _ in replies.open_questions(said)] == ["24 or 48 hours? And the third time?"] * open_too
    assert len(decided.of_replies(said)) == count


def test_the_reply_to_a_question_that_was_put_off_closes_it() -> None:
    """By some of its words, after another question."""
    asked = "May the table get a nullable column, or a side table?"
    said = turns(("go", asked), ("I have to ask Marta", "Fine. Shall I go on?"), ("yes", "Done."))
    assert [one for one, _ in replies.open_questions(said)] == [asked]
    said.append(Turn(90.0, "Marta says the nullable column is fine for that table", 95.0, "Good."))
    said = [*said[:2], Turn(30.0, "yes", 35.0, "Done. Now the page, too?"), said[3]]
    assert replies.open_questions(said) == []


@pytest.mark.parametrize(
    ("later", "undone"),
    [
        ("forget the lock file, use the database", "yes"),
        ("on second thought no lock", "yes"),
        ("lass das mit dem lock ganz", "yes"),
        ("forget the colours for now", ""),
        ("never show the lock to users", ""),
        ("shall we forget the lock?", ""),
    ],
)
def test_a_decision_that_is_taken_back_says_so(later: str, undone: str) -> None:
    """By a later prompt that names it."""
    said = turns(
        ("go", "Two runs meet. Use a lock file?"), ("yes", "It does."), ("and logs?", "Fine."), (later, "Done.")
    )
    (one, *_) = Said(said, {}).decisions
    assert ("taken back on" in one.told) == bool(undone)


def test_without_the_person_s_words_a_decision_has_the_question_and_how_claude_took_it_up() -> None:
    """So that an answered question does not look open."""
    said = turns(
        ("go", "Round each line, or only the total?"),
        ("lines first, the auditor wants it", "I added `cents()`. Lines are rounded. Commit it?"),
        ("no, never commit on Fridays, my boss hates it", "Then it waits. It is in the working tree."),
    )
    kept = Said(said, {}).without_candid(answers=True)
    told = " ".join(one.told for one in kept.decisions)
    assert "Round each line, or only the total?" in told
    assert 'Claude, after the answer: "Lines are rounded."' in told
    assert "auditor" not in told
    assert len(kept.decisions) == 1
    assert "boss" not in f"{told} {kept.corrections}"


def test_a_turn_whose_prompt_was_removed_keeps_its_time() -> None:
    """So that it stays one entry of the log."""
    (one,) = of_facts([{"kind": "prompt", "at": 1.0, "text": ""}, {"kind": "answer", "at": 2.0, "text": "In."}]).turns
    assert (one.at, one.answered, one.prompt, one.answer) == (1.0, 2.0, "", "In.")
    assert of_facts([{"kind": "prompt", "at": 1.0, "text": ""}]).turns == []


@pytest.mark.parametrize(
    ("question", "reply", "told"),
    [
        ("Which one do we begin with: DHL or UPS?", "DHL, UPS has no contract yet", "DHL"),
        ("Postmark oder SES?", "Postmark, der Chef will kein SES", "Postmark"),
        ("Heute oder morgen?", "nein, der Chef will beides nicht", ""),
        ("Postmark ou SES ?", "SES, la direction le veut", "SES"),
        ("¿Postmark o SES?", "SES, el jefe lo quiere", "SES"),
        ("PostmarkかSESか、どちらにしますか?", "SESで、社長が嫌がるので", "SES"),
        ("PostmarkかSESか、どちらにしますか?", "いいえ、社長が嫌がるので", ""),
        ("用 Postmark 还是 SES?", "SES,老板不喜欢另一个", "SES"),
        ("Postmark 아니면 SES?", "SES로, 사장님이 원해서", "SES"),
        ("Postmark 아니면 SES?", "아니요, 사장님이 둘 다 싫어해요", ""),
    ],
)
def test_the_option_that_a_person_chose_is_told_without_the_reason(question: str, reply: str, told: str) -> None:
    """It is in Claude's question; why a person chose it may be candid, in scripts without blanks, too."""
    kept = Said(turns(("go", question), (reply, "Done.")), {}).without_candid(answers=True)
    assert [one.told for one in kept.decisions] == [f"{question} \u2192 {told}"] * bool(told)


@pytest.mark.parametrize(
    ("asked", "reply", "answer", "told"),
    [
        (
            "Shall I change the ids, too?",
            "no, keep them as they are",
            "The page is in. I would do it as a job.",
            '"no"',
        ),
        ("Which one?", "the second, nobody may wait", "Done.\n\n- (B) nobody waits\n- (A) all wait", None),
        ("Which one?", "rows of seven days", "If rows of days are fine, it is quick.", None),
        ("¿Qué plazo?", "siete días, diez es mucho", "Bien, siete días: después responde 410.", "siete días: después"),
        ("간격은 어떻게 할까요?", "25초로. 15초는 너무 짧아", "25초마다 ping을 보냅니다.", "25초마다"),
    ],
)
def test_claude_takes_up_an_answer_in_a_sentence_that_states_something(
    asked: str, reply: str, answer: str, told: str | None
) -> None:
    """Not in an item of a list, an option or a condition; without one the bare yes or no is told."""
    known = Said(turns(("go", f"It is in. {asked}"), (reply, answer)), {}).without_candid(answers=True)
    assert [str(told) in one.told for one in known.decisions] == ([True] if told else [])


@pytest.mark.parametrize(
    ("text", "question"),
    [("この方法でよいでしょうか。", "yes"), ("どちらにしますか。", "yes"), ("そうですか。", ""), ("確か。", "")],
)
def test_a_question_in_japanese_needs_no_mark(text: str, question: str) -> None:
    """Its ending asks."""
    assert conversation.asks(text) == bool(question)


def test_of_a_long_answer_whole_lines_of_both_ends_are_quoted_with_the_addresses_between() -> None:
    """Boxes that somebody else ticks are left out; a short answer is whole."""
    lines = ["The tool is missing.", *["It was built."] * 20, "Open: https://a.test/pull/new", *["It works."] * 20]
    text = "\n".join([*lines, "- [ ] start it", "That is all."])
    shown = conversation.ends(text, 200).splitlines()
    assert shown[0] == lines[0]
    assert "Open: https://a.test/pull/new" in shown
    assert shown[-1] == "That is all."
    assert {*shown} <= {*lines, "…", "That is all."}
    assert (
        conversation.ends("Three:\n- one\n- two\nIt is in.", 900, ["one", "two"]) == "It is in."
    )  # the label goes, too
    options = "结论如下。\n方案1: 只用一个端口\n方案2: 每台机器一个端口\n请选一个"
    assert conversation.ends(options, 900) == options


@pytest.mark.parametrize(
    ("asked", "reply", "decides"),
    [
        ("May I commit?", "yes", False),
        ("Soll ich das so lassen?", "Und bei den Rechnungen kommt das Datum aus dem Kopf", False),
        ("この方向で進めてよいですか\uff1f", "なるほど。設計の問題に見えてきました", False),
        ("直接继续执行吗\uff1f", "继续", False),
        ("Posso commitar?", "pode commitar", False),
        ("커밋할까요?", "네", False),
        ("Shall I use Redis for the cache?", "yes", True),
        ("Shall I start with sqlite or with postgres?", "the first", True),
        ("May I go on to the approve commit?", "review the migration strictly once more", False),
        ("Shall I keep the old parser?", "no, the new one reads everything", True),
        ("Shall I keep the old parser?", "keep the parser until March", True),
        ("Which port?", "8080", True),
        ("对吗\uff1f", "对的", False),
        ("Anything else?", "no", False),
        ("这是设计。有需要调整的吗\uff1f", "没有了。", False),
        ("Das Schema steht. Gibt es noch etwas zu ändern?", "nein", False),
        ("Der Plan liegt in plan.md, ein Pull Request ist möglich. Möchtest du das?", "ja", False),
        ("Want me to revert it, or leave it?", "i upgraded the parser. the graph is only on shared rows", False),
        ("May I commit?", "yes, but write the changelog first", False),
        ("Claude picks the number of days by the topic. 对吗\uff1f", "对的", True),
        ("Womit kann ich dir helfen?", "Bitte die Anforderungen im Ordner lesen", False),
        ("Posso apagar a tabela antiga?", "sim", True),
        ("Shall I delete the old data?", "read page 4", False),
        ("Should the receipt be in euro or pounds?", "The tests are written", False),
        ("Should the receipt be in euro or pounds?", "pounds", True),
        ("Soll der Beleg in Euro oder Pfund sein?", "lies Seite 4", False),
    ],
)
def test_a_yes_to_going_on_and_another_request_decide_nothing(asked: str, reply: str, *, decides: bool) -> None:
    """A choice does, and so does what speaks of the question."""
    known = Said(turns(("write the importer", f"It is there.\n\n{asked}"), (reply, "Done.")), {})
    assert bool(known.decisions) == decides


DECISIONS = {
    "## Decisions\n- Dates are UTC": "Dates are UTC",
    "**Decision:** Redis, because it runs already.": "Redis, because it runs already.",
    "It is in. Entscheidung: Postgres, weil es schon läuft.": "Postgres, weil es schon läuft.",
    "결정: SQLite를 씁니다.": "SQLite를 씁니다.",
    "I went with a trigram index instead of full text, because names are misspelt. It takes 80 ms.": (
        "I went with a trigram index instead of full text, because names are misspelt."
    ),
    "Ich habe mich für eine Datei entschieden, weil keine Datenbank läuft.": (
        "Ich habe mich für eine Datei entschieden, weil keine Datenbank läuft."
    ),
    "Optei por uma fila em vez de um cron, porque o cron falha.": (
        "Optei por uma fila em vez de um cron, porque o cron falha."
    ),
    "I decided to wait.": None,
    "Decision needed: Redis or Postgres.": None,
    "I would have chosen Redis if it ran.": None,
}


@pytest.mark.parametrize(("answer", "decided"), DECISIONS.items(), ids=[f"answer {at}" for at in range(len(DECISIONS))])
def test_what_an_answer_reports_as_decided_is_a_decision(answer: str, decided: str | None) -> None:
    """In Claude's words, so that a shared file may have it, with the reason."""
    known = Said(turns(("write the importer", f"{answer}\n\nMay I commit?"), ("yes", "Done.")), {})
    expected = [decided] if decided else []
    assert [one.told for one in known.decisions] == expected
    assert [one.told for one in known.without_candid(answers=True).decisions] == expected


@pytest.mark.parametrize(
    ("answer", "reply", "told"),
    [
        (
            "Two ways.\n\nI'd recommend one row per night, since every report counts nights. Shall I go ahead?",
            "ok do it",
            'I\'d recommend one row per night, since every report counts nights. Shall I go ahead? → "ok do it"',
        ),
        (
            "To note:\n1. Fees are fixed.\n\nWould you like me to (a) move the fees, or (b) leave them for now?",
            "b, rarely",
            'Would you like me to (a) move the fees, or (b) leave them for now? → "b, rarely" (leave them for now)',
        ),
        (
            "Two ways:\n\n1. A file.\n2. A lock in the database;\n\nI would take 2. Shall I use it?",
            "yes",
            'I would take 2. Shall I use it? → "yes" (A lock in the database)',
        ),
    ],
)
def test_advice_that_is_accepted_is_a_decision(answer: str, reply: str, told: str) -> None:
    """And so is a choice that is named within the question."""
    assert [one.told for one in Said(turns(("go", answer), (reply, "Done.")), {}).decisions] == [told]


def test_a_decision_is_not_given_up_and_a_dead_end_beside_it_is() -> None:
    """One answer may have both."""
    failed = "I tried a cursor, but it deadlocked, so I took it out again."
    answer = f"{failed}\n\n## Decisions\n- Replaced the naive sort with four steps"
    known = Said(turns(("sort it", answer), ("thanks", "Gladly.")), {})
    assert [text for _, text in known.given_up] == [failed]
    assert [one.told for one in known.decisions] == ["Replaced the naive sort with four steps"]


@pytest.mark.parametrize("answers", [0, 1, 2, 3])
def test_what_a_summary_names_as_next_is_outdated_after_answers(answers: int) -> None:
    """Whatever prompt waits, and in whatever language the answers are."""
    said = [*turns(*[("go on", "完成了。")] * answers), Turn(90.0, "还有一个问题")]
    known = Said(said, {"next step": ["restart it"], "pending": ["test it"]}, 1.0)
    assert known.following == (["restart it", "test it"] if answers < 3 else [])
    known = Said(said, {"next step": ["restart it"], "pending": ["test it"]}, 1.0)
    known.worked = [12.0]  # the step is what comes at once
    assert known.following == ([] if answers else ["restart it", "test it"])


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Use a queue (e.g. redis) here. Then test.", ["Use a queue (e.g. redis) here.", "Then test."]),
        ("Das geht z.B. mit pynput. Gut.", ["Das geht z.B. mit pynput.", "Gut."]),
        (
            "please audit the posture of the site; note that the essays are\npublished on a.id, not b.id",
            ["please audit the posture of the site; note that the essays are published on a.id, not b.id"],
        ),
        ("Ask Dr. Weiß or M. Roux. Then go.", ["Ask Dr. Weiß or M. Roux.", "Then go."]),
        ("Pergunta pra dra. Rita. Depois eu vejo.", ["Pergunta pra dra. Rita.", "Depois eu vejo."]),
        (
            "Am 12.11. bestätigt, d. h. bis zum 30. Juni lt. Vertrag. Es war 2024. Ende.",
            ["Am 12.11. bestätigt, d. h. bis zum 30. Juni lt. Vertrag.", "Es war 2024.", "Ende."],
        ),
        (
            "Siehe Abs. 3 und Nr. 4. Take plan B. Then I rest.",
            ["Siehe Abs. 3 und Nr. 4.", "Take plan B.", "Then I rest."],
        ),
        ("- a list item that is long enough to be a broken line of text\n- the next", 2),
        ("This line is long enough that it may have been broken by an editor.\nNext line", 2),
        ("Short line\nnext line", 2),
    ],
)
def test_abbreviations_and_broken_lines_end_no_sentence(text: str, sentences: list[str] | int) -> None:
    """A line of a list, one that ends with a stop, and a short one end there."""
    found = conversation.sentences(text)
    assert found == sentences if isinstance(sentences, list) else len(found) == sentences


def test_a_heading_never_stands_for_an_answer() -> None:
    """What is below it does; the items of a list follow it, and a table is told row by row."""
    answer = "It is in.\n\n## Not done\n\n- the border of the button\n- the field\n\nI tried CSS first: it blinked."
    told = "It is in. Not done: the border of the button; the field. I tried CSS first: it blinked."
    assert telling.of_answer(answer, 100) == told
    assert telling.of_answer("## Not done\n\n- the border\n- the field", 40) == "Not done: the border; the field"
    table = "Two ways:\n\n| Way | Rows |\n|---|---|\n| Nights | many |\n| Ranges | few |\n\nNights, I think."
    assert telling.of_answer(table, 100) == "Two ways: Nights: many; Ranges: few. Nights, I think."


@pytest.mark.parametrize(
    ("answer", "without"),
    [
        ("The reader is there.\n\nMay I commit?", "The reader is there."),
        ("The reader is there. May I commit? Or wait?", "The reader is there."),
        ("May I commit?", "May I commit?"),
        ("All is done.", "All is done."),
    ],
)
def test_a_question_that_was_answered_is_left_out(answer: str, without: str) -> None:
    """What the answer says besides stays."""
    assert conversation.without_question(answer) == without


@pytest.mark.parametrize(
    "answer",
    [
        "This is the one step I can't do for you. Please run: ! tool login",
        "As soon as you have the key, I upload the build.",
        "Quando confirmar, faço um commit só com tasks.md.",
        "Das PR musst du von Hand öffnen.",
        "確認次第、次のコミットに進みます。",
        "Two follow-ups to be aware of:\n- the built books have the old page",
        "Not tested: the real upload",
        "Please run this (the ! prefix runs it here):\n\n! tool login",
    ],
)
def test_what_waits_for_the_person_is_next(answer: str) -> None:
    """And what is known and open."""
    assert next_steps.of_answer(f"The build is ready.\n\n{answer}") != []


def test_a_command_below_what_the_person_must_do_is_a_part_of_it() -> None:
    """And a stop in brackets, or a lone sign, ends no sentence."""
    state = "You're not logged in, this is the one step I can't do for you."
    answer = f"{state}\n\nPlease run this (the ! prefix runs it):\n\n! tool login"
    assert next_steps.of_answer(answer) == ["Please run this (the ! prefix runs it): ! tool login"]


LISTS = [
    "Two follow-ups to be aware of:\n- the built books have the old page\n- cover.png is not ours, left uncommitted",
    "Offene Punkte:\n- die gebauten Bücher haben noch die alte Seite",
    "残課題:\n- 本の 古い ページ が残っている",
    "Não testado: o envio real dos livros",
]


@pytest.mark.parametrize("answer", LISTS)
def test_what_an_answer_lists_as_open_stays_until_it_is_named_again(answer: str) -> None:
    """Whatever later turns name as next."""
    said = [
        ("change the licence", f"Done.\n\n{answer}"),
        ("and the log?", "It is short."),
        ("push", "Next: wait for Ana."),
    ]
    assert Said(turns(*said), {}).following == ["wait for Ana.", *next_steps.of_answer(answer)]
    said += [("finish it", f"All done: {answer.partition(':')[2]}"), ("thanks", "Gladly.")]
    assert Said(turns(*said), {}).following == ["wait for Ana."]


@pytest.mark.parametrize(
    "answer",
    [
        "The cache is dropped as soon as a row changes.",
        "Once the data was there the rest was quick.",
        "Marked both:\n- NOTES: wrapped in comments\n- TODO: the two bullets are tagged",
        "Let me know if you want the tests, too.",
        "Next: say the word and I write the tests.",
        "Sag Bescheid, wenn es weitergehen soll.",
        "다음 단계로 문서가 필요하시면 말씀해 주세요.",
        "次は必要ならお知らせください。",
        "Se quiser, me avise e eu continuo.",
    ],
)
def test_how_something_works_and_what_is_offered_is_not_next(answer: str) -> None:
    """Although it has the same words."""
    assert next_steps.of_answer(f"The build is ready.\n\n{answer}") == []


@pytest.mark.parametrize(
    ("said", "summaries", "objective"),
    [
        (
            [("build a shop", "Done.")],
            ["request: build a shop with carts", "request: fix the images"],
            "build a shop with carts",
        ),
        ([], ["request: build a shop with carts", "request: fix the images"], "build a shop with carts"),
        (
            [("qual porta é?", "8080."), ("conserta o login dos convidados", "Feito.")],
            [],
            "conserta o login dos convidados",
        ),
        ([("哪个端口\uff1f", "8080。"), ("修复来宾登录页面的按钮", "好了。")], [], "修复来宾登录页面的按钮"),
        ([("is the plugin installed?", "Yes.")], [], "is the plugin installed?"),
    ],
)
def test_the_objective_is_of_the_beginning(said: list[tuple[str, str]], summaries: list[str], objective: str) -> None:
    """Not of a later summary's list, and no question in passing."""
    spoken = turns(*said)
    facts: list[Any] = [{"kind": "prompt", "at": one.at, "text": one.prompt} for one in spoken]
    facts += [{"kind": "answer", "at": one.answered, "text": one.answer} for one in spoken]
    facts += [{"kind": "summary", "at": 90.0 + at, "text": text} for at, text in enumerate(summaries)]
    assert of_facts(facts).objective == objective


def test_what_was_said_before_the_edits_of_a_turn_is_told_with_its_answer() -> None:
    """The reason is often there, and the answer only says that it is done."""
    facts: list[Any] = [
        {"kind": "prompt", "at": 1.0, "text": "guests cannot log in"},
        {"kind": "reason", "made": 2.0, "text": "The tests were not it, because they use another database."},
        {"kind": "answer", "at": 3.0, "text": "Try it now."},
    ]
    (turn,) = of_facts(facts).turns
    assert telling.of_turn(turn, 200) == "The tests were not it, because they use another database. Try it now."
    assert [one.why for one in of_facts(facts).without_candid(answers=True).turns] == [turn.why]


def test_a_choice_that_claude_states_again_is_told_once() -> None:
    """In a table of what was decided."""
    facts: list[Any] = [
        {"kind": "choice", "at": 1.0, "text": "? Which kit?\n= Qt\n? Which theme?\n= light"},
        {"kind": "answer", "at": 2.0, "text": "| Point | Decision |\n|---|---|\n| Kit | Qt |\n| Pages | one |"},
    ]
    assert [one.told for one in of_facts(facts).decisions] == ['Which theme? → "light"', "Kit: Qt", "Pages: one"]


def test_choices_of_all_summaries_count_and_the_present_work_of_the_last() -> None:
    """An earlier one says what a later one leaves out."""
    first, second = "decision: no UI library\nnext: write the form", "next: test the form"
    facts: list[Any] = [{"kind": "summary", "at": 1.0, "text": first}, {"kind": "summary", "at": 2.0, "text": second}]
    known = of_facts(facts)
    assert [one.told for one in known.decisions] == ["no UI library"]
    assert known.parts["next"] == ["test the form"]


def test_what_an_answer_lists_as_open_stays_after_the_next_step_is_named() -> None:
    """A new next step closes none of the others."""
    first = "Drin.\n\n### Offen\n1. Die Gebühr fehlt noch\n2. Der Brief muss mit Ana abgestimmt werden\n\nNetto?"
    later = "Netto also.\n\n**Nächster Schritt:** die Gebühr."
    following = Said(turns(("bau das", first), ("netto", later)), {}).following
    assert following == ["die Gebühr.", "Der Brief muss mit Ana abgestimmt werden"]


def test_a_step_that_is_asked_for_is_open_until_it_is_answered() -> None:
    """A turn that crashed did nothing."""
    asked = turns(("count the beds", "The beds are counted. Next: the chairs."), ("now the chairs", ""))
    assert Said(asked, {}).following == ["the chairs."]


OPEN_LISTS = {
    "a label after a sentence": "The wards answer. Open:\n- Ward 3 has no phone\n- Ben opens the firewall",
    "a heading in bold": "In.\n\n**Not done yet**\n- Ward 3 has no phone\n- Ben opens the firewall",
    "boxes": "In.\n\nRemaining:\n- [x] Ward 2\n- [ ] Ward 3 has no phone\n- [ ] Ben opens the firewall",
}


@pytest.mark.parametrize("answer", OPEN_LISTS.values(), ids=OPEN_LISTS)
def test_a_list_of_what_is_open_stays_after_another_turn(answer: str) -> None:
    """Until a later turn names an item again."""
    asked = turns(("wards", answer), ("the night bell too", "The night bell works as well."))
    assert [one[-12:] for one in Said(asked, {}).following] == ["has no phone", "the firewall"]
    named = turns(("wards", answer), ("the phone", "Ward 3 has a phone now."))
    assert [one[-12:] for one in Said(named, {}).following] == ["the firewall"]
