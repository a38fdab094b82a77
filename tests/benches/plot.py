"""The picture: cost against size, a panel for each of what grows and a line for each hook, both scales logarithmic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

from tests.benches.growth import DIMENSIONS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benches.growth import Found

# Those that grow have a colour of their own; what lies together at the bottom is distinguished by its dashes.
_STYLES: dict[str, dict[str, Any]] = {
    "PreCompact": {"color": "#b2182b", "marker": "s"},
    "SessionStart": {"color": "#2166ac", "marker": "o"},
    "PostCompact": {"color": "#762a83", "marker": "D"},
    "SubagentStart": {"color": "#1b7837", "marker": "^"},
    "Stop": {"color": "#e08214", "marker": "v"},
    "PostToolUse": {"color": "#000000", "marker": "*", "markersize": 9},
}
_OTHER = {"color": "#999999", "linewidth": 0.9, "marker": ".", "zorder": 1}
_TICKS = [1, 1.5, 2, 3, 5, 10, 20, 50, 100]


def draw(found: dict[str, Found], path: Path) -> None:
    """Draw what was measured of each dimension into a file, in the format that its name ends with."""
    mpl.rcParams.update({"svg.hashsalt": "holdfast", "svg.fonttype": "path", "font.size": 9})
    figure, panels = plt.subplots(2, 3, figsize=(15, 8), sharey=True, layout="constrained")
    for panel in panels.flat[len(found) :]:
        panel.set_axis_off()
    for panel, (name, sizes) in zip(panels.flat, found.items(), strict=False):
        _panel(panel, name, sizes)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle("What a hook costs, as a ratio to a bare interpreter in the same loop (medians)")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)


def _panel(panel: Any, name: str, found: Found) -> None:
    """Draw one dimension."""
    sizes = sorted(found)
    others = "the other hooks"
    for event in found[sizes[0]]:
        style = _STYLES.get(event, _OTHER)
        label = event if event in _STYLES else others
        others = f"_{others.lstrip('_')}" if label == others else others  # in the legend once
        panel.plot(sizes, [found[size][event].ratio for size in sizes], label=label, **{"markersize": 5, **style})
    panel.axhline(1.5, color="#bbbbbb", linestyle=":", linewidth=1)
    panel.set(xscale="log", yscale="log", xlabel=DIMENSIONS[name].about, xticks=sizes, ylabel="x bare")
    panel.set_xticks([], minor=True)
    panel.set_xticklabels([f"{size:,}" for size in sizes])
    panel.set_yticks(_TICKS, labels=[f"{tick:g}" for tick in _TICKS])
    panel.set_yticks([], minor=True)
    panel.grid(visible=True, axis="y", color="#eeeeee")
    panel.spines[["top", "right"]].set_visible(False)
