"""P(second arm | x): what it costs that it comes from where it does, and its value for rows.

A private model takes a share of the budget: ε = ε_p + ε_rule, exactly, by composition. Its released
coefficients are public, so C = 0 for the rule (docs/proofs/weight-origin.md): given a public model
each row's probability depends on that row alone. Probabilities of a model that was fitted to the
same people and is not released never come from here.
"""

from decimal import Decimal
from typing import Protocol

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.data.table import normalise
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import AnyBudget, Budget, parted
from dpwerm.privacy.sensitivity import RidgeModel, WeightOrigin, origin_of
from dpwerm.study.propensity import ExternalPropensity, PrivatePropensity, RidgePropensity
from dpwerm.study.treatment import Declaration, Treatment, received_probabilities
from dpwerm.weighting.contract import Trial

SHARE = Decimal("0.5")
"""The automatic share of a private propensity model; measured in docs/observational.md."""

RIDGE_TOLERANCE = 1e-9


def model_encoding(encoding: Encoding) -> Encoding:
    """Return how a propensity model sees rows: centred, with an intercept of 1, not saturated."""
    return encoding.changed(kind="centred", intercept=1.0, saturation=1.0)


def split(budget: AnyBudget, treatment: Treatment) -> tuple[Budget | None, AnyBudget]:
    """Return the parts of a budget for the propensity model (None if it needs none) and the rule.

    The model's part has ε alone; a δ stays with the rule.
    """
    model = treatment.propensity
    if not isinstance(model, PrivatePropensity):
        return None, budget
    if not isinstance(budget, Budget):
        raise ParameterError(f"a private propensity model needs a budget in epsilon, not {budget}")
    share = SHARE if isinstance(model.share, str) else model.share
    return parted(budget, share, "the propensity model")


def origin_for(treatment: Treatment, encoding: Encoding, n: int) -> WeightOrigin:
    """Return the origin of the weights, with the public numbers of a ridge model."""
    model = treatment.propensity
    if not isinstance(model, RidgePropensity):
        return origin_of(treatment.origin)
    seen = model_encoding(encoding)
    return RidgeModel(
        pi_min=treatment.pi_min,
        radius=seen.radius,
        dimension=float(len(seen.coefficient_names)),
        gamma=model.penalty(n),
        tolerance=RIDGE_TOLERANCE,
    )


# -- probabilities of rows -------------------------------------------------------------------


class Scorer(Protocol):
    """A released model: public, and f(x) for encoded rows."""

    @property
    def encoding(self) -> Encoding:
        """How a row becomes numbers."""

    def score(self, X: FloatArray) -> FloatArray:
        """Return f(x) of each encoded row."""


def second_arm(
    declaration: Declaration, trial: Trial, encoding: Encoding, released: Scorer | None = None
) -> FloatArray:
    """Return P(second arm | x) of each row (n,) from design, table or a public model.

    encoding : any encoding of the trial's features
    released : the private propensity model, where the declaration has one
    """
    model = declaration.treatment.propensity
    if trial.given_propensity is not None:
        return trial.given_propensity
    if isinstance(model, ExternalPropensity):
        seen = model_encoding(encoding)
        scores = model.scores(seen, trial.encode(seen))
        first = normalise(model.arm) == normalise(declaration.treatment.arms[0])
        return np.asarray(expit(-scores if first else scores))
    if isinstance(model, PrivatePropensity) and released is not None:
        return np.asarray(expit(released.score(trial.encode(released.encoding))))
    raise ParameterError(
        "the propensity model of this study was fitted to the same people and is not released: "
        "everybody's weight would move with one person. Declare "
        'propensity = { model = "private" }'
    )


def probabilities(
    declaration: Declaration, trial: Trial, encoding: Encoding, released: Scorer | None = None
) -> FloatArray:
    """Return P(arm received | x) in [π_min, 1], shape (n,), NaN where it is not known."""
    second = second_arm(declaration, trial, encoding, released)
    return received_probabilities(declaration.treatment, trial.arm, second)
