"""Accuracy against ε for several numbers of people, as simulated before any data is touched."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from dpwerm.documents.drawing import (
    INK,
    LINE,
    SMALL,
    headed,
    labelled,
    panels,
    save,
    shades,
    short,
    styled,
)
from dpwerm.plan.expected import Expected

Curve = Mapping[str, Expected]
"""What is expected at each ε, "inf" for no privacy."""

_ASIDE = 2.2
"""How far right of the last ε the points without privacy stand, as a factor."""


@styled()
def draw_plan(curves: Mapping[int, Curve], n: int, axes: Axes) -> None:
    """Draw a line for each number of people, ± the simulation's error, labelled at its start.

    For n itself a band holds 80 in 100 trials.
    """
    finite = [epsilon for epsilon in next(iter(curves.values())) if epsilon != "inf"]
    xs = [float(epsilon) for epsilon in finite]
    aside = xs[-1] * _ASIDE
    starts: list[tuple[float, int]] = []
    for (people, curve), colour in zip(sorted(curves.items()), shades(len(curves)), strict=True):
        spreads = [curve[epsilon].accuracy for epsilon in finite]
        means, halves = [100 * s.mean for s in spreads], [100 * s.half for s in spreads]
        wide = 2.4 if people == n else 1.4
        if people == n:
            low, high = [100 * s.low for s in spreads], [100 * s.high for s in spreads]
            axes.fill_between(xs, low, high, color=LINE, alpha=0.13, linewidth=0)
        bars: dict[str, Any] = {"color": colour, "elinewidth": 1.0}
        axes.errorbar(xs, means, yerr=halves, marker="o", linewidth=wide, **bars)
        starts.append((means[0], people))
        if "inf" in curve:
            bare = curve["inf"].accuracy
            end = 100 * bare.mean
            axes.errorbar([aside], [end], yerr=[100 * bare.half], marker="D", **bars)
            axes.plot([xs[-1], aside], [means[-1], end], color=colour, linestyle=":", linewidth=1)
    _label(starts, xs[0], axes)
    axes.set_xscale("log")
    axes.set_xticks([*xs, aside], [*finite, "no\nprivacy"])
    axes.minorticks_off()
    axes.set_xlim(xs[0] / 2.4, aside * 1.4)
    labelled(axes, across="ε of the release (log scale)", up="people given their better arm, %")


def _label(starts: Sequence[tuple[float, int]], x: float, axes: Axes) -> None:
    """Write each number of people before the start of its line, far enough from the next one."""
    low, high = axes.get_ylim()
    gap, place = (high - low) / 18, float("-inf")
    for start, people in sorted(starts):
        place = max(start, place + gap)
        name = f"n = {people:,}"
        axes.text(x / 1.1, place, name, color=INK, ha="right", va="center", fontsize=SMALL)


@styled()
def save_plan(curves: Mapping[int, Curve], n: int, title: str, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure, ((axes,),) = panels(7.6, 4.6)
    draw_plan(curves, n, axes)
    headed(
        axes,
        f"{short(title, 80)}\nmean over simulated trials ± simulation error; band: 80 in 100 "
        f"trials of {n:,} people",
    )
    save(figure, path)
