"""A trial as the curator holds it: arms, outcomes, given propensities, rows that can be encoded.

Through a study every table gives a trial: values outside the declaration follow the public rule.
Arrays follow scikit-learn's contract and are refused with an error that quotes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.table import Table, read_table, text_of
from dpwerm.errors import ParameterError
from dpwerm.features.domain import Domain
from dpwerm.features.encoding import Encoding
from dpwerm.parameters import one_of, refuse_mask, vector
from dpwerm.study.treatment import (
    Declaration,
    arm_labels,
    outcome_weights,
    received_probabilities,
    second_arm_probabilities,
)


@dataclass(frozen=True, repr=False)
class Trial:
    """One trial: sensitive, never printed.

    Parameters
    ----------
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
    treatment = declaration.treatment
    return Trial(
        arm_labels(table, treatment),
        table.numbers(declaration.benefit.column),
        second_arm_probabilities(table, treatment),
        lambda encoding: encoding.encode(table),
    )


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
    return Trial(
        arm,
        vector("benefit", benefit_values, n),
        second_arm_probabilities(table, treatment),
        lambda encoding: encoding.encode_numbers(matrix),
    )


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


# ------------------------------------------------------------------------------------------
# A weighting: the public design of an estimator, from what was received to (ξ, t, w).
#
#     (x, received, benefit) → design row ξ of a known set, target t, weight w ≤ W
#     θ → the coefficients of the score f(x)
#
# The objective is Σ w ℓ(t, ξᵀθ) + γR(θ) for every weighting. A new one is one class and one
# registration; its name stands in the certificate, and ``verify`` finds it again by that name.


Number = TypeVar("Number")


@dataclass(frozen=True, repr=False)
class TrialRows:
    """Encoded features, targets and weights of one trial: sensitive, never printed.

    received : (n,), what each person received, for designs that need it; None where none does
    """

    X: FloatArray
    targets: FloatArray
    weights: FloatArray
    received: FloatArray | None = None

    def part(self, chosen: IntArray) -> "TrialRows":
        """Return some of the rows, by their positions."""
        received = None if self.received is None else self.received[chosen]
        return TrialRows(self.X[chosen], self.targets[chosen], self.weights[chosen], received)


class Weighting(Protocol):
    """The public design of an estimator.

    ``form`` is that of the losses it goes with: "margin" for targets ±1, "residual" for any target.
    """

    @property
    def name(self) -> str:
        """The name in the registry and in certificates."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters that make this instance again."""

    @property
    def form(self) -> str:
        """The form of the losses that it goes with."""

    def domain(self, encoding: Encoding) -> Domain:
        """Return the set that holds every design row, the constant column first if there is one."""

    def constant(self, encoding: Encoding) -> float:
        """Return the constant of the design's first column, 0 if it has none."""

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        """Return one name per entry of θ."""

    def weight_bound(self, declaration: Declaration) -> float:
        """Return W, rounded up."""

    def rows(
        self, trial: "Trial", declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return encoded rows, targets and weights; second: (n,) P(second arm | x)."""

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        """Return the design rows without the constant column, (n, q), of rows as learned from."""

    def rule(self, coefficients: Sequence[Number]) -> tuple[Number, ...]:
        """Return the part of θ that the score uses, one entry per coefficient of the encoding."""


@dataclass(frozen=True)
class OutcomeWeighted:
    r"""Outcome weighted learning (Zhao et al. 2012): ξ = x, t = y·sign(v), w = |v|/P(y|x).

    w ≤ V/π_min; v is the centred, clipped benefit and y = ±1 the arm received. A row whose arm,
    benefit or propensity is missing has weight 0. Labels with weights are the same design.
    """

    name: ClassVar[str] = "outcome-weighted"
    form: ClassVar[str] = "margin"
    parameters: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def domain(self, encoding: Encoding) -> Domain:
        """Return the set that holds every encoded row."""
        return encoding.domain

    def constant(self, encoding: Encoding) -> float:
        """Return the intercept's constant."""
        return encoding.intercept_scale

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        """Return the names of the encoding."""
        return encoding.coefficient_names

    def weight_bound(self, declaration: Declaration) -> float:
        """Return V/π_min."""
        return declaration.weight_bound

    def rows(
        self, trial: "Trial", declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return x, y·sign(v) and |v|/P(y|x)."""
        labels, weights = outcome_weights(
            trial.arm,
            declaration.benefit.centred(trial.outcome),
            received_probabilities(declaration.treatment, trial.arm, second),
            declaration.weight_bound,
        )
        return TrialRows(trial.encode(encoding), labels, weights)

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        """Return x."""
        del received, encoding
        return X

    def rule(self, coefficients: Sequence[Number]) -> tuple[Number, ...]:
        """Return all of θ."""
        return tuple(coefficients)


OUTCOME_WEIGHTED = OutcomeWeighted()
WEIGHTINGS: dict[str, Callable[..., Weighting]] = {OutcomeWeighted.name: OutcomeWeighted}
"""How to make a weighting, by name; ``register_weighting`` adds to it."""


def register_weighting(name: str, maker: Callable[..., Weighting]) -> None:
    """Add a weighting; a name is given once."""
    if name in WEIGHTINGS:
        raise ParameterError(f"a weighting named {name} is already registered")
    WEIGHTINGS[name] = maker


def get_weighting(name: str, /, **parameters: float) -> Weighting:
    """Return the weighting of that name with its parameters."""
    maker = WEIGHTINGS[one_of("weighting", name, WEIGHTINGS)]
    try:
        return maker(**parameters)
    except TypeError:
        given = ", ".join(sorted(parameters)) or "none"
        raise ParameterError(f"weighting {name} does not take the parameters: {given}") from None
