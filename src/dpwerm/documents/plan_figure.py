"""The figure of a plan: gain over one arm for everybody, and accuracy, against ε."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.document import Document, Drawing, Picture
from dpwerm.documents.drawing import (
    INK,
    LINE,
    SMALL,
    labelled,
    panels,
    save,
    shades,
    short,
    styled,
    svg_text,
)
from dpwerm.plan.expected import Expected, Spread

Curve = Mapping[str, Expected]
"""What is expected at each ε, "inf" for no privacy."""

MEASURES: Mapping[str, tuple[Callable[[Expected], Spread], str]] = {
    "gain": (lambda one: one.gain, "gain over one arm for everybody, %"),
    "accuracy": (lambda one: one.accuracy, "people given their better arm, %"),
}

LEAST = -105.0
"""The lowest gain that is shown, in %, unless a line goes lower; the band may."""


@styled()
def draw_plan(curves: Mapping[int, Curve], n: int, axes: Axes, measure: str = "gain") -> None:
    """Draw a line for each number of people, ± the simulation's error, labelled at its start.

    For n itself a band holds 80 in 100 trials. measure : "gain" or "accuracy"
    """
    spread_of, up = MEASURES[measure]
    finite = [epsilon for epsilon in next(iter(curves.values())) if epsilon != "inf"]
    xs = [float(epsilon) for epsilon in finite]
    aside = xs[-1] * 2.2  # where the points without privacy stand
    starts: list[tuple[float, int]] = []
    least = LEAST
    for (people, curve), colour in zip(sorted(curves.items()), shades(len(curves)), strict=True):
        spreads = [spread_of(curve[epsilon]) for epsilon in finite]
        means, halves = [100 * s.mean for s in spreads], [100 * s.half for s in spreads]
        least = min(least, *(mean - half for mean, half in zip(means, halves, strict=True)))
        wide = 2.4 if people == n else 1.4
        if people == n:
            low, high = [100 * s.low for s in spreads], [100 * s.high for s in spreads]
            axes.fill_between(xs, low, high, color=LINE, alpha=0.13, linewidth=0)
        bars: dict[str, Any] = {"color": colour, "elinewidth": 1.0}
        axes.errorbar(xs, means, yerr=halves, marker="o", linewidth=wide, **bars)
        starts.append((means[0], people))
        if "inf" in curve:
            bare = spread_of(curve["inf"])
            end = 100 * bare.mean
            axes.errorbar([aside], [end], yerr=[100 * bare.half], marker="D", **bars)
            axes.plot([xs[-1], aside], [means[-1], end], color=colour, linestyle=":", linewidth=1)
    axes.set_ylim(bottom=max(axes.get_ylim()[0], least))
    _label(starts, xs[0], axes)
    axes.set_xscale("log")
    axes.set_xticks([*xs, aside], [*finite, "no\nprivacy"])
    axes.minorticks_off()
    axes.set_xlim(xs[0] / 2.4, aside * 1.4)
    labelled(axes, across="ε of the release (log scale)", up=up)


def _label(starts: Sequence[tuple[float, int]], x: float, axes: Axes) -> None:
    """Write each number of people before the start of its line, far enough from the next one."""
    low, high = axes.get_ylim()
    gap, place = (high - low) / 18, float("-inf")
    for start, people in sorted(starts):
        place = max(start, place + gap)
        name = f"n = {people:,}"
        axes.text(x / 1.1, place, name, color=INK, ha="right", va="center", fontsize=SMALL)


def _both(curves: Mapping[int, Curve], n: int) -> Figure:
    """Return a figure with a panel for each measure."""
    figure, (both,) = panels(11.0, 4.6, columns=len(MEASURES))
    for measure, axes in zip(MEASURES, both, strict=True):
        draw_plan(curves, n, axes, measure)
    return figure


def with_picture(document: Document, curves: Mapping[int, Curve], n: int) -> Document:
    """Return a plan with its figure at the end."""
    figure = _both(curves, n)
    sizes = ", ".join(f"{one:,}" for one in curves)
    words = f"In two panels lines rise with epsilon, one for each of {sizes} people; the table "
    words += "holds the numbers."
    caption = "Gain over one arm for everybody, and people given their better arm, by epsilon; "
    caption += f"the band holds 80 in 100 trials of {n:,}."
    section = document.sections[0]
    blocks = (*section.blocks, Picture(caption, words, Drawing(svg_text(figure))))
    return replace(document, sections=(replace(section, blocks=blocks),))


@styled()
def save_plan(curves: Mapping[int, Curve], n: int, title: str, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    figure = _both(curves, n)
    figure.suptitle(
        f"{short(title, 80)}\nmean over synthetic trials ± simulation error; band: 80 in 100 "
        f"trials of {n:,} people",
    )
    save(figure, path)
