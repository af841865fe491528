"""Laws of the noise b inside the objective: ∝ exp(−‖b‖_K) for a norm K, or normal; at any scale.

If b is R times a uniform point of the unit ball of K, with R ~ Gamma(p+1), then its density is
∝ exp(−‖b‖_K); equally, R ~ Gamma(p) times the right point of the unit sphere. κ = sup ‖x‖_K.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.spherical_laplace import SphericalLaplace
from dpwerm.privacy.samplers import LazyUniforms, Sampler, ball, gamma_radius, normal, spherical
from dpwerm.privacy.sensitivity import Facts


class Norm(Protocol):
    """A law of b that depends on public facts only."""

    @property
    def name(self) -> str:
        """The name in certificates."""

    def kappa(self, facts: Facts) -> float:
        """Return κ, the largest norm of an allowed row."""

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b with density ∝ exp(−‖b‖_K/scale), exactly."""

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return b (…, p) of scale 1 in doubles."""

    def log_density(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return the log-density of b (m, p) at scale 1, up to a constant."""


@dataclass(frozen=True)
class Euclidean:
    """The norm ‖b‖₂: radius Gamma(p) times a uniform direction; κ = r."""

    name: ClassVar[str] = "l2"

    def kappa(self, facts: Facts) -> float:
        """Return r."""
        return facts.radius

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b from p + even(p) uniforms."""
        return spherical(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return spherical Laplace noise."""
        del facts
        return draws.spherical

    def log_density(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −‖b‖₂."""
        del facts
        return SphericalLaplace().log_density(b)


@dataclass(frozen=True)
class BlockNorm:
    """The norm whose unit ball is the domain, the set of allowed rows, so that κ = 1."""

    name: ClassVar[str] = "block"

    def kappa(self, facts: Facts) -> float:
        """Return 1: every allowed row lies in the unit ball, and some on its boundary."""
        del facts
        return 1.0

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b: radius Gamma(p+1) times a uniform point of the domain."""
        p, domain = facts.dimension, facts.domain

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            radius = ball(scale) * gamma_radius(uniforms.balls(0, p + 1, m))
            return [radius * v for v in domain.point(uniforms.balls(p + 1, domain.uniforms, m))]

        return sample

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return a Gamma(p+1) radius times a uniform point of the domain."""
        point = facts.domain.simulated(draws, slice(0, facts.dimension))
        return np.asarray(point * draws.longer[..., None])

    def log_density(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −‖b‖_K."""
        return -facts.domain.gauge(b)


@dataclass(frozen=True)
class Normal:
    """Normal noise: N(0, scale²I), for which a shift is measured by ‖·‖₂; κ = r."""

    name: ClassVar[str] = "gaussian"

    def kappa(self, facts: Facts) -> float:
        """Return r."""
        return facts.radius

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b from even(p) uniforms."""
        return normal(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return normal numbers."""
        del facts
        return draws.normals

    def log_density(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −½‖b‖₂²."""
        del facts
        return Gaussian().log_density(b)
