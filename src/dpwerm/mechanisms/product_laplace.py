r"""Independent Laplace noise: ‖v‖₁ ≤ √p·‖v‖₂, so the scale √p·Δ/ε pays for an ℓ₂ sensitivity."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.exact import floor_log2, sqrt_up
from dpwerm.mechanisms.contract import (
    GRID_BITS,
    OUTPUT,
    Noise,
    PureClaim,
    checked_dimension,
    checked_release,
    pure_epsilon,
)
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.grid import release_on_grid
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import LazyUniforms, ball, laplace
from dpwerm.privacy.sensitivity import checked


@dataclass(frozen=True)
class ProductLaplace(PureClaim):
    r"""Independent Laplace coordinates, a baseline (Rubinstein et al. 2012; Spicker et al. 2024).

    .. math:: Z_j = \frac{\sqrt p \, \Delta}{\varepsilon} X_j, \quad X_j \sim \text{Laplace}(0, 1)

    Private because ‖θ − θ'‖₁ ≤ √p·Δ for neighbours; noisier than the spherical mechanism.
    """

    name: ClassVar[str] = "product-laplace"
    statement: ClassVar[str] = (
        "If the ℓ₂ sensitivity is at most Δ, adding independent Laplace noise of scale √p·Δ/ε "
        "to each of the p coordinates is ε-differentially private."
    )
    proof: ClassVar[str] = "docs/proofs/product-laplace.md"
    how: ClassVar[str] = OUTPUT

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return the noise of scale √p·Δ/ε.

        Parameters
        ----------
        sensitivity : float > 0, Δ in the ℓ₂ norm
        dimension : int ≥ 1, p
        budget : Budget with ε finite and δ = 0
        """
        delta2 = checked("sensitivity", sensitivity)
        p = checked_dimension(dimension)
        square = p * (Fraction(delta2) / pure_epsilon(self.name, budget)) ** 2
        return Noise(
            mechanism=self.name,
            dimension=p,
            sensitivity=delta2,
            budget=budget,
            scale=sqrt_up(square),
            exponent=floor_log2(square) // 2 - GRID_BITS,
        )

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ + Z."""
        center = checked_release(self, theta, noise)
        p = noise.dimension
        per_coordinate = noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            scale = ball(per_coordinate) * arb(p).sqrt()
            return [scale * x for x in laplace(uniforms.balls(0, 2 * p, m))]

        return release_on_grid(center, sample, noise.exponent, bits)

    def simulated(self, draws: Draws) -> FloatArray:
        """Return Laplace numbers."""
        return draws.laplace

    def log_density(self, z: FloatArray) -> FloatArray:
        """Return −‖z‖₁."""
        return np.asarray(-np.abs(z).sum(axis=1))

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        """Return −s·log(1 − coverage^(1/k)): the coordinates are independent."""
        del dimension
        return -scale * math.log(-math.expm1(math.log(coverage) / count))
