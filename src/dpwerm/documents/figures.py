"""Two pictures of a rule, and two of an evaluation.

Of a rule: its coefficients with what noise and chance may do, and what it recommends. Of an
evaluation: what the rule and each arm are worth, and what the rule gains. There the thin line with
ends is the interval that allows for both errors, the hatched bar above it allows for the privacy
noise alone, the filled bar below it for sampling alone.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpwerm.arrays import FloatArray
from dpwerm.documents.drawing import (
    FIRST,
    INK,
    LINE,
    QUIET,
    SECOND,
    SMALL,
    distinct,
    headed,
    labelled,
    legend_under,
    panels,
    plain,
    plain_numbers,
    room,
    rows_named,
    save,
    short,
    styled,
    titled,
    two_lines,
    wide,
)
from dpwerm.documents.half_widths import (
    SimulatedHalfWidths,
    simulated_by_law,
    simultaneous,
)
from dpwerm.documents.null_trials import Bar
from dpwerm.documents.summary import zeroed
from dpwerm.documents.value import gains_of
from dpwerm.features.blocks import NumberBlock
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import Estimate, ValueRelease

DASHES, TICKS = (2.5, 1.2), 6
"""Of simulated intervals, short ones too; and the most parts of the axis of coefficients."""

NAME, SIDE, WHOLE = 0.35, 0.28, 0.6
"""Shares of a panel: of a row's name, of an arm beside the other, and of what stands alone."""

THICK, AWAY = 0.13, 0.2
"""Height of a bar, and how far it stands from its line, where rows are 1 apart."""

ARM, VALUE_TICKS = 20, 7
"""Signs of an arm's name on one line, and the most parts of the axis."""

PRIVACY: dict[str, Any] = {"facecolor": "white", "edgecolor": LINE, "hatch": "//////"}
SAMPLING: dict[str, Any] = {"facecolor": QUIET, "edgecolor": LINE}
"""The looks of the two errors, told apart without colour."""

LINE_HEIGHT = 11.5
NOT_KNOWN = "not known"
BETTER = "(larger is better)"


@styled()
def draw_coefficients(
    rule: Rule,
    axes: Axes,
    simulated: SimulatedHalfWidths | None = None,
    most: int | None = None,
    bar: Bar | None = None,
) -> None:
    """Draw each effect, with an interval: of the bar, or else of the privacy noise if it is known.

    With a bar an interval that leaves 0 out is one that stands out, as a report says it. Without,
    it is the privacy noise alone that leaves none of the intervals in 95 of 100 releases.
    simulated: its half-widths where no law is public; what is simulated is drawn dashed. What the
    threshold set to 0 gets no interval: the released coefficient is not 0. most: draw only so many,
    the largest.
    """
    release, simulated = rule.release, simulated or simulated_by_law(rule)
    names, half = release.encoding.coefficient_names, simultaneous(rule, simulated)
    half = half if bar is None else bar.sizes
    shown = np.sort(np.argsort(-np.abs(release.effects), kind="stable")[:most])
    effects, small = release.effects[shown], np.array(zeroed(release))[shown]
    rows = rows_named(axes, distinct([names[at] for at in shown], room(axes, NAME)))
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.plot(effects, rows, "o", color=INK, markersize=5)
    title = f"Coefficients{_claim(rule)}"
    if half is not None and half.any():
        dashes = bar is not None or (simulated is not None and half is simulated.simultaneous)
        what = "privacy noise, 95 % for all at once" if bar is None else f"{bar.what}, 95 %"
        title += f"\n± {what}{', simulated' if dashes else ''}"
        at = np.flatnonzero(np.logical_not(small))
        bars = axes.errorbar(effects[at], rows[at], xerr=half[shown][at], fmt="none", ecolor=INK)
        for part in bars[2]:
            part.set_linestyle((0, DASHES) if dashes else "solid")
    plain_numbers(axes, TICKS)
    headed(axes, title)
    _arms_across(axes, rule.arms)
    labelled(axes, across="coefficient, encoded units")


def _arms_across(axes: Axes, arms: tuple[str, str]) -> None:
    """Write under the axis which side speaks for which arm."""
    points = room(axes, SIDE)
    first, second = (two_lines(text, points=points) for text in (f"← {arms[0]}", f"{arms[1]} →"))
    look: dict[str, Any] = {"xycoords": "axes fraction", "va": "top", "fontsize": SMALL}
    look |= {"xytext": (0, -19), "textcoords": "offset points"}
    plain(axes.annotate(first, (0.0, 0), ha="left", **look))
    plain(axes.annotate(second, (1.0, 0), ha="right", **look))
    axes.xaxis.labelpad = 5 + LINE_HEIGHT * (1 + max(first.count("\n"), second.count("\n")))


@styled()
def draw_recommendation(rule: Rule, axes: Axes, steps: int = 200) -> None:
    """Draw the recommended arm over the two numbers that matter most, the rest at its default."""
    plane = _plane(rule)
    if plane is None:
        words = "a map needs two number features"
        if rule.single_arm is not None:
            words = f"everybody gets {short(rule.single_arm, points=room(axes, WHOLE))}"
        plain(axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes))
        axes.set_axis_off()
        return
    across, up = plane
    scores = _scores(rule, across, up, steps)
    # The sign says the arm, also where a score of 0 gives the default.
    far = np.maximum(np.abs(scores), np.finfo(np.float64).tiny)
    side = np.where(rule.arms_for(scores) == rule.arms[1], far, -far).reshape(steps, steps)
    top = 2 * float(far.max())
    xs, ys = _ticks(across, steps), _ticks(up, steps)
    axes.contourf(xs, ys, side, levels=[-top, 0.0, top], colors=[FIRST, SECOND])
    axes.grid(visible=False)
    sizes = room(axes, WHOLE), room(axes, WHOLE, upright=True)
    names = [short(one.name, points=size) for one, size in zip(plane, sizes, strict=True)]
    labelled(axes, across=names[0], up=names[1])
    plain_numbers(axes, TICKS, upright=True)
    heading = f"Recommended arm{_claim(rule)},\nother features at their default"
    if rule.single_arm is not None:
        alone = short(rule.single_arm, points=sizes[0])
        heading = f"Recommended arm{_claim(rule)}:\neverybody gets {alone}"
    headed(axes, heading)
    arms = [short(arm, points=sizes[0]) for arm in rule.arms]
    marks = [
        Patch(facecolor=colour, edgecolor=INK, linewidth=0.6, label=arm)
        for arm, colour in zip(arms, (FIRST, SECOND), strict=True)
    ]
    legend_under(axes, 2 if max(map(wide, arms)) <= room(axes, SIDE) else 1, marks=marks)


def recommended_everywhere(rule: Rule) -> str | None:
    """Return the arm that fills the map of ``draw_recommendation``; None for both or no map.

    The score is linear over the map, so its four corners tell.
    """
    plane = _plane(rule)
    arms = set() if plane is None else set(rule.arms_for(_scores(rule, *plane, 2)))
    return str(arms.pop()) if len(arms) == 1 else None


def _claim(released: Rule | ValueRelease) -> str:
    return "" if released.private else " (NOT PRIVATE)"


def _plane(rule: Rule) -> tuple[NumberBlock, NumberBlock] | None:
    """Return the two numbers that matter most, None if there are fewer."""
    encoding = rule.release.encoding
    effects = dict(zip(encoding.coefficient_names, rule.release.effects, strict=True))
    numbers = [block for block in encoding.blocks if isinstance(block, NumberBlock)]
    numbers.sort(key=lambda block: -abs(effects[block.name]))
    return (numbers[0], numbers[1]) if len(numbers) > 1 else None


def _ticks(block: NumberBlock, steps: int) -> FloatArray:
    return np.linspace(block.lower, block.upper, steps)


def _scores(rule: Rule, across: NumberBlock, up: NumberBlock, steps: int) -> FloatArray:
    """Return the scores on a grid over two numbers, every other feature missing."""
    grid: dict[str, Any] = {name: [None] * steps**2 for name in rule.release.encoding.columns}
    grid[across.column] = np.tile(_ticks(across, steps), steps).tolist()
    grid[up.column] = np.repeat(_ticks(up, steps), steps).tolist()
    return rule.score_table(pa.table(grid))


@styled()
def save_figure(
    rule: Rule,
    path: Path,
    simulated: SimulatedHalfWidths | None = None,
    bar: Bar | None = None,
) -> None:
    """Write both pictures side by side; the ending of the path decides the format."""
    rows = len(rule.release.encoding.coefficient_names)
    figure, left, right = _two_panels(rule, max(4.0, 1.8 + 0.24 * rows))
    draw_coefficients(rule, left, simulated, bar=bar)
    draw_recommendation(rule, right)
    save(figure, path)


def _two_panels(released: Rule | ValueRelease, height: float) -> tuple[Figure, Axes, Axes]:
    """Return a picture of two panels under the study's title and the claim of a release."""
    figure, ((left, right),) = panels(10.0, height, columns=2)
    claim = str(released.budget) if released.private else "NOT PRIVATE"
    titled(figure, f"{short(released.declaration.title, 80, room(left, 1.25))}   ({claim})")
    return figure, left, right


@styled()
def draw_value(value: ValueRelease, axes: Axes) -> None:
    """Draw the mean benefit under the rule and under each arm for everybody."""
    names = ["the rule", *(_everybody(one.name, axes) for one in value.values[1:])]
    headed(axes, f"Mean benefit{_claim(value)}")
    _draw(value, value.values, names, axes, "")


@styled()
def draw_gains(value: ValueRelease, axes: Axes, rule: Rule | None = None) -> None:
    """Draw how much the rule gains over each arm for everybody; right of 0 the rule is better.

    rule: if it gives everybody one arm, its gain over that arm is exactly 0.
    """
    axes.axvline(0.0, color=INK, linewidth=0.8)
    gains = gains_of(value, rule)
    names = [_everybody(f"over {one.over or ''}", axes) for one in gains]
    headed(axes, f"Gain of the rule{_claim(value)}")
    _draw(value, gains, names, axes, "gain in ")


@styled()
def save_value(value: ValueRelease, path: Path, rule: Rule | None = None) -> None:
    """Write both pictures side by side; the ending of the path decides the format."""
    figure, left, right = _two_panels(value, 4.2)
    draw_value(value, left)
    draw_gains(value, right, rule)
    save(figure, path)


def benefit_label(value: ValueRelease, points: float = math.inf) -> str:
    """Return the unit of a value; the column's name in it is at most so many points wide."""
    benefit = value.declaration.benefit
    column = short(benefit.column, points=points)
    unit = column if benefit.transform == "identity" else f"{benefit.transform} of {column}"
    return f"{'−' if benefit.direction == 'smaller' else ''}{unit} {BETTER}"


def _everybody(arm: str, axes: Axes) -> str:
    return f"{two_lines(arm, ARM, room(axes, NAME))}\nfor everybody"


def _draw(
    value: ValueRelease, estimates: Sequence[Estimate], names: Sequence[str], axes: Axes, what: str
) -> None:
    """Draw a row for each estimate, of one that is not known the interval alone, and explain them.

    what: before the unit, which stands on a line of its own if one is too short
    """
    for row, one in zip(rows_named(axes, names), estimates, strict=True):
        ends = (one.lower, one.upper)
        dashes = ":" if one.estimate is None else "-"
        axes.plot(ends, (row, row), dashes, color=INK, marker="|", markersize=8)
        if one.estimate is None:
            at = (sum(ends) / 2, row + AWAY)
            clear = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
            axes.annotate(NOT_KNOWN, at, ha="center", va="center", fontsize=SMALL, bbox=clear)
            continue
        axes.plot([one.estimate], [row], "o", color=INK, markersize=6)
        for half, look, away in ((one.privacy, PRIVACY, AWAY), (one.sampling, SAMPLING, -AWAY)):
            axes.barh(row + away, 2 * half, THICK, one.estimate - half, **look)
    plain_numbers(axes, VALUE_TICKS)
    whole = room(axes, WHOLE)
    label = what + benefit_label(value, whole - wide(f"{what}−log of "))
    if wide(label) > whole:
        label = label.replace(f" {BETTER}", f"\n{BETTER}")
    labelled(axes, across=label)
    both = f"estimate and {100 * value.confidence:g} % interval for both errors"
    marks = [
        Line2D([], [], color=INK, marker="o", markersize=6, label=both),
        Patch(label="interval for the privacy noise alone", **PRIVACY),
        Patch(label="interval for sampling alone", **SAMPLING),
    ]
    legend_under(axes, marks=marks, drop=34.0 + LINE_HEIGHT * label.count("\n"))
