r"""Does a rule do better than one arm for everybody? Rules are judged by people they never saw.

Cross-fitting: each of K parts of the trial is treated by a rule learned from the others, so every
person has a recommendation to which their own outcome did not contribute. The gain over an arm is

.. math:: V(f) - V(a) \pm \mathrm{sd}(\psi^f_i - \psi^a_i)/\sqrt n

with each person's contribution ψ of ``measures.influence``. It is averaged over several ways to cut
the trial, and so is its standard error: that of the average is no larger.
"""

import math
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track

from dpwerm.arrays import FloatArray
from dpwerm.reproduce.measures import standard_error
from dpwerm.reproduce.trials import RealTrial, TrialMethod
from dpwerm.reproduce.trials_page import Sheet

FOLDS = 10
SPLITS = 10
EPSILONS = ("1", "5", "inf")


@dataclass(frozen=True)
class Gain:
    """A difference of two values and its standard error."""

    difference: float
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether the difference is positive beyond two standard errors."""
        return self.difference > 2 * self.error

    def __str__(self) -> str:
        digits = max(0, 1 - math.floor(math.log10(self.error))) if self.error > 0 else 0
        return f"{self.difference:+.{digits}f} ± {self.error:.{digits}f}"


def gain(trial: RealTrial, recommended: FloatArray, arm: float) -> Gain:
    """Return the gain of recommendations (n,) over giving everybody one arm, −1 or +1."""
    everybody = np.full(trial.n, arm)
    difference = trial.value(recommended) - trial.value(everybody)
    psi = trial.influence(recommended) - trial.influence(everybody)
    return Gain(difference, standard_error(psi))


def cross_fitted(
    trial: RealTrial, method: TrialMethod, epsilon: str, folds: int, seed: int
) -> FloatArray:
    """Return each person's arm by a rule that did not see them, shape (n,)."""
    rng = np.random.default_rng(seed)
    part = rng.permutation(np.arange(trial.n) % folds)
    recommended = np.empty(trial.n)
    for fold in range(folds):
        out = part == fold
        people, others = trial.part(out), trial.part(~out)
        noise = int(rng.integers(2**31))
        recommended[out] = method.recommend(others, people, epsilon, noise)
    return recommended


def mean_gain(trial: RealTrial, recommended: FloatArray, arm: float) -> Gain:
    """Return the mean gain over cuts, recommendations (cuts, n), with the mean standard error."""
    gains = [gain(trial, one, arm) for one in recommended]
    difference = float(np.mean([one.difference for one in gains]))
    return Gain(difference, float(np.mean([one.error for one in gains])))


def gain_sheet(
    name: str,
    title: str,
    trial: RealTrial,
    methods: list[TrialMethod],
    seed: int,
    console: Console,
    splits: int = SPLITS,
) -> Sheet:
    """Return the gain of each method over each arm, and of one arm over the other."""
    first, second = trial.arms
    todo = [(method, epsilon) for method in methods for epsilon in EPSILONS]
    rows = []
    for method, epsilon in track(todo, f"{title}, cross-fitted", console=console):
        arms = np.array(
            [cross_fitted(trial, method, epsilon, FOLDS, seed + cut) for cut in range(splits)]
        )
        over_first, over_second = (mean_gain(trial, arms, arm) for arm in (-1.0, 1.0))
        label = "∞" if epsilon == "inf" else epsilon
        clear = "yes" if over_first.is_clear and over_second.is_clear else "no"
        rows.append([method.name, label, str(over_first), str(over_second), clear])
    alone = gain(trial, np.ones(trial.n), -1.0)
    rows.append([f"{second} for everybody", "", str(alone), "", ""])
    head = ["method", "ε", f"gain over {first} for all", f"over {second} for all", "beats both"]
    return Sheet(name, f"{title}, {FOLDS} parts, {splits} cuts, seed {seed}", head, rows)
