"""The panels of Figure 2: value, allocation, concordance and log₁₀ p against γ, by ε."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.drawing import headed, labelled, legend_below, panels, shades, styled
from reproduction.trials.table import Measured

MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""From the smallest ε on, each darker than the last."""

MEASURES = ("value", "share", "concordance", "p")


@styled()
def gamma_figure(
    title: str, arms: tuple[str, str], paper: Sequence[Measured], ours: Sequence[Measured]
) -> Figure:
    """Return two blocks of four panels: the paper's method above, ours below."""
    figure, axes = panels(9.5, 11.5, 4, 2)
    blocks = (("the paper's method", paper, "γ"), ("our method", ours, "automatic γ times"))
    for block, (method, rows, across) in zip((axes[:2], axes[2:]), blocks, strict=True):
        for panel, measure in zip(block.flat, MEASURES, strict=True):
            draw_measure(rows, panel, measure, arms)
            labelled(panel, across=f"{across} (log scale)")
        headed(block[0, 0], f"{title}: {method}")
    legend_below(figure, axes[0, 0], len(_epsilons(paper)))
    return figure


@styled()
def draw_measure(rows: Sequence[Measured], axes: Axes, measure: str, arms: tuple[str, str]) -> None:
    """Draw one of the four measures against γ, a line for each ε."""
    units = {
        "value": "value, mean ± SD",
        "share": f"share with {arms[1]}",
        "concordance": "concordance",
        "p": "log₁₀ p",
    }
    labelled(axes, across="γ (log scale)", up=units[measure])
    axes.set_xscale("log")
    scales = sorted({row.scale for row in rows})
    axes.set_xticks(scales, [f"{scale:g}" for scale in scales])
    axes.minorticks_off()
    epsilons = _epsilons(rows)
    for place, epsilon in enumerate(epsilons):
        chosen = [row for row in rows if row.epsilon == epsilon]
        # Side by side, so that bars do not hide each other.
        shift = 1.0 + 0.035 * (place - (len(epsilons) - 1) / 2)
        axes.errorbar(
            [row.scale * shift for row in chosen],
            [_height(row, measure) for row in chosen],
            yerr=[row.deviation for row in chosen] if measure == "value" else None,
            color=shades(len(epsilons))[place],
            marker=MARKS[place % len(MARKS)],
            linewidth=1.1,
            label=f"ε = {epsilon}",
        )
    if measure in {"share", "concordance"}:
        axes.set_ylim(-0.03, 1.03)
    if measure == "p" and all(row.log10_p is None for row in rows if row.private):
        axes.text(0.5, 0.5, "no test", ha="center", transform=axes.transAxes)


def _height(row: Measured, measure: str) -> float:
    if measure == "p":
        return np.nan if row.log10_p is None else row.log10_p
    if measure == "share":
        return row.second / (row.second + row.first)
    return row.mean if measure == "value" else row.concordance


def _epsilons(rows: Sequence[Measured]) -> list[str]:
    return sorted({row.epsilon for row in rows if row.private}, key=float)
