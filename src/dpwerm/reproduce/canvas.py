"""The house style of pictures: dark ink, few colours that differ in grey too, units on axes."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

INK, QUIET = "#222222", "#8a8a8a"
PAPER, OURS = "#a8521f", "#1b4965"
"""The colours of the two methods."""

SHADES = ("#c9b27c", "#b08d4a", "#8f8f6b", "#6b8e8e", "#4a7a94", "#2f5d84", "#14304f")
"""From few people to many: each darker than the last."""

AxesArray = NDArray[np.object_]


def panels(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, AxesArray]:
    """Return a figure in inches and its axes (rows, columns); axes of a row share their height."""
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey="row")
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
        one.spines[["left", "bottom"]].set_color(INK)
        one.grid(axis="y", color="#e6e6e6", linewidth=0.7)
        one.set_axisbelow(True)
        one.tick_params(colors=INK, labelsize=8)
    return figure, axes


def headed(axes: Axes, text: str) -> None:
    """Write a heading over a panel."""
    axes.set_title(text, loc="left", fontsize=9, color=INK)


def labelled(axes: Axes, *, across: str = "", up: str = "") -> None:
    """Write what the axes show, with units."""
    axes.set_xlabel(across, fontsize=8, color=INK)
    axes.set_ylabel(up, fontsize=8, color=INK)


def legend_below(figure: Figure, axes: Axes, columns: int, title: str = "") -> None:
    """Explain the lines of one panel under the whole picture."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=8,
        title=title or None,
        title_fontsize=8,
    )


def budgets_across(axes: Axes, epsilons: list[str]) -> None:
    """Put budgets at 0, 1, 2, … of the axis, by their texts; ∞ is the fit without privacy."""
    names = ["∞" if epsilon == "inf" else epsilon for epsilon in epsilons]
    axes.set_xticks(range(len(names)), names)
