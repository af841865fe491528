"""Accuracy against γ in the paper's layout: a row for each ε, a column for each n.

Red lines stand at the ends of the baseline's window; a horizontal line is our method, which needs
no D₀.
"""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.reproduce.gamma.curves import Cell, Curve
from dpwerm.reproduce.gamma.lines import BASELINE, Line
from dpwerm.reproduce.gamma.ours import Ours
from dpwerm.reproduce.gamma.windows import window

INK, OURS, WINDOW = "#222222", "#2b6ca3", "#b0413e"
STYLES = (("#2e8b57", "--"), ("#b5489a", "-."), ("#c98a1b", ":"))
"""Of the lines after the baseline; dashes tell them apart in grey."""

LOWEST, HIGHEST = 45.0, 100.0


def grid(
    sizes: Sequence[int], budgets: Sequence[str], across: str
) -> tuple[Figure, dict[Cell, Axes]]:
    """Return an empty figure with a panel for each cell."""
    figure = Figure(
        figsize=(2.5 * len(sizes) + 0.6, 1.9 * len(budgets) + 0.9), layout="constrained"
    )
    panels = figure.subplots(len(budgets), len(sizes), sharex=True, sharey=True, squeeze=False)
    for row, epsilon in zip(panels, budgets, strict=True):
        row[0].set_ylabel(f"ε = {epsilon}\naccuracy, %")
        for axes in row:
            axes.spines[["top", "right"]].set_visible(False)
            axes.set_ylim(LOWEST, HIGHEST)
    for n, top, bottom in zip(sizes, panels[0], panels[-1], strict=True):
        top.set_title(f"n = {n:,}", fontsize=10)
        bottom.set_xlabel(across)
    return figure, {
        (n, epsilon): panels[i, j] for i, epsilon in enumerate(budgets) for j, n in enumerate(sizes)
    }


def draw_curve(axes: Axes, curve: Curve, colour: str, style: str, label: str) -> None:
    """Draw a curve with its 95 % band."""
    axes.plot(curve.gammas, curve.mean, color=colour, linestyle=style, linewidth=1.3, label=label)
    low, high = curve.mean - curve.half, curve.mean + curve.half
    axes.fill_between(curve.gammas, low, high, color=colour, alpha=0.2, linewidth=0)


def draw(
    lines: Sequence[Line],
    found: Mapping[str, Mapping[Cell, Curve]],
    ours: Mapping[Cell, Ours],
    budgets: Sequence[str],
    baseline_label: str,
) -> Figure:
    """Return the figure of the baseline and the other lines, with our method beside."""
    cells = found[BASELINE.name]
    figure, panels = grid(list(dict.fromkeys(n for n, _ in cells)), budgets, "γ")
    for cell, axes in panels.items():
        mine = ours[cell]
        label = "ours, automatic, no D₀"
        axes.axhspan(mine.mean - mine.half, mine.mean + mine.half, color=OURS, alpha=0.25, lw=0)
        axes.axhline(mine.mean, color=OURS, linewidth=1.3, label=label)
        for end in (window(cells[cell]).first, window(cells[cell]).last):
            axes.axvline(end, color=WINDOW, linewidth=0.9)
        draw_curve(axes, cells[cell], INK, "-", f"paper's method, {baseline_label}")
        for line, (colour, style) in zip(lines, STYLES, strict=False):
            draw_curve(axes, found[line.name][cell], colour, style, line.label)
    axes = next(iter(panels.values()))
    axes.plot([], [], color=WINDOW, linewidth=0.9, label="baseline within 5 points of its best")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure


def draw_multiples(
    baseline: Mapping[Cell, Curve], ours: Mapping[Cell, Ours], budgets: Sequence[str]
) -> Figure:
    """Return accuracy against γ in units of each method's own: our automatic, the paper's best."""
    figure, panels = grid(
        list(dict.fromkeys(n for n, _ in baseline)), budgets, "γ / chosen γ (log scale)"
    )
    for cell, axes in panels.items():
        mine, theirs = ours[cell], baseline[cell]
        draw_curve(axes, _in_units(mine.curve, mine.automatic), OURS, "-", "ours")
        label = "paper's method, γ best in hindsight = 1"
        draw_curve(axes, _in_units(theirs, theirs.best), INK, "--", label)
        axes.axvline(1.0, color=INK, linewidth=0.5, alpha=0.5)
        axes.set_xscale("log")
        axes.set_xlim(1 / 10, 10)
        axes.set_xticks([1 / 9, 1 / 3, 1, 3, 9], ["1/9", "1/3", "1", "3", "9"])
        axes.minorticks_off()
    handles, labels = next(iter(panels.values())).get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def _in_units(curve: Curve, gamma: float) -> Curve:
    return Curve(curve.gammas / gamma, curve.mean, curve.half, curve.repeats)
