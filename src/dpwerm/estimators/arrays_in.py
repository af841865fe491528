"""Arrays and data frames as scikit-learn's contract wants them, with errors that quote nothing.

scikit-learn's own messages quote the cell that could not be converted, or the whole array. What
they would quote is therefore refused here, before its validators see it.
"""

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import is_auto, scale_of
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.parameters import interval, refuse_mask

LONGEST_NAME = 1_000


def numeric_matrix(estimator: BaseEstimator, X: Any, *, reset: bool) -> FloatArray:
    """Return X as a finite float64 matrix and keep or compare its column names."""
    frame = _frame(X)
    values = _plain_array(X) if frame is None else _frame_values(frame)
    checked = check_array(
        values, dtype=np.float64, order="C", input_name="X", estimator=type(estimator).__name__
    )
    validate_data(estimator, values if frame is None else X, reset=reset, skip_check_array=True)
    names = [] if frame is None else list(frame.columns)
    if names and all(isinstance(name, str) for name in names):
        # scikit-learn does not know how to ask every kind of frame for its names.
        if reset:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif list(getattr(estimator, "feature_names_in_", names)) != names:
            known = ", ".join(estimator.feature_names_in_)
            raise ParameterError(
                "the feature names should match those that were passed during fit, in the same "
                f"order: {known}"
            )
    return np.asarray(checked, dtype=np.float64)


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame of any kind, None for everything else."""
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError:
        raise ParameterError("X has two columns of the same name") from None
    if isinstance(frame, nw.LazyFrame):
        raise ParameterError("X is a lazy data frame; call collect() first")
    if not isinstance(frame, nw.DataFrame):
        return None
    if len(set(frame.columns)) != len(frame.columns):
        raise ParameterError("X has two columns of the same name")
    return frame


def _frame_values(frame: nw.DataFrame[Any]) -> Any:
    """Return the cells of a data frame as numbers."""
    kinds = frame.schema.values()
    if any(kind.is_temporal() for kind in kinds):
        raise ParameterError("X has dates or times where a number is expected")
    if all(kind.is_numeric() for kind in kinds):
        return frame.to_native()
    return _plain_array(frame.to_numpy())


def _plain_array(X: Any) -> Any:
    """Return what is no data frame as a matrix that scikit-learn's validators do not quote."""
    if issparse(X):
        return X
    refuse_mask("X", X)
    try:
        values = np.asarray(X)
    except ValueError:
        raise ParameterError("X must be a matrix: rows of equal length") from None
    if values.ndim != 2:
        raise ParameterError(
            f"X: Expected 2D array, got {values.ndim}D array instead. Reshape your data: one row "
            "per person, one column per feature"
        )
    if values.dtype.kind == "c":
        raise ParameterError("X: Complex data not supported")
    objects = values.flat if values.dtype.kind == "O" else ()
    if values.dtype.kind in "mMV" or any(isinstance(one, np.datetime64) for one in objects):
        raise ParameterError("X has dates or times where a number is expected")
    return _converted(values) if values.dtype.kind in "OUST" else values


def _converted(values: Any) -> Any:
    """Return numbers held as objects as floats; text that is no number is refused unquoted."""
    try:
        return np.asarray(values, dtype=np.float64)
    except ValueError:
        problem = "X has text where a number is expected"
    except OverflowError:
        problem = "X has a number too large for a double"
    except TypeError:
        # scikit-learn says what kind of argument this is, and quotes no value.
        return values
    # Raised out here, the error does not keep NumPy's own, which quotes the cell.
    raise ParameterError(problem)


def bounds_per_column(bounds: Any, columns: int) -> list[tuple[float, float]]:
    """Return one (lower, upper) per column from one pair for all or one pair each."""
    if bounds is None:
        raise ParameterError(
            "feature_bounds is missing: declare (lower, upper) for all columns, or one pair per "
            "column, from what is known before seeing the data"
        )
    single = isinstance(bounds, str) or not isinstance(bounds, Iterable)
    pairs = [bounds] if single else list(bounds)
    if len(pairs) == 2 and all(np.ndim(end) == 0 for end in pairs):
        return [interval("feature_bounds", bounds)] * columns
    if len(pairs) != columns:
        raise ParameterError(f"feature_bounds has {len(pairs)} pairs and X has {columns} columns")
    return [interval(f"feature_bounds[{j}]", pair) for j, pair in enumerate(pairs)]


def feature_names(estimator: BaseEstimator, columns: int) -> list[str]:
    """Return the names of the fitted frame's columns, or x0, x1, ... for an array."""
    if not hasattr(estimator, "feature_names_in_"):
        return [f"x{j}" for j in range(columns)]
    names = [str(name) for name in estimator.feature_names_in_]
    for j, name in enumerate(names):
        if name == "intercept":
            raise ParameterError(
                f'column {j + 1} of X is called "intercept", which is the name of the constant; '
                "rename it"
            )
        if not 1 <= len(name.strip()) == len(name) <= LONGEST_NAME:
            raise ParameterError(
                f"column {j + 1} of X must have a name of 1 to {LONGEST_NAME:,} characters, "
                "none of them a space at its ends"
            )
    return names


def number_encoding(estimator: BaseEstimator, columns: int) -> Encoding:
    """Return the encoding that an estimator's parameters declare for columns of numbers."""
    scale = 1.0 if is_auto(estimator.intercept_scale) else scale_of(estimator.intercept_scale)
    kind = estimator.encoding
    if kind not in ("centred", "paper"):
        raise ParameterError("encoding must be of kind 'centred' or 'paper'")
    names = feature_names(estimator, columns)
    bounds = bounds_per_column(estimator.feature_bounds, columns)
    return Encoding.of_numbers(names, bounds, kind=kind, intercept=scale)
