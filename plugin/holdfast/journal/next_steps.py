"""What an answer names as open, as next or as decided: below a heading, in a label, or in sentences that say so."""

from holdfast.core.words import words
from holdfast.journal import telling
from holdfast.journal.conversation import LABEL, SHORT, asks, bare_item, clauses, sentences, sentences_of, without_code
from holdfast.journal.phrases import AHEAD, REASONS, SUPPOSED, Phrases

LEFT_OPEN = "Left open"  # begins a step of work that is over
# Kinds of what an answer names: open, also for the person; next; only mentioned; and what a list says is done.
OPEN, YOURS, NEXT, SAID, OVER = "open", "yours", "next", "said", "over"
_LEFT_MOST = 4  # sentences or items that say what is left
_SHORT_ITEM = 3  # words of a sentence that only says goodbye until tomorrow

# A sentence, or the line above a list, tells of what is still to be done.
_LEFT = Phrases(
    parts="""
    is next, are next, comes next, next i will, next i'll, next i would, next i'd, next we, i'll next
    next step, next is, what's left, what is left, is left, are left
    leaves the, still waits, still wait, still waiting, wartet noch, sigue esperando, attend encore
    to be done, still need, still needs, remains, remain, is missing, is open, are open, one open point, open point
    dúvidas, als nächstes, nächster schritt, noch zu, steht noch
    falta, faltam, faltan, próximo passo, a seguir, fica para, queda, quedan, pendiente, siguiente paso, reste à
    restent, prochaine étape, resta da, restano, prossimo passo, 기다립, 다음은, 다음에, 다음 단계, 남은, 해야 합니다
    待ち, 次に, 次は, 残り, 残る, まだ, 下一步, 接下来, 还需要
    """,
)
# The person has to do something before Claude can go on.
_ASKED = Phrases(
    parts="""
    please run, please open, please paste, please log, please set, please add, please install, you must, you have to
    you'll have to, you'll need to, you need to do, you need to run, you need to open, you need to add, you need to set
    you need to create, you need to enable, you need to install, you need to approve, you need to send, you * by hand
    bitte führe, bitte öffne, bitte prüfe, musst du, müssen sie, musst, você precisa, tienes que, necesitas
    il faut que tu, vous devez, tu dois, devi, 実行してください, 手動で, 실행해 주세요, 직접 실행, 수동으로
    请运行, 请手动, 你需要, 手动
    """,
)
# Claude asks for a word, or promises what it does after it.
_PROMISED = Phrases(
    parts="""
    when you're ready, whenever you're ready, whenever you are, ready to commit, ready to push, ready to merge
    ready for your, ready for the commit, wenn du bereit bist, bereit zum, cuando quieras, quando quiser, quand tu veux
    quand tu seras prêt, 準備ができたら, 준비되면, 准备好后
    please check, please confirm, once you * i, as soon as * i, when you confirm, after you confirm, once that's done i
    bitte bestätige, sobald, wenn du bestätigst, quando confirmar, quando você confirmar, assim que, cuando confirmes
    en cuanto, dès que, non appena, 確認次第, 確認してください, 확인해 주시면, 확인해 주세요, 请确认, 等你确认
    """,
)
# A sentence says that something is open, whatever is next.
_UNDONE = Phrases(
    parts="""
    leaves only, leaves just, all that is left, all that's left, still open, still to do, left to do, not done yet
    blocked until, blocked by, blocked on, waiting for you, i'm waiting, we're waiting, waits for your, nothing * until
    hasn't been * yet, haven't been * yet, isn't * yet, aren't * yet, not * yet, still not, still isn't, still aren't
    still has no, still have no, hat noch kein, haben noch kein, still unchecked, still untested, still unhandled
    still unresolved, still unanswered, still missing, still fails
    has to decide, have to decide, must decide, needs to decide, need to decide, has to confirm, must confirm
    has to say, has to approve, must approve, needs to approve, somebody has to, someone has to, somebody must
    someone must, somebody needs to, someone needs to, test fails, test is failing, tests are failing, tests fail
    i don't know which, i do not know which, can't * until, cannot * until, not tested, untested
    muss noch, müssen noch, fehlt noch, fehlen noch, noch offen, noch nicht, steht noch aus, stehen noch aus
    wartet auf, warten auf, blockiert, bleibt nur, bleibt noch, bleiben noch, muss * entscheiden, müssen * entscheiden
    muss * klären, muss * freigeben, jemand muss, schlägt noch fehl, nicht getestet, ungetestet
    ainda falta, ainda faltam, só falta, só faltam, falta apenas, ainda não, bloqueado até, está pendente
    precisa decidir, precisa aprovar, tem que decidir, tem de decidir, alguém tem, alguém precisa, não testado
    todavía falta, aún falta, solo falta, sólo falta, solo queda, sólo queda, todavía no, aún no, bloqueado hasta
    tiene que decidir, alguien tiene, sin probar
    nothing * but, nothing * except, fehlt nur, fehlen nur, nichts * außer, nada * salvo, nada * exceto, rien * sauf
    il reste, ne reste que, reste seulement, pas encore, bloqué jusqu, doit décider, quelqu'un doit, non testé
    resta solo, manca ancora, non ancora, deve decidere
    남았, 남아 있, 아직 * 않, 아직 * 못, 아직 안, 결정해야, 미확인, 미해결, 残って, 残りは, 未確認, 未対応, 未実装
    待ちです, 待ちで, 決める必要, 还剩, 只剩, 尚未, 还没, 需要决定, 待确认
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
# An answer only says that the person may ask for more.
_INVITING = Phrases(
    parts="""
    let me know if, let me know whether, tell me if, say the word, just say, feel free, if you want me to
    if you'd like, if you'd rather, sag bescheid, sag einfach, melde dich, gib bescheid, wenn du möchtest, wenn du magst
    me avise, me avisa, é só pedir, é só falar, se quiser, avísame, si quieres, dime si, dis-moi si, si tu veux
    fammi sapere, se vuoi
    말씀해 주세요, 말씀해주세요, 알려주세요, 알려 주세요, 원하시면, お知らせください, 教えてください, お申し付け
    声をかけて, 告诉我, 请告诉, 说一声, 如果需要
    """,
)
# A heading says that what is below it stays open, whatever is next.
_OPEN = Phrases(
    parts="""
    follow ups, known issues, known issue, not tested, untested
    waiting for, waiting on, blocked by, blocked on, blocked until, wartet auf, en attente, esperando, aguardando
    uncommitted, not committed, left open, still open, open points, remaining issues
    offene punkte, noch offen, nicht getestet, ungetestet, bekannte probleme, nicht committet
    lacunas, em aberto, não testado, problemas conhecidos, sin probar, problemas conocidos
    points ouverts, non testé, problèmes connus, 残課題, 未テスト, 未確認, 未対応, 既知の問題, 미확인, 미해결, 남은 문제
    알려진 문제, 遗留, 未测试, 已知问题, 待办
    """,
)
# An item reports what was done to a file of that name, such as TODO.
_REPORTING = frozenset(
    "is are was were has have added updated replaced marked moved removed wrapped rewrote".split()  # noqa: SIM905 - the same
)
# A word of the label before what is planned.
_PLAN = frozenset("plan plano piano 계획 計画 计划".split())  # noqa: SIM905 - a list of words in several languages
_TICKED = ("[x]", "[X]", "~~", "\u2705", "\u2713", "\u2714")
_BOXES = ("[ ] ", "\u2610 ", "\u2b1c ")
# A heading or a label says that what is below it is done, or only possible.
_OVER_LABELS = frozenset(
    """
    done fixed finished completed resolved closed erledigt fertig behoben gelöst feito concluído resolvido pronto
    hecho listo resuelto fait terminé résolu fatto 완료 해결 完了 済み 対応済み 已完成 完成 已解决
    """.split()  # noqa: SIM905 - the same
)
_DENIED = frozenset("not nicht no não non ne pas nada".split())  # noqa: SIM905 - the same
_OPTIONAL = Phrases(
    "optional optionally opcional optionale optionnel possible mögliche ideas ideen ideias",
    parts="可选, 任意, オプション, 선택 사항, 선택적",
)
_GREETING = frozenset("guten good por pela até à a bis see hasta".split())  # noqa: SIM905 - the same
# The first or the last word of a label before what is still to be done, open or missing.
_AHEAD_LABELS = AHEAD | frozenset(
    """
    next left open missing waiting outstanding remains offen fehlt fehlen nächstes übrig falta faltam faltan aberto
    pendente pendiente abierto manque restant prossimo 다음 남은 미정 次 次回 残り 未定 保留 未完了 待办 未决 下次
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# A word of a label that leads to a list of it.
_MISSING = frozenset(
    """
    missing outstanding unfinished unresolved remaining offen offene fehlt fehlen pendente pendentes pendiente
    pendientes falta faltam faltan reste restent manque manca mancano
    """.split()  # noqa: SIM905 - the same
)
# How a heading, or the beginning of a line, says that what follows is still to be done.
_NEXT_HEADS = tuple(
    head.strip()
    for head in """
    next step, next up, next:, next -, what's next, what is next, optional next step, remaining, still to do
    still open, left to do, to do, todo:, pending, follow-up, nächste schritte, nächster schritt, als nächstes
    noch offen, offen:, offene punkte, próximo passo, próximos passos, falta, pendente, pendências, próximo paso
    próximos pasos, siguiente, pendiente, prochaine étape, prochaines étapes, reste à faire, prossimi passi
    다음 단계, 다음:, 다음은, 남은 일, 남은 작업, 할 일, 次のステップ, 次の作業, 次は, 次:, 残り, 残作業, 下一步
    待办, 接下来, 剩余, следующ, осталось, open items, not done yet, what is left:, what's left:, what remains:
    next time:, das nächste mal:, da próxima vez:
    """.strip()
    .replace("\n", ",")
    .split(",")
)
# The same, of a heading or a label only; and one that belongs to each item.
_OPEN_HEADS = tuple(
    head.strip()
    for head in """
    what you need to do, what you have to do, what you should do, what remains, open question, not done, not finished
    unfinished, your part, needs you, was du tun musst, noch zu tun, offene fragen, noch nicht, fehlt noch, fehlend
    o que falta, o que você precisa, perguntas em aberto, lo que falta, lo que tienes, preguntas abiertas, à faire
    ce qui reste, questions ouvertes, da fare, 미해결, 미완료, 남은, 未解決, 未完了, 未対応, 未修正
    未修复, 未解决, 未確認, 剩下, 未完成, waiting
    blocked, wartet auf, blockiert, aguardando, à espera, esperando, a la espera, bloqueado, en attente, bloqué
    in attesa
    대기, 待ち, 保留, 等待
    """.strip()
    .replace("\n", ",")
    .split(",")
)
_TELLERS = {"i", "my", "we", "ich", "mein", "wir", "eu", "meu", "yo", "mi", "je", "mon", "nous"}
_WAITS = Phrases(
    "waiting blocked wartet blockiert aguardando esperando bloqueado bloqué",
    parts="à espera, a la espera, en attente, in attesa, 대기, 待ち, 保留, 等待",
)


def bare_step(step: str) -> str:
    """Return a step without the words that say that work which is over left it open."""
    return step.removeprefix(f"{LEFT_OPEN}: ")


def of_answer(answer: str, *, headed: bool = False) -> list[str]:
    """Return what an answer names as open or next; [] for nothing. If `headed`, only below a heading or a label."""
    return [text for kind, text in named(answer, headed=headed) if kind != OVER]


def named(answer: str, *, headed: bool = False) -> list[tuple[str, str]]:
    """Return what an answer names, each with its kind, in its order.

    It is the items below such headings, or the rest of their lines, and sentences that say that something is open;
    without any, those that say what is left.
    """
    lines = [part for line in without_code(answer).splitlines() for part in _from_head(line)]
    has_ticks = any(bare_item(line).startswith(_TICKED) for line in lines)
    below: list[tuple[str, str]] = []
    others: list[str] = []
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        kind, rest = _head(line) if not _reports(line, lines) else ("", "")
        items, end = list_below(lines, at) if kind else ([], at)
        label = bare_item(line).strip("#>*_: ")
        items = [f"{label}: {one}" for one in items] if _WAITS.count(label, words(label)) and not rest else items
        below += [(kind, one) for one in (*_split(rest), *items)]
        is_box = has_ticks and bare_item(line).startswith((*_TICKED, *_BOXES))
        below += [(OPEN, bare_item(line))] if is_box and not kind else []
        others += [] if rest or items or is_box else [line]
        at = end
    said = [] if headed else _left(others)
    found = [*below, *(one for one in said if one[0] != SAID or not below)]
    return [
        *dict.fromkeys(
            (OVER, text) if text.startswith(_TICKED) else (kind, _unboxed(text)) for kind, text in found if _tells(text)
        )
    ]


def _tells(text: str) -> bool:
    """Whether a text names something to do: it neither invites to ask for more nor says that nothing is left."""
    return not (_INVITING.count(text, words(text)) or nothing_left(text))


def _unboxed(text: str) -> str:
    return next((text[len(box) :] for box in _BOXES if text.startswith(box)), text)


def nothing_left(text: str) -> bool:
    """Whether a sentence, or an item below a label, says that nothing is left: without exception or condition."""
    others = [one for one in clauses(text) if words(one) and not telling.denies_rest(one)]
    return telling.denies_rest(text) and not any(map(is_undone, others))


def _head(line: str) -> tuple[str, str]:
    """Return the kind of what follows a heading or a label, and the rest of its line; ("", "") for any other line."""
    text, rest = bare_item(line).strip("#>*_: "), _after_head(line)
    its = words(label_of(text) or text)
    leads = line.lstrip().startswith(("#", "**")) or line.rstrip(" *_").endswith(LABEL)
    if not rest and _DENIED.intersection(its[:1]) and _OVER_LABELS.intersection(its[1:3]) and leads:
        return OPEN, ""
    if rest is None:
        is_over = leads and len(text) < SHORT and bool(_OVER_LABELS.intersection([*its[:1], *its[-1:]]))
        return (OVER, "") if is_over else ("", "")
    if _OPTIONAL.count(text, its):
        return SAID, rest
    if _ASKED.count(text, words(text)) or "you" in its or "your" in its:
        return YOURS, rest
    return (NEXT if _NEXT.count(text, its[:1]) or AHEAD.intersection(its) or _PLAN.intersection(its) else OPEN), rest


def _says_only_open(text: str) -> bool:
    """Whether a heading or a label only says that something is open or missing, such as "### Open"."""
    return words(text) == ["todo"] or (bool(words(text)) and _AHEAD_LABELS.issuperset(words(text)))


def _reports(line: str, lines: list[str]) -> bool:
    """Whether an item tells what was done to a file such as TODO: another one begins with the name of a file, too."""
    items = [one for one in lines if bare_item(one) != one.strip()]
    named = [one for one in items if bare_item(one).partition(":")[0].partition(" ")[0].isupper()]
    return line in named and len(named) > 1 and bool(_REPORTING.intersection(words(line)))


def _left(lines: list[str]) -> list[tuple[str, str]]:
    """Return the sentences that say what is left, and whole items of lists that do; what is next comes first.

    Of a numbered list whose first item says so it is all items.
    """
    said: list[tuple[str, str]] = []
    numbered = False
    for line in filter(str.strip, lines):
        if said and said[-1][1].endswith(LABEL):  # such as a command to be typed
            said[-1] = (said[-1][0], f"{said[-1][1]} {bare_item(line)}")
        item = bare_item(line)
        hits = [(_kind(one), one) for one in sentences(line) if not asks(one) and is_left(one)]
        is_item, is_heading = item != line.strip(), line.lstrip().startswith("#")
        numbered = is_item and line.strip()[0].isdecimal() and (numbered or (bool(hits) and line.strip()[0] == "1"))
        whole = [(min((kind for kind, _ in hits), default=SAID), item)]
        said += [] if is_heading else whole if numbered or (is_item and hits) else hits
    said.sort(key=lambda one: not (_NEXT.count(one[1], words(one[1])) or _is_ahead(one[1])))
    soft = [one for one in said if one[0] == SAID][:_LEFT_MOST]
    return [one for one in said if one[0] != SAID or one in soft]


def _kind(sentence: str) -> str:
    """Return the kind of a sentence that says what is left."""
    label = label_of(sentence)
    if is_undone(sentence) or _OPEN.count(label, words(label)):
        return OPEN
    return YOURS if _ASKED.count(sentence, words(sentence)) else SAID


def is_undone(sentence: str) -> bool:
    """Whether a sentence says for certain that something is open."""
    return any(_UNDONE.count(one, words(one)) and not _only_explains(one) for one in clauses(sentence))


def _only_explains(clause: str) -> bool:
    """Whether a clause only supposes something, or gives the reason of another one."""
    its = words(clause)
    return bool(SUPPOSED.count(clause, its) or REASONS.count(clause, its[:1]))


def _split(rest: str) -> list[str]:
    """Return the sentences of a line, the first one taken apart at its semicolons outside of quotes and brackets.

    A later one in which somebody tells something, such as "I use Decimal", belongs to it only if it says what is left.
    """
    first, *others = [one for one in sentences_of(rest) if not asks(one)] or [""]
    others = [one for one in others if is_left(one) or not _TELLERS.intersection(words(one)[:1])]
    parts = [one.strip() for one in first.split(";")]
    whole = all(len(words(one)) > 1 and one.count("(") == one.count(")") and not one.count("`") % 2 for one in parts)
    return [one for one in [*(parts if whole else [first]), *others] if one]


def is_left(sentence: str) -> bool:
    """Whether a sentence says what is still to be done, by whomever: in a certain clause, by its label, or its day."""
    its = words(sentence)
    hits = [one for one in clauses(sentence) if _LEFT.count(one, words(one)) or _OPEN.count(one, words(one))]
    certain = any(not _only_explains(one) for one in hits) or bool(not hits and _LEFT.count(sentence, its))
    label = words(label_of(sentence))
    named = bool(_AHEAD_LABELS.intersection([*label[:1], *label[-1:]]))
    asked = bool(_ASKED.count(sentence, its) or _PROMISED.count(sentence, its))
    certain = certain or is_undone(sentence)
    return named or asked or _is_ahead(sentence) or (certain and not _NOT_LEFT.count(sentence, its))


def _is_ahead(sentence: str) -> bool:
    """Whether a sentence begins with the day that it is for, and says more than goodbye until then."""
    its = words(sentence)
    return bool(AHEAD.intersection(its[:2])) and len(its) > _SHORT_ITEM and its[0] not in _GREETING


def label_of(sentence: str) -> str:
    """Return what is before the colon of a sentence that has a short label and more after it, "" for none."""
    head, mark, rest = sentence.replace("**", "").replace("\uff1a", ": ").partition(": ")
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
    if (is_heading or mark) and not rest and _says_only_open(text):
        return ""
    is_open = bool(is_heading or mark) and low.startswith(_OPEN_HEADS) and len(head) < SHORT
    if not (is_open or low.startswith(_NEXT_HEADS)):
        label = words(label_of(text))
        leads = bool(mark) and not rest and len(text) < 2 * SHORT
        listing = leads and (is_left(text) or bool(_MISSING.intersection(words(text))))
        is_next = _PLAN.intersection(label) or _NEXT.count("", label[:1])
        return rest if is_next else text if AHEAD.intersection(label) else "" if listing else None
    if mark:
        return rest if len(head) < SHORT and not (rest and _WAITS.count(head, words(head))) else text
    return "" if is_heading else " ".join(one for one in sentences_of(text) if not asks(one))


def list_below(lines: list[str], at: int) -> tuple[list[str], int]:
    """Return the items of the list with which the lines from `at` begin, and where it ends.

    A list with other marks ends it; what is indented below an item goes on with it.
    """
    made: list[str] = []
    numbered, end = False, at
    for number, line in enumerate(lines[at:], at + 1):
        if not line.strip():
            continue
        bare = bare_item(line)
        is_numbered = line.strip()[0].isdecimal()
        if bare == line.strip() and made and line.startswith((" ", "\t")):
            made[-1] += f" {bare}"
        elif bare == line.strip() or (made and is_numbered != numbered and not line.startswith((" ", "\t"))):
            break
        else:
            made, numbered = [*made, bare], is_numbered if not made else numbered
        end = number
    return made, end
