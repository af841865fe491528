"""Accuracy against n for three ε: ignoring confounding, a private propensity, the true one."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.confounded.cells import Result
from dpwerm.documents.drawing import INK, QUIET, SHADES, headed, labelled, panels, save, styled
from reproduction.shown import OURS, PAPER, legend_below

EPSILONS = ("0.5", "1", "5")
SHOWN = {
    "known": (INK, "--", "D", "true propensity known"),
    "private": (OURS, "-", "o", "private propensity model"),
    "ridge": (SHADES[1], ":", "s", "ridge propensity, not released"),
    "ignoring": (PAPER, "-", "^", "confounding ignored"),
}


@styled()
def draw_confounded(results: Sequence[Result], epsilon: str, axes: Axes) -> None:
    """Draw the accuracy of each method at one ε; below 50 % a coin would do better."""
    for method, (colour, line, mark, label) in SHOWN.items():
        chosen = [
            one for one in results if (one.cell.epsilon, one.cell.method) == (epsilon, method)
        ]
        chosen.sort(key=lambda one: one.cell.n)
        axes.errorbar(
            [one.cell.n for one in chosen],
            [one.accuracy for one in chosen],
            yerr=[one.accuracy_half for one in chosen],
            color=colour,
            linestyle=line,
            marker=mark,
            label=label,
        )
    axes.axhline(50, color=QUIET, linewidth=0.8)
    axes.set_xscale("log")
    sizes = sorted({one.cell.n for one in results})
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.minorticks_off()
    headed(axes, f"ε = {epsilon}")
    labelled(axes, across="n (log scale)", up="people who get their better arm, %")


@styled()
def save_figure(results: Sequence[Result], path: Path) -> None:
    """Write one panel for each ε."""
    figure, axes = panels(10.0, 3.8, columns=len(EPSILONS), sharey=True)
    for panel, epsilon in zip(axes.flat, EPSILONS, strict=True):
        draw_confounded(results, epsilon, panel)
    for panel in axes[0, 1:]:
        labelled(panel, up="")
    axes[0, 0].set_ylim(10, 101)
    legend_below(figure, axes[0, 0], 4)
    save(figure, path)
