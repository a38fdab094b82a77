"""The first picture of the board, painted before Textual is there, which takes longer to load than the sessions."""

import shutil
import sys
from contextlib import contextmanager

from holdfast.cli import screen
from holdfast.cli.board import lines
from holdfast.context.short_lists import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.overview.watched import Row

_WIDTH, _LEAST, _MOST = 40, 30, 76  # of the list: percent of the columns, and its limits in columns; see `BoardApp.CSS`
_FRAME = 2  # lines above and below the list
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?1049l\x1b[?25h"  # the screen of applications, without cursor

_REVERSE, _PLAIN = "\x1b[7m", "\x1b[0m"


@contextmanager
def shown(rows: "Sequence[Row]", *, projects: bool) -> "Iterator[None]":
    """Show the list while the application is loaded, which then draws over it; after a failure the screen is left."""
    size = shutil.get_terminal_size()
    sys.stdout.write(_ENTER + painted(rows, (size.columns, size.lines), projects=projects))
    sys.stdout.flush()
    try:
        yield
    except BaseException:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
        raise


def painted(rows: "Sequence[Row]", size: tuple[int, int], *, projects: bool) -> str:
    """Return what draws the top line and the list as the application does, on a screen of so many columns and lines."""
    columns, height = size[0], max(0, size[1] - _FRAME)
    known = lines.under_headings(rows)
    width = min(columns, max(_LEAST, min(_MOST, columns * _WIDTH // 100))) - (len(known) > height)
    lines_drawn = [screen.paint(cut(f" holdfast: {lines.summary(rows, '')}", columns - 1), "bold")]
    chosen = next((at for at, line in enumerate(known) if not isinstance(line, str)), -1)
    for at, line in enumerate(known[:height]):
        cells = [(line, "bold")] if isinstance(line, str) else lines.cells(line, width, projects=projects)
        reverse = _REVERSE if at == chosen else ""
        lines_drawn.append("".join(reverse + screen.paint(text, style) for text, style in cells) + _PLAIN)
    return "".join(f"\x1b[{at};1H{text}" for at, text in enumerate(lines_drawn, 1))
