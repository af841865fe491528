"""The Huberised hinge: the hinge max(0, 1−z) with its corner rounded over |1−z| ≤ h.

The corner of the hinge has no derivative, so no smoothness constant; a parabola of half-width h
in its place gives c = 1/(2h) and changes no value by more than h/4.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses.contract import Form
from dpwerm.parameters import positive


@dataclass(frozen=True)
class HuberisedHinge:
    r"""Return 0 above 1+h, (1+h−z)²/(4h) within h of 1, and 1−z below 1−h.

    .. math:: \ell'(z) = \min(\max((z-1)/(2h), -1/2), 1/2) - 1/2

    L = 1, because ℓ' lies in [−1, 0]. c = 1/(2h), the slope of ℓ' within h of 1.

    Parameters
    ----------
    h : float in [1e-12, 1e12]
        Half-width of the rounded corner.
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
