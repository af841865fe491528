"""A picture of Table I: values and agreement by ε, one column of panels for each trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dpwerm.reproduce.canvas import INK, OURS, PAPER, QUIET
from dpwerm.reproduce.trials.published import published_rows
from dpwerm.reproduce.trials.table import Measured

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


def table_figure(columns: Sequence[Column]) -> Figure:
    """Return the value (mean ± SD over repeats) above the agreement of one release."""
    figure = Figure(figsize=(5.2 * len(columns), 6.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(2, len(columns), squeeze=False)
    for place, column in enumerate(columns):
        above, below = panels[0][place], panels[1][place]
        places = budgets(above, below, column)
        shifts = {name: 0.09 * (at - 1) for at, name in enumerate((*column.series, "published"))}
        for name, rows in column.series.items():
            at = [places[row.epsilon] + shifts[name] for row in rows]
            draw(above, name, at, [row.mean for row in rows], [row.deviation for row in rows])
            private = [row for row in rows if row.private]
            draw(below, name, at[: len(private)], [row.single for row in private], None)
        if column.published:
            known = [row for row in published_rows(column.published) if row.epsilon in places]
            at = [places[row.epsilon] + shifts["published"] for row in known]
            spread = [row.deviation or 0.0 for row in known]
            draw(above, "published", at, [row.value for row in known], spread)
        above.set_title(column.title, loc="left", fontsize=10, color=INK)
        above.set_ylabel(f"value ± SD over draws of noise,\n{column.unit}")
        below.set_ylabel("people treated as without privacy,\nby one release")
        below.set_ylim(0.0, 1.03)
        below.set_xlabel("ε")
        below.legend(
            *above.get_legend_handles_labels(),
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=2,
            fontsize=8,
            frameon=False,
        )
    return figure


def budgets(above: Axes, below: Axes, column: Column) -> dict[str, int]:
    """Put the budgets of a column on both axes and return their places."""
    epsilons = sorted({row.epsilon for rows in column.series.values() for row in rows}, key=float)
    names = ["∞" if epsilon == "inf" else epsilon for epsilon in epsilons]
    for panel in (above, below):
        quiet(panel)
        panel.set_xticks(range(len(names)), names)
        panel.set_xlim(-0.4, len(names) - 0.6)
    return {epsilon: place for place, epsilon in enumerate(epsilons)}


def draw(
    panel: Axes,
    name: str,
    at: Sequence[float],
    heights: Sequence[float],
    bars: Sequence[float] | None,
) -> None:
    """Draw one series; bars: half lengths, or None."""
    colour, mark, line = STYLES[name.split()[0].split(",")[0]]
    later = name.endswith("intercept") and "no intercept" not in name
    panel.errorbar(
        at,
        heights,
        yerr=bars,
        color=colour,
        marker=mark,
        linestyle="--" if later else line,
        markerfacecolor="white" if later else colour,
        markersize=4.5,
        linewidth=1.2,
        capsize=2,
        label=name,
    )


def quiet(panel: Axes) -> None:
    """Give a panel the house style."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    panel.set_axisbelow(True)
    panel.tick_params(colors=INK, labelsize=8)
