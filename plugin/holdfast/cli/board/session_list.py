"""The list at the left of the board: it draws only the lines that are visible, however many sessions there are."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from holdfast.cli.board import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from holdfast.overview.board import Row

_HEADING = Style(bold=True)


class SessionList(ScrollView, can_focus=True):
    """Sessions under the names of their groups, one of which is selected.

    `selected` is its row, None for an empty list.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move(-1000000000)", "First", show=False),
        Binding("end", "move(1000000000)", "Last", show=False),
    ]

    class Selected(Message):
        """Another session is selected, or None."""

    class Opened(Message):
        """The selected session is to be resumed."""

    def __init__(self) -> None:
        super().__init__(id="sessions")
        self._lines: list[Row | str] = []
        self._at = 0  # the line of the selected session

    @property
    def selected(self) -> "Row | None":
        """The selected session."""
        line = self._lines[self._at] if self._at < len(self._lines) else None
        return None if isinstance(line, str) else line

    def show(self, rows: "Sequence[Row]") -> None:
        """Show other rows; the selected session stays selected if it is among them."""
        before = self.selected
        self._lines = lines.under_headings(rows)
        keys = {line.key: at for at, line in enumerate(self._lines) if not isinstance(line, str)}
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._at = keys.get(before.key, self._at) if before else 0
        if before and before.key in keys:  # the list stays where the user scrolled it
            self.post_message(self.Selected())
        else:
            self._select(self._at, 1)
        self.refresh()

    def _select(self, at: int, way: int) -> None:
        """Select the session at a line, or the next one from there on."""
        last = len(self._lines) - 1
        at = max(0, min(at, last))
        while 0 <= at <= last and isinstance(self._lines[at], str):
            at += way
        if not 0 <= at <= last:
            at = next((n for n, line in enumerate(self._lines) if not isinstance(line, str)), 0)
        self._at = at
        top = at - 1 if at and isinstance(self._lines[at - 1], str) else at  # with its heading
        self.scroll_to_region(Region(0, top, 1, at - top + 1), animate=False, force=True)
        self.post_message(self.Selected())
        self.refresh()

    def action_move(self, by: int) -> None:
        """Select the session so many lines further down."""
        self._select(self._at + by, 1 if by > 0 else -1)

    def action_page(self, way: int) -> None:
        """Select the session a page further down or up."""
        self.action_move(way * max(1, self.size.height - 1))

    def on_click(self, event: "events.Click") -> None:
        """Select the session under the mouse; a double click resumes it."""
        at = event.y + self.scroll_offset.y
        if at < len(self._lines) and not isinstance(self._lines[at], str):
            self._select(at, 1)
            if event.chain > 1:
                self.post_message(self.Opened())

    def on_resize(self) -> None:
        """Fit the lines to the new width."""
        self.virtual_size = Size(self.size.width, len(self._lines))

    def render_line(self, y: int) -> Strip:
        """Return the line at a row of the widget."""
        at, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if at >= len(self._lines):
            return Strip.blank(width)
        line = self._lines[at]
        if isinstance(line, str):
            return Strip([Segment(line, _HEADING)]).adjust_cell_length(width)
        cells = lines.cells(line, width)
        chosen = Style(reverse=True) if at == self._at else Style()
        segments = [Segment(text, Style.parse(style) + chosen) for text, style in cells]
        return Strip(segments).adjust_cell_length(width, chosen)
