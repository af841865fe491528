"""Norms ‖·‖_K for the noise b, as samplers of density ∝ exp(−β‖b‖_K), and κ = sup ‖x‖_K.

If b is R times a uniform point of the unit ball of K, with R ~ Gamma(p+1, 1/β), then its density is
∝ exp(−β‖b‖_K); equally, R ~ Gamma(p, 1/β) times the right point of the unit sphere.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

from flint import arb

from dpwerm.privacy.grid import ball
from dpwerm.privacy.samplers import (
    LazyUniforms,
    Sampler,
    block_point,
    block_uniforms,
    even,
    gamma_radius,
    gauss,
    sphere_direction,
)
from dpwerm.privacy.sensitivity import Facts


class Norm(Protocol):
    """A norm of R^p that depends on public facts only."""

    @property
    def name(self) -> str:
        """The name in certificates."""

    def kappa(self, facts: Facts) -> float:
        """Return κ, the largest norm of an allowed row."""

    def sampler(self, facts: Facts, rate: float) -> Sampler:
        """Return b with density ∝ exp(−rate·‖b‖_K); the double ``rate`` is meant exactly."""


@dataclass(frozen=True)
class Euclidean:
    """The norm ‖b‖₂: radius Gamma(p, 1/β) times a uniform direction; κ = r."""

    name: ClassVar[str] = "l2"

    def kappa(self, facts: Facts) -> float:
        """Return r."""
        return facts.radius

    def sampler(self, facts: Facts, rate: float) -> Sampler:
        """Return b from p + even(p) uniforms."""
        p, scale = facts.dimension, 1 / Fraction(rate)

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            radius = ball(scale) * gamma_radius(uniforms.balls(0, p, m))
            normals = gauss(uniforms.balls(p, even(p), m))[:p]
            return [radius * s for s in sphere_direction(normals)]

        return sample


@dataclass(frozen=True)
class BlockNorm:
    """The norm whose unit ball is the set of allowed rows, so that κ = 1.

    max over blocks of |b_j|/s for width 1 and of ‖b_block‖₁/s for width k > 1.
    """

    name: ClassVar[str] = "block"

    def kappa(self, facts: Facts) -> float:
        """Return 1: every allowed row lies in the unit ball, and some on its boundary."""
        del facts
        return 1.0

    def sampler(self, facts: Facts, rate: float) -> Sampler:
        """Return b: radius Gamma(p+1, 1/β) times a uniform point of the ball."""
        p, blocks, scale = facts.dimension, facts.blocks, 1 / Fraction(rate)
        count = block_uniforms(blocks)

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            radius = ball(scale) * gamma_radius(uniforms.balls(0, p + 1, m))
            return [radius * v for v in block_point(uniforms.balls(p + 1, count, m), blocks)]

        return sample
