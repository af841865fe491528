"""Domains of blocks (width, s), and a regulariser that is not quadratic."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import CrossPolytope, Domain, Interval, Product


def of_blocks(blocks: Iterable[tuple[int, float]]) -> Product:
    """Return the product of intervals (width 1) and cross-polytopes."""
    parts: list[Domain] = [Interval(s) if k == 1 else CrossPolytope(k, s) for k, s in blocks]
    return Product(tuple(parts))


@dataclass(frozen=True)
class Curved:
    """R(θ) = Σ (½θ_j² + cosh θ_j − 1): 1-strongly convex, and not quadratic."""

    name: ClassVar[str] = "curved"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    def value(self, theta: FloatArray) -> float:
        return float((theta**2 / 2 + np.cosh(theta) - 1).sum())

    def gradient(self, theta: FloatArray) -> FloatArray:
        return np.asarray(theta + np.sinh(theta))

    def hessian(self, theta: FloatArray) -> FloatArray:
        return np.diag(1 + np.cosh(theta))

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        return np.asarray(np.abs(self.gradient(theta)) * 1e-14)

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        return [t + t.sinh() for t in theta]

    def matrix(self, p: int) -> None:
        del p

    def leverage(self, radius_squared: Fraction, p: int) -> None:
        del radius_squared, p
