"""Losses of a residual z = score − target: Huber's, and a smooth one whose curvature tapers.

Both are quadratic near 0 and linear far out, so a target needs no bound for privacy: only the
width T enters, as L = T. Losses that are listed here are registered in ``objective/losses.py``.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.parameters import positive


@dataclass(frozen=True)
class _Residual:
    """What the two share: the width T, and that the target is subtracted from the score."""

    width: float = 0.5
    form: ClassVar[Literal["residual"]] = "residual"
    smoothness: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", positive("width", self.width))

    @property
    def parameters(self) -> dict[str, float]:
        """The width T."""
        return {"width": self.width}

    @property
    def lipschitz(self) -> float:
        """L = T."""
        return self.width


@dataclass(frozen=True)
class Huber(_Residual):
    r"""Huber's loss: z²/2 within T of 0 and T|z| − T²/2 beyond.

    .. math:: \ell'(z) = \min(\max(z, -T), T)

    L = T, because ℓ' is clipped there. c = 1, the slope of ℓ' within T of 0.

    width : float in [1e-12, 1e12], T, in units of half the benefit's range
    """

    name: ClassVar[str] = "huber"
    derivative_error: ClassVar[float] = 0.0  # clipping is exact

    def value(self, z: FloatArray) -> FloatArray:
        """Return m(|z| − m/2) with m = min(|z|, T), one formula for both pieces."""
        size = np.abs(z)
        near = np.minimum(size, self.width)
        return np.asarray(near * (size - near / 2))

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'(z) in [−T, T]."""
        return np.clip(z, -self.width, self.width)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return 1 within T of 0 and 0 beyond."""
        return np.where(np.abs(z) < self.width, np.float64(1), np.float64(0))

    def curvature_at_slope(self, slope: FloatArray) -> FloatArray:
        """Return ℓ'' where ℓ' = ``slope``: 1 strictly inside (−T, T), else 0."""
        return (np.abs(slope) < self.width) * np.float64(1)

    def derivative_ball(self, z: arb) -> arb:
        """Return a ball around ℓ'(z), by the same formula."""
        return z.max(-arb(self.width)).min(arb(self.width))


@dataclass(frozen=True)
class ExpHuber(_Residual):
    r"""T|z| − T²(1 − e^{−|z|/T}): as Huber's near 0 and far out, and smooth between.

    .. math:: \ell'(z) = \mathrm{sign}(z)\,T (1 - e^{-|z|/T}), \qquad
              \ell''(z) = e^{-|z|/T} = 1 - |\ell'(z)|/T

    L = T in the limit, c = 1 at z = 0. Where the slope is large the curvature is small: c_t = 1 in
    ℓ'' ≤ c_t(1 − |ℓ'|/L), with which objective perturbation pays for one or for the other and not
    for both (docs/proofs/tapered-losses.md).

    width : float in [1e-12, 1e12], T, in units of half the benefit's range
    """

    name: ClassVar[str] = "exp-huber"
    taper: ClassVar[float] = 1.0

    @property
    def derivative_error(self) -> float:
        """Sixteen units of 2⁻⁵³ of T: a quotient, an exponential and a product."""
        return 2.0**-49 * self.width

    def _share(self, z: FloatArray) -> FloatArray:
        """Return |z|/T, cut where e^{−|z|/T} is 0 in doubles, so that nothing overflows."""
        share = np.abs(z)
        np.minimum(share, 800 * self.width, out=share)
        share /= self.width
        return share

    def value(self, z: FloatArray) -> FloatArray:
        """Return T(|z| + T·expm1(−|z|/T)); near 0, where the two cancel, its series."""
        size = np.abs(z)
        share = self._share(z)
        series = share * share * (0.5 - share * (1 / 6 - share / 24)) * self.width
        whole = np.where(share < 1e-3, series, size + np.expm1(-share) * self.width)
        return np.asarray(whole * self.width)

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'(z) in [−T, T]."""
        slope = self._share(z)
        np.negative(slope, out=slope)
        np.expm1(slope, out=slope)
        slope *= -self.width
        return np.copysign(slope, z, out=slope)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return e^{−|z|/T}."""
        return np.asarray(np.exp(-self._share(z)))

    def curvature_at_slope(self, slope: FloatArray) -> FloatArray:
        """Return ℓ'' where ℓ' = ``slope``: 1 − |ℓ'|/T."""
        bend = np.abs(slope)
        bend /= -self.width
        bend += 1
        return np.maximum(bend, 0, out=bend)

    def derivative_ball(self, z: arb) -> arb:
        """Return a ball around ℓ'(z): the part above 0 less the part below."""
        width, zero = arb(self.width), arb(0)
        above, below = z.max(zero), (-z).max(zero)
        return width * ((-below / width).expm1() - (-above / width).expm1())
