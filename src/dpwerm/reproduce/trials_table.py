"""The paper's Table I for any trial: repeats of each method at each ε, and their measures."""

from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track

from dpwerm.arrays import FloatArray
from dpwerm.reproduce.measures import (
    allocation,
    association,
    concordance,
    majority,
    standard_error,
)
from dpwerm.reproduce.trials import RealTrial, TrialMethod
from dpwerm.reproduce.trials_page import Sheet

EPSILONS = ("0.1", "0.5", "1", "2", "5", "inf")
"""The ε of the paper's Table I; the last is the rule without privacy."""


@dataclass(frozen=True)
class Measured:
    """One row: the value of each repeat, the arms by majority, and the rule without privacy.

    error: the sampling error of the value of the arms by majority; single: the share of people that
    one release treats as the rule without privacy does, on average over repeats.
    """

    method: str
    epsilon: str
    values: FloatArray
    error: float
    single: float
    arms: FloatArray
    baseline: FloatArray

    @property
    def private(self) -> bool:
        """Whether noise was added."""
        return self.epsilon != "inf"

    @property
    def mean(self) -> float:
        """The mean value over repeats, without those in which nobody followed the rule."""
        return float(np.nanmean(self.values))

    @property
    def deviation(self) -> float:
        """The standard deviation of the value over repeats, 0 for a single one."""
        return float(np.nanstd(self.values, ddof=1)) if len(self.values) > 1 else 0.0

    @property
    def allocated(self) -> tuple[int, int]:
        """How many people get the second and the first arm."""
        return allocation(self.arms)

    @property
    def concordance(self) -> float:
        """The share of people whom the majority treats as the rule without privacy does."""
        return concordance(self.arms, self.baseline)

    @property
    def p_value(self) -> float | None:
        """The χ² test of that, None where a rule treats everybody alike."""
        return association(self.arms, self.baseline)


def measure(
    trial: RealTrial, method: TrialMethod, epsilon: str, repeats: int, seed: int
) -> Measured:
    """Return one row; the same seed gives the same row. Without privacy one repeat is enough."""
    (baseline,) = _repeats(trial, method, "inf", 1, seed)
    arms = _repeats(trial, method, epsilon, 1 if epsilon == "inf" else repeats, seed)
    values = np.array([trial.value(one, by_arm=method.by_arm) for one in arms])
    chosen = majority(arms)
    error = standard_error(trial.influence(chosen, by_arm=method.by_arm))
    single = float(np.mean([concordance(one, baseline) for one in arms]))
    return Measured(method.name, epsilon, values, error, single, chosen, baseline)


def _repeats(
    trial: RealTrial, method: TrialMethod, epsilon: str, repeats: int, seed: int
) -> FloatArray:
    """Return the recommendations of each repeat, shape (repeats, n)."""
    seeds = np.random.SeedSequence(seed).generate_state(repeats, np.uint32)
    return np.array([method.recommend(trial, trial, epsilon, int(one)) for one in seeds])


def cells(row: Measured) -> list[str]:
    """Return a row in words; without privacy the error of sampling takes the place of the SD."""
    return [
        row.method,
        row.epsilon if row.private else "∞",
        f"{row.mean:#.4g}",
        f"{row.deviation:.2g}" if row.private else f"SE {row.error:.2g}",
        f"{row.single:.3f}" if row.private else "",
        "{}:{}".format(*row.allocated),
        f"{row.concordance:.3f}" if row.private else "",
        p_in_words(row.p_value) if row.private else "",
    ]


def p_in_words(p: float | None) -> str:
    """Return a p-value as the paper prints it; "none" where there is no test."""
    if p is None:
        return "none"
    if p >= 0.001:
        return f"{p:.3f}"
    return "<2.2e-16" if p < 2.2e-16 else f"{p:.2e}"


def header(trial: RealTrial) -> list[str]:
    """Return the names of the columns, with the arms in the order in which they are counted."""
    first, second = trial.arms
    majority = f"majority {second}:{first}"
    return ["method", "ε", "value", "SD", "one release", majority, "concordance", "p"]


def trial_sheet(
    name: str,
    title: str,
    trial: RealTrial,
    methods: list[TrialMethod],
    repeats: int,
    seed: int,
    console: Console,
) -> Sheet:
    """Return the measures of every method at every ε, and the values of treating all alike."""
    todo = [(method, epsilon) for method in methods for epsilon in EPSILONS]
    rows = [
        cells(measure(trial, method, epsilon, repeats, seed))
        for method, epsilon in track(todo, title, console=console)
    ]
    about = f"{title}, {trial.n} people, {repeats} repeats, seed {seed}"
    return Sheet(name, about, header(trial), rows + fixed(trial))


def fixed(trial: RealTrial) -> list[list[str]]:
    """Return the rows of treating everybody alike, with the sampling error of the value."""
    rows = []
    for arm, sign in zip(trial.arms, (-1.0, 1.0), strict=True):
        everybody = np.full(trial.n, sign)
        error = standard_error(trial.influence(everybody))
        share = "{}:{}".format(*allocation(everybody))
        value = f"{trial.value(everybody):#.4g}"
        rows.append([f"{arm} for everybody", "", value, f"SE {error:.2g}", "", share, "", ""])
    return rows
