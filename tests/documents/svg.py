"""Pictures of a terminal: the frames of a recording as one animated SVG, or one frame as a still.

A picture has both a light and a dark look, which the reader's system chooses. It names no font and loads nothing.
"""

from __future__ import annotations

import itertools
import re
from html import escape, unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.client.terminal import Cell
    from tests.documents.recording import Frame

WIDTH, HEIGHT = 8.4, 18  # of a character, in pixels
MARGIN = 14
SECONDS = 10  # that a picture takes
TYPED = ", typed"  # how the names of screens end on which a line is being typed
# Class: its colour on light and on dark.
LOOKS = {
    "text": ("#24292f", "#d0d7de"),
    "dim": ("#6e7781", "#8b949e"),
    "red": ("#cf222e", "#ff7b72"),
    "green": ("#1a7f37", "#56d364"),
    "yellow": ("#9a6700", "#e3b341"),
    "blue": ("#0969da", "#79c0ff"),
    "magenta": ("#8250df", "#d2a8ff"),
}
_NAMES = {"brown": "yellow", "cyan": "blue", "white": "text", "black": "dim", "brightblack": "dim"}
_GREY = 40  # the greatest difference between the parts of a grey
_LIGHT = 200  # greys from here on are ordinary text
_HUES = ((20, "red"), (70, "yellow"), (170, "green"), (255, "blue"), (330, "magenta"), (361, "red"))


def animated(frames: Sequence[Frame], title: str) -> str:
    """Return the screens as one picture that begins with the last of them, and begins again when it ends.

    Where nothing moves, or there are no styles, the first of the picture is shown: what came of it all.
    """
    screens = [frames[-1], *(frame for frame in frames[:-1] if not frame.name.endswith(TYPED))]
    total = sum(frame.seconds for frame in screens)
    starts = [0.0, *itertools.accumulate(frame.seconds for frame in screens)]
    style, parts = ["@media (prefers-reduced-motion:no-preference){"], []
    for number, frame in enumerate(screens):
        begin, end = (f"{100 * at / total:.2f}%" for at in starts[number : number + 2])
        keys = [f"0%,{begin}{{opacity:0}}" if number else "", f"{begin},{end}{{opacity:1}}", f"{end},100%{{opacity:0}}"]
        if number == len(screens) - 1:
            keys.pop()
        style.append(f"@keyframes k{number}{{{''.join(keys)}}}")
        style.append(f".f{number}{{animation:k{number} {SECONDS}s step-end infinite}}")
        hidden = ' opacity="0"' if number else ""
        parts.append(f'<g class="f{number}"{hidden} data-name="{escape(frame.name)}">\n{_rows(frame.rows)}\n</g>')
    return _picture(title, "\n".join([*style, "}"]), "\n".join(parts), frames[0].rows)


def still(frame: Frame, title: str, last: str) -> str:
    """Return a picture of the lines of a frame from the one that was typed to the last one with a text."""
    lines = ["".join(cell.character for cell in row) for row in frame.rows]
    first = next((number for number, line in enumerate(lines) if line.startswith("$ ")), 0)
    end = max(number for number, line in enumerate(lines) if last in line)
    rows = frame.rows[first : end + 1]
    return _picture(title, "", f'<g data-name="{escape(frame.name)}">\n{_rows(rows)}\n</g>', rows)


def shown(picture: str) -> dict[str, list[str]]:
    """Return the lines of text of each frame of a picture, by its name."""
    found: dict[str, list[str]] = {}
    for part in picture.split('data-name="')[1:]:
        name, _, body = part.partition('"')
        lines = re.findall(r"^<g>(.*)</g>$", body, re.MULTILINE)
        found[unescape(name)] = [" ".join(map(unescape, re.findall(r">([^<]+)</text>", line))) for line in lines]
    return found


def style_of(index: int) -> str:
    """Return the rules for one look: 0 is light, 1 is dark."""
    back = ("#ffffff", "#0d1117")[index]
    border = ("#d0d7de", "#30363d")[index]
    rules = "".join(f".{name}{{fill:{colours[index]}}}" for name, colours in LOOKS.items())
    return f".back{{fill:{back};stroke:{border}}}{rules}"


def _inverse(index: int, body: str) -> str:
    """Return the rule for text on a field in the colour of text, "" where a picture has none."""
    return f".inverse{{fill:{('#ffffff', '#0d1117')[index]}}}" if 'class="inverse' in body else ""


def _picture(title: str, style: str, body: str, rows: list[list[Cell]]) -> str:
    width, height = len(rows[0]) * WIDTH + 2 * MARGIN, len(rows) * HEIGHT + 2 * MARGIN
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">
<title>{escape(title)}</title>
<style>
text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}}
.bold{{font-weight:bold}}
{style_of(0)}{_inverse(0, body)}
@media (prefers-color-scheme:dark){{{style_of(1)}{_inverse(1, body)}}}
{style}
</style>
<rect class="back" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>
{body}
</svg>
"""


def _rows(rows: list[list[Cell]]) -> str:
    return "\n".join(f"<g>{line}</g>" for y, row in enumerate(rows) if (line := "".join(_runs(y, row))))


def _runs(y: int, row: list[Cell]) -> Iterator[str]:
    """Yield the pieces of a row that look alike, each at its own column, as fonts differ in width."""
    column = 0
    for (look, reverse), cells in itertools.groupby(row, lambda cell: (_look(cell), cell.reverse)):
        text = "".join(cell.character or " " for cell in cells)
        if reverse:
            x, y0, size = MARGIN + column * WIDTH, MARGIN + y * HEIGHT - 1, len(text) * WIDTH
            yield f'<rect x="{x:g}" y="{y0}" width="{size:g}" height="{HEIGHT}" class="{look}"/>'
            look = look.replace(look.split()[0], "inverse")  # noqa: PLW2901 - the colour is that of the field
        begin, words = column + len(text) - len(text.lstrip()), text.strip()
        column += len(text)
        if words:
            x, base = MARGIN + begin * WIDTH, MARGIN + y * HEIGHT + 13
            length = f' textLength="{len(words) * WIDTH:g}"' if len(words) > 1 else ""
            yield f'<text x="{x:g}" y="{base}"{length} class="{look}">{escape(words)}</text>'


def _look(cell: Cell) -> str:
    """Return the classes of a cell."""
    return _class(cell.colour) + (" bold" if cell.bold else "")


def _class(colour: str) -> str:
    """Return the class that comes closest to a colour of the terminal."""
    name = colour.removeprefix("bright")
    if colour in ("default", "brightwhite"):
        return "text"
    if colour in _NAMES or name in LOOKS or name in _NAMES:
        return _NAMES.get(colour) or (name if name in LOOKS else _NAMES[name])
    red, green, blue = (int(colour[at : at + 2], 16) for at in (0, 2, 4))
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < _GREY:
        return "text" if most >= _LIGHT else "dim"
    if most == red:
        hue = 60 * (green - blue) / (most - least) % 360
    elif most == green:
        hue = 60 * (blue - red) / (most - least) + 120
    else:
        hue = 60 * (red - green) / (most - least) + 240
    return next(name for end, name in _HUES if hue < end)
