r"""Sums of several columns at once, with noise that is uniform in a box of random size.

    |S_j(D) − S_j(D')| ≤ Δ for every j at once,   density of the noise ∝ exp(−ε‖z‖_∞/Δ)

so releasing all sums costs ε, however many there are: one person moves each of them by at most Δ
whatever happens to the others. The noise of one sum has a mean size of (m + 1)Δ/(2ε), where
independent Laplace noise would need mΔ/ε. Rows are whole numbers of 2^−32, so the sums are exact.
Proof: docs/proofs/private-ranges.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dpwerm.errors import ParameterError
from dpwerm.exact import floor_log2, round_up
from dpwerm.mechanisms.contract import GRID_BITS, checked_dimension, pure_epsilon
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sampling import LazyUniforms, Sampler, ball, gamma_radius, release_on_grid

UNIT_BITS = 32
UNIT = 1 << UNIT_BITS
"""A row's 1, in whole numbers."""


@dataclass(frozen=True)
class BoxSums:
    r"""Noise for m sums, each of which one person moves by at most Δ.

    .. math:: \tilde S = S + \frac{\Delta}{\varepsilon} R\,(V_1, \dots, V_m), \qquad
              R \sim \text{Gamma}(m + 1),\; V_j \sim \text{Uniform}(-1, 1)

    has the density ∝ exp(−ε‖z‖_∞/Δ) (Hardt and Talwar 2010, for the norm ‖·‖_∞). ``count`` is m,
    ``sensitivity`` is Δ, and the budget is a finite ε with δ = 0.
    """

    count: int
    sensitivity: Fraction
    budget: Budget

    name: ClassVar[str] = "box-sums"
    statement: ClassVar[str] = (
        "If replacing one record moves each of m sums by at most Δ, adding noise of density "
        "proportional to exp(−ε·max|z_j|/Δ) to all of them is ε-differentially private."
    )
    proof: ClassVar[str] = "docs/proofs/private-ranges.md"

    def __post_init__(self) -> None:
        checked_dimension(self.count)
        if self.sensitivity <= 0:
            raise ParameterError("the sensitivity of sums must be above 0")
        if self.budget.delta != 0:
            raise ParameterError("private ranges need delta = 0")

    @property
    def exact_scale(self) -> Fraction:
        """The scale Δ/ε."""
        return self.sensitivity / pure_epsilon(self.name, self.budget)

    @property
    def scale(self) -> float:
        """The scale as a double, rounded up."""
        return round_up(self.exact_scale)

    @property
    def mean_size(self) -> Fraction:
        """The mean size (m + 1)Δ/(2ε) of the noise in one sum."""
        return self.exact_scale * (self.count + 1) / 2

    @property
    def exponent(self) -> int:
        """The e of the grid 2^e: at most 2^−10 of the scale."""
        return floor_log2(self.exact_scale) - GRID_BITS

    def release(self, sums: Sequence[Fraction], bits: BitSource) -> tuple[int, ...]:
        """Return grid integers; released sum j is k_j·2^exponent in units of a row's 1."""
        if len(sums) != self.count:
            raise ParameterError(f"there must be {self.count} sums, not {len(sums)}")
        return release_on_grid(sums, box(self.count, self.exact_scale), self.exponent, bits)


def box(m: int, scale: Fraction) -> Sampler:
    """Return density ∝ exp(−‖z‖_∞/scale) from 2m + 1 uniforms: a radius and a point of the box."""

    def sample(uniforms: LazyUniforms, bits: int) -> list[arb]:
        radius = ball(scale) * gamma_radius(uniforms.balls(0, m + 1, bits))
        return [radius * (2 * u - 1) for u in uniforms.balls(m + 1, m, bits)]

    return sample
