"""From what a curator holds to the rows of the weighted problem: x, y', w with w ≤ W.

Through a study every table gives rows: values outside the declaration follow the public rule.
Arrays follow scikit-learn's contract and are refused with an error that quotes nothing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.learn.arrays_in import refuse_mask, vector
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_weights import outcome_weights
from dpwerm.study.cells import text_of
from dpwerm.study.encoding import Encoding
from dpwerm.study.table import Table, read_table
from dpwerm.study.treatment import arm_labels, arm_probabilities


@dataclass(frozen=True, repr=False)
class TrialRows:
    """Encoded features, labels and weights of one trial: sensitive, never printed."""

    X: FloatArray
    labels: FloatArray
    weights: FloatArray


def rows_of_table(declaration: Declaration, encoding: Encoding, table: Table) -> TrialRows:
    """Return the rows of a table as its study declares them; every cell has a meaning."""
    treatment, benefit = declaration.treatment, declaration.benefit
    arm = arm_labels(table, treatment)
    labels, weights = outcome_weights(
        arm,
        benefit.centred(table.numbers(benefit.column)),
        arm_probabilities(table, treatment, arm),
        declaration.weight_bound,
    )
    return TrialRows(encoding.encode(table), labels, weights)


def rows_of_arrays(
    X: FloatArray,
    treatment_values: Any,
    benefit_values: ArrayLike | None,
    propensity: ArrayLike | None,
    declaration: Declaration,
) -> TrialRows:
    """Return the rows of arrays; other labels, NaN and impossible probabilities are refused."""
    n, treatment = len(X), declaration.treatment
    columns: dict[str, Any] = {treatment.column: _arm_texts(treatment_values, n)}
    if treatment.propensity_column is not None:
        columns[treatment.propensity_column] = _propensities(propensity, n)
    elif propensity is not None:
        raise ParameterError("propensity is given to fit, but the arms have probabilities")
    if benefit_values is None:
        raise ParameterError("benefit is missing: give the outcome of each row")
    table = read_table(pa.table(columns), treatment.columns)
    arm = arm_labels(table, treatment)
    if np.isnan(arm).any():
        raise ParameterError(f"treatment has labels other than {' and '.join(treatment.arms)}")
    labels, weights = outcome_weights(
        arm,
        declaration.benefit.centred(vector("benefit", benefit_values, n)),
        arm_probabilities(table, treatment, arm),
        declaration.weight_bound,
    )
    return TrialRows(X, labels, weights)


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
