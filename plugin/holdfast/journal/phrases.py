"""Words that mark a sentence worth quoting, in the languages that people write to coding clients in.

They choose what is quoted, never what it means. Each group has whole words, beginnings of words, and parts of a text:
phrases, and words of languages that put no blanks between words.
"""


class Phrases:
    """A group of words; `count` says how many different ones a text has. Everything is in lower case."""

    __slots__ = ("_beginnings", "_parts", "_words")

    def __init__(self, words: str, beginnings: str = "", parts: str = "") -> None:
        self._words = frozenset(words.split())
        self._beginnings = tuple(beginnings.split())
        self._parts = tuple(part.strip() for part in parts.replace("\n", ",").split(",") if part.strip())

    def count(self, text: str, words: list[str]) -> int:
        """Return how many of the group a text has; `words` are its words in lower case."""
        whole = len(self._words.intersection(words))
        begun = sum(word.startswith(self._beginnings) for word in set(words)) if self._beginnings else 0
        low = text.casefold()
        return whole + begun + sum(part in low for part in self._parts)


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
# An answer tells of something that was tried and given up, or that does not work.
GIVEN_UP = Phrases(
    "verworfen aufgegeben zurückgenommen zurückgerollt sackgasse abandonné abandonnée",
    "abandon revert discard desist descart revertid",
    """
    gave up, given up, giving up, rolled back, dead end, did not work, didn't work, does not work, doesn't work
    not work, ruled out, threw away, dropped the idea, tried, makes it worse, made it worse, no good
    geht nicht, ging nicht, funktioniert nicht, funktionierte nicht, bringt nichts, brachte nichts, versucht, probiert
    não funciona, não funcionou, não deu certo, não resolveu, tentei, voltei atrás, no funciona, no funcionó, intenté
    ne marche pas, n'a pas marché, ne fonctionne pas, essayé, renoncé
    포기, 실패, 되돌, 안 됩니다, 안 되어, 안 돼, 소용, 시도
    断念, 失敗, 戻しました, 戻した, うまくいか, 効きません, 効かな, 試し, 諦め
    放弃, 失败, 回滚, 不行, 没用, 试过
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
