"""The score against γ, one panel for each ε: means with intervals, the window, and the best."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dpwerm.tune.tuned import NOT_PRIVATE, Tuned

INK, QUIET, LINE = "#222222", "#8a8a8a", "#1b4965"
ACROSS, TICKS = 4, 7
"""The most panels beside each other, and γ written under each."""

UNITS = {
    "accuracy": "people given their better arm, %",
    "value": "value, in units of the benefit",
    "loss": "minus weighted loss, in units of W",
}


def draw_tuned(tuned: Tuned, axes: Axes, chosen: float | None = None) -> None:
    """Draw one curve; the band holds what is within 5 % of the best, dots mark the automatic γ.

    chosen: the candidate that a tuning on the rows released, marked in the place of the best.
    """
    factor = 100.0 if tuned.metric == "accuracy" else 1.0
    means, halves = ([factor * one for one in part] for part in (tuned.means, tuned.halves))
    axes.axvspan(*tuned.window, color=LINE, alpha=0.10, linewidth=0)
    if tuned.gammas[0] <= tuned.automatic <= tuned.gammas[-1]:
        axes.axvline(tuned.automatic, color=QUIET, linestyle=":", linewidth=1.2)
    axes.errorbar(
        tuned.gammas,
        means,
        yerr=halves,
        color=LINE,
        marker="o",
        markersize=4,
        linewidth=1.4,
        capsize=2.5,
        elinewidth=1.0,
    )
    marked = tuned.best if chosen is None else chosen
    height = means[tuned.gammas.index(marked)]
    axes.plot([marked], [height], marker="D", markersize=8, color=INK, zorder=3)
    axes.set_xscale("log")
    ticks = tuned.gammas[:: -(-len(tuned.gammas) // TICKS)]
    axes.set_xticks(ticks, [f"{gamma:g}" for gamma in ticks])
    axes.minorticks_off()
    word = "best" if chosen is None else "released:"
    axes.set_title(f"ε = {tuned.epsilon}: {word} γ = {marked:g}", loc="left", fontsize=9, color=INK)
    axes.set_xlabel("γ", fontsize=9, color=INK)
    axes.tick_params(colors=INK, labelsize=8)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)


def save_tuned(
    found: Sequence[Tuned],
    title: str,
    path: Path,
    chosen: float | None = None,
    *,
    private: bool = True,
) -> None:
    """Write the figure; the ending of the path decides the format.

    chosen: what a tuning on the rows released; the curves are then what one may expect; private:
    whether that release carries a claim.
    """
    columns = min(ACROSS, len(found))
    rows = -(-len(found) // columns)
    names: dict[Any, Any] = {"text.parse_math": False, "svg.hashsalt": "dpwerm"}
    # Names come from a study file: a dollar sign in one is text, not mathematics.
    with rc_context(names):
        size = (max(7.2, 3.8 * columns), 0.9 + 3.1 * rows)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for tuned, axes in zip(found, panels.flat, strict=False):
            draw_tuned(tuned, axes, chosen)
        for axes in panels.flat[len(found) :]:
            axes.set_visible(False)
        first = found[0]
        for axes in panels[:, 0]:
            axes.set_ylabel(UNITS.get(first.metric, "score"), fontsize=9, color=INK)
        free = private and first.private_cost != NOT_PRIVATE
        mark = "" if free else f"{NOT_PRIVATE}: "
        figure.suptitle(
            f"{mark}{title}, n = {first.n:,}, on {first.source}\n"
            f"{first.repeats:,} repeats, 95 % intervals; band: within 5 % of the best; "
            "dotted: the automatic γ",
            x=0.01,
            ha="left",
            fontsize=9,
            color=INK,
        )
        # Dates and the version of a drawing library would make equal figures differ.
        plain = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, dpi=150, metadata=plain.get(path.suffix.lower()))
