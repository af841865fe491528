"""Ridge: R(θ) = ½‖θ‖², the regulariser for which ∇R(θ) = θ is exact in floating point."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray


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
