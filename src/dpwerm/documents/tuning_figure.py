"""The score against γ, one panel for each ε: means with intervals, the window, and the best."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from dpwerm.documents.drawing import (
    INK,
    LINE,
    QUIET,
    headed,
    labelled,
    panels,
    save,
    short,
    styled,
    titled,
)
from dpwerm.tune.tuned import NOT_PRIVATE, Tuned

ACROSS, TICKS = 4, 7
"""The most panels beside each other, and γ written under each."""

UNITS = {
    "accuracy": "people given their better arm, %",
    "value": "value, in units of the benefit",
    "loss": "minus weighted loss, in units of W",
}


@styled()
def draw_tuned(tuned: Tuned, axes: Axes, chosen: float | None = None) -> None:
    """Draw one curve; the band holds what is within 5 % of the best, dots mark the automatic γ.

    chosen: the candidate that a tuning on the rows released, marked in the place of the best.
    """
    factor = 100.0 if tuned.metric == "accuracy" else 1.0
    means, halves = ([factor * one for one in part] for part in (tuned.means, tuned.halves))
    axes.axvspan(*tuned.window, color=LINE, alpha=0.10, linewidth=0)
    if tuned.gammas[0] <= tuned.automatic <= tuned.gammas[-1]:
        axes.axvline(tuned.automatic, color=QUIET, linestyle=":", linewidth=1.4)
    axes.errorbar(tuned.gammas, means, yerr=halves, color=LINE, marker="o", elinewidth=1.0)
    marked = tuned.best if chosen is None else chosen
    height = means[tuned.gammas.index(marked)]
    axes.plot([marked], [height], marker="D", markersize=8, color=INK, zorder=3)
    axes.set_xscale("log")
    ticks = tuned.gammas[:: -(-len(tuned.gammas) // TICKS)]
    axes.set_xticks(ticks, [f"{gamma:g}" for gamma in ticks])
    axes.minorticks_off()
    word = "best" if chosen is None else "released:"
    headed(axes, f"ε = {tuned.epsilon}: {word} γ = {marked:g}")
    labelled(axes, across="γ (log scale)", up=UNITS.get(tuned.metric, "score"))


@styled()
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
    figure, axes = panels(
        max(7.2, 3.8 * columns), 1.2 + 3.0 * rows, rows=rows, columns=columns, sharey=True
    )
    for tuned, panel in zip(found, axes.flat, strict=False):
        draw_tuned(tuned, panel, chosen)
    for panel in axes[:, 1:].flat:
        labelled(panel, up="")
    for panel in axes.flat[len(found) :]:
        panel.set_visible(False)
    first = found[0]
    free = private and first.private_cost != NOT_PRIVATE
    mark = "" if free else f"{NOT_PRIVATE}: "
    titled(
        figure,
        f"{mark}{short(title, 80)}, n = {first.n:,}, on {first.source}\n"
        f"{first.repeats:,} repeats, 95 % intervals; band: within 5 % of the best;\n"
        "diamond: the best or the released γ; dotted: the automatic γ",
    )
    save(figure, path)
