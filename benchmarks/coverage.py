"""How often intervals of a private evaluation hold the truth: ``python -m benchmarks.coverage``.

Trials are simulated for a fixed rule whose value is known exactly. Their sums get Laplace noise in
doubles and go through the same intervals as a release. Writes benchmarks/results/coverage.csv and
the tables of docs/evaluation.md; about three minutes on two cores.
"""

import argparse
import csv
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from benchmarks.page import fill
from dpwerm.arrays import FloatArray, IntArray
from dpwerm.mechanisms.laplace_sums import UNIT
from dpwerm.releases.value.interval import Target, gain_target, interval_of, value_target
from dpwerm.releases.value.layout import (
    Layout,
    layout_by_design,
    layout_by_row,
    layout_robust,
    robust_term,
    split_evenly,
    split_pair,
    split_weighted,
)
from dpwerm.simulate.engine.run import bar
from reproduction.journal import Journal, run

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "coverage.csv"
PAGE = ROOT / "docs" / "evaluation.md"
CONFIDENCE = 0.95
SIZES = (100, 1000, 5000)
SHOWN = 1000
"""The n of the half-widths in the table."""

EPSILONS = (0.1, 1.0, 10.0)
TARGETS = ("rule", "arm 1", "arm 2", "gain over 1", "gain over 2")
AT_ONCE = 500_000
"""Rows simulated at once."""

PI_MIN = 0.1
ARMS = ("1", "2")


@dataclass(frozen=True)
class Scenario:
    """A trial of two arms with u in [0, 1]: arm 2 is better where x > ½, the rule says x > 0.4.

    second: P(arm 2), None if it runs from 0.15 to 0.85 with x; the better arm has mean ``good``,
    the other ``bad``; ``spread`` is a + b of a Beta(a, b) benefit, 0 for a benefit of 0 or 1.
    """

    arms: str
    benefit: str
    second: float | None
    good: float
    bad: float
    spread: float
    robust: bool = False

    @property
    def truth(self) -> FloatArray:
        """The rule is right for nine in ten, each arm for half of all people."""
        rule, arm = 0.9 * self.good + 0.1 * self.bad, (self.good + self.bad) / 2
        return np.array([rule, arm, arm, rule - arm, rule - arm])

    @property
    def layout(self) -> Layout:
        """Which sums a release would have."""
        if self.second is None:
            return layout_by_row(ARMS, PI_MIN)
        chances = (1 - self.second, self.second)
        if self.robust:
            return layout_robust(ARMS, [1 / one for one in chances])
        return layout_by_design(ARMS, [Fraction(one) for one in chances])

    def sums(self, n: int, repeats: int, rng: np.random.Generator) -> FloatArray:
        """Return exact sums of many trials of n people, shape (repeats, C, K)."""
        most = max(AT_ONCE // n, 1)
        parts = []
        while repeats > 0:
            now = min(most, repeats)
            parts.append(self._sums(n, now, rng))
            repeats -= now
        return np.concatenate(parts)

    def _sums(self, n: int, repeats: int, rng: np.random.Generator) -> FloatArray:
        x = rng.uniform(size=n * repeats)
        chance = np.full(len(x), self.second) if self.second else 0.15 + 0.7 * x
        got = rng.uniform(size=len(x)) < chance
        mean = np.where(got == (x > 0.5), self.good, self.bad)
        if self.spread:
            u = rng.beta(self.spread * mean, self.spread * (1 - mean))
        else:
            u = (rng.uniform(size=len(x)) < mean).astype(float)
        told = x > 0.4
        cells, shares = self._shares(x, u, got, told, np.where(got, chance, 1 - chance))
        layout = self.layout
        count = len(layout.cells)
        place = np.repeat(np.arange(repeats), n) * count + cells
        totals = [
            np.bincount(place, weights=share, minlength=repeats * count) for share in shares.T
        ]
        return np.stack(totals, axis=-1).reshape(repeats, count, -1) / UNIT

    def _shares(
        self,
        x: FloatArray,
        u: FloatArray,
        got: np.ndarray[tuple[int], np.dtype[np.bool_]],
        told: np.ndarray[tuple[int], np.dtype[np.bool_]],
        probability: FloatArray,
    ) -> tuple[IntArray, IntArray]:
        """Return cells and shares as a release has them."""
        if self.robust and self.second is not None:
            # A public model that knows the direction of the effect, and too little of its size.
            lean = (self.good - self.bad) / 3 * np.where(x > 0.5, 1.0, -1.0)
            middle = (self.good + self.bad) / 2
            terms = [
                robust_term(middle + sign * lean, u, probability, mask, 1 / chance)
                for sign, mask, chance in ((-1, ~got, 1 - self.second), (1, got, self.second))
            ]
            return told.astype(np.int64), split_pair(*terms)
        cells = (2 * got + told).astype(np.int64)
        if self.second is None:
            return cells, split_weighted(u, PI_MIN / probability)
        return cells, split_evenly(u)


BENEFITS = {"even": (0.6, 0.4, 8.0), "skewed": (0.12, 0.06, 3.0), "0/1": (0.17, 0.10, 0.0)}
RATIOS = {"1:1": 0.5, "2:1": 1 / 3, "9:1": 0.1}
SCENARIOS = [
    *(Scenario(arms, name, RATIOS[arms], *BENEFITS[name]) for arms in RATIOS for name in BENEFITS),
    Scenario("by row", "even", None, *BENEFITS["even"]),
    Scenario("by row", "skewed", None, *BENEFITS["skewed"]),
    Scenario("1:1, doubly robust", "even", 0.5, *BENEFITS["even"], robust=True),
]


@dataclass(frozen=True)
class Cell:
    """Coverage in % and mean half widths in % of the benefit's range, one of each per target."""

    scenario: Scenario
    n: int
    epsilon: float
    repeats: int
    coverage: tuple[float, ...]
    both: tuple[float, ...]
    privacy: tuple[float, ...]
    sampling: tuple[float, ...]


def measure(
    scenario: Scenario, sums: FloatArray, epsilon: float, seed: int
) -> list[tuple[float, ...]]:
    """Return coverage and half widths by target; those of single errors from fifty trials."""
    layout, scale = scenario.layout, 2 / epsilon
    noisy = sums + np.random.default_rng(seed).laplace(0.0, scale, sums.shape)
    few = noisy[:50]
    columns: list[tuple[float, ...]] = []
    for index, truth in enumerate(scenario.truth):
        found = interval_of(layout, _target(layout, index, noisy), noisy, scale, CONFIDENCE)
        holds = (found.lower <= truth) & (truth <= found.upper)
        halves = []
        for part in ({"sampling": False}, {"privacy": False}):
            one = interval_of(layout, _target(layout, index, few), few, scale, CONFIDENCE, **part)
            halves.append(float(50 * np.mean(one.upper - one.lower)))
        whole = float(50 * np.mean(found.upper - found.lower))
        columns.append((100 * float(holds.mean()), whole, *halves))
    return list(zip(*columns, strict=True))


def _target(layout: Layout, index: int, sums: FloatArray) -> Target:
    rule, *arms = layout.policies
    if index < 3:
        return value_target(layout, layout.policies[index], sums)
    return gain_target(layout, rule, arms[index - 3], sums)


@dataclass(frozen=True)
class Task:
    """The trials of one scenario and size; the values of ε share them."""

    scenario: int
    n: int
    repeats: int
    seed: int


def work(task: Task) -> list[list[tuple[float, ...]]]:
    """Return coverage and half widths of every target, for each ε."""
    scenario = SCENARIOS[task.scenario]
    rng = np.random.default_rng([task.seed, task.scenario, task.n])
    sums = scenario.sums(task.n, task.repeats, rng)
    return [measure(scenario, sums, epsilon, int(rng.integers(2**32))) for epsilon in EPSILONS]


def cells(repeats: int, seed: int, journal: Journal | None) -> list[Cell]:
    """Return every cell."""
    tasks = [Task(number, n, repeats, seed) for number in range(len(SCENARIOS)) for n in SIZES]
    with bar("evaluating trials") as on_done:
        found = run(work, tasks, journal=journal, on_done=on_done)
    return [
        Cell(SCENARIOS[task.scenario], task.n, epsilon, repeats, *map(tuple, columns))
        for task, results in zip(tasks, found, strict=True)
        for epsilon, columns in zip(EPSILONS, results, strict=True)
    ]


def error(repeats: int) -> float:
    """Return the 95 % Monte Carlo error of a coverage of 95 %, in points."""
    return 196 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / repeats)


def table(found: list[Cell]) -> str:
    """Return for each kind of trial the coverage, and half-widths of the rule's value at one n."""
    kinds: dict[tuple[str, str], list[Cell]] = {}
    for one in found:
        kinds.setdefault((one.scenario.arms, one.scenario.benefit), []).append(one)
    head = ["arms", "benefit", "lowest", "mean", *(f"± at ε = {one:g}" for one in EPSILONS)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for (arms, benefit), cells in kinds.items():
        every = [value for one in cells for value in one.coverage]
        halves = [f"{one.privacy[0]:.1f}, {one.both[0]:.1f}" for one in cells if one.n == SHOWN]
        shown = [arms, benefit, f"{min(every):.1f}", f"{np.mean(every):.1f}", *halves]
        lines.append("| " + " | ".join(shown) + " |")
    return "\n".join(lines)


def verdict(found: list[Cell]) -> str:
    """Return the lowest coverage, and how near the nominal one is where there is much data."""
    every = [value for one in found for value in one.coverage]
    slack, nominal = error(found[0].repeats), 100 * CONFIDENCE
    below = sum(value < nominal - slack for value in every)
    rich = [v for one in found if one.n == SIZES[-1] and one.epsilon >= 10 for v in one.coverage]
    return (
        f"{len(every)} coverages, each from {found[0].repeats} trials, so each is known to "
        f"± {slack:.1f} points.\nThe lowest is {min(every):.1f} %, and {below} of them lie below "
        f"{nominal:g} % by more than that error\n(chance alone would give about "
        f"{0.025 * len(every):.0f} if every true coverage were {nominal:g} %). At n = {SIZES[-1]} "
        f"and ε = {EPSILONS[-1]:g}\nthe mean is {np.mean(rich):.1f} % and the largest "
        f"{max(rich):.1f} %."
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="make coverage", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--print-only", action="store_true", help="write no file")
    arguments = parser.parse_args()
    journal = None if arguments.print_only else Journal(RESULTS.with_suffix(".jsonl"), "coverage")
    found = cells(arguments.repeats, arguments.seed, journal)
    print(table(found))
    print(verdict(found))
    if journal is None:
        return
    _write(found)
    fill(PAGE, "coverage", table(found))
    fill(PAGE, "verdict", verdict(found))
    journal.path.unlink()


def _write(found: list[Cell]) -> None:
    """Write one row per cell and target."""
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = ("arms", "benefit", "n", "epsilon", "repeats", "target")
        writer.writerow([*names, "coverage", "half_width", "privacy", "sampling"])
        for one in found:
            place = (one.scenario.arms, one.scenario.benefit, one.n, f"{one.epsilon:g}")
            for index, name in enumerate(TARGETS):
                parts = (one.coverage, one.both, one.privacy, one.sampling)
                numbers = [f"{part[index]:.3f}" for part in parts]
                writer.writerow([*place, one.repeats, name, *numbers])


if __name__ == "__main__":
    main()
