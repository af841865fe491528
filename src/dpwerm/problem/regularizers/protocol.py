"""What a regulariser must offer: R is C¹ and 1-strongly convex, on every coordinate.

Strong convexity makes the minimiser move by at most ‖change of ∇F‖/γ; both the sensitivity and
the solver's certificate divide by γ for that reason, so no coordinate may be left out.
"""

from collections.abc import Sequence
from typing import Protocol

from flint import arb

from dpwerm.arrays import FloatArray


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
