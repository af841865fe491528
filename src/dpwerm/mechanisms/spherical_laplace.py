r"""Spherical Laplace noise: density ∝ exp(−ε‖z‖₂/Δ), so a shift by Δ changes it by e^ε at most."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dpwerm.exact import floor_log2, round_up
from dpwerm.mechanisms.contract import (
    GRID_BITS,
    Noise,
    checked_dimension,
    checked_release,
    pure_epsilon,
)
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.grid import ball, release_on_grid
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import LazyUniforms, even, gamma_radius, gauss, sphere_direction
from dpwerm.privacy.sensitivity import checked


@dataclass(frozen=True)
class SphericalLaplace:
    r"""Radius Gamma(p, Δ/ε) times a uniform direction (Chaudhuri et al. 2011, Algorithm 1).

    .. math:: Z = \frac{\Delta}{\varepsilon} R S, \quad R \sim \Gamma(p),
              \quad S \sim U(\text{sphere})

    Private because ‖θ − θ'‖₂ ≤ Δ for neighbours and the density is exp(−ε‖z‖₂/Δ) up to a factor.
    """

    name: ClassVar[str] = "spherical-laplace"
    needs_delta: ClassVar[bool] = False
    statement: ClassVar[str] = (
        "If the ℓ₂ sensitivity is at most Δ, adding noise with density ∝ exp(−ε‖z‖₂/Δ) "
        "is ε-differentially private."
    )
    proof: ClassVar[str] = "docs/proofs/spherical-laplace.md"

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return the noise of scale Δ/ε.

        Parameters
        ----------
        sensitivity : float > 0, Δ in the ℓ₂ norm
        dimension : int ≥ 1, p
        budget : Budget with ε finite and δ = 0
        """
        delta2 = checked("sensitivity", sensitivity)
        p = checked_dimension(dimension)
        scale = Fraction(delta2) / pure_epsilon(self.name, budget)
        return Noise(
            mechanism=self.name,
            dimension=p,
            sensitivity=delta2,
            budget=budget,
            scale=round_up(scale),
            exponent=floor_log2(scale) - GRID_BITS,
        )

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ + Z."""
        center = checked_release(self, theta, noise)
        p = noise.dimension
        scale = noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            radius = ball(scale) * gamma_radius(uniforms.balls(0, p, m))
            normals = gauss(uniforms.balls(p, even(p), m))[:p]
            return [radius * s for s in sphere_direction(normals)]

        return release_on_grid(center, sample, noise.exponent, bits)
