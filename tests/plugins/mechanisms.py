"""Two mechanisms from outside the package, each a class and a registration.

A law of noise: ‖v‖_∞ ≤ ‖v‖₂, so density ∝ exp(−ε‖z‖_∞/Δ) is ε-differentially private for an ℓ₂
sensitivity Δ. A law of b: the norm ‖·‖_∞ with κ = the largest bound of a column.
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb
from scipy import integrate, optimize, stats

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.exact import floor_log2, round_up
from dpwerm.mechanisms.contract import GRID_BITS, Noise, pure_epsilon, with_epsilon
from dpwerm.mechanisms.objective_perturbation import CLAIM, ObjectivePerturbation
from dpwerm.mechanisms.output_perturbation import OutputPerturbation
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.sampling import LazyUniforms, Sampler, ball, gamma_radius
from dpwerm.privacy.sensitivity import Facts


def cube(p: int, scale: Fraction) -> Sampler:
    """Return density ∝ exp(−‖z‖_∞/scale): Gamma(p + 1) times a uniform point of the cube."""

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        radius = ball(scale) * gamma_radius(uniforms.balls(0, p + 1, m))
        return [radius * (2 * u - 1) for u in uniforms.balls(p + 1, p, m)]

    return sample


def simulated_cube(draws: Draws) -> FloatArray:
    return np.asarray(draws.uniforms * draws.longer[..., None])


class CubeLaplace(OutputPerturbation):
    """Noise of density ∝ exp(−ε‖z‖_∞/Δ)."""

    name = "cube-laplace"
    statement = (
        "If the ℓ₂ sensitivity is at most Δ, adding noise with density ∝ exp(−ε‖z‖_∞/Δ) "
        "is ε-differentially private."
    )
    proof = "tests/plugins/mechanisms.py"

    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        del p
        scale = change / pure_epsilon(self.name, budget)
        return round_up(scale), floor_log2(scale) - GRID_BITS

    def sampler(self, noise: Noise) -> Sampler:
        return cube(
            noise.dimension, noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)
        )

    def simulated(self, draws: Draws) -> FloatArray:
        return simulated_cube(draws)

    def log_law(self, z: FloatArray) -> FloatArray:
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


class ObjectiveSup(ObjectivePerturbation):
    """The norm ‖b‖_∞."""

    name = "objective-sup"
    norm = "sup"
    statement = CLAIM.format(norm)
    place = 15

    def kappa(self, facts: Facts) -> float:
        return float(facts.domain.column_bounds.max())

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        return cube(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        del facts
        return simulated_cube(draws)

    def log_law(self, facts: Facts, b: FloatArray) -> FloatArray:
        del facts
        return CubeLaplace().log_law(b)


CUBE, SUP = CubeLaplace(), ObjectiveSup()
