"""Table II as a picture: published, reproduced and ours, against ε."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.drawing import (
    OURS,
    PAPER,
    QUIET,
    budgets_across,
    headed,
    labelled,
    legend_below,
    panels,
    styled,
)
from reproduction.summary import Summary
from reproduction.synthetic.repeats import REPEATS
from reproduction.synthetic.table2_cells import MEASURES, Cell


@styled()
def picture(cells: list[Cell]) -> Figure:
    """Return accuracy and value against ε, a column for each n."""
    sizes = sorted({cell.published.n for cell in cells})
    figure, axes = panels(2.6 * len(sizes) + 1.2, 5.2, 2, len(sizes), sharex=True, sharey="row")
    for row, measure in enumerate(MEASURES):
        for column, n in enumerate(sizes):
            draw_cells(
                [cell for cell in cells if cell.published.n == n], axes[row, column], measure
            )
    for column, n in enumerate(sizes):
        headed(axes[0, column], f"n = {n:,}")
        labelled(axes[1, column], across="ε")
    labelled(axes[0, 0], up="people who get their better arm, %")
    labelled(axes[1, 0], up="empirical treatment value")
    legend_below(figure, axes[0, 0], 3)
    return figure


@styled()
def draw_cells(cells: list[Cell], axes: Axes, measure: str) -> None:
    """Draw one n: published, reproduced and ours against ε."""
    budgets_across(axes, [cell.published.epsilon for cell in cells])
    means = [getattr(cell.published, measure) for cell in cells]
    published = [Summary(mean, half, REPEATS) for mean, half in means]
    paper = [Summary.of(getattr(cell.paper, measure)) for cell in cells]
    ours = [Summary.of(getattr(cell.ours, measure)) for cell in cells]
    styles = (
        (published, QUIET, "s", -0.12, "published"),
        (paper, PAPER, "o", 0.0, "the paper's method, reproduced"),
        (ours, OURS, "^", 0.12, "our method"),
    )
    for summaries, colour, marker, shift, label in styles:
        axes.errorbar(
            [place + shift for place in range(len(cells))],
            [one.mean for one in summaries],
            yerr=[one.half for one in summaries],
            color=colour,
            marker=marker,
            linewidth=0.9,
            label=label,
        )
