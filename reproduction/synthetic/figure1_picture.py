"""Figure 1 in the paper's layout, accuracy over value, with our method in a second column."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.drawing import (
    QUIET,
    budgets_across,
    headed,
    labelled,
    legend_below,
    panels,
    shades,
    styled,
)
from reproduction.summary import Summary
from reproduction.synthetic.repeats import METHODS, Cells
from reproduction.synthetic.table2_cells import MEASURES

TITLES = {"paper": "the paper's method", "ours": "our method"}
UNITS = {"accuracy": "people who get their better arm, %", "value": "empirical treatment value"}


@styled()
def picture(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> Figure:
    """Return the paper's two panels, accuracy over value, and the same with our method."""
    figure, axes = panels(10.0, 7.0, 2, len(METHODS), sharex=True, sharey="row")
    for column, method in enumerate(METHODS):
        headed(axes[0, column], TITLES[method])
        labelled(axes[1, column], across="ε")
        for row, measure in enumerate(MEASURES):
            draw_sizes(found, axes[row, column], method, measure, epsilons, sizes)
    labelled(axes[0, 0], up=UNITS["accuracy"])
    labelled(axes[1, 0], up=UNITS["value"])
    legend_below(figure, axes[0, 0], len(sizes))
    return figure


@styled()
def draw_sizes(
    found: Cells,
    axes: Axes,
    method: str,
    measure: str,
    epsilons: Sequence[str],
    sizes: Sequence[int],
) -> None:
    """Draw a line for each n; the fit without privacy stands apart."""
    budgets_across(axes, epsilons)
    axes.axvline(len(epsilons) - 1.5, color=QUIET, linewidth=0.8, linestyle=":")
    for shade, n in zip(shades(len(sizes)), sizes, strict=True):
        means = [Summary.of(getattr(found[method, epsilon, n], measure)) for epsilon in epsilons]
        for places, label in ((range(len(epsilons) - 1), f"n = {n:,}"), ([len(epsilons) - 1], "")):
            axes.errorbar(
                list(places),
                [means[place].mean for place in places],
                yerr=[means[place].half for place in places],
                color=shade,
                marker="o",
                markersize=3,
                linewidth=1.1,
                elinewidth=0.8,
                capsize=0,
                label=label or None,
            )
