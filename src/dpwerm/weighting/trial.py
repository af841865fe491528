"""A trial as the curator holds it: arms, outcomes, given propensities, rows that can be encoded.

Through a study every table gives a trial: values outside the declaration follow the public rule.
Arrays follow scikit-learn's contract and are refused with an error that quotes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.data.arrays import refuse_mask, vector
from dpwerm.data.cells import text_of
from dpwerm.data.table import Table, read_table
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.study.declaration import Declaration
from dpwerm.study.treatment import arm_labels, second_arm_probabilities


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
