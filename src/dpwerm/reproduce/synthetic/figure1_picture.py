"""Figure 1 in the paper's layout, accuracy over value, with our method in a second column."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.reproduce.canvas import SHADES, budgets_across, headed, labelled, legend_below, panels
from dpwerm.reproduce.summary import Summary
from dpwerm.reproduce.synthetic.repeats import METHODS, Cells
from dpwerm.reproduce.synthetic.table2_cells import MEASURES

TITLES = {"paper": "the paper's method", "ours": "our method"}
UNITS = {"accuracy": "people who get their better arm, %", "value": "empirical treatment value"}


def picture(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> Figure:
    """Return the paper's two panels, accuracy over value, and the same with our method."""
    figure, axes = panels(2, len(METHODS), (10.0, 7.0))
    for column, method in enumerate(METHODS):
        headed(axes[0, column], TITLES[method])
        labelled(axes[1, column], across="ε")
        for row, measure in enumerate(MEASURES):
            _panel(axes[row, column], found, method, measure, epsilons, sizes)
    labelled(axes[0, 0], up=UNITS["accuracy"])
    labelled(axes[1, 0], across="ε", up=UNITS["value"])
    legend_below(figure, axes[0, 0], len(sizes))
    return figure


def _panel(
    axes: Axes,
    found: Cells,
    method: str,
    measure: str,
    epsilons: Sequence[str],
    sizes: Sequence[int],
) -> None:
    """Draw a line for each n; the fit without privacy stands apart."""
    budgets_across(axes, list(epsilons))
    axes.axvline(len(epsilons) - 1.5, color="#bbbbbb", linewidth=0.8, linestyle=":")
    for shade, n in zip(SHADES[-len(sizes) :], sizes, strict=True):
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
                label=label or None,
            )
