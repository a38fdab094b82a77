"""Words that mark a sentence worth quoting, in the languages that people write to coding clients in.

They choose what is quoted, never what it means. Each group has whole words, beginnings of words, and parts of a text:
phrases, and words of languages that put no blanks between words.
"""

from holdfast.core.words import words as split

_NO_BLANKS = "\u1100"  # from here on scripts put no blanks between words, or endings on them


class Phrases:
    """A group of words; `count` says how many different ones a text has. Everything is in lower case."""

    __slots__ = ("_beginnings", "_known", "_parts", "_phrases", "_words")

    def __init__(self, words: str, beginnings: str = "", parts: str = "") -> None:
        self._words = frozenset(words.split())
        self._beginnings = tuple(beginnings.split())
        self._known = tuple(part.strip() for part in parts.replace("\n", ",").split(",") if part.strip())
        self._phrases: list[str] | None = None  # those of whole words, with a blank on each side
        self._parts: list[str] = []  # those of languages without blanks

    def count(self, text: str, words: list[str]) -> int:
        """Return how many of the group a text has; `words` are its words in lower case."""
        if self._phrases is None:
            self._phrases = [_spaced(split(part)) for part in self._known if part < _NO_BLANKS]
            self._parts = [part for part in self._known if part >= _NO_BLANKS]
        whole = len(self._words.intersection(words))
        begun = sum(word.startswith(self._beginnings) for word in set(words)) if self._beginnings else 0
        low, spaced = text.casefold(), _spaced(words)
        return whole + begun + sum(one in spaced for one in self._phrases) + sum(part in low for part in self._parts)


def _spaced(words: list[str]) -> str:
    return f" {' '.join(words)} "


# A person corrects, forbids, prefers or takes something over.
CORRECTING = Phrases(
    """
    no not don dont won isn doesn shouldn mustn
    never always instead rather prefer stop undo revert forget actually must only without wrong avoid
    leave keep
    nein nicht nie niemals immer statt stattdessen lieber sondern kein keine keinen vergiss nur falsch doch ohne lass
    não nunca sempre prefiro esquece esqueça apenas somente deixa deixe errado sem
    siempre prefiero olvida solo sólo mejor
    non pas jamais toujours plutôt préfère oublie seulement sans
    invece preferisco dimentica mai
    нет не никогда всегда вместо лучше только
    """,
    parts="""
    from now on, i'll do, i'll write, i'll run, i'll handle, i will do, for now, ab jetzt, ich mache, em vez, eu faço
    en vez, en lugar, yo lo hago, au lieu
    하지 마, 하지마, 말고, 말아, 대신, 항상, 절대, 아니, 않, 내가, 직접
    ないで, ではなく, じゃなく, 代わり, 常に, 必ず, いつも, やめ, いや、, 自分で, だけ, 禁止
    不要, 别, 不是, 而是, 总是, 从不, 永远, 必须, 我自己, 改成
    """,
)
# An answer tells of a choice, a reason, a failure, or of what is left.
MARKING = Phrases(
    """
    chose because instead still left next todo open before must blocked waiting remaining cannot
    weil statt noch offen übrig blockiert ursache verworfen aufgegeben
    porque ainda pendente causa pendiente siguiente próximo todavía encore reste
    """,
    "decid chosen abandon revert fail broke entschied zurückgenommen fehl nächst desist descart falh falta próxim "
    "abandonn échou prochain",
    """
    gave up, given up, rolled back, not work, didn't work, doesn't work, dead end, turned out, root cause, not yet
    so that
    geht nicht, ging nicht, em vez, não funciona, no funciona, parce que, ne marche pas
    결정, 때문, 대신, 포기, 실패, 되돌, 아직, 남은, 남았, 다음, 안 됩니다, 원인, 막혀, 미해결
    決め, ため, 代わりに, 断念, 失敗, 戻し, まだ, 残, 次は, 次に, 次の, できません, 原因, 未解決, やめ
    决定, 因为, 改为, 放弃, 失败, 回滚, 还, 剩, 下一步, 接下来, 不行, 原因, 未
    """,
)
# A sentence tells of something that was tried and given up, by itself.
GIVEN_UP = Phrases(
    "reverted verworfen aufgegeben zurückgenommen zurückgerollt sackgasse revertido revertida abandonné renoncé",
    "desisti descartei abandonei",
    """
    gave up, given up, giving up, dead end, did not work, didn't work, hasn't worked, never worked, ruled out
    threw away, threw it away, dropped the idea, scrapped, i abandoned, we abandoned, abandoned the idea
    abandoned the approach, abandoned that, abandoned it, i discarded, discarded the idea, backed out, backed it out
    made it worse, made things worse, made no difference, did not help, didn't help, to no avail, was a mistake
    i undid, undone again, took it out again, removed it again, rolled it back, rolled that back, i rolled back
    we rolled back, not worth it, no improvement
    ging nicht, funktionierte nicht, hat nicht funktioniert, brachte nichts, hat nichts gebracht, half nicht
    hat nicht geholfen, wieder entfernt, wieder ausgebaut, rückgängig gemacht, wieder zurückgebaut, führte zu nichts
    não funcionou, não deu certo, não resolveu, não adiantou, não ajudou, voltei atrás, deixei de lado
    no funcionó, no sirvió, no ayudó, lo descarté, di marcha atrás, me rendí, no dio resultado
    n'a pas marché, n'a pas fonctionné, n'a rien changé, n'a pas aidé, suis revenu en arrière, ai annulé
    non ha funzionato, ho rinunciato, ho annullato
    포기, 되돌렸, 되돌리, 소용없, 소용이 없, 효과가 없, 효과 없, 안 됐, 안 되었, 안 되더, 실패해서, 실패했, 철회
    断念, 戻しました, 戻した, 取り消し, うまくいか, 効きません, 効かな, 諦め, 効果がな, 効果はあり, だめでした, 失敗した
    放弃, 回滚了, 没用, 没有效果, 行不通, 撤销了, 失败了, 走不通
    """,
)
# A sentence tells of a trial, or of what cannot be; it counts where the course changes beside it.
TRIED = Phrases(
    "tried attempted failed fails broke breaks cannot unreliable flaky slower versucht probiert gescheitert scheitert "
    "tentei falhou falha intenté probé falló falla essayé échoué échoue provato fallito",
    "",
    """
    can't, not possible, does not work, doesn't work, do not work, don't work, not work, too slow, too large, too big
    not supported, does not support, doesn't support, no good, is not enough, turned out, makes it worse, ran into
    geht nicht, funktioniert nicht, zu langsam, bringt nichts, nicht möglich, stellte sich heraus, unterstützt nicht
    não funciona, muito lento, lento demais, não suporta, não é possível
    no funciona, demasiado lento, no es posible, no soporta
    ne marche pas, ne fonctionne pas, trop lent, pas possible
    시도, 실패, 안 됩니다, 안 되어, 안 돼, 느려, 느리, 지원하지 않, 불가능
    試し, 試した, 失敗, できません, できな, 遅す, 遅く, 対応していな
    试过, 尝试, 失败, 不行, 太慢, 不支持, 无法
    """,
)
# The course changes.
TURNED = Phrases(
    "instead reverted switched dropped replaced statt stattdessen zurück gewechselt ersetzt troquei voltei substituí "
    "cambié volví reemplacé remplacé revenu invece sostituito undone",
    "",
    """
    rolled back, went back, gone back, back to, fell back, no longer, now uses, now use, i use, we use, so i, so we
    went with, moved to, removed it, took it out, and chose, chose to, before, bin zurück, darum, deshalb, daher
    em vez, por isso, então, en vez, en lugar, por eso, au lieu, du coup
    대신, 되돌, 바꿨, 바꾸었, 변경했, 그래서
    代わり, 戻, 切り替え, 変更, に変え, そのため, ので
    改用, 换成, 改为, 改成, 回退, 所以, 因此
    """,
)
# What follows is only supposed.
SUPPOSED = Phrases(
    "if unless might may could would falls wenn sollte könnte würde se caso si",
    parts="in case, 만약, 하면, もし, 場合, 如果, 要是",
)
# A sentence that does not say itself what it is about.
POINTING = Phrases(
    "it that this both neither das dies es diese dieser isso isto eso esto cela ça ciò",
    parts="그것, 이것, 그건, 이건, それ, これ, 这, 那",
)
# A sentence, or the line above a list, tells of what is still to be done.
LEFT = Phrases(
    "",
    "",
    """
    is next, are next, comes next, next i, next we, i'll next, next step, next is, what's left, what is left, is left
    are left, left to do, still to do, to be done, still need, still needs, still missing, remains, remain, is missing
    not written yet, not done yet, to do, still open, is open, are open
    als nächstes, nächster schritt, noch zu, fehlt noch, fehlen noch, noch offen, bleibt noch, bleiben noch, steht noch
    falta, faltam, faltan, ainda falta, próximo passo, a seguir, fica para, queda, quedan, pendiente, siguiente paso
    reste à, il reste, restent, prochaine étape, resta da, restano, prossimo passo
    다음은, 다음에, 다음 단계, 남은, 남았, 남아, 해야 합니다
    次に, 次は, 残って, 残り, 残る, まだ, 下一步, 接下来, 还需要, 还剩, 还没有
    """,
)
# How a heading, or the beginning of a line, says that what follows is still to be done.
NEXT_HEADS = (
    *("next step", "next up", "next:", "next -", "what's next", "what is next", "optional next step", "remaining"),
    *("still to do", "still open", "left to do", "to do", "todo", "pending", "follow-up", "open items", "not done yet"),
    *("nächste schritte", "nächster schritt", "als nächstes", "noch offen", "offen:", "offene punkte"),
    *("próximo passo", "próximos passos", "falta", "pendente", "pendências", "próximo paso", "próximos pasos"),
    *("siguiente", "pendiente", "prochaine étape", "prochaines étapes", "reste à faire", "prossimi passi"),
    *(
        "다음 단계",
        "다음:",
        "다음은",
        "남은 일",
        "남은 작업",
        "할 일",
        "次のステップ",
        "次の作業",
        "次は",
        "次:",
        "残り",
    ),
    *("残り", "残作業", "下一步", "待办", "接下来", "剩余", "следующ", "осталось"),
)
