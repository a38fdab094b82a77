"""The menu of what a user can do next, made from what the file says (formats/gsd-lite-state.md, Available Actions)."""

import re

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.memory.view import ACTIONS, BUDGET, LOOPS, View, bare, called, entries, numbered
from holdfast.memory.view import lines as section_lines
from holdfast.memory.view import text as field
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary


PREFIX = "/holdfast:"
_ACTION = re.compile(r"[-*+] `/(?P<prefix>holdfast:)?(?P<name>[a-z-]+)(?: \[[^\]`]*\])?` - (?P<about>.+)")
_LABEL = re.compile(r"\*\*(?P<label>Core|Contextual)(?: \([^)*]*\))?:\*\*")
_CLOSING = re.compile(r"\*\*(?:Type action or respond directly|AWAITING: .+)\*\*")
# What holdfast and the format's document say of each command. Any other wording is a person's.
_ABOUT = {
    "continue": r"Continue (?:current task|working on .+)|Take up what was paused",
    "pause": r"Pause (?:and|session and) save state(?: for later)?",
    "status": r"Show full status(?: report)?(?: \(.+\))?",
    "add-loop": r"Capture (?:new|new open|an open) question",
    "discuss": r"Fork into discussion(?: mode)?",
    "return": r"Return to .+",
    "approve-plan": r"Approve .+, proceed to execution",
    "reject-plan": r"Reject plan, request revisions",
    "edit-plan": r"Request specific (?:plan )?modifications",
    "close-loop": r"Mark loop .+",
    "explore-loop": r"Investigate loop .+",
    "complete-task": r"Mark .+ complete(?: and move to next)?",
    "skip-task": r"Skip .+ with rationale",
    "complete-phase": r"Mark .*phase .+",
    "skip-to-phase": r"Jump to .+",
    "close": r"Walk through what is left to do",
}
_NAMED = pattern(r"[A-Z]+-\d+|\b\d{3,6}\b")
_MAX_LOOPS = 9  # that are named in a line
_ANY = "Type action or respond directly"


def menu(view: View) -> list[str]:
    """Return the lines of the section: the core actions, and those for the state of the work."""
    category = view.record.file_format.category(view.status)
    task = called(view.task)
    remark, contextual = _contextual(view)
    going_on = f"Continue working on {task}" if task else "Continue current task"
    if category == "paused":
        going_on, contextual = "Take up what was paused", []
    if category == "completed":
        remark, contextual = "", [_action("close", "Walk through what is left to do")]
    core = [
        _action("continue", going_on),
        _action("pause", "Pause session and save state"),
        _action("status", "Show full status report"),
        _action("add-loop [description]", "Capture new question"),
        _action("discuss [topic]", "Fork into discussion"),
    ]
    second = ["", f"**Contextual{remark}:**", "", *contextual] if contextual else []
    closing = f"AWAITING: Approve, reject, or edit {view.plan[0]}" if view.plan else _ANY
    return ["**Core:**", "", *core, *second, "", f"**{closing}**"]


def _contextual(view: View) -> tuple[str, list[str]]:
    """Return the remark in the label of the contextual actions, and these actions."""
    back = [_action("return", f"Return to {view.back or 'what was done before'}")] if view.depth else []
    if view.plan:
        return " (plan approval)", [
            *back,
            _action("approve-plan", f"Approve {view.plan[0]}, proceed to execution"),
            _action("reject-plan", "Reject plan, request revisions"),
            _action("edit-plan [changes]", "Request specific modifications"),
        ]
    if view.depth:
        return " (discussion)", [*back, *_loops(view)]
    return "", [*_work(view), *_loops(view)]


def _work(view: View) -> list[str]:
    """Return the actions for the current task, or for the phase when there is no task."""
    task, (number, name) = called(view.task), numbered(view.phase)
    if task:
        return [
            _action("complete-task", f"Mark {task} complete"),
            _action("skip-task [reason]", f"Skip {task} with rationale"),
        ]
    if not view.phase:
        return []
    return [
        _action("complete-phase", f"Mark phase {number or name} complete"),
        _action("skip-to-phase [N]", "Jump to another phase"),
    ]


def _loops(view: View) -> list[str]:
    """Return the actions for the loops that are not closed."""
    numbers = [ident.partition("-")[2] or ident for ident, _ in view.loops]
    unexplored = [number for number, (_, status) in zip(numbers, view.loops, strict=True) if status == "open"]
    closing = [_action("close-loop [ID]", f"Mark loop {'/'.join(_few(numbers))} resolved")] if numbers else []
    if not unexplored:
        return closing
    return [*closing, _action("explore-loop [ID]", f"Investigate loop {' or '.join(_few(unexplored))}")]


def _few(numbers: list[str]) -> list[str]:
    return numbers if len(numbers) <= _MAX_LOOPS else [*numbers[:_MAX_LOOPS], "…"]


def _action(command: str, about: str) -> str:
    return f"- `{PREFIX}{command}` - {about}"


def key(line: str) -> str:
    """Return what a line is about if it reads as holdfast or the format's document words it, "" for a person's line."""
    label, action = _LABEL.fullmatch(line), _ACTION.fullmatch(line)
    if label:
        return label["label"]
    if _CLOSING.fullmatch(line):
        return "closing"
    known = _ABOUT.get(action["name"], "") if action else ""
    return action["name"] if action and known and re.fullmatch(known, action["about"]) else ""


def keyed(lines: list[str]) -> dict[str, str]:
    """Return the lines of a menu that holdfast maintains: what a line is about -> the line."""
    return {about: line for line in lines if (about := key(line))}


def other(line: str, due: str) -> bool:
    """Whether a line names other tasks, plans or loops than `due`; a line without ids is never outdated."""
    names = set(_NAMED.findall(line))
    return bool(names) and names != set(_NAMED.findall(due))


def command(line: str) -> str:
    """Return the name of the command in a line, however the line is worded, "" for none."""
    action = _ACTION.fullmatch(line)
    return action["name"] if action else ""


def typed(line: str) -> str:
    """Return the command in a line as a user types it, "" for none.

    The format's own commands are holdfast's here, with its prefix. Any other is a person's and stays as it is.
    """
    action = _ACTION.fullmatch(line)
    if not action:
        return ""
    own = action["prefix"] or action["name"] in _ABOUT
    return f"{PREFIX if own else '/'}{action['name']}"


_SHOWN = 5  # of Recent Updates


def report_lines(view: View, model: "Summary") -> list[str]:
    """Return what the sections say in addition to the summary of the file, without empty fields."""
    values = report_row(view)
    labelled = [
        ("Phase", values["phase"] if values["phase"] != model.get("phase") else ""),
        ("Task", values["task"] if values["task"] != model.get("objective") else ""),
        ("Active loops", values["loops"]),
        ("Token budget", values["budget"]),
        (
            "Zone",
            "; ".join(filter(None, [field(view.record, BUDGET, "Phase"), field(view.record, BUDGET, "Strategy")])),
        ),
        ("Waits for approval", values["plan"]),
        ("Now", values["current"] if values["current"] != model.get("current") else ""),
        ("Returns to", f"{view.back} (depth {view.depth})" if view.depth else ""),
    ]
    lines = [f"{label}: {safe.line(bare(str(value)), 400)}" for label, value in labelled if value]
    news, actions = clock.newest(entries(view.record), _SHOWN), [typed(line) for line in _action_lines(view)]
    lines += ["Recent updates:", *(f"  - {safe.line(bare(entry), 300)}" for entry in news)] if news else []
    return lines + ([f"What can be done: {', '.join(actions)}"] if actions else [])


def report_row(view: View) -> dict[str, object]:
    """Return what the sections say, "" or nothing where they do not, as JSON gives it."""
    return {
        "phase": view.phase,
        "task": view.task,
        "loops": field(view.record, LOOPS, "Total active"),
        "budget": field(view.record, BUDGET, "Status"),
        "plan": " - ".join(view.plan[:2]),
        "current": view.current,
        "returns_to": view.back,
        "depth": view.depth,
        "updates": entries(view.record),
        "actions": [command(line) for line in _action_lines(view)],
    }


def _action_lines(view: View) -> list[str]:
    """Return the lines of the menu that name a command."""
    return [line for line in section_lines(view.record, ACTIONS) if command(line)]
