"""Domains of blocks (width, s), points of any domain, and a regulariser that is not quadratic."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.exact import precision
from dpwerm.features.composed import Product
from dpwerm.features.domain import CrossPolytope, Domain, Interval
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import LazyUniforms


def of_blocks(blocks: Iterable[tuple[int, float]]) -> Product:
    """Return the product of intervals (width 1) and cross-polytopes."""
    parts: list[Domain] = [Interval(s) if k == 1 else CrossPolytope(k, s) for k, s in blocks]
    return Product(tuple(parts))


def exact_points(domain: Domain, count: int = 1500) -> FloatArray:
    """Return points (count, p) of the exact sampler, each proven to lie inside."""
    with precision(96):
        drawn = [
            domain.point(LazyUniforms(SeededBits(seed)).balls(0, domain.uniforms, 64))
            for seed in range(count)
        ]
        assert all(domain.gauge_ball(point) < 1 for point in drawn)
    return np.array([[float(x) for x in point] for point in drawn])


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

    def leverage(self, domain: Domain) -> None:
        del domain
