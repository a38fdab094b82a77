"""How far the work is: the task at hand, tasks and subagents that are not recorded, a status that does not fit."""

import re

from holdfast import clock, text
from holdfast.audits.contradictions import contradictions
from holdfast.dialects import names
from holdfast.drifts.item import SUBAGENT, TASK, Item, listed
from holdfast.drifts.records import is_record
from holdfast.drifts.sight import OPEN, Sight, wish
from holdfast.memory.step import OURS, bare, status_of
from holdfast.memory.view import CONTEXT, View, called, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.session import Child, Session

_OVER = frozenset({"completed", "deleted"})
_NUMBER = re.compile(r"TASK-\d+")
_NUMBERED = re.compile(r"[A-Z]+-\d+\b")
_BOX = re.compile(r"^[ \t>]*[-*+] \[(?P<box>.)\] (?P<item>.+)$", re.MULTILINE)
_STATUS = "Status"


def task(sight: Sight) -> "Iterator[Item]":
    """Yield that the file names a task as the one at hand that is over."""
    place, said = _at_hand(sight)
    about = names.plain(_NUMBER.sub("", said))
    known = [one for one in sight.session.tasks.values() if one[0] and about and _same(about, one[0])]
    if not known or any(status not in _OVER for _, status, _ in known):
        return
    at = max(at for _, _, at in known)
    going = [subject for subject, status, _ in sight.session.tasks.values() if status == "in_progress" and subject]
    following = _numbered(sight, going[-1]) if going else ""
    done = f"{known[-1][1]} {clock.ago(sight.known.now - at)}"
    evidence = f'{done}, "{going[-1]}" in progress' if going else f"{done}, none in progress"
    yield Item("task", said, following or "none in progress", evidence, sight.sync(wish(place, following or OPEN)))


def _at_hand(sight: Sight) -> tuple[str, str]:
    """Return where the file says which task is at hand, and what it says there."""
    if sight.view.task:
        return f"label:{CONTEXT}/Task", sight.view.task
    for place in sight.record.dialect.model.get("focus", []):
        if "task" in names.plain(re.split("[./:]", place)[-1]):
            for spot in sight.record.find(place):
                return place, sight.record.text(spot)
    return "", ""


def _same(about: str, subject: str) -> bool:
    """Whether the words for the task at hand are those of a task, be it with more around them."""
    plain = names.plain(subject)
    return bool(plain) and (about == plain or f" {plain} " in f" {about} ")


def _numbered(sight: Sight, subject: str) -> str:
    """Return a task with the number that the file has for it."""
    at = sight.prose.words.find(subject)
    known = _NUMBER.findall(sight.prose.words[max(0, at - 16) : at]) if at >= 0 else []
    return f"{known[-1]} - {subject}" if known else subject


def tasks(sight: Sight) -> "Iterator[Item]":
    """Yield the tasks that were created or completed since, and that the file does not name at all."""
    session = sight.session
    changed = [(subject, status) for subject, status, at in session.tasks.values() if subject and at > sight.since]
    known = [one for one in dict.fromkeys(changed) if one[1] != "deleted"]
    new = [one for one in known if not _named(sight, one[0])]
    ahead = _ahead(sight) if len(new) < len(known) else set()
    done = [one for one in known if one not in new and _is_ahead(sight, *one, ahead)]
    if not new and not done:
        return
    told = [f"{subject} ({status})" for subject, status in [*new, *done]]
    settles = session.unsettled and sight.record.dialect.measured and not done
    call = f"holdfast settle --session {session.id}" if settles else sight.noted([TASK + one for one in told])
    yield Item("tasks", "", listed(told), call=call, names=[subject for subject, _ in [*new, *done]])


def _named(sight: Sight, subject: str) -> bool:
    """Whether a file names a task, be it as holdfast writes it: in one line, with secrets masked."""
    return any(map(sight.whole.says, _written(subject)))


def _written(subject: str) -> tuple[str, ...]:
    """Return a task's subject in the forms that it is written in."""
    return subject, text.line(subject, 200), text.line(subject)


def _ahead(sight: Sight) -> set[str]:
    """Return what people and the model wrote that is still to be done: next steps, and items whose box is open."""
    steps = [step for spot in sight.record.spots("next") for step in sight.record.entries(spot)]
    boxes = [(found["box"], found["item"]) for found in _BOX.finditer(sight.prose.words)]
    ahead = {names.plain(bare(one)) for one in [*steps, *(item for box, item in boxes if box == " ")]}
    return ahead - {names.plain(bare(item)) for box, item in boxes if box != " "}


def _is_ahead(sight: Sight, subject: str, status: str, ahead: set[str]) -> bool:
    """Whether a file has a task still before it that is completed, and says nowhere that it is."""
    done = any(sight.whole.says(f"{form} (completed)") for form in _written(subject))
    return status == "completed" and not done and names.plain(subject) in ahead


def unfinished(session: "Session", view: View) -> list[str]:
    """Return what is not finished by the session's tasks and by its file: what is at hand there, on its list, proposed.

    Each once, whichever of them name it.
    """
    plan = view.plan[0] if view.plan else ""
    at_hand = [view.task] if _NUMBERED.match(view.task) and called(view.task) != plan else []
    said = [*session.unfinished(), *map(bare, at_hand), *(bare(item) for item, open_ in view.tasks if open_)]
    known: set[str] = set()
    found = []
    for one in said:
        keys = {" ".join(word.split()).casefold() for word in split(one) if word}
        found += [] if keys & known else [one]
        known |= keys
    return [*found, *([f"{plan} waits for approval"] if plan else [])]


def children(sight: Sight) -> "Iterator[Item]":
    """Yield the subagents that started or finished since, and that nobody wrote of."""
    heard = [child for child in sight.session.children.values() if child.heard > sight.since]
    new = [child for child in heard if not _mentioned(sight, child)]
    if new:
        told = [f"{child.type or 'subagent'} {child.id} ({child.status})" for child in new]
        called_ = [f"{child.type or 'subagent'} {child.id}" for child in new]
        yield Item("children", "", listed(told), call=sight.noted([SUBAGENT + one for one in told]), names=called_)


def _mentioned(sight: Sight, child: "Child") -> bool:
    """Whether a text names a subagent by its id, its type, or what it answered.

    Of one that was at work when the text was written only the end is news, which no name in it can tell.
    """
    answer = child.answer.partition("\n")[0]
    if len(answer) > 20 and sight.prose.says(answer):
        return True
    if child.started <= sight.since and child.status == "completed":
        return sight.prose.says(f"{child.id} ({child.status})")
    return any(word and sight.prose.has(word) for word in (child.id, child.type))


def status(sight: Sight) -> "Iterator[Item]":
    """Yield a status that does not fit: done and work went on, all tasks done, file against itself."""
    yield from _status(sight)
    yield from _turned(sight)
    for finding in contradictions(sight.record, []):
        if finding.what in {"status", "progress"}:
            call = sight.sync({_STATUS: OPEN})
            yield Item("status", "", f"line {finding.line}: {finding.why}", call=call)


def _status(sight: Sight) -> "Iterator[Item]":
    """Yield that the session's own work does not fit the status."""
    said, _ = sight.said("status")
    standing = sight.record.dialect.standing(said)
    session = sight.session
    if standing == "completed":
        done = session.completed or max(sight.since, _stamped(sight))
        later = _later(sight, done) if done else []
        word = next(iter(sight.record.dialect.status.get("active", [])), OPEN)
        if later:
            yield Item("status", said, word, f"work went on: {listed(later)}", sight.sync({_STATUS: word}))
    elif standing == "active" and _all_done(sight):
        evidence = "every task is done; `holdfast close` when nothing is left"
        yield Item("status", said, "completed?", evidence, sight.sync({_STATUS: OPEN}))


def _later(sight: Sight, done: float) -> list[str]:
    """Return what was worked on after a time: files, but for records and what was only formatted, and tasks begun."""
    changed = [path for path in sight.session.inside(done) if not is_record(path, sight.known.dialects.places)]
    same = sight.known.same if changed else set()
    tasks = sight.session.tasks.values()
    begun = [subject for subject, status, at in tasks if subject and status == "in_progress" and at > done]
    return [*(path for path in changed if path not in same), *begun]


def _turned(sight: Sight) -> "Iterator[Item]":
    """Yield that the status is one of holdfast's own, and not the one that follows from plans and discussions."""
    said, found = sight.view.status, status_of(sight.view)
    if said in OURS and said != found:
        plan = f"{sight.view.plan[0]} waits for approval" if sight.view.plan else "no plan waits for approval"
        why = f"in a discussion: {sight.view.current}" if sight.view.depth else f"in no discussion, {plan}"
        yield Item("status", said, found, why, sight.sync(wish(f"label:{CONTEXT}/{_STATUS}", found)))


def _stamped(sight: Sight) -> float:
    """Return when the file says that it was changed last."""
    return max((clock.find(sight.record.text(spot)) for spot in sight.record.spots("updated")), default=0.0)


def _all_done(sight: Sight) -> bool:
    """Whether every task is over, one of them completed, no subagent runs, and no file was changed after."""
    session = sight.session
    done = [at for _, status, at in session.tasks.values() if status == "completed"]
    return (
        bool(done) and not unfinished(session, sight.view) and not session.running() and not session.inside(max(done))
    )
