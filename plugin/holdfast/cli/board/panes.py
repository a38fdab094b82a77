"""The right side of the board: one session, as something that Rich can draw. Texts are never read as markup."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from holdfast.cli.board import parts
from holdfast.memory import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.console import RenderableType

    from holdfast.cli.board.parts import Line
    from holdfast.overview.details import Details

_COLUMNS = 110  # of the pane, from which on the state file is beside the other parts
_GAUGE = 20  # columns
_ZONES = ("green", "yellow", "yellow", "red")
_LABEL = 12  # columns


def drawn(found: "Details", columns: int) -> "RenderableType":
    """Return what a pane of so many columns shows of a session."""
    head = [Text(found.title, "bold"), *_facts(found), Text()]
    state, first, last = _state(found), _drawn(parts.unfinished(found)), _drawn(parts.recorded(found))
    if columns < _COLUMNS:
        return Group(*head, *first, *state, *last)
    beside = Table.grid(expand=True, padding=(0, 2))
    beside.add_column(ratio=3)
    beside.add_column(ratio=2)
    beside.add_row(Group(*state), Group(*first, *last))
    return Group(*head, beside)


def _facts(found: "Details") -> list[Text]:
    lines = []
    for label, text in found.facts:
        line = Text(f"{label:<{_LABEL}}", "dim")
        if label == "Context":
            filled = min(_GAUGE, -(-found.percent * _GAUGE // 100))
            line.append("█" * filled + "░" * (_GAUGE - filled), _ZONES[found.zone])
            zone = budget.ZONES[found.zone]
            text = f" {zone.sign} {found.percent}% {zone.name}"  # noqa: PLW2901 - the bar stands for the tokens
        line.append(text, "not dim")
        lines.append(line)
    return lines


def _state(found: "Details") -> "list[RenderableType]":
    if found.notice:
        return [_heading("State file"), Text(found.notice), Text()]
    from rich.markdown import Markdown  # its parser takes as long to load as the list

    return [_heading("State file"), Markdown(found.state, code_theme="ansi_dark", hyperlinks=False), Text()]


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
