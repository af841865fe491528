"""Checks of public parameters; each returns the canonical value or says what is allowed."""

import math
from collections.abc import Callable, Container, Iterable, Mapping
from numbers import Real
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError

SMALLEST, LARGEST = 1e-12, 1e12
"""The range of every positive parameter; inside it no sum over a table can overflow."""


def real(name: str, value: object) -> float:
    """Return ``value`` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ParameterError(f"{name} must be a number, not {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond every double
        number = math.inf
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be finite, not {number}")
    return number


def positive(name: str, value: object) -> float:
    """Return ``value`` as a float in [SMALLEST, LARGEST]."""
    number = real(name, value)
    if not SMALLEST <= number <= LARGEST:
        raise ParameterError(f"{name} must be between {SMALLEST:g} and {LARGEST:g}, not {number:g}")
    return number


def whole(name: str, value: object) -> int:
    """Return ``value`` as an int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(f"{name} must be a whole number, not {type(value).__name__}")
    return value


def interval(name: str, value: object) -> tuple[float, float]:
    """Return ``value`` as (lower, upper) with lower < upper, both finite and not huge."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParameterError(f"{name} must be a pair (lower, upper), not {type(value).__name__}")
    ends = tuple(value)
    if len(ends) != 2:
        raise ParameterError(f"{name} must be a pair (lower, upper), not {len(ends)} numbers")
    lower, upper = real(f"{name}[0]", ends[0]), real(f"{name}[1]", ends[1])
    if max(abs(lower), abs(upper)) > LARGEST:
        raise ParameterError(f"{name} must lie within ±{LARGEST:g}")
    if not lower < upper:
        raise ParameterError(f"{name}: the lower bound {lower:g} is not below the upper {upper:g}")
    if upper - lower < SMALLEST:
        raise ParameterError(f"{name}: the bounds differ by less than {SMALLEST:g}")
    return lower, upper


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is one of the allowed names."""
    names = sorted(allowed)
    if not isinstance(value, str) or value not in names:
        shown = repr(value) if isinstance(value, str) else type(value).__name__
        raise ParameterError(f"{name} must be one of {', '.join(names)}, not {shown}")
    return value


class Parameterised(Protocol):
    """What is made again from its own parameters."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters that make this instance again."""


T = TypeVar("T")
Made = TypeVar("Made", bound=Parameterised)


def made(
    kind: str, table: Mapping[str, type[Made]], name: object, parameters: Mapping[str, float]
) -> Made:
    """Return what a table knows by a name, or say which names or parameters exist.

    A class may name parameters in ``omitted`` that ``parameters`` leaves out at their default.
    """
    maker = table[one_of(kind, name, table)]
    allowed = {*maker().parameters, *getattr(maker, "omitted", ())}
    if unknown := sorted(set(parameters) - set(allowed)):
        known = ", ".join(sorted(allowed)) or "none"
        raise ParameterError(
            f"{kind} {name} has no parameter {', '.join(unknown)}; it has: {known}"
        )
    return maker(**parameters)


def made_with(
    kind: str, table: Mapping[str, Callable[..., T]], name: object, parameters: Mapping[str, Any]
) -> T:
    """Return what a table knows by a name, where some cannot be made without their parameters."""
    maker = table[one_of(kind, name, table)]
    try:
        return maker(**parameters)
    except TypeError:
        given = ", ".join(sorted(map(str, parameters))) or "none"
        raise ParameterError(f"{kind} {name} does not take the parameters: {given}") from None


def check_unused(kind: str, name: str, table: Container[str]) -> None:
    """Raise if a table has that name already: a name is given once."""
    if name in table:
        raise ParameterError(f"{kind} {name} is already registered")


# ------------------------------------------------------------------------------------------
# Vectors that a caller hands over, refused with errors that quote nothing.


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
