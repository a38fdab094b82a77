"""What was said in a session, as the next one needs it: objective, answers to questions, corrections, where it stopped.

Everything is quoted from the journal. The user's words never leave the store by this: the text goes to Claude only.
"""

import time

from holdfast.git import own_commits
from holdfast.journal import asked, conversation, telling
from holdfast.journal.given_up import MOST_PREFERRED
from holdfast.project import paths
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.conversation import Turn
    from holdfast.journal.said import Said
    from holdfast.sessions.session import Session

_SINCE = 4  # commits that are named, made after the session
_DECISIONS, _TOGETHER = 10, 3  # lines of decisions, decisions of a list that comes first
_GIVEN_UP = 4
_STEPS = 5
_COMMITS = 6
_OBJECTIVE, _PROMPT, _STEP = 350, 250, 200  # characters of each
_STOPPED, _STOPPED_MOST, _STOPPED_LESS = 0.4, 1300, 800  # of the room, for the last answer; characters of it
_FEW = 4  # turns of a session whose last answer has more room
_SUMMED_UP = 0.75  # of what is left, for decisions, corrections and what was given up; the rest shows the turns
_EARLIER = 0.85  # the same of a session before that
_BEGINNING = 60  # characters by which a text that was quoted already is known
_TURN_LEAST, _TURN_MOST = 90, 600  # characters of a turn that is quoted in short
_LEAST = 60  # characters of a line that is cut
_ASKED_SHARE = 0.35  # of a turn, for the prompt


def commits_since(session: "Session") -> str:
    """Return the line about commits that were made in a session's working tree after it, "" for none."""
    tree = paths.locate(session.worktree or session.root)
    made = own_commits.since(tree.git, session.last_active) if tree.git else []
    named = [
        f"{one.name[:7]} {safe.line(one.subject, 100)}{f' (on {safe.line(one.branch, 60)})' * bool(one.branch)}"
        for one in made
        if one.name not in session.commits
    ]
    return f"Commits here since then: {safe.listed(named, _SINCE, '; ')}" if named else ""


def lines(said: "Said", room: int, kept: "Sequence[str]" = ()) -> list[str]:
    """Return what the next session needs of what was said, most important first, in about `room` characters.

    `kept` are the preferences that the reader has elsewhere.
    """
    last = said.last
    if last is None:
        return []
    purpose = _labelled("Objective", conversation.clipped(asked.title(said.objective), _OBJECTIVE))
    first = last.prompt == said.objective
    others = _size([line for group in _groups(said, kept, "") for line in group]) + _size(purpose)
    most = _STOPPED_MOST if len(said.turns) <= _FEW else _STOPPED_LESS
    whole = min(max(int(room * _STOPPED), room - others), most)
    stopped = _stopped(last, whole, "" if first else last.prompt)
    stopped += [*_next(said, last), *_labelled("Commits", "; ".join(said.commits[-_COMMITS:]))]
    left = room - _size([*purpose, *stopped])
    made = [*purpose, *_summed_up(said, int(left * _SUMMED_UP), kept, _plain(stopped)), *stopped]
    return [*made, *_turns_in_short(said.turns, room - _size(made), _plain(made))]


def earlier(said: "Said", room: int, kept: "Sequence[str]", shown: "Sequence[str]") -> list[str]:
    """Return what work that another session went on with had decided, learned and left, beyond the lines `shown`."""
    made = _labelled("Objective", conversation.clipped(asked.title(said.objective), min(_OBJECTIVE, room // 3)))
    made += _summed_up(said, int((room - _size(made)) * _EARLIER), kept, _plain(shown))
    ahead = "; ".join(conversation.clipped(step, _STEP) for step in said.following[:_STEPS])
    for label, text in (("Commits", "; ".join(said.commits[-_COMMITS:])), ("Named as next then", ahead)):
        left = room - _size(made) - len(label) - 3
        made += _labelled(label, conversation.clipped(text, left)) if left > _LEAST else []
    left = room - _size(made) - 20
    last = (
        telling.of_turn(said.last, min(left, _TURN_MOST), _plain([*shown, *made]))
        if said.last and left > _LEAST
        else ""
    )
    made += _labelled("Claude said last", last)
    return [*made, *_turns_in_short(said.turns, room - _size(made), _plain([*shown, *made]))]


def _summed_up(said: "Said", room: int, kept: "Sequence[str]", shown: str) -> list[str]:
    """Return decisions, corrections and what was given up, as far as they fit and are not in what is `shown`."""
    return _fitted(_groups(said, kept, shown), room)


def _groups(said: "Said", kept: "Sequence[str]", shown: str) -> list[list[str]]:
    return [_decisions(said), _corrections(said, kept), _given_up(said, shown)]


def _plain(made: "Sequence[str]") -> str:
    return " ".join(" ".join(line.removeprefix("> ").split()) for line in made)


def _size(made: list[str]) -> int:
    return sum(len(line) + 1 for line in made)


def _labelled(label: str, text: str) -> list[str]:
    return [f"{label}: {text}"] if text else []


def _stopped(last: "Turn", room: int, prompt: str) -> list[str]:
    """Return the last answer with its time and its prompt, or the prompt that has no answer yet."""
    if not last.answer:
        return _labelled(f"Not answered yet ({day(last.at)})", conversation.clipped(last.prompt, room))
    text = conversation.ends(last.answer, room)
    before = _labelled("The last prompt", conversation.clipped(prompt, _PROMPT))
    return [*before, f"Where it stopped ({day(last.answered)}), in Claude's words:", *_quoted(text)]


def _next(said: "Said", last: "Turn") -> list[str]:
    """Return the open questions, what is next as far as the last answer does not say it, and the work at the time."""
    named = "; ".join(conversation.clipped(step, _STEP) for step in said.following[:_STEPS] if step not in last.answer)
    current = conversation.clipped(" ".join(said.current), _OBJECTIVE)
    parts = tuple(conversation.sentences(last.answer))
    question = "; ".join(one for one in said.open_questions if not one.endswith(parts))
    return [
        *_labelled("Open question to the user", conversation.clipped_front(question, _OBJECTIVE)),
        *_labelled("The summary since then says of the work", current),
        *_labelled("Named as next earlier", named),
    ]


def _decisions(said: "Said") -> list[str]:
    """Return a label and what was decided, a line for all at once: a list such as a table, then the latest."""
    times = [*dict.fromkeys(one.at for one in reversed(said.decisions))]
    times.sort(key=lambda at: sum(one.at == at for one in said.decisions) < _TOGETHER)
    decided = [f"- {day(at)}: {'; '.join(one.told for one in said.decisions if one.at == at)}" for at in times]
    return ["Decided (what the user said in quotation marks):", *decided[:_DECISIONS]] if decided else []


def _corrections(said: "Said", kept: "Sequence[str]") -> list[str]:
    """Return a label and what the user corrected or prefers, the latest first; [] for nothing."""
    new = [(at, text) for at, text in reversed(said.corrections) if text not in kept]
    quoted = [f'- {day(at)}: "{text}"' for at, text in new][: max(0, MOST_PREFERRED - len(kept))]
    return ["The user corrected, or prefers:", *quoted] if quoted else []


def _given_up(said: "Said", shown: str) -> list[str]:
    """Return a label and what was tried and given up, the latest first, but for what is `shown`."""
    refused = [
        (at, f'The user refused the plan "{title}"{reason and ": "}{reason}') for at, title, reason in said.refused
    ]
    known = [(at, f'"{text}"') for at, text in said.given_up if text[:_BEGINNING] not in shown]
    quoted = [f"- {day(at)}: {text}" for at, text in sorted([*refused, *known], reverse=True)]
    return ["Tried and given up, or refused:", *quoted[:_GIVEN_UP]] if quoted else []


def _fitted(groups: list[list[str]], room: int) -> list[str]:
    """Return the first lines of each group that fit; each group gets its next line in turn, the label with the first.

    What a group does not use is left to the others.
    """
    kept: list[list[str]] = [[] for _ in groups]
    for at in range(1, max(map(len, groups), default=0)):
        for number, group in enumerate(groups):
            new = [*([] if kept[number] else group[:1]), *group[at : at + 1]]
            if at < len(group) and _size(new) <= room:
                room -= _size(new)
                kept[number] += new
    return [line for chosen in kept for line in chosen]


def _turns_in_short(turns: "Sequence[Turn]", room: int, shown: str) -> list[str]:
    """Return the turns before the last one, oldest first: each prompt with the telling sentences of its answer.

    An answer that was `shown` already is not repeated.
    """
    label = "Turn by turn:"
    earlier = turns[:-1]
    room -= len(label) + 1
    count = min(len(earlier), max(0, room // _TURN_LEAST))
    if not count:
        return []
    made: list[str] = []
    for number, turn in enumerate(earlier[-count:]):
        share = min((room - _size(made)) // (count - number), _TURN_MOST)
        text = _in_short(turn, share - 3, shown)
        made += [f"- {text}"] if text else []
    return [label, *made] if made else []


def _in_short(turn: "Turn", room: int, shown: str) -> str:
    """Return a turn on one line within `room` characters, without what was `shown`; "" for nothing new."""
    whole = " ".join(asked.title(turn.prompt).split())
    new = whole and whole[:_BEGINNING] not in shown
    prompt = f'"{conversation.clipped(whole, max(40, int(room * _ASKED_SHARE)))}"' if new else day(turn.at)
    answer = telling.of_turn(turn, room - len(prompt) - 3, shown)
    return f"{prompt} → {answer}" if answer else prompt if new else ""


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.splitlines() if line.strip()]


def day(at: float) -> str:
    """Return a time as the user's clock shows it."""
    return time.strftime("%d %b %H:%M", time.localtime(at))
