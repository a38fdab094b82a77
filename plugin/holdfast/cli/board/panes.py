"""The right side of the board: one session, as something that Rich can draw. Texts are never read as markup."""

import time

from rich.console import Group
from rich.table import Table
from rich.text import Text

from holdfast.cli.tables import age
from holdfast.cli.timeline import what
from holdfast.memory import budget
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from holdfast.overview.board import Details

    Line = tuple[str, str]  # a text, and a note beside it


_COLUMNS = 110  # of the pane, from which on the state file is beside the other parts
_NARROW = 60  # columns of the pane, below which the gauge is short and the folder of state files is left out
_GAUGE, _SHORT = 20, 10  # columns
_ZONES = ("green", "yellow", "yellow", "red")
_LABEL = 12  # columns
_CUT = {"State file"}


def drawn(details: "Details", columns: int) -> "RenderableType":
    """Return what a pane of so many columns shows of a session."""
    head = [Text(details.title, "bold"), *_facts(details, narrow=columns < _NARROW), Text()]
    state, first, last = _state(details), _drawn(unfinished(details)), _drawn(recorded(details))
    if columns < _COLUMNS:
        return Group(*head, *first, *state, *last)
    beside = Table.grid(expand=True, padding=(0, 2))
    beside.add_column(ratio=3)
    beside.add_column(ratio=2)
    beside.add_row(Group(*state), Group(*first, *last))
    return Group(*head, beside)


def _facts(details: "Details", *, narrow: bool) -> list[Text]:
    """Return a line for each fact; an id and a file name are cut at the end of the line."""
    lines, gauge = [], _SHORT if narrow else _GAUGE
    for label, known in details.facts:
        line, text = Text(f"{label:<{_LABEL}}", "dim", no_wrap=label in _CUT, overflow="ellipsis"), known
        if label == "Context":
            filled = min(gauge, -(-details.percent * gauge // 100))
            line.append("█" * filled + "░" * (gauge - filled), _ZONES[details.zone])
            zone = budget.ZONES[details.zone]
            text = f" {zone.sign} {details.percent}% {zone.name}"
        elif label == "State file" and narrow:
            text = text.removeprefix(f"{paths.STATE_FOLDER}/")
        line.append(text, "not dim")
        lines.append(line)
    return lines


def _state(details: "Details") -> "list[RenderableType]":
    if details.notice:
        return [_heading("State file"), Text(details.notice), Text()]
    from rich.markdown import Markdown  # its parser takes as long to load as the list

    first, _, rest = details.state.partition("\n")
    state = rest if first.startswith("# ") and first.endswith(details.title) else details.state  # the title is above
    return [_heading("State file"), Markdown(state, code_theme="ansi_dark", hyperlinks=False), Text()]


def _drawn(known: "dict[str, list[Line]]") -> "list[RenderableType]":
    lines: list[RenderableType] = []
    for name, items in known.items():
        lines += [_heading(name), *(_item(text, note) for text, note in items), Text()]
    return lines


def _heading(text: str) -> Text:
    return Text(text.upper(), "bold cyan")


def _item(text: str, note: str) -> Text:
    line = Text(f"- {text}")
    return line.append(f"  {note}", "dim") if note else line


_FILES, _EVENTS = 20, 40  # that are shown


def unfinished(details: "Details") -> "dict[str, list[Line]]":
    """Return the open tasks and loops under these names; without a line a name is left out."""
    tasks = [(subject, status.replace("_", " ")) for subject, status in details.tasks]
    known: dict[str, list[Line]] = {"Open tasks": tasks, "Open loops": [*details.loops]}
    return {name: lines for name, lines in known.items() if lines}


def recorded(details: "Details") -> "dict[str, list[Line]]":
    """Return in the same way what journals tell: subagents, files, last answer and timeline."""
    children = [(f"{name}{f': {text}' if text else ''}", status) for name, status, text in details.children]
    files = ((path, _ago(at)) for path, at in details.files)
    events = ((f"{one.kind}: {what(one)}", _ago(one.at)) for one in details.events)
    known = {
        "Subagents": children,
        "Files": _limited(files, len(details.files), _FILES),
        "Last answer": [(details.answer, "")] if details.answer else [],
        "Timeline": _limited(events, len(details.events), _EVENTS),
    }
    return {name: lines for name, lines in known.items() if lines}


def _ago(at: float) -> str:
    return age(max(0.0, time.time() - at))


def _limited(lines: "Iterable[Line]", count: int, most: int) -> "list[Line]":
    """Return the first lines, and how many there are beyond them."""
    known = [line for line, _ in zip(lines, range(most), strict=False)]
    return [*known, (f"and {count - most} more", "")] if count > most else known
