"""Two pictures of an evaluation: what the rule and each arm are worth, and what the rule gains.

The thin line with ends is the interval that allows for both errors. The hatched bar above it is the
reach of the privacy noise alone, the filled bar below it the reach of sampling alone.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpwerm.documents.drawing import (
    INK,
    LINE,
    QUIET,
    SMALL,
    headed,
    labelled,
    legend_under,
    room,
    rows_named,
    short,
    side_by_side,
    styled,
    two_lines,
    wide,
)
from dpwerm.releases.value.release import Estimate, ValueRelease

THICK, AWAY = 0.13, 0.2
"""Height of a bar, and how far it stands from its line, where rows are 1 apart."""

ARM, TICKS = 20, 7
"""Signs of an arm's name on one line, and the most parts of the axis."""

PRIVACY: dict[str, Any] = {"facecolor": "white", "edgecolor": LINE, "hatch": "//////"}
SAMPLING: dict[str, Any] = {"facecolor": QUIET, "edgecolor": LINE}
"""The looks of the two errors, told apart without colour."""

NAME, WHOLE = 0.35, 0.6
"""Shares of a panel: of a row's name, and of the label of the axis."""

LINE_HEIGHT = 11.5
NOT_KNOWN = "not known"
BETTER = "(larger is better)"


@styled()
def draw_value(value: ValueRelease, axes: Axes) -> None:
    """Draw the mean benefit under the rule and under each arm for everybody."""
    names = ["the rule", *(_everybody(one.name, axes) for one in value.values[1:])]
    _draw(value.values, names, axes)
    headed(axes, f"Mean benefit{_claim(value)}")
    _explained(value, axes, "")


@styled()
def draw_gains(value: ValueRelease, axes: Axes) -> None:
    """Draw how much the rule gains over each arm for everybody; right of 0 the rule is better."""
    axes.axvline(0.0, color=INK, linewidth=0.8)
    names = [_everybody(f"over {one.over or ''}", axes) for one in value.gains]
    _draw(value.gains, names, axes)
    headed(axes, f"Gain of the rule{_claim(value)}")
    _explained(value, axes, "gain in ")


@styled()
def save_value(value: ValueRelease, path: Path) -> None:
    """Write both pictures side by side; the ending of the path decides the format."""
    facts = value.declaration
    side_by_side(
        lambda axes: draw_value(value, axes),
        lambda axes: draw_gains(value, axes),
        4.2,
        facts.study_name or facts.study_id or "a treatment rule",
        str(value.budget) if value.private else "NOT PRIVATE",
        path,
    )


def benefit_label(value: ValueRelease, points: float = math.inf) -> str:
    """Return the unit of a value: the benefit's column, how it was turned, and what is better.

    points: how wide the column's name may be when it is drawn
    """
    benefit = value.declaration.benefit
    column = short(benefit.column, points=points)
    unit = column if benefit.transform == "identity" else f"{benefit.transform} of {column}"
    return f"{'−' if benefit.direction == 'smaller' else ''}{unit} {BETTER}"


def _claim(value: ValueRelease) -> str:
    return "" if value.private else " (NOT PRIVATE)"


def _everybody(arm: str, axes: Axes) -> str:
    return f"{two_lines(arm, ARM, room(axes, NAME))}\nfor everybody"


def _explained(value: ValueRelease, axes: Axes, before: str) -> None:
    """Name the axis, on two lines if one is too short, and explain the marks under it."""
    whole = room(axes, WHOLE)
    label = before + benefit_label(value, whole - wide(f"{before}−log of "))
    if wide(label) > whole:
        label = label.replace(f" {BETTER}", f"\n{BETTER}")
    labelled(axes, across=label)
    both = f"estimate and {100 * value.confidence:g} % interval for both errors"
    marks = [
        Line2D([], [], color=INK, marker="o", markersize=6, label=both),
        Patch(label="reach of the privacy noise alone", **PRIVACY),
        Patch(label="reach of sampling alone", **SAMPLING),
    ]
    legend_under(axes, marks=marks, drop=34.0 + LINE_HEIGHT * label.count("\n"))


def _draw(estimates: Sequence[Estimate], names: Sequence[str], axes: Axes) -> None:
    """Draw a row for each estimate; of one that is not known the interval alone."""
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
    axes.locator_params(axis="x", nbins=TICKS)
