"""Arrays and data frames as scikit-learn's contract wants them, with errors that quote nothing.

scikit-learn's own messages quote the cell that could not be converted. Text is therefore
refused here, before its validators see it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.parameters import interval


def numeric_matrix(estimator: BaseEstimator, X: Any, *, reset: bool) -> FloatArray:
    """Return X as a finite float64 matrix and keep or compare its column names."""
    names = None
    if not isinstance(X, np.ndarray):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            names = frame.columns
            if len(set(names)) != len(names):
                raise ParameterError("X has two columns of the same name")
            if any(not kind.is_numeric() for kind in frame.schema.values()):
                X = _converted(frame.to_numpy())
    elif X.dtype.kind in "OUS":
        X = _converted(X)
    checked = validate_data(
        estimator, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=True
    )
    if names is not None and all(isinstance(name, str) for name in names):
        _keep_names(estimator, names, reset=reset)
    return np.asarray(checked, dtype=np.float64)


def _keep_names(estimator: BaseEstimator, names: Sequence[str], *, reset: bool) -> None:
    """Keep the names of a frame that scikit-learn does not know how to ask, or compare them."""
    if reset:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_") and list(estimator.feature_names_in_) != list(
        names
    ):
        raise ParameterError(
            "the feature names should match those that were passed during fit, in the same order: "
            + ", ".join(estimator.feature_names_in_)
        )


def _converted(values: Any) -> Any:
    """Return numbers held as objects as floats; text that is no number is refused unquoted."""
    try:
        return np.asarray(values, dtype=np.float64)
    except ValueError:
        raise ParameterError("X has text where a number is expected") from None
    except TypeError:
        # scikit-learn says what kind of argument this is, and quotes no value.
        return values


def vector(name: str, values: ArrayLike, length: int) -> FloatArray:
    """Return a finite float64 vector of the given length."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError):
        raise ParameterError(f"{name} must be numbers") from None
    if array.ndim != 1:
        raise ParameterError(f"{name} must be one-dimensional, not {array.ndim}D array")
    if len(array) != length:
        raise ParameterError(f"{name} has {len(array)} entries and X has {length} rows")
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} contains NaN or infinity")
    return array


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
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x{j}" for j in range(columns)]
