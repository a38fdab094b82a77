"""What was said in a session, from its journal: turns, the latest compaction's summary, and the commits."""

from holdfast.core import clock
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import asked as requests
from holdfast.journal import conversation, decided, given_up, log, next_steps, open_items, replies, telling
from holdfast.journal.decided import Decision
from holdfast.journal.session import Talk, typed_by_user
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn
    from holdfast.journal.log import Fact

    Event = tuple[float, str]  # when, and what

_BEGINNING = 60  # characters by which a text that is quoted already is known
_OPENING = 240  # characters of how Claude took up what a person said
_OUTDATED = 3  # answers after which the next step of a summary is no longer the next one
_QUESTIONS = 3  # that wait, the latest first
_STATED = 4  # steps of a summary
# Labels of a summary that have none of the user's words.
_OWN = frozenset(conversation.STATED) - {conversation.OBJECTIVE, conversation.PREFERENCE} | {
    conversation.PENDING,
    conversation.CURRENT,
    conversation.STEP,
}


class Said:
    """What was said in a session. `parts` are those of its latest summary by label, which came at `summed_up`.

    What the first summary names as the request stays.
    `commits` are those made while it was at work, oldest first, each as its short hash and its subject, and `made` has
    them with their times; `ran` has the runs of tests with their outcomes, `undone` the commands that took edits back.
    `remarks` are what Claude gave up in mid-turn. `chosen` are the answers to questions with choices, and accepted
    plans. `refused` has time, title and reason of refused plans. `worked` has when files were edited or committed.
    """

    def __init__(self, turns: "Sequence[Turn]", parts: dict[str, list[str]], summed_up: float = 0.0) -> None:
        self.turns = turns
        self.parts, self.summed_up = parts, summed_up
        self.worked: Sequence[float] = ()
        self._following: list[str] | None = None
        self.commits: list[str] = []
        self.made: list[Event] = []
        self.ran: list[Event] = []
        self.undone: list[Event] = []
        self.chosen: list[Decision] = []
        self.refused: list[tuple[float, str, str]] = []
        self.remarks: list[Event] = []
        self.waiting: list[tuple[str, float]] | None = None
        self.taken_up: list[Event] = []
        self._decisions: list[Decision] | None = None

    def without_candid(self, *, answers: bool) -> "Said":
        """Return this without what a person typed, beyond bare replies; without answers of Claude too, if wanted.

        With them it says how Claude took up what a person answered or corrected.
        """
        turns = [conversation.Turn(one.at, "", one.answered, one.answer, one.why) for one in self.turns if answers]
        kept = Said(turns, {label: texts for label, texts in self.parts.items() if answers and label in _OWN})
        kept.summed_up, kept.worked, kept.commits = self.summed_up, self.worked, self.commits
        kept._following = self.following if answers else []
        kept.remarks = self.remarks if answers else []
        kept.made, kept.ran, kept.undone = self.made, self.ran, self.undone
        kept_decisions = [self._without_words(one) for one in self.decisions if answers and one.at != self.summed_up]
        kept.chosen = [
            one for one in kept_decisions if one.answer or one.choice or one.then
        ]  # else it does not say what
        kept.taken_up = [(at, new) for at, text in self.corrections if answers and (new := self._taken_up(at, text))]
        kept.waiting = replies.open_questions(self.turns) if answers else []
        kept.refused = [(at, title, "") for at, title, _ in self.refused]
        return kept

    def _without_words(self, one: Decision) -> Decision:
        """Return a decision without what a person typed."""
        if not one.candid:
            return one
        first = next(iter(conversation.clauses(one.answer)), "")
        bare = replies.is_yes_or_no(one.question) and requests.answers(first) and not requests.is_request(first)
        choice = one.choice or decided.quoted(one.question, one.answer)
        made = Decision(one.at, one.question, first if bare else "", choice=choice)
        made.then = self._taken_up(one.at, one.answer)
        made.undone = one.undone.partition(": ")[0]
        return made

    def _taken_up(self, at: float, about: str) -> str:
        """Return what Claude's answer in the turn of a time says of what it is `about`, "" for nothing.

        That is what it states in prose with a third of the words of a sentence of that.
        """
        turn = next((one for one in reversed(self.turns) if one.at <= at), None)
        prose = [one.text for one in telling.prose_of(turn.answer) if not (one.item or one.head)] if turn else []
        wanted = [stems for one in conversation.sentences(about) if (stems := replies.stems(one))]
        for number, one in enumerate(prose, 1):
            if one.endswith(conversation.STOPS) and not conversation.asks(one) and _speaks_of(one, wanted):
                following = [text for text in prose[number : number + 1] if not next_steps.is_left(text)]
                more = [text for text in following if _speaks_of(text, wanted)]
                return conversation.clipped(" ".join([one, *more]), _OPENING)
        return ""

    @property
    def last(self) -> "Turn | None":
        """The last turn, None for none."""
        return self.turns[-1] if self.turns else None

    @property
    def objective(self) -> str:
        """The purpose of the work, "" for none: as the latest summary states it, or the first one names the request."""
        stated = self._of(conversation.OBJECTIVE) or self._of(conversation.REQUEST)
        return stated[0] if stated else objective(self.turns)

    @property
    def decisions(self) -> list[Decision]:
        """What was decided, oldest first: answers to questions, and what Claude's answers and a summary state."""
        if self._decisions is None:  # most of what is asked of this needs them
            self._decisions = self._decided()
        return self._decisions

    def _decided(self) -> list[Decision]:
        answered = [
            Decision(at, question, reply, choice=named, candid=not replies.is_bare(reply))
            for at, question, reply, named in decided.of_replies(self.turns)
            if not replies.informs(question)
        ]
        stated = [Decision(self.summed_up, "", text) for text in self._of(conversation.DECISION)]
        known = {one.answer for one in self.chosen}
        by_claude = [
            Decision(one.answered, "", text)
            for one in self.turns
            for text in decided.of_answer(one.answer)
            if text not in known
        ]
        chosen = [
            one for one in self.chosen if one.candid or not any(decided.restates(each, one) for each in by_claude)
        ]
        everything = (*answered, *chosen, *by_claude, *stated)
        distinct = {(one.question, one.answer, one.choice, one.then): one for one in everything}.values()
        statements = {one.answer for one in distinct if one.answer and not one.question}
        made = sorted((one for one in distinct if one.then not in statements), key=lambda one: one.at)
        for one in made:
            one.undone = one.undone or self._undone(one)
        return made

    def _undone(self, one: Decision) -> str:
        """Return when a person took a decision back, and how; "" for never."""
        later = ((turn.at, turn.prompt) for turn in self.turns if turn.at > one.at)
        pairs = ((at, text) for at, prompt in later if (text := given_up.takes_back(prompt, one.told)))
        return next((f"taken back on {clock.write(at, clock.MINUTE)}: {text}" for at, text in pairs), "")

    @property
    def corrections(self) -> list[tuple[float, str]]:
        """What the user corrected, forbade or prefers, with its time, oldest first; answers to questions are none."""
        answers = {one.at for one in self.decisions if one.question}
        said = [*self.taken_up]
        said += [(at, text) for at, text in given_up.corrections_of(self.turns, self.objective) if at not in answers]
        stated = [(self.summed_up, text) for text in self._of(conversation.PREFERENCE)]
        return sorted([*said, *stated])

    @property
    def given_up(self) -> list[tuple[float, str]]:
        """What was tried and given up, with its time, oldest first."""
        answers = {one.at for one in self.decisions if one.question}
        stated_before = [one.answer[:_BEGINNING] for one in self.decisions if one.answer and not one.question]
        said = [
            (at, text)
            for at, text in given_up.of_turns(self.turns)
            if at not in answers and not any(one in text for one in stated_before)
        ]
        said += [one for one in self.remarks if not any(one[1][:_BEGINNING] in text for _, text in said)]
        stated = [(self.summed_up, text) for text in self._of(conversation.DEAD_END)]
        if not stated:
            fixes = (text for text in self._of(conversation.FIX) if given_up.sentences_of(text))
            stated = [(self.summed_up, text) for text in fixes]
        return sorted([*said, *stated])

    @property
    def open_questions(self) -> list[str]:
        """The question with which the last answer ended, and those that a later summary states."""
        pairs = replies.open_questions(self.turns) if self.waiting is None else self.waiting
        asked = [f"{text} (put off on {clock.write(at, clock.MINUTE)})" if at else text for text, at in reversed(pairs)]
        return [*asked[:_QUESTIONS], *(self._of(conversation.QUESTION) if self._is_summed_up else [])]

    @property
    def following(self) -> list[str]:
        """What comes next and what is open, the latest first."""
        if self._following is None:
            self._following = self.still_open()
        return self._following

    def still_open(self, before: "Sequence[str]" = ()) -> list[str]:
        """Return what comes next and what is open, the latest first; `before` was open when the session began."""
        later = [turn for turn in self.turns if turn.answer and turn.answered > self.summed_up]
        at_once, pending = self._of(conversation.STEP), self._of(conversation.PENDING)
        if any(map(self._worked_in, later)):  # it went on with the step
            pending = [one for one in pending if not any(open_items.same(one, step) for step in at_once)]
            at_once = []
        stated = self._of(conversation.NEXT) or at_once + pending
        summary = (self.summed_up, stated[:_STATED] if len(later) < _OUTDATED else [])
        items = open_items.of_turns(self.turns, worked=self._worked_in, before=before, over=self.made, summary=summary)
        return [one.text for one in items]

    def _worked_in(self, turn: "Turn") -> bool:
        return any(turn.at <= at <= turn.answered for at in self.worked)

    @property
    def current(self) -> list[str]:
        """What a summary says of the present work, [] if an answer came since."""
        return self._of(conversation.CURRENT) if self._is_summed_up else []

    @property
    def _is_summed_up(self) -> bool:
        """Whether no answer came since the latest summary; the last prompt may wait for its own."""
        return all(turn.answered < self.summed_up for turn in self.turns)

    def _of(self, *labels: str) -> list[str]:
        return [text for label in labels for text in self.parts.get(label, [])]


def _speaks_of(text: str, wanted: list[set[str]]) -> bool:
    """Whether a text says, and does not suppose, something with a third of the words of a sentence, two of many."""
    its = replies.stems(text)
    if given_up.supposes(text):
        return False
    for one in wanted:
        shared = sum(1 + word.isdecimal() for word in one & its)  # a number tells more than a word
        if shared and 3 * shared >= len(one) and shared >= min(2, len(one) - 1, 1 + len(one) // 4):
            return True
    return False


def objective(turns: "Sequence[Turn]") -> str:
    """Return the first request that has substance and answers no question, as it was typed; "" for none.

    A short question, or a word or two, for which nothing was changed makes way for a later request.
    """
    made, put_off = replies.asked_and_answered(turns)
    answering = {*(one[0].at for one in made), *(one[0].at for one in put_off)}
    asked = [one for one in turns if one.at not in answering and requests.is_request(one.prompt)]
    later = (one for one in asked if not requests.in_passing(one.prompt) and requests.has_substance(one.prompt))
    first = asked[0] if asked else None
    is_weak = first and (requests.in_passing(first.prompt) or not requests.has_substance(first.prompt))
    if first and is_weak and not first.why:
        first = next(later, first)
    return first.prompt if first else ""


def of_facts(facts: "Sequence[Fact]") -> Said:
    """Return what these facts say, of which others than those that `log.said` reads do not matter."""
    beside = _beside_work(facts)
    prompts, answers, summaries = (
        [
            (number_of(fact, "at"), safe.safe(text_of(fact, "text")))
            for number, fact in enumerate(facts)
            if fact["kind"] == kind and number not in beside
        ]
        for kind in ("prompt", "answer", "summary")
    )
    typed = [(at, text) for at, text in prompts if typed_by_user(text) or not text]  # one that was removed has none
    turns = conversation.turns(typed, [(at, text) for at, text in answers if text])
    turns = [turn for turn in turns if turn.prompt or turn.answer]
    for at, why in _events(facts, "reason"):
        of_turn = next((turn for turn in reversed(turns) if turn.at <= at), None)
        if of_turn:
            of_turn.why = why
    parts = [(texts, at) for at, text in summaries if (texts := summary_parts(text))]
    said = Said(turns, _together([one for one, _ in parts]), parts[-1][1]) if parts else Said(turns, {})
    # Of a commit that was amended the last version counts.
    made = {text_of(fact, "subject"): text_of(fact, "id") for fact in facts if fact["kind"] == "commit"}
    said.chosen = [one for fact in facts for one in decided.of_fact(fact)]
    refused = (fact for fact in facts if fact["kind"] == "refused")
    said.refused = [(number_of(fact, "at"), text_of(fact, "text"), text_of(fact, "note")) for fact in refused]
    said.commits = [f"{ident[:7]} {subject}" for subject, ident in made.items() if subject]
    times = {text_of(fact, "id"): number_of(fact, "made") for fact in facts if fact["kind"] == "commit"}
    said.made = [(times[ident], f"{ident[:7]} {subject}") for subject, ident in made.items() if subject]
    said.worked = [*times.values(), *(number_of(fact, "at") for fact in facts if fact["kind"] == "edit")]
    said.ran, said.undone, said.remarks = (_events(facts, kind) for kind in ("ran", "undone", "remark"))
    return said


def _beside_work(facts: "Sequence[Fact]") -> set[int]:
    """Return the numbers of the facts that are about no work: answers as `Talk.takes` has them, and such small talk."""
    numbers, talk, prompt = set[int](), Talk(), -1
    for number, fact in enumerate(facts):
        kind, text = fact["kind"], text_of(fact, "text")
        if kind == "prompt":
            prompt = number
            talk.typed(text)
        elif kind in {"choice", "plan", "edit", "task"}:  # of the others some come later than what they tell of
            talk.works()
        elif kind == "answer" and not talk.takes(text):
            numbers |= {number} if talk.reports or not text else {number, prompt}
    return numbers


def _together(parts: "list[dict[str, list[str]]]") -> dict[str, list[str]]:
    """Return the parts of the latest summary, with the first one's request, and with what lasts of earlier ones."""
    kept = parts[-1] | {label: texts for label, texts in parts[0].items() if label == conversation.REQUEST}
    for label in conversation.LASTING:
        texts = dict.fromkeys(text for one in parts for text in one.get(label, []))
        kept |= {label: [*texts]} if texts else {}
    return kept


def _events(facts: "Sequence[Fact]", kind: str) -> "list[Event]":
    """Return (time, text) of each command of a kind, with its outcome."""
    found = [fact for fact in facts if fact["kind"] == kind]
    texts = (": ".join(text for key in ("text", "note") if (text := text_of(fact, key))) for fact in found)
    return [(number_of(fact, "made"), safe.safe(text)) for fact, text in zip(found, texts, strict=True)]


def of_session(store: str, ident: str) -> Said:
    """Return what was said in a session by its journal, nothing without one."""
    return of_facts(log.said(store, ident) if store else [])


def summary_parts(text: str) -> dict[str, list[str]]:
    """Return the texts by label that these lines of a compaction's summary have."""
    by_heading: dict[str, list[str]] = {}
    for line in text.splitlines():
        label, colon, rest = line.partition(": ")
        if colon and label in {*conversation.STATED, *conversation.SECTIONS.values()}:
            by_heading.setdefault(label, []).append(rest)
    return by_heading
