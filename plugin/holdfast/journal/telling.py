"""What an answer tells in short: the sentences that matter to the next reader, in their order."""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal.conversation import (
    LABEL,
    SHORT,
    STOPS,
    asks,
    bare_item,
    clauses,
    clipped,
    row_of,
    sentences,
    unwrapped,
    width,
    without_code,
)
from holdfast.journal.phrases import ATTEMPTED, Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.conversation import Turn

_PARTING, _WISHES = 60, 200  # columns of an answer that only returns thanks, of one that begins so
_MOST_MARKS = 4  # marked words of a sentence that count
# A short clause says that nothing is left: by one of the first words alone, or beside one of the second; or as a whole.
_NOTHING = frozenset(
    """
    nothing none n keine nichts keinen nada nenhum nenhuma ninguno ninguna rien aucun aucune niente nulla nessuno niets
    ничего なし 無し 特になし ありません 特にありません 無 无 没有 없음 없습니다
    """.split()  # noqa: SIM905 - a list of words in several languages
)
_REST = Phrases(
    "left remaining remains pending outstanding offen offene offenen aus falta faltam faltan queda quedan pendiente "
    "pendientes pendente pendentes pendência resta reste ouvert tun hacer fazer faire",
    "erledigen",
    "is open, to do, to be done",
)
_NO_REST = Phrases(
    parts="""
    no open points, no open items, no open questions, no open tasks, no open issues, no next steps, no further steps
    no further work, no remaining steps, no pending tasks, no points remain, no open points remain, no work left
    não há pendências, no hay pendientes, rien ne manque, 残りは*ありません, 残りは*なし, 残りはない
    残作業は*ありません, 残っているものはありません, やり残しは*ありません, 未対応の項目は*ありません
    남은 작업*없, 남은 일*없, 남은 것*없, 미해결*없, 할 일*없
    没有*剩, 没有*遗留, 没有*未完成, 没有*待办, 没有下一步, 无遗留, 无剩余, 无待办
    """,
)
_IDLE = frozenset("for now yet at the moment more else a mehr weiter im por ahora agora más mais plus".split())  # noqa: SIM905 - the same
_EXCEPT = Phrases(
    "but except besides until unless außer ausser bis salvo excepto exceto menos hasta até sauf hormis tranne nur que",
    parts="other than, apart from, だけ, 以外, まで, 외에, 까지, 뿐, 除了",
)
_NOTHING_WITHIN, _NOTHING_LONGEST = 4, 6  # words
# An answer tells of a choice, a reason, a failure, or of what is left.
_MARKING = Phrases(
    """
    chose because instead still left next todo open before must blocked waiting remaining cannot
    weil statt noch offen übrig blockiert ursache verworfen aufgegeben
    porque ainda pendente causa pendiente siguiente próximo todavía encore reste
    """,
    "decid chosen abandon revert fail broke entschied zurückgenommen fehl nächst desist descart falh falta próxim "
    "abandonn échou prochain",
    """
    gave up, given up, rolled back, not work, didn't work, doesn't work, dead end, turned out, root cause, not yet
    not done, so that
    geht nicht, ging nicht, em vez, não funciona, no funciona, parce que, ne marche pas
    결정, 때문, 대신, 포기, 실패, 되돌, 아직, 남은, 남았, 다음, 안 됩니다, 원인, 막혀, 미해결
    決め, ため, 代わりに, 断念, 失敗, 戻し, まだ, 残, 次は, 次に, 次の, できません, 原因, 未解決, やめ
    决定, 因为, 改为, 放弃, 失败, 回滚, 还, 剩, 下一步, 接下来, 不行, 原因, 未
    """,
)


def denies_rest(text: str) -> bool:
    """Whether a clause of a text says that nothing is left to do, and no word of it excepts something."""
    return any(map(_denies_rest, clauses(text))) and not _EXCEPT.count(text, words(text))


def _denies_rest(clause: str) -> bool:
    its = words(clause.replace("\uff1a", ":").rpartition(":")[2])
    if len(its) > _NOTHING_LONGEST or not _NOTHING.intersection(its[:_NOTHING_WITHIN]):
        return len(its) <= _NOTHING_LONGEST and bool(_NO_REST.count(clause, its))
    alone = _NOTHING.union(_IDLE).issuperset(its)
    return alone or bool(_REST.count(clause, words(clause)) or _NO_REST.count(clause, its))


def of_turn(turn: "Turn", room: int, shown: str = "") -> str:
    """Return what Claude said in the turn: of what it said before its edits as much as the last answer leaves."""
    why = of_answer(turn.why, room // 2, f"{shown} {' '.join(turn.answer.split())}")
    return " ".join(filter(None, [why, of_answer(turn.answer, room - len(why) - bool(why), shown)]))


class Part:
    """A sentence of an answer; the heading or label of the list that it belongs to; whether an item begins with it."""

    __slots__ = ("head", "item", "text")

    def __init__(self, text: str, head: str = "", *, item: bool = False) -> None:
        self.text, self.head, self.item = text, head, item

    def after(self, before: "Part | None", *, follows: bool) -> str:
        """Return its text as it goes on after another part, with a mark between and its heading if that is another."""
        listed = self.item and before is not None and before.head == self.head
        stop = "." if before and (before.item or before.head) and not before.text.endswith(STOPS) else ""
        mark = (
            ""
            if before is None
            else " … "
            if not (follows or self.text.startswith("…"))
            else "; "
            if listed
            else f"{stop} "
        )
        named = self.head and not (before and before.head == self.head)
        return f"{mark}{self.head}: {self.text}" if named else f"{mark}{self.text}"


def of_answer(answer: str, room: int, shown: str = "") -> str:
    """Return the sentences of an answer that matter to the next reader, in their order, within `room` characters.

    The last and the first sentence count, then those with words of choice, reason, failure or what is left. What is
    `shown` elsewhere does not. The items of a list follow its heading, so that what is open does not read as done.
    """
    parts = [one for one in prose_of(answer) if not shown or one.text not in shown]
    left, chosen, heads = room, set[int](), set[str]()
    for at in sorted(range(len(parts)), key=lambda at: (-_weight(parts, at), at)):
        head = parts[at].head
        needed = len(parts[at].text) + 3 + (len(head) + 2 if head and head not in heads else 0)
        if needed <= left:
            chosen.add(at)
            heads.add(head)
            left -= needed
    if not chosen:
        return clipped(parts[-1].after(None, follows=True), room) if parts else ""
    made, before = "", -1
    for at in sorted(chosen):
        made += parts[at].after(parts[before] if made else None, follows=at == before + 1)
        before = at
    return made


def prose_of(answer: str) -> list[Part]:
    """Return the sentences of an answer without its code, headings and lead-ins; of one that has only these, all."""
    made: list[Part] = []
    head = ""
    lines = [line for line in unwrapped(without_code(answer).splitlines()) if line.strip()]
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        text, is_item = bare_item(line), bare_item(line) != line.strip()
        parts = [] if _is_head(line) else sentences(line)
        lead = text if _is_head(line) else parts.pop() if not is_item and _leads_on(parts) else ""
        if text.startswith("|"):
            made += (
                []
                if "-" in following and not row_of(following)
                else [Part(row, head, item=True) for row in row_of(line)]
            )
            continue
        head = head if is_item else ""
        made += [Part(one, head, item=is_item and not at) for at, one in enumerate(parts)]
        head = (lead.strip("#*_: \uff1a") if len(lead) < SHORT else "") if lead else head
    return made or [Part(one) for one in sentences(without_code(answer))]


def _leads_on(parts: list[str]) -> bool:
    return bool(parts) and parts[-1].rstrip("*_").endswith(LABEL)


def _is_head(line: str) -> bool:
    """Whether a line is a heading, so that it says nothing alone."""
    text = line.strip()
    return text.startswith("#") or (text.startswith("**") and text.endswith("**") and text.count("**") == 2)


def _weight(parts: list[Part], at: int) -> int:
    """Return how much a sentence of an answer counts; a trial counts, since it is told nowhere else."""
    last = at == len(parts) - 1 or (at == len(parts) - 2 and len(parts[-1].text) < SHORT)
    text = f"{parts[at].head}: {parts[at].text}"
    marks = _MARKING.count(text, words(text)) + 2 * ATTEMPTED.count(text, words(text))
    return _MOST_MARKS * last + 2 * (not at) + min(marks, _MOST_MARKS) + 2 * asks(text)


def is_small_talk(prompt: str, answer: str) -> bool:
    """Whether a prompt only thanks, agrees or takes leave, and the answer says nothing either: "See you tomorrow.".

    An answer such as "Done." says nothing, whatever the prompt.
    """
    if not requests.is_request(answer):
        return True
    polite = requests.answers(prompt) and not requests.has_substance(prompt) and not asks(answer)
    most = _PARTING if requests.is_request(next(iter(sentences(answer)), "")) else _WISHES
    return polite and width(answer) <= most and not {*"`/:0123456789"}.intersection(answer)
