"""The people on whom γ is tuned: who trains and who validates in each repeat of Algorithm 2.

    n > n₀ − m:   m of D₀ validate, drawn without replacement; n train, drawn with replacement
                  from the rest
    otherwise:    n of D₀ train, drawn without replacement; the rest of D₀ validates

Lines 7 and 9 of the paper draw n₀ people to train, where the text says n; its line 10 writes D for
D₀, by which nobody would be left to validate. Both slips are mended here.

People are as sensitive as where they come from: a sensitive table's never leave the process.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.study.declaration import Declaration
from dpwerm.study.treatment import received_probabilities
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Trial, outcome_weights

VALIDATION_SHARE = 0.2
"""The share of D₀ that validates where nobody says another."""


@dataclass(frozen=True)
class Splits:
    """Positions in D₀ for B repeats: training (B, n), validation (B, m)."""

    training: IntArray
    validation: IntArray


def default_validation(size: int) -> int:
    """Return m = 0.2·n₀, at least 1."""
    return max(1, round(VALIDATION_SHARE * size))


def is_bootstrapped(n: int, size: int, m: int) -> bool:
    """Whether the training sets are drawn with replacement: n people are not there."""
    return n > size - m


def validating(n: int, size: int, m: int) -> int:
    """Return how many people validate: m, or all that are left if those are more."""
    return m if is_bootstrapped(n, size, m) else size - n


def checked_sizes(size: int, m: int) -> int:
    """Return m if somebody is left to train; m and n₀ − m must be at least 1."""
    if not 1 <= m < size:
        raise ParameterError(
            f"{m:,} people cannot validate: the data has {size:,}, and at least one must train"
        )
    return m


def splits(n: int, size: int, m: int, count: int, rng: np.random.Generator) -> Splits:
    """Return ``count`` independent splits of n₀ people.

    Parameters
    ----------
    n : int ≥ 1, the people of a training set
    size : int ≥ 2, n₀
    m : int in [1, n₀), the fewest people that validate
    """
    orders = rng.permuted(np.tile(np.arange(size), (count, 1)), axis=1)
    if not is_bootstrapped(n, size, m):
        return Splits(orders[:, :n], orders[:, n:])
    rest = orders[:, m:]
    drawn = rng.integers(rest.shape[1], size=(count, n))
    return Splits(np.take_along_axis(rest, drawn, axis=1), orders[:, :m])


@dataclass(frozen=True, repr=False)
class Repeats:
    """B repeats of Algorithm 2: one trial of all people, and who trains and validates in each.

    better : (N,), above 0 where the second arm is better for a person, below where the first is, 0
        where neither; None where the truth is not known
    """

    trial: Trial
    splits: Splits
    better: FloatArray | None = None


@dataclass(frozen=True, repr=False)
class Validation:
    """What is known of the people (B, T) who validate; ± and larger is better throughout.

    arm : −1 or +1, NaN if missing
    benefit : after transform and direction, within its bounds
    probability : P(arm received | x)
    label, weight : y' and w/W of the weighted problem, unclipped; w = 0 where something is missing
    better : as in ``Repeats``
    """

    arm: FloatArray
    benefit: FloatArray
    probability: FloatArray
    label: FloatArray
    weight: FloatArray
    better: FloatArray | None = None

    @classmethod
    def of(cls, repeats: Repeats, declaration: Declaration) -> Self:
        """Return what a declaration makes of the people who validate."""
        trial, chosen = repeats.trial, repeats.splits.validation
        treatment, benefit = declaration.treatment, declaration.benefit
        second = np.asarray(trial.given_propensity)
        received = received_probabilities(treatment, trial.arm, second)
        whole = declaration.clipped_at(1.0)
        bound = OUTCOME_WEIGHTED.weight_bound(whole)
        label, weight = outcome_weights(
            trial.arm, whole.benefit.centred(trial.outcome), received, bound
        )
        plain = benefit.model_copy(update={"declared_clip": "range", "weights": "signed"})
        shown = plain.centred(trial.outcome) + plain.centre
        return cls(
            arm=trial.arm[chosen],
            benefit=shown[chosen],
            probability=received[chosen],
            label=label[chosen],
            weight=weight[chosen] / bound,
            better=None if repeats.better is None else repeats.better[chosen],
        )
