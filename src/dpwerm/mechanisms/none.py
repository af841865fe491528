"""No noise: θ is rounded to a fine grid, k_j = ⌊θ_j/2^e + ½⌋, and nothing is promised.

The baseline to compare with. It has the form of a release so that everything after it is alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.exact import floor_log2
from dpwerm.mechanisms.contract import Noise, checked_dimension, checked_release, epsilon_delta
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.grid import cell_of
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import checked

FINE_GRID_BITS = 40


@dataclass(frozen=True)
class NotPrivate:
    """The non-private baseline: ε = ∞, no noise, grid 2^e ≤ 2^−40·Δ."""

    name: ClassVar[str] = "none"
    needs_delta: ClassVar[bool] = False
    statement: ClassVar[str] = "Nothing is promised: the result is not private."
    proof: ClassVar[str] = "docs/proofs/README.md"

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return a record with scale 0.

        Parameters
        ----------
        sensitivity : float > 0, Δ, which sets the grid
        dimension : int ≥ 1, p
        budget : Budget with ε = ∞ and δ = 0
        """
        delta2 = checked("sensitivity", sensitivity)
        p = checked_dimension(dimension)
        asked = epsilon_delta(self.name, budget)
        if asked.is_private:
            raise ParameterError("mechanism none needs epsilon = inf: it adds no noise")
        if asked.delta != 0:
            raise ParameterError("mechanism none needs delta = 0")
        return Noise(
            mechanism=self.name,
            dimension=p,
            sensitivity=delta2,
            budget=asked,
            scale=0.0,
            exponent=floor_log2(Fraction(delta2)) - FINE_GRID_BITS,
        )

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ; no bit is drawn."""
        del bits
        return tuple(
            cell_of(value, noise.exponent)[0] for value in checked_release(self, theta, noise)
        )
