"""Accuracy against ε on the paper's problem: published, the paper's method, and auto."""

import csv
from collections.abc import Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path

from matplotlib.axes import Axes

from benchmarks.accuracy import draw_curve, label_axes, save_panels
from benchmarks.utility.cells import Result
from dpwerm.documents.drawing import INK, QUIET, styled
from reproduction.shown import OURS, PAPER

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
        style = {"color": colour, "marker": mark, "label": label}
        draw_curve(axes, [float(one.cell.epsilon) for one in chosen], chosen, **style)
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
    label_axes(axes, TICKS, [f"{tick:g}" for tick in TICKS], "ε")


def save_figure(results: Sequence[Result], path: Path) -> None:
    """Write one panel for each n."""
    heads = {f"n = {n:,}": n for n in sorted({one.cell.n for one in results})}
    save_panels(heads, partial(draw_utility, results), path, least=45, keys=2)


def _published() -> dict[tuple[float, int], float]:
    text = files("reproduction").joinpath("data/table2.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(float(row["epsilon"]), int(row["n"])): float(row["accuracy_mean"]) for row in rows}
