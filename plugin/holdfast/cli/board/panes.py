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

    from holdfast.overview.details import Details

    Line = tuple[str, str]  # a text, and a note beside it


_COLUMNS = 110  # of the pane, from which on the state file is beside the other parts
_NARROW = 60  # columns of the pane, below which the gauge is short and the folder of state files is left out
_GAUGE, _SHORT = 20, 10  # columns
_ZONES = ("green", "yellow", "yellow", "red")
_LABEL = 12  # columns
_CUT = {"State file"}


def drawn(found: "Details", columns: int) -> "RenderableType":
    """Return what a pane of so many columns shows of a session."""
    head = [Text(found.title, "bold"), *_facts(found, narrow=columns < _NARROW), Text()]
    state, first, last = _state(found), _drawn(unfinished(found)), _drawn(recorded(found))
    if columns < _COLUMNS:
        return Group(*head, *first, *state, *last)
    beside = Table.grid(expand=True, padding=(0, 2))
    beside.add_column(ratio=3)
    beside.add_column(ratio=2)
    beside.add_row(Group(*state), Group(*first, *last))
    return Group(*head, beside)


def _facts(found: "Details", *, narrow: bool) -> list[Text]:
    """Return a line for each fact; an id and a file name are cut at the end of the line."""
    lines, gauge = [], _SHORT if narrow else _GAUGE
    for label, known in found.facts:
        line, text = Text(f"{label:<{_LABEL}}", "dim", no_wrap=label in _CUT, overflow="ellipsis"), known
        if label == "Context":
            filled = min(gauge, -(-found.percent * gauge // 100))
            line.append("█" * filled + "░" * (gauge - filled), _ZONES[found.zone])
            zone = budget.ZONES[found.zone]
            text = f" {zone.sign} {found.percent}% {zone.name}"
        elif label == "State file" and narrow:
            text = text.removeprefix(f"{paths.STATE_FOLDER}/")
        line.append(text, "not dim")
        lines.append(line)
    return lines


def _state(found: "Details") -> "list[RenderableType]":
    if found.notice:
        return [_heading("State file"), Text(found.notice), Text()]
    from rich.markdown import Markdown  # its parser takes as long to load as the list

    first, _, rest = found.state.partition("\n")
    state = rest if first.startswith("# ") and first.endswith(found.title) else found.state  # the title is above
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


def unfinished(found: "Details") -> "dict[str, list[Line]]":
    """Return the open tasks and loops under these names; without a line a name is left out."""
    tasks = [(subject, status.replace("_", " ")) for subject, status in found.tasks]
    known: dict[str, list[Line]] = {"Open tasks": tasks, "Open loops": [*found.loops]}
    return {name: lines for name, lines in known.items() if lines}


def recorded(found: "Details") -> "dict[str, list[Line]]":
    """Return in the same way what journals tell: subagents, files, last answer and timeline."""
    children = [(f"{name}{f': {text}' if text else ''}", status) for name, status, text in found.children]
    files = ((path, _ago(at)) for path, at in found.files)
    events = ((f"{one.kind}: {what(one)}", _ago(one.at)) for one in found.events)
    known = {
        "Subagents": children,
        "Files": _limited(files, len(found.files), _FILES),
        "Last answer": [(found.answer, "")] if found.answer else [],
        "Timeline": _limited(events, len(found.events), _EVENTS),
    }
    return {name: lines for name, lines in known.items() if lines}


def _ago(at: float) -> str:
    return age(max(0.0, time.time() - at))


def _limited(lines: "Iterable[Line]", count: int, most: int) -> "list[Line]":
    """Return the first lines, and how many there are beyond them."""
    known = [line for line, _ in zip(lines, range(most), strict=False)]
    return [*known, (f"and {count - most} more", "")] if count > most else known
