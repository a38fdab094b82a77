"""What an answer names as next or as decided: below a heading, in a label, or in sentences that say what is left."""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal.conversation import (
    LABEL,
    SHORT,
    asks,
    bare_item,
    clauses,
    clipped,
    sentences,
    sentences_of,
    width,
    without_code,
)
from holdfast.journal.phrases import AHEAD, SUPPOSED, Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn

LEFT_OPEN = "Left open"  # begins a step of an earlier turn, with its date, and one of work that is over
_LEFT_MOST = 4  # sentences or items that say what is left
_SHORT_ITEM = 3  # words of a sentence that only says goodbye until tomorrow

# A sentence, or the line above a list, tells of what is still to be done.
_LEFT = Phrases(
    parts="""
    is next, are next, comes next, next i will, next i'll, next i would, next i'd, next we, i'll next
    next step, next is, what's left, what is left, is left, are left
    leaves only, leaves just, leaves the, is blocked until, are blocked until, bleibt nur, reste seulement
    left to do, still waits, still wait, still waiting, wartet noch, sigue esperando, attend encore
    still to do, to be done, still need, still needs, still missing, remains, remain, is missing
    not * yet, still open, is open, are open, one open point, open point, dúvidas
    als nächstes, nächster schritt, noch zu, fehlt noch, fehlen noch, noch offen, bleibt noch, bleiben noch
    steht noch
    falta, faltam, faltan, ainda falta, próximo passo, a seguir, fica para, queda, quedan, pendiente, siguiente paso
    reste à, il reste, restent, prochaine étape, resta da, restano, prossimo passo
    기다립, 待ち, 다음은, 다음에
    다음 단계, 남은, 남았, 남아, 해야 합니다
    次に, 次は, 残って, 残り, 残る, まだ, 下一步, 接下来, 还需要, 还剩, 还没有
    """,
)
# Claude cannot go on before the user did something, or promises what it does then.
_ASKED = Phrases(
    parts="""
    please run, please open, please paste, please check, please confirm, please log, please set, please add
    you must, you need to run, you need to open
    you have to, you'll have to, you'll need to, once you * i, as soon as * i, when you confirm, after you confirm
    once that's done i, by hand
    bitte führe, bitte öffne, bitte prüfe, bitte bestätige, musst du, müssen sie, von hand, manuell, sobald
    wenn du bestätigst, quando confirmar, quando você confirmar, assim que, manualmente, você precisa
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
    follow ups, known issues, known issue, be aware of, worth knowing, caveat, caveats, not tested, untested
    waiting for, waiting on, blocked by, blocked on, blocked until, wartet auf, en attente, esperando, aguardando
    uncommitted, not committed, left open, still open, open points, remaining issues, limitations
    offene punkte, noch offen, nicht getestet, ungetestet, bekannte probleme, nicht committet
    lacunas, pendências, em aberto, não testado, problemas conhecidos, pendientes, sin probar, problemas conocidos
    points ouverts, non testé, problèmes connus, 残課題, 未テスト, 未確認, 未対応, 既知の問題, 미확인, 미해결, 남은 문제
    알려진 문제, 遗留, 未测试, 已知问题, 待办, 注意事项
    """,
)
# An item reports what was done to a file of that name, such as TODO.
_REPORTING = frozenset(
    "is are was were has have added updated replaced marked moved removed wrapped rewrote".split()  # noqa: SIM905 - the same
)
# A word of the label before what is planned.
_PLAN = frozenset("plan plano piano 계획 計画 计划".split())  # noqa: SIM905 - a list of words in several languages
_NOTHING = frozenset("nothing none nichts nada rien niente niets ничего".split())  # noqa: SIM905 - the same
_NOTHING_LONGEST = 6  # words
_TICKED = ("[x]", "[X]")
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
        rest = None if _reports(line, lines) else _after_head(line)
        if rest is not None:
            made += [*_split(rest), *_items(lines[number + 1 :])]
    found = list(dict.fromkeys(made)) if made or headed else _left(lines)
    steps = [one.removeprefix("[ ] ") for one in found if not one.startswith(_TICKED)]
    return [one for one in steps if not (_INVITING.count(one, words(one)) or _says_nothing(one))]


def _says_nothing(step: str) -> bool:
    """Whether a short sentence says that nothing is left."""
    its = words(step)
    return len(its) <= _NOTHING_LONGEST and bool(_NOTHING.intersection(its[:1]))


def left_open(answer: str) -> list[str]:
    """Return what an answer says stays open: the items below such a heading, or what follows its label."""
    lines = [part for line in without_code(answer).splitlines() for part in _from_head(line)]
    found: list[str] = []
    for at, line in enumerate(lines, 1):
        text = line.strip()
        leads = text.startswith(("#", "**")) or text.rstrip("*_").endswith(LABEL)
        is_list = _after_head(line) == "" and not _NEXT.count(text, words(text)[:1])
        says_open = is_list or _OPEN.count(text, words(text))
        if leads and len(text) < 2 * SHORT and says_open:
            found += [one.removeprefix("[ ] ") for one in _items(lines[at:]) if not one.startswith(_TICKED)]
        elif _OPEN.count(label := _label(bare_item(line)), words(label)):
            found.append(bare_item(line))
    return found


def bare_step(step: str) -> str:
    """Return a step without the words that say that, or since when, it was left open."""
    return step.partition(": ")[2] if step.startswith(LEFT_OPEN) else step


def _says_only_open(text: str) -> bool:
    """Whether a heading or a label only says that something is open or missing, such as "### Open"."""
    return bool(words(text)) and _AHEAD_LABELS.issuperset(words(text))


def _reports(line: str, lines: list[str]) -> bool:
    """Whether an item tells what was done to a file such as TODO: another one begins with the name of a file, too."""
    items = [one for one in lines if bare_item(one) != one.strip()]
    named = [one for one in items if bare_item(one).partition(":")[0].partition(" ")[0].isupper()]
    return line in named and len(named) > 1 and bool(_REPORTING.intersection(words(line)))


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
        if said and not listing and said[-1].endswith(LABEL):  # such as a command to be typed
            said[-1] += f" {bare_item(line)}"
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


def is_named_again(item: str, later: "Sequence[Turn]") -> bool:
    """Whether a later turn has half of the words of an item, and at least two."""
    its = set(requests.own_words(item))
    return any(2 * len(its.intersection(words(f"{one.prompt}\n{one.answer}"))) >= max(4, len(its)) for one in later)


def _is_left(sentence: str) -> bool:
    """Whether a sentence says what is still to be done, by whomever: in a certain clause, by its label, or its day."""
    its = words(sentence)
    hits = [one for one in clauses(sentence) if _LEFT.count(one, words(one)) or _OPEN.count(one, words(one))]
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
    if (is_heading or mark) and not rest and _says_only_open(text):
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
    """Return the items of the list with which these lines begin; a list with other marks ends it."""
    made: list[str] = []
    numbered = False
    for line in filter(str.strip, lines):
        bare = bare_item(line)
        is_numbered = line.strip()[0].isdecimal()
        if bare == line.strip() or (made and is_numbered != numbered):
            break
        made, numbered = [*made, bare], is_numbered
    return made


_HEADING = 80  # characters of a line that may be such a heading
_LONGEST, _MOST = 220, 24  # characters of a decision, decisions of an answer
_DECIDED = frozenset(
    """
    decision decisions decided entscheidung entscheidungen entschieden décision décisions décidé decisão decisões
    decidido decisión decisiones decisione decisioni deciso
    """.split()  # noqa: SIM905 - a list of words in several languages
)
_DECIDED_PARTS = ("결정", "決定", "决定", "决策")  # of languages without blanks
# A heading with one of these names what is still to be decided.
_UNDECIDED = frozenset(
    """
    open pending needed need needs required outstanding remaining missing your you next offen offene offenen nötig
    nötige ausstehende deine ihre pendente pendentes pendiente pendientes sua suas tu tus abertas abiertas requise
    requises votre vos
    """.split()  # noqa: SIM905 - the same
)
_UNDECIDED_PARTS = ("필요", "남은", "必要", "未決", "待ち", "需要", "待定", "未决")


def decisions(answer: str) -> list[str]:
    """Return what an answer states as decided: the list items, or table rows, below a heading about decisions."""
    lines = without_code(answer).splitlines()
    found: list[str] = []
    for number, line in enumerate(lines):
        if _is_heading(line):
            found += _below(lines[number + 1 :])
        elif (
            _is_row(line)
            and _is_heading(line.strip("| "), cells=True)
            and not _is_row(lines[number - 1] if number else "")
        ):
            found += _rows(lines[number:])
    return [clipped(text, _LONGEST) for text in dict.fromkeys(found)][:_MOST]


def _is_heading(line: str, *, cells: bool = False) -> bool:
    """Whether a line is a heading, a label, or the head of a table that announces decisions which were taken."""
    text = line.strip()
    marked = text.startswith(("#", "**")) or text.rstrip("*_ ").endswith(LABEL) or cells
    if not marked or len(text) > _HEADING or bare_item(text) != text or asks(text):
        return False
    its, low = set(words(text)), text.casefold()
    decided = bool(its & _DECIDED) or any(part in low for part in _DECIDED_PARTS)
    return decided and not (its & _UNDECIDED or any(part in low for part in _UNDECIDED_PARTS))


def _below(lines: list[str]) -> list[str]:
    """Return the items of the list, or the rows of the table, with which these lines begin."""
    filled = [line for line in lines if line.strip()]
    if filled and _is_row(filled[0]):
        return _rows(filled)
    found: list[str] = []
    for line in filled:
        bare = bare_item(line)
        if bare != line.strip():
            found.append(_plain(bare))
        elif found and line.startswith((" ", "\t")):
            found[-1] += f" {bare}"
        else:
            break
    return [text for text in found if not asks(text)]


def _rows(lines: list[str]) -> list[str]:
    """Return a text for each row of the table with which these lines begin, without its head."""
    table = []
    for line in lines:
        if not _is_row(line):
            break
        table.append([_plain(cell.strip()) for cell in line.strip().strip("|").split("|")])
    rows = [cells for cells in table[1:] if any(any(map(str.isalnum, cell)) for cell in cells)]
    return [": ".join(cell for cell in cells[:2] if cell) for cells in rows]


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") and line.count("|") > 2


def _plain(text: str) -> str:
    return text.replace("**", "").replace("`", "").strip()
