"""The people on whom γ is tuned, and what is known of those who validate.

They are as sensitive as where they come from: a sensitive table's people never leave the process.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_weights import outcome_weights
from dpwerm.rules.trial import Trial
from dpwerm.study.treatment import received_probabilities
from dpwerm.tune.splits import Splits


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
        label, weight = outcome_weights(
            trial.arm, whole.benefit.centred(trial.outcome), received, whole.weight_bound
        )
        plain = benefit.model_copy(update={"declared_clip": "range", "weights": "signed"})
        shown = plain.centred(trial.outcome) + plain.centre
        return cls(
            arm=trial.arm[chosen],
            benefit=shown[chosen],
            probability=received[chosen],
            label=label[chosen],
            weight=weight[chosen] / whole.weight_bound,
            better=None if repeats.better is None else repeats.better[chosen],
        )
