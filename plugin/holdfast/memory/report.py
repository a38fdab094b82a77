"""The six sections of a state file as lines for people to read and as values for programs."""

from holdfast.core import clock
from holdfast.memory.available_actions import command, typed
from holdfast.memory.step import bare
from holdfast.memory.view import ACTIONS, BUDGET, LOOPS, View, entries
from holdfast.memory.view import lines as section_lines
from holdfast.memory.view import text as field
from holdfast.trust import safe

_SHOWN = 5  # of Recent Updates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary


def lines(view: View, model: "Summary") -> list[str]:
    """Return what the sections say in addition to the summary of the file, without empty fields."""
    values = row(view)
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
    found = [f"{label}: {safe.line(bare(str(value)), 400)}" for label, value in labelled if value]
    news, actions = clock.newest(entries(view.record), _SHOWN), [typed(line) for line in _action_lines(view)]
    found += ["Recent updates:", *(f"  - {safe.line(bare(entry), 300)}" for entry in news)] if news else []
    return found + ([f"What can be done: {', '.join(actions)}"] if actions else [])


def row(view: View) -> dict[str, object]:
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
