"""What comparisons by accuracy share: cells, their luck, means with intervals, and curves.

Trials depend on scenario, n and the repeat alone, so methods and ε meet the same luck.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from dpwerm.documents.drawing import headed, labelled, panels, save, styled
from reproduction.shown import legend_below

PEOPLE = 4_000
"""People on whom each rule is judged."""

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    """What is simulated; ``epsilon`` is a text, "inf" for none."""

    scenario: str
    n: int
    epsilon: str
    method: str
    repeats: int


class Measured(Protocol):
    """A mean accuracy in %, with half its 95 % interval."""

    @property
    def accuracy(self) -> float:
        """The mean."""

    @property
    def accuracy_half(self) -> float:
        """Half of the interval."""


def trial_rng(scenario: str, n: int, repeat: int) -> np.random.Generator:
    """Return the generator of one trial; repeat −1 is that of the people who judge."""
    return np.random.default_rng([zlib.crc32(scenario.encode()), n, repeat + 1])


def with_halves(scores: ArrayLike) -> list[tuple[float, float]]:
    """Return the mean of each column of (repeats, K) scores, and half its 95 % interval."""
    found = np.asarray(scores, dtype=np.float64)
    halves = 1.96 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return list(zip(found.mean(axis=0).tolist(), halves.tolist(), strict=True))


def draw_curve(axes: Axes, at: Sequence[float], found: Sequence[Measured], **style: object) -> None:
    """Draw accuracies with their intervals."""
    axes.errorbar(
        at,
        [one.accuracy for one in found],
        yerr=[one.accuracy_half for one in found],
        **style,  # type: ignore[arg-type]
    )


def label_axes(axes: Axes, ticks: Sequence[float], texts: Sequence[str], across: str) -> None:
    """Name the ticks of a logarithmic axis, and both axes."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, texts)
    axes.minorticks_off()
    labelled(axes, across=f"{across} (log scale)", up="people who get their better arm, %")


@styled()
def save_panels(
    heads: dict[str, T], draw: Callable[[T, Axes], None], path: Path, *, least: float, keys: int
) -> None:
    """Write a panel under each head; least: where accuracy begins, keys: columns of the legend."""
    figure, axes = panels(10.0, 3.8, columns=len(heads), sharey=True)
    for panel, (head, what) in zip(axes.flat, heads.items(), strict=True):
        draw(what, panel)
        headed(panel, head)
    for panel in axes[0, 1:]:
        labelled(panel, up="")
    axes[0, 0].set_ylim(least, 101)
    legend_below(figure, axes[0, 0], keys)
    save(figure, path)
