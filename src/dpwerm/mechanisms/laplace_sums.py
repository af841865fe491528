r"""Sums of shares: a row has non-negative shares of total at most 1, each sum gets Laplace noise.

    ‖S(D) − S(D')‖₁ ≤ k,   k = 2 under replace-one and 1 under add/remove

so independent Laplace noise of scale k/ε on every sum is ε-differentially private, however many
sums there are. Shares are whole numbers of 2^−32, so the sums are exact.
Proof: docs/proofs/evaluation.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.exact import floor_log2, round_up
from dpwerm.mechanisms.contract import GRID_BITS, checked_dimension, pure_epsilon
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sampling import independent_laplace, release_on_grid

SHARE_BITS = 32
UNIT = 1 << SHARE_BITS  # a share of 1, in whole numbers
_BLOCK = 1 << 20  # rows summed at once: 2^20 shares of at most 2^32 stay far below 2^63


def exact_sums(cells: IntArray, shares: IntArray, count: int) -> list[list[int]]:
    """Return the sum of each share in each cell, exactly: ``count`` lists of K whole numbers.

    cells: (n,) in {−1, 0, …, count − 1}, −1 for a row that is left out; shares: (n, K) whole
    numbers ≥ 0 with at most ``UNIT`` in a row. A row outside that is a mistake of the caller.
    """
    totals = [[0] * shares.shape[1] for _ in range(count)]
    for start in range(0, len(cells), _BLOCK):
        where, block = cells[start : start + _BLOCK], shares[start : start + _BLOCK]
        if (block < 0).any() or (block > UNIT).any() or (block.sum(axis=1) > UNIT).any():
            raise ParameterError("the shares of a row must be whole, not negative, and at most 1")
        for cell, total in enumerate(totals):
            for piece, amount in enumerate(block[where == cell].sum(axis=0).tolist()):
                total[piece] += amount
    return totals


@dataclass(frozen=True)
class LaplaceSums:
    r"""Laplace noise for sums of shares.

    .. math:: \tilde S_j = S_j + \frac{k}{\varepsilon} X_j, \quad X_j \sim \text{Laplace}(0, 1)

    Private because the shares of a row add up to at most 1, so k rows move all sums together by
    at most k. At ε = ∞ the sums are left as they are and nothing is promised. ``count`` is how many
    sums there are, the relation decides k, and the budget has δ = 0.
    """

    count: int
    relation: Relation
    budget: Budget

    name: ClassVar[str] = "laplace-sums"
    statement: ClassVar[str] = (
        "If every row has non-negative shares of total at most 1, adding independent Laplace noise "
        "of scale k/ε to each sum of shares is ε-differentially private: k = 2 under replace-one, "
        "k = 1 under add/remove."
    )
    proof: ClassVar[str] = "docs/proofs/evaluation.md"

    def __post_init__(self) -> None:
        checked_dimension(self.count)
        if self.budget.delta != 0:
            raise ParameterError("an evaluation needs delta = 0")

    @property
    def sensitivity(self) -> int:
        """How far one person moves all sums together, in the ℓ₁ norm: k."""
        return self.relation.terms

    @property
    def exact_scale(self) -> Fraction:
        """The scale k/ε, 0 without noise."""
        if not self.budget.is_private:
            return Fraction(0)
        return self.sensitivity / pure_epsilon(self.name, self.budget)

    @property
    def scale(self) -> float:
        """The scale as a double, rounded up."""
        return round_up(self.exact_scale)

    @property
    def exponent(self) -> int:
        """The e of the grid 2^e: at most 2^−10 of the scale; that of the shares without noise."""
        scale = self.exact_scale
        return floor_log2(scale) - GRID_BITS if scale else -SHARE_BITS

    def release(self, sums: Sequence[int], bits: BitSource) -> tuple[int, ...]:
        """Return grid integers; released sum j is k_j·2^exponent in units of whole rows."""
        if len(sums) != self.count:
            raise ParameterError(f"there must be {self.count} sums, not {len(sums)}")
        if not self.budget.is_private:
            return tuple(sums)
        sampler = independent_laplace(self.count, self.exact_scale**2)
        center = [Fraction(total, UNIT) for total in sums]
        return release_on_grid(center, sampler, self.exponent, bits)


def whole_shares(share: FloatArray, most: IntArray) -> IntArray:
    """Return ⌊share·2^32⌋ but at most ``most``, so that rounding never makes a row too heavy."""
    return np.asarray(np.clip(np.floor(share * UNIT), 0, most).astype(np.int64))
