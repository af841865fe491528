"""The panels of Figure 2: value, allocation, concordance and log₁₀ p against γ, by ε."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from dpwerm.reproduce.canvas import INK
from dpwerm.reproduce.trials.figure import quiet
from dpwerm.reproduce.trials.table import Measured

SHADES = ("#c9b27c", "#8f8f6b", "#6b8e8e", "#3f6f91", "#14304f")
MARKS = ("o", "s", "^", "D", "v")
"""From the smallest ε on: each darker than the last."""


def gamma_figure(
    title: str, arms: tuple[str, str], paper: Sequence[Measured], ours: Sequence[Measured]
) -> Figure:
    """Return two blocks of four panels: the paper's method above, ours below."""
    figure = Figure(figsize=(9.5, 11.5), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = np.asarray(figure.subfigures(2, 1), dtype=object)
    block(above, f"{title}: the paper's method", arms, paper, "γ")
    block(below, f"{title}: our method", arms, ours, "automatic γ times")
    return figure


def block(
    figure: SubFigure, title: str, arms: tuple[str, str], rows: Sequence[Measured], across: str
) -> None:
    """Draw the four panels of one method."""
    panels = figure.subplots(2, 2)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, color=INK)
    names = (
        "value, mean ± SD",
        f"share with {arms[1]}",
        "concordance",
        "log₁₀ p",
    )
    epsilons = sorted({row.epsilon for row in rows if row.private}, key=float)
    for panel, name in zip(panels.flat, names, strict=True):
        quiet(panel)
        panel.set_ylabel(name)
        panel.set_xlabel(across)
        panel.set_xscale("log")
        scales = sorted({row.scale for row in rows})
        panel.set_xticks(scales, [f"{scale:g}" for scale in scales])
        panel.minorticks_off()
    for place, epsilon in enumerate(epsilons):
        chosen = [row for row in rows if row.epsilon == epsilon]
        # Side by side, so that bars do not hide each other.
        shift = 1.0 + 0.035 * (place - (len(epsilons) - 1) / 2)
        at = [row.scale * shift for row in chosen]
        numbers = (
            [row.mean for row in chosen],
            [row.second / (row.second + row.first) for row in chosen],
            [row.concordance for row in chosen],
            [np.nan if row.log10_p is None else row.log10_p for row in chosen],
        )
        for number, (panel, heights) in enumerate(zip(panels.flat, numbers, strict=True)):
            bars = [row.deviation for row in chosen] if number == 0 else None
            line(panel, place, f"ε = {epsilon}", at, heights, bars)
    panels[0, 1].set_ylim(-0.03, 1.03)
    panels[1, 0].set_ylim(-0.03, 1.03)
    figure.legend(
        *panels[0, 0].get_legend_handles_labels(),
        loc="upper right",
        ncols=len(epsilons),
        fontsize=8,
        frameon=False,
    )
    if all(row.log10_p is None for row in rows if row.private):
        panels[1, 1].text(0.5, 0.5, "no test", ha="center", transform=panels[1, 1].transAxes)


def line(
    panel: Axes,
    place: int,
    label: str,
    at: Sequence[float],
    heights: Sequence[float],
    bars: Sequence[float] | None,
) -> None:
    """Draw the line of one ε."""
    panel.errorbar(
        at,
        heights,
        yerr=bars,
        color=SHADES[place % len(SHADES)],
        marker=MARKS[place % len(MARKS)],
        markersize=4,
        linewidth=1.1,
        capsize=2,
        label=label,
    )
