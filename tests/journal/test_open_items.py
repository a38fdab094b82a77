"""What a conversation leaves open, whatever is said in between, and what is done and never comes back."""

from __future__ import annotations

import re

import pytest

from holdfast.journal import next_steps
from holdfast.journal.conversation import Turn
from holdfast.journal.said import Said

OPEN = "The wards answer.\n\nOpen:\n- Ward 3 has no phone\n- Ben must open the firewall by Tuesday"
THREE = "In.\n\nNext steps:\n1. the importer\n2. the report\n3. the docs"
OFFEN = "Drin.\n\n### Offen\n1. Die Gebühr der Stufe 3 fehlt\n2. Frau Kern muss den Brief freigeben"
ABERTO = "Pronto.\n\n**Pendente:**\n- o limite de reenvios\n- a Marta precisa aprovar o texto"
JAPANESE = "できました。\n\n## 残り\n- 令和の日付の変換\n- 佐藤さんの確認待ち"
# Prompts and answers, an asterisk where work was done; and how what is open then begins, the latest first.
STORIES = {
    "a new next step": ([("a", OPEN), ("b", "*Bells ring. Next: the lights.")], ["the lights.", "Ward 3", "Ben must"]),
    "a question": ([("a", OPEN), ("b", "*Bells ring. One bell or two?")], ["Ward 3", "Ben must"]),
    "a goodbye": ([("a", OPEN), ("thanks, bye!", "Have a nice evening! See you.")], ["Ward 3", "Ben must"]),
    "talk of it": ([("a", OPEN), ("why Ben?", "Only Ben has the key of the firewall.")], ["Ward 3", "Ben must"]),
    "another ward": ([("a", OPEN), ("b", "*Ward 4 has a phone now.")], ["Ward 3", "Ben must"]),
    "done": ([("a", OPEN), ("the phone", "*Ward 3 has a phone now.")], ["Ben must"]),
    "the person did it": ([("a", OPEN), ("Ben opened the firewall", "Good.")], ["Ward 3"]),
    "asked, and done": ([("a", OPEN), ("add the phone of ward 3", "*Done.")], ["Ben must"]),
    "asked, not done": ([("a", OPEN), ("add the phone of ward 3", "I can't: it has no line.")], ["Ward 3", "Ben must"]),
    "asked, no answer": ([("a", OPEN), ("add the phone of ward 3", "")], ["Ward 3", "Ben must"]),
    "ticked": ([("a", OPEN), ("b", "*State:\n- [x] Ward 3 has no phone\n- [ ] lights")], ["lights", "Ben must"]),
    "said twice": ([("a", OPEN), ("b", "*Bells ring. Ward 3 still has no phone.")], ["Ward 3 still", "Ben must"]),
    "not wanted": ([("a", OPEN), ("we don't need the phone in ward 3", "Fine.")], ["Ben must"]),
    "nothing left": ([("a", OPEN), ("both", "*Both are done. Nothing is left.")], []),
    "nothing, but": ([("a", OPEN), ("b", "*In. Nothing is left but the PDF.")], ["Nothing is left but"]),
    "nur noch": ([("a", OFFEN), ("weiter", "*Drin. Es fehlt nur noch das Logo.")], ["Es fehlt nur"]),
    "只剩": ([("a", OPEN), ("b", "*完成了。只剩下图标。")], ["只剩下图标"]),
    "nada": ([("a", ABERTO), ("b", "*Pronto. Não falta nada.")], []),
    "ありません": ([("a", JAPANESE), ("b", "*できました。残りはありません。")], []),
    "everything, for now": ([("a", OPEN), ("b", "*Bells ring. I think that's all for now.")], ["Ward 3", "Ben must"]),
    "the only thing": ([("a", OPEN), ("b", "*The phone works. That leaves only the firewall.")], ["That leaves only"]),
    "nothing until": ([("a", "In. Nothing else to do until Legal answers.")], ["Nothing else to do until"]),
    "somebody decides": ([("a", "*92 overlap; the office has to decide which is right.")], ["92 overlap"]),
    "still": ([("a", "*In. Swaps across months are still unchecked."), ("b", "*Red now.")], ["Swaps across"]),
    "the first of three": (
        [("a", THREE), ("go on", "*The importer is in. Next: the report.")],
        ["the report.", "the docs"],
    ),
    "by number": ([("a", THREE), ("do 2", "*Done: sums for each month.")], ["the importer", "the docs"]),
    "one step, go on": ([("a", "In. Next: the chairs."), ("go on", "*They are counted.")], []),
    "tests pass": ([("a", "*One test fails: test_isle expects 11."), ("fix it", "*All tests pass now.")], []),
    "yours": (
        [("a", "*In.\n\nWhat you need to do:\n- Run `psql -f a.sql` there"), ("I ran it. And now red", "*It is red.")],
        [],
    ),
    "waits": ([("a", "*In.\n\nWaiting for: Ben, Tuesday (`trgm`)"), ("b", "*Red. One or two?")], ["Waiting for: Ben"]),
    "offen": (
        [("a", OFFEN), ("weiter", "*Rot. **Nächster Schritt:** die Liste.")],
        ["die Liste.", "Die Gebühr", "Frau Kern"],
    ),
    "erledigt": ([("a", OFFEN), ("weiter", "*Die Gebühr der Stufe 3 ist jetzt drin.")], ["Frau Kern"]),
    "pendente": ([("a", ABERTO), ("obrigado!", "De nada! Até amanhã.")], ["o limite", "a Marta"]),
    "feito": ([("a", ABERTO), ("o limite", "*O limite de reenvios está pronto.")], ["a Marta"]),
    "残り": ([("a", JAPANESE), ("次", "*赤くしました。")], ["令和の日付", "佐藤さん"]),
    "完了": ([("a", JAPANESE), ("令和", "*令和の日付の変換を実装しました。")], ["佐藤さん"]),
    "pendiente": (
        [("a", "*Listo. Todavía falta la prueba del límite."), ("b", "*Rojo. ¿Uno o dos?")],
        ["Todavía falta"],
    ),
    "남은": ([("a", "*됐습니다.\n\n남은 일:\n- 민지님 답변 확인"), ("b", "*빨간색으로 바꿨습니다.")], ["민지님"]),
    "optional": ([("a", "*In.\n\nOptional next steps:\n- dark mode"), ("b", "*Red. Next: the page.")], ["the page."]),
    "results": ([("a", "*Todo publicado. Resumen final:\n\n- Web: en línea\n- Repo: es público")], []),
    "a remark": ([("a", "*In.\n\n- Worth knowing: the bell rings twice.\n- lint is green")], []),
    "only one of a list": ([("a", "*In.\n\n- The door still needs paint.\n- The hinge is oiled.")], ["The door"]),
    "a heading of others": ([("a", "*看完了。\n\n## 看过但尚未做的 (门)\n\n木门")], []),
    "reasons": (
        [
            ("a", "*In. Since the shed has no roof yet, it is a plan."),
            ("b", "*Drin. Weil das Dach noch nicht steht, ist es ein Plan."),
            ("c", "*Listo. Como la casa todavía no tiene techo, es un plan."),
            ("d", "*Prêt. Comme il n'y a pas encore de toit, c'est un plan."),
            ("e", "*Pronto. Como ainda não há telhado, é um plano."),
            ("f", "*完成。因为屋顶还没有做, 这是计划。"),
        ],
        [],
    ),
    "yes, and done": (
        [("a", "*In. Still missing: paint on the door, oil in the hinge. Shall I go on?"), ("yes", "*Both are in.")],
        [],
    ),
    "yes, not done": (
        [("a", "*In. Still missing: paint on the door. Shall I go on?"), ("yes", "I can't: there is none.")],
        ["Still missing: paint on"],
    ),
    "sí, en dos turnos": (
        [
            ("a", "*Listo. Queda pendiente: publicar la casa en Acme. ¿Sigo?"),
            ("sí, publica en Acme", "Abre este enlace y confirma: https://a.example"),
            ("ya lo confirmé", "*Publicada."),
        ],
        [],
    ),
    "全部": ([("a", "*看了。\n\n还没做的:\n- 门的油漆\n- 窗\n\n全部做吗?"), ("全部做", "*都完成了。")], []),
    "a question in a list": (
        [("a", "*Ready.\n\nOpen questions:\n- Red or blue?\n\nGo on?"), ("go on", "*The door is painted.")],
        [],
    ),
    "optional 可选": ([("a", "*完成。\n\n下一步可选:\n- 深色"), ("b", "*红色。\n\n下一步:\n- 页面")], ["页面"]),
    "not fixed": (
        [("a", "*Now:\n\n### Fixed\n- ✅ the hinge\n\n### Not Fixed (wood)\n- ❌ the door sticks\n- Cause: rain")],
        ["❌ the door", "Cause"],
    ),
    "the end of a phase": (
        [("a", "*Green. When you're ready to close it: run the linter, update NOTES, then commit.")],
        ["When you're ready"],
    ),
    "in brackets": (
        [("a", "*Nothing critical, so it is ready to commit (remaining steps: update NOTES, then commit).")],
        ["Nothing critical"],
    ),
}


@pytest.mark.parametrize(("story", "open_items"), STORIES.values(), ids=STORIES)
def test_what_is_open_stays_until_it_is_done(story: list[tuple[str, str]], open_items: list[str]) -> None:
    """Whatever a later turn speaks of."""
    said = [Turn(at * 10.0, asked, at * 10.0 + 5, text.lstrip("*")) for at, (asked, text) in enumerate(story, 1)]
    known = Said(said, {})
    known.worked = [one.at + 1 for one, (_, text) in zip(said, story, strict=True) if text.startswith("*")]
    following = known.following
    assert [one[: len(begins)] for one, begins in zip(following, open_items, strict=False)] == open_items
    assert len(following) == len(open_items), following


NOTHING = {
    True: """Nothing is left. Next steps: none. Open: nothing. There is nothing left to do. No open items.
        No further steps. All done, nothing pending. Es ist nichts mehr zu tun. Nichts ist offen. Keine offenen Punkte.
        Nächste Schritte: keine. Reste à faire : rien. Prochaines étapes : aucune. Aucun point ouvert.
        No queda nada pendiente. Próximos pasos: ninguno. Nada pendente. Nenhuma pendência. Não há pendências. 待办:无。
        没有剩余的工作。 没有未完成的事项。 残りはありません。 残り:なし。 残作業はありません。
        未対応の項目はありません。 남은 작업이 없습니다. 다음 단계: 없음. 미해결 사항 없음.""",
    False: """Nothing works. None of the tests pass. No next step is clear. It has no next page. No tests yet.
        Nothing else to do until Legal answers. No open points except the logo. No falta el logo. Não falta o logo.
        Nichts ist offen außer dem Logo. Das offene Feld hat keinen Wert. 残りの行には値がありません。
        テストがありません。 剩余的行没有值。 没有测试。 남은 행에는 값이 없습니다. 테스트가 없습니다.""",
}


@pytest.mark.parametrize("left", [False, True])
def test_only_what_speaks_of_all_that_is_left_says_that_nothing_is(*, left: bool) -> None:
    """In each language; what lacks something, or excepts something, says no such thing."""
    said = [one for one in re.split(r"(?<=[.。])\s+", NOTHING[not left]) if one]
    assert [one for one in said if next_steps.nothing_left(one) is left] == []
    assert not any(map(next_steps.of_answer, () if left else said))
