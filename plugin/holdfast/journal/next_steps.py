"""What an answer names as next: below a heading, in a label, or in the sentences that say what is left."""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal.conversation import SHORT, asks, bare_item, clauses, sentences, sentences_of, width, without_code
from holdfast.journal.phrases import AHEAD, SUPPOSED, Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

_LEFT_MOST = 4  # sentences or items that say what is left
_SHORT_ITEM = 3  # words of a sentence that only says goodbye until tomorrow

# A sentence, or the line above a list, tells of what is still to be done.
_LEFT = Phrases(
    "",
    "",
    """
    is next, are next, comes next, next i will, next i'll, next i would, next i'd, next we, i'll next
    next step, next is, what's left, what is left, is left, are left
    left to do, still waits, still wait, still waiting, wartet noch, sigue esperando, attend encore
    still to do, to be done, still need, still needs, still missing, remains, remain, is missing
    not * yet, still open, is open, are open, one open point, open point, follow ups, not tested, untested
    known issues, known issue, be aware of, left uncommitted, nicht getestet, ungetestet
    bekannte probleme, offene punkte
    lacunas, dúvidas, não testado, sin probar, problemas conocidos, non testé
    als nächstes, nächster schritt, noch zu, fehlt noch, fehlen noch, noch offen, bleibt noch, bleiben noch
    steht noch
    falta, faltam, faltan, ainda falta, próximo passo, a seguir, fica para, queda, quedan, pendiente, siguiente paso
    reste à, il reste, restent, prochaine étape, resta da, restano, prossimo passo
    기다립, 待ち, 残課題, 未テスト, 未確認, 미확인, 遗留, 未测试, 已知问题, 다음은, 다음에
    다음 단계, 남은, 남았, 남아, 해야 합니다
    次に, 次は, 残って, 残り, 残る, まだ, 下一步, 接下来, 还需要, 还剩, 还没有
    """,
)
# Claude cannot go on before the user did something, or promises what it does then.
_ASKED = Phrases(
    "",
    "",
    """
    please run, please open, please paste, please check, please confirm, please log, please set, please add
    can't do for you, cannot do for you, can't do this for you, you must, you need to run, you need to open
    you have to, you'll have to, you'll need to, once you * i, as soon as * i, when you confirm, after you confirm
    once that's done i, by hand
    bitte führe, bitte öffne, bitte prüfe, bitte bestätige, musst du, müssen sie, von hand, manuell, sobald
    wenn du bestätigst, sag bescheid, quando confirmar, quando você confirmar, assim que, manualmente, você precisa
    cuando confirmes, en cuanto, tienes que, necesitas, a mano, dès que, il faut que tu, vous devez
    tu dois, à la main
    non appena, devi
    確認次第, 実行してください, 確認してください, 手動で, 확인해 주시면, 실행해 주세요
    확인해 주세요, 직접 실행, 수동으로
    请运行, 请手动, 请确认, 等你确认, 你需要, 手动
    """,
)
# Words of those phrases with another meaning.
_NOT_LEFT = Phrases(
    "", parts="left out, left alone, left behind, left as, left untouched, remains open until, remain unchanged"
)
# What comes first of it.
_NEXT = Phrases(
    "next nächste próxim siguiente prochain prossim",
    "nächste próxim prochain",
    "다음, 次に, 次は, 次の, 下一步, 接下来",
)
# A word of the label before what is planned.
_PLAN = frozenset("plan plano piano 계획 計画 计划".split())  # noqa: SIM905 - a list of words in several languages
_GREETING = frozenset("guten good por pela até à a bis see hasta".split())  # noqa: SIM905 - the same
# The first or the last word of a label before what is still to be done, open or missing.
_AHEAD_LABELS = AHEAD | frozenset(
    """
    next left open missing waiting outstanding remains offen fehlt fehlen nächstes übrig falta faltam faltan aberto
    pendente pendiente abierto manque restant prossimo 다음 남은 미정 次 次回 残り 未定 保留 未完了 待办 未决 下次
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# How a heading, or the beginning of a line, says that what follows is still to be done.
_NEXT_HEADS = tuple(
    head.strip()
    for head in """
    next step, next up, next:, next -, what's next, what is next, optional next step, remaining, still to do
    still open, left to do, to do, todo, pending, follow-up, nächste schritte, nächster schritt, als nächstes
    noch offen, offen:, offene punkte, próximo passo, próximos passos, falta, pendente, pendências, próximo paso
    próximos pasos, siguiente, pendiente, prochaine étape, prochaines étapes, reste à faire, prossimi passi
    다음 단계, 다음:, 다음은, 남은 일, 남은 작업, 할 일, 次のステップ, 次の作業, 次は, 次:, 残り, 残作業, 下一步
    待办, 接下来, 剩余, следующ, осталось, open items, not done yet, what is left:, what's left:, what remains:
    next time:, das nächste mal:, da próxima vez:
    """.strip()
    .replace("\n", ",")
    .split(",")
)


def of_answer(answer: str, *, headed: bool = False) -> list[str]:
    """Return what an answer names as next; [] for nothing.

    It is the items below such headings, or the rest of their lines; without any, unless it has to be `headed`, the
    sentences that say what is left. Of a list it is the whole items, from the first that says so.
    """
    lines = [part for line in without_code(answer).splitlines() for part in _from_head(line)]
    made: list[str] = []
    for number, line in enumerate(lines):
        rest = _after_head(line)
        if rest is not None:
            made += [*_split(rest), *_items(lines[number + 1 :])]
    return list(dict.fromkeys(made)) if made or headed else _left(lines)


def is_in(task: str, steps: "Sequence[str]") -> bool:
    """Whether one of the steps has the words of a task."""
    own = set(requests.own_words(task))
    return bool(own) and any(own <= set(requests.own_words(step)) for step in steps)


def _left(lines: list[str]) -> list[str]:
    """Return the sentences that say what is left, and of a list the whole items from the first that says so.

    Those that say what is next come first.
    """
    said: list[str] = []
    listing = False
    for line in filter(str.strip, lines):
        item, hits = bare_item(line), [one for one in sentences(line) if not asks(one) and _is_left(one)]
        is_item = item != line.strip()
        listing = is_item and (listing or bool(hits))
        said += [item] if listing else hits
    return sorted(said, key=lambda one: not (_NEXT.count(one, words(one)) or _is_ahead(one)))[:_LEFT_MOST]


def _split(rest: str) -> list[str]:
    """Return the sentences of a line, the first one taken apart at its semicolons outside of quotes and brackets."""
    first, *others = [one for one in sentences_of(rest) if not asks(one)] or [""]
    parts = [one.strip() for one in first.split(";")]
    whole = all(len(words(one)) > 1 and one.count("(") == one.count(")") and not one.count("`") % 2 for one in parts)
    return [one for one in [*(parts if whole else [first]), *others] if one]


def is_over(step: str, later: "Sequence[Turn]", *, worked: bool) -> bool:
    """Whether later turns speak of a step: by several of its words, or by one if work was done since."""
    spoken = {word for turn in later for word in words(f"{turn.prompt}\n{turn.answer}")}
    shared = len(spoken.intersection(requests.own_words(step)))
    wide = worked and bool(later) and width(step) > len(step) * 1.5  # it has no blanks between words
    return shared > 1 or (worked and bool(shared)) or wide


def _is_left(sentence: str) -> bool:
    """Whether a sentence says what is still to be done, by whomever: in a certain clause, by its label, or its day."""
    its = words(sentence)
    hits = [one for one in clauses(sentence) if _LEFT.count(one, words(one))]
    certain = any(not SUPPOSED.count(one, words(one)) for one in hits) or bool(not hits and _LEFT.count(sentence, its))
    label = words(_label(sentence))
    named = bool(_AHEAD_LABELS.intersection([*label[:1], *label[-1:]]))
    asked = bool(_ASKED.count(sentence, its))
    return named or asked or _is_ahead(sentence) or (certain and not _NOT_LEFT.count(sentence, its))


def _is_ahead(sentence: str) -> bool:
    """Whether a sentence begins with the day that it is for, and says more than goodbye until then."""
    its = words(sentence)
    return bool(AHEAD.intersection(its[:2])) and len(its) > _SHORT_ITEM and its[0] not in _GREETING


def _label(sentence: str) -> str:
    """Return what is before the colon of a sentence that has a short label and more after it, "" for none."""
    head, mark, rest = sentence.replace("\uff1a", ": ").partition(": ")
    return head if mark and rest.strip() and len(head) < SHORT else ""


def _from_head(line: str) -> list[str]:
    """Return a line, in parts where a later sentence of it begins with what such a heading says."""
    at = 0
    for sentence in sentences_of(line)[1:]:
        at = line.find(sentence, at)
        if _after_head(sentence) is not None:
            return [line[:at], *_from_head(line[at:])]
    return [line]


def is_head(line: str) -> bool:
    """Whether a line is the heading or the label of what is left to do, such as "Next steps:" or "### Open"."""
    return _after_head(line) is not None


def _after_head(line: str) -> str | None:
    """Return what follows a heading such as "Next steps:" in a line, None for a line of another kind.

    What is for another day keeps its label.
    """
    text = bare_item(line).lstrip("#>*_ ")
    low = text.casefold()
    head, mark, rest = text.replace("\uff1a", ":").partition(":")
    rest = rest.strip(" *_")
    is_heading = line.lstrip().startswith(("#", "**")) and len(text) < SHORT
    if is_heading and not rest and _AHEAD_LABELS.issuperset(words(text)):  # such as "### Open"
        return ""
    if not low.startswith(_NEXT_HEADS):
        label = words(_label(text))
        listing = bool(mark) and not rest and len(text) < 2 * SHORT and _is_left(text)
        is_next = _PLAN.intersection(label) or _NEXT.count("", label[:1])
        return rest if is_next else text if AHEAD.intersection(label) else "" if listing else None
    if mark:
        return rest if len(head) < SHORT else text
    return "" if is_heading else " ".join(one for one in sentences_of(text) if not asks(one))


def _items(lines: list[str]) -> list[str]:
    """Return the items of the list with which these lines begin."""
    made: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        bare = bare_item(line)
        if bare == line.strip():
            break
        made.append(bare)
    return made
