"""Accuracy against γ in the paper's layout: a row for each ε, a column for each n.

Red lines stand at the ends of the baseline's window; a horizontal line is our method, which needs
no D₀.
"""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import ALARM, INK, headed, labelled, panels, styled
from reproduction.gamma.curves import Cell, Curve
from reproduction.gamma.lines import BASELINE, Line
from reproduction.gamma.ours import Ours
from reproduction.gamma.windows import window
from reproduction.shown import OURS, legend_below

WINDOW = ALARM
STYLES = (("#2e8b57", "--"), ("#b5489a", "-."), ("#c98a1b", ":"))
"""Of the lines after the baseline; dashes tell them apart in grey."""

LOWEST, HIGHEST = 45.0, 100.0


def grid(
    sizes: Sequence[int], budgets: Sequence[str], across: str
) -> tuple[Figure, dict[Cell, Axes]]:
    """Return an empty figure with a panel for each cell."""
    rows, columns = len(budgets), len(sizes)
    figure, axes = panels(
        2.5 * columns + 0.6, 1.9 * rows + 0.9, rows, columns, sharex=True, sharey=True
    )
    for row, epsilon in zip(axes, budgets, strict=True):
        labelled(row[0], up=f"ε = {epsilon}\naccuracy, %")
        for panel in row:
            panel.set_ylim(LOWEST, HIGHEST)
    for n, top, bottom in zip(sizes, axes[0], axes[-1], strict=True):
        headed(top, f"n = {n:,}")
        labelled(bottom, across=across)
    return figure, {
        (n, epsilon): axes[i, j] for i, epsilon in enumerate(budgets) for j, n in enumerate(sizes)
    }


@styled()
def draw_curve(curve: Curve, axes: Axes, colour: str, style: str, label: str) -> None:
    """Draw a curve with its 95 % band."""
    axes.plot(curve.gammas, curve.mean, color=colour, linestyle=style, label=label)
    low, high = curve.mean - curve.half, curve.mean + curve.half
    axes.fill_between(curve.gammas, low, high, color=colour, alpha=0.2, linewidth=0)


@styled()
def draw_ours(ours: Ours, axes: Axes) -> None:
    """Draw our accuracy, which needs no γ, across the panel with its 95 % band."""
    low, high = ours.mean - ours.half, ours.mean + ours.half
    axes.axhspan(low, high, color=OURS, alpha=0.25, linewidth=0)
    axes.axhline(ours.mean, color=OURS, label="ours, automatic, no D₀")


@styled()
def draw(
    lines: Sequence[Line],
    found: Mapping[str, Mapping[Cell, Curve]],
    ours: Mapping[Cell, Ours],
    budgets: Sequence[str],
    baseline_label: str,
) -> Figure:
    """Return the figure of the baseline and the other lines, with our method beside."""
    cells = found[BASELINE.name]
    figure, axes = grid(list(dict.fromkeys(n for n, _ in cells)), budgets, "γ")
    for cell, panel in axes.items():
        draw_ours(ours[cell], panel)
        for end in (window(cells[cell]).first, window(cells[cell]).last):
            panel.axvline(end, color=WINDOW, linewidth=0.9)
        draw_curve(cells[cell], panel, INK, "-", f"paper's method, {baseline_label}")
        for line, (colour, style) in zip(lines, STYLES, strict=False):
            draw_curve(found[line.name][cell], panel, colour, style, line.label)
    first = next(iter(axes.values()))
    first.plot([], [], color=WINDOW, linewidth=0.9, label="baseline within 5 points of its best")
    legend_below(figure, first, 3)
    return figure


@styled()
def draw_multiples(
    baseline: Mapping[Cell, Curve], ours: Mapping[Cell, Ours], budgets: Sequence[str]
) -> Figure:
    """Return accuracy against γ in units of each method's own: our automatic, the paper's best."""
    figure, axes = grid(
        list(dict.fromkeys(n for n, _ in baseline)), budgets, "γ / chosen γ (log scale)"
    )
    for cell, panel in axes.items():
        mine, theirs = ours[cell], baseline[cell]
        draw_curve(_in_units(mine.curve, mine.automatic), panel, OURS, "-", "ours")
        label = "paper's method, γ best in hindsight = 1"
        draw_curve(_in_units(theirs, theirs.best), panel, INK, "--", label)
        panel.axvline(1.0, color=INK, linewidth=0.5, alpha=0.5)
        panel.set_xscale("log")
        panel.set_xlim(1 / 10, 10)
        panel.set_xticks([1 / 9, 1 / 3, 1, 3, 9], ["1/9", "1/3", "1", "3", "9"])
        panel.minorticks_off()
    legend_below(figure, next(iter(axes.values())), 2)
    return figure


def _in_units(curve: Curve, gamma: float) -> Curve:
    return Curve(curve.gammas / gamma, curve.mean, curve.half, curve.repeats)
