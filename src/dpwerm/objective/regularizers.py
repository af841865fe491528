"""Regularisers R by name: C¹ and 1-strongly convex, on every coordinate; and their check.

Strong convexity makes the minimiser move by at most ‖change of ∇F‖/γ; both the sensitivity and
the solver's certificate divide by γ for that reason. A regulariser that is less convex anywhere, or
leaves a coordinate out, makes them too small, so many pairs of points are tried. The usual kind is
quadratic, R(θ) = ½θᵀMθ with a public matrix M ⪰ I, which is proven in exact arithmetic; the
package's own are in ``penalties.py``.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.features.composed import Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.objective.penalties import ArmPenalty, QuadraticPenalty, Ridge
from dpwerm.objective.semidefinite import at_least, bounded, fits
from dpwerm.parameters import check_unused, made

__all__ = [
    "REGULARIZERS",
    "ArmPenalty",
    "QuadraticPenalty",
    "Regularizer",
    "Ridge",
    "check_complete",
    "check_penalty",
    "check_regularizer",
    "checked_leverage",
    "checked_matrix",
    "get_regularizer",
    "register_regularizer",
    "same_regularizer",
]

_BITS = 256
_SLACK = 1e-9
_SIZES = (1, 2, 5, 21)
_QUADRATIC = "matrix must be symmetric, the hessian, and at least the identity"
_LEVERAGE = "leverage must bound xᵀM⁻¹x over the rows of a domain"


class Regularizer(Protocol):
    """A regulariser R(θ) with (∇R(a) − ∇R(b))ᵀ(a − b) ≥ ‖a − b‖² for all a, b."""

    @property
    def name(self) -> str:
        """The name in the registry and in rule files."""

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that make this instance again."""

    def value(self, theta: FloatArray) -> float:
        """Return R(θ)."""

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return ∇R(θ), shape (p,)."""

    def hessian(self, theta: FloatArray) -> FloatArray:
        """Return ∇²R(θ), shape (p, p); used for directions only, never for a bound."""

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        """Return a bound, per coordinate, on the floating-point error of ``gradient``."""

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        """Return balls that contain ∇R(t) for every t in the balls θ."""

    def matrix(self, p: int) -> FloatArray | None:
        """Return M (p, p) with R(θ) = ½θᵀMθ and M ⪰ I, or None if R is not quadratic."""

    def leverage(self, domain: Domain) -> Fraction | None:
        """Return a bound on xᵀM⁻¹x over the rows of a domain, or None if R is not quadratic."""


_MEMBERS = [name for name in vars(Regularizer) if not name.startswith("_")]


def check_complete(regularizer: object) -> None:
    """Raise if what is given as a regulariser lacks one of its members."""
    missing = [name for name in _MEMBERS if not hasattr(regularizer, name)]
    if missing:
        raise ParameterError(
            f"regularizer must be a regularizer, not {type(regularizer).__name__}: "
            f"it has no {', '.join(missing)}"
        )


def same_regularizer(one: Regularizer, other: Regularizer) -> bool:
    """Whether two are one R; an equality that a class inherits may leave its parameters out."""
    alike = type(one) is type(other) and one.parameters == other.parameters
    return one is other or (alike and one == other)


def check_regularizer(regularizer: Regularizer) -> None:
    """Raise ``ParameterError`` naming every fact that the regulariser breaks."""
    check_complete(regularizer)
    R, points = regularizer, [theta for p in _SIZES for theta in _points(p)]
    pairs = [(a, b) for a, b in pairwise(points) if len(a) == len(b)]
    checks = {
        "it must be 1-strongly convex on every coordinate": all(
            (R.gradient(a) - R.gradient(b)) @ (a - b) >= (a - b) @ (a - b) * (1 - _SLACK)
            for a, b in pairs
        ),
        "value and gradient must belong together": all(_matching(R, a, b) for a, b in pairs),
        "hessian must be the slope of gradient": _curved(R, points),
        "gradient_ball must contain the gradient up to gradient_error": _enclosed(R, points),
        _QUADRATIC: _quadratic(R, points),
        _LEVERAGE: _levered(R),
    }
    faults = [text for text, holds in checks.items() if not holds]
    if faults:
        raise ParameterError(f"regularizer {regularizer.name}: " + "; ".join(faults))


def _points(p: int) -> list[FloatArray]:
    """Return a walk of points: 0, steps along each axis, then random ones of many sizes."""
    random = np.random.default_rng(p)
    axes = [size * np.eye(p)[j] for j in range(p) for size in (-3.0, -1e-3, 1e-3, 0.5, 30.0, 1e6)]
    spread = [random.normal(size=p) * 10.0 ** random.uniform(-3, 6) for _ in range(60)]
    return [np.zeros(p), *axes, *spread]


def _matching(regularizer: Regularizer, a: FloatArray, b: FloatArray) -> bool:
    """Check ∇R(a)ᵀ(b−a) ≤ R(b) − R(a) ≤ ∇R(b)ᵀ(b−a)."""
    low, high = regularizer.gradient(a) @ (b - a), regularizer.gradient(b) @ (b - a)
    rise = regularizer.value(b) - regularizer.value(a)
    slack = _SLACK * (1 + abs(low) + abs(high) + abs(regularizer.value(a)))
    return bool(math.isfinite(rise) and low - slack <= rise <= high + slack)


def _curved(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check ∇²R against central differences of ``gradient_ball``.

    Where both are those of ``QuadraticPenalty``, Mθ and M whatever θ is, one point of each p tells.
    """
    own = [getattr(type(regularizer), name, None) for name in ("gradient_ball", "hessian")]
    if own == [QuadraticPenalty.gradient_ball, QuadraticPenalty.hessian]:
        points = list({len(theta): theta for theta in points}.values())
    with precision(_BITS):
        step = arb(2) ** -80
        for theta in points:
            hessian = regularizer.hessian(theta)
            for j in range(len(theta)):
                up, down = _exact(theta), _exact(theta)
                up[j] += step
                down[j] -= step
                ends = zip(
                    regularizer.gradient_ball(up), regularizer.gradient_ball(down), strict=True
                )
                slope = [float((u - d) / (2 * step)) for u, d in ends]
                if not np.allclose(hessian[:, j], slope, rtol=1e-6, atol=1e-6):
                    return False
    return True


def _enclosed(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check the computed gradient against balls of 256 bits."""
    with precision(_BITS):
        for theta in points:
            balls = regularizer.gradient_ball(_exact(theta))
            slopes = regularizer.gradient(theta).tolist()
            errors = regularizer.gradient_error(theta).tolist()
            for ball, slope, error in zip(balls, slopes, errors, strict=True):
                if not abs(arb(slope) - ball).lower() <= arb(error):
                    return False
    return True


def _exact(theta: FloatArray) -> list[arb]:
    """Return θ as exact balls."""
    return [arb(t) for t in theta.tolist()]


def _quadratic(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check M = Mᵀ = ∇²R and prove M ⪰ I, if there is an M."""
    for p in _SIZES:
        matrix = regularizer.matrix(p)
        if matrix is None:
            continue
        bends = [regularizer.hessian(theta) for theta in points if len(theta) == p]
        same = fits(matrix, p) and all(np.array_equal(matrix, bend) for bend in bends)
        if not (same and at_least(matrix, Fraction(1))):
            return False
    return True


def _levered(regularizer: Regularizer) -> bool:
    """Prove the leverage over a cube of each of a few dimensions."""
    for p in _SIZES:
        domain, matrix = Product((Interval(1.5),) * p), regularizer.matrix(p)
        leverage = regularizer.leverage(domain)
        if (matrix is None) != (leverage is None):
            return False
        if matrix is None or leverage is None:
            continue
        if not (fits(matrix, p) and bounded(matrix, leverage, domain)):
            return False
    return True


def checked_matrix(regularizer: Regularizer, p: int) -> FloatArray | None:
    """Return M (p, p) of a quadratic regulariser, None of another; refuse M that is not ⪰ I.

    What ``check_regularizer`` proves for a few p is proven again for this one.
    """
    check_complete(regularizer)
    matrix = regularizer.matrix(p)
    if matrix is None or type(regularizer) is Ridge:
        return matrix
    if not (fits(matrix, p) and at_least(matrix, Fraction(1))):
        raise ParameterError(f"regularizer {regularizer.name}: {_QUADRATIC}")
    return matrix


def check_penalty(regularizer: Regularizer, p: int) -> None:
    """Raise unless a regulariser is one for p coefficients; the ridge is one for any."""
    check_complete(regularizer)
    if type(regularizer) is not Ridge:
        checked_matrix(regularizer, p)


def checked_leverage(regularizer: Regularizer, domain: Domain) -> Fraction | None:
    """Return ``leverage``, proven for this domain; None if the regulariser is not quadratic."""
    leverage = regularizer.leverage(domain)
    if leverage is None or type(regularizer) is Ridge:
        return leverage
    matrix = checked_matrix(regularizer, domain.dimension)
    if matrix is None or not bounded(matrix, leverage, domain):
        raise ParameterError(f"regularizer {regularizer.name}: {_LEVERAGE}")
    return leverage


REGULARIZERS: dict[str, type[Regularizer]] = {one.name: one for one in (Ridge, ArmPenalty)}


def get_regularizer(name: str, /, **parameters: float) -> Regularizer:
    """Return the regulariser ``name``, or say which names or parameters exist."""
    regularizer = made("regularizer", REGULARIZERS, name, parameters)
    if type(regularizer) is not Ridge:
        check_regularizer(regularizer)
    return regularizer


def register_regularizer(regularizer_class: type[Regularizer]) -> type[Regularizer]:
    """Add a regulariser class under its ``name`` once it passes ``check_regularizer``."""
    regularizer = regularizer_class()
    check_complete(regularizer)
    check_unused("regularizer", regularizer.name, REGULARIZERS)
    check_regularizer(regularizer)
    REGULARIZERS[regularizer.name] = regularizer_class
    return regularizer_class
