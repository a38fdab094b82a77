"""What a conversation leaves open: each answer adds what it names as open or next, and what is done since goes.

A thing to do is done when a later answer, a commit or the person says so, or when the person asked for it and work was
done. That another one is named as next, a question or a goodbye take none away: what may still be open stays.
"""

from holdfast.core.words import words
from holdfast.journal import asked as requests
from holdfast.journal import given_up, next_steps, replies
from holdfast.journal.conversation import asks, clauses, own, sentences, sentences_of, width, without_code
from holdfast.journal.next_steps import NEXT, OPEN, OVER, SAID, YOURS
from holdfast.journal.phrases import SUPPOSED, Phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.journal.conversation import Turn

_TELLING = 4  # letters by which a word is known in any form
_POINTS = 2  # telling words of a sentence that has too few to name anything
_LASTS = 1  # answers after which what was only mentioned is of no interest
# Words that do not tell one thing to do from another.
_EMPTY = frozenset(
    """
    they still yet must need needs needed have has had will would should left open missing only leaves leave remains
    remain next until blocked waiting because since when which that before after with without into from then also now
    aren isn wasn hasn haven didn doesn don nothing something somebody someone step steps todo done answer
    noch muss müssen fehlt fehlen offen bleibt bleiben nächster nächstes wartet auf und der die das den dem ein eine
    einen mit ohne von für ist sind wird werden nicht bis weil dann jetzt schritt
    ainda falta faltam pendente próximo passo para com sem uma por que não está estão depois
    todavía aún queda pendiente siguiente paso con los las una del
    reste encore prochain étape pour avec sans les des une dans est sont pas
    """.split()  # noqa: SIM905 - a list of words in several languages
)
# Words that any report has, so that they alone name nothing.
_GENERIC = frozenset("test tests code file files change changes commit commits everything all it tests".split())  # noqa: SIM905 - the same
# A sentence says that something is done.
_DONE = Phrases(
    "done fixed added finished completed complete implemented merged pushed deployed released written removed renamed "
    "moved updated migrated sent ran tested checked closed resolved solved installed created works passes pass passed "
    "ready now in there built handled covered decided opened enabled committed counted "
    "erledigt fertig behoben hinzugefügt drin gebaut geschrieben geprüft getestet gelöst umgesetzt gemacht läuft steht "
    "entfernt umbenannt feito pronto pronta corrigido adicionado escrito testado resolvido funciona agora concluído "
    "hecho listo lista corregido añadido arreglado probado resuelto ahora terminado "
    "fait corrigé ajouté terminé écrit testé résolu maintenant fatto",
    "",
    """
    taken care of, is set, are set, ist da, sind da, no longer, 했습니다, 했어요, 완료, 됩니다, 되었습니다, 됐습니다
    추가했, 통과, ました, 完了, 済み, できた, できる, 通り, 了, 已, 完成
    """,
)
_STILL = Phrases("still noch ainda todavía aún encore ancora", parts="아직, まだ, 还没, 仍")
_DENYING = Phrases(
    "no not isn aren hasn haven wasn doesn don without never kein keine keinen nicht ohne não sem sin ne pas sans non",
    parts="ない, なし, ません, 안 , 없, 않, 没, 未, 不",
)
# A person says that they did what they were asked to.
_DID = Phrases(
    "done did ran erledigt gemacht feito fiz hecho hice listo fait fatto",
    parts="i've, i have, it's done, habe ich, hab ich, já está, ya está, 했어, 했습니다, やりました, 終わり, 做了",
)
# An answer tells that the work came to a halt.
_STUCK = Phrases(
    parts="""
    ran into, i stopped, stopped here, couldn't, could not, can't, cannot, unable to, is blocked, are blocked, failed
    not possible, konnte nicht, kann nicht, geht nicht, nicht möglich, abgebrochen, gescheitert, não consegui, não pude
    falhou, no pude, falló, je n'ai pas pu, できません, 失敗, 못 했, 못했, 할 수 없, 실패, 无法, 失败, 没能
    """,
)
# A person does not want something any more.
_SKIPPING = Phrases(
    "skip",
    parts="""
    don't need, do not need, not needed, no need, leave out, drop the, drop that, brauchen wir nicht, brauche ich nicht
    nicht nötig, lass weg, weglassen, não precisa, no hace falta, pas besoin, 필요 없, 要らない, 必要ない, 不需要, 不用
    """,
)
# A sentence names the only thing that is left.
_ONLY = Phrases(
    parts="""
    leaves only, leaves just, only * is left, only * left, only * remains, all that is left, all that's left
    all that remains, the only thing left, nothing is left but, nothing is left except, nothing left but
    bleibt nur, nur noch, só falta, só faltam, falta apenas, solo falta
    sólo falta, solo queda, sólo queda, ne reste que, reste seulement, resta solo, 만 남았, だけ残, だけです, 只剩
    """,
)
_ALL = Phrases("all everything both alles alle beides todo todas tudo tout", parts="全部, すべて, 全て, 모두, 전부")
# What is to be committed, which any commit ends.
_COMMITTING = Phrases("", "commit uncommit", "커밋, コミット, 提交")
# All tests pass, which ends what is said of one that fails.
_PASSING = Phrases(
    parts="tests pass, tests are green, all green, alle tests, testes passam, pruebas pasan, tests passent"
)
_FAILING = Phrases("fails failing fail fix red rot", parts="schlägt fehl, falha, falla, échoue")
_BEFORE_REMARKS = (
    *(", ", " (", "(", " \u2013 ", " \u2014 ", "\uff0c", "\u3001"),
    *(f" {word} " for word in ("until", "because", "since", "bis", "weil", "até", "hasta", "porque", "jusqu'à")),
)


class Item:
    """Something to do: its kind, as `next_steps` has them, its text, and how many answers came since.

    `whole` are the words that tell it from others, `first` the first of them, `main` those before a condition or a
    reason, `numbers` its numbers. `agreed`: whether the person agreed to it.
    """

    __slots__ = ("age", "agreed", "denies", "first", "kind", "main", "numbers", "text", "whole")

    def __init__(self, text: str, kind: str = OPEN) -> None:
        self.kind, self.text, self.age, self.agreed = kind, text, 0, False
        self.denies = bool(_DENYING.count(text, words(text)))
        main = _main(text)
        self.whole = _telling(text) or {*words(text)}
        self.main = _telling(main) or self.whole
        self.first = next((word for word in words(text) if word in self.whole), "")
        self.numbers = {word for word in words(main) if word.isdecimal() and len(word) < _TELLING}


def of_turns(
    turns: "Sequence[Turn]",
    *,
    worked: "Callable[[Turn], bool]",
    before: "Iterable[str]" = (),
    over: "Iterable[tuple[float, str]]" = (),
    summary: "tuple[float, Sequence[str]]" = (0.0, ()),
) -> list[Item]:
    """Return what is open after these turns, the latest first.

    `worked` says whether work was done in a turn, `before` has what was open before them, `over` time and text of what
    is done, such as commits, and `summary` what a summary of a compaction names, with its time.
    """
    items = [Item(text) for text in before]
    previous, since = "", 0.0
    for turn in turns:
        if summary[0] and since <= summary[0] < turn.answered:
            items = _summed_up(items, summary[1])
        reported = [text for at, text in over if since < at <= turn.answered]
        since = max(since, turn.answered)
        items = [one for one in items if not _is_dropped(one, turn.prompt)]
        if turn.answer:
            items = _after(items, turn, previous, reported, worked=worked(turn))
            previous = turn.answer
    late = [text for at, text in over if at > since]
    items = [one for one in items if not any(_is_said_done(one, text) for text in late)]
    return _summed_up(items, summary[1]) if summary[0] and since <= summary[0] else items


def is_in(task: str, steps: "Sequence[str]") -> bool:
    """Whether one of the steps has the words of a task."""
    own = set(requests.own_words(task))
    return bool(own) and any(own <= set(requests.own_words(step)) for step in steps)


def is_uncommitted(sentence: str) -> bool:
    """Whether a sentence says that something is not committed yet, or asks about that: a commit makes it untrue."""
    its = words(sentence)
    return bool(_COMMITTING.count(sentence, its)) and bool(
        asks(sentence) or next_steps.is_left(sentence) or _DENYING.count(sentence, its)
    )


def without_uncommitted(answer: str) -> str:
    """Return an answer without the sentences that a commit makes untrue."""
    lines = []
    for line in answer.splitlines():
        parts = sentences_of(line)
        kept = [one for one in parts if not is_uncommitted(one)]
        lines += [line] if kept == parts else [" ".join(kept)] * bool(kept)
    return "\n".join(lines)


def same(one: str, other: str) -> bool:
    """Whether two texts name the same thing to do."""
    return _alike(Item(one), Item(other))


def _summed_up(items: list[Item], stated: "Sequence[str]") -> list[Item]:
    """Return the items after a compaction: what its summary names takes the place of what was next."""
    kept = [one for one in items if one.kind in {OPEN, YOURS}]
    return _joined([Item(text, NEXT) for text in stated], kept)


def _works(turn: "Turn", *, worked: bool) -> bool:
    """Whether work was done in a turn, also of which only its answer tells, and did not come to a halt."""
    parts = sentences(without_code(turn.answer))
    is_done = worked or any(_DONE.count(one, words(one)) for one in parts)
    return is_done and not _STUCK.count(turn.answer, words(turn.answer))


def _after(items: list[Item], turn: "Turn", previous: str, reported: list[str], *, worked: bool) -> list[Item]:
    """Return the items after a turn with its answer."""
    named = next_steps.named(turn.answer)
    parts = sentences(without_code(turn.answer)) if items else []
    if any(map(next_steps.nothing_left, parts)) or any(
        _ONLY.count(text, words(text)) for kind, text in named if kind != OVER
    ):
        items = []
    spoken = [one for one in parts if not asks(one) and any(_mentions(one, item) for item in items)]
    done = [one for one in _reports(spoken) if worked or _DONE.count(one, words(one))]
    committed = bool(reported) or any(_COMMITTING.count(one[:_TELLING], words(one)[:1]) for one in done)
    done += reported
    ticked = [text for kind, text in named if kind == OVER]
    works = bool(items) and _works(turn, worked=worked)
    said = _wanted(turn.prompt, previous) if items else []
    wanted = said if works else []
    goes_on = works and len(items) == 1 and not (asks(previous) or any(map(_telling, wanted)) or _names(turn.answer))
    kept = []
    for one in items:
        is_over = committed and bool(_COMMITTING.count(one.text, words(one.text)))
        is_over = (
            is_over or any(_is_said_done(one, text) for text in done) or any(_covers(text, one) for text in ticked)
        )
        spoken_of = said if asks(one.text) else wanted  # who speaks of a question answers it
        is_over = is_over or _is_done_by_person(one, turn.prompt) or any(_covers(text, one) for text in spoken_of)
        one.agreed = one.agreed or (not one.age and _agrees_to(one, turn.prompt, previous))
        is_over = is_over or (works and one.agreed)
        one.age += 1
        is_old = one.kind == SAID and (one.age > _LASTS or bool(named))
        kept += [] if is_over or is_old or (goes_on and one.kind == NEXT) else [one]
    new = sorted((one for one in named if one[0] != OVER), key=lambda one: one[0] != NEXT)
    return _joined([Item(text, kind) for kind, text in new], kept)


def _joined(new: list[Item], items: list[Item]) -> list[Item]:
    """Return new items before the others; one that says the same as an earlier one takes its place."""
    made: list[Item] = []
    for one in new:
        again = [other for other in items if _alike(one, other)]
        items = [other for other in items if other not in again]
        fuller = next((other for other in again if one.whole < other.whole), one)
        fuller.kind = OPEN if any(other.kind == OPEN for other in again) else one.kind
        made += [] if any(_alike(one, other) for other in made) else [fuller]
    return [*made, *items]


def _reports(parts: list[str]) -> list[str]:
    """Return those parts of sentences that neither suppose nor say that something is open."""
    return [
        one
        for sentence in parts
        for one in sentence.split(";")
        if not (next_steps.is_left(one) or SUPPOSED.count(one, words(one)) or _STILL.count(one, words(one)))
    ]


def _names(answer: str) -> bool:
    """Whether an answer names something: it says more than that it is done."""
    return any(word not in _EMPTY and not _DONE.count(word, [word]) for word in requests.own_words(answer))


def _wanted(prompt: str, previous: str) -> list[str]:
    """Return the sentences of a prompt that ask for something, with the choice that it names from the answer before."""
    said = own(prompt)
    chosen = replies.chosen(previous, said) if previous else ""
    return [one for one in (*sentences(said), chosen) if one and not asks(one)]


def _agrees_to(item: Item, prompt: str, previous: str) -> bool:
    """Whether a reply agrees to what an item of the answer before it is about: to all of it, or to what it ends with.

    A question in a list is answered by any reply that asks nothing.
    """
    if asks(prompt) or asks(item.text) or not asks(previous):
        return asks(item.text) and not asks(prompt)
    is_bare = not any(map(_telling, _wanted(prompt, "")))
    is_last = requests.answers(prompt) and item.text in previous.rstrip().rpartition("\n")[2]
    return is_last or (is_bare and item.kind in {NEXT, SAID}) or bool(_ALL.count(prompt, words(prompt)))


def _is_dropped(item: Item, prompt: str) -> bool:
    """Whether a person takes back, or does not want, what an item is about."""
    if not _mentions(prompt, item):
        return False
    if given_up.takes_back(prompt, item.text):
        return True
    skipped = (one for one in sentences(own(prompt)) if _SKIPPING.count(one, words(one)) and not asks(one))
    return any(_covers(one, item) for one in skipped)


def _is_done_by_person(item: Item, prompt: str) -> bool:
    """Whether a person says that they did what the answer before asked of them."""
    asked = item.kind == YOURS and not item.age
    if not (asked or _mentions(prompt, item)):
        return False
    said = [one for one in sentences(own(prompt)) if not (asks(one) or _STILL.count(one, words(one)))]
    did = [one for one in said if (_DID.count(one, words(one)) or _DONE.count(one, words(one)))]
    points = any(sum(not _DID.count(word, [word]) for word in _telling(one)) < _POINTS for one in did)
    return any(_covers(one, item) for one in did) or (points and asked)


def _is_said_done(item: Item, sentence: str) -> bool:
    """Whether a sentence that reports something speaks of an item: with half of its words, or of nothing else.

    One that denies what the item denies says the same again.
    """
    if not _mentions(sentence, item) or (item.denies and _DENYING.count(sentence, words(sentence))):
        return False
    if _covers(sentence, item):
        return True
    if _FAILING.count(item.text, words(item.text)) and _PASSING.count(sentence, words(sentence)):
        return _has(item.whole, "test")
    for clause in clauses(sentence):
        its = {word for word in _telling(clause) if not _DONE.count(word, [word])}
        is_about = its - _GENERIC and item.numbers <= {*words(clause)} and all(_has(item.whole, word) for word in its)
        if is_about and _has(its, item.first) and _DONE.count(clause, words(clause)):
            return True
    return False


def _mentions(text: str, item: Item) -> bool:
    """Whether a text may have a word of an item, which is cheap to tell."""
    low = text.casefold()
    return any(word[:_TELLING] in low for word in item.whole)


def _covers(text: str, item: Item) -> bool:
    """Whether a text has half of the words of an item, and its numbers."""
    its = _telling(text) | {*words(text)}
    if item.numbers and not item.numbers & {*words(text)}:
        return False
    least = 1 if item.kind == NEXT else 2
    for theirs in (item.whole, item.main):
        shared = sum(_has(its, word) for word in theirs)
        if theirs and 2 * shared >= len(theirs) and shared >= min(least, len(theirs)):
            return True
    return False


def _alike(one: Item, other: Item) -> bool:
    """Whether two items are the same thing."""
    if one.numbers and other.numbers and not one.numbers & other.numbers:
        return False
    small, large = sorted((one, other), key=lambda each: len(each.whole))
    for theirs in (small.whole, small.main):
        shared = sum(_has(large.whole, word) for word in theirs)
        if theirs and 2 * shared >= len(theirs) and shared >= min(2, len(theirs)):
            return True
    return False


def _telling(text: str) -> set[str]:
    """Return the words of a text that tell it from others; of scripts without blanks, each two characters."""
    its = [word for word in requests.own_words(text) if word not in _EMPTY and len(word) > 1]
    wide = {word[at : at + 2] for word in its if width(word) > len(word) for at in range(len(word) - 1)}
    return wide | {word for word in its if width(word) == len(word) and len(word) > 2}


def _has(theirs: "Iterable[str]", word: str) -> bool:
    """Whether one of these words is a form of a word."""
    return any(_is_form(one, word) for one in theirs)


def _is_form(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _TELLING:
        return len(short) == _TELLING - 1 and long.startswith(short) and len(long) - len(short) <= 2
    same = 0
    for a, b in zip(short, long, strict=False):
        if a != b:
            break
        same += 1
    return same >= _TELLING and same >= 0.55 * len(long)


def _main(text: str) -> str:
    """Return what comes before the first condition, reason or remark of a text."""
    for mark in _BEFORE_REMARKS:
        text = text.partition(mark)[0] or text
    return text
