"""Compare a state file with the progress of the work: current task, tasks, subagents and status."""

import re
from collections.abc import Iterable, Iterator

from holdfast.context.drift.changes import OPEN, Comparison, request
from holdfast.context.drift.item import SUBAGENT, TASK, Item, is_record, listed
from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.formats import listing, names
from holdfast.formats.audit.contradictions import contradictions
from holdfast.journal.session import TASK_OVER, Child
from holdfast.memory.step import OWN_STATUSES, status_of
from holdfast.memory.view import CONTEXT, PROPOSED, UPDATES, View, bare, called, headed, same_task, split, stacked
from holdfast.sessions.ledger import CURRENT
from holdfast.sessions.session import Session
from holdfast.trust import safe

_NUMBER = pattern(r"TASK-\d+")
_BOX = pattern(r"^[ \t>]*[-*+] \[(?P<box>.)\] (?P<item>.+)$", re.MULTILINE)
_STATUS = "Status"
_SINCE = "by a command, after which the file was put back"


def task(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the current task of the file is completed or deleted.

    Entries of the client's list from before a command set the current task do not count.
    """
    place, current = _current_task(comparison)
    kept = comparison.evidence.memory.kept
    over = any(same_task(task, current) for task, status in kept.tasks.items() if status != CURRENT)
    plan = next((" - ".join(cells[:2]) for cells in reversed(kept.plans.values()) if cells[2:3] == [PROPOSED]), "")
    at_hand = plan or kept.current
    if over and "task" in kept.put_back and at_hand and not same_task(at_hand, current):
        call = f"holdfast plan propose {safe.shell(plan)}" if plan else comparison.sync(request(place, at_hand))
        yield Item("task", current, at_hand, _SINCE, call)
        return
    listed = [one for one in comparison.session.tasks.values() if one[0] and one[2] > comparison.session.file.task_set]
    known = [one for one in listed if current and _same(current, comparison.view.listed(one[0]))]
    if not known or any(status not in TASK_OVER for _, status, _ in known):
        return
    at = max(at for _, _, at in known)
    going = [subject for subject, status, _ in listed if status == "in_progress"]
    following = _numbered(comparison, going[-1]) if going else ""
    done = f"{known[-1][1]} {clock.ago(comparison.evidence.now - at)}"
    evidence = f'{done}, "{going[-1]}" in progress' if going else f"{done}, none in progress"
    requests = [request(place, following or OPEN)]
    if following and UPDATES in comparison.view.there:  # else nothing would say what became of the task
        requests.append(request(f"section:{UPDATES}", [f"Completed {headed(current)}"]))
    yield Item("task", current, following or "none in progress", evidence, comparison.sync(*requests))


def phase(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the file is from before a command changed the phase."""
    kept, current = comparison.evidence.memory.kept, comparison.view.phase
    place = comparison.place("phase") if CONTEXT not in comparison.view.there else f"label:{CONTEXT}/Phase"
    if "phase" in kept.put_back and current in kept.phases and place and kept.phase != current:
        yield Item("phase", current, kept.phase, _SINCE, comparison.sync(request(place, kept.phase)))


def _current_task(comparison: Comparison) -> tuple[str, str]:
    """Return the place and the text of the file's current task, ("", "") if it names none."""
    if comparison.view.task:
        return f"label:{CONTEXT}/Task", comparison.view.task
    for place in comparison.record.file_format.model.get("focus", []):
        if "task" in names.plain(re.split("[./:]", place)[-1]):
            for spot in comparison.record.find(place):
                return place, comparison.record.text(spot)
    return "", ""


def _same(current: str, subject: str) -> bool:
    """Return whether the text of the current task names a task of the list, or contains its title as whole words."""
    about, plain = (names.plain(split(one)[1]) for one in (current, subject))
    idents = {ident for one in (current, subject) if (ident := split(one)[0])}
    return same_task(current, subject) or (len(idents) < 2 and bool(plain) and f" {plain} " in f" {about} ")


def _numbered(comparison: Comparison, subject: str) -> str:
    """Return a task with the id that the file gives it; in working memory a task without one gets the next."""
    at = comparison.prose.words.find(subject)
    known = _NUMBER.findall(comparison.prose.words[max(0, at - 16) : at]) if at >= 0 else []
    if known and not _NUMBER.match(subject):
        return f"{known[-1]} - {subject}"
    return comparison.evidence.memory.numbers.titled(subject) if comparison.view.task else subject


def tasks(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the tasks that changed since the last update and that the file does not record."""
    session = comparison.session
    changed = [(subject, status) for subject, status, at in session.tasks.values() if subject and at > comparison.since]
    known = [one for one in dict.fromkeys(changed) if one[1] != "deleted"]
    new = [one for one in known if not _named(comparison, one[0])]
    ahead = _ahead(comparison) if len(new) < len(known) else set()
    done = [one for one in known if one not in new and _is_ahead(comparison, *one, ahead)]
    if not new and not done:
        return
    shown = [f"{subject} ({status})" for subject, status in [*new, *done]]
    settles = session.settling.unsettled and comparison.record.file_format.measured and not done
    call = f"holdfast settle --session {session.id}" if settles else comparison.log_call([TASK + one for one in shown])
    yield Item("tasks", "", listed(shown), call=call, names=[subject for subject, _ in [*new, *done]])


def _named(comparison: Comparison, subject: str) -> bool:
    """Return whether the file mentions a task, also in the masked one-line form that holdfast writes."""
    return any(map(comparison.whole.says, _written(subject)))


def _written(subject: str) -> tuple[str, ...]:
    """Return the forms in which a task's subject may be written: masked, and with its id as the sections have it."""
    ident, title = split(subject)
    with_id = (f"{ident}: {title}", f"{ident} - {title}", stacked(subject)) if ident else ()
    return subject, safe.line(subject, 200), safe.line(subject), *map(safe.line, with_id)


def _ahead(comparison: Comparison) -> set[str]:
    """Return what people and the model listed as still to be done: next steps and unticked items."""
    steps = [step for spot in comparison.record.spots("next") for step in listing.entries(comparison.record, spot)]
    boxes = [(match["box"], match["item"]) for match in _BOX.finditer(comparison.prose.words)]
    ahead = {names.plain(bare(one)) for one in [*steps, *(item for box, item in boxes if box == " ")]}
    return ahead - {names.plain(bare(item)) for box, item in boxes if box != " "}


def _is_ahead(comparison: Comparison, subject: str, status: str, ahead: set[str]) -> bool:
    """Return whether a completed task is still listed as to be done."""
    done = any(comparison.whole.says(f"{form} (completed)") for form in _written(subject))
    return status == "completed" and not done and names.plain(subject) in ahead


def unfinished(session: "Session", view: View, unticked: "Iterable[str]" = ()) -> list[str]:
    """Return all unfinished tasks, each once: the session's own, the file's current task and list, a proposed plan.

    `unticked` are the texts of other boxes of the file.
    """
    plan = view.plan[0] if view.plan else ""
    at_hand = [view.task] if view.task and called(view.task) != plan else []
    listed_open = [item for item, open_ in view.tasks.items() if open_]
    known: set[str] = set()
    found = []
    for one in [*map(view.listed, session.unfinished()), *map(bare, [*at_hand, *listed_open, *unticked])]:
        keys = {" ".join(word.split()).casefold() for word in split(one) if word}
        found += [] if keys & known else [one]
        known |= keys
    return [*found, *([f"{plan} waits for approval"] if plan else [])]


def children(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the subagents that started or finished since the last update and are not mentioned."""
    changed = [child for child in comparison.session.children.values() if child.last_active > comparison.since]
    new = [child for child in changed if not _mentioned(comparison, child)]
    if new:
        shown = [f"{child.type or 'subagent'} {child.id} ({child.status})" for child in new]
        called_ = [f"{child.type or 'subagent'} {child.id}" for child in new]
        yield Item(
            "children", "", listed(shown), call=comparison.log_call([SUBAGENT + one for one in shown]), names=called_
        )


def _mentioned(comparison: Comparison, child: "Child") -> bool:
    """Return whether a text mentions a subagent by id, type or answer.

    If the subagent ran when the text was written, only its end is new, and its name alone does not tell that.
    """
    answer = child.answer.partition("\n")[0]
    if len(answer) > 20 and comparison.prose.says(answer):
        return True
    if child.started <= comparison.since and child.status == "completed":
        return comparison.prose.says(f"{child.id} ({child.status})")
    return any(word and comparison.prose.has(word) for word in (child.id, child.type))


def status(comparison: Comparison) -> "Iterator[Item]":
    """Yield items about a status that contradicts the session, working memory, or the rest of the file."""
    yield from _status(comparison)
    yield from _turned(comparison)
    for finding in contradictions(comparison.record, []):
        if finding.what in {"status", "progress"}:
            call = comparison.sync({_STATUS: OPEN})
            yield Item("status", "", f"line {finding.line}: {finding.why}", call=call)


def _status(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the file is completed but work continued; that every task is done completes nothing."""
    current, _ = comparison.value("status")
    category = comparison.record.file_format.category(current)
    session = comparison.session
    if category == "completed":
        done = session.file.completed or max(comparison.since, _stamped(comparison))
        later = _later(comparison, done) if done else []
        word = next(iter(comparison.record.file_format.status.get("active", [])), OPEN)
        if later:
            yield Item("status", current, word, f"work went on: {listed(later)}", comparison.sync({_STATUS: word}))


def _later(comparison: Comparison, done: float) -> list[str]:
    """Return the work after a time: changed files, except records and formatting changes, and tasks in progress."""
    changed = [
        path for path in comparison.session.inside(done) if not is_record(path, comparison.evidence.formats.patterns)
    ]
    same = comparison.evidence.same if changed else set()
    tasks = comparison.session.tasks.values()
    begun = [subject for subject, status, at in tasks if subject and status == "in_progress" and at > done]
    return [*(path for path in changed if path not in same), *begun]


def _turned(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if holdfast's own status word differs from what plans and discussions imply."""
    current, measured = comparison.view.status, status_of(comparison.view)
    if current in OWN_STATUSES and current != measured:
        plan = f"{comparison.view.plan[0]} waits for approval" if comparison.view.plan else "no plan waits for approval"
        why = f"in a discussion: {comparison.view.current}" if comparison.view.depth else f"in no discussion, {plan}"
        yield Item("status", current, measured, why, comparison.sync(request(f"label:{CONTEXT}/{_STATUS}", measured)))


def _stamped(comparison: Comparison) -> float:
    """Return the newest time stamp of the file, 0.0 for none."""
    return max((clock.find(comparison.record.text(spot)) for spot in comparison.record.spots("updated")), default=0.0)
