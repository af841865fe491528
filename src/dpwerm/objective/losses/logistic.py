"""The logistic loss log(1 + e^{−z}): ℓ' = −1/(1+e^z) lies in (−1, 0) and ℓ'' in (0, 1/4]."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flint import arb
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses.contract import Form


@dataclass(frozen=True)
class Logistic:
    r"""Return log(1 + e^{−z}), the negative log-likelihood of logistic regression.

    .. math:: \ell'(z) = -\frac{1}{1+e^z}, \quad \ell''(z) = \frac{1}{(1+e^z)(1+e^{-z})}

    L = 1 in the limit z → −∞; c = 1/4 at z = 0.
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
        loss: FloatArray = np.logaddexp(0, -z)
        return loss

    def derivative(self, z: FloatArray) -> FloatArray:
        """Return −1/(1+e^z)."""
        slope: FloatArray = expit(-z)
        return np.negative(slope, out=slope)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        """Return ℓ'' = −ℓ'·(1+ℓ')."""
        curvature: FloatArray = expit(z) * expit(-z)
        return curvature

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
