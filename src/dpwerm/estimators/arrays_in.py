"""Arrays and data frames as scikit-learn's contract wants them, with errors that quote nothing.

scikit-learn's own messages quote the cell that could not be converted, or the whole array. What
they would quote is therefore refused here, before its validators see it.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from dpwerm.text import one_line

LONGEST_NAME = 1_000
MOST_NAMES = 10
_WAY_OUT = (
    "Declare its levels beforehand: in a study file, for PrivateTreatmentRule.from_study, or with "
    "OneHotEncoder(categories=[...]) before the estimator"
)


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
    return _plain_array(frame.to_numpy(), [one_line(str(name)) for name in frame.columns])


def _plain_array(X: Any, names: Sequence[str] = ()) -> Any:
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
    return _converted(values, names) if values.dtype.kind in "OUST" else values


def _converted(values: Any, names: Sequence[str]) -> Any:
    """Return numbers held as objects as floats; text that is no number is refused unquoted."""
    try:
        return np.asarray(values, dtype=np.float64)
    except ValueError:
        called = names or [str(j + 1) for j in range(values.shape[1])]
        text = [name for name, column in zip(called, values.T, strict=True) if _is_text(column)]
        problem = f"X has text where a number is expected, in {_columns(text)}. {_WAY_OUT}"
    except OverflowError:
        problem = "X has a number too large for a double"
    except TypeError:
        # scikit-learn says what kind of argument this is, and quotes no value.
        return values
    # Raised out here, the error does not keep NumPy's own, which quotes the cell.
    raise ParameterError(problem)


def _is_text(column: Any) -> bool:
    """Whether a column holds a cell that cannot be read as a number."""
    try:
        np.asarray(column, dtype=np.float64)
    except ValueError:
        return True
    except (TypeError, OverflowError):
        return False
    return False


def _columns(names: Sequence[str]) -> str:
    """Return names for a message, the first ten of them."""
    shown = ", ".join(names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return f"{'column' if len(names) == 1 else 'columns'} {shown}{more}"


def bounds_per_column(
    bounds: Any, columns: int, names: Sequence[str] | None = None
) -> list[tuple[float, float]]:
    """Return one (lower, upper) per column from one pair for all, one each, or one by each name."""
    if bounds is None:
        raise ParameterError(
            "feature_bounds is missing: declare (lower, upper) for all columns, or one pair per "
            "column, from what is known before seeing the data"
        )
    if isinstance(bounds, Mapping):
        return _bounds_by_name(bounds, names)
    single = isinstance(bounds, str) or not isinstance(bounds, Iterable)
    pairs = [bounds] if single else list(bounds)
    if len(pairs) == 2 and all(np.ndim(end) == 0 for end in pairs):
        return [interval("feature_bounds", bounds)] * columns
    if len(pairs) != columns:
        raise ParameterError(f"feature_bounds has {len(pairs)} pairs and X has {columns} columns")
    return [interval(f"feature_bounds[{j}]", pair) for j, pair in enumerate(pairs)]


def _bounds_by_name(
    bounds: Mapping[Any, Any], names: Sequence[str] | None
) -> list[tuple[float, float]]:
    """Return the pairs of a mapping in the order of the columns, which it must name one and all."""
    if names is None:
        raise ParameterError(
            "feature_bounds names columns, but the columns of X have no names: give a data frame, "
            "or one pair per column in their order"
        )
    problems = []
    if missing := [one_line(name) for name in names if name not in bounds]:
        problems.append(f"has no bounds for {_columns(missing)} of X")
    if unknown := [one_line(str(name)) for name in bounds if name not in names]:
        problems.append(f"names {_columns(unknown)}, which X does not have")
    if problems:
        raise ParameterError(f"feature_bounds {' and '.join(problems)}")
    return [interval(f"feature_bounds[{one_line(name)!r}]", bounds[name]) for name in names]


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
    named = names if hasattr(estimator, "feature_names_in_") else None
    bounds = bounds_per_column(estimator.feature_bounds, columns, named)
    return Encoding.of_numbers(names, bounds, kind=kind, intercept=scale)
