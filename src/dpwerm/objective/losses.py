"""Losses by name: ℓ convex and C¹, |ℓ'| ≤ L, |ℓ''| ≤ c almost everywhere; and their check.

A loss of a target t and a score f = ξᵀθ is one function ℓ of one number z. Its ``form`` says how:

    margin: z = t·f, t = ±1        residual: z = f − t, t any finite number

L bounds what one record can add to the gradient, so it enters the sensitivity. c bounds how far a
rounding error in z can move the gradient, so it enters the solver's certificate. A constant that
is too small would make the privacy claim false, so a loss is tried on thousands of z before it may
be used. Passing is evidence, not proof; the constants need a derivation.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, get_args

import numpy as np
from flint import arb
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.objective.residual_losses import ExpHuber, Huber
from dpwerm.parameters import check_unused, made, positive

Form = Literal["margin", "residual"]

_BITS = 256
_SLACK = 1e-9
_LARGEST_ERROR = 1e-6  # a larger one could hide a wrong L or c from the checks in doubles
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


@dataclass(frozen=True)
class HuberisedHinge:
    r"""The hinge max(0, 1−z) with its corner rounded over |1−z| ≤ h.

    It is 0 above 1+h, (1+h−z)²/(4h) within h of 1, and 1−z below 1−h. The corner of the hinge has
    no derivative, so no smoothness constant; a parabola of half-width h in its place gives
    c = 1/(2h) and changes no value by more than h/4.

    .. math:: \ell'(z) = \min(\max((z-1)/(2h), -1/2), 1/2) - 1/2

    L = 1, because ℓ' lies in [−1, 0]. c = 1/(2h), the slope of ℓ' within h of 1.

    h : float in [1e-12, 1e12], the half-width of the rounded corner
    """

    h: float = 0.5
    name: ClassVar[str] = "huberised-hinge"
    form: ClassVar[Form] = "margin"
    lipschitz: ClassVar[float] = 1.0
    # Within 2h of the corner the four operations err by at most 4.5 units of 2⁻⁵³; beyond, clipping
    # gives −1 or 0 exactly, because h/(2h) is exactly one half.
    derivative_error: ClassVar[float] = 5 * 2.0**-53

    def __post_init__(self) -> None:
        object.__setattr__(self, "h", positive("h", self.h))

    @property
    def parameters(self) -> dict[str, float]:
        """The half-width h."""
        return {"h": self.h}

    @property
    def smoothness(self) -> float:
        """Slope c = 1/(2h) of ℓ' in the corner, rounded up."""
        return float(np.nextafter(1 / (2 * self.h), np.inf))

    def value(self, z: FloatArray) -> FloatArray:
        """Return ℓ(z) = h·ℓ'(z)² + max(0, 1−h−z), one formula for all three pieces."""
        corner = self.derivative(z)
        corner *= corner
        corner *= self.h
        corner += np.maximum((1 - self.h) - z, 0)
        return corner

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'(z) in [−1, 0]."""
        slope = z - 1
        np.clip(slope, -self.h, self.h, out=slope)
        slope /= 2 * self.h
        slope -= 0.5
        return slope

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return 1/(2h) within h of 1 and 0 elsewhere."""
        return np.where(np.abs(z - 1) <= self.h, np.float64(1 / (2 * self.h)), np.float64(0))

    def curvature_at_slope(self, slope: FloatArray) -> FloatArray:
        """Return ℓ'' where ℓ' = ``slope``: 1/(2h) strictly inside (−1, 0), else 0."""
        return ((slope > -1) & (slope < 0)) * np.float64(1 / (2 * self.h))

    def derivative_ball(self, z: arb) -> arb:
        """Return a ball around ℓ'(z), by the same formula."""
        half = arb(0.5)
        return ((z - 1) / (2 * arb(self.h))).max(-half).min(half) - half


@dataclass(frozen=True)
class Logistic:
    r"""Return log(1 + e^{−z}), the negative log-likelihood of logistic regression.

    .. math:: \ell'(z) = -\frac{1}{1+e^z}, \quad \ell''(z) = \frac{1}{(1+e^z)(1+e^{-z})}

    ℓ' lies in (−1, 0) and ℓ'' in (0, 1/4]: L = 1 in the limit z → −∞; c = 1/4 at z = 0.
    """

    name: ClassVar[str] = "logistic"
    form: ClassVar[Form] = "margin"
    lipschitz: ClassVar[float] = 1.0
    smoothness: ClassVar[float] = 0.25
    # An exponential with relative error η moves ℓ' by at most η/4; a sum and a quotient add one
    # rounding each. Sixteen units of 2⁻⁵³ leave room for an exponential wrong by fifty units.
    derivative_error: ClassVar[float] = 2.0**-49

    @property
    def parameters(self) -> dict[str, float]:
        """No parameters."""
        return {}

    def value(self, z: FloatArray) -> FloatArray:
        """Return log(1 + e^{−z}) without overflow."""
        return np.asarray(np.logaddexp(0, -z))

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return −1/(1+e^z)."""
        slope: FloatArray = expit(-z)
        return np.negative(slope, out=slope)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'' = −ℓ'·(1+ℓ')."""
        return np.asarray(expit(z) * expit(-z))

    def curvature_at_slope(self, slope: FloatArray) -> FloatArray:
        """Return ℓ'' where ℓ' = ``slope``: −ℓ'·(1+ℓ')."""
        bend = slope + 1
        bend *= slope
        return np.negative(bend, out=bend)

    def derivative_ball(self, z: arb) -> arb:
        """Return a ball around −1/(1+e^z), with the exponential that cannot overflow."""
        if z.mid() > 0:
            decay = (-z).exp()
            return -decay / (1 + decay)
        return -1 / (1 + z.exp())


def mean_curvature(loss: Loss, z: FloatArray, window: float | FloatArray) -> FloatArray:
    """Return the mean of ℓ'' over z ± window, (ℓ'(z+b) − ℓ'(z−b))/2b."""
    rise = loss.derivative(z + window)
    rise -= loss.derivative(z - window)
    rise /= 2 * window
    return np.maximum(rise, 0, out=rise)


def taper_of(loss: Loss) -> float | None:
    """Return c_t with ℓ'' ≤ c_t(1 − |ℓ'|/L) for every z, the loss's ``taper``; None if it has none.

    A loss that states one wrongly is refused by ``check_loss``.
    """
    taper: float | None = getattr(loss, "taper", None)
    return taper


LOSSES: dict[str, type[Loss]] = {
    one.name: one for one in (HuberisedHinge, Logistic, Huber, ExpHuber)
}
BUILT_IN = frozenset(LOSSES.values())
"""Losses whose constants are proved for every parameter; others are checked as they are made."""


def get_loss(name: str, /, **parameters: float) -> Loss:
    """Return the loss ``name`` with its parameters, or say which names or parameters exist."""
    loss = made("loss", LOSSES, name, parameters)
    if type(loss) not in BUILT_IN:
        check_loss(loss)
    return loss


def register_loss(loss_class: type[Loss]) -> type[Loss]:
    """Add a loss class under its ``name`` once its declared constants pass ``check_loss``.

    The class must be usable without arguments; that instance is the one checked here, and every
    other one is checked when ``get_loss`` makes it. Returns the class, so it can decorate.
    """
    loss = loss_class()
    check_unused("loss", loss.name, LOSSES)
    check_loss(loss)
    LOSSES[loss.name] = loss_class
    return loss_class


def check_loss(loss: Loss) -> None:
    """Raise ``ParameterError`` naming every declared fact that the loss breaks."""
    z = _arguments()
    L, c, error = loss.lipschitz, loss.smoothness, loss.derivative_error
    slope = loss.derivative(z)
    rise = np.diff(slope)
    sane = 0 < L < math.inf and 0 < c < math.inf and 0 <= error <= _LARGEST_ERROR * L
    bounded = np.all(np.abs(slope) <= L + error)
    with np.errstate(over="ignore"):
        fastest = c * np.diff(z) * (1 + _SLACK) + 2 * error
    curved, enclosed = _curved(loss, z), _enclosed(loss, z)
    checks = {
        f"form must be one of {', '.join(get_args(Form))}": form_of(loss) in get_args(Form),
        "lipschitz and smoothness must be finite and positive, "
        "derivative_error at most a millionth of lipschitz": sane,
        "derivative must be finite and at most lipschitz in size": bounded,
        "derivative must not decrease (the loss must be convex)": np.all(rise >= -2 * error),
        "derivative must not change faster than smoothness": np.all(np.abs(rise) <= fastest),
        "value and derivative must belong together": _matching(loss, z),
        "second_derivative must lie in [0, smoothness] and be the slope of derivative": curved,
        "derivative_ball must contain, and derivative_error bound, the derivative": enclosed,
        "second_derivative must be at most taper·(1 − |derivative|/lipschitz)": _tapers(loss, z),
    }
    faults = [text for text, holds in checks.items() if not holds]
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


def _tapers(loss: Loss, z: FloatArray) -> bool:
    """Check ℓ'' ≤ c_t(1 − |ℓ'|/L) where a loss states c_t; kinks count with their larger side."""
    taper = taper_of(loss)
    if taper is None:
        return True
    if not 0 < taper < math.inf:
        return False
    left = taper * (1 - np.abs(loss.derivative(z)) / loss.lipschitz)
    bend = np.maximum(loss.second_derivative(z), loss.second_derivative(np.nextafter(z, 0)))
    slack = _SLACK * loss.smoothness + taper * loss.derivative_error / loss.lipschitz
    return bool(np.all(bend <= left + slack))


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
            # A sharp ball has a width too, so that it may end a rounding beyond the wide one.
            whole = wide.overlaps(ball) and all(wide.overlaps(one) for one in ends)
            if not (sharp and near and whole):
                return False
    return True
