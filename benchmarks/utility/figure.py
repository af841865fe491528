"""Accuracy against ε on the paper's problem: published, the paper's method, and auto."""

import csv
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.utility.cells import Result
from dpwerm.documents.drawing import INK, QUIET, headed, labelled, panels, save, styled
from reproduction.shown import OURS, PAPER, legend_below

SHOWN = {
    "auto": (OURS, "o", "dpwerm, everything automatic"),
    "paper": (PAPER, "^", "the paper's method, best γ in hindsight"),
}
TICKS = (0.1, 0.5, 1, 2, 5)


@styled()
def draw_utility(results: Sequence[Result], n: int, axes: Axes) -> None:
    """Draw the accuracy of each method at one n, beside what the paper prints."""
    for method, (colour, mark, label) in SHOWN.items():
        chosen = [one for one in results if one.cell.n == n and one.cell.method == method]
        chosen.sort(key=lambda one: float(one.cell.epsilon))
        axes.errorbar(
            [float(one.cell.epsilon) for one in chosen],
            [one.accuracy for one in chosen],
            yerr=[one.accuracy_half for one in chosen],
            color=colour,
            marker=mark,
            label=label,
        )
    published = {eps: value for (eps, size), value in _published().items() if size == n}
    bare = published.pop(float("inf"))
    dots = sorted(published.items())
    axes.plot(
        [epsilon for epsilon, _ in dots],
        [value for _, value in dots],
        color=QUIET,
        marker="s",
        linestyle=":",
        label="published, private",
    )
    axes.axhline(bare, color=INK, linestyle="--", linewidth=1, label="published, without privacy")
    axes.set_xscale("log")
    axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    axes.minorticks_off()
    headed(axes, f"n = {n:,}")
    labelled(axes, across="ε (log scale)", up="people who get their better arm, %")


@styled()
def save_figure(results: Sequence[Result], path: Path) -> None:
    """Write one panel for each n."""
    sizes = sorted({one.cell.n for one in results})
    figure, axes = panels(10.0, 3.8, columns=len(sizes), sharey=True)
    for panel, n in zip(axes.flat, sizes, strict=True):
        draw_utility(results, n, panel)
    for panel in axes[0, 1:]:
        labelled(panel, up="")
    axes[0, 0].set_ylim(45, 101)
    legend_below(figure, axes[0, 0], 2)
    save(figure, path)


def _published() -> dict[tuple[float, int], float]:
    text = files("reproduction").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(float(row["epsilon"]), int(row["n"])): float(row["accuracy_mean"]) for row in rows}
