"""What a margin loss must offer: ℓ convex and C¹, |ℓ'| ≤ L, |ℓ''| ≤ c almost everywhere.

L bounds what one record can add to the gradient, so it enters the sensitivity. c bounds how far a
rounding error in the margin can move the gradient, so it enters the solver's certificate.
"""

from typing import Protocol

from flint import arb

from dpwerm.arrays import FloatArray


class MarginLoss(Protocol):
    """A convex loss ℓ(z) of the margin z = y·xᵀθ, with declared constants.

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
