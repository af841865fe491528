"""``python -m benchmarks.cells``: how far one person moves a rule if cells follow from the sample.

The noise covers Δ₂, how far replacing one record can move the minimiser. A row whose cells were
computed from all rows changes with everybody's, so the minimiser moves further. Each way of
computing cells has two tables of 1,000 people that differ in one raw record, found by asking who
moves what all cells depend on; a public map of the same raw values stands beside it. Writes the
table of docs/threat-model.md; a second.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.page import fill
from dpwerm import PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from reproduction.shown import markdown

N, GAMMA, ONE = 1_000, 20_000.0, 0
PAGE = Path(__file__).parents[1] / "docs" / "threat-model.md"


@dataclass(frozen=True)
class Table:
    """Raw values of all people: a feature, the arm (−1 or 1), and an outcome.

    For pseudo-values the feature is the time of follow-up, the outcome whether an event ended it.
    """

    feature: FloatArray
    arm: FloatArray
    outcome: FloatArray

    def with_one(self, feature: float, outcome: float) -> "Table":
        """Return the table with another first person."""
        x, y = self.feature.copy(), self.outcome.copy()
        x[ONE], y[ONE] = feature, outcome
        return Table(x, self.arm, y)


Cells = Callable[[Table], tuple[FloatArray, FloatArray]]
"""From a table to the two columns of a fit, a feature and a benefit, both declared in [−1, 1]."""


def clipped(values: FloatArray, scale: float) -> FloatArray:
    """Return values over a public scale, within [−1, 1]: what bounds do."""
    return np.clip(values / scale, -1.0, 1.0)


def standard(values: FloatArray) -> FloatArray:
    """Return values less their mean over their deviation, cut at 3 deviations and over 3."""
    return clipped((values - values.mean()) / values.std(), 3.0)


def ranks(values: FloatArray) -> FloatArray:
    """Return how many values are smaller, between −1 and 1."""
    return 2.0 * np.argsort(np.argsort(values)) / (len(values) - 1) - 1.0


def filled(values: FloatArray) -> FloatArray:
    """Return values with the mean of the known ones in each gap."""
    return np.where(np.isnan(values), np.nanmean(values), values)


def residuals(outcome: FloatArray, feature: FloatArray) -> FloatArray:
    """Return outcomes less the least-squares line of this sample."""
    slope, intercept = np.polyfit(feature, outcome, 1)
    return np.asarray(outcome - intercept - slope * feature)


def pseudo_values(times: FloatArray, happened: FloatArray) -> FloatArray:
    """Return n·S − (n − 1)·S without i, S the Kaplan–Meier share that is event-free in the end."""
    n = len(times)
    factors = []
    for event in np.unique(times[happened == 1]):
        at_risk, events = times >= event, (times == event) & (happened == 1)
        left = at_risk.sum() - at_risk
        ends = events.sum() - events
        whole = 1 - events.sum() / at_risk.sum()
        factors.append([whole, *np.where(left > 0, 1 - ends / np.maximum(left, 1), 1.0)])
    shares = np.prod(factors, axis=0)
    return np.asarray(n * shares[0] - (n - 1) * shares[1:])


@dataclass(frozen=True)
class Way:
    """A way of computing cells, a public map, and two tables that differ in one person."""

    name: str
    cells: Cells
    public: Cells
    one: Table
    other: Table


def ways() -> list[Way]:
    """Return the ways in the order of the page."""
    draw = np.random.default_rng(20_240_607)
    arm = draw.choice([-1.0, 1.0], N)
    normal, noise = draw.normal(size=N), draw.normal(0, 0.3, N)
    gains = clipped(arm * normal + noise, 3.0)
    income = Table(1e4 * np.exp(normal), arm, gains)
    together = Table(np.linspace(-1, 1, N), np.ones(N), np.ones(N))
    gaps = np.full(N, np.nan)
    gaps[:10] = 0.0
    few = Table(gaps, np.ones(N), np.ones(N))
    crowd = Table(0.05 * arm, arm, np.zeros(N))
    times = np.append([10.0, 11.0], draw.uniform(0, 9, N - 2))
    event = (times < 9) & (draw.random(N) < 0.2)
    followed = Table(times, np.ones(N), event.astype(float))
    return [
        Way(
            "standardise a feature by the sample's mean and deviation",
            lambda t: (standard(t.feature), t.outcome),
            lambda t: (clipped(t.feature - 5e4, 5e4), t.outcome),
            income,
            income.with_one(1e7, gains[ONE]),
        ),
        Way(
            "standardise the benefit",
            lambda t: (clipped(np.log(t.feature) - 9, 3.0), standard(t.outcome)),
            lambda t: (clipped(np.log(t.feature) - 9, 3.0), clipped(t.outcome, 1.0)),
            income,
            income.with_one(income.feature[ONE], 1e3),
        ),
        Way(
            "put ranks in the place of a feature",
            lambda t: (ranks(t.feature), t.outcome),
            lambda t: (clipped(t.feature, 1.0), t.outcome),
            together.with_one(-2.0, -1.0),
            together.with_one(2.0, -1.0),
        ),
        Way(
            "fill gaps by the mean of the 10 known values",
            lambda t: (filled(t.feature), t.outcome),
            lambda t: (np.nan_to_num(t.feature), t.outcome),
            few.with_one(-1.0, 1.0),
            few.with_one(1.0, 1.0),
        ),
        Way(
            "take residuals from the sample's regression line",
            lambda t: (t.feature, clipped(residuals(t.outcome, t.feature), 1.0)),
            lambda t: (t.feature, t.outcome),
            crowd.with_one(1.0, -1.0),
            crowd.with_one(1.0, 1.0),
        ),
        Way(
            "take pseudo-values of a censored outcome",
            lambda t: (0 * t.feature, clipped(2 * pseudo_values(t.feature, t.outcome) - 1, 1.0)),
            lambda t: (0 * t.feature, 1 - 2 * t.outcome),
            followed.with_one(10.0, 0.0),
            followed.with_one(10.0, 1.0),
        ),
    ]


def moved(cells: Cells, one: Table, other: Table, gamma: float = GAMMA) -> float:
    """Return how far apart the rules of two tables are, in units of the Δ₂ that is declared."""
    found = []
    for epsilon, table in ((math.inf, one), (math.inf, other), (1, one)):
        rule = PrivateTreatmentRule(
            epsilon,
            feature_bounds=(-1, 1),
            benefit_bounds=(-1, 1),
            benefit_clip="range",
            propensity={"old": 0.5, "new": 0.5},
            gamma=gamma,
            random_state=0,
        )
        feature, benefit = cells(table)
        arms = np.where(table.arm > 0, "new", "old")
        found.append(rule.fit(feature[:, None], arms, benefit).release_)
    covered = found[2].certificate.sensitivity.total  # Δ₂ and twice its millionth, for the solver
    return float(np.linalg.norm(found[0].theta - found[1].theta)) / covered


def measured() -> dict[str, tuple[float, float]]:
    """Return how often Δ₂ the minimiser moves, by the way's cells and by those of public maps."""
    return {
        way.name: (moved(way.cells, way.one, way.other), moved(way.public, way.one, way.other))
        for way in ways()
    }


def table(found: dict[str, tuple[float, float]]) -> str:
    """Return the table of the page."""
    head = ["before the fit", "the minimiser moves by", "by a public map of the same values"]
    rows = [[name, f"{own:.1f} Δ₂", f"{public:.1f} Δ₂"] for name, (own, public) in found.items()]
    return markdown([head, *rows])


def main() -> None:
    """Write the table between its marks."""
    fill(PAGE, "cells", table(measured()))


if __name__ == "__main__":
    main()
