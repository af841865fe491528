"""A few data sets held side by side: margins, Σ w ℓ' y x and Σ w ℓ'' x xᵀ as products of matrices.

With a_i = y_i(s₀, x_i) the margins are z = Aθ, the gradient of the data is (wA)ᵀℓ'(z), and the
p(p+1)/2 different entries of its Hessian are Pᵀℓ''(z), where P holds the products w_i a_ij a_ik.
P is made once and serves every step, every γ and every replicate, so no step scales X again.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.solve.batch_problems import BatchProblems

_NARROW = 12
"""Up to this p the products pay off for a single replicate."""

_MANY = 8
"""From this many replicates on they pay off for any p."""

_PRODUCTS = 2**22
"""More products than this, 32 megabytes, are not stored."""


@dataclass(frozen=True, eq=False)
class Block:
    """Data sets b = 1…, prepared for many steps.

    ``rows`` (b, p, n) holds a_ij; ``weighted`` the same times w_i; ``products`` (b, p(p+1)/2, n)
    the w_i a_ij a_ik, or None where they would cost more than they save. ``bounds`` (b, p) holds
    max_i |a_ij| and ``weight`` (b, 1) the sum of the weights.
    """

    rows: FloatArray
    weighted: FloatArray
    products: FloatArray | None
    bounds: FloatArray
    weight: FloatArray

    @property
    def n_rows(self) -> int:
        """Number n of rows of each data set."""
        return int(self.rows.shape[2])

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""
        return int(self.rows.shape[1])

    def only(self, i: int) -> "Block":
        """Return data set i alone, without copying it."""
        part = slice(i, i + 1)
        products = None if self.products is None else self.products[part]
        return Block(
            self.rows[part], self.weighted[part], products, self.bounds[part], self.weight[part]
        )

    def margins(self, theta: FloatArray) -> FloatArray:
        """Return z (b, R, n) at θ (b, R, p)."""
        z: FloatArray = np.matmul(theta, self.rows)
        return z

    def reach(self, hop: FloatArray) -> FloatArray:
        """Return a bound (b, R) on how far a step (b, R, p) moves any margin."""
        far: FloatArray = np.vecdot(np.abs(hop), self.bounds[:, None])
        return far

    def gradient(self, slope: FloatArray) -> FloatArray:
        """Return Σ_i w_i ℓ'_i a_i (b, R, p) from ℓ' (b, R, n)."""
        g: FloatArray = np.matmul(slope, self.weighted.transpose(0, 2, 1))
        return g

    def hessian(self, bend: FloatArray) -> FloatArray:
        """Return Σ_i w_i ℓ''_i a_i a_iᵀ (b, R, p, p) from ℓ'' (b, R, n)."""
        if self.products is not None:
            packed: FloatArray = np.matmul(bend, self.products.transpose(0, 2, 1))
            return packed.take(_unpacking(self.dimension), axis=-1)
        b, replicates = bend.shape[:2]
        full = np.empty((b, replicates, self.dimension, self.dimension))
        turned = self.rows.transpose(0, 2, 1)
        for r in range(replicates):
            np.matmul(self.weighted * bend[:, r, None], turned, out=full[:, r])
        return full


class Room:
    """Memory for one block after the other, so that the system is not asked for it each time."""

    def __init__(self, sets: int, n: int, p: int, replicates: int) -> None:
        self._rows = np.empty((sets, p, n))
        self._weighted = np.empty((sets, p, n))
        kept = _worthwhile(n, p, replicates)
        self._products = np.empty((sets, p * (p + 1) // 2, n)) if kept else None

    def fill(self, problems: BatchProblems, sets: slice) -> Block:
        """Return the block of some data sets; it is good until the next one is filled in."""
        X, y, weights = problems.X[sets], problems.y[sets], problems.weights[sets]
        intercept_scale = problems.intercept_scale
        b, first = len(X), int(intercept_scale > 0)
        rows, weighted = self._rows[:b], self._weighted[:b]
        np.multiply(X.transpose(0, 2, 1), y[:, None], out=rows[:, first:])
        if first:
            np.multiply(y, intercept_scale, out=rows[:, 0])
        np.multiply(rows, weights[:, None], out=weighted)
        products = None if self._products is None else self._products[:b]
        if products is not None:
            _multiply(rows, weighted, products)
        bounds = np.maximum(rows.max(axis=2, initial=0.0), -rows.min(axis=2, initial=0.0))
        return Block(rows, weighted, products, bounds, weights.sum(axis=1, keepdims=True))


def numbers_kept(n: int, p: int, replicates: int) -> int:
    """Return how many doubles a block keeps for one data set, at least 1."""
    products = p * (p + 1) // 2 if _worthwhile(n, p, replicates) else 0
    return max(1, n * (2 * p + products))


def _worthwhile(n: int, p: int, replicates: int) -> bool:
    """Say whether the products w a_j a_k are worth their making and their room."""
    return (p <= _NARROW or replicates >= _MANY) and n * p * (p + 1) // 2 <= _PRODUCTS


def _multiply(rows: FloatArray, weighted: FloatArray, products: FloatArray) -> None:
    """Write w_i a_ij a_ik for j ≥ k, row after row of the lower triangle."""
    start = 0
    for j in range(rows.shape[1]):
        stop = start + j + 1
        np.multiply(rows[:, : j + 1], weighted[:, j, None], out=products[:, start:stop])
        start = stop


@cache
def _unpacking(p: int) -> np.typing.NDArray[np.intp]:
    """Return the place (p, p) of entry (j, k) in the packed lower triangle."""
    j, k = np.meshgrid(np.arange(p), np.arange(p), indexing="ij")
    high, low = np.maximum(j, k), np.minimum(j, k)
    place: np.typing.NDArray[np.intp] = high * (high + 1) // 2 + low
    return place
