"""Two pictures of a rule: its coefficients with the reach of the noise, and what it recommends."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from dpwerm.report.noise_interval import effect_reach
from dpwerm.report.settings_words import zeroed
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import NumberBlock

INK, FIRST, SECOND = "#222222", "#d9c7a8", "#7fa6b8"


def draw_coefficients(rule: Rule, axes: Axes) -> None:
    """Draw each effect, with the 95 % interval of its privacy noise if published.

    What the threshold set to 0 gets no interval: the released coefficient is not 0.
    """
    release = rule.release
    names = release.encoding.coefficient_names
    effects, reach = release.effects, effect_reach(release)
    rows = np.arange(len(names))[::-1]
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.plot(effects, rows, "o", color=INK, markersize=5)
    title = "Coefficients"
    if reach is not None and reach.any():
        title += ", ± 95 % of the privacy noise"
        at = np.flatnonzero(np.logical_not(zeroed(release)))
        axes.errorbar(effects[at], rows[at], xerr=reach[at], fmt="none", ecolor=INK, capsize=3)
    axes.set_yticks(rows, names)
    axes.set_xlabel(f"← {rule.arms[0]}     coefficient, encoded units     {rule.arms[1]} →")
    axes.set_title(title, loc="left", fontsize=10)


def draw_recommendation(rule: Rule, axes: Axes, steps: int = 200) -> None:
    """Draw the recommended arm over the two numbers that matter most, the rest at its default."""
    encoding = rule.release.encoding
    effects = dict(zip(encoding.coefficient_names, rule.release.effects, strict=True))
    numbers = [block for block in encoding.blocks if isinstance(block, NumberBlock)]
    numbers.sort(key=lambda block: -abs(effects[block.name]))
    if len(numbers) < 2:
        axes.text(0.5, 0.5, "needs two number features", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    across, up = numbers[0], numbers[1]
    xs, ys = np.linspace(across.lower, across.upper, steps), np.linspace(up.lower, up.upper, steps)
    grid: dict[str, Any] = {name: [None] * steps**2 for name in encoding.columns}
    grid[across.column] = np.tile(xs, steps).tolist()
    grid[up.column] = np.repeat(ys, steps).tolist()
    scores = rule.score_table(pa.table(grid))
    side = np.where(rule.arms_for(scores) == rule.arms[1], 1.0, 0.0).reshape(steps, steps)
    axes.pcolormesh(
        xs, ys, side, cmap=ListedColormap([FIRST, SECOND]), vmin=0, vmax=1, rasterized=True
    )
    axes.set_xlabel(across.name)
    axes.set_ylabel(up.name)
    axes.set_title("Recommended arm, other features at their default", loc="left", fontsize=10)
    for arm, colour in zip(rule.arms, (FIRST, SECOND), strict=True):
        axes.plot([], [], "s", color=colour, markersize=9, label=arm)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)


def save_figure(rule: Rule, path: Path) -> None:
    """Write both pictures side by side; the ending of the path decides the format."""
    # Names come from a study file: a dollar sign in one is text, not mathematics.
    with rc_context({"text.parse_math": False}):
        _figure(rule).savefig(path, dpi=150)


def _figure(rule: Rule) -> Figure:
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    draw_coefficients(rule, left)
    draw_recommendation(rule, right)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    claim = str(rule.budget) if rule.private else "NOT PRIVATE"
    figure.suptitle(f"{rule.title}   ({claim})", x=0.01, ha="left", fontsize=12)
    return figure
