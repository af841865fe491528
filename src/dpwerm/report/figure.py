"""Two pictures of a rule: its coefficients with the reach of the noise, and what it recommends."""

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from dpwerm.arrays import FloatArray
from dpwerm.drawing import (
    FIRST,
    INK,
    SECOND,
    SMALL,
    headed,
    labelled,
    legend_under,
    panels,
    plain,
    rows_named,
    save,
    short,
    styled,
    titled,
    two_lines,
)
from dpwerm.report.noise_interval import effect_reach
from dpwerm.report.settings_words import zeroed
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import NumberBlock

NO_MAP = "a map needs two number features"
DASHES, TICKS = (2.5, 1.2), 6
"""Of simulated intervals, short ones too; and the most parts of the axis of coefficients."""

BESIDE = 16
"""Arms with names of at most so many signs stand beside each other in the legend."""


class Simulated(Protocol):
    """The reach of the noise in each effect, from public simulation."""

    @property
    def half(self) -> FloatArray:
        """Half widths, shape (d,), in units of the effects."""


@styled()
def draw_coefficients(
    rule: Rule, axes: Axes, simulated: Simulated | None = None, most: int | None = None
) -> None:
    """Draw each effect, with the 95 % interval of its privacy noise if its law is public.

    simulated: the reach where the law is not public, drawn dashed. What the threshold set to 0 gets
    no interval: the released coefficient is not 0. most: draw only so many, the largest.
    """
    release = rule.release
    names, reach = release.encoding.coefficient_names, effect_reach(release)
    shown = np.sort(np.argsort(-np.abs(release.effects), kind="stable")[:most])
    effects, small = release.effects[shown], np.array(zeroed(release))[shown]
    rows = rows_named(axes, [short(names[place]) for place in shown])
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.plot(effects, rows, "o", color=INK, markersize=5)
    title, dashes = "Coefficients", None
    if reach is None and simulated is not None:
        reach, dashes = simulated.half, DASHES
    if reach is not None and reach.any():
        title += "\n± 95 % of the privacy noise" + (", simulated" if dashes else "")
        at = np.flatnonzero(np.logical_not(small))
        bars = axes.errorbar(effects[at], rows[at], xerr=reach[shown][at], fmt="none", ecolor=INK)
        for part in bars[2]:
            part.set_linestyle("solid" if dashes is None else (0, dashes))
    axes.locator_params(axis="x", nbins=TICKS)
    headed(axes, title)
    _arms_across(axes, rule.arms)
    labelled(axes, across="coefficient, encoded units")


def _arms_across(axes: Axes, arms: tuple[str, str]) -> None:
    """Write under the axis which side speaks for which arm."""
    first, second = two_lines(f"← {arms[0]}"), two_lines(f"{arms[1]} →")
    for text, x, side in ((first, 0.0, "left"), (second, 1.0, "right")):
        below: dict[str, Any] = {"xytext": (0, -19), "textcoords": "offset points"}
        plain(
            axes.annotate(
                text, (x, 0), xycoords="axes fraction", ha=side, va="top", fontsize=SMALL, **below
            )
        )
    axes.xaxis.labelpad = 5 + 11.5 * (1 + max(first.count("\n"), second.count("\n")))


@styled()
def draw_recommendation(rule: Rule, axes: Axes, steps: int = 200) -> None:
    """Draw the recommended arm over the two numbers that matter most, the rest at its default."""
    encoding = rule.release.encoding
    effects = dict(zip(encoding.coefficient_names, rule.release.effects, strict=True))
    numbers = [block for block in encoding.blocks if isinstance(block, NumberBlock)]
    numbers.sort(key=lambda block: -abs(effects[block.name]))
    if len(numbers) < 2:
        axes.text(0.5, 0.5, NO_MAP, ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    across, up = numbers[0], numbers[1]
    xs, ys = np.linspace(across.lower, across.upper, steps), np.linspace(up.lower, up.upper, steps)
    grid: dict[str, Any] = {name: [None] * steps**2 for name in encoding.columns}
    grid[across.column] = np.tile(xs, steps).tolist()
    grid[up.column] = np.repeat(ys, steps).tolist()
    scores = rule.score_table(pa.table(grid))
    # The sign says the arm, also where a score of 0 gives the default.
    far = np.maximum(np.abs(scores), np.finfo(np.float64).tiny)
    side = np.where(rule.arms_for(scores) == rule.arms[1], far, -far).reshape(steps, steps)
    top = 2 * float(far.max())
    axes.contourf(xs, ys, side, levels=[-top, 0.0, top], colors=[FIRST, SECOND])
    axes.grid(visible=False)
    labelled(axes, across=short(across.name), up=short(up.name))
    headed(axes, "Recommended arm,\nother features at their default")
    marks = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.6, label=short(arm))
        for arm, colour in zip(rule.arms, (FIRST, SECOND), strict=True)
    ]
    legend_under(axes, 2 if max(map(len, rule.arms)) <= BESIDE else 1, marks=marks)


@styled()
def save_figure(rule: Rule, path: Path, simulated: Simulated | None = None) -> None:
    """Write both pictures side by side; the ending of the path decides the format."""
    rows = len(rule.release.encoding.coefficient_names)
    figure, ((left, right),) = panels(10.0, max(4.0, 1.8 + 0.24 * rows), columns=2)
    draw_coefficients(rule, left, simulated)
    draw_recommendation(rule, right)
    claim = str(rule.budget) if rule.private else "NOT PRIVATE"
    titled(figure, f"{short(rule.title, 80)}   ({claim})")
    save(figure, path)
