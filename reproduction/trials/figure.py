"""A picture of Table I: values and agreement by ε, one column of panels for each trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import QUIET, headed, labelled, legend_under, panels, styled
from reproduction.shown import OURS, PAPER, budgets_across
from reproduction.trials.published import published_rows
from reproduction.trials.table import Measured

STYLES = {"published": (QUIET, "s", ":"), "paper": (PAPER, "o", "-"), "ours": (OURS, "^", "-")}
"""Colour, mark and line by the start of a series' name."""


@dataclass(frozen=True)
class Column:
    """One trial of the picture: its heading, the unit of its value, and its rows by series.

    published : the study whose published rows are drawn too, if there is one
    """

    title: str
    unit: str
    series: Mapping[str, Sequence[Measured]]
    published: str = ""

    @property
    def epsilons(self) -> list[str]:
        """The budgets of all series, the smallest first."""
        return sorted({row.epsilon for rows in self.series.values() for row in rows}, key=float)

    def at(self, name: str, epsilon: str) -> float:
        """Where a point of a series stands: side by side, so that bars do not hide each other."""
        shift = [*self.series, "published"].index(name) - 1
        return self.epsilons.index(epsilon) + 0.09 * shift


@styled()
def table_figure(columns: Sequence[Column]) -> Figure:
    """Return the value (mean ± SD over repeats) above the agreement of one release."""
    figure, axes = panels(5.2 * len(columns), 6.8, 2, len(columns))
    for place, column in enumerate(columns):
        draw_values(column, axes[0, place])
        draw_agreement(column, axes[1, place])
        headed(axes[0, place], column.title)
        legend_under(axes[1, place], 2, marks=axes[0, place].get_legend_handles_labels()[0])
    return figure


@styled()
def draw_values(column: Column, axes: Axes) -> None:
    """Draw the value of each series against ε, and what the paper prints."""
    _budgets(column, axes)
    for name, rows in column.series.items():
        at = [column.at(name, row.epsilon) for row in rows]
        _line(axes, name, at, [row.mean for row in rows], [row.deviation for row in rows])
    if column.published:
        known = [r for r in published_rows(column.published) if r.epsilon in column.epsilons]
        at = [column.at("published", row.epsilon) for row in known]
        spread = [row.deviation or 0.0 for row in known]
        _line(axes, "published", at, [row.value for row in known], spread)
    labelled(axes, up=f"value ± SD over draws of noise,\n{column.unit}")


@styled()
def draw_agreement(column: Column, axes: Axes) -> None:
    """Draw the share of people whom one private release treats as the rule without privacy."""
    _budgets(column, axes)
    for name, rows in column.series.items():
        private = [row for row in rows if row.private]
        at = [column.at(name, row.epsilon) for row in private]
        _line(axes, name, at, [row.single for row in private], None)
    axes.set_ylim(0.0, 1.03)
    labelled(axes, across="ε", up="share of people treated as\nwithout privacy, one release")


def _budgets(column: Column, axes: Axes) -> None:
    budgets_across(axes, column.epsilons)
    axes.set_xlim(-0.4, len(column.epsilons) - 0.6)


def _line(
    axes: Axes,
    name: str,
    at: Sequence[float],
    heights: Sequence[float],
    bars: Sequence[float] | None,
) -> None:
    """Draw one series; bars: half lengths, or None."""
    colour, mark, line = STYLES[name.split()[0].split(",")[0]]
    later = name.endswith("intercept") and "no intercept" not in name
    axes.errorbar(
        at,
        heights,
        yerr=bars,
        color=colour,
        marker=mark,
        linestyle="--" if later else line,
        markerfacecolor="white" if later else colour,
        label=name,
    )
