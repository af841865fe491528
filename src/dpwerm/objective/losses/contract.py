"""What a loss must offer: ℓ convex and C¹, |ℓ'| ≤ L, |ℓ''| ≤ c almost everywhere; and its check.

A loss of a target t and a score f = ξᵀθ is one function ℓ of one number z. Its ``form`` says how:

    margin: z = t·f, t = ±1        residual: z = f − t, t any finite number

L bounds what one record can add to the gradient, so it enters the sensitivity. c bounds how far a
rounding error in z can move the gradient, so it enters the solver's certificate. A constant that
is too small would make the privacy claim false, so a loss is tried on thousands of z before it may
be used. Passing is evidence, not proof; the constants need a derivation.
"""

import math
from collections.abc import Callable
from typing import Literal, Protocol, get_args

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import precision

Form = Literal["margin", "residual"]

_BITS = 256
_SLACK = 1e-9
_LARGEST_ERROR = 1e-6
"""A larger rounding error could hide a wrong L or c from the checks in doubles."""

_REACH = 1e-3


class Loss(Protocol):
    """A convex loss ℓ(z) with declared constants; a class of residuals has ``form`` "residual".

    ``derivative_error`` bounds |computed ℓ'(z) − ℓ'(z)| for every finite double z.
    ``derivative_ball`` encloses {ℓ'(t) : t in the ball z}, in the current precision of flint;
    its width must shrink to 0 with the width of z and with the precision.
    """

    @property
    def name(self) -> str:
        """The name in the registry and in rule files."""

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that make this instance again."""

    @property
    def lipschitz(self) -> float:
        """L, the bound on |ℓ'|."""

    @property
    def smoothness(self) -> float:
        """Bound c on |ℓ''|, equally the Lipschitz constant of ℓ'."""

    @property
    def derivative_error(self) -> float:
        """Absolute bound on the floating-point error of ``derivative``."""

    def value(self, z: FloatArray) -> FloatArray:
        """Return ℓ(z), elementwise."""

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'(z), elementwise."""

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ''(z), elementwise, in [0, c]; at a kink of ℓ' either side's value."""

    def derivative_ball(self, z: arb) -> arb:
        """Return a ball that contains ℓ'(t) for every t in the ball z."""


def form_of(loss: Loss) -> Form:
    """Return how the target enters: the loss's attribute ``form``, "margin" if it has none."""
    form: Form = getattr(loss, "form", "margin")
    return form


def check_loss(loss: Loss) -> None:
    """Raise ``ParameterError`` naming every declared fact that the loss breaks."""
    z = _arguments()
    checks: dict[str, Callable[[Loss, FloatArray], bool]] = {
        f"form must be one of {', '.join(get_args(Form))}": _formed,
        "lipschitz and smoothness must be finite and positive, "
        "derivative_error at most a millionth of lipschitz": _sane,
        "derivative must be finite and at most lipschitz in size": _bounded,
        "derivative must not decrease (the loss must be convex)": _monotone,
        "derivative must not change faster than smoothness": _smooth,
        "value and derivative must belong together": _matching,
        "second_derivative must lie in [0, smoothness] and be the slope of derivative": _curved,
        "derivative_ball must contain, and derivative_error bound, the derivative": _enclosed,
    }
    faults = [text for text, holds in checks.items() if not holds(loss, z)]
    if faults:
        raise ParameterError(f"loss {loss.name}: " + "; ".join(faults))


def _arguments() -> FloatArray:
    """Return sorted z: dense near 0 and ±1, a hundred per decade to 1e12, then sparse."""
    near = np.geomspace(1e-14, 1e3, 1500)
    corner = np.concatenate([np.ones(1), 1 - near, 1 + near])
    middle = np.geomspace(1e3, 1e12, 900)
    far = np.geomspace(1e-300, 1e300, 601)
    plain = np.linspace(-40, 40, 40_001)
    every = [corner, -corner, near, -near, middle, -middle, far, -far, np.zeros(1), plain]
    return np.unique(np.concatenate(every))


def _formed(loss: Loss, _: FloatArray) -> bool:
    """Check that the solver knows what to make of the target."""
    return form_of(loss) in get_args(Form)


def _sane(loss: Loss, _: FloatArray) -> bool:
    """Check the declared numbers themselves."""
    numbers = (loss.lipschitz, loss.smoothness, loss.derivative_error)
    small = 0 <= loss.derivative_error <= _LARGEST_ERROR * loss.lipschitz
    return all(map(math.isfinite, numbers)) and min(numbers[:2]) > 0 and small


def _bounded(loss: Loss, z: FloatArray) -> bool:
    """Check |ℓ'| ≤ L."""
    return bool(np.all(np.abs(loss.derivative(z)) <= loss.lipschitz + loss.derivative_error))


def _monotone(loss: Loss, z: FloatArray) -> bool:
    """Check that ℓ' does not decrease."""
    return bool(np.all(np.diff(loss.derivative(z)) >= -2 * loss.derivative_error))


def _smooth(loss: Loss, z: FloatArray) -> bool:
    """Check |ℓ'(b) − ℓ'(a)| ≤ c·(b − a) for neighbours a < b."""
    with np.errstate(over="ignore"):
        allowed = loss.smoothness * np.diff(z) * (1 + _SLACK) + 2 * loss.derivative_error
    return bool(np.all(np.abs(np.diff(loss.derivative(z))) <= allowed))


def _matching(loss: Loss, z: FloatArray) -> bool:
    """Check ℓ'(a)(b−a) ≤ ℓ(b) − ℓ(a) ≤ ℓ'(b)(b−a), which a convex ℓ and its ℓ' obey."""
    value, slope, step = loss.value(z), loss.derivative(z), np.diff(z)
    rise = np.diff(value)
    slack = _SLACK * step + 1e-14 * (np.abs(value[1:]) + np.abs(value[:-1]) + np.abs(z[1:]))
    slack += 1e-14
    below = slope[:-1] * step <= rise + slack
    return bool(np.all(np.isfinite(value)) and np.all(below & (rise <= slope[1:] * step + slack)))


def _curved(loss: Loss, z: FloatArray) -> bool:
    """Check ℓ'' against the slope of ``derivative_ball``; a few kinks are allowed."""
    curvature = loss.second_derivative(z)
    if not np.all((curvature >= 0) & (curvature <= loss.smoothness * (1 + _SLACK))):
        return False
    with precision(_BITS):
        step = arb(2) ** -80
        picked = z[(np.abs(z) > 1e-12) & (np.abs(z) < 1e6)][::23]
        slopes = [
            float((loss.derivative_ball(t + step) - loss.derivative_ball(t - step)) / (2 * step))
            for t in map(arb, picked.tolist())
        ]
    wrong = np.abs(loss.second_derivative(picked) - slopes) > 1e-6 * loss.smoothness
    return bool(np.mean(wrong) < 0.02)


def _enclosed(loss: Loss, z: FloatArray) -> bool:
    """Check balls at points against the computed derivative and L, balls over intervals at ends."""
    picked = z[::17]
    computed = loss.derivative(picked)
    with precision(_BITS):
        error, most = arb(loss.derivative_error), arb(loss.lipschitz)
        for t, slope in zip(picked.tolist(), computed.tolist(), strict=True):
            ball = loss.derivative_ball(arb(t))
            wide = loss.derivative_ball(arb(t, _REACH))
            ends = [
                loss.derivative_ball(arb(t) + side) for side in (-arb(_REACH) / 2, arb(_REACH) / 2)
            ]
            sharp = ball.is_finite() and ball.rad() < arb(2) ** (-_BITS // 2)
            near = abs(arb(slope) - ball).lower() <= error and abs(ball).lower() <= most
            whole = wide.contains(ball) and all(wide.overlaps(one) for one in ends)
            if not (sharp and near and whole):
                return False
    return True
