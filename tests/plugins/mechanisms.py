"""Two mechanisms from outside the package, each a class and a registration.

A law of noise: ‖v‖_∞ ≤ ‖v‖₂, so density ∝ exp(−ε‖z‖_∞/Δ) is ε-differentially private for an ℓ₂
sensitivity Δ. A law of b: the norm ‖·‖_∞ with κ = the largest bound of a column.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from scipy import integrate, optimize, stats

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.exact import floor_log2, round_up
from dpwerm.mechanisms.contract import (
    GRID_BITS,
    OUTPUT,
    Noise,
    PureClaim,
    checked_release,
    pure_epsilon,
    with_epsilon,
)
from dpwerm.mechanisms.objective_perturbation import ObjectivePerturbation
from dpwerm.mechanisms.output_perturbation import OutputPerturbation
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.grid import release_on_grid
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import LazyUniforms, Sampler, ball, gamma_radius
from dpwerm.privacy.sensitivity import Facts


def cube(p: int, scale: Fraction) -> Sampler:
    """Return density ∝ exp(−‖z‖_∞/scale): Gamma(p + 1) times a uniform point of the cube."""

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        radius = ball(scale) * gamma_radius(uniforms.balls(0, p + 1, m))
        return [radius * (2 * u - 1) for u in uniforms.balls(p + 1, p, m)]

    return sample


def simulated_cube(draws: Draws) -> FloatArray:
    return np.asarray(draws.uniforms * draws.longer[..., None])


@dataclass(frozen=True)
class CubeLaplace(PureClaim):
    """Noise of density ∝ exp(−ε‖z‖_∞/Δ)."""

    name: ClassVar[str] = "cube-laplace"
    statement: ClassVar[str] = (
        "If the ℓ₂ sensitivity is at most Δ, adding noise with density ∝ exp(−ε‖z‖_∞/Δ) "
        "is ε-differentially private."
    )
    proof: ClassVar[str] = "tests/plugins/mechanisms.py"
    how: ClassVar[str] = OUTPUT

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        scale = Fraction(sensitivity) / pure_epsilon(self.name, budget)
        exponent = floor_log2(scale) - GRID_BITS
        return Noise(self.name, dimension, sensitivity, budget, round_up(scale), exponent)

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        center = checked_release(self, theta, noise)
        scale = noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)
        return release_on_grid(center, cube(noise.dimension, scale), noise.exponent, bits)

    def simulated(self, draws: Draws) -> FloatArray:
        return simulated_cube(draws)

    def log_density(self, z: FloatArray) -> FloatArray:
        return np.asarray(-np.abs(z).max(axis=1))

    def order(self, budget: AnyBudget) -> int | None:
        return 35 if with_epsilon(budget) else None

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        radius = stats.gamma(dimension + 1)

        def within(t: float) -> float:
            """P(R|U_j| ≤ t for ``count`` of the j) = E min(1, t/R)^count."""
            beyond, _ = integrate.quad(lambda r: (t / r) ** count * radius.pdf(r), t, math.inf)
            return float(radius.cdf(t) + beyond)

        high = float(radius.isf(1e-12))
        return scale * float(optimize.brentq(lambda t: within(t) - coverage, 1e-9, high))


@dataclass(frozen=True)
class SupNorm:
    """The norm ‖b‖_∞."""

    name: ClassVar[str] = "sup"

    def kappa(self, facts: Facts) -> float:
        return float(facts.domain.column_bounds.max())

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        return cube(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        del facts
        return simulated_cube(draws)

    def log_density(self, facts: Facts, b: FloatArray) -> FloatArray:
        del facts
        return CubeLaplace().log_density(b)


CUBE = OutputPerturbation(CubeLaplace())
SUP = ObjectivePerturbation(SupNorm(), place=15)
