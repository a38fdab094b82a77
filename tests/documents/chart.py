"""The chart of what survives six compactions, drawn from the table in docs/explanation/compaction.md."""

from __future__ import annotations

import re
from html import escape

from tests.documents import svg

_ROW = re.compile(r"^\| (\d), ([a-z ]+) \|" + r" (\d+) \|" * 5 + "$", re.MULTILINE)
WIDTH, HEIGHT = 640, 330
LEFT, RIGHT, TOP, BOTTOM = 50, 175, 50, 60
LINES = (("planted so far", "dim"), ("with holdfast", "blue"), ("without", "red"))


def figures(page: str) -> list[tuple[str, list[int]]]:
    """Return each compaction with the facts planted until then, those left with holdfast, and those left without it.

    ValueError when the two clients of the table differ: a chart with three lines would hide that.
    """
    rows = []
    for _, way, *numbers in _ROW.findall(page):
        planted, ours, bare, ours_newer, bare_newer = map(int, numbers)
        if (ours, bare) != (ours_newer, bare_newer):
            raise ValueError(f"the clients differ: {way}")
        rows.append((way, [planted, ours, bare]))
    return rows


def draw(page: str) -> str:
    """Return the chart."""
    rows = figures(page)
    most = max(number for _, numbers in rows for number in numbers)

    def x(at: int) -> float:
        return LEFT + at * (WIDTH - LEFT - RIGHT) / (len(rows) - 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM) / most

    parts = [f'<text x="{LEFT - 30}" y="24" class="text bold">Facts in the context after each compaction</text>']
    for value in range(0, most + 1, 5):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):g}" y2="{y(value):g}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 10}" y="{y(value) + 4:g}" text-anchor="end" class="dim">{value}</text>')
    for at, (way, _) in enumerate(rows):
        parts.append(f'<text x="{x(at):g}" y="{HEIGHT - 36}" text-anchor="middle" class="text">{at + 1}</text>')
        words = f'text-anchor="middle" class="dim small">{escape(way)}'
        parts.append(f'<text x="{x(at):g}" y="{HEIGHT - 18}" {words}</text>')
    for line, (name, look) in enumerate(LINES):
        # Where two lines are the same, the one of what was planted is seen as a dashed border of the other.
        points = " ".join(f"{x(at):g},{y(numbers[line]):g}" for at, (_, numbers) in enumerate(rows))
        parts.append(f'<polyline points="{points}" class="line line-{look}"/>')
        last = rows[-1][1][line]
        below = 18 if line == 0 else -4
        label = f"{last} {name}"
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{y(last) + below:g}" class="{look}">{label}</text>')
    looks = [_style(number) for number in (0, 1)]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">
<title>{escape(_title(rows))}</title>
<style>
text{{font:14px system-ui,sans-serif}}.small{{font-size:11px}}.bold{{font-weight:bold}}
.line{{fill:none;stroke-width:3}}.line-dim{{stroke-width:8;opacity:.35}}
{looks[0]}
@media (prefers-color-scheme:dark){{{looks[1]}}}
</style>
<rect class="back" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>
{chr(10).join(parts)}
</svg>
"""


def _title(rows: list[tuple[str, list[int]]]) -> str:
    """Return what the chart says, for those who do not see it."""
    planted, ours, bare = rows[-1][1]
    return f"Of {planted} facts, {ours} are in the context after {len(rows)} compactions with holdfast, {bare} without."


def _style(index: int) -> str:
    strokes = "".join(f".line-{name}{{stroke:{colours[index]}}}" for name, colours in svg.LOOKS.items())
    return svg.style_of(index) + strokes + f".grid{{stroke:{svg.LOOKS['dim'][index]};stroke-opacity:.25}}"
