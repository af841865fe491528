r"""Does a rule do better than one arm for everybody? Rules are judged by people they never saw.

Cross-fitting: each of K parts of the trial is treated by a rule learned from the others, so every
person has a recommendation to which their own outcome did not contribute. The gain over an arm is

.. math:: V(f) - V(a) \pm \mathrm{sd}(\psi^f_i - \psi^a_i)/\sqrt n

with each person's contribution ψ of ``measures.influence``. It is averaged over several ways to cut
the trial, and so is its standard error: that of the average is no larger.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.released import second_arm
from reproduction.artefact import Bench, Sheet
from reproduction.trials.measures import standard_error
from reproduction.trials.method import METHODS, Cell, TrialMethod
from reproduction.trials.source import Source
from reproduction.trials.trial import OpenTrial

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


def gain(trial: OpenTrial, recommended: FloatArray, arm: float) -> Gain:
    """Return the gain of recommendations (n,) over giving everybody one arm, −1 or +1."""
    everybody = np.full(trial.n, arm)
    difference = trial.value(recommended) - trial.value(everybody)
    psi = trial.influence(recommended) - trial.influence(everybody)
    return Gain(difference, standard_error(psi))


def cross_fitted(
    trial: OpenTrial, method: TrialMethod, cell: Cell, folds: int, cuts: int, seed: int
) -> FloatArray:
    """Return each person's arm by a rule that did not see them, shape (cuts, n).

    All rules learn from equally many people: n less the largest part. Where a part is smaller than
    that, some of the others are left out too.
    """
    rng = np.random.default_rng(seed)
    part = rng.permuted(np.tile(np.arange(trial.n) % folds, (cuts, 1)), axis=1)
    size = trial.n - -(-trial.n // folds)
    pairs = [(cut, fold) for cut in range(cuts) for fold in range(folds)]
    others = [rng.permutation(np.flatnonzero(part[cut] != fold))[:size] for cut, fold in pairs]
    (rules,) = method.rules(trial, np.array(others), [cell], 1, seed)
    if rules is None:
        raise ParameterError("no rule can be learned with this gamma")
    people = trial.encoded(rules.encoding)
    second = second_arm(rules.theta, rules.encoding, people, rules.threshold)[:, 0]
    found = np.empty((cuts, trial.n))
    for (cut, fold), arms in zip(pairs, second, strict=True):
        out = part[cut] == fold
        found[cut, out] = np.where(arms[out], 1.0, -1.0)
    return found


def mean_gain(trial: OpenTrial, recommended: FloatArray, arm: float) -> Gain:
    """Return the mean gain over cuts, recommendations (cuts, n), with the mean standard error."""
    gains = [gain(trial, one, arm) for one in recommended]
    difference = float(np.mean([one.difference for one in gains]))
    return Gain(difference, float(np.mean([one.error for one in gains])))


@dataclass(frozen=True)
class AskGain:
    """A task: the gain of one method at one ε."""

    source: Source
    method: str
    epsilon: str
    scale: float
    folds: int
    cuts: int
    seed: int


def gains(ask: AskGain) -> list[list[float]]:
    """Return the gain over the first and over the second arm, each with its error."""
    trial, method = ask.source.load(), METHODS[ask.method]
    cell = (ask.epsilon, ask.scale)
    arms = cross_fitted(trial, method, cell, ask.folds, ask.cuts, ask.seed)
    found = [mean_gain(trial, arms, arm) for arm in (-1.0, 1.0)]
    return [[one.difference, one.error] for one in found]


def gain_sheet(
    bench: Bench, name: str, title: str, source: Source, scales: dict[str, float], seed: int
) -> Sheet:
    """Return the gain of each method over each arm, and of one arm over the other.

    scales : the scale of γ by the name of the method
    """
    cuts = 1 if bench.quick else SPLITS
    tasks = [
        AskGain(source, method, epsilon, scale, FOLDS, cuts, seed)
        for method, scale in scales.items()
        for epsilon in EPSILONS
    ]
    # A quick version takes less time than other processes need to start.
    here = replace(bench, workers=1) if bench.quick else bench
    rows = []
    for task, found in zip(tasks, here.run(gains, tasks, "gain"), strict=True):
        over_first, over_second = (Gain(*pair) for pair in found)
        label = "∞" if task.epsilon == "inf" else task.epsilon
        clear = "yes" if over_first.is_clear and over_second.is_clear else "no"
        named = METHODS[task.method].name
        rows.append([named, label, str(over_first), str(over_second), clear])
    trial = source.load()
    first, second = trial.arms
    alone = gain(trial, np.ones(trial.n), -1.0)
    rows.append([f"{second} for everybody", "", str(alone), "", ""])
    head = ["method", "ε", f"gain over {first} for all", f"over {second} for all", "beats both"]
    return Sheet(name, f"{title}, {FOLDS} parts, {cuts} cuts, seed {seed}", head, rows)
