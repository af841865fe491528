"""Tight and sloppy side by side: accuracy on the paper's problem, gain and harm in both halves.

Whatever was not measured is left out, so that a part of a run can be drawn.
"""

import math
from collections.abc import Collection
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.accuracy import by_cell, draw_curve, label_axes
from benchmarks.utility.cells import NAMED
from benchmarks.utility.tables import Results, means, published, sizes
from dpwerm.documents.drawing import INK, QUIET, SHADES, headed, panels, save, styled
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.sloppy import SLOPPY
from reproduction.shown import OURS, PAPER, legend_below

ACROSS = {
    "auto": (OURS, "-", "o", "dpwerm, everything automatic"),
    "auto, no guard": (OURS, "--", "s", "the same without a guard"),
    "auto, no guard, no ranges": (OURS, ":", "x", "without guard and private ranges"),
    "outcome-weighted": (SHADES[2], "-.", "v", "outcome weights alone"),
    "paper": (PAPER, "-", "^", "the paper's method, best γ in hindsight"),
    "T-learner, no privacy": (INK, "--", "D", "linear T-learner, no privacy"),
}
LOWEST, HIGHEST = -1.0, 1.05
"""What a panel shows of gains."""


@styled()
def draw_paper(results: Results, n: int, axes: Axes) -> None:
    """Draw accuracy against ε on the paper's problem at one n, beside what the paper prints."""
    mine = [one for one in results if (one.cell.scenario, one.cell.n) == (NAMED, n)]
    for method in ("auto", "outcome-weighted", "paper"):
        chosen = [one for one in mine if one.cell.method == method]
        chosen.sort(key=lambda one: float(one.cell.epsilon))
        found = [(one.accuracy, one.accuracy_half_width) for one in chosen]
        draw_curve(axes, [float(one.cell.epsilon) for one in chosen], found, **_style(method))
    printed = {float(eps): value for (eps, size), value in published().items() if size == n}
    bare = printed.pop(math.inf)
    dots = sorted(printed.items())
    style = {"color": QUIET, "marker": "s", "linestyle": ":", "label": "published, private"}
    axes.plot(*zip(*dots, strict=True), **style)  # type: ignore[arg-type]
    axes.axhline(bare, color=QUIET, linewidth=1, label="published, without privacy")
    ticks = [epsilon for epsilon, _ in dots]
    label_axes(axes, ticks, [f"{tick:g}" for tick in ticks], "ε", "right arm, %")
    axes.set_ylim(45, 101)


@styled()
def draw_half(results: Results, names: Collection[str], what: str, axes: Axes) -> None:
    """Draw the mean gain or harm over scenarios against n, at ε = 1."""
    found, tried = by_cell(results), sizes(results, names)
    for method in ACROSS:
        every = {n: means(found, list(names), n, method) for n in tried}
        known = {n: mean for n, mean in every.items() if mean is not None}
        place = 1 if what == "gain" else 2
        points = [(mean[place], 0.0) for mean in known.values()]
        draw_curve(axes, list(known), points, **_style(method))
    axes.axhline(0, color=QUIET, linewidth=0.8)
    up = "gain over the best single arm" if what == "gain" else "worse than one arm, %"
    label_axes(axes, tried, [f"{n:,}" for n in tried], "n", up)
    axes.set_ylim(*((LOWEST, HIGHEST) if what == "gain" else (-3, 103)))


@styled()
def save_figure(results: Results, path: Path) -> None:
    """Write the paper's problem in the first column, tight and sloppy trials beside it."""
    figure, axes = panels(10.0, 6.4, rows=2, columns=3)
    every = sizes(results, (NAMED,)) or [1000]
    for panel, n in zip(axes[:, 0], (every[0], every[-1]), strict=True):
        draw_paper(results, n, panel)
        headed(panel, f"the paper's problem, n = {n:,}")
    for column, (declared, names) in enumerate({"tightly": SCENARIOS, "sloppily": SLOPPY}.items()):
        for panel, what in zip(axes[:, column + 1], ("gain", "harm"), strict=True):
            draw_half(results, names, what, panel)
            headed(panel, f"{len(names)} trials declared {declared}, ε = 1")
    for label in ("published, private", "published, without privacy"):
        (line,) = (one for one in axes[0, 0].get_lines() if one.get_label() == label)
        axes[0, 1].plot([], [], color=QUIET, label=label, **_like(line))
    legend_below(figure, axes[0, 1], 3)
    save(figure, path)


def _style(method: str) -> dict[str, object]:
    colour, line, mark, label = ACROSS[method]
    return {"color": colour, "linestyle": line, "marker": mark, "label": label}


def _like(line: object) -> dict[str, object]:
    """Return what makes another line look like this one."""
    return {name: getattr(line, f"get_{name}")() for name in ("linestyle", "marker", "linewidth")}
