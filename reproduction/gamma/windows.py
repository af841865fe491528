r"""The "within 5 %" window of γ, and where the γ that was tuned on another D₀ lands.

.. math:: \{\gamma : \bar v_0(\gamma) \ge \max \bar v_0 - 5\}, \qquad
          \text{lost} = \max \bar v_0 - \bar v_0(\hat\gamma)

with v̄₀ the baseline's accuracy in %: 5 % is read as 5 points. The paper draws it as the region
between two red lines, so it reaches from the smallest such γ to the largest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from reproduction.gamma.curves import Cell, Curve
from reproduction.gamma.lines import BASELINE, Line

POINTS = 5.0
SHARE = 0.05


@dataclass(frozen=True)
class Window:
    """The values of γ from ``first`` to ``last``."""

    first: float
    last: float

    def __contains__(self, gamma: float) -> bool:
        return self.first <= gamma <= self.last

    def __str__(self) -> str:
        return f"{self.first:g}–{self.last:g}"

    @property
    def width(self) -> float:
        """How far it reaches."""
        return self.last - self.first


def window(curve: Curve, points: float = POINTS) -> Window:
    """Return the window of γ whose mean is within so many points of the highest."""
    good = curve.gammas[np.flatnonzero(curve.mean >= curve.highest - points)]
    return Window(float(good[0]), float(good[-1]))


def relative_window(curve: Curve) -> Window:
    """Return the window with 5 % read as a share of the highest accuracy."""
    return window(curve, SHARE * curve.highest)


@dataclass(frozen=True, eq=False)
class Landing:
    """A γ that came from some D₀, judged by the baseline's curve of the same n and ε."""

    line: Line
    n: int
    epsilon: str
    gamma: float
    baseline: Curve

    @property
    def inside(self) -> bool:
        """Whether it lies in the window of 5 points."""
        return self.gamma in window(self.baseline)

    @property
    def relatively_inside(self) -> bool:
        """Whether it lies in the window of 5 % of the highest."""
        return self.gamma in relative_window(self.baseline)

    @property
    def lost(self) -> float:
        """How many points of baseline accuracy it costs."""
        return self.baseline.highest - self.baseline.at(self.gamma)

    @property
    def apart(self) -> float:
        """How far it is from the baseline's best γ."""
        return abs(self.gamma - self.baseline.best)

    def __str__(self) -> str:
        return f"{self.line.label}, n = {self.n:,}, ε = {self.epsilon}"


def landings(
    lines: Iterable[Line], found: Mapping[str, Mapping[Cell, Curve]], budgets: Sequence[str]
) -> list[Landing]:
    """Return where the best γ of each line lands in each cell of these budgets."""
    baseline = found[BASELINE.name]
    return [
        Landing(line, n, epsilon, curve.best, baseline[n, epsilon])
        for line in lines
        for (n, epsilon), curve in found[line.name].items()
        if epsilon in budgets
    ]


def counted(landed: Sequence[Landing]) -> str:
    """Return in words how many land in the window, how far apart, and what they cost."""
    inside = sum(one.inside for one in landed)
    relative = sum(one.relatively_inside for one in landed)
    text = f"In the window in {inside} of {len(landed)} cells"
    if relative != inside:
        text += f" ({relative} with 5 % of the highest accuracy instead of 5 points)"
    dearest = max(landed, key=lambda one: one.lost)
    return (
        f"{text}. It is {median(one.apart for one in landed):g} from the baseline's best γ in the "
        f"median, {max(one.apart for one in landed):g} at most, and costs "
        f"{median(one.lost for one in landed):.1f} points of baseline accuracy in the median, "
        f"{dearest.lost:.1f} at most ({dearest})."
    )
