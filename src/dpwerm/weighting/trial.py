"""One trial as rows can be made of it: what was received, with which probability, and outcomes.

A private propensity model takes a share of the budget: ε = ε_p + ε_rule, exactly, by composition.
Its released coefficients are public, so C = 0 for the rule (docs/proofs/weight-origin.md).
Probabilities of a model that was fitted to the same people and is not released never come from
here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table, normalise, read_table, text_of
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.parameters import refuse_mask, vector
from dpwerm.privacy.budget import AnyBudget, Budget, parted
from dpwerm.privacy.sensitivity import WeightOrigin
from dpwerm.privacy.weight_origin import RidgeModel, origin_of
from dpwerm.study.propensity import (
    ExternalPropensity,
    NoPropensity,
    PrivatePropensity,
    RidgePropensity,
)
from dpwerm.study.treatment import (
    Declaration,
    Treatment,
    arm_labels,
    received_probabilities,
    second_arm_probabilities,
)


@dataclass(frozen=True, repr=False)
class Trial:
    """One trial: sensitive, never printed.

    arm : (n,) in {−1, +1}, NaN where it is missing or unknown
    outcome : (n,), the benefit as it stands in its column, NaN where it is missing
    given_propensity : (n,) P(second arm | x) by design or from the table, None if a model gives it
    encode : from an encoding to rows (n, d)
    """

    arm: FloatArray
    outcome: FloatArray
    given_propensity: FloatArray | None
    encode: Callable[[Encoding], FloatArray]

    @property
    def n_rows(self) -> int:
        """The number n of rows, usable or not."""
        return len(self.arm)


def trial_of_table(declaration: Declaration, table: Table) -> Trial:
    """Return the trial of a table as its study declares it; every cell has a meaning."""
    treatment, outcome = declaration.treatment, table.numbers(declaration.benefit.column)
    arm, given = arm_labels(table, treatment), second_arm_probabilities(table, treatment)
    return Trial(arm, outcome, given, lambda encoding: encoding.encode(table))


def trial_of_arrays(
    matrix: FloatArray,
    treatment_values: Any,
    benefit_values: ArrayLike | None,
    propensity: ArrayLike | None,
    declaration: Declaration,
) -> Trial:
    """Return the trial of arrays; other labels, NaN and impossible probabilities are refused."""
    n, treatment = len(matrix), declaration.treatment
    columns: dict[str, Any] = {treatment.column: _arm_texts(treatment_values, n)}
    if treatment.propensity_column is not None:
        columns[treatment.propensity_column] = _propensities(propensity, n)
    elif propensity is not None:
        known = "a model gives it" if treatment.propensity else "the arms have probabilities"
        raise ParameterError(f"propensity is given to fit, but {known}")
    if benefit_values is None:
        raise ParameterError("benefit is missing: give the outcome of each row")
    table = read_table(pa.table(columns), treatment.columns)
    arm = arm_labels(table, treatment)
    if np.isnan(arm).any():
        raise ParameterError(f"treatment has labels other than {' and '.join(treatment.arms)}")
    outcome = vector("benefit", benefit_values, n)
    given = second_arm_probabilities(table, treatment)
    return Trial(arm, outcome, given, lambda encoding: encoding.encode_numbers(matrix))


def _arm_texts(values: Any, length: int) -> list[str | None]:
    if values is None:
        raise ParameterError("treatment is missing: give the arm each row received")
    refuse_mask("treatment", values)
    entries = np.asarray(values, dtype=object)
    if entries.ndim != 1:
        raise ParameterError(f"treatment must be one-dimensional, not {entries.ndim}D array")
    if len(entries) != length:
        raise ParameterError(f"treatment has {len(entries)} entries and X has {length} rows")
    return [text_of(entry) for entry in entries]


def _propensities(values: ArrayLike | None, length: int) -> FloatArray:
    if values is None:
        raise ParameterError("propensity is missing: give P(second arm | x) of each row")
    second = vector("propensity", values, length)
    if not np.all((second > 0) & (second < 1)):
        raise ParameterError("propensity must lie strictly between 0 and 1")
    return second


SHARE = Decimal("0.5")
"""The automatic share of a private propensity model; measured in docs/observational.md."""

RIDGE_TOLERANCE = 1e-9


def model_encoding(encoding: Encoding) -> Encoding:
    """Return how a propensity model sees rows: centred, with an intercept of 1, not saturated."""
    return encoding.changed(kind="centred", intercept=1.0, saturation=1.0)


def split(budget: AnyBudget, treatment: Treatment) -> tuple[Budget | None, AnyBudget]:
    """Return the parts of the propensity model, without δ and None if unused, and of the rule."""
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
        radius=seen.domain.radius,
        dimension=float(len(seen.coefficient_names)),
        gamma=model.penalty(n),
        tolerance=RIDGE_TOLERANCE,
    )


NO_PROBABILITIES = (
    'the study declares no probabilities of the arms (propensity = { model = "outcome" }), and '
    'they are needed here. Declare them, or propensity = { model = "private" }, in a study file of '
    "their own"
)


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

    encoding : any of the trial's features; released : the private propensity model, if declared
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
    if isinstance(model, NoPropensity):
        raise ParameterError(NO_PROBABILITIES)
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
