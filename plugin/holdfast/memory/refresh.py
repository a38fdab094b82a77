"""Bring the six sections up to date: what each of them should say, from what is measured and what the others say."""

import re
from collections.abc import Callable
from dataclasses import replace

from holdfast.core import clock
from holdfast.editing.edit import Editor, Outcome
from holdfast.editing.requests import ManagedLines, Request
from holdfast.formats import names, state_file
from holdfast.formats.catalogue import Formats
from holdfast.journal.transcript import Usage
from holdfast.markdown.document import inline
from holdfast.memory import available_actions
from holdfast.memory import budget as budgets
from holdfast.memory.budget import Budget
from holdfast.memory.loops.book import Book
from holdfast.memory.loops.elements import KIND, Loop, is_over
from holdfast.memory.measured import Measured
from holdfast.memory.step import AWAITING, NOT_FORKED, OWN_STATUSES, WORKING, Changes, own_focus, set_no_task, status_of
from holdfast.memory.view import (
    ACTIONS,
    BUDGET,
    CHECKPOINT,
    CONTEXT,
    FORMAT,
    LISTED,
    LOOP_COLUMNS,
    LOOPS,
    STACK,
    TITLE_LENGTH,
    UPDATES,
    View,
    called,
    entries,
    field,
    lines,
    loop_rows,
    same_task,
    seen,
    spellings,
    split,
    stacked,
    text,
    timed_entries,
    update_entry,
    updates_ahead,
)
from holdfast.project import ids
from holdfast.trust import safe

BUDGET_LINE = re.compile(r"(?P<used>[\d,]+) / (?P<window>[\d,]+) tokens \((?P<percent>\d+)%\)(?: - (?P<zone>\w+))?")
_OF_TASK = re.compile(r"(?:Started|Completed|Skipped) (?P<task>TASK-\d+: .+)", re.DOTALL)
_TOTAL = re.compile(r"\d+(?: loops?)?(?: \((?:(?:\d+ )?(?:clarifying|open)(?:, )?)+\))?")
_PHASE = re.compile(r"(?:[^\w\s]+ )?\w+ zone(?: \([^)]*\))?", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def requests(view: View, measured: Measured) -> list[Request]:
    """Return the requests that bring the sections of a file up to date with what is measured, without the news."""
    found: list[Request] = []
    if CONTEXT in view.there:
        found += _task(view, measured)
    if LOOPS in view.there and measured.book:
        found += _loops(view, measured, measured.book)
    if BUDGET in view.there and measured.budget:
        found += _budget(view, measured.budget)
    return found


def news(before: View, after: View, measured: Measured) -> list[Request]:
    """Return the entries for Recent Updates that follow from the change between two states of a file."""
    if UPDATES not in before.there:
        return []
    known = {entry for _, entry in timed_entries(before.record)}
    found = []
    for at, verb, task in measured.news:
        line = f"{verb} {_with_id(task, before, after, measured)}"
        found += [update_entry(line, clock.write(at, clock.MINUTE))] if line not in known else []
    lines = [*_loop_news(before, after, measured.book), *_budget_news(before, after)]
    return found + [update_entry(line, "") for line in lines if line not in known]


def current_task(view: View, measured: Measured) -> str:
    """Return the task, with its id, that was begun in the client's list after the file's task was over; "" for none."""
    subject = safe.line(measured.current, 200)
    over = not view.task or any(same_task(view.task, done) for done in measured.done)
    if not subject or view.plan or not over or (view.task and same_task(subject, view.task)):
        return ""
    listed = next((task for task in [*view.tasks, *measured.listed] if same_task(task, subject)), "")
    return listed or measured.numbers.titled(subject)


def _task(view: View, measured: Measured) -> list[Request]:
    """Return the requests for the current task, and for the stack that names it."""
    task = current_task(view, measured)
    over = bool(view.task) and any(same_task(view.task, done) for done in measured.done)
    if not task and over and not view.plan:
        ended = set_no_task(Changes("", []), view, f"{called(view.task)} is complete").requests
        return [one for one in ended if one.keys[0] in view.there]
    if not task:
        return []
    found = [Request((CONTEXT, "Task"), text=task)]
    found += [Request((CONTEXT, "Focus"), text=split(task)[1])] if own_focus(view) else []
    if STACK in view.there and not view.depth:
        found += [Request((STACK, "Current"), text=stacked(task)), Request((STACK, "Return to"), text=NOT_FORKED)]
    return found


def _with_id(subject: str, before: View, after: View, measured: Measured) -> str:
    """Return a task of the client's list as entries name it, "TASK-003: Parse", with the id that it has or gets."""
    leading = ids.split_title("TASK", subject)
    if leading:
        return ": ".join(leading)
    named = [before.task, after.task, *after.tasks, *measured.listed]
    named += [match["task"] for _, entry in timed_entries(before.record) if (match := _OF_TASK.fullmatch(entry))]
    same = [split(task) for task in named if task and same_task(task, subject)]
    ident, title = next((pair for pair in same if pair[0]), None) or split(measured.numbers.titled(subject))
    return f"{ident}: {title}" if ident else subject


def _loops(view: View, measured: Measured, book: Book) -> list[Request]:
    """Return the request for the table of loops: rows for those that are open, without those that are closed.

    Text that a person wrote into a row stays, and a row that a person took out stays out; in an existing row only the
    status is updated, and the title where LOOPS.md has another one since then.
    """
    there = {cells[0]: cells for cells in loop_rows(view.record)}
    spelled = spellings(view.record)
    days = bool(there) and all(_DAY.fullmatch(cells[3]) for cells in there.values())
    ahead = updates_ahead(view.record)
    items = {_item_of(line) for line in lines(view.record, LOOPS)} - {""}
    rows: dict[str, list[str] | None] = {}
    for loop in (loop for loop in book.open if loop.ident not in measured.gone | items):
        known = there.get(loop.ident)
        full = row(loop, ahead=ahead, days=days)
        title = full[1:2] if loop.ident in measured.renewed else _missing(known, full, 1)
        cells = [full[0], *title, loop.status, *_missing(known, full, 3)]
        rows[spelled.get(loop.ident, loop.ident)] = cells
    still = {loop.ident for loop in book.open}
    over = [loop for loop in book.loops if loop.over and loop.ident in there and loop.ident not in still | items]
    rows |= {spelled[loop.ident]: None for loop in over}
    ended = {spelled[loop.ident]: [loop.ident, "", loop.status, ""] for loop in over}
    found = _in_list(view, book) if items else []
    return [*found, Request((LOOPS,), rows=rows, ended=ended, columns=LOOP_COLUMNS)] if rows else found


def _in_list(view: View, book: Book) -> list[Request]:
    """Return the request for a list of loops that a person keeps instead of the table: status, and what is closed."""
    status = {loop.ident: loop.status for loop in book.loops}
    kept = []
    there = [line for section in view.record.sections(LOOPS) for line in view.record.body(section).splitlines()]
    for line, below in zip(there, [*there[1:], ""], strict=True):
        old = match["status"] or "" if (match := LISTED.fullmatch(line.strip())) else ""
        new = status.get(_item_of(line), old)
        if match and (not is_over(new) or below.startswith((" ", "\t"))):  # a person's lines below it stay
            kept.append(line.replace(f"({old})", f"({new})") if old else f"{line} ({new})" if is_over(new) else line)
    return [Request((LOOPS,), managed_lines=ManagedLines(kept, _item_of, _item_of))]


def _item_of(line: str) -> str:
    """Return the id of the loop in an item of a list, "" for any other line."""
    match = LISTED.fullmatch(line.strip())
    return ids.parse(KIND, match["ident"]) if match else ""


def _missing(known: list[str] | None, full: list[str], column: int) -> list[str]:
    """Return a cell, "" where the row has a text there already."""
    return [full[column] if known is None or not known[column] else ""]


def row(loop: Loop, *, ahead: int = 0, days: bool = False) -> list[str]:
    """Return a loop as a row of the table, with its time in the zone of the file, or only the day."""
    at = clock.find(loop.captured)
    when = clock.write(at + ahead, clock.MINUTE) if at and "T" in loop.captured else loop.captured
    when = when[:10] if days and _DAY.fullmatch(when[:10]) else when
    return [loop.ident, safe.line(loop.title, TITLE_LENGTH), loop.status, when]


def _loop_news(before: View, after: View, book: Book | None) -> list[str]:
    """Return the entries for loops that were added to the table, and for those that left it or were closed in it."""
    loops = {loop.ident: loop for loop in book.loops} if book else {}
    was, now = ({ident for ident, _ in view.loops} for view in (before, after))
    ahead = updates_ahead(before.record)
    begun = min((at - ahead for minute, _ in timed_entries(before.record) if (at := clock.find(minute))), default=0.0)
    new = [loops[ident] for ident, _ in after.loops if ident not in was and ident in loops]
    if not loop_rows(before.record):  # a table that is filled for the first time also gets old loops
        new = [loop for loop in new if clock.find(loop.captured) >= begun > 0]
    closed = [loops[ident] for ident, _ in before.loops if ident not in now and ident in loops]
    return [added(loop) for loop in new] + [closed_with(loop) for loop in closed]


def added(loop: Loop) -> str:
    """Return the entry for a loop that was captured."""
    return f"Added {loop.ident} to LOOPS.md: {safe.line(loop.title)}"


def closed_with(loop: Loop) -> str:
    """Return the entry for a loop that was closed: its outcome, and the decision that it led to."""
    decision = loop.decision.partition(":")[0].strip()
    outcome = f": {safe.line(inline(loop.result))}" if loop.result else ""
    return f"Closed {loop.ident} in LOOPS.md{outcome}{f', created {safe.line(decision)}' if decision else ''}"


def total(view: View) -> str:
    """Return how many loops the table has that are not closed, such as "3 loops (1 clarifying, 2 open)"."""
    count = len(view.loops)
    exploring = sum(status == "clarifying" for _, status in view.loops)
    parts = [f"{exploring} clarifying"] * bool(exploring) + [f"{count - exploring} open"] * (count > exploring)
    kinds = parts[0].split()[1] if len(parts) == 1 else ", ".join(parts)
    return f"{count} loop{'' if count == 1 else 's'}{f' ({kinds})' if count else ''}"


def _budget(view: View, budget: Budget) -> list[Request]:
    """Return the requests for the budget, where its percentage or its window differs from the file's."""
    written = written_budget(view)
    if written and (written["window"].replace(",", ""), written["percent"]) == (
        str(budget.window),
        str(budget.percent),
    ):
        return []
    return [Request((BUDGET, "Status"), text=budgets.status(budget)), *_zone(view, budget)]


def zone(view: View) -> list[Request]:
    """Return the requests for the zone that follows from the status of the budget, by the file's own list of zones."""
    written = written_budget(view)
    used, window = (int(written[name].replace(",", "") or 0) for name in ("used", "window")) if written else (0, 0)
    found = _zone(view, of_numbers(view, used, window)) if window else []
    listed = any(map(budgets.own_item, lines(view.record, BUDGET)))
    return found if listed else [request for request in found if request.text]  # a file without a list gets none


def _zone(view: View, budget: Budget) -> list[Request]:
    """Return the requests for the zone of a budget, its strategy, and its mark in the list of zones."""
    listed = (line for line in lines(view.record, BUDGET) if budgets.own_item(line))
    bullet = next(listed, "-")[0]
    items = [f"{bullet} {line}" for line in budgets.scale(budget, budget.zones)]
    scale = ManagedLines(items, budgets.own_item, budgets.named_zone)
    own = text(view.record, BUDGET, "Strategy") in {"", *(zone.strategy for zone in budgets.ZONES)}
    return [
        Request((BUDGET, "Phase"), text=_with_rest(view, (BUDGET, "Phase"), _PHASE, budgets.phase(budget))),
        *([Request((BUDGET, "Strategy"), text=budgets.strategy(budget))] if own else []),
        Request((BUDGET,), managed_lines=scale),
    ]


def _with_rest(view: View, keys: tuple[str, str], own: re.Pattern[str], new: str) -> str:
    """Return a new text for a field, with the words of a person that are behind the old one."""
    found = own.match(old := text(view.record, *keys))
    return new + old[found.end() :] if found else new


def written_budget(view: View) -> re.Match[str] | None:
    """Return the window, percentage and zone in the section."""
    spot = field(view.record, BUDGET, "Status")
    return BUDGET_LINE.match(view.record.text(spot)) if spot else None


def of_numbers(view: View, used: int, window: int) -> Budget:
    """Return a budget with the zones that the section lists."""
    zones = budgets.zones_in("\n".join(lines(view.record, BUDGET)))
    return Budget(Usage(fresh=used), window, zones) if zones else Budget(Usage(fresh=used), window)


def is_worse(view: View, budget: Budget | None) -> bool:
    """Whether a budget is in a worse zone than the file says."""
    written, zones = written_budget(view), [zone.name for zone in budgets.ZONES]
    return bool(budget and written and written["zone"] in zones and budget.zone > zones.index(written["zone"]))


def _budget_news(before: View, after: View) -> list[str]:
    """Return the entry for a budget that reached a worse zone, unless an entry says so already."""
    was, now = (written_budget(view) for view in (before, after))
    zones = [zone.name for zone in budgets.ZONES]
    if not was or not now or was["zone"] not in zones or now["zone"] not in zones:
        return []
    if zones.index(now["zone"]) <= zones.index(was["zone"]):
        return []
    crossed = f"Crossed into the {now['zone']} zone "
    return [] if any(crossed in line for line in entries(before.record)) else [f"{crossed}({now['percent']}%)"]


def status(view: View) -> list[Request]:
    """Return the request for the status that follows from a discussion or a plan, if the present one is holdfast's."""
    says, follows = names.before_hold(view.status) or view.status, status_of(view)
    due = CONTEXT in view.there and says in {"", *OWN_STATUSES} and says != follows
    held = names.held(follows, "", listed=True) if says != view.status else follows
    return [Request((CONTEXT, "Status"), text=held)] if due else []


def stack(view: View, was: str = "") -> list[Request]:
    """Return the requests for a stack that still names the previous task, which `was` another one."""
    other = bool(view.task and view.current) and not same_task(view.current, view.task)
    outdated = other and view.current == stacked(view.current if split(view.current)[0] else was)
    if STACK not in view.there or view.depth or not outdated:
        return []
    return [Request((STACK, "Current"), text=stacked(view.task)), Request((STACK, "Return to"), text=NOT_FORKED)]


def count(view: View) -> list[Request]:
    """Return the request for the line that counts the loops of the table."""
    words = _with_rest(view, (LOOPS, "Total active"), _TOTAL, total(view))
    return [Request((LOOPS, "Total active"), text=words)] if LOOPS in view.there else []


def actions(view: View) -> list[Request]:
    """Return the request for Available Actions, in a file that is up to date in all else."""
    lines = ManagedLines(available_actions.menu(view), available_actions.key, available_actions.command)
    return [Request((ACTIONS,), managed_lines=lines)] if ACTIONS in view.there else []


_STATUS = {"active": WORKING, "waiting": AWAITING, "completed": "Complete", "dropped": "Complete"}
_TURNED = {
    "active": "Continued",
    "waiting": "Halted",
    "paused": "Paused",
    "completed": "Completed",
    "dropped": "Gave up",
}


def settled(data: bytes, path: str, formats: Formats, measured: Measured, now: float) -> bytes:
    """Return a state file with the six sections brought up to date; `now` is in seconds since 1970."""
    return refreshed(editor_of(path, formats, now), data, measured).data


def editor_of(path: str, formats: Formats, now: float) -> Editor:
    """Return the editor of a state file that places requests as the format of the six sections does."""
    return Editor(path, formats, clock.write(now, clock.MINUTE), through=formats.named(FORMAT))


def followed(before: bytes, done: Outcome, formats: Formats, now: float) -> Outcome:
    """Return an edited file with what follows from its changes: zone of the budget, count of loops, stack, actions."""
    editor = editor_of(done.state.path, formats, now)
    changed = {change.where.partition(".")[0] for change in done.changes}
    follows = {BUDGET: zone, LOOPS: count}
    steps = [step for title, step in follows.items() if title in changed]
    was = _view(editor, before)
    if done.changes and _work(was) != _work(_view(editor, done.data)):
        steps += [lambda view: stack(view, was.task), actions]
    if not steps:
        return done
    after = _make_each(editor, done, *steps)
    after.changes, after.unplaced = done.changes, done.unplaced  # what follows by itself is not reported
    return after


def _work(view: View) -> tuple[str, ...]:
    return view.task, view.phase, view.status, view.current


def turned(done: Outcome, formats: Formats, measured: Measured, turn: "tuple[str, float]") -> Outcome:
    """Return a file whose status was just set to a category, at a time, with its sections brought up to date."""
    if not done.changes:
        return done
    category, now = turn
    editor = editor_of(done.state.path, formats, now)
    view = _view(editor, done.data)
    own = done.state.file_format is not None and done.state.file_format.name == FORMAT
    meant = names.held(view.status, "", listed=True) if category == "paused" else names.before_hold(view.status)
    status = [] if own or not view.status else [Request((CONTEXT, "Status"), text=meant or _STATUS[category])]
    if category == "active" and view.current.endswith(CHECKPOINT):  # the plan still waits
        status = [Request((CONTEXT, "Status"), text=AWAITING)]
    old = next((change.old for change in done.changes if change.where == "Status"), "")
    lost = names.says_more(old) and not (category == "paused" or names.before_hold(old))  # words of a person
    line = f"{_TURNED[category]} the session" + (f" (Status said: {old})" if lost and own else "")
    update = [update_entry(line, "")] if UPDATES in view.there else []
    after = refreshed(editor, editor.make(done.data, [*status, *update]).data, measured)
    says = _view(editor, after.data).status
    changes = [replace(change, new=says) if own and change.where == "Status" else change for change in done.changes]
    after.changes, after.unplaced = changes, done.unplaced  # what follows by itself is not reported
    return after


def refreshed(editor: Editor, data: bytes, measured: Measured) -> Outcome:
    """Return a file with its sections brought up to date; text that a person wrote stays as it is."""
    before = _view(editor, data)
    done = editor.make(data, requests(before, measured))
    counted = [count] if measured.book else []
    done = _make_each(editor, done, status, stack, *counted)
    return _make_each(editor, done, lambda after: news(before, after, measured), actions)


def _make_each(editor: Editor, done: Outcome, *steps: "Callable[[View], list[Request]]") -> Outcome:
    """Return a file after further requests, each of which depends on the file as the one before it left it."""
    for requests in steps:
        after = editor.make(done.data, requests(_view(editor, done.data)))
        after.changes, after.unplaced = done.changes + after.changes, done.unplaced + after.unplaced
        done = after
    return done


def _view(editor: Editor, data: bytes) -> View:
    return View(seen(state_file.parse(data, editor.path, editor.formats), editor.formats))
