"""What pictures and pages beside the package share: two methods, budgets, legends and tables."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from dpwerm.documents.drawing import LEGEND, LINE, plain

OURS, PAPER = LINE, "#a8521f"
"""The colours of the two methods."""


def budgets_across(axes: Axes, epsilons: Sequence[str]) -> None:
    """Put budgets at 0, 1, 2, … of the axis, by their texts; ∞ is the fit without privacy."""
    names = ["∞" if epsilon == "inf" else epsilon for epsilon in epsilons]
    axes.set_xticks(range(len(names)), names)


def legend_below(
    figure: Figure | SubFigure, axes: Axes, columns: int, title: str | None = None
) -> None:
    """Explain the marks of one panel under the whole picture."""
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, title=title, **LEGEND
    )
    for text in legend.get_texts():
        plain(text)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of texts as a Markdown table, the first as its header."""
    header, *rest = ([text.replace("|", "\\|") for text in row] for row in rows)
    lines = [header, ["---"] * len(header), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
