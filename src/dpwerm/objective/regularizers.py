"""What a regulariser must offer: R is C¹ and 1-strongly convex, on every coordinate.

Strong convexity makes the minimiser move by at most ‖change of ∇F‖/γ; both the sensitivity and
the solver's certificate divide by γ for that reason, so no coordinate may be left out.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.parameters import one_of


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


# ------------------------------------------------------------------------------------------
# Numeric check of a regulariser: strong convexity, and that its derivatives belong together.
#
# A regulariser that is less than 1-strongly convex anywhere, or leaves a coordinate out, makes the
# sensitivity too small, so many pairs of points are tried, along every axis and at random.


_BITS = 256
_SLACK = 1e-9


def check_regularizer(regularizer: Regularizer) -> None:
    """Raise ``ParameterError`` naming every fact that the regulariser breaks."""
    points = [theta for p in (1, 2, 5, 21) for theta in _points(p)]
    checks: dict[str, Callable[[Regularizer, list[FloatArray]], bool]] = {
        "it must be 1-strongly convex on every coordinate": _strongly_convex,
        "value and gradient must belong together": _matching,
        "hessian must be the slope of gradient": _curved,
        "gradient_ball must contain the gradient up to gradient_error": _enclosed,
    }
    faults = [text for text, holds in checks.items() if not holds(regularizer, points)]
    if faults:
        raise ParameterError(f"regularizer {regularizer.name}: " + "; ".join(faults))


def _points(p: int) -> list[FloatArray]:
    """Return a walk of points: 0, steps along each axis, then random ones of many sizes."""
    random = np.random.default_rng(p)
    axes = [size * np.eye(p)[j] for j in range(p) for size in (-3.0, -1e-3, 1e-3, 0.5, 30.0, 1e6)]
    spread = [random.normal(size=p) * 10.0 ** random.uniform(-3, 6) for _ in range(60)]
    return [np.zeros(p), *axes, *spread]


def _pairs(points: list[FloatArray]) -> list[tuple[FloatArray, FloatArray]]:
    """Return neighbouring points of equal dimension."""
    return [(a, b) for a, b in pairwise(points) if len(a) == len(b)]


def _strongly_convex(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check (∇R(a) − ∇R(b))ᵀ(a − b) ≥ ‖a − b‖²."""
    return all(
        (regularizer.gradient(a) - regularizer.gradient(b)) @ (a - b)
        >= (a - b) @ (a - b) * (1 - _SLACK)
        for a, b in _pairs(points)
    )


def _matching(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check ∇R(a)ᵀ(b−a) ≤ R(b) − R(a) ≤ ∇R(b)ᵀ(b−a)."""
    for a, b in _pairs(points):
        low, high = regularizer.gradient(a) @ (b - a), regularizer.gradient(b) @ (b - a)
        rise = regularizer.value(b) - regularizer.value(a)
        slack = _SLACK * (1 + abs(low) + abs(high) + abs(regularizer.value(a)))
        if not (math.isfinite(rise) and low - slack <= rise <= high + slack):
            return False
    return True


def _curved(regularizer: Regularizer, points: list[FloatArray]) -> bool:
    """Check ∇²R against central differences of ``gradient_ball``."""
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


# ------------------------------------------------------------------------------------------
# Ridge: R(θ) = ½‖θ‖², the regulariser for which ∇R(θ) = θ is exact in floating point.


@dataclass(frozen=True)
class Ridge:
    r"""Return ½‖θ‖² over every coordinate, the intercept too.

    .. math:: R(\theta) = \tfrac{1}{2} \sum_j \theta_j^2

    The factor ½ makes it exactly 1-strongly convex.
    """

    name: ClassVar[str] = "ridge"

    @property
    def parameters(self) -> dict[str, float]:
        """No parameters."""
        return {}

    def value(self, theta: FloatArray) -> float:
        """Return ½‖θ‖²."""
        return 0.5 * float(theta @ theta)

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return θ."""
        return theta.copy()

    def hessian(self, theta: FloatArray) -> FloatArray:
        """Return the identity."""
        return np.eye(len(theta))

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        """Return 0: the gradient is θ itself."""
        return np.zeros_like(theta)

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        """Return θ."""
        return list(theta)


# ------------------------------------------------------------------------------------------
# Regularisers by name; one of one's own is checked when it is registered.


REGULARIZERS: dict[str, type[Regularizer]] = {}
REGULARIZERS["ridge"] = Ridge


def get_regularizer(name: str, /, **parameters: float) -> Regularizer:
    """Return the regulariser ``name``, or say which names or parameters exist."""
    regularizer_class = REGULARIZERS[one_of("regularizer", name, REGULARIZERS)]
    allowed = regularizer_class().parameters
    unknown = sorted(set(parameters) - set(allowed))
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise ParameterError(
            f"regularizer {name} has no parameter {', '.join(unknown)}; it has: {known}"
        )
    regularizer = regularizer_class(**parameters)
    if regularizer_class is not Ridge:
        check_regularizer(regularizer)
    return regularizer


def register_regularizer(regularizer_class: type[Regularizer]) -> type[Regularizer]:
    """Add a regulariser class under its ``name`` once it passes ``check_regularizer``."""
    regularizer = regularizer_class()
    if regularizer.name in REGULARIZERS:
        raise ParameterError(f"a regularizer named {regularizer.name} is already registered")
    check_regularizer(regularizer)
    REGULARIZERS[regularizer.name] = regularizer_class
    return regularizer_class
