"""Claims and bounds in one picture: a line to the claim, a mark at each bound, one row per cell.

Marks differ in shape, not only in colour: | is the claim, a filled circle the simulated bound, an
open diamond the one by real releases, and a cross whatever lies above its claim.
"""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dpwerm.audit.words import Found
from dpwerm.drawing import (
    ALARM,
    INK,
    LINE,
    QUIET,
    labelled,
    legend_over,
    panels,
    rows_named,
    save,
    short,
    styled,
    titled,
)

CLAIM: dict[str, Any] = {"marker": "|", "markersize": 9, "color": INK}
SIMULATED: dict[str, Any] = {"marker": "o", "markersize": 4.5, "color": LINE}
REAL: dict[str, Any] = {"marker": "D", "markersize": 4.5, "color": LINE, "markerfacecolor": "white"}
ABOVE: dict[str, Any] = {"marker": "x", "markersize": 7, "markeredgewidth": 1.6, "color": ALARM}
NAMES = {
    "claimed": CLAIM,
    "at least, simulated": SIMULATED,
    "at least, real releases": REAL,
    "above the claim": ABOVE,
}
LONGEST = 72
"""Signs of a cell's name and setting."""


@styled()
def draw_audit(found: Found, axes: Axes) -> None:
    """Draw the claim of each cell and the lower bounds on what its releases show."""
    names = [short(f"{cell.name}, {cell.setting}", LONGEST) for cell, _ in found]
    for row, (_, one) in zip(rows_named(axes, names), found, strict=True):
        claim = float(one.claim.epsilon)
        axes.plot([0, claim], [row, row], color=QUIET, linewidth=0.9, zorder=1)
        axes.plot([claim], [row], zorder=2, **CLAIM)
        for bound, mark in ((one.exact_lower, REAL), (one.lower, SIMULATED)):
            if bound is not None:
                axes.plot([bound], [row], zorder=3, **(ABOVE if bound > claim else mark))
    axes.set_xlim(left=0)
    axes.spines["left"].set_visible(False)
    labelled(axes, across="ε: claimed, and at least")
    marks = [Line2D([], [], linestyle="none", label=name, **look) for name, look in NAMES.items()]
    legend_over(axes, marks)


@styled()
def save_audit(found: Found, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure, ((axes,),) = panels(8.6, 1.9 + 0.2 * len(found))
    draw_audit(found, axes)
    first, real = found[0][1], max(one.exact_runs for _, one in found)
    confirmed = f" and {real:,} real ones of those marked" if real else ""
    titled(
        figure,
        f"{first.runs:,} simulated releases of each{confirmed}, confidence {first.confidence:g}",
    )
    save(figure, path)
