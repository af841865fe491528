"""Vectors that a caller hands over, refused with errors that quote nothing."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError


def refuse_mask(name: str, values: Any) -> None:
    """Raise if an array hides some of its entries: what is hidden has no value here."""
    if np.ma.is_masked(values):
        raise ParameterError(f"{name} has masked entries; a mask is not a number")


def vector(name: str, values: ArrayLike, length: int) -> FloatArray:
    """Return a finite float64 vector of the given length."""
    refuse_mask(name, values)
    try:
        raw = np.asarray(values)
        is_real = raw.dtype.kind not in "cmMV"
        array = raw.astype(np.float64, copy=False) if is_real else np.empty(0)
    except (ValueError, TypeError, OverflowError):
        is_real = False
    if not is_real:
        raise ParameterError(f"{name} must be numbers")
    if array.ndim != 1:
        raise ParameterError(f"{name} must be one-dimensional, not {array.ndim}D array")
    if len(array) != length:
        raise ParameterError(f"{name} has {len(array)} entries and X has {length} rows")
    if not np.isfinite(array).all():
        raise ParameterError(f"{name} contains NaN or infinity")
    return array
