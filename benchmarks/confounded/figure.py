"""Accuracy against ε in each scenario: private weights, a model of the outcome, known P."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.accuracy import draw_curve, label_axes, save_panels
from benchmarks.confounded.tables import ASKED, N, Results
from dpwerm.documents.drawing import INK, QUIET, SHADES, styled
from reproduction.shown import OURS, PAPER

SHOWN = {
    "known": (INK, "--", "D", "true probabilities known"),
    "private": (PAPER, "-", "^", "private propensity model"),
    "arm-wise": (SHADES[1], ":", "s", "arm-wise, linear"),
    "arm-wise, squares": (OURS, "-", "o", "arm-wise, squares"),
    "arm-wise, cubes": (SHADES[3], "-.", "v", "arm-wise, cubes"),
}


@styled()
def draw_confounded(results: Results, epsilons: Sequence[str], scenario: str, axes: Axes) -> None:
    """Draw the accuracy of each method in one scenario; below 50 % a coin would do better."""
    for method, (colour, line, mark, label) in SHOWN.items():
        chosen = [
            one
            for one in results
            if (one.cell.scenario, one.cell.method, one.cell.n) == (scenario, method, N)
            and one.cell.epsilon in epsilons
        ]
        chosen.sort(key=lambda one: float(one.cell.epsilon))
        found = [(one.accuracy, one.accuracy_half_width) for one in chosen]
        style = {"color": colour, "linestyle": line, "marker": mark, "label": label}
        draw_curve(axes, [float(one.cell.epsilon) for one in chosen], found, **style)
    axes.axhline(50, color=QUIET, linewidth=0.8)
    label_axes(axes, [float(one) for one in epsilons], list(epsilons), "ε")


def save_figure(results: Results, epsilons: Sequence[str], path: Path) -> None:
    """Write one panel for each scenario."""
    heads = {name: name for name in ASKED}
    save_panels(heads, partial(draw_confounded, results, epsilons), path, least=35, keys=5)
