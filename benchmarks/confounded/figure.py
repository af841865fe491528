"""Accuracy against n for three ε: ignoring confounding, a private propensity, the true one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.accuracy import draw_curve, label_axes, save_panels
from benchmarks.confounded.cells import Result
from dpwerm.documents.drawing import INK, QUIET, SHADES, styled
from reproduction.shown import OURS, PAPER

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
        style = {"color": colour, "linestyle": line, "marker": mark, "label": label}
        draw_curve(axes, [one.cell.n for one in chosen], chosen, **style)
    axes.axhline(50, color=QUIET, linewidth=0.8)
    sizes = sorted({one.cell.n for one in results})
    label_axes(axes, sizes, [f"{n:,}" for n in sizes], "n")


def save_figure(results: Sequence[Result], path: Path) -> None:
    """Write one panel for each ε."""
    heads = {f"ε = {epsilon}": epsilon for epsilon in EPSILONS}
    save_panels(heads, partial(draw_confounded, results), path, least=10, keys=4)
